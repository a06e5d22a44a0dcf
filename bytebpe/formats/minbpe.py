"""minbpe's .model: the pattern, the special tokens, and the merges as pairs of ids.

    minbpe v1
    PATTERN
    NUMBER OF SPECIAL TOKENS
    TOKEN ID                    (for each)
    LEFT RIGHT                  (for each merge; the first makes the token 256)

The ids of the bytes are the bytes themselves, and those of the merges follow; nothing else can
be said.  An empty pattern cuts nothing.  minbpe itself cannot read a special token with white
space in it; here the id is what stands after the last space.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..errors import FormatError, VocabError
from ..vocab import ID_LIMIT, Merge, Vocab
from . import spellings
from .files import read_text, write_files
from .stored import Stored

SUFFIX: Final = ".model"
NAME: Final = "tokenizer.model"
HEADER: Final = "minbpe v1"


def load(path: Path, pattern: str | None) -> Stored:
    """Read a tokenizer; `pattern` overrides the one in the file."""
    lines = read_text(path).split("\n")
    if lines[-1] == "":
        lines.pop()
    lines = [line.removesuffix("\r") for line in lines]

    def line(number: int) -> str:
        if number >= len(lines):
            raise FormatError(str(path), len(lines), "the file ends too early")
        return lines[number]

    source = spellings.known(line(1)) or spellings.WHOLE
    if not pattern and (problem := spellings.problem(source)):
        raise FormatError(str(path), 2, f"pattern {source[:80]!r}: {problem}")
    specials: dict[str, int] = {}
    first_merge = 3 + _number(path, 3, line(2))
    for number in range(3, first_merge):
        token, _, id = line(number).rpartition(" ")
        if not token or token in specials:
            raise FormatError(str(path), number + 1, f"special token {token!r}")
        specials[token] = _number(path, number + 1, id)
    tokens = [bytes([byte]) for byte in range(256)]
    merges: list[Merge] = []
    for number, text in enumerate(lines[first_merge:], first_merge + 1):
        left, right = _pair(path, number, text, len(tokens))
        merges.append((tokens[left], tokens[right]))
        tokens.append(tokens[left] + tokens[right])
    ids = {token: id for id, token in enumerate(tokens)}
    if len(ids) < len(tokens):
        twice = next(token for id, token in enumerate(tokens) if ids[token] != id)
        raise FormatError(str(path), None, f"two merges make the token {twice!r}")
    try:
        return Stored(Vocab(ids, tuple(merges), specials), pattern or source)
    except (VocabError, ValueError) as error:
        raise FormatError(str(path), None, str(error)) from None


def save(stored: Stored, directory: Path, name: str | None) -> None:
    """Write a .model."""
    vocab, pipeline = stored.vocab, stored.pipeline

    def wrong(problem: str) -> FormatError:
        target = str(directory / (name or NAME))
        return FormatError(target, None, f"minbpe's format cannot say it: {problem}")

    order = [bytes([byte]) for byte in range(256)]
    order += [left + right for left, right in vocab.merges]
    if {token: id for id, token in enumerate(order)} != dict(vocab.ids):
        raise wrong(
            "each byte needs its own value as its id, and merges the ids from 256 on, in order "
            "(see Tokenizer.renumber)"
        )
    if not pipeline.is_plain or pipeline.template or pipeline.ignore_merges:
        raise wrong("what surrounds splitting and merging")
    if "\n" in stored.pattern or any(
        char in token for token in vocab.special_tokens for char in "\n\r"
    ):
        raise wrong("a line end in the pattern or in a special token")
    lines = [HEADER, "" if stored.pattern == spellings.WHOLE else stored.pattern]
    lines += [str(len(vocab.special_tokens))]
    lines += [f"{token} {id}" for token, id in vocab.special_tokens.items()]
    lines += [f"{left} {right}" for left, right, _ in vocab.merge_ids]
    write_files(directory, {name or NAME: "\n".join([*lines, ""])})


def _pair(path: Path, number: int, text: str, limit: int) -> tuple[int, int]:
    parts = text.split(" ")
    if len(parts) != 2:
        raise FormatError(str(path), number, f"expected two ids, found {text!r}")
    left, right = (_number(path, number, part) for part in parts)
    if max(left, right) >= limit:
        raise FormatError(
            str(path), number, f"id {max(left, right)} is of a later merge, in {text!r}"
        )
    return left, right


def _number(path: Path, line: int, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) < ID_LIMIT):
        raise FormatError(str(path), line, f"expected a number, found {text!r}")
    return int(text)
