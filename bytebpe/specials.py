"""Special tokens in a text: which are refused, which become ids, which are ordinary.

Where several of those that are looked for could stand, the leftmost counts, and of several
at one place the longest; the order in which they were defined does not matter.

>>> finder = Finder(["<a>", "<a><b>", "<b>"])
>>> finder.find("x<a><b>")
(1, 7)
>>> finder.find("x<a><b>", start=2)
(4, 7)
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from .errors import SpecialTokenError


class Finder:
    """Find the first of some tokens in a text.

    The tokens form a trie, one character a step, which is entered only at characters with
    which a token starts: how many tokens there are costs nothing where none of them is.
    """

    def __init__(self, tokens: Iterable[str]) -> None:
        self._trie: dict[str, Any] = {}
        for token in tokens:
            node = self._trie
            for char in token:
                node = node.setdefault(char, {})
            node[_END] = True
        # An empty token, which only a caller's own list can hold, stands everywhere.
        starts = "" if _END in self._trie else f"[{''.join(map(re.escape, self._trie))}]"
        self._starts = re.compile(starts) if self._trie else None

    def find(self, text: str, start: int = 0) -> tuple[int, int] | None:
        """Return where the first token from `start` on starts and ends."""
        for match in self._starts.finditer(text, start) if self._starts else ():
            end = self._longest(text, match.start())
            if end is not None:
                return match.start(), end
        return None

    def _longest(self, text: str, at: int) -> int | None:
        """Return where the longest token that starts here ends."""
        node, end = self._trie, None
        while True:
            if _END in node:
                end = at
            if at == len(text) or text[at] not in node:
                return end
            node = node[text[at]]
            at += 1


#: In the node of a trie: a token ends here.  No character is empty.
_END: Final = ""


class Rule:
    """What becomes of the special tokens in a text.

    Those in `refused` may not stand in it, those in `allowed` become ids, and all others are
    ordinary text.  `ids` are those of all special tokens that there are, for the message.
    """

    def __init__(
        self,
        refused: Collection[str],
        allowed: Collection[str],
        ids: Mapping[str, int],
    ) -> None:
        self.refused: Final = refused
        self.allowed: Final = allowed
        self.ids: Final = ids

    def fault(self, text: object) -> Exception | None:
        """Return why this cannot be encoded: no str, none that UTF-8 can write, or refused."""
        if not isinstance(text, str):
            return TypeError(
                f"expected a str, not {type(text).__name__}; "
                "encode_bytes takes bytes, encode_batch several texts"
            )
        try:
            text.isascii() or text.encode()
        except UnicodeEncodeError as error:
            reason = "lone surrogate; encode_bytes(text.encode('utf-8', 'surrogatepass')) keeps it"
            return UnicodeEncodeError(error.encoding, text, error.start, error.end, reason)
        found = self.refused_finder.find(text)
        return self.refusal(text[slice(*found)], found[0]) if found else None

    def stretches(self, text: str) -> Iterator[str | int]:
        """Yield the ids of allowed tokens, and what stands between as texts of their own."""
        start = 0
        while found := self.allowed_finder.find(text, start):
            yield text[start : found[0]]
            yield self.ids[text[slice(*found)]]
            start = found[1]
        yield text[start:]

    def refusal(self, token: str, position: int) -> SpecialTokenError:
        """Make the error for a token that stands where it may not."""
        id = self.ids.get(token)
        as_id = f"allowed_special={{{token!r}}} encodes it as id {id}, " if id is not None else ""
        return SpecialTokenError(
            f"special token {token!r} at character {position} of the text; {as_id}"
            "disallowed_special=() or encode_ordinary encodes it as ordinary text",
            token,
            position,
        )

    @cached_property
    def refused_finder(self) -> Finder:
        return Finder(self.refused)

    @cached_property
    def allowed_finder(self) -> Finder:
        return Finder(self.allowed)


#: Special tokens are ordinary text.
ORDINARY: Final = Rule((), (), {})
