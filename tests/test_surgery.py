"""A vocabulary changed: what stays means what it meant, and the map says what became of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bytebpe
from bytebpe.errors import TrainingError, UnknownTokenError
from bytebpe.pipeline import AddedToken, Pipeline, Template
from strategies import texts, vocabs

CORPUS = ["abc abcabc cab", "abab bcbc abc", "aaab aaa baa abc"]


@pytest.fixture(scope="session")
def small(engine: str, corpus: list[str]) -> bytebpe.Tokenizer:
    return bytebpe.train(corpus[:3], vocab_size=400, special_tokens=["<x>"])


@given(vocab=vocabs(ordered=False), more=st.integers(0, 8), text=st.text("abc ", max_size=20))
@settings(max_examples=40)
def test_an_extended_tokenizer_merges_what_it_merged_and_then_more(
    vocab: bytebpe.Vocab, more: int, text: str
) -> None:
    old = bytebpe.Tokenizer(vocab)

    new, change = old.extend(CORPUS, vocab_size=len(old) + more, min_frequency=1)

    assert new.vocab.merges[: len(vocab.merges)] == vocab.merges
    assert all(new.vocab.tokens[id] == token for id, token in vocab.tokens.items())
    assert len(new) == len(old) + len(change.made_of) <= len(old) + more
    expanded = [part for id in new.encode(text) for part in change.made_of.get(id, (id,))]
    assert expanded == old.encode(text)
    assert change.apply(vocab.tokens) == list(vocab.tokens)
    assert change.size == max(new.vocab.tokens) + 1


@given(first=st.integers(0, 3), more=st.integers(0, 4))
@settings(max_examples=20)
def test_training_further_on_the_same_texts_is_training_at_once(first: int, more: int) -> None:
    texts = {"abcabc": 3, "cab": 2, "aaab abc": 1}
    begun = bytebpe.train_from_counts(texts, num_merges=first, min_frequency=0)
    at_once = bytebpe.train_from_counts(texts, num_merges=first + more, min_frequency=0)

    resumed, _ = begun.extend(texts, vocab_size=256 + first + more, min_frequency=0)

    assert resumed.vocab == at_once.vocab


def test_a_saved_tokenizer_is_trained_further(corpus: list[str], tmp_path: Path) -> None:
    bytebpe.train(corpus[:3], vocab_size=300).save(tmp_path)

    resumed, _ = bytebpe.load(tmp_path).extend(corpus[:3], vocab_size=400)

    assert resumed.vocab == bytebpe.train(corpus[:3], vocab_size=400).vocab


def test_a_token_that_no_merge_made_keeps_its_id() -> None:
    plain = bytebpe.Vocab.from_merges([]).ids
    tok = bytebpe.Tokenizer(bytebpe.Vocab({**plain, b"ab": 300}, ()))

    more, change = tok.extend(["ab ab"], vocab_size=258)

    assert more.encode("ab") == [300]
    assert 300 not in change.made_of


def test_special_tokens_are_no_text_to_learn_from(small: bytebpe.Tokenizer) -> None:
    more, _ = small.extend(["<x>zqzq"] * 5, vocab_size=402)

    assert more.tokens("zqzq<x>", allowed_special="all") == [b"zqzq", b"<x>"]
    assert small.pipeline == more.pipeline


def test_a_tokenizer_with_a_pipeline_is_extended_by_what_it_sees() -> None:
    vocab = bytebpe.Vocab.from_merges([], special_tokens=["<b>"])
    pipeline = Pipeline(
        normalizer=("NFKC",),
        presplits=(r"\p{N}",),
        added=(AddedToken("<b>", special=False),),
        template=Template(((256, 0), ("A", 0))),
    )

    tok, _ = bytebpe.Tokenizer(vocab, pipeline=pipeline).extend(["ﬁ<b>12"] * 3, vocab_size=260)

    assert tok.merges == [(b"f", b"i")]
    assert tok.wrap(tok.encode("ﬁ")) == [256, 257]


@given(vocab=vocabs(), size=st.integers(256, 270), text=texts())
@settings(max_examples=40)
def test_a_pruned_tokenizer_gives_every_text_back(
    vocab: bytebpe.Vocab, size: int, text: str
) -> None:
    old = bytebpe.Tokenizer(vocab.with_special_tokens({"<x>": 900}))

    new, change = old.prune(CORPUS, vocab_size=size + 1)

    assert len(new) == min(len(old), size + 1) == change.size
    assert new.decode(new.encode_ordinary(text)) == text
    assert new.encode("<x>", allowed_special="all") == change.apply([900])
    for old_id, new_id in enumerate(change.new_ids):
        if new_id >= 0:
            assert new.token_bytes(new_id) == old.token_bytes(old_id)
            assert change.old_ids()[new_id] == old_id
    kept = {left + right for left, right in new.merges}
    assert kept == {token for token in new.vocab.ids if len(token) > 1}


def test_what_is_used_least_goes_first() -> None:
    merges = [(b"a", b"b"), (b"ab", b"c"), (b"x", b"y"), (b"y", b"z")]
    tok = bytebpe.Tokenizer(bytebpe.Vocab.from_merges(merges))

    small, change = tok.prune({"abc": 5, "xy": 1}, vocab_size=259)

    assert small.merges == merges[:3]
    assert change.new_ids[259] == -1
    with pytest.raises(UnknownTokenError, match="no id 259"):
        change.apply([259])
    # "abc" counts for the "ab" it is made of, once it is gone.
    assert tok.prune({"abc": 5, "xy": 9}, vocab_size=258)[0].merges == [merges[0], merges[2]]


@pytest.mark.parametrize("special_first", [False, True])
def test_ids_are_numbered_afresh(
    small: bytebpe.Tokenizer, tmp_path: Path, special_first: bool
) -> None:
    new, change = small.renumber(special_first=special_first)

    for text in ("Hello <x> world", "naïve 世界"):
        ids = new.encode(text, allowed_special="all")
        assert ids == change.apply(small.encode(text, allowed_special="all"))
    format = "tekken" if special_first else "minbpe"
    new.save(tmp_path, format=format)
    assert bytebpe.load(tmp_path).vocab == new.vocab


def test_tokens_without_a_merge_are_numbered_last() -> None:
    plain = bytebpe.Vocab.from_merges([(b"a", b"b")]).ids
    vocab = bytebpe.Vocab({**plain, b"zz": 300}, ((b"a", b"b"),), {"<x>": 299})

    new, _ = bytebpe.Tokenizer(vocab).renumber()

    assert (new.token_id(b"ab"), new.token_id(b"zz"), new.token_id("<x>")) == (256, 257, 258)


def test_special_tokens_are_added(small: bytebpe.Tokenizer) -> None:
    more, change = small.add_special_tokens(["<y>", "<x>", "<y>"])

    assert more.special_tokens == {"<x>": 399, "<y>": 400}
    assert small.decode(change.made_of[400]) == "<y>"
    assert change.size == 401


@pytest.mark.parametrize("change", ["extend", "prune"])
def test_what_cannot_be_is_refused(small: bytebpe.Tokenizer, change: str) -> None:
    with pytest.raises(TrainingError, match="vocab_size=9 is"):
        getattr(small, change)(CORPUS, vocab_size=9)
    with pytest.raises(TypeError, match=r"write .text."):
        getattr(small, change)("abc", vocab_size=400)
