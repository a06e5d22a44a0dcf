"""Texts out of files of every kind: all of them, in order, and what is broken is told."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import bytebpe
from bytebpe import read_texts
from bytebpe.errors import FormatError, MissingDependency

ROWS = ["one", "", "二\n", "x" * 9000]


def write_json_lines(path: Path, rows: list[object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_file_is_one_text_whatever_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\ntwo\xff\n")

    assert list(read_texts([tmp_path / "a.txt"])) == [b"one\ntwo\xff\n"]


def test_each_line_is_a_text_where_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\xff\n\nthree")

    texts = list(read_texts([tmp_path / "a.txt"], layout="lines"))

    assert texts == [b"one\r\n", b"two\xff\n", b"\n", b"three"]


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.v1.jsonl"])
def test_json_lines(name: str, tmp_path: Path) -> None:
    path = write_json_lines(tmp_path / name, [{"body": row, "n": 1} for row in ROWS])
    path.write_text(path.read_text() + "\n  \n")

    assert list(read_texts([path], field="body")) == ROWS


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"text": "a"', "line 2: no text: Expecting"),
        ("3", "line 2: no text: expected a JSON object, found int"),
        ('{"body": "a", "b": 2}', "line 2: no text: no field 'text'; there are body, b"),
        ("{}", "line 2: no text: no field 'text'; there are none"),
        ('{"text": null}', "line 2: no text: 'text': expected a string, found NoneType"),
        ('{"text": "\\ud800"}', "line 2: no text: 'utf-8' codec can't encode"),
        ("[" * 100_000, "line 2: no text: "),
        ("\udcff", "line 2: no text: 'utf-8' codec can't decode"),
    ],
)
def test_a_broken_line_is_told_or_skipped_and_counted(
    line: str, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    lines = '{"text": "a"}\n' + line + '\n{"text": "b"}'
    path.write_bytes(lines.encode("utf-8", "surrogateescape"))

    with pytest.raises(FormatError, match=problem) as caught:
        list(read_texts([path]))
    assert (caught.value.path, caught.value.line) == (str(path), 2)

    texts = read_texts([path], skip_bad=True)
    for _ in range(2):
        assert list(texts) == ["a", "b"]
        assert texts.skipped == 1


def test_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [*ROWS, None, "last"] * 700
    table = pyarrow.table({"n": list(range(len(rows))), "body": rows})
    path = tmp_path / "a.parquet"
    parquet.write_table(table, path, row_group_size=1_000)

    with pytest.raises(FormatError, match="line 5: 'body': expected text, found NoneType"):
        list(read_texts([path], field="body"))
    texts = read_texts([path], field="body", skip_bad=True)
    assert list(texts) == [row for row in rows if row is not None]
    assert texts.skipped == 700
    with pytest.raises(FormatError, match="no column 'text'; there are n, body"):
        list(read_texts([path]))
    path.write_bytes(b"PAR1 not really")
    with pytest.raises(FormatError, match=r"a\.parquet: not a Parquet file"):
        list(read_texts([path]))


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_compressed_files(suffix: str, tmp_path: Path) -> None:
    pack = gzip.compress if suffix == ".gz" else pytest.importorskip("zstandard").compress
    plain = write_json_lines(tmp_path / "a.jsonl", [{"text": row} for row in ROWS]).read_bytes()
    lines, text = tmp_path / f"b.jsonl{suffix}", tmp_path / f"c.txt{suffix}"
    lines.write_bytes(pack(plain))
    text.write_bytes(pack(b"\xff" * 100_000))

    assert list(read_texts([lines])) == ROWS
    assert list(read_texts([text])) == [b"\xff" * 100_000]

    text.write_bytes(b"not packed")
    with pytest.raises(FormatError, match="cannot be unpacked"):
        list(read_texts([text], skip_bad=True))


def test_a_compressed_file_that_is_cut_short_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    packed = gzip.compress(bytes(range(256)) * 100)

    for cut in (packed[:-4], packed[:40], packed[:12] + b"\xff" * 40):
        path.write_bytes(cut)
        with pytest.raises(FormatError, match=r"a\.gz: cannot be unpacked"):
            list(read_texts([path]))


@pytest.mark.parametrize(
    ("name", "module", "extra"), [("a.zst", "zstandard", "zstd"), ("a.parquet", "pyarrow", "arrow")]
)
def test_a_missing_package_is_named(
    name: str, module: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_bytes(b"")
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(MissingDependency, match=rf"pip install 'bytebpe\[{extra}\]'"):
        list(read_texts([tmp_path / name]))


def test_directories_and_globs_in_the_order_of_names(tmp_path: Path) -> None:
    for name in ("b.txt", "sub/a.txt", "a.txt", "sub/deep/c.txt", "sub/d.bin"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)

    def names(*paths: str) -> list[str]:
        return [bytes(text).decode() for text in read_texts([f"{tmp_path}{p}" for p in paths])]  # type: ignore[arg-type]

    assert names("/sub") == ["sub/a.txt", "sub/d.bin", "sub/deep/c.txt"]
    assert names("/*.txt") == ["a.txt", "b.txt"]
    assert names("/**/*.txt") == ["a.txt", "b.txt", "sub/a.txt", "sub/deep/c.txt"]
    assert names("/b.txt", "/a.txt") == ["b.txt", "a.txt"]
    with pytest.raises(FileNotFoundError):
        names("/*.md")


def test_standard_input_is_a_file_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"one\ntwo\n")))

    assert list(read_texts(["-"], layout="lines")) == [b"one\n", b"two\n"]


def test_what_is_no_list_of_paths_is_refused(tmp_path: Path) -> None:
    for path in ("a", tmp_path):
        with pytest.raises(TypeError, match="paths: expected several, not one"):
            read_texts(path)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="layout='csv'; expected one of text, lines, jsonl"):
        read_texts([tmp_path], layout="csv")  # type: ignore[arg-type]


def test_no_piece_crosses_two_documents(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_text("xy")

    assert bytebpe.train(read_texts([tmp_path]), num_merges=1).merges == [(b"x", b"y")]
