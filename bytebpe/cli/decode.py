"""Write the bytes that token ids stand for.

The ids are numbers with white space between, as `bytebpe encode` prints them.
"""

from __future__ import annotations

import argparse
import sys

from .inputs import add_files, add_tokenizer, contents, tokenizer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    add_tokenizer(parser)


def run(args: argparse.Namespace) -> None:
    tok = tokenizer(args.tokenizer, args.pattern)
    for name, data in contents(args.files):
        sys.stdout.buffer.write(tok.decode_bytes(map(_id(name), data.split())))


def _id(name: str):  # type: ignore[no-untyped-def]
    def read(word: bytes) -> int:
        # int() alone would take "1_000" and "+1"; ids are at most ten digits.
        if not word.isdigit() or len(word) > 10:
            shown = word[:20].decode("utf-8", "backslashreplace")
            raise ValueError(f"{name}: '{shown}' is no token id")
        return int(word)

    return read
