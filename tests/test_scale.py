"""Much text: memory keeps its bounds, and neither threads nor forks change an id."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys

import pytest

import bytebpe

#: Random words of a dozen letters, all different; prints by how much memory has grown at its
#: highest when a third of them have been encoded, two thirds, and all.
GROWTH = """
import random, resource, sys
import bytebpe

def highest():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

tok, draw = bytebpe.pretrained("gpt2"), random.Random(1)
letters = bytes(97 + byte % 26 for byte in range(256))
megabytes, threads = map(int, sys.argv[1:])
before = highest()
for _ in range(3):
    for _ in range(megabytes // 3):
        words = bytearray(draw.randbytes(1 << 20).translate(letters))
        words[::13] = b" " * len(words[::13])
        text = words.decode()
        rows = [text[at : at + 100_000] for at in range(0, len(text), 100_000)]
        tok.encode_batch_arrays(rows, num_threads=threads)
    print(highest() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts memory as Linux does")
@pytest.mark.parametrize("threads", [1, 4])
def test_words_that_never_come_again_leave_memory_as_it_is(engine: str, threads: int) -> None:
    if engine == "reference":
        pytest.skip("a case of data/cases holds the reference to it")
    done = subprocess.run(
        [sys.executable, "-c", GROWTH, "24", str(threads)],
        env={**os.environ, "BYTEBPE_PURE": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    first, _, last = map(int, done.stdout.split())

    assert last < 120  # megabytes: 64 of the cache, and what is at work
    assert last - first < 60


@pytest.fixture(scope="module")
def mixed(corpus: list[str]) -> str:
    """A text of several parts: of each kind of text, and of what runs on without a cut."""
    return "".join(corpus) * 3 + "世界" * 5_000 + "a" * 9_000 + " " * 9_000 + "".join(corpus) * 2


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "o200k"])
def test_any_number_of_threads_gives_the_same_ids(
    engine: str, gpt2: bytebpe.Tokenizer, mixed: str, pattern: str
) -> None:
    if engine == "reference":
        pytest.skip("threads are the core's")
    tok = bytebpe.Tokenizer(gpt2.vocab, pattern=pattern)
    rows = [mixed, "", mixed[:700_000], *mixed[:50_000].splitlines()]
    expected = [tok.encode_ordinary(row) for row in rows]

    for threads in (1, 2, 3, 7):
        assert tok.encode_batch(rows, disallowed_special=(), num_threads=threads) == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_children_of_a_process_with_threads_encode(
    gpt2: bytebpe.Tokenizer, corpus: list[str]
) -> None:
    rows = [line for text in corpus for line in text.splitlines()][:300]
    expected = gpt2.encode_batch(rows, num_threads=4)

    with multiprocessing.get_context("fork").Pool(2) as pool:
        of_children = pool.map(gpt2.encode, rows, chunksize=50)

    assert of_children == expected == gpt2.encode_batch(rows, num_threads=4)
