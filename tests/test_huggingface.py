"""tokenizer.json: what it says is done exactly or refused by name."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bytebpe
from bytebpe.errors import FormatError
from bytebpe.formats import Stored, huggingface
from bytebpe.formats.huggingface_steps import Unsupported
from bytebpe.pipeline import AddedToken, Pipeline, Template
from strategies import texts, tokenizers_with_pipelines

tokenizers = pytest.importorskip("tokenizers")

LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
Change = Callable[[dict[str, Any]], object]


def content_of(tok: bytebpe.Tokenizer) -> dict[str, Any]:
    return huggingface.render(Stored(tok.vocab, tok.pattern, tok.pipeline))


@pytest.fixture(scope="session")
def small(engine: str) -> bytebpe.Tokenizer:
    merges = [(b"a", b"b"), (b"ab", b"c"), (b" ", b"a")]
    return bytebpe.Tokenizer(bytebpe.Vocab.from_merges(merges, special_tokens=["<s>", "</s>"]))


def changed(tok: bytebpe.Tokenizer, directory: Path, change: Change) -> Path:
    content = copy.deepcopy(content_of(tok))
    change(content)
    path = directory / "tokenizer.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@given(tok=tokenizers_with_pipelines())
@settings(max_examples=40)
def test_what_is_saved_is_what_is_loaded(
    tmp_path_factory: pytest.TempPathFactory, tok: bytebpe.Tokenizer
) -> None:
    path = tmp_path_factory.mktemp("saved") / "any.json"
    try:
        tok.save(path, format="huggingface")
    except FormatError:
        assert not path.exists()
        return

    loaded = bytebpe.load(path)

    assert loaded.vocab == tok.vocab
    assert loaded.pattern == tok.pattern
    assert content_of(loaded) == content_of(tok)


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "o200k", "qwen2", r"[a-z]+|\s+"])
@pytest.mark.parametrize("merges_as", ["strings", "pairs"])
def test_the_library_reads_what_is_trained_here(
    corpus: list[str], tmp_path: Path, pattern: str, merges_as: str
) -> None:
    tok = bytebpe.train(corpus[:4], vocab_size=600, pattern=pattern, special_tokens=["<|end|>"])
    tok.save(tmp_path, format="huggingface")
    peer = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    if merges_as == "pairs":
        peer.save(str(tmp_path / "tokenizer.json"))  # which writes them so
    again = bytebpe.load(tmp_path)

    text = "".join(corpus[:6])[::7] + "<|end|> x"
    ids = tok.encode(text, allowed_special="all")

    assert again.vocab == tok.vocab
    assert again.pattern == tok.pattern
    assert again.encode(text, allowed_special="all") == ids == peer.encode(text).ids
    assert peer.decode(ids, skip_special_tokens=False) == text == tok.decode(ids)


def without_added(change: Change) -> Change:
    return lambda content: (change(content), content.update(added_tokens=[]))


def set_in(*keys: str | int, to: Any) -> Change:
    def change(content: Any) -> None:
        for key in keys[:-1]:
            content = content[key]
        content[keys[-1]] = to

    return change


def split(**step: Any) -> dict[str, Any]:
    step = {"type": "Split", "behavior": "Isolated", "invert": False, **step}
    return {"type": "Sequence", "pretokenizers": [step, {**LEVEL, "use_regex": False}]}


def template(*single: Any, **more: Any) -> dict[str, Any]:
    return {"type": "TemplateProcessing", "single": list(single), "pair": [], **more}


REFUSED: dict[str, tuple[Change, str]] = {
    "truncation": (set_in("truncation", to={"max_length": 5}), "truncation, which changes"),
    "padding": (set_in("padding", to={}), "padding, which changes"),
    "new part": (set_in("sampler", to={}), "'sampler'"),
    "model kind": (set_in("model", "type", to="Unigram"), "model: type 'Unigram'"),
    "model option": (set_in("model", "smoothing", to=1), "model: smoothing 1"),
    "dropout": (set_in("model", "dropout", to=0.1), "model: dropout 0.1"),
    "suffix": (set_in("model", "end_of_word_suffix", to="</w>"), "end_of_word_suffix '</w>'"),
    "model": (set_in("model", to=[]), "model: expected an object"),
    "vocab": (set_in("model", "vocab", to=[]), "model: vocab: expected an object"),
    "an id": (set_in("model", "vocab", "a", to="5"), "token 'a' has the id '5'"),
    "a byte": (without_added(set_in("model", "vocab", to={"a": 0})), "255 of the 256 b"),
    "no byte": (without_added(set_in("model", "vocab", "世", to=900)), "'世' .* for no byte"),
    "merges": (set_in("model", "merges", to={}), "model: merges: expected a list"),
    "a merge": (set_in("model", "merges", 1, to="ab"), "model: merge 1: expected two tokens"),
    "a triple": (set_in("model", "merges", 1, to=["a", "b", "c"]), "merge 1: expected two"),
    "a number": (set_in("model", "merges", 1, to=[1, 2]), "merge 1: expected two tokens"),
    "unmade": (set_in("model", "merges", 1, to="b b"), "merge 1, .* b'bb' is no token"),
    "twice": (set_in("model", "merges", 1, to="a b"), "merge 1, .* given before as merge 0"),
    "normalizer": (set_in("normalizer", to={"type": "Lowercase"}), "normalizer 'Lowercase'"),
    "normalizers": (set_in("normalizer", to={"type": "Sequence"}), "a Sequence without norm"),
    "no normalizer": (set_in("normalizer", to="NFC"), "normalizer: 'NFC'"),
    "pre_tokenizer": (set_in("pre_tokenizer", to=None), "expected ByteLevel .* found none"),
    "spaces": (set_in("pre_tokenizer", to={"type": "Whitespace"}), "found Whitespace"),
    "flag": (set_in("pre_tokenizer", "use_regex", to=1), "ByteLevel: use_regex 1"),
    "late space": (
        set_in("pre_tokenizer", to={"type": "Sequence", "pretokenizers": [
            {"type": "Digits"}, {**LEVEL, "add_prefix_space": True}]}),
        "add_prefix_space, which puts a space before each piece",
    ),
    "step": (
        set_in("pre_tokenizer", to={"type": "Sequence", "pretokenizers": [
            {"type": "Punctuation"}, LEVEL]}),
        "pre_tokenizer 'Punctuation'",
    ),
    "split": (set_in("pre_tokenizer", to=split(pattern="x")), "Split: pattern 'x'"),
    "split text": (set_in("pre_tokenizer", to=split(pattern={"Regex": 1})), "Split: pattern 1"),
    "behavior": (
        set_in("pre_tokenizer", to=split(pattern={"Regex": "x"}, behavior="MergedWithNext")),
        "behavior 'MergedWithNext'",
    ),
    "dropped": (
        set_in("pre_tokenizer", to=split(pattern={"Regex": "x"}, behavior="Removed", invert=True)),
        "behavior 'Removed' with invert True",
    ),
    "words": (set_in("pre_tokenizer", to=split(pattern={"Regex": r"[\w]+"})), r"'\\\\w' does not"),
    "ends": (set_in("pre_tokenizer", to=split(pattern={"Regex": r"[$]|\s+$"})), r"'\$' does not"),
    "backwards": (set_in("pre_tokenizer", to=split(pattern={"Regex": r"(?<=a)b"})), "the dialect"),
    "broken": (set_in("pre_tokenizer", to=split(pattern={"Regex": r"\p{Nope}"})), "no regular exp"),
    "long": (set_in("pre_tokenizer", to=split(pattern={"Regex": "a|" * 2500})), "5000 characters"),
    "post": (set_in("post_processor", to={"type": "Other"}), "post_processor 'Other'"),
    "two posts": (
        set_in("post_processor", to={"type": "Sequence", "processors": [
            template({"Sequence": {"id": "A"}}), template({"Sequence": {"id": "A"}})]}),
        "a second template",
    ),
    "post token": (
        set_in("post_processor", to=template({"SpecialToken": {"id": "<s>"}})),
        "single: unknown token '<s>'",
    ),
    "post ids": (
        set_in("post_processor", to=template(special_tokens={"<s>": {"ids": "1"}})),
        "ids of '<s>': '1'",
    ),
    "post piece": (set_in("post_processor", to=template({"Other": {}})), "single: {'Other'"),
    "post object": (set_in("post_processor", to=template("A")), "expected an object, found 'A'"),
    "post list": (set_in("post_processor", to=template(pair="AB")), "post_processor: pair: 'AB'"),
    "post no text": (set_in("post_processor", to=template()), "expected the texts 'A' once"),
    "post no token": (
        set_in("post_processor", to={"type": "BertProcessing", "cls": ["[C]", 9000],
                                     "sep": ["[S]", 1]}),
        "9000 is the id of no token",
    ),
    "post no id": (
        set_in("post_processor", to={"type": "BertProcessing", "cls": "[C]"}),
        r"post_processor: cls: '\[C\]'",
    ),
    "decoder": (set_in("decoder", to={"type": "WordPiece"}), "decoder 'WordPiece'"),
    "added": (set_in("added_tokens", to={}), "added_tokens: expected a list"),
    "added token": (set_in("added_tokens", 0, to={"id": 1}), "expected a token with content"),
    "added id": (set_in("added_tokens", 0, "id", to=-1), "added token '<s>' has the id -1"),
    "added flag": (set_in("added_tokens", 0, "lstrip", to=1), "expected true or false"),
    "added twice": (set_in("added_tokens", 0, "content", to="</s>"), "'</s>' is given twice"),
    "added elsewhere": (
        set_in("added_tokens", 0, "content", to="ab"),
        "added token 'ab' has the id 259 here, .* gives it 256",
    ),
    "taken id": (set_in("added_tokens", 0, "id", to=5), "'<s>' has the id 5 here, .* gives it 259"),
}  # fmt: skip


@pytest.mark.parametrize("part", REFUSED)
def test_what_cannot_be_done_exactly_is_refused_by_name(
    small: bytebpe.Tokenizer, tmp_path: Path, part: str
) -> None:
    change, problem = REFUSED[part]
    path = changed(small, tmp_path, change)

    with pytest.raises(FormatError, match=problem) as caught:
        bytebpe.load(path)

    assert caught.value.path == str(path)


ACCEPTED: dict[str, Change] = {
    "no model type": lambda content: content["model"].pop("type"),
    "unknown token": set_in("model", "unk_token", to="<s>"),
    "no decoder": set_in("decoder", to=None),
    "empty normalizer": set_in("normalizer", to={"type": "Sequence", "normalizers": []}),
    "digits": set_in("pre_tokenizer", to={"type": "Sequence", "pretokenizers": [
        {"type": "Digits", "individual_digits": True}, LEVEL]}),
    "runs of digits": set_in("pre_tokenizer", to={"type": "Sequence", "pretokenizers": [
        {"type": "Digits", "individual_digits": False}, LEVEL]}),
    "string": set_in("pre_tokenizer", to=split(pattern={"String": "a."})),
    "dropped rest": set_in("pre_tokenizer", to=split(
        pattern={"Regex": bytebpe.patterns.O200K}, behavior="Removed", invert=True)),
    "inverted": set_in("pre_tokenizer", to=split(pattern={"Regex": "[ab]+"}, invert=True)),
    "no pattern": set_in("pre_tokenizer", "use_regex", to=False),
    "bert": set_in("post_processor", to={"type": "BertProcessing", "cls": ["<s>", 259],
                                         "sep": ["</s>", 260]}),
    "roberta": set_in("post_processor", to={"type": "RobertaProcessing", "cls": ["<s>", 259],
                                            "sep": ["</s>", 260], "trim_offsets": True,
                                            "add_prefix_space": False}),
    "ordinary added": lambda content: content["added_tokens"].insert(0, {
        "content": "ab", "id": 256, "special": True, "lstrip": True, "single_word": False,
        "rstrip": False, "normalized": False}),
}  # fmt: skip


@pytest.mark.parametrize("part", ACCEPTED)
@given(text=texts(12))
@settings(max_examples=25)
def test_what_is_done_exactly_gives_the_ids_of_the_library(
    small: bytebpe.Tokenizer, tmp_path_factory: pytest.TempPathFactory, part: str, text: str
) -> None:
    path = changed(small, tmp_path_factory.mktemp("accepted"), ACCEPTED[part])
    text = f"{text} ab </s>12aab.a. a{text}"
    tok, peer = bytebpe.load(path), tokenizers.Tokenizer.from_file(str(path))

    ids = tok.wrap(tok.encode(text, allowed_special="all"))

    assert ids == peer.encode(text).ids
    again = tokenizers.Tokenizer.from_str(json.dumps(content_of(tok)))
    assert again.encode(text).ids == ids
    assert again.encode("ab", text).ids == peer.encode("ab", text).ids


def test_a_pattern_given_overrides_the_ones_in_the_file(
    small: bytebpe.Tokenizer, tmp_path: Path
) -> None:
    path = changed(small, tmp_path, ACCEPTED["digits"])

    assert bytebpe.load(path).pipeline.presplits == (r"\p{N}",)
    assert bytebpe.load(path, pattern="o200k").pipeline.presplits == ()
    assert bytebpe.load(path, pattern="o200k").pattern == bytebpe.patterns.O200K


def test_special_tokens_given_come_on_top(small: bytebpe.Tokenizer, tmp_path: Path) -> None:
    small.save(tmp_path, format="huggingface")

    tok = bytebpe.load(tmp_path, special_tokens={"<more>": 300})

    assert tok.encode("<more>", allowed_special="all") == [300]


def made(special: dict[str, int], **pipeline: Any) -> Stored:
    vocab = bytebpe.Vocab.from_merges([(b"a", b"b")]).with_special_tokens(special)
    return Stored(vocab, bytebpe.patterns.CL100K, Pipeline(**pipeline))


@pytest.mark.parametrize(
    ("stored", "problem"),
    [
        (made({"ab": 257}), "'ab' beside an ordinary token written alike"),
        (made({"ab": 300}), "'ab' with the id 300, beside an ordinary token"),
        (made({}, prefix_space=True), "a space before the text, together with a pattern"),
        (made({}, presplits=(r"\w",)), r"does not mean the same"),
        (
            made({"<x>": 300}, ignore_merges=True, added=(AddedToken("<x>", single_word=True),)),
            "ignore_merges, which a piece b'<x>' turns into an added token",
        ),
    ],
)
def test_what_the_format_cannot_say_is_refused(
    stored: Stored, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(Unsupported, match=problem):
        huggingface.render(stored)


def test_added_tokens_that_share_an_id_by_accident_are_refused(
    small: bytebpe.Tokenizer, tmp_path: Path
) -> None:
    # "é" in the vocabulary is the byte 0xE9, and as an added token the character.
    id = small.vocab.ids[b"\xe9"]
    change = set_in("added_tokens", to=[{"content": "é", "id": id, "special": False}])

    with pytest.raises(FormatError, match=r"shares the id of the token b'\\xe9'"):
        bytebpe.load(changed(small, tmp_path, change))


def test_a_template_names_ordinary_tokens_too(small: bytebpe.Tokenizer) -> None:
    around = Template(((257, 0), ("A", 0), (260, 0)))
    tok = bytebpe.Tokenizer(small.vocab, pipeline=Pipeline(template=around))

    peer = tokenizers.Tokenizer.from_str(json.dumps(content_of(tok)))

    assert peer.encode("x").ids == tok.wrap(tok.encode("x")) == [257, 87, 260]
    assert peer.encode("x", "x").ids == [257, 87, 260, 257, 87, 260]


@given(data=st.data())
@settings(max_examples=150)
def test_a_mutated_file_is_refused_or_makes_a_tokenizer_that_gives_texts_back(
    small: bytebpe.Tokenizer, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = copy.deepcopy(content_of(small))
    content["post_processor"] = template({"Sequence": {"id": "A"}})
    values = st.sampled_from([None, True, 0, -1, 2**40, 1.5, "", "a", "NFC", [], {}, ["a"], [[]]])
    for _ in range(data.draw(st.integers(1, 2))):
        place = content
        while True:
            keys = list(place) if isinstance(place, dict) else range(len(place))
            key = data.draw(st.sampled_from(keys))
            if not (isinstance(place[key], dict | list) and place[key]) or data.draw(st.booleans()):
                break
            place = place[key]
        change = data.draw(st.sampled_from(["set", "drop", "double"]))
        if change == "drop":
            del place[key]
        else:
            place[key] = data.draw(values) if change == "set" else [place[key], place[key]]
        if not content:
            break
    text = json.dumps(content)
    cut = data.draw(st.none() | st.integers(0, len(text)))
    path = tmp_path_factory.mktemp("mutated") / "tokenizer.json"
    path.write_text(text[:cut])

    try:
        tok = bytebpe.load(path)
    except FormatError:
        return

    sample = "ab abc </s> 世界 'll 12"
    assert tok.decode_bytes(tok.encode_bytes(sample.encode())) == sample.encode()
    assert tok.pipeline.normalizer or tok.decode(tok.encode_ordinary(sample)).strip() == sample
