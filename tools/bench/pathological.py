"""Time texts that are hard for some: a megabyte of one letter, of spaces, of Chinese.

    python -m tools.bench pathological [--vocab cl100k] [--peers tiktoken] [--limit 20]

Each text is encoded once by each peer in a fresh process, to a list, after its ids were
compared.  A peer that crashes, refuses or takes longer than the limit is reported so.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import string
import sys
from collections.abc import Callable
from pathlib import Path

from . import check, corpora, report, vocabs
from .encode import add_peer_arguments, installed
from .peers import Peer
from .process import ROOT, PeerFailed, Setup

ZWJ_EMOJI = "👨‍👩‍👧‍👦 👩🏽‍💻 🏳️‍🌈 👩‍❤️‍💋‍👨 🧑🏿‍🚀 🐻‍❄️ 👁️‍🗨️ 🧔🏻‍♂️ 🏴‍☠️ 👨🏼‍🦽"


def chinese(draw: random.Random) -> str:
    """Return a megabyte of Chinese without anything between the characters."""
    text = (ROOT / "data" / "corpora" / "zh.txt").read_text(encoding="utf-8")
    runs = re.findall("[\u4e00-\u9fff]{4,}", text)
    return "".join(draw.choices(runs, k=100_000))[:333_333]


TEXTS: dict[str, Callable[[random.Random], str]] = {
    "a": lambda _: "a" * 1_000_000,
    "^": lambda _: "^" * 1_000_000,
    "spaces": lambda _: " " * 1_000_000 + "x",
    "abc": lambda _: "abc" * 333_333,
    "Chinese": chinese,
    "letters": lambda draw: "".join(draw.choices(string.ascii_letters, k=1_000_000)),
    "ZWJ emoji": lambda draw: "".join(draw.choices(ZWJ_EMOJI.split(), k=50_000)),
}

#: text -> what went wrong with a peer, "" if nothing did, and the milliseconds it took
Outcome = dict[str, tuple[str, float | None]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--cache", type=Path, default=corpora.DEFAULT_CACHE, metavar="DIR")
    add_peer_arguments(parser)
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="(3)")
    parser.add_argument("--limit", type=float, default=20, metavar="SECONDS", help="a text (20)")


def run(args: argparse.Namespace) -> int:
    """Measure, print a table and write the figures."""
    peers = installed(args)
    setup = Setup(args.vocab, vocabs.write(args.vocab, args.cache), args.verbose)
    outcomes: dict[str, Outcome] = {peer.name: {} for peer in peers}
    for name, make in TEXTS.items():
        print(f"{name}: comparing ids", file=sys.stderr)
        path = _write(args.cache / "pathological" / f"{name}.json", make)
        right = check.right_ids(setup, path)
        wrong = {peer.name: _problem(setup, peer, path, right, args.limit) for peer in peers}
        print(f"{name}: {args.rounds} rounds", file=sys.stderr)
        able = [peer for peer in peers if not wrong[peer.name] or "wrong ids" in wrong[peer.name]]
        times = _measure(setup, able, path, args.rounds, args.limit)
        for peer in peers:
            outcomes[peer.name][name] = wrong[peer.name], times.get(peer.name)
    print(table(outcomes))
    about = {"benchmark": "pathological", "vocab": args.vocab, "rounds": args.rounds}
    target = args.json or args.cache / f"pathological-{args.vocab}.json"
    report.write(target, about | {"machine": report.machine(), "peers": outcomes})
    print(f"\nfigures: {target}")
    return 0


def table(outcomes: dict[str, Outcome]) -> str:
    """Return the table of all peers and texts, and below it what went wrong."""
    rows = [["", *TEXTS]]
    for peer, outcome in outcomes.items():
        rows.append([peer, *(_cell(*outcome[name]) for name in TEXTS)])
    notes = [
        f"  {peer}, {name}: {wrong}"
        for peer, outcome in outcomes.items()
        for name, (wrong, _) in outcome.items()
        if wrong
    ]
    heading = "\nms of CPU time for one megabyte, to a list, in a fresh process"
    return "\n".join([heading, *report.aligned(rows), *notes])


def _problem(setup: Setup, peer: Peer, path: Path, right: check.Digests, limit: float) -> str:
    found = check.differences(setup, peer, path, right, ways=("list",), limit=limit)
    return found.get("list", "")


def _cell(wrong: str, milliseconds: float | None) -> str:
    if milliseconds is None:
        return wrong.partition(":")[0] or "failed"
    return f"{'WRONG ' if wrong else ''}{milliseconds:.1f}"


def _measure(
    setup: Setup, peers: list[Peer], path: Path, rounds: int, limit: float
) -> dict[str, float]:
    """Return the median milliseconds of each peer that answers."""
    taken: dict[str, list[float]] = {}
    for turn in range(rounds):
        for peer in peers[turn % len(peers) :] + peers[: turn % len(peers)]:
            try:
                process, _ = setup.start(peer, path)
                with process:
                    answer = process.ask("time", way="cold", seconds=0, limit=limit)
                taken.setdefault(peer.name, []).append(1e3 * answer["cpu"])
            except PeerFailed as reason:
                print(f"  {peer.name}: {reason}", file=sys.stderr)
    return {name: statistics.median(values) for name, values in taken.items()}


def _write(path: Path, make: Callable[[random.Random], str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = make(random.Random(path.stem))
    path.write_text(json.dumps([text], ensure_ascii=False), encoding="utf-8")
    return path
