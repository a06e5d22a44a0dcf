"""Unicode normalization that does not change when Python does.

The forms are those of Hugging Face's tokenizers, whose tables are from Unicode 10.  Unicode
promises never to change how an assigned character is normalized, so versions differ only on
what they do not know yet, which they leave alone.  The code points assigned since then that
normalization would change, in a later Python, stand in `_LATER`; a text is normalized in the
stretches between them.  That is exact: an unknown code point composes with nothing, and no
mark is moved across it.

>>> normalize("e\\u0301", ("NFC",)), normalize("ﬁ", ("NFKD",))
('é', 'fi')
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Final

from .pipeline import Form
from .unicode import CATEGORIES

#: First and last of each range, written by tools/normalization_table.py.
_LATER: Final = (
    (0x7FD, 0x7FD),
    (0x897, 0x89F),
    (0x8CA, 0x8D3),
    (0x9FE, 0x9FE),
    (0xC3C, 0xC3C),
    (0xD3B, 0xD3C),
    (0xEBA, 0xEBA),
    (0x1715, 0x1715),
    (0x1ABF, 0x1ACE),
    (0x1DF6, 0x1DFA),
    (0x32FF, 0x32FF),
    (0xA7F2, 0xA7F4),
    (0xA82C, 0xA82C),
    (0xAB69, 0xAB69),
    (0x105C9, 0x105C9),
    (0x105D2, 0x105D2),
    (0x105DA, 0x105DA),
    (0x105E4, 0x105E4),
    (0x10781, 0x10785),
    (0x10787, 0x107B0),
    (0x107B2, 0x107BA),
    (0x10D24, 0x10D27),
    (0x10D69, 0x10D6D),
    (0x10EAB, 0x10EAC),
    (0x10EFD, 0x10EFF),
    (0x10F46, 0x10F50),
    (0x10F82, 0x10F85),
    (0x11070, 0x11070),
    (0x1133B, 0x1133B),
    (0x11382, 0x11385),
    (0x1138B, 0x1138B),
    (0x1138E, 0x1138E),
    (0x11390, 0x11391),
    (0x113C2, 0x113C2),
    (0x113C5, 0x113C5),
    (0x113C7, 0x113C8),
    (0x113CE, 0x113D0),
    (0x1145E, 0x1145E),
    (0x11839, 0x1183A),
    (0x11935, 0x11935),
    (0x11938, 0x11938),
    (0x1193D, 0x1193E),
    (0x11943, 0x11943),
    (0x119E0, 0x119E0),
    (0x11A34, 0x11A34),
    (0x11A47, 0x11A47),
    (0x11A99, 0x11A99),
    (0x11D42, 0x11D42),
    (0x11D44, 0x11D45),
    (0x11D97, 0x11D97),
    (0x11F41, 0x11F42),
    (0x1611E, 0x1611E),
    (0x16121, 0x16129),
    (0x1612F, 0x1612F),
    (0x16D63, 0x16D63),
    (0x16D67, 0x16D6A),
    (0x16FF0, 0x16FF1),
    (0x1CCD6, 0x1CCF9),
    (0x1E030, 0x1E06D),
    (0x1E08F, 0x1E08F),
    (0x1E130, 0x1E136),
    (0x1E2AE, 0x1E2AE),
    (0x1E2EC, 0x1E2EF),
    (0x1E4EC, 0x1E4EF),
    (0x1E5EE, 0x1E5EF),
    (0x1F16C, 0x1F16C),
    (0x1FBF0, 0x1FBF9),
)


def normalize(text: str, forms: Sequence[Form]) -> str:
    """Apply the forms, one after the other."""
    if text.isascii():
        return text
    for form in forms:
        if not unicodedata.is_normalized(form, text):
            text = "".join(
                part if _later().fullmatch(part) else unicodedata.normalize(form, part)
                for part in _later().split(text)
            )
    return text


@cache
def _later() -> re.Pattern[str]:
    """Match one code point that is left alone, in a group so that `split` keeps it."""
    unknown = CATEGORIES["Cn"]  # to Unicode 16; a later one may have assigned it
    ranges = [
        *_LATER,
        *((first, end - 1) for first, end in zip(unknown[::2], unknown[1::2], strict=True)),
    ]
    return re.compile("([" + "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges) + "])")


def aligned(text: str, forms: Sequence[Form]) -> list[tuple[str, str]]:
    """Cut a text into the shortest stretches that are normalized alone, each beside its result.

    >>> aligned("ae\\u0301x", ("NFC",))
    [('a', 'a'), ('e\\u0301', 'é'), ('x', 'x')]
    """
    stretches: list[str] = []
    for char in text:
        if stretches and not _starts(char):
            stretches[-1] += char
        else:
            stretches.append(char)
    return [(stretch, normalize(stretch, forms)) for stretch in stretches]


def _starts(char: str) -> bool:
    """Whether no form looks at what stands before this character together with it."""
    if char.isascii():
        return True
    first = unicodedata.normalize("NFKD", char)[0]
    return not unicodedata.combining(first) and first not in _seconds()


@cache
def _seconds() -> frozenset[str]:
    """Return the characters, no marks, that another before them takes in when it composes."""
    hangul = {chr(point) for point in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    pairs = (unicodedata.decomposition(chr(point)).split() for point in range(0x110000))
    return frozenset(
        hangul | {chr(int(pair[1], 16)) for pair in pairs if len(pair) == 2 and "<" not in pair[0]}
    )
