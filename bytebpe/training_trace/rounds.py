"""Training round by round: the tables that textbooks work out by hand.

The merges are those of the trainer itself, of byte-level BPE or of character BPE, which
are one trainer.  The trace counts every pair afresh in each round, as one does with
a pencil, and shows what the trainer chose among.

>>> counts = {"hug": 10, "pug": 5, "hugs": 3}
>>> trace = trace_training(counts, num_merges=2, unit="char", ties="first")
>>> for round in trace.rounds:
...     print(round.number, round.pair, round.count, round.decided_by, round.vanished)
1 ('u', 'g') 18 count (('h', 'u'), ('u', 'g'), ('g', '</w>'), ('p', 'u'), ('g', 's'))
2 ('ug', '</w>') 15 count (('ug', '</w>'), ('p', 'ug'))
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, cast

from ..charbpe import END, CharBPE, count_words
from ..counting import PieceCounter
from ..display import Token
from ..errors import TrainingError, TrainingWarning
from ..patterns import compile_pattern
from ..piece_counts import PieceCounts, count_pieces
from ..train import Ties
from ..training import train_from_counts
from . import page

Unit = Literal["byte", "char"]
TokenPair = tuple[Token, Token]


@dataclass(frozen=True, slots=True)
class Word:
    """What merging works on: a word or piece as symbols, and how often it occurs."""

    symbols: tuple[Token, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Change:
    """A pair whose count a merge changed; it appeared if `before` is 0, vanished if `after` is."""

    pair: TokenPair
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Round:
    """One round: what was counted, who won and by which rule, and what the merge did.

    `ranking` holds the pairs and their counts, the highest first and equals in the order in
    which they occur.  `tied` are the pairs that have the winner's count, the winner
    among them.  `decided_by` is "count" where no other has it, else the tie rule.
    `ranking`, `words` and `changes` may be cut to the first `most`; the numbers of all
    are in `pairs`, `changed_words` and `changed_pairs`.
    """

    number: int
    pair: TokenPair
    count: int
    decided_by: Literal["count", "lowest", "first"]
    tied: tuple[TokenPair, ...]
    ranking: tuple[tuple[TokenPair, int], ...]
    words: tuple[tuple[Word, Word], ...]
    changes: tuple[Change, ...]
    pairs: int
    changed_words: int
    changed_pairs: int

    @property
    def made(self) -> Token:
        """The symbol that the merge makes."""
        return _joined(self.pair)

    @property
    def vanished(self) -> tuple[TokenPair, ...]:
        """Pairs that stood side by side before the merge and do no more."""
        return tuple(change.pair for change in self.changes if not change.after)

    @property
    def appeared(self) -> tuple[tuple[TokenPair, int], ...]:
        """Pairs that stand side by side for the first time, and their counts."""
        return tuple((change.pair, change.after) for change in self.changes if not change.before)


@dataclass(frozen=True, slots=True)
class TrainingTrace:
    """The words before training, each round, and the words after it."""

    unit: Unit
    ties: Ties
    alphabet: tuple[Token, ...]
    words: tuple[Word, ...]
    rounds: tuple[Round, ...]
    after: tuple[Word, ...]
    asked_merges: int
    distinct_words: int

    @property
    def merges(self) -> list[TokenPair]:
        """The merges in the order in which they were learned."""
        return [round.pair for round in self.rounds]

    def html(self, *, title: str = "Training, round by round") -> str:
        """Return a page with a slider that goes from round to round."""
        return page.html(self, title)

    def _repr_html_(self) -> str:
        return page.notebook(self)


def trace_training(
    texts: Iterable[str | bytes] | Mapping[str, int] | PieceCounts,
    *,
    num_merges: int,
    unit: Unit = "byte",
    pattern: str = "gpt2",
    min_frequency: int = 2,
    ties: Ties = "lowest",
    max_token_bytes: int | None = None,
    special_tokens: Sequence[str] = (),
    most: int | None = None,
) -> TrainingTrace:
    """Train on texts, on words with counts, or on `PieceCounts`, and say what each round did.

    `unit="char"` is character BPE: words end at white space and are closed by `</w>`;
    pattern, special tokens and the limit on bytes are for bytes alone.  `most` cuts the
    tables of each round, for corpora whose tables nobody could read.
    """
    if unit not in ("byte", "char"):
        raise TrainingError(f"unit={unit!r}; expected 'byte' or 'char'")
    if unit == "char":
        counts = texts if isinstance(texts, Mapping) else count_words(cast(Iterable[str], texts))
        if ambiguous := [word for word in counts if END in word]:
            raise TrainingError(f"the word {ambiguous[0]!r} holds {END}, which marks its end here")
        words = [Word((*word, END), count) for word, count in counts.items()]
        merges: list[TokenPair] = list(
            CharBPE.train_from_counts(
                counts, num_merges=num_merges, min_frequency=min_frequency, ties=ties
            ).merges
        )
    else:
        if isinstance(texts, Mapping):
            counter = PieceCounter(compile_pattern(pattern), special_tokens)
            counter.add_counts(texts)
            pieces = counter.items()
            source: PieceCounts | Mapping[str, int] = texts
        else:
            if not isinstance(texts, PieceCounts):
                texts = count_pieces(texts, pattern=pattern, special_tokens=special_tokens)
            pattern, special_tokens = texts.pattern, texts.special_tokens
            pieces, source = texts.items(), texts
        words = [Word(tuple(bytes([byte]) for byte in piece), count) for piece, count in pieces]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TrainingWarning)  # the trace has both numbers
            tok = train_from_counts(
                source,
                num_merges=num_merges,
                pattern=pattern,
                special_tokens=special_tokens,
                min_frequency=min_frequency,
                ties=ties,
                max_token_bytes=max_token_bytes,
            )
        merges = list(tok.merges)
    return _replay(words, merges, unit, ties, max_token_bytes, num_merges, most)


def _replay(
    words: list[Word],
    merges: list[TokenPair],
    unit: Unit,
    ties: Ties,
    max_token_bytes: int | None,
    asked_merges: int,
    most: int | None,
) -> TrainingTrace:
    before = words
    alphabet = tuple(dict.fromkeys(symbol for word in words for symbol in word.symbols))
    rounds = []
    counts = _count(words)
    for number, pair in enumerate(merges, 1):
        merged = [Word(_merged(word.symbols, pair), word.count) for word in words]
        now = _count(merged)
        tied = tuple(
            other
            for other, count in counts.items()
            if count == counts[pair]
            and (max_token_bytes is None or len(_joined(other)) <= max_token_bytes)
        )
        changed = [both for both in zip(words, merged, strict=True) if both[0] != both[1]]
        changes = [
            Change(other, counts[other], now[other])
            for other in dict.fromkeys((*counts, *now))
            if counts[other] != now[other]
        ]
        if most is not None:  # of what is cut, the weightiest stays
            changed.sort(key=lambda both: -both[0].count)
            changes.sort(key=lambda change: -max(change.before, change.after))
        rounds.append(
            Round(
                number,
                pair,
                counts[pair],
                "count" if len(tied) == 1 else ties,
                tied,
                tuple(counts.most_common(most)),
                tuple(changed[:most]),
                tuple(changes[:most]),
                len(counts),
                len(changed),
                len(changes),
            )
        )
        words, counts = merged, now
    return TrainingTrace(
        unit,
        ties,
        alphabet[:most],
        tuple(before[:most]),
        tuple(rounds),
        tuple(words[:most]),
        asked_merges,
        len(words),
    )


def _count(words: Iterable[Word]) -> Counter[TokenPair]:
    """Count each pair of neighbours; the order is that in which they first occur."""
    counts: Counter[TokenPair] = Counter()
    for word in words:
        for pair in pairwise(word.symbols):
            counts[pair] += word.count
    return counts


def _merged(symbols: tuple[Token, ...], pair: TokenPair) -> tuple[Token, ...]:
    merged: list[Token] = []
    at = 0
    while at < len(symbols):
        if symbols[at : at + 2] == pair:
            merged.append(_joined(pair))
            at += 2
        else:
            merged.append(symbols[at])
            at += 1
    return tuple(merged)


def _joined(pair: TokenPair) -> Token:
    left, right = pair
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    assert isinstance(left, bytes)
    assert isinstance(right, bytes)
    return left + right
