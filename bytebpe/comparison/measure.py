"""Measure tokenizers on a stream of documents.

Every document goes through every tokenizer and is dropped; what is kept are counts, and a
bounded cache of words.  Memory does not follow the size of the texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import Final

from ..display import shown, words
from ..scripts import script_of
from .rows import Loss, Row
from .subjects import Subject

#: Words whose facts a tokenizer remembers.
CACHED_WORDS: Final = 2**15


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked for beside the counts."""

    max_tokens: int
    timing: bool
    losses: int


@dataclass(frozen=True, slots=True)
class _Word:
    """What a tokenizer makes of one word."""

    unknown: bool
    single: bool
    lost: bool


class Measure:
    """One tokenizer, ready to measure slices."""

    def __init__(self, subject: Subject, options: Options) -> None:
        self.subject = subject
        self._options = options
        self._cut = subject.cut()
        self._word = lru_cache(maxsize=CACHED_WORDS)(self._look_at)

    def scripts(self) -> dict[str, int]:
        """Count the tokens by the script of their letters, the most frequent first."""
        scripts = Counter(map(script_of, filter(None, self.subject.tokens().values())))
        return dict(sorted(scripts.items(), key=lambda item: (-item[1], item[0])))

    def start(self, name: str) -> Slice:
        """Start on a slice."""
        return Slice(self, name)

    def _look_at(self, word: str, before: str) -> _Word:
        subject = self.subject
        alone = subject.encode(word)
        known = subject.known(alone)
        stands = subject.encode(before + word) if before else alone
        return _Word(
            len(known) < len(alone),
            len(stands) == 1 and not subject.unknown.issuperset(stands),
            bool(_lost(word, subject.decode(known))),
        )


class Slice:
    """The counts of one tokenizer on one slice, while its documents pass."""

    def __init__(self, measure: Measure, name: str) -> None:
        self._measure = measure
        self._name = name
        self._counts: Counter[str] = Counter()
        self._seconds = 0.0
        self.losses: dict[str, Loss] = {}

    def add(self, text: str, forms: Counter[tuple[str, str]]) -> None:
        """Count a document, and its words with the space before them."""
        subject, options, counts = self._measure.subject, self._measure._options, self._counts
        start = perf_counter()
        ids = subject.encode(text)
        self._seconds += perf_counter() - start
        known = subject.known(ids) if subject.unknown else ids
        counts["tokens"] += len(ids)
        counts["unknown_tokens"] += len(ids) - len(known)
        counts["cut_tokens"] += sum(map(self._measure._cut.__contains__, ids))
        counts["long_documents"] += len(ids) > options.max_tokens
        decoded = subject.decode(known)
        if decoded == text:
            counts["exact_documents"] += 1
        else:
            for char, times in _lost(text, decoded).items():
                counts["lost_white_space" if char.isspace() else "lost_characters"] += times
        for (word, before), times in forms.items():
            facts = self._measure._word(word, before)
            counts["oov_words"] += facts.unknown * times
            counts["single_token_words"] += facts.single * times
            if facts.lost and len(self.losses) < options.losses and word not in self.losses:
                self.losses[word] = self._loss(word)

    def _loss(self, word: str) -> Loss:
        subject = self._measure.subject
        ids = subject.encode(word)
        tokens = filter(
            None,
            ("<unk>" if id in subject.unknown else shown(subject.token_bytes(id)) for id in ids),
        )
        decoded = subject.decode(subject.known(ids)).strip()
        return Loss(subject.name, self._name, word, tuple(tokens), decoded)

    def row(self, size: Counter[str]) -> Row:
        """Return the counts as a row, with the size of the slice."""
        counts, subject = self._counts + size, self._measure.subject
        return Row(
            subject.name,
            self._name,
            subject.vocab_size,
            subject.on_curve,
            **{name: counts[name] for name in _COUNTED},
            seconds=self._seconds if self._measure._options.timing else None,
        )


_COUNTED: Final = (
    "documents", "bytes", "characters", "words", "tokens", "unknown_tokens", "oov_words",
    "lost_characters", "lost_white_space", "exact_documents", "single_token_words", "cut_tokens",
    "long_documents",
)  # fmt: skip


def measure_slice(
    name: str,
    texts: Iterable[str],
    measures: Iterable[Measure],
    on_text: Callable[[int], object] = lambda done: None,
) -> Iterator[tuple[Row, list[Loss]]]:
    """Pass the documents of a slice through all tokenizers, and yield a row of each."""
    slices = [measure.start(name) for measure in measures]
    size: Counter[str] = Counter()
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"slice {name!r}: expected texts, not {type(text).__name__}")
        spans = words(text)
        forms = Counter(
            (text[start:end], " " if text[start - 1 : start] == " " else "") for start, end in spans
        )
        size.update(documents=1, bytes=len(text.encode()), characters=len(text), words=len(spans))
        for each in slices:
            each.add(text, forms)
        on_text(size["documents"])
    for each in slices:
        yield each.row(size), list(each.losses.values())


def _lost(text: str, decoded: str) -> Counter[str]:
    """Count the characters of a text that do not come back, wherever they stood."""
    return Counter(text) - Counter(decoded)
