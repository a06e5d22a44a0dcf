r"""Where a text may be cut: between characters, graphemes, words or tokens.

A grapheme is what a reader takes for one character, such as an emoji of several code
points; words, and what lies between them, are those of Unicode's text segmentation
(UAX 29).  Both are as the installed `regex` package has them, and are found from any place
of a text, without reading all before it.

>>> units = Graphemes("to 👩‍👩‍👧!")
>>> units.floor(5), units.above(5)
(3, 8)
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal, Protocol

import regex

Cut = Literal["token", "char", "grapheme", "word"]

_GRAPHEME: Final = regex.compile(r"\X")
_WORD_BOUND: Final = regex.compile(r"(?w)\b")
#: The bytes that go on with a character.
_CONTINUING: Final = bytes(range(0x80, 0xC0))
#: After these a cut may depend on what comes before them.
_JOINING: Final = regex.compile(r"[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=Regional_Indicator}]")


class Units(Protocol):
    """The places between units.  The start and the end of the text are among them."""

    def floor(self, at: int) -> int:
        """Return the last such place that is not after `at`."""

    def above(self, at: int) -> int:
        """Return the first such place after `at`, which is before the end."""


class Spelling(Protocol):
    """What ids stand for."""

    def data(self, ids: list[int]) -> bytes:
        """Return the bytes of tokens, joined."""

    def tokens(self, ids: list[int]) -> list[bytes]:
        """Return the bytes of each token."""


def units_of(text: str, cut: Cut, ids: Iterator[list[int]], spelling: Spelling) -> Units:
    """Return the units of a text; `ids` are those of it all, some at a time."""
    match cut:
        case "token":
            return TokenEnds(text, ids, spelling)
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
    """Cuts where a token of the whole text ends, as far as a character ends there too.

    Tokens are looked at one by one only where a cut is asked for.
    """

    def __init__(self, text: str, ids: Iterator[list[int]], spelling: Spelling) -> None:
        self._size = len(text)
        self._ids = ids
        self._spelling = spelling
        self._read: list[list[int]] = []
        self._begun = [0]  # characters before each of those lists, and after the last
        self._known = {-1: [0]}  # the cuts of lists that were asked for

    def floor(self, at: int) -> int:
        if at == self._size:
            return at
        which = self._find(at)
        while True:
            cuts = self._cuts(which)
            before = bisect_right(cuts, at)
            if before:
                return cuts[before - 1]
            which -= 1

    def above(self, at: int) -> int:
        which = self._find(at)
        while True:
            cuts = self._cuts(which)
            after = bisect_right(cuts, at)
            if after < len(cuts):
                return cuts[after]
            which += 1
            if which == len(self._read) and not self._read_on():
                return self._size

    def _find(self, at: int) -> int:
        """Return the last list before which at most so many characters begin."""
        while self._begun[-1] <= at and self._read_on():
            pass
        return min(bisect_right(self._begun, at), len(self._read)) - 1

    def _read_on(self) -> bool:
        some = next(self._ids, None)
        if some is None:
            return False
        self._read.append(some)
        starts = self._spelling.data(some).translate(None, _CONTINUING)
        self._begun.append(self._begun[-1] + len(starts))
        return True

    def _cuts(self, which: int) -> list[int]:
        """Return the cuts before the tokens of a list."""
        if which in self._known:
            return self._known[which]
        begun = self._begun[which]
        cuts = []
        for token in self._spelling.tokens(self._read[which]):
            if token[0] not in _CONTINUING:
                cuts.append(begun)
            begun += len(token.translate(None, _CONTINUING))
        self._known[which] = cuts
        return cuts


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
