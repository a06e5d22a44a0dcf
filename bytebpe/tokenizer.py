"""The tokenizer: what people hold.  It only delegates.

>>> import bytebpe
>>> tok = bytebpe.pretrained("gpt2")
>>> tok.encode("Hello world")
[15496, 995]
>>> tok.decode([15496, 995])
'Hello world'
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final, SupportsIndex, TypeVar

from . import _kernels
from .budgeting import Budgeting
from .decode import Decoder
from .encode import ALL, NONE, CacheInfo, Encoder, Specials, TokenBatch, cores
from .errors import PipelineError
from .insight import Insight
from .offsets import Span, Unit, offsets
from .patterns import name_of, resolve
from .pipeline import PLAIN, Pipeline
from .vocab import Merge, Vocab

if TYPE_CHECKING:
    from .alignment import Alignment
    from .idmap import IdMap
    from .reading import Reader
    from .report import TrainingReport
    from .train import Ties

_Item = TypeVar("_Item")


class Tokenizer(Budgeting, Insight):
    """Encode text to ids and back, with one vocabulary and one split pattern.

    Nothing in it changes after it is made but the cache, on which no result depends,
    so that threads may share it; it can be pickled, copied and forked.

    `pattern` is a name (`bytebpe.patterns.NAMED`) or a regular expression, `pipeline` what
    else is done to texts (`bytebpe.pipeline`; nothing for a tokenizer trained here), and
    `cache_size` a number of pieces to remember: None for what 64 MB hold, 0 for none.
    """

    def __init__(
        self,
        vocab: Vocab,
        *,
        pattern: str = "gpt2",
        pipeline: Pipeline = PLAIN,
        cache_size: int | None = None,
        training: TrainingReport | None = None,
    ) -> None:
        if not isinstance(vocab, Vocab):
            raise TypeError(f"vocab: expected a Vocab, not {type(vocab).__name__}")
        self.vocab: Final = vocab
        self.pattern: Final = resolve(pattern)
        self.pipeline: Final = pipeline
        #: How the tokenizer was trained; None where it was loaded.
        self.training: Final = training
        self._cache_size = cache_size
        self._encoder = _encoder(vocab, self.pattern, cache_size, pipeline)

    # ---- encode -------------------------------------------------------------------

    def encode(
        self,
        text: str,
        *,
        allowed_special: Specials = NONE,
        disallowed_special: Specials = ALL,
        dropout: float = 0.0,
        seed: int = 0,
    ) -> list[int]:
        """Turn a text into token ids.

        A special token in the text raises `SpecialTokenError` unless it is allowed,
        and then becomes its id; `disallowed_special=()` takes those that are not
        allowed for ordinary text.  Where several match, the leftmost counts, then the
        longest.  A lone surrogate raises `UnicodeEncodeError`.

        With `dropout`, a probability, the text is made of tokens in one of the ways of
        BPE-dropout, for training (see `bytebpe.dropout`).  A seed always gives the same way:
        take another one in each epoch.

        >>> tok.encode("Hi<|endoftext|>", allowed_special="all")
        [17250, 50256]
        >>> tok.encode("Hi<|endoftext|>", disallowed_special=())
        [17250, 27, 91, 437, 1659, 5239, 91, 29]
        """
        if dropout:
            return self._sample(
                [text],
                dropout=dropout,
                seed=seed,
                allowed=allowed_special,
                disallowed=disallowed_special,
            )[0]
        if allowed_special is NONE and disallowed_special is ALL:
            ids = self._encoder.quick_encode(text)
            if ids is not None:
                return ids
        return self._encoder.encode(text, allowed_special, disallowed_special)

    def encode_ordinary(self, text: str) -> list[int]:
        """Turn a text into token ids, taking special tokens for ordinary text.

        >>> tok.encode_ordinary("<|endoftext|>")
        [27, 91, 437, 1659, 5239, 91, 29]
        """
        ids = self._encoder.quick_encode_ordinary(text)
        return self._encoder.encode_ordinary(text) if ids is None else ids

    def encode_bytes(self, data: bytes) -> list[int]:
        """Turn any bytes into token ids, UTF-8 or not; `decode_bytes` gives them back.

        Of UTF-8 it makes what `encode_ordinary` makes of the text.  To the pattern a
        byte that is not UTF-8 is a symbol, neither letter nor number nor white space.

        >>> tok.decode_bytes(tok.encode_bytes(b"caf\\xe9 \\xff"))
        b'caf\\xe9 \\xff'
        """
        return self._encoder.encode_bytes(data)

    def encode_batch(
        self,
        texts: Iterable[str],
        *,
        allowed_special: Specials = NONE,
        disallowed_special: Specials = ALL,
        num_threads: int | None = None,
        dropout: float = 0.0,
        seed: int = 0,
    ) -> list[list[int]]:
        """Turn several texts into token ids, in their order.

        `num_threads` is the most threads to use; results never depend on it.  With `dropout`
        each row has randomness of its own, of the seed and its number.

        >>> tok.encode_batch(["Hello", " world"])
        [[15496], [995]]
        """
        texts, threads = _several("texts", texts), _threads(num_threads)
        if dropout:
            return self._sample(
                texts,
                dropout=dropout,
                seed=seed,
                allowed=allowed_special,
                disallowed=disallowed_special,
            )
        return self._encoder.encode_batch(texts, allowed_special, disallowed_special, threads)

    def encode_array(
        self,
        text: str,
        *,
        allowed_special: Specials = NONE,
        disallowed_special: Specials = ALL,
    ) -> memoryview:
        """Turn a text into token ids in an array: uint16 where all ids fit, else uint32.

        It is a memoryview, which `numpy.asarray`, Arrow and torch take without a copy.

        >>> ids = tok.encode_array("Hello world")
        >>> ids.format, ids.tolist()
        ('H', [15496, 995])
        """
        if allowed_special is NONE and disallowed_special is ALL:
            ids = self._encoder.quick_encode_array(text)
            if ids is not None:
                return ids
        return self._encoder.encode_array(text, allowed_special, disallowed_special)

    def encode_batch_arrays(
        self,
        texts: Iterable[str],
        *,
        allowed_special: Specials = NONE,
        disallowed_special: Specials = ALL,
        num_threads: int | None = None,
    ) -> TokenBatch:
        """Turn several texts into one array of ids and one of the places where texts start.

        The two are laid out as a list column of Arrow; see `TokenBatch`.

        >>> batch = tok.encode_batch_arrays(["Hello world", "Hello"])
        >>> batch.ids.tolist(), batch.offsets.tolist()
        ([15496, 995, 15496], [0, 2, 3])
        """
        return self._encoder.encode_batch_arrays(
            _several("texts", texts), allowed_special, disallowed_special, _threads(num_threads)
        )

    def count(
        self,
        text: str,
        *,
        allowed_special: Specials = NONE,
        disallowed_special: Specials = ALL,
    ) -> int:
        """Return how many ids `encode` gives.

        >>> tok.count("Hello world")
        2
        """
        return self._encoder.count(text, allowed_special, disallowed_special)

    def tokens(
        self,
        text: str,
        *,
        allowed_special: Specials = NONE,
        disallowed_special: Specials = ALL,
    ) -> list[bytes]:
        """Return the bytes of each token of a text; a token may end inside a character.

        >>> tok.tokens("Hello 世")
        [b'Hello', b' ', b'\\xe4\\xb8', b'\\x96']
        """
        ids = self._encoder.encode(text, allowed_special, disallowed_special)
        return [self.vocab.tokens[id] for id in ids]

    def offsets(
        self,
        text: str,
        *,
        unit: Unit = "char",
        allowed_special: Specials = NONE,
        disallowed_special: Specials = ALL,
    ) -> list[Span]:
        """Return (start, end) of each token in the text, in characters, bytes or UTF-16 units.

        Spans in bytes tile the text.  In the other units a token that holds a part of
        a character spans all of it, so that neighbours overlap there.

        >>> tok.offsets("Hello 世")
        [(0, 5), (5, 6), (6, 7), (6, 7)]
        """
        if not self.pipeline.lossless:
            return self.align(
                text, allowed_special=allowed_special, disallowed_special=disallowed_special
            ).spans(unit)
        return offsets(
            self.tokens(
                text, allowed_special=allowed_special, disallowed_special=disallowed_special
            ),
            unit,
        )

    def align(
        self,
        text: str,
        *,
        allowed_special: Specials = frozenset(),
        disallowed_special: Specials = "all",
    ) -> Alignment:
        """Return the ids of a text with what each stands for, to look up in both directions.

        >>> found = tok.align("Hello 世")
        >>> found.char_to_tokens(6), found.token_to_bytes(2), found.splits_character
        (range(2, 4), (6, 8), (False, False, True, True))
        """
        from .alignment import Alignment  # which most programs never need

        ids, spans = self._encoder.spans(text, allowed_special, disallowed_special)
        return Alignment(text, tuple(ids), tuple(spans))

    # ---- decode -------------------------------------------------------------------

    def decode(self, ids: Iterable[SupportsIndex], *, errors: str = "replace") -> str:
        """Turn token ids into text.

        Any iterable holds them; a list and an array of integers (numpy's, or a memoryview
        such as `encode_array` gives) are read fastest.  Ids may end inside a character or
        spell no UTF-8 at all: `errors` says, as for `bytes.decode`, what becomes of that.
        Raises `UnknownTokenError`.

        >>> tok.decode([15496, 220, 10310])
        'Hello \\ufffd'
        """
        return self._decoder.decode(ids, errors)

    def decode_bytes(self, ids: Iterable[SupportsIndex]) -> bytes:
        """Turn token ids into the bytes they stand for, exactly.

        >>> tok.decode_bytes([15496, 220, 10310])
        b'Hello \\xe4\\xb8'
        """
        return self._decoder.decode_bytes(ids)

    def decode_batch(
        self,
        batch: Iterable[Iterable[SupportsIndex]] | TokenBatch,
        *,
        errors: str = "replace",
        num_threads: int | None = None,
    ) -> list[str]:
        """Turn several rows of ids into texts, in their order.

        A `TokenBatch` is taken as it comes from `encode_batch_arrays`; `ValueError` says
        where its offsets are none.  `num_threads` is the most threads to use; results
        never depend on it.

        >>> tok.decode_batch([[15496], [995]])
        ['Hello', ' world']
        >>> tok.decode_batch(tok.encode_batch_arrays(["Hello", " world"]))
        ['Hello', ' world']
        """
        threads = _threads(num_threads) or cores()
        if isinstance(batch, TokenBatch):
            return self._decoder.decode_flat(batch.ids, batch.offsets, errors, threads)
        return self._decoder.decode_batch(_several("batch", batch), errors, threads)

    @cached_property
    def _reader(self) -> Reader:
        """Made, and imported, by the first call that needs it."""
        from .reading import Reader

        self._must_be_plain()
        return Reader(self._encoder, self._decoder, self.vocab, self.pattern)

    def _must_be_plain(self) -> None:
        if not self.pipeline.merges_alone:
            raise PipelineError(
                "this tokenizer does more to a text than split it (see its pipeline), for which "
                "this is not known; encode, count, offsets and align take the pipeline into account"
            )

    def _sample(
        self,
        texts: list[str],
        *,
        dropout: float,
        seed: int,
        allowed: Specials,
        disallowed: Specials,
    ) -> list[list[int]]:
        watch = self._reader.watch(allowed, disallowed)
        sample = self._reader.sample
        return [sample(text, watch, dropout, seed, row) for row, text in enumerate(texts)]

    @cached_property
    def _decoder(self) -> Decoder:
        """Made by the first call that decodes."""
        return _kernels.decoder(self.vocab)

    # ---- the vocabulary -----------------------------------------------------------

    def __len__(self) -> int:
        """Return the number of tokens, special ones included."""
        return len(self.vocab)

    def token_bytes(self, id: int) -> bytes:
        """Return the bytes of one token; raises `UnknownTokenError`.

        >>> tok.token_bytes(995)
        b' world'
        """
        return self.vocab[id]

    def token_id(self, token: bytes | str) -> int:
        """Return the id of one token; raises `UnknownTokenError`.

        A str names a special token first, and else the token of its UTF-8 bytes.

        >>> tok.token_id(b" world"), tok.token_id("<|endoftext|>")
        (995, 50256)
        """
        return self.vocab.token_id(token)

    @property
    def merges(self) -> list[Merge]:
        """The merges in rank order, each as its two parts.

        >>> tok.merges[:2]
        [(b' ', b't'), (b' ', b'a')]
        """
        return list(self.vocab.merges)

    @property
    def mergeable_ranks(self) -> dict[bytes, int]:
        """The ids of all tokens but the special ones, under the name tiktoken gives them."""
        return dict(self.vocab.ids)

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens and their ids, those that obey `allowed_special`."""
        always = {token.content for token in self.pipeline.added if not token.special}
        return {t: id for t, id in self.vocab.special_tokens.items() if t not in always}

    def wrap(self, ids: Iterable[int]) -> list[int]:
        """Put around the ids of a text what the tokenizer's file asks for, often a first token.

        `encode` does not, since only the caller knows what is a whole text.

        >>> tok.wrap([15496, 995])
        [15496, 995]
        """
        template = self.pipeline.template
        return [*template.before, *ids, *template.after] if template else list(ids)

    def with_special_tokens(self, special_tokens: Mapping[str, int]) -> Tokenizer:
        """Return a tokenizer that has these special tokens too; this one stays as it is.

        Raises `SpecialTokenError` for an empty token and for an id that is taken.

        >>> chat = tok.with_special_tokens({"<|im_start|>": 50257})
        >>> chat.encode("<|im_start|>Hi", allowed_special="all")
        [50257, 17250]
        """
        return self._with(self.vocab.with_special_tokens(special_tokens))

    def add_special_tokens(self, tokens: Iterable[str]) -> tuple[Tokenizer, IdMap]:
        """Return a tokenizer with more special tokens, which get the next free ids.

        The `IdMap` says what each was before: see `bytebpe.integrations.torch`.

        >>> chat, change = tok.add_special_tokens(["<|im_start|>", "<|im_end|>"])
        >>> chat.token_id("<|im_end|>"), change.size, change.made_of[50257]
        (50258, 50259, (27, 91, 320, 62, 9688, 91, 29))
        """
        from . import surgery

        return self._changed(surgery.added(self.vocab, self._encoder, tokens))

    def extend(
        self,
        texts: Iterable[str] | Mapping[str, int],
        *,
        vocab_size: int,
        min_frequency: int = 2,
        ties: Ties = "lowest",
    ) -> tuple[Tokenizer, IdMap]:
        """Return a tokenizer that has learned further merges from texts, or from counted texts.

        Ids and merges that are there stay as they are; new tokens get the next free ids and
        stand for the ids in `IdMap.made_of`.  Trained further on the texts that it was trained
        on, a tokenizer has the merges that training at once would have given it, with
        `ties="lowest"`.  Fewer merges come where no pair is frequent enough.

        >>> more, change = tok.extend(["bytebpe"] * 2, vocab_size=50259)
        >>> more.tokens("bytebpe"), change.made_of
        ([b'bytebpe'], {50257: (65, 431), 50258: (26327, 65, 431)})
        """
        from . import surgery

        return self._changed(
            surgery.extend(
                self.vocab, self._encoder, texts,
                vocab_size=vocab_size, min_frequency=min_frequency, ties=ties,
            )
        )  # fmt: skip

    def prune(
        self, texts: Iterable[str] | Mapping[str, int], *, vocab_size: int
    ) -> tuple[Tokenizer, IdMap]:
        """Return a tokenizer of so many tokens, without those that the texts use least.

        Every text still comes back: the bytes stay, and the special tokens, and of each token
        that stays those it is made of.  Ids are numbered afresh, in their old order.

        >>> small, change = tok.prune(["hello world"], vocab_size=300)
        >>> len(small), small.tokens("hello world")
        (300, [b'hello', b' world'])
        """
        from . import surgery

        return self._changed(surgery.prune(self.vocab, self._encoder, texts, vocab_size=vocab_size))

    def renumber(self, *, special_first: bool = False) -> tuple[Tokenizer, IdMap]:
        """Return a tokenizer whose ids are bytes by value, then merges by rank, then the rest.

        Formats that have no place for ids want it so: minbpe's, and tekken.json with the
        special tokens first.

        >>> plain, change = tok.renumber()
        >>> plain.encode("Hi"), change.apply(tok.encode("Hi"))
        ([17250], [17250])
        >>> plain.token_id(b"A"), tok.token_id(b"A")
        (65, 32)
        """
        from . import surgery

        return self._changed(surgery.renumber(self.vocab, special_first=special_first))

    def _changed(self, change: tuple[Vocab, IdMap]) -> tuple[Tokenizer, IdMap]:
        vocab, ids = change
        return self._with(vocab, pipeline=self.pipeline.with_ids(ids.new_ids)), ids

    def _with(self, vocab: Vocab, *, pipeline: Pipeline | None = None) -> Tokenizer:
        return Tokenizer(
            vocab,
            pattern=self.pattern,
            pipeline=pipeline or self.pipeline,
            cache_size=self._cache_size,
            training=self.training,
        )

    # ---- state --------------------------------------------------------------------

    @property
    def scanner(self) -> str:
        """How texts are split: "simd:NAME", "dfa" or, slowest, "regex"."""
        return self._encoder.scanner

    def cache_info(self) -> CacheInfo:
        """Return hits, misses, maxsize and currsize of the cache of merged pieces."""
        return self._encoder.cache_info()

    def cache_clear(self) -> None:
        """Empty the cache."""
        self._encoder.cache_clear()

    def save(self, path: str | os.PathLike[str], *, format: str = "gpt2") -> None:
        """Write the tokenizer to the directory `path`; `bytebpe.load` reads it back.

        "gpt2" writes vocab.json and merges.txt, which other libraries read, and
        bytebpe.json with what those two cannot hold: the pattern and the special tokens.
        "huggingface" writes tokenizer.json, "tiktoken" a file of ranks, "tekken" tekken.json
        and "minbpe" a .model; a `path` that ends as the files of the format do names the file.
        What a format cannot say raises `FormatError`, and nothing is written.
        """
        from . import formats  # which most programs never need

        formats.save(formats.Stored(self.vocab, self.pattern, self.pipeline), path, format=format)

    def __repr__(self) -> str:
        pattern = name_of(self.pattern) or self.pattern
        return f"<Tokenizer: {len(self)} tokens, pattern {pattern!r}>"

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (
            self.vocab, self.pattern, self.pipeline, self._cache_size, self.training,
        )  # fmt: skip


def _encoder(vocab: Vocab, pattern: str, cache_size: int | None, pipeline: Pipeline) -> Encoder:
    if pipeline.is_plain:
        return Encoder(vocab, pattern, cache_size, ignore_merges=pipeline.ignore_merges)
    from .prepared import PreparedEncoder  # which GPT-2 and most tokenizers do not need

    return PreparedEncoder(vocab, pattern, cache_size, pipeline)


def _restore(
    vocab: Vocab,
    pattern: str,
    pipeline: Pipeline,
    cache_size: int | None,
    training: TrainingReport | None,
) -> Tokenizer:
    return Tokenizer(
        vocab, pattern=pattern, pipeline=pipeline, cache_size=cache_size, training=training
    )


def _several(argument: str, values: Iterable[_Item]) -> list[_Item]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(
            f"{argument}: expected an iterable of several, not one {type(values).__name__}"
        )
    return list(values)


def _threads(num_threads: int | None) -> int | None:
    if num_threads is not None and num_threads < 1:
        raise ValueError(f"num_threads: expected at least 1, or None for all, not {num_threads}")
    return num_threads
