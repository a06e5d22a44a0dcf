"""Mistral's tekken.json: ranked tokens in base64, the pattern, and the special tokens.

Special tokens have the first ids, as many as `default_num_special_tokens` says, and the ranks
count from there.  Of the ranks only as many are used as `default_vocab_size` leaves room for.
"""

from __future__ import annotations

import base64
import binascii
import json
from pathlib import Path
from typing import Any, Final

from ..errors import FormatError
from ..pipeline import Pipeline
from ..vocab import ID_LIMIT
from . import spellings
from .files import read_json_object, write_files
from .ranks import same_as_ranks
from .stored import Stored
from .tiktoken import LONGEST_TOKEN, from_ranks

NAME: Final = "tekken.json"

#: The special tokens of the first files, which do not list them.
_FIRST: Final = (
    "<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]",
    "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
)  # fmt: skip


def load(path: Path, pattern: str | None) -> Stored:
    """Read a tokenizer; `pattern` overrides the one in the file."""
    content = read_json_object(path)

    def wrong(problem: str) -> FormatError:
        return FormatError(str(path), None, problem)

    config, entries = content.get("config"), content.get("vocab")
    if not isinstance(config, dict) or not isinstance(entries, list):
        raise wrong("expected 'config' and 'vocab'")
    size, reserved = (
        _number(path, config, key) for key in ("default_vocab_size", "default_num_special_tokens")
    )
    if not 256 <= size - reserved <= len(entries):
        raise wrong(
            f"config: {size} tokens, {reserved} of them special, while 'vocab' has {len(entries)}"
        )
    ranks: dict[bytes, int] = {}
    for rank, entry in enumerate(entries[: size - reserved]):
        if not isinstance(entry, dict) or entry.get("rank") != rank:
            raise wrong(f"vocab: expected rank {rank}, found {str(entry)[:80]}")
        try:
            token = base64.b64decode(entry["token_bytes"], validate=True)
        except (KeyError, TypeError, ValueError, binascii.Error):
            raise wrong(f"vocab: rank {rank}: no base64 in {str(entry)[:80]}") from None
        if not 0 < len(token) <= LONGEST_TOKEN:
            raise wrong(f"vocab: rank {rank}: a token has 1 to {LONGEST_TOKEN} bytes")
        if token in ranks:
            raise wrong(f"vocab: rank {rank}: {token!r} has rank {ranks[token] - reserved} too")
        ranks[token] = rank + reserved
    source = pattern or config.get("pattern")
    if not isinstance(source, str):
        raise wrong(f"config: pattern {source!r}")
    source = spellings.known(source)
    if not pattern and (problem := spellings.problem(source)):
        raise wrong(f"config: pattern {source[:80]!r}: {problem}")
    return from_ranks(path, ranks, source, _specials(path, content, reserved), Pipeline())


def _specials(path: Path, content: dict[str, Any], reserved: int) -> dict[str, int]:
    """Return the special tokens; places that have none are named as Mistral's library does."""
    listed = content.get("special_tokens")
    if listed is None:
        listed = [{"token_str": token, "rank": rank} for rank, token in enumerate(_FIRST)]
    if not isinstance(listed, list):
        raise FormatError(str(path), None, "special_tokens: expected a list")
    specials: dict[str, int] = {}
    for entry in listed:
        text = entry.get("token_str") if isinstance(entry, dict) else None
        rank = entry.get("rank") if isinstance(entry, dict) else None
        if not isinstance(text, str) or type(rank) is not int or not 0 <= rank < reserved:
            raise FormatError(str(path), None, f"special_tokens: {str(entry)[:80]}")
        if text in specials or rank in specials.values():
            raise FormatError(str(path), None, f"special_tokens: {text!r} is given twice")
        specials[text] = rank
    taken = set(specials.values())
    for rank in range(reserved):
        if rank not in taken:
            specials[f"<SPECIAL_{rank}>"] = rank
    return specials


def save(stored: Stored, directory: Path, name: str | None) -> None:
    """Write a tekken.json."""
    vocab, pipeline = stored.vocab, stored.pipeline
    target = str(directory / (name or NAME))

    def wrong(problem: str) -> FormatError:
        return FormatError(target, None, f"a tekken.json cannot say it: {problem}")

    reserved = min(vocab.ids.values())
    if sorted(vocab.special_tokens.values()) != list(range(reserved)):
        raise wrong("its special tokens need the lowest ids, without holes")
    if sorted(vocab.ids.values()) != list(range(reserved, len(vocab))):
        raise wrong("the other tokens need the ids that follow, without holes")
    if any(vocab.ids[bytes([byte])] != reserved + byte for byte in range(256)):
        raise wrong("the first 256 ranks are the bytes in order (see Tokenizer.renumber)")
    if problem := same_as_ranks(vocab, pipeline.ignore_merges):
        raise wrong(problem)
    if not pipeline.is_plain or pipeline.template:
        raise wrong("normalization, tokens with flags, several patterns, templates")
    entries = [
        {
            "rank": id - reserved,
            "token_bytes": base64.b64encode(token).decode(),
            "token_str": _readable(token),
        }
        for token, id in sorted(vocab.ids.items(), key=lambda entry: entry[1])
    ]
    specials = [
        {"rank": id, "token_str": token, "is_control": True}
        for token, id in sorted(vocab.special_tokens.items(), key=lambda entry: entry[1])
    ]
    content = {
        "config": {
            "pattern": stored.pattern,
            "num_vocab_tokens": len(entries),
            "default_vocab_size": len(vocab),
            "default_num_special_tokens": reserved,
            "version": "v7",
        },
        "vocab": entries,
        "special_tokens": specials,
    }
    write_files(directory, {name or NAME: json.dumps(content, ensure_ascii=False, indent=1)})


def _readable(token: bytes) -> str | None:
    try:
        return token.decode()
    except UnicodeDecodeError:
        return None


def _number(path: Path, config: dict[str, Any], key: str) -> int:
    value = config.get(key)
    if type(value) is not int or not 0 <= value < ID_LIMIT:
        raise FormatError(str(path), None, f"config: {key} {value!r}")
    return value
