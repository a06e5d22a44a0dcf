"""Texts that come part by part: at every step the ids are those of all that came so far."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import bytebpe
from bytebpe import blocks, growing
from bytebpe.errors import SpecialTokenError
from bytebpe.patterns import NAMED, compile_pattern
from bytebpe.pretokenize import split
from strategies import any_bytes, texts, vocabs

#: As tiktoken has it; `$` tells a line feed that ends the text from others.
DOLLAR = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
PATTERNS = {
    "gpt2": "gpt2",
    "cl100k": "cl100k",
    "o200k": "o200k",
    "dollar": DOLLAR,
    "gaps": r"[a-z]+|\d(?=\d)",  # leaves much unmatched
    "beyond": r"xa*b|x|a{1,3}|b+",  # reads on far after the likely end of a match
    "regex": r"\b\w+|\X",  # the automaton refuses it
}
SPECIALS = {"<a>": 60_000, "<a><b>": 60_001, "<b>": 60_002, "a.c": 60_003}
CUTS = st.lists(st.integers(0, 10_000), max_size=8)
NAMES = st.sampled_from(sorted(PATTERNS))
#: From which size on the reference takes an open piece for a long one.
SHORT = st.sampled_from([0, 5, 256])


@pytest.fixture(scope="session")
def toks(gpt2: bytebpe.Tokenizer) -> dict[str, bytebpe.Tokenizer]:
    vocab = gpt2.vocab.with_special_tokens(SPECIALS)
    return {name: bytebpe.Tokenizer(vocab, pattern=PATTERNS[name]) for name in PATTERNS}


@pytest.fixture(scope="session")
def tok(toks: dict[str, bytebpe.Tokenizer]) -> bytebpe.Tokenizer:
    return toks["cl100k"]


def parts_of(text: str, cuts: list[int]) -> list[str]:
    bounds = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    return [text[start:end] for start, end in pairwise(bounds)]


def runs() -> st.SearchStrategy[str]:
    """Draw long runs of few characters, of which a piece may end anywhere."""
    run = st.tuples(
        st.sampled_from(["\n", " ", " \n", "x", "a", "ab", "世界", "7"]), st.integers(1, 700)
    )
    return st.lists(run, max_size=6).map(lambda all: "".join(part * size for part, size in all))


@pytest.fixture(autouse=True)
def _restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing, "SHORT", growing.SHORT)


def check_every_step(tok: bytebpe.Tokenizer, text: str, cuts: list[int], short: int) -> None:
    growing.SHORT = short
    enc = tok.incremental(disallowed_special=())
    ids: list[int] = []
    done = ""
    for part in parts_of(text, cuts):
        kept, tail = enc.append(part)
        done += part
        whole = tok.encode_ordinary(done)
        assert ids[:kept] + tail == whole == enc.ids
        assert kept == len(ids) or tail[:1] != ids[kept : kept + 1]
        assert len(enc) == len(whole)
        ids = whole


@given(name=NAMES, text=texts(8) | runs(), cuts=CUTS, short=SHORT)
def test_appending_gives_what_encoding_all_of_it_gives(
    toks: dict[str, bytebpe.Tokenizer], name: str, text: str, cuts: list[int], short: int
) -> None:
    check_every_step(toks[name], text, cuts, short)


@given(
    vocab=st.booleans().flatmap(lambda ordered: vocabs(ordered=ordered)),
    text=st.text("abc ", max_size=40),
    copies=st.integers(1, 50),
    cuts=CUTS,
    pattern=st.sampled_from(["gpt2", r"[\s\S]+"]),
    short=SHORT,
)
def test_so_it_does_with_any_vocabulary(
    vocab: bytebpe.Vocab, text: str, copies: int, cuts: list[int], pattern: str, short: int
) -> None:
    check_every_step(bytebpe.Tokenizer(vocab, pattern=pattern), text * copies, cuts, short)


@given(data=st.data(), cuts=CUTS)
def test_special_tokens_may_be_divided(
    toks: dict[str, bytebpe.Tokenizer], data: st.DataObject, cuts: list[int]
) -> None:
    tok = toks[data.draw(NAMES)]
    part = st.sampled_from(["<a>", "<b>", "<", "a>", "a", "><", "b>", " ", "<a", "é", "a.c", "a."])
    text = "".join(data.draw(st.lists(part, max_size=10)))
    allowed = data.draw(st.sets(st.sampled_from(sorted(SPECIALS))))
    enc = tok.incremental(allowed_special=allowed, disallowed_special=())
    stream = tok.stream_encoder(allowed_special=allowed, disallowed_special=())
    done, streamed = "", list[int]()

    for part in parts_of(text, cuts):
        done += part
        kept, tail = enc.append(part)
        streamed += stream.feed(part)
        whole = tok.encode(done, allowed_special=allowed, disallowed_special=())
        assert enc.ids == whole
        assert whole[kept:] == tail
        assert whole[: len(streamed)] == streamed

    assert streamed + stream.finish() == enc.ids


def test_a_refused_special_token_is_refused_and_not_taken(tok: bytebpe.Tokenizer) -> None:
    enc, stream = tok.incremental(allowed_special={"<b>"}), tok.stream_encoder()
    enc.append("né <")
    fed = stream.feed("né <")
    before = enc.ids

    for feed in (enc.append, stream.feed):
        with pytest.raises(SpecialTokenError, match="'<a>' at character 3 of the text"):
            feed("a> x")

    assert enc.ids == before
    enc.append("<b>")
    assert enc.ids == tok.encode("né <<b>", allowed_special={"<b>"})
    assert fed + stream.feed("x") + stream.finish() == tok.encode("né <x")


@given(name=NAMES, text=texts(8) | runs(), cuts=CUTS, short=SHORT)
def test_a_stream_gives_only_ids_that_stand(
    toks: dict[str, bytebpe.Tokenizer], name: str, text: str, cuts: list[int], short: int
) -> None:
    growing.SHORT = short
    tok = toks[name]
    stream = tok.stream_encoder(disallowed_special=())
    whole = tok.encode_ordinary(text)
    ids: list[int] = []

    for part in parts_of(text, cuts):
        ids += stream.feed(part)
        assert whole[: len(ids)] == ids

    assert ids + stream.finish() == whole
    assert stream.feed("again") + stream.finish() == tok.encode("again")


@given(
    name=NAMES,
    text=texts(),
    cuts=st.lists(st.integers(0, 10_000), max_size=2),
    block=st.integers(1, 40),
)
@example(name="gpt2", text="ab. cd. ef", cuts=[], block=1)
@example(name="o200k", text="don't, and don't.", cuts=[], block=1)
@example(name="cl100k", text="ab\n \ncd\n  ef.", cuts=[9], block=1)
def test_large_parts_of_a_stream_are_encoded_at_once(
    toks: dict[str, bytebpe.Tokenizer], name: str, text: str, cuts: list[int], block: int
) -> None:
    tok = toks[name]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", block)
        stream = tok.stream_encoder(disallowed_special=())
        ids = [id for part in parts_of(text, cuts) for id in stream.feed(part)]
        ids += stream.finish()
        data = text.encode() + b"\xff" + text.encode()
        of_bytes = tok.stream_encoder()
        ids_of_bytes = of_bytes.feed(data[:-3]) + of_bytes.feed(data[-3:]) + of_bytes.finish()

    assert ids == tok.encode_ordinary(text)
    assert ids_of_bytes == tok.encode_bytes(data)


@given(name=st.sampled_from(sorted(NAMED)), text=texts())
def test_pieces_start_where_they_are_sure_to(name: str, text: str) -> None:
    pieces = split(text, compile_pattern(name))
    starts = {*accumulate(map(len, pieces))}

    for found in blocks.SURE_START.finditer(text):
        assert found.start() in starts
        before, after = text[: found.start()], text[found.start() :]
        assert split(before, compile_pattern(name)) + split(after, compile_pattern(name)) == pieces


@given(name=NAMES, data=any_bytes(), cuts=CUTS)
def test_a_stream_of_bytes_may_be_divided_anywhere(
    toks: dict[str, bytebpe.Tokenizer], name: str, data: bytes, cuts: list[int]
) -> None:
    tok = toks[name]
    bounds = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    stream = tok.stream_encoder()

    ids = [id for start, end in pairwise(bounds) for id in stream.feed(data[start:end])]

    assert ids + stream.finish() == tok.encode_bytes(data)


@given(
    name=NAMES,
    text=texts(5) | runs(),
    more=texts(3),
    other=texts(3),
    cut=st.integers(0, 2_000),
    short=SHORT,
)
@example(name="gpt2", text="abc" * 9, more="d", other=" e", cut=20, short=0)
def test_a_copy_goes_its_own_way(
    toks: dict[str, bytebpe.Tokenizer],
    name: str,
    text: str,
    more: str,
    other: str,
    cut: int,
    short: int,
) -> None:
    tok = toks[name]
    growing.SHORT = short
    enc = tok.incremental(disallowed_special=())
    enc.append(text[:cut])
    enc.append(text[cut:])

    copy = enc.copy()
    copy.append(other)
    enc.append(more)

    assert enc.ids == tok.encode_ordinary(text + more)
    assert copy.ids == tok.encode_ordinary(text + other)


@pytest.mark.parametrize("text", ["The cat sat. ", "a", " ", "世界", "=", "\n", "abcdef"])
@pytest.mark.parametrize("pattern", ["gpt2", "cl100k"])
def test_what_waits_does_not_grow_with_the_text(
    gpt2: bytebpe.Tokenizer, text: str, pattern: str
) -> None:
    tok = bytebpe.Tokenizer(gpt2.vocab, pattern=pattern)
    stream = tok.stream_encoder()

    certain = sum(len(stream.feed(text * (3_000 // len(text)))) for _ in range(3))

    rest = len(stream.finish())
    assert certain + rest == tok.count(text * (3_000 // len(text)) * 3)
    assert rest <= 8


@pytest.mark.parametrize("start", ["", "\n"])
@pytest.mark.parametrize("run", ["x", " ", "世", "x y"])
def test_an_append_does_not_read_the_old_text_again(
    gpt2: bytebpe.Tokenizer, start: str, run: str
) -> None:
    tok = bytebpe.Tokenizer(gpt2.vocab, pattern="cl100k")
    enc = tok.incremental()
    enc.append(start + run * 3_000)
    before = len(enc)

    kept, tail = enc.append(run)

    assert kept >= before - 20
    assert len(tail) <= 25


@pytest.mark.parametrize("end", ["x", "\n", "\nx", ""])
def test_white_space_after_a_line_end_may_hold_another(gpt2: bytebpe.Tokenizer, end: str) -> None:
    enc = bytebpe.Tokenizer(gpt2.vocab, pattern="cl100k").incremental()
    text = "a\n" + " " * 2_000

    for part in (text, " ", "  ", end):
        enc.append(part)

    tok = bytebpe.Tokenizer(gpt2.vocab, pattern="cl100k")
    assert enc.ids == tok.encode(text + "   " + end)


def test_one_stream_takes_str_or_bytes(gpt2: bytebpe.Tokenizer) -> None:
    stream = gpt2.stream_encoder()
    stream.feed("a")

    with pytest.raises(TypeError, match="this stream takes str, not bytes"):
        stream.feed(b"b")
    assert stream.finish() == [64]
    assert stream.feed(bytearray(b"b")) + stream.finish() == [65]
    with pytest.raises(TypeError, match="expected a str or bytes, not int"):
        stream.feed(3)  # type: ignore[arg-type]


def test_a_lone_surrogate_is_refused_and_not_taken(gpt2: bytebpe.Tokenizer) -> None:
    enc, stream = gpt2.incremental(), gpt2.stream_encoder()

    for feed in (enc.append, stream.feed):
        with pytest.raises(UnicodeEncodeError, match="surrogatepass"):
            feed("x\ud800")

    assert enc.ids == stream.finish() == []
