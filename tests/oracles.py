"""Textbook definitions: slower than the reference, and obviously right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import bytebpe

Pair = tuple[int, int]


def encode_pieces(pieces: Iterable[bytes], vocab: bytebpe.Vocab) -> list[int]:
    """In each piece apply the lowest-ranked merge present, leftmost first, until none is left."""
    ranks = {merge: rank for rank, merge in enumerate(vocab.merges)}
    ids = []
    for piece in pieces:
        parts = [bytes([byte]) for byte in piece]
        while known := [pair for pair in pairwise(parts) if pair in ranks]:
            best = min(known, key=ranks.__getitem__)
            at = list(pairwise(parts)).index(best)
            parts[at : at + 2] = [best[0] + best[1]]
        ids += [vocab.ids[part] for part in parts]
    return ids


def learn(
    sequences: Sequence[Sequence[int]],
    counts: Sequence[int],
    *,
    new_symbol: int,
    max_merges: int,
    min_frequency: int,
    max_width: int | None,
    ties: str,
) -> list[tuple[Pair, int]]:
    """Count every pair afresh in each round, take the best, and merge it everywhere."""
    words = [list(sequence) for sequence in sequences]
    width: Counter[int] = Counter()
    learned: list[tuple[Pair, int]] = []
    while len(learned) < max_merges:
        totals: dict[Pair, int] = {}  # in the order in which the pairs first occur
        for word, count in zip(words, counts, strict=True):
            for pair in pairwise(word):
                if max_width is None or sum(width[s] or 1 for s in pair) <= max_width:
                    totals[pair] = totals.get(pair, 0) + count
        if not totals or max(totals.values()) < min_frequency:
            break
        tied = [pair for pair in totals if totals[pair] == max(totals.values())]
        best = tied[0] if ties == "first" else min(tied)
        made = new_symbol + len(learned)
        width[made] = sum(width[symbol] or 1 for symbol in best)
        learned.append((best, totals[best]))
        words = [replace(word, best, made) for word in words]
    return learned


def replace(word: list[int], pair: Pair, made: int) -> list[int]:
    """Replace a pair from left to right, as one would with a pencil."""
    if len(word) < 2:
        return word
    if (word[0], word[1]) == pair:
        return [made, *replace(word[2:], pair, made)]
    return [word[0], *replace(word[1:], pair, made)]
