"""The process of one peer: reads commands as lines of JSON, answers each with one.

    {"do": "load", "peer": "tiktoken", "vocab": "gpt2", "files": "...", "threads": 1}
    {"do": "texts", "path": "..."}      {"do": "ids", "way": "array"}
    {"do": "time", "way": "batch", "seconds": 0.2}    {"do": "decoded", "way": "decode"}

A command that fails is answered with {"error": ...}.  Two things make times comparable.
Each pass gets new str objects, because CPython keeps the UTF-8 of a str once it was asked
for: a peer would find it ready in the next pass, as it never does in texts that are new.
And no garbage is collected while time is taken.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import resource
import statistics
import sys
from array import array
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from .ids import Ids, id_list
from .peers import PEERS, Ways

SHORT = 40  #: characters of a short string
SHORT_STRINGS = 2_000


class Worker:
    """What the process knows between two commands."""

    ways: Ways
    threads: int
    texts: list[bytes]

    def load(self, peer: str, vocab: str, files: str, threads: int) -> dict[str, Any]:
        """Import a peer and load a vocabulary, to the first ids."""
        before = perf_counter()
        self.ways = PEERS[peer].load(vocab, Path(files))
        self.ways.encode("hello world")
        took = perf_counter() - before
        self.threads = threads
        self._ids: dict[str, list[Any]] = {}
        return {"seconds": took, "version": PEERS[peer].version()}

    def read(self, path: str) -> dict[str, Any]:
        """Read the texts to encode."""
        self.texts = [text.encode() for text in json.loads(Path(path).read_text("utf-8"))]
        return {"bytes": sum(map(len, self.texts))}

    def ids(self, way: str) -> dict[str, Any]:
        """Encode in one way and answer with a digest of the ids of each text."""
        texts = [text.decode() for text in self.texts]
        encode = self.ways.encode if way == "list" else self.ways.array
        if way in ("list", "array"):
            return {"digests": encode and [_digest(encode, text) for text in texts]}
        if way == "batch":
            rows = self.ways.batch and self.ways.batch(texts, self.threads)
        else:
            batch = self.ways.batch_arrays
            rows = batch and self.ways.rows(batch(texts, self.threads))
        return {"digests": rows and [_digest(id_list, row) for row in rows]}

    def decoded(self, way: str) -> dict[str, Any]:
        """Decode the ids of the texts and say which texts come out; "" for those that do."""
        decode, rows = self._pass(way), self._fresh(way)
        if decode is None:
            return {"digests": None}
        texts = decode(rows)
        pairs = zip(texts, self.texts, strict=True)
        return {"digests": ["" if _utf8(text) == right else "another" for text, right in pairs]}

    def time(self, way: str, seconds: float) -> dict[str, Any]:
        """Do everything again and again for so long, and answer with the median times.

        A way is "cold" (one pass, to lists), "list", "array", "short" (to lists too),
        "batch" or "batch_arrays", or one to decode, which starts with that word; but for
        "cold" one pass goes before.
        """
        encode = self._pass(way)
        if encode is None:
            return {"cpu": None, "wall": None}
        passes: list[tuple[float, float]] = []
        if way != "cold":
            encode(self._fresh(way))
        gc.collect()
        gc.disable()
        try:
            while not passes or (way != "cold" and sum(wall for _, wall in passes) < seconds):
                texts = self._fresh(way)
                wall, cpu = perf_counter(), process_time()
                encode(texts)
                passes.append((process_time() - cpu, perf_counter() - wall))
        finally:
            gc.enable()
        cpu, wall = (statistics.median(times) for times in zip(*passes, strict=True))
        size = sum(map(len, self.texts))
        return {"cpu": cpu, "wall": wall, "texts": len(texts), "bytes": size}

    def memory(self) -> dict[str, Any]:
        """Answer with the most memory that the process ever had, in MB."""
        try:  # what resource reports may be the size that the parent had when it forked
            status = Path("/proc/self/status").read_text()
            line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
            return {"mb": int(line.split()[1]) / 1024}
        except OSError:
            unit = 1 if sys.platform == "darwin" else 1024
            return {"mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20}

    def _fresh(self, way: str) -> list[Any]:
        """Return what to encode, as new objects, or what to decode, which no peer changes."""
        if way in self._ids:
            return self._ids[way]
        texts = [text.decode() for text in self.texts]
        if way.endswith("short"):
            parts = (text[at : at + SHORT] for text in texts for at in range(0, 400, SHORT))
            texts = [part for part in parts if len(part) == SHORT][:SHORT_STRINGS]
        if not way.startswith("decode"):
            return texts
        rows = [list(id_list(self.ways.encode(text))) for text in texts]
        if way == "decode_array":
            import numpy

            self._ids[way] = [numpy.array(row, numpy.uint32) for row in rows]
        else:
            self._ids[way] = rows
        return self._ids[way]

    def _pass(self, way: str) -> Callable[[list[Any]], Any] | None:
        ways, threads = self.ways, self.threads
        if way == "decode_batch":
            decode_batch = ways.decode_batch
            return decode_batch and (lambda rows: decode_batch(rows, threads))
        if way.startswith("decode"):
            decode = ways.decode_array if way == "decode_array" else ways.decode
            return decode and (lambda rows: [decode(row) for row in rows])
        if way in ("batch", "batch_arrays"):
            batch = ways.batch if way == "batch" else ways.batch_arrays
            return batch and (lambda texts: batch(texts, threads))
        encode = ways.array if way == "array" else ways.encode
        return encode and (lambda texts: _each(encode, texts))


def _each(encode: Callable[[str], object], texts: list[str]) -> None:
    for text in texts:
        encode(text)


def _utf8(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else bytes(text)


def _digest(encode: Callable[[Any], Ids], text: Any) -> str:
    try:
        ids = id_list(encode(text))
    except BaseException as error:  # what Rust calls a panic is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"{type(error).__name__}: {error}"[:100]
    return hashlib.sha256(array("I", ids).tobytes()).hexdigest()[:16]


def main() -> None:
    """Answer commands until there are no more."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # a peer that prints must not spoil the answers
    worker = Worker()
    commands: dict[str, Callable[..., dict[str, Any]]] = {
        "load": worker.load,
        "texts": worker.read,
        "ids": worker.ids,
        "decoded": worker.decoded,
        "time": worker.time,
        "memory": worker.memory,
    }
    for line in sys.stdin:
        command = json.loads(line)
        try:
            answer = commands[command.pop("do")](**command)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            answer = {"error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
