"""Time encoding: ours beside every installed peer, on corpora of twelve kinds.

    python -m tools.bench encode [--vocab cl100k] [--corpora zh,code] [--peers tiktoken] [--quick]

Each peer runs in processes of its own.  In each round all are started afresh and then
measured in turn, one column after the other, so that a machine that slows down slows
all of them; the order turns by one each round, and what is printed is the median of the
rounds.  The columns:

  ids       "same" if all ids are tiktoken's, in every way that is timed; "none" on an error
  cold      the first pass over the documents in a fresh process, to lists
  list      later passes, to Python lists             | MB for each second of CPU time
  array     later passes, to arrays                   |
  40 chars  strings of 40 characters, to lists: ns of CPU time a call
  batch     all documents in one call, to lists, on 1 and 2 threads   | MB for each second
  arrays    the same, to arrays                                       | of the clock
  load      import and load to the first ids, ms of the clock
  peak      the most memory, MB, with the documents, before batches
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from . import check, corpora, report, vocabs
from .peers import PEERS, Peer
from .process import PeerFailed, Process, Setup

#: What to measure with so many threads, in this order.
WAYS = {
    1: ("cold", "list", "array", "short", "memory", "batch", "batch_arrays"),
    2: ("batch", "batch_arrays"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    corpora.add_arguments(parser)
    add_peer_arguments(parser)
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="(3)")
    parser.add_argument("--quick", action="store_true", help="one short round on 0.5 MB each")
    parser.set_defaults(seconds=0.2)


def add_peer_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which vocabulary and which peers, and where results go."""
    parser.add_argument("--vocab", choices=vocabs.NAMES, default="gpt2")
    parser.add_argument("--peers", type=_peers, metavar="A,B", help="all but the pure engine")
    parser.add_argument("--pure", action="store_true", help="the pure engine too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the figures go")
    parser.add_argument("--verbose", action="store_true", help="show what the peers print")


def run(args: argparse.Namespace) -> int:
    """Measure, print a table for each corpus and one over all, and write the figures."""
    if args.quick:
        args.rounds, args.seconds, args.size_mb = 1, 0.05, min(args.size_mb, 0.5)
    peers = installed(args)
    paths = corpora.build_all(args)
    setup = Setup(args.vocab, vocabs.write(args.vocab, args.cache), args.verbose)
    about = {"benchmark": "encode", "vocab": args.vocab, "rounds": args.rounds}
    about["machine"] = report.machine()
    target = args.json or args.cache / f"encode-{args.vocab}.json"
    results: dict[str, Any] = {}
    for corpus, path in paths.items():
        print(f"{corpus}: comparing ids", file=sys.stderr)
        right = check.right_ids(setup, path)
        wrong = {peer.name: check.differences(setup, peer, path, right) for peer in peers}
        figures = Figures()
        for turn in range(args.rounds):
            print(f"{corpus}: round {turn + 1} of {args.rounds}", file=sys.stderr)
            order = peers[turn % len(peers) :] + peers[: turn % len(peers)]
            measure(setup, order, path, args.seconds, figures)
        results[corpus] = corpora.describe(path) | {"peers": figures.summary(wrong)}
        print(report.corpus_table(corpus, results[corpus]), flush=True)
        report.write(target, about | {"corpora": results})  # each time: a run may be cut short
    print(report.overall(results))
    print(f"\nfigures: {target}")
    return 0 if results else 1


def installed(args: argparse.Namespace) -> list[Peer]:
    """Return the peers to run, and say how to install those that are missing."""
    names = args.peers or [name for name in PEERS if name != "bytebpe-pure"]
    names += ["bytebpe-pure"] * (args.pure and "bytebpe-pure" not in names)
    found = []
    for peer in map(PEERS.__getitem__, names):
        if args.vocab not in peer.vocabs:
            continue
        if peer.version():
            found.append(peer)
        else:
            print(f"skipped: {peer.name}; pip install {peer.package}", file=sys.stderr)
    return found


class Figures:
    """What was measured: for each peer and column, one number a round."""

    def __init__(self) -> None:
        self._rounds: dict[str, dict[str, list[float]]] = {}
        self._versions: dict[str, str] = {}

    def add(self, peer: Peer, column: str, value: float) -> None:
        """Add the number of one round."""
        self._rounds.setdefault(peer.name, {}).setdefault(column, []).append(value)

    def loaded(self, peer: Peer, answer: dict[str, Any]) -> None:
        """Add what loading a peer took."""
        self._versions[peer.name] = answer["version"]
        self.add(peer, "load", 1e3 * answer["seconds"])

    def took(self, peer: Peer, way: str, threads: int, answer: dict[str, Any]) -> None:
        """Add what one way took, by both clocks."""
        for clock in ("cpu", "wall"):
            seconds, column = answer[clock], f"{way}-{threads}-{clock}"
            if seconds is not None:
                call = 1e9 * seconds / answer["texts"]
                speed = answer["bytes"] / seconds / 1e6
                self.add(peer, column, call if way.endswith("short") else speed)

    def summary(self, wrong: dict[str, dict[str, str]]) -> dict[str, dict[str, Any]]:
        """Return everything for each peer, with the medians."""
        return {
            name: {
                "version": self._versions.get(name),
                "wrong": wrong[name],
                "median": {
                    column: statistics.median(values)
                    for column, values in self._rounds.get(name, {}).items()
                },
                "rounds": self._rounds.get(name, {}),
            }
            for name in wrong
        }


def measure(
    setup: Setup,
    peers: list[Peer],
    texts: Path,
    seconds: float,
    figures: Figures,
    all_ways: Mapping[int, Sequence[str]] = WAYS,
) -> None:
    """Take the times of one round, each peer in turn for each column."""
    for threads, ways in all_ways.items():
        with ExitStack() as stack:
            running = []
            for peer in peers:
                try:
                    process, answer = setup.start(peer, texts, threads=threads)
                except PeerFailed as reason:
                    print(f"  {peer.name} does not load: {reason}", file=sys.stderr)
                    continue
                figures.loaded(peer, answer)
                running.append(stack.enter_context(process))
            for way in ways:
                for process in running:
                    try:
                        _measure(process, way, threads, seconds, figures)
                    except PeerFailed as reason:
                        print(f"  {process.peer.name}, {way}: {reason}", file=sys.stderr)
                running = [process for process in running if not process.dead]


def _measure(process: Process, way: str, threads: int, seconds: float, figures: Figures) -> None:
    if way == "memory":
        figures.add(process.peer, "peak", process.ask("memory")["mb"])
    else:
        answer = process.ask("time", way=way, seconds=seconds)
        figures.took(process.peer, way, threads, answer)


def _peers(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in PEERS]:
        raise argparse.ArgumentTypeError(f"no peer {unknown[0]!r}; there are {', '.join(PEERS)}")
    return names
