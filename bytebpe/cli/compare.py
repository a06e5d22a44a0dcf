"""Train tokenizers on the same files and compare them on others, slice by slice.

A slice is a language or a domain, as in `--eval zh=chinese.txt`; each line that is not empty is a
document.  Files are read line by line and never kept, so they may be large.
With `--diff A B` two finished tokenizers are compared on the slices instead.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..comparison import BASELINES, PEERS, compare, diff, finished
from . import drawing, terminal
from .inputs import Lines, write_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--train", nargs="+", default=[], metavar="FILE", help="to train on")
    parser.add_argument(
        "--eval", nargs="+", required=True, metavar="NAME=FILE", help="slices to measure on"
    )
    parser.add_argument(
        "--vocab-size",
        type=int,
        nargs="+",
        default=[4096],
        metavar="N",
        help="tokens of each (4096); of several, the smaller ones give a curve",
    )
    parser.add_argument(
        "--kinds",
        nargs="*",
        metavar="KIND",
        help=f"what to train: {', '.join([*BASELINES, *PEERS])} (the first four)",
    )
    parser.add_argument(
        "--tokenizer",
        nargs="+",
        default=[],
        metavar="[NAME=]WHICH",
        help="finished ones: gpt2, DIR, tiktoken:NAME, huggingface:FILE, sentencepiece:FILE",
    )
    parser.add_argument("--diff", nargs=2, metavar=("A", "B"), help="compare two finished ones")
    parser.add_argument("--pattern", default="gpt2", help="how byte-level BPE splits (gpt2)")
    parser.add_argument(
        "--character-coverage", type=float, default=1.0, metavar="SHARE",
        help="of the text that character BPE keeps characters for (1)",
    )  # fmt: skip
    parser.add_argument(
        "--reference", metavar="NAME", help="slice that the others translate, line by line"
    )
    parser.add_argument(
        "--max-tokens", type=int, default=512, metavar="N", help="length of a long document (512)"
    )
    parser.add_argument(
        "--embedding-dim", type=int, default=768, metavar="N", help="width of embeddings (768)"
    )
    parser.add_argument("--timing", action="store_true", help="measure throughput too")
    parser.add_argument("--html", metavar="FILE", help="write a report as one page")
    parser.add_argument("--json", metavar="FILE", help="write everything as JSON")
    parser.add_argument("--csv", metavar="FILE", help="write the rows as CSV")


def run(args: argparse.Namespace) -> None:
    slices = {name: Lines([file]) for name, file in map(_named, args.eval)}
    if args.diff is not None:
        first, second = map(finished, args.diff)
        texts = Lines([file for _, file in map(_named, args.eval)])
        drawing.difference(diff(first, second, texts, names=tuple(args.diff)), sys.stdout)
        return
    kinds = args.kinds if args.kinds is not None else list(BASELINES) if args.train else []
    if kinds and not args.train:
        raise ValueError("--kinds are trained: give --train FILE")
    with terminal.document_progress() as progress:
        comparison = compare(
            Lines(args.train),
            slices,
            vocab_size=args.vocab_size,
            kinds=kinds,
            tokenizers={name: finished(which) for name, which in map(_named, args.tokenizer)},
            pattern=args.pattern,
            character_coverage=args.character_coverage,
            reference=args.reference,
            max_tokens=args.max_tokens,
            embedding_dim=args.embedding_dim,
            timing=args.timing,
            progress=progress,
        )
    for file, content in (
        (args.html, comparison.html),
        (args.json, comparison.json),
        (args.csv, comparison.csv),
    ):
        if file is not None:
            write_text(file, content())
    header, rows = comparison.table()
    terminal.draw_table(header, rows, sys.stdout, left=2)


def _named(argument: str) -> tuple[str, str]:
    """Read NAME=FILE; without a name the file is called after itself."""
    name, equals, rest = argument.partition("=")
    return (name, rest) if equals and name else (Path(argument).stem or argument, argument)
