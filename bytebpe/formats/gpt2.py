"""GPT-2's pair of files: vocab.json with the ids, merges.txt with the merges in rank order.

OpenAI's own release calls them encoder.json and vocab.bpe; both names are read.  Tokens
stand in the characters of `bytemap`.  Neither file has room for the split pattern, nor
for the difference between special and other tokens, so bytebpe.json says both: see `sidecar`.

Where that file is missing, as in a directory of another library, the pattern is GPT-2's
and special are: the tokens of added_tokens.json, and those of vocab.json that no merge
makes and that are written <like_this>, <|like_this|> or [LIKE_THIS].
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from ..bytemap import to_bytes, to_text
from ..errors import FormatError, SpecialTokenError, VocabError
from ..patterns import GPT2
from ..pipeline import Pipeline
from ..vocab import Merge, Vocab
from . import sidecar
from .files import check_id, read_json_object, read_text, write_files
from .stored import Stored

#: The names of the two files, ours first.
PAIRS: Final = (("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe"))
HEADER: Final = "#version: 0.2"

_CONTROL: Final = re.compile(r"<[|｜]?[\w./▁ -]+[|｜]?>|\[\w+\]")


#: What a directory without bytebpe.json says.
_WITHOUT: Final = sidecar.Sidecar(GPT2, {}, Pipeline())


def find(directory: Path) -> tuple[Path, Path] | None:
    """Return the two files of a directory, None where it has no such pair."""
    for names in PAIRS:
        vocab_path, merges_path = (directory / name for name in names)
        if vocab_path.is_file() and merges_path.is_file():
            return vocab_path, merges_path
    return None


def load(vocab_path: Path, merges_path: Path, pattern: str | None) -> Stored:
    """Read a tokenizer; `pattern` overrides what the directory says."""
    directory = vocab_path.parent
    entries = _read_entries(vocab_path)
    beside = sidecar.read(directory) or _WITHOUT
    specials, added = dict(beside.special_tokens), {}
    if beside is _WITHOUT:
        made = {left + right for left, right in read_merges(merges_path, None)}
        specials = {text: id for text, id in entries.items() if _is_special(text, made)}
        added = _read_entries(directory / "added_tokens.json", missing_ok=True)
        specials.update(added)
    try:
        spelled = {text: to_bytes(text) for text, id in entries.items() if specials.get(text) != id}
        ids = {token: entries[text] for text, token in spelled.items()}
        vocab = Vocab(ids, tuple(read_merges(merges_path, spelled)), specials)
    except SpecialTokenError as error:
        said_by = "added_tokens.json" if error.token in added else sidecar.NAME
        blamed = directory / said_by if (directory / said_by).is_file() else vocab_path
        raise FormatError(str(blamed), None, str(error)) from None
    except FormatError:
        raise
    except VocabError as error:
        raise FormatError(str(vocab_path), None, str(error)) from None
    return Stored(vocab, pattern or beside.pattern, beside.pipeline)


def save(stored: Stored, directory: Path, name: str | None = None) -> None:
    """Write vocab.json, merges.txt and bytebpe.json, whose names are fixed."""
    vocab = stored.vocab
    entries = {to_text(token): id for token, id in vocab.ids.items()}
    for token, id in vocab.special_tokens.items():
        entries.setdefault(token, id)
    in_id_order = dict(sorted(entries.items(), key=lambda entry: entry[1]))
    lines = [HEADER, *(f"{to_text(left)} {to_text(right)}" for left, right in vocab.merges), ""]
    write_files(
        directory,
        {
            "vocab.json": json.dumps(in_id_order, ensure_ascii=False, separators=(",", ":")),
            "merges.txt": "\n".join(lines),
            sidecar.NAME: sidecar.render(stored),
        },
    )


def read_merges(path: Path, spelled: dict[str, bytes] | None) -> list[Merge]:
    """Read the merges, checked line by line.

    `spelled` has all tokens of the vocabulary as they are written and as bytes; None if merges
    with other tokens are as good.

    A line holds two tokens and one space.  The version header and the last line end may
    be missing, and lines may end in CR LF: no token is written with a CR in it.
    """
    lines = read_text(path).split("\n")  # splitlines would also cut at U+0085 and others
    if lines[-1] == "":
        lines.pop()
    first = 1 if lines and lines[0].startswith("#version") else 0
    bytes_of = spelled or {}
    known = set(bytes_of.values())
    line_of: dict[Merge, int] = {}
    for number, line in enumerate(lines[first:], first + 1):
        parts = line.removesuffix("\r").split(" ")
        if len(parts) != 2 or not all(parts):
            raise FormatError(
                str(path), number, f"expected two tokens and one space between, found {line!r}"
            )
        try:
            left, right = (bytes_of.get(part) or to_bytes(part) for part in parts)
        except VocabError as error:
            raise FormatError(str(path), number, str(error)) from None
        if spelled is not None and not (left in known and right in known and left + right in known):
            token = next(token for token in (left, right, left + right) if token not in known)
            raise FormatError(
                str(path), number, f"{to_text(token)!r} is not in the vocabulary file"
            )
        before = line_of.setdefault((left, right), number)
        if before != number:
            raise FormatError(str(path), number, f"the merge {line!r} stands in line {before} too")
    return list(line_of)


def _read_entries(path: Path, *, missing_ok: bool = False) -> dict[str, int]:
    if missing_ok and not path.is_file():
        return {}
    entries = read_json_object(path)
    for token, id in entries.items():
        check_id(path, f"token {token!r}", id)
    return entries


def _is_special(text: str, made: set[bytes]) -> bool:
    """Say whether a token is special that no file calls so; see the head of this module."""
    if _CONTROL.fullmatch(text) is None:
        return False
    try:
        return to_bytes(text) not in made
    except VocabError:
        return True  # it can stand for no bytes, only for its own text
