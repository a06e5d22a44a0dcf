"""The native core equals the reference: on every tier, across windows, in arrays and batches."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bytebpe
from bytebpe import _kernels, assets, ordinary
from bytebpe.patterns import NAMED, TEKKEN, compile_pattern
from strategies import any_bytes, texts

native = _kernels.native
pytestmark = pytest.mark.skipif(native is None, reason="the native core is not built")

PATTERNS = {
    **NAMED,
    "tekken": TEKKEN,
    "dfa": r"\p{Lu}?\p{Ll}+|[0-9]{1,3}|\s+|[^\s\w]+",
    "regex": r"\b\w+|\X",
}
SCANNERS = {
    "gpt2": "simd:gpt2",
    "cl100k": "simd:cl100k",
    "llama3": "simd:cl100k",
    "qwen2": "simd:qwen2",
    "o200k": "simd:o200k",
    "tekken": "simd:tekken",
    "dfa": "dfa",
    "regex": "regex",
}
FAMILIES = ["gpt2", "cl100k", "qwen2", "o200k", "tekken"]
WINDOW = 8_192


@pytest.fixture(scope="session", autouse=True)
def engine() -> str:
    """Run once: these tests name the engines themselves."""
    return "both"


@pytest.fixture(scope="module", params=PATTERNS)
def pair(request: pytest.FixtureRequest) -> tuple[ordinary.TextEncoder, ordinary.TextEncoder]:
    """The same encoder on both engines, with a cache so small that it is always full."""
    pattern = compile_pattern(PATTERNS[request.param])
    core = native.TextEncoder(assets.gpt2(), pattern, 64)
    assert core.scanner == SCANNERS[request.param]
    return core, ordinary.TextEncoder(assets.gpt2(), pattern, 64)


@given(text=texts())
def test_any_text(pair: tuple[ordinary.TextEncoder, ordinary.TextEncoder], text: str) -> None:
    core, reference = pair

    ids = reference.encode(text)

    assert core.encode(text) == ids
    assert core.count(text) == len(ids)
    assert core.encode_array(text) == reference.encode_array(text)
    assert core.encode_array(text).format == "H"


@given(data=any_bytes())
def test_any_bytes(pair: tuple[ordinary.TextEncoder, ordinary.TextEncoder], data: bytes) -> None:
    core, reference = pair

    assert core.encode_bytes(data) == reference.encode_bytes(data)


@settings(max_examples=12)  # the reference needs its time for each; `tools.fuzz` tries many
@given(
    parts=st.lists(texts(3).filter(bool), min_size=1, max_size=4),
    before=st.integers(WINDOW - 40, WINDOW + 70),
    filler=st.sampled_from(
        ["a", "ab ", " ", "\n", "世", "世界。", "1", "!", "é", "\u3000", "a\r\n"]
    ),
)
def test_text_around_the_end_of_a_window(
    pair: tuple[ordinary.TextEncoder, ordinary.TextEncoder],
    parts: list[str],
    before: int,
    filler: str,
) -> None:
    core, reference = pair
    start = filler * (before // len(filler.encode()))

    for text in (start + "".join(parts), "".join(parts) + start + "".join(parts)):
        assert core.encode(text) == reference.encode(text)


@pytest.mark.parametrize(
    "unit", ["a", " ", "\n", "1", "!", "世", "'s", " a", "\u0301", "世 \n", "\r\n ", "a'", "٣"]
)
def test_runs_longer_than_many_windows(
    pair: tuple[ordinary.TextEncoder, ordinary.TextEncoder], unit: str
) -> None:
    core, reference = pair
    text = "x" + unit * (100_000 // len(unit)) + "x"

    assert core.encode(text) == reference.encode(text)


@given(rows=st.lists(texts(4), max_size=6), threads=st.integers(1, 3))
def test_batches(
    pair: tuple[ordinary.TextEncoder, ordinary.TextEncoder], rows: list[str], threads: int
) -> None:
    core, reference = pair

    assert core.encode_batch(rows, threads) == reference.encode_batch(rows, threads)
    batch = core.encode_batch_arrays(rows, threads)
    assert batch == reference.encode_batch_arrays(rows, threads)
    assert (batch.ids.format, batch.offsets.format) == ("H", "q")


def test_batches_of_many_texts_on_several_threads(
    pair: tuple[ordinary.TextEncoder, ordinary.TextEncoder], corpus: list[str]
) -> None:
    core, reference = pair
    rows = [line for text in corpus for line in text.splitlines(keepends=True)]
    expected = reference.encode_batch(rows, 1)

    assert core.encode_batch(rows, 1) == expected
    assert core.encode_batch(rows * 3, 4) == expected * 3


@pytest.mark.parametrize(
    "unit",
    [
        "The end. ",
        "it's 2024,",
        "世界。",
        "a",
        "x! (y)\r\n",
        "word  ",
        "да, нет\n",
        "กขิ ",
        "𞤀𞤁1",
        "é́",
    ],
)
def test_a_long_text_is_divided_among_threads(
    pair: tuple[ordinary.TextEncoder, ordinary.TextEncoder], unit: str
) -> None:
    core, _ = pair
    if core.scanner == "regex":
        pytest.skip("only what the core splits is divided")
    text = unit * (800_000 // len(unit.encode()))  # several parts
    ids, short = core.encode(text), core.encode("a")

    assert core.encode_batch([text, "a", text], 3) == [ids, short, ids]


def test_ids_beyond_sixteen_bits_make_wider_arrays() -> None:
    vocab = bytebpe.Vocab.from_merges([]).with_special_tokens({"<x>": 70_000})
    tok = bytebpe.Tokenizer(vocab)

    assert tok.encode_array("a").format == "I"
    assert tok.encode_batch_arrays(["a"]).ids.format == "I"


def test_ids_too_high_for_the_core_go_by_the_reference() -> None:
    vocab = bytebpe.Vocab.from_merges([]).with_special_tokens({"<x>": native.ID_LIMIT})

    assert bytebpe.Tokenizer(vocab).encode("a<x>", allowed_special="all")[1] == native.ID_LIMIT


def test_an_array_needs_no_copy() -> None:
    numpy = pytest.importorskip("numpy")
    tok = bytebpe.pretrained("gpt2")

    array = numpy.asarray(tok.encode_array("Hello world"))

    assert array.dtype == numpy.uint16
    assert array.tolist() == [15496, 995]
    assert not array.flags.owndata


def adversarial() -> Iterator[str]:
    """Yield texts in which everything that is mended one by one stands near everything else."""
    draw = random.Random(7)
    parts = [
        "a",
        "B",
        "é",
        "世",
        "界",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "1",
        "23",
        "½",
        "٣",
        "!",
        "'",
    ]
    parts += ["/", "\n/", "ǅ", "ʰ", "\ufe0f"]
    parts += ["'s", "'LL", "'re", "\u3000", "\u00a0", "…", "👋", "\u0301", "'ſ", "\u2028", ".", "Я"]
    for size in [*range(1, 200), 3_000, 17_000, 60_000]:
        yield "".join(draw.choice(parts) for _ in range(size))


def on_each_tier(
    name: str, monkeypatch: pytest.MonkeyPatch, size: int, vocab: bytebpe.Vocab | None = None
) -> list[Any]:
    """Make an encoder for each tier of instructions that this machine has."""
    made = []
    vocab = vocab or assets.gpt2()
    for isa in native._native.runnable_isas():
        monkeypatch.setenv("BYTEBPE_ISA", isa)
        made.append(native.TextEncoder(vocab, compile_pattern(PATTERNS[name]), size))
        assert made[-1]._core.isa == isa
    return made


@pytest.mark.parametrize("name", FAMILIES)
def test_every_tier_of_instructions(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tiers = on_each_tier(name, monkeypatch, 1000)
    reference = ordinary.TextEncoder(assets.gpt2(), compile_pattern(PATTERNS[name]), 1000)

    for text in adversarial():
        ids = reference.encode(text)
        assert [tier.encode(text) for tier in tiers] == [ids] * len(tiers)


@pytest.fixture(scope="module")
def crossing() -> bytebpe.Vocab:
    """A vocabulary whose merges cross every place where a pattern may cut."""
    short = [text for text in adversarial() if len(text) < 500]
    return bytebpe.train(short, num_merges=1_500, min_frequency=1, pattern=r"[\s\S]+").vocab


@pytest.mark.parametrize("name", FAMILIES)
def test_the_pieces_themselves(
    name: str, monkeypatch: pytest.MonkeyPatch, crossing: bytebpe.Vocab
) -> None:
    tiers = on_each_tier(name, monkeypatch, 1000, crossing)
    reference = ordinary.TextEncoder(crossing, compile_pattern(PATTERNS[name]), 1000)

    for text in adversarial():  # ids differ where pieces do
        ids = reference.encode(text)
        assert [tier.encode(text) for tier in tiers] == [ids] * len(tiers)


@pytest.mark.parametrize("highest", [0x7F, 0xFF, 0x7FF, 0xFFFF, 0x10FFFF])
def test_text_of_every_width_becomes_utf8(highest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tiers = on_each_tier("gpt2", monkeypatch, 0)
    draw = random.Random(highest)
    vocab = assets.gpt2()

    def point() -> str:
        drawn = draw.randint(0, draw.choice([0x7F, 0x7FF, 0xFFFF, 0x10FFFF]) & highest)
        return chr(drawn) if not 0xD800 <= drawn <= 0xDFFF else "\ud7ff"

    for size in range(70):
        text = "".join(point() for _ in range(size)) + chr(min(highest, 0xD7FF))
        at = draw.randint(0, size)
        for tier in tiers:
            assert b"".join(map(vocab.tokens.__getitem__, tier.encode(text))) == text.encode()
            assert tier.encode(text[:at] + "\udc80" + text[at:]) is None  # UTF-8 has none of it


@pytest.mark.parametrize("name", FAMILIES)
def test_any_bytes_at_any_place_on_every_tier(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tiers = on_each_tier(name, monkeypatch, 0)
    reference = ordinary.TextEncoder(assets.gpt2(), compile_pattern(PATTERNS[name]), 1000)

    @settings(max_examples=40)
    @given(data=any_bytes(), before=st.integers(0, 130), filler=st.sampled_from("a 1!世é"))
    def check(data: bytes, before: int, filler: str) -> None:
        shifted = (filler * before).encode() + data
        ids = reference.encode_bytes(shifted)
        assert [tier.encode_bytes(shifted) for tier in tiers] == [ids] * len(tiers)

    check()


@pytest.mark.parametrize("name", FAMILIES)
def test_the_automaton_of_a_known_pattern_gives_the_same_ids(
    name: str, monkeypatch: pytest.MonkeyPatch, corpus: list[str]
) -> None:
    family = native.TextEncoder(assets.gpt2(), compile_pattern(PATTERNS[name]), 10_000)
    monkeypatch.setattr(native, "FAMILIES", {})
    forced = native.TextEncoder(assets.gpt2(), compile_pattern(PATTERNS[name]), 10_000)
    assert (family.scanner, forced.scanner) == (f"simd:{name}", "dfa")

    for text in (*corpus, *adversarial()):
        assert forced.encode(text) == family.encode(text)
