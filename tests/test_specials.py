from __future__ import annotations

import random
import sys
from collections.abc import Iterable
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytebpe
from bytebpe import _kernels
from bytebpe.errors import SpecialTokenError

BYTE_VOCAB = bytebpe.Vocab.from_merges([])
NO_IDS: frozenset[str] = frozenset()


def tokenizer(tokens: Iterable[str]) -> bytebpe.Tokenizer:
    ids = {token: 1000 + at for at, token in enumerate(tokens)}
    return bytebpe.Tokenizer(BYTE_VOCAB).with_special_tokens(ids)


def first(text: str, tokens: Iterable[str], start: int = 0) -> tuple[int, str] | None:
    """Try every token at every place: the leftmost, and the longest there."""
    for at in range(start, len(text)):
        if here := [token for token in tokens if text.startswith(token, at)]:
            return at, max(here, key=len)
    return None


def expected_ids(tok: bytebpe.Tokenizer, text: str, allowed: Iterable[str]) -> list[int]:
    ids: list[int] = []
    start = 0
    while found := first(text, allowed, start):
        at, token = found
        ids += [*tok.encode_ordinary(text[start:at]), tok.special_tokens[token]]
        start = at + len(token)
    return ids + tok.encode_ordinary(text[start:])


def check(
    tok: bytebpe.Tokenizer, text: str, allowed: frozenset[str], refused: frozenset[str]
) -> None:
    """Compare every way to encode with the search by hand."""
    wrong = first(text, refused)
    options = {"allowed_special": allowed, "disallowed_special": refused}
    ways = {
        "encode": lambda: tok.encode(text, **options),
        "array": lambda: tok.encode_array(text, **options).tolist(),
        "count": lambda: tok.count(text, **options),
        "batch": lambda: tok.encode_batch([text, text], num_threads=2, **options)[1],
        "arrays": lambda: tok.encode_batch_arrays([text], num_threads=1, **options).ids.tolist(),
    }
    ids = expected_ids(tok, text, allowed)
    for name, way in ways.items():
        if wrong:
            with pytest.raises(SpecialTokenError) as caught:
                way()
            assert (caught.value.position, caught.value.token) == wrong
        else:
            assert way() == (len(ids) if name == "count" else ids)


PIECES = ["a", "b", "<", "é", "世", "界", "👋", " ", "\n", "ab", "<a", "世界"]


@given(
    tokens=st.lists(
        st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join),
        min_size=1,
        max_size=12,
        unique=True,
    ),
    text=st.lists(st.sampled_from(PIECES), max_size=24).map("".join),
    data=st.data(),
)
def test_what_is_found_is_what_a_search_by_hand_finds(
    engine: str, tokens: list[str], text: str, data: st.DataObject
) -> None:
    some = st.lists(st.sampled_from(tokens)).map(frozenset)
    refused = data.draw(st.one_of(st.just(NO_IDS), st.just(NO_IDS), some))

    check(tokenizer(tokens), text, data.draw(some), refused)


@pytest.fixture(scope="module")
def thousands() -> list[str]:
    """5,000 tokens that begin and end alike, lie within each other and in many scripts."""
    tokens = {f"<|reserved_{number}|>" for number in range(3000)}
    tokens |= {"<|" + "x" * size for size in range(200)}
    tokens |= {"世界" * size + "。" for size in range(1, 100)} | {
        "界世",
        "世界",
        "👋",
        "👋🏽",
        "é",
        "e\u0301",
    }
    tokens |= {f"|>{number}<|" for number in range(500)} | {"ab" * size for size in range(1, 200)}
    draw = random.Random(1)
    while len(tokens) < 5000:
        tokens.add("".join(draw.choices("abcxyz<>|é世界", k=draw.randint(2, 9))))
    return sorted(tokens)


def test_five_thousand_tokens(engine: str, thousands: list[str]) -> None:
    tok = tokenizer(thousands)
    draw = random.Random(2)
    sizes = sorted({len(token) for token in thousands}, reverse=True)
    known = set(thousands)
    for _ in range(40):
        parts = [
            draw.choice(thousands)[: draw.randint(1, 20)]
            if draw.random() < 0.7
            else draw.choice(PIECES)
            for _ in range(30)
        ]
        text = "".join(parts)
        ids: list[int] = []
        at = start = 0
        while at < len(text):
            size = next((size for size in sizes if text[at : at + size] in known), 0)
            if size:
                ids += tok.encode_ordinary(text[start:at])
                ids.append(tok.special_tokens[text[at : at + size]])
                start = at + size
            at += size or 1
        ids += tok.encode_ordinary(text[start:])

        assert tok.encode(text, allowed_special="all") == ids
        assert tok.encode_batch([text, text], allowed_special="all") == [ids, ids]


def test_a_long_text_is_divided_at_special_tokens_first(engine: str) -> None:
    """A token that holds a sure end of a word must not be cut by what divides long texts."""
    tok = tokenizer(["a b", "世 "])
    text = "a ba ba b, and 世 so on. " * 60_000

    ids = tok.encode(text, allowed_special="all")

    assert tok.encode_batch([text, "a b"], allowed_special="all", num_threads=3) == [ids, [1000]]
    assert tok.decode(ids) == text
    with pytest.raises(SpecialTokenError, match="'世 ' at character 15"):
        tok.encode_batch([text], allowed_special={"a b"}, num_threads=3)


def test_the_first_text_that_is_wrong_is_named(engine: str) -> None:
    tok = tokenizer(["<x>"])

    with pytest.raises(SpecialTokenError, match="character 1"):
        tok.encode_batch(["a", "b<x>", "cc<x>", "\ud800", None])  # type: ignore[list-item]
    with pytest.raises(UnicodeEncodeError):
        tok.encode_batch_arrays(["a", "\ud800", "b<x>"])
    with pytest.raises(TypeError, match="expected a str, not int"):
        tok.encode_batch([5, "b<x>"])  # type: ignore[list-item]


@pytest.mark.parametrize("argument", ["allowed_special", "disallowed_special"])
@pytest.mark.parametrize("token", [5, b"<x>", None])
def test_a_special_token_is_a_str(engine: str, argument: str, token: object) -> None:
    with pytest.raises(TypeError, match=f"{argument}: expected special tokens as str"):
        tokenizer(["<x>"]).encode("a", **{argument: [token]})


def test_an_empty_token_is_refused_in_every_text_as_tiktoken_does(engine: str) -> None:
    tok = tokenizer(["<x>"])

    with pytest.raises(SpecialTokenError, match="'' at character 0"):
        tok.encode("a", disallowed_special=[""])
    assert tok.encode("a<x>", allowed_special=["", "<x>"]) == [*tok.encode("a"), 1000]


def test_a_token_that_no_text_can_hold_is_in_none(engine: str) -> None:
    tok = tokenizer(["<x>"])

    assert tok.encode("a", disallowed_special=["\ud800"]) == tok.encode("a")
    with pytest.raises(UnicodeEncodeError):
        tok.encode("\ud800", disallowed_special=["\ud800"])


def steps(tokens: Iterable[str], text: str, engine: str) -> int:
    """Count what is looked at: nodes of the core's automaton, lines of the reference."""
    rule = _kernels.rule(frozenset(tokens), frozenset(), {})
    if engine == "native":
        return rule.steps(text)  # type: ignore[attr-defined]
    rule.fault("")  # makes the trie
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        assert rule.fault(text) is None
    finally:
        sys.settrace(before)
    return count


def test_many_tokens_cost_what_few_cost(engine: str, corpus: list[str]) -> None:
    text = "".join(corpus).replace("<|", "") * (20 if engine == "native" else 1)
    many = [f"<|reserved_{number}|>" for number in range(5000)]

    few_steps, many_steps = steps(many[:5], text, engine), steps(many, text, engine)

    assert few_steps <= many_steps <= few_steps + 100
    assert many_steps <= len(text) / 10


def test_steps_grow_as_the_text_does(engine: str) -> None:
    """The beginnings of tokens that never end: the core reads no byte twice."""
    tokens = ["ab" * 100 + "c", "ba" * 50 + "d", "b" + "ab" * 80 + "e"]
    short, long = steps(tokens, "ab" * 500, engine), steps(tokens, "ab" * 2000, engine)

    assert long <= 4.5 * short
    if engine == "native":
        assert long <= 3 * 4000
