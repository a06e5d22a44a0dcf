"""Character BPE, the baseline: what byte-level BPE is compared with.

Words are split at white space, spelled as characters and closed by an end mark,
`</w>`; merges are learned by the same trainer.  A character that training never saw
has no symbol and becomes `<unk>`: the text is lost there, and so are the kinds and
numbers of white space.  Byte-level BPE has neither problem.

>>> bpe = CharBPE.train_from_counts({"low": 5, "lowest": 2}, num_merges=2, ties="first")
>>> bpe.merges
[('l', 'o'), ('lo', 'w')]
>>> bpe.tokens("low löw")
['low', '</w>', 'l', '<unk>', 'w', '</w>']
>>> bpe.decode(bpe.encode("low  löw"))
'low l<unk>w'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import index
from typing import Final, SupportsIndex

import regex

from . import _kernels
from .errors import TrainingError, UnknownTokenError
from .merge import MergeTable
from .train import Ties

UNKNOWN: Final = "<unk>"
END: Final = "</w>"

_WORD: Final = regex.compile(r"\S+")


class CharBPE:
    """A vocabulary of characters and merges of characters.

    Ids: `<unk>`, `</w>`, the characters in the order given, then one for each merge.
    """

    def __init__(self, alphabet: Iterable[str], merges: Iterable[tuple[str, str]]) -> None:
        self._tokens = [UNKNOWN, END, *alphabet]
        self._ids = {token: id for id, token in enumerate(self._tokens)}
        self.merges: Final = list(merges)
        table = []
        for left, right in self.merges:
            made = self._ids.setdefault(left + right, len(self._tokens))
            if made == len(self._tokens):
                self._tokens.append(left + right)
            table.append((self._ids[left], self._ids[right], made))
        self._table = MergeTable((), table)

    @classmethod
    def train(
        cls, texts: Iterable[str], *, num_merges: int, min_frequency: int = 2, ties: Ties = "lowest"
    ) -> CharBPE:
        """Learn from texts, word by word; fewer merges come where no pair is frequent enough.

        >>> CharBPE.train(["low low lower"], num_merges=1).merges
        [('l', 'o')]
        """
        if isinstance(texts, str):
            raise TypeError("texts: expected an iterable of texts, not one str; write [text]")
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(_WORD.findall(text))
        return cls.train_from_counts(
            counts, num_merges=num_merges, min_frequency=min_frequency, ties=ties
        )

    @classmethod
    def train_from_counts(
        cls,
        counts: Mapping[str, int],
        *,
        num_merges: int,
        min_frequency: int = 2,
        ties: Ties = "lowest",
    ) -> CharBPE:
        """Learn from words that come with a count each.

        >>> CharBPE.train_from_counts({"hug": 10, "pug": 5}, num_merges=2).merges
        [('g', '</w>'), ('u', 'g</w>')]
        """
        if num_merges < 0:
            raise TrainingError(f"num_merges={num_merges}; expected 0 or more")
        untrained = cls(sorted(set().union(*counts)), ())
        learned, _ = _kernels.learn(
            (untrained._symbols(word) for word in counts),
            counts.values(),
            new_symbol=len(untrained),
            max_merges=num_merges,
            min_frequency=min_frequency,
            ties=ties,
        )
        tokens = list(untrained._tokens)
        merges = []
        for merge in learned:
            left, right = (tokens[symbol] for symbol in merge.pair)
            merges.append((left, right))
            tokens.append(left + right)
        return cls(untrained._tokens[2:], merges)

    def encode(self, text: str) -> list[int]:
        """Turn a text into ids; a character without a symbol becomes `<unk>`.

        >>> CharBPE("abc", [("a", "b")]).encode("abc x")
        [5, 4, 1, 0, 1]
        """
        return [
            id for word in _WORD.findall(text) for id in self._table.merge_ids(self._symbols(word))
        ]

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text.

        >>> CharBPE("abc", [("a", "b")]).tokens("abc x")
        ['ab', 'c', '</w>', '<unk>', '</w>']
        """
        return [self._tokens[id] for id in self.encode(text)]

    def decode(self, ids: Iterable[SupportsIndex]) -> str:
        """Turn ids into text, with one space between words.

        >>> CharBPE("abc", []).decode([2, 3, 1, 4])
        'ab c'
        """
        tokens = []
        for id in map(index, ids):
            if not 0 <= id < len(self._tokens):
                raise UnknownTokenError(id, len(self), 0, len(self) - 1)
            tokens.append(self._tokens[id])
        return "".join(tokens).replace(END, " ").removesuffix(" ")

    def __len__(self) -> int:
        """Return the number of tokens, `<unk>` and `</w>` included."""
        return len(self._tokens)

    def _symbols(self, word: Sequence[str]) -> list[int]:
        unknown = self._ids[UNKNOWN]
        return [*(self._ids.get(char, unknown) for char in word), self._ids[END]]
