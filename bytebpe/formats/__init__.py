"""Tokenizers in files: one module a format, chosen by what is there."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import FormatError
from . import gpt2
from .stored import Stored

__all__ = ["Stored", "load", "save"]


def load(path: str | os.PathLike[str], *, pattern: str | None = None) -> Stored:
    """Read a tokenizer from a directory, or from one of the files of a pair in it."""
    place = Path(path)
    directory = (
        place.parent if place.name in {name for pair in gpt2.PAIRS for name in pair} else place
    )
    if not place.exists():
        raise FileNotFoundError(
            f"{place}: no such file or directory (built-in vocabularies: bytebpe.pretrained)"
        )
    pair = gpt2.find(directory) if directory.is_dir() else None
    if pair is None:
        wanted = " or ".join(" and ".join(names) for names in gpt2.PAIRS)
        raise FormatError(
            str(place), None, f"no tokenizer found: expected a directory with {wanted}"
        )
    return gpt2.load(*pair, pattern)


def save(stored: Stored, path: str | os.PathLike[str], *, format: str) -> None:
    """Write a tokenizer to a directory."""
    if format != "gpt2":
        raise ValueError(f"format: expected 'gpt2', not {format!r}")
    gpt2.save(stored, Path(path))
