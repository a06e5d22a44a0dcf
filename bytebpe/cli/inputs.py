"""What several verbs read: files or standard input, and the tokenizer asked for."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from ..library import load, pretrained
from ..tokenizer import Tokenizer

STDIN = "-"


def add_files(parser: argparse.ArgumentParser) -> None:
    """Let a verb read files, or standard input where none is named."""
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="file to read; standard input for - or for none"
    )


def add_tokenizer(parser: argparse.ArgumentParser) -> None:
    """Let a verb be told which tokenizer to use."""
    parser.add_argument(
        "--tokenizer",
        default="gpt2",
        metavar="gpt2|DIR",
        help="the built-in gpt2 (default), or a directory that `train` wrote",
    )


def add_special(parser: argparse.ArgumentParser) -> None:
    """Let a verb be told to look for special tokens."""
    parser.add_argument(
        "--special",
        action="store_true",
        help="encode special tokens in the text as their ids; else they are ordinary text",
    )


def tokenizer(name: str) -> Tokenizer:
    """Return the tokenizer of this name or directory."""
    return pretrained(name) if name == "gpt2" else load(name)


def contents(files: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each input."""
    for name in files or [STDIN]:
        if name == STDIN:
            yield "standard input", sys.stdin.buffer.read()
        else:
            yield name, Path(name).read_bytes()


def encode(tok: Tokenizer, name: str, data: bytes, special: bool) -> list[int]:
    """Encode the bytes of an input, UTF-8 or not; to look for special tokens needs UTF-8."""
    if not special:
        return tok.encode_bytes(data)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{name}: --special needs UTF-8 text: {error}") from None
    return tok.encode(text, allowed_special="all")
