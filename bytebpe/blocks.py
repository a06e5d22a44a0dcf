"""Large parts of a text that comes part by part: most of each is encoded at once.

After some letters and before some other characters, a piece ends by every pattern that is
known by name, whatever stands around them.  What lies between two such places is encoded as a
text of its own, many times faster than as a text that may end anywhere.

>>> [found.start() for found in SURE_START.finditer("don't 世界，stop")]
[5, 8]
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, Protocol

from .growing import GrowingText
from .patterns import NAMED, SplitPattern

#: Parts of fewer characters go as they are.
LONG: Final = 1 << 14

#: Letters and others that every version of Unicode takes for what they are.  No apostrophe: by
#: "o200k" a contraction belongs to its word.
_LETTERS: Final = "A-Za-zА-яあ-んア-ヶ一-龥가-힣א-תا-غกข-ฮक-ह"
_OTHERS: Final = r"\x00-&(-@\[-`{-~、。，؟।"
SURE_START: Final = re.compile(f"(?<=[{_LETTERS}])[{_OTHERS}]")


class Stream(Protocol):
    """What can be fed with a text, part by part."""

    def feed(self, text: str) -> list[int]:
        """Let the text go on, and return the ids that are certain by now."""

    def finish(self) -> list[int]:
        """Return the ids of what is left, and start afresh."""


class Blocks:
    """A stream of ordinary text that takes large parts by large blocks."""

    def __init__(self, growing: GrowingText, encode: Callable[[str], list[int]]) -> None:
        self._growing = growing
        self._encode = encode

    def feed(self, text: str) -> list[int]:
        first = SURE_START.search(text) if len(text) >= LONG else None
        if first is None:
            return self._growing.feed(text)
        start = end = first.start()
        for last in SURE_START.finditer(text, max(start, len(text) - LONG)):
            end = last.start()
        try:
            ids = self._encode(text[start:end])
        except UnicodeEncodeError:  # bytes that are no UTF-8 are among it
            return self._growing.feed(text)
        before = self._growing.feed(text[:start]) + self._growing.finish()
        return before + ids + self._growing.feed(text[end:])

    def finish(self) -> list[int]:
        return self._growing.finish()


def are_sure(pattern: SplitPattern) -> bool:
    """Tell whether pieces of this pattern start where `SURE_START` says."""
    return pattern.source in NAMED.values()
