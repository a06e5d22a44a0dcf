"""Byte-level BPE in the GPT-2 style: train, encode, decode, and see how it works.

>>> import bytebpe
>>> tok = bytebpe.pretrained("gpt2")
>>> tok.decode(tok.encode("Hello 世界 👋")) == "Hello 世界 👋"
True
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from . import errors, patterns
from . import train as _reference  # noqa: F401
from .bytemap import bytes_to_unicode
from .encode import TokenBatch
from .library import load, pretrained
from .tokenizer import Tokenizer
from .vocab import Vocab

if _TYPE_CHECKING:
    from .alignment import Alignment
    from .budget import Chunk
    from .comparison import compare, diff
    from .compression import compress
    from .idmap import IdMap
    from .incremental import Appended, IncrementalEncoder, StreamEncoder
    from .integrations.hub import from_hub
    from .piece_counts import PieceCounts, count_pieces
    from .report import TrainingReport
    from .sources import read_texts
    from .stream_decode import StreamDecoder, StreamDecoders
    from .training import train, train_from_counts
    from .training_trace import trace_training
    from .unstable import Unstable

__version__ = "0.1.0"

__all__ = [
    "Alignment",
    "Appended",
    "Chunk",
    "IdMap",
    "IncrementalEncoder",
    "PieceCounts",
    "StreamDecoder",
    "StreamDecoders",
    "StreamEncoder",
    "TokenBatch",
    "Tokenizer",
    "TrainingReport",
    "Unstable",
    "Vocab",
    "bytes_to_unicode",
    "compare",
    "compress",
    "count_pieces",
    "diff",
    "errors",
    "from_hub",
    "load",
    "patterns",
    "pretrained",
    "read_texts",
    "trace_training",
    "train",
    "train_from_counts",
]

#: What is imported when it is asked for: those who only encode need not wait for it.
_LATE = {
    "compare": "comparison",
    "compress": "compression",
    "diff": "comparison",
    "trace_training": "training_trace",
    "PieceCounts": "piece_counts",
    "TrainingReport": "report",
    "count_pieces": "piece_counts",
    "read_texts": "sources",
    "Appended": "incremental",
    "Chunk": "budget",
    "IncrementalEncoder": "incremental",
    "StreamDecoder": "stream_decode",
    "StreamDecoders": "stream_decode",
    "StreamEncoder": "incremental",
    "Unstable": "unstable",
    "Alignment": "alignment",
    "IdMap": "idmap",
    "from_hub": "integrations.hub",
    "train": "training",
    "train_from_counts": "training",
}

# The module of the name has been imported, so that it can no more take the function's place.
del globals()["train"]


def __getattr__(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{_LATE[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE})
