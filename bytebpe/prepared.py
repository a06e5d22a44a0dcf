"""Text to ids for tokenizers that do more to a text than split it: see `pipeline`.

The ordinary text that remains goes to the same encoder as everywhere, many stretches at a time.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import NamedTuple

from .added import find
from .alignment import spans_in
from .encode import ALL, NONE, Encoder, Specials, TokenBatch, cores, rule_of
from .errors import SpecialTokenError
from .normalize import aligned, normalize
from .offsets import Span
from .ordinary import array_type, batch_of
from .patterns import compile_pattern
from .pipeline import AddedToken, Pipeline
from .pretokenize import split
from .specials import Finder
from .vocab import Vocab


class Stretch(NamedTuple):
    """A stretch of a text: from `start` to `end` there, as `text` to be encoded or as an `id`."""

    text: str
    id: int | None
    start: int
    end: int


class _Wanted(NamedTuple):
    """The tokens to look for, by the text to look for, and how to find them."""

    tokens: Mapping[str, AddedToken]
    finder: Finder


class PreparedEncoder(Encoder):
    """Encode with one vocabulary, one pattern and what surrounds them."""

    def __init__(
        self, vocab: Vocab, pattern: str, cache_size: int | None, pipeline: Pipeline
    ) -> None:
        super().__init__(vocab, pattern, cache_size, ignore_merges=pipeline.ignore_merges)
        self._typecode = array_type(vocab)
        # There is no short way for short texts.
        self.quick_encode = self.quick_encode_ordinary = self.quick_encode_array = _long_way
        self._pipeline = pipeline
        self._forms = pipeline.normalizer
        self._presplits = [compile_pattern(source) for source in pipeline.presplits]
        flags = {token.content: token for token in pipeline.added}
        plain = {content: AddedToken(content) for content in vocab.special_tokens}
        tokens = list({**plain, **flags}.values())
        self._added_ids = {token.content: vocab.token_id(token.content) for token in tokens}
        # Of two that are looked for by the same text a special one counts, else the first.
        tokens.sort(key=lambda token: not token.special)
        self._tokens = tokens
        self._specials = {
            token.content: self._added_ids[token.content] for token in tokens if token.special
        }
        self._rule = lru_cache(maxsize=64)(partial(rule_of, self._specials))
        self._usual = self._rule(NONE, ALL)
        self._ordinary = self._rule(NONE, NONE)
        self._wanted = lru_cache(maxsize=64)(self._find_wanted)

    def encode(self, text: str, allowed: Specials, disallowed: Specials) -> list[int]:
        return self._encode([self.stretches(text, allowed, disallowed)], 1)[0]

    def count(self, text: str, allowed: Specials, disallowed: Specials) -> int:
        return len(self.encode(text, allowed, disallowed))

    def encode_array(self, text: str, allowed: Specials, disallowed: Specials) -> memoryview:
        return memoryview(array(self._typecode, self.encode(text, allowed, disallowed)))

    def encode_batch(
        self, texts: Sequence[str], allowed: Specials, disallowed: Specials, threads: int | None
    ) -> list[list[int]]:
        rows = [self.stretches(text, allowed, disallowed) for text in texts]
        return self._encode(rows, threads or cores())

    def encode_batch_arrays(
        self, texts: Sequence[str], allowed: Specials, disallowed: Specials, threads: int | None
    ) -> TokenBatch:
        return batch_of(self.encode_batch(texts, allowed, disallowed, threads), self._typecode)

    def encode_ordinary(self, text: str) -> list[int]:
        return self.encode(text, (), ())

    def encode_bytes(self, data: bytes) -> list[int]:
        if not isinstance(data, (bytes, bytearray, memoryview)):
            return super().encode_bytes(data)  # which refuses it
        data = bytes(data)
        if self._pipeline.lossless:
            try:
                return self.encode_ordinary(data.decode())
            except UnicodeDecodeError:
                pass
        pieces = self._presplit(data.decode(errors="surrogateescape"))
        parts = [piece.encode(errors="surrogateescape") for piece in pieces]
        return list(chain.from_iterable(map(self._text_encoder.encode_bytes, parts)))

    def pieces(self, text: str, allowed: Specials = ALL) -> list[str]:
        return [
            piece
            for stretch in self.stretches(text, allowed, NONE)
            if stretch.id is None
            for part in self._presplit(stretch.text)
            for piece in split(part, self._pattern)
        ]

    def stretches(self, text: str, allowed: Specials, disallowed: Specials) -> list[Stretch]:
        """Cut the tokens out of a text and prepare what is between them.

        Raises `SpecialTokenError` for a special token that is not allowed, whether it stands
        in the text or comes to stand there when the text is normalized.
        """
        if fault := self.asked_for(allowed, disallowed).fault(text):
            raise fault
        raw, normalized = self._wanted(frozenset(self._chosen(allowed)))
        result = []
        for stretch in self._cut(Stretch(text, None, 0, len(text)), raw):
            if stretch.id is not None:
                result.append(stretch)
                continue
            prepared = normalize(stretch.text, self._forms)
            if prepared != stretch.text:
                self._refuse_new(prepared, stretch.start, allowed, disallowed)
            same = prepared == stretch.text
            for part in self._cut(stretch._replace(text=prepared), normalized, same=same):
                if part.id is None and self._pipeline.prefix_space and part.text[0] != " ":
                    part = part._replace(text=" " + part.text)
                result.append(part)
        return result

    def spans(
        self, text: str, allowed: Specials, disallowed: Specials
    ) -> tuple[list[int], list[Span]]:
        """Return the ids of a text, and where each lies in its bytes."""
        rows = self.stretches(text, allowed, disallowed)
        encoded = self._encode([[row] for row in rows], 1)
        ids: list[int] = []
        spans: list[Span] = []
        char = start = 0
        for row, found in zip(rows, encoded, strict=True):
            if row.start > char:
                start += len(text[char : row.start].encode())
                char = row.start
            ids += found
            if row.id is not None:
                spans.append((start, start + len(text[row.start : row.end].encode())))
                continue
            segments = self._segments(text[row.start : row.end], row.text)
            in_bytes = [(len(was.encode()), len(is_now.encode())) for was, is_now in segments]
            spans += spans_in([len(self._vocab.tokens[id]) for id in found], in_bytes, start)
        return ids, spans

    def _segments(self, source: str, prepared: str) -> list[tuple[str, str]]:
        """Cut a stretch into the shortest parts of which each was prepared by itself."""
        space = [("", " ")] if prepared == " " + normalize(source, self._forms) else []
        if prepared[len(space) :] == source:
            return [*space, (source, source)]
        parts = [*space, *aligned(source, self._forms)]
        whole = "".join(is_now for _, is_now in parts) == prepared
        return parts if whole else [(source, prepared)]

    def _chosen(self, specials: Specials) -> Collection[str]:
        every = self._specials.keys()
        return every if isinstance(specials, str) else every & set(specials)

    def _refuse_new(
        self, prepared: str, start: int, allowed: Specials, disallowed: Specials
    ) -> None:
        refused = set(self._chosen(disallowed))
        if isinstance(disallowed, str):
            refused -= set(self._chosen(allowed))
        for token in self._tokens:
            if (
                token.normalized
                and token.content in refused
                and normalize(token.content, self._forms) in prepared
            ):
                raise SpecialTokenError(
                    f"special token {token.content!r} comes to stand in the text when it is "
                    "normalized; disallowed_special=() encodes it as ordinary text",
                    token.content,
                    start,
                )

    def _find_wanted(self, allowed: frozenset[str]) -> tuple[_Wanted | None, _Wanted | None]:
        raw: dict[str, AddedToken] = {}
        normalized: dict[str, AddedToken] = {}
        for token in self._tokens:
            if token.special and token.content not in allowed:
                continue
            if token.normalized:
                looked_for = normalize(token.content, self._forms)
                normalized.setdefault(looked_for, token)
            else:
                raw[token.content] = token
        first, second = (_Wanted(group, Finder(group)) for group in (raw, normalized))
        return (first if raw else None), (second if normalized else None)

    def _cut(
        self, stretch: Stretch, wanted: _Wanted | None, *, same: bool = True
    ) -> Iterator[Stretch]:
        """Yield what a stretch consists of, no stretch of it empty.

        Places are those of the original, which a stretch that is not the `same` has at its ends.
        """
        text, start, end = stretch.text, stretch.start, 0

        def part(id: int | None, first: int, last: int) -> Stretch:
            if same:
                return Stretch(text[first:last], id, start + first, start + last)
            return Stretch(text[first:last], id, start, stretch.end)

        if wanted:
            for token, first, last in find(text, *wanted):
                if end < first:
                    yield part(None, end, first)
                yield part(self._added_ids[token.content], first, last)
                end = last
        if end < len(text):
            yield part(None, end, len(text))

    def _presplit(self, text: str) -> list[str]:
        pieces = [text]
        for pattern in self._presplits:
            pieces = [part for piece in pieces for part in split(piece, pattern)]
        return pieces

    def _encode(self, rows: Sequence[Sequence[Stretch]], threads: int) -> list[list[int]]:
        """Encode all ordinary stretches at once, and put the rows together again."""
        texts = [self._presplit(s.text) for row in rows for s in row if s.id is None]
        pieces = list(chain.from_iterable(texts))
        encoded = self._text_encoder.encode_batch(pieces, threads) or []
        ids, sizes = iter(encoded), map(len, texts)
        result = []
        for row in rows:
            joined: list[int] = []
            for stretch in row:
                if stretch.id is None:
                    for _ in range(next(sizes)):
                        joined += next(ids)
                else:
                    joined.append(stretch.id)
            result.append(joined)
        return result


def _long_way(text: str) -> None:
    return None
