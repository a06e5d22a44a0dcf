"""The trainer: counted symbol sequences in, ranked merges out.

Each round merges the pair of neighbouring symbols that occurs most often, in every
sequence, left to right and without overlap (`a a a` becomes `aa a`), and counts
again.  The counts are kept up to date instead of taken afresh, with the same result.

Symbols are numbers and stand for whatever the caller likes: bytes, or characters
with an end-of-word mark.  Pairs of equal count are told apart by one of two rules:

* `ties="lowest"`: the pair with the smallest symbols, left one first.  The result
  does not depend on the order of the sequences.
* `ties="first"`: the pair that occurs first, reading the sequences in the order
  given and each from left to right.  This is the rule of hand-worked examples.

>>> learned, stopped = learn([[1, 2, 3], [1, 2]], [5, 2], new_symbol=10, max_merges=2)
>>> [(merge.pair, merge.count) for merge in learned], stopped
([((1, 2), 7), ((10, 3), 5)], 'max_merges')
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Pair = tuple[int, int]
Ties = Literal["lowest", "first"]
Stop = Literal["max_merges", "min_frequency", "max_width", "no_pairs"]


@dataclass(frozen=True, slots=True)
class Learned:
    """A merge and how often its pair occurred when it was merged."""

    pair: Pair
    count: int


def learn(
    sequences: Iterable[Sequence[int]],
    counts: Iterable[int],
    *,
    new_symbol: int,
    max_merges: int,
    min_frequency: int = 2,
    max_width: int | None = None,
    ties: Ties = "lowest",
    on_merge: Callable[[int], object] = lambda done: None,
) -> tuple[list[Learned], Stop]:
    """Learn up to `max_merges` merges and say why no more.

    `counts` says how often each sequence occurs.  The merge of rank r makes the
    symbol `new_symbol + r`, which must be new.  No pair is merged that occurs less
    than `min_frequency` times or whose result would span more than `max_width` of
    the symbols given.  A sequence that counts 0 times teaches nothing.  `on_merge` is
    called with the number of merges every now and then, and after the last one.
    """
    rounds = _Rounds(sequences, counts, max_width, ties)
    learned: list[Learned] = []
    while len(learned) < max_merges:
        best = rounds.best(min_frequency)
        if not isinstance(best, Learned):
            return learned, best
        rounds.merge(best.pair, new_symbol + len(learned))
        learned.append(best)
        on_merge(len(learned))
    return learned, "max_merges"


class _Rounds:
    """The sequences between two rounds, with the pairs counted and found.

    What makes lazy bookkeeping right: every pair that a merge adds has the new symbol
    in it, so once its first round is over a pair only ever loses occurrences.  Hence
    counts only fall and first places only move on, an entry of the heap is never
    worse than its pair deserves, and one that proves stale is put back corrected.
    """

    def __init__(
        self,
        sequences: Iterable[Sequence[int]],
        counts: Iterable[int],
        max_width: int | None,
        ties: Ties,
    ) -> None:
        counted = [(list(s), count) for s, count in zip(sequences, counts, strict=True) if count]
        self._words = [sequence for sequence, _ in counted]
        self._counts = [count for _, count in counted]
        self._max_width = max_width
        self._ties = ties
        self._too_wide = False
        self._width: dict[int, int] = {}  # of the symbols made; those given have width 1
        self._totals: defaultdict[Pair, int] = defaultdict(int)
        # For each pair the numbers of the words it occurs in, ascending; some may be stale.
        self._places: defaultdict[Pair, list[int]] = defaultdict(list)
        self._first_place: dict[Pair, int] = {}  # how many of those are known to be stale
        for at in range(len(self._words)):
            self._count_in(at)
        self._heap = [self._entry(pair) for pair in self._totals if self._fits(pair)]
        heapq.heapify(self._heap)

    def best(self, min_frequency: int) -> Learned | Stop:
        """Return the pair to merge, or why there is none."""
        while self._heap:
            entry = heapq.heappop(self._heap)
            pair = entry[-1]
            if not self._totals[pair]:
                del self._totals[pair], self._places[pair]
                continue
            now = self._entry(pair)
            if now != entry:
                heapq.heappush(self._heap, now)
            elif self._totals[pair] < min_frequency:
                return "min_frequency"
            else:
                return Learned(pair, self._totals[pair])
        return "max_width" if self._too_wide else "no_pairs"

    def merge(self, pair: Pair, made: int) -> None:
        """Merge a pair everywhere."""
        self._width[made] = self._width_of(pair)
        fresh: dict[Pair, None] = {}
        for at in self._places.pop(pair):
            merged = merge_pair(self._words[at], pair, made)
            if len(merged) == len(self._words[at]):
                continue  # a stale place
            for gone in pairwise(self._words[at]):
                self._totals[gone] -= self._counts[at]
            self._words[at] = merged
            fresh.update(dict.fromkeys(p for p in self._count_in(at) if made in p))
        del self._totals[pair]
        for new in fresh:
            if self._fits(new):
                heapq.heappush(self._heap, self._entry(new))

    def _count_in(self, at: int) -> Iterable[Pair]:
        """Count the pairs of a word and note where they are."""
        count, pairs = self._counts[at], list(pairwise(self._words[at]))
        for pair in pairs:
            self._totals[pair] += count
            places = self._places[pair]
            if not places or places[-1] < at:
                places.append(at)
        return pairs

    def _entry(self, pair: Pair) -> tuple[int, Pair, Pair]:
        """Return what the heap sorts by: the highest count, then the tie rule."""
        first = pair if self._ties == "lowest" else self._first_occurrence(pair)
        return -self._totals[pair], first, pair

    def _first_occurrence(self, pair: Pair) -> Pair:
        """Return the number of the first word that holds the pair, and the offset in it.

        The offset is counted in symbols as given, which merges do not move.
        """
        places, skipped = self._places[pair], self._first_place.get(pair, 0)
        while (offset := self._offset_in(places[skipped], pair)) is None:
            skipped += 1
        self._first_place[pair] = skipped
        return places[skipped], offset

    def _offset_in(self, at: int, pair: Pair) -> int | None:
        offset = 0
        for here in pairwise(self._words[at]):
            if here == pair:
                return offset
            offset += self._width.get(here[0], 1)
        return None

    def _fits(self, pair: Pair) -> bool:
        if self._max_width is None or self._width_of(pair) <= self._max_width:
            return True
        self._too_wide = True
        return False

    def _width_of(self, pair: Pair) -> int:
        return self._width.get(pair[0], 1) + self._width.get(pair[1], 1)


def merge_pair(symbols: Sequence[int], pair: Pair, made: int) -> list[int]:
    """Merge a pair wherever it stands, left to right, without overlap.

    >>> merge_pair([7, 7, 7], (7, 7), 8)
    [8, 7]
    """
    merged: list[int] = []
    at, last = 0, len(symbols) - 1
    while at <= last:
        if at < last and symbols[at] == pair[0] and symbols[at + 1] == pair[1]:
            merged.append(made)
            at += 2
        else:
            merged.append(symbols[at])
            at += 1
    return merged
