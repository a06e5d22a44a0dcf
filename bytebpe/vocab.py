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

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
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

    def __post_init__(self) -> None:
        ids, merges, specials = dict(self.ids), tuple(self.merges), dict(self.special_tokens)
        _check_bytes(ids)
        tokens = _invert(ids)
        merge_ids = _merge_ids(merges, ids)
        _add_special_tokens(tokens, specials)
        self._set(ids, merges, specials, tokens, merge_ids)

    def _set(
        self,
        ids: dict[bytes, int],
        merges: tuple[Merge, ...],
        specials: dict[str, int],
        tokens: dict[int, bytes],
        merge_ids: tuple[tuple[int, int, int], ...],
    ) -> None:
        set_once = object.__setattr__
        set_once(self, "ids", MappingProxyType(ids))
        set_once(self, "merges", merges)
        set_once(self, "special_tokens", MappingProxyType(specials))
        set_once(self, "tokens", MappingProxyType(tokens))
        set_once(self, "merge_ids", merge_ids)

    @classmethod
    def _known(
        cls,
        tokens: list[bytes],
        merges: list[Merge],
        merge_ids: Iterable[tuple[int, int, int]],
        special_token: str,
    ) -> Vocab:
        """Make a vocabulary of parts that a test has checked, at half the time.

        `tokens` stand in the order of their ids; the special token comes after them.
        """
        vocab = object.__new__(cls)
        vocab._set(
            {token: id for id, token in enumerate(tokens)},
            tuple(merges),
            {special_token: len(tokens)},
            dict(enumerate([*tokens, special_token.encode("utf-8")])),
            tuple(merge_ids),
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
        return UnknownTokenError(token, len(self.tokens), min(self.tokens), max(self.tokens))

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
