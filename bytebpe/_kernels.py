"""The one switch: the native core where it was built, the reference elsewhere.

Nothing else in the package knows which of the two runs.  BYTEBPE_PURE=1 in the
environment asks for the reference.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from . import decode, ordinary, specials, token_parts
from .counting import PieceCounter
from .patterns import SplitPattern
from .train import Learned, Stop, Ties
from .train import learn as reference_learn
from .vocab import Vocab

if TYPE_CHECKING:
    from . import dropout, growing

if TYPE_CHECKING or os.environ.get("BYTEBPE_PURE", "0") not in ("", "0"):
    native = native_train = None
else:
    try:
        from . import native, native_train
    except ImportError:
        native = native_train = None

#: "native" or "reference": who encodes, decodes and trains.
ENGINE = "native" if native else "reference"


def text_encoder(
    vocab: Vocab,
    pattern: SplitPattern,
    cache_size: int | None,
    ignore_merges: bool = False,
) -> ordinary.TextEncoder:
    """Make the encoder, on the engine that is there."""
    if native and vocab.highest_id < native.ID_LIMIT:
        return native.TextEncoder(vocab, pattern, cache_size, ignore_merges)
    return ordinary.TextEncoder(vocab, pattern, cache_size, ignore_merges)


def rule(
    refused: Collection[str], allowed: Collection[str], ids: Mapping[str, int]
) -> specials.Rule:
    """Make a rule for special tokens, on the engine that is there."""
    if native:
        return native.Rule(refused, allowed, ids)
    return specials.Rule(refused, allowed, ids)


def decoder(vocab: Vocab) -> decode.Decoder:
    """Make the decoder, on the engine that is there."""
    if native and vocab.highest_id < native.ID_LIMIT:
        return native.Decoder(vocab)
    return decode.Decoder(vocab)


def left_sizes(tokens: Sequence[bytes]) -> list[int]:
    """Return the size of the left part of each token; see `token_parts.left_sizes`."""
    if native:
        return native.left_sizes(tokens)
    return token_parts.left_sizes(tokens)


def piece_counter(
    pattern: SplitPattern, special_tokens: Collection[str], max_pieces: int | None = None
) -> PieceCounter:
    """Make a counter of pieces, on the engine that is there."""
    if native:
        pieces = native_train.piece_counter(pattern, special_tokens, max_pieces)
        if pieces is not None:  # an empty one is false, too
            return pieces
    return PieceCounter(pattern, special_tokens, max_pieces)


def learn_pieces(
    pieces: PieceCounter,
    symbols: Sequence[int],
    *,
    new_symbol: int,
    max_merges: int,
    min_frequency: int,
    max_width: int | None,
    ties: Ties,
    on_merge: Callable[[int], object],
) -> tuple[list[Learned], Stop]:
    """Learn merges of pieces, in which each byte has its symbol."""
    if native and isinstance(pieces, native_train.PieceCounter):
        return pieces.learn(
            symbols, new_symbol=new_symbol, max_merges=max_merges, min_frequency=min_frequency,
            max_width=max_width, ties=ties, on_merge=on_merge,
        )  # fmt: skip
    rows = list(pieces.items())
    return learn(
        ([symbols[byte] for byte in piece] for piece, _ in rows),
        (count for _, count in rows),
        new_symbol=new_symbol,
        max_merges=max_merges,
        min_frequency=min_frequency,
        max_width=max_width,
        ties=ties,
        on_merge=on_merge,
    )


def learn(
    sequences: Iterable[Sequence[int]],
    counts: Iterable[int],
    *,
    new_symbol: int,
    max_merges: int,
    min_frequency: int = 2,
    max_width: int | None = None,
    ties: Ties = "lowest",
    on_merge: Callable[[int], object] = lambda done: None,
) -> tuple[list[Learned], Stop]:
    """Learn merges, on the engine that is there; see `train.learn`."""
    run = native_train.learn if native else reference_learn
    return run(
        sequences, counts, new_symbol=new_symbol, max_merges=max_merges,
        min_frequency=min_frequency, max_width=max_width, ties=ties, on_merge=on_merge,
    )  # fmt: skip


# What follows is slow to import, and most who encode never need it.


def growing_texts(vocab: Vocab, pattern: SplitPattern) -> growing.GrowingTexts:
    """Make texts that grow, on the engine that is there."""
    from . import growing

    if native and vocab.highest_id < native.ID_LIMIT:
        from . import native_growing

        return native_growing.GrowingTexts(vocab, pattern)
    return growing.GrowingTexts(vocab, pattern)


def sampler(vocab: Vocab, pattern: SplitPattern) -> dropout.Sampler:
    """Make the sampler of ordinary text, on the engine that is there."""
    from . import dropout

    if native and vocab.highest_id < native.ID_LIMIT:
        from . import native_growing

        return native_growing.Sampler(vocab, pattern)
    return dropout.Sampler(vocab, pattern)
