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

from typing import TYPE_CHECKING

from .patterns import SplitPattern
from .standins import pinned

if TYPE_CHECKING:
    import regex


def split(text: str, pattern: SplitPattern) -> list[str]:
    """Cut a text into pieces; joined, they are the text."""
    seen = pinned(text, pattern.named)
    pieces = _tile(seen, pattern.compiled)
    if seen is text:
        return pieces
    cut, start = [], 0
    for piece in pieces:
        cut.append(text[start : start + len(piece)])
        start += len(piece)
    return cut


def _tile(text: str, compiled: regex.Pattern[str]) -> list[str]:
    if not compiled.groups:
        matches: list[str] = compiled.findall(text)
        # Matches stand in order and do not overlap: where their lengths add up, nothing is missing.
        if sum(map(len, matches)) == len(text):
            return list(filter(None, matches))
    pieces, end = [], 0
    for match in compiled.finditer(text):
        pieces += [text[end : match.start()], text[match.start() : match.end()]]
        end = match.end()
    pieces.append(text[end:])
    return list(filter(None, pieces))
