"""Train a tokenizer: count the pieces of texts, learn merges, make the vocabulary."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from . import _kernels
from .bytemap import ID_ORDER
from .counting import PieceCounts, count_pieces, split_counts
from .errors import TrainingError, TrainingWarning
from .patterns import compile_pattern
from .report import CountedMerge, Stopped, TrainingReport
from .tokenizer import Tokenizer
from .train import Stop, Ties
from .vocab import Vocab

#: Called with a phase ("count" or "merge"), how much is done, and of how much if that is known.
Progress = Callable[[str, int, int | None], object]


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
    num_threads: int | None = None,
    progress: bool | Progress = False,
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
    True for a line on standard error, or a function of phase, done and total.

    Raises `TrainingError` for a request that cannot be met at all, and warns with
    `TrainingWarning` where the texts yield fewer merges than asked for.

    >>> tok = train(["low lower lowest"], vocab_size=258)
    >>> tok.merges
    [(b'l', b'o'), (b'lo', b'w')]
    """
    request = _Request(
        vocab_size, num_merges, min_frequency, tuple(_several(special_tokens)), max_token_bytes,
        ties, num_threads, progress,
    )  # fmt: skip
    pieces = count_pieces(
        texts, compile_pattern(pattern), request.special_tokens, request.reporter("count", None)
    )
    return request.run(pieces, pattern)


def train_from_counts(
    counts: Mapping[str, int] | Mapping[bytes, int],
    *,
    vocab_size: int | None = None,
    num_merges: int | None = None,
    pattern: str = "gpt2",
    min_frequency: int = 2,
    special_tokens: Sequence[str] = (),
    max_token_bytes: int | None = None,
    ties: Ties = "lowest",
    num_threads: int | None = None,
    progress: bool | Progress = False,
) -> Tokenizer:
    """Train a tokenizer on texts or words that come with a count each.

    Otherwise as `train`.  The pattern splits the words too, since `encode` will.

    >>> tok = train_from_counts({"low": 5, "lower": 2}, num_merges=2)
    >>> [(merge.pair, merge.count) for merge in tok.training.merges]
    [((b'l', b'o'), 7), ((b'lo', b'w'), 7)]
    """
    request = _Request(
        vocab_size, num_merges, min_frequency, tuple(_several(special_tokens)), max_token_bytes,
        ties, num_threads, progress,
    )  # fmt: skip
    pieces = split_counts(counts, compile_pattern(pattern), request.special_tokens)
    return request.run(pieces, pattern)


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
    progress: bool | Progress

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
        if len(set(self.special_tokens)) < len(self.special_tokens):
            raise TrainingError(f"a special token is given twice: {list(self.special_tokens)}")
        Vocab.from_merges((), self.special_tokens)  # refuses an empty one, and one that is no str

    @property
    def _least(self) -> int:
        return 256 + len(self.special_tokens)

    @property
    def asked_merges(self) -> int:
        if self.num_merges is not None:
            return self.num_merges
        assert self.vocab_size is not None
        return self.vocab_size - self._least

    def reporter(self, phase: str, total: int | None) -> Callable[[int], object]:
        if not self.progress:
            return lambda done: None
        report = _print_progress if self.progress is True else self.progress
        return lambda done: report(phase, done, total)

    def run(self, pieces: PieceCounts, pattern: str) -> Tokenizer:
        id_of = {byte: id for id, byte in enumerate(ID_ORDER)}
        # Latin-1 reads bytes as the numbers they are; surrogates are bytes that are not UTF-8.
        data = [piece.encode("utf-8", "surrogateescape") for piece in pieces.counts]
        learned, stop = _kernels.learn(
            ([id_of[byte] for byte in piece] for piece in data),
            pieces.counts.values(),
            new_symbol=256,
            max_merges=self.asked_merges,
            min_frequency=self.min_frequency,
            max_width=self.max_token_bytes,
            ties=self.ties,
            on_merge=self.reporter("merge", self.asked_merges),
        )
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
            bytes=pieces.bytes,
            pieces=sum(pieces.counts.values()),
            distinct_pieces=len(pieces.counts),
            min_frequency=self.min_frequency,
            max_token_bytes=self.max_token_bytes,
            ties=self.ties,
        )
        if report.fell_short:
            warnings.warn(f"training fell short: {report}", TrainingWarning, stacklevel=3)
        return Tokenizer(vocab, pattern=pattern, training=report)

    def _stopped(self, stop: Stop) -> Stopped:
        if stop == "max_merges":
            return "vocab_size" if self.num_merges is None else "num_merges"
        return "max_token_bytes" if stop == "max_width" else stop


def _several(special_tokens: Iterable[str]) -> Iterable[str]:
    if isinstance(special_tokens, str):
        raise TypeError(
            f"special_tokens: expected several, not one str; write [{special_tokens!r}]"
        )
    return special_tokens


def _print_progress(phase: str, done: int, total: int | None) -> None:
    if done % 100 == 0 or done == total:
        of = f" of {total}" if total else ""
        end = "\n" if done == total else ""
        print(f"\r{phase}: {done}{of}", end=end, file=sys.stderr, flush=True)
