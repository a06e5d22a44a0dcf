from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest

import bytebpe
from bytebpe.charbpe import CharBPE
from bytebpe.cli import main, terminal

ROOT = Path(__file__).parent.parent
CORPORA = ROOT / "data" / "corpora"


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(argv) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def refused(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_the_textbook_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["low:5", "lower:2", "newest:6", "widest:3"]

    out = run(capsys, "trace", *words, "--chars", "--merges", "6", "--ties", "first")

    assert (
        "round 2: es+t -> est, count 9 (of equals, the one met first)\n  tied: es+t, t+</w>" in out
    )
    assert (
        "  vanished: e+s, s+t, d+e\n  appeared: w+es 6, es+t 9, d+es 3\n  fewer: w+e 8 -> 2" in out
    )
    assert out.endswith("merge 4: lo+w -> low\nmerge 5: n+e -> ne\n")


def test_words_without_a_count_and_with_a_colon(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "trace", "a:b:2", "ab", "ab", ":3", "--chars", "--merges", "9")

    assert "  2 x a : b </w>\n  2 x a b </w>\n  1 x : 3 </w>\n" in out
    assert "stopped after 4 of 9 merges" in out


def test_a_training_as_a_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(capsys, "trace", "low:5", "--html", str(tmp_path / "page.html"))

    assert "Training, round by round" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_compression_that_bpe_comes_from(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = run(capsys, "trace", "--compress", "aaabdaaabac")

    assert "Y = ab  ZYdZYac          2         2\n" in out
    assert out.endswith("back: XdXac -> ZYdZYac -> ZabdZabac -> aaabdaaabac, the same\n")
    long = "".join(f"{chr(97 + at)}{chr(98 + at)}" * 2 for at in range(0, 24, 2))
    assert run(capsys, "trace", "--compress", long).count(" = ") == 12
    assert run(capsys, "trace", "--compress", long, "--merges", "3").count(" = ") == 3
    run(capsys, "trace", "--compress", "aaab", "--html", str(tmp_path / "page.html"))
    assert "Compression, step by step" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "give words, or --compress TEXT" in refused(capsys, "trace")
    assert "give words, or --compress TEXT" in refused(capsys, "trace", "a", "--compress", "a")


def test_training_traced(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = str(CORPORA / "en.txt")
    out = run(capsys, *f"train {file} --num-merges 9 -o {tmp_path} --trace 2".split())
    tok = bytebpe.load(tmp_path)

    for rank, (left, right) in enumerate(tok.merges[:2]):
        shown = f"{left.decode()}+{right.decode()}".replace(" ", "·")
        assert f"round {rank + 1}: {shown} -> " in out
    assert "more words" in out
    assert "more pairs" in out
    assert "round 3" not in out
    stdin = refused(capsys, *f"train --num-merges 9 -o {tmp_path} --trace 2".split())
    assert "counts the texts once more" in stdin


def test_training_from_counts_traced(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, counts = str(CORPORA / "en.txt"), str(tmp_path / "counts")
    run(capsys, "count-pieces", file, "-o", counts)
    from_texts = run(capsys, *f"train {file} --num-merges 3 -o {tmp_path} --trace 3".split())

    out = run(capsys, *f"train --counts {counts} --num-merges 3 -o {tmp_path} --trace 3".split())

    assert out == from_texts


def test_each_merge_of_a_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = run(capsys, "inspect", " decodes!", "--trace", "--html", str(tmp_path / "page.html"))

    assert "piece 1: ·decodes  (bytes 0 to 8)" in out
    assert "longest match would give ·decode s:" in out
    assert "piece 2: !  (bytes 8 to 9)\n  no merge applies\n" in out
    assert "Encoding, merge by merge" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_tokens_as_a_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(capsys, "inspect", "Hi<|endoftext|>", "--special", "--html", str(tmp_path / "page.html"))

    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "id 50256, special token" in page


def test_long_texts_are_folded(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "inspect", "one two three four", "--most", "2")

    assert "one" in out
    assert "three" not in out
    assert "... and 2 more tokens; --most shows more of them\n\n4 tokens, 18 bytes" in out


def test_why(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "inspect", "--why", "l", "o")

    assert out == "l + o: merged, by the merge of rank 5183\n"


def test_compare(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    CharBPE.train(["low"], num_merges=1).save(tmp_path / "char")
    out = run(
        capsys,
        *f"compare --train {CORPORA / 'en.txt'} --eval zh={CORPORA / 'zh.txt'} "
        f"{CORPORA / 'emoji.txt'} --vocab-size 300 400 --kinds byte-bpe char-bpe "
        f"--tokenizer mine={tmp_path / 'char'} --html {tmp_path / 'r.html'} "
        f"--json {tmp_path / 'r.json'} --csv {tmp_path / 'r.csv'}".split(),
    )

    rows = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["rows"]
    assert {(row["slice"], row["tokenizer"]) for row in rows} == {
        (name, tokenizer)
        for name in ("zh", "emoji")
        for tokenizer in ("byte-level BPE", "character BPE", "mine")
    }
    table = (tmp_path / "r.csv").read_text(encoding="utf-8").splitlines()
    assert len(list(csv.reader(table))) == len(rows) + 1
    assert "<h1>Tokenizers compared</h1>" in (tmp_path / "r.html").read_text(encoding="utf-8")
    exact = [line.split()[3] for line in out.splitlines() if line.startswith("zh")]
    assert exact[:2] == ["yes", "no"]


def test_two_tokenizers(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bytebpe.train(["the the"], num_merges=2).save(tmp_path / "own")
    (tmp_path / "text").write_text("the cat\n\nx\r\n", encoding="utf-8")

    out = run(capsys, *f"compare --diff gpt2 {tmp_path / 'own'} --eval {tmp_path / 'text'}".split())

    assert out.startswith("1 of 2 documents alike (50.0%)\n")
    assert "document 0, byte 3:\n  gpt2: ·cat\n" in out


def test_what_cannot_be_compared(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"ok\n\xff\n")
    file = tmp_path / "text"

    assert f"{file}, line 2: not UTF-8" in refused(
        capsys, *f"compare --eval {file} --tokenizer gpt2".split()
    )
    assert "give --train FILE" in refused(capsys, *f"compare --eval {file} --kinds bytes".split())
    assert "nothing to compare" in refused(capsys, *f"compare --eval {file}".split())


def test_audit(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    merges = [(b"b", b"c"), (b"a", b"b"), (b"ab", b"c"), (b"a", b" ")]
    bytebpe.Tokenizer(bytebpe.Vocab.from_merges(merges)).save(tmp_path / "own")
    (tmp_path / "text").write_text("abc " * 40, encoding="utf-8")

    bare = run(capsys, *f"audit --tokenizer {tmp_path / 'own'}".split())
    out = run(capsys, *f"audit {tmp_path / 'text'} --tokenizer {tmp_path / 'own'}".split())
    content = json.loads(run(capsys, *f"audit --tokenizer {tmp_path / 'own'} --json".split()))

    assert (
        "unreachable: 2\n     258  abc  (no merges lead to it)\n     259  a·  (the pattern" in bare
    )
    assert "unused" not in bare
    assert "1 texts use 3 of them, 120 times\n" in out
    assert "unused: 257\n" in out
    assert content["unreachable"][0] == {"id": 258, "token": "616263", "reason": "merges"}


def test_long_tokens_are_cut(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bytebpe.train(["a" * 256], num_merges=7).save(tmp_path)

    assert "(128 bytes)" in run(capsys, "audit", "--most", "1", "--tokenizer", str(tmp_path))


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("rich", [True, False])
def test_progress_in_documents(rich: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not rich:
        monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.setattr(sys, "stderr", Screen())

    with terminal.document_progress() as progress:
        for phase in ("train words", "measure zh"):
            for done in range(1, 1001):
                progress(phase, done, None)

    drawn = sys.stderr.getvalue()
    assert "train words: 1,000 documents" in drawn
    assert "measure zh: 1,000 documents" in drawn
    assert " a second" in drawn
    assert drawn.endswith("\n") or "\x1b[" in drawn  # what follows begins a line


def test_nothing_is_drawn_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())

    with terminal.document_progress() as progress:
        progress("measure zh", 1000, None)

    assert sys.stderr.getvalue() == ""  # type: ignore[attr-defined]


def test_headings_break_where_columns_are_narrow(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.draw_table(("name", "tokens per word"), [("世界", "1")], sys.stdout)

    assert capsys.readouterr().out == "      tokens\n         per\nname    word\n世界       1\n"
