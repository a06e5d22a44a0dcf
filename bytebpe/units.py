r"""Where a text may be cut: between characters, graphemes, words or tokens.

A grapheme is what a reader takes for one character, such as an emoji of several code
points; words, and what lies between them, are those of Unicode's text segmentation
(UAX 29).  Both are as the installed `regex` package has them, and are found from any place
of a text, without reading all before it.

>>> units = units_of("to 👩‍👩‍👧!", "grapheme", tokens=iter([]))
>>> units.floor(5), units.above(5)
(3, 8)
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final, Literal, Protocol

import regex

Cut = Literal["token", "char", "grapheme", "word"]

_GRAPHEME: Final = regex.compile(r"\X")
_WORD_BOUND: Final = regex.compile(r"(?w)\b")
#: After these a cut may depend on what comes before them.
_JOINING: Final = regex.compile(r"[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=Regional_Indicator}]")


class Units(Protocol):
    """The places between units.  The start and the end of the text are among them."""

    def floor(self, at: int) -> int:
        """Return the last such place that is not after `at`."""

    def above(self, at: int) -> int:
        """Return the first such place after `at`, which is before the end."""


def units_of(text: str, cut: Cut, tokens: Iterator[list[bytes]]) -> Units:
    """Return the units of a text; `tokens` are those of it all, some at a time."""
    match cut:
        case "token":
            return TokenEnds(text, tokens)
        case "char":
            return Characters(text)
        case "grapheme":
            return Graphemes(text)
        case "word":
            return Words(text)
    raise ValueError(f"at: expected 'token', 'char', 'grapheme' or 'word', not {cut!r}")


class Characters:
    """Cuts between any two characters."""

    def __init__(self, text: str) -> None:
        self._size = len(text)

    def floor(self, at: int) -> int:
        return at

    def above(self, at: int) -> int:
        return at + 1


class Graphemes:
    """Cuts between graphemes."""

    def __init__(self, text: str) -> None:
        self._text = text

    def floor(self, at: int) -> int:
        return max(bound for bound in self._around(at) if bound <= at)

    def above(self, at: int) -> int:
        return max(self._around(at))

    def _around(self, at: int) -> list[int]:
        """Return the cuts from some place up to the first one after `at`."""
        start, text = at, self._text
        while 0 < start < len(text) and not _always_cut(text[start - 1 : start + 1]):
            start -= 1
        bounds = [start]
        while bounds[-1] <= at and bounds[-1] < len(text):
            found = _GRAPHEME.match(text, bounds[-1])
            assert found is not None
            bounds.append(found.end())
        return bounds


@lru_cache(maxsize=4096)
def _always_cut(pair: str) -> bool:
    """Tell whether there is a cut between two characters, whatever stands before them."""
    return not _JOINING.match(pair) and not _GRAPHEME.fullmatch(pair)


class Words:
    """Cuts between words, and between what stands between words."""

    def __init__(self, text: str) -> None:
        self._text = text

    def floor(self, at: int) -> int:
        while 0 < at < len(self._text) and not _WORD_BOUND.match(self._text, at):
            at -= 1
        return at

    def above(self, at: int) -> int:
        found = _WORD_BOUND.search(self._text, at + 1)
        return found.start() if found else len(self._text)


class TokenEnds:
    """Cuts where a token of the whole text ends, as far as a character ends there too."""

    def __init__(self, text: str, tokens: Iterator[list[bytes]]) -> None:
        self._ends = _character_ends(tokens)
        self._found = [0]
        self._size = len(text)

    def floor(self, at: int) -> int:
        if at == self._size:
            return at
        self._read_beyond(at)
        return self._found[bisect_right(self._found, at) - 1]

    def above(self, at: int) -> int:
        self._read_beyond(at)
        return self._found[bisect_right(self._found, at)]

    def _read_beyond(self, at: int) -> None:
        while self._found[-1] <= at:
            self._found += next(self._ends)


def _character_ends(tokens: Iterable[list[bytes]]) -> Iterator[list[int]]:
    """Yield the ends of tokens, some at a time; of the last, the end of the text comes last."""
    begun = 0  # characters
    for some in tokens:
        *ends, begun = accumulate(map(characters_in, some), initial=begun)
        yield [
            end for end, token in zip(ends, some, strict=True) if end and token[0] & 0xC0 != 0x80
        ]
    yield [begun]


@lru_cache(maxsize=2**16)
def characters_in(token: bytes) -> int:
    """Return how many characters begin in a token."""
    return len(token) - sum(byte & 0xC0 == 0x80 for byte in token)


class Unbroken:
    """Other units, but for those places that lie inside these spans."""

    def __init__(self, units: Units, spans: Sequence[tuple[int, int]]) -> None:
        self._units = units
        self._spans = spans
        self._ends = [end for _, end in spans]

    def floor(self, at: int) -> int:
        at = self._units.floor(at)
        while (span := self._around(at)) is not None:
            at = self._units.floor(span[0])
        return at

    def above(self, at: int) -> int:
        at = self._units.above(at)
        while (span := self._around(at)) is not None:
            at = span[1] if self._units.floor(span[1]) == span[1] else self._units.above(span[1])
        return at

    def _around(self, at: int) -> tuple[int, int] | None:
        which = bisect_left(self._ends, at + 1)
        if which < len(self._spans) and self._spans[which][0] < at:
            return self._spans[which]
        return None
