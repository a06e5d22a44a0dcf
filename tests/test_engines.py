"""Which engine runs, and that none passes for the other."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from functools import partial
from types import SimpleNamespace

import pytest

import bytebpe
from bytebpe import _kernels
from bytebpe.counting import PieceCounter
from bytebpe.patterns import SplitPattern, compile_pattern

PRINT_ENGINE = "from bytebpe import _kernels; print(_kernels.ENGINE)"


def engine_under(**environment: str) -> str:
    env = {name: value for name, value in os.environ.items() if name != "BYTEBPE_PURE"}
    result = subprocess.run(
        [sys.executable, "-c", PRINT_ENGINE],
        env=env | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout.strip()


@pytest.mark.skipif(
    os.environ.get("BYTEBPE_REQUIRE_NATIVE", "0") in ("", "0"), reason="the core is not required"
)
def test_the_core_is_there_where_it_is_required() -> None:
    assert _kernels.ENGINE == "native"
    assert engine_under() == "native"


def test_the_reference_runs_where_it_is_asked_for() -> None:
    assert engine_under(BYTEBPE_PURE="1") == "reference"


def test_the_core_works_where_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {name: lambda *arguments: arguments for name in ("TextEncoder", "Rule", "Decoder")}
    core = SimpleNamespace(ID_LIMIT=10, **made)
    monkeypatch.setattr(_kernels, "native", core)
    vocab, pattern = bytebpe.Vocab.from_merges([]), compile_pattern("gpt2")

    assert not isinstance(_kernels.text_encoder(vocab, pattern, 9), tuple)
    assert not isinstance(_kernels.decoder(vocab), tuple)
    assert _kernels.rule((), (), {}) == ((), (), {})
    core.ID_LIMIT = 300
    assert _kernels.text_encoder(vocab, pattern, 9) == (vocab, pattern, 9, False)
    assert _kernels.decoder(vocab) == (vocab,)


def test_the_core_trains_where_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    class Counter:
        def learn(self, symbols: object, **options: object) -> str:
            return "learned"

    def piece_counter(pattern: SplitPattern, *limits: object) -> Counter | None:
        return None if pattern.source == "x|y" else Counter()

    core = SimpleNamespace(
        PieceCounter=Counter, piece_counter=piece_counter, learn=lambda *rows, **options: "learned"
    )
    monkeypatch.setattr(_kernels, "native", core)
    monkeypatch.setattr(_kernels, "native_train", core)
    options = {
        "new_symbol": 9, "max_merges": 9, "min_frequency": 2, "max_width": None,
        "ties": "lowest", "on_merge": print,
    }  # fmt: skip

    for pattern, kind in (("gpt2", Counter), ("x|y", PieceCounter)):
        pieces = _kernels.piece_counter(compile_pattern(pattern), ())
        assert type(pieces) is kind
        assert _kernels.learn_pieces(pieces, range(256), **options) == "learned"  # type: ignore[arg-type]


def test_texts_grow_and_samples_are_drawn_where_the_core_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = {name: partial(lambda *given: given, name) for name in ("GrowingTexts", "Sampler")}
    monkeypatch.setattr(_kernels, "native", SimpleNamespace(ID_LIMIT=300, left_sizes=len))
    monkeypatch.setitem(sys.modules, "bytebpe.native_growing", SimpleNamespace(**made))
    monkeypatch.setattr(bytebpe, "native_growing", SimpleNamespace(**made), raising=False)
    vocab, pattern = bytebpe.Vocab.from_merges([]), compile_pattern("gpt2")

    assert _kernels.growing_texts(vocab, pattern)[1:] == (vocab, pattern)
    assert _kernels.sampler(vocab, pattern)[1:] == (vocab, pattern)
    assert _kernels.left_sizes([b"a", b"b"]) == 2


def test_each_engine_is_the_one_it_claims_to_be(engine: str) -> None:
    encoder = _kernels.text_encoder(bytebpe.Vocab.from_merges([]), compile_pattern("gpt2"), 9)

    assert type(encoder).__module__ == f"bytebpe.{'native' if engine == 'native' else 'ordinary'}"

    pieces = _kernels.piece_counter(compile_pattern("gpt2"), ())
    module = "native_train" if engine == "native" else "counting"
    assert type(pieces).__module__ == f"bytebpe.{module}"


def test_without_the_core_the_reference_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BYTEBPE_PURE", raising=False)
    monkeypatch.setitem(sys.modules, "bytebpe._native", None)
    for module in ("native", "native_train"):
        monkeypatch.delitem(sys.modules, f"bytebpe.{module}", raising=False)
        monkeypatch.delattr(bytebpe, module, raising=False)
    monkeypatch.delattr(bytebpe, "_native", raising=False)
    monkeypatch.delitem(sys.modules, "bytebpe._kernels")
    monkeypatch.setattr(bytebpe, "_kernels", _kernels)  # to be put back after the import below

    switch = importlib.import_module("bytebpe._kernels")

    assert switch.ENGINE == "reference"


@pytest.mark.skipif(_kernels.ENGINE != "native", reason="the native core is not built")
def test_engines_give_the_same_ids(corpus: list[str], gpt2: bytebpe.Tokenizer) -> None:
    program = (
        "import sys, hashlib, bytebpe; tok = bytebpe.pretrained('gpt2');"
        "ids = tok.encode_bytes(sys.stdin.buffer.read());"
        "print(hashlib.sha256(repr(ids).encode()).hexdigest())"
    )
    text = "\n".join(corpus).encode()

    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            input=text,
            env={**os.environ, "BYTEBPE_PURE": pure},
            capture_output=True,
            check=True,
        ).stdout
        for pure in ("0", "1")
    }

    assert len(digests) == 1
