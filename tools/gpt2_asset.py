"""Write bytebpe/assets/gpt2.bin from OpenAI's vocab.bpe.

    python tools/gpt2_asset.py path/to/vocab.bpe

The published SHA-256 of vocab.bpe is checked first.
"""

from __future__ import annotations

import hashlib
import sys
import zlib
from pathlib import Path

from bytebpe.bytemap import to_bytes
from bytebpe.vocab import Vocab

PUBLISHED_SHA256 = "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"
TARGET = Path(__file__).parent.parent / "bytebpe" / "assets" / "gpt2.bin"


def pack(vocab_bpe: bytes) -> bytes:
    """Return the asset for the bytes of vocab.bpe."""
    if hashlib.sha256(vocab_bpe).hexdigest() != PUBLISHED_SHA256:
        raise SystemExit("this is not the published vocab.bpe")
    lines = vocab_bpe.decode("utf-8").split("\n")[1:-1]
    merges = [tuple(map(to_bytes, line.split(" "))) for line in lines]
    ids = Vocab.from_merges([(left, right) for left, right in merges]).ids
    parts = [[ids[merge[side]] for merge in merges] for side in (0, 1)]
    planes = (bytes(id >> shift & 0xFF for id in part) for part in parts for shift in (0, 8))
    return zlib.compress(b"".join(planes), level=9)


if __name__ == "__main__":
    TARGET.write_bytes(pack(Path(sys.argv[1]).read_bytes()))
