"""A text that grows: the ids that are certain by now, and those of its end.

The automaton of a pattern tells when a piece is certain: the reader of a match stops at a
character with which no match goes on, and nothing after that character matters.  Of the
piece that is still open, the ids at its head become certain as `prefixes` says.  So each
character is read once, and what is kept is the end of the text.

A pattern beyond the automaton may look at anything.  There nothing is certain before the
text ends, and all of it is encoded again.

>>> from .patterns import compile_pattern
>>> vocab, pattern = Vocab.from_merges([]), compile_pattern("gpt2")
>>> text = GrowingTexts(vocab, pattern).new()
>>> text.feed("to be "), text.tail()
([83, 78, 220, 65, 68], [220])
>>> text.feed("or"), text.finish()
([], [220, 78, 81])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import Final, Protocol, Self

from .dfa import NotInDialect, compile_dfa
from .dfa_read import DEAD, START, Dfa, column_of, columns_of, match_end, piece_ends
from .merge import MergeTable
from .patterns import SplitPattern
from .prefixes import OpenPiece, TokenTree
from .pretokenize import split, split_lazily
from .vocab import Vocab

#: The head of an open piece of up to so many characters is merged afresh each time.
SHORT: Final = 256

#: How many pieces are remembered, and up to which length in characters.
CACHE_SIZE: Final = 2**14
CACHED_LENGTH: Final = 32


class GrowingText(Protocol):
    """What the rest of the package asks of a text that grows.

    In the text a lone surrogate stands for a byte that is not UTF-8.
    """

    def feed(self, text: str) -> list[int]:
        """Let the text go on, and return the ids that have become certain."""

    def tail(self, start: int = 0) -> list[int]:
        """Return the ids after the certain ones, were the text to end here, from `start` on."""

    def steady(self) -> int:
        """Return how many of the first ids of the last tail are known to stand unchanged."""

    def finish(self) -> list[int]:
        """Return the ids after the certain ones, and start a new text."""

    def copy(self) -> Self:
        """Return another that grows on its own from here."""


class GrowingTexts:
    """Make texts that grow, to be encoded with one vocabulary and one pattern."""

    def __init__(self, vocab: Vocab, pattern: SplitPattern) -> None:
        self._vocab = vocab
        self._pattern = pattern

    def new(self) -> GrowingText:
        return _ByAutomaton(self, self._dfa) if self._dfa else Whole(self)

    def counts(self, text: str) -> Iterator[int]:
        """Yield the number of ids of each piece of a text, reading it as they are asked for."""
        return (len(self.encode_piece(piece)) for piece in split_lazily(text, self._pattern))

    def encode(self, text: str) -> list[int]:
        pieces = split(text, self._pattern)
        return list(chain.from_iterable(map(self.encode_piece, pieces)))

    def encode_piece(self, piece: str) -> Sequence[int]:
        """Return the ids of a text that is one piece, whatever the pattern says."""
        return self._cached(piece) if len(piece) <= CACHED_LENGTH else self._merge(piece)

    @cached_property
    def _cached(self) -> Callable[[str], tuple[int, ...]]:
        return lru_cache(maxsize=CACHE_SIZE)(self._merge)

    def _merge(self, piece: str) -> tuple[int, ...]:
        return tuple(self._table.merge(piece.encode(errors="surrogateescape")))

    @cached_property
    def _table(self) -> MergeTable:
        vocab = self._vocab
        return MergeTable([vocab.ids[bytes([byte])] for byte in range(256)], vocab.merge_ids)

    @property
    def settles(self) -> bool:
        """Whether ids become certain before the text ends."""
        return self._dfa is not None

    @cached_property
    def _dfa(self) -> Dfa | None:
        try:
            return compile_dfa(self._pattern)
        except NotInDialect:
            return None

    @cached_property
    def tree(self) -> TokenTree:
        return TokenTree(self._vocab)


class Whole:
    """A text of whose pattern nothing is known."""

    def __init__(self, texts: GrowingTexts, text: str = "") -> None:
        self._texts = texts
        self._text = text

    def feed(self, text: str) -> list[int]:
        self._text += text
        return []

    def tail(self, start: int = 0) -> list[int]:
        return self._texts.encode(self._text)[start:]

    def steady(self) -> int:
        return 0

    def finish(self) -> list[int]:
        ids = self.tail()
        self._text = ""
        return ids

    def copy(self) -> Whole:
        return Whole(self._texts, self._text)


class _ByAutomaton:
    """A text whose pattern is an automaton.

    `_text` is what is open, from where the open piece begins.  Its match begins at
    `_begin`, since before it none does.  It has been read up to `_read`, where the
    automaton is in `_state`, and if no more comes it ends at `_end`; None is for no match.

    What is certain to belong to the open piece is its head.  When that grows long it moves
    to `_head`, and `_text` starts after it.

    A match may stay open for long after the place where it is likely to end: in "cl100k",
    white space after a line end may hold another.  What follows that place then grows as a
    text of its own, `_beyond`, to take over when the match has ended there; `_beyond_ids`
    are certain in it, and of those and the ids before, `_steady` were shown already.
    """

    def __init__(self, texts: GrowingTexts, dfa: Dfa) -> None:
        self._texts = texts
        self._dfa = dfa
        self._start_text()

    def copy(self) -> _ByAutomaton:
        other = _ByAutomaton(self._texts, self._dfa)
        other._text, other._head = self._text, self._head and self._head.copy()
        other._begin, other._read = self._begin, self._read
        other._state, other._end = self._state, self._end
        other._beyond, other._beyond_ids = self._beyond and self._beyond.copy(), self._beyond_ids[:]
        other._steady = self._steady
        return other

    def feed(self, text: str) -> list[int]:
        self._text += text
        # What a line feed is to `$` depends on whether the text ends after it.
        limit = len(self._text) - self._text.endswith("\n")
        ids: list[int] = []
        start = 0
        while True:
            had_match = self._end is not None
            self._read_on(limit)
            if self._end is None:
                if self._state != DEAD:
                    break
                self._start_match(self._begin + 1)
                continue
            if not had_match:
                ids += self._close(start, self._begin)
                start = self._begin
            if self._state != DEAD:
                break
            ids += self._close(start, self._end)
            if self._beyond is not None:  # it has seen all but what came now
                ids += self._beyond_ids
                self.__dict__ = self._beyond.__dict__
                return ids + self.feed(text)
            start = self._end
            self._start_match(start)
        ids += self._settle(start)
        self._look_beyond(text)
        return ids

    def tail(self, start: int = 0) -> list[int]:
        columns = columns_of(self._text[self._read :], self._dfa)
        last = match_end(columns, 0, self._dfa, self._state)
        self._steady = 0
        if last is None and self._beyond is not None:
            ids = self._ids(self._head, self._text[: self._end])
            self._steady = len(ids) + len(self._beyond_ids)
            if start >= self._steady:
                return self._beyond.tail(start - self._steady)
            return (ids + self._beyond_ids)[start:] + self._beyond.tail()
        return self._tail(self._end if last is None else self._read + last)[start:]

    def _tail(self, end: int | None) -> list[int]:
        """Return the ids of what is open, where the match ends at `end`."""
        head = self._head
        columns = columns_of(self._text, self._dfa)
        # A head without a match is a piece of its own.
        before = -1 if head and self._end is None else 0
        ids: list[int] = []
        at = 0
        for after in piece_ends(columns, before, self._begin, end, self._dfa):
            ids += self._ids(head, self._text[at:after])
            head, at = None, after
        return ids

    def steady(self) -> int:
        return self._steady + (self._beyond.steady() if self._steady and self._beyond else 0)

    def finish(self) -> list[int]:
        ids = self.tail()
        self._start_text()
        return ids

    def _start_text(self) -> None:
        self._text = ""
        self._head: OpenPiece | None = None
        self._start_match(0)

    def _start_match(self, begin: int) -> None:
        self._begin = self._read = begin
        self._state = START
        self._end: int | None = None
        self._leave_beyond()

    def _leave_beyond(self) -> None:
        self._beyond: _ByAutomaton | None = None
        self._beyond_ids: list[int] = []
        self._steady = 0

    def _read_on(self, limit: int) -> None:
        """Read until the match is known, or there is no more to read."""
        text, dfa, at, state = self._text, self._dfa, self._read, self._state
        while at < limit and state != DEAD:
            column = column_of(text[at], dfa)
            state, accepts = divmod(dfa.transitions[dfa.width * state + column], 2)
            if accepts:
                self._end = at
                self._leave_beyond()
            at += 1
        self._read, self._state = at, state

    def _close(self, start: int, end: int) -> list[int]:
        """Return what is left of the ids of a piece that is certain."""
        head, self._head = self._head, None
        return self._ids(head, self._text[start:end])

    def _settle(self, start: int) -> list[int]:
        """Return the ids that are certain of a long head, and drop the text before the rest."""
        end = self._begin if self._end is None else self._end
        ids: list[int] = []
        if self._head is None and end - start > SHORT:
            self._head = OpenPiece(self._texts.tree)
        if self._head is not None:
            self._head.extend(self._text[start:end].encode(errors="surrogateescape"))
            ids = self._head.settle()
            start = end
        self._text = self._text[start:]
        self._begin = max(0, self._begin - start)
        self._read -= start
        if self._end is not None:
            self._end -= start
        return ids

    def _look_beyond(self, text: str) -> None:
        """Let what follows the likely end of the match grow by what came now."""
        if self._beyond is not None:
            self._beyond_ids += self._beyond.feed(text)
        elif self._end is not None and len(self._text) - self._end > SHORT:
            self._beyond = _ByAutomaton(self._texts, self._dfa)
            self._beyond_ids = self._beyond.feed(self._text[self._end :])

    def _ids(self, head: OpenPiece | None, text: str) -> list[int]:
        if head is None:
            return list(self._texts.encode_piece(text)) if text else []
        return head.ids(text.encode(errors="surrogateescape"))
