from __future__ import annotations

import random
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytebpe
import oracles
from bytebpe.errors import ByteBPEError
from strategies import any_bytes, texts, vocabs

PREFERS_BC = bytebpe.Vocab.from_merges([(b"b", b"c"), (b"a", b"b"), (b"ab", b"c")])


@given(data=any_bytes())
def test_a_trace_ends_where_encoding_does(gpt2: bytebpe.Tokenizer, data: bytes) -> None:
    trace = gpt2.trace(data)

    assert list(trace.ids) == gpt2.encode_bytes(data)
    assert b"".join(trace.tokens) == b"".join(trace.longest_match) == data
    assert b"".join(piece.piece for piece in trace.pieces) == data


@given(data=st.data(), vocab=vocabs(ordered=False))
def test_each_step_applies_the_least_rank_and_the_leftmost(
    data: st.DataObject, vocab: bytebpe.Vocab
) -> None:
    text = data.draw(st.text(alphabet="abc ", max_size=14))
    tok = bytebpe.Tokenizer(vocab)

    for piece in tok.trace(text).pieces:
        symbols = tuple(bytes([byte]) for byte in piece.piece)
        for step in piece.steps():
            assert step.before == symbols
            assert (step.left, step.right) == vocab.merges[step.rank]
            assert all(
                (step.rank, step.position) < (lost.rank, lost.position) for lost in step.lost
            )
            assert piece.piece[step.position : step.end] == step.left + step.right
            symbols = step.after
        assert symbols == piece.tokens
        assert list(piece.ids) == oracles.encode_pieces([piece.piece], vocab)


def test_candidates_that_lost_are_all_others_that_could_merge() -> None:
    [piece] = bytebpe.Tokenizer(PREFERS_BC).trace("abcab").pieces
    first, second = piece.steps()

    assert [(lost.rank, lost.position) for lost in first.lost] == [(1, 0), (1, 3)]
    assert (second.rank, second.position, second.lost) == (1, 3, ())
    assert piece.tokens == (b"a", b"bc", b"ab")


def test_longest_match_differs_and_says_why(gpt2: bytebpe.Tokenizer) -> None:
    [decodes] = gpt2.trace(" decodes").pieces
    [lowest] = gpt2.trace(" lowest").pieces
    [own_name] = gpt2.trace(" bytebpe").pieces

    assert decodes.tokens == (b" dec", b"odes")
    assert decodes.longest_match == (b" decode", b"s")
    assert decodes.contrast() == (
        "·decode is a token, but the merge e + s of rank 18 came first and took a part of it"
    )
    assert own_name.contrast() == (
        "bp is a token, but the merge p + e of rank 175 came first and took a part of it"
    )
    assert lowest.contrast() is None


def test_longest_match_gives_the_text_back_too(gpt2: bytebpe.Tokenizer) -> None:
    trace = gpt2.trace("A decoder decodes")

    assert trace.longest_match == (b"A", b" decode", b"r", b" decode", b"s")
    assert [piece.contrast() is None for piece in trace.pieces] == [True, False, False]


def test_a_token_that_no_merges_lead_to_is_never_made() -> None:
    vocab = bytebpe.Vocab({**bytebpe.Vocab.from_merges([]).ids, b"ab": 300}, ())
    [piece] = bytebpe.Tokenizer(vocab).trace("ab").pieces

    assert piece.contrast() == "ab is a token, but no merges of this piece lead to it"


@pytest.mark.parametrize(
    ("left", "right", "around", "reason", "together"),
    [
        ("b", "c", {}, "merged", True),
        ("ab", "c", {}, "lower_rank", True),
        ("a", "b", {}, "merged", True),
        ("a", "b", {"after": "c"}, "lower_rank", False),
        ("b", "a", {}, "no_such_merge", False),
        ("c", " ", {}, "piece_boundary", False),
        ("b", "c", {"before": "x c", "after": "c"}, "merged", True),
    ],
)
def test_why(left: str, right: str, around: dict[str, str], reason: str, together: bool) -> None:
    why = bytebpe.Tokenizer(PREFERS_BC).why(left, right, **around)

    assert (why.reason, why.together) == (reason, together)


def test_the_leftmost_of_equals_takes_the_symbol() -> None:
    vocab = bytebpe.Vocab.from_merges([(b"a", b"a")])
    why = bytebpe.Tokenizer(vocab).why("a", "a", before="a")

    assert why.reason == "lower_rank"
    assert why.taken_by is not None
    assert why.taken_by.position == 0


def test_each_reason_reads_as_a_sentence(gpt2: bytebpe.Tokenizer) -> None:
    never = bytebpe.Vocab(
        {**bytebpe.Vocab.from_merges([]).ids, b"ab": 300, b"abc": 301}, ((b"ab", b"c"),)
    )

    assert str(gpt2.why("l", "o")) == "l + o: merged, by the merge of rank 5183"
    assert str(gpt2.why("l", " o")) == "l + ·o: not merged; the pattern cuts between them"
    assert str(gpt2.why("世", "x")) == "世 + x: not merged; the vocabulary has no such merge"
    assert str(bytebpe.Tokenizer(PREFERS_BC).why("ab", "c")) == (
        "ab + c: not merged; b + c of rank 0 came first"
    )
    assert str(bytebpe.Tokenizer(never).why("ab", "c")) == (
        "ab + c: not merged; one of them is never made by the merges here"
    )


def test_why_agrees_with_the_encoder_on_ten_thousand_pairs(gpt2: bytebpe.Tokenizer) -> None:
    pick = random.Random(1)
    small = bytebpe.train(
        [gpt2.decode(pick.sample(range(50_000), 300)) for _ in range(20)], vocab_size=400
    )
    context = [token.decode() for token in small.vocab.tokens.values() if token.isalpha()]
    seen = set()
    for _ in range(10_000):
        if pick.random() < 0.5:  # the parts of a merge, and tokens that happen to meet
            left, right = pick.choice(small.merges)
        else:
            left, right = (small.token_bytes(pick.randrange(256, 400)) for _ in range(2))
        before, after = (pick.choice(["", pick.choice(context)]) for _ in range(2))
        place = len(before) + len(left)
        tokens = map(
            small.token_bytes, small.encode_bytes(before.encode() + left + right + after.encode())
        )
        ends = list(accumulate(map(len, tokens)))

        why = small.why(left, right, before=before, after=after)

        seen.add(why.reason)
        assert why.together == (place not in ends)
        if why.reason == "merged":
            assert (left, right) == small.merges[why.rank or 0]
            assert why.together
        if why.reason == "no_such_merge":
            assert (left, right) not in small.merges
        if why.reason == "lower_rank":
            assert (left, right) in small.merges
            assert why.taken_by is not None
    assert {"merged", "no_such_merge", "piece_boundary", "lower_rank"} <= seen


@given(text=texts(8), at=st.integers(0, 40))
def test_why_agrees_with_the_encoder_in_the_middle_of_a_text(
    gpt2: bytebpe.Tokenizer, text: str, at: int
) -> None:
    if len(text) < 2:
        return
    at = 1 + at % (len(text) - 1)
    left, right = text[at - 1], text[at]

    why = gpt2.why(left, right, before=text[: at - 1], after=text[at + 1 :])

    place = len(text[:at].encode())
    ends = {end for _, end in gpt2.offsets(text, unit="byte", disallowed_special=())}
    assert why.together == (place not in ends)


def test_a_piece_too_long_to_look_at_is_refused(gpt2: bytebpe.Tokenizer) -> None:
    with pytest.raises(ValueError, match="piece at byte 2 has 2001 bytes"):
        gpt2.trace("x1" + "a" * 2001)


def test_neighbours_need_a_byte_each(gpt2: bytebpe.Tokenizer) -> None:
    with pytest.raises(ValueError, match="at least one byte") as raised:
        gpt2.why("", "a")
    assert not isinstance(raised.value, ByteBPEError)
    with pytest.raises(TypeError, match="expected a str"):
        gpt2.trace(3)  # type: ignore[arg-type]
