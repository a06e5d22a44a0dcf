"""The native core in the shape of the reference: `ordinary.TextEncoder` and `decode.Decoder`.

How the text is split depends on the pattern, and `scanner` says which way it is:
"simd:NAME" for the patterns that the core knows, "dfa" for those of the usual dialect,
and "regex" for all others, whose pieces come from the reference and are merged in the core.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Final

from . import _native, ordinary, specials
from .bytemap import ID_ORDER
from .decode import Ids, decode_bytes, numbers, rows_of
from .ordinary import CacheInfo, TokenBatch, array_type
from .patterns import CL100K, GPT2, O200K, QWEN2, TEKKEN, SplitPattern
from .pretokenize import split
from .unicode import CATEGORIES
from .vocab import Vocab

#: Vocabularies with higher ids go by the reference: the core keeps a pair of ids and its rank in
#: one number, and a table of int objects has a place for each id.
ID_LIMIT: Final = 2**21

#: How many pieces to remember unless told otherwise.  The core bounds its cache twice: by this
#: number, and by 64 MB for all threads together, which most texts reach later.
CACHE_SIZE: Final = 10 * 2**16

FAMILIES: Final = {
    GPT2: "gpt2",
    CL100K: "cl100k",
    QWEN2: "qwen2",
    O200K: "o200k",
    TEKKEN: "tekken",
}
_CLASSES: Final = {"Ll": 1, "N": 2, "Z": 3, "Lu": 4, "Lt": 4, "Lm": 5, "Lo": 5, "M": 6}
_WHITE_CONTROLS: Final = (*range(0x09, 0x0E), 0x85)


def left_sizes(tokens: Sequence[bytes]) -> list[int]:
    """Return the size of the left part of each token; see `token_parts.left_sizes`."""
    return _native.left_sizes(list(tokens)).tolist()


class Rule(_native.Rule, specials.Rule):
    """What becomes of special tokens; the reference says what is wrong with a text."""

    def __init__(
        self, refused: Collection[str], allowed: Collection[str], ids: Mapping[str, int]
    ) -> None:
        specials.Rule.__init__(self, refused, allowed, ids)
        numbers = array("I", map(ids.__getitem__, allowed)).tobytes()
        _native.Rule.__init__(self, list(refused), list(allowed), numbers)


#: Special tokens are ordinary text.
ORDINARY: Final = Rule((), (), {})


class TextEncoder(ordinary.TextEncoder):
    """Encode with one vocabulary and one pattern; see `ordinary.TextEncoder`."""

    def __init__(
        self,
        vocab: Vocab,
        pattern: SplitPattern,
        cache_size: int | None,
        ignore_merges: bool = False,
    ) -> None:
        self._pattern = pattern
        self._cache_size = CACHE_SIZE if cache_size is None else cache_size
        self._typecode = array_type(vocab)
        self.scanner, scanner = _scanner(vocab, pattern)
        self._core = self._make(vocab, scanner)
        if ignore_merges and (unmade := self._unmade(vocab)):
            # Cuts inside pieces would make pieces of what is none.
            self.scanner, scanner = _scanner(None, pattern)
            self._core = self._make(vocab, scanner)
            self._core.keep_whole(unmade)

    def _make(self, vocab: Vocab, scanner: _native.Scanner) -> _native._TextEncoder:
        width = _native.TextEncoder16 if self._typecode == "H" else _native.TextEncoder32
        return width(
            byte_ids=array("I", vocab.byte_ids).tobytes(),
            merges=vocab.merge_numbers.tobytes(),
            highest_id=vocab.highest_id,
            scanner=scanner,
            cache_size=self._cache_size,
        )

    def _unmade(self, vocab: Vocab) -> dict[bytes, int]:
        """Return the tokens that merges do not make of their bytes."""
        merged = self._core.encode_pieces
        unmade = {token: id for token, id in vocab.ids.items() if merged([token]) != [id]}
        self._core.cache_clear()
        return unmade

    def encoding(self, rule: specials.Rule) -> Callable[[str], list[int] | None]:
        return super().encoding(rule) if self.scanner == "regex" else self._core.encoding(rule)

    def array_encoding(self, rule: specials.Rule) -> Callable[[str], memoryview | None]:
        regex = self.scanner == "regex"
        return super().array_encoding(rule) if regex else self._core.array_encoding(rule)

    def encode(self, text: str, rule: specials.Rule = ORDINARY) -> list[int] | None:
        if self.scanner == "regex":
            return super().encode(text, rule)
        return self._core.encode(text, rule)

    def encode_array(self, text: str, rule: specials.Rule = ORDINARY) -> memoryview | None:
        if self.scanner == "regex":
            return super().encode_array(text, rule)
        return self._core.encode_array(text, rule)

    def count(self, text: str, rule: specials.Rule = ORDINARY) -> int | None:
        return (
            super().count(text, rule) if self.scanner == "regex" else self._core.count(text, rule)
        )

    def encode_piece(self, piece: str) -> list[int]:
        return self._core.encode_pieces([piece.encode(errors="surrogateescape")])

    def encode_bytes(self, data: bytes) -> list[int]:
        if self.scanner == "dfa" or (self.scanner != "regex" and _is_utf8(data)):
            return self._core.encode_bytes(data)
        pieces = split(data.decode(errors="surrogateescape"), self._pattern)
        return self._core.encode_pieces([p.encode(errors="surrogateescape") for p in pieces])

    def encode_batch(
        self, texts: Sequence[str], num_threads: int, rule: specials.Rule = ORDINARY
    ) -> list[list[int]] | None:
        if self.scanner == "regex":
            return super().encode_batch(texts, num_threads, rule)
        return self._core.encode_batch(texts, num_threads, rule)

    def encode_batch_arrays(
        self, texts: Sequence[str], num_threads: int, rule: specials.Rule = ORDINARY
    ) -> TokenBatch | None:
        if self.scanner == "regex":
            return super().encode_batch_arrays(texts, num_threads, rule)
        batch = self._core.encode_batch_arrays(texts, num_threads, rule)
        return batch and TokenBatch(*batch)

    def _ordinary(self, text: str) -> list[int]:
        return self._core.encode_pieces(split(text, self._pattern))

    def cache_info(self) -> CacheInfo:
        hits, misses, used = self._core.cache_info()
        return CacheInfo(hits, misses, self._cache_size, used)

    def cache_clear(self) -> None:
        self._core.cache_clear()


class Decoder:
    """Decode with one vocabulary; see `decode.Decoder`.

    The core says None to what it does not read itself (any iterable, any object that counts
    as an int) and to all that is wrong.  The reference then looks at the same ids and finds
    out which it is, so that every error is the reference's.
    """

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        specials = vocab.special_tokens
        self._core = _native.Decoder(
            tokens=_tokens(vocab),
            special_ids=array("I", specials.values()).tobytes(),
            special_tokens=[token.encode() for token in specials],
        )

    def decode_bytes(self, ids: Ids) -> bytes:
        data = self._core.decode_bytes(ids)
        if data is None:
            ids = numbers(ids)
            data = self._core.decode_bytes(ids)
        return decode_bytes(ids, self._vocab) if data is None else data

    def decode(self, ids: Ids, errors: str) -> str:
        text = self._core.decode(ids, errors)
        return self.decode_bytes(ids).decode("utf-8", errors) if text is None else text

    def decode_batch(self, rows: Sequence[Ids], errors: str, num_threads: int) -> list[str]:
        texts = self._core.decode_batch(rows, errors, num_threads)
        # Row by row, the first that is wrong is the one that is named.
        return [self.decode(ids, errors) for ids in rows] if texts is None else texts

    def decode_flat(
        self, ids: memoryview, offsets: memoryview, errors: str, num_threads: int
    ) -> list[str]:
        texts = self._core.decode_flat(ids, offsets, errors, num_threads)
        if texts is None:
            return self.decode_batch(rows_of(ids, offsets), errors, num_threads)
        return texts


def _tokens(vocab: Vocab) -> _native.Tokens:
    """Hand over the bytes of all tokens but the special ones."""
    if vocab.is_in_order:
        return _native.Tokens.in_order(ID_ORDER, vocab.merge_numbers.tobytes())
    return _native.Tokens(array("I", vocab.ids.values()).tobytes(), list(vocab.ids))


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _scanner(vocab: Vocab | None, pattern: SplitPattern) -> tuple[str, _native.Scanner]:
    """Choose the fastest way to split that gives the pieces of the reference.

    With a vocabulary, some are cut further where none of its tokens reaches across.
    """
    if name := FAMILIES.get(pattern.source):
        tokens = None if vocab is None else _tokens(vocab)
        return f"simd:{name}", _native.family_scanner(name, char_classes(), tokens)
    # Not needed for the patterns of the core, and slow to import.
    from .dfa import compile_dfa
    from .dfa_parse import NotInDialect

    try:
        dfa = compile_dfa(pattern)
    except NotInDialect:
        return "regex", _native.Scanner()
    pages, transitions = dfa.pages.tobytes(), dfa.transitions.tobytes()
    return "dfa", _native.dfa_scanner(pages, dfa.classes, transitions, dfa.width)


@cache
def char_classes() -> bytes:
    """List ranges of code points: the first, the last and the `CharClass` of the core."""
    ranges = [(point, point, _CLASSES["Z"]) for point in _WHITE_CONTROLS]
    for category, bounds in CATEGORIES.items():
        if kind := _CLASSES.get(category) or _CLASSES.get(category[0]):
            pairs = zip(bounds[::2], bounds[1::2], strict=True)
            ranges += [(start, end - 1, kind) for start, end in pairs]
    return array("I", chain.from_iterable(ranges)).tobytes()
