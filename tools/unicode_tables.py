"""Write bytebpe/unicode.py: the general categories of Unicode 16.0, as ranges.

    pip install unicodedata2==16.0.0 && python tools/unicode_tables.py

The version is pinned here and nowhere else; a test compares the written file
with what this tool would write.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import unicodedata2

VERSION = "16.0.0"
TARGET = Path(__file__).parent.parent / "bytebpe" / "unicode.py"
HEAD = '''"""General categories of Unicode {version}: written by a tool, not by hand.

The tool is tools/unicode_tables.py.  Each category has its code points as pairs of bounds,
first and one past the last, flattened: (0x41, 0x5B, ...) says A to Z.  Together the
categories tile 0 to 0x110000.
"""

from typing import Final

VERSION: Final = "{version}"

'''


def render() -> str:
    """Return the text of the module."""
    if unicodedata2.unidata_version != VERSION:
        raise SystemExit(f"unicodedata2 is {unicodedata2.unidata_version}, wanted {VERSION}")
    bounds: dict[str, list[int]] = {}
    for category, points in groupby(range(0x110000), lambda cp: unicodedata2.category(chr(cp))):
        run = list(points)
        bounds.setdefault(category, []).extend((run[0], run[-1] + 1))
    lines = [HEAD.format(version=VERSION), "CATEGORIES: Final[dict[str, tuple[int, ...]]] = {\n"]
    for category in sorted(bounds):
        lines.append(f'    "{category}": (\n')
        numbers = [f"0x{bound:X}," for bound in bounds[category]]
        lines += [f"        {' '.join(numbers[i : i + 10])}\n" for i in range(0, len(numbers), 10)]
        lines.append("    ),\n")
    return "".join([*lines, "}\n"])


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8", newline="\n")
