"""Two tokenizers on the same texts: where they first part ways, and what each costs.

>>> import bytebpe
>>> low = bytebpe.train(["low low"], num_merges=2)
>>> result = diff(low, bytebpe.train(["owl owl"], num_merges=1), ["a low owl"])
>>> result.tokens, result.shared_tokens, result.first[0].position
((7, 7), 256, 2)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from .subjects import Subject, subject


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """Where two tokenizers part in a document: the byte, and the tokens of both from there on.

    The tokens reach up to the next place where both have a cut.
    """

    document: int
    position: int
    tokens: tuple[tuple[bytes, ...], tuple[bytes, ...]]


@dataclass(frozen=True, slots=True)
class Difference:
    """Two tokenizers, first and second: documents alike, tokens in all, and vocabularies.

    A document is alike where both cut it at the same places into the same bytes; ids may
    differ.  `first` holds the first difference of the first documents that differ.
    """

    names: tuple[str, str]
    documents: int
    same_documents: int
    tokens: tuple[int, int]
    vocab_sizes: tuple[int, int]
    shared_tokens: int
    first: tuple[FirstDifference, ...]


def diff(
    first: Any,
    second: Any,
    texts: Iterable[str],
    *,
    names: tuple[str, str] = ("first", "second"),
    examples: int = 10,
) -> Difference:
    """Compare what two tokenizers make of texts, whichever library they are from."""
    if isinstance(texts, str):
        raise TypeError("texts: expected an iterable of texts, not one str; write [text]")
    pair = subject(names[0], first), subject(names[1], second)
    totals, documents, same = [0, 0], 0, 0
    found: list[FirstDifference] = []
    for number, text in enumerate(texts):
        both = [_tokens(each, text) for each in pair]
        documents += 1
        for at, tokens in enumerate(both):
            totals[at] += len(tokens)
        if both[0] == both[1]:
            same += 1
        elif len(found) < examples:
            found.append(_first(number, *both))
    vocabularies = [set(each.tokens().values()) - {b""} for each in pair]
    return Difference(
        names,
        documents,
        same,
        (totals[0], totals[1]),
        (pair[0].vocab_size, pair[1].vocab_size),
        len(vocabularies[0] & vocabularies[1]),
        tuple(found),
    )


def _tokens(each: Subject, text: str) -> list[bytes]:
    return [each.token_bytes(id) for id in each.encode(text)]


def _first(document: int, mine: list[bytes], other: list[bytes]) -> FirstDifference:
    same = 0
    while mine[same : same + 1] == other[same : same + 1]:
        same += 1
    position = sum(map(len, mine[:same]))
    cuts = [list(accumulate(map(len, rest))) for rest in (mine[same:], other[same:])]
    meeting = next((cut for cut in cuts[0] if cut in set(cuts[1])), None)
    ends = [len(each) if meeting is None else each.index(meeting) + 1 for each in cuts]
    return FirstDifference(
        document,
        position,
        (tuple(mine[same : same + ends[0]]), tuple(other[same : same + ends[1]])),
    )
