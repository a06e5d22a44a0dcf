r"""Text to pieces: cut by the pattern, and lose nothing.

The pieces tile the text.  What the pattern does not match is not dropped, as
`findall` would; each such gap becomes a piece of its own.

>>> from .patterns import compile_pattern
>>> split("Hello world's 世界!", compile_pattern("gpt2"))
['Hello', ' world', "'s", ' 世界', '!']
>>> split("abc 123", compile_pattern(r"[a-z]+"))
['abc', ' 123']
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from .patterns import SplitPattern
from .standins import pinned

if TYPE_CHECKING:
    import regex


def split(text: str, pattern: SplitPattern) -> list[str]:
    """Cut a text into pieces; joined, they are the text."""
    seen = pinned(text, pattern.named)
    pieces = _tile(seen, pattern.compiled)
    return pieces if seen is text else list(_cut_like(pieces, text))


def split_lazily(text: str, pattern: SplitPattern) -> Iterator[str]:
    """Cut a text into the same pieces, one when it is asked for."""
    return _cut_like(_tiles(pinned(text, pattern.named), pattern.compiled), text)


def _cut_like(pieces: Iterable[str], text: str) -> Iterator[str]:
    start = 0
    for piece in pieces:
        yield text[start : start + len(piece)]
        start += len(piece)


def _tile(text: str, compiled: regex.Pattern[str]) -> list[str]:
    if not compiled.groups:
        matches: list[str] = compiled.findall(text)
        # Matches stand in order and do not overlap: where their lengths add up, nothing is missing.
        if sum(map(len, matches)) == len(text):
            return list(filter(None, matches))
    return list(_tiles(text, compiled))


def _tiles(text: str, compiled: regex.Pattern[str]) -> Iterator[str]:
    end = 0
    for match in compiled.finditer(text):
        if end < match.start():
            yield text[end : match.start()]
        if match[0]:
            yield match[0]
        end = match.end()
    if end < len(text):
        yield text[end:]
