"""Texts in parts, on any division, are cut as they would be whole; files may be of any size."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bytebpe
from bytebpe import parts
from bytebpe.cli import inputs, main
from strategies import texts


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "BLOCK", 40)
    monkeypatch.setattr(parts, "AHEAD", 15)


@settings(max_examples=40)
@given(
    text=st.lists(texts(4), max_size=6),
    n=st.integers(0, 30),
    side=st.sampled_from(["right", "left", "middle"]),
    at=st.sampled_from(["char", "grapheme", "word"]),
)
def test_truncating_parts_keeps_what_truncating_the_whole_keeps(
    gpt2: bytebpe.Tokenizer, text: list[str], n: int, side: str, at: str
) -> None:
    options = {"side": side, "at": at, "disallowed_special": ()}
    whole = "".join(text)

    kept = gpt2.truncate(iter(text), n, **options)  # type: ignore[arg-type]

    assert gpt2.count(kept, disallowed_special=()) <= n
    assert (kept == whole) == gpt2.fits(whole, n, disallowed_special=())
    if side == "right":
        assert kept == gpt2.truncate(whole, n, **options)  # type: ignore[arg-type]
    elif side == "left":
        assert whole.endswith(kept)
        assert len(kept) >= len(gpt2.truncate(whole, n, **options)) - 15  # type: ignore[arg-type]


@settings(max_examples=40)
@given(text=st.lists(texts(4), max_size=6), n=st.integers(8, 60), overlap=st.integers(0, 6))
def test_chunks_of_parts_tile_the_text(
    gpt2: bytebpe.Tokenizer, text: list[str], n: int, overlap: int
) -> None:
    whole = "".join(text)

    covered = 0
    for part, start, end in gpt2.chunk(iter(text), n, overlap=overlap, disallowed_special=()):
        assert part == whole[start:end]
        assert gpt2.count(part, disallowed_special=()) <= n
        assert start == covered if overlap == 0 else start <= covered < end
        covered = end
    assert covered == len(whole)


@pytest.mark.parametrize("side", ["right", "left", "middle"])
def test_little_is_held_of_a_long_text(gpt2: bytebpe.Tokenizer, side: str) -> None:
    words = (f"word{number} " for number in range(3_000))

    kept = gpt2.truncate(words, 20, side=side, at="word")  # type: ignore[arg-type]

    assert 15 <= gpt2.count(kept) <= 20
    assert kept.startswith("word0 ") == (side != "left")
    assert kept.endswith("word2999 ") == (side != "right")


def test_what_is_no_text_and_no_parts_is_a_type_error(gpt2: bytebpe.Tokenizer) -> None:
    for call in (gpt2.truncate, gpt2.chunk):
        for value in (b"text", 3):
            with pytest.raises(TypeError, match="expected a str, not"):
                call(value, 3)  # type: ignore[operator]


class Stdin:
    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    monkeypatch.setattr(inputs, "BLOCK", 7)
    return lambda data: monkeypatch.setattr(sys, "stdin", Stdin(data))


def test_counting_reads_part_by_part(stdin, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    data = "naïve 世界 <|endoftext|> \xff".encode("latin-1", "replace") + b"\xff\xfe 1234"
    stdin(data)
    assert main(["count"]) == 0
    assert capsys.readouterr().out == f"{len(bytebpe.pretrained('gpt2').encode_bytes(data))}\n"

    stdin("x<|endoftext|>世".encode())
    assert main(["count", "--special"]) == 0
    assert capsys.readouterr().out == "4\n"


def test_counting_a_directory_goes_by_gitignore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pathspec")
    monkeypatch.chdir(tmp_path)
    files = {
        ".git/config": "never",
        ".gitignore": "*.log\n/build/\n",
        "a.txt": "Hello world",
        "build/x.txt": "never",
        "deep/.gitignore": "!keep.log\nsecret.txt\n",
        "deep/build/y.txt": "Hello",
        "deep/drop.log": "never",
        "deep/keep.log": "Hello world Hello",
        "deep/secret.txt": "never",
        "image.png": "\0 binary",
    }
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    Path("link.txt").symlink_to("a.txt")

    assert main(["count", "-r", "."]) == 0
    out, err = capsys.readouterr()
    assert err == "bytebpe count: 1 binary files left out\n"
    rows = dict(reversed(line.split()) for line in out.splitlines())
    assert rows.keys() == {
        ".gitignore", "a.txt", "deep/.gitignore", "deep/build/y.txt", "deep/keep.log", "total",
    }  # fmt: skip
    assert rows["a.txt"] == "2"

    assert main(["count", "--json", "-r", "deep", "a.txt"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["path"] for row in found["files"]] == [
        "deep/.gitignore",
        "deep/build/y.txt",
        "deep/keep.log",
        "a.txt",
    ]
    assert found["tokens"] == sum(row["tokens"] for row in found["files"])
    assert main(["count", "deep"]) == 2
    assert capsys.readouterr().err == "bytebpe count: deep: Is a directory\n"


def test_without_pathspec_it_is_said_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pathspec", None)

    assert main(["count", "-r", str(tmp_path)]) == 2
    assert "pip install 'bytebpe[cli]'" in capsys.readouterr().err


def test_truncating_on_the_command_line(stdin, capfdbinary: pytest.CaptureFixture[bytes]) -> None:  # type: ignore[no-untyped-def]
    text = "one two three four 世界\n"
    for side, kept in (("right", "one two"), ("left", "界\n"), ("middle", "one\n")):
        stdin(text.encode())
        assert main(["truncate", "-n", "3" if side == "left" else "2", "--side", side]) == 0
        assert capfdbinary.readouterr().out.decode() == kept

    stdin(b"one \xff two")
    assert main(["truncate", "-n", "2"]) == 2
    assert capfdbinary.readouterr().err.startswith(
        b"bytebpe truncate: standard input: truncate needs UTF-8 text: "
    )


def test_chunks_on_the_command_line(stdin, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    stdin(b"one two three<|endoftext|>")
    assert main(["chunk", "-n", "2", "--special", "--jsonl"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows == [
        {"text": "one two", "start": 0, "end": 7, "tokens": 2},
        {"text": " three<|endoftext|>", "start": 7, "end": 26, "tokens": 2},
    ]

    stdin(b"one two three")
    assert main(["chunk", "-n", "2", "--overlap", "1", "--at", "word"]) == 0
    assert capsys.readouterr().out == "0 7 2\n3 13 2\n"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="asks Linux for the peak")
def test_memory_does_not_grow_with_the_file(engine: str) -> None:
    # What `resource` reports may be the size that this process had when it started the child.
    script = (
        "import sys; from pathlib import Path; from bytebpe.cli import main; main(['count']);"
        "lines = Path('/proc/self/status').read_text().splitlines();"
        "print(next(line.split()[1] for line in lines if 'VmHWM' in line), file=sys.stderr)"
    )
    block = b"The quick brown fox, and 'more' of it.\n" * 2_500  # some 0.1 MB
    few, many = (10, 200) if engine == "native" else (2, 15)
    peaks = []
    for blocks in (few, many):
        child = subprocess.run(
            [sys.executable, "-c", script],
            input=block * blocks,
            capture_output=True,
            env={**os.environ, "BYTEBPE_PURE": str(int(engine != "native"))},
            check=True,
        )
        peaks.append(int(child.stderr))

    assert peaks[1] - peaks[0] < (many - few) * len(block) / 1024 / 2
