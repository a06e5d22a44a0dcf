"""Count the tokens of files, and of all together.

With -r a directory stands for all files below it that .gitignore does not exclude and that
are no binaries (which have a NUL near their start).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..sources import STDIN
from ..tokenizer import Tokenizer
from .inputs import add_files, add_special, add_tokenizer, blocks, decoded, encode, tokenizer
from .tree import files_below


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    parser.add_argument("-r", "--recursive", action="store_true", help="take directories, too")
    parser.add_argument("--json", action="store_true", help="print one object in JSON")
    add_tokenizer(parser)
    add_special(parser)


def run(args: argparse.Namespace) -> None:
    tok = tokenizer(args.tokenizer, args.pattern)
    rows = [(_count(tok, name, args.special), name) for name in _names(args.files, args.recursive)]
    total = sum(count for count, _ in rows)
    if args.json:
        files = [{"path": name, "tokens": count} for count, name in rows]
        print(json.dumps({"files": files, "tokens": total}, ensure_ascii=False))
    elif not args.files:
        print(total)
    else:
        if len(rows) != 1:
            rows.append((total, "total"))
        width = len(str(total))
        for count, name in rows:
            print(f"{count:>{width}} {name}")


def _names(files: list[str], recursive: bool) -> Iterator[str]:
    binaries = 0
    for name in files or [STDIN]:
        if not (recursive and name != STDIN and Path(name).is_dir()):
            yield name
            continue
        for path in files_below(Path(name)):
            if _is_binary(path):
                binaries += 1
            else:
                yield str(path)
    if binaries:
        print(f"bytebpe count: {binaries} binary files left out", file=sys.stderr)


def _is_binary(path: Path) -> bool:
    with path.open("rb") as file:
        return b"\0" in file.read(8_000)


def _count(tok: Tokenizer, name: str, special: bool) -> int:
    if not tok.pipeline.merges_alone:  # and texts have to be read whole
        return len(encode(tok, name, b"".join(blocks(name)), special))
    parts: Iterable[str] | Iterable[bytes] = blocks(name)
    if special:
        parts = decoded(name, "--special")
    stream = tok.stream_encoder(allowed_special="all")
    return sum(len(stream.feed(part)) for part in parts) + len(stream.finish())
