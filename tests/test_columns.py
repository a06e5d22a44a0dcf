from __future__ import annotations

import sys
from typing import Any

import pytest

import bytebpe
from bytebpe.errors import MissingDependency
from bytebpe.integrations.columns import encode_column

TEXTS = ["Hello world", None, "", "世界 👋"]


def wide() -> bytebpe.Tokenizer:
    return bytebpe.Tokenizer(bytebpe.Vocab.from_merges([]).with_special_tokens({"<x>": 70_000}))


@pytest.mark.parametrize("tok", [bytebpe.pretrained("gpt2"), wide()])
def test_a_column_of_arrow_becomes_lists(tok: bytebpe.Tokenizer) -> None:
    arrow = pytest.importorskip("pyarrow")
    expected = [None if text is None else tok.encode(text) for text in TEXTS]
    kind = arrow.uint16() if len(tok) > 300 else arrow.uint32()

    for column in (
        arrow.array(TEXTS),
        arrow.array(["x", *TEXTS]).slice(1),
        arrow.chunked_array([TEXTS[:1], TEXTS[1:]]),
    ):
        encoded = encode_column(tok, column)
        assert encoded.to_pylist() == expected
        assert encoded.type == arrow.large_list(kind)
    assert encode_column(tok, arrow.chunked_array([], arrow.string())).to_pylist() == []


def test_the_ids_are_in_the_column_without_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    arrow = pytest.importorskip("pyarrow")
    tok, batches = wide(), []
    encode = tok.encode_batch_arrays

    def kept(*args: Any, **options: Any) -> bytebpe.TokenBatch:
        batches.append(encode(*args, **options))
        return batches[-1]

    monkeypatch.setattr(tok, "encode_batch_arrays", kept)
    encoded = encode_column(tok, arrow.array(["abc"]))

    assert encoded.values.buffers()[1].address == arrow.py_buffer(batches[0].ids).address


def test_a_column_of_polars_becomes_lists(gpt2: bytebpe.Tokenizer) -> None:
    polars = pytest.importorskip("polars")
    series = polars.Series("text", TEXTS)

    encoded = encode_column(gpt2, series)

    assert (encoded.name, encoded.dtype) == ("text", polars.List(polars.UInt16))
    assert encoded.to_list() == [None if text is None else gpt2.encode(text) for text in TEXTS]


def test_what_is_no_column_is_refused(
    gpt2: bytebpe.Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(TypeError, match="expected a column of pyarrow or polars, not list"):
        encode_column(gpt2, TEXTS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependency, match=r"pip install 'bytebpe\[arrow\]'"):
        encode_column(gpt2, TEXTS)
