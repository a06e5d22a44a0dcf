"""Budgets of tokens: what is kept fits, with one unit more it would not, and nothing is lost."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

import bytebpe
from bytebpe import budget, reading
from bytebpe.errors import BudgetError, SpecialTokenError
from bytebpe.units import TokenEnds
from strategies import EMOJI, texts, vocabs

PATTERNS = ["gpt2", "cl100k", "o200k", r"\b\w+|\X"]  # the automaton refuses the last
NAMES = st.sampled_from(PATTERNS)
CUTS = ["token", "char", "grapheme", "word"]
SPECIALS = {"<a>": 60_000, "<a><b>": 60_001, "<b>": 60_002}


@pytest.fixture(scope="session")
def toks(gpt2: bytebpe.Tokenizer) -> dict[str, bytebpe.Tokenizer]:
    return {pattern: bytebpe.Tokenizer(gpt2.vocab, pattern=pattern) for pattern in PATTERNS}


@pytest.fixture(scope="session")
def special(gpt2: bytebpe.Tokenizer) -> bytebpe.Tokenizer:
    return gpt2.with_special_tokens(SPECIALS)


def bounds(tok: bytebpe.Tokenizer, text: str, at: str) -> list[int]:
    """Return all places where a text may be cut, by the definition of each unit."""
    if at == "token":
        ends = {end for _, end in tok.offsets(text, unit="byte", disallowed_special=())}
        characters = [len(text[:size].encode()) for size in range(len(text) + 1)]
        return [size for size, end in enumerate(characters) if end in {0, *ends}]
    if at == "grapheme":
        return [0, *(match.end() for match in regex.finditer(r"\X", text))]
    if at == "word":
        return sorted({0, len(text), *(m.start() for m in regex.finditer(r"(?w)\b", text))})
    return list(range(len(text) + 1))


def small_texts() -> st.SearchStrategy[str]:
    mixed = st.lists(st.sampled_from([*EMOJI, "word", " ", "\n", "世界", "e\u0301", "'ll", "1234"]))
    return st.one_of(texts(6), mixed.map("".join))


@given(name=NAMES, text=small_texts(), n=st.integers(0, 20), at=st.sampled_from(CUTS))
def test_what_is_cut_at_an_end_fits_and_one_unit_more_would_not(
    toks: dict[str, bytebpe.Tokenizer], name: str, text: str, n: int, at: str
) -> None:
    tok = toks[name]

    def count(part: str) -> int:
        return tok.count(part, disallowed_special=())

    head = tok.truncate(text, n, at=at, disallowed_special=())  # type: ignore[arg-type]
    tail = tok.truncate(text, n, at=at, side="left", disallowed_special=())  # type: ignore[arg-type]

    if count(text) <= n:
        assert head == tail == text
        return
    places = bounds(tok, text, at)
    assert count(head) <= n
    assert count(tail) <= n
    end, start = len(head), len(text) - len(tail)
    assert (text[:end], text[start:]) == (head, tail)
    assert count(text[: places[places.index(end) + 1]]) > n
    assert count(text[places[places.index(start) - 1] :]) > n


@given(name=NAMES, text=small_texts(), n=st.integers(0, 20), at=st.sampled_from(CUTS))
def test_what_is_cut_in_the_middle_could_grow_on_neither_side(
    toks: dict[str, bytebpe.Tokenizer], name: str, text: str, n: int, at: str
) -> None:
    tok = toks[name]

    def count(part: str) -> int:
        return tok.count(part, disallowed_special=())

    kept = tok.truncate(text, n, side="middle", at=at, disallowed_special=())  # type: ignore[arg-type]

    assert count(kept) <= n
    if count(text) <= n:
        assert kept == text
        return
    places = bounds(tok, text, at)
    ways = []
    for head in places:
        tail = len(text) - len(kept) + head
        if head <= len(kept) and text[:head] + text[tail:] == kept and tail in places:
            after, before = places[places.index(head) + 1], places[places.index(tail) - 1]
            ways.append(min(count(text[:after] + text[tail:]), count(text[:head] + text[before:])))
    assert max(ways) > n


@given(
    name=NAMES,
    text=small_texts(),
    n=st.integers(8, 30),
    overlap=st.integers(0, 7),
    at=st.sampled_from(CUTS),
)
def test_chunks_fit_and_join_to_the_text(
    toks: dict[str, bytebpe.Tokenizer], name: str, text: str, n: int, overlap: int, at: str
) -> None:
    tok = toks[name]
    chunks = list(
        tok.chunk(text, n, overlap=overlap, at=at, disallowed_special=())  # type: ignore[arg-type]
    )

    covered = 0
    for part, start, end in chunks:
        assert part == text[start:end]
        assert tok.count(part, disallowed_special=()) <= n
        assert tok.count(text[start:covered], disallowed_special=()) <= overlap
        assert start <= covered < end
        covered = end
    assert covered == len(text)
    if overlap == 0:
        assert "".join(chunk.text for chunk in chunks) == text


@given(vocab=vocabs(ordered=False), text=st.text("abc ", max_size=60), n=st.integers(1, 12))
def test_any_vocabulary(vocab: bytebpe.Vocab, text: str, n: int) -> None:
    tok = bytebpe.Tokenizer(vocab)

    kept = tok.truncate(text, n, at="char")
    chunks = [chunk.text for chunk in tok.chunk(text, n)]

    assert tok.count(kept) <= n
    assert kept == text or tok.count(text[: len(kept) + 1]) > n
    assert tok.fits(text, n) == (tok.count(text) <= n)
    assert "".join(chunks) == text
    assert all(tok.count(chunk) <= n for chunk in chunks)


@given(name=NAMES, text=texts(12), n=st.integers(0, 40))
def test_fitting_is_counting(
    toks: dict[str, bytebpe.Tokenizer], name: str, text: str, n: int
) -> None:
    tok = toks[name]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "WINDOW", 3)
        patch.setattr(budget, "WINDOW", 3)
        text = text + "x" * 8 * n  # so that it is read part by part

        fits = tok.fits(text, n, disallowed_special=())

    assert fits == (tok.count(text, disallowed_special=()) <= n)


class Counted(str):
    """A text that knows how much of it was asked for."""

    read = 0

    def __getitem__(self, key: object) -> str:
        part = super().__getitem__(key)  # type: ignore[index]
        self.read += len(part)
        return part


def test_what_does_not_fit_is_not_read_to_its_end(gpt2: bytebpe.Tokenizer) -> None:
    text = Counted("The quick brown fox. " * 500_000)

    assert not gpt2.fits(text, 1000)
    assert text.read < 20_000


def test_truncating_reads_what_it_keeps(gpt2: bytebpe.Tokenizer) -> None:
    text = Counted("The quick brown fox. " * 500_000)

    for side in ("right", "left", "middle"):
        assert gpt2.count(gpt2.truncate(text, 1000, side=side, at="word")) == 1000  # type: ignore[arg-type]

    assert text.read < 1_000_000


def test_tokens_may_be_long(gpt2: bytebpe.Tokenizer) -> None:
    text = "=" * 64 * 200  # 200 tokens

    assert gpt2.fits(text, 200)
    assert not gpt2.fits(text, 199)
    assert len(gpt2.truncate(text, 10, side="left", at="char")) >= 640


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_text_is_read_piece_by_piece_whatever_the_pattern(
    toks: dict[str, bytebpe.Tokenizer], pattern: str
) -> None:
    assert not toks[pattern].fits("ab " * 5_000, 10)
    with pytest.raises(SpecialTokenError):
        toks[pattern].fits("<|endoftext|>" + "ab " * 5_000, 10)


def test_an_overlap_gives_way_where_it_leaves_no_room(gpt2: bytebpe.Tokenizer) -> None:
    chunks = list(gpt2.chunk("a b c 𠀀", 4, overlap=3, at="char"))  # the last has four tokens

    assert [chunk.text for chunk in chunks] == ["a b c ", "𠀀"]


def test_a_special_token_across_a_seam_is_seen(special: bytebpe.Tokenizer) -> None:
    half = budget.Budget(special._reader, 9, frozenset(), "all")

    assert half._join("x<", "b x")
    assert not half._join("x<", "b>x")
    assert not half._join("x<a", ">")
    assert half._join("", "x")


def test_a_token_that_ends_inside_a_character_ends_no_unit() -> None:
    class Spelling:
        parts = (b"\xe4\xb8", b"\x96\xe7", b"\x95\x8c")

        def data(self, ids: list[int]) -> bytes:
            return b"".join(self.tokens(ids))

        def tokens(self, ids: list[int]) -> list[bytes]:
            return [self.parts[id] for id in ids]

    ends = TokenEnds("世界", iter([[0], [1], [2]]), Spelling())

    assert [ends.floor(at) for at in range(3)] == [0, 0, 2]
    assert [ends.above(at) for at in range(2)] == [2, 2]


@given(data=st.data(), n=st.integers(0, 9))
def test_special_tokens_are_never_cut_and_none_is_made(
    special: bytebpe.Tokenizer, data: st.DataObject, n: int
) -> None:
    part = st.sampled_from(["<a>", "<b>", "<", "a>", "a", "><", "b>", " x", "<a", "é"])
    text = "".join(data.draw(st.lists(part, max_size=12)))
    side = data.draw(st.sampled_from(["right", "left", "middle"]))
    at = data.draw(st.sampled_from(CUTS))

    kept = special.truncate(text, n, side=side, at=at, allowed_special="all")
    chunks = list(special.chunk(text, n + 4, at=at, allowed_special="all"))

    def known(part: str) -> list[int]:
        return [id for id in special.encode(part, allowed_special="all") if id >= 60_000]

    assert special.count(kept, allowed_special="all") <= n
    whole = known(text)
    if side == "right":
        assert whole[: len(known(kept))] == known(kept)
    elif side == "left":
        assert whole[len(whole) - len(known(kept)) :] == known(kept)
    else:
        split = range(len(known(kept)) + 1)
        assert any(
            whole[:size] + whole[len(whole) - len(known(kept)) + size :] == known(kept)
            for size in split
        )
    assert [id for chunk in chunks for id in known(chunk.text)] == whole


def test_refused_special_tokens_are_refused_where_they_are_read(
    special: bytebpe.Tokenizer,
) -> None:
    for call in (special.fits, special.truncate):
        with pytest.raises(SpecialTokenError, match="'<a>' at character 2"):
            call("x <a>", 9)
    with pytest.raises(SpecialTokenError):
        list(special.chunk("x <a>", 9))
    assert special.truncate("x" * 50_000 + "<a>", 3, at="char") == "x" * 24


def test_a_seam_makes_no_special_token(special: bytebpe.Tokenizer) -> None:
    text = "<a" + " word" * 50 + ">"

    for options in ({}, {"allowed_special": "all"}):
        kept = special.truncate(text, 4, side="middle", at="char", **options)  # type: ignore[arg-type]

        assert "<a>" not in kept


def test_a_word_that_is_too_long_is_divided(gpt2: bytebpe.Tokenizer) -> None:
    family = "👩‍👩‍👧‍👦"

    parts = [
        chunk.text
        for chunk in gpt2.chunk(f"Is antidisestablishmentarianism {family}?", 3, at="word")
    ]

    assert parts[:3] == ["Is ", "antidisestablishment", "arianism "]
    assert "".join(parts).endswith(f" {family}?")


def test_a_character_that_does_not_fit_is_an_error(gpt2: bytebpe.Tokenizer) -> None:
    chunks = gpt2.chunk("ab 𠀀", 2)

    assert next(chunks).text == "ab "
    with pytest.raises(BudgetError, match="character '𠀀' at 3 alone has 4 tokens, and 2 are"):
        next(chunks)
    assert gpt2.truncate("𠀀", 2) == ""


@pytest.mark.parametrize(
    ("call", "options", "problem"),
    [
        ("fits", {"n": -1}, "n: expected 0 or more tokens, not -1"),
        ("truncate", {"n": 1, "side": "top"}, "side: expected 'right', 'left' or 'middle'"),
        ("truncate", {"n": 1, "at": "line"}, "at: expected 'token', 'char', 'grapheme' or 'word'"),
        ("chunk", {"n": 0}, "n: expected at least one token, not 0"),
        ("chunk", {"n": 3, "overlap": 3}, "overlap: expected 0 to 2 tokens, fewer than n, not 3"),
    ],
)
def test_what_makes_no_sense_is_a_value_error(
    gpt2: bytebpe.Tokenizer, call: str, options: dict[str, object], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        list(getattr(gpt2, call)("text of some tokens", **options))


@pytest.mark.parametrize("call", ["fits", "truncate", "chunk"])
def test_what_is_no_text_is_a_type_error(gpt2: bytebpe.Tokenizer, call: str) -> None:
    with pytest.raises(TypeError, match="expected a str, not bytes"):
        getattr(gpt2, call)(b"text", 3)
    with pytest.raises(TypeError):
        list(getattr(gpt2, call)("text", 1.5))


@settings(max_examples=20)
@given(text=small_texts(), size=st.integers(1, 5))
def test_chunks_do_not_depend_on_how_much_is_read_at_a_time(
    gpt2: bytebpe.Tokenizer, text: str, size: int
) -> None:
    whole = list(gpt2.chunk(text * 5, 9, disallowed_special=(), at="word"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(budget, "WINDOW", size)
        parts = list(gpt2.chunk(text * 5, 9, disallowed_special=(), at="word"))

    assert parts == whole
