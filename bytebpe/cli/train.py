"""Train a tokenizer on files and write it to a directory.

A file is one text, or several where its lines or rows are; it need not be UTF-8.  Ctrl-C
keeps what was counted so far, and --resume goes on from there.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

from ..errors import TrainingError, TrainingWarning
from ..patterns import NAMED
from ..piece_counts import PieceCounts, count_pieces
from ..progress import Progress
from ..sources import STDIN
from ..tokenizer import Tokenizer
from ..training import train, train_from_counts
from ..training_trace import trace_training
from . import drawing, terminal
from .inputs import add_sources, say_skipped, sources

#: How much of each table of a traced round is printed.
_MOST = 12

#: What is left of an interrupted training, in the directory that the tokenizer goes to.
CHECKPOINT = "interrupted.counts"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_sources(parser)
    size = parser.add_mutually_exclusive_group(required=True)
    size.add_argument(
        "--vocab-size", type=int, metavar="N", help="tokens, with the 256 bytes and special tokens"
    )
    size.add_argument("--num-merges", type=int, metavar="N", help="merges, instead of tokens")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="where to write")
    add_counting(parser)
    parser.add_argument(
        "--min-frequency", type=int, default=2, metavar="N", help="least count of a pair (2)"
    )
    parser.add_argument("--max-token-bytes", type=int, metavar="N", help="longest token")
    parser.add_argument(
        "--ties",
        choices=["lowest", "first"],
        default="lowest",
        help="of equally frequent pairs, the one of lowest ids (default) or the one met first",
    )
    begin = parser.add_mutually_exclusive_group()
    begin.add_argument(
        "--counts",
        action="append",
        default=[],
        metavar="FILE",
        help="train from what `count-pieces` wrote, instead of texts; may be repeated",
    )
    parser.add_argument(
        "--trace",
        type=int,
        metavar="N",
        help="print the first N rounds: pairs, counts, ties, words; counts the texts once more",
    )
    begin.add_argument(
        "--resume", action="store_true", help="go on where the same command was interrupted"
    )


def add_counting(parser: argparse.ArgumentParser) -> None:
    """Add the options of counting pieces."""
    parser.add_argument(
        "--pattern", help=f"how texts are split: {', '.join(NAMED)} or a regular expression (gpt2)"
    )
    parser.add_argument("--special-token", action="append", metavar="TOKEN", help="may be repeated")
    parser.add_argument(
        "--max-pieces", type=int, metavar="N", help="bound memory: beyond N, keep the most frequent"
    )
    parser.add_argument(
        "--min-piece-count", type=int, default=1, metavar="N", help="drop rarer pieces (1)"
    )
    parser.add_argument("--threads", type=int, metavar="N", help="most threads to use (all)")


def run(args: argparse.Namespace) -> None:
    if args.trace is not None and not args.counts and (not args.files or STDIN in args.files):
        raise TrainingError("--trace counts the texts once more: give files, not standard input")
    with terminal.progress() as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)  # the report below says it
        tok = _from_counts(args, progress) if args.counts else _from_texts(args, progress)
    tok.save(args.output)
    if args.trace is not None:
        _trace(args, len(tok.merges))
    report = tok.training
    assert report is not None
    if report.fell_short or report.dropped_pieces or sys.stderr.isatty():
        print(f"bytebpe train: {report}", file=sys.stderr)


def _from_texts(args: argparse.Namespace, progress: bool | Progress) -> Tokenizer:
    texts = sources(args)
    checkpoint = Path(args.output, CHECKPOINT)
    try:
        tok = train(
            texts,
            vocab_size=args.vocab_size,
            num_merges=args.num_merges,
            pattern=args.pattern or "gpt2",
            min_frequency=args.min_frequency,
            special_tokens=args.special_token or (),
            max_token_bytes=args.max_token_bytes,
            ties=args.ties,
            max_pieces=args.max_pieces,
            min_piece_count=args.min_piece_count,
            num_threads=args.threads,
            progress=progress,
            checkpoint=checkpoint,
            resume=args.resume,
        )
    except KeyboardInterrupt:
        if checkpoint.exists():
            print(
                f"\nbytebpe train: interrupted; go on with --resume ({checkpoint})", file=sys.stderr
            )
        raise
    say_skipped(texts, "train")
    return tok


def _trace(args: argparse.Namespace, merges: int) -> None:
    if args.counts:
        counts = _loaded(args)
    else:
        counts = count_pieces(
            sources(args),
            pattern=args.pattern or "gpt2",
            special_tokens=args.special_token or (),
            max_pieces=args.max_pieces,
            min_piece_count=args.min_piece_count,
            num_threads=args.threads,
        )
    traced = trace_training(
        counts,
        num_merges=min(args.trace, merges),
        min_frequency=args.min_frequency,
        max_token_bytes=args.max_token_bytes,
        ties=args.ties,
        most=_MOST,
    )
    drawing.training(traced, sys.stdout)


def _loaded(args: argparse.Namespace) -> PieceCounts:
    counts = PieceCounts.load(args.counts[0])
    for path in args.counts[1:]:
        counts.merge(PieceCounts.load(path))
    counts.drop_rare(args.min_piece_count)
    return counts


def _from_counts(args: argparse.Namespace, progress: bool | Progress) -> Tokenizer:
    if args.files or args.max_pieces is not None:
        raise TrainingError("--counts takes the place of files and of --max-pieces")
    return train_from_counts(
        _loaded(args),
        vocab_size=args.vocab_size,
        num_merges=args.num_merges,
        pattern=args.pattern,
        min_frequency=args.min_frequency,
        special_tokens=args.special_token,
        max_token_bytes=args.max_token_bytes,
        ties=args.ties,
        progress=progress,
    )
