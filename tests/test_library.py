from __future__ import annotations

import hashlib
import importlib
import os
import pickle
import subprocess
import sys
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
    assert built_in.merge_numbers == checked.merge_numbers
    assert built_in.byte_ids == checked.byte_ids
    assert built_in.highest_id == checked.highest_id


def test_each_part_of_it_can_be_asked_for_first() -> None:
    checked = bytebpe.Vocab(*assets.gpt2().__reduce__()[1])  # type: ignore[arg-type]

    for part in ("ids", "merges", "tokens", "merge_ids"):
        assert getattr(assets.gpt2(), part) == getattr(checked, part)
    assert pickle.loads(pickle.dumps(assets.gpt2())) == checked
    assert assets.gpt2().with_special_tokens({"<x>": 60_000})[60_000] == b"<x>"


def test_loading_imports_what_it_needs_and_no_more(engine: str) -> None:
    """Each of these takes longer to import than the vocabulary to load."""
    program = (
        "import sys; before = set(sys.modules); import bytebpe, bytebpe._kernels as kernels;"
        "tok = bytebpe.pretrained('gpt2');"
        "tok.decode(tok.encode('Hello 世界')) if kernels.ENGINE == 'native' else None;"
        "print(kernels.ENGINE, *set(sys.modules) - before)"
    )
    pure = "0" if engine == "native" else "1"

    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "BYTEBPE_PURE": pure},
        capture_output=True,
        text=True,
        check=True,
    )
    ran, *imported = done.stdout.split()

    assert ran == engine
    slow = {"regex", "importlib.resources", "json", "tempfile", "zipfile"}
    ours = {f"bytebpe.{name}" for name in ("dfa", "formats", "training", "cli")}
    assert not (slow | ours) & set(imported)


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
