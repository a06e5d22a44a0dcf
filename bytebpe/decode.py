"""Ids to bytes to text.

A token is bytes and may hold part of a character, so that only the bytes of all
ids together are text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from operator import index
from typing import SupportsIndex

from .vocab import Vocab

Ids = Iterable[SupportsIndex]


class Decoder:
    """Decode with one vocabulary; where the native core is built, `native` takes its place.

    >>> Decoder(Vocab.from_merges([])).decode_bytes([39, 72])
    b'Hi'
    """

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab

    def decode_bytes(self, ids: Ids) -> bytes:
        return decode_bytes(ids, self._vocab)

    def decode(self, ids: Ids, errors: str) -> str:
        return self.decode_bytes(ids).decode("utf-8", errors)

    def decode_batch(self, rows: Sequence[Ids], errors: str, num_threads: int) -> list[str]:
        return [self.decode(ids, errors) for ids in rows]

    def decode_flat(
        self, ids: memoryview, offsets: memoryview, errors: str, num_threads: int
    ) -> list[str]:
        return self.decode_batch(rows_of(ids, offsets), errors, num_threads)


def decode_bytes(ids: Ids, vocab: Vocab) -> bytes:
    """Join the bytes of the tokens; raises `UnknownTokenError` where an id has none."""
    try:
        return b"".join([vocab.tokens[id] for id in numbers(ids)])
    except KeyError as error:
        raise vocab.unknown(error.args[0]) from None


def numbers(ids: Ids) -> list[int]:
    """Return ids as ints, from whatever holds them."""
    if isinstance(ids, (str, bytes)) or not isinstance(ids, Iterable):
        raise TypeError(f"ids: expected an iterable of ints, not {type(ids).__name__}")
    return list(map(index, ids))


def rows_of(ids: memoryview, offsets: memoryview) -> list[memoryview]:
    """Cut the ids of several texts apart; see `TokenBatch` for how they lie.

    Raises `ValueError` for offsets that go back, or beyond the ids.

    >>> from array import array
    >>> batch = memoryview(array("H", [39, 72, 39])), memoryview(array("q", [0, 2, 3]))
    >>> [row.tolist() for row in rows_of(*batch)]
    [[39, 72], [39]]
    """
    ends = numbers(offsets)
    if any(start > end for start, end in pairwise([0, *ends, len(ids)])):
        raise ValueError(
            f"offsets of a batch must ascend from 0 to at most {len(ids)}, the number of its ids"
        )
    return [ids[start:end] for start, end in pairwise(ends)]
