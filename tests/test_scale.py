"""Much text: memory keeps its bounds, and neither threads nor forks change an id."""

from __future__ import annotations

import multiprocessing
import os
import random
import string
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import bytebpe
from bytebpe import _kernels

MB = 1 << 20

# Prints by how much the process has grown at its highest, after each share of the words.
GROWTH = """
import random, resource, sys
import bytebpe

def highest():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

tok = bytebpe.pretrained("gpt2")
draw = random.Random(1)
letters = "abcdefghijklmnopqrstuvwxyz"
threads = int(sys.argv[2])
before = highest()
for _ in range(4):
    for _ in range(int(sys.argv[1]) // 4 // 100_000):
        line = " ".join("".join(draw.choices(letters, k=12)) for _ in range(7_700))
        if threads == 1:
            tok.count(line)
        else:
            tok.encode_batch_arrays([line[:50_000], line[50_000:]], num_threads=threads)
    print(highest() - before)
"""


def growth(size: int, threads: int, pure: str) -> list[int]:
    done = subprocess.run(
        [sys.executable, "-c", GROWTH, str(size), str(threads)],
        env={**os.environ, "BYTEBPE_PURE": pure},
        capture_output=True,
        text=True,
        check=True,
    )
    return list(map(int, done.stdout.split()))
