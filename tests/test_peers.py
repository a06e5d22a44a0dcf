"""Equal to tiktoken and to Hugging Face's tokenizers, where those define the answer."""

from __future__ import annotations

import json
import random
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytebpe
from bytebpe.errors import TrainingWarning
from bytebpe.patterns import NAMED, compile_pattern
from bytebpe.pretokenize import split
from strategies import texts

tiktoken = pytest.importorskip("tiktoken")
tokenizers = pytest.importorskip("tokenizers")

ROOT = Path(__file__).parent.parent


def as_tiktoken(tok: bytebpe.Tokenizer, pattern: str) -> Any:
    ranks, special = tok.mergeable_ranks, tok.special_tokens
    return tiktoken.Encoding("peer", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)


@pytest.fixture(scope="session")
def tiktoken_gpt2(gpt2: bytebpe.Tokenizer) -> Any:
    from tiktoken_ext.openai_public import r50k_pat_str

    return as_tiktoken(gpt2, r50k_pat_str)


@pytest.fixture(scope="session")
def huggingface_gpt2(gpt2: bytebpe.Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Any:
    directory = tmp_path_factory.mktemp("gpt2")
    gpt2.save(directory)
    peer = tokenizers.ByteLevelBPETokenizer(
        str(directory / "vocab.json"), str(directory / "merges.txt")
    )
    assert peer.get_vocab_size() == len(gpt2)
    return peer


@given(text=st.one_of(texts(), st.text()))
def test_gpt2_ids_of_any_text(
    gpt2: bytebpe.Tokenizer, tiktoken_gpt2: Any, huggingface_gpt2: Any, text: str
) -> None:
    ids = gpt2.encode_ordinary(text)

    assert ids == tiktoken_gpt2.encode_ordinary(text)
    assert ids == huggingface_gpt2.encode(text).ids


def test_gpt2_ids_of_real_text(
    gpt2: bytebpe.Tokenizer, tiktoken_gpt2: Any, huggingface_gpt2: Any, corpus: list[str]
) -> None:
    for text in corpus:
        ids = gpt2.encode_ordinary(text)

        assert ids == tiktoken_gpt2.encode_ordinary(text)
        assert ids == huggingface_gpt2.encode(text).ids


@given(text=texts(), allowed=st.sampled_from(["all", frozenset()]))
def test_special_tokens_as_tiktoken_has_them(
    gpt2: bytebpe.Tokenizer, tiktoken_gpt2: Any, text: str, allowed: Any
) -> None:
    text = f"{text}<|endoftext|> {text}"

    actual = gpt2.encode(text, allowed_special=allowed, disallowed_special=())

    expected = tiktoken_gpt2.encode(
        text, allowed_special="all" if allowed else set(), disallowed_special=()
    )
    assert actual == expected


@pytest.mark.parametrize("name", NAMED)
@given(text=st.one_of(texts(), st.text()))
def test_pieces_of_each_named_pattern(name: str, text: str) -> None:
    regex = tokenizers.Regex(NAMED[name])
    peer = tokenizers.pre_tokenizers.Split(regex, behavior="isolated")

    pieces = split(text, compile_pattern(name))

    assert pieces == [piece for piece, _ in peer.pre_tokenize_str(text)]


@pytest.fixture(scope="session", params=NAMED)
def trained(request: pytest.FixtureRequest, corpus: list[str]) -> bytebpe.Tokenizer:
    return bytebpe.train(corpus, vocab_size=1500, pattern=request.param)


@pytest.fixture(scope="session")
def trained_peer(trained: bytebpe.Tokenizer) -> Any:
    return as_tiktoken(trained, trained.pattern)


@given(text=st.one_of(texts(), st.text()))
def test_ids_of_a_tokenizer_trained_here(
    trained: bytebpe.Tokenizer, trained_peer: Any, text: str
) -> None:
    assert trained.encode_ordinary(text) == trained_peer.encode_ordinary(text)


CORPORA = {
    "all": "*.txt",
    "English": "en.txt",
    "Chinese": "zh.txt",
    "code": "code.txt",
    "emoji": "emoji.txt",
}


@pytest.mark.parametrize(
    ("kind", "min_frequency", "vocab_size"),
    [("all", 5, 3000), ("all", 0, 700), *((kind, 2, 3000) for kind in CORPORA)],
)
def test_merges_are_those_of_huggingfaces_trainer(
    kind: str, min_frequency: int, vocab_size: int
) -> None:
    files = sorted((ROOT / "data" / "corpora").glob(CORPORA[kind]))
    rows = [file.read_text(encoding="utf-8") for file in files]
    assert_merges_are_those_of_huggingface(rows, min_frequency, vocab_size)


def test_merges_of_runs_are_those_of_huggingfaces_trainer() -> None:
    draw = random.Random(0)
    for _ in range(200):
        runs = ("".join(draw.choices("aab", k=3)) * draw.randint(1, 9) for _ in range(9))
        assert_merges_are_those_of_huggingface([" ".join(runs)], draw.randint(0, 3), 290)


def assert_merges_are_those_of_huggingface(
    rows: list[str], min_frequency: int, vocab_size: int
) -> None:
    level = tokenizers.pre_tokenizers.ByteLevel
    peer = tokenizers.Tokenizer(tokenizers.models.BPE())
    peer.pre_tokenizer = level(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        initial_alphabet=level.alphabet(),
        show_progress=False,
    )
    peer.train_from_iterator(rows, trainer)
    expected = [tuple(merge) for merge in json.loads(peer.to_str())["model"]["merges"]]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        tok = bytebpe.train(rows, vocab_size=vocab_size, min_frequency=min_frequency)

    proxies = bytebpe.bytes_to_unicode()
    merges = [
        tuple("".join(proxies[byte] for byte in part) for part in merge) for merge in tok.merges
    ]
    assert merges == expected
