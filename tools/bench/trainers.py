"""The peers that train, and the process of one of them.

    python -m tools.bench.trainers PEER FILE VOCAB_SIZE THREADS [TOKENS_FILE]

Each line of the file, with its line feed, is a text; the split is GPT-2's.  Prints what
training took as JSON, and writes the tokens learned, in the order of ranks, in hexadecimal.
"""

# mypy: disable-error-code="import-not-found, import-untyped"

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from time import perf_counter, process_time

#: Tokens, of those that are not single bytes, in the order in which they were learned.
Train = Callable[[str, int, int], list[bytes]]

GPT2_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


@dataclass(frozen=True, slots=True)
class Trainer:
    """A library that trains; `exact` if its merges should be those of Hugging Face's."""

    package: str
    train: Train
    exact: bool = True

    def version(self) -> str | None:
        """Return the version, None if it is not installed."""
        try:
            return metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return None


def _lines(path: str) -> Iterator[str]:
    with open(path, encoding="utf-8", newline="\n") as file:
        yield from file


def _ours(path: str, size: int, threads: int) -> list[bytes]:
    import warnings

    import bytebpe

    with open(path, "rb") as lines, warnings.catch_warnings():
        warnings.simplefilter("ignore", bytebpe.errors.TrainingWarning)
        tok = bytebpe.train(lines, vocab_size=size, num_threads=threads)
    return [left + right for left, right in tok.merges]


def _huggingface(path: str, size: int, threads: int) -> list[bytes]:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    level = pre_tokenizers.ByteLevel
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = level(add_prefix_space=False)
    options = {"initial_alphabet": level.alphabet(), "show_progress": False}
    tok.train([path], trainers.BpeTrainer(vocab_size=size, min_frequency=2, **options))
    return _joined(json.loads(tok.to_str())["model"]["merges"])


def _gigabpe(path: str, size: int, threads: int) -> list[bytes]:
    import gigabpe

    # Its alphabet is what occurs in the file, ours always all bytes.
    seen: set[int] = set()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            seen.update(block)
    size += len(seen) - 256
    _, merges = gigabpe.train_bpe(
        [path], size, pretokenizer="bytelevel", special_tokens=[], min_frequency=2, threads=threads
    )
    return _joined(merges)


def _rustbpe(path: str, size: int, threads: int) -> list[bytes]:
    import rustbpe

    tok = rustbpe.Tokenizer()
    tok.train_from_iterator(_lines(path), size, pattern=GPT2_PATTERN)
    return [bytes(token) for token, _ in tok.get_mergeable_ranks() if len(token) > 1]


def _bpeasy(path: str, size: int, threads: int) -> list[bytes]:
    import bpeasy

    vocab = bpeasy.train_bpe(_lines(path), GPT2_PATTERN, 1 << 30, size)
    return [token for token in sorted(vocab, key=vocab.__getitem__) if len(token) > 1]


def _sentencepiece(path: str, size: int, threads: int) -> list[bytes]:
    import io

    import sentencepiece

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        input=path, model_writer=model, vocab_size=size, model_type="bpe", num_threads=threads,
        byte_fallback=True, minloglevel=2, hard_vocab_limit=False, max_sentence_length=1 << 26,
    )  # fmt: skip
    tok = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return [tok.id_to_piece(id).encode() for id in range(tok.get_piece_size())]


TRAINERS = {
    "bytebpe": Trainer("bytebpe", _ours),
    "gigabpe": Trainer("gigabpe", _gigabpe),
    "tokenizers": Trainer("tokenizers", _huggingface),
    "rustbpe": Trainer("rustbpe", _rustbpe, exact=False),
    "bpeasy": Trainer("bpeasy", _bpeasy, exact=False),
    "sentencepiece": Trainer("sentencepiece", _sentencepiece, exact=False),
}


def _joined(merges: list[str | list[str]]) -> list[bytes]:
    from bytebpe.bytemap import to_bytes

    pairs = (merge.split(" ") if isinstance(merge, str) else merge for merge in merges)
    return [to_bytes(left) + to_bytes(right) for left, right in pairs]


def main() -> None:
    """Train as the command line says."""
    name, path, size, threads, *tokens_file = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # a peer that prints must not spoil the answer
    trainer = TRAINERS[name]
    wall, cpu = perf_counter(), process_time()
    tokens = trainer.train(path, int(size), int(threads))
    took = {"wall": perf_counter() - wall, "cpu": process_time() - cpu, "tokens": len(tokens)}
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    for file in tokens_file:
        Path(file).write_text("\n".join(token.hex() for token in tokens), encoding="ascii")
    print(json.dumps(took | {"peak": int(peak.split()[1]) / 1024}), file=answers, flush=True)


if __name__ == "__main__":
    main()
