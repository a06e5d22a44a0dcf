"""Train a tokenizer: count the pieces of texts, learn merges, make the vocabulary."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import get_args

from . import _kernels
from .bytemap import ID_ORDER
from .counting import PieceCounter
from .errors import TrainingError, TrainingWarning
from .patterns import compile_pattern
from .piece_counts import PieceCounts, special_tokens_of
from .progress import Progress as Progress
from .progress import Reporter
from .report import CountedMerge, Stopped, TrainingReport
from .tokenizer import Tokenizer
from .train import Stop, Ties
from .vocab import Vocab

_SYMBOLS = [ID_ORDER.index(byte) for byte in range(256)]


def train(
    texts: Iterable[str | bytes],
    *,
    vocab_size: int | None = None,
    num_merges: int | None = None,
    pattern: str = "gpt2",
    min_frequency: int = 2,
    special_tokens: Sequence[str] = (),
    max_token_bytes: int | None = None,
    ties: Ties = "lowest",
    max_pieces: int | None = None,
    min_piece_count: int = 1,
    num_threads: int | None = None,
    progress: bool | Progress = False,
    checkpoint: str | PathLike[str] | None = None,
    resume: bool = False,
) -> Tokenizer:
    """Train a tokenizer on texts; `.training` of the result says how it went.

    `texts` is any iterable of str, or of bytes for data that may not be UTF-8; it is
    read once, and memory follows the number of distinct pieces in it.  `vocab_size`
    counts the 256 bytes, the merges and the special tokens; `num_merges` may be given
    in its place.  No pair is merged that occurs less than `min_frequency` times, and
    no token is longer than `max_token_bytes`.  Special tokens are cut out of the texts
    before anything is counted.

    Pairs of equal count go by `ties`: "lowest" takes the smallest ids and does not
    depend on the order of the texts; "first" takes the pair that occurs first.
    `num_threads` is the most threads to use; no result depends on it.  `progress` is
    True for a line on standard error, or a function of phase, done, total and rate.

    Nothing is dropped unless asked: `max_pieces` bounds the memory, by the rule of
    `counting.PieceCounter`, and pieces that occur less than `min_piece_count` times are
    left out.  The report says what was dropped.

    `checkpoint` names a file to which the counts go if training is interrupted, by Ctrl-C
    or an error.  With `resume` it goes on from there, given the same texts and options, to
    the same merges: texts that were counted are skipped, merges are learned again.

    Raises `TrainingError` for a request that cannot be met at all, and warns with
    `TrainingWarning` where the texts yield fewer merges than asked for.

    >>> tok = train(["low lower lowest"], vocab_size=258)
    >>> tok.merges
    [(b'l', b'o'), (b'lo', b'w')]
    """
    request = _Request(
        vocab_size, num_merges, min_frequency, special_tokens_of(special_tokens),
        max_token_bytes, ties, num_threads,
    )  # fmt: skip
    pieces = PieceCounts(pattern, request.special_tokens, max_pieces, min_piece_count)
    if resume:
        if checkpoint is None or not Path(checkpoint).exists():
            raise TrainingError(f"there is nothing to resume: no file {checkpoint}")
        pieces.resume(checkpoint)
    try:
        pieces.count(texts, num_threads, progress)
        tok = request.run(pieces.counter, pattern, progress)
    except BaseException:
        if checkpoint is not None and pieces.texts:
            pieces.save(checkpoint)
        raise
    if checkpoint is not None:
        Path(checkpoint).unlink(missing_ok=True)
    return tok


def train_from_counts(
    counts: PieceCounts | Mapping[str, int] | Mapping[bytes, int],
    *,
    vocab_size: int | None = None,
    num_merges: int | None = None,
    pattern: str | None = None,
    min_frequency: int = 2,
    special_tokens: Sequence[str] | None = None,
    max_token_bytes: int | None = None,
    ties: Ties = "lowest",
    num_threads: int | None = None,
    progress: bool | Progress = False,
) -> Tokenizer:
    """Train a tokenizer on texts or words that come with a count each.

    Otherwise as `train`.  The pattern ("gpt2" unless given) splits the words too, since
    `encode` will.  `PieceCounts` are split already and know their pattern and special tokens;
    others may not be asked for.

    >>> tok = train_from_counts({"low": 5, "lower": 2}, num_merges=2)
    >>> [(merge.pair, merge.count) for merge in tok.training.merges]
    [((b'l', b'o'), 7), ((b'lo', b'w'), 7)]
    """
    if isinstance(counts, PieceCounts):
        counts.check_same(pattern, special_tokens)
        pattern, special_tokens = counts.pattern, counts.special_tokens
    pattern = "gpt2" if pattern is None else pattern
    request = _Request(
        vocab_size, num_merges, min_frequency, special_tokens_of(special_tokens or ()),
        max_token_bytes, ties, num_threads,
    )  # fmt: skip
    if isinstance(counts, PieceCounts):
        return request.run(counts.counter, pattern, progress)
    pieces = _kernels.piece_counter(compile_pattern(pattern), request.special_tokens)
    pieces.add_counts(counts)
    return request.run(pieces, pattern, progress)


@dataclass(frozen=True, slots=True)
class _Request:
    """What was asked for; checks itself before any text is read."""

    vocab_size: int | None
    num_merges: int | None
    min_frequency: int
    special_tokens: tuple[str, ...]
    max_token_bytes: int | None
    ties: Ties
    num_threads: int | None

    def __post_init__(self) -> None:
        for name in ("vocab_size", "num_merges", "min_frequency", "max_token_bytes", "num_threads"):
            value = getattr(self, name)
            optional = name != "min_frequency"
            if type(value) is not int and not (optional and value is None):
                raise TypeError(f"{name}: expected an int, not {type(value).__name__}")
        if (self.vocab_size is None) == (self.num_merges is None):
            raise TrainingError("give either vocab_size or num_merges")
        if self.vocab_size is not None and self.vocab_size < self._least:
            raise TrainingError(
                f"vocab_size={self.vocab_size} is too small: 256 bytes and "
                f"{len(self.special_tokens)} special tokens need at least {self._least}"
            )
        if self.num_merges is not None and self.num_merges < 0:
            raise TrainingError(f"num_merges={self.num_merges}; expected 0 or more")
        if self.min_frequency < 0:
            raise TrainingError(f"min_frequency={self.min_frequency}; expected 0 or more")
        if self.max_token_bytes is not None and self.max_token_bytes < 1:
            raise TrainingError(f"max_token_bytes={self.max_token_bytes}; expected 1 or more")
        if self.ties not in get_args(Ties):
            raise TrainingError(f"ties={self.ties!r}; expected 'lowest' or 'first'")
        if self.num_threads is not None and self.num_threads < 1:
            raise TrainingError(f"num_threads={self.num_threads}; expected 1 or more, or None")

    @property
    def _least(self) -> int:
        return 256 + len(self.special_tokens)

    @property
    def asked_merges(self) -> int:
        if self.num_merges is not None:
            return self.num_merges
        assert self.vocab_size is not None
        return self.vocab_size - self._least

    def run(self, pieces: PieceCounter, pattern: str, progress: bool | Progress) -> Tokenizer:
        reporter = Reporter(progress, "merge", self.asked_merges)
        learned, stop = _kernels.learn_pieces(
            pieces,
            _SYMBOLS,
            new_symbol=256,
            max_merges=self.asked_merges,
            min_frequency=self.min_frequency,
            max_width=self.max_token_bytes,
            ties=self.ties,
            on_merge=reporter,
        )
        reporter.end()
        tokens = [bytes([byte]) for byte in ID_ORDER]
        merges = []
        for merge in learned:
            left, right = merge.pair
            merges.append(CountedMerge((tokens[left], tokens[right]), merge.count))
            tokens.append(tokens[left] + tokens[right])
        vocab = Vocab.from_merges([merge.pair for merge in merges], self.special_tokens)
        report = TrainingReport(
            stopped=self._stopped(stop),
            asked_merges=self.asked_merges,
            merges=tuple(merges),
            vocab_size=len(vocab),
            texts=pieces.texts,
            bytes=pieces.size,
            pieces=pieces.total,
            distinct_pieces=len(pieces),
            min_frequency=self.min_frequency,
            max_token_bytes=self.max_token_bytes,
            ties=self.ties,
            dropped_pieces=pieces.dropped_pieces,
            dropped_count=pieces.dropped_count,
        )
        if report.fell_short:
            warnings.warn(f"training fell short: {report}", TrainingWarning, stacklevel=3)
        return Tokenizer(vocab, pattern=pattern, training=report)

    def _stopped(self, stop: Stop) -> Stopped:
        if stop == "max_merges":
            return "vocab_size" if self.num_merges is None else "num_merges"
        return "max_token_bytes" if stop == "max_width" else stop
