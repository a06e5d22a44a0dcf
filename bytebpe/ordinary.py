"""Text to ids: special tokens first, then split what is between, and a cache before the merge.

This is the reference; where the native core is built, `native` takes its place with the
same methods and the same results.  The cache is the only state.  It is bounded twice: by a
number of pieces, and by leaving out pieces so long that they hardly come again.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import _CacheInfo, lru_cache, partial
from itertools import accumulate, chain
from typing import Final, NamedTuple

from .merge import MergeTable
from .patterns import SplitPattern
from .pretokenize import split
from .specials import ORDINARY, Rule
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

    What takes a rule for special tokens returns None for a text that the rule finds fault with.
    With `ignore_merges` a piece that is a token becomes that token, whether merges make it or not.
    """

    scanner = "regex"

    def __init__(
        self,
        vocab: Vocab,
        pattern: SplitPattern,
        cache_size: int | None,
        ignore_merges: bool = False,
    ) -> None:
        self._pattern = pattern
        self._typecode = array_type(vocab)
        numbers = iter(vocab.merge_numbers)
        self._table = MergeTable(vocab.byte_ids, zip(numbers, numbers, numbers, strict=True))
        self._whole = vocab.ids if ignore_merges else {}
        size = CACHE_SIZE if cache_size is None else cache_size
        self._cached = lru_cache(maxsize=size)(self._merge)

    def encoding(self, rule: Rule) -> Callable[[str], list[int] | None]:
        """Return `encode` by one rule, for calls that are many and short."""
        return partial(self.encode, rule=rule)

    def array_encoding(self, rule: Rule) -> Callable[[str], memoryview | None]:
        """Return `encode_array` by one rule."""
        return partial(self.encode_array, rule=rule)

    def encode(self, text: str, rule: Rule = ORDINARY) -> list[int] | None:
        if rule.fault(text):
            return None
        ids: list[int] = []
        for stretch in rule.stretches(text):
            ids += self._ordinary(stretch) if isinstance(stretch, str) else [stretch]
        return ids

    def encode_piece(self, piece: str) -> list[int]:
        return list(self._merge(piece))

    def encode_bytes(self, data: bytes) -> list[int]:
        # A byte that is not UTF-8 is read as a lone surrogate, which no pattern takes for a
        # letter, a number or white space, and which `_merge` writes as that byte again.
        return self._ordinary(data.decode(errors="surrogateescape"))

    def encode_array(self, text: str, rule: Rule = ORDINARY) -> memoryview | None:
        ids = self.encode(text, rule)
        return None if ids is None else memoryview(array(self._typecode, ids))

    def encode_batch(
        self, texts: Sequence[str], num_threads: int, rule: Rule = ORDINARY
    ) -> list[list[int]] | None:
        rows = []
        for text in texts:
            ids = self.encode(text, rule)
            if ids is None:
                return None
            rows.append(ids)
        return rows

    def encode_batch_arrays(
        self, texts: Sequence[str], num_threads: int, rule: Rule = ORDINARY
    ) -> TokenBatch | None:
        rows = self.encode_batch(texts, num_threads, rule)
        return None if rows is None else batch_of(rows, self._typecode)

    def count(self, text: str, rule: Rule = ORDINARY) -> int | None:
        ids = self.encode(text, rule)
        return None if ids is None else len(ids)

    def cache_info(self) -> CacheInfo:
        return self._cached.cache_info()

    def cache_clear(self) -> None:
        self._cached.cache_clear()

    def _ordinary(self, text: str) -> list[int]:
        return list(chain.from_iterable(self._pieces(text)))

    def _pieces(self, text: str) -> Iterable[tuple[int, ...]]:
        pieces = split(text, self._pattern)
        if max(map(len, pieces), default=0) <= CACHED_LENGTH:
            return map(self._cached, pieces)
        return (
            self._cached(piece) if len(piece) <= CACHED_LENGTH else self._merge(piece)
            for piece in pieces
        )

    def _merge(self, piece: str) -> tuple[int, ...]:
        data = piece.encode(errors="surrogateescape")
        if data in self._whole:
            return (self._whole[data],)
        return tuple(self._table.merge(data))


def array_type(vocab: Vocab) -> str:
    """Return the array type of ids: uint16 where all of them fit, else uint32."""
    return "H" if vocab.highest_id < 2**16 else "I"


def batch_of(rows: Sequence[Sequence[int]], typecode: str) -> TokenBatch:
    """Put rows of ids one after the other."""
    offsets = array("q", accumulate(map(len, rows), initial=0))
    return TokenBatch(memoryview(array(typecode, chain.from_iterable(rows))), memoryview(offsets))
