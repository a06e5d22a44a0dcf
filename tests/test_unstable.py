"""Unstable ends of texts: what tiktoken says of them, and what that means."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

import bytebpe
from strategies import texts

tiktoken = pytest.importorskip("tiktoken")

ENDS = [
    "Hello worl",
    "",
    " ",
    "  ",
    "a\n\n ",
    "x<|endoftext|>",
    "世",
    "naïve 世",
    "I'l",
    "\u3000\u3000",
]
ENDS += ["def f(x):\n    ", "👋", "a\x1c", "a \x85", "12345", "!?", "\n\n\n", "é", " a", "ab  "]


@pytest.fixture(scope="session", params=["gpt2", "cl100k"])
def pair(request: pytest.FixtureRequest, gpt2: bytebpe.Tokenizer) -> tuple[bytebpe.Tokenizer, Any]:
    tok = bytebpe.Tokenizer(gpt2.vocab, pattern=request.param)
    peer = tiktoken.Encoding(
        "peer",
        pat_str=tok.pattern,
        mergeable_ranks=tok.mergeable_ranks,
        special_tokens=tok.special_tokens,
    )
    return tok, peer


def check(pair: tuple[bytebpe.Tokenizer, Any], text: str) -> None:
    tok, peer = pair
    ids, completions = peer.encode_with_unstable(text, allowed_special="all")

    ours = tok.encode_with_unstable(text, allowed_special="all")

    assert ours.ids == ids
    assert ours.completions == sorted(completions)


@pytest.mark.parametrize("text", ENDS)
def test_it_is_what_tiktoken_says(pair: tuple[bytebpe.Tokenizer, Any], text: str) -> None:
    check(pair, text)
    check(pair, "The cat" + text)


@settings(max_examples=25)
@given(text=texts(3))
def test_so_it_is_for_any_text(pair: tuple[bytebpe.Tokenizer, Any], text: str) -> None:
    check(pair, text)


@settings(max_examples=25)
@given(text=texts(3))
def test_every_completion_goes_through_the_text(gpt2: bytebpe.Tokenizer, text: str) -> None:
    unstable = gpt2.encode_with_unstable(text, disallowed_special=())

    for completion in unstable.completions:
        data = gpt2.decode_bytes(unstable.ids + completion)
        before = gpt2.decode_bytes(unstable.ids + completion[:-1])
        assert data.startswith(text.encode())
        assert len(before) < len(text.encode())


def test_a_special_token_at_the_end_is_stable(gpt2: bytebpe.Tokenizer) -> None:
    unstable = gpt2.encode_with_unstable("x<|endoftext|>", allowed_special="all")

    assert unstable == ([87, 50256], [])
