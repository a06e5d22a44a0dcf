from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytebpe
from bytebpe import progress
from bytebpe.errors import SpecialTokenError, TrainingError, TrainingWarning
from bytebpe.patterns import compile_pattern
from bytebpe.pretokenize import split
from strategies import any_bytes, texts

quietly = pytest.mark.filterwarnings("ignore::bytebpe.errors.TrainingWarning")


@quietly
@given(rows=st.lists(texts(5), max_size=5), seed=st.integers(0, 99))
def test_the_order_of_the_texts_does_not_matter(rows: list[str], seed: int) -> None:
    shuffled = random.Random(seed).sample(rows, len(rows))

    assert (
        bytebpe.train(shuffled, num_merges=20, min_frequency=1).merges
        == bytebpe.train(rows, num_merges=20, min_frequency=1).merges
    )


@quietly
@given(rows=st.lists(any_bytes(), max_size=4), probe=any_bytes())
def test_whatever_it_was_trained_on_any_bytes_come_back(rows: list[bytes], probe: bytes) -> None:
    tok = bytebpe.train(rows, num_merges=30, min_frequency=1)

    assert tok.decode_bytes(tok.encode_bytes(probe)) == probe


@quietly
@given(rows=st.lists(texts(4), max_size=4), name=st.sampled_from(["gpt2", "cl100k", "o200k"]))
def test_every_learned_token_lies_in_one_piece(rows: list[str], name: str) -> None:
    tok = bytebpe.train(rows, num_merges=40, min_frequency=1, pattern=name)
    pieces = [p.encode() for row in rows for p in split(row, compile_pattern(name))]

    for left, right in tok.merges:
        assert any(left + right in piece for piece in pieces)


@quietly
def test_with_merges_enough_each_piece_is_one_token() -> None:
    tok = bytebpe.train(["ab", "abc", "bcd", "bc"], vocab_size=400, min_frequency=1)

    assert all(tok.count(word) == 1 for word in ("ab", "abc", "bcd", "bc"))
    assert tok.training is not None
    assert tok.training.stopped == "no_pairs"


def test_counts_and_texts_train_alike(corpus: list[str]) -> None:
    words = " ".join(corpus).split()[:3000]
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1

    for ties in ("lowest", "first"):
        from_texts = bytebpe.train(words, num_merges=200, ties=ties)  # type: ignore[arg-type]
        from_counts = bytebpe.train_from_counts(counts, num_merges=200, ties=ties)  # type: ignore[arg-type]

        assert from_counts.vocab == from_texts.vocab
        assert from_counts.training == from_texts.training


@quietly
def test_text_that_comes_with_a_count_is_split_as_encode_will() -> None:
    tok = bytebpe.train_from_counts({"new york": 9}, num_merges=99, min_frequency=1, pattern="gpt2")

    assert max(len(token) for token in tok.mergeable_ranks) == len(b" york")


def test_special_tokens_come_last_and_are_not_learned() -> None:
    tok = bytebpe.train(["<x><x><x><x> ab ab"], vocab_size=260, special_tokens=["<x>", "<y>"])

    assert tok.special_tokens == {"<x>": 258, "<y>": 259}
    assert tok.merges == [(b"a", b"b"), (b" ", b"ab")]


def test_the_report_says_what_was_asked_and_what_came() -> None:
    with pytest.warns(TrainingWarning, match="fell short: 1 merges of 44 asked for") as caught:
        tok = bytebpe.train(["abab cd", "ab"], vocab_size=300)

    report = tok.training
    assert report is not None
    assert report.fell_short
    assert (report.stopped, report.asked_merges, report.vocab_size) == ("min_frequency", 44, 257)
    assert (report.texts, report.bytes, report.pieces, report.distinct_pieces) == (2, 9, 3, 3)
    assert [(merge.pair, merge.count) for merge in report.merges] == [((b"a", b"b"), 3)]
    assert caught[0].filename == __file__
    assert str(report) == (
        "1 merges of 44 asked for, 257 tokens, from 2 texts of 9 bytes in 3 distinct pieces; "
        "stopped because no pair left occurs 2 times or more (min_frequency)"
    )


@pytest.mark.parametrize(
    ("options", "stopped"),
    [
        ({"vocab_size": 257}, "vocab_size"),
        ({"num_merges": 1}, "num_merges"),
        ({"num_merges": 99}, "min_frequency"),
        ({"num_merges": 99, "min_frequency": 1}, "no_pairs"),
        ({"num_merges": 99, "max_token_bytes": 2, "min_frequency": 0}, "max_token_bytes"),
    ],
)
@quietly
def test_each_stop_condition_is_named(options: dict[str, int], stopped: str) -> None:
    tok = bytebpe.train(["ababab"], **options)  # type: ignore[arg-type]

    assert tok.training is not None
    assert tok.training.stopped == stopped


@quietly
def test_no_token_is_longer_than_allowed(corpus: list[str]) -> None:
    tok = bytebpe.train(corpus, num_merges=400, max_token_bytes=3)

    assert max(map(len, tok.mergeable_ranks)) == 3


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, TrainingError, "give either vocab_size or num_merges"),
        ({"vocab_size": 300, "num_merges": 3}, TrainingError, "give either"),
        ({"vocab_size": 100}, TrainingError, "256 bytes and 0 special tokens need at least 256"),
        ({"vocab_size": 256, "special_tokens": ["<x>"]}, TrainingError, "need at least 257"),
        ({"num_merges": -1}, TrainingError, "num_merges=-1; expected 0 or more"),
        ({"num_merges": 1, "min_frequency": -1}, TrainingError, "min_frequency=-1"),
        ({"num_merges": 1, "max_token_bytes": 0}, TrainingError, "max_token_bytes=0"),
        ({"num_merges": 1, "ties": "random"}, TrainingError, "expected 'lowest' or 'first'"),
        ({"num_merges": 1, "num_threads": 0}, TrainingError, "num_threads=0"),
        ({"num_merges": 1, "special_tokens": ["a", "a"]}, TrainingError, "given twice"),
        ({"num_merges": 1, "special_tokens": [""]}, SpecialTokenError, "at least one character"),
        ({"num_merges": 1, "special_tokens": "<x>"}, TypeError, "expected several, not one str"),
        ({"num_merges": 1, "special_tokens": [3]}, TypeError, "expected a str, not int"),
        ({"num_merges": 1, "pattern": "nope"}, ValueError, "no pattern named 'nope'"),
    ],
)
def test_a_request_that_cannot_be_met_is_refused(
    options: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        bytebpe.train(["ab"], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("hello", r"not one str; write \[text\]"),
        (b"hello", "not one bytes"),
        ({"hello": 3}, "see train_from_counts"),
        (["a", 3], "text 1: expected a str or bytes, not int"),
        (["a", None], "text 1: expected a str or bytes, not NoneType"),
    ],
)
def test_what_is_no_texts_is_a_type_error(source: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        bytebpe.train(source, num_merges=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("counts", "error", "message"),
    [
        (["ab"], TypeError, "expected a mapping from text to count, not list"),
        ({"ab": 1.5}, TypeError, "count of 'ab': expected an int, not float"),
        ({"ab": True}, TypeError, "expected an int, not bool"),
        ({"ab": -1}, TrainingError, "the count of 'ab' is -1"),
        ({3: 1}, TypeError, "key 0: expected a str or bytes, not int"),
    ],
)
def test_what_is_no_counts_is_refused(counts: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        bytebpe.train_from_counts(counts, num_merges=3)  # type: ignore[arg-type]


def test_a_text_that_counts_zero_times_teaches_nothing() -> None:
    tok = bytebpe.train_from_counts({"ab": 0, "cd": 2}, num_merges=1)

    assert tok.merges == [(b"c", b"d")]


def test_what_the_iterable_raises_reaches_the_caller() -> None:
    def rows() -> Iterator[str]:
        yield "ab"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        bytebpe.train(rows(), num_merges=3)


def test_a_lone_surrogate_is_refused_with_its_text() -> None:
    with pytest.raises(UnicodeEncodeError, match="lone surrogate in text 1"):
        bytebpe.train(["ab", "a\ud800"], num_merges=3)


@quietly
@pytest.mark.parametrize("rows", [[], [""], ["a"], ["a b c"]])
def test_texts_without_pairs_make_a_byte_tokenizer(rows: list[str]) -> None:
    tok = bytebpe.train(rows, vocab_size=300)

    assert tok.merges == []
    assert len(tok) == 256


def test_texts_are_read_one_by_one() -> None:
    alive = 0
    most = 0

    class Text(str):
        def __new__(cls, value: str) -> Text:
            nonlocal alive, most
            alive += 1
            most = max(most, alive)
            return super().__new__(cls, value)

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    bytebpe.train((Text("the cat sat") for _ in range(1000)), num_merges=5)

    assert most <= 3


def test_progress_is_told_by_phase() -> None:
    seen: list[tuple[str, int, int | None, float]] = []

    bytebpe.train(["abc", "abc"], num_merges=2, progress=lambda *step: seen.append(step))

    assert [step[:3] for step in seen] == [("count", 6, None), ("merge", 2, 2)]
    assert all(rate > 0 for *_, rate in seen)


def test_progress_is_told_while_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PAUSE", 0)
    seen: list[tuple[str, int, int | None, float]] = []
    text = "".join(map(chr, range(0x4E00, 0x4F00)))

    bytebpe.train([text], num_merges=200, min_frequency=1, progress=lambda *s: seen.append(s))

    done = [done for phase, done, *_ in seen if phase == "merge"]
    assert len(done) > 2
    assert done == sorted(done)
    assert done[-1] == 200


def test_progress_is_written_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    bytebpe.train(["abc" * 100_000] * 20, num_merges=2, progress=True)

    out, err = capsys.readouterr()
    assert out == ""
    count, merge, end = (line.rpartition("\r")[2].strip() for line in err.split("\n"))
    assert re.fullmatch(r"count: 6 MB, [\d,]+ a second", count)
    assert re.fullmatch(r"merge: 2 of 2 merges, [\d,]+ a second", merge)
    assert end == ""


def test_fresh_processes_learn_the_same_whatever_their_hash_seed(corpus: list[str]) -> None:
    program = (
        "import sys, bytebpe; tok = bytebpe.train(sys.stdin.read().split(), num_merges=300);"
        "print(repr(tok.merges))"
    )
    results = {
        subprocess.run(
            [sys.executable, "-c", program],
            input=corpus[0],
            capture_output=True,
            check=True,
            encoding="utf-8",
            env={"PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
        ).stdout
        for seed in ("0", "1", "2")
    }

    assert len(results) == 1


def test_merges_never_need_a_later_one(corpus: list[str]) -> None:
    known = {bytes([byte]) for byte in range(256)}

    for left, right in bytebpe.train(corpus, num_merges=500).merges:
        assert left in known
        assert right in known
        assert left + right not in known
        known.add(left + right)


def test_counts_never_rise(corpus: list[str]) -> None:
    report = bytebpe.train(corpus, num_merges=500).training
    assert report is not None

    counts = [merge.count for merge in report.merges]

    assert all(before >= after for before, after in pairwise(counts))
