"""BPE-dropout: the ways of the paper, in its shares, and for a seed the same everywhere."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytebpe
from bytebpe.errors import SpecialTokenError
from strategies import texts, vocabs

PATTERNS = ["gpt2", "o200k", r"\b\w+|\X"]  # the automaton refuses the last
PROBABILITY = st.sampled_from([0.1, 0.5, 0.9]) | st.floats(0, 1)


@pytest.fixture(scope="session")
def toks(gpt2: bytebpe.Tokenizer) -> list[bytebpe.Tokenizer]:
    return [bytebpe.Tokenizer(gpt2.vocab, pattern=pattern) for pattern in PATTERNS]


def one_way(
    piece: bytes, vocab: bytebpe.Vocab, dropout: float, rng: random.Random
) -> tuple[int, ...]:
    """Do what algorithm 1 of the paper says, word by word."""
    ranks = {merge: rank for rank, merge in enumerate(vocab.merges)}
    parts = [bytes([byte]) for byte in piece]
    while True:
        merges = [(ranks[pair], at) for at, pair in enumerate(pairwise(parts)) if pair in ranks]
        merges = [merge for merge in merges if rng.random() >= dropout]
        if not merges:
            return tuple(vocab.ids[part] for part in parts)
        _, at = min(merges)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


@pytest.mark.parametrize("dropout", [0.1, 0.5, 0.8])
def test_ways_come_in_the_shares_of_the_paper(engine: str, dropout: float) -> None:
    vocab = bytebpe.Vocab.from_merges(
        [(b"l", b"o"), (b"e", b"r"), (b"lo", b"w"), (b"low", b"er"), (b"lo", b"lo"), (b"o", b"w")]
    )
    tok = bytebpe.Tokenizer(vocab)
    rng = random.Random(11)
    size = 6_000

    right = Counter(one_way(b"lolower", vocab, dropout, rng) for _ in range(size))
    ours = Counter(map(tuple, tok.samples("lolower", size, dropout=dropout, seed=5)))

    # Two samples of the same size: the sum is chi-squared, with a mean of one for each way
    # but one and twice that as its variance.
    ways = right.keys() | ours.keys()
    common = [way for way in ways if right[way] + ours[way] >= 10]
    assert len(common) >= 6
    assert sum(right[way] + ours[way] for way in ways if way not in common) < 0.02 * size
    chi = sum((right[way] - ours[way]) ** 2 / (right[way] + ours[way]) for way in common)
    assert chi < len(common) + 4 * (2 * len(common)) ** 0.5


@given(which=st.integers(0, 2), text=texts(6), seed=st.integers(-(2**70), 2**70))
def test_without_dropout_it_is_encoding_and_with_all_of_it_bytes(
    toks: list[bytebpe.Tokenizer], which: int, text: str, seed: int
) -> None:
    tok = toks[which]

    assert tok.samples(text, 1, dropout=0.0, seed=seed, disallowed_special=()) == [
        tok.encode_ordinary(text)
    ]
    assert tok.encode(text, dropout=1.0, seed=seed, disallowed_special=()) == [
        tok.vocab.ids[bytes([byte])] for byte in text.encode()
    ]


@given(which=st.integers(0, 2), text=texts(6), dropout=PROBABILITY, seed=st.integers(0, 2**64))
def test_every_way_gives_the_text_back_and_a_seed_the_same_way(
    toks: list[bytebpe.Tokenizer], which: int, text: str, dropout: float, seed: int
) -> None:
    options = {"dropout": dropout, "seed": seed, "disallowed_special": ()}
    tok = toks[which]

    ids = tok.encode(text, **options)  # type: ignore[arg-type]
    rows = tok.encode_batch([text, text, text], **options)  # type: ignore[arg-type]

    assert tok.decode(ids) == text
    assert ids == rows[0]
    if dropout:
        assert rows == tok.samples(text, 3, **options)  # type: ignore[arg-type]


@given(vocab=vocabs(ordered=False), text=st.text("abc ", max_size=300), dropout=PROBABILITY)
def test_any_vocabulary(vocab: bytebpe.Vocab, text: str, dropout: float) -> None:
    tok = bytebpe.Tokenizer(vocab)

    assert tok.decode(tok.encode(text, dropout=dropout)) == text


def test_ids_of_a_seed_are_for_ever(gpt2: bytebpe.Tokenizer) -> None:
    ids = gpt2.encode("Unsupervised tokenization", dropout=0.3, seed=7)

    assert ids == [3118, 16668, 16149, 284, 74, 43850, 89, 341]
    assert ids != gpt2.encode("Unsupervised tokenization", dropout=0.3, seed=8)


def test_special_tokens_are_never_dropped(gpt2: bytebpe.Tokenizer) -> None:
    text = "Hi<|endoftext|>there"

    ids = gpt2.encode(text, dropout=0.9, allowed_special="all")

    assert ids.count(50256) == 1
    assert gpt2.decode(ids) == text
    with pytest.raises(SpecialTokenError, match="at character 2"):
        gpt2.samples(text, 1)


def test_a_long_piece_is_not_quadratic(gpt2: bytebpe.Tokenizer) -> None:
    text = "a" * 20_000

    assert gpt2.decode(gpt2.encode(text, dropout=0.2)) == text


@pytest.mark.parametrize("dropout", [-0.1, 1.1, float("nan")])
def test_what_is_no_probability_is_a_value_error(gpt2: bytebpe.Tokenizer, dropout: float) -> None:
    with pytest.raises(ValueError, match="dropout: expected a probability from 0 to 1"):
        gpt2.encode("a", dropout=dropout)
    with pytest.raises(ValueError, match="dropout"):
        gpt2.encode_batch(["a"], dropout=dropout)
