"""What a comparison says: counts in rows, and the rates that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from . import outputs, report

#: The rates of a `Row` in the order in which tables show them.
RATES = (
    "oov_word_rate",
    "unknown_token_rate",
    "lost_character_rate",
    "tokens_per_word",
    "tokens_per_character",
    "tokens_per_byte",
    "bytes_per_token",
    "single_token_word_rate",
    "cut_token_rate",
    "premium",
    "long_document_rate",
    "megabytes_per_second",
)


@dataclass(frozen=True, slots=True)
class Row:
    """One tokenizer on one slice, in counts; rates are properties.

    Words are those of UAX 29.  `oov_words` hold an unknown token when encoded alone,
    `single_token_words` are one token as they stand, after a space or not.
    `lost_characters` and `lost_white_space` do not come back; both are 0 where
    `exact_documents` equals `documents`.  `cut_tokens` begin or end inside a character.
    `long_documents` have more than `max_tokens` tokens and would be truncated.
    `reference_tokens` are those of the reference slice, where slices are translations
    of each other; `seconds` the time of encoding, where it was measured.
    """

    tokenizer: str
    slice: str
    vocab_size: int
    on_curve: bool
    documents: int
    bytes: int
    characters: int
    words: int
    tokens: int
    unknown_tokens: int
    oov_words: int
    lost_characters: int
    lost_white_space: int
    exact_documents: int
    single_token_words: int
    cut_tokens: int
    long_documents: int
    reference_tokens: int | None = None
    seconds: float | None = None

    @property
    def exact(self) -> bool:
        """Whether every document came back exactly."""
        return self.exact_documents == self.documents

    @property
    def oov_word_rate(self) -> float | None:
        """Share of words that hold an unknown token."""
        return _rate(self.oov_words, self.words)

    @property
    def unknown_token_rate(self) -> float | None:
        """Share of tokens that are unknown."""
        return _rate(self.unknown_tokens, self.tokens)

    @property
    def lost_character_rate(self) -> float | None:
        """Share of characters that do not come back, white space apart."""
        return _rate(self.lost_characters, self.characters)

    @property
    def tokens_per_word(self) -> float | None:
        """Fertility."""
        return _rate(self.tokens, self.words)

    @property
    def tokens_per_character(self) -> float | None:
        """Tokens for each character (code point)."""
        return _rate(self.tokens, self.characters)

    @property
    def tokens_per_byte(self) -> float | None:
        """Tokens for each byte of UTF-8."""
        return _rate(self.tokens, self.bytes)

    @property
    def bytes_per_token(self) -> float | None:
        """Compression: bytes of UTF-8 for each token."""
        return _rate(self.bytes, self.tokens)

    @property
    def single_token_word_rate(self) -> float | None:
        """Share of words that are one token."""
        return _rate(self.single_token_words, self.words)

    @property
    def cut_token_rate(self) -> float | None:
        """Share of tokens that begin or end inside a character."""
        return _rate(self.cut_tokens, self.tokens)

    @property
    def long_document_rate(self) -> float | None:
        """Share of documents that are longer than the limit."""
        return _rate(self.long_documents, self.documents)

    @property
    def premium(self) -> float | None:
        """Tokens for each token that the same text costs in the reference language."""
        return None if self.reference_tokens is None else _rate(self.tokens, self.reference_tokens)

    @property
    def megabytes_per_second(self) -> float | None:
        """Throughput of encoding, where it was measured."""
        return None if not self.seconds else self.bytes / self.seconds / 1e6

    def as_dict(self) -> dict[str, Any]:
        """Return counts and rates by name."""
        return {
            **asdict(self),
            "exact": self.exact,
            **{name: getattr(self, name) for name in RATES},
        }


@dataclass(frozen=True, slots=True)
class Profile:
    """What a tokenizer costs before it reads anything, and which scripts it knows.

    `asked_size` differs from `vocab_size` where the training texts did not yield as much,
    and is None for a finished tokenizer.  `scripts` counts tokens by the script of
    their letters, the most frequent first.
    """

    tokenizer: str
    vocab_size: int
    asked_size: int | None
    embedding_parameters: int
    scripts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Loss:
    """A word that does not come back: its tokens as they read, and what is left of it."""

    tokenizer: str
    slice: str
    word: str
    tokens: tuple[str, ...]
    decoded: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Rows of every tokenizer on every slice, profiles, and examples of what was lost."""

    rows: tuple[Row, ...]
    profiles: tuple[Profile, ...]
    losses: tuple[Loss, ...]
    slices: tuple[str, ...]
    reference: str | None
    max_tokens: int
    embedding_dim: int

    def row(self, tokenizer: str, slice: str) -> Row:
        """Return the row of a tokenizer at full size.

        Raises `KeyError` where there is none.
        """
        for row in self.rows:
            if (row.tokenizer, row.slice) == (tokenizer, slice) and not row.on_curve:
                return row
        raise KeyError((tokenizer, slice))

    def json(self) -> str:
        """Return everything as JSON."""
        return outputs.to_json(self)

    def csv(self) -> str:
        """Return the rows as CSV, with counts and rates."""
        return outputs.to_csv(self)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return a header and rows of text for people."""
        return outputs.to_table(self)

    def html(self, *, title: str = "Tokenizers compared") -> str:
        """Return a report as one page: plots, examples and all numbers, without a network."""
        return report.html(self, title)

    def _repr_html_(self) -> str:
        return report.notebook(self)


def _rate(part: int, whole: int) -> float | None:
    return part / whole if whole else None
