"""Print the token ids of files, one line a file.

Any bytes can be encoded, UTF-8 or not; `bytebpe decode` gives them back exactly.
"""

from __future__ import annotations

import argparse
import sys

from .inputs import add_files, add_special, add_tokenizer, contents, encode, tokenizer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    add_tokenizer(parser)
    add_special(parser)


def run(args: argparse.Namespace) -> None:
    tok = tokenizer(args.tokenizer, args.pattern)
    for name, data in contents(args.files):
        sys.stdout.write(" ".join(map(str, encode(tok, name, data, args.special))) + "\n")
