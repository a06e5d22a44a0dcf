"""Where in the text each token lies.

In bytes the spans tile the text.  In characters, and in the UTF-16 units that
editors and JavaScript count, a token that holds a part of a character spans the whole
of it, so that the spans of its neighbours overlap there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Unit = Literal["char", "byte", "utf16"]
Span = tuple[int, int]


def offsets(tokens: Iterable[bytes], unit: Unit) -> list[Span]:
    """Return (start, end) of each token of a text in UTF-8.

    >>> offsets([b"i", b" \\xe2", b"\\xad", b"\\xa2", b" j"], "char")
    [(0, 1), (1, 3), (2, 3), (2, 3), (3, 5)]
    >>> offsets([b"i", b" \\xe2", b"\\xad", b"\\xa2", b" j"], "byte")
    [(0, 1), (1, 3), (3, 4), (4, 5), (5, 7)]
    """
    check_unit(unit)
    spans = []
    end = 0  # of all characters begun so far
    last = 0  # the width of the last of them
    for token in tokens:
        start = end - last if _continues(token[0]) and unit != "byte" else end
        for byte in token:
            if unit == "byte":
                end += 1
            elif not _continues(byte):
                last = 2 if unit == "utf16" and byte >= 0xF0 else 1
                end += last
        spans.append((start, end))
    return spans


def check_unit(unit: str) -> None:
    """Refuse what is no unit."""
    if unit not in ("char", "byte", "utf16"):
        raise ValueError(f"unit: expected 'char', 'byte' or 'utf16', not {unit!r}")


def _continues(byte: int) -> bool:
    """Say whether a byte goes on with the character before it."""
    return byte & 0xC0 == 0x80
