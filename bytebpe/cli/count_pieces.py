"""Count the pieces of files, to train from the counts later.

The counts of shards may be joined: `bytebpe train --counts A --counts B`.
"""

from __future__ import annotations

import argparse
import sys

from ..piece_counts import count_pieces
from . import terminal
from .inputs import add_sources, say_skipped, sources
from .train import add_counting


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_sources(parser)
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="where to write")
    add_counting(parser)


def run(args: argparse.Namespace) -> None:
    texts = sources(args)
    with terminal.progress() as progress:
        counts = count_pieces(
            texts,
            pattern=args.pattern or "gpt2",
            special_tokens=args.special_token or (),
            max_pieces=args.max_pieces,
            min_piece_count=args.min_piece_count,
            num_threads=args.threads,
            progress=progress,
        )
    counts.save(args.output)
    say_skipped(texts, "count-pieces")
    if counts.dropped_pieces or sys.stderr.isatty():
        print(f"bytebpe count-pieces: {counts}", file=sys.stderr)
