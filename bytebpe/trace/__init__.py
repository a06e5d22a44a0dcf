"""The merges of a text, one by one, and why two neighbours did or did not merge."""

from .steps import Candidate, PieceTrace, Step, Trace, Why, trace, why

__all__ = ["Candidate", "PieceTrace", "Step", "Trace", "Why", "trace", "why"]
