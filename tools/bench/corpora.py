"""Corpora to measure on: text of twelve kinds, built from packages, none of it kept here.

    python -m tools.bench corpora [--size-mb 3] [--corpora zh,code] [--cache DIR]

A corpus is a list of documents of 1 to 10 kB, without markup and without long lines that
recur, in an order drawn with a fixed seed.  The same packages give the same bytes; the
hash of a corpus says whether they did.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import string
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from .kinds import KINDS, Kind
from .packages import Unavailable, fetch

DEFAULT_CACHE = Path.home() / ".cache" / "bytebpe-bench"
SHORTEST, LONGEST = 1_000, 10_000
#: The bytes of a part that is never divided between two documents: 250 characters.
PART = 1_000


def build(kind: str, size: int, cache: Path) -> Path | None:
    """Return the file of a corpus, built if need be; None where no text can be had."""
    path = cache / "corpora" / f"{kind}-{size / 1e6:g}mb.json"
    if path.exists():
        return path
    print(f"building the corpus {kind}", file=sys.stderr)
    draw = random.Random(f"bytebpe {kind}")
    if kind == "words":
        blocks: Iterable[str] = random_words(size + LONGEST, draw)
    else:
        blocks = _read(KINDS[kind], size, cache)
    documents = list(_documents(blocks, draw))
    draw.shuffle(documents)
    documents = list(_up_to(size, documents))
    if not documents:
        print(f"  skipped: there is no text for {kind}", file=sys.stderr)
        return None
    built = sum(len(text.encode()) for text in documents)
    if built < size:
        print(f"  {built / 1e6:.1f} MB is all there is", file=sys.stderr)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(documents, ensure_ascii=False), encoding="utf-8")
    return path


def build_all(args: argparse.Namespace) -> dict[str, Path]:
    """Return the files of the corpora that the command line asks for."""
    size = int(args.size_mb * 1e6)
    built = {kind: build(kind, size, args.cache) for kind in args.corpora}
    return {kind: path for kind, path in built.items() if path}


def load(path: Path) -> list[str]:
    """Return the documents of a corpus."""
    return [str(text) for text in json.loads(path.read_text(encoding="utf-8"))]


def describe(path: Path) -> dict[str, int | str]:
    """Return the size of a corpus and a hash that tells it from others."""
    documents = [text.encode() for text in load(path)]
    sha256 = hashlib.sha256(b"\0".join(documents)).hexdigest()
    return {"bytes": sum(map(len, documents)), "documents": len(documents), "sha256": sha256}


def random_words(size: int, draw: random.Random) -> Iterator[str]:
    """Yield lines of random words, nearly all of them unique."""
    while size > 0:
        lengths = [draw.randint(4, 16) for _ in range(12)]
        words = ("".join(draw.choices(string.ascii_lowercase, k=length)) for length in lengths)
        line = " ".join(words) + "\n"
        size -= len(line)
        yield line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which corpora, and how much of them."""
    kinds = list(KINDS)
    parser.add_argument("--cache", type=Path, default=DEFAULT_CACHE, metavar="DIR")
    parser.add_argument("--size-mb", type=float, default=3, metavar="N", help="of each corpus (3)")
    parser.add_argument(
        "--corpora", type=lambda text: _chosen(text, kinds), default=kinds, metavar="A,B"
    )


def run(args: argparse.Namespace) -> int:
    """Build the corpora and say what they are."""
    for kind, path in build_all(args).items():
        about = describe(path)
        counts = f"{about['bytes']:>11,} bytes  {about['documents']:>6,} documents"
        print(f"{kind:<6} {counts}  sha256 {str(about['sha256'])[:16]}  {path}")
    return 0


def _chosen(text: str, known: list[str]) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in known]:
        raise argparse.ArgumentTypeError(f"no corpus {unknown[0]!r}; there are {', '.join(known)}")
    return names


def _read(kind: Kind, size: int, cache: Path) -> list[str]:
    seen: set[str] = set()
    blocks: list[str] = []
    missing = int(1.1 * size)
    for at, source in enumerate(kind.sources):
        if missing <= 0 and at >= kind.least:
            break
        try:
            folder = fetch(source.package, cache)
        except Unavailable as reason:
            print(f"  skipped: {reason}", file=sys.stderr)
            continue
        files = [path for path in sorted(folder.glob(source.files)) if path.is_file()]
        found = (block for path in files for block in source.blocks(path))
        wanted = (block for block in found if _wanted(block, kind, seen))
        kept = list(wanted if at < kind.least else _up_to(missing, wanted))
        added = sum(len(block.encode()) for block in kept)
        print(f"  {source.package}: {added / 1e6:.1f} MB", file=sys.stderr)
        blocks += kept
        missing -= added
    return blocks


def _wanted(block: str, kind: Kind, seen: set[str]) -> bool:
    """Say whether a block is text of this kind, and new if it is long."""
    if "\ufffd" in block or (len(block) > 40 and block in seen):
        return False
    if kind.letters:
        letters = sum(map(str.isalpha, block))
        if not letters or 2 * len(re.findall(f"[{kind.letters}]", block)) < letters:
            return False
    seen.add(block)
    return True


def _documents(blocks: Iterable[str], draw: random.Random) -> Iterator[str]:
    """Join blocks to documents of sizes drawn evenly; what is left over at the end drops out."""
    document, size, goal = "", 0, draw.randint(SHORTEST, LONGEST - PART)
    for block in blocks:
        for part in re.findall(rf"(?s).{{1,{PART // 4}}}(?=\s|\Z)|.{{1,{PART // 4}}}", block):
            document += part
            size += len(part.encode())
            if size >= goal:
                yield document
                document, size, goal = "", 0, draw.randint(SHORTEST, LONGEST - PART)


def _up_to(size: int, texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        if size <= 0:
            break
        size -= len(text.encode())
        yield text
