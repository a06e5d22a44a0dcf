"""A comparison as JSON, as CSV, and as rows of a table for people."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .rows import Comparison

#: How the rates are called where people read them.
LABELS: Final = {
    "oov_word_rate": "OOV words",
    "unknown_token_rate": "unknown tokens",
    "lost_character_rate": "characters lost",
    "tokens_per_word": "tokens per word",
    "tokens_per_character": "tokens per character",
    "tokens_per_byte": "tokens per byte",
    "bytes_per_token": "bytes per token",
    "single_token_word_rate": "words that are one token",
    "cut_token_rate": "tokens that cut a character",
    "premium": "premium",
    "long_document_rate": "documents too long",
    "megabytes_per_second": "MB/s",
}

#: What each of them says.
TOLD: Final = {
    "oov_word_rate": "Share of words that hold an unknown token.",
    "unknown_token_rate": "Share of tokens that are unknown.",
    "lost_character_rate": "Share of characters that do not come back, white space apart.",
    "tokens_per_word": "Fertility: how many tokens a word takes.",
    "tokens_per_character": "How many tokens a character (code point) takes.",
    "tokens_per_byte": "How many tokens a byte of UTF-8 takes.",
    "bytes_per_token": "Compression: how many bytes of UTF-8 a token stands for.",
    "single_token_word_rate": "Share of words that are one token, and a known one.",
    "cut_token_rate": "Share of tokens that begin or end inside a character.",
    "premium": "How many tokens the text costs for each token of its translation.",
    "long_document_rate": "Share of documents with more tokens than the limit, to be truncated.",
    "megabytes_per_second": "Megabytes of UTF-8 encoded in a second, on this machine at that time.",
}

#: The columns of the table on a terminal, where not all of them fit.
_COLUMNS: Final = (
    "oov_word_rate",
    "unknown_token_rate",
    "lost_character_rate",
    "tokens_per_word",
    "bytes_per_token",
    "single_token_word_rate",
    "cut_token_rate",
    "premium",
    "long_document_rate",
    "megabytes_per_second",
)


def formatted(rate: str, value: float | None) -> str:
    """Write a rate for people: a share in percent, other numbers with two places.

    >>> formatted("oov_word_rate", 0.1234), formatted("tokens_per_word", 1.5)
    ('12.3%', '1.50')
    >>> formatted("oov_word_rate", 0.00001), formatted("premium", None)
    ('<0.1%', '–')
    """
    if value is None:
        return "–"
    if not rate.endswith("_rate"):
        return f"{value:.2f}"
    return "<0.1%" if 0 < value < 0.0005 else f"{value:.1%}"


def to_json(comparison: Comparison) -> str:
    """Return everything as JSON: counts, rates, profiles, losses."""
    content = {
        "slices": comparison.slices,
        "reference": comparison.reference,
        "max_tokens": comparison.max_tokens,
        "embedding_dim": comparison.embedding_dim,
        "rows": [row.as_dict() for row in comparison.rows],
        "profiles": [
            {**asdict(profile), "scripts": dict(profile.scripts)} for profile in comparison.profiles
        ],
        "losses": [asdict(loss) for loss in comparison.losses],
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def to_csv(comparison: Comparison) -> str:
    """Return the rows as CSV, counts and rates; what was not measured is empty."""
    rows = [row.as_dict() for row in comparison.rows]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def to_table(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Return a header and rows of text; columns that nothing was measured for are left out."""
    rows = [row for row in comparison.rows if not row.on_curve]
    columns = [
        name for name in _COLUMNS if any(getattr(row, name) is not None for row in comparison.rows)
    ]
    header = ["slice", "tokenizer", "exact", *(LABELS[name] for name in columns)]
    return header, [
        [
            row.slice,
            row.tokenizer,
            "yes" if row.exact else "no",
            *(formatted(name, getattr(row, name)) for name in columns),
        ]
        for row in rows
    ]
