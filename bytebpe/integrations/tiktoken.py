"""A tokenizer in the shape of `tiktoken.Encoding`, for code that was written for that.

All public names are there with tiktoken's arguments, defaults and types of errors, and the
private ones that many programs use.  tiktoken itself is not needed.  Where `Tokenizer` would
refuse a lone surrogate, tiktoken puts U+FFFD in its place, and so does this.

>>> import bytebpe
>>> enc = as_encoding(bytebpe.pretrained("gpt2"), "gpt2")
>>> enc.encode("Hello world"), enc.n_vocab, enc.eot_token
([15496, 995], 50257, 50256)
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Any, Literal

from ..tokenizer import Tokenizer
from . import need

_Allowed = Literal["all"] | AbstractSet[str]
_Disallowed = Literal["all"] | Collection[str]
_NONE: frozenset[str] = frozenset()


def as_encoding(tok: Tokenizer, name: str = "bytebpe") -> Encoding:
    """Return a tokenizer in the shape of `tiktoken.Encoding`."""
    return Encoding(tok, name)


class Encoding:
    """What `tiktoken.Encoding` is, by way of a `Tokenizer`, which is at `tokenizer`."""

    def __init__(self, tokenizer: Tokenizer, name: str) -> None:
        self.tokenizer = tokenizer
        self.name = name
        self.max_token_value = max(tokenizer.vocab.tokens)
        self._pat_str = tokenizer.pattern
        self._mergeable_ranks = tokenizer.mergeable_ranks
        self._special_tokens = tokenizer.special_tokens

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    # ---- encode -------------------------------------------------------------------

    def encode_ordinary(self, text: str) -> list[int]:
        """Encode a text in which special tokens are ordinary text."""
        return self.tokenizer.encode_ordinary(_mended(text))

    def encode(
        self,
        text: str,
        *,
        allowed_special: _Allowed = _NONE,
        disallowed_special: _Disallowed = "all",
    ) -> list[int]:
        """Encode a text; a special token that is not allowed raises ValueError."""
        return self.tokenizer.encode(
            _mended(text), allowed_special=allowed_special, disallowed_special=disallowed_special
        )

    def encode_to_numpy(
        self,
        text: str,
        *,
        allowed_special: _Allowed = _NONE,
        disallowed_special: _Disallowed = "all",
    ) -> Any:
        """Encode a text to a numpy array of uint32."""
        numpy = need("numpy", "numpy")
        ids = self.tokenizer.encode_array(
            _mended(text), allowed_special=allowed_special, disallowed_special=disallowed_special
        )
        return numpy.asarray(ids).astype(numpy.uint32)

    def encode_ordinary_batch(self, text: list[str], *, num_threads: int = 8) -> list[list[int]]:
        """Encode several texts in which special tokens are ordinary text."""
        return self.encode_batch(text, num_threads=num_threads, disallowed_special=())

    def encode_batch(
        self,
        text: list[str],
        *,
        num_threads: int = 8,
        allowed_special: _Allowed = _NONE,
        disallowed_special: _Disallowed = "all",
    ) -> list[list[int]]:
        """Encode several texts."""
        return self.tokenizer.encode_batch(
            list(map(_mended, text)),
            num_threads=num_threads,
            allowed_special=allowed_special,
            disallowed_special=disallowed_special,
        )

    def encode_with_unstable(
        self,
        text: str,
        *,
        allowed_special: _Allowed = _NONE,
        disallowed_special: _Disallowed = "all",
    ) -> tuple[list[int], list[list[int]]]:
        """Return the ids that stay if text follows, and ways in which the rest may go on.

        The ways are those of tiktoken: of each token that can begin inside the unstable bytes,
        the ids up to their end.
        """
        ids = self.encode(
            text, allowed_special=allowed_special, disallowed_special=disallowed_special
        )
        stable = len(ids) - self._last_piece(text, ids, allowed_special)
        unstable = self.decode_bytes(ids[stable:])
        if not unstable:
            return ids, []
        found: set[tuple[int, ...]] = {
            (self._mergeable_ranks[token],) for token in self._beginning_with(unstable)
        }
        for cut in range(1, len(unstable)):
            for token in self._beginning_with(unstable[cut:]):
                longer = unstable[:cut] + token
                found.add(self._up_to(self._ids_of(longer), len(unstable)))
        last = len(unstable.decode("utf-8", "ignore")[-1:].encode())
        head, tail = unstable[: len(unstable) - last], unstable[len(unstable) - last :]
        if head and tail.decode("utf-8", "ignore").isspace():
            found.add((*self._encode_single_piece(head), *self._encode_single_piece(tail)))
        return ids[:stable], [list(way) for way in found]

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """Return the id of one token; raises KeyError."""
        data = text_or_bytes.encode() if isinstance(text_or_bytes, str) else text_or_bytes
        if data in self._mergeable_ranks:
            return self._mergeable_ranks[data]
        return self._special_tokens[data.decode("utf-8", "replace")]

    # ---- decode -------------------------------------------------------------------

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """Return the bytes of ids; raises KeyError for one that is unknown."""
        return self.tokenizer.decode_bytes(_unsigned(tokens))

    def decode(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """Return the text of ids."""
        return self.decode_bytes(tokens).decode("utf-8", errors=errors)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """Return the bytes of one token; raises KeyError."""
        return self.tokenizer.token_bytes(*_unsigned([token]))

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """Return the bytes of each token."""
        return [self.decode_single_token_bytes(token) for token in tokens]

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """Return the text and the character at which each token starts.

        A token that starts inside a character starts at that character.  Ids that end inside
        one raise `UnicodeDecodeError`.
        """
        parts = self.decode_tokens_bytes(tokens)
        starts, characters = [], 0
        for part in parts:
            continues = part[0] & 0xC0 == 0x80
            starts.append(max(0, characters - continues))
            characters += sum(byte & 0xC0 != 0x80 for byte in part)
        return b"".join(parts).decode(), starts

    def decode_batch(
        self, batch: Sequence[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """Return the texts of several rows of ids."""
        return [self.decode(tokens, errors) for tokens in batch]

    def decode_bytes_batch(
        self, batch: Sequence[Sequence[int]], *, num_threads: int = 8
    ) -> list[bytes]:
        """Return the bytes of several rows of ids."""
        return [self.decode_bytes(tokens) for tokens in batch]

    # ---- the vocabulary -----------------------------------------------------------

    def token_byte_values(self) -> list[bytes]:
        """Return the bytes of all tokens but the special ones, sorted."""
        return list(self._sorted_tokens)

    @property
    def eot_token(self) -> int:
        """The id of "<|endoftext|>"; raises KeyError where there is none."""
        return self._special_tokens["<|endoftext|>"]

    @cached_property
    def special_tokens_set(self) -> set[str]:
        """The special tokens."""
        return set(self._special_tokens)

    def is_special_token(self, token: int) -> bool:
        """Say whether an id is that of a special token."""
        assert isinstance(token, int)
        return token in self._special_token_values

    @property
    def n_vocab(self) -> int:
        """One more than the highest id."""
        return self.max_token_value + 1

    # ---- private there, and used all the same -------------------------------------

    @cached_property
    def _special_token_values(self) -> set[int]:
        return set(self._special_tokens.values())

    @cached_property
    def _sorted_tokens(self) -> list[bytes]:
        return sorted(self._mergeable_ranks)

    def _encode_bytes(self, text: bytes) -> list[int]:
        return self.tokenizer.encode_bytes(text)

    def _encode_single_piece(self, text_or_bytes: str | bytes) -> list[int]:
        data = text_or_bytes.encode() if isinstance(text_or_bytes, str) else text_or_bytes
        piece = data.decode(errors="surrogateescape")
        return self.tokenizer._encoder.encode_piece(piece)

    def _beginning_with(self, start: bytes) -> Iterable[bytes]:
        tokens = self._sorted_tokens
        at = bisect_left(tokens, start)
        while at < len(tokens) and tokens[at].startswith(start):
            yield tokens[at]
            at += 1

    def _ids_of(self, data: bytes) -> list[int]:
        """Encode bytes as a text if they are one, and else as one piece."""
        try:
            return self.encode_ordinary(data.decode())
        except UnicodeDecodeError:
            return self._encode_single_piece(data)

    def _up_to(self, ids: list[int], size: int) -> tuple[int, ...]:
        """Return the first ids that together have so many bytes."""
        first = []
        for id in ids:
            first.append(id)
            size -= len(self.tokenizer.token_bytes(id))
            if size <= 0:
                break
        return tuple(first)

    def _last_piece(self, text: str, ids: list[int], allowed: _Allowed) -> int:
        """Return how many of the last ids may change: those of the last piece, and white space.

        White space before white space counts too, since line ends may draw it together.
        """
        if not ids or ids[-1] in self._special_token_values:
            return 0
        pieces = self.tokenizer._encoder.pieces(_mended(text), allowed)
        count = len(self._encode_single_piece(pieces[-1]))

        def blank(id: int) -> bool:
            return not self.tokenizer.token_bytes(id).strip(b" \n\t")

        if blank(ids[-count]):
            while count < len(ids) and blank(ids[-count - 1]):
                count += 1
        return count


def _mended(text: str) -> str:
    """Put U+FFFD in place of lone surrogates, and characters in place of pairs of them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    except AttributeError:
        raise TypeError(f"expected a str, not {type(text).__name__}") from None
    return text


def _unsigned(tokens: Iterable[int]) -> list[int]:
    """Refuse what is no unsigned number of 32 bits, with the error that tiktoken has for it."""
    numbers = list(tokens)
    for number in numbers:
        if not isinstance(number, int):
            raise TypeError(f"expected an int, not {type(number).__name__}")
        if not 0 <= number < 2**32:
            raise OverflowError(f"{number} is no unsigned number of 32 bits")
    return numbers
