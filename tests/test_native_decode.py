"""The native decoder equals the reference in every result and in every error."""

from __future__ import annotations

import enum
from array import array
from collections.abc import Callable, Iterator
from itertools import accumulate, chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytebpe
from bytebpe import _kernels, assets, decode

native = _kernels.native
pytestmark = pytest.mark.skipif(native is None, reason="the native core is not built")

ERRORS = ["replace", "strict", "ignore", "surrogateescape", "no-such-policy", "a\0b", 5, "\ud800"]
TYPECODES = "bBhHiIlLqQ"


@pytest.fixture(scope="session", autouse=True)
def engine() -> str:
    """Run once: these tests name the engines themselves."""
    return "both"


@pytest.fixture(scope="module")
def pair() -> tuple[decode.Decoder, decode.Decoder]:
    return native.Decoder(assets.gpt2()), decode.Decoder(assets.gpt2())


class Index:
    def __init__(self, value: object) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value  # type: ignore[return-value]


class Kind(enum.IntEnum):
    HELLO = 15496


class Bad:
    def __index__(self) -> int:
        raise ZeroDivisionError("of its own")


class Odd(list[int]):
    """A list that is read in another order than it lies in."""

    def __iter__(self) -> Iterator[int]:
        return reversed(self)


def outcome(call: Callable[..., object], *args: object) -> object:
    """Return what a call returns or raises, with all that can be seen of it."""
    try:
        return call(*args)
    except Exception as error:
        return type(error), str(error), error.args


def known_ids() -> st.SearchStrategy[int]:
    return st.one_of(st.integers(0, 50_256), st.integers(0, 255), st.integers(160, 255))


@given(ids=st.lists(known_ids()), errors=st.sampled_from(ERRORS))
def test_any_ids(pair: tuple[decode.Decoder, decode.Decoder], ids: list[int], errors: str) -> None:
    core, reference = pair

    assert core.decode_bytes(ids) == reference.decode_bytes(ids)
    assert core.decode_bytes(tuple(ids)) == reference.decode_bytes(ids)
    assert outcome(core.decode, ids, errors) == outcome(reference.decode, ids, errors)


@given(
    ids=st.lists(
        st.one_of(
            known_ids(),
            st.integers(),
            st.booleans(),
            st.sampled_from([None, 1.0, "5", b"a", Index(5), Index(-1), Index("x"), Bad(), [5]]),
            st.sampled_from([Kind.HELLO, 2**63, 2**64, 2**64 + 5, -(2**63), 2**32, 50_257]),
        ),
        max_size=6,
    )
)
def test_what_may_be_an_id_and_what_may_not(
    pair: tuple[decode.Decoder, decode.Decoder], ids: list[object]
) -> None:
    core, reference = pair

    assert outcome(core.decode_bytes, ids) == outcome(reference.decode_bytes, ids)
    assert outcome(core.decode, ids, "strict") == outcome(reference.decode, ids, "strict")


@pytest.mark.parametrize(
    "ids",
    [
        None,
        5,
        "abc",
        b"abc",
        bytearray(b"abc"),
        memoryview(b"abc"),
        memoryview(b"abcd")[::2],
        memoryview(b"abcd").cast("B", (2, 2)),
        memoryview(b"abcd").cast("c"),
        memoryview(b"\0\1").cast("?"),
        memoryview(bytes(9))[1:].cast("q"),
        memoryview(bytes(8)).cast("d"),
        array("d", [1.0]),
        array("H"),
        range(5),
        {1: 2, 3: 4},
        {7},
        Odd([1, 2, 3]),
        [[1], [2]],
    ],
)
def test_what_may_hold_ids_and_what_may_not(
    pair: tuple[decode.Decoder, decode.Decoder], ids: object
) -> None:
    core, reference = pair

    assert outcome(core.decode_bytes, ids) == outcome(reference.decode_bytes, ids)
    assert outcome(core.decode_batch, [[5], ids], "replace", 2) == outcome(
        reference.decode_batch, [[5], ids], "replace", 2
    )


def test_what_can_be_read_once_is_read_once(pair: tuple[decode.Decoder, decode.Decoder]) -> None:
    core, reference = pair

    assert core.decode_bytes(iter([15496, 995])) == b"Hello world"
    assert core.decode(iter([15496, 995]), "strict") == "Hello world"
    assert core.decode_batch([iter([15496]), iter([995])], "strict", 1) == ["Hello", " world"]
    assert outcome(core.decode_bytes, iter([5, -1])) == outcome(reference.decode_bytes, [5, -1])


@given(data=st.data(), typecode=st.sampled_from(TYPECODES))
def test_arrays_of_every_type(
    pair: tuple[decode.Decoder, decode.Decoder], data: st.DataObject, typecode: str
) -> None:
    core, reference = pair
    bits = 8 * array(typecode).itemsize
    bounds = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if typecode.islower() else (0, 2**bits - 1)
    within = st.integers(max(bounds[0], 0), min(bounds[1], 50_256))
    ids = data.draw(st.lists(st.one_of(within, within, st.integers(*bounds)), max_size=5))
    numbers = array(typecode, ids)

    for array_like in (numbers, memoryview(numbers), memoryview(numbers)[::-1]):
        assert outcome(core.decode_bytes, array_like) == outcome(reference.decode_bytes, array_like)


@pytest.mark.parametrize("kind", ["u1", "<i2", ">i2", "u4", "i8", "?", "f4", "U1", "O", "(2,)i4"])
def test_arrays_of_numpy(pair: tuple[decode.Decoder, decode.Decoder], kind: str) -> None:
    numpy = pytest.importorskip("numpy")
    core, reference = pair
    numbers = numpy.array([1, 2, 3]).astype(kind) if kind != "(2,)i4" else numpy.ones((3, 2), int)

    for ids in (numbers, numbers[::2], list(numbers), numpy.ma.masked_array(numbers)):
        assert outcome(core.decode_bytes, ids) == outcome(reference.decode_bytes, ids)


@given(
    rows=st.lists(
        st.lists(st.one_of(known_ids(), known_ids(), st.sampled_from([-1, None])), max_size=4),
        max_size=6,
    ),
    errors=st.sampled_from(ERRORS),
    threads=st.integers(1, 3),
)
def test_batches(
    pair: tuple[decode.Decoder, decode.Decoder],
    rows: list[list[int]],
    errors: str,
    threads: int,
) -> None:
    core, reference = pair

    assert outcome(core.decode_batch, rows, errors, threads) == outcome(
        reference.decode_batch, rows, errors, threads
    )


@given(
    ids=st.lists(st.one_of(known_ids(), st.just(50_300)), max_size=12),
    offsets=st.lists(st.integers(-1, 13), max_size=5),
    ascending=st.booleans(),
    threads=st.integers(1, 3),
)
def test_flat_batches(
    pair: tuple[decode.Decoder, decode.Decoder],
    ids: list[int],
    offsets: list[int],
    ascending: bool,
    threads: int,
) -> None:
    core, reference = pair
    ends = memoryview(array("q", sorted(offsets) if ascending else offsets))
    flat = memoryview(array("I", ids))

    assert outcome(core.decode_flat, flat, ends, "replace", threads) == outcome(
        reference.decode_flat, flat, ends, "replace", threads
    )


def test_large_batches_on_several_threads(pair: tuple[decode.Decoder, decode.Decoder]) -> None:
    core, reference = pair
    rows = [[(7 * at + row) % 50_257 for at in range(row % 700)] for row in range(1500)]
    expected = reference.decode_batch(rows, "replace", 1)
    offsets = array("q", accumulate(map(len, rows), initial=0))
    flat = array("H", chain.from_iterable(rows))

    for threads in (1, 2, 5):
        assert core.decode_batch(rows, "replace", threads) == expected
        assert core.decode_flat(memoryview(flat), memoryview(offsets), "replace", threads) == (
            expected
        )


def test_offsets_are_looked_at_before_any_text_is_made(
    pair: tuple[decode.Decoder, decode.Decoder],
) -> None:
    core, reference = pair
    flat = memoryview(array("I", [160, *[5] * 200_000]))  # the first is no UTF-8 by itself
    ends = memoryview(array("q", [0, 1, 200_000, 100_000, 200_001]))

    expected = outcome(reference.decode_flat, flat, ends, "strict", 1)

    assert outcome(core.decode_flat, flat, ends, "strict", 1) == expected
    assert expected[0] is ValueError  # type: ignore[index]


def test_ids_with_gaps_between_them() -> None:
    vocab = bytebpe.Vocab.from_merges([]).with_special_tokens({"<x>": 70_000, "é": 300})
    core, reference = native.Decoder(vocab), decode.Decoder(vocab)

    for ids in ([0, 70_000, 300], [299], [69_999], [70_001]):
        assert outcome(core.decode, ids, "strict") == outcome(reference.decode, ids, "strict")


def test_ids_too_high_for_the_core_go_by_the_reference() -> None:
    vocab = bytebpe.Vocab.from_merges([]).with_special_tokens({"<x>": native.ID_LIMIT})

    assert bytebpe.Tokenizer(vocab).decode([native.ID_LIMIT]) == "<x>"
