"""tiktoken's files: one token a line, its bytes in base64 and its rank.

Nothing but ranks is in such a file.  The pattern and the special tokens are those of the
published vocabulary if the file is one, by its SHA-256; else those of bytebpe.json beside it,
and else the caller has to say them.  The merges are recovered: see `ranks`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from ..errors import FormatError
from ..patterns import resolve
from ..pipeline import Pipeline
from ..vocab import ID_LIMIT, Vocab
from . import published, sidecar
from .files import read_bytes, write_files
from .ranks import recover, same_as_ranks
from .stored import Stored

SUFFIX: Final = ".tiktoken"
NAME: Final = "tokenizer.tiktoken"

_PLAIN: Final = re.compile(rb"(?:[A-Za-z0-9+/]++={0,2} [0-9]{1,10}\n)*+")

#: To recover the merges of a token takes steps by the square of its length.
LONGEST_TOKEN: Final = 2**12


def load(path: Path, pattern: str | None, special_tokens: Mapping[str, int] | None) -> Stored:
    """Read a tokenizer; what is given overrides what is known of the file."""
    data = read_bytes(path)
    known = published.by_hash(hashlib.sha256(data).hexdigest())
    beside = None if known else sidecar.read(path.parent)
    if known:
        found: str | None = known.pattern
        specials, pipeline = known.special_tokens, Pipeline()
    elif beside:
        found, specials, pipeline = beside.pattern, beside.special_tokens, beside.pipeline
    else:
        found, specials, pipeline = pattern, {}, Pipeline()
    if not (pattern or found):
        raise FormatError(
            str(path),
            None,
            "a file of ranks does not say how texts are split; give the pattern: "
            "load(path, pattern=...)",
        )
    ranks = read_ranks(path, data)
    return from_ranks(path, ranks, pattern or found or "", special_tokens or specials, pipeline)


def from_ranks(
    path: Path,
    ranks: Mapping[bytes, int],
    pattern: str,
    special_tokens: Mapping[str, int],
    pipeline: Pipeline,
) -> Stored:
    """Make a tokenizer of ranks; orphans make it take pieces that are tokens as they are."""
    merges, orphans = recover(ranks)
    try:
        vocab = Vocab(ranks, tuple(merges), special_tokens)
    except ValueError as error:
        raise FormatError(str(path), None, str(error)) from None
    if orphans:
        pipeline = replace(pipeline, ignore_merges=True)
    return Stored(vocab, resolve(pattern), pipeline)


def save(stored: Stored, directory: Path, name: str | None) -> None:
    """Write the ranks; without a name also bytebpe.json, for what they do not say."""
    vocab, pipeline = stored.vocab, stored.pipeline
    problem = same_as_ranks(vocab, pipeline.ignore_merges)
    if problem:
        raise FormatError(str(directory / (name or NAME)), None, f"ranks cannot say it: {problem}")
    files = {name or NAME: render(vocab.ids)}
    if name is None:
        files[sidecar.NAME] = sidecar.render(stored)
    elif not pipeline.is_plain or pipeline.template:
        raise FormatError(
            str(directory / name),
            None,
            "a file of ranks cannot hold what this tokenizer does beside merging; save it to a "
            "directory, where bytebpe.json holds that",
        )
    write_files(directory, files)


def render(ranks: Mapping[bytes, int]) -> str:
    """Return the lines of the file, in rank order."""
    in_order = sorted(ranks.items(), key=lambda entry: entry[1])
    return "".join(f"{base64.b64encode(token).decode()} {rank}\n" for token, rank in in_order)


def read_ranks(path: Path, data: bytes) -> dict[bytes, int]:
    """Read the lines; raises `FormatError` with the line."""
    return _read_at_once(data) or _read_lines(path, data)


def _read_at_once(data: bytes) -> dict[bytes, int] | None:
    """Read a file in which nothing is wrong or unusual; None for any other."""
    if not _PLAIN.fullmatch(data):
        return None
    fields = data.split()
    try:
        tokens = [binascii.a2b_base64(field, strict_mode=True) for field in fields[::2]]
    except binascii.Error:
        return None
    numbers = list(map(int, fields[1::2]))
    ranks = dict(zip(tokens, numbers, strict=True))
    different = len(ranks) == len(numbers) == len(set(numbers))
    small = max(numbers, default=0) < ID_LIMIT and max(map(len, tokens), default=0) <= LONGEST_TOKEN
    return ranks if different and small else None


def _read_lines(path: Path, data: bytes) -> dict[bytes, int]:
    ranks: dict[bytes, int] = {}
    line_of: dict[int, int] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        line = line.removesuffix(b"\r")
        if not line:
            continue
        parts = line.split(b" ")
        try:
            if len(parts) != 2 or not parts[1].isdigit() or len(parts[1]) > 10:
                raise ValueError("expected a token in base64, one space and a rank")
            token, rank = base64.b64decode(parts[0], validate=True), int(parts[1])
            if not 0 < len(token) <= LONGEST_TOKEN:
                raise ValueError(f"a token has 1 to {LONGEST_TOKEN} bytes, not {len(token)}")
            if rank >= ID_LIMIT:
                raise ValueError(f"rank {rank}; ranks go from 0 to {ID_LIMIT - 1}")
            if token in ranks:
                raise ValueError(f"the token {token!r} has the rank {ranks[token]} already")
            if rank in line_of:
                raise ValueError(f"the rank {rank} stands in line {line_of[rank]} too")
        except (ValueError, binascii.Error) as error:
            shown = line[:60].decode("utf-8", "backslashreplace")
            raise FormatError(str(path), number, f"{error}, found {shown!r}") from None
        ranks[token], line_of[rank] = rank, number
    return ranks
