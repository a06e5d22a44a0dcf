"""Everything bytebpe raises on purpose.

    ByteBPEError
    +-- VocabError            (ValueError)    a vocabulary contradicts itself
    |   +-- FormatError                       a file is not what its format promises
    +-- PatternError          (ValueError)    a split pattern cannot be used
    +-- UnknownTokenError     (KeyError)      an id or token that the vocabulary lacks
    +-- SpecialTokenError     (ValueError)    a special token stands where it may not
    +-- ConversionError       (ValueError)    a converted tokenizer gives other ids
    +-- PipelineError         (ValueError)    asked of a tokenizer that does more than split
    +-- BudgetError           (ValueError)    a text cannot be divided so finely
    +-- TrainingError         (ValueError)    the request cannot be trained
    +-- MissingDependency     (ImportError)   an optional package is not installed

Each also derives from the built-in error that a caller would expect, so that
`except ValueError` works for people who have never heard of bytebpe.  All of
them survive pickling, so that a worker process can hand one to its parent.

Two errors of Python itself keep their own names: `TypeError` for an argument of
the wrong type, and `UnicodeEncodeError` for a str that UTF-8 cannot write.
"""

from __future__ import annotations


class ByteBPEError(Exception):
    """Base of every error that bytebpe raises on purpose."""


class VocabError(ByteBPEError, ValueError):
    """A vocabulary contradicts itself."""


class FormatError(VocabError):
    """A file is not what its format promises.

    `line` counts from 1 and is None where the problem has no line of its own.
    """

    def __init__(self, path: str, line: int | None, problem: str) -> None:
        super().__init__(path, line, problem)
        self.path = path
        self.line = line
        self.problem = problem

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}, line {self.line}"
        return f"{where}: {self.problem}"


class PatternError(ByteBPEError, ValueError):
    """A split pattern cannot be used."""


class UnknownTokenError(ByteBPEError, KeyError):
    """An id or token that the vocabulary lacks."""

    def __init__(self, token: object, size: int, lowest: int, highest: int) -> None:
        super().__init__(token, size, lowest, highest)
        self.token = token
        self.size = size
        self.lowest = lowest
        self.highest = highest

    def __str__(self) -> str:
        what = "id" if isinstance(self.token, int) else "token"
        span = f"ids {self.lowest} to {self.highest}"
        unused = self.highest - self.lowest + 1 - self.size
        gaps = f", {unused} of them unused" if unused else ""
        return f"no {what} {self.token!r}: this vocabulary has {self.size} tokens, {span}{gaps}"


class SpecialTokenError(ByteBPEError, ValueError):
    """A special token stands in a text that may not hold it, or cannot be defined.

    `position` is the index of its first character in the text, and None where
    the definition itself is at fault.
    """

    def __init__(self, problem: str, token: str, position: int | None = None) -> None:
        super().__init__(problem, token, position)
        self.token = token
        self.position = position

    def __str__(self) -> str:
        return str(self.args[0])


class ConversionError(ByteBPEError, ValueError):
    """A tokenizer that was converted to another format gives other ids than before."""


class PipelineError(ByteBPEError, ValueError):
    """Something is not known of a tokenizer that does more to a text than split it."""


class BudgetError(ByteBPEError, ValueError):
    """A text cannot be divided so finely without breaking a character."""


class TrainingError(ByteBPEError, ValueError):
    """The request cannot be trained."""


class TrainingWarning(UserWarning):
    """Training ended with fewer merges than were asked for."""


class MissingDependency(ByteBPEError, ImportError):
    """An optional package is not installed."""
