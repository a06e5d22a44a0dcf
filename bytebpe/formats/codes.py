"""The codes of subword-nmt: the merges of a character BPE, one a line.

A line is a pair, `e s`, in rank order.  Version 0.1 gives every word a last symbol `</w>`;
version 0.2 has `</w>` attached to the last character instead, so that `t</w>` is a symbol
from the start.  A file without a first line `#version: ...` is of version 0.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..errors import FormatError
from .files import read_text, write_files

CODES: Final = "codes.txt"
ALPHABET: Final = "alphabet.txt"

_VERSION: Final = re.compile(r"#version: *0\.([12])(?:\.0+)*\s*")


@dataclass(frozen=True, slots=True)
class Codes:
    """Merges in rank order, and whether `</w>` is attached to the last character.

    `lines` says where each merge stands in the file it was read from.
    """

    merges: tuple[tuple[str, str], ...]
    attached: bool
    lines: tuple[int, ...] = ()


def read_codes(path: Path) -> Codes:
    """Read a file of codes; raises `FormatError` with the line that is none.

    Of a pair that is given twice, the first counts, as in subword-nmt.
    """
    lines = read_text(path).split("\n")
    first, attached = 1, False
    if lines[0].startswith("#version:"):
        version = _VERSION.fullmatch(lines[0])
        if version is None:
            raise FormatError(str(path), 1, f"expected version 0.1 or 0.2, found {lines[0]!r}")
        first, attached = 2, version[1] == "2"
    if lines[-1] == "":
        lines.pop()
    merges: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines[first - 1 :], first):
        parts = line.strip("\r ").split(" ")
        if len(parts) != 2 or not all(parts):
            raise FormatError(str(path), number, f"expected two symbols, found {line!r}")
        merges.setdefault((parts[0], parts[1]), number)
    return Codes(tuple(merges), attached, tuple(merges.values()))


def read_alphabet(path: Path) -> list[str]:
    """Read the characters of a character BPE, one a line."""
    characters = read_text(path).split("\n")
    if characters[-1] == "":
        characters.pop()
    for number, character in enumerate(characters, 1):
        if len(character) != 1:
            raise FormatError(str(path), number, f"expected one character, found {character!r}")
    return characters


def write_codes(directory: Path, codes: Codes, alphabet: Iterable[str]) -> None:
    """Write codes.txt, which subword-nmt reads, and alphabet.txt beside it."""
    version = "#version: 0.2\n" if codes.attached else "#version: 0.1\n"
    write_files(
        directory,
        {
            CODES: version + "".join(f"{left} {right}\n" for left, right in codes.merges),
            ALPHABET: "".join(f"{character}\n" for character in alphabet),
        },
    )
