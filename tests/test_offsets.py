from __future__ import annotations

import pytest
from hypothesis import given

import bytebpe
from bytebpe.offsets import Unit, offsets
from strategies import texts

BYTE_TOKENIZER = bytebpe.Vocab.from_merges([])


def width(text: str, unit: Unit) -> int:
    if unit == "char":
        return len(text)
    return len(text.encode()) if unit == "byte" else len(text.encode("utf-16-le")) // 2


def spans_by_prefix(tokens: list[bytes], unit: Unit) -> list[tuple[int, int]]:
    """Measure the text before each token, and the text up to its end, whole characters only."""
    text, spans, at = b"".join(tokens).decode(), [], 0
    ends = [len(text[:i].encode()) for i in range(len(text) + 1)]  # of each character, in bytes
    for token in tokens:
        start = max(i for i, end in enumerate(ends) if end <= at)
        stop = min(i for i, end in enumerate(ends) if end >= at + len(token))
        spans.append((width(text[:start], unit), width(text[:stop], unit)))
        at += len(token)
    return spans


@pytest.mark.parametrize("unit", ["char", "utf16"])
@given(text=texts(8))
def test_spans_cover_the_characters_a_token_touches(
    gpt2: bytebpe.Tokenizer, unit: Unit, text: str
) -> None:
    tokens = gpt2.tokens(text, disallowed_special=())

    actual = gpt2.offsets(text, unit=unit, disallowed_special=())

    assert actual == spans_by_prefix(tokens, unit)


@given(text=texts())
def test_spans_in_bytes_tile_the_text(gpt2: bytebpe.Tokenizer, text: str) -> None:
    data = text.encode()

    spans = gpt2.offsets(text, unit="byte", disallowed_special=())

    assert [data[start:end] for start, end in spans] == gpt2.tokens(text, disallowed_special=())
    assert [start for start, _ in spans] == [0, *(end for _, end in spans[:-1])][: len(spans)]


def test_special_tokens_have_their_place(gpt2: bytebpe.Tokenizer) -> None:
    spans = gpt2.offsets("é<|endoftext|>👋", allowed_special="all")

    assert spans == [(0, 1), (1, 14), (14, 15), (14, 15)]


def test_utf16_counts_two_units_beyond_the_basic_plane() -> None:
    assert offsets(["👋a".encode()[:2], "👋a".encode()[2:]], "utf16") == [(0, 2), (0, 3)]


def test_no_text_has_no_spans(gpt2: bytebpe.Tokenizer) -> None:
    assert gpt2.offsets("") == []


def test_an_unknown_unit_is_refused(gpt2: bytebpe.Tokenizer) -> None:
    with pytest.raises(ValueError, match="expected 'char', 'byte' or 'utf16', not 'word'"):
        gpt2.offsets("a", unit="word")  # type: ignore[arg-type]
