"""The merges of a text, one by one, and why two neighbours did or did not merge.

Encoding is one rule: apply the merge of lowest rank, leftmost first, until none is
left.  A trace writes down what the rule saw.  It is made for looking at: it keeps to the
definition step by step, and is quadratic in the longest piece.

>>> from ..patterns import compile_pattern
>>> vocab = Vocab.from_merges([(b"b", b"c"), (b"a", b"b"), (b"ab", b"c")])
>>> [piece] = trace(b"abc", vocab, compile_pattern("gpt2")).pieces
>>> for step in piece.steps():
...     print(step.rank, step.left, step.right, "and not", [lost.rank for lost in step.lost])
0 b'b' b'c' and not [1]
>>> piece.tokens, piece.longest_match
((b'a', b'bc'), (b'abc',))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Final, Literal

from ..display import shown
from ..longest import longest_match
from ..patterns import SplitPattern
from ..pretokenize import split
from ..vocab import Merge, Vocab
from . import page

#: The most bytes of a piece that is traced; every step looks at all of them again.
LONGEST: Final = 2000

Reason = Literal["merged", "piece_boundary", "no_such_merge", "lower_rank", "never_formed"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A merge that could be applied: its rank, and where its left part starts in the piece."""

    rank: int
    position: int
    left: bytes
    right: bytes

    @property
    def end(self) -> int:
        """Where its right part ends."""
        return self.position + len(self.left) + len(self.right)


@dataclass(frozen=True, slots=True)
class Step(Candidate):
    """A merge that was applied, the symbols before and after, and the candidates that lost."""

    id: int
    before: tuple[bytes, ...]
    after: tuple[bytes, ...]
    lost: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class _Rules:
    """What of a vocabulary a trace asks for."""

    ids: Mapping[bytes, int]
    ranks: Mapping[Merge, int]
    longest: int

    @classmethod
    def of(cls, vocab: Vocab) -> _Rules:
        ranks = {merge: rank for rank, merge in enumerate(vocab.merges)}
        return cls(vocab.ids, ranks, max(map(len, vocab.ids)))


@dataclass(frozen=True, slots=True)
class PieceTrace:
    """One piece of a text: where it starts, in bytes, and what it becomes."""

    start: int
    piece: bytes
    tokens: tuple[bytes, ...] = field(init=False)
    ids: tuple[int, ...] = field(init=False)
    longest_match: tuple[bytes, ...] = field(init=False)
    _rules: _Rules = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.piece) > LONGEST:
            raise ValueError(
                f"the piece at byte {self.start} has {len(self.piece)} bytes; "
                f"a trace follows pieces of up to {LONGEST}"
            )
        tokens = tuple(bytes([byte]) for byte in self.piece)
        for step in self.steps():
            tokens = step.after
        set_once = object.__setattr__
        set_once(self, "tokens", tokens)
        set_once(self, "ids", tuple(self._rules.ids[token] for token in tokens))
        longest = longest_match(self.piece, self._rules.ids, longest=self._rules.longest)
        set_once(self, "longest_match", tuple(longest))

    def steps(self) -> Iterator[Step]:
        """Apply the rule and yield each merge.

        The steps are made as they are asked for, so that a long piece does not keep
        all its states at once.
        """
        symbols = tuple(bytes([byte]) for byte in self.piece)
        while candidates := self._candidates(symbols):
            best = min(candidates, key=lambda candidate: candidate.rank)  # the first of equals
            at = next(at for at, start in enumerate(_starts(symbols)) if start == best.position)
            made = best.left + best.right
            after = (*symbols[:at], made, *symbols[at + 2 :])
            yield Step(
                best.rank,
                best.position,
                best.left,
                best.right,
                self._rules.ids[made],
                symbols,
                after,
                tuple(candidate for candidate in candidates if candidate is not best),
            )
            symbols = after

    def _candidates(self, symbols: tuple[bytes, ...]) -> list[Candidate]:
        return [
            Candidate(self._rules.ranks[pair], start, *pair)
            for start, pair in zip(_starts(symbols), pairwise(symbols), strict=False)
            if pair in self._rules.ranks
        ]

    def contrast(self) -> str | None:
        """Say where longest match goes another way and why; None where it does not.

        The longest token that fits is not what BPE takes: BPE reaches a token only by
        the merges that lead to it, and one of lower rank may use up a part of it first.
        """
        if self.tokens == self.longest_match:
            return None
        position = 0
        for mine, longest in zip(self.tokens, self.longest_match, strict=False):
            if mine != longest:
                break
            position += len(mine)
        end = position + len(longest)
        crossing = next((step for step in self.steps() if _takes_part(step, position, end)), None)
        if crossing is None:
            return f"{shown(longest)} is a token, but no merges of this piece lead to it"
        return (
            f"{shown(longest)} is a token, but the merge {shown(crossing.left)} + "
            f"{shown(crossing.right)} of rank {crossing.rank} came first and took a part of it"
        )


@dataclass(frozen=True, slots=True)
class Trace:
    """A text, as its pieces and their merges."""

    text: bytes
    pieces: tuple[PieceTrace, ...]

    @property
    def tokens(self) -> tuple[bytes, ...]:
        """The tokens of the whole text."""
        return tuple(token for piece in self.pieces for token in piece.tokens)

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of the whole text, those that `encode_ordinary` gives."""
        return tuple(id for piece in self.pieces for id in piece.ids)

    @property
    def longest_match(self) -> tuple[bytes, ...]:
        """What taking the longest token each time would give; not BPE."""
        return tuple(token for piece in self.pieces for token in piece.longest_match)

    def html(self, *, title: str = "Encoding, merge by merge") -> str:
        """Return a page that shows each piece and each merge."""
        return page.html(self, title)

    def _repr_html_(self) -> str:
        return page.notebook(self)


@dataclass(frozen=True, slots=True)
class Why:
    """Whether two neighbours merged, and the reason.

    `together` says whether one token holds the end of `left` and the start of `right` when
    all is done.  `reason` is one of

    * "merged": they merged with each other, at `rank`;
    * "piece_boundary": the pattern cuts between them, and no merge crosses a cut;
    * "no_such_merge": no merge has them as its parts;
    * "lower_rank": `taken_by`, a merge of lower rank or further left, joined one of them,
      or a part of it, to something else first;
    * "never_formed": one of them never became a single symbol, as no merges here lead to it.
    """

    left: bytes
    right: bytes
    reason: Reason
    together: bool
    rank: int | None = None
    taken_by: Step | None = None

    def __str__(self) -> str:
        pair = f"{shown(self.left)} + {shown(self.right)}"
        if self.reason == "merged":
            return f"{pair}: merged, by the merge of rank {self.rank}"
        if self.reason == "piece_boundary":
            return f"{pair}: not merged; the pattern cuts between them"
        if self.reason == "no_such_merge":
            return f"{pair}: not merged; the vocabulary has no such merge"
        if self.taken_by is not None:
            taken = f"{shown(self.taken_by.left)} + {shown(self.taken_by.right)}"
            return f"{pair}: not merged; {taken} of rank {self.taken_by.rank} came first"
        return f"{pair}: not merged; one of them is never made by the merges here"


def trace(data: bytes, vocab: Vocab, pattern: SplitPattern) -> Trace:
    """Trace the encoding of ordinary text, or of any bytes."""
    rules = _Rules.of(vocab)
    return Trace(
        data, tuple(PieceTrace(start, piece, rules) for start, piece in _pieces(data, pattern))
    )


def why(
    left: bytes, right: bytes, vocab: Vocab, pattern: SplitPattern, *, before: bytes, after: bytes
) -> Why:
    """Say why `left` and `right` do or do not merge where they stand side by side.

    >>> from ..patterns import compile_pattern
    >>> vocab = Vocab.from_merges([(b"b", b"c"), (b"a", b"b"), (b"ab", b"c")])
    >>> print(why(b"ab", b"c", vocab, compile_pattern("gpt2"), before=b"", after=b""))
    ab + c: not merged; b + c of rank 0 came first
    """
    if not left or not right:
        raise ValueError("why: expected two neighbours of at least one byte each")
    place = len(before) + len(left)
    pieces = list(_pieces(before + left + right + after, pattern))
    if any(start == place for start, _ in pieces):
        return Why(left, right, "piece_boundary", together=False)
    offset, piece = max((start, piece) for start, piece in pieces if start < place)
    rules = _Rules.of(vocab)
    traced = PieceTrace(offset, piece, rules)
    start, place, end = len(before) - offset, place - offset, place - offset + len(right)
    together = place not in _starts(traced.tokens)
    rank = rules.ranks.get((left, right))
    if rank is None:
        return Why(left, right, "no_such_merge", together)
    for step in traced.steps():
        if step.rank == rank and step.position == start:
            return Why(left, right, "merged", together, rank)
        if _takes_part(step, start, place) or _takes_part(step, place, end):
            return Why(left, right, "lower_rank", together, rank, step)
    return Why(left, right, "never_formed", together, rank)


def _pieces(data: bytes, pattern: SplitPattern) -> Iterator[tuple[int, bytes]]:
    """Yield the start of each piece, in bytes, and the piece."""
    start = 0
    for text in split(data.decode("utf-8", "surrogateescape"), pattern):
        piece = text.encode("utf-8", "surrogateescape")
        yield start, piece
        start += len(piece)


def _starts(symbols: Iterable[bytes]) -> list[int]:
    return list(accumulate(map(len, symbols), initial=0))


def _takes_part(step: Candidate, start: int, end: int) -> bool:
    """Say whether a merge joins something between start and end to something beside it."""
    overlaps = step.position < end and step.end > start
    return overlaps and not (start <= step.position and step.end <= end)
