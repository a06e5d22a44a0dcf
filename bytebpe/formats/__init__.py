"""Tokenizers in files: one module a format, chosen by what is there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from ..errors import FormatError
from . import gpt2, huggingface, minbpe, sidecar, tekken, tiktoken
from .stored import Stored

__all__ = ["FORMATS", "Stored", "load", "save"]

#: What `save` writes, by name; each writes into a directory, under its own name or one given.
FORMATS: Final[dict[str, Callable[[Stored, Path, str | None], None]]] = {
    "gpt2": gpt2.save,
    "huggingface": huggingface.save,
    "tiktoken": tiktoken.save,
    "tekken": tekken.save,
    "minbpe": minbpe.save,
}
#: How the one file of a format ends, where it has one.
SUFFIXES: Final = {
    "huggingface": ".json",
    "tiktoken": tiktoken.SUFFIX,
    "tekken": ".json",
    "minbpe": minbpe.SUFFIX,
}


def load(
    path: str | os.PathLike[str],
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> Stored:
    """Read a tokenizer from a file or a directory."""
    place = Path(path)
    if not place.exists():
        raise FileNotFoundError(
            f"{place}: no such file or directory (built-in vocabularies: bytebpe.pretrained)"
        )
    stored = _load(_file_in(place) if place.is_dir() else place, pattern, special_tokens)
    if special_tokens:
        vocab = stored.vocab.with_special_tokens(special_tokens)
        return Stored(vocab, stored.pattern, stored.pipeline)
    return stored


def save(stored: Stored, path: str | os.PathLike[str], *, format: str) -> None:
    """Write a tokenizer to a directory, or to a file that ends as those of the format do."""
    if format not in FORMATS:
        raise ValueError(f"format: expected one of {', '.join(FORMATS)}, not {format!r}")
    place = Path(path)
    if format in SUFFIXES and place.suffix == SUFFIXES[format] and not place.is_dir():
        FORMATS[format](stored, place.parent, place.name)
    else:
        FORMATS[format](stored, place, None)


def _file_in(directory: Path) -> Path:
    """Return the file to read in a directory: what says most about the tokenizer comes first."""
    pair = gpt2.find(directory)
    if pair and (directory / sidecar.NAME).is_file():
        return pair[0]
    for name in (huggingface.NAME, tekken.NAME):
        if (directory / name).is_file():
            return directory / name
    if pair:
        return pair[0]
    for suffix in (tiktoken.SUFFIX, minbpe.SUFFIX):
        found = sorted(directory.glob(f"*{suffix}"))
        if len(found) > 1:
            names = ", ".join(file.name for file in found)
            raise FormatError(str(directory), None, f"several tokenizers: {names}; name one")
        if found:
            return found[0]
    wanted = " or ".join(" and ".join(names) for names in gpt2.PAIRS)
    raise FormatError(
        str(directory),
        None,
        f"no tokenizer found: expected a directory with {wanted}, or with {huggingface.NAME}, "
        f"{tekken.NAME}, a *{tiktoken.SUFFIX} or a *{minbpe.SUFFIX} file",
    )


def _load(path: Path, pattern: str | None, special_tokens: Mapping[str, int] | None) -> Stored:
    """Read a file by what it begins with; its name is only asked of the pair."""
    if path.name in {name for names in gpt2.PAIRS for name in names}:
        pair = gpt2.find(path.parent)
        if pair is None:
            wanted = next(" and ".join(names) for names in gpt2.PAIRS if path.name in names)
            raise FormatError(str(path), None, f"no tokenizer found: expected {wanted}, both")
        return gpt2.load(*pair, pattern)
    with path.open("rb") as file:
        head = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(minbpe.HEADER.encode()):
        return minbpe.load(path, pattern)
    if head.startswith(b"{"):
        return _load_json(path, head, pattern)
    return tiktoken.load(path, pattern, special_tokens)


def _load_json(path: Path, head: bytes, pattern: str | None) -> Stored:
    # The keys that tell them apart stand at the head of one and at the end of the other.
    if path.name == tekken.NAME or head[1:].lstrip().startswith((b'"config"', b'"vocab"')):
        return tekken.load(path, pattern)
    return huggingface.load(path, pattern)
