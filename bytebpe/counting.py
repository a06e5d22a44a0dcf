"""Texts to piece counts: what the trainer learns from.

Texts are read once and not kept, so that memory follows the number of distinct
pieces and an endless corpus may come from a generator.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from .errors import TrainingError
from .patterns import SplitPattern
from .pretokenize import split


@dataclass(slots=True)
class PieceCounts:
    """How often each piece occurs, in the order in which the pieces first appeared."""

    counts: Counter[str] = field(default_factory=Counter)
    texts: int = 0
    bytes: int = 0


def count_pieces(
    texts: Iterable[str | bytes],
    pattern: SplitPattern,
    special_tokens: Collection[str],
    on_text: Callable[[int], object] = lambda done: None,
) -> PieceCounts:
    """Count the pieces of texts, after special tokens are cut out.

    Raises `TypeError` for one text in place of several, which would be counted
    letter by letter, and for an item that is neither str nor bytes; what the
    iterable itself raises goes through.
    """
    if isinstance(texts, (str, bytes)):
        raise TypeError(
            f"texts: expected an iterable of texts, not one {type(texts).__name__}; "
            "write [text] to train on one"
        )
    if isinstance(texts, Mapping):
        raise TypeError("texts: expected an iterable of texts, not counts; see train_from_counts")
    result = PieceCounts()
    stretches = _cutter(special_tokens)
    for text in texts:
        decoded, size = _decoded(text, f"text {result.texts}")
        for stretch in stretches(decoded):
            result.counts.update(split(stretch, pattern))
        result.texts += 1
        result.bytes += size
        on_text(result.texts)
    return result


def split_counts(
    counts: Mapping[str, int] | Mapping[bytes, int],
    pattern: SplitPattern,
    special_tokens: Collection[str],
) -> PieceCounts:
    """Count the pieces of texts that come with a count each.

    A text that the pattern splits is split here too: `encode` would do so, and
    could never make a token that was learned across the cut.
    """
    if not isinstance(counts, Mapping):
        raise TypeError(
            f"counts: expected a mapping from text to count, not {type(counts).__name__}"
        )
    result = PieceCounts()
    stretches = _cutter(special_tokens)
    for text, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, int):
            raise TypeError(f"count of {text!r}: expected an int, not {type(count).__name__}")
        if count < 0:
            raise TrainingError(f"the count of {text!r} is {count}; counts start at 0")
        decoded, size = _decoded(text, f"key {result.texts}")
        for stretch in stretches(decoded) if count else ():
            for piece in split(stretch, pattern):
                result.counts[piece] += count
        result.texts += count
        result.bytes += size * count
    return result


def _decoded(text: object, what: str) -> tuple[str, int]:
    """Return a text as str, and its size in UTF-8; bytes that are none become surrogates."""
    if isinstance(text, bytes):
        return text.decode("utf-8", "surrogateescape"), len(text)
    if not isinstance(text, str):
        raise TypeError(f"{what}: expected a str or bytes, not {type(text).__name__}")
    try:
        return text, len(text.encode())
    except UnicodeEncodeError as error:
        reason = f"lone surrogate in {what}; text.encode('utf-8', 'surrogatepass') keeps it"
        raise UnicodeEncodeError(
            error.encoding, error.object, error.start, error.end, reason
        ) from None


def _cutter(special_tokens: Collection[str]) -> Callable[[str], list[str]]:
    if not special_tokens:
        return lambda text: [text]
    longest_first = sorted(special_tokens, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first))).split
