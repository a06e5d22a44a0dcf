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
        planes[start : start + count] for start in range(0, len(planes), count)
    )
    lefts = [low | high << 8 for low, high in zip(left_low, left_high, strict=True)]
    rights = [low | high << 8 for low, high in zip(right_low, right_high, strict=True)]
    tokens = [bytes([byte]) for byte in ID_ORDER]
    merges: list[Merge] = []
    for left, right in zip(lefts, rights, strict=True):
        merge = tokens[left], tokens[right]
        merges.append(merge)
        tokens.append(merge[0] + merge[1])
    made = range(len(ID_ORDER), len(tokens))
    merge_ids = zip(lefts, rights, made, strict=True)
    return Vocab._known(tokens, merges, merge_ids, "<|endoftext|>")
