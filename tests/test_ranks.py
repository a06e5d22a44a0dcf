"""Files of ranks: .tiktoken and tekken.json; and minbpe's and subword-nmt's files of merges."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bytebpe
from bytebpe import _kernels, token_parts
from bytebpe.errors import FormatError
from bytebpe.formats import tiktoken as tiktoken_file
from bytebpe.formats.ranks import recover
from bytebpe.pipeline import Pipeline
from strategies import texts, vocabs

tiktoken = pytest.importorskip("tiktoken")

WHOLE = r"[\s\S]+"


def as_peer(tok: bytebpe.Tokenizer, pattern: str) -> Any:
    ranks, special = tok.mergeable_ranks, tok.special_tokens
    return tiktoken.Encoding("peer", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)


def write_ranks(path: Path, ranks: dict[bytes, int]) -> Path:
    lines = (f"{base64.b64encode(token).decode()} {rank}" for token, rank in ranks.items())
    path.write_text("\n".join(lines) + "\n")
    return path


@st.composite
def ranks(draw: st.DrawFn) -> dict[bytes, int]:
    """Draw ranks in any order, of tokens that may be made by no merge or by a later one."""
    longer = draw(st.lists(st.text("abc ", min_size=2, max_size=6), max_size=14, unique=True))
    return {bytes([byte]): byte for byte in range(256)} | {
        token.encode(): 256 + rank for rank, token in enumerate(longer)
    }


@given(ranks=ranks(), text=st.text("abc ", max_size=30))
def test_ranks_mean_what_they_mean_to_tiktoken(
    tmp_path_factory: pytest.TempPathFactory, ranks: dict[bytes, int], text: str
) -> None:
    path = write_ranks(tmp_path_factory.mktemp("ranks") / "x.tiktoken", ranks)
    for pattern in (WHOLE, " ?[ab]+| ?c+| +"):
        tok = bytebpe.load(path, pattern=pattern)

        assert tok.encode(text) == as_peer(tok, pattern).encode(text)
        assert tok.pipeline.ignore_merges == bool(recover(ranks)[1])


@given(
    tokens=st.lists(
        st.text("abc", max_size=5) | st.text("ab", max_size=20) | st.text("é世", max_size=4),
        max_size=40,
        unique=True,
    )
)
def test_the_engine_finds_the_parts_that_the_reference_finds(tokens: list[str]) -> None:
    data = [token.encode() for token in tokens]

    assert list(_kernels.left_sizes(data)) == token_parts.left_sizes(data)


@given(
    ranks=ranks(),
    at=st.integers(0, 2000),
    size=st.integers(0, 3),
    new=st.sampled_from([b"", b" ", b"\n", b"=", b"A", b"0", b"\r", b"\xff"]),
)
def test_a_file_read_at_once_is_a_file_read_line_by_line(
    tmp_path_factory: pytest.TempPathFactory,
    ranks: dict[bytes, int],
    at: int,
    size: int,
    new: bytes,
) -> None:
    path = write_ranks(tmp_path_factory.mktemp("ranks") / "x.tiktoken", ranks)
    content = path.read_bytes()
    assert tiktoken_file._read_at_once(content) == ranks

    changed = content[:at] + new + content[at + size :]
    found = tiktoken_file._read_at_once(changed)

    if found is not None:
        assert list(found.items()) == list(tiktoken_file._read_lines(path, changed).items())


@given(vocab=vocabs(), text=st.text("abc ", max_size=30), special=st.booleans())
@settings(max_examples=40)
def test_what_is_saved_is_what_is_loaded(
    tmp_path_factory: pytest.TempPathFactory, vocab: bytebpe.Vocab, text: str, special: bool
) -> None:
    directory = tmp_path_factory.mktemp("saved")
    vocab = vocab.with_special_tokens({"<x>": 900} if special else {})
    tok = bytebpe.Tokenizer(vocab, pattern="o200k")
    try:
        tok.save(directory, format="tiktoken")
    except FormatError:
        # Two merges of one token, or an order that bytes alone do not give.
        assert recover(vocab.ids)[0] != list(vocab.merges)
        return

    loaded = bytebpe.load(directory)

    assert (loaded.vocab, loaded.pattern) == (tok.vocab, tok.pattern)
    assert loaded.encode(text) == tok.encode(text) == as_peer(tok, tok.pattern).encode(text)


def test_what_is_trained_here_goes_to_tiktoken_and_back(corpus: list[str], tmp_path: Path) -> None:
    tok = bytebpe.train(corpus[:5], vocab_size=900, special_tokens=["<|end|>"])
    tok.save(tmp_path / "own.tiktoken", format="tiktoken")

    special = {"<|end|>": 899}
    loaded = bytebpe.load(tmp_path / "own.tiktoken", pattern="gpt2", special_tokens=special)

    assert loaded.vocab == tok.vocab
    assert [path.name for path in tmp_path.iterdir()] == ["own.tiktoken"]
    with pytest.raises(FormatError, match="does not say how texts are split; give the pattern"):
        bytebpe.load(tmp_path / "own.tiktoken")


GOOD = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"YWI= 256 1", "expected a token in base64, one space and a rank"),
        (b"YWI=\t257", "expected a token in base64"),
        (b"YWI= x", "expected a token in base64"),
        (b"YWI= 99999999999", "expected a token in base64"),
        (b"YWI= 4294967295", "ranks go from 0"),
        (b"YW= 300", "found 'YW= 300'"),
        (b"\xff\xfe 300", "found"),
        (b" 300", "a token has 1 to 4096 bytes, not 0"),
        (base64.b64encode(b"a" * 4097) + b" 300", "a token has 1 to 4096 bytes, not 4097"),
        (b"YWI= 300", r"b'ab' has the rank 256 already"),
        (b"YmM= 256", "the rank 256 stands in line 257 too"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: bytes, problem: str) -> None:
    path = write_ranks(tmp_path / "x.tiktoken", GOOD)
    path.write_bytes(path.read_bytes() + line + b"\r\n")

    with pytest.raises(FormatError, match=problem) as caught:
        bytebpe.load(path, pattern="gpt2")

    assert (caught.value.path, caught.value.line) == (str(path), 258)


def test_ranks_without_all_bytes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="254 of the 256 bytes have no token"):
        bytebpe.load(write_ranks(tmp_path / "x", {b"a": 0, b"b": 1}), pattern="gpt2")


@pytest.mark.parametrize(
    ("ids", "merges", "pipeline", "problem"),
    [
        ({b"zz": 300}, (), Pipeline(), "b'zz' is made by no merge|there are 0 merges"),
        ({b"zzz": 300}, (), Pipeline(), "b'zzz' is made by no merge, and here never encoded"),
        ({b"aa": 301, b"aaa": 300}, ((b"aa", b"a"), (b"a", b"a")), Pipeline(), None),
        ({b"aa": 300, b"aaa": 301}, ((b"aa", b"a"), (b"a", b"a")), Pipeline(), "merge 0 is b'aa'"),
        ({}, (), Pipeline(prefix_space=True), "cannot hold what this tokenizer does beside"),
    ],
)
def test_what_ranks_cannot_say_is_refused(
    tmp_path: Path, ids: Any, merges: Any, pipeline: Pipeline, problem: str | None
) -> None:
    plain = bytebpe.Vocab.from_merges([]).ids
    tok = bytebpe.Tokenizer(bytebpe.Vocab({**plain, **ids}, merges), pipeline=pipeline)

    if problem is None:
        tok.save(tmp_path / "x.tiktoken", format="tiktoken")
        return
    with pytest.raises(FormatError, match=problem):
        tok.save(tmp_path / "x.tiktoken", format="tiktoken")
    assert list(tmp_path.iterdir()) == []


# ---- tekken.json ----------------------------------------------------------------------


def in_byte_order() -> bytebpe.Vocab:
    return bytebpe.Vocab({bytes([byte]): byte for byte in range(256)}, ())


def tekken_tokenizer() -> bytebpe.Tokenizer:
    ids = {bytes([byte]): 3 + byte for byte in range(256)} | {b"ab": 259, b"abc": 260}
    merges = ((b"a", b"b"), (b"ab", b"c"))
    specials = {"<unk>": 0, "<s>": 1, "</s>": 2}
    return bytebpe.Tokenizer(bytebpe.Vocab(ids, merges, specials), pattern=r"\p{L}+|[^\p{L}]+")


def test_a_tekken_file_comes_back(tmp_path: Path) -> None:
    tok = tekken_tokenizer()
    tok.save(tmp_path, format="tekken")
    tok.save(tmp_path / "other.json", format="tekken")

    for path in (tmp_path, tmp_path / "tekken.json", tmp_path / "other.json"):
        loaded = bytebpe.load(path)
        assert (loaded.vocab, loaded.pattern) == (tok.vocab, tok.pattern)
    assert loaded.encode("abcab é") == [260, 259, 35, 198, 172]


def test_mistrals_library_gives_the_same_ids(tmp_path: Path, corpus: list[str]) -> None:
    mistral = pytest.importorskip("mistral_common.tokens.tokenizers.tekken")
    tekken_tokenizer().save(tmp_path, format="tekken")
    peer = mistral.Tekkenizer.from_file(tmp_path / "tekken.json")

    for text in corpus:
        assert bytebpe.load(tmp_path).encode(text) == peer.encode(text, bos=False, eos=False)


@pytest.mark.parametrize(
    ("keys", "value", "problem"),
    [
        (["config"], None, "expected 'config' and 'vocab'"),
        (["config", "default_vocab_size"], "9", "config: default_vocab_size '9'"),
        (["config", "default_vocab_size"], 10, "config: 10 tokens, 3 of them special"),
        (["config", "pattern"], 5, "config: pattern 5"),
        (["config", "pattern"], "(?<=a)", "outside the dialect"),
        (["vocab", 3], None, "vocab: expected rank 3, found None"),
        (["vocab", 3, "rank"], 4, "vocab: expected rank 3"),
        (["vocab", 3, "token_bytes"], "?", "vocab: rank 3: no base64"),
        (["vocab", 3, "token_bytes"], "", "vocab: rank 3: a token has 1 to 4096 bytes"),
        (["vocab", 3, "token_bytes"], "AA==", "rank 3: b'.x00' has rank 0 too"),
        (["special_tokens"], {}, "special_tokens: expected a list"),
        (["special_tokens", 1], {"rank": 9, "token_str": "<s>"}, "special_tokens: {'rank': 9"),
        (["special_tokens", 1, "token_str"], "<unk>", "'<unk>' is given twice"),
    ],
)
def test_a_broken_tekken_file_is_refused(
    tmp_path: Path, keys: list[Any], value: object, problem: str
) -> None:
    tekken_tokenizer().save(tmp_path, format="tekken")
    path = tmp_path / "tekken.json"
    content: Any = json.loads(path.read_text())
    place = content
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    path.write_text(json.dumps(content))

    with pytest.raises(FormatError, match=problem):
        bytebpe.load(path)


def test_places_of_special_tokens_without_one_are_named(tmp_path: Path) -> None:
    tekken_tokenizer().save(tmp_path, format="tekken")
    path = tmp_path / "tekken.json"
    content = json.loads(path.read_text())
    content["special_tokens"].pop()
    path.write_text(json.dumps(content))
    assert set(bytebpe.load(path).special_tokens) == {"<unk>", "<s>", "<SPECIAL_2>"}

    del content["special_tokens"]
    content["config"] |= {"default_num_special_tokens": 23, "default_vocab_size": 281}
    path.write_text(json.dumps(content))
    assert bytebpe.load(path).special_tokens["[INST]"] == 3


@pytest.mark.parametrize(
    ("vocab", "pipeline", "problem"),
    [
        (bytebpe.Vocab.from_merges([], ["<s>"]), Pipeline(), "need the lowest ids"),
        (
            bytebpe.Vocab({**bytebpe.Vocab.from_merges([]).ids, b"ab": 300}, ((b"a", b"b"),)),
            Pipeline(),
            "need the ids that follow",
        ),
        (bytebpe.Vocab.from_merges([]), Pipeline(), "the first 256 ranks are the bytes in order"),
        (in_byte_order(), Pipeline(normalizer=("NFC",)), "normalization"),
        (
            bytebpe.Vocab({**in_byte_order().ids, b"abc": 256}, ()),
            Pipeline(),
            "made by no merge",
        ),
    ],
)
def test_what_tekken_cannot_say_is_refused(
    tmp_path: Path, vocab: bytebpe.Vocab, pipeline: Pipeline, problem: str
) -> None:
    with pytest.raises(FormatError, match=problem):
        bytebpe.Tokenizer(vocab, pipeline=pipeline).save(tmp_path, format="tekken")


# ---- minbpe ---------------------------------------------------------------------------


def minbpe_tokenizer(pattern: str = "cl100k") -> bytebpe.Tokenizer:
    ids = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256, b"abab": 257}
    vocab = bytebpe.Vocab(ids, ((b"a", b"b"), (b"ab", b"ab")), {"<|end of text|>": 300})
    return bytebpe.Tokenizer(vocab, pattern=pattern)


@pytest.mark.parametrize("pattern", ["cl100k", WHOLE, r"\p{L}+"])
def test_a_minbpe_file_comes_back(tmp_path: Path, pattern: str) -> None:
    tok = minbpe_tokenizer(pattern)
    tok.save(tmp_path / "x.model", format="minbpe")

    loaded = bytebpe.load(tmp_path)

    assert (loaded.vocab, loaded.pattern) == (tok.vocab, tok.pattern)
    lines = (tmp_path / "x.model").read_text().split("\n")
    assert lines[0] == "minbpe v1"
    assert lines[2:] == ["1", "<|end of text|> 300", "97 98", "256 256", ""]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("minbpe v1", 1, "the file ends too early"),
        ("minbpe v1\n(a)\\1\n0\n", 2, "outside the dialect"),
        ("minbpe v1\n\nx\n", 3, "expected a number, found 'x'"),
        ("minbpe v1\n\n1\n<x>\n", 4, "special token ''"),
        ("minbpe v1\n\n0\n97 98 99\n", 4, "expected two ids"),
        ("minbpe v1\n\n0\n97 256\n", 4, "id 256 is of a later merge"),
        ("minbpe v1\n\n0\n97 ٣\n", 4, "expected a number"),
        ("minbpe v1\n\n0\n97 98\n97 98\n", None, "two merges make the token b'ab'"),
        ("minbpe v1\n\n1\n<x> 5\n", None, "'<x>' cannot take the id 5"),
    ],
)
def test_a_broken_minbpe_file_is_named(
    tmp_path: Path, text: str, line: int | None, problem: str
) -> None:
    path = tmp_path / "x.model"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(FormatError, match=problem) as caught:
        bytebpe.load(path)

    assert caught.value.line == line


@pytest.mark.parametrize(
    ("tok", "problem"),
    [
        (bytebpe.Tokenizer(bytebpe.Vocab.from_merges([])), "each byte needs its own value"),
        (minbpe_tokenizer("a\n|b"), "a line end"),
        (
            bytebpe.Tokenizer(minbpe_tokenizer().vocab, pipeline=Pipeline(ignore_merges=True)),
            "what surrounds",
        ),
    ],
)
def test_what_minbpe_cannot_say_is_refused(
    tmp_path: Path, tok: bytebpe.Tokenizer, problem: str
) -> None:
    with pytest.raises(FormatError, match=problem):
        tok.save(tmp_path, format="minbpe")


# ---- several, and none ----------------------------------------------------------------


def test_of_several_files_one_has_to_be_named(tmp_path: Path) -> None:
    for name in ("a.model", "b.model"):
        minbpe_tokenizer().save(tmp_path / name, format="minbpe")

    with pytest.raises(FormatError, match=r"several tokenizers: a\.model, b\.model; name one"):
        bytebpe.load(tmp_path)
    assert bytebpe.load(tmp_path / "b.model").encode("ab") == [256]


def test_half_of_a_pair_is_refused(tmp_path: Path) -> None:
    (tmp_path / "merges.txt").write_text("")

    with pytest.raises(FormatError, match=r"expected vocab\.json and merges\.txt, both"):
        bytebpe.load(tmp_path / "merges.txt")


def test_a_file_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.tiktoken"
    with path.open("wb") as file:
        file.truncate(2**28 + 1)

    with pytest.raises(FormatError, match="268435457 bytes; at most 268435456 are read"):
        bytebpe.load(path, pattern="gpt2")


@given(data=st.data())
@settings(max_examples=120)
def test_a_mutated_file_is_refused_or_makes_a_tokenizer_that_gives_texts_back(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("mutated") / "file"
    kind = data.draw(st.sampled_from(["tiktoken", "minbpe", "tekken"]))
    if kind == "tiktoken":
        write_ranks(path, GOOD)
    else:
        tok = minbpe_tokenizer() if kind == "minbpe" else tekken_tokenizer()
        name = path.with_suffix(".model" if kind == "minbpe" else ".json")
        tok.save(name, format=kind)
        name.rename(path)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    path.write_bytes(content)

    try:
        tok = bytebpe.load(path, pattern="gpt2")
    except FormatError:
        return

    assert tok.decode(tok.encode_ordinary("ab abc 世界 'll")) == "ab abc 世界 'll"


@given(text=texts())
@settings(max_examples=20)
def test_the_same_tokenizer_in_every_format(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    tok = minbpe_tokenizer()
    for format in ("gpt2", "huggingface", "tiktoken", "minbpe"):
        directory = tmp_path_factory.mktemp(format)
        tok.save(directory, format=format)

        assert bytebpe.load(directory).encode_ordinary(text) == tok.encode_ordinary(text)
