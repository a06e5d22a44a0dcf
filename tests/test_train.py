from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from bytebpe._kernels import learn
from bytebpe.train import Ties, merge_pair
from strategies import counted_sequences

TIES = st.sampled_from(["lowest", "first"])


def learned_by_engine(
    sequences: list[tuple[list[int], int]],
    *,
    max_merges: int = 30,
    min_frequency: int = 1,
    max_width: int | None = None,
    ties: Ties = "lowest",
) -> list[tuple[tuple[int, int], int]]:
    learned, _ = learn(
        [symbols for symbols, _ in sequences],
        [count for _, count in sequences],
        new_symbol=100,
        max_merges=max_merges,
        min_frequency=min_frequency,
        max_width=max_width,
        ties=ties,
    )
    return [(merge.pair, merge.count) for merge in learned]


@given(
    sequences=counted_sequences(),
    max_merges=st.integers(0, 30),
    min_frequency=st.integers(0, 4),
    max_width=st.none() | st.integers(1, 6),
    ties=TIES,
)
def test_learning_equals_counting_afresh_each_round(
    sequences: list[tuple[list[int], int]],
    max_merges: int,
    min_frequency: int,
    max_width: int | None,
    ties: Ties,
) -> None:
    expected = oracles.learn(
        [symbols for symbols, _ in sequences],
        [count for _, count in sequences],
        new_symbol=100,
        max_merges=max_merges,
        min_frequency=min_frequency,
        max_width=max_width,
        ties=ties,
    )

    actual = learned_by_engine(
        sequences,
        max_merges=max_merges,
        min_frequency=min_frequency,
        max_width=max_width,
        ties=ties,
    )

    assert actual == expected


@given(sequences=counted_sequences(), seed=st.integers(0, 99))
def test_the_order_of_the_sequences_does_not_matter_where_ties_go_to_the_lowest(
    sequences: list[tuple[list[int], int]], seed: int
) -> None:
    shuffled = random.Random(seed).sample(sequences, len(sequences))

    assert learned_by_engine(shuffled) == learned_by_engine(sequences)


@given(symbols=st.lists(st.integers(0, 1), max_size=60), ties=TIES)
def test_runs_are_counted_as_a_recount_would(symbols: list[int], ties: Ties) -> None:
    expected = oracles.learn(
        [symbols], [1], new_symbol=100, max_merges=40, min_frequency=1, max_width=None, ties=ties
    )

    assert learned_by_engine([(symbols, 1)], max_merges=40, ties=ties) == expected


@given(symbols=st.lists(st.integers(0, 2), max_size=20))
def test_a_merged_pair_is_gone_and_stands_for_what_it_replaced(symbols: list[int]) -> None:
    merged = merge_pair(symbols, (1, 1), 9)

    assert (1, 1) not in list(pairwise(merged))
    assert [s for m in merged for s in ([1, 1] if m == 9 else [m])] == symbols


def test_pairs_are_merged_from_the_left_without_overlap() -> None:
    assert merge_pair([1, 1, 1], (1, 1), 2) == [2, 1]
    assert merge_pair([1, 1, 1, 1], (1, 1), 2) == [2, 2]


@pytest.mark.parametrize(
    ("options", "stop", "merges"),
    [
        ({"max_merges": 1}, "max_merges", 1),
        ({"max_merges": 9}, "min_frequency", 1),
        ({"max_merges": 9, "min_frequency": 1}, "no_pairs", 4),
        ({"max_merges": 9, "max_width": 2, "min_frequency": 1}, "max_width", 2),
        ({"max_merges": 0}, "max_merges", 0),
    ],
)
def test_it_says_why_it_stopped(options: dict[str, int], stop: str, merges: int) -> None:
    learned, stopped = learn([[1, 2, 1, 2, 3, 4]], [1], new_symbol=10, **options)  # type: ignore[arg-type]

    assert (stopped, len(learned)) == (stop, merges)


def test_counts_do_not_overflow() -> None:
    assert learned_by_engine([([1, 2], 2**40), ([1, 2], 2**62)]) == [((1, 2), 2**40 + 2**62)]


@pytest.mark.parametrize("length", [1, 3, 500])
def test_the_number_of_merges_is_told_and_ends_at_the_last(length: int) -> None:
    seen: list[int] = []

    learn([range(length)], [5], new_symbol=999, max_merges=900, on_merge=seen.append)

    assert seen == sorted(set(seen))
    assert seen[-1:] == [length - 1][: length - 1]


def test_what_counts_zero_times_teaches_nothing() -> None:
    options = {"new_symbol": 9, "max_merges": 9, "min_frequency": 0, "max_width": 1}

    assert learn([[1, 2]], [0], **options) == ([], "no_pairs")  # type: ignore[arg-type]
    assert learn([[1, 2]], [1], **options) == ([], "max_width")  # type: ignore[arg-type]


def learned_from_words(counts: dict[str, int], merges: int) -> list[tuple[str, str, int]]:
    """Train on characters with </w> at the end of each word, as textbooks do by hand."""
    words = [[*word, "</w>"] for word in counts]
    symbols = sorted({symbol for word in words for symbol in word})
    learned, _ = learn(
        [[symbols.index(symbol) for symbol in word] for word in words],
        counts.values(),
        new_symbol=len(symbols),
        max_merges=merges,
        min_frequency=1,
        ties="first",
    )
    rows = []
    for merge in learned:
        left, right = (symbols[symbol] for symbol in merge.pair)
        symbols.append(left + right)
        rows.append((left, right, merge.count))
    return rows


def test_the_hand_trace_of_low_lower_newest_widest() -> None:
    counts = {"low": 5, "lower": 2, "newest": 6, "widest": 3}

    assert learned_from_words(counts, 6) == [
        ("e", "s", 9),
        ("es", "t", 9),
        ("est", "</w>", 9),
        ("l", "o", 7),
        ("lo", "w", 7),
        ("n", "e", 6),
    ]


def test_the_hand_trace_of_hug_pug_hugs() -> None:
    assert learned_from_words({"hug": 10, "pug": 5, "hugs": 3}, 3) == [
        ("u", "g", 18),
        ("ug", "</w>", 15),
        ("h", "ug</w>", 10),
    ]


@pytest.mark.parametrize(
    ("ties", "merges"),
    [
        ("lowest", [("a", "a", 4), ("a", "b", 2), ("aa", "ab", 2)]),
        ("first", [("a", "a", 4), ("aa", "a", 2), ("aaa", "b", 2)]),
    ],
)
def test_the_hand_trace_of_aaabdaaabac(ties: Ties, merges: list[tuple[str, str, int]]) -> None:
    symbols = list("abcd")
    learned, _ = learn(
        [[symbols.index(char) for char in "aaabdaaabac"]],
        [1],
        new_symbol=4,
        max_merges=3,
        ties=ties,
    )
    actual = []
    for merge in learned:
        left, right = (symbols[symbol] for symbol in merge.pair)
        symbols.append(left + right)
        actual.append((left, right, merge.count))

    # Once aa is merged, ab and aa+a both occur twice: here the two rules part.
    assert actual == merges
