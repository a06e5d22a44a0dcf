"""Encode a text as it comes: all ids so far, or those that cannot change any more."""

from __future__ import annotations

import codecs
from typing import NamedTuple

from .blocks import Stream
from .growing import GrowingText
from .special_growing import check_text


class Appended(NamedTuple):
    """What an append changed: the first `kept` ids stay, and `tail` comes after them."""

    kept: int
    tail: list[int]


class IncrementalEncoder:
    """The ids of a text that grows at its end, such as a chat or what is being typed.

    After each `append` the ids are those of `Tokenizer.encode` for the whole text so far.
    An append costs time for the new text and for what is still open before it, mostly a
    word; it does not grow with the text.  A pattern that `scanner` says goes by "regex" may
    look at anything; with one all is encoded again.

    >>> enc = tok.incremental()
    >>> enc.append("Hello wor"), enc.append("ld"), enc.ids
    (Appended(kept=0, tail=[15496, 476]), Appended(kept=1, tail=[995]), [15496, 995])
    """

    def __init__(self, text: GrowingText) -> None:
        self._text = text
        self._certain: list[int] = []
        self._tail: list[int] = []

    def append(self, text: str) -> Appended:
        """Let the text go on, and return how many leading ids stay and those after them.

        Raises what `encode` raises, and has then taken nothing of the text.
        """
        check_text(text)
        certain = self._text.feed(text)
        steady = self._text.steady()  # none where some have become certain
        after = self._text.tail(steady)
        tail = certain + after
        same = 0
        for old, new in zip(self._tail[steady:], tail, strict=False):
            if old != new:
                break
            same += 1
        appended = Appended(len(self._certain) + steady + same, tail[same:])
        self._certain += certain
        self._tail[steady:] = after
        return appended

    @property
    def ids(self) -> list[int]:
        """All ids of the text so far, in a new list."""
        return self._certain + self._tail

    def __len__(self) -> int:
        """Return how many ids there are."""
        return len(self._certain) + len(self._tail)

    def copy(self) -> IncrementalEncoder:
        """Return another that goes on from here on its own."""
        other = IncrementalEncoder(self._text.copy())
        other._certain, other._tail = self._certain.copy(), self._tail.copy()
        return other


class StreamEncoder:
    """Encode a text that is larger than memory, part by part.

    Whatever way the text is divided, the ids joined are those of the whole.  What waits
    is the end of the text that may still change, mostly a word.  With a pattern that
    `scanner` says goes by "regex" everything waits for `finish`.

    A stream takes str, or bytes as `encode_bytes` does: UTF-8 or not, characters divided
    anywhere, special tokens taken for ordinary text.

    >>> stream = tok.stream_encoder()
    >>> [stream.feed(part) for part in ("Hello wor", "ld, wor", "ld")], stream.finish()
    ([[15496], [995, 11], []], [995])
    """

    def __init__(self, text: Stream, ordinary: Stream) -> None:
        self._text = text
        self._bytes = ordinary
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._takes: type | None = None

    def feed(self, text: str | bytes) -> list[int]:
        """Let the text go on, and return the ids that are certain by now.

        Raises what `encode` raises, and has then taken nothing of this part.  Raises
        `TypeError` for bytes in a stream of str, and the other way round.
        """
        kind = str if isinstance(text, str) else bytes
        if self._takes not in (None, kind):
            raise TypeError(f"this stream takes {self._takes.__name__}, not {kind.__name__}")
        if isinstance(text, str):
            check_text(text)
            ids = self._text.feed(text)
        elif isinstance(text, (bytes, bytearray, memoryview)):
            ids = self._bytes.feed(self._decoder.decode(text))
        else:
            raise TypeError(f"expected a str or bytes, not {type(text).__name__}")
        self._takes = kind
        return ids

    def finish(self) -> list[int]:
        """Return the ids of what is left, and start afresh."""
        ids = self._bytes.feed(self._decoder.decode(b"", final=True))
        ids += self._bytes.finish() + self._text.finish()
        self._decoder.reset()
        self._takes = None
        return ids
