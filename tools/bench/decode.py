"""Time decoding: ours beside every installed peer, on corpora of twelve kinds.

    python -m tools.bench decode [--vocab cl100k] [--corpora zh,code] [--peers tiktoken] [--quick]

As `encode`, and with the same options.  Each peer decodes the ids that it made of the texts;
what comes out must be the texts, in every way that is timed, or its figures do not count.
gigatoken gives bytes, the others str.  The columns:

  lists         lists of ids, one by one              | MB of text for each second of CPU time
  arrays        arrays of uint32 from numpy           |
  40 letters    lists of the ids of 40 characters: ns of CPU time a call
  rows          all lists in one call, on 1 and 2 threads: MB for each second of the clock
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from . import check, corpora, encode, report, vocabs
from .process import Setup

#: What to measure with so many threads, in this order.
WAYS = {
    1: ("decode", "decode_array", "decode_short", "decode_batch"),
    2: ("decode_batch",),
}

#: What is called for 40 characters is what is called for lists.
COMPARED = ("decode", "decode_array", "decode_batch")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    encode.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Measure, print a table for each corpus and one over all, and write the figures."""
    if args.quick:
        args.rounds, args.seconds, args.size_mb = 1, 0.05, min(args.size_mb, 0.5)
    peers = encode.installed(args)
    paths = corpora.build_all(args)
    setup = Setup(args.vocab, vocabs.write(args.vocab, args.cache), args.verbose)
    about = {"benchmark": "decode", "vocab": args.vocab, "rounds": args.rounds}
    about["machine"] = report.machine()
    target = args.json or args.cache / f"decode-{args.vocab}.json"
    results: dict[str, Any] = {}
    for corpus, path in paths.items():
        print(f"{corpus}: comparing texts", file=sys.stderr)
        right = [""] * len(corpora.load(path))  # nothing to say of any text
        wrong = {
            peer.name: check.differences(setup, peer, path, right, ways=COMPARED, do="decoded")
            for peer in peers
        }
        figures = encode.Figures()
        for turn in range(args.rounds):
            print(f"{corpus}: round {turn + 1} of {args.rounds}", file=sys.stderr)
            order = peers[turn % len(peers) :] + peers[: turn % len(peers)]
            encode.measure(setup, order, path, args.seconds, figures, WAYS)
        results[corpus] = corpora.describe(path) | {"peers": figures.summary(wrong)}
        print(report.corpus_table(corpus, results[corpus], report.DECODE_COLUMNS), flush=True)
        report.write(target, about | {"corpora": results})
    print(report.overall(results, report.DECODE_COLUMNS))
    print(f"\nfigures: {target}")
    return 0 if results else 1
