"""Piece counts: saved, read strictly, joined, trained from, and taken up after an interruption."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytebpe
from bytebpe import PieceCounts, _kernels, count_pieces, counting
from bytebpe.errors import FormatError, TrainingError
from strategies import any_bytes

quietly = pytest.mark.filterwarnings("ignore::bytebpe.errors.TrainingWarning")


@given(rows=st.lists(any_bytes(), max_size=4), special=st.sampled_from([(), ("<x>", "é")]))
def test_what_is_saved_comes_back(
    rows: list[bytes], special: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> None:
    counts = count_pieces(rows, pattern="cl100k", special_tokens=special, min_piece_count=2)
    path = tmp_path_factory.mktemp("counts") / "file"
    counts.save(path)

    again = PieceCounts.load(path)

    assert list(again.items()) == list(counts.items())
    assert (again.texts, again.size, len(again)) == (len(rows), sum(map(len, rows)), len(counts))
    assert (again.pattern, again.special_tokens) == ("cl100k", special)
    assert again.counter.dropped_count == counts.counter.dropped_count
    again.save(path.with_name("again"))
    assert path.read_bytes() == path.with_name("again").read_bytes()


@quietly
@pytest.mark.parametrize("ties", ["lowest", "first"])
def test_shards_counted_apart_train_like_all_texts(
    ties: str, corpus: list[str], tmp_path: Path
) -> None:
    options = {"num_merges": 300, "ties": ties}
    expected = bytebpe.train(corpus, pattern="o200k", special_tokens=["<x>"], **options)  # type: ignore[arg-type]

    for number, rows in enumerate((corpus[:3], corpus[3:9], corpus[9:])):
        count_pieces(rows, pattern="o200k", special_tokens=["<x>"]).save(tmp_path / str(number))
    counts = PieceCounts.load(tmp_path / "0")
    counts.merge(PieceCounts.load(tmp_path / "1"))
    counts.merge(PieceCounts.load(tmp_path / "2"))
    tok = bytebpe.train_from_counts(counts, **options)  # type: ignore[arg-type]

    assert tok.vocab == expected.vocab
    assert tok.pattern == expected.pattern
    assert tok.training == expected.training


def test_counts_of_another_pattern_are_refused() -> None:
    counts = count_pieces(["ab"], special_tokens=["<x>"])

    for options in ({"pattern": "o200k"}, {"special_tokens": ["<y>"]}, {"special_tokens": []}):
        with pytest.raises(TrainingError, match=f"were counted with {next(iter(options))}="):
            bytebpe.train_from_counts(counts, num_merges=1, **options)  # type: ignore[arg-type]
    with pytest.raises(TrainingError, match="were counted with pattern='gpt2', not 'o200k'"):
        counts.merge(count_pieces(["ab"], pattern="o200k"))
    same = {"pattern": "gpt2", "special_tokens": ["<x>"]}
    with pytest.warns(bytebpe.errors.TrainingWarning):
        assert bytebpe.train_from_counts(counts, num_merges=1, **same).merges == []  # type: ignore[arg-type]


HEADER = {
    "format": "bytebpe piece counts", "version": 1, "pattern": "gpt2", "special_tokens": [],
    "max_pieces": None, "min_piece_count": 1, "complete": True, "texts": 1, "bytes": 4,
    "unchecked": 0, "dropped_pieces": 0, "dropped_count": 0, "pieces": 2,
}  # fmt: skip


@pytest.mark.parametrize(
    ("header", "lines", "problem"),
    [
        ({}, "1\tab\n1\tĠc", "2 pieces expected, 1 found: cut short?"),
        ({}, "1\tab\n", "2 pieces expected, 1 found: cut short?"),
        ({}, "1\tab\n1\tĠc\n1\td\n", "2 pieces expected, 3 found: cut short?"),
        ({}, "1\tab\nĠc\n", "line 3: expected a count, a tab and a piece"),
        ({}, "1\tab\n0\tĠc\n", "line 3: expected a count, a tab and a piece"),
        ({}, "1\tab\n-1\tĠc\n", "line 3: expected a count"),
        ({}, "1\tab\n²\tĠc\n", "line 3: expected a count"),
        ({}, "1\tab\n9223372036854775808\tĠc\n", "line 3: expected a count"),
        ({}, "1\tab\n1\t\n", "line 3: expected a count"),
        ({}, "1\tab\n1\t c\n", "line 3: ' ' .U.0020. stands for no byte"),
        ({}, "1\tab\n1\tab\n", "line 3: the piece 'ab' is there twice"),
        ({"version": 2}, "", "line 1: version 2 of the format; this is 1"),
        ({"format": "x"}, "", "line 1: not a file of piece counts"),
        ({"pattern": 3}, "", "line 1: 'pattern' is missing or of another type"),
        ({"special_tokens": [3]}, "", "line 1: 'special_tokens' are not all strings"),
    ],
)
def test_a_broken_file_is_refused_with_the_line(
    header: dict[str, object], lines: str, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_text(json.dumps(HEADER | header) + "\n" + lines, encoding="utf-8")

    with pytest.raises(FormatError, match=problem):
        PieceCounts.load(path)


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    for text in ("", "a b", "[]", '{"a": 1}'):
        (tmp_path / "file").write_text(text)
        with pytest.raises(FormatError, match="not a file of piece counts"):
            PieceCounts.load(tmp_path / "file")


def test_counts_beyond_64_bits_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    lines = f"{2**62 - 1}\ta\n{2**62}\tbc\n"
    path.write_text(json.dumps(HEADER) + "\n" + lines, encoding="utf-8")

    with pytest.raises(TrainingError, match=r"come to 2\*\*63 or more"):
        PieceCounts.load(path)


@pytest.mark.parametrize("options", [{"max_pieces": 0}, {"min_piece_count": 0}])
def test_limits_that_make_no_sense_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(TrainingError, match="=0; expected 1 or more"):
        count_pieces(["ab"], **options)  # type: ignore[arg-type]


@quietly
def test_what_was_dropped_is_reported() -> None:
    tok = bytebpe.train(["ab ab cd"], num_merges=9, min_piece_count=2, max_pieces=4)
    full = bytebpe.train(["ab ab cd"], num_merges=9, min_piece_count=1, max_pieces=4)

    assert tok.training is not None
    assert (tok.training.dropped_pieces, tok.training.dropped_count) == (3, 3)
    assert "in 0 distinct pieces (3 more, 3 occurrences, dropped);" in str(tok.training)
    assert full.training is not None
    assert full.training.dropped_pieces == 0


def interrupted(rows: list[str], at: int) -> Iterator[str]:
    for number, row in enumerate(rows):
        if number == at:
            raise KeyboardInterrupt
        yield row


@quietly
@pytest.mark.parametrize("ties", ["lowest", "first"])
@pytest.mark.parametrize("max_pieces", [None, 400])
def test_an_interrupted_training_goes_on_to_the_same_merges(
    ties: str,
    max_pieces: int | None,
    corpus: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(counting, "BLOCK", 1_000)
    path = tmp_path / "state"
    rows = [row for text in corpus[:6] for row in text.splitlines()]
    options = {"num_merges": 200, "ties": ties, "max_pieces": max_pieces}
    expected = bytebpe.train(rows, **options)  # type: ignore[arg-type]

    done = []
    for at in (60, 150):
        with pytest.raises(KeyboardInterrupt):
            bytebpe.train(interrupted(rows, at), checkpoint=path, resume=bool(done), **options)  # type: ignore[arg-type]
        done.append(PieceCounts.load(path).texts)
    tok = bytebpe.train(rows, checkpoint=path, resume=True, **options)  # type: ignore[arg-type]

    assert 0 < done[0] <= 60 < done[1] <= 150
    assert tok.vocab == expected.vocab
    assert tok.training == expected.training
    assert not path.exists()


def test_an_interruption_while_merging_reads_no_text_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state"

    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_kernels, "learn_pieces", interrupt)
        with pytest.raises(KeyboardInterrupt):
            bytebpe.train(["abab"], num_merges=1, checkpoint=path)
    tok = bytebpe.train(interrupted([], 0), num_merges=1, checkpoint=path, resume=True)

    assert tok.merges == [(b"a", b"b")]


def test_only_what_was_begun_can_be_resumed(tmp_path: Path) -> None:
    path = tmp_path / "state"
    with pytest.raises(TrainingError, match="nothing to resume: no file"):
        bytebpe.train(["ab"], num_merges=1, checkpoint=path, resume=True)
    with pytest.raises(TrainingError, match="nothing to resume: no file None"):
        bytebpe.train(["ab"], num_merges=1, resume=True)

    with pytest.raises(KeyboardInterrupt):
        bytebpe.train(interrupted(["ab" * counting.BLOCK, "ab"], 1), num_merges=1, checkpoint=path)
    with pytest.raises(TrainingError, match="was begun with pattern='gpt2', not 'o200k'"):
        bytebpe.train(["ab"], num_merges=1, checkpoint=path, resume=True, pattern="o200k")


def test_nothing_is_written_where_nothing_was_counted(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        bytebpe.train(interrupted(["ab"], 0), num_merges=1, checkpoint=tmp_path / "state")

    assert not (tmp_path / "state").exists()


def test_progress_goes_on_where_it_stopped(tmp_path: Path) -> None:
    steps: list[tuple[object, ...]] = []
    show: Callable[..., object] = lambda *step: steps.append(step[:2])  # noqa: E731
    path = tmp_path / "state"
    rows = ["ab" * counting.BLOCK, "ab"]
    with pytest.raises(KeyboardInterrupt):
        bytebpe.train(interrupted(rows, 1), num_merges=1, checkpoint=path)

    bytebpe.train(rows, num_merges=1, checkpoint=path, resume=True, progress=show)

    assert [done for phase, done in steps if phase == "count"][-1] == 2 * counting.BLOCK + 2
