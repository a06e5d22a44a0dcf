"""The merge: bytes of one piece in, token ids out.

The definition: as long as two neighbours have a merge, apply the one of lowest
rank, and of several places the leftmost.  It never asks which tokens are long; a
token that no path of merges reaches is never made.

>>> table = MergeTable(range(256), [(97, 97, 256), (256, 256, 257)])
>>> table.merge(b"aaaaa")
[257, 97]
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Final

#: Pieces of more bytes than this go through the heap.  Below it, looking at every pair
#: again for each merge is faster; above, it would be quadratic in the piece.
HEAP_ABOVE: Final = 128


class MergeTable:
    """The ranks of a vocabulary, laid out for merging.

    `byte_ids` holds the id of each of the 256 bytes.  `merges` holds, in rank
    order, the ids of the left part, the right part and the result.
    """

    def __init__(self, byte_ids: Sequence[int], merges: Iterable[tuple[int, int, int]]) -> None:
        self._byte_ids = tuple(byte_ids)
        self._ranks: dict[tuple[int, int], int] = {}
        self._made: list[int] = []
        for rank, (left, right, made) in enumerate(merges):
            self._ranks[left, right] = rank
            self._made.append(made)

    def merge(self, piece: bytes) -> list[int]:
        """Merge one piece until no two neighbours have a merge."""
        return self.merge_ids([self._byte_ids[byte] for byte in piece])

    def merge_ids(self, ids: list[int]) -> list[int]:
        """Merge ids that are there already, and use up the list."""
        return self._by_heap(ids) if len(ids) > HEAP_ABOVE else self._by_scan(ids)

    def _by_scan(self, ids: list[int]) -> list[int]:
        """Look at every pair, merge the best, look again."""
        ranks, never = self._ranks, len(self._made)
        of_pair = [ranks.get(pair, never) for pair in pairwise(ids)]
        while of_pair:
            best = min(of_pair)
            if best == never:
                break
            at = of_pair.index(best)  # the leftmost of equals
            ids[at : at + 2] = [self._made[best]]
            del of_pair[at]
            if at:
                of_pair[at - 1] = ranks.get((ids[at - 1], ids[at]), never)
            if at < len(of_pair):
                of_pair[at] = ranks.get((ids[at], ids[at + 1]), never)
        return ids

    def _by_heap(self, ids: list[int]) -> list[int]:
        """Keep the pairs in a heap by rank, then place: n log n for a piece of n bytes.

        A merge leaves its result in the left place and unlinks the right one.  An
        entry whose place holds another pair by now is stale and is passed over; a
        pair that is there has its own entry.
        """
        return self._from_heap(ids, drops=None)

    def sample(self, piece: bytes, drops: Callable[[], bool]) -> list[int]:
        """Merge one piece, but in each step pass over the best pairs that `drops` says to drop.

        It is asked once a pair and step.  When all are dropped in one step, the piece is done.
        """
        return self._from_heap([self._byte_ids[byte] for byte in piece], drops)

    def _from_heap(self, ids: list[int], drops: Callable[[], bool] | None) -> list[int]:
        ranks, made, size = self._ranks, self._made, len(ids)
        before = list(range(-1, size - 1))
        after = list(range(1, size + 1))
        gone = -1  # no id; what an unlinked place holds

        def rank_at(at: int) -> int | None:
            right = after[at]
            return ranks.get((ids[at], ids[right])) if right < size else None

        # Rank and place as one number: it compares as the pair of them does, and faster.
        heap = [rank * size + at for at in range(size - 1) if (rank := rank_at(at)) is not None]
        heapq.heapify(heap)
        dropped: list[int] = []
        while heap:
            rank, at = divmod(heapq.heappop(heap), size)
            if ids[at] == gone or rank_at(at) != rank:
                continue
            if drops:
                if drops():
                    dropped.append(rank * size + at)
                    continue
                for entry in dropped:  # in the next step they may stay
                    heapq.heappush(heap, entry)
                dropped.clear()
            right = after[at]
            ids[at], ids[right] = made[rank], gone
            after[at] = after[right]
            if after[at] < size:
                before[after[at]] = at
            for left in (before[at], at):
                if left >= 0 and (fresh := rank_at(left)) is not None:
                    heapq.heappush(heap, fresh * size + left)
        return [id for id in ids if id != gone]
