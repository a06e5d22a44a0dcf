"""Ids at the end of a text that could be others if it went on, and what could stand there.

A prompt that ends inside a word makes a model continue after tokens that it has hardly ever
seen there.  To heal it, one takes the unstable ids away and lets the model choose among the
tokens that begin with the text they stood for.  What is unstable, and what can complete it, is
computed here as tiktoken does: the ids of the last piece, and of the white space before it if
it is white space; then every token that could begin in what they stood for and end in or
after its end.  (Which ids are certain whatever follows, `StreamEncoder.feed` says exactly.)
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .vocab import Vocab

_BLANKS = frozenset(b" \n\t")
#: White space to `str.isspace` and not to Unicode.
_NO_SPACE = "\x1c\x1d\x1e\x1f"


class Unstable(NamedTuple):
    """The ids that stay, and in order all ways to go on from there to the end of the text."""

    ids: list[int]
    completions: list[list[int]]


@dataclass(frozen=True, slots=True)
class Completer:
    """Complete unstable ids with the tokens of one vocabulary.

    `encode` encodes text, and `merge` the bytes of one piece.
    """

    vocab: Vocab
    tokens: list[bytes]  # sorted
    encode: Callable[[str], list[int]]
    merge: Callable[[bytes], Sequence[int]]

    def complete(self, ids: list[int], last: int) -> Unstable:
        """Take away the unstable ids of a text whose last piece has the `last` ones."""
        tokens = self.vocab.tokens
        while 0 < last < len(ids) and all(
            _BLANKS.issuperset(tokens[id]) for id in (ids[-last], ids[-last - 1])
        ):
            last += 1
        stable = len(ids) - last
        unstable = b"".join(tokens[id] for id in ids[stable:])
        ways = {tuple(way) for way in self._ways(unstable)}
        return Unstable(ids[:stable], sorted(map(list, ways)))

    def _ways(self, unstable: bytes) -> Iterator[Sequence[int]]:
        if not unstable:
            return
        for token in self._starting_with(unstable):
            yield [self.vocab.ids[token]]
        for at in range(1, len(unstable)):
            for token in self._starting_with(unstable[at:]):
                yield self._cover(unstable[:at] + token, len(unstable))
        # A run of white space loses its last character to a word that follows.
        size = _last_space(unstable)
        if 0 < size < len(unstable):
            yield [*self.merge(unstable[:-size]), *self.merge(unstable[-size:])]

    def _starting_with(self, start: bytes) -> Iterator[bytes]:
        at = bisect_left(self.tokens, start)
        while at < len(self.tokens) and self.tokens[at].startswith(start):
            yield self.tokens[at]
            at += 1

    def _cover(self, text: bytes, size: int) -> list[int]:
        """Return the first ids of a text, as many as it takes for so many bytes."""
        try:
            ids: Sequence[int] = self.encode(text.decode())
        except UnicodeDecodeError:
            ids = self.merge(text)
        way: list[int] = []
        for id in ids:
            way.append(id)
            size -= len(self.vocab.tokens[id])
            if size <= 0:
                break
        return way


def _last_space(data: bytes) -> int:
    """Return the bytes of the last character if that is white space, else 0."""
    for size in range(1, 4):
        char = data[-size:].decode("utf-8", "ignore")
        if char:
            return size if len(char) == 1 and char.isspace() and char not in _NO_SPACE else 0
    return 0
