"""Piece counts: the same on both engines, on any number of threads, and bounded where asked."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytebpe import _kernels, counting
from bytebpe.counting import PieceCounter
from bytebpe.patterns import NAMED, compile_pattern
from strategies import any_bytes, texts

PATTERNS = st.sampled_from([*NAMED, r"\p{Lu}?\p{Ll}+|\s+", r"\b\w+|\X"])
TOKENS = ("<|endoftext|>", "<|end", "'s", "é", "\u0930", "的一", "a", "ab")


def counted(
    rows: list[str] | list[bytes], pattern: str = "gpt2", *, reference: bool = False, **options: int
) -> PieceCounter:
    threads = options.pop("num_threads", 1)
    specials: tuple[str, ...] = TOKENS[: options.pop("specials", 0)]
    make = PieceCounter if reference else _kernels.piece_counter
    pieces = make(compile_pattern(pattern), specials, **options)
    pieces.add(rows, num_threads=threads)
    return pieces


def state(pieces: PieceCounter) -> tuple[object, ...]:
    dropped = pieces.dropped_pieces, pieces.dropped_count
    text = "".join(pieces.lines())
    return list(pieces.items()), text, len(pieces), pieces.total, pieces.texts, pieces.size, dropped


@given(
    rows=st.lists(texts(4) | any_bytes(), max_size=6),
    pattern=PATTERNS,
    specials=st.integers(0, len(TOKENS)),
    threads=st.integers(1, 3),
)
def test_the_engine_counts_what_the_reference_counts(
    rows: list[str], pattern: str, specials: int, threads: int
) -> None:
    expected = counted(rows, pattern, reference=True, specials=specials)

    assert state(counted(rows, pattern, num_threads=threads, specials=specials)) == state(expected)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at the number of pieces, and call a text long, after a few bytes."""
    monkeypatch.setattr(counting, "BLOCK", 50)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("max_pieces", [1, 2, 7, 40])
@pytest.mark.parametrize("threads", [1, 2, 7])
def test_the_number_of_pieces_stays_bounded(
    max_pieces: int, threads: int, corpus: list[str]
) -> None:
    draw = random.Random(max_pieces)
    words = " ".join(corpus).split()
    rows = [" ".join(draw.choices(words, k=draw.randint(0, 12))) for _ in range(200)]

    pieces = counted(rows, max_pieces=max_pieces, num_threads=threads)

    assert len(pieces) <= max_pieces
    assert pieces.total + pieces.dropped_count == counted(rows).total
    assert state(pieces) == state(counted(rows, reference=True, max_pieces=max_pieces))


def test_what_occurs_most_stays_and_of_equals_what_came_first() -> None:
    pieces = counted(["a! b! c! d! e! ! ! !"], max_pieces=5)

    assert list(pieces.items()) == [(b"!", 5), (b" !", 3)]
    assert (pieces.dropped_pieces, pieces.dropped_count) == (5, 5)


def test_rare_pieces_can_be_dropped() -> None:
    pieces = counted(["a b a b c a"])

    pieces.drop_rare(2)

    assert list(pieces.items()) == [(b" b", 2), (b" a", 2)]
    assert (pieces.dropped_pieces, pieces.dropped_count) == (2, 2)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("name", ["gpt2", "o200k"])
def test_a_long_text_is_counted_like_a_short_one(name: str, corpus: list[str]) -> None:
    text = "\n".join(corpus) * 2
    expected = state(counted([text], name, reference=True))

    for threads in (1, 2, 7):
        assert state(counted([text], name, num_threads=threads)) == expected
    assert state(counted([text.encode()], name, num_threads=2)) == expected


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_each_shard_and_each_thread_comes_to_the_same(threads: int, corpus: list[str]) -> None:
    rows = [row for text in corpus for row in text.splitlines(keepends=True)] * 3
    shuffled = random.Random(threads).sample(rows, len(rows))

    assert state(counted(rows, num_threads=threads)) == state(counted(rows, reference=True))
    assert dict(counted(shuffled, num_threads=threads).items()) == dict(counted(rows).items())


def test_pieces_that_were_counted_before_come_first() -> None:
    pieces = counted(["b a"])
    again = _kernels.piece_counter(compile_pattern("gpt2"), ())
    again.add_pieces(pieces.items(), pieces.texts, pieces.size)
    again.add(["c a", "b"])

    assert list(again.items()) == [(b"b", 2), (b" a", 2), (b"c", 1)]
    assert (again.texts, again.size) == (3, 7)


def test_an_error_leaves_only_whole_texts_counted() -> None:
    def rows() -> Iterator[str]:
        yield from ["a b"] * 3
        raise KeyboardInterrupt

    pieces = _kernels.piece_counter(compile_pattern("gpt2"), ())
    with pytest.raises(KeyboardInterrupt):
        pieces.add(rows())

    assert pieces.total == 2 * pieces.texts


def test_bytes_are_told_as_they_are_read() -> None:
    seen: list[int] = []
    pieces = _kernels.piece_counter(compile_pattern("gpt2"), ())

    pieces.add(["ab", "", "c"], seen.append)

    assert seen[-1] == 3
    assert seen == sorted(seen)
