"""Large parts of a text that comes part by part: most of each is encoded at once.

After some letters and before some other characters, a piece ends by every pattern that is
known by name and by Mistral's, whatever stands around them.  What lies between two such places
is encoded as a text of its own, many times faster than as a text that may end anywhere.

>>> [found.start() for found in SURE_START.finditer("don't 世界，stop")]
[5, 8]
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, Protocol

from .growing import GrowingText
from .patterns import NAMED, TEKKEN, SplitPattern

#: Characters that are encoded at once, or a few more.
BLOCK: Final = 1 << 14

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
        found = SURE_START.search(text) if len(text) >= BLOCK else None
        if found is None:
            return self._growing.feed(text)
        start = found.start()
        ids = self._growing.feed(text[:start]) + self._growing.finish()
        while found := SURE_START.search(text, start + BLOCK):
            ids += self._whole(text[start : found.start()])
            start = found.start()
        return ids + self._growing.feed(text[start:])

    def _whole(self, block: str) -> list[int]:
        try:
            return self._encode(block)
        except UnicodeEncodeError:  # bytes that are no UTF-8 are among it
            return self._growing.feed(block) + self._growing.finish()

    def finish(self) -> list[int]:
        return self._growing.finish()


def are_sure(pattern: SplitPattern) -> bool:
    """Tell whether pieces of this pattern start where `SURE_START` says."""
    return pattern.source in NAMED.values() or pattern.source == TEKKEN
