"""The peers: one class for each library, which loads a vocabulary and names its ways.

Each way is the peer's own call wherever it has the right shape, so that no time is spent
in an adapter.  All encode ordinary text: special tokens are neither sought nor made,
as far as the peer lets one choose.  Where a peer takes the number of threads from the
environment, the process that it runs in sets it (see `process`).

Two things to know: toktok's ways to encode are private, its public ones only count; and
snaptokens, tokenizers and tokie return objects from which the ids have to be taken.
"""

# mypy: disable-error-code="import-not-found, import-untyped"

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar

from .ids import Ids, split_flat

#: cl100k's pattern as tiktoken has it, where it stands inside a function that downloads.
CL100K_TIKTOKEN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways in which a peer encodes and decodes; None where it has no such way.

    `array` gives anything with a buffer, `batch_arrays` whatever the peer gives, which
    `rows` turns into lists.  What is decoded may come as str or as UTF-8.
    """

    encode: Callable[[str], Ids]
    array: Callable[[str], Any] | None = None
    batch: Callable[[list[str], int], list[Ids]] | None = None  #: texts, threads
    batch_arrays: Callable[[list[str], int], Any] | None = None
    rows: Callable[[Any], list[Ids]] = lambda flat: split_flat(*flat)
    decode: Callable[[Ids], str | bytes] | None = None
    decode_array: Callable[[Any], str | bytes] | None = None  #: of an array of uint32
    decode_batch: Callable[[list[Ids], int], list[str]] | None = None  #: rows, threads


class Peer:
    """A library: its name here, its package, the vocabularies it can load."""

    name: str
    package: str
    vocabs: Sequence[str] = ("gpt2", "cl100k", "o200k")
    #: What has to be in the environment of the process.
    environment: ClassVar[dict[str, str]] = {}

    def load(self, vocab: str, files: Path) -> Ways:
        """Load a vocabulary from the files that `vocabs.write` made."""
        raise NotImplementedError

    def version(self) -> str | None:
        """Return the version, None if the peer is not installed."""
        try:
            return metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return None


class ByteBPE(Peer):
    """Ours."""

    name = package = "bytebpe"

    def load(self, vocab: str, files: Path) -> Ways:
        import bytebpe

        tok = bytebpe.pretrained("gpt2") if vocab == "gpt2" else bytebpe.load(files / "bytebpe")
        array_batch = getattr(tok, "encode_batch_arrays", None)
        return Ways(
            tok.encode_ordinary,
            getattr(tok, "encode_array", None),
            lambda texts, threads: tok.encode_batch(texts, num_threads=threads),
            array_batch and (lambda texts, threads: array_batch(texts, num_threads=threads)),
            lambda batch: split_flat(batch.ids, batch.offsets),
            tok.decode,
            tok.decode,
            lambda rows, threads: tok.decode_batch(rows, num_threads=threads),
        )

    def version(self) -> str | None:
        import bytebpe
        from bytebpe._kernels import ENGINE

        return f"{bytebpe.__version__} {ENGINE}"


class Pure(ByteBPE):
    """Ours without its native core."""

    name = "bytebpe-pure"
    environment: ClassVar[dict[str, str]] = {"BYTEBPE_PURE": "1"}


class Tiktoken(Peer):
    """The measure of right ids."""

    name = package = "tiktoken"

    def load(self, vocab: str, files: Path) -> Ways:
        from tiktoken import Encoding
        from tiktoken.load import load_tiktoken_bpe
        from tiktoken_ext.openai_public import r50k_pat_str

        from bytebpe.patterns import O200K

        pattern = {"gpt2": r50k_pat_str, "cl100k": CL100K_TIKTOKEN, "o200k": O200K}[vocab]
        ranks = load_tiktoken_bpe(str(files / f"{vocab}.tiktoken"))
        enc = Encoding(vocab, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        return Ways(
            enc.encode_ordinary,
            lambda text: enc.encode_to_numpy(text, disallowed_special=()),
            lambda texts, threads: enc.encode_ordinary_batch(texts, num_threads=threads),
            decode=enc.decode,
            decode_array=enc.decode,
            decode_batch=lambda rows, threads: enc.decode_batch(rows, num_threads=threads),
        )


class Tokenizers(Peer):
    """Hugging Face's."""

    name = package = "tokenizers"

    def load(self, vocab: str, files: Path) -> Ways:
        from tokenizers import Tokenizer

        tok = Tokenizer.from_file(str(files / "tokenizer.json"))
        return Ways(
            lambda text: tok.encode(text, add_special_tokens=False).ids,
            batch=lambda texts, _: [
                one.ids for one in tok.encode_batch_fast(texts, add_special_tokens=False)
            ],
            decode=tok.decode,
            decode_array=tok.decode,
            decode_batch=lambda rows, _: tok.decode_batch(rows),
        )


class Gigatoken(Peer):
    """Rust; the array is its own shape, and `tolist` the faster way to a list."""

    name = package = "gigatoken"

    def load(self, vocab: str, files: Path) -> Ways:
        from gigatoken import Tokenizer

        tok = Tokenizer.from_tiktoken(files / f"{vocab}.tiktoken", vocab, {})
        backend = tok.backend
        return Ways(
            lambda text: backend.encode(text).tolist(),
            backend.encode,
            lambda texts, threads: backend.encode_batch_list(texts, parallel=threads > 1),
            lambda texts, threads: backend.encode_batch(texts, parallel=threads > 1),
            lambda batch: batch.to_list(),
            backend.decode,
            backend.decode,
        )


class Splintr(Peer):
    """Rust; arrays are bytes."""

    name, package = "splintr", "splintr-rs"

    def load(self, vocab: str, files: Path) -> Ways:
        import splintr

        pattern = {
            "gpt2": splintr.GPT2_PATTERN,
            "cl100k": splintr.CL100K_BASE_PATTERN,
            "o200k": splintr.O200K_BASE_PATTERN,
        }[vocab]
        tok = splintr.Tokenizer(str(files / f"{vocab}.tiktoken"), pattern, {})
        return Ways(
            tok.encode_ordinary,
            tok.encode_flat,
            lambda texts, _: tok.encode_batch(texts),
            lambda texts, _: tok.encode_batch_flat(texts),
            decode=tok.decode_lossy,
            decode_array=tok.decode_lossy,
            decode_batch=lambda rows, _: tok.decode_batch_lossy(rows),
        )


class Snaptokens(Peer):
    """Rust."""

    name = package = "snaptokens"

    def load(self, vocab: str, files: Path) -> Ways:
        from snaptokens import Tokenizer

        tok = Tokenizer.from_file(str(files / "tokenizer.json"))
        return Ways(
            lambda text: tok.encode(text).ids,
            batch=lambda texts, _: [one.ids for one in tok.encode_batch(texts)],
            batch_arrays=lambda texts, _: tok.encode_batch_flat(texts),
            decode=tok.decode,
            decode_array=tok.decode,
            decode_batch=lambda rows, _: tok.decode_batch(rows),
        )


class Tokie(Peer):
    """Rust."""

    name = package = "tokie"

    def load(self, vocab: str, files: Path) -> Ways:
        from tokie import Tokenizer

        tok = Tokenizer.from_json(str(files / "tokenizer.json"))
        return Ways(
            lambda text: tok.encode(text, add_special_tokens=False).ids,
            batch=lambda texts, _: [
                one.ids for one in tok.encode_batch(texts, add_special_tokens=False)
            ],
            decode=tok.decode,
            decode_array=tok.decode,
            decode_batch=lambda rows, _: tok.decode_batch(rows),
        )


class BpeOpenAI(Peer):
    """Rust; refuses long texts."""

    name = package = "bpe-openai"
    vocabs = ("cl100k", "o200k")

    def load(self, vocab: str, files: Path) -> Ways:
        import bpe_openai

        enc = bpe_openai.get_encoding(f"{vocab}_base")
        return Ways(
            enc.encode_ordinary,
            lambda text: enc.encode_to_numpy(text, disallowed_special=()),
            lambda texts, threads: enc.encode_ordinary_batch(texts, num_threads=threads),
            decode=enc.decode,
            decode_array=enc.decode,
            decode_batch=lambda rows, threads: enc.decode_batch(rows, num_threads=threads),
        )


class Quicktok(Peer):
    """C++."""

    name, package = "quicktok", "quicktok-v1"
    vocabs = ("cl100k", "o200k")

    def load(self, vocab: str, files: Path) -> Ways:
        import quicktok

        enc = quicktok.get_encoding(f"{vocab}_base")
        return Ways(
            enc.encode_ordinary,
            batch_arrays=enc.encode_batch,
            decode=enc.decode,
            decode_array=enc.decode,
            decode_batch=lambda rows, _: enc.decode_batch(rows),
        )


class Toktok(Peer):
    """Rust."""

    name, package = "toktok", "toktok-rs"
    vocabs = ("cl100k", "o200k")

    def load(self, vocab: str, files: Path) -> Ways:
        import toktok

        enc = toktok._encoding(f"{vocab}_base")
        return Ways(
            enc.encode_ordinary,
            lambda text: enc.encode_to_numpy(text, disallowed_special=()),
            batch_arrays=enc.encode_batch_to_numpy,
            decode=enc.decode,
            decode_array=enc.decode,
            decode_batch=lambda rows, _: enc.decode_batch(rows),
        )


PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        ByteBPE(),
        Pure(),
        Gigatoken(),
        Snaptokens(),
        Splintr(),
        Toktok(),
        Quicktok(),
        Tokie(),
        BpeOpenAI(),
        Tiktoken(),
        Tokenizers(),
    )
}
