"""Which part of a text each token stands for, and which tokens stand for a part of the text.

All follows from where tokens start and end in bytes.  In characters and in UTF-16 units a token
that holds a part of a character spans all of it.

>>> alignment = Alignment("a世", (1, 2, 3), ((0, 1), (1, 3), (3, 4)))
>>> alignment.spans("char"), alignment.splits_character
([(0, 1), (1, 2), (1, 2)], (False, True, True))
>>> alignment.char_to_token(1), alignment.char_to_tokens(1), alignment.token_to_bytes(2)
(1, range(1, 3), (3, 4))
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from .offsets import Span, Unit, check_unit


@dataclass(frozen=True, slots=True)
class Alignment:
    """The ids of a text and where each of them lies, in bytes of its UTF-8.

    Where a tokenizer changes a text before it splits it, places are those of the text as it was
    given: a token then spans all characters that went into it, and one that was put in, such as
    a space before the text, spans nothing.
    """

    text: str
    ids: tuple[int, ...]
    bytes: tuple[Span, ...]

    def spans(self, unit: Unit = "char") -> list[Span]:
        """Return (start, end) of each token, in characters, bytes or UTF-16 units."""
        check_unit(unit)
        if unit == "byte":
            return list(self.bytes)
        starts, places = self._places(unit)
        return [
            (
                places[bisect_right(starts, start) - 1],
                places[
                    bisect_left(starts, end) if end > start else bisect_right(starts, start) - 1
                ],
            )
            for start, end in self.bytes
        ]

    @property
    def splits_character(self) -> tuple[bool, ...]:
        """Say of each token whether it starts or ends inside a character."""
        edges = set(self._starts())
        return tuple(not edges.issuperset(span) for span in self.bytes)

    def char_to_tokens(self, position: int, unit: Unit = "char") -> range:
        """Return the tokens that hold a character, by their places among the ids.

        They are several where tokens split it, and none where no token holds it, as white
        space that a special token takes in.  `position` counts in the unit.
        """
        check_unit(unit)
        starts, places = self._places(unit)
        if not 0 <= position < places[-1]:
            raise IndexError(f"position {position} is outside the text of {places[-1]} {unit}s")
        at = bisect_right(places, position) - 1
        first, last = starts[at], starts[at + 1]
        if unit == "byte":
            first, last = position, position + 1
        holding = [n for n, (start, end) in enumerate(self.bytes) if start < last and end > first]
        return range(holding[0], holding[-1] + 1) if holding else range(0)

    def char_to_token(self, position: int, unit: Unit = "char") -> int | None:
        """Return the first token that holds a character, None where none does."""
        return next(iter(self.char_to_tokens(position, unit)), None)

    def token_to_bytes(self, index: int) -> Span:
        """Return where a token starts and ends in bytes."""
        return self.bytes[index]

    def token_to_chars(self, index: int) -> Span:
        """Return where a token starts and ends in characters."""
        return self.spans()[index]

    def _starts(self) -> list[int]:
        """Return where each character starts in bytes, and where the text ends."""
        return list(accumulate((len(char.encode()) for char in self.text), initial=0))

    def _places(self, unit: Unit) -> tuple[list[int], list[int]]:
        starts = self._starts()
        if unit == "byte":
            return starts, starts
        if unit == "char":
            return starts, list(range(len(starts)))
        wide = (2 if char > "\uffff" else 1 for char in self.text)
        return starts, list(accumulate(wide, initial=0))


def spans_in(sizes: Sequence[int], segments: Sequence[tuple[int, int]], start: int) -> list[Span]:
    """Place tokens of these sizes in the source that their text was made of.

    A segment is a size in the source and what it became; inside one of unequal sizes no place
    is known, so that what lies in it spans all of it.
    """
    sources = list(accumulate((source for source, _ in segments), initial=start))
    results = list(accumulate((result for _, result in segments), initial=0))
    spans, begin = [], 0
    for size in sizes:
        end = begin + size
        first = bisect_right(results, begin) - 1
        last = bisect_left(results, end) - 1
        exact = [source == result for source, result in (segments[first], segments[last])]
        spans.append(
            (
                sources[first] + (begin - results[first] if exact[0] else 0),
                sources[last] + end - results[last] if exact[1] else sources[last + 1],
            )
        )
        begin = end
    return spans
