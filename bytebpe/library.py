"""Where tokenizers come from that are not trained here: the package itself, and files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from . import assets
from .errors import VocabError
from .pipeline import PLAIN
from .tokenizer import Tokenizer


def pretrained(
    name: str,
    *,
    path: str | os.PathLike[str] | None = None,
    cache_size: int | None = None,
) -> Tokenizer:
    """Return a tokenizer of a published vocabulary; nothing is ever downloaded.

    "gpt2" comes with the package.  "r50k", "p50k", "p50k_edit", "cl100k", "o200k" and
    "o200k_harmony", with or without "_base", are read from the file at `path`, from tiktoken's
    cache or data-gym's, or from an installed package that ships the file, and always checked by
    SHA-256.  Raises `VocabError` for a name that is unknown and a file that is not found, which
    names the choices.

    >>> len(pretrained("gpt2"))
    50257
    """
    if name == "gpt2" and path is None:
        return Tokenizer(assets.gpt2(), pattern="gpt2", cache_size=cache_size)
    from .formats import found, published, tiktoken  # which the built-in one does not need

    known = published.by_name(name)
    if known is None:
        raise VocabError(
            f"no built-in vocabulary {name!r}; built in: 'gpt2', and looked for on this machine: "
            f"{', '.join(map(repr, published.KNOWN))}"
        )
    data = found.check(path, known.file) if path is not None else found.read(known.file)
    ranks = tiktoken.read_ranks(Path(path or known.file.name), data)
    stored = tiktoken.from_ranks(
        Path(known.file.name), ranks, known.pattern, known.special_tokens, PLAIN
    )
    return Tokenizer(
        stored.vocab, pattern=stored.pattern, pipeline=stored.pipeline, cache_size=cache_size
    )


def load(
    path: str | os.PathLike[str],
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    cache_size: int | None = None,
) -> Tokenizer:
    """Read a tokenizer from a file or a directory, in any of the formats that `save` writes.

    These are the pair vocab.json and merges.txt (or encoder.json and vocab.bpe), tokenizer.json
    of Hugging Face, *.tiktoken, tekken.json and minbpe's *.model; which it is, is told by the
    content.  `pattern` overrides what the files say of how texts are split, and has to be given
    where they say nothing, as *.tiktoken files do that are none of the published ones;
    `special_tokens` come on top.

    What a file asks for and cannot be done exactly, and what is broken in it, raises
    `FormatError`, with the file and the line or the part.
    """
    from . import formats  # which `pretrained` does not need

    stored = formats.load(path, pattern=pattern, special_tokens=special_tokens)
    return Tokenizer(
        stored.vocab, pattern=stored.pattern, pipeline=stored.pipeline, cache_size=cache_size
    )
