"""Compare GPT-2 ids with tiktoken and Hugging Face, on files and on random text.

    python -m tools.verify [--strings N] [--code-points] [FILE ...]

Prints what was compared and how many differences there were, the first of them in full,
and exits with 1 if there was any.  Needs the packages tiktoken and tokenizers.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from pathlib import Path

import tiktoken
import tokenizers
from tiktoken_ext.openai_public import r50k_pat_str

import bytebpe

Encode = Callable[[str], list[int]]
#: Code points that random text draws from more often than from all: where tokenizers differ.
TRICKY = (
    " \t\n\r'\"’aAzZ09.,!-_/\\\u00a0\u0085\u2028\u3000\ufeff\u200b\u200d\ufe0f\u0301ſK½Ⅻ٣世界👋🏽🇯🇵"
)


def peers(tok: bytebpe.Tokenizer) -> dict[str, Encode]:
    """Return the peers' ways to encode, with the vocabulary of `tok`."""
    encoding = tiktoken.Encoding(
        "gpt2", pat_str=r50k_pat_str, mergeable_ranks=tok.mergeable_ranks, special_tokens={}
    )
    with tempfile.TemporaryDirectory() as directory:
        tok.save(directory)
        files = [f"{directory}/{name}" for name in ("vocab.json", "merges.txt")]
        huggingface = tokenizers.ByteLevelBPETokenizer(*files)
    return {
        f"tiktoken {tiktoken.__version__}": encoding.encode_ordinary,
        f"tokenizers {tokenizers.__version__}": lambda text: huggingface.encode(text).ids,
    }


def random_strings(count: int, seed: int = 0) -> Iterator[str]:
    """Yield strings of all assigned and unassigned code points, short and long."""
    draw = random.Random(seed)
    for _ in range(count):
        planes = draw.choice([0x80, 0x800, 0x3000, 0x10000, 0x20000, 0x110000])
        chars = (
            draw.choice(TRICKY) if draw.random() < 0.4 else chr(draw.randrange(planes))
            for _ in range(draw.randint(0, 60))
        )
        yield "".join(char for char in chars if unicodedata.category(char) != "Cs")


def around_code_points(size: int = 500) -> Iterator[str]:
    """Yield every code point in several neighbourhoods, some hundreds a text."""
    points = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    for start in range(0, len(points), size):
        for around in ("a{0}b ", "{0}'s1{0} ", " {0}{0}.\n{0}  "):
            yield "".join(around.format(char) for char in points[start : start + size])


def compare(what: str, texts: Iterable[str], ours: Encode, theirs: dict[str, Encode]) -> int:
    """Compare text by text and return the number of differences."""
    differences = count = size = ids = 0
    for text in texts:
        mine = ours(text)
        count, size, ids = count + 1, size + len(text.encode()), ids + len(mine)
        for name, encode in theirs.items():
            other = encode(text)
            if mine != other:
                if not differences:
                    pairs = enumerate(zip_longest(mine, other))
                    at, (ours_at, theirs_at) = next((i, p) for i, p in pairs if p[0] != p[1])
                    print(f"{name} differs at id {at} of {text[:200]!r}: {ours_at}, {theirs_at}")
                differences += 1
    names = " and ".join(theirs)
    print(f"{what}: {count} texts, {size:,} bytes, {ids:,} ids, {differences} differ from {names}")
    return differences


def main() -> int:
    """Compare what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--strings", type=int, default=20_000, help="random strings (20000)")
    parser.add_argument("--code-points", action="store_true", help="all 1,112,064 code points")
    args = parser.parse_args()
    tok = bytebpe.pretrained("gpt2")
    theirs = peers(tok)
    runs = [("random strings", random_strings(args.strings))]
    if args.code_points:
        runs.append(("all code points", around_code_points()))
    if args.files:
        runs.append(("files", (path.read_bytes().decode() for path in args.files)))
    differences = sum(compare(what, texts, tok.encode_ordinary, theirs) for what, texts in runs)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
