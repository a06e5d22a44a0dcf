"""`bytebpe train` and `count-pieces`: from files of every kind, from counts, and interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bytebpe
from bytebpe.cli import main

ROOT = Path(__file__).parent.parent
CORPORA = str(ROOT / "data" / "corpora")


def merges(folder: Path) -> list[tuple[bytes, bytes]]:
    return bytebpe.load(folder).merges


def run(*arguments: object) -> None:
    assert main([str(argument) for argument in arguments]) == 0


def test_from_counts_as_from_files(tmp_path: Path) -> None:
    options = ["--num-merges", 200, "--ties", "first"]
    files = sorted(Path(CORPORA).glob("*.txt"))
    run("train", CORPORA, *options, "--special-token", "<x>", "-o", tmp_path / "texts")

    for name, part in (("a", files[:5]), ("b", files[5:])):
        run("count-pieces", *part, "--special-token", "<x>", "-o", tmp_path / name)
    counts = ["--counts", tmp_path / "a", "--counts", tmp_path / "b"]
    run("train", *counts, *options, "-o", tmp_path / "counts")

    assert merges(tmp_path / "counts") == merges(tmp_path / "texts")
    assert bytebpe.load(tmp_path / "counts").special_tokens == {"<x>": 456}


def test_broken_lines_are_an_error_or_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"body": "abab"}) + "\nbroken\n")
    options = [str(path), "--field", "body", "-o", str(tmp_path / "out")]

    for verb in (["train", "--num-merges", "1"], ["count-pieces"]):
        assert main([*verb, *options]) == 2
        assert f"{path}, line 2: no text: Expecting value" in capsys.readouterr().err
        run(*verb, *options, "--skip-bad")
        assert f"bytebpe {verb[0]}: 1 broken lines skipped\n" in capsys.readouterr().err
        if verb[0] == "train":
            assert merges(tmp_path / "out") == [(b"a", b"b")]
            options[-1] = str(tmp_path / "counts")


def test_what_was_dropped_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a").write_text("ab ab cd")
    options = ["--min-piece-count", 2, "-o"]

    run("count-pieces", tmp_path / "a", *options, tmp_path / "counts")
    assert "0 distinct pieces of 0, from 1 texts of 8 bytes; 3 pieces dropped, 3 occ" in (
        capsys.readouterr().err
    )
    run("train", tmp_path / "a", "--num-merges", 0, *options, tmp_path / "out")
    assert "(3 more, 3 occurrences, dropped)" in capsys.readouterr().err
    run("train", "--counts", tmp_path / "counts", "--num-merges", 0, *options, tmp_path / "out")
    assert "(3 more, 3 occurrences, dropped)" in capsys.readouterr().err


def test_an_interrupted_training_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [CORPORA, "--num-merges", 100, "-o"]
    run("train", *options, tmp_path / "whole")

    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("bytebpe._kernels.learn_pieces", interrupt)
        assert main(["train", *map(str, options), str(tmp_path / "out")]) == 130
        assert "interrupted; go on with --resume" in capsys.readouterr().err
        assert main(["train", *map(str, options), str(tmp_path / "nothing" / "x")]) == 130
    run("train", *options, tmp_path / "out", "--resume")

    assert merges(tmp_path / "out") == merges(tmp_path / "whole")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        path.name for path in (tmp_path / "whole").iterdir()
    }


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_a_signal_stops_the_counting_of_a_stream(tmp_path: Path, engine: str) -> None:
    command = [sys.executable, "-m", "bytebpe", "train", "--layout", "lines", "-o", str(tmp_path)]
    process = subprocess.Popen(
        [*command, "--num-merges", "50"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "BYTEBPE_PURE": "1" if engine == "reference" else "0"},
    )
    assert process.stdin is not None
    for number in range(100_000):
        process.stdin.write(b"the cat sat on mat %d and then on another one\n" % (number % 999))
    process.stdin.flush()
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)

    assert process.returncode == 130
    assert b"interrupted; go on with --resume" in errors
    assert b"Traceback" not in errors
    assert bytebpe.PieceCounts.load(tmp_path / "interrupted.counts").texts > 0
