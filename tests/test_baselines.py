from __future__ import annotations

import pytest
from hypothesis import given

from bytebpe.baselines import WordVocab, pure_bytes
from bytebpe.errors import TrainingError, UnknownTokenError
from strategies import any_bytes


def test_words_outside_the_vocabulary_are_unknown() -> None:
    words = WordVocab.train(["the cat saw the dog", "a cat"], vocab_size=4)

    assert words.tokens("the cat saw a bird") == ["the", "cat", "<unk>", "a", "<unk>"]
    assert words.decode(words.encode("the  cat\nsaw")) == "the cat <unk>"
    assert len(words) == 4


def test_a_word_that_is_called_unknown_is_known() -> None:
    words = WordVocab.train(["<unk> <unk> a"], vocab_size=3)

    assert words.encode("<unk> a b") == [1, 2, 0]


def test_bad_requests_are_refused() -> None:
    with pytest.raises(TrainingError, match="vocab_size=0"):
        WordVocab.train(["a"], vocab_size=0)
    with pytest.raises(UnknownTokenError, match="no id 9"):
        WordVocab.train(["a"], vocab_size=2).decode([9])


@given(data=any_bytes())
def test_pure_bytes_are_as_long_as_the_text(data: bytes) -> None:
    tok = pure_bytes()

    assert len(tok.encode_bytes(data)) == len(data)
    assert tok.decode_bytes(tok.encode_bytes(data)) == data
