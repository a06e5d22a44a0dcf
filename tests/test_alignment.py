from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bytebpe
from bytebpe.formats import Stored, huggingface
from bytebpe.formats.huggingface_steps import Unsupported
from bytebpe.pipeline import AddedToken, Pipeline
from strategies import texts, texts_with_tokens, tokenizers_with_pipelines

Unit = Literal["char", "byte", "utf16"]
UNITS: tuple[Unit, ...] = ("char", "byte", "utf16")


@given(text=texts())
def test_spans_are_those_of_offsets(gpt2: bytebpe.Tokenizer, text: str) -> None:
    alignment = gpt2.align(text, disallowed_special=())

    for unit in UNITS:
        assert alignment.spans(unit) == gpt2.offsets(text, unit=unit, disallowed_special=())
    assert list(alignment.ids) == gpt2.encode_ordinary(text)


@given(text=texts().filter(bool), data=st.data())
def test_each_character_is_found_in_the_tokens_that_hold_it(
    gpt2: bytebpe.Tokenizer, text: str, data: st.DataObject
) -> None:
    alignment = gpt2.align(text, disallowed_special=())
    at = data.draw(st.integers(0, len(text) - 1))

    tokens = alignment.char_to_tokens(at)

    held = b"".join(gpt2.token_bytes(alignment.ids[token]) for token in tokens)
    assert text[at].encode() in held
    assert alignment.char_to_token(at) == tokens[0]
    for token, (start, end) in enumerate(alignment.spans()):
        assert (token in tokens) == (start <= at < end)
        assert alignment.token_to_chars(token) == (start, end)
        first, last = alignment.token_to_bytes(token)
        whole = text[start:end].encode() == text.encode()[first:last]
        assert alignment.splits_character[token] == (not whole)
    in_bytes = len(text[:at].encode())
    in_units = len(text[:at].encode("utf-16-le")) // 2
    assert alignment.char_to_tokens(in_units, "utf16") == tokens
    assert alignment.char_to_token(in_bytes, "byte") == tokens[0]


def test_what_is_outside_is_refused(gpt2: bytebpe.Tokenizer) -> None:
    alignment = gpt2.align("a👋")

    for position, unit in ((2, "char"), (5, "byte"), (3, "utf16"), (-1, "char")):
        with pytest.raises(IndexError, match=f"position {position} is outside the text of"):
            alignment.char_to_tokens(position, unit)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unit: expected"):
        alignment.spans("line")  # type: ignore[arg-type]


@given(tok=tokenizers_with_pipelines(), text=texts_with_tokens())
@settings(max_examples=40)
def test_spans_stay_in_the_text_and_in_order(tok: bytebpe.Tokenizer, text: str) -> None:
    alignment = tok.align(text, allowed_special="all")

    assert list(alignment.ids) == tok.encode(text, allowed_special="all")
    assert all(0 <= start <= end <= len(text.encode()) for start, end in alignment.bytes)
    for unit in UNITS:
        assert alignment.spans(unit) == tok.offsets(text, unit=unit, allowed_special="all")


def as_peer(tok: bytebpe.Tokenizer) -> Any:
    tokenizers = pytest.importorskip("tokenizers")
    content = huggingface.render(Stored(tok.vocab, tok.pattern, tok.pipeline))
    content["post_processor"] = None  # which may leave the spaces out of the spans
    return tokenizers.Tokenizer.from_str(json.dumps(content))


@given(tok=tokenizers_with_pipelines(), text=texts_with_tokens())
@settings(max_examples=60)
def test_spans_are_those_of_huggingface_where_nothing_is_changed(
    tok: bytebpe.Tokenizer, text: str
) -> None:
    pipeline = tok.pipeline
    if pipeline.normalizer or pipeline.prefix_space:
        return
    try:
        peer = as_peer(tok)
    except Unsupported:
        return

    assert tok.align(text, allowed_special="all").spans() == peer.encode(text).offsets


def normalizing(**steps: Any) -> bytebpe.Tokenizer:
    vocab = bytebpe.Vocab.from_merges([(b" ", b"a")], special_tokens=["<x>", "fi"])
    return bytebpe.Tokenizer(vocab, pipeline=Pipeline(normalizer=("NFKC",), **steps))


def test_places_are_those_of_the_text_as_it_was_given() -> None:
    tok = normalizing(prefix_space=True)

    assert tok.offsets("ae\u0301a") == [(0, 1), (1, 3), (1, 3), (3, 4)]
    assert tok.offsets("ab") == [(0, 1), (1, 2)]
    assert tok.offsets("ﬁb", unit="byte") == [(0, 0), (0, 3), (0, 3), (3, 4)]
    assert tok.align("ﬁb").char_to_tokens(0) == range(1, 3)


def test_a_token_found_in_normalized_text_spans_what_it_was_made_of() -> None:
    tok = normalizing(added=(AddedToken("fi", normalized=True), AddedToken("<x>", lstrip=True)))

    alignment = tok.align("b \t<x>", allowed_special="all")

    assert alignment.spans() == [(0, 1), (1, 6)]
    assert alignment.char_to_token(2) == 1
    assert tok.align("ﬁb", allowed_special="all").spans()[0] == (0, 2)


def test_white_space_that_no_token_holds_is_found_nowhere() -> None:
    alignment = bytebpe.Alignment("a b", (1, 2), ((0, 1), (2, 3)))

    assert alignment.char_to_token(1) is None
