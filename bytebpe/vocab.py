"""The vocabulary: tokens with their ids, and the ranked merges that make them.

Both are kept, because neither follows from the other: the ids say what a token is
called, and the order of the merges says which of two possible merges goes first.
A `Vocab` is a value; it checks itself when it is made and never changes.

>>> vocab = Vocab.from_merges([(b"l", b"o"), (b"lo", b"w")], special_tokens=["<|end|>"])
>>> vocab[256], vocab[257], vocab[258]
(b'lo', b'low', b'<|end|>')
>>> len(vocab)
259
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from operator import index
from types import MappingProxyType
from typing import Final

from .bytemap import ID_ORDER
from .errors import SpecialTokenError, UnknownTokenError, VocabError

#: Ids are kept below this, so that an array of uint32 holds them, here and elsewhere.
ID_LIMIT: Final = 2**32 - 1

Merge = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True, repr=False)
class Vocab(Mapping[int, bytes]):
    """The tokens of a tokenizer, read as a mapping from id to bytes.

    `ids` gives the id of each token that merges can use: the 256 bytes and what
    is made of them.  `merges` stand in rank order.  A special token is a str, takes
    part in no merge and stands for its UTF-8 bytes when it is decoded.

    Raises `VocabError` where the parts contradict each other: a byte without a
    token, an id used twice, a merge given twice or of tokens that are not there.
    """

    ids: Mapping[bytes, int]
    merges: tuple[Merge, ...]
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    tokens: Mapping[int, bytes] = field(init=False, compare=False)
    #: Each merge as the ids of its left part, its right part and its result.
    merge_ids: tuple[tuple[int, int, int], ...] = field(init=False, compare=False)
    #: The same, one after the other, in an array of uint32.
    merge_numbers: array[int] = field(init=False, compare=False)
    #: The ids of the 256 bytes.
    byte_ids: tuple[int, ...] = field(init=False, compare=False)
    highest_id: int = field(init=False, compare=False)
    #: Whether it was made by `in_order`.
    is_in_order: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        ids, merges, specials = dict(self.ids), tuple(self.merges), dict(self.special_tokens)
        _check_bytes(ids)
        tokens = _invert(ids)
        merge_ids = _merge_ids(merges, ids)
        _add_special_tokens(tokens, specials)
        self._set(
            ids=MappingProxyType(ids),
            merges=merges,
            special_tokens=MappingProxyType(specials),
            tokens=MappingProxyType(tokens),
            merge_ids=merge_ids,
            is_in_order=False,
        )

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> object:
        """Make what was not set when it is first asked for; see `_LATE`."""
        if name not in _LATE:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self._set(**{name: _LATE[name](self)})
        return object.__getattribute__(self, name)

    @classmethod
    def in_order(cls, merge_numbers: array[int], special_token: str) -> Vocab:
        """Make a vocabulary of merges given by ids, whose own ids are in GPT-2's order.

        Nothing is checked, and tokens are put together when they are asked for: for a
        vocabulary that a test has checked, and that has to be there at once.
        """
        vocab = object.__new__(cls)
        highest_id = len(ID_ORDER) + len(merge_numbers) // 3
        vocab._set(
            special_tokens=MappingProxyType({special_token: highest_id}),
            merge_numbers=merge_numbers,
            byte_ids=tuple(map(ID_ORDER.index, range(256))),
            highest_id=highest_id,
            is_in_order=True,
        )
        return vocab

    @classmethod
    def from_merges(cls, merges: Iterable[Merge], special_tokens: Iterable[str] = ()) -> Vocab:
        """Give ids in GPT-2's order: the bytes, the merges by rank, the special tokens."""
        merges = tuple(merges)
        ids = {bytes([byte]): at for at, byte in enumerate(ID_ORDER)}
        for left, right in merges:
            ids.setdefault(left + right, len(ids))
        first = len(ids)
        return cls(ids, merges, {token: first + at for at, token in enumerate(special_tokens)})

    def with_special_tokens(self, special_tokens: Mapping[str, int]) -> Vocab:
        """Return a vocabulary that has these special tokens too.

        One that is here already may be named again with the id it has.
        """
        if not isinstance(special_tokens, Mapping):
            raise TypeError(
                "special_tokens: expected a mapping from token to id, "
                f"not {type(special_tokens).__name__}"
            )
        for token, id in special_tokens.items():
            if self.special_tokens.get(token, id) != id:
                raise SpecialTokenError(
                    f"special token {token!r} has the id {self.special_tokens[token]} already "
                    f"and cannot take {id}",
                    token,
                )
        return Vocab(self.ids, self.merges, {**self.special_tokens, **special_tokens})

    def token_id(self, token: bytes | str) -> int:
        """Return the id of a token.

        A str names a special token first, and else the token of its UTF-8 bytes.
        Raises `UnknownTokenError`.
        """
        if isinstance(token, str):
            if token in self.special_tokens:
                return self.special_tokens[token]
            data = token.encode("utf-8")
        elif isinstance(token, bytes):
            data = token
        else:
            raise TypeError(f"token: expected bytes or a str, not {type(token).__name__}")
        if data not in self.ids:
            raise self.unknown(token)
        return self.ids[data]

    def unknown(self, token: object) -> UnknownTokenError:
        """Make the error for an id or token that is not here."""
        return UnknownTokenError(token, len(self.tokens), min(self.tokens), self.highest_id)

    def __getitem__(self, id: int) -> bytes:
        try:
            return self.tokens[index(id)]
        except KeyError:
            raise self.unknown(id) from None

    def __len__(self) -> int:
        return len(self.tokens)

    def __iter__(self) -> Iterator[int]:
        return iter(self.tokens)

    def __repr__(self) -> str:
        counts = (
            f"{len(self.tokens)} tokens, {len(self.merges)} merges, "
            f"{len(self.special_tokens)} special"
        )
        return f"<Vocab: {counts}>"

    def __reduce__(self) -> tuple[type[Vocab], tuple[object, ...]]:
        return Vocab, (dict(self.ids), self.merges, dict(self.special_tokens))


def _check_bytes(ids: Mapping[bytes, int]) -> None:
    missing = [byte for byte in range(256) if bytes([byte]) not in ids]
    if missing:
        shown = ", ".join(f"0x{byte:02X}" for byte in missing[:8]) + ", ..." * (len(missing) > 8)
        raise VocabError(
            f"{len(missing)} of the 256 bytes have no token ({shown}); without them "
            "some texts could not be encoded at all"
        )


def _invert(ids: Mapping[bytes, int]) -> dict[int, bytes]:
    if b"" in ids:
        raise VocabError(f"the empty token has the id {ids[b'']}; a token needs at least one byte")
    for token, id in ids.items():
        if type(id) is not int or not 0 <= id < ID_LIMIT:
            _check_id(id, token)
    tokens = dict(zip(ids.values(), ids, strict=True))
    if len(tokens) < len(ids):
        id = next(id for token, id in ids.items() if tokens[id] != token)
        first, second, *_ = (token for token in ids if ids[token] == id)
        raise VocabError(f"id {id} is taken twice, by {first!r} and by {second!r}")
    return tokens


def _merge_ids(
    merges: tuple[Merge, ...], ids: Mapping[bytes, int]
) -> tuple[tuple[int, int, int], ...]:
    try:
        merge_ids = tuple([(ids[left], ids[right], ids[left + right]) for left, right in merges])
    except KeyError as error:
        token = error.args[0]
        rank, (left, right) = next(
            (rank, merge) for rank, merge in enumerate(merges) if token in (*merge, b"".join(merge))
        )
        raise VocabError(f"merge {rank}, {left!r} + {right!r}: {token!r} is no token") from None
    if len(set(merge_ids)) < len(merges):
        first: dict[Merge, int] = {}
        for rank, merge in enumerate(merges):
            if first.setdefault(merge, rank) != rank:
                raise VocabError(
                    f"merge {rank}, {merge[0]!r} + {merge[1]!r}, was given before "
                    f"as merge {first[merge]}"
                )
    return merge_ids


def _add_special_tokens(tokens: dict[int, bytes], specials: Mapping[str, int]) -> None:
    for token, id in specials.items():
        if not isinstance(token, str):
            raise TypeError(f"special token {token!r}: expected a str, not {type(token).__name__}")
        if not token:
            raise SpecialTokenError("a special token needs at least one character", token)
        try:
            data = token.encode("utf-8")
        except UnicodeEncodeError as error:
            raise SpecialTokenError(f"special token {token!r}: {error}", token) from None
        _check_id(id, token)
        if id in tokens:
            raise SpecialTokenError(
                f"special token {token!r} cannot take the id {id}, "
                f"which belongs to {tokens[id]!r}; the next free id is {max(tokens) + 1}",
                token,
            )
        tokens[id] = data


def _check_id(id: object, token: bytes | str) -> None:
    if type(id) is not int:
        raise VocabError(f"the id of {token!r} is {id!r}; expected an int")
    if not 0 <= id < ID_LIMIT:
        raise VocabError(f"the id of {token!r} is {id}; ids go from 0 to {ID_LIMIT - 1}")


def _tokens_in_order(vocab: Vocab) -> Mapping[int, bytes]:
    tokens = [bytes([byte]) for byte in ID_ORDER]
    for left, right in zip(vocab.merge_numbers[::3], vocab.merge_numbers[1::3], strict=True):
        tokens.append(tokens[left] + tokens[right])
    tokens += [token.encode("utf-8") for token in vocab.special_tokens]
    return MappingProxyType(dict(enumerate(tokens)))


def _ids_in_order(vocab: Vocab) -> Mapping[bytes, int]:
    return MappingProxyType({vocab.tokens[id]: id for id in range(vocab.highest_id)})


def _merges_in_order(vocab: Vocab) -> tuple[Merge, ...]:
    lefts, rights = vocab.merge_numbers[::3], vocab.merge_numbers[1::3]
    tokens = vocab.tokens
    return tuple([(tokens[left], tokens[right]) for left, right in zip(lefts, rights, strict=True)])


def _merge_ids_in_order(vocab: Vocab) -> tuple[tuple[int, int, int], ...]:
    numbers = vocab.merge_numbers
    return tuple(zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True))


#: What is made when it is first asked for: at the top what only a vocabulary made by `in_order`
#: can lack, below what any other does.
_LATE: Final[dict[str, Callable[[Vocab], object]]] = {
    "tokens": _tokens_in_order,
    "ids": _ids_in_order,
    "merges": _merges_in_order,
    "merge_ids": _merge_ids_in_order,
    "merge_numbers": lambda vocab: array("I", chain.from_iterable(vocab.merge_ids)),
    "byte_ids": lambda vocab: tuple(vocab.ids[bytes([byte])] for byte in range(256)),
    "highest_id": lambda vocab: max(vocab.tokens),
}
