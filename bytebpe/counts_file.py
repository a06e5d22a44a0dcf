"""Piece counts as a file: counted once, kept, joined with others, trained from again.

The first line is a JSON object that says what was counted, and how.  Each further line is a
count, a tab and a piece in GPT-2's printable characters, in the order in which the pieces
first appeared.  So it is a text file that people and `sort -n` can read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from .bytemap import to_bytes
from .errors import FormatError, VocabError
from .formats.files import read_text, write_files

_FORMAT: Final = "bytebpe piece counts"
_VERSION: Final = 1

#: What the header holds, and the types of it.
_FIELDS: Final[dict[str, type | tuple[type, ...]]] = {
    "pattern": str,
    "special_tokens": list,
    "max_pieces": (int, type(None)),
    "min_piece_count": int,
    "complete": bool,
    "texts": int,
    "bytes": int,
    "unchecked": int,
    "dropped_pieces": int,
    "dropped_count": int,
    "pieces": int,
}


def write(path: Path, header: dict[str, Any], lines: Iterable[str]) -> None:
    """Write a file of counts, whole or not at all; the lines are those of `PieceCounter.lines`."""
    first = json.dumps({"format": _FORMAT, "version": _VERSION, **header}, ensure_ascii=False)
    write_files(path.parent, {path.name: "".join([first, "\n", *lines])})


def read(path: Path) -> tuple[dict[str, Any], Iterator[tuple[bytes, int]]]:
    """Read a file of counts: its header, and its pieces with their counts.

    Raises `FormatError` with the line where the file is not what `write` writes.
    """
    first, *lines = read_text(path).split("\n")
    try:
        header = json.loads(first)
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise FormatError(
            str(path), 1, "not a file of piece counts; `bytebpe count-pieces` writes them"
        )
    if header.get("version") != _VERSION:
        raise FormatError(
            str(path), 1, f"version {header.get('version')} of the format; this is {_VERSION}"
        )
    for name, kind in _FIELDS.items():
        if not isinstance(header.get(name), kind):
            raise FormatError(str(path), 1, f"{name!r} is missing or of another type")
    if not all(isinstance(token, str) for token in header["special_tokens"]):
        raise FormatError(str(path), 1, "'special_tokens' are not all strings")
    if len(lines) != header["pieces"] + 1 or lines[-1]:
        raise FormatError(
            str(path),
            None,
            f"{header['pieces']} pieces expected, {len(lines) - 1} found: cut short?",
        )
    return header, _pieces(path, lines[:-1])


def _pieces(path: Path, lines: list[str]) -> Iterator[tuple[bytes, int]]:
    seen = set()
    for number, line in enumerate(lines, 2):
        count, tab, piece = line.partition("\t")
        if not (tab and piece and count.isascii() and count.isdigit() and 0 < int(count) < 2**63):
            raise FormatError(
                str(path), number, f"expected a count, a tab and a piece: {line[:80]!r}"
            )
        if piece in seen:
            raise FormatError(str(path), number, f"the piece {piece!r} is there twice")
        seen.add(piece)
        try:
            yield to_bytes(piece), int(count)
        except VocabError as error:
            raise FormatError(str(path), number, str(error)) from None
