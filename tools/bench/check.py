"""The ids of every peer against tiktoken's, text by text, before any time is taken."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .peers import PEERS, Peer
from .process import PeerFailed, Setup

WAYS = ("list", "array", "batch", "batch_arrays")
Digests = list[str]


def right_ids(setup: Setup, texts: Path) -> Digests:
    """Return a digest of the right ids of each text: tiktoken's; where it fails, ours, pure."""
    digests: Digests | None = None
    if PEERS["tiktoken"].version():
        digests = _list_ids(setup, PEERS["tiktoken"], texts)
    if digests is None or any(map(_failed, digests)):
        pure = _list_ids(setup, PEERS["bytebpe-pure"], texts)
        pairs = zip(digests or pure, pure, strict=True)
        digests = [other if _failed(digest) else digest for digest, other in pairs]
    return digests


def differences(
    setup: Setup,
    peer: Peer,
    texts: Path,
    right: Digests,
    *,
    ways: Sequence[str] = WAYS,
    limit: float = 600,
    do: str = "ids",
) -> dict[str, str]:
    """Return what is wrong with the ids of a peer, by the way it encodes; {} if nothing is.

    With `do="decoded"`: with the texts that it decodes.
    """
    wrong = {}
    process = None
    try:
        for way in ways:
            try:
                if process is None or process.dead:
                    process, _ = setup.start(peer, texts, threads=2)
                problem = _difference(process.ask(do, way=way, limit=limit)["digests"], right)
            except PeerFailed as reason:
                problem = str(reason)
            if problem:
                wrong[way] = problem
    finally:
        if process:
            process.close()
    return wrong


def _list_ids(setup: Setup, peer: Peer, texts: Path) -> Digests:
    process, _ = setup.start(peer, texts)
    with process:
        digests: Digests = process.ask("ids", way="list")["digests"]
        return digests


def _difference(digests: Digests | None, right: Digests) -> str:
    if digests is None or digests == right:  # there is no such way, or nothing is wrong
        return ""
    bad = [digest for digest, other in zip(digests, right, strict=True) if digest != other]
    failed = next(filter(_failed, bad), None)
    return failed or f"wrong ids in {len(bad)} of {len(right)} texts"


def _failed(digest: str) -> bool:
    return ":" in digest
