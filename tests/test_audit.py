from __future__ import annotations

from collections import Counter
from itertools import product
from math import isclose, log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bytebpe
from bytebpe.audit import _heads, _tails
from strategies import vocabs


@settings(max_examples=15)
@given(vocab=vocabs(alphabet=b"abc", ordered=False))
def test_unreachable_tokens_are_those_that_no_text_makes(vocab: bytebpe.Vocab) -> None:
    tok = bytebpe.Tokenizer(vocab)
    short = {id for token, id in vocab.ids.items() if 1 < len(token) <= 5}

    made = set()
    for size in range(1, 8):
        for letters in product(b"abc", repeat=size):
            made.update(tok.encode_bytes(bytes(letters)))

    assert {found.id for found in tok.audit([]).unreachable} & short == short - made


def test_a_token_may_be_cut_by_the_pattern() -> None:
    merges = [(b"a", b" "), (b" ", b"a"), (b"1", b"2"), (b"12", b"3"), (b"123", b"4")]
    vocab = bytebpe.Vocab.from_merges(merges)

    gpt2 = bytebpe.Tokenizer(vocab).audit([]).unreachable
    cl100k = bytebpe.Tokenizer(vocab, pattern="cl100k").audit([]).unreachable

    assert [(found.token, found.reason) for found in gpt2] == [(b"a ", "pattern")]
    assert [(found.token, found.reason) for found in cl100k] == [
        (b"a ", "pattern"),
        (b"1234", "pattern"),
    ]


def test_a_part_of_a_character_may_go_on_as_a_letter() -> None:
    # Alone, the start of a character is no letter and is cut from the a; in aé it is one.
    merges = [(b"a", b"\xc3"), (b"\xa9", b"a"), (b"\x84", b"1"), (b"\xff", b"a"), (b"1", b"\xe0")]
    tok = bytebpe.Tokenizer(bytebpe.Vocab.from_merges(merges))

    unreachable = {found.token for found in tok.audit([]).unreachable}

    assert tok.tokens("aé")[0] == b"a\xc3"
    assert tok.tokens("éa")[1] == b"\xa9a"
    assert unreachable == {b"\xffa"}


def test_a_pattern_may_look_beside() -> None:
    vocab = bytebpe.Vocab.from_merges([(b"x", b"y")])
    tok = bytebpe.Tokenizer(vocab, pattern=r"(?<=a)xy|[a-z]")

    assert tok.tokens("axy") == [b"a", b"xy"]
    assert tok.audit([]).unreachable == ()


@settings(max_examples=12)
@given(st.characters(min_codepoint=0x80, exclude_categories=("Cs",)), st.integers(1, 3))
def test_parts_of_characters_are_completed(char: str, at: int) -> None:
    data = char.encode()
    if at >= len(data):
        return
    start, end = data[:at], data[at:]

    assert all(len((start + tail).decode()) == 1 for tail in _tails(b"a" + start))
    assert all(len((head + end).decode()) == 1 for head in _heads(end + b"a"))


def test_what_texts_use() -> None:
    tok = bytebpe.train(["Hello world"] * 3, num_merges=9, special_tokens=["<end>"])
    audit = tok.audit(["Hello world", "Hello", b"\xff"])
    ids = [*tok.encode("Hello world"), *tok.encode("Hello"), *tok.encode_bytes(b"\xff")]

    assert (audit.texts, audit.tokens, audit.used_tokens) == (3, len(ids), len(set(ids)))
    assert set(audit.unused) == set(range(265)) - set(ids)
    assert sum(script.uses for script in audit.scripts) == len(ids)
    assert sum(script.tokens for script in audit.scripts) == 265


def test_entropy_and_its_efficiency(corpus: list[str]) -> None:
    tok = bytebpe.train(corpus[:3], vocab_size=500)
    counts = Counter(id for text in corpus[:3] for id in tok.encode(text))
    shares = [count / counts.total() for count in counts.values()]

    audit = tok.audit(corpus[:3])

    assert audit.entropy is not None
    assert audit.renyi_efficiency is not None
    assert isclose(audit.entropy, -sum(share * log2(share) for share in shares))
    renyi = log2(sum(share**2.5 for share in shares)) / -1.5
    assert isclose(audit.renyi_efficiency, renyi / log2(500))


def test_even_use_is_fully_efficient() -> None:
    tok = bytebpe.Tokenizer(bytebpe.Vocab.from_merges([]))

    audit = tok.audit([bytes(range(256))])

    assert audit.entropy == 8
    assert audit.renyi_efficiency == pytest.approx(1)
    assert audit.unused == audit.unreachable == ()


def test_the_built_in_vocabulary(gpt2: bytebpe.Tokenizer) -> None:
    audit = gpt2.audit([])

    assert audit.unreachable == ()
    assert (audit.entropy, audit.renyi_efficiency) == (None, None)
    assert len(audit.unused) == 50256
    assert gpt2.token_bytes(audit.longest[0]) == "ÃÂ".encode() * 32
    assert all(not _is_text(gpt2.token_bytes(id)) for id in audit.partial)
    group = next(g for g in audit.near_duplicates if gpt2.token_id(b"hello") in g)
    assert {gpt2.token_bytes(id) for id in group} == {b"hello", b" hello", b"Hello", b" Hello"}


def test_bad_requests_are_refused(gpt2: bytebpe.Tokenizer) -> None:
    with pytest.raises(TypeError, match="not one str"):
        gpt2.audit("abc")
    with pytest.raises(ValueError, match="alpha=1"):
        gpt2.audit([], alpha=1)


def _is_text(token: bytes) -> bool:
    return token.decode(errors="ignore").encode() == token
