"""Finished tokenizers by name: ours, and those of other libraries, which must be installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..charbpe import CharBPE
from ..formats.codes import CODES
from ..library import load, pretrained
from .peers import needed


def finished(name: str) -> Any:
    """Return a tokenizer by name or place.

    `gpt2` is built in.  A directory holds one of ours, of byte-level or of character BPE.
    `tiktoken:NAME`, `huggingface:FILE` and `sentencepiece:FILE` are read by those libraries;
    what tiktoken does not have at hand it may ask its own server for.

    >>> len(finished("gpt2"))
    50257
    """
    library, colon, rest = name.partition(":")
    if colon and library == "tiktoken":
        return needed("tiktoken").get_encoding(rest)
    if colon and library == "huggingface":
        return needed("tokenizers").Tokenizer.from_str(Path(rest).read_text(encoding="utf-8"))
    if colon and library == "sentencepiece":
        model = Path(rest).read_bytes()
        return needed("sentencepiece").SentencePieceProcessor(model_proto=model)
    if name == "gpt2":
        return pretrained(name)
    if (Path(name) / CODES).is_file():
        return CharBPE.load(name)
    return load(name)
