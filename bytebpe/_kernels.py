"""The one switch: the native core where it was built, the reference elsewhere.

Nothing else in the package knows which of the two runs.  BYTEBPE_PURE=1 in the
environment asks for the reference.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from . import decode, ordinary, specials
from .patterns import SplitPattern
from .vocab import Vocab

if TYPE_CHECKING or os.environ.get("BYTEBPE_PURE", "0") not in ("", "0"):
    native = None
else:
    try:
        from . import native
    except ImportError:
        native = None

#: "native" or "reference": who encodes and decodes.
ENGINE = "native" if native else "reference"


def text_encoder(
    vocab: Vocab, pattern: SplitPattern, cache_size: int | None
) -> ordinary.TextEncoder:
    """Make the encoder, on the engine that is there."""
    if native and vocab.highest_id < native.ID_LIMIT:
        return native.TextEncoder(vocab, pattern, cache_size)
    return ordinary.TextEncoder(vocab, pattern, cache_size)


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
