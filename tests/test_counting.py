"""Piece counts: the same on both engines, on any number of threads, and bounded where asked."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytebpe import _kernels, counting
from bytebpe.counting import PieceCounter
from bytebpe.errors import TrainingError
from bytebpe.patterns import NAMED, compile_pattern
from bytebpe.train import Ties
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


COUNTS = st.dictionaries(texts(4), st.integers(0, 5)) | st.dictionaries(
    any_bytes(), st.integers(0, 5)
)


@given(counts=COUNTS, rows=st.lists(texts(3), max_size=3), pattern=PATTERNS)
def test_texts_with_counts_count_as_often(
    counts: dict[str, int], rows: list[str], pattern: str
) -> None:
    def filled(make: Callable[..., PieceCounter], *options: int) -> PieceCounter:
        pieces = make(compile_pattern(pattern), TOKENS[:3], *options)
        pieces.add(rows)
        pieces.add_counts(counts)
        pieces.add(rows)
        return pieces

    engine, reference = filled(_kernels.piece_counter), filled(PieceCounter)
    written_out = [text for text, count in counts.items() for _ in range(count)]

    assert state(engine) == state(reference)
    assert state(engine) == state(
        counted([*rows, *written_out, *rows], pattern, specials=3)  # type: ignore[list-item]
    )
    assert state(filled(_kernels.piece_counter, 2)) == state(filled(PieceCounter, 2))


@pytest.mark.parametrize("ties", ["lowest", "first"])
def test_shards_with_counts_are_merged_in_any_order(ties: Ties) -> None:
    shards: list[dict[str, int]] = [{"low low": 2, "new": 1}, {"newer low": 3}, {"wide": 2, "": 1}]
    learned = []
    for order in permutations(shards):
        of_engine = _kernels.piece_counter(compile_pattern("gpt2"), ())
        of_reference = PieceCounter(compile_pattern("gpt2"), ())
        for shard in order:
            for whole, make in ((of_engine, _kernels.piece_counter), (of_reference, PieceCounter)):
                part = make(compile_pattern("gpt2"), ())
                part.add_counts(shard)
                whole.add_pieces(part.items(), part.texts, part.size)
        assert state(of_engine) == state(of_reference)
        merges, by_reference = (
            _kernels.learn_pieces(
                pieces, range(256), new_symbol=256, max_merges=9, min_frequency=1, max_width=None,
                ties=ties, on_merge=lambda done: None,
            )
            for pieces in (of_engine, of_reference)
        )  # fmt: skip
        assert merges == by_reference
        assert merges[0]
        learned.append(merges)

    if ties == "lowest":  # "first" goes by the order in which pieces appeared
        assert all(merges == learned[0] for merges in learned)


@pytest.mark.parametrize("make", [_kernels.piece_counter, PieceCounter])
def test_counts_that_are_too_large_are_refused(make: Callable[..., PieceCounter]) -> None:
    pieces = make(compile_pattern("gpt2"), ())
    pieces.add_counts({"ab": 2**62})

    for count in (2**62, 2**70):
        with pytest.raises(TrainingError, match=r"'cd' these come to 2\*\*63 pairs or more"):
            pieces.add_counts({"cd": count})
    pieces.add_counts({"cd": 2**62 - 1, "": 2})

    assert list(pieces.items()) == [(b"ab", 2**62), (b"cd", 2**62 - 1)]
    assert pieces.total == 2**63 - 1
    assert pieces.size == 2**64 - 2


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
