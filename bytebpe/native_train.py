"""Training on the native core; equals `train` and `counting`."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from . import _native
from .train import Learned, Stop, Ties
from .train import learn as reference_learn

#: Merges between two calls of `on_merge`.
STEP: Final = 64


def learn(
    sequences: Iterable[Sequence[int]],
    counts: Iterable[int],
    *,
    new_symbol: int,
    max_merges: int,
    min_frequency: int = 2,
    max_width: int | None = None,
    ties: Ties = "lowest",
    on_merge: Callable[[int], object] = lambda done: None,
) -> tuple[list[Learned], Stop]:
    """Learn merges; see `train.learn`."""
    rows = [(sequence, count) for sequence, count in zip(sequences, counts, strict=True) if count]
    if not _fit_the_core(rows, new_symbol):
        return reference_learn(
            *([row[side] for row in rows] for side in (0, 1)),  # type: ignore[arg-type]
            new_symbol=new_symbol, max_merges=max_merges, min_frequency=min_frequency,
            max_width=max_width, ties=ties, on_merge=on_merge,
        )  # fmt: skip
    symbols, ends = array("I"), array("Q")
    for sequence, _ in rows:
        symbols.extend(sequence)
        ends.append(len(symbols))
    core = _native.Trainer(
        symbols=symbols.tobytes(),
        ends=ends.tobytes(),
        counts=array("q", (count for _, count in rows)).tobytes(),
        new_symbol=new_symbol,
        max_merges=max(0, max_merges),
        min_frequency=min_frequency,
        max_width=2**64 - 1 if max_width is None else max_width,
        first=ties == "first",
    )
    return finish(core, on_merge)


def finish(core: _native.Trainer, on_merge: Callable[[int], object]) -> tuple[list[Learned], Stop]:
    """Run a trainer to its end."""
    stop: Stop | None = None
    done = 0
    while stop is None:
        stop = core.learn(STEP)
        if len(core) > done:
            done = len(core)
            on_merge(done)
    return [Learned((left, right), count) for left, right, count in core.learned()], stop


def _fit_the_core(rows: Sequence[tuple[Sequence[int], int]], new_symbol: int) -> bool:
    """Say whether symbols and counts are numbers that the core can hold."""
    if not 0 <= new_symbol < 2**31:
        return False
    if sum(max(1, len(row) - 1) * count for row, count in rows) >= 2**63:
        return False
    return all(count > 0 and all(0 <= s < new_symbol for s in row) for row, count in rows)
