"""Tokenizers that other libraries train, for comparison: the extra `compare`.

Each is trained by its own library, in its usual way, on the same texts at the same size.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, Final

from ..errors import MissingDependency, TrainingError

#: A sentence of more bytes than this is left out by SentencePiece; its own limit is 4192.
_LONGEST: Final = 10**6


def wordpiece(texts: Iterable[str], vocab_size: int) -> Any:
    """Train WordPiece, which is BERT's, by Hugging Face."""
    hf = needed("tokenizers")
    tok = hf.Tokenizer(hf.models.WordPiece(unk_token="[UNK]"))
    tok.pre_tokenizer = hf.pre_tokenizers.BertPreTokenizer()
    tok.decoder = hf.decoders.WordPiece(cleanup=False)
    trainer = hf.trainers.WordPieceTrainer(
        vocab_size=vocab_size, special_tokens=["[UNK]"], show_progress=False
    )
    tok.train_from_iterator(texts, trainer)
    return tok


def unigram(texts: Iterable[str], vocab_size: int) -> Any:
    """Train a Unigram model by Hugging Face."""
    hf = needed("tokenizers")
    tok = hf.Tokenizer(hf.models.Unigram())
    tok.pre_tokenizer = hf.pre_tokenizers.Metaspace()
    tok.decoder = hf.decoders.Metaspace()
    trainer = hf.trainers.UnigramTrainer(
        vocab_size=vocab_size, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
    )
    tok.train_from_iterator(texts, trainer)
    return tok


def sentencepiece(texts: Iterable[str], vocab_size: int) -> Any:
    """Train BPE over characters by SentencePiece."""
    return _sentencepiece(texts, vocab_size, byte_fallback=False)


def sentencepiece_bytes(texts: Iterable[str], vocab_size: int) -> Any:
    """Train BPE over characters by SentencePiece, with bytes for the unknown ones."""
    return _sentencepiece(texts, vocab_size, byte_fallback=True)


#: How each is called in reports, and how it is trained.
PEERS: Final[dict[str, tuple[str, Callable[[Iterable[str], int], Any]]]] = {
    "wordpiece": ("WordPiece", wordpiece),
    "unigram": ("Unigram", unigram),
    "sentencepiece": ("SentencePiece", sentencepiece),
    "sentencepiece-bytes": ("SentencePiece + bytes", sentencepiece_bytes),
}


def _sentencepiece(texts: Iterable[str], vocab_size: int, *, byte_fallback: bool) -> Any:
    spm = needed("sentencepiece")
    model = io.BytesIO()
    try:
        spm.SentencePieceTrainer.train(
            sentence_iterator=_lines(texts),
            model_writer=model,
            vocab_size=vocab_size,
            model_type="bpe",
            byte_fallback=byte_fallback,
            max_sentence_length=_LONGEST,
            hard_vocab_limit=False,
            minloglevel=2,
        )
    except RuntimeError as error:
        raise TrainingError(f"SentencePiece cannot train {vocab_size} tokens: {error}") from error
    return spm.SentencePieceProcessor(model_proto=model.getvalue())


def _lines(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from filter(str.strip, text.split("\n"))


def needed(package: str) -> Any:
    """Import an optional package; raises `MissingDependency` where it is not installed."""
    try:
        module = import_module(package)
    except ImportError:
        raise MissingDependency(
            f"this comparison needs the package {package}: pip install 'bytebpe[compare]'"
        ) from None
    if package == "tokenizers":
        for part in ("models", "trainers", "pre_tokenizers", "decoders"):
            import_module(f"tokenizers.{part}")
    return module
