"""Text without special tokens to ids, on the native core; equals `ordinary.TextEncoder`.

How the text is split depends on the pattern, and `scanner` says which way it is:
"simd:NAME" for the patterns that the core knows by name, "dfa" for those of the usual dialect,
and "regex" for all others, whose pieces come from the reference and are merged in the core.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Final

from . import _native
from .dfa import compile_dfa
from .dfa_parse import NotInDialect
from .ordinary import CacheInfo, TokenBatch, array_type, batch_of
from .patterns import CL100K, GPT2, QWEN2, SplitPattern
from .pretokenize import split
from .unicode import CATEGORIES
from .vocab import Vocab

#: Vocabularies with higher ids go by the reference: an entry of the core's cache has 24 bits
#: for an id, and a table of int objects has a place for each.
ID_LIMIT: Final = 2**22

FAMILIES: Final = {GPT2: "gpt2", CL100K: "cl100k", QWEN2: "qwen2"}
_WHITE_CONTROLS: Final = (*range(0x09, 0x0E), 0x85)


class TextEncoder:
    """Encode with one vocabulary and one pattern; see `ordinary.TextEncoder`."""

    def __init__(self, vocab: Vocab, pattern: SplitPattern, cache_size: int) -> None:
        self._pattern = pattern
        self._cache_size = cache_size
        self._typecode = array_type(vocab)
        self.scanner, scanner = _scanner(vocab, pattern)
        self._core = _native.TextEncoder(
            byte_ids=array("I", (vocab.ids[bytes([byte])] for byte in range(256))).tobytes(),
            merges=array("I", chain.from_iterable(vocab.merge_ids)).tobytes(),
            highest_id=max(vocab.tokens),
            scanner=scanner,
            cache_size=cache_size,
        )

    def encode(self, text: str) -> list[int]:
        if self.scanner == "regex":
            return self._core.encode_pieces(split(text, self._pattern))
        return self._core.encode(text)

    def encode_bytes(self, data: bytes) -> list[int]:
        if self.scanner == "dfa":
            return self._core.encode(data)
        try:
            return self.encode(data.decode())
        except UnicodeDecodeError:
            pieces = split(data.decode(errors="surrogateescape"), self._pattern)
            return self._core.encode_pieces([p.encode(errors="surrogateescape") for p in pieces])

    def encode_array(self, text: str) -> memoryview:
        if self.scanner == "regex":
            return memoryview(array(self._typecode, self.encode(text)))
        return self._core.encode_array(text)

    def encode_batch(self, texts: Sequence[str], num_threads: int) -> list[list[int]]:
        if self.scanner == "regex":
            return [self.encode(text) for text in texts]
        return self._core.encode_batch(list(texts), num_threads)

    def encode_batch_arrays(self, texts: Sequence[str], num_threads: int) -> TokenBatch:
        if self.scanner == "regex":
            return batch_of([self.encode(text) for text in texts], self._typecode)
        return TokenBatch(*self._core.encode_batch_arrays(list(texts), num_threads))

    def count(self, text: str) -> int:
        if self.scanner == "regex":
            return len(self.encode(text))
        return self._core.count(text)

    def cache_info(self) -> CacheInfo:
        hits, misses, used = self._core.cache_info()
        return CacheInfo(hits, misses, self._cache_size, used)

    def cache_clear(self) -> None:
        self._core.cache_clear()


def _scanner(vocab: Vocab, pattern: SplitPattern) -> tuple[str, _native.Scanner]:
    """Choose the fastest way to split that gives the pieces of the reference."""
    if name := FAMILIES.get(pattern.source):
        # A token within ASCII holds no place between two characters of three bytes.
        tokens = [token for token in vocab.ids if not token.isascii()]
        return f"simd:{name}", _native.family_scanner(name, char_classes(), tokens)
    try:
        dfa = compile_dfa(pattern)
    except NotInDialect:
        return "regex", _native.Scanner()
    pages, transitions = dfa.pages.tobytes(), dfa.transitions.tobytes()
    return "dfa", _native.dfa_scanner(pages, dfa.classes, transitions, dfa.width)


@cache
def char_classes() -> _native.CharClasses:
    """Lay out which code points are letters, numbers and white space: 1, 2 and 3."""
    classes = bytearray(0x110000)
    for category, bounds in CATEGORIES.items():
        number = {"L": 1, "N": 2, "Z": 3}.get(category[0])
        if number:
            for start, end in zip(bounds[::2], bounds[1::2], strict=True):
                classes[start:end] = bytes([number]) * (end - start)
    for point in _WHITE_CONTROLS:
        classes[point] = 3
    return _native.CharClasses(bytes(classes))
