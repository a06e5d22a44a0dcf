"""What a file holds of a tokenizer: all that decides ids, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..pipeline import Pipeline
from ..vocab import Vocab


@dataclass(frozen=True, slots=True)
class Stored:
    """A vocabulary, the split pattern it goes with, and what surrounds them."""

    vocab: Vocab
    pattern: str
    pipeline: Pipeline = field(default_factory=Pipeline)
