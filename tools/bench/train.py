"""Time training: ours beside every installed peer, on mixed text, unique words and runs.

    python -m tools.bench train [--sizes 5,20] [--vocabs 8192,32768] [--peers gigabpe] [--quick]

Each training runs in a process of its own; the peers take turns, and what is printed is the
median of the rounds.  First our merges are compared with those of the reference, on a small
corpus.  The columns:

  merges    "same" if the tokens are Hugging Face's, in its order; else how many are among them
  wall      seconds of the clock, with reading the file
  CPU       seconds of all threads
  peak      the most memory, MB, with the interpreter
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import string
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from . import corpora, report
from .process import ROOT
from .trainers import TRAINERS

#: How mixed text is mixed.
SHARES = {
    "en": 0.60, "code": 0.06, "zh": 0.07, "ja": 0.05, "ko": 0.05, "ru": 0.06,
    "ar": 0.04, "hi": 0.035, "th": 0.035,
}  # fmt: skip
WORDS_MB = 20
MEASURES = ("wall", "cpu", "peak")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    numbers = lambda text: [int(number) for number in text.split(",")]  # noqa: E731
    parser.add_argument("--cache", type=Path, default=corpora.DEFAULT_CACHE, metavar="DIR")
    parser.add_argument("--sizes", type=numbers, default=[5, 20, 80], metavar="MB,MB")
    parser.add_argument("--vocabs", type=numbers, default=[2048, 8192, 32768, 65536], metavar="N,N")
    parser.add_argument("--peers", type=lambda text: text.split(","), metavar="A,B")
    parser.add_argument("--threads", type=numbers, default=[1, 2], metavar="N,N")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="(3)")
    parser.add_argument("--limit", type=float, default=120, metavar="SECONDS", help="each (120)")
    parser.add_argument("--quick", action="store_true", help="one round on little text")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the figures go")


def run(args: argparse.Namespace) -> int:
    """Measure, print a table for each corpus and vocabulary, and write the figures."""
    if args.quick:
        args.sizes, args.vocabs, args.threads, args.rounds = [1], [2048], [1], 1
    names = [name for name in args.peers or TRAINERS if TRAINERS[name].version()]
    names = list(dict.fromkeys(["bytebpe", *names]))
    for name in set(args.peers or TRAINERS) - set(names):
        print(f"skipped: {name}; pip install {TRAINERS[name].package}", file=sys.stderr)
    folder = args.cache / "training"
    folder.mkdir(parents=True, exist_ok=True)
    if not _equals_reference(mixed(1, args.cache), folder):
        print("our merges are not those of the reference", file=sys.stderr)
        return 1
    tasks = [(mixed(mb, args.cache), size) for size in args.vocabs for mb in args.sizes]
    if not args.quick:
        tasks += [(_written(folder / f"{name}.txt", make), size) for name, make, size in HARD]
    results: list[dict[str, Any]] = []
    for path, size in tasks:
        for threads in args.threads:
            rows = _measure(names, path, size, threads, folder, args.rounds, args.limit)
            results.append({"corpus": path.stem, "bytes": path.stat().st_size, "vocab": size,
                            "threads": threads, "peers": rows})  # fmt: skip
            print(_table(results[-1]), flush=True)
    print(_growth(results))
    target = args.json or args.cache / "train.json"
    versions = {name: TRAINERS[name].version() for name in names}
    about = {"benchmark": "train", "machine": report.machine(), "versions": versions}
    report.write(target, about | {"results": results})
    print(f"\nfigures: {target}")
    return 0


def mixed(mb: int, cache: Path) -> Path:
    """Return a file of mixed text, about so large: documents of nine kinds in drawn order."""

    def make(draw: random.Random) -> str:
        documents: list[str] = []
        for kind, share in SHARES.items():
            path = corpora.build(kind, int(share * mb * 1e6), cache)
            documents += corpora.load(path) if path else []
        draw.shuffle(documents)
        return "".join(text if text.endswith("\n") else text + "\n" for text in documents)

    return _written(cache / "training" / f"mixed-{mb}mb.txt", make)


def _unique_words(draw: random.Random) -> str:
    return "".join(corpora.random_words(WORDS_MB * 10**6, draw))


def _letters(count: int) -> Callable[[random.Random], str]:
    return lambda draw: "".join(draw.choices(string.ascii_lowercase, k=count)) + "\n"


#: name, how to make it, and the vocabulary: what is hard for some.
HARD: list[tuple[str, Callable[[random.Random], str], int]] = [
    ("unique-words", _unique_words, 8192),
    ("letter-500k", lambda _: "a" * 500_000, 1024),
    ("letter-1m", lambda _: "a" * 1_000_000, 1024),
    ("word-2500k", _letters(2_500_000), 1024),
    ("word-5m", _letters(5_000_000), 1024),
]


def _written(path: Path, make: Callable[[random.Random], str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.write_text(make(random.Random(path.stem)), encoding="utf-8", newline="\n")
    return path


def _train(
    name: str, path: Path, size: int, threads: int, tokens: Path, limit: float, pure: str = "0"
) -> dict[str, Any]:
    """Train in a process of its own; what went wrong stands under "failed"."""
    command = [sys.executable, "-m", "tools.bench.trainers", name, str(path), str(size)]
    env = os.environ | {"RAYON_NUM_THREADS": str(threads), "BYTEBPE_PURE": pure}
    try:
        done = subprocess.run(
            [*command, str(threads), str(tokens)], cwd=ROOT, env=env, capture_output=True,
            timeout=limit, check=True, text=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"failed": f"over {limit:g} s"}
    except subprocess.CalledProcessError as error:
        return {"failed": (error.stderr.strip().splitlines() or ["died"])[-1][:40]}
    return dict(json.loads(done.stdout))


def _equals_reference(path: Path, folder: Path) -> bool:
    found = []
    for pure in ("0", "1"):
        tokens = folder / f"pure-{pure}.tokens"
        _train("bytebpe", path, 1024, 1, tokens, 3600, pure)
        found.append(tokens.read_bytes())
    return found[0] == found[1]


def _measure(
    names: list[str], path: Path, size: int, threads: int, folder: Path, rounds: int, limit: float
) -> dict[str, dict[str, Any]]:
    taken: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for turn in range(rounds):
        print(f"{path.stem}, {size}, {threads} threads: round {turn + 1}", file=sys.stderr)
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            if not (taken[name] and "failed" in taken[name][-1]):
                tokens = folder / f"{name}.tokens"
                tokens.unlink(missing_ok=True)
                taken[name].append(_train(name, path, size, threads, tokens, limit))
    learned = {name: _tokens(folder / f"{name}.tokens") for name in names}
    right = learned.get("tokenizers") or learned["bytebpe"]
    rows = {}
    for name in names:
        if "failed" in taken[name][-1]:
            rows[name] = taken[name][-1]
        else:
            rows[name] = {
                column: statistics.median(one[column] for one in taken[name]) for column in MEASURES
            } | {"merges": _verdict(learned[name], right)}
    return rows


def _tokens(path: Path) -> list[str]:
    return path.read_text(encoding="ascii").split("\n") if path.exists() else []


def _verdict(tokens: list[str], right: list[str]) -> str:
    if tokens == right:
        return "same"
    return f"{len(set(tokens) & set(right))} of {len(right)}"


def _table(result: dict[str, Any]) -> str:
    peers = result["peers"]
    rows = [["", "merges", "wall", "CPU", "peak"]]
    for name, row in peers.items():
        if "failed" in row:
            rows.append([name, row["failed"], "", "", ""])
        else:
            rows.append([name, row["merges"], *(_cell(peers, name, m) for m in MEASURES)])
    heading = (
        f"\n{result['corpus']}, {result['bytes']:,} bytes, vocabulary {result['vocab']}, "
        f"threads {result['threads']}; in brackets how many times ours"
    )
    return "\n".join([heading, *report.aligned(rows)])


def _cell(peers: dict[str, Any], name: str, measure: str) -> str:
    value, ours = peers[name][measure], peers["bytebpe"].get(measure)
    shown = f"{value:.0f}" if measure == "peak" else f"{value:.2f}"
    return f"{shown} ({value / ours:.2f})" if ours and name != "bytebpe" else shown


def _growth(results: list[dict[str, Any]]) -> str:
    """Return how our time grows with the text, of what comes in two sizes."""
    lines = ["\ngrowth of our CPU time on one thread, and of the text:"]
    ones = [one for one in results if one["threads"] == 1 and "cpu" in one["peers"]["bytebpe"]]
    for small, large in pairwise(ones):
        kinds = {one["corpus"].partition("-")[0] for one in (small, large)}
        if len(kinds) == 1 and small["vocab"] == large["vocab"]:
            time = large["peers"]["bytebpe"]["cpu"] / small["peers"]["bytebpe"]["cpu"]
            text = large["bytes"] / small["bytes"]
            lines.append(f"  {small['corpus']} to {large['corpus']}: {time:.2f}, text {text:.2f}")
    return "\n".join(lines)
