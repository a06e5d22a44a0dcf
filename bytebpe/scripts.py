"""Which script a token is written in, after its letters.

>>> [script_of(token.encode()) for token in [" the", "世界", "の", "Привет", "42", " "]]
['Latin', 'Han', 'Kana', 'Cyrillic', 'digits', 'white space']
>>> script_of("世".encode()[:2]), script_of("👋".encode())
('part of a character', 'symbols')
"""

from __future__ import annotations

from collections import Counter
from typing import Final

import regex

_NAMES: Final = (
    "Latin", "Greek", "Cyrillic", "Armenian", "Hebrew", "Arabic", "Devanagari", "Bengali",
    "Gurmukhi", "Gujarati", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Thai", "Lao",
    "Tibetan", "Myanmar", "Khmer", "Georgian", "Ethiopic", "Hangul", "Han",
)  # fmt: skip

_SCRIPT: Final = regex.compile(
    "|".join(
        [
            *(rf"(?P<{name}>\p{{Script={name}}})" for name in _NAMES),
            r"(?P<Kana>[\p{Script=Hiragana}\p{Script=Katakana}])",
            r"(?P<other>\p{L})",
        ]
    )
)


def script_of(token: bytes) -> str:
    """Return the script of most letters of a token, or what it is made of instead."""
    try:
        text = token.decode("utf-8")
    except UnicodeDecodeError:
        return "part of a character"
    found = Counter(match.lastgroup or "" for match in _SCRIPT.finditer(text))
    if found:
        script = max(found, key=lambda name: (found[name], name))
        return "other scripts" if script == "other" else script
    if not text.strip():
        return "white space"
    return "digits" if any(char.isnumeric() for char in text) else "symbols"
