"""Decode ids as they come: text as soon as it is certain, and never half a character."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple, SupportsIndex

import regex

from .decode import decode_bytes
from .vocab import Vocab

#: What is given out whole.
Whole = Literal["char", "grapheme"]

Ids = SupportsIndex | Iterable[SupportsIndex]

#: A grapheme of more characters than this is not waited for.
LONGEST_GRAPHEME: Final = 256

_GRAPHEME: Final = regex.compile(r"\X")


class StreamState(NamedTuple):
    """What a stream has taken and not given out: bytes of a character, text of a grapheme."""

    pending: bytes = b""
    held: str = ""


class StreamDecoder:
    """Decode ids as they come; at most the bytes of one unfinished character wait.

    Whatever way the ids are divided among the calls, the results joined are what
    `decode` makes of all of them with the same `errors`.  Bytes that can never become a
    character are treated by that policy at once.

    With `whole="grapheme"` only whole graphemes are given out, such as an emoji of
    several code points.  What may be one that goes on waits, so the text comes a character
    later; one of more than 256 characters is not waited for.

    >>> stream = StreamDecoder(Vocab.from_merges([]))
    >>> [stream.feed(id) for id in (39, 72, 160, 116, 244)], stream.finish()
    (['H', 'i', '', '', '世'], '')
    """

    def __init__(self, vocab: Vocab, *, errors: str = "replace", whole: Whole = "char") -> None:
        if whole not in ("char", "grapheme"):
            raise ValueError(f"whole: expected 'char' or 'grapheme', not {whole!r}")
        codecs.lookup_error(errors)
        self._vocab = vocab
        self._errors = errors
        self._whole = whole
        self._state = StreamState()

    def feed(self, ids: Ids) -> str:
        """Take one id or several and return the text that is certain by now.

        Raises `UnknownTokenError`, and `UnicodeDecodeError` with `errors="strict"`; it has
        then taken none of the ids.
        """
        pending, held = self._state
        if type(ids) is int and ids in self._vocab.tokens:  # as models give them, one by one
            data = pending + self._vocab.tokens[ids]
        else:
            several = ids if isinstance(ids, Iterable) else (ids,)
            data = pending + decode_bytes(several, self._vocab)
        text, used = codecs.utf_8_decode(data, self._errors, False)
        if self._whole == "grapheme":
            text = held + text
            held = _last_grapheme(text)
            text = text[: len(text) - len(held)]
        self._state = StreamState(data[used:], held)
        return text

    def finish(self, *, errors: str | None = None) -> str:
        """Return what is left, and start afresh.

        `errors` is the policy for a character that was not finished, if it is another one.
        """
        pending, held = self._state
        self._state = StreamState()
        return held + pending.decode("utf-8", errors or self._errors)

    def copy(self) -> StreamDecoder:
        """Return another stream that goes on from here on its own."""
        other = StreamDecoder(self._vocab, errors=self._errors, whole=self._whole)
        other._state = self._state
        return other

    @property
    def state(self) -> StreamState:
        """What was taken and not given out; set it to go back to where it was got.

        So ids that were only guessed can be taken back.

        >>> stream = StreamDecoder(Vocab.from_merges([]))
        >>> state = stream.state
        >>> stream.feed([39, 72])
        'Hi'
        >>> stream.state = state
        """
        return self._state

    @state.setter
    def state(self, state: StreamState) -> None:
        self._state = StreamState(*state)


class StreamDecoders:
    """Several streams, fed one step of all at a time, as a server or a beam search does.

    >>> streams = StreamDecoders(Vocab.from_merges([]), 2)
    >>> streams.feed([39, None]), streams.feed([[72, 0], 39])
    (['H', ''], ['i!', 'H'])
    >>> streams.select([1, 1, 0])
    >>> streams.feed([72, 73, None]), len(streams)
    (['i', 'j', ''], 3)
    """

    def __init__(
        self, vocab: Vocab, rows: int, *, errors: str = "replace", whole: Whole = "char"
    ) -> None:
        one = StreamDecoder(vocab, errors=errors, whole=whole)
        self._rows = [one.copy() for _ in range(rows)]

    def feed(self, ids: Sequence[Ids | None]) -> list[str]:
        """Take the next id or ids of each row, None for no more, and return the texts.

        Raises what `StreamDecoder.feed` raises, and no row has then taken anything.
        """
        if len(ids) != len(self._rows):
            raise ValueError(f"ids: expected {len(self._rows)} rows, not {len(ids)}")
        states = [row.state for row in self._rows]
        try:
            return [
                "" if some is None else row.feed(some)
                for row, some in zip(self._rows, ids, strict=True)
            ]
        except Exception:
            for row, state in zip(self._rows, states, strict=True):
                row.state = state
            raise

    def finish(self, row: int, *, errors: str | None = None) -> str:
        """Return what is left of a row, and start it afresh."""
        return self._rows[row].finish(errors=errors)

    def select(self, rows: Sequence[int]) -> None:
        """Keep these rows in this order; one that is named twice goes on twice."""
        self._rows = [self._rows[row].copy() for row in rows]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._rows)


def _last_grapheme(text: str) -> str:
    last = ""
    for found in _GRAPHEME.finditer(text):
        last = found[0]
    return last if len(last) <= LONGEST_GRAPHEME else ""
