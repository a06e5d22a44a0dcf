from __future__ import annotations

from array import array
from itertools import pairwise

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import bytebpe
from bytebpe.errors import UnknownTokenError
from strategies import any_bytes, texts

BYTE_VOCAB = bytebpe.Vocab.from_merges([])
POLICIES = st.sampled_from(["replace", "ignore", "backslashreplace", "surrogateescape"])


def ids_of(data: bytes) -> list[int]:
    return [BYTE_VOCAB.ids[bytes([byte])] for byte in data]


@given(data=any_bytes(), cuts=st.lists(st.integers(0, 40)), errors=POLICIES)
def test_a_stream_gives_what_decode_gives_however_it_is_cut(
    data: bytes, cuts: list[int], errors: str
) -> None:
    ids = ids_of(data)
    bounds = [0, *sorted(cut % (len(ids) + 1) for cut in cuts), len(ids)]
    stream = bytebpe.StreamDecoder(BYTE_VOCAB, errors=errors)

    parts = [stream.feed(ids[start:end]) for start, end in pairwise(bounds)]
    whole = "".join(parts) + stream.finish()
    one_by_one = "".join(map(stream.feed, ids)) + stream.finish()

    assert whole == one_by_one == data.decode("utf-8", errors)


@given(data=any_bytes())
def test_a_stream_holds_back_less_than_one_character(data: bytes) -> None:
    stream = bytebpe.StreamDecoder(BYTE_VOCAB, errors="surrogateescape")
    given_bytes = 0

    for fed, id in enumerate(ids_of(data), 1):
        given_bytes += len(stream.feed(id).encode("utf-8", "surrogateescape"))

        assert 0 <= fed - given_bytes <= 3


@given(data=st.text().map(str.encode))
def test_no_replacement_appears_that_the_text_has_not(data: bytes) -> None:
    stream = bytebpe.StreamDecoder(BYTE_VOCAB)

    parts = "".join(map(stream.feed, ids_of(data))) + stream.finish()

    assert parts.count("\ufffd") == data.decode().count("\ufffd")


def test_a_cut_character_is_replaced_at_the_end_and_the_stream_starts_afresh() -> None:
    stream = bytebpe.StreamDecoder(BYTE_VOCAB)

    assert (stream.feed(ids_of("a世".encode()[:3])), stream.finish()) == ("a", "\ufffd")
    assert (stream.feed(ids_of(b"b")), stream.finish()) == ("b", "")


def test_strict_streams_raise_and_go_on() -> None:
    stream = bytebpe.StreamDecoder(BYTE_VOCAB, errors="strict")

    with pytest.raises(UnicodeDecodeError):
        stream.feed(ids_of(b"\xff"))
    stream.feed(ids_of(b"\xe4"))
    with pytest.raises(UnicodeDecodeError):
        stream.finish()
    assert stream.feed(ids_of(b"ok")) == "ok"


@given(text=texts(8), cuts=st.lists(st.integers(0, 40)), errors=POLICIES, cut=st.integers(0, 3))
def test_graphemes_come_whole(text: str, cuts: list[int], errors: str, cut: int) -> None:
    ids = ids_of(text.encode())
    ids = ids[: len(ids) - cut]
    bounds = [0, *sorted(cut % (len(ids) + 1) for cut in cuts), len(ids)]
    stream = bytebpe.StreamDecoder(BYTE_VOCAB, errors=errors, whole="grapheme")
    whole = b"".join(BYTE_VOCAB[id] for id in ids).decode("utf-8", errors)
    ends = {0, *(match.end() for match in regex.finditer(r"\X", whole))}

    done = ""
    for start, end in pairwise(bounds):
        done += stream.feed(ids[start:end])
        assert len(done) in ends

    assert done + stream.finish() == whole


def test_an_endless_grapheme_is_not_waited_for() -> None:
    stream = bytebpe.StreamDecoder(BYTE_VOCAB, whole="grapheme")

    text = "".join(stream.feed(ids_of("\u0301".encode())) for _ in range(1_000))

    assert len(text) > 700
    with pytest.raises(ValueError, match="whole: expected 'char' or 'grapheme', not 'word'"):
        bytebpe.StreamDecoder(BYTE_VOCAB, whole="word")  # type: ignore[arg-type]


@given(data=any_bytes(), more=any_bytes(), whole=st.sampled_from(["char", "grapheme"]))
def test_what_was_only_guessed_can_be_taken_back(data: bytes, more: bytes, whole: str) -> None:
    stream = bytebpe.StreamDecoder(BYTE_VOCAB, whole=whole)  # type: ignore[arg-type]
    text = stream.feed(ids_of(data))

    copy, state = stream.copy(), stream.state
    guessed = copy.feed(ids_of(more)) + copy.finish()
    stream.feed(ids_of(more))
    stream.state = state

    assert text + guessed == (data + more).decode("utf-8", "replace")
    assert text + stream.finish() == data.decode("utf-8", "replace")


def test_the_policy_may_be_another_one_at_the_end() -> None:
    stream = bytebpe.StreamDecoder(BYTE_VOCAB, errors="strict")
    stream.feed(ids_of(b"\xe4\xb8"))

    assert stream.finish(errors="backslashreplace") == "\\xe4\\xb8"


@given(rows=st.lists(st.binary(max_size=6) | texts(2).map(str.encode), min_size=1, max_size=5))
def test_several_streams_are_each_one_stream(rows: list[bytes]) -> None:
    streams = bytebpe.StreamDecoders(BYTE_VOCAB, len(rows))
    texts = [""] * len(rows)

    for step in range(max(map(len, rows))):
        ids = [ids_of(row)[step] if step < len(row) else None for row in rows]
        texts = [text + more for text, more in zip(texts, streams.feed(ids), strict=True)]
    texts = [text + streams.finish(row) for row, text in enumerate(texts)]

    assert texts == [row.decode("utf-8", "replace") for row in rows]
    assert len(streams) == len(rows)


def test_a_step_that_raises_is_taken_by_no_stream() -> None:
    streams = bytebpe.StreamDecoders(BYTE_VOCAB, 2)
    first, second = ids_of("é".encode())
    streams.feed([first, first])

    with pytest.raises(UnknownTokenError):
        streams.feed([second, 9999])
    with pytest.raises(ValueError, match="ids: expected 2 rows, not 1"):
        streams.feed([second])

    streams.select([1, 0, 1])
    assert streams.feed([second, second, None]) == ["é", "é", ""]
    assert streams.finish(2, errors="ignore") == ""


def test_ids_of_a_call_that_raises_are_not_taken() -> None:
    stream = bytebpe.StreamDecoder(BYTE_VOCAB)
    first, second = ids_of("é".encode())
    stream.feed(first)

    with pytest.raises(UnknownTokenError, match="no id 9999"):
        stream.feed([second, 9999])

    assert stream.feed(second) == "é"


def test_decoding_a_concatenation_is_concatenating_what_is_decoded(gpt2: bytebpe.Tokenizer) -> None:
    left, right = gpt2.encode("Hello 世")[:3], gpt2.encode("Hello 世")[3:]

    assert gpt2.decode_bytes(left + right) == gpt2.decode_bytes(left) + gpt2.decode_bytes(right)


@pytest.mark.parametrize("id", [-1, 50257, 2**32 - 1, 2**32, 2**64, -(2**70)])
def test_an_id_out_of_range_is_named(gpt2: bytebpe.Tokenizer, id: int) -> None:
    with pytest.raises(UnknownTokenError, match=rf"no id {id}: .* 50257 tokens, ids 0 to 50256"):
        gpt2.decode([15496, id])
    with pytest.raises(UnknownTokenError):
        gpt2.token_bytes(id)


@pytest.mark.parametrize("ids", [[1.0], ["15496"], [None], [b"a"], "abc", b"abc", 15496, None])
def test_what_is_no_ids_is_a_type_error(gpt2: bytebpe.Tokenizer, ids: object) -> None:
    with pytest.raises(TypeError):
        gpt2.decode(ids)  # type: ignore[arg-type]


def test_whatever_counts_as_an_int_is_an_id(gpt2: bytebpe.Tokenizer) -> None:
    class Index:
        def __index__(self) -> int:
            return 15496

    assert gpt2.decode((Index(), Index())) == "HelloHello"
    assert gpt2.stream_decoder().feed(Index()) == "Hello"
    assert gpt2.decode(iter([15496])) == "Hello"


@pytest.mark.parametrize(
    ("errors", "expected"),
    [("replace", "a\ufffd"), ("ignore", "a"), ("backslashreplace", "a\\xe4\\xb8")],
)
def test_the_policy_says_what_becomes_of_a_cut_character(errors: str, expected: str) -> None:
    tok = bytebpe.Tokenizer(BYTE_VOCAB)

    assert tok.decode(ids_of(b"a\xe4\xb8"), errors=errors) == expected
    with pytest.raises(UnicodeDecodeError):
        tok.decode(ids_of(b"a\xe4\xb8"), errors="strict")


def test_arrays_are_decoded_as_lists_are(gpt2: bytebpe.Tokenizer) -> None:
    text = "Hello, world 世界 👋"
    batch = gpt2.encode_batch_arrays([text, "", text])

    assert gpt2.decode(gpt2.encode_array(text)) == text
    assert gpt2.decode_batch(batch) == [text, "", text]
    assert gpt2.decode_batch(gpt2.encode_batch([text, ""]), num_threads=2) == [text, ""]


@pytest.mark.parametrize("offsets", [[0, 3], [-1, 2], [1, 0], [5], [-1]])
def test_offsets_that_are_none_are_refused(gpt2: bytebpe.Tokenizer, offsets: list[int]) -> None:
    ids = memoryview(array("H", [15496, 995]))

    with pytest.raises(ValueError, match="ascend from 0 to at most 2"):
        gpt2.decode_batch(bytebpe.TokenBatch(ids, memoryview(array("q", offsets))))


def test_a_part_of_a_batch_is_a_batch(gpt2: bytebpe.Tokenizer) -> None:
    batch = gpt2.encode_batch_arrays(["Hello", " world", "!"])

    assert gpt2.decode_batch(bytebpe.TokenBatch(batch.ids, batch.offsets[1:])) == [" world", "!"]


def test_a_batch_asks_for_a_number_of_threads(gpt2: bytebpe.Tokenizer) -> None:
    with pytest.raises(ValueError, match="num_threads: expected at least 1"):
        gpt2.decode_batch([[1]], num_threads=0)
