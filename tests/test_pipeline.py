"""What surrounds a vocabulary: equal to Hugging Face's, and lossless where it says so."""

from __future__ import annotations

import json
import pickle
import random
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import unicodedata2
from hypothesis import given
from hypothesis import strategies as st

import bytebpe
from bytebpe.cli import main
from bytebpe.errors import PipelineError, SpecialTokenError, VocabError
from bytebpe.formats import Stored, huggingface
from bytebpe.formats.huggingface_steps import Unsupported
from bytebpe.normalize import aligned, normalize
from bytebpe.pipeline import AddedToken, Pipeline, Template
from strategies import any_bytes, texts, texts_with_tokens, tokenizers_with_pipelines, vocabs

tokenizers = pytest.importorskip("tokenizers")


def as_peer(tok: bytebpe.Tokenizer) -> Any:
    content = huggingface.render(Stored(tok.vocab, tok.pattern, tok.pipeline))
    return tokenizers.Tokenizer.from_str(json.dumps(content))


def sayable(tok: bytebpe.Tokenizer) -> bool:
    try:
        as_peer(tok)
    except Unsupported:
        return False
    return True


@given(tok=tokenizers_with_pipelines().filter(sayable), text=texts_with_tokens())
def test_ids_are_those_of_huggingface(tok: bytebpe.Tokenizer, text: str) -> None:
    ids = tok.encode(text, allowed_special="all")

    assert ids == as_peer(tok).encode(text, add_special_tokens=False).ids
    assert tok.wrap(ids) == as_peer(tok).encode(text).ids


@given(tok=tokenizers_with_pipelines(), text=texts_with_tokens())
def test_nothing_is_lost_but_what_the_steps_change(tok: bytebpe.Tokenizer, text: str) -> None:
    back = tok.decode_bytes(tok.encode(text, allowed_special="all"))

    assert back == text.encode() or not tok.pipeline.lossless
    assert tok.decode_bytes(tok.encode_bytes(text.encode())) == text.encode()


@given(tok=tokenizers_with_pipelines(), data=any_bytes())
def test_bytes_always_come_back(tok: bytebpe.Tokenizer, data: bytes) -> None:
    assert tok.decode_bytes(tok.encode_bytes(data)) == data


@given(tok=tokenizers_with_pipelines(), batch=st.lists(texts_with_tokens(), max_size=4))
def test_every_way_to_encode_gives_the_same(tok: bytebpe.Tokenizer, batch: list[str]) -> None:
    rows = [tok.encode(text, allowed_special="all") for text in batch]

    assert tok.encode_batch(batch, allowed_special="all") == rows
    assert tok.encode_batch_arrays(batch, allowed_special="all").ids.tolist() == list(chain(*rows))
    for text, row in zip(batch, rows, strict=True):
        assert tok.encode_array(text, allowed_special="all").tolist() == row
        assert tok.count(text, allowed_special="all") == len(row)
        assert tok.encode_ordinary(text) == tok.encode(text, disallowed_special=())


@given(tok=tokenizers_with_pipelines())
def test_a_pipeline_goes_where_the_tokenizer_goes(tok: bytebpe.Tokenizer) -> None:
    copy = pickle.loads(pickle.dumps(tok))
    more = tok.with_special_tokens({"<more>": 90_000})

    assert copy.pipeline == more.pipeline == tok.pipeline
    assert more.encode("a<more>", allowed_special={"<more>"})[-1] == 90_000


@given(
    vocab=vocabs(ordered=False),
    text=texts_with_tokens(),
    orphan=st.sampled_from(["ab", "bc", "caab"]),
)
def test_ignoring_merges_takes_pieces_that_are_tokens(
    vocab: bytebpe.Vocab, text: str, orphan: str
) -> None:
    ids = {**vocab.ids}
    ids.setdefault(orphan.encode(), 20_000)
    tok = bytebpe.Tokenizer(bytebpe.Vocab(ids, vocab.merges), pipeline=Pipeline(ignore_merges=True))

    expected = as_peer(tok).encode(f"{text} {orphan}{orphan}", add_special_tokens=False).ids

    assert tok.encode(f"{text} {orphan}{orphan}") == expected
    assert tok.encode(orphan) == [ids[orphan.encode()]]


def test_parts_of_a_piece_are_no_pieces() -> None:
    # The scanner made for GPT-2 may cut between the two characters, where no merge reaches.
    vocab = bytebpe.Vocab.from_merges([])
    vocab = bytebpe.Vocab({**vocab.ids, "世".encode(): 300}, ())
    tok = bytebpe.Tokenizer(vocab, pipeline=Pipeline(ignore_merges=True))

    assert tok.encode("世") == [300]
    assert len(tok.encode("世界")) == 6


FORMS = ("NFC", "NFD", "NFKC", "NFKD")
CHANGED = [
    chr(point)
    for point in range(0x110000)
    if unicodedata2.combining(chr(point)) or unicodedata2.decomposition(chr(point))
]


@pytest.mark.parametrize("form", FORMS)
@given(seed=st.integers(0, 2**30), text=texts())
def test_normalization_is_that_of_huggingface(form: Any, seed: int, text: str) -> None:
    draw = random.Random(seed)
    marked = "".join(draw.choice(CHANGED) for _ in range(20)) + text

    assert normalize(marked, (form,)) == getattr(tokenizers.normalizers, form)().normalize_str(
        marked
    )


def test_each_code_point_is_normalized_alike_whatever_python_knows() -> None:
    for form in FORMS:
        peer = getattr(tokenizers.normalizers, form)()
        for char in CHANGED:
            assert normalize(f"a{char}\u0323", (form,)) == peer.normalize_str(f"a{char}\u0323")


@pytest.mark.parametrize("form", FORMS)
@given(seed=st.integers(0, 2**30), text=texts())
def test_aligned_stretches_are_normalized_alone(form: Any, seed: int, text: str) -> None:
    draw = random.Random(seed)
    text += "".join(draw.choice(CHANGED) for _ in range(10)) + "각"

    stretches = aligned(text, (form,))

    assert "".join(original for original, _ in stretches) == text
    assert "".join(changed for _, changed in stretches) == normalize(text, (form,))


def special_tokenizer(**flags: bool) -> bytebpe.Tokenizer:
    vocab = bytebpe.Vocab.from_merges([], special_tokens=["<x>"])
    pipeline = Pipeline(added=(AddedToken("<x>", **flags),), normalizer=("NFKC",))
    return bytebpe.Tokenizer(vocab, pipeline=pipeline)


def test_a_special_token_that_normalization_makes_is_refused() -> None:
    tok = special_tokenizer(normalized=True)

    with pytest.raises(SpecialTokenError, match="comes to stand in the text when it is normal"):
        tok.encode("a＜x＞")
    with pytest.raises(SpecialTokenError):
        tok.encode("a＜x＞", disallowed_special={"<x>"})

    assert tok.encode("a＜x＞", allowed_special="all") == [64, 256]
    assert tok.encode("a＜x＞", disallowed_special=()) == tok.encode("a<x>", disallowed_special=())
    assert tok.encode("ａ") == [64]


def test_a_token_that_is_not_special_is_always_found() -> None:
    tok = special_tokenizer(special=False)

    assert tok.encode("a<x>") == tok.encode_ordinary("a<x>") == [64, 256]
    assert tok.special_tokens == {}
    assert special_tokenizer().special_tokens == {"<x>": 256}


def test_what_contradicts_itself_is_refused() -> None:
    with pytest.raises(VocabError, match="normalizer 'NFX'"):
        Pipeline(normalizer=("NFX",))  # type: ignore[arg-type]
    with pytest.raises(VocabError, match="given twice"):
        Pipeline(added=(AddedToken("a"), AddedToken("a", lstrip=True)))
    with pytest.raises(VocabError, match="expected the texts 'A' once each, found ''"):
        Template(((1, 0),))
    with pytest.raises(VocabError, match="expected the texts 'AB' once each, found 'BA'"):
        Template((("A", 0),), (("B", 0), ("A", 0)))
    with pytest.raises(TypeError, match="expected bytes"):
        special_tokenizer().encode_bytes("a")  # type: ignore[arg-type]


def test_each_flag_does_what_it_says() -> None:
    def ids(text: str, **flags: bool) -> list[int]:
        return special_tokenizer(**flags).encode(text, allowed_special="all")

    assert ids("a \t<x> b", lstrip=True) == [64, 256, 220, 65]
    assert ids("a <x>\u3000\nb", rstrip=True) == [64, 220, 256, 65]
    assert ids("<x> <x>", lstrip=True, rstrip=True) == [256, 256]
    assert ids("<x>b <x>-", single_word=True)[-2:] == [256, 12]
    assert ids("<x>b", single_word=True) == ids("<x>b", single_word=True, normalized=True)
    assert ids("\x1c<x>", lstrip=True) == [188 + 28, 256]  # no white space here


def test_bytes_and_broken_texts_take_the_same_ways() -> None:
    tok = bytebpe.Tokenizer(bytebpe.Vocab.from_merges([]), pipeline=Pipeline(presplits=("[a]",)))

    assert tok.decode_bytes(tok.encode_bytes(b"xa\xff\xc3a")) == b"xa\xff\xc3a"
    with pytest.raises(UnicodeEncodeError, match="lone surrogate"):
        tok.encode("a\ud800")
    with pytest.raises(TypeError, match="expected a str"):
        tok.encode(b"a")  # type: ignore[arg-type]


def test_the_command_line_counts_whole_texts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    special_tokenizer(special=False).save(tmp_path, format="huggingface")
    (tmp_path / "text").write_text("a<x>", encoding="utf-8")

    assert main(["count", "--tokenizer", str(tmp_path), str(tmp_path / "text")]) == 0
    assert capsys.readouterr().out.split()[0] == "2"


def test_a_template_alone_is_no_hindrance() -> None:
    template = Template(((0, 0), ("A", 0)))
    tok = bytebpe.Tokenizer(bytebpe.Vocab.from_merges([]), pipeline=Pipeline(template=template))

    assert tok.fits("abc", 3)
    assert len(tok.trace("abc").pieces) == 1
    with pytest.raises(PipelineError, match="does more to a text than split it"):
        special_tokenizer(special=False).trace("abc")
