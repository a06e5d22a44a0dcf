"""Vocabularies that come with the package.

gpt2.bin holds GPT-2's 50,000 merges, compressed by zlib: the ids of all left parts and
then of all right parts, each as 16 bits with the low bytes of all before the high bytes
of all, which compresses best.  `tools/gpt2_asset.py` writes it from OpenAI's vocab.bpe;
a test rebuilds that file from it and compares the published SHA-256.
"""

from __future__ import annotations

import zlib
from importlib.resources import files

from ..bytemap import ID_ORDER
from ..vocab import Merge, Vocab


def gpt2() -> Vocab:
    """Return GPT-2's vocabulary of 50,257 tokens."""
    planes = zlib.decompress(files(__package__).joinpath("gpt2.bin").read_bytes())
    count = len(planes) // 4
    left_low, left_high, right_low, right_high = (
        planes[i * count : (i + 1) * count] for i in range(4)
    )
    tokens = [bytes([byte]) for byte in ID_ORDER]
    merges: list[Merge] = []
    for ll, lh, rl, rh in zip(left_low, left_high, right_low, right_high, strict=True):
        merge = tokens[ll | lh << 8], tokens[rl | rh << 8]
        merges.append(merge)
        tokens.append(merge[0] + merge[1])
    return Vocab.from_merges(merges, ["<|endoftext|>"])
