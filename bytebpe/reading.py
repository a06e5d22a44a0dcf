"""What budgets and streams ask of a tokenizer: texts that grow, and special tokens watched for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from operator import index

from . import _kernels
from .blocks import Blocks, Stream, are_sure
from .decode import Decoder
from .dropout import SplitMix64
from .encode import Encoder, Specials
from .growing import GrowingText
from .patterns import compile_pattern
from .pretokenize import split
from .special_growing import SpecialGrowing, Watch, check_text
from .unstable import Completer, Unstable
from .vocab import Vocab

#: So many characters are read at a time.
WINDOW = 1_024


class Reader:
    """Read texts part by part, with one vocabulary and one pattern."""

    def __init__(self, encoder: Encoder, decoder: Decoder, vocab: Vocab, pattern: str) -> None:
        self.encoder = encoder
        self.data = decoder.decode_bytes
        self.vocab = vocab
        self._pattern = compile_pattern(pattern)
        self._texts = _kernels.growing_texts(vocab, self._pattern)
        self._sampler = _kernels.sampler(vocab, self._pattern)

    @property
    def settles(self) -> bool:
        """Whether ids become certain before a text ends."""
        return self._texts.settles

    def watch(self, allowed: Specials, disallowed: Specials) -> Watch:
        """Return which special tokens become ids and which are refused."""
        return Watch(self.encoder.asked_for(allowed, disallowed))

    def new(self, watch: Watch | None = None) -> GrowingText:
        """Return an empty text; without a watch, special tokens are ordinary."""
        if watch is None or watch.is_idle:
            return self._texts.new()
        return SpecialGrowing(self._texts.new, watch)

    def stream(self, watch: Watch | None = None) -> Stream:
        """Return the same for a text of which only the ids that are certain are asked for."""
        growing = self.new(watch)
        if (watch is None or watch.is_idle) and are_sure(self._pattern):
            return Blocks(growing, self.encoder.encode_ordinary)
        return growing

    def tokens(self, ids: list[int]) -> list[bytes]:
        tokens = self.vocab.tokens
        return [tokens[id] for id in ids]

    def grow(self, text: str, watch: Watch) -> Iterator[list[int]]:
        """Yield the ids of a text, some at a time, reading it as they are asked for."""
        grown = self.new(watch)
        for at in range(0, len(text), WINDOW):
            window = text[at : at + WINDOW]
            check_text(window)
            yield grown.feed(window)
        yield grown.finish()

    def counts(self, text: str, watch: Watch) -> Iterator[int]:
        """Yield numbers that add up to that of the ids, reading the text as they are asked for."""
        if self.settles or watch.rule.allowed:
            yield from map(len, self.grow(text, watch))
            return
        watch.check(text)
        yield from self._texts.counts(text)

    def sample(self, text: str, watch: Watch, dropout: float, seed: int, row: int) -> list[int]:
        """Return the ids of one of the ways in which a text can be made of tokens."""
        if not 0 <= dropout <= 1:
            raise ValueError(f"dropout: expected a probability from 0 to 1, not {dropout}")
        watch.check(text)
        random = SplitMix64.of(index(seed), row)
        ids: list[int] = []
        start = 0
        for begin, end in watch.spans(text):
            ids += self._sampler.sample(text[start:begin], dropout, random)
            ids.append(watch.rule.ids[text[begin:end]])
            start = end
        return ids + self._sampler.sample(text[start:], dropout, random)

    def unstable(self, text: str, allowed: Specials, disallowed: Specials) -> Unstable:
        """Return the ids of a text that are stable, and how it may go on after them."""
        ids = self.encoder.encode(text, allowed, disallowed)
        spans = self.watch(allowed, disallowed).spans(text)
        pieces = split(text[spans[-1][1] :] if spans else text, self._pattern)
        last = len(self._texts.encode_piece(pieces[-1])) if pieces else 0
        return self._completer.complete(ids, last)

    @cached_property
    def _completer(self) -> Completer:
        def merge(piece: bytes) -> Sequence[int]:
            return self._texts.encode_piece(piece.decode(errors="surrogateescape"))

        tokens = sorted(self.vocab.ids)
        return Completer(self.vocab, tokens, self.encoder.encode_ordinary, merge)
