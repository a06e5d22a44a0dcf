"""Claims that hold for every tokenizer, on several that differ in all that can differ."""

from __future__ import annotations

import copy
import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytebpe
import oracles
from bytebpe.patterns import compile_pattern
from bytebpe.pretokenize import split
from strategies import any_bytes, texts

MADE = ["gpt2", "tiny", "bytes", "o200k", "gaps", "shuffled"]


@pytest.fixture(scope="session", params=MADE)
def tok(
    request: pytest.FixtureRequest, gpt2: bytebpe.Tokenizer, corpus: list[str]
) -> bytebpe.Tokenizer:
    if request.param == "gpt2":
        return gpt2
    if request.param == "tiny":
        return bytebpe.train(["low lower lowest 世界世界 👋👋"], num_merges=12)
    if request.param == "bytes":
        return bytebpe.Tokenizer(bytebpe.Vocab.from_merges([]))
    if request.param == "o200k":
        return bytebpe.train(corpus, vocab_size=1000, pattern="o200k")
    if request.param == "gaps":
        return bytebpe.train(corpus, vocab_size=600, pattern=r"\p{L}+|\d")
    ids = bytebpe.train(corpus, vocab_size=500).vocab
    reversed_ids = {token: 10_000 - 3 * id for token, id in ids.ids.items()}
    return bytebpe.Tokenizer(bytebpe.Vocab(reversed_ids, ids.merges, {"<end>": 3}))


@given(text=texts())
def test_any_text_comes_back(tok: bytebpe.Tokenizer, text: str) -> None:
    assert tok.decode(tok.encode(text, disallowed_special=())) == text


@given(text=st.text())
def test_any_str_at_all_comes_back(tok: bytebpe.Tokenizer, text: str) -> None:
    assert tok.decode(tok.encode_ordinary(text), errors="strict") == text


@given(data=any_bytes())
def test_any_bytes_come_back(tok: bytebpe.Tokenizer, data: bytes) -> None:
    assert tok.decode_bytes(tok.encode_bytes(data)) == data


@given(text=texts())
def test_bytes_that_are_utf8_are_encoded_as_the_text(tok: bytebpe.Tokenizer, text: str) -> None:
    assert tok.encode_bytes(text.encode()) == tok.encode_ordinary(text)


@given(text=texts(6))
def test_encoding_is_the_textbook_definition(tok: bytebpe.Tokenizer, text: str) -> None:
    pieces = split(text, compile_pattern(tok.pattern))

    assert tok.encode_ordinary(text) == oracles.encode_pieces(map(str.encode, pieces), tok.vocab)


@given(text=texts())
def test_counting_counts_the_ids(tok: bytebpe.Tokenizer, text: str) -> None:
    for allowed in ("all", ()):
        ids = tok.encode(text, allowed_special=allowed, disallowed_special=())

        assert tok.count(text, allowed_special=allowed, disallowed_special=()) == len(ids)


@given(text=texts())
def test_tokens_are_the_bytes_of_the_ids(tok: bytebpe.Tokenizer, text: str) -> None:
    ids = tok.encode(text, allowed_special="all")

    tokens = tok.tokens(text, allowed_special="all")

    assert tokens == [tok.token_bytes(id) for id in ids]
    assert b"".join(tokens) == text.encode()


@given(rows=st.lists(texts(5), max_size=5), threads=st.none() | st.integers(1, 4))
def test_a_batch_is_its_rows(tok: bytebpe.Tokenizer, rows: list[str], threads: int | None) -> None:
    ids = tok.encode_batch(iter(rows), disallowed_special=(), num_threads=threads)

    assert ids == [tok.encode(row, disallowed_special=()) for row in rows]
    assert tok.decode_batch(ids, num_threads=threads) == rows


@given(left=st.lists(st.integers(0, 255)), right=st.lists(st.integers(0, 255)))
def test_decoding_is_by_concatenation(left: list[int], right: list[int]) -> None:
    tok = bytebpe.Tokenizer(bytebpe.Vocab.from_merges([]))

    assert tok.decode_bytes(left + right) == tok.decode_bytes(left) + tok.decode_bytes(right)


def test_each_way_to_copy_a_tokenizer_gives_the_same_ids(
    tok: bytebpe.Tokenizer, corpus: list[str]
) -> None:
    text = "".join(corpus)
    expected = tok.encode_ordinary(text)

    for other in (pickle.loads(pickle.dumps(tok)), copy.copy(tok), copy.deepcopy(tok)):
        assert other.encode_ordinary(text) == expected
        assert other.special_tokens == tok.special_tokens
        assert other.pattern == tok.pattern
        assert other.cache_info().maxsize == tok.cache_info().maxsize


def test_every_token_is_found_by_its_bytes(tok: bytebpe.Tokenizer) -> None:
    assert len(tok) == len(tok.vocab) == len(tok.mergeable_ranks) + len(tok.special_tokens)
    assert all(tok.token_id(token) == id for token, id in tok.mergeable_ranks.items())
    assert all(tok.token_id(token) == id for token, id in tok.special_tokens.items())
    assert all(tok.token_bytes(tok.token_id(left + right)) for left, right in tok.merges)


def test_threads_may_share_a_tokenizer(tok: bytebpe.Tokenizer, corpus: list[str]) -> None:
    expected = [tok.encode_ordinary(text) for text in corpus]
    fresh = pickle.loads(pickle.dumps(tok))

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(fresh.encode_ordinary, corpus * 4))

    assert results == expected * 4


def test_a_forked_child_goes_on(gpt2: bytebpe.Tokenizer) -> None:
    rows = ["hello world"] * 1000
    expected = gpt2.encode_batch(rows)

    child = os.fork()
    if child == 0:
        os._exit(0 if gpt2.encode_batch(rows) == expected else 1)

    assert os.waitpid(child, 0)[1] == 0


def test_gpt2_knows_its_first_words(gpt2: bytebpe.Tokenizer) -> None:
    assert gpt2.encode("Hello world") == [15496, 995]
    assert len(gpt2) == 50257
    assert gpt2.encode("") == []
    assert gpt2.decode([]) == ""
    assert repr(gpt2) == "<Tokenizer: 50257 tokens, pattern 'gpt2'>"


def test_special_tokens_are_added_to_a_new_tokenizer(gpt2: bytebpe.Tokenizer) -> None:
    chat = gpt2.with_special_tokens({"<|im_start|>": 50257})

    assert chat.encode("<|im_start|>Hi", allowed_special="all") == [50257, 17250]
    assert "<|im_start|>" not in gpt2.special_tokens
    assert len(chat) == 50258


@pytest.mark.parametrize("value", ["text", b"text", 5, None])
def test_one_is_not_several(gpt2: bytebpe.Tokenizer, value: object) -> None:
    with pytest.raises(TypeError, match="expected an iterable of several"):
        gpt2.encode_batch(value)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected an iterable of several"):
        gpt2.decode_batch(value)  # type: ignore[arg-type]


def test_no_threads_at_all_is_refused(gpt2: bytebpe.Tokenizer) -> None:
    with pytest.raises(ValueError, match="num_threads: expected at least 1"):
        gpt2.encode_batch(["a"], num_threads=0)


@pytest.mark.parametrize("unit", ["a", " ", "^", "\n", "今天天气很好我们去公园", "ab", "\u0301"])
def test_a_piece_of_any_length_is_no_trouble(gpt2: bytebpe.Tokenizer, unit: str) -> None:
    text = unit * (200_000 // len(unit)) + "x"

    assert gpt2.decode(gpt2.encode(text)) == text


def test_a_tokenizer_needs_a_vocabulary() -> None:
    with pytest.raises(TypeError, match="vocab: expected a Vocab, not dict"):
        bytebpe.Tokenizer({b"a": 1})  # type: ignore[arg-type]
