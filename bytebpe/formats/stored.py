"""What a file holds of a tokenizer: all that decides ids, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from ..vocab import Vocab


@dataclass(frozen=True, slots=True)
class Stored:
    """A vocabulary and the split pattern it goes with."""

    vocab: Vocab
    pattern: str
