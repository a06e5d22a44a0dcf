"""What `Tokenizer` can do with budgets and with texts that come part by part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING

from .encode import ALL, NONE, Specials

if TYPE_CHECKING:
    from .budget import Chunk, Side
    from .incremental import IncrementalEncoder, StreamEncoder
    from .reading import Reader
    from .stream_decode import StreamDecoder, StreamDecoders, Whole
    from .units import Cut
    from .unstable import Unstable
    from .vocab import Vocab

# All else is slow to import, and is imported by the call that needs it.


class Budgeting:
    """The methods of `Tokenizer` for texts that grow, are cut to size, or sampled."""

    if TYPE_CHECKING:

        @property
        def vocab(self) -> Vocab: ...

        @cached_property
        def _reader(self) -> Reader: ...

    def incremental(
        self,
        *,
        allowed_special: Specials = NONE,
        disallowed_special: Specials = ALL,
    ) -> IncrementalEncoder:
        """Return an encoder for a text that grows at its end; see `IncrementalEncoder`.

        >>> enc = tok.incremental()
        >>> enc.append("Hello wor"), enc.append("ld"), enc.ids
        (Appended(kept=0, tail=[15496, 476]), Appended(kept=1, tail=[995]), [15496, 995])
        """
        from .incremental import IncrementalEncoder

        watch = self._reader.watch(allowed_special, disallowed_special)
        return IncrementalEncoder(self._reader.new(watch))

    def stream_encoder(
        self,
        *,
        allowed_special: Specials = NONE,
        disallowed_special: Specials = ALL,
    ) -> StreamEncoder:
        """Return an encoder to feed a text part by part; see `StreamEncoder`.

        >>> stream = tok.stream_encoder()
        >>> [stream.feed(part) for part in ("Hello wor", "ld, wor", "ld")], stream.finish()
        ([[15496], [995, 11], []], [995])
        """
        from .incremental import StreamEncoder

        watch = self._reader.watch(allowed_special, disallowed_special)
        return StreamEncoder(self._reader.stream(watch), self._reader.stream())

    def stream_decoder(self, *, errors: str = "replace", whole: Whole = "char") -> StreamDecoder:
        """Return a decoder to feed ids as they come; see `StreamDecoder`.

        >>> stream = tok.stream_decoder()
        >>> [stream.feed(id) for id in tok.encode("世界")], stream.finish()
        (['', '世', '', '界'], '')
        """
        from .stream_decode import StreamDecoder

        return StreamDecoder(self.vocab, errors=errors, whole=whole)

    def stream_decoders(
        self, rows: int, *, errors: str = "replace", whole: Whole = "char"
    ) -> StreamDecoders:
        """Return a decoder of several streams, fed a step of all at a time.

        >>> streams = tok.stream_decoders(2)
        >>> streams.feed([15496, 10310]), streams.feed([None, 244])
        (['Hello', ''], ['', '世'])
        """
        from .stream_decode import StreamDecoders

        return StreamDecoders(self.vocab, rows, errors=errors, whole=whole)

    def fits(
        self,
        text: str,
        n: int,
        *,
        allowed_special: Specials = NONE,
        disallowed_special: Specials = ALL,
    ) -> bool:
        """Tell whether `encode` gives at most `n` ids.

        Of a text that does not fit, it reads no further than it takes to know that, so a
        special token or lone surrogate that comes later raises nothing.

        >>> tok.fits("Hello world", 2), tok.fits("Hello world" * 1_000_000, 2)
        (True, False)
        """
        from .budget import Budget

        return Budget(self._reader, index(n), allowed_special, disallowed_special).fits(text)

    def truncate(
        self,
        text: str | Iterable[str],
        n: int,
        *,
        side: Side = "right",
        at: Cut = "token",
        allowed_special: Specials = NONE,
        disallowed_special: Specials = ALL,
    ) -> str:
        """Cut a text so that `encode` gives at most `n` ids of what is kept.

        `side` is where text is lost.  It is cut between units, and with one unit more it
        would not fit: `at="char"`; `"grapheme"`, what a reader takes for a character;
        `"word"`, a word or what stands between two; or `"token"`, a token of the whole
        text, as far as characters end with it.  With `side="middle"` a head and a tail are
        kept, of about as many tokens each, and joined.  An allowed special token is never
        cut, and none is made by joining.

        `text` may be an iterable of its parts, such as an open file: then no more of it is
        held in memory than this takes.

        >>> tok.truncate("The quick brown fox", 3)
        'The quick brown'
        >>> tok.truncate("The quick brown fox", 3, side="left", at="word")
        ' quick brown fox'
        """
        from .budget import Budget
        from .parts import truncate_parts

        budget = Budget(self._reader, index(n), allowed_special, disallowed_special)
        if isinstance(text, str):
            return budget.truncate(text, side, at)
        return truncate_parts(budget, _parts(text), side, at)

    def chunk(
        self,
        text: str | Iterable[str],
        n: int,
        *,
        overlap: int = 0,
        at: Cut = "token",
        allowed_special: Specials = NONE,
        disallowed_special: Specials = ALL,
    ) -> Iterator[Chunk]:
        """Divide a text into parts of which `encode` gives at most `n` ids each.

        Each is as long as `truncate` would make it, and made when it is asked for.  Without
        an overlap the parts tile the text; otherwise each begins with as much of the one
        before as fits into `overlap` tokens.  A unit that alone has more than `n` tokens is
        divided too: a word between graphemes, a grapheme between characters; a character
        of more tokens than that raises `BudgetError`.  `text` may be an iterable of its
        parts, such as an open file, of which little is held in memory.

        >>> [(part.text, part.start) for part in tok.chunk("one two three four", 2)]
        [('one two', 0), (' three four', 7)]
        """
        if n < 1:
            raise ValueError(f"n: expected at least one token, not {n}")
        if not 0 <= overlap < n:
            raise ValueError(f"overlap: expected 0 to {n - 1} tokens, fewer than n, not {overlap}")
        from .budget import Budget
        from .parts import chunk_parts

        budget = Budget(self._reader, index(n), allowed_special, disallowed_special)
        if isinstance(text, str):
            return budget.chunks(text, overlap, at)
        return chunk_parts(budget, _parts(text), overlap, at)

    def samples(
        self,
        text: str,
        n: int,
        *,
        dropout: float = 0.1,
        seed: int = 0,
        allowed_special: Specials = NONE,
        disallowed_special: Specials = ALL,
    ) -> list[list[int]]:
        """Return `n` random ways in which a text is made of tokens, by BPE-dropout.

        The first is what `encode` gives for this dropout and seed, and each is what
        `encode_batch` gives for the text at that row.

        >>> samples = tok.samples("lower", 3, dropout=0.5)
        >>> [tok.decode_batch([[id] for id in ids]) for ids in samples]
        [['l', 'o', 'wer'], ['l', 'o', 'wer'], ['low', 'er']]
        """
        watch = self._reader.watch(allowed_special, disallowed_special)
        return [self._reader.sample(text, watch, dropout, seed, row) for row in range(n)]

    def encode_with_unstable(
        self,
        text: str,
        *,
        allowed_special: Specials = NONE,
        disallowed_special: Specials = ALL,
    ) -> Unstable:
        """Return the ids that stay if text follows, and all completions of the rest.

        Each completion is ids that, after the stable ones, begin with the whole text; the
        last of them may go beyond its end.  The result is tiktoken's, with the completions
        in order.

        >>> unstable = tok.encode_with_unstable("Hello worl")
        >>> tok.decode(unstable.ids), len(unstable.completions)
        ('Hello', 324)
        >>> sorted(tok.decode(ids) for ids in unstable.completions if len(ids) == 1)
        [' world', ' worldly', ' worlds', ' worldview', ' worldwide']
        """
        return self._reader.unstable(text, allowed_special, disallowed_special)


def _parts(text: Iterable[str]) -> Iterable[str]:
    if isinstance(text, (bytes, bytearray)) or not isinstance(text, Iterable):
        from .special_growing import check_text

        check_text(text)
    return text
