from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytebpe
import oracles
from bytebpe.bytemap import to_text
from bytebpe.charbpe import CharBPE
from bytebpe.errors import TrainingError
from bytebpe.training_trace import TrainingTrace, trace_training

TEXTBOOK = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
COUNTS = st.dictionaries(st.text(alphabet="abc ", min_size=1, max_size=8), st.integers(1, 4))


@pytest.fixture(scope="module")
def textbook() -> TrainingTrace:
    return trace_training(TEXTBOOK, num_merges=6, unit="char", ties="first")


def test_the_table_of_low_lower_newest_widest(textbook: TrainingTrace) -> None:
    rows = [
        (" ".join(map(str, round.pair)), round.count, [" ".join(map(str, p)) for p in round.tied])
        for round in textbook.rounds
    ]

    assert rows == [
        ("e s", 9, ["e s", "s t", "t </w>"]),
        ("es t", 9, ["es t", "t </w>"]),
        ("est </w>", 9, ["est </w>"]),
        ("l o", 7, ["l o", "o w"]),
        ("lo w", 7, ["lo w"]),
        ("n e", 6, ["n e", "e w", "w est</w>"]),
    ]
    assert [round.decided_by for round in textbook.rounds] == [
        "first", "first", "count", "first", "count", "first",
    ]  # fmt: skip


def test_the_first_round_to_the_digit(textbook: TrainingTrace) -> None:
    first = textbook.rounds[0]

    assert {"".join(map(str, pair)): count for pair, count in first.ranking} == {
        "es": 9, "st": 9, "t</w>": 9, "we": 8, "lo": 7, "ow": 7, "ne": 6, "ew": 6, "w</w>": 5,
        "wi": 3, "id": 3, "de": 3, "er": 2, "r</w>": 2,
    }  # fmt: skip
    assert [(before.count, " ".join(map(str, after.symbols))) for before, after in first.words] == [
        (6, "n e w es t </w>"),
        (3, "w i d es t </w>"),
    ]
    assert first.vanished == (("e", "s"), ("s", "t"), ("d", "e"))
    assert first.appeared == ((("w", "es"), 6), (("es", "t"), 9), (("d", "es"), 3))
    assert [(c.pair, c.before, c.after) for c in first.changes if c.before and c.after] == [
        (("w", "e"), 8, 2)
    ]


def test_the_merges_are_those_of_character_bpe(textbook: TrainingTrace) -> None:
    bpe = CharBPE.train_from_counts(TEXTBOOK, num_merges=6, ties="first")

    assert textbook.merges == bpe.merges


def test_the_words_after_training(textbook: TrainingTrace) -> None:
    assert [" ".join(map(str, word.symbols)) for word in textbook.after] == [
        "low </w>",
        "low e r </w>",
        "ne w est</w>",
        "w i d est</w>",
    ]


def test_the_table_of_hug_pug_pun_bun_hugs() -> None:
    # The course example of Hugging Face, whose words have no end mark: bytes do as well.
    trace = trace_training(
        {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, num_merges=3, ties="first"
    )

    assert [(round.pair, round.count) for round in trace.rounds] == [
        ((b"u", b"g"), 20),
        ((b"u", b"n"), 16),
        ((b"h", b"ug"), 15),
    ]
    assert trace.rounds[0].ranking[0] == ((b"u", b"g"), 20)


@given(counts=COUNTS, ties=st.sampled_from(["lowest", "first"]))
def test_the_trace_is_what_the_trainer_reports(counts: dict[str, int], ties: str) -> None:
    trace = trace_training(counts, num_merges=8, ties=ties, min_frequency=1)  # type: ignore[arg-type]

    asked = {"num_merges": 8, "ties": ties, "min_frequency": 1}
    with pytest.warns() if len(trace.rounds) < 8 else _nothing():
        tok = bytebpe.train_from_counts(counts, **asked)  # type: ignore[arg-type]
    assert tok.training is not None
    assert [(round.pair, round.count) for round in trace.rounds] == [
        (merge.pair, merge.count) for merge in tok.training.merges
    ]
    for round in trace.rounds:
        first_of_tied = round.tied[0]
        assert round.pair in round.tied
        assert round.decided_by in ("count", ties)
        if ties == "first":
            assert round.pair == first_of_tied
        assert round.count == round.ranking[0][1]


@given(counts=COUNTS)
def test_each_round_follows_from_the_one_before(counts: dict[str, int]) -> None:
    trace = trace_training(counts, num_merges=6, unit="char", min_frequency=1)

    for earlier, later in pairwise(trace.rounds):
        ranking = dict(earlier.ranking)
        for change in earlier.changes:
            assert ranking.pop(change.pair, 0) == change.before
            if change.after:
                ranking[change.pair] = change.after
        assert ranking == dict(later.ranking)


@given(
    counts=st.dictionaries(
        st.text(alphabet="ab é世", min_size=1, max_size=6), st.integers(1, 4), max_size=6
    )
)
def test_characters_and_byte_proxies_go_through_one_trainer(counts: dict[str, int]) -> None:
    # Words spelled as proxies, with the end mark as one more symbol: to the trainer,
    # characters and bytes are the same numbers, and so are the merges.
    pieces = {to_text(word.encode()): count for word, count in counts.items()}
    alphabet = sorted(set("".join(pieces)))
    number = {"</w>": 0, **{char: at for at, char in enumerate(alphabet, 1)}}
    learned = oracles.learn(
        [[*(number[char] for char in piece), 0] for piece in pieces],
        list(pieces.values()),
        new_symbol=len(number),
        max_merges=9,
        min_frequency=2,
        max_width=None,
        ties="first",
    )
    names = ["</w>", *alphabet]
    for (left, right), _ in learned:
        names.append(names[left] + names[right])

    bpe = CharBPE.train_from_counts(pieces, num_merges=9, ties="first")

    assert bpe.merges == [(names[left], names[right]) for (left, right), _ in learned]


def test_a_corpus_is_cut_to_what_can_be_read(corpus: list[str]) -> None:
    trace = trace_training(corpus[4:6], num_merges=2, most=5)

    for round in trace.rounds:
        assert len(round.ranking) == len(round.words) == len(round.changes) == 5
        assert round.pairs > 5
        assert round.changed_words > 5
        assert round.changed_pairs > 5
    assert len(trace.words) == 5 < trace.distinct_words


def test_tokens_too_long_do_not_compete() -> None:
    trace = trace_training(["abcabc ab"], num_merges=5, max_token_bytes=2, min_frequency=1)

    assert all(len(round.made) <= 2 for round in trace.rounds)
    assert all(sum(map(len, pair)) <= 2 for round in trace.rounds for pair in round.tied)


def test_what_cannot_be_traced_is_refused() -> None:
    with pytest.raises(TrainingError, match="unit='word'"):
        trace_training({"a": 1}, num_merges=1, unit="word")  # type: ignore[arg-type]
    with pytest.raises(TrainingError, match="marks its end"):
        trace_training({"a</w>": 1}, num_merges=1, unit="char")
    with pytest.raises(TypeError, match="not one str"):
        trace_training("abc", num_merges=1)


def test_texts_and_counts_are_traced_alike(tmp_path: Path) -> None:
    rows = [" ".join([word] * count) for word, count in TEXTBOOK.items()]

    from_texts = trace_training(rows, num_merges=6, unit="char", ties="first")
    from_counts = trace_training(TEXTBOOK, num_merges=6, unit="char", ties="first")

    assert from_texts == from_counts


class _nothing:
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...
