"""Figures for people, as tables, and for programs, as JSON."""

from __future__ import annotations

import json
import math
import os
import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

OURS = "bytebpe"
#: title -> figure; the larger the better, but for those in LESS.
COLUMNS = {
    "cold": "cold-1-cpu",
    "list": "list-1-cpu",
    "array": "array-1-cpu",
    "40 chars": "short-1-cpu",
    "batch 1": "batch-1-wall",
    "batch 2": "batch-2-wall",
    "arrays 1": "batch_arrays-1-wall",
    "arrays 2": "batch_arrays-2-wall",
    "load": "load",
    "peak": "peak",
}
#: The same for decoding.
DECODE_COLUMNS = {
    "lists": "decode-1-cpu",
    "arrays": "decode_array-1-cpu",
    "40 letters": "decode_short-1-cpu",
    "rows 1": "decode_batch-1-wall",
    "rows 2": "decode_batch-2-wall",
}
FIGURES = COLUMNS | DECODE_COLUMNS
LESS = ("40 chars", "40 letters", "load", "peak")
#: The columns without a ratio: who loads fast has not won anything yet.
PLAIN = ("load", "peak")

Peers = Mapping[str, Mapping[str, Any]]


def corpus_table(
    corpus: str, result: Mapping[str, Any], columns: Mapping[str, str] = COLUMNS
) -> str:
    """Return the table of one corpus; beside each figure how many times as good ours is."""
    peers: Peers = result["peers"]
    first = "list" if "list" in columns else next(iter(columns))
    rows = [["", "ids", *columns]]
    for name in sorted(peers, key=lambda name: -_value(peers[name], first)):
        cells = [_cell(peers, name, title) for title in columns]
        rows.append([name, _verdict(peers[name]["wrong"]), *cells])
    heading = (
        f"\n{corpus}: {result['documents']} documents, {result['bytes']:,} bytes; "
        "MB/s, 40 characters in ns, load in ms, peak in MB;\n"
        "in brackets how many times as good ours is, * the best peer with right ids"
    )
    wrong = [
        f"  {name}, {way}: {what}"
        for name, peer in peers.items()
        for way, what in peer["wrong"].items()
    ]
    return "\n".join([heading, *aligned(rows), *wrong])


def overall(results: Mapping[str, Mapping[str, Any]], columns: Mapping[str, str] = COLUMNS) -> str:
    """Return the geometric means, over the corpora, of how many times as good ours is."""
    titles = [title for title in columns if title not in PLAIN]
    names = {name: None for result in results.values() for name in result["peers"]}
    rows = [["", *titles]]
    for name in [*(name for name in names if name != OURS), None]:
        cells = []
        for title in titles:
            ratios = [_ratio(result["peers"], name, title) for result in results.values()]
            cells.append(_mean([ratio for ratio in ratios if ratio]))
        rows.append([name or "best peer", *cells])
    heading = f"\nall {len(results)} corpora: how many times as good ours is, geometric mean"
    found = {
        f"{name} {peer['version']}"
        for result in results.values()
        for name, peer in result["peers"].items()
        if peer["version"]
    }
    machine = f"\n{_cpu_model()}, {os.cpu_count()} CPUs, Python {platform.python_version()}; "
    return "\n".join([heading, *aligned(rows), machine + ", ".join(sorted(found))])


def aligned(rows: list[list[str]]) -> list[str]:
    """Return the lines of a table, its first column to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def machine() -> dict[str, object]:
    """Return what the times depend on besides the peers."""
    return {
        "cpu": _cpu_model(),
        "cpus": os.cpu_count(),
        "system": platform.platform(),
        "python": sys.version,
    }


def write(path: Path, figures: Mapping[str, object]) -> None:
    """Write figures as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(figures, indent=1), encoding="utf-8")


def _verdict(wrong: Mapping[str, str]) -> str:
    """Return in a word what comparing the ids of a peer gave; a way that fails has none."""
    if any(what.startswith("wrong ids") for what in wrong.values()):
        return "WRONG"
    return "none" if "list" in wrong or "decode" in wrong else "same"


def _value(peer: Mapping[str, Any], title: str) -> float:
    value = peer["median"].get(FIGURES[title])
    return 0.0 if value is None else float(value)


def _cell(peers: Peers, name: str, title: str) -> str:
    value = _value(peers[name], title)
    if not value:
        return "-"
    ratio = _ratio(peers, name, title)
    star = "*" if name == _best(peers, title) else ""
    shown = f"{star}{value:.0f}" if value >= 100 else f"{star}{value:.1f}"
    return f"{shown} ({ratio:.2f})" if ratio and name != OURS and title not in PLAIN else shown


def _best(peers: Peers, title: str) -> str | None:
    """Return the best peer that is not ours and whose ids are right."""
    able = [
        name
        for name, peer in peers.items()
        if not name.startswith(OURS) and _verdict(peer["wrong"]) == "same" and _value(peer, title)
    ]
    better = min if title in LESS else max
    return better(able, key=lambda name: _value(peers[name], title), default=None)


def _ratio(peers: Peers, name: str | None, title: str) -> float | None:
    """Return how many times as good ours is as a peer, or as the best of them."""
    other = peers.get(name or _best(peers, title) or "")
    if other is None or OURS not in peers:
        return None
    ours, theirs = _value(peers[OURS], title), _value(other, title)
    if not ours or not theirs:
        return None
    return theirs / ours if title in LESS else ours / theirs


def _mean(ratios: list[float]) -> str:
    if not ratios:
        return "-"
    return f"{math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}"


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), "unknown")
