"""Read a text by the automaton of its split pattern: characters in, ends of pieces out.

`dfa` makes the automaton.  Here is all that a reader has to know of it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

DEAD: Final = 0
START: Final = 1


@dataclass(frozen=True, slots=True)
class Dfa:
    """The tables of an automaton.

    The class of code point c is `classes[256 * pages[c >> 8] + (c & 255)]`.  A row of
    `transitions` has `width` columns: one for each class, then one for a line feed that
    ends the text, then one for the end of the text.  An entry is twice the next state,
    plus one where a match may end before the character read.  State 0 is dead: no match
    can come any more.  State 1 is the start.
    """

    pages: array[int]
    classes: bytes
    transitions: array[int]
    width: int


def split(text: str, dfa: Dfa) -> list[str]:
    """Cut a text into pieces, as `pretokenize.split` does."""
    columns = columns_of(text, dfa)
    ends = piece_ends(columns, 0, 0, match_end(columns, 0, dfa), dfa)
    return [text[start:end] for start, end in pairwise([0, *ends])]


def column_of(char: str, dfa: Dfa) -> int:
    """Return the column of a character that does not end the text."""
    point = ord(char)
    return dfa.classes[256 * dfa.pages[point >> 8] + (point & 255)]


def columns_of(text: str, dfa: Dfa) -> list[int]:
    """Return the columns of a whole text, that of its end included."""
    points = map(ord, text)
    columns = [dfa.classes[256 * dfa.pages[point >> 8] + (point & 255)] for point in points]
    if text.endswith("\n"):
        columns[-1] = dfa.width - 2
    return [*columns, dfa.width - 1]


def match_end(
    columns: list[int], at: int, dfa: Dfa, state: int = START, end: int | None = None
) -> int | None:
    """Return where a match ends that has been read up to a place; `end` if none comes."""
    while state != DEAD:
        state, accepts = divmod(dfa.transitions[dfa.width * state + columns[at]], 2)
        if accepts:
            end = at
        at += 1
    return end


def piece_ends(
    columns: list[int], start: int, begin: int, end: int | None, dfa: Dfa
) -> Iterator[int]:
    """Yield where the pieces from `start` on end.

    No match begins between `start` and `begin`, and the one there ends at `end`, if any.
    """
    size = len(columns) - 1
    while begin < size:
        if end is None:
            begin += 1
        else:
            if begin > start:
                yield begin
            yield end
            start = begin = end
        end = match_end(columns, begin, dfa)
    if begin > start:
        yield begin
