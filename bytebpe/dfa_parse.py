r"""Read a split pattern of the usual dialect into a tree; refuse every other pattern.

The dialect is what tokenizers use: alternation, groups, character classes, `.`, `\p{..}`,
`\s \d \w` and their complements, quantifiers (greedy, lazy, and possessive on a single
character), `(?i:...)` and `(?i)` at the head, `$`, `\Z`, `\z`, and a lookahead at one
character.  Refusing costs only speed, for the `regex` package takes every pattern; so
whatever is not known to mean here what it means there is refused.

A set of characters is kept as the pattern writes it, since only `regex` knows what is in it.

>>> parse(r"[^\s'x]")
CharSet(source="[^\\s'x]", atoms=('\\s',), ignore_case=False)
>>> parse(r"(a)\1")
Traceback (most recent call last):
bytebpe.dfa_parse.NotInDialect: '\\1' at 3
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal


class NotInDialect(Exception):
    """The pattern has to be left to the `regex` package."""


@dataclass(frozen=True, slots=True)
class CharSet:
    r"""One character of a set, in the words of the pattern.

    `atoms` are the classes in it, such as \s or \p{L}; what else it holds are code
    points and ranges.  A single code point is written as \U and eight digits.
    """

    source: str
    atoms: tuple[str, ...]
    ignore_case: bool

    @property
    def spelled(self) -> bool:
        """Whether it lists what it holds, by code points and ranges alone."""
        return not self.atoms and not self.source.startswith("[^")


@dataclass(frozen=True, slots=True)
class Look:
    """A condition on the next character: it is in one of the sets, or (`negative`) in none.

    `end` admits the end of the text, and `final_newline` a line feed just before it.
    """

    sets: tuple[CharSet, ...]
    end: bool
    final_newline: bool
    negative: bool


@dataclass(frozen=True, slots=True)
class Sequence:
    """One item after the other."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The first branch that lets the whole match; two branches at least."""

    branches: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """An item `least` to `most` times; None is without bound."""

    item: Node
    least: int
    most: int | None
    mode: Literal["greedy", "lazy", "possessive"]


Node = CharSet | Look | Sequence | Choice | Repeat

_CLASS: Final = r"""\\ (?: [sSdDwW] | [pP] (?: [CLMNPSZ]
    | \{ \^? [A-Za-z0-9_]+ (?: [=:] [A-Za-z0-9_]+ )? \} ) )"""
_CHARACTER: Final = r"""\\ (?: [rntfv] | x[0-9A-Fa-f]{2} | u[0-9A-Fa-f]{4} | U[0-9A-Fa-f]{8}
    | [ !"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~] )"""
_TOKEN: Final = re.compile(
    rf"""
    (?P<class> {_CLASS} | \. )
    | (?P<literal> {_CHARACTER} | [^\\.\[()|?*+{{^$] )
    # A bracket that comes first in a set is one of its members.
    | (?P<set> \[ \^? \]? (?: {_CLASS} | {_CHARACTER} | [^\\\]] )* \] )
    | (?P<end> \$ | \\[zZ] )
    | (?P<open> \( (?: \?: | \?i: | \?= | \?! )? (?! [?*] ) )
    """,
    re.VERBOSE | re.DOTALL,
)
_ATOM: Final = re.compile(rf"(?P<atom>{_CLASS})|{_CHARACTER}", re.VERBOSE)
_ALL_BUT_ONE: Final = re.compile(rf"\[\^(?:{_CHARACTER}|[^\\])(?:-.+)?\]", re.VERBOSE | re.DOTALL)
_QUANTIFIER: Final = re.compile(
    r"(?:(?P<sign>[?*+])|\{(?P<least>[0-9]*)(?:(?P<comma>,)(?P<most>[0-9]*))?\})(?P<suffix>[?+]?)"
)
_CONTROLS: Final = {"r": "\r", "n": "\n", "t": "\t", "f": "\f", "v": "\v"}
_SIGNS: Final[dict[str, tuple[int, int | None]]] = {"?": (0, 1), "*": (0, None), "+": (1, None)}
_MAX_DEPTH: Final = 50
_MAX_COUNT: Final = 1_000


def parse(source: str) -> Node:
    """Return the tree of a pattern that `regex` has compiled; raises `NotInDialect`."""
    parser = _Parser(source)
    ignore_case = parser.skip("(?i)")
    tree = parser.choice(ignore_case, depth=0)
    if parser.at < len(source):
        raise parser.refusal()
    _check_looks(tree, within_branch=False)
    if len(set(_joined(tree))) > 1:
        raise NotInDialect("two sets of all but one character, each a branch")
    return tree


class _Parser:
    def __init__(self, source: str) -> None:
        self._source = source
        self.at = 0

    def refusal(self) -> NotInDialect:
        return NotInDialect(f"{self._source[self.at : self.at + 2]!r} at {self.at}")

    def skip(self, text: str) -> bool:
        """Step over a text if it comes next; tell whether it did."""
        found = self._source.startswith(text, self.at)
        self.at += len(text) * found
        return found

    def choice(self, ignore_case: bool, depth: int) -> Node:
        """Read branches up to a closing parenthesis or the end."""
        if depth > _MAX_DEPTH:
            raise self.refusal()
        branches: list[Node] = []
        while not branches or self.skip("|"):
            branch = self._sequence(ignore_case, depth)
            branches += branch.branches if isinstance(branch, Choice) else (branch,)
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def _sequence(self, ignore_case: bool, depth: int) -> Node:
        items: list[Node] = []
        while self.at < len(self._source) and self._source[self.at] not in "|)":
            item = self._quantified(self._item(ignore_case, depth))
            # As `regex` does, so that it is seen what stands beside what.
            items += item.items if isinstance(item, Sequence) else (item,)
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def _item(self, ignore_case: bool, depth: int) -> Node:
        token = _TOKEN.match(self._source, self.at)
        if token is None:
            raise self.refusal()
        text = token[0]
        if token["open"] is None:
            self.at = token.end()
        match token.lastgroup:
            case "literal":
                return CharSet(f"\\U{_code_point(text):08X}", (), ignore_case)
            case "class":
                return CharSet(text, (text,), ignore_case)
            case "set":
                if "[:" in text:
                    raise NotInDialect(f"a POSIX class in {text}")
                atoms = tuple(atom for atom in _ATOM.findall(text) if atom)
                return CharSet(text, atoms, ignore_case)
            case "end":
                return Look((), end=True, final_newline=text == "$", negative=False)
            case _:
                return self._group(text, ignore_case, depth)

    def _group(self, opening: str, ignore_case: bool, depth: int) -> Node:
        start = self.at
        self.at += len(opening)
        inside = self.choice(ignore_case or opening == "(?i:", depth + 1)
        if not self.skip(")"):
            raise self.refusal()
        if opening not in ("(?=", "(?!"):
            return inside
        sets, end, final_newline = [], False, False
        for branch in inside.branches if isinstance(inside, Choice) else (inside,):
            match branch:
                case CharSet():
                    sets.append(branch)
                case Look(sets=(), negative=False):
                    end, final_newline = True, final_newline or branch.final_newline
                case _:
                    raise NotInDialect(f"a lookahead at more than one character at {start}")
        return Look(tuple(sets), end, final_newline, negative=opening == "(?!")

    def _quantified(self, item: Node) -> Node:
        quantifier = _QUANTIFIER.match(self._source, self.at)
        if quantifier is None:
            return item
        if quantifier["sign"]:
            least, most = _SIGNS[quantifier["sign"]]
        elif quantifier["comma"]:
            least = int(quantifier["least"] or 0)
            most = int(quantifier["most"]) if quantifier["most"] else None
        elif quantifier["least"]:
            least = most = int(quantifier["least"])
        else:
            raise self.refusal()
        if most == 0 or max(least, most or 0) > _MAX_COUNT or is_nullable(item):
            raise self.refusal()
        possessive = quantifier["suffix"] == "+"
        if possessive and not isinstance(item, CharSet):
            raise self.refusal()
        self.at = quantifier.end()
        if least == most == 1:
            return item
        mode: Literal["greedy", "lazy", "possessive"] = "possessive" if possessive else "greedy"
        return Repeat(item, least, most, "lazy" if quantifier["suffix"] == "?" else mode)


def is_nullable(node: Node) -> bool:
    """Tell whether it can match without taking a character."""
    match node:
        case CharSet():
            return False
        case Look():
            return True
        case Sequence(items):
            return all(map(is_nullable, items))
        case Choice(branches):
            return any(map(is_nullable, branches))
        case Repeat(item, least):
            return least == 0 or is_nullable(item)


def _check_looks(node: Node, within_branch: bool) -> None:
    # `regex` moves a group that several branches begin with in front of them.  Where such a
    # group has branches of different lengths this changes what is tried first, and it takes
    # one with a look in it for one of equal lengths.
    match node:
        case Sequence(items):
            for item in items:
                _check_looks(item, within_branch)
        case Choice(branches):
            for branch in branches:
                if within_branch and _has_look(branch):
                    raise NotInDialect("a lookahead in a group with branches, in a branch")
                _check_looks(branch, within_branch=True)
        case Repeat(item):
            if _has_look(item):
                raise NotInDialect("a lookahead that is repeated")
            _check_looks(item, within_branch)


def _has_look(node: Node) -> bool:
    match node:
        case Look():
            return True
        case Sequence(nodes) | Choice(nodes):
            return any(map(_has_look, nodes))
        case Repeat(item):
            return _has_look(item)
        case _:
            return False


def _joined(node: Node) -> Iterator[str]:
    # `regex` makes one set of neighbouring branches, or of what is left of them when it has
    # moved their common beginning to the front, and of all that can come first.  From [^a] and
    # [^b] it makes [^ab], where all characters would be right.
    match node:
        case Choice(branches):
            yield from filter(_ALL_BUT_ONE.fullmatch, map(_last_set, branches))
            for branch in branches:
                yield from _joined(branch)
        case Look(sets):
            yield from filter(_ALL_BUT_ONE.fullmatch, map(_last_set, sets))
        case Sequence(items):
            for item in items:
                yield from _joined(item)
        case Repeat(item):
            yield from _joined(item)


def _last_set(node: Node) -> str:
    match node:
        case CharSet(source):
            return source
        case Sequence(items) if items:
            return _last_set(items[-1])
        case _:
            return ""


def _code_point(text: str) -> int:
    if len(text) == 1:
        return ord(text)
    if len(text) > 2:
        return int(text[2:], 16)
    return ord(_CONTROLS.get(text[1], text[1]))
