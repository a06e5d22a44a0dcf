"""Tokenizers of every make behind one face, so that one measure fits all.

A `Subject` says what a tokenizer makes of a text, what of it is unknown, what comes back,
and which bytes each token stands for.  Other libraries are recognised by the class of what
they hand over; none is imported here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..baselines import WordVocab
from ..bytemap import to_bytes
from ..charbpe import END, CharBPE
from ..display import is_whole
from ..errors import VocabError
from ..tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Subject:
    """A tokenizer to compare.

    `decode` gets ids without the unknown ones.  `token_bytes` gives what an id stands for,
    in UTF-8, and b"" for marks that stand for nothing.  `on_curve` is for the smaller sizes of
    a tokenizer that is there at full size too.
    """

    name: str
    vocab_size: int
    encode: Callable[[str], Sequence[int]]
    decode: Callable[[Sequence[int]], str]
    token_bytes: Callable[[int], bytes]
    unknown: frozenset[int] = frozenset()
    on_curve: bool = False

    def known(self, ids: Iterable[int]) -> list[int]:
        """Leave the unknown ids out."""
        return [id for id in ids if id not in self.unknown]

    def tokens(self) -> dict[int, bytes]:
        """Return what each id stands for."""
        return {id: self.token_bytes(id) for id in range(self.vocab_size)}

    def cut(self) -> frozenset[int]:
        """Return the ids of tokens that begin or end inside a character."""
        return frozenset(id for id, token in self.tokens().items() if not is_whole(token))


def subject(name: str, tokenizer: Any, *, on_curve: bool = False) -> Subject:
    """Wrap a tokenizer of ours, of tiktoken, tokenizers, transformers or SentencePiece.

    Raises `TypeError` for anything else.

    >>> from ..baselines import pure_bytes
    >>> subject("bytes", pure_bytes()).encode("ab")
    [64, 65]
    """
    if isinstance(tokenizer, Tokenizer):
        return _ours(name, tokenizer, on_curve)
    if isinstance(tokenizer, CharBPE):
        return Subject(
            name,
            len(tokenizer),
            tokenizer.encode,
            tokenizer.decode,
            lambda id: tokenizer.token(id).removesuffix(END).encode(),
            frozenset([0]),
            on_curve,
        )
    if isinstance(tokenizer, WordVocab):
        return Subject(
            name,
            len(tokenizer),
            tokenizer.encode,
            tokenizer.decode,
            lambda id: tokenizer.token(id).encode(),
            frozenset([0]),
            on_curve,
        )
    makers = {
        "tiktoken": _tiktoken,
        "tokenizers": _huggingface,
        "transformers": _transformers,
        "sentencepiece": _sentencepiece,
    }
    for base in type(tokenizer).__mro__:
        maker = makers.get(base.__module__.split(".")[0])
        if maker is not None:
            return maker(name, tokenizer)
    raise TypeError(
        f"tokenizer {name!r}: cannot compare a {type(tokenizer).__name__}; expected one of "
        "bytebpe, tiktoken, tokenizers, transformers or SentencePiece"
    )


def _ours(name: str, tok: Tokenizer, on_curve: bool) -> Subject:
    tokens = tok.vocab.tokens
    return Subject(
        name,
        max(tokens) + 1,
        tok.encode_ordinary,
        tok.decode,
        lambda id: tokens.get(id, b""),
        on_curve=on_curve,
    )


def _tiktoken(name: str, encoding: Any) -> Subject:
    def token_bytes(id: int) -> bytes:
        try:
            token: bytes = encoding.decode_single_token_bytes(id)
        except KeyError:  # ids may have gaps
            return b""
        return token

    return Subject(name, encoding.n_vocab, encoding.encode_ordinary, encoding.decode, token_bytes)


def _transformers(name: str, tokenizer: Any) -> Subject:
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise TypeError(f"tokenizer {name!r}: only the fast tokenizers of transformers compare")
    return _huggingface(name, backend)


def _huggingface(name: str, tokenizer: Any) -> Subject:
    stored = json.loads(tokenizer.to_str())
    byte_level = '"ByteLevel"' in json.dumps([stored["decoder"], stored["pre_tokenizer"]])
    unknown = stored["model"].get("unk_token")
    if unknown is None and stored["model"].get("unk_id") is not None:
        unknown = stored["model"]["vocab"][stored["model"]["unk_id"]][0]
    added = {token["id"]: token["content"] for token in stored["added_tokens"]}
    ids = [] if unknown is None else [tokenizer.token_to_id(unknown)]

    def token_bytes(id: int) -> bytes:
        piece = added.get(id)
        if piece is not None:
            return str(piece).encode()
        piece = tokenizer.id_to_token(id) or ""
        if byte_level:
            try:
                return to_bytes(piece)
            except VocabError:
                return str(piece).encode()
        return _piece_bytes(piece.removeprefix("##"))

    return Subject(
        name,
        tokenizer.get_vocab_size(),
        lambda text: tokenizer.encode(text, add_special_tokens=False).ids,
        lambda some: tokenizer.decode(list(some), skip_special_tokens=False),
        token_bytes,
        frozenset(id for id in ids if id is not None),
    )


def _sentencepiece(name: str, processor: Any) -> Subject:
    return Subject(
        name,
        processor.vocab_size(),
        processor.encode,
        lambda some: processor.decode(list(some)),
        lambda id: b"" if processor.is_control(id) else _piece_bytes(processor.id_to_piece(id)),
        frozenset([processor.unk_id()]),
    )


def _piece_bytes(piece: str) -> bytes:
    if len(piece) == 6 and piece.startswith("<0x") and piece.endswith(">"):
        return bytes.fromhex(piece[3:5])  # byte fallback
    return piece.replace("\u2581", " ").encode()
