from __future__ import annotations

import hashlib
import importlib
from pathlib import Path

import pytest

import bytebpe
from bytebpe import assets
from bytebpe.bytemap import to_text

PUBLISHED_SHA256 = "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"


def vocab_bpe(vocab: bytebpe.Vocab) -> bytes:
    lines = ["#version: 0.2", *(f"{to_text(a)} {to_text(b)}" for a, b in vocab.merges), ""]
    return "\n".join(lines).encode("utf-8")


def test_the_built_in_merges_are_those_openai_published() -> None:
    rebuilt = vocab_bpe(assets.gpt2())

    assert hashlib.sha256(rebuilt).hexdigest() == PUBLISHED_SHA256


def test_the_built_in_vocabulary_stands_the_checks_it_is_spared() -> None:
    built_in = assets.gpt2()

    checked = bytebpe.Vocab(built_in.ids, built_in.merges, built_in.special_tokens)

    assert built_in == checked
    assert built_in.tokens == checked.tokens
    assert built_in.merge_ids == checked.merge_ids


def test_the_asset_is_what_the_tool_writes() -> None:
    tool = importlib.import_module("tools.gpt2_asset")
    asset = Path(assets.__file__).with_name("gpt2.bin")

    assert tool.pack(vocab_bpe(assets.gpt2())) == asset.read_bytes()
    with pytest.raises(SystemExit, match="not the published"):
        tool.pack(b"#version: 0.2\na b\n")


def test_the_asset_is_small() -> None:
    assert Path(assets.__file__).with_name("gpt2.bin").stat().st_size < 170_000


def test_the_saved_files_are_those_openai_published(
    gpt2: bytebpe.Tokenizer, tmp_path: Path
) -> None:
    gpt2.save(tmp_path)

    assert hashlib.sha256((tmp_path / "merges.txt").read_bytes()).hexdigest() == PUBLISHED_SHA256
