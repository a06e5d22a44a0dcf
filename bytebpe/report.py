"""What training was asked for, what it reached, and why it stopped."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .train import Ties
from .vocab import Merge

Stopped = Literal["vocab_size", "num_merges", "min_frequency", "max_token_bytes", "no_pairs"]

_WHY = {
    "vocab_size": "the vocabulary has the size asked for",
    "num_merges": "all merges asked for are learned",
    "min_frequency": "no pair left occurs {report.min_frequency} times or more (min_frequency)",
    "max_token_bytes": "every pair left would make a token longer than "
    "{report.max_token_bytes} bytes (max_token_bytes)",
    "no_pairs": "every piece is one token, no pair is left to merge",
}


@dataclass(frozen=True, slots=True)
class CountedMerge:
    """A merge and how often its pair occurred when it was merged."""

    pair: Merge
    count: int


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """How a training went.

    `asked_merges` is the number of merges that the request came to; fewer in `merges`
    means that training fell short, and `stopped` says why.  `texts` counts documents,
    `pieces` what the pattern made of them and `distinct_pieces` the different ones that were
    learned from.  `dropped_pieces` were not (see `max_pieces` and `min_piece_count` of
    `train`), which occurred `dropped_count` times.
    """

    stopped: Stopped
    asked_merges: int
    merges: tuple[CountedMerge, ...] = field(repr=False)
    vocab_size: int
    texts: int
    bytes: int
    pieces: int
    distinct_pieces: int
    min_frequency: int
    max_token_bytes: int | None
    ties: Ties
    dropped_pieces: int = 0
    dropped_count: int = 0

    @property
    def fell_short(self) -> bool:
        """Whether fewer merges were learned than asked for."""
        return len(self.merges) < self.asked_merges

    def __str__(self) -> str:
        short = f" of {self.asked_merges} asked for" if self.fell_short else ""
        dropped = (
            f" ({self.dropped_pieces} more, {self.dropped_count} occurrences, dropped)"
            if self.dropped_pieces
            else ""
        )
        return (
            f"{len(self.merges)} merges{short}, {self.vocab_size} tokens, from {self.texts} texts "
            f"of {self.bytes} bytes in {self.distinct_pieces} distinct pieces{dropped}; "
            f"stopped because {_WHY[self.stopped].format(report=self)}"
        )
