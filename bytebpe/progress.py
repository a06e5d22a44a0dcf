"""How far training has come: the phase, what is done, of how much, and how fast."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import monotonic
from typing import Final

#: Called with a phase, how much of it is done, of how much if that is known, and how much is
#: done in a second.  The phases are "count", in bytes of text, and "merge", in merges.
Progress = Callable[[str, int, int | None, float], object]

#: Seconds between two calls.
PAUSE: Final = 0.1


_UNITS: Final = {"count": ("MB", 1e6), "merge": ("merges", 1)}


class Reporter:
    """Tell of one phase: now and then while it lasts, and when it has ended."""

    def __init__(self, progress: bool | Progress, phase: str, total: int | None, done: int = 0):
        self._progress = _print_line if progress is True else progress
        self._printed = progress is True
        self.phase, self._total = phase, total
        self._done = self._before = done
        self._start = self._told = monotonic()

    def __call__(self, done: int) -> None:
        self._done = done
        if self._progress and monotonic() - self._told >= PAUSE:
            self._tell()

    def end(self) -> None:
        """Tell the last of it."""
        self._tell()
        if self._printed:
            print(file=sys.stderr)

    def _tell(self) -> None:
        self._told = monotonic()
        if self._progress:
            seconds = self._told - self._start
            rate = (self._done - self._before) / seconds if seconds else 0.0
            self._progress(self.phase, self._done, self._total, rate)


def describe(phase: str, done: int, total: int | None, rate: float) -> str:
    """Say in a few words how far a phase has come, in documents unless it is one of training's.

    >>> describe("count", 3_000_000, None, 120e6), describe("merge", 5, 10, 2000.0)
    ('count: 3 MB, 120 a second', 'merge: 5 of 10 merges, 2,000 a second')
    >>> describe("measure zh", 9, None, 4.0)
    'measure zh: 9 documents, 4 a second'
    """
    unit, per = _UNITS.get(phase, ("documents", 1))
    of = f" of {total / per:,.0f}" if total else ""
    return f"{phase}: {done / per:,.0f}{of} {unit}, {rate / per:,.0f} a second"


def _print_line(phase: str, done: int, total: int | None, rate: float) -> None:
    print(f"\r{describe(phase, done, total, rate):<60}", end="", file=sys.stderr, flush=True)
