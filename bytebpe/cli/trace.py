"""Work out the training of a few words round by round, as one does with a pencil.

Words come with a count, as in `low:5 lower:2`; one without a count counts once.  `--compress`
shows Gage's compression of one text instead, from which BPE comes.
"""

from __future__ import annotations

import argparse
import sys

from ..compression import compress
from ..training_trace import trace_training
from . import drawing
from .inputs import write_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", nargs="*", metavar="WORD[:COUNT]")
    parser.add_argument("--merges", type=int, metavar="N", help="how many (10; of --compress, all)")
    parser.add_argument(
        "--chars", action="store_true", help="characters and </w>, instead of bytes"
    )
    parser.add_argument(
        "--ties",
        choices=["lowest", "first"],
        default="lowest",
        help="of equally frequent pairs, the one of lowest ids (default) or the one met first",
    )
    parser.add_argument(
        "--min-frequency", type=int, default=2, metavar="N", help="least count of a pair (2)"
    )
    parser.add_argument("--html", metavar="FILE", help="write a page with a slider too")
    parser.add_argument("--compress", metavar="TEXT", help="show the compression of a text")


def run(args: argparse.Namespace) -> None:
    if (args.compress is None) == (not args.words):
        raise ValueError("give words, or --compress TEXT")
    if args.compress is not None:
        compressed = compress(args.compress, max_steps=args.merges, ties=args.ties)
        if args.html is not None:
            write_text(args.html, compressed.html())
        drawing.compression(compressed, sys.stdout)
        return
    traced = trace_training(
        _counts(args.words),
        num_merges=10 if args.merges is None else args.merges,
        unit="char" if args.chars else "byte",
        ties=args.ties,
        min_frequency=args.min_frequency,
    )
    if args.html is not None:
        write_text(args.html, traced.html())
    drawing.training(traced, sys.stdout)


def _counts(words: list[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words:
        # The last colon divides, so that words may hold one.
        text, colon, count = word.rpartition(":")
        if not colon or not text or not count.isdecimal():
            text, count = word, "1"
        counts[text] = counts.get(text, 0) + int(count)
    return counts
