"""Text to ids: special tokens, then the split, then a cache before the merge.

The encoder holds the only state there is, the cache.  It is bounded twice: by a
number of pieces, and by leaving out pieces so long that they hardly come again.
No result depends on it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import _CacheInfo, lru_cache
from itertools import chain
from typing import Final, Literal

from . import _kernels
from .errors import SpecialTokenError
from .patterns import compile_pattern
from .pretokenize import split
from .vocab import Vocab

#: Pieces of more characters than this are merged afresh each time.
CACHED_LENGTH: Final = 32

CacheInfo = _CacheInfo
#: Which special tokens: all of them, or those named.
Specials = Literal["all"] | Collection[str]


class Encoder:
    """Encode with one vocabulary and one pattern."""

    def __init__(self, vocab: Vocab, pattern: str, cache_size: int) -> None:
        if cache_size < 0:
            raise ValueError(f"cache_size: expected 0 or more pieces, not {cache_size}")
        self._specials = vocab.special_tokens
        self._pattern = compile_pattern(pattern)
        self._table = _kernels.MergeTable(
            [vocab.ids[bytes([byte])] for byte in range(256)],
            vocab.merge_ids,
        )
        self._cached = lru_cache(maxsize=cache_size)(self._merge)
        self.cache_info = self._cached.cache_info
        self.cache_clear = self._cached.cache_clear

    def encode(self, text: str, allowed: Specials, disallowed: Specials) -> list[int]:
        return list(chain.from_iterable(self.stretches(text, allowed, disallowed)))

    def count(self, text: str, allowed: Specials, disallowed: Specials) -> int:
        return sum(map(len, self.stretches(text, allowed, disallowed)))

    def encode_ordinary(self, text: str) -> list[int]:
        check_text(text)
        return list(chain.from_iterable(self._pieces(text)))

    def encode_bytes(self, data: bytes) -> list[int]:
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"expected bytes, not {type(data).__name__}; encode takes a str")
        # A byte that is not UTF-8 is read as a lone surrogate, which no pattern takes for a
        # letter, a number or white space, and which `_merge` writes as that byte again.
        return list(chain.from_iterable(self._pieces(bytes(data).decode(errors="surrogateescape"))))

    def stretches(
        self, text: str, allowed: Specials, disallowed: Specials
    ) -> Iterator[tuple[int, ...]]:
        """Yield the ids by piece; what stands between special tokens is a text of its own."""
        check_text(text)
        allowed = _names("allowed_special", allowed, self._specials.keys())
        disallowed = _names("disallowed_special", disallowed, self._specials.keys() - allowed)
        if disallowed and (found := _finder(frozenset(disallowed)).search(text)):
            raise self._refused(found)
        active = self._specials.keys() & allowed
        start = 0
        for match in _finder(frozenset(active)).finditer(text) if active else ():
            yield from self._pieces(text[start : match.start()])
            yield (self._specials[match[0]],)
            start = match.end()
        yield from self._pieces(text[start:])

    def _pieces(self, text: str) -> Iterable[tuple[int, ...]]:
        pieces = split(text, self._pattern)
        if max(map(len, pieces), default=0) <= CACHED_LENGTH:
            return map(self._cached, pieces)
        return (
            self._cached(piece) if len(piece) <= CACHED_LENGTH else self._merge(piece)
            for piece in pieces
        )

    def _merge(self, piece: str) -> tuple[int, ...]:
        return tuple(self._table.merge(piece.encode(errors="surrogateescape")))

    def _refused(self, found: re.Match[str]) -> SpecialTokenError:
        token, position = found[0], found.start()
        id = self._specials.get(token)
        as_id = f"allowed_special={{{token!r}}} encodes it as id {id}, " if id is not None else ""
        return SpecialTokenError(
            f"special token {token!r} at character {position} of the text; {as_id}"
            "disallowed_special=() or encode_ordinary encodes it as ordinary text",
            token,
            position,
        )


def check_text(text: str) -> None:
    """Refuse what is no str, and a str that UTF-8 cannot write."""
    if not isinstance(text, str):
        raise TypeError(
            f"expected a str, not {type(text).__name__}; "
            "encode_bytes takes bytes, encode_batch several texts"
        )
    try:
        text.isascii() or text.encode()
    except UnicodeEncodeError as error:
        raise UnicodeEncodeError(
            error.encoding,
            text,
            error.start,
            error.end,
            "lone surrogate; encode_bytes(text.encode('utf-8', 'surrogatepass')) keeps it",
        ) from None


def _names(argument: str, tokens: Specials, every: Collection[str]) -> Collection[str]:
    if isinstance(tokens, str):
        if tokens == "all":
            return every
        raise TypeError(
            f"{argument}: expected 'all' or a collection of special tokens, not the str "
            f"{tokens!r}; write {{{tokens!r}}}"
        )
    return set(tokens)


@lru_cache(maxsize=64)
def _finder(tokens: frozenset[str]) -> re.Pattern[str]:
    """Find the leftmost of these tokens, and of several there the longest."""
    longest_first = sorted(tokens, key=lambda token: (-len(token), token))
    return re.compile("|".join(map(re.escape, longest_first)))
