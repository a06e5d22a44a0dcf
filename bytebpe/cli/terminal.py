"""How things look on a terminal: with `rich` where it is installed, and without.

Colours and progress are for terminals alone; NO_COLOR is honoured.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from ..progress import Progress, describe

_COLOURS = ("on #1f4e79", "on #5b3a72", "on #2f5d3a", "on #7a4a1e", "on #5c5c1f")


@contextmanager
def progress() -> Iterator[bool | Progress]:
    """Give what `train(progress=)` takes: bars, a plain line, or nothing in a pipe."""
    if not sys.stderr.isatty():
        yield False
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bars
    except ImportError:
        yield True
        return
    columns = BarColumn(), TextColumn("{task.description}")
    with Bars(*columns, console=Console(stderr=True)) as bars:
        tasks = {}

        def show(phase: str, done: int, total: int | None, rate: float) -> None:
            if phase not in tasks:
                tasks[phase] = bars.add_task(phase, total=total)
            text = describe(phase, done, total, rate)
            bars.update(tasks[phase], completed=done, description=text)

        yield show


def document_progress(phase: str, done: int, total: int | None) -> None:
    """Tell on a terminal how many documents are done, in one line that is written over."""
    if done % 100 == 0 and sys.stderr.isatty():
        print(f"\r{phase}: {done} documents{'':<20}", end="", file=sys.stderr, flush=True)


def draw_tokens(tokens: Sequence[tuple[str, int]], out: TextIO) -> None:
    """Draw tokens in cells, as many a row as fit, each with its id below."""
    width = shutil.get_terminal_size().columns
    for row in _rows(tokens, width):
        cells = [(max(display_width(text), len(str(id))), text, id) for text, id in row]
        if not _draw_in_colour(cells, out):
            out.write(
                "│".join(text + " " * (size - display_width(text)) for size, text, _ in cells)
            )
            out.write("\n" + "│".join(f"{id:<{size}}" for size, _, id in cells) + "\n\n")


def display_width(text: str) -> int:
    """Return how many columns a text takes, near enough for every terminal.

    >>> display_width("世a"), display_width("e\\u0301")
    (3, 1)
    """
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )


def _rows(tokens: Sequence[tuple[str, int]], width: int) -> Iterator[list[tuple[str, int]]]:
    row: list[tuple[str, int]] = []
    used = 0
    for text, id in tokens:
        size = max(display_width(text), len(str(id))) + 1
        if row and used + size > width:
            yield row
            row, used = [], 0
        row.append((text, id))
        used += size
    if row:
        yield row


def _draw_in_colour(cells: Sequence[tuple[int, str, int]], out: TextIO) -> bool:
    """Draw one row with `rich`; say False where there is no colour to be had."""
    if not out.isatty():
        return False
    try:
        from rich.console import Console
        from rich.text import Text
    except ImportError:
        return False
    console = Console(file=out, highlight=False)
    if console.no_color or console.color_system is None:
        return False
    above, below = Text(no_wrap=True), Text(no_wrap=True, style="dim")
    for at, (size, text, id) in enumerate(cells):
        padded = text + " " * (size - display_width(text))
        above.append(padded, style=f"#ffffff {_COLOURS[at % len(_COLOURS)]}").append(" ")
        below.append(f"{id:<{size}} ")
    console.print(above, below, sep="\n", end="\n\n", soft_wrap=True)
    return True


def draw_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], out: TextIO, *, left: int = 1
) -> None:
    """Draw a table: the first `left` columns start at the left, the others end at the right."""
    body = [list(row) for row in rows]
    # A heading is broken at its spaces where the column below it is narrower.
    heads = []
    for at, text in enumerate(header):
        longest = [*map(display_width, text.split()), *(display_width(row[at]) for row in body)]
        heads.append(textwrap.wrap(text, max(longest, default=1) or 1) or [""])
    height = max(map(len, heads))
    lines = [
        list(line) for line in zip(*([""] * (height - len(h)) + h for h in heads), strict=True)
    ]
    lines += body
    sizes = [max(map(display_width, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = []
        for at, (text, size) in enumerate(zip(line, sizes, strict=True)):
            space = " " * (size - display_width(text))
            cells.append(text + space if at < left else space + text)
        out.write("  ".join(cells).rstrip() + "\n")
