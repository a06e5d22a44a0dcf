from __future__ import annotations

import copy
import pickle

import pytest

import bytebpe
from bytebpe.bytemap import ID_ORDER
from bytebpe.errors import SpecialTokenError, UnknownTokenError, VocabError

BYTES = {bytes([byte]): id for id, byte in enumerate(ID_ORDER)}
AB = (b"a", b"b")


def test_ids_stand_in_gpt2_order() -> None:
    vocab = bytebpe.Vocab.from_merges([AB, (b"ab", b"c")], special_tokens=["<x>", "<y>"])

    assert [vocab[id] for id in range(256)] == [bytes([byte]) for byte in ID_ORDER]
    assert [vocab[id] for id in range(256, 260)] == [b"ab", b"abc", b"<x>", b"<y>"]
    assert len(vocab) == 260


def test_two_merges_may_make_the_same_token() -> None:
    vocab = bytebpe.Vocab.from_merges([AB, (b"b", b"c"), (b"a", b"bc"), (b"ab", b"c")])

    assert vocab.ids[b"abc"] == 258
    assert len(vocab) == 259


def test_it_reads_as_a_mapping_from_id_to_bytes() -> None:
    vocab = bytebpe.Vocab.from_merges([AB])

    assert vocab[256] == b"ab"
    assert 256 in vocab
    assert 257 not in vocab
    assert vocab.get(257) is None
    assert list(vocab) == list(range(257))
    assert dict(vocab)[256] == b"ab"


def test_it_never_changes() -> None:
    ids = dict(BYTES)
    vocab = bytebpe.Vocab(ids, ())
    ids[b"zz"] = 900

    assert b"zz" not in vocab.ids
    with pytest.raises(TypeError):
        vocab.ids[b"zz"] = 900  # type: ignore[index]
    with pytest.raises(AttributeError):
        vocab.merges = ()  # type: ignore[misc]
    with pytest.raises(TypeError, match="unhashable"):
        hash(vocab)


def test_what_is_made_late_follows_from_the_rest() -> None:
    vocab = bytebpe.Vocab({**BYTES, b"ab": 900}, [AB], {"<x>": 1000})

    assert vocab.merge_numbers.tolist() == [BYTES[b"a"], BYTES[b"b"], 900]
    assert vocab.byte_ids == tuple(BYTES[bytes([byte])] for byte in range(256))
    assert vocab.highest_id == 1000
    with pytest.raises(AttributeError, match="'Vocab' object has no attribute 'token'"):
        vocab.token  # type: ignore[attr-defined]  # noqa: B018


def test_copies_and_pickles_are_equal() -> None:
    vocab = bytebpe.Vocab.from_merges([AB], special_tokens=["<x>"])

    assert pickle.loads(pickle.dumps(vocab)) == vocab
    assert copy.deepcopy(vocab) == vocab
    assert vocab != bytebpe.Vocab.from_merges([AB], special_tokens=["<y>"])
    assert vocab != dict(vocab)
    assert repr(vocab) == "<Vocab: 258 tokens, 1 merges, 1 special>"


@pytest.mark.parametrize(
    ("ids", "merges", "message"),
    [
        ({b"a": 0}, [], r"255 of the 256 bytes have no token \(0x00, .*\.\.\.\)"),
        ({k: v for k, v in BYTES.items() if k != b"\n"}, [], r"1 of .* \(0x0A\)"),
        ({**BYTES, b"ab": 7}, [], "id 7 is taken twice, by b'\\(' and by b'ab'"),
        ({**BYTES, b"ab": -1}, [], "ids go from 0"),
        ({**BYTES, b"ab": 2**32}, [], "ids go from 0"),
        ({**BYTES, b"ab": True}, [], "the id of b'ab' is True; expected an int"),
        ({**BYTES, b"ab": 1.5}, [], "expected an int"),
        ({**BYTES, b"": 256}, [], "the empty token"),
        (BYTES, [AB], "merge 0, b'a' \\+ b'b': b'ab' is no token"),
        ({**BYTES, b"abc": 256}, [(b"ab", b"c")], "b'ab' is no token"),
        ({**BYTES, b"ab": 256}, [AB, AB], "merge 1, .* was given before as merge 0"),
    ],
)
def test_a_vocabulary_that_contradicts_itself_is_refused(
    ids: dict[bytes, int], merges: list[tuple[bytes, bytes]], message: str
) -> None:
    with pytest.raises(VocabError, match=message):
        bytebpe.Vocab(ids, tuple(merges))


@pytest.mark.parametrize(
    ("special", "message"),
    [
        ({"": 300}, "at least one character"),
        ({"<x>": 5}, "cannot take the id 5, which belongs to b'&'; the next free id is 256"),
        ({"<x>": 300, "<y>": 300}, "cannot take the id 300, which belongs to b'<x>'"),
        ({"\ud800": 300}, "surrogates not allowed"),
    ],
)
def test_a_special_token_that_cannot_be_is_refused(special: dict[str, int], message: str) -> None:
    with pytest.raises(SpecialTokenError, match=message):
        bytebpe.Vocab(BYTES, (), special)


def test_the_id_of_a_special_token_is_checked_too() -> None:
    with pytest.raises(VocabError, match="ids go from 0"):
        bytebpe.Vocab(BYTES, (), {"<x>": -3})
    with pytest.raises(TypeError, match="expected a str, not bytes"):
        bytebpe.Vocab(BYTES, (), {b"<x>": 300})  # type: ignore[dict-item]


def test_special_tokens_can_be_added_and_named_again() -> None:
    vocab = bytebpe.Vocab(BYTES, (), {"<x>": 300})

    more = vocab.with_special_tokens({"<x>": 300, "<y>": 400})

    assert more.special_tokens == {"<x>": 300, "<y>": 400}
    assert vocab.special_tokens == {"<x>": 300}
    with pytest.raises(SpecialTokenError, match="has the id 300 already and cannot take 301"):
        vocab.with_special_tokens({"<x>": 301})


def test_tokens_are_found_by_bytes_or_text() -> None:
    vocab = bytebpe.Vocab({**BYTES, b"ab": 256, "é".encode(): 257}, (), {"ab": 300})

    assert vocab.token_id(b"ab") == 256
    assert vocab.token_id("ab") == 300
    assert vocab.token_id("é") == 257
    with pytest.raises(UnknownTokenError, match="no token 'zz': this vocabulary has 259 tokens"):
        vocab.token_id("zz")


def test_an_unknown_id_is_named_with_the_range() -> None:
    vocab = bytebpe.Vocab({**BYTES, b"ab": 900}, ())

    with pytest.raises(UnknownTokenError) as caught:
        vocab[300]

    assert str(caught.value) == (
        "no id 300: this vocabulary has 257 tokens, ids 0 to 900, 644 of them unused"
    )
    assert isinstance(caught.value, LookupError)
