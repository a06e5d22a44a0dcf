"""Train a tokenizer on files and write it to a directory.

Each file is one text. It need not be UTF-8.
"""

from __future__ import annotations

import argparse
import sys
import warnings

from ..errors import TrainingWarning
from ..patterns import NAMED
from ..training import train
from . import terminal
from .inputs import add_files, contents


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    size = parser.add_mutually_exclusive_group(required=True)
    size.add_argument(
        "--vocab-size", type=int, metavar="N", help="tokens, with the 256 bytes and special tokens"
    )
    size.add_argument("--num-merges", type=int, metavar="N", help="merges, instead of tokens")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="where to write")
    parser.add_argument(
        "--pattern",
        default="gpt2",
        help=f"how texts are split: {', '.join(NAMED)} or a regular expression (default: gpt2)",
    )
    parser.add_argument(
        "--min-frequency", type=int, default=2, metavar="N", help="least count of a pair (2)"
    )
    parser.add_argument(
        "--special-token", action="append", default=[], metavar="TOKEN", help="may be repeated"
    )
    parser.add_argument("--max-token-bytes", type=int, metavar="N", help="longest token")
    parser.add_argument(
        "--ties",
        choices=["lowest", "first"],
        default="lowest",
        help="of equally frequent pairs, the one of lowest ids (default) or the one met first",
    )


def run(args: argparse.Namespace) -> None:
    with terminal.progress() as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)  # the report below says it
        tok = train(
            (data for _, data in contents(args.files)),
            vocab_size=args.vocab_size,
            num_merges=args.num_merges,
            pattern=args.pattern,
            min_frequency=args.min_frequency,
            special_tokens=args.special_token,
            max_token_bytes=args.max_token_bytes,
            ties=args.ties,
            progress=progress,
        )
    tok.save(args.output)
    assert tok.training is not None
    if tok.training.fell_short or sys.stderr.isatty():
        print(f"bytebpe train: {tok.training}", file=sys.stderr)
