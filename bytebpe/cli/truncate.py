"""Cut a text to a number of tokens, and print what is left of it.

What is kept has at most so many tokens when it is encoded on its own.  A file, or what comes
through a pipe, may be larger than memory.
"""

from __future__ import annotations

import argparse
import sys

from .inputs import add_cut, add_file, add_special, add_tokenizer, decoded, specials, tokenizer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    add_cut(parser)
    parser.add_argument(
        "--side",
        choices=["right", "left", "middle"],
        default="right",
        help="where text is lost (right)",
    )
    add_tokenizer(parser)
    add_special(parser)


def run(args: argparse.Namespace) -> None:
    kept = tokenizer(args.tokenizer).truncate(
        decoded(args.file, "truncate"), args.n, side=args.side, at=args.at, **specials(args)
    )
    sys.stdout.buffer.write(kept.encode())
