from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bytebpe.compression import compress
from strategies import texts


def test_the_example_that_everybody_gives() -> None:
    compressed = compress("aaabdaaabac")

    assert [(s.symbol, s.left + s.right, s.text) for s in compressed.steps] == [
        ("Z", "aa", "ZabdZabac"),
        ("Y", "ab", "ZYdZYac"),
        ("X", "ZY", "XdXac"),
    ]
    assert compressed.text == "XdXac"
    assert list(compressed.restored())[-1] == "aaabdaaabac"


def test_the_pair_met_first_may_win_instead() -> None:
    compressed = compress("aaabdaaabac", ties="first")

    assert [step.text for step in compressed.steps] == ["ZabdZabac", "YbdYbac", "XdXac"]


@given(text=texts(), ties=st.sampled_from(["lowest", "first"]))
def test_every_text_comes_back(text: str, ties: str) -> None:
    compressed = compress(text, ties=ties)  # type: ignore[arg-type]

    assert list(compressed.restored())[-1] == text
    assert all(step.symbol not in text for step in compressed.steps)
    assert all(step.replaced >= 1 for step in compressed.steps)


def test_no_text_needs_more_symbols_than_there_are() -> None:
    text = "".join(f"{chr(0x4E00 + at)}{chr(0x4E01 + at)}" * 2 for at in range(0, 200, 2))
    compressed = compress(text + "QWERTYUIOPASDFGHJKLZXCVBNM")

    assert len({step.symbol for step in compressed.steps}) == len(compressed.steps) > 26


def test_overlap_counts_and_is_not_replaced() -> None:
    [step] = compress("aaa").steps

    assert (step.count, step.replaced, step.text) == (2, 1, "Za")
    assert compress("").text == ""
    assert compress("abab", max_steps=0).text == "abab"
    assert compress("aaabdaaabac").size == 5 + 3 * 3
