"""A peer in a process of its own, so that it may crash, hang or fill memory by itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from types import TracebackType
from typing import Any, Self

from .peers import Peer

ROOT = Path(__file__).parents[2]


class PeerFailed(Exception):
    """A peer raised an error, died or took too long; the message says which."""


class Process:
    """Start a worker for a peer; `ask` sends a command and waits for the answer."""

    def __init__(self, peer: Peer, *, threads: int = 1, verbose: bool = False) -> None:
        settings = {
            "RAYON_NUM_THREADS": str(threads),
            "TOKENIZERS_PARALLELISM": "true",
            "TIKTOKEN_CACHE_DIR": "",
            "BYTEBPE_PURE": "0",
            **peer.environment,
        }
        self.peer = peer
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tools.bench.worker"],
            cwd=ROOT,
            env=os.environ | settings,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if verbose else subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )

    def ask(self, do: str, *, limit: float = 600, **command: object) -> dict[str, Any]:
        """Send a command and return the answer; raises `PeerFailed`, after `limit` seconds too."""
        to, answers = self._process.stdin, self._process.stdout
        assert to is not None
        assert answers is not None
        timer = Timer(limit, self._process.kill)
        timer.start()
        try:
            print(json.dumps({"do": do, **command}), file=to, flush=True)
            line = answers.readline()
        except BrokenPipeError:
            line = ""
        finally:
            late = not timer.is_alive()
            timer.cancel()
        if not line:
            raise PeerFailed(f"over {limit:g} s" if late else f"died of {self._cause()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise PeerFailed(answer["error"])
        return answer

    @property
    def dead(self) -> bool:
        """Whether it will answer no more."""
        return self._process.poll() is not None

    def close(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.communicate()

    def _cause(self) -> str:
        status = self._process.wait()
        return signal.Signals(-status).name if status < 0 else f"exit status {status}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Setup:
    """What all processes of a run have in common: the vocabulary, its files, and noise."""

    vocab: str
    files: Path
    verbose: bool = False

    def start(self, peer: Peer, texts: Path, *, threads: int = 1) -> tuple[Process, dict[str, Any]]:
        """Return a process that has read the texts and loaded the peer, and what loading took."""
        process = Process(peer, threads=threads, verbose=self.verbose)
        try:
            process.ask("texts", path=str(texts))
            files = str(self.files)
            loaded = process.ask(
                "load", peer=peer.name, vocab=self.vocab, files=files, threads=threads
            )
        except PeerFailed:
            process.close()
            raise
        return process, loaded
