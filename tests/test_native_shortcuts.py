"""Where the native core takes a shorter way than the reference: cuts, long pieces, its cache."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bytebpe
from bytebpe import _kernels, ordinary
from bytebpe.merge import MergeTable
from bytebpe.patterns import compile_pattern
from strategies import vocabs

native = _kernels.native
pytestmark = pytest.mark.skipif(native is None, reason="the native core is not built")

WIDE = "éюяש世界のー한국👋🏽\u200d\u0301٣１\u3000—"


@pytest.fixture(scope="session", autouse=True)
def engine() -> str:
    """Run once: these tests name the engines themselves."""
    return "both"


@st.composite
def wide_vocabs(draw: st.DrawFn) -> bytebpe.Vocab:
    """Draw merges as training on text of several scripts would find them, across characters."""
    text = draw(st.text(alphabet=WIDE + "a ", min_size=1, max_size=12))
    symbols = [bytes([byte]) for byte in text.encode()]
    merges = []
    for _ in range(draw(st.integers(0, 10))):
        if len(symbols) < 2:
            break
        at = draw(st.integers(0, len(symbols) - 2))
        merges.append((symbols[at], symbols[at + 1]))
        symbols[at : at + 2] = [b"".join(merges[-1])]
    return bytebpe.Vocab.from_merges(dict.fromkeys(merges))


@given(vocab=wide_vocabs(), text=st.text(alphabet=WIDE + "aAЯ' \n1!/", max_size=120))
@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "qwen2", "o200k"])
def test_where_a_piece_is_cut_changes_no_id(pattern: str, vocab: bytebpe.Vocab, text: str) -> None:
    core = native.TextEncoder(vocab, compile_pattern(pattern), 100)
    reference = ordinary.TextEncoder(vocab, compile_pattern(pattern), 100)

    assert core.encode(text) == reference.encode(text)


@given(token=st.binary(min_size=2, max_size=9))
def test_tokens_that_are_no_text_do_no_harm(token: bytes) -> None:
    left = [token[:size] for size in range(1, len(token))]
    vocab = bytebpe.Vocab.from_merges([(part, token[len(part) : len(part) + 1]) for part in left])
    core = native.TextEncoder(vocab, compile_pattern("gpt2"), 10)
    reference = ordinary.TextEncoder(vocab, compile_pattern("gpt2"), 10)
    text = token.decode(errors="replace") + "世界\U0010ffff"

    assert core.encode(text) == reference.encode(text)
    assert core.encode_bytes(token) == reference.encode_bytes(token)


@pytest.mark.parametrize(
    "token", [b"\xf4\xbf\xbf\xbf\xf4\xbf\xbf\xbf", b"\xf4\x90\xe4", b"\xe0\x80\x80\xc0\x80"]
)
def test_tokens_beyond_unicode_do_no_harm(token: bytes) -> None:
    test_tokens_that_are_no_text_do_no_harm.hypothesis.inner_test(token)  # type: ignore[attr-defined]


@pytest.mark.parametrize("script", ["абвгдежз", "世界你好", "👋🏽👩‍👩‍👧‍👦", "กขคงจ", "ابتثج"])
def test_words_of_every_length_are_cut_where_they_may_be(script: str) -> None:
    gpt2 = bytebpe.pretrained("gpt2").vocab
    core = native.TextEncoder(gpt2, compile_pattern("gpt2"), 0)
    reference = ordinary.TextEncoder(gpt2, compile_pattern("gpt2"), 0)

    for size in range(1, 100):
        text = " ".join((script * 13)[at : at + size] for at in range(5))
        assert core.encode(text) == reference.encode(text)


def merged(vocab: bytebpe.Vocab, piece: bytes) -> list[int]:
    core = native.TextEncoder(vocab, compile_pattern("(?s).+"), 0)
    return core.encode_bytes(piece)


def table(vocab: bytebpe.Vocab) -> MergeTable:
    return MergeTable([vocab.ids[bytes([byte])] for byte in range(256)], vocab.merge_ids)


@settings(max_examples=40)
@given(
    vocab=st.one_of(vocabs(b"ab"), vocabs(), vocabs(ordered=False)),
    unit=st.text(alphabet="abc ", min_size=1, max_size=40).map(str.encode),
    rest=st.text(alphabet="abc ", max_size=9).map(str.encode),
)
def test_very_long_pieces_are_merged_by_rank(
    vocab: bytebpe.Vocab, unit: bytes, rest: bytes
) -> None:
    piece = unit * (4_100 // len(unit) + 1) + rest

    assert merged(vocab, piece) == list(table(vocab).merge(piece))


@pytest.mark.parametrize("kind", ["letters", "printable", "text", "bytes"])
def test_very_long_pieces_of_every_kind(kind: str, corpus: list[str]) -> None:
    vocab = bytebpe.pretrained("gpt2").vocab
    draw = random.Random(f"long {kind}")
    alphabet = {"letters": range(97, 123), "printable": range(32, 127), "bytes": range(256)}
    if kind == "text":
        piece = "".join(corpus).replace(" ", "").encode()[:20_000]
    else:
        piece = bytes(draw.choices(alphabet[kind], k=10_000))

    assert merged(vocab, piece) == list(table(vocab).merge(piece))


def test_long_pieces_of_other_bytes_than_the_first() -> None:
    # A table made for the first long piece knows the tokens of its bytes alone.
    vocab = bytebpe.pretrained("gpt2").vocab
    core = native.TextEncoder(vocab, compile_pattern("(?s).+"), 0)
    reference = table(vocab)
    draw = random.Random("other bytes")
    runs = [b"a" * 5_000, b"aaab" * 100, b"ab" * 3_000, b"a" * 300, b"the cat" * 1_000, b"ab" * 200]
    runs += [bytes(draw.choices(b"abc =", k=size)) for size in (257, 4_096, 4_097, 9_000)]

    for piece in runs * 2:
        assert core.encode_bytes(piece) == list(reference.merge(piece))


@pytest.mark.parametrize("cache_size", [0, 1, 2, 3, 64, 10_000])
def test_a_cache_of_any_size_changes_no_id(cache_size: int) -> None:
    gpt2 = bytebpe.pretrained("gpt2").vocab
    core = native.TextEncoder(gpt2, compile_pattern("gpt2"), cache_size)
    reference = ordinary.TextEncoder(gpt2, compile_pattern("gpt2"), 0)
    draw = random.Random(cache_size)
    words = ["".join(draw.choices("abcdeé世", k=size)) for size in range(1, 300)]

    for _ in range(3):
        text = " ".join(draw.choices(words, k=600))
        assert core.encode(text) == reference.encode(text)
        assert core.cache_info().currsize <= cache_size
