"""Convert a tokenizer to another format, and prove that it gives the same ids.

The format is that of the name: tokenizer.json, tekken.json, *.tiktoken, *.model (minbpe), and
a directory gets the pair vocab.json and merges.txt. What was written is read again, and opened
in the format's own library where that is installed; both have to give the ids of the source on
a hard text, on random strings and on the files of --verify.
"""

from __future__ import annotations

import argparse

from ..conversion import convert
from ..formats import FORMATS
from .inputs import add_pattern, contents, tokenizer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SRC", help="a name or a path, as --tokenizer elsewhere")
    parser.add_argument("target", metavar="DST", help="the file or directory to write")
    parser.add_argument("--format", choices=list(FORMATS), help="the format, if not by the name")
    add_pattern(parser)
    parser.add_argument(
        "--verify", nargs="+", default=[], metavar="TEXT", help="files of UTF-8 text to compare on"
    )


def run(args: argparse.Namespace) -> None:
    texts = (data.decode("utf-8") for _, data in contents(args.verify)) if args.verify else ()
    tok = tokenizer(args.source, args.pattern)
    print(convert(tok, args.target, format=args.format, texts=texts))
