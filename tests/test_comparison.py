from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import regex
from hypothesis import given

import bytebpe
from bytebpe.baselines import WordVocab, pure_bytes
from bytebpe.charbpe import CharBPE
from bytebpe.comparison import BASELINES, PEERS, Comparison, compare, diff, finished, peers
from bytebpe.comparison.subjects import subject
from bytebpe.errors import MissingDependency, TrainingError
from strategies import texts

ROOT = Path(__file__).parent.parent
HELD_OUT = ("zh", "emoji")
SMALL = bytebpe.train(["low lower lowest"], num_merges=4)


def lines(name: str, folder: str = "corpora") -> list[str]:
    text = (ROOT / "data" / folder / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.split("\n") if line]


@pytest.fixture(scope="module")
def train_texts() -> list[str]:
    return [line for name in ("en", "ru", "ar", "hi") for line in lines(name)]


@pytest.fixture(scope="module")
def slices() -> dict[str, list[str]]:
    return {name: lines(name) for name in ("en", "ar", *HELD_OUT)}


@pytest.fixture(scope="module")
def result(engine: str, train_texts: list[str], slices: dict[str, list[str]]) -> Comparison:
    return compare(train_texts, slices, vocab_size=[1000, 2000])


def test_bytes_lose_nothing_on_any_slice(result: Comparison) -> None:
    for row in result.rows:
        if row.tokenizer in ("byte-level BPE", "bytes"):
            assert row.exact
            assert row.unknown_tokens == row.oov_words == 0
            assert row.lost_characters == row.lost_white_space == 0


@pytest.mark.parametrize("name", HELD_OUT)
def test_characters_never_seen_are_lost(
    result: Comparison, train_texts: list[str], slices: dict[str, list[str]], name: str
) -> None:
    row = result.row("character BPE", name)
    seen = set("".join(train_texts))
    lost = [char for text in slices[name] for char in text if char not in seen]

    assert row.unknown_tokens == row.lost_characters == sum(not char.isspace() for char in lost)
    assert row.unknown_tokens > 0
    assert not row.exact


def test_the_counts_are_those_of_an_independent_count(
    result: Comparison, train_texts: list[str], slices: dict[str, list[str]]
) -> None:
    byte_level = bytebpe.train(train_texts, vocab_size=2000)
    character = CharBPE.train(train_texts, vocab_size=2000)
    words = WordVocab.train(train_texts, vocab_size=2000)
    for name, documents in slices.items():
        found = [
            word
            for text in documents
            for word in regex.split(r"(?w)\b", text)
            if regex.search(r"[\p{L}\p{N}\p{M}\p{So}\p{Extended_Pictographic}]", word)
        ]
        row = result.row("byte-level BPE", name)
        assert row.documents == len(documents)
        assert row.bytes == sum(len(text.encode()) for text in documents)
        assert row.characters == sum(map(len, documents))
        assert row.words == len(found)
        tokens = [token for text in documents for token in byte_level.tokens(text)]
        assert row.tokens == len(tokens)
        assert row.cut_tokens == sum("\ufffd" in t.decode(errors="replace") for t in tokens)
        assert row.long_documents == sum(len(byte_level.encode(t)) > 512 for t in documents)

        row = result.row("character BPE", name)
        assert row.tokens == sum(len(character.encode(text)) for text in documents)
        assert row.oov_words == sum(0 in character.encode(word) for word in found)
        assert row.exact_documents == sum(
            text == " ".join(text.split()) and 0 not in character.encode(text) for text in documents
        )

        row = result.row("words", name)
        assert row.tokens == sum(len(text.split()) for text in documents)
        assert row.unknown_tokens == sum(words.encode(text).count(0) for text in documents)


def test_words_that_are_one_token_are_taken_as_they_stand() -> None:
    tok = bytebpe.train(["low low low"] * 9, num_merges=3)
    assert tok.tokens("low low") == [b"low", b" low"]

    [row] = compare([], {"x": ["low low (low) slow"]}, kinds=(), tokenizers={"t": tok}).rows

    assert (row.words, row.single_token_words, row.single_token_word_rate) == (4, 3, 0.75)


def test_smaller_sizes_give_a_curve(result: Comparison) -> None:
    sizes = {
        (row.vocab_size, row.on_curve)
        for row in result.rows
        if row.tokenizer in ("byte-level BPE", "character BPE")
    }
    assert sizes == {(1000, True), (2000, False)}

    for name in result.slices:
        [small] = [
            row
            for row in result.rows
            if (row.tokenizer, row.slice, row.on_curve) == ("byte-level BPE", name, True)
        ]
        assert small.tokens >= result.row("byte-level BPE", name).tokens


def test_a_smaller_vocabulary_is_the_start_of_the_larger(train_texts: list[str]) -> None:
    small = bytebpe.train(train_texts, vocab_size=400)
    documents = {"en": train_texts[:20]}

    both = compare(train_texts, documents, vocab_size=[400, 600], kinds=["byte-bpe"])

    [row] = [row for row in both.rows if row.on_curve]
    assert row.tokens == sum(small.count(text) for text in documents["en"])


def test_premiums_are_against_translations() -> None:
    slices = {name: lines(name, "parallel") for name in ("en", "zh", "ta")}

    result = compare([], slices, kinds=(), tokenizers={"bytes": pure_bytes()}, reference="en")

    english = sum(len(text.encode()) for text in slices["en"])
    for name, documents in slices.items():
        assert (
            result.row("bytes", name).premium == sum(len(t.encode()) for t in documents) / english
        )


def test_profiles(result: Comparison) -> None:
    byte_level, character, words, raw = result.profiles

    assert [profile.vocab_size for profile in result.profiles] == [2000, 2000, 2000, 256]
    assert byte_level.embedding_parameters == 2000 * 768
    assert sum(byte_level.scripts.values()) == 2000
    assert (raw.asked_size, words.asked_size) == (None, 2000)
    assert character.scripts["Devanagari"] > 20


def test_examples_of_what_was_lost(result: Comparison) -> None:
    lost = [loss for loss in result.losses if loss.tokenizer == "character BPE"]

    assert {loss.slice for loss in lost} == set(HELD_OUT)
    assert all("<unk>" in loss.tokens for loss in lost)
    assert max(Counter((loss.tokenizer, loss.slice) for loss in result.losses).values()) == 5


def test_the_report_holds_the_numbers(result: Comparison) -> None:
    content = json.loads(result.json())
    rows = list(csv.DictReader(io.StringIO(result.csv())))
    page = result.html()

    assert content["rows"] == [row.as_dict() for row in result.rows]
    assert [int(row["tokens"]) for row in rows] == [row.tokens for row in result.rows]
    assert rows[0]["premium"] == ""
    for row in result.rows:
        if not row.on_curve:
            assert f"<td>{row.tokens:,}</td>" in page
        if row.lost_characters and not row.on_curve:
            assert f">{row.lost_characters:,} <span" in page
    assert not re.findall(r"""(?:src|href)=["'](?!data:)|url\(|@import|https?:""", page)


def test_two_runs_give_the_same(train_texts: list[str], slices: dict[str, list[str]]) -> None:
    few = {name: documents[:10] for name, documents in slices.items()}
    runs = [compare(train_texts[:80], few, vocab_size=600).json() for _ in range(2)]

    assert runs[0] == runs[1]


def test_throughput_is_measured_where_asked_for() -> None:
    [row] = compare([], {"x": ["low"]}, kinds=(), tokenizers={"b": pure_bytes()}, timing=True).rows

    assert row.megabytes_per_second is not None
    assert row.megabytes_per_second > 0


def test_an_empty_slice_has_no_rates() -> None:
    result = compare([], {"x": [], "y": ["a"]}, kinds=(), tokenizers={"b": pure_bytes()})

    assert result.rows[0].tokens_per_word is None
    assert result.rows[0].exact
    assert "Words that were lost" not in result.html()
    assert "–" in result.html()


def test_documents_stream_through() -> None:
    alive = 0

    class Text(str):
        def __init__(self, _: str) -> None:
            nonlocal alive
            alive += 1
            assert alive <= 3, "documents pile up"

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    class Texts:
        def __iter__(self) -> Iterator[str]:
            return (Text(f"low lower {at % 7} 世") for at in range(500))

    seen: list[tuple[str, int, int | None]] = []
    result = compare(
        Texts(),
        {"x": Texts()},
        vocab_size=270,
        progress=lambda *told: seen.append(told),
    )

    assert result.row("byte-level BPE", "x").documents == 500
    assert ("measure x", 500, None) in seen
    assert ("train words", 500, None) in seen


@pytest.mark.parametrize("kind", PEERS)
def test_other_libraries_train_on_the_same_texts(kind: str, train_texts: list[str]) -> None:
    pytest.importorskip("tokenizers")
    pytest.importorskip("sentencepiece")

    result = compare(
        train_texts, {"zh": lines("zh")[:20], "en": lines("en")[:20]}, vocab_size=800, kinds=[kind]
    )
    row = result.row(PEERS[kind][0], "zh")

    if kind == "sentencepiece-bytes":
        assert row.unknown_tokens == 0 < row.cut_tokens
    else:
        assert row.unknown_tokens > 0 < row.lost_characters
    assert result.row(PEERS[kind][0], "en").oov_words <= 2
    assert abs(result.profiles[0].vocab_size - 800) <= 20


def test_finished_tokenizers_of_any_make_join(train_texts: list[str], tmp_path: Path) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    tokenizers = pytest.importorskip("tokenizers")
    ours = bytebpe.train(train_texts, vocab_size=700, special_tokens=["<|end|>"])
    ours.save(tmp_path)
    theirs = tokenizers.ByteLevelBPETokenizer(
        str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt")
    )
    peers = {
        "ours": ours,
        "tiktoken": tiktoken.Encoding(
            "ours",
            pat_str=bytebpe.patterns.GPT2,
            mergeable_ranks=ours.mergeable_ranks,
            special_tokens=ours.special_tokens,
        ),
        "huggingface": theirs._tokenizer,
    }
    documents = [*lines("zh")[:10], *lines("emoji")[:10], *lines("en")[:10]]

    result = compare([], {"all": documents}, kinds=(), tokenizers=peers)

    counts = [{**row.as_dict(), "tokenizer": ""} for row in result.rows]
    assert counts[0] == counts[1] == counts[2]
    assert result.profiles[0].scripts == {**result.profiles[1].scripts}
    assert diff(ours, peers["tiktoken"], documents).same_documents == len(documents)


def test_fast_tokenizers_of_transformers_join() -> None:
    # Recognised by the module of their class; the library itself takes seconds to import.
    tokenizers = pytest.importorskip("tokenizers")
    backend = tokenizers.Tokenizer(tokenizers.models.BPE(vocab={"a": 0, "b": 1}, merges=[]))
    of_theirs = type("Fast", (), {"__module__": "transformers.fast", "backend_tokenizer": backend})
    slow = type("Slow", (), {"__module__": "transformers.slow"})

    [row] = compare([], {"x": ["ab"]}, kinds=(), tokenizers={"b": of_theirs()}).rows

    assert row.tokens == 2
    with pytest.raises(TypeError, match="only the fast tokenizers"):
        compare([], {}, kinds=(), tokenizers={"slow": slow()})


def test_a_vocabulary_may_fall_short_and_the_report_says_so() -> None:
    result = compare(["low low"], {"x": ["low"]}, vocab_size=400, kinds=["byte-bpe"])

    assert (result.profiles[0].vocab_size, result.profiles[0].asked_size) == (258, 400)
    assert "of 400 asked" in result.html()


def test_added_tokens_are_what_they_say(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    SMALL.save(tmp_path)
    theirs = tokenizers.ByteLevelBPETokenizer(
        str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt")
    )._tokenizer
    theirs.add_tokens(["世界"])
    model = tokenizers.Tokenizer(
        tokenizers.models.BPE(vocab={"世": 0, "a": 1}, merges=[], byte_fallback=False)
    )
    model.decoder = tokenizers.decoders.ByteLevel()

    assert subject("t", theirs).token_bytes(len(SMALL)) == "世界".encode()
    assert subject("m", model).token_bytes(0) == "世".encode()  # nobody's proxy


def test_the_first_difference() -> None:
    low = bytebpe.train(["low low"], num_merges=2)
    owl = bytebpe.train(["owl owl"], num_merges=2)

    result = diff(low, owl, ["x", "a low owl", "low"], names=("low", "owl"), examples=1)

    assert (result.documents, result.same_documents, result.tokens) == (3, 1, (9, 9))
    assert result.vocab_sizes == (258, 258)
    assert result.shared_tokens == 256
    [first] = result.first
    assert (first.document, first.position) == (1, 2)
    assert first.tokens == ((b"low",), (b"l", b"ow"))
    with pytest.raises(TypeError, match="not one str"):
        diff(low, owl, "low")


@given(text=texts(10))
def test_a_tokenizer_does_not_differ_from_itself(text: str) -> None:
    result = diff(SMALL, SMALL, [text])

    assert (result.same_documents, result.first) == (1, ())


def test_finished_tokenizers_are_found_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    tiktoken = pytest.importorskip("tiktoken")
    CharBPE.train(["low lower"], num_merges=2).save(tmp_path / "char")
    bytebpe.train(["low lower"], num_merges=2).save(tmp_path / "own")
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines("en")), model_writer=model, vocab_size=300, minloglevel=2
    )
    (tmp_path / "sp.model").write_bytes(model.getvalue())
    hf = pytest.importorskip("tokenizers")
    hf.ByteLevelBPETokenizer(
        str(tmp_path / "own" / "vocab.json"), str(tmp_path / "own" / "merges.txt")
    ).save(str(tmp_path / "tokenizer.json"))

    encoding = tiktoken.Encoding(
        "small",
        pat_str=bytebpe.patterns.GPT2,
        mergeable_ranks=SMALL.mergeable_ranks,
        special_tokens={"<end>": 300},
    )
    monkeypatch.setattr(tiktoken, "get_encoding", {"small": encoding}.get)

    names = [
        "gpt2",
        str(tmp_path / "char"),
        str(tmp_path / "own"),
        f"sentencepiece:{tmp_path / 'sp.model'}",
        f"huggingface:{tmp_path / 'tokenizer.json'}",
        "tiktoken:small",
    ]
    subjects = [subject(name, finished(name)) for name in names]

    assert [each.vocab_size for each in subjects[1:4]] == [9, 258, 300]
    for each in subjects[1:]:
        assert each.decode(each.known(each.encode("low"))) == "low"
        assert len(each.tokens()) == each.vocab_size
    assert subjects[5].token_bytes(280) == b""
    assert len(subjects[5].cut()) == 128


def test_what_cannot_be_compared_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    tok = pure_bytes()
    with pytest.raises(TypeError, match="more than once"):
        compare(iter(["a"]), {"x": ["a"]})
    with pytest.raises(TypeError, match="expected a mapping"):
        compare(["a"], ["a"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="write \\[text\\]"):
        compare(["a"], {"x": "a"})
    with pytest.raises(TypeError, match="expected texts, not int"):
        compare(["a"], {"x": [3]}, kinds=["bytes"])  # type: ignore[list-item]
    with pytest.raises(TrainingError, match="at least 257"):
        compare(["a"], {"x": ["a"]}, vocab_size=200)
    with pytest.raises(ValueError, match="no kind of tokenizer 'wordpeace'"):
        compare(["a"], {"x": ["a"]}, kinds=["wordpeace"])
    with pytest.raises(ValueError, match="none of the slices"):
        compare(["a"], {"x": ["a"]}, reference="y")
    with pytest.raises(ValueError, match="document by document"):
        compare(["a"], {"x": ["a"], "y": []}, kinds=["bytes"], reference="y")
    with pytest.raises(ValueError, match="nothing to compare"):
        compare(["a"], {"x": ["a"]}, kinds=())
    with pytest.raises(ValueError, match="two tokenizers are called 'bytes'"):
        compare(["a"], {"x": ["a"]}, kinds=["bytes"], tokenizers={"bytes": tok})
    with pytest.raises(TypeError, match="cannot compare a list"):
        compare(["a"], {"x": ["a"]}, tokenizers={"z": []}, kinds=())
    with pytest.raises(KeyError):
        compare(["a"], {"x": ["a"]}, kinds=["bytes"]).row("bytes", "y")
    monkeypatch.setattr(peers, "import_module", _missing)
    with pytest.raises(MissingDependency, match=r"pip install 'bytebpe\[compare\]'"):
        compare(["a"], {"x": ["a"]}, kinds=["unigram"])


def test_sentencepiece_says_what_it_cannot_train() -> None:
    pytest.importorskip("sentencepiece")
    with pytest.raises(TrainingError, match="SentencePiece cannot train 300 tokens"):
        compare(
            ["".join(map(chr, range(0x4E00, 0x5000)))], {}, vocab_size=300, kinds=["sentencepiece"]
        )


def test_every_kind_has_a_name() -> None:
    assert not set(BASELINES) & set(PEERS)


def _missing(name: str) -> None:
    raise ImportError(name)
