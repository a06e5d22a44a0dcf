"""Where tokenizers come from that are not trained here: the package itself, and files."""

from __future__ import annotations

import os

from . import assets, formats
from .errors import VocabError
from .tokenizer import Tokenizer


def pretrained(name: str, *, cache_size: int | None = None) -> Tokenizer:
    """Return a tokenizer that comes with the package; nothing is ever downloaded.

    Raises `VocabError` for a name that is not built in; "gpt2" is.

    >>> len(pretrained("gpt2"))
    50257
    """
    if name != "gpt2":
        raise VocabError(f"no built-in vocabulary {name!r}; built in: 'gpt2'")
    return Tokenizer(assets.gpt2(), pattern="gpt2", cache_size=cache_size)


def load(
    path: str | os.PathLike[str], *, pattern: str | None = None, cache_size: int | None = None
) -> Tokenizer:
    """Read a tokenizer from a directory that holds vocab.json and merges.txt.

    The old names encoder.json and vocab.bpe do as well.  `pattern` overrides what the
    directory says, which is GPT-2's where it says nothing.  Raises `FormatError`, with
    the file and the line, for a file that is not what it should be.
    """
    stored = formats.load(path, pattern=pattern)
    return Tokenizer(stored.vocab, pattern=stored.pattern, cache_size=cache_size)
