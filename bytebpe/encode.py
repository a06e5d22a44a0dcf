"""Text to ids as people ask for it: which special tokens count, and what is wrong with a text."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final, Literal, NoReturn

from . import _kernels
from .offsets import Span, offsets
from .ordinary import CacheInfo as CacheInfo
from .ordinary import TokenBatch as TokenBatch
from .patterns import compile_pattern
from .pretokenize import split
from .specials import Rule
from .vocab import Vocab

#: Which special tokens: all of them, or those named.
Specials = Literal["all"] | Collection[str]
_Names = Literal["all"] | frozenset[str]

#: The defaults, known by being these very objects.
NONE: Final[frozenset[str]] = frozenset()
ALL: Final = "all"


class Encoder:
    """Encode with one vocabulary and one pattern.

    A text encoder returns None for what it may not encode, and the rule then says why.
    """

    def __init__(
        self,
        vocab: Vocab,
        pattern: str,
        cache_size: int | None,
        *,
        ignore_merges: bool = False,
    ) -> None:
        if cache_size is not None and cache_size < 0:
            raise ValueError(f"cache_size: expected 0 or more pieces, not {cache_size}")
        self._pattern = compile_pattern(pattern)
        self._text_encoder = _kernels.text_encoder(vocab, self._pattern, cache_size, ignore_merges)
        self._vocab = vocab
        self._rule = lru_cache(maxsize=64)(partial(rule_of, vocab.special_tokens))
        self._usual = self._rule(NONE, ALL)
        self._ordinary = self._rule(NONE, NONE)
        #: Short ways for short texts, which return None where the long way raises.
        self.quick_encode = self._text_encoder.encoding(self._usual)
        self.quick_encode_array = self._text_encoder.array_encoding(self._usual)
        self.quick_encode_ordinary = self._text_encoder.encoding(self._ordinary)
        self.scanner = self._text_encoder.scanner

    def cache_info(self) -> CacheInfo:
        return self._text_encoder.cache_info()

    def cache_clear(self) -> None:
        self._text_encoder.cache_clear()

    def encode(self, text: str, allowed: Specials, disallowed: Specials) -> list[int]:
        rule = self.asked_for(allowed, disallowed)
        ids = self._text_encoder.encode(text, rule)
        return _refuse(rule, [text]) if ids is None else ids

    def count(self, text: str, allowed: Specials, disallowed: Specials) -> int:
        rule = self.asked_for(allowed, disallowed)
        count = self._text_encoder.count(text, rule)
        return _refuse(rule, [text]) if count is None else count

    def encode_array(self, text: str, allowed: Specials, disallowed: Specials) -> memoryview:
        rule = self.asked_for(allowed, disallowed)
        ids = self._text_encoder.encode_array(text, rule)
        return _refuse(rule, [text]) if ids is None else ids

    def encode_batch(
        self, texts: Sequence[str], allowed: Specials, disallowed: Specials, threads: int | None
    ) -> list[list[int]]:
        rule = self.asked_for(allowed, disallowed)
        rows = self._text_encoder.encode_batch(texts, threads or cores(), rule)
        return _refuse(rule, texts) if rows is None else rows

    def encode_batch_arrays(
        self, texts: Sequence[str], allowed: Specials, disallowed: Specials, threads: int | None
    ) -> TokenBatch:
        rule = self.asked_for(allowed, disallowed)
        batch = self._text_encoder.encode_batch_arrays(texts, threads or cores(), rule)
        return _refuse(rule, texts) if batch is None else batch

    def encode_ordinary(self, text: str) -> list[int]:
        ids = self._text_encoder.encode(text, self._ordinary)
        return _refuse(self._ordinary, [text]) if ids is None else ids

    def encode_bytes(self, data: bytes) -> list[int]:
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"expected bytes, not {type(data).__name__}; encode takes a str")
        return self._text_encoder.encode_bytes(bytes(data))

    def spans(
        self, text: str, allowed: Specials, disallowed: Specials
    ) -> tuple[list[int], list[Span]]:
        """Return the ids of a text, and where each lies in its bytes."""
        ids = self.encode(text, allowed, disallowed)
        return ids, offsets([self._vocab.tokens[id] for id in ids], "byte")

    def pieces(self, text: str, allowed: Specials = ALL) -> list[str]:
        """Cut a text into the pieces of its ordinary text, these special tokens left out."""
        stretches = self.asked_for(allowed, NONE).stretches(text)
        return [
            piece
            for stretch in stretches
            if isinstance(stretch, str)
            for piece in split(stretch, self._pattern)
        ]

    def encode_piece(self, piece: str) -> list[int]:
        """Return the ids of one piece."""
        return self._text_encoder.encode_piece(piece)

    def asked_for(self, allowed: Specials, disallowed: Specials) -> Rule:
        """Return the rule that these arguments ask for."""
        if allowed is NONE and disallowed is ALL:
            return self._usual
        return self._rule(
            _names("allowed_special", allowed), _names("disallowed_special", disallowed)
        )


def rule_of(ids: Mapping[str, int], allowed: _Names, disallowed: _Names) -> Rule:
    every = ids.keys()
    active = every if allowed == ALL else allowed
    refused = every - active if disallowed == ALL else disallowed
    return _kernels.rule(refused, every & active, ids)


def _names(argument: str, tokens: Specials) -> _Names:
    """Return special tokens in a form that can be looked up."""
    if not isinstance(tokens, str):
        names = frozenset(tokens)
        for name in names:
            if not isinstance(name, str):
                raise TypeError(f"{argument}: expected special tokens as str, not {name!r}")
        return names
    if tokens != ALL:
        raise TypeError(
            f"{argument}: expected 'all' or a collection of special tokens, not the str "
            f"{tokens!r}; write {{{tokens!r}}}"
        )
    return ALL


def _refuse(rule: Rule, texts: Sequence[str]) -> NoReturn:
    """Raise what is wrong with the first text with which something is."""
    fault = next(filter(None, map(rule.fault, texts)))
    raise fault


def cores() -> int:
    """Return how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
