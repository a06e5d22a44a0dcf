"""What several verbs read: files or standard input, and the tokenizer asked for."""

from __future__ import annotations

import argparse
import codecs
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from ..formats.published import by_name
from ..library import load, pretrained
from ..sources import STDIN, Layout, TextSource, read_texts
from ..tokenizer import Tokenizer

#: So many bytes are read at a time.
BLOCK = 2**18


def add_files(parser: argparse.ArgumentParser) -> None:
    """Let a verb read files, or standard input where none is named."""
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="file to read; standard input for - or for none"
    )


def add_sources(parser: argparse.ArgumentParser) -> None:
    """Let a verb read documents: of files, compressed or not, directories and globs."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="file, directory or glob; .gz and .zst are unpacked; standard input for - or for none",
    )
    parser.add_argument(
        "--layout",
        choices=get_args(Layout),
        help="how documents lie in a file; by its name if not given: each line of a .jsonl, each "
        "row of a .parquet, the whole of any other",
    )
    parser.add_argument(
        "--field", default="text", metavar="NAME", help="field or column of the text (text)"
    )
    parser.add_argument(
        "--skip-bad", action="store_true", help="pass over lines that hold no text, and count them"
    )


def sources(args: argparse.Namespace) -> TextSource:
    """Return the documents that the command line names."""
    return read_texts(
        args.files or [STDIN], field=args.field, layout=args.layout, skip_bad=args.skip_bad
    )


def say_skipped(source: TextSource, verb: str) -> None:
    """Say on standard error how many lines were passed over, if any."""
    if source.skipped:
        print(f"bytebpe {verb}: {source.skipped} broken lines skipped", file=sys.stderr)


def add_tokenizer(parser: argparse.ArgumentParser) -> None:
    """Let a verb be told which tokenizer to use."""
    parser.add_argument(
        "--tokenizer",
        default="gpt2",
        metavar="NAME|PATH",
        help="the built-in gpt2 (default), a published vocabulary such as cl100k if it is on "
        "this machine, or a file or directory of any format that `convert` knows",
    )
    add_pattern(parser)


def add_pattern(parser: argparse.ArgumentParser) -> None:
    """Let a verb be told how texts are split, where files do not say it."""
    parser.add_argument(
        "--pattern", help="how texts are split, for files that do not say it: a name or a pattern"
    )


def add_special(parser: argparse.ArgumentParser) -> None:
    """Let a verb be told to look for special tokens."""
    parser.add_argument(
        "--special",
        action="store_true",
        help="encode special tokens in the text as their ids; else they are ordinary text",
    )


def add_file(parser: argparse.ArgumentParser) -> None:
    """Let a verb read one file, or standard input."""
    parser.add_argument(
        "file", nargs="?", default=STDIN, metavar="FILE", help="file to read; else standard input"
    )


def add_cut(parser: argparse.ArgumentParser) -> None:
    """Let a verb be told a number of tokens, and where it may cut."""
    parser.add_argument("-n", type=int, required=True, metavar="N", help="tokens at most")
    parser.add_argument(
        "--at",
        choices=["token", "char", "grapheme", "word"],
        default="token",
        help="between what to cut (token)",
    )


def specials(args: argparse.Namespace) -> dict[str, Any]:
    """Return how to take special tokens, as options of `Tokenizer`."""
    return {"allowed_special": "all"} if args.special else {"disallowed_special": ()}


def tokenizer(name: str, pattern: str | None = None) -> Tokenizer:
    """Return the tokenizer of this name or path; a name is no path."""
    if name == "gpt2" or (by_name(name) and not Path(name).exists()):
        return pretrained(name)
    return load(name, pattern=pattern)


def contents(files: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each input."""
    for name in files or [STDIN]:
        if name == STDIN:
            yield "standard input", sys.stdin.buffer.read()
        else:
            yield name, Path(name).read_bytes()


def blocks(name: str) -> Iterator[bytes]:
    """Yield the bytes of an input part by part."""
    if name == STDIN:
        yield from iter(lambda: sys.stdin.buffer.read(BLOCK), b"")
        return
    with Path(name).open("rb") as file:
        yield from iter(lambda: file.read(BLOCK), b"")


def decoded(name: str, purpose: str) -> Iterator[str]:
    """Yield the text of an input part by part; `purpose` is what needs UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for block in blocks(name):
            yield decoder.decode(block)
        yield decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        shown = "standard input" if name == STDIN else name
        raise ValueError(f"{shown}: {purpose} needs UTF-8 text: {error}") from None


def write_text(file: str, text: str) -> None:
    """Write a file of text, the same bytes on every system."""
    Path(file).write_text(text, encoding="utf-8", newline="\n")


class Lines:
    """The lines of files as documents, without line ends and empty ones; read anew each time."""

    def __init__(self, files: Sequence[str]) -> None:
        self._files = files

    def __iter__(self) -> Iterator[str]:
        for name in self._files:
            with open(name, "rb") as file:
                for number, line in enumerate(file, 1):
                    try:
                        text = line.decode("utf-8").rstrip("\r\n")
                    except UnicodeDecodeError as error:
                        raise ValueError(f"{name}, line {number}: not UTF-8: {error}") from None
                    if text:
                        yield text


def encode(tok: Tokenizer, name: str, data: bytes, special: bool) -> list[int]:
    """Encode the bytes of an input, UTF-8 or not; to look for special tokens needs UTF-8."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if special:
            raise ValueError(f"{name}: --special needs UTF-8 text: {error}") from None
        return tok.encode_bytes(data)
    return tok.encode(text, allowed_special="all" if special else (), disallowed_special=())
