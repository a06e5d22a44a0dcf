"""Training round by round: what was counted, who won, and what the merge did."""

from .rounds import Change, Round, TrainingTrace, Unit, Word, trace_training

__all__ = ["Change", "Round", "TrainingTrace", "Unit", "Word", "trace_training"]
