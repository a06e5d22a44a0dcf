"""Print `_LATER` of bytebpe/normalize.py: what Unicode 16.0 normalizes and tokenizers does not.

    pip install unicodedata2==16.0.0 tokenizers && python tools/normalization_table.py

Each code point with a decomposition or a combining class is normalized by both, alone and
among marks.  The first halves of pairs that only the later version composes belong to them.
"""

from __future__ import annotations

import unicodedata2
from tokenizers import normalizers

FORMS = ("NFC", "NFD", "NFKC", "NFKD")
AROUND = ("{}", "a\u0301{}\u0327\u0323", "a\u0327\u0315{}\u0315\u0323")


def later() -> list[tuple[int, int]]:
    """Return the ranges, first and last of each."""
    points = set()
    for point in range(0x110000):
        char = chr(point)
        if unicodedata2.combining(char) or unicodedata2.decomposition(char):
            texts = [around.format(char) for around in AROUND]
            if any(_differs(form, text) for form in FORMS for text in texts):
                points.add(point)
                first, *more = unicodedata2.decomposition(char).split() or [""]
                if more and not first.startswith("<"):
                    points.add(int(first, 16))
    ranges: list[tuple[int, int]] = []
    for point in sorted(points):
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1] = (ranges[-1][0], point)
        else:
            ranges.append((point, point))
    return ranges


def _differs(form: str, text: str) -> bool:
    theirs: str = getattr(normalizers, form)().normalize_str(text)
    return theirs != unicodedata2.normalize(form, text)


def render() -> str:
    """Return the lines of the table."""
    pairs = [f"(0x{first:X}, 0x{last:X})," for first, last in later()]
    return "".join(f"    {' '.join(pairs[i : i + 4])}\n" for i in range(0, len(pairs), 4))


if __name__ == "__main__":
    print(render(), end="")
