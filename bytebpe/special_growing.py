"""Special tokens in a text that grows.

A special token may be divided among what is fed.  So the end of a text that may be the
beginning of an allowed one is held back: what it means is not certain yet.  What lies
between special tokens is a text of its own.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cached_property
from typing import Final

from .growing import GrowingText
from .specials import ORDINARY, Rule


class Watch:
    """A rule for special tokens, applied to texts of which only a part is there."""

    def __init__(self, rule: Rule) -> None:
        self.rule: Final = rule

    @property
    def is_idle(self) -> bool:
        """Whether no token is looked for."""
        return not self.rule.allowed and not self.rule.refused

    @cached_property
    def begun(self) -> frozenset[str]:
        """What may be the beginning of a special token that becomes an id."""
        allowed = self.rule.allowed
        return frozenset(token[:size] for token in allowed for size in range(1, len(token)))

    @cached_property
    def longest_begun(self) -> int:
        return max(map(len, self.begun), default=0)

    @cached_property
    def longest_refused(self) -> int:
        return max(map(len, self.rule.refused), default=0)

    def check(self, text: str) -> None:
        """Raise what is wrong with a text."""
        if fault := self.rule.fault(text):
            raise fault

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the special tokens are that become ids."""
        spans = []
        start = 0
        while self.rule.allowed and (found := self.rule.allowed_finder.find(text, start)):
            spans.append(found)
            start = found[1]
        return spans

    def between(self, left: str, right: str) -> bool:
        """Tell whether one of the tokens would begin in one text and end in the other."""
        for token in {*self.rule.allowed, *self.rule.refused}:
            begin = max(0, len(left) - len(token) + 1)
            if token in left[begin:] + right[: max(0, len(token) - 1)]:
                return True
        return False


def check_text(text: str) -> None:
    """Refuse what is no str, and a str that UTF-8 cannot write."""
    if fault := ORDINARY.fault(text):
        raise fault


class SpecialGrowing:
    """A `GrowingText` in which some special tokens are ids and others are refused."""

    def __init__(self, new: Callable[[], GrowingText], watch: Watch) -> None:
        self._new = new
        self._watch = watch
        self._start_text()

    def _start_text(self) -> None:
        self._ordinary = self._new()
        self._held = ""
        self._shown = False  # whether the last tail was that of the ordinary text
        self._last = ""  # characters, in which a refused token may have begun
        self._size = 0  # of all that was fed, in characters

    def copy(self) -> SpecialGrowing:
        other = copy.copy(self)
        other._ordinary = self._ordinary.copy()
        return other

    def feed(self, text: str) -> list[int]:
        """Let the text go on; raises `SpecialTokenError`, and has then taken nothing."""
        seen = self._last + text
        rule = self._watch.rule
        if rule.refused and (found := rule.refused_finder.find(seen)):
            token, position = seen[slice(*found)], self._size - len(self._last) + found[0]
            raise rule.refusal(token, position)
        self._last = seen[max(0, len(seen) - self._watch.longest_refused + 1) :]
        self._size += len(text)
        return self._take(self._held + text, ends=False)

    def tail(self, start: int = 0) -> list[int]:
        self._shown = not self._held
        return self.copy().finish()[start:] if self._held else self._ordinary.tail(start)

    def steady(self) -> int:
        return self._ordinary.steady() if self._shown and not self._held else 0

    def finish(self) -> list[int]:
        ids = self._take(self._held, ends=True) + self._ordinary.finish()
        self._start_text()
        return ids

    def _take(self, text: str, *, ends: bool) -> list[int]:
        rule = self._watch.rule
        if not rule.allowed:
            return self._ordinary.feed(text)
        ids: list[int] = []
        start = 0
        while True:
            hold = len(text) if ends else self._first_begun(text, start)
            found = rule.allowed_finder.find(text, start)
            if found is None or found[0] >= hold:
                break
            ids += self._ordinary.feed(text[start : found[0]]) + self._ordinary.finish()
            ids.append(rule.ids[text[slice(*found)]])
            start = found[1]
        self._held = text[hold:]
        return ids + self._ordinary.feed(text[start:hold])

    def _first_begun(self, text: str, start: int) -> int:
        """Return the first place at which a longer special token may have begun."""
        for at in range(max(start, len(text) - self._watch.longest_begun), len(text)):
            if text[at:] in self._watch.begun:
                return at
        return len(text)
