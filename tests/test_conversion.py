from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bytebpe
from bytebpe import conversion
from bytebpe.bytemap import ID_ORDER
from bytebpe.cli import main
from bytebpe.conversion import convert
from bytebpe.errors import ConversionError, FormatError
from bytebpe.pipeline import Pipeline, Template

PEERS = {
    "gpt2": "tokenizers",
    "huggingface": "tokenizers",
    "tiktoken": "tiktoken",
    "tekken": "mistral_common",
    "minbpe": "",
}


@pytest.fixture(scope="session")
def trained(engine: str, corpus: list[str]) -> bytebpe.Tokenizer:
    return bytebpe.train(corpus[:6], vocab_size=700, special_tokens=["<|end|>"])


def fitting(tok: bytebpe.Tokenizer, format: str) -> bytebpe.Tokenizer:
    """Give a tokenizer the ids that a format wants."""
    ids = {t: id if id > 255 else ID_ORDER[id] for t, id in tok.vocab.ids.items()}
    if format == "tekken":
        ids = {token: id + 1 for token, id in ids.items()}
        return bytebpe.Tokenizer(bytebpe.Vocab(ids, tok.vocab.merges, {"<|end|>": 0}))
    if format == "minbpe":
        return bytebpe.Tokenizer(bytebpe.Vocab(ids, tok.vocab.merges, {"<|end|>": 699}))
    return tok


@pytest.mark.parametrize("format", PEERS)
def test_a_tokenizer_is_the_same_in_every_format(
    trained: bytebpe.Tokenizer, corpus: list[str], tmp_path: Path, format: str
) -> None:
    tok = fitting(trained, format)

    proof = convert(tok, tmp_path, format=format, texts=corpus[6:9], strings=200)

    assert proof.texts == 204
    if PEERS[format]:
        pytest.importorskip(PEERS[format])
        assert [name.split()[0].replace("-", "_") for name in proof.readers] == [
            "bytebpe",
            PEERS[format],
        ]
    assert f"{proof.ids} ids of 204 texts are the same, read by bytebpe" in str(proof)


@pytest.mark.parametrize("format", PEERS)
def test_without_the_library_what_is_written_is_read_again_here(
    trained: bytebpe.Tokenizer, tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversion, "import_module", missing)

    proof = convert(fitting(trained, format), tmp_path, format=format, strings=2)

    assert proof.readers == ("bytebpe",)


def missing(name: str) -> Any:
    raise ImportError(name)


def test_a_pipeline_is_converted_too(trained: bytebpe.Tokenizer, tmp_path: Path) -> None:
    around = Template(((699, 0), ("A", 0)))
    pipeline = Pipeline(normalizer=("NFC",), template=around, prefix_space=True)
    tok = bytebpe.Tokenizer(trained.vocab, pipeline=pipeline)

    assert len(convert(tok, tmp_path / "tokenizer.json", strings=50).readers) == 2
    assert convert(tok, tmp_path / "pair", strings=50).readers == ("bytebpe",)
    assert convert(tok, tmp_path / "t", format="tiktoken", strings=9).readers == ("bytebpe",)
    assert bytebpe.load(tmp_path / "pair").pipeline == pipeline


def test_a_difference_is_an_error_with_the_first_text(
    trained: bytebpe.Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = bytebpe.Tokenizer(trained.vocab, pattern="cl100k")
    monkeypatch.setattr(conversion, "load", lambda *args, **more: other)

    with pytest.raises(
        ConversionError, match=r"read by bytebpe: the ids of .* differ from the \d+th"
    ):
        convert(trained, tmp_path)


def test_the_command_line_converts_and_tells(
    trained: bytebpe.Tokenizer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trained.save(tmp_path / "own")
    text = tmp_path / "text"
    text.write_text("some text", encoding="utf-8")
    source, target = str(tmp_path / "own"), str(tmp_path / "tokenizer.json")

    assert main(["convert", source, target, "--verify", str(text)]) == 0
    assert "ids of 1002 texts are the same" in capsys.readouterr().out
    assert main(["convert", target, str(tmp_path / "x.tiktoken")]) == 0
    assert main(["count", "--tokenizer", str(tmp_path / "x.tiktoken"), str(text)]) == 2
    assert "give the pattern" in capsys.readouterr().err
    ranks = str(tmp_path / "x.tiktoken")
    assert main(["count", "--tokenizer", ranks, "--pattern", "gpt2", str(text)]) == 0
    assert main(["convert", target, str(tmp_path / "x.model")]) == 2
    assert "each byte needs its own value" in capsys.readouterr().err
    with pytest.raises(FormatError):
        bytebpe.load(ranks)
