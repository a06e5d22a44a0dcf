"""Ids to bytes to text, whole or as a stream.

A token is bytes and may hold part of a character, so that only the bytes of all
ids together are text.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from operator import index
from typing import SupportsIndex

from .vocab import Vocab


def decode_bytes(ids: Iterable[SupportsIndex], vocab: Vocab) -> bytes:
    """Join the bytes of the tokens.

    Raises `UnknownTokenError` for an id that is not in the vocabulary.

    >>> decode_bytes([39, 72], Vocab.from_merges([]))
    b'Hi'
    """
    if isinstance(ids, (str, bytes)) or not isinstance(ids, Iterable):
        raise TypeError(f"ids: expected an iterable of ints, not {type(ids).__name__}")
    numbers = list(map(index, ids))
    try:
        return b"".join([vocab.tokens[id] for id in numbers])
    except KeyError as error:
        raise vocab.unknown(error.args[0]) from None


class StreamDecoder:
    """Decode ids as they come; at most the bytes of one unfinished character wait.

    Whatever way the ids are divided among the calls, the results joined are what
    `decode` makes of all of them with the same `errors`.

    >>> stream = StreamDecoder(Vocab.from_merges([]))
    >>> [stream.feed(id) for id in (39, 72, 160, 116, 244)], stream.finish()
    (['H', 'i', '', '', '世'], '')
    """

    def __init__(self, vocab: Vocab, *, errors: str = "replace") -> None:
        self._vocab = vocab
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors)

    def feed(self, ids: SupportsIndex | Iterable[SupportsIndex]) -> str:
        """Take one id or several and return the text that is certain by now.

        Raises `UnknownTokenError`, and has then taken none of the ids.
        """
        if not isinstance(ids, Iterable):
            ids = [ids]
        return self._decoder.decode(decode_bytes(ids, self._vocab))

    def finish(self) -> str:
        """Return what is left, by the errors policy, and start afresh."""
        try:
            return self._decoder.decode(b"", final=True)
        finally:
            self._decoder.reset()
