r"""Sort all characters into the classes that the sets of a pattern cannot tell apart.

What is in a set is asked of `regex`, and a character that a pattern sees as a stand-in
(see `standins`) belongs to the class of that.  So a set holds here what it holds there.

A set holds either all or none of the code points between two *cuts*: there no class that
it is made of begins or ends, and no code point stands that the pattern names or that is
another case of one.  So one of them is asked for all.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

import regex

from .dfa_parse import CharSet, Choice, Look, Node, NotInDialect, Repeat, Sequence
from .standins import pinned
from .unicode import CATEGORIES

_ANY_CASE: Final = int(regex.IGNORECASE)
_MAX_CLASSES: Final = 250
_MAX_CUTS: Final = 50_000


class Alphabet:
    """The classes of a pattern, and each set and look as a mask over the columns.

    `pages` and `classes` are those of `dfa.Dfa`.  The columns are the classes, a line feed
    that ends the text, and the end of the text.  `samples` has a character of each class.
    """

    def __init__(self, tree: Node, named: frozenset[int]) -> None:
        sets = sorted(set(sets_of(tree)), key=lambda each: (each.source, each.ignore_case))
        if len(sets) > _MAX_CLASSES:
            raise NotInDialect("too many sets of characters")
        starts = sorted(_cuts(sets, named) - {0x110000})
        if len(starts) > _MAX_CUTS:
            raise NotInDialect("too many characters that have other cases")
        signatures = [0] * len(starts)
        for bit, each in enumerate(sets):
            for index in _members(each, starts):
                signatures[index] |= 1 << bit
        numbers = {signature: number for number, signature in enumerate(dict.fromkeys(signatures))}
        if len(numbers) > _MAX_CLASSES:
            raise NotInDialect("too many classes of characters")
        raw = bytearray()
        for signature, (start, end) in zip(signatures, pairwise([*starts, 0x110000]), strict=True):
            raw += bytes([numbers[signature]]) * (end - start)
        seen = bytearray(raw)
        for char, stand_in in zip(_disputed(), pinned(_disputed(), named), strict=True):
            seen[ord(char)] = raw[ord(stand_in)]
        pages: dict[bytes, int] = {}
        cells = (bytes(seen[start : start + 256]) for start in range(0, 0x110000, 256))
        self.pages: Final = array("H", [pages.setdefault(cell, len(pages)) for cell in cells])
        self.classes: Final = b"".join(pages)
        self.width: Final = len(numbers) + 2
        self.samples: Final = [
            chr(seen.index(number)) if number in seen else "" for number in range(len(numbers))
        ]
        self._newline = seen[0x0A]
        self._masks = {
            each: sum((signature >> bit & 1) << number for signature, number in numbers.items())
            for bit, each in enumerate(sets)
        }

    def mask(self, node: CharSet | Look) -> int:
        """Return the columns that a set holds, or that a look admits."""
        if isinstance(node, CharSet):
            mask = self._masks[node]
            return mask | (mask >> self._newline & 1) << (self.width - 2)
        mask = node.end << (self.width - 1) | node.final_newline << (self.width - 2)
        for each in node.sets:
            mask |= self.mask(each)
        return mask ^ ((1 << self.width) - 1 if node.negative else 0)


def sets_of(node: Node) -> Iterator[CharSet]:
    match node:
        case CharSet():
            yield node
        case Repeat(item):
            yield from sets_of(item)
        case Look(nodes) | Sequence(nodes) | Choice(nodes):
            for inner in nodes:
                yield from sets_of(inner)


def _cuts(sets: list[CharSet], named: frozenset[int]) -> set[int]:
    spelled = {each.source for each in sets if each.ignore_case and each.spelled}
    bounds = _spans("|".join(sorted(spelled)), _ANY_CASE) if spelled else ()
    cuts = {cut for start, end in _pairs(bounds) for cut in range(start, end + 1)}
    for each in sets:
        if each.ignore_case and not each.spelled and not _has_every_case(each.source):
            raise NotInDialect(f"{each.source} in any case")
        for atom in each.atoms:
            cuts.update(_spans(atom, 0))
    points = {0, *named, *map(ord, "\t\n\v\f\r")}  # these have escapes that name no code point
    return cuts.union(points, (point + 1 for point in points))


def _has_every_case(source: str) -> bool:
    """Tell whether a set holds each character in all its cases or in none."""
    # Otherwise what is in it, in any case, depends on whether `regex` joins it with another
    # branch: U+0345, whose capital is a letter, is in (?i:\p{L}|k) and not in (?i:\p{L}).
    joined = rf"{source}|\0"
    return all(_spans(form, _ANY_CASE) == _spans(form, 0) for form in (source, joined))


def _members(each: CharSet, starts: list[int]) -> list[int]:
    """Return which of the starts are in a set, by index."""
    flags = _ANY_CASE if each.ignore_case else 0
    found = regex.finditer(each.source, "".join(map(chr, starts)), flags | regex.VERSION0)
    return [match.start() for match in found]


def _pairs(bounds: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    return zip(bounds[::2], bounds[1::2], strict=True)


@lru_cache(maxsize=512)
def _spans(source: str, flags: int) -> tuple[int, ...]:
    """Return what a set holds of all code points, as bounds: first, one past the last, ..."""
    found = regex.finditer(f"(?:{source})+", _every_code_point(), flags | regex.VERSION0)
    return tuple(bound for match in found for bound in match.span())


@cache
def _every_code_point() -> str:
    points = array("I", range(0x110000))
    return points.tobytes().decode(f"utf-{8 * points.itemsize}", "surrogatepass")


@cache
def _disputed() -> str:
    """Return the code points for which a pattern may see a stand-in."""
    every = _every_code_point()
    return "".join(
        char
        for category, bounds in CATEGORIES.items()
        for start, end in _pairs(bounds)
        for char in regex.findall(rf"\P{{{category}}}", every[start:end])
    )
