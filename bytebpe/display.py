"""Tokens in characters that can be seen, and words as Unicode cuts them.

>>> shown(b" caf\\xc3"), shown("世\\n".encode()), shown(b"\\x00"), shown("est</w>")
('·caf<c3>', '世⏎', '\\\\x00', 'est</w>')
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

import regex

#: What training and tracing work on: bytes, or the characters of character BPE.
Token = bytes | str

_SEEN_AS: Final = {" ": "·", "\n": "⏎", "\t": "⇥"}
# Inside an emoji, and between letters that join, these two are part of what is seen.
_JOINERS: Final = "\u200c\u200d"

_BOUNDARY: Final = regex.compile(r"(?w)\b")
_WORD: Final = regex.compile(r"[\p{L}\p{N}\p{M}\p{So}\p{Extended_Pictographic}]")
_GRAPHEME: Final = regex.compile(r"\X")


def shown(token: Token) -> str:
    """Write a token in characters that can be seen.

    A space is · and a line end ⏎; bytes that are only a part of a character are
    written in hexadecimal.
    """
    text = token if isinstance(token, str) else token.decode("utf-8", "surrogateescape")
    parts = []
    for char in text:
        if char in _SEEN_AS:
            parts.append(_SEEN_AS[char])
        elif "\udc80" <= char <= "\udcff":
            parts.append(f"<{ord(char) - 0xDC00:02x}>")
        elif char.isprintable() or (char in _JOINERS and len(text) > 1):
            parts.append(char)
        else:
            parts.append(repr(char)[1:-1])
    return "".join(parts).replace("><", " ")


def is_whole(token: bytes) -> bool:
    """Say whether a token holds whole characters only.

    >>> is_whole("世".encode()), is_whole("世".encode()[:2])
    (True, False)
    """
    try:
        token.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def words(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of each word of a text, by the rules of UAX 29.

    White space and punctuation are none; a symbol such as an emoji is one, since it
    can be lost like any other.  Chinese is cut into its characters and Thai into
    clusters: the rules know no dictionary.

    >>> [text[start:end] for text in ["don't 世界 👋🏽!"] for start, end in words(text)]
    ["don't", '世', '界', '👋🏽']
    """
    spans, start = [], 0
    for segment in _BOUNDARY.split(text):
        end = start + len(segment)
        if _WORD.search(segment):
            spans.append((start, end))
        start = end
    return spans


def graphemes(text: str) -> list[str]:
    """Cut a text into what readers take for one character each.

    >>> len(graphemes("👩‍👩‍👧é"))
    2
    """
    found: list[str] = _GRAPHEME.findall(text)
    return found


def together(tokens: Sequence[bytes]) -> Iterator[int]:
    """Yield how many tokens in turn share a character as readers see it; 1 where none is cut.

    >>> list(together([b"a", b"\\xe4\\xb8", b"\\x96", b"e", "\\u0301".encode(), b"b"]))
    [1, 2, 2, 1]
    """
    whole = b"".join(tokens).decode("utf-8", "surrogateescape")
    sizes = (len(one.encode("utf-8", "surrogateescape")) for one in graphemes(whole))
    cuts = set(accumulate(sizes))
    count = end = 0
    for token in tokens:
        count += 1
        end += len(token)
        if end in cuts:
            yield count
            count = 0
