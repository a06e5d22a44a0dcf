from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytebpe.charbpe import END, UNKNOWN, CharBPE
from bytebpe.errors import TrainingError, UnknownTokenError
from strategies import texts

TEXTBOOK = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


@pytest.fixture(scope="module")
def textbook() -> CharBPE:
    return CharBPE.train_from_counts(TEXTBOOK, num_merges=6, ties="first")


def test_the_hand_trace_of_low_lower_newest_widest(textbook: CharBPE) -> None:
    assert textbook.merges == [
        ("e", "s"),
        ("es", "t"),
        ("est", "</w>"),
        ("l", "o"),
        ("lo", "w"),
        ("n", "e"),
    ]
    assert textbook.tokens("lowest") == ["low", "est</w>"]
    assert textbook.tokens("newer") == ["ne", "w", "e", "r", "</w>"]


def test_the_hand_trace_of_hug_pug_hugs() -> None:
    bpe = CharBPE.train_from_counts({"hug": 10, "pug": 5, "hugs": 3}, num_merges=3, ties="first")

    assert bpe.merges == [("u", "g"), ("ug", "</w>"), ("h", "ug</w>")]


def test_a_character_never_seen_is_unknown(textbook: CharBPE) -> None:
    assert textbook.tokens("lös 世") == ["l", UNKNOWN, "s", END, UNKNOWN, END]
    assert textbook.decode(textbook.encode("lös 世")) == "l<unk>s <unk>"


@given(words=st.lists(st.text(alphabet="lowernstid", min_size=1, max_size=12), max_size=6))
def test_words_of_the_alphabet_come_back(textbook: CharBPE, words: list[str]) -> None:
    text = " ".join(words)

    assert textbook.decode(textbook.encode(text)) == text
    assert set(textbook.encode(text)) <= set(range(len(textbook)))


@given(text=texts())
def test_any_text_can_be_encoded_and_unknowns_are_counted(textbook: CharBPE, text: str) -> None:
    tokens = textbook.tokens(text)

    assert tokens.count(UNKNOWN) == sum(
        char not in "lowernstid"
        for char in text
        if not char.isspace() or char in "\x1c\x1d\x1e\x1f"
    )


def test_texts_and_counts_train_alike() -> None:
    rows = [" ".join([word] * count) for word, count in TEXTBOOK.items()]

    for ties in ("lowest", "first"):
        from_texts = CharBPE.train(rows, num_merges=20, ties=ties)  # type: ignore[arg-type]
        from_counts = CharBPE.train_from_counts(TEXTBOOK, num_merges=20, ties=ties)  # type: ignore[arg-type]

        assert from_texts.merges == from_counts.merges


def test_long_words_are_encoded_as_short_ones_are() -> None:
    bpe = CharBPE("ab", [("a", "b"), ("ab", "ab")])

    assert bpe.tokens("ab" * 500) == ["abab"] * 250 + [END]


def test_two_merges_may_make_one_token() -> None:
    bpe = CharBPE("abc", [("a", "b"), ("b", "c"), ("a", "bc"), ("ab", "c")])

    assert bpe.tokens("abc") == ["abc", END]
    assert len(bpe) == 8


def test_nothing_to_learn_from_makes_an_empty_alphabet() -> None:
    bpe = CharBPE.train([], num_merges=3)

    assert len(bpe) == 2
    assert bpe.tokens("a") == [UNKNOWN, END]


def test_bad_requests_are_refused(textbook: CharBPE) -> None:
    with pytest.raises(TypeError, match="not one str"):
        CharBPE.train("low", num_merges=3)
    with pytest.raises(TrainingError, match="num_merges=-1"):
        CharBPE.train(["low"], num_merges=-1)
    with pytest.raises(UnknownTokenError, match="no id 99"):
        textbook.decode([99])
    with pytest.raises(UnknownTokenError, match="no id -1"):
        textbook.decode([-1])
