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

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import chain
from operator import index
from pathlib import Path
from typing import Final, SupportsIndex

import regex

from . import _kernels
from .errors import FormatError, TrainingError, UnknownTokenError
from .formats import codes
from .merge import MergeTable
from .train import Ties

UNKNOWN: Final = "<unk>"
END: Final = "</w>"

#: Words whose ids are remembered; most words of a text are few.
CACHED_WORDS: Final = 2**16

_WORD: Final = regex.compile(r"\S+")


class CharBPE:
    """A vocabulary of characters and merges of characters.

    Ids: `<unk>`, `</w>`, the characters in the order given, then one for each merge.
    With `attached`, as in the newer files of subword-nmt, `</w>` is no symbol of its own
    after a known character but part of it; the ids of `a</w>` and its like follow those of
    the characters.
    """

    def __init__(
        self,
        alphabet: Iterable[str],
        merges: Iterable[tuple[str, str]],
        *,
        attached: bool = False,
    ) -> None:
        self.alphabet: Final = list(alphabet)
        self.merges: Final = list(merges)
        self.attached: Final = attached
        self._tokens = [UNKNOWN, END, *self.alphabet]
        if attached:
            self._tokens += [char + END for char in self.alphabet]
        # Without <unk>: a text may spell it, and its characters may merge to a token of that name.
        self._ids = {token: id for id, token in enumerate(self._tokens) if id}
        table = []
        for left, right in self.merges:
            made = self._ids.setdefault(left + right, len(self._tokens))
            if made == len(self._tokens):
                self._tokens.append(left + right)
            table.append((self._ids[left], self._ids[right], made))
        self._table = MergeTable((), table)
        self._cached = lru_cache(maxsize=CACHED_WORDS)(self._merge)

    @classmethod
    def train(
        cls,
        texts: Iterable[str],
        *,
        vocab_size: int | None = None,
        num_merges: int | None = None,
        min_frequency: int = 2,
        ties: Ties = "lowest",
        min_character_count: int = 1,
        character_coverage: float = 1.0,
    ) -> CharBPE:
        """Learn from texts, word by word; see `train_from_counts`.

        >>> CharBPE.train(["low low lower"], num_merges=1).merges
        [('l', 'o')]
        """
        return cls.train_from_counts(
            count_words(texts),
            vocab_size=vocab_size,
            num_merges=num_merges,
            min_frequency=min_frequency,
            ties=ties,
            min_character_count=min_character_count,
            character_coverage=character_coverage,
        )

    @classmethod
    def train_from_counts(
        cls,
        counts: Mapping[str, int],
        *,
        vocab_size: int | None = None,
        num_merges: int | None = None,
        min_frequency: int = 2,
        ties: Ties = "lowest",
        min_character_count: int = 1,
        character_coverage: float = 1.0,
    ) -> CharBPE:
        """Learn from words that come with a count each.

        Fewer merges come where no pair is frequent enough.  `vocab_size`, in place of
        `num_merges`, counts all tokens; where the characters alone are more, the most frequent
        stay.  Characters that occur less than `min_character_count` times are left out,
        and the rarest once the others make up `character_coverage` of the text.

        >>> CharBPE.train_from_counts({"hug": 10, "pug": 5}, num_merges=2).merges
        [('g', '</w>'), ('u', 'g</w>')]
        >>> counts = {"hug": 10, "pug": 5}
        >>> CharBPE.train_from_counts(counts, num_merges=0, min_character_count=6).alphabet
        ['g', 'h', 'u']
        """
        if (vocab_size is None) == (num_merges is None):
            raise TrainingError("give either vocab_size or num_merges")
        if num_merges is not None and num_merges < 0:
            raise TrainingError(f"num_merges={num_merges}; expected 0 or more")
        if vocab_size is not None and vocab_size < 2:
            raise TrainingError(f"vocab_size={vocab_size}; {UNKNOWN} and {END} need 2 at least")
        if not 0 < character_coverage <= 1:
            raise TrainingError(f"character_coverage={character_coverage}; expected 0 < ... <= 1")
        alphabet = _alphabet(counts, min_character_count, character_coverage)
        if vocab_size is not None:
            alphabet = alphabet[: vocab_size - 2]
            num_merges = vocab_size - 2 - len(alphabet)
        assert num_merges is not None
        untrained = cls(sorted(alphabet), ())
        stretches = [
            (stretch, count) for word, count in counts.items() for stretch in untrained._known(word)
        ]
        learned, _ = _kernels.learn(
            [stretch for stretch, _ in stretches],
            [count for _, count in stretches],
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
        return cls(untrained.alphabet, merges)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> CharBPE:
        """Read what `save` wrote, or a file of subword-nmt's codes alone.

        Codes alone do not say which characters there are; those that merges use are taken.
        """
        place = Path(path)
        file = place / codes.CODES if place.is_dir() else place
        read = codes.read_codes(file)
        if place.is_dir():
            alphabet = codes.read_alphabet(place / codes.ALPHABET)
        else:
            parts = (part.removesuffix(END) for merge in read.merges for part in merge)
            alphabet = sorted(set().union(*parts))
        try:
            return cls(alphabet, read.merges, attached=read.attached)
        except KeyError as error:
            problem = f"{error.args[0]!r} is neither a character nor made by an earlier line"
            at = next(at for at, merge in enumerate(read.merges) if error.args[0] in merge)
            raise FormatError(str(file), read.lines[at], problem) from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the directory `path`: codes.txt for subword-nmt, and alphabet.txt."""
        codes.write_codes(Path(path), codes.Codes(tuple(self.merges), self.attached), self.alphabet)

    def encode(self, text: str) -> list[int]:
        """Turn a text into ids; a character without a symbol becomes `<unk>`.

        >>> CharBPE("abc", [("a", "b")]).encode("abc x")
        [5, 4, 1, 0, 1]
        """
        return list(chain.from_iterable(map(self._cached, split_words(text))))

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text.

        >>> CharBPE("abc", [("a", "b")]).tokens("abc x")
        ['ab', 'c', '</w>', '<unk>', '</w>']
        """
        return [self._tokens[id] for id in self.encode(text)]

    def token(self, id: SupportsIndex) -> str:
        """Return one token; raises `UnknownTokenError`.

        >>> CharBPE("abc", [("a", "b")]).token(5)
        'ab'
        """
        at = index(id)
        if not 0 <= at < len(self._tokens):
            raise UnknownTokenError(at, len(self), 0, len(self) - 1)
        return self._tokens[at]

    def decode(self, ids: Iterable[SupportsIndex]) -> str:
        """Turn ids into text, with one space between words.

        >>> CharBPE("abc", []).decode([2, 3, 1, 4])
        'ab c'
        """
        tokens = map(self.token, ids)
        # One token at a time: a text may spell `</w>` over several, and it is no end there.
        parts = [
            token.removesuffix(END) + " " if token.endswith(END) else token for token in tokens
        ]
        return "".join(parts).removesuffix(" ")

    def __len__(self) -> int:
        """Return the number of tokens, `<unk>` and `</w>` included."""
        return len(self._tokens)

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self.alphabet, self.merges, self.attached)

    def _merge(self, word: str) -> list[int]:
        return self._table.merge_ids(self._symbols(word))

    def _symbols(self, word: str) -> list[int]:
        ids = self._ids
        symbols = [ids.get(char, 0) for char in word]
        if self.attached and symbols and symbols[-1]:
            return [*symbols[:-1], ids[word[-1] + END]]
        return [*symbols, ids[END]]

    def _known(self, word: str) -> list[list[int]]:
        """Spell a word for training, without what no merge may join.

        Those are unknown characters, and a text that spells the end mark itself.
        """
        stretches: list[list[int]] = [[]]
        for at, symbol in enumerate(self._symbols(word)):
            if not symbol or (word.startswith(END[1:], at) and word[at - 1 : at] == END[0]):
                stretches.append([])
            if symbol:
                stretches[-1].append(symbol)
        return stretches


def split_words(text: str) -> list[str]:
    """Divide a text at white space.

    >>> split_words(" low  lower ")
    ['low', 'lower']
    """
    words: list[str] = _WORD.findall(text)
    return words


def count_words(texts: Iterable[str]) -> Counter[str]:
    """Count the words of texts, which white space divides.

    >>> count_words(["low  low", "lower"])
    Counter({'low': 2, 'lower': 1})
    """
    if isinstance(texts, str):
        raise TypeError("texts: expected an iterable of texts, not one str; write [text]")
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(split_words(text))
    return counts


def _alphabet(counts: Mapping[str, int], least: int, coverage: float) -> list[str]:
    """Return the characters to keep, the most frequent first."""
    characters: Counter[str] = Counter()
    for word, count in counts.items():
        for char in word:
            characters[char] += count
    kept, covered, enough = [], 0, coverage * characters.total()
    for char, count in sorted(characters.items(), key=lambda item: (-item[1], item[0])):
        if count < least or covered >= enough:
            break
        kept.append(char)
        covered += count
    return kept


def _restore(alphabet: list[str], merges: list[tuple[str, str]], attached: bool) -> CharBPE:
    return CharBPE(alphabet, merges, attached=attached)
