"""Byte-level BPE in the GPT-2 style: train, encode, decode, and see how it works.

>>> import bytebpe
>>> tok = bytebpe.pretrained("gpt2")
>>> tok.decode(tok.encode("Hello 世界 👋")) == "Hello 世界 👋"
True
"""

from . import errors, patterns
from .bytemap import bytes_to_unicode
from .decode import StreamDecoder
from .encode import TokenBatch
from .library import load, pretrained
from .piece_counts import PieceCounts, count_pieces
from .report import TrainingReport
from .sources import read_texts
from .tokenizer import Tokenizer
from .training import train, train_from_counts
from .vocab import Vocab

__version__ = "0.1.0"

__all__ = [
    "PieceCounts",
    "StreamDecoder",
    "TokenBatch",
    "Tokenizer",
    "TrainingReport",
    "Vocab",
    "bytes_to_unicode",
    "count_pieces",
    "errors",
    "load",
    "patterns",
    "pretrained",
    "read_texts",
    "train",
    "train_from_counts",
]
