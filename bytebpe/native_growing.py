"""Texts that grow and BPE-dropout, on the native core; equals `growing` and `dropout`."""

from __future__ import annotations

from array import array
from functools import cached_property

from . import _native, dropout, growing
from .dfa import Dfa, NotInDialect, compile_dfa
from .dropout import SplitMix64
from .vocab import Vocab


class GrowingTexts(growing.GrowingTexts):
    """Make texts that grow; see `growing.GrowingTexts`."""

    def new(self) -> growing.GrowingText:
        return self._core.new() if self._core else super().new()

    @cached_property
    def _core(self) -> _native.GrowingTexts | None:
        vocab = self._vocab
        if self._dfa is None:
            return None
        return _native.GrowingTexts(
            byte_ids=_byte_ids(vocab),
            merges=_merges(vocab),
            tokens=list(vocab.ids),
            ids=array("I", vocab.ids.values()).tobytes(),
            dfa=_tables(self._dfa),
        )


class Sampler(dropout.Sampler):
    """Sample with one vocabulary and one pattern; see `dropout.Sampler`."""

    def sample(self, text: str, dropout: float, random: SplitMix64) -> list[int]:
        if self._core is None:
            return super().sample(text, dropout, random)
        ids, random.state = self._core.sample(text, dropout, random.state)
        return ids

    @cached_property
    def _core(self) -> _native.Sampler | None:
        try:
            dfa = compile_dfa(self._pattern)
        except NotInDialect:
            return None
        return _native.Sampler(_byte_ids(self._vocab), _merges(self._vocab), _tables(dfa))


def _byte_ids(vocab: Vocab) -> bytes:
    return array("I", vocab.byte_ids).tobytes()


def _merges(vocab: Vocab) -> bytes:
    return vocab.merge_numbers.tobytes()


def _tables(dfa: Dfa) -> tuple[bytes, bytes, bytes, int]:
    return dfa.pages.tobytes(), dfa.classes, dfa.transitions.tobytes(), dfa.width
