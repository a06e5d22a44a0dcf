"""Vocabularies that come with the package.

gpt2.bin holds GPT-2's 50,000 merges, compressed by zlib: the ids of all left parts and
then of all right parts, each as 16 bits with the low bytes of all before the high bytes
of all, which compresses best.  `tools/gpt2_asset.py` writes it from OpenAI's vocab.bpe;
a test rebuilds that file from it and compares the published SHA-256.
"""

from __future__ import annotations

import os
import sys
import zlib
from array import array

from ..bytemap import ID_ORDER
from ..vocab import Vocab


def gpt2() -> Vocab:
    """Return GPT-2's vocabulary of 50,257 tokens."""
    # Not by importlib.resources, which takes longer to import than all the rest to load.
    with open(os.path.join(os.path.dirname(__file__), "gpt2.bin"), "rb") as file:
        planes = zlib.decompress(file.read())
    count = len(planes) // 4
    numbers = bytearray(12 * count)  # of each merge left, right and result, as 32 bits
    for plane, place in enumerate((0, 1, 4, 5) if sys.byteorder == "little" else (3, 2, 7, 6)):
        numbers[place::12] = planes[plane * count : (plane + 1) * count]
    merges = array("I", numbers)
    merges[2::3] = array("I", range(len(ID_ORDER), len(ID_ORDER) + count))
    return Vocab.in_order(merges, "<|endoftext|>")
