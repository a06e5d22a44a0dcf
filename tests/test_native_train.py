"""The native trainer equals the reference, and its work grows as it should."""

from __future__ import annotations

import math
import random
import signal
from array import array
from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytebpe import _kernels
from bytebpe.patterns import compile_pattern
from bytebpe.train import learn as reference_learn
from strategies import counted_sequences

native = _kernels.native_train
pytestmark = pytest.mark.skipif(native is None, reason="the native core is not built")


@pytest.fixture(scope="session", autouse=True)
def engine() -> str:
    """Run once: these tests name the engines themselves."""
    return "both"


@given(
    sequences=counted_sequences(),
    weight=st.sampled_from([1, 1_000_000]),
    max_merges=st.integers(0, 40),
    min_frequency=st.integers(0, 4),
    max_width=st.none() | st.integers(1, 6),
    ties=st.sampled_from(["lowest", "first"]),
)
def test_any_sequences(
    sequences: list[tuple[list[int], int]], weight: int, ties: str, **options: int
) -> None:
    rows = [symbols for symbols, _ in sequences]
    counts = [count * weight for _, count in sequences]

    expected = reference_learn(rows, counts, new_symbol=9, ties=ties, **options)  # type: ignore[arg-type]

    assert native.learn(rows, counts, new_symbol=9, ties=ties, **options) == expected


@pytest.mark.parametrize("ties", ["lowest", "first"])
@pytest.mark.parametrize("size", [300, 70_000])
def test_long_rows_of_counts_that_differ(ties: str, size: int) -> None:
    draw = random.Random(size)
    alphabet = draw.choice([2, 3, 40])
    rows = [[draw.randrange(alphabet) for _ in range(draw.randrange(60))] for _ in range(60)]
    counts = [int(10 ** draw.uniform(0, 7)) for _ in rows]
    # Cells of 16 bits are too narrow for the larger symbols.
    options = {"new_symbol": size, "max_merges": 400, "min_frequency": 1, "ties": ties}

    assert native.learn(rows, counts, **options) == reference_learn(rows, counts, **options)  # type: ignore[arg-type]


def test_what_the_core_cannot_hold_goes_by_the_reference() -> None:
    for rows, counts, new_symbol in [
        ([[1, 2, 3]], [2**63], 9),
        ([[1, 2, 30]], [1], 9),
        ([[1, 2, -3]], [1], 9),
        ([[1, 2, 3]], [1], 2**40),
    ]:
        options = {"new_symbol": new_symbol, "max_merges": 1, "min_frequency": 1}

        assert native.learn(rows, counts, **options) == reference_learn(rows, counts, **options)  # type: ignore[arg-type]


def trainer(rows: Sequence[Sequence[int]], *, new_symbol: int, max_merges: int) -> object:
    ends = array("Q")
    for row in rows:
        ends.append((ends[-1] if ends else 0) + len(row))
    symbols = array("I", (symbol for row in rows for symbol in row))
    return native._native.Trainer(
        symbols.tobytes(), ends.tobytes(), array("q", [1] * len(rows)).tobytes(),
        new_symbol, max_merges, 1, 2**64 - 1, False,
    )  # fmt: skip


def visits(row: Sequence[int], merges: int) -> int:
    core = trainer([row], new_symbol=256, max_merges=merges)
    while core.learn(64) is None:  # type: ignore[attr-defined]
        pass
    return core.visits  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("kind", ["one letter", "random letters", "period of three"])
def test_work_on_a_long_row_grows_like_n_log_n(kind: str) -> None:
    def row(size: int) -> Sequence[int]:
        if kind == "random letters":
            return random.Random(0).choices(range(26), k=size)
        return [97 + at % (1 if kind == "one letter" else 3) for at in range(size)]

    small, large = 20_000, 160_000
    n_log_n = large * math.log2(large) / (small * math.log2(small))

    assert visits(row(large), 500) <= 1.2 * n_log_n * visits(row(small), 500)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ((array("I", [1]), array("Q"), array("q")), "do not fit together"),
        ((array("I", [1, 2]), array("Q", [3]), array("q", [1])), "do not fit together"),
        ((array("I", [1, 2]), array("Q", [2, 1, 2]), array("q", [1, 1, 1])), "do not fit"),
        ((array("I", [1, 9]), array("Q", [2]), array("q", [1])), "not below new_symbol"),
        ((array("I", [1, 2]), array("Q", [2]), array("q", [0])), "counts less than once"),
    ],
)
def test_the_core_refuses_what_would_read_outside(
    arrays: tuple[array[int], ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        native._native.Trainer(*(one.tobytes() for one in arrays), 9, 1, 1, 9, False)


@pytest.fixture
def alarm() -> Iterator[Callable[[float], None]]:
    """Raise KeyboardInterrupt after so many seconds, as Ctrl-C would."""

    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="sends a signal")
def test_a_signal_ends_merging(alarm: Callable[[float], None]) -> None:
    row = random.Random(0).choices(range(256), k=3_000_000)
    core = trainer([row], new_symbol=256, max_merges=100_000)

    alarm(0.01)
    with pytest.raises(KeyboardInterrupt):
        core.learn(100_000)  # type: ignore[attr-defined]

    with pytest.raises(ValueError, match="this trainer was interrupted"):
        core.learn(1)  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="this trainer was interrupted"):
        len(core)  # type: ignore[arg-type]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="sends a signal")
@pytest.mark.parametrize("pattern", ["gpt2", "o200k"])
def test_a_signal_ends_the_counting_of_a_long_text_as_if_it_had_not_begun(
    pattern: str, alarm: Callable[[float], None]
) -> None:
    pieces = native.piece_counter(compile_pattern(pattern), (), None)
    pieces.add(["a text that is counted"])
    before = list(pieces.items())

    alarm(0.01)
    with pytest.raises(KeyboardInterrupt):
        pieces.add(["ab cd " * 20_000_000])

    assert (list(pieces.items()), pieces.texts) == (before, 1)
