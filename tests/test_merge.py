from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytebpe
import oracles
from bytebpe import merge
from strategies import vocabs


def merged(piece: bytes, vocab: bytebpe.Vocab) -> list[int]:
    """Merge a piece as the engine at work does: no pattern cuts it."""
    return bytebpe.Tokenizer(vocab, pattern="(?s).+", cache_size=0).encode_bytes(piece)


pieces = st.text(alphabet="abc ", max_size=40).map(str.encode)


@given(piece=pieces, vocab=st.one_of(vocabs(), vocabs(ordered=False)))
def test_merging_is_the_textbook_definition(piece: bytes, vocab: bytebpe.Vocab) -> None:
    assert merged(piece, vocab) == oracles.encode_pieces([piece], vocab)


@given(unit=pieces, times=st.integers(10, 40), vocab=st.one_of(vocabs(), vocabs(ordered=False)))
def test_long_pieces_follow_the_same_definition(
    unit: bytes, times: int, vocab: bytebpe.Vocab
) -> None:
    piece = unit * times

    assert merged(piece, vocab) == oracles.encode_pieces([piece], vocab)


@given(piece=pieces, vocab=vocabs(ordered=False))
def test_no_mergeable_neighbours_are_left(piece: bytes, vocab: bytebpe.Vocab) -> None:
    tokens = [vocab[id] for id in merged(piece, vocab)]

    assert b"".join(tokens) == piece
    assert not set(pairwise(tokens)) & set(vocab.merges)


def test_the_lowest_rank_is_merged_first_not_the_longest_token() -> None:
    vocab = bytebpe.Vocab.from_merges([(b"b", b"c"), (b"a", b"b"), (b"ab", b"c")])

    assert merged(b"abc", vocab) == [vocab.ids[b"a"], vocab.ids[b"bc"]]


def test_of_equal_ranks_the_leftmost_is_merged_first() -> None:
    vocab = bytebpe.Vocab.from_merges([(b"a", b"a")])

    assert merged(b"aaa", vocab) == [vocab.ids[b"aa"], vocab.ids[b"a"]]


@pytest.mark.parametrize("size", [0, 1, 2, 127, 128, 129, 130, 1000])
def test_both_ways_agree_around_the_threshold(size: int) -> None:
    vocab = bytebpe.Vocab.from_merges([(b"a", b"b"), (b"b", b"a"), (b"ab", b"ab"), (b"a", b"a")])
    piece = (b"abaab" * 200)[:size]

    assert merged(piece, vocab) == oracles.encode_pieces([piece], vocab)


def test_work_on_a_long_piece_is_not_quadratic() -> None:
    class Counted(dict[tuple[int, int], int]):
        looks = 0

        def get(self, *args: object) -> int | None:  # type: ignore[override]
            self.looks += 1
            return super().get(*args)  # type: ignore[arg-type]

    def looks(size: int) -> int:
        table = merge.MergeTable(range(256), [(97, 97, 256), (256, 256, 257), (257, 257, 258)])
        counted = table._ranks = Counted(table._ranks)
        table.merge(b"a" * size)
        return counted.looks

    assert looks(40_000) <= 10.5 * looks(4_000)
    assert looks(40_000) <= 8 * 40_000
