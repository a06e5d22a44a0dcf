from __future__ import annotations

import io
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import bytebpe
from bytebpe.cli import main, terminal
from bytebpe.cli.inspect import shown

ROOT = Path(__file__).parent.parent


class Stdin:
    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    return lambda data: monkeypatch.setattr(sys, "stdin", Stdin(data))


def test_ids_of_standard_input(stdin, capfdbinary: pytest.CaptureFixture[bytes]) -> None:  # type: ignore[no-untyped-def]
    stdin(b"Hello world")

    assert main(["encode"]) == 0
    assert capfdbinary.readouterr() == (b"15496 995\n", b"")


def test_one_line_of_ids_for_each_file(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "a").write_text("Hello")
    (tmp_path / "b").write_bytes(b"")

    assert main(["encode", str(tmp_path / "a"), str(tmp_path / "b")]) == 0
    assert capfdbinary.readouterr().out == b"15496\n\n"


def test_every_file_comes_back_byte_for_byte(
    tmp_path: Path,
    stdin,  # type: ignore[no-untyped-def]
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    out = str(tmp_path / "out")
    corpora = sorted(map(str, (ROOT / "data" / "corpora").glob("*.txt")))
    binary, empty = tmp_path / "binary", tmp_path / "empty"
    binary.write_bytes(bytes(range(256)) * 40 + Path(sys.executable).read_bytes()[:50_000])
    empty.write_bytes(b"")

    assert main(["train", *corpora, "--vocab-size", "4096", "-o", out]) == 0

    for file in (*(path for path in (ROOT / "data").rglob("*") if path.is_file()), binary, empty):
        assert main(["encode", "--tokenizer", out, str(file)]) == 0
        ids, err = capfdbinary.readouterr()
        assert err == b""
        stdin(ids)
        assert main(["decode", "--tokenizer", out]) == 0
        assert capfdbinary.readouterr() == (file.read_bytes(), b""), file


def test_a_pipe_gives_a_file_back(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes("Hello 世界 👋\r\n\xff".encode("latin-1", "replace") + bytes(range(256)))
    run = f"{sys.executable} -m bytebpe"

    result = subprocess.run(
        f"{run} encode {file} | {run} decode", shell=True, capture_output=True, check=True
    )

    assert (result.stdout, result.stderr) == (file.read_bytes(), b"")


def test_special_tokens_are_text_unless_asked_for(stdin, capfdbinary) -> None:  # type: ignore[no-untyped-def]
    stdin(b"a<|endoftext|>")
    assert main(["encode"]) == 0
    assert capfdbinary.readouterr().out == b"64 27 91 437 1659 5239 91 29\n"

    stdin(b"a<|endoftext|>")
    assert main(["encode", "--special"]) == 0
    assert capfdbinary.readouterr().out == b"64 50256\n"

    stdin(b"a\xff<|endoftext|>")
    assert main(["encode", "--special"]) == 2
    assert capfdbinary.readouterr().err.startswith(
        b"bytebpe encode: standard input: --special needs UTF-8 text: "
    )


def test_counts_of_files_and_of_all(
    tmp_path: Path,
    stdin,  # type: ignore[no-untyped-def]
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "a").write_text("Hello world")
    (tmp_path / "b").write_text("Hello " * 10)

    assert main(["count", str(tmp_path / "a"), str(tmp_path / "b")]) == 0
    assert capsys.readouterr().out == f" 2 {tmp_path}/a\n11 {tmp_path}/b\n13 total\n"

    stdin(b"Hello world")
    assert main(["count"]) == 0
    assert capsys.readouterr().out == "2\n"


def test_inspecting_shows_tokens_ids_and_the_round_trip(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "Hello 世\n"]) == 0

    assert capsys.readouterr().out == (
        "          ┌世────────┐\n"
        "Hello│·  │<e4 b8>│<96>│⏎  \n"
        "15496│220│10310  │244 │198\n"
        "\n"
        "5 tokens, 10 bytes, 8 characters; decoded again: the same\n"
    )


def test_inspecting_takes_bytes_that_are_not_utf8(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "a\udcff"]) == 0
    assert capsys.readouterr().out.startswith("a │<ff>\n64│187 \n")


def test_inspecting_a_file_or_standard_input(
    tmp_path: Path,
    stdin,  # type: ignore[no-untyped-def]
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "a").write_text("Hello")
    assert main(["inspect", "--file", str(tmp_path / "a")]) == 0
    assert capsys.readouterr().out.startswith("Hello\n15496\n")

    stdin(b"Hello")
    assert main(["inspect"]) == 0
    assert capsys.readouterr().out.startswith("Hello\n15496\n")

    assert main(["inspect", "text", "--file", "a"]) == 2
    assert capsys.readouterr().err == "bytebpe inspect: give TEXT or --file, not both\n"


def test_rows_fit_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "30")

    assert main(["inspect", "one two three four five six seven 世界 eight nine ten"]) == 0

    lines = capsys.readouterr().out.splitlines()[:-1]
    assert len(lines) >= 9
    assert all(terminal.display_width(line) <= 30 for line in lines)


@pytest.mark.parametrize(
    ("token", "text"),
    [
        (b" a", "·a"),
        (b"\n\t", "⏎⇥"),
        (b"\x00\x1b[31m", "\\x00\\x1b[31m"),
        ("\u200d".encode(), "\\u200d"),
        (b"caf\xc3", "caf<c3>"),
        (b"\xf0\x9f\x91", "<f0 9f 91>"),
        ("世".encode() + b"\xe7\x95", "世<e7 95>"),
    ],
)
def test_tokens_are_shown_in_characters_that_can_be_seen(token: bytes, text: str) -> None:
    assert shown(token) == text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_colours_unless_told_not_to(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.delenv("NO_COLOR", raising=False)
    screen = Terminal()
    terminal.draw_tokens([(b"Hello", 15496), (" [b]世".encode(), 995)], screen)
    assert "\x1b[" in screen.getvalue()
    assert "·[b]世" in screen.getvalue()

    monkeypatch.setenv("NO_COLOR", "1")
    screen = Terminal()
    terminal.draw_tokens([(b"Hello", 15496), (" [b]世".encode(), 995)], screen)
    assert screen.getvalue() == "Hello│·[b]世\n15496│995   \n\n"


@pytest.mark.parametrize("colours", [False, True])
def test_tokens_of_one_emoji_stand_together_below_it(
    colours: bool, gpt2: bytebpe.Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    screen = Terminal() if colours else io.StringIO()
    ids = gpt2.encode("Hi 👩‍👩‍👧!")

    terminal.draw_tokens([(gpt2.token_bytes(id), id) for id in ids], screen)

    lines = re.sub(r"\x1b\[[\d;]*m", "", screen.getvalue()).splitlines()
    assert lines[0].startswith("      ┌·👩‍👩‍👧──")  # after Hi and its id of five digits
    assert lines[0].endswith("─┐")
    below = terminal.display_width(lines[0])
    assert lines[1].rstrip()[-1:] == "!"
    assert terminal.display_width(lines[1].rstrip()) == below + 2  # a bar, and what follows


def test_an_emoji_wider_than_the_terminal_goes_on_below(
    gpt2: bytebpe.Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    screen = io.StringIO()
    ids = gpt2.encode("👩‍👩‍👧")

    terminal.draw_tokens([(gpt2.token_bytes(id), id) for id in ids], screen)

    lines = screen.getvalue().splitlines()
    assert all(terminal.display_width(line) <= 24 for line in lines)
    assert sum("👩‍👩‍👧" in line for line in lines) == 1
    assert screen.getvalue().count("<8d>") == 2


def test_a_mark_above_is_not_wider_than_what_is_below(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()

    terminal.draw_tokens([(b"e", 68), ("\u0301".encode(), 1)], screen)

    assert screen.getvalue().splitlines()[0] == "┌e\u0301─┐"


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("❤️", 2),
        ("☺︎", 1),
        ("©", 1),
        ("👋🏽", 2),
        ("e\u0301", 1),
        ("각", 2),
        ("ก็", 1),
        ("a\u200d", 1),
    ],
)
def test_how_wide_characters_are(text: str, width: int) -> None:
    assert terminal.display_width(text) == width


def test_without_rich_everything_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich.console", None)
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)

    terminal.draw_tokens([(b"Hello", 15496)], screen)
    with terminal.progress() as progress:
        assert progress is True

    assert screen.getvalue() == "Hello\n15496\n\n"


def test_progress_is_drawn_on_a_terminal_and_not_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("rich")
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with terminal.progress() as progress:
        assert callable(progress)
        progress("count", 1, None, 1.0)
        progress("merge", 5, 10, 1.0)
        progress("merge", 10, 10, 2000.0)
    assert "merge: 10 of 10 merges, 2,000 a second" in screen.getvalue()

    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with terminal.progress() as progress:
        assert progress is False


def test_training_says_where_it_fell_short(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a").write_text("low low lower")

    arguments = ["train", str(tmp_path / "a"), "--vocab-size", "300", "-o", str(tmp_path / "out")]
    assert main([*arguments, "--special-token", "<x>", "--ties", "first"]) == 0

    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("bytebpe train: 3 merges of 43 asked for, 260 tokens, from 1 texts")
    assert bytebpe.load(tmp_path / "out").special_tokens == {"<x>": 259}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["encode", "no/such/file"], "no/such/file: No such file or directory"),
        (["encode", "--tokenizer", "no/such", "x"], "no/such: no such file or directory (built-in"),
        (["train", "x", "--num-merges", "9", "-o", "o"], "x: no such file, directory or match"),
        (["train", __file__, "--vocab-size", "9", "-o", "o"], "vocab_size=9 is too small: 256"),
        (["train", __file__, "--num-merges", "9", "-o", "o", "--pattern", "("], "is no regular"),
        (["train", __file__, "--num-merges", "9", "-o", "o", "--resume"], "nothing to resume"),
        (["train", "x", "--num-merges", "9", "-o", "o", "--counts", "c"], "takes the place of fil"),
    ],
)
def test_bad_input_is_told_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2

    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith(f"bytebpe {arguments[0]}: ")
    assert message in err


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (b"1 x", "standard input: 'x' is no token id"),
        (b"1 -5", "'-5' is no token id"),
        (b"1_0", "'1_0' is no token id"),
        (b"99999999999", "'99999999999' is no token id"),
        (b"\xff", "'\\xff' is no token id"),
        (b"99999", "no id 99999: this vocabulary has 50257 tokens, ids 0 to 50256"),
    ],
)
def test_what_is_no_id_is_told(
    ids: bytes,
    message: str,
    stdin,  # type: ignore[no-untyped-def]
    capsys: pytest.CaptureFixture[str],
) -> None:
    stdin(ids)

    assert main(["decode"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["nope"], ["train", "x"], ["train", "x", "-o", "o"]])
def test_wrong_usage_has_status_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)

    assert caught.value.code == 2


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--help"], ["train", "--help"], ["--version"]):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 0

    assert f"bytebpe {bytebpe.__version__}" in capsys.readouterr().out


def test_a_reader_that_stops_reading_is_no_error() -> None:
    command = f"{sys.executable} -m bytebpe encode {ROOT}/data/corpora/*.txt | head -c 10"

    result = subprocess.run(command, shell=True, capture_output=True, check=True)

    assert result.stderr == b""
    assert len(result.stdout) == 10


def test_what_is_left_unread_goes_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    def unread(args: object) -> None:
        raise BrokenPipeError

    redirected: list[int] = []
    monkeypatch.setattr("bytebpe.cli.count.run", unread)
    monkeypatch.setattr("os.dup2", lambda source, target: redirected.append(target))
    monkeypatch.setattr(sys, "stdout", sys.__stdout__)

    assert main(["count", "x"]) == 0
    assert redirected == [sys.__stdout__.fileno()]  # type: ignore[union-attr]


def test_the_package_can_be_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["bytebpe", "inspect", "Hello"])

    with pytest.raises(SystemExit) as caught:
        runpy.run_module("bytebpe", run_name="__main__")

    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith("Hello\n15496\n")


def test_an_interrupt_ends_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bytebpe.cli.count.run", interrupted)

    assert main(["count", "x"]) == 130
