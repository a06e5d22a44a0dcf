"""Count pieces apart from training, so that a corpus is read once and trained from often."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

from . import _kernels, counts_file
from .counting import COUNT_LIMIT
from .encode import cores
from .errors import TrainingError
from .patterns import compile_pattern, name_of
from .progress import Progress, Reporter
from .vocab import Vocab


def count_pieces(
    texts: Iterable[str | bytes],
    *,
    pattern: str = "gpt2",
    special_tokens: Sequence[str] = (),
    max_pieces: int | None = None,
    min_piece_count: int = 1,
    num_threads: int | None = None,
    progress: bool | Progress = False,
) -> PieceCounts:
    """Count the pieces of texts, to train from them later; the options are those of `train`.

    >>> counts = count_pieces(["low lower", "low"])
    >>> list(counts.items())
    [(b'low', 2), (b' lower', 1)]
    """
    counts = PieceCounts(pattern, special_tokens_of(special_tokens), max_pieces, min_piece_count)
    counts.count(texts, num_threads, progress)
    return counts


class PieceCounts:
    """How often each piece of some texts occurs: all that training knows of them.

    Made by `count_pieces` or `load`, and taken by `train_from_counts`.  Counts are numbers
    of 64 bits.
    """

    def __init__(
        self,
        pattern: str,
        special_tokens: Sequence[str],
        max_pieces: int | None,
        min_piece_count: int,
    ) -> None:
        if max_pieces is not None and max_pieces < 1:
            raise TrainingError(f"max_pieces={max_pieces}; expected 1 or more, or None")
        if min_piece_count < 1:
            raise TrainingError(f"min_piece_count={min_piece_count}; expected 1 or more")
        compiled = compile_pattern(pattern)
        self.pattern = name_of(compiled.source) or pattern
        self.special_tokens = tuple(special_tokens)
        self.counter = _kernels.piece_counter(compiled, self.special_tokens, max_pieces)
        self._least = min_piece_count
        self._complete = False
        self._weight = 0  # of the pieces that came from files: count times length

    @property
    def texts(self) -> int:
        """How many texts were counted."""
        return self.counter.texts

    @property
    def size(self) -> int:
        """How many bytes they had, in UTF-8."""
        return self.counter.size

    @property
    def dropped_pieces(self) -> int:
        """How many pieces were dropped, by `max_pieces` or as rare ones."""
        return self.counter.dropped_pieces

    @property
    def dropped_count(self) -> int:
        """How often those occurred."""
        return self.counter.dropped_count

    def __str__(self) -> str:
        dropped = f"; {self.dropped_pieces} pieces dropped, {self.dropped_count} occurrences"
        return (
            f"{len(self)} distinct pieces of {self.counter.total}, from {self.texts} texts of "
            f"{self.size} bytes{dropped if self.dropped_pieces else ''}"
        )

    def __len__(self) -> int:
        """Return the number of distinct pieces."""
        return len(self.counter)

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Yield each piece with its count, in the order in which the pieces first appeared."""
        return self.counter.items()

    def check_same(self, pattern: str | None, special_tokens: Sequence[str] | None) -> None:
        """Raise `TrainingError` if another pattern or other special tokens are asked for."""
        for name, asked, mine in (
            ("pattern", pattern, self.pattern),
            ("special_tokens", special_tokens, self.special_tokens),
        ):
            if asked is not None and asked != mine and list(asked) != list(mine):
                raise TrainingError(f"the pieces were counted with {name}={mine!r}, not {asked!r}")

    def merge(self, other: PieceCounts) -> None:
        """Add the counts of other texts, as if these had come after the texts counted so far.

        Raises `TrainingError` if they were split otherwise.
        """
        self.check_same(other.pattern, other.special_tokens)
        self._add_pieces(other.items(), other.texts, other.size)
        self.counter.dropped_pieces += other.dropped_pieces
        self.counter.dropped_count += other.dropped_count

    def drop_rare(self, least: int) -> None:
        """Drop the pieces that occur less than `least` times in all."""
        self.counter.drop_rare(least)

    def save(self, path: str | PathLike[str]) -> None:
        """Write a text file of the counts; see `counts_file`."""
        counter = self.counter
        header = {
            **self._options(),
            "complete": self._complete,
            "texts": counter.texts,
            "bytes": counter.size,
            "unchecked": counter.unchecked,
            "dropped_pieces": counter.dropped_pieces,
            "dropped_count": counter.dropped_count,
            "pieces": len(counter),
        }
        counts_file.write(Path(path), header, counter.lines())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> PieceCounts:
        """Read what `save` wrote; raises `FormatError` where it did not."""
        header, pieces = counts_file.read(Path(path))
        counts = cls(
            header["pattern"],
            header["special_tokens"],
            header["max_pieces"],
            header["min_piece_count"],
        )
        counts._add_pieces(pieces, header["texts"], header["bytes"])
        counts.counter.dropped_pieces = header["dropped_pieces"]
        counts.counter.dropped_count = header["dropped_count"]
        counts.counter.checked_at(header["bytes"] - header["unchecked"])
        counts._complete = header["complete"]
        return counts

    def resume(self, path: str | PathLike[str]) -> None:
        """Take up what an interrupted count with the same options left in a file."""
        left = PieceCounts.load(path)
        for name, asked in self._options().items():
            before = left._options()[name]
            if before != asked:
                raise TrainingError(f"{path} was begun with {name}={before!r}, not {asked!r}")
        self.counter, self._complete = left.counter, left._complete

    def count(
        self, texts: Iterable[str | bytes], num_threads: int | None, progress: bool | Progress
    ) -> None:
        """Count the texts that are not counted yet."""
        if self._complete:
            return
        reporter = Reporter(progress, "count", None, self.size)
        rest = islice(texts, self.texts, None) if self.texts else texts
        self.counter.add(rest, reporter, num_threads or cores())
        reporter.end()
        self.counter.drop_rare(self._least)
        self._complete = True

    def _options(self) -> dict[str, Any]:
        return {
            "pattern": self.pattern,
            "special_tokens": list(self.special_tokens),
            "max_pieces": self.counter.max_pieces,
            "min_piece_count": self._least,
        }

    def _add_pieces(self, pieces: Iterable[tuple[bytes, int]], texts: int, size: int) -> None:
        def weighed() -> Iterator[tuple[bytes, int]]:
            for piece, count in pieces:
                self._weight += len(piece) * count
                if self._weight >= COUNT_LIMIT:
                    raise TrainingError("these counts come to 2**63 or more")
                yield piece, count

        self.counter.add_pieces(weighed(), texts, size)


def special_tokens_of(special_tokens: Sequence[str]) -> tuple[str, ...]:
    """Return special tokens, unless they are one str in place of several, or no good."""
    if isinstance(special_tokens, str):
        raise TypeError(
            f"special_tokens: expected several, not one str; write [{special_tokens!r}]"
        )
    tokens = tuple(special_tokens)
    if len(set(tokens)) < len(tokens):
        raise TrainingError(f"a special token is given twice: {list(tokens)}")
    Vocab.from_merges((), tokens)  # refuses an empty one, and one that is no str
    return tokens
