"""BPE-dropout: sample one of the ways in which a text can be made of tokens.

In each step of merging, every pair that has a merge is dropped with a given probability,
and of those left the one of lowest rank is merged; where none is left, the piece is done
(Provilkov, Emelianenko and Voita, "BPE-Dropout", 2020, algorithm 1).  Pairs are dropped afresh in
each step.  As only the first pair that stays matters, pairs are asked in the order of their
ranks, then places, and no more of them than that takes.

Randomness is `SplitMix64` alone, one number for each pair that is asked, so that a seed
means the same everywhere and for ever.

>>> from .patterns import compile_pattern
>>> vocab = Vocab.from_merges([(b"l", b"o"), (b"lo", b"w")])
>>> sampler = Sampler(vocab, compile_pattern("gpt2"))
>>> [sampler.sample("low", 0.5, SplitMix64.of(7, row)) for row in range(4)]
[[256, 86], [75, 78, 86], [257], [75, 78, 86]]
"""

from __future__ import annotations

from typing import Final, Self

from .merge import MergeTable
from .patterns import SplitPattern
from .pretokenize import split
from .vocab import Vocab

_64_BITS: Final = 2**64 - 1
_GAMMA: Final = 0x9E3779B97F4A7C15


class SplitMix64:
    """The generator of Steele, Lea and Flood, 2014: 64 bits of state, 64 bits a step.

    >>> random = SplitMix64(1234567)
    >>> random.next(), random.next()
    (6457827717110365317, 3203168211198807973)
    """

    def __init__(self, state: int) -> None:
        self.state = state & _64_BITS

    @classmethod
    def of(cls, seed: int, row: int) -> Self:
        """Return the generator of a row: started with the mixed sum of row and mixed seed."""
        return cls(_mix(_mix(seed & _64_BITS) + row & _64_BITS))

    def next(self) -> int:
        self.state = self.state + _GAMMA & _64_BITS
        return _mix(self.state)

    def below_one(self) -> float:
        """Return a number from 0 up to 1, of 53 bits."""
        return (self.next() >> 11) * 2.0**-53


def _mix(bits: int) -> int:
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 & _64_BITS
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB & _64_BITS
    return bits ^ bits >> 31


class Sampler:
    """Sample with one vocabulary and one pattern."""

    def __init__(self, vocab: Vocab, pattern: SplitPattern) -> None:
        self._vocab = vocab
        self._pattern = pattern
        self._table: MergeTable | None = None

    def sample(self, text: str, dropout: float, random: SplitMix64) -> list[int]:
        """Return the ids of a text without special tokens; the generator moves on."""
        if self._table is None:
            byte_ids = [self._vocab.ids[bytes([byte])] for byte in range(256)]
            self._table = MergeTable(byte_ids, self._vocab.merge_ids)
        ids = []
        for piece in split(text, self._pattern):
            ids += self._table.sample(piece.encode(), lambda: random.below_one() < dropout)
        return ids
