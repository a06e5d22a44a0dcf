"""Two more baselines: a closed vocabulary of words, and bytes without any merge.

Words alone are what tokenizers began with: short sequences, and `<unk>` for every word
that training did not see.  Bytes alone are the other end: nothing is unknown, and a
sequence is as long as the text has bytes.

>>> words = WordVocab.train(["the cat the dog"], vocab_size=3)
>>> words.tokens("the cat the bird")
['the', 'cat', 'the', '<unk>']
>>> pure_bytes().tokens("né")
[b'n', b'\\xc3', b'\\xa9']
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import index
from typing import SupportsIndex

from .charbpe import UNKNOWN, count_words, split_words
from .errors import TrainingError, UnknownTokenError
from .tokenizer import Tokenizer
from .vocab import Vocab

__all__ = ["WordVocab", "pure_bytes"]


class WordVocab:
    """The most frequent words, divided at white space; all others are `<unk>`, id 0."""

    def __init__(self, words: Iterable[str]) -> None:
        self._tokens = [UNKNOWN, *words]
        # From the second on: a text may hold the word <unk> itself, which is then a known one.
        self._ids = {word: id for id, word in enumerate(self._tokens) if id}

    @classmethod
    def train(cls, texts: Iterable[str], *, vocab_size: int) -> WordVocab:
        """Keep the most frequent words of texts, of equals the first in alphabetical order."""
        return cls.train_from_counts(count_words(texts), vocab_size=vocab_size)

    @classmethod
    def train_from_counts(cls, counts: Mapping[str, int], *, vocab_size: int) -> WordVocab:
        """Keep the most frequent of words that come with a count each.

        >>> len(WordVocab.train_from_counts({"a": 1, "b": 2, "c": 2}, vocab_size=3))
        3
        """
        if vocab_size < 1:
            raise TrainingError(f"vocab_size={vocab_size}; {UNKNOWN} needs 1 at least")
        by_frequency = sorted(counts, key=lambda word: (-counts[word], word))
        return cls(by_frequency[: vocab_size - 1])

    def encode(self, text: str) -> list[int]:
        """Turn a text into one id for each word."""
        return [self._ids.get(word, 0) for word in split_words(text)]

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text: its words, or `<unk>`."""
        return [self._tokens[id] for id in self.encode(text)]

    def token(self, id: SupportsIndex) -> str:
        """Return one token; raises `UnknownTokenError`."""
        at = index(id)
        if not 0 <= at < len(self._tokens):
            raise UnknownTokenError(at, len(self), 0, len(self) - 1)
        return self._tokens[at]

    def decode(self, ids: Iterable[SupportsIndex]) -> str:
        """Turn ids into text, with one space between words."""
        return " ".join(map(self.token, ids))

    def __len__(self) -> int:
        """Return the number of tokens, `<unk>` included."""
        return len(self._tokens)


def pure_bytes() -> Tokenizer:
    """Return a tokenizer of the 256 bytes and no merges."""
    return Tokenizer(Vocab.from_merges([]))
