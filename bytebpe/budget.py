"""Fit, cut and divide a text to a number of tokens.

What is kept of a text is encoded on its own, and its ids need not be those that it has in
the whole.  So a cut is judged by what it keeps.  Where a text is cut, what is kept fits, and
with one more unit it would not.  As the number of tokens may fall where a text grows (`wor`
has one more than `world`), there may be several such cuts.  Bisection finds one: between a
cut that fits and one that does not, there always is one.  It starts where the ids of the
text suggest, and mostly ends there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal, NamedTuple

from .encode import Specials
from .errors import BudgetError
from .reading import WINDOW, Reader
from .special_growing import Watch
from .units import Cut, Unbroken, Units, units_of

Side = Literal["right", "left", "middle"]

#: What a unit is divided into that is too large for a chunk.
_FINER: Final[dict[Cut, Cut]] = {"word": "grapheme", "grapheme": "char", "token": "char"}


class Chunk(NamedTuple):
    """A part of a text, and where it starts and ends in it, in characters."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Budget:
    """Texts may have `most` tokens, encoded with these special tokens."""

    reader: Reader
    most: int
    allowed: Specials
    disallowed: Specials

    def __post_init__(self) -> None:
        if self.most < 0:
            raise ValueError(f"n: expected 0 or more tokens, not {self.most}")

    @cached_property
    def _watch(self) -> Watch:
        return self.reader.watch(self.allowed, self.disallowed)

    def _count(self, text: str) -> int:
        return self.reader.encoder.count(text, self.allowed, self.disallowed)

    def fits(self, text: str) -> bool:
        """Tell whether a text fits, and read no more of it than that takes."""
        if len(text) <= 8 * self.most + WINDOW:
            return self._count(text) <= self.most
        left = self.most
        for count in self.reader.counts(text, self._watch):
            left -= count
            if left < 0:
                return False
        return True

    def truncate(self, text: str, side: Side, cut: Cut) -> str:
        units = self._units(text, cut)
        if side not in ("right", "left", "middle"):
            raise ValueError(f"side: expected 'right', 'left' or 'middle', not {side!r}")
        if self.fits(text):
            return text
        if side == "right":
            return text[: self._reach(text, 0, units)]
        if side == "left":
            return text[self._back(text, 0, len(text), len(text), units) :]
        half = replace(self, most=(self.most + 1) // 2)
        before, head, tail = -1, half._reach(text, 0, units), len(text)
        while head != before:  # what one end leaves over may be enough for the other
            before = head
            tail = self._back(text, head, tail, len(text), units, keep=text[:head])
            head = self._forth(text, head, tail, units)
        return text[:head] + text[tail:]

    def chunks(self, text: str, overlap: int, cut: Cut) -> Iterator[Chunk]:
        levels = [self._units(text, cut)]
        while cut in _FINER:
            cut = _FINER[cut]
            levels.append(self._units(text, cut))
        shared = replace(self, most=overlap)
        start = end = 0
        while end < len(text):
            before, end = end, self._chunk_end(text, start, levels)
            while end <= before:  # an overlap that leaves no room for anything new
                start = min(levels[0].above(start), before)
                end = self._chunk_end(text, start, levels)
            yield Chunk(text[start:end], start, end)
            start = shared._back(text, start, end, end, levels[0]) if overlap else end

    def _chunk_end(self, text: str, start: int, levels: list[Units]) -> int:
        for units in levels:
            end = self._reach(text, start, units)
            if end > start:
                return end
        count = self._count(text[start : start + 1])
        raise BudgetError(
            f"character {text[start]!r} at {start} alone has {count} tokens, "
            f"and {self.most} are allowed"
        )

    def _reach(self, text: str, start: int, units: Units) -> int:
        """Return a place to which what begins at `start` fits, and no further."""
        size = 4 * self.most + 32
        while True:
            ids = self.reader.encoder.encode_ordinary(text[start : start + size])
            if len(ids) > self.most or start + size >= len(text):
                break
            size *= 4
        guess = start + self._characters(ids[: self.most])
        return _edge(start, len(text) + 1, guess, lambda at: self.fits(text[start:at]), units)

    def _forth(self, text: str, good: int, bad: int, units: Units) -> int:
        """Return a place between these up to which the text fits before what follows `bad`."""
        tail = text[bad:]
        return _edge(good, bad, good + 1, lambda at: self._join(text[:at], tail), units)

    def _back(self, text: str, bad: int, good: int, end: int, units: Units, keep: str = "") -> int:
        """Return a place between these from which on what ends at `end` fits behind `keep`."""
        room = self.most - self._count(keep)
        size = 8 * room + 32
        while True:
            ids = self.reader.encoder.encode_ordinary(text[max(0, end - size) : end])
            if len(ids) >= room or size >= end:
                break
            size *= 4
        guess = end - self._characters(ids[max(0, len(ids) - room) :])
        return _edge(good, bad, guess, lambda at: self._join(keep, text[at:end]), units)

    def _join(self, head: str, tail: str) -> bool:
        """Tell whether the two fit together, and make no special token where they meet."""
        if self._watch.between(head, tail):
            return False
        return self.fits(head + tail)

    def _units(self, text: str, cut: Cut) -> Units:
        units = units_of(text, cut, self.reader.grow(text, self._watch), self.reader)
        spans = self._watch.spans(text)
        return Unbroken(units, spans) if spans else units

    def _characters(self, ids: list[int]) -> int:
        # That is for a guess; it may be one more or less.
        return len(self.reader.data(ids).decode("utf-8", "ignore"))


def _edge(good: int, bad: int, guess: int, ok: Callable[[int], bool], units: Units) -> int:
    """Return a cut that is ok, where the next one towards `bad` is not.

    `good` is ok, `bad` is not, and is never asked for.  From the guess it goes in growing
    steps until it stands between an answer of each kind, and bisects from there.
    """
    step, forward = 1, 1 if bad > good else -1
    answers: set[bool] = set()
    at = guess
    while abs(good - bad) > 1:
        low, high = min(good, bad), max(good, bad)
        at = units.floor(min(max(at, low), high - 1))
        if at <= low:
            at = units.above(low)
        if at >= high:
            break
        answer = ok(at)
        answers.add(answer)
        if answer:
            good = at
        else:
            bad = at
        if len(answers) == 2:
            at = (good + bad) // 2
        else:
            at += forward * step if answer else -forward * step
            step *= 4
    return good
