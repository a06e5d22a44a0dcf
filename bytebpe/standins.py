"""Keep the classes of a pattern at Unicode 16.0, whatever the `regex` package knows.

The package follows the newest Unicode, so that an upgrade would move letters
between classes, and with them the cuts and the ids.  Spelling the classes out as
ranges would pin them at a twelfth of the speed.  Instead a text that holds a code
point on which the package and our tables disagree is matched in a copy, in which
each such code point is replaced, one for one, by a stand-in: a code point that both
put into the category it has in Unicode 16.0.  The spans then cut the original.

A stand-in is a near neighbour, and no code point that the pattern itself names
lies between the two, so that ranges such as [\\u0530-\\u058F] hold both or neither.
Where a pattern leaves no such neighbour (it names that very code point) the code
point stands for itself.

>>> pinned("ordinary text", frozenset())
'ordinary text'
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from .unicode import CATEGORIES


def pinned(text: str, named: frozenset[int]) -> str:
    """Return the text as a pattern shall see it: itself, or a copy with stand-ins.

    `named` holds the code points that the pattern spells out.  The copy has the
    length of the text.
    """
    if text.isascii():
        return text
    stand_ins = _stand_ins(named)
    if stand_ins.found is None or stand_ins.found.search(text) is None:
        return text
    return text.translate(stand_ins.table)


class _StandIns(NamedTuple):
    """The table for `str.translate`, and a search for any of its keys."""

    table: dict[int, int]
    found: re.Pattern[str] | None


@cache
def _disagreements() -> dict[int, str]:
    """Find the code points that the installed `regex` puts into another category.

    One look at each of the 1,114,112 code points, about a tenth of a second, once
    a process and only when a text outside ASCII comes by.
    """
    import regex  # see `SplitPattern.compiled`

    wrong = {}
    for category, bounds in CATEGORIES.items():
        members = array("I", (point for span in _spans(bounds) for point in span))
        text = members.tobytes().decode(f"utf-{8 * members.itemsize}", "surrogatepass")
        for char in regex.findall(rf"\P{{{category}}}", text):
            wrong[ord(char)] = category
    return wrong


def _spans(bounds: tuple[int, ...]) -> Iterator[range]:
    return (range(bounds[i], bounds[i + 1]) for i in range(0, len(bounds), 2))


@lru_cache(maxsize=64)
def _stand_ins(named: frozenset[int]) -> _StandIns:
    wrong = _disagreements()
    cuts = sorted({cut for point in named for cut in (point, point + 1)})
    table = {}
    for point, category in wrong.items():
        for neighbour in _agreed_neighbours(point, category):
            if bisect_right(cuts, neighbour) == bisect_right(cuts, point):
                table[point] = neighbour
                break
    return _StandIns(table, re.compile(f"[{_ranges(table)}]") if table else None)


def _agreed_neighbours(point: int, category: str) -> list[int]:
    """Return the agreed code points of a category next below and next above a point."""
    starts, ends = _agreed_spans(category)
    at = bisect_right(starts, point)
    below = [ends[at - 1] - 1] if at else []
    above = [starts[at]] if at < len(starts) else []
    return below + above


@cache
def _agreed_spans(category: str) -> tuple[list[int], list[int]]:
    """Return the starts and the ends of the spans on which both sides agree."""
    wrong = _disagreements()
    starts, ends = [], []
    for span in _spans(CATEGORIES[category]):
        cuts = [span.start - 1, *(point for point in span if point in wrong), span.stop]
        for left, right in pairwise(cuts):
            if right - left > 1:
                starts.append(left + 1)
                ends.append(right)
    return starts, ends


def _ranges(points: Iterable[int]) -> str:
    """Write code points as the inside of a character class."""
    spans: list[list[int]] = []
    for point in sorted(points):
        if spans and spans[-1][1] == point - 1:
            spans[-1][1] = point
        else:
            spans.append([point, point])
    return "".join(f"\\U{first:08X}-\\U{last:08X}" for first, last in spans)
