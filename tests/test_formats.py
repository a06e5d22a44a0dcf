from __future__ import annotations

import json
import os
import stat
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bytebpe
from bytebpe.bytemap import to_text
from bytebpe.errors import FormatError, VocabError
from bytebpe.pipeline import Pipeline
from strategies import texts, vocabs

BYTES = {
    to_text(bytes([byte])): id
    for byte, id in ((token[0], id) for token, id in bytebpe.Vocab.from_merges([]).ids.items())
}


PIPELINE = asdict(Pipeline())
WITH_PIPELINE = {"format": "bytebpe", "version": 2, "pattern": "gpt2", "special_tokens": {}}


def write_pair(
    directory: Path, merges: bytes | str, entries: dict[str, object] | str, old_names: bool = False
) -> Path:
    names = ("encoder.json", "vocab.bpe") if old_names else ("vocab.json", "merges.txt")
    text = entries if isinstance(entries, str) else json.dumps({**BYTES, **entries})
    directory.joinpath(names[0]).write_text(text, encoding="utf-8")
    directory.joinpath(names[1]).write_bytes(
        merges if isinstance(merges, bytes) else merges.encode("utf-8")
    )
    return directory


# Bytes that careless readers take for line ends, blanks or comments.
ODD_BYTES = b"#\xa0\x85\r\n \xe2\x80\xa8"


@given(
    vocab=st.one_of(vocabs(), vocabs(ordered=False), vocabs(alphabet=ODD_BYTES)),
    special=st.dictionaries(texts(2).filter(bool), st.integers(20_000, 30_000), max_size=3),
    pattern=st.sampled_from(["gpt2", "o200k", r"\w+|\W+"]),
)
def test_what_is_saved_is_what_is_loaded(
    tmp_path_factory: pytest.TempPathFactory,
    vocab: bytebpe.Vocab,
    special: dict[str, int],
    pattern: str,
) -> None:
    directory = tmp_path_factory.mktemp("saved")
    special = dict(zip(special, sorted(set(special.values())), strict=False))
    tok = bytebpe.Tokenizer(vocab.with_special_tokens(special), pattern=pattern)

    tok.save(directory)
    loaded = bytebpe.load(directory)

    assert loaded.vocab == tok.vocab
    assert loaded.pattern == tok.pattern


def test_gpt2_is_written_as_openai_wrote_it(gpt2: bytebpe.Tokenizer, tmp_path: Path) -> None:
    gpt2.save(tmp_path)

    entries = json.loads((tmp_path / "vocab.json").read_text(encoding="utf-8"))
    lines = (tmp_path / "merges.txt").read_text(encoding="utf-8").split("\n")

    assert (entries["!"], entries["Ġthe"], entries["<|endoftext|>"]) == (0, 262, 50256)
    assert list(entries.values()) == list(range(50257))
    assert lines[:2] == ["#version: 0.2", "Ġ t"]
    assert (len(lines), lines[-1]) == (50002, "")


def test_another_library_reads_what_is_written(gpt2: bytebpe.Tokenizer, tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    gpt2.save(tmp_path)

    peer = tokenizers.ByteLevelBPETokenizer(
        str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt")
    )

    assert peer.encode("Hello 世界 👋").ids == gpt2.encode("Hello 世界 👋")


AB = {"ab": 256, "abc": 257}


@pytest.mark.parametrize("old_names", [False, True])
@pytest.mark.parametrize(
    "merges",
    [
        "#version: 0.2\na b\nab c\n",
        "#version: 0.2\na b\nab c",
        "a b\nab c\n",
        "a b\nab c",
        "#version: 0.2\r\na b\r\nab c\r\n",
        "#version: 0.2\r\na b\r\nab c",
        "\ufeff#version: 0.2\na b\nab c\n",
        "\ufeffa b\nab c\n",
    ],
)
def test_every_way_to_write_the_lines_is_read(tmp_path: Path, merges: str, old_names: bool) -> None:
    tok = bytebpe.load(write_pair(tmp_path, merges, dict(AB), old_names))

    assert tok.merges == [(b"a", b"b"), (b"ab", b"c")]
    assert tok.encode("abc") == [257]


def test_no_merges_at_all_are_a_tokenizer_of_bytes(tmp_path: Path) -> None:
    assert bytebpe.load(write_pair(tmp_path, "", {})).encode("!") == [0]


@pytest.mark.parametrize(
    ("merges", "line", "problem"),
    [
        ("#version: 0.2\na b\nab\n", 3, "expected two tokens and one space between, found 'ab'"),
        ("a b c\n", 1, "found 'a b c'"),
        ("a  b\n", 1, "found 'a  b'"),
        ("a b \n", 1, "found 'a b '"),
        (" a\n", 1, "found ' a'"),
        ("a\tb\n", 1, "found 'a\\\\tb'"),
        ("a\u00a0b\n", 1, "found 'a\\\\xa0b'"),
        ("a b\n\nab c\n", 2, "found ''"),
        ("a b\n\n", 2, "found ''"),
        ("a b\n世 c\n", 2, "'世' \\(U\\+4E16\\) stands for no byte"),
        ("a b\nb c\n", 2, "'bc' is not in the vocabulary file"),
        ("a zz\n", 1, "'zz' is not in the vocabulary file"),
        ("a b\nab c\na b\n", 3, "'a b' stands in line 1 too"),
        (b"a b\nab \xff\n", 2, "not UTF-8: byte 0xFF"),
        ("a b\n# comment\n", 2, "'comment' is not in the vocabulary file"),
    ],
)
def test_a_broken_line_is_named(
    tmp_path: Path, merges: str | bytes, line: int, problem: str
) -> None:
    write_pair(tmp_path, merges, {**AB, "#b": 300})

    with pytest.raises(FormatError, match=problem) as caught:
        bytebpe.load(tmp_path)

    assert (caught.value.path, caught.value.line) == (str(tmp_path / "merges.txt"), line)
    assert str(caught.value).startswith(f"{tmp_path / 'merges.txt'}, line {line}: ")


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        ("{", "not JSON"),
        ('{"a": 1', "not JSON"),
        ("[]", "expected a JSON object, found list"),
        ("[" * 100_000, "nested too deep"),
        ('{"a": 1, "a": 2}', "the key 'a' occurs twice"),
        ('{"a": 0}', "255 of the 256 bytes have no token"),
        ({"ab": 3}, "id 3 is taken twice, by b'\\$' and by b'ab'"),
        ({"ab": -1}, "token 'ab' has the id -1"),
        ({"ab": True}, "token 'ab' has the id True"),
        ({"ab": 256.0}, "token 'ab' has the id 256.0"),
        ({"ab": "256"}, "token 'ab' has the id '256'"),
        ({"ab": None}, "token 'ab' has the id None"),
        ({"ab": 2**40}, "ids go from 0"),
        ({"": 256}, "the empty token"),
    ],
)
def test_a_broken_vocabulary_file_is_named(
    tmp_path: Path, entries: dict[str, object] | str, problem: str
) -> None:
    write_pair(tmp_path, "", entries)

    with pytest.raises(FormatError, match=problem) as caught:
        bytebpe.load(tmp_path)

    assert caught.value.path == str(tmp_path / "vocab.json")


def test_ids_may_have_gaps(tmp_path: Path) -> None:
    tok = bytebpe.load(write_pair(tmp_path, "a b\n", {"ab": 1000}))

    assert tok.encode("abab") == [1000, 1000]
    assert (len(tok), max(tok.vocab)) == (257, 1000)
    with pytest.raises(bytebpe.errors.UnknownTokenError):
        tok.decode([999])


def test_without_our_own_file_control_tokens_are_special(tmp_path: Path) -> None:
    entries = {"ab": 256, "<|endoftext|>": 257, "<pad>": 258, "[CLS]": 259, "<世>": 260, "zz": 261}
    write_pair(tmp_path, "a b\n", dict(entries))
    (tmp_path / "added_tokens.json").write_text('{"yes": 262}')

    tok = bytebpe.load(tmp_path)

    # "zz" is an ordinary token that no merge makes: it can be decoded, and is never encoded.
    assert set(tok.special_tokens) == {"<pad>", "<|endoftext|>", "[CLS]", "yes", "<世>"}
    assert tok.token_bytes(261) == b"zz"
    assert tok.encode("zz") == tok.encode("z") * 2


def test_control_tokens_that_merges_make_are_ordinary(tmp_path: Path) -> None:
    write_pair(tmp_path, "< a\n<a >\n", {"<a": 256, "<a>": 257})

    tok = bytebpe.load(tmp_path)

    assert tok.special_tokens == {}
    assert tok.token_id("<a>") == 257


@pytest.mark.parametrize("special", ["ab", "世界", " ", "\n", "Ġa", "a b", '"', "\u2028"])
def test_special_tokens_of_any_text_survive(tmp_path: Path, special: str) -> None:
    tok = bytebpe.Tokenizer(
        bytebpe.Vocab.from_merges([(b"a", b"b"), (b" ", b"a")], special_tokens=[special])
    )

    tok.save(tmp_path)
    loaded = bytebpe.load(tmp_path)

    assert loaded.vocab == tok.vocab
    assert loaded.encode(f"x{special}y", allowed_special="all")[1] == 258


@pytest.mark.parametrize(
    ("sidecar", "problem"),
    [
        ("{}", "not written by this version"),
        ('{"format": "bytebpe", "version": 3}', "not written by this version"),
        ('{"format": "bytebpe", "version": true}', "'version': expected a number, found True"),
        ('{"format": "bytebpe", "version": 1}', "'pattern': expected a pattern, found None"),
        ('{"format": "bytebpe", "version": 1, "pattern": "nope"}', "no pattern named 'nope'"),
        (
            '{"format": "bytebpe", "version": 1, "pattern": "gpt2", "special_tokens": []}',
            "'special_tokens': expected an object",
        ),
        (
            '{"format": "bytebpe", "version": 1, "pattern": "gpt2", "special_tokens": {"x": "1"}}',
            "special token 'x' has the id '1'",
        ),
        *(
            (json.dumps({**WITH_PIPELINE, "pipeline": {**PIPELINE, **change}}), "'pipeline': ")
            for change in (
                {"added": [{"content": "x", "lstrip": 1}]},
                {"added": [{"content": 5}]},
                {"added": [{"text": "x"}]},
                {"added": 5},
                {"normalizer": ["NFX"]},
                {"prefix_space": "yes"},
                {"ignore_merges": None},
                {"presplits": ["nope"]},
                {"presplits": [[]]},
                {"template": {"single": [["A", 0], [[], 0]], "pair": []}},
                {"template": {"single": [["A"]], "pair": []}},
                {"template": {"single": []}},
                {"template": 5},
            )
        ),
        (json.dumps({**WITH_PIPELINE, "pipeline": {}}), "'pipeline': 'template'"),
    ],
)
def test_a_broken_file_of_our_own_is_named(tmp_path: Path, sidecar: str, problem: str) -> None:
    write_pair(tmp_path, "", {})
    (tmp_path / "bytebpe.json").write_text(sidecar)

    with pytest.raises(FormatError, match=problem) as caught:
        bytebpe.load(tmp_path)

    assert caught.value.path == str(tmp_path / "bytebpe.json")


def test_a_special_token_without_room_is_refused(tmp_path: Path) -> None:
    write_pair(tmp_path, "", {})
    (tmp_path / "bytebpe.json").write_text(
        '{"format": "bytebpe", "version": 1, "pattern": "gpt2", "special_tokens": {"x": 5}}'
    )

    with pytest.raises(FormatError, match="special token 'x' cannot take the id 5"):
        bytebpe.load(tmp_path)


def test_a_foreign_directory_is_read_by_its_tokenizer_json(tmp_path: Path) -> None:
    other = bytebpe.Tokenizer(bytebpe.Vocab.from_merges([(b"a", b"b")]), pattern="cl100k")
    other.save(tmp_path, format="huggingface")
    write_pair(tmp_path, "", {})

    assert bytebpe.load(tmp_path).pattern == bytebpe.patterns.CL100K
    assert bytebpe.load(tmp_path).merges == [(b"a", b"b")]
    assert bytebpe.load(tmp_path, pattern="gpt2").pattern == bytebpe.patterns.GPT2
    assert bytebpe.load(tmp_path / "vocab.json").merges == []


def test_a_pattern_given_overrides_the_one_saved(tmp_path: Path) -> None:
    bytebpe.Tokenizer(bytebpe.Vocab.from_merges([]), pattern="o200k").save(tmp_path)

    assert bytebpe.load(tmp_path).pattern == bytebpe.patterns.O200K
    assert bytebpe.load(tmp_path, pattern="gpt2").pattern == bytebpe.patterns.GPT2


def test_a_file_of_the_pair_names_its_directory(tmp_path: Path) -> None:
    bytebpe.Tokenizer(bytebpe.Vocab.from_merges([(b"a", b"b")])).save(tmp_path)

    assert bytebpe.load(tmp_path / "vocab.json").encode("ab") == [256]
    assert bytebpe.load(str(tmp_path / "merges.txt")).encode("ab") == [256]


def test_what_is_no_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no such file or directory"):
        bytebpe.load(tmp_path / "nothing")
    with pytest.raises(FormatError, match=r"no tokenizer found: expected .* vocab.json and merges"):
        bytebpe.load(tmp_path)
    (tmp_path / "vocab.json").write_text("{}")
    with pytest.raises(FormatError, match="no tokenizer found"):
        bytebpe.load(tmp_path)
    with pytest.raises(VocabError, match="no built-in vocabulary 'gpt3'; built in: 'gpt2'"):
        bytebpe.pretrained("gpt3")


def test_an_edited_file_is_read_again(tmp_path: Path) -> None:
    write_pair(tmp_path, "a b\n", {"ab": 256})
    assert bytebpe.load(tmp_path).encode("ab") == [256]

    write_pair(tmp_path, "", {})

    assert len(bytebpe.load(tmp_path).encode("ab")) == 2


def test_saving_replaces_whole_files_and_leaves_nothing_behind(tmp_path: Path) -> None:
    tok = bytebpe.Tokenizer(bytebpe.Vocab.from_merges([(b"a", b"b")]))
    target = tmp_path / "deep" / "down"

    tok.save(target)
    tok.save(target)

    assert sorted(os.listdir(target)) == ["bytebpe.json", "merges.txt", "vocab.json"]
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((target / "vocab.json").stat().st_mode) == 0o666 & ~umask


def test_a_save_that_fails_leaves_the_old_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = bytebpe.Tokenizer(bytebpe.Vocab.from_merges([(b"a", b"b")]))
    old.save(tmp_path)

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        bytebpe.Tokenizer(bytebpe.Vocab.from_merges([])).save(tmp_path)

    assert bytebpe.load(tmp_path).vocab == old.vocab
    assert sorted(os.listdir(tmp_path)) == ["bytebpe.json", "merges.txt", "vocab.json"]


def test_an_unknown_format_is_refused(gpt2: bytebpe.Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"format: expected one of gpt2, .*, not 'gguf'"):
        gpt2.save(tmp_path, format="gguf")


@given(merges=st.binary(max_size=60), entries=st.binary(max_size=60))
def test_files_of_any_content_are_loaded_or_refused(
    tmp_path_factory: pytest.TempPathFactory, merges: bytes, entries: bytes
) -> None:
    directory = tmp_path_factory.mktemp("fuzz")
    write_pair(directory, merges, {})
    (directory / "bytebpe.json").write_bytes(entries)

    with pytest.raises(FormatError):
        bytebpe.load(directory)


@given(data=st.data())
@settings(max_examples=120)
def test_a_mutated_pair_is_refused_or_makes_a_tokenizer_that_gives_texts_back(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    directory = tmp_path_factory.mktemp("mutated")
    merges = [(b"a", b"b"), (b" ", b"ab"), (b"\xe4", b"\xb8"), (b"#", b"a"), (b"ab", b"c")]
    vocab = bytebpe.Vocab.from_merges(merges, ["<x>"])
    bytebpe.Tokenizer(vocab, pattern="cl100k").save(directory)
    path = directory / data.draw(st.sampled_from(["merges.txt", "vocab.json", "bytebpe.json"]))
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        new = data.draw(st.binary(max_size=3) | st.sampled_from([b" ", b"\n", b"a", b"0", b'"']))
        content[at : at + data.draw(st.integers(0, 3))] = new
        content = content or bytearray(b"\0")
    path.write_bytes(content)

    try:
        tok = bytebpe.load(directory)
    except FormatError:
        return

    for text in ("ab abc 世界 'll #a", "<x>"):
        assert tok.decode(tok.encode_ordinary(text)) == text
