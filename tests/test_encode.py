from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytebpe
from bytebpe import encode
from bytebpe.errors import SpecialTokenError
from strategies import texts

ENTRY_POINTS = ["encode", "encode_ordinary", "count", "tokens", "offsets"]
SPECIALS = {"<a>": 900, "<a><b>": 901, "<b>": 902, "a.c": 903, " x ": 904, "(|)": 905}


@pytest.fixture(scope="session")
def special(engine: str) -> bytebpe.Tokenizer:
    return bytebpe.Tokenizer(bytebpe.Vocab.from_merges([])).with_special_tokens(SPECIALS)


def test_a_special_token_in_the_text_is_refused_by_default(gpt2: bytebpe.Tokenizer) -> None:
    with pytest.raises(SpecialTokenError) as caught:
        gpt2.encode("né<|endoftext|>")

    assert (caught.value.token, caught.value.position) == ("<|endoftext|>", 2)
    assert str(caught.value) == (
        "special token '<|endoftext|>' at character 2 of the text; "
        "allowed_special={'<|endoftext|>'} encodes it as id 50256, "
        "disallowed_special=() or encode_ordinary encodes it as ordinary text"
    )


def test_special_tokens_go_by_tiktokens_rule(special: bytebpe.Tokenizer) -> None:
    text = "<a>-<b>"
    ordinary = special.encode_ordinary

    assert special.encode(text, allowed_special="all") == [900, *ordinary("-"), 902]
    assert special.encode(text, disallowed_special=()) == ordinary(text)
    assert special.encode(text, allowed_special={"<a>"}, disallowed_special=()) == [
        900,
        *ordinary("-<b>"),
    ]
    with pytest.raises(SpecialTokenError, match="'<b>' at character 4"):
        special.encode(text, allowed_special={"<a>"})
    with pytest.raises(SpecialTokenError, match="'-' at character 3 of the text; disallowed"):
        special.encode(text, allowed_special="all", disallowed_special={"-"})


def test_the_leftmost_then_the_longest_special_token_counts(special: bytebpe.Tokenizer) -> None:
    assert special.encode("<a><b><a>", allowed_special="all") == [901, 900]
    assert special.encode("<a><b>", allowed_special={"<a>", "<b>"}, disallowed_special=()) == [
        900,
        902,
    ]


@given(order=st.permutations(sorted(SPECIALS)), text=st.text(alphabet="<ab>.c x(|)", max_size=20))
def test_the_order_of_definition_does_not_matter(
    special: bytebpe.Tokenizer, order: list[str], text: str
) -> None:
    other = bytebpe.Tokenizer(bytebpe.Vocab.from_merges([])).with_special_tokens(
        {token: SPECIALS[token] for token in order}
    )

    assert other.encode(text, allowed_special="all") == special.encode(text, allowed_special="all")


@given(text=texts(), token=st.sampled_from(sorted(SPECIALS)))
def test_text_around_a_special_token_is_encoded_on_its_own(
    special: bytebpe.Tokenizer, text: str, token: str
) -> None:
    before = special.encode(text, allowed_special="all")

    ids = special.encode(text + "\x00" + token, allowed_special="all")

    assert ids == [*before, *special.encode("\x00"), SPECIALS[token]]
    assert special.decode(ids) == text + "\x00" + token


def test_special_tokens_are_taken_literally(special: bytebpe.Tokenizer) -> None:
    assert special.encode("abc", allowed_special="all") == special.encode_ordinary("abc")
    assert special.encode("a.c(|) x ", allowed_special="all") == [903, 905, 904]


@pytest.mark.parametrize("argument", ["allowed_special", "disallowed_special"])
def test_one_str_is_not_several_special_tokens(gpt2: bytebpe.Tokenizer, argument: str) -> None:
    with pytest.raises(TypeError, match=rf"{argument}: expected 'all' or a collection"):
        gpt2.encode("a", **{argument: "<|endoftext|>"})  # type: ignore[arg-type]


@pytest.mark.parametrize("entry", ENTRY_POINTS)
@pytest.mark.parametrize(("text", "position"), [("\udbc0", 0), ("é \ud800x", 2), ("a\udfff", 1)])
def test_a_lone_surrogate_is_refused_with_its_place(
    gpt2: bytebpe.Tokenizer, entry: str, text: str, position: int
) -> None:
    with pytest.raises(UnicodeEncodeError, match="surrogatepass") as caught:
        getattr(gpt2, entry)(text)

    assert (caught.value.start, caught.value.object) == (position, text)


def test_surrogates_can_be_kept_as_bytes(gpt2: bytebpe.Tokenizer) -> None:
    data = "a\ud800b".encode("utf-8", "surrogatepass")

    assert gpt2.decode_bytes(gpt2.encode_bytes(data)) == data


@pytest.mark.parametrize("entry", ENTRY_POINTS)
@pytest.mark.parametrize("value", [b"abc", None, 3, ["abc"]])
def test_what_is_no_str_is_a_type_error(gpt2: bytebpe.Tokenizer, entry: str, value: object) -> None:
    with pytest.raises(TypeError, match=f"expected a str, not {type(value).__name__}"):
        getattr(gpt2, entry)(value)


def test_bytes_like_is_taken_for_bytes_and_nothing_else(gpt2: bytebpe.Tokenizer) -> None:
    expected = gpt2.encode("Hello")

    assert gpt2.encode_bytes(bytearray(b"Hello")) == expected
    assert gpt2.encode_bytes(memoryview(b"Hello")) == expected
    with pytest.raises(TypeError, match="expected bytes, not str"):
        gpt2.encode_bytes("Hello")  # type: ignore[arg-type]


def test_the_cache_is_bounded_and_can_be_emptied(engine: str) -> None:
    tok = bytebpe.Tokenizer(bytebpe.Vocab.from_merges([]), cache_size=100)

    for word in range(2000):
        tok.encode(f"w{word} and a word of more than sixteen letters: {word:020}")

    assert tok.cache_info().maxsize == 100
    assert 20 <= tok.cache_info().currsize <= 100
    assert tok.cache_info().hits > 0
    assert tok.cache_info().misses > 2000
    tok.cache_clear()
    assert tok.cache_info().currsize == 0


def test_a_thread_that_is_gone_gives_its_share_of_the_cache_back(engine: str) -> None:
    tok = bytebpe.Tokenizer(bytebpe.Vocab.from_merges([]), cache_size=40_000)
    text = " ".join(map(str, range(15_000)))  # too many for the half of a half
    tok.encode_batch([text] * 100, num_threads=2)

    for _ in range(300):  # until that share is known to be unused
        tok.encode(text)
    before = tok.cache_info()
    tok.encode(text)

    assert tok.cache_info().hits - before.hits == 15_000
    assert tok.cache_info().misses == before.misses


def test_long_pieces_are_not_kept(engine: str) -> None:
    tok = bytebpe.Tokenizer(bytebpe.Vocab.from_merges([]))

    tok.encode("a" * 300 + " b")

    assert tok.cache_info().currsize == 1


def test_a_size_of_zero_switches_the_cache_off(engine: str) -> None:
    tok = bytebpe.Tokenizer(bytebpe.Vocab.from_merges([]), cache_size=0)

    assert tok.encode("aa aa") == tok.encode("aa aa")
    assert tok.cache_info().currsize == tok.cache_info().hits == 0
    with pytest.raises(ValueError, match="cache_size: expected 0 or more"):
        bytebpe.Tokenizer(bytebpe.Vocab.from_merges([]), cache_size=-1)


@given(rows=st.lists(texts(6), max_size=12))
def test_no_result_depends_on_the_cache(gpt2: bytebpe.Tokenizer, rows: list[str]) -> None:
    without = bytebpe.Tokenizer(
        bytebpe.Vocab.from_merges([(b"a", b"a"), (b" ", b"a")]), cache_size=0
    )
    tiny = bytebpe.Tokenizer(without.vocab, cache_size=3)

    for row in rows * 2:
        assert tiny.encode(row) == without.encode(row)


def test_arrays_and_batches_know_special_tokens(special: bytebpe.Tokenizer) -> None:
    rows = ["<a>-", "x<b>", ""]
    ids = [special.encode(row, allowed_special="all") for row in rows]

    array = special.encode_array(rows[0], allowed_special="all")
    batch = special.encode_batch_arrays(rows, allowed_special="all")

    assert array.tolist() == ids[0]
    assert special.encode_batch(rows, allowed_special="all") == ids
    assert batch.ids.tolist() == [id for row in ids for id in row]
    assert batch.offsets.tolist() == [0, 2, 4, 4]
    with pytest.raises(SpecialTokenError):
        special.encode_array("<a>")
    with pytest.raises(SpecialTokenError):
        special.encode_batch_arrays(["ok", "<a>"])


def test_many_special_tokens_are_found_as_few_are() -> None:
    many = {f"<{number}>": 300 + number for number in range(1000)}
    tok = bytebpe.Tokenizer(bytebpe.Vocab.from_merges([])).with_special_tokens(many)

    assert tok.encode("<7><77><777>", allowed_special="all") == [307, 377, 1077]
    assert tok.count("<7> <77>", allowed_special="all") == 3
    with pytest.raises(SpecialTokenError, match="'<77>' at character 1"):
        tok.encode("a<77>")


def test_all_processors_are_used_where_their_number_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert encode.cores() >= 1
    monkeypatch.delattr("os.sched_getaffinity", raising=False)

    assert encode.cores() >= 1


def test_how_texts_are_split_can_be_seen(gpt2: bytebpe.Tokenizer, engine: str) -> None:
    assert gpt2.scanner == ("simd:gpt2" if engine == "native" else "regex")
