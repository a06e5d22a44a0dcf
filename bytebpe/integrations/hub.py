"""Tokenizers of repositories on the Hugging Face hub, by way of `huggingface_hub`.

That library keeps a cache and has an offline switch (HF_HUB_OFFLINE=1); both are honoured, and
its errors go through.  Only files that a tokenizer may consist of are asked for.
"""

from __future__ import annotations

import os
from typing import Final

from ..library import load
from ..tokenizer import Tokenizer
from . import need

FILES: Final = (
    "tokenizer.json", "vocab.json", "merges.txt", "added_tokens.json", "tekken.json",
    "bytebpe.json", "*.tiktoken",
)  # fmt: skip


def from_hub(
    repository: str,
    *,
    revision: str | None = None,
    cache_dir: str | os.PathLike[str] | None = None,
    local_files_only: bool = False,
    pattern: str | None = None,
    cache_size: int | None = None,
) -> Tokenizer:
    """Return the tokenizer of a repository, such as "openai-community/gpt2".

    `revision` is a branch, a tag or a commit; with `local_files_only`, or with HF_HUB_OFFLINE=1
    in the environment, only the cache is looked into.  `pattern` is that of `bytebpe.load`.
    Raises `MissingDependency` without huggingface_hub, what that library raises where there is
    nothing to be had, and `FormatError` as `bytebpe.load` does.
    """
    hub = need("huggingface_hub", "hub")
    directory = hub.snapshot_download(
        repository,
        revision=revision,
        cache_dir=cache_dir,
        local_files_only=local_files_only,
        allow_patterns=list(FILES),
    )
    return load(directory, pattern=pattern, cache_size=cache_size)
