"""Text to ids: special tokens first, then the ordinary text between them."""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal

from . import _kernels
from .errors import SpecialTokenError
from .ordinary import CacheInfo as CacheInfo
from .ordinary import TokenBatch as TokenBatch
from .ordinary import array_type, batch_of
from .patterns import compile_pattern
from .vocab import Vocab

#: Which special tokens: all of them, or those named.
Specials = Literal["all"] | Collection[str]

_NONE: Final[frozenset[str]] = frozenset()

#: Up to this many special tokens are looked for one by one, each at the speed of `in`.
FEW: Final = 8


class Encoder:
    """Encode with one vocabulary and one pattern."""

    def __init__(self, vocab: Vocab, pattern: str, cache_size: int) -> None:
        if cache_size < 0:
            raise ValueError(f"cache_size: expected 0 or more pieces, not {cache_size}")
        self._specials = vocab.special_tokens
        self._typecode = array_type(vocab)
        self._ordinary = _kernels.text_encoder(vocab, compile_pattern(pattern), cache_size)
        self.scanner = self._ordinary.scanner

    def cache_info(self) -> CacheInfo:
        return self._ordinary.cache_info()

    def cache_clear(self) -> None:
        self._ordinary.cache_clear()

    def encode(self, text: str, allowed: Specials, disallowed: Specials) -> list[int]:
        check_text(text)
        if not self._look_for(text, allowed, disallowed):
            return self._ordinary.encode(text)
        ids = []
        for stretch in self._stretches(text, allowed):
            ids += self._ordinary.encode(stretch) if isinstance(stretch, str) else [stretch]
        return ids

    def count(self, text: str, allowed: Specials, disallowed: Specials) -> int:
        check_text(text)
        if not self._look_for(text, allowed, disallowed):
            return self._ordinary.count(text)
        return sum(
            self._ordinary.count(stretch) if isinstance(stretch, str) else 1
            for stretch in self._stretches(text, allowed)
        )

    def encode_array(self, text: str, allowed: Specials, disallowed: Specials) -> memoryview:
        check_text(text)
        if not self._look_for(text, allowed, disallowed):
            return self._ordinary.encode_array(text)
        return memoryview(array(self._typecode, self.encode(text, allowed, disallowed)))

    def encode_batch(
        self, texts: Sequence[str], allowed: Specials, disallowed: Specials, threads: int | None
    ) -> list[list[int]]:
        if any(self._checked(text, allowed, disallowed) for text in texts):
            return [self.encode(text, allowed, disallowed) for text in texts]
        return self._ordinary.encode_batch(texts, threads or cores())

    def encode_batch_arrays(
        self, texts: Sequence[str], allowed: Specials, disallowed: Specials, threads: int | None
    ) -> TokenBatch:
        if any(self._checked(text, allowed, disallowed) for text in texts):
            rows = [self.encode(text, allowed, disallowed) for text in texts]
            return batch_of(rows, self._typecode)
        return self._ordinary.encode_batch_arrays(texts, threads or cores())

    def encode_ordinary(self, text: str) -> list[int]:
        check_text(text)
        return self._ordinary.encode(text)

    def encode_bytes(self, data: bytes) -> list[int]:
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"expected bytes, not {type(data).__name__}; encode takes a str")
        return self._ordinary.encode_bytes(bytes(data))

    def _checked(self, text: str, allowed: Specials, disallowed: Specials) -> bool:
        check_text(text)
        return self._look_for(text, allowed, disallowed)

    def _look_for(self, text: str, allowed: Specials, disallowed: Specials) -> bool:
        """Refuse a text with a disallowed special token, and say whether it has an allowed one."""
        # What the defaults ask of most texts, without making a set of anything.
        if disallowed == "all" and allowed == _NONE and not _holds(text, self._specials):
            return False
        active = _names("allowed_special", allowed, self._specials.keys())
        refused = _names("disallowed_special", disallowed, self._specials.keys() - active)
        if refused and _holds(text, refused):
            raise self._refused(_finder(frozenset(refused)).search(text))
        return bool(active) and _holds(text, self._specials.keys() & active)

    def _stretches(self, text: str, allowed: Specials) -> Iterator[str | int]:
        """Yield the ids of allowed special tokens, and what stands between as a text of its own."""
        active = self._specials.keys() & _names("allowed_special", allowed, self._specials.keys())
        start = 0
        for match in _finder(frozenset(active)).finditer(text):
            yield text[start : match.start()]
            yield self._specials[match[0]]
            start = match.end()
        yield text[start:]

    def _refused(self, found: re.Match[str] | None) -> SpecialTokenError:
        assert found is not None
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


def _holds(text: str, tokens: Collection[str]) -> bool:
    if len(tokens) <= FEW:
        # A generator for `any` would cost more than to look through a short text.
        for token in tokens:  # noqa: SIM110
            if token in text:
                return True
        return False
    return _finder(frozenset(tokens)).search(text) is not None


def cores() -> int:
    """Return how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
