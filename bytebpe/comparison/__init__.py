"""Compare tokenizers: train several on the same texts and measure them on the same slices.

A slice is a language or a domain, given as documents.  Byte-level BPE, character BPE,
words and bytes are trained here; WordPiece, Unigram and SentencePiece by their own
libraries where asked for; finished tokenizers may join.

>>> result = compare(["low lower lowest"] * 9, {"new": ["low 世"]}, vocab_size=300)
>>> for name in ("byte-level BPE", "character BPE"):
...     row = result.row(name, "new")
...     print(name, row.unknown_tokens, row.lost_characters, row.exact)
byte-level BPE 0 0 True
character BPE 1 1 False
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from ..baselines import WordVocab, pure_bytes
from ..charbpe import CharBPE, count_words
from ..errors import TrainingError, TrainingWarning
from ..tokenizer import Tokenizer
from ..training import train
from ..vocab import Vocab
from .difference import Difference, FirstDifference, diff
from .finished import finished
from .measure import Measure, Options, measure_slice
from .peers import PEERS
from .rows import RATES, Comparison, Loss, Profile, Row
from .subjects import Subject, subject

__all__ = [
    "BASELINES",
    "PEERS",
    "RATES",
    "Comparison",
    "Difference",
    "FirstDifference",
    "Loss",
    "Profile",
    "Row",
    "compare",
    "diff",
    "finished",
]

#: Called with what is being done, how many documents are done, and of how many if that is known.
Progress = Callable[[str, int, int | None], object]

#: What is trained here, and how each is called in reports.
BASELINES: Final = {
    "byte-bpe": "byte-level BPE",
    "char-bpe": "character BPE",
    "words": "words",
    "bytes": "bytes",
}


def compare(
    train_texts: Iterable[str],
    eval_slices: Mapping[str, Iterable[str]],
    *,
    vocab_size: int | Sequence[int] = 4096,
    kinds: Sequence[str] = tuple(BASELINES),
    tokenizers: Mapping[str, Any] | None = None,
    pattern: str = "gpt2",
    character_coverage: float = 1.0,
    reference: str | None = None,
    max_tokens: int = 512,
    embedding_dim: int = 768,
    timing: bool = False,
    losses: int = 5,
    progress: Progress | None = None,
) -> Comparison:
    """Train tokenizers of several kinds on the same texts and measure them on slices.

    `train_texts` is read once for each kind, so it must be something that can be read
    again: a list, or an object that opens its files anew; the slices are read once, document by
    document.  Nothing of either is kept.  `kinds` are those of `BASELINES` and, by other
    libraries, of `PEERS`; `tokenizers` are finished ones by name.

    Of several sizes in `vocab_size`, the largest is the one that is compared, and the smaller
    ones give the curve of fertility.  `reference` names the slice that the others are
    translations of, document by document, and so gives premiums.  `max_tokens` is the length
    beyond which a document counts as long, `embedding_dim` the width of the embedding whose
    size is told.  With `timing` encoding is timed, and no two results are the same.
    `losses` limits the examples for each tokenizer and slice.

    Raises `MissingDependency` where the library of a kind is not installed.
    """
    sizes = sorted({vocab_size} if isinstance(vocab_size, int) else set(vocab_size))
    _check(train_texts, eval_slices, sizes, kinds, reference)
    report = progress or (lambda phase, done, total: None)
    texts = _Texts(train_texts, report)
    subjects = list(_trained(texts, sizes, kinds, pattern, character_coverage))
    subjects += [subject(name, tok) for name, tok in (tokenizers or {}).items()]
    twice = [name for name, times in Counter(s.name for s in subjects if not s.on_curve).items()
             if times > 1]  # fmt: skip
    if twice:
        raise ValueError(f"two tokenizers are called {twice[0]!r}")
    if not subjects:
        raise ValueError("nothing to compare: give kinds to train, or finished tokenizers")
    options = Options(max_tokens, timing, losses)
    measures = [Measure(each, options) for each in subjects]
    rows: list[Row] = []
    lost: list[Loss] = []
    for name, documents in eval_slices.items():
        for row, examples in measure_slice(name, documents, measures, _phase(report, name)):
            rows.append(row)
            lost += [] if row.on_curve else examples
    if reference is not None:
        rows = _with_reference(rows, reference)
    trained = {BASELINES.get(kind) or PEERS[kind][0] for kind in kinds}
    profiles = tuple(
        Profile(
            each.subject.name,
            each.subject.vocab_size,
            sizes[-1] if each.subject.name in trained - {BASELINES["bytes"]} else None,
            each.subject.vocab_size * embedding_dim,
            each.scripts(),
        )
        for each in measures
        if not each.subject.on_curve
    )
    return Comparison(
        tuple(rows), profiles, tuple(lost), tuple(eval_slices), reference, max_tokens, embedding_dim
    )


class _Texts:
    """The training texts, to be read once for each kind, with progress."""

    def __init__(self, texts: Iterable[str], report: Callable[[str, int, int | None], object]):
        self._texts = texts
        self._report = report

    def read(self, phase: str) -> Iterator[str]:
        for done, text in enumerate(self._texts, 1):
            yield text
            self._report(f"train {phase}", done, None)


def _trained(
    texts: _Texts, sizes: Sequence[int], kinds: Sequence[str], pattern: str, coverage: float
) -> Iterator[Subject]:
    """Train each kind, at the largest size and, where that costs nothing, at the others."""
    words: Counter[str] = Counter()
    if {"char-bpe", "words"} & set(kinds):
        words = count_words(texts.read("words"))
    for kind in kinds:
        name = BASELINES.get(kind) or PEERS[kind][0]
        if kind == "byte-bpe":
            for tok in _byte_bpe(texts.read(name), sizes, pattern):
                yield subject(name, tok, on_curve=len(tok) < sizes[-1] and tok.training is None)
        elif kind == "char-bpe":
            for size in sizes:
                char = CharBPE.train_from_counts(
                    words, vocab_size=size, character_coverage=coverage
                )
                yield subject(name, char, on_curve=size < sizes[-1])
        elif kind == "words":
            yield subject(name, WordVocab.train_from_counts(words, vocab_size=sizes[-1]))
        elif kind == "bytes":
            yield subject(name, pure_bytes())
        else:
            yield subject(name, PEERS[kind][1](texts.read(name), sizes[-1]))


def _byte_bpe(texts: Iterable[str], sizes: Sequence[int], pattern: str) -> Iterator[Tokenizer]:
    """Train the largest; a smaller one has its first merges, so nothing is trained twice."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)  # profiles have both sizes
        largest = train(texts, vocab_size=sizes[-1], pattern=pattern)
    for size in sizes[:-1]:
        if size < len(largest):
            yield Tokenizer(Vocab.from_merges(largest.merges[: size - 256]), pattern=pattern)
    yield largest


def _with_reference(rows: Sequence[Row], reference: str) -> list[Row]:
    known = {
        (row.tokenizer, row.vocab_size, row.on_curve): row for row in rows if row.slice == reference
    }
    result = []
    for row in rows:
        other = known[row.tokenizer, row.vocab_size, row.on_curve]
        if other.documents != row.documents:
            raise ValueError(
                f"slice {row.slice!r} has {row.documents} documents and {reference!r} "
                f"{other.documents}; a premium needs translations, document by document"
            )
        result.append(replace(row, reference_tokens=other.tokens))
    return result


def _phase(report: Callable[[str, int, int | None], object], name: str) -> Callable[[int], object]:
    return lambda done: report(f"measure {name}", done, None)


def _check(
    train_texts: Iterable[str],
    eval_slices: Mapping[str, Iterable[str]],
    sizes: Sequence[int],
    kinds: Sequence[str],
    reference: str | None,
) -> None:
    if isinstance(train_texts, (str, bytes, Iterator)):
        raise TypeError(
            "train_texts: expected texts that can be read more than once, such as a list, "
            f"not {type(train_texts).__name__}"
        )
    if not isinstance(eval_slices, Mapping):
        raise TypeError(
            f"eval_slices: expected a mapping from name to texts, not {type(eval_slices).__name__}"
        )
    for name, texts in eval_slices.items():
        if isinstance(texts, (str, bytes)):
            raise TypeError(f"slice {name!r}: expected an iterable of texts; write [text]")
    if not sizes or (sizes[0] < 257 and "byte-bpe" in kinds):
        raise TrainingError(f"vocab_size={sizes}; expected at least 257, the bytes and a merge")
    for kind in kinds:
        if kind not in BASELINES and kind not in PEERS:
            names = ", ".join([*BASELINES, *PEERS])
            raise ValueError(f"no kind of tokenizer {kind!r}; there are {names}")
    if reference is not None and reference not in eval_slices:
        raise ValueError(f"reference {reference!r} is none of the slices {list(eval_slices)}")
