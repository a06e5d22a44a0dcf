"""Convert a tokenizer to another format, and prove that it gives the same ids.

What was written is read again, and opened in the format's own library where that is installed.
Both encode a text made to be hard, random strings of characters and of the vocabulary's own
tokens, and the texts given.  One difference is an error.

>>> import bytebpe, tempfile
>>> proof = convert(bytebpe.pretrained("gpt2"), tempfile.mkdtemp(), texts=["Hello"], strings=10)
>>> proof.texts, proof.ids > 300
(12, True)
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, Final

from . import formats
from .errors import ConversionError
from .formats import tiktoken
from .library import load
from .patterns import GPT2
from .tokenizer import Tokenizer

Encode = Callable[[str], list[int]]

#: What tells tokenizers apart: white space of all kinds, marks, joiners, contractions, numbers,
#: scripts without spaces, and characters that some library takes for something else.
HARD: Final = (
    "Hello, world!  It's 12345 o'clock, WE'LL see 'S\u017f don’t\r\n\r\n\t\tdef f(x):\n"
    "        return x**2  \n"
    " \u00a0\u2003\u3000x\u0085y\u2028z\ufeff\u200b\u200d\u00ad \x00\x1c\x1f\x7f"
    "café cafe\u0301 Ångström \u212bngström ﬁn naïve İstanbul ıI ßẞ ǅ ½ ² Ⅻ ٣٤ १२३ "
    "Ελληνικά ΆΈ ᾳ Русский язык Ё עִבְרִית العَرَبِيَّة हिन्दी में தமிழ் ภาษาไทย "
    "中文，你好世界。日本語ｱｲｳ 한국어 "
    "\u1112\u1161\u11ab አማርኛ 𞤀𞤣𞤤𞤢𞤥 𠮷𡈽 👋🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇯🇵🇧🇷 1️⃣ ☺︎ "
    "\ufffd\U0010fffd\U000e0067 \u0558\u0c5c"
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa                              !!!!!!!!!!\n\n\n\n\n   \n  x\n"
    "https://example.org/a_b?c=d&e=%20#f <|endoftext|> <s></s> [INST] "
    "{'key': [1.5e-3, null]} \\n"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Proof:
    """What was compared: `ids` by each of the `readers`, in so many `texts`."""

    path: str
    format: str
    readers: tuple[str, ...]
    texts: int
    ids: int

    def __str__(self) -> str:
        return (
            f"{self.path}: {self.ids} ids of {self.texts} texts are the same, "
            f"read by {' and by '.join(self.readers)}"
        )


def convert(
    tok: Tokenizer,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    texts: Iterable[str] = (),
    strings: int = 1000,
) -> Proof:
    """Save a tokenizer in a format and return the proof that the ids are the same.

    Without `format` the name of the file decides, and a directory becomes "gpt2".  `strings`
    is the number of random strings.  Raises `FormatError` for what the format cannot say, and
    `ConversionError` with the first text on which the ids differ.
    """
    format = format or format_of(path)
    tok.save(path, format=format)
    place = Path(path)
    readers: dict[str, tuple[Encode, Encode]] = {"bytebpe": _ours(tok, place, format)}
    if format in _PEERS and (peer := _PEERS[format](tok, place)):
        name, ours, theirs = peer
        readers[name] = ours, theirs
    count = ids = 0
    for text in _texts(tok, texts, strings):
        for name, (ours, theirs) in readers.items():
            expected, found = ours(text), theirs(text)
            if expected != found:
                raise ConversionError(_difference(text, expected, found, f"{path}, read by {name}"))
        count, ids = count + 1, ids + len(expected)
    return Proof(str(path), format, tuple(readers), count, ids)


def format_of(path: str | os.PathLike[str]) -> str:
    """Return the format that a file of this name has; "gpt2" for a directory.

    >>> format_of("a/tokenizer.json"), format_of("tekken.json"), format_of("directory")
    ('huggingface', 'tekken', 'gpt2')
    """
    place = Path(path)
    if place.name == "tekken.json":
        return "tekken"
    return next((name for name, end in formats.SUFFIXES.items() if end == place.suffix), "gpt2")


def _texts(tok: Tokenizer, texts: Iterable[str], strings: int) -> Iterator[str]:
    yield HARD
    yield from texts
    draw = random.Random(0)
    tokens = [token.decode("utf-8", "ignore") for token in tok.vocab.tokens.values()]
    for number in range(strings):
        if number % 2:
            yield "".join(draw.choice(tokens) for _ in range(draw.randint(1, 20)))
        else:
            highest = draw.choice([0x80, 0x800, 0x3000, 0xD800, 0x20000, 0x110000])
            points = [draw.randrange(highest) for _ in range(draw.randint(0, 40))]
            yield "".join(chr(point) for point in points if not 0xD800 <= point < 0xE000)


def _all(tok: Tokenizer) -> Encode:
    return lambda text: tok.wrap(tok.encode(text, allowed_special="all"))


def _ours(tok: Tokenizer, place: Path, format: str) -> tuple[Encode, Encode]:
    alone = format == "tiktoken" and not place.is_dir()  # and says nothing but ranks
    again = load(
        place,
        pattern=tok.pattern if alone else None,
        special_tokens=tok.special_tokens if alone else None,
    )
    return _all(tok), _all(again)


def _huggingface(tok: Tokenizer, place: Path) -> tuple[str, Encode, Encode] | None:
    tokenizers = _module("tokenizers")
    if tokenizers is None:
        return None
    path = place / "tokenizer.json" if place.is_dir() else place
    peer = tokenizers.Tokenizer.from_file(str(path))
    return _named("tokenizers"), _all(tok), lambda text: list(peer.encode(text).ids)


def _gpt2(tok: Tokenizer, place: Path) -> tuple[str, Encode, Encode] | None:
    # The pair of files says nothing of patterns and special tokens; the library supposes GPT-2.
    tokenizers = _module("tokenizers")
    if tokenizers is None or tok.pattern != GPT2 or not tok.pipeline.is_plain:
        return None
    files = (str(place / "vocab.json"), str(place / "merges.txt"))
    peer = tokenizers.ByteLevelBPETokenizer(*files)
    return _named("tokenizers"), tok.encode_ordinary, lambda text: list(peer.encode(text).ids)


def _tiktoken(tok: Tokenizer, place: Path) -> tuple[str, Encode, Encode] | None:
    library = _module("tiktoken")
    if library is None or not tok.pipeline.is_plain:
        return None
    path = place / tiktoken.NAME if place.is_dir() else place
    peer = library.Encoding(
        "converted",
        pat_str=tok.pattern,
        mergeable_ranks=tiktoken.read_ranks(path, path.read_bytes()),
        special_tokens=tok.special_tokens,
    )
    return (
        _named("tiktoken"),
        lambda text: tok.encode(text, allowed_special="all"),
        lambda text: list(peer.encode(text, allowed_special="all")),
    )


def _tekken(tok: Tokenizer, place: Path) -> tuple[str, Encode, Encode] | None:
    library = _module("mistral_common.tokens.tokenizers.tekken")
    if library is None:
        return None
    peer = library.Tekkenizer.from_file(place / "tekken.json" if place.is_dir() else place)
    return (
        _named("mistral-common"),
        tok.encode_ordinary,
        lambda text: list(peer.encode(text, bos=False, eos=False)),
    )


_PEERS: Final = {
    "huggingface": _huggingface,
    "gpt2": _gpt2,
    "tiktoken": _tiktoken,
    "tekken": _tekken,
}


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


def _named(distribution: str) -> str:
    return f"{distribution} {metadata.version(distribution)}"


def _difference(text: str, expected: list[int], found: list[int], reader: str) -> str:
    at = next(
        (
            at
            for at, (mine, other) in enumerate(zip(expected, found, strict=False))
            if mine != other
        ),
        min(len(expected), len(found)),
    )
    shown = text if len(text) <= 200 else text[:200] + "..."
    return (
        f"{reader}: the ids of {shown!r} differ from the {at + 1}th on: "
        f"{expected[at : at + 5]} became {found[at : at + 5]}"
    )
