"""Text without special tokens to ids: split, then a cache before the merge.

This is the reference; where the native core is built, `native` takes its place with the
same methods and the same results.  The cache is the only state.  It is bounded twice: by a
number of pieces, and by leaving out pieces so long that they hardly come again.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from functools import _CacheInfo, lru_cache
from itertools import accumulate, chain
from typing import Final, NamedTuple

from .merge import MergeTable
from .patterns import SplitPattern
from .pretokenize import split
from .vocab import Vocab

#: Pieces of more characters than this are merged afresh each time.
CACHED_LENGTH: Final = 32

#: How many pieces to remember unless told otherwise: some 60 MB when full.
CACHE_SIZE: Final = 5 * 2**15

CacheInfo = _CacheInfo


class TokenBatch(NamedTuple):
    """The ids of several texts, one after the other, as Arrow lays out a list column.

    Text i has the ids from `offsets[i]` up to `offsets[i + 1]`.  Both are memoryviews, which
    numpy, Arrow and torch take without a copy.
    """

    ids: memoryview
    offsets: memoryview


class TextEncoder:
    """Encode with one vocabulary and one pattern.

    Texts must be str that UTF-8 can write; the caller sees to that.
    """

    scanner = "regex"

    def __init__(self, vocab: Vocab, pattern: SplitPattern, cache_size: int | None) -> None:
        self._pattern = pattern
        self._typecode = array_type(vocab)
        self._table = MergeTable([vocab.ids[bytes([byte])] for byte in range(256)], vocab.merge_ids)
        size = CACHE_SIZE if cache_size is None else cache_size
        self._cached = lru_cache(maxsize=size)(self._merge)

    def encode(self, text: str) -> list[int]:
        return list(chain.from_iterable(self._pieces(text)))

    def encode_bytes(self, data: bytes) -> list[int]:
        # A byte that is not UTF-8 is read as a lone surrogate, which no pattern takes for a
        # letter, a number or white space, and which `_merge` writes as that byte again.
        return self.encode(data.decode(errors="surrogateescape"))

    def encode_array(self, text: str) -> memoryview:
        return memoryview(array(self._typecode, self.encode(text)))

    def encode_batch(self, texts: Sequence[str], num_threads: int) -> list[list[int]]:
        return [self.encode(text) for text in texts]

    def encode_batch_arrays(self, texts: Sequence[str], num_threads: int) -> TokenBatch:
        return batch_of(self.encode_batch(texts, num_threads), self._typecode)

    def count(self, text: str) -> int:
        return sum(map(len, self._pieces(text)))

    def cache_info(self) -> CacheInfo:
        return self._cached.cache_info()

    def cache_clear(self) -> None:
        self._cached.cache_clear()

    def _pieces(self, text: str) -> Iterable[tuple[int, ...]]:
        pieces = split(text, self._pattern)
        if max(map(len, pieces), default=0) <= CACHED_LENGTH:
            return map(self._cached, pieces)
        return (
            self._cached(piece) if len(piece) <= CACHED_LENGTH else self._merge(piece)
            for piece in pieces
        )

    def _merge(self, piece: str) -> tuple[int, ...]:
        return tuple(self._table.merge(piece.encode(errors="surrogateescape")))


def array_type(vocab: Vocab) -> str:
    """Return the array type of ids: uint16 where all of them fit, else uint32."""
    return "H" if max(vocab.tokens) < 2**16 else "I"


def batch_of(rows: Sequence[Sequence[int]], typecode: str) -> TokenBatch:
    """Put rows of ids one after the other."""
    offsets = array("q", accumulate(map(len, rows), initial=0))
    return TokenBatch(memoryview(array(typecode, chain.from_iterable(rows))), memoryview(offsets))
