r"""Split by a finite automaton: what a pattern of the usual dialect means, as tables.

A backtracking engine tries the branches of a pattern in order, and takes the first way
through.  All ways can be followed at once instead, one character at a time: the *threads*
stand in the order in which they would be tried, and when one arrives, those behind it are
dropped.  There are finitely many lists of threads, so each becomes a state of an automaton
that knows the pattern no more.

1. Characters that no set of the pattern tells apart form a *class*.  What is in a set is
   asked of `regex`, so that the two cannot differ.
2. A transition reads the class of the next character, and says whether a match may end
   *before* that character.  Thus a lookahead at one character needs no look ahead.
3. Two more columns stand for a line feed that ends the text, which `$` may precede, and for
   the end of the text.

Refused (`NotInDialect`) is also what would not be fast: a pattern that matches the empty
string, one of too many states, and one that may read on far beyond the end of its match at
ever more places (`a*b|a`).  The reader of a text then is linear, whatever the text.

>>> from .patterns import compile_pattern
>>> split("Hello world's 世界!", compile_dfa(compile_pattern("gpt2")))
['Hello', ' world', "'s", ' 世界', '!']
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import regex

from .dfa_alphabet import Alphabet
from .dfa_parse import CharSet, Choice, Look, Node, NotInDialect, Repeat, Sequence, parse
from .dfa_read import DEAD, START, Dfa, split
from .patterns import SplitPattern
from .pretokenize import split as reference_split

__all__ = ["Dfa", "NotInDialect", "compile_dfa", "split"]

_MAX_NODES: Final = 4_000
_MAX_STATES: Final = 4_096
_MAX_STEPS: Final = 2_000_000
_MAX_TRIALS: Final = 2_000
_MAX_TRIAL_LENGTH: Final = 16


@lru_cache(maxsize=64)
def compile_dfa(pattern: SplitPattern) -> Dfa:
    """Make the automaton of a pattern; raises `NotInDialect`."""
    if pattern.compiled.flags & ~int(regex.IGNORECASE) != regex.VERSION0 | regex.UNICODE:
        raise NotInDialect("a flag other than (?i)")
    tree = parse(pattern.source)
    alphabet = Alphabet(tree, pattern.named)
    rows = _determinize(_Threads(tree, alphabet), alphabet.width)
    _check_linear(rows)
    transitions = array("H", (2 * to + accepts for row in rows for to, accepts in row))
    dfa = Dfa(alphabet.pages, alphabet.classes, transitions, alphabet.width)
    _check_trials(dfa, rows, alphabet.samples, pattern)
    return dfa


# Tree to threads.  A thread stands at a node; `close` tells where it goes.


@dataclass(frozen=True, slots=True)
class _Step:
    """Take a character of the mask, if `takes`; else only look at it."""

    mask: int
    takes: bool
    then: int


@dataclass(slots=True)
class _Fork:
    """Try these, in this order."""

    ways: list[int] = field(default_factory=list)


class _Threads:
    """The nodes of a pattern, built from the end: node 0 is the match."""

    def __init__(self, tree: Node, alphabet: Alphabet) -> None:
        self._alphabet = alphabet
        self._nodes: list[_Step | _Fork] = [_Fork()]
        self.start: Final = self._build(tree, 0)

    def close(self, threads: tuple[int, ...], column: int) -> tuple[tuple[int, ...], bool, int]:
        """Move threads over a column: where they stand then, whether one arrived, steps taken."""
        stack = list(reversed(threads))
        seen: set[int] = set()
        moved: dict[int, None] = {}
        while stack:
            at = stack.pop()
            if at == 0:
                return tuple(moved), True, len(seen)
            if at in seen:
                continue
            seen.add(at)
            node = self._nodes[at]
            if isinstance(node, _Fork):
                stack += reversed(node.ways)
            elif node.mask >> column & 1:
                if node.takes:
                    moved[node.then] = None
                else:
                    stack.append(node.then)
        return tuple(moved), False, len(seen)

    def _add(self, node: _Step | _Fork) -> int:
        if len(self._nodes) == _MAX_NODES:
            raise NotInDialect("too large a pattern")
        self._nodes.append(node)
        return len(self._nodes) - 1

    def _build(self, node: Node, then: int) -> int:
        match node:
            case CharSet() | Look():
                takes = isinstance(node, CharSet)
                return self._add(_Step(self._alphabet.mask(node), takes, then))
            case Sequence(items):
                for item in reversed(items):
                    then = self._build(item, then)
                return then
            case Choice(branches):
                return self._add(_Fork([self._build(branch, then) for branch in branches]))
            case Repeat():
                return self._repeat(node, then)

    def _repeat(self, node: Repeat, then: int) -> int:
        leave = then
        if node.mode == "possessive" and isinstance(node.item, CharSet):
            # It gives nothing back: it leaves only before what it cannot take.
            leave = self._build(Look((node.item,), False, False, negative=True), then)

        def fork(enter: int) -> list[int]:
            return [leave, enter] if node.mode == "lazy" else [enter, leave]

        if node.most is None:
            loop = _Fork()
            at = self._add(loop)
            loop.ways = fork(self._build(node.item, at))
        else:
            at = then
            for _ in range(node.most - node.least):
                at = self._add(_Fork(fork(self._build(node.item, at))))
        for _ in range(node.least):
            at = self._build(node.item, at)
        return at


# Threads to states.


_Row = list[tuple[int, bool]]  # by column: the next state, and whether a match may end before


def _determinize(threads: _Threads, width: int) -> list[_Row]:
    """Return a row for each list of threads that can come up; the dead state is row 0."""
    numbers: dict[tuple[int, ...], int] = {(): DEAD, (threads.start,): START}
    queue = list(numbers)
    rows: list[_Row] = []
    steps = 0
    for standing in queue:  # which grows
        row = []
        for column in range(width):
            moved, accepts, taken = threads.close(standing, column)
            steps += 1 + taken
            if moved not in numbers:
                numbers[moved] = len(numbers)
                queue.append(moved)
            row.append((numbers[moved], accepts))
        rows.append(row)
        if len(queue) > _MAX_STATES or steps > _MAX_STEPS:
            raise NotInDialect("too many states")
    if any(accepts for _, accepts in rows[START]):
        raise NotInDialect("the pattern can match the empty string")
    return rows


def _check_linear(rows: list[_Row]) -> None:
    """Refuse a pattern that may read some character more often than there are states.

    A reader is *beyond* when it reads on only because a longer match might come, and none
    does.  The next match is then looked for in characters that it has read.  Only in the
    states of `_endless` can it be so without bound.  If no two readers are in one of these
    states at one place, there are never more of them than states.
    """
    endless = _endless(rows)
    pairs: set[tuple[int, int]] = set()
    queue: list[tuple[int, int]] = []

    def push(beyond: int, newer: int) -> None:
        if beyond in endless and newer != DEAD and (beyond, newer) not in pairs:
            if beyond == newer or len(pairs) * len(rows[0]) > _MAX_STEPS:
                raise NotInDialect("the pattern may read on without bound at ever more places")
            pairs.add((beyond, newer))
            queue.append((beyond, newer))

    first = rows[START]
    for to, _ in first:
        push(to, START)  # where no match is found, the next is looked for one character on
    for row in rows:
        for column, (to, accepts) in enumerate(row):
            if accepts:
                push(to, first[column][0])
    for beyond, newer in queue:  # which grows
        for column, (to, accepts) in enumerate(rows[beyond]):
            if not accepts:
                newer_to, newer_accepts = rows[newer][column]
                push(to, newer_to)
                if newer_accepts:
                    push(to, first[column][0])
                if newer == START:
                    push(to, START)


def _endless(rows: list[_Row]) -> set[int]:
    """Return the states from which one may read on for ever, or else to no match."""
    onward = [{to for to, accepts in row if not accepts} for row in rows]
    backward = range(len(rows) - 1, DEAD, -1)
    failing, size = {DEAD}, 0
    while size < len(failing):
        size = len(failing)
        failing.update(state for state in backward if onward[state] & failing)
    endless = failing - {DEAD}
    while size > len(endless):
        size = len(endless)
        for state in backward:
            if not onward[state] & endless:
                endless.discard(state)
    return endless


def _check_trials(dfa: Dfa, rows: list[_Row], samples: list[str], pattern: SplitPattern) -> None:
    """Compare with the reference on every transition, should `regex` have a mind of its own."""
    reached = {START: ""}
    queue = [START]
    trials = []
    for state in queue:  # which grows
        for sample, (to, _) in zip(samples, rows[state], strict=False):
            text = reached[state] + sample
            trials.append(text)
            if to not in reached and to != DEAD and len(text) < _MAX_TRIAL_LENGTH:
                reached[to] = text
                queue.append(to)
    for text in trials[:: len(trials) // _MAX_TRIALS + 1]:
        for tried in (text, text + "\n"):
            if split(tried, dfa) != reference_split(tried, pattern):
                raise NotInDialect(f"regex cuts {tried!r} in its own way")
