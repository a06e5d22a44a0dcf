"""Longest match: what people think that BPE does, and it does not.

At each place it takes the longest token that fits, as WordPiece does.  Over the vocabulary
of a BPE it gives other tokens than BPE now and then, since it knows nothing of ranks.

>>> longest_match(b"abcab", {b"a", b"b", b"c", b"ab", b"bc", b"abc"}, longest=3)
[b'abc', b'ab']
"""

from __future__ import annotations

from collections.abc import Container


def longest_match(piece: bytes, tokens: Container[bytes], *, longest: int) -> list[bytes]:
    """Cut one piece into the longest tokens that fit, from left to right.

    Every byte must be a token; `longest` is the size of the longest token.
    """
    found, start = [], 0
    while start < len(piece):
        size = min(longest, len(piece) - start)
        while piece[start : start + size] not in tokens:
            size -= 1
        found.append(piece[start : start + size])
        start += size
    return found
