from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

import bytebpe
from bytebpe.errors import MissingDependency


def lay_out(cache: Path, tok: bytebpe.Tokenizer, commit: str = "c" * 40) -> None:
    """Put a repository into a cache as the library lays it out."""
    folder = cache / "models--someone--small"
    tok.save(folder / "snapshots" / commit, format="huggingface")
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text(commit)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("huggingface_hub")
    constants = importlib.import_module("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    return tmp_path


def test_a_repository_in_the_cache_is_read_offline(cache: Path) -> None:
    own = bytebpe.Tokenizer(bytebpe.Vocab.from_merges([(b"a", b"b")]), pattern="o200k")
    lay_out(cache, own)

    tok = bytebpe.from_hub("someone/small", cache_dir=cache)
    pinned = bytebpe.from_hub(
        "someone/small", revision="c" * 40, cache_dir=cache, local_files_only=True
    )

    assert tok.vocab == pinned.vocab == own.vocab
    assert tok.pattern == own.pattern


def test_what_is_not_in_the_cache_is_an_error_of_the_library(cache: Path) -> None:
    from huggingface_hub.errors import LocalEntryNotFoundError

    with pytest.raises(LocalEntryNotFoundError):
        bytebpe.from_hub("someone/other", cache_dir=cache)


def test_without_the_library_the_command_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)

    with pytest.raises(MissingDependency, match=r"pip install 'bytebpe\[hub\]'"):
        bytebpe.from_hub("someone/small")
