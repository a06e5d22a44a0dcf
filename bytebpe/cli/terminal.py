"""How things look on a terminal: with `rich` where it is installed, and without.

Colours and progress are for terminals alone; NO_COLOR is honoured.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TextIO

import regex

from ..display import graphemes, shown, together
from ..progress import Progress, Reporter, describe

_PICTOGRAPH: Final = regex.compile(r"[\p{Extended_Pictographic}\p{Regional_Indicator}]")
_COLOURS = ("on #1f4e79", "on #5b3a72", "on #2f5d3a", "on #7a4a1e", "on #5c5c1f")


@contextmanager
def progress() -> Iterator[bool | Progress]:
    """Give what `train(progress=)` takes: bars, a plain line, or nothing in a pipe."""
    if not sys.stderr.isatty():
        yield False
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, TaskID, TextColumn
        from rich.progress import Progress as Bars
    except ImportError:
        yield True
        return
    columns = BarColumn(), TextColumn("{task.description}")
    with Bars(*columns, console=Console(stderr=True)) as bars:
        tasks: dict[str, TaskID] = {}

        def show(phase: str, done: int, total: int | None, rate: float) -> None:
            if phase not in tasks:
                finish()
                tasks[phase] = bars.add_task(phase, total=total)
            text = describe(phase, done, total, rate)
            bars.update(tasks[phase], completed=done, description=text)

        def finish() -> None:
            """Let no bar go on that did not know where its end is."""
            for task in bars.tasks:
                bars.update(task.id, total=task.completed)

        yield show
        finish()


@contextmanager
def document_progress() -> Iterator[Callable[[str, int, int | None], object]]:
    """Give what `compare(progress=)` takes; it is drawn like that of training."""
    with progress() as draw:
        reporters: list[Reporter] = []

        def show(phase: str, done: int, total: int | None) -> None:
            if not reporters or reporters[-1].phase != phase:
                for before in reporters[-1:]:
                    before.end()
                reporters.append(Reporter(draw, phase, total))
            reporters[-1](done)

        try:
            yield show
        finally:
            for last in reporters[-1:]:
                last.end()


def draw_tokens(tokens: Sequence[tuple[bytes, int]], out: TextIO) -> None:
    """Draw tokens in cells, as many a row as fit, each with its id below.

    Tokens that share a character, such as an emoji, have the whole of it above them.
    """
    for row in _rows(tokens, shutil.get_terminal_size().columns):
        above = " ".join(group.above() for group in row).rstrip()
        lines = [above] if above else []
        cells = [cell for group in row for cell in group.cells]
        if not _draw_in_colour(lines, cells, out):
            lines.append(
                "│".join(text + " " * (size - display_width(text)) for size, text, _ in cells)
            )
            lines.append("│".join(f"{id:<{size}}" for size, _, id in cells))
            out.write("\n".join(lines) + "\n\n")


def display_width(text: str) -> int:
    """Return how many columns a text takes, near enough for every terminal.

    >>> display_width("世a"), display_width("e\\u0301"), display_width("👩‍👩‍👧")
    (3, 1, 2)
    """
    return sum(map(_columns, graphemes(text)))


def _columns(grapheme: str) -> int:
    if _PICTOGRAPH.match(grapheme):
        wide = len(grapheme) > 1 and "\ufe0e" not in grapheme
        return 2 if wide or unicodedata.east_asian_width(grapheme[0]) in "WF" else 1
    return sum(
        0
        if unicodedata.category(char) in ("Mn", "Me", "Cf") or "\u1160" <= char <= "\u11ff"
        else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in grapheme
    )


@dataclass(frozen=True, slots=True)
class _Group:
    """Cells, each of a size, a text and an id; and, if they share a character, the whole."""

    cells: Sequence[tuple[int, str, int]]
    whole: str = ""

    @property
    def size(self) -> int:
        return sum(size for size, _, _ in self.cells) + len(self.cells) - 1

    def above(self) -> str:
        """Draw the whole over the width of the cells."""
        rest = self.size - display_width(self.whole)
        if not self.whole:
            return " " * self.size
        return f"┌{self.whole}{'─' * (rest - 2)}┐" if rest >= 2 else self.whole + " " * rest


def _groups(tokens: Sequence[tuple[bytes, int]], width: int) -> Iterator[_Group]:
    """Put tokens together that share a character, in parts where a terminal is too narrow."""
    start = 0
    for count in together([token for token, _ in tokens]):
        group = tokens[start : start + count]
        start += count
        cells = [
            (max(display_width(text), len(str(id))), text, id)
            for text, id in ((shown(token), id) for token, id in group)
        ]
        whole = shown(b"".join(token for token, _ in group)) if count > 1 else ""
        while len(cells) > 1 and _Group(cells).size > width:
            fit = 1
            while _Group(cells[: fit + 1]).size <= width:
                fit += 1
            yield _Group(cells[:fit], whole)
            cells, whole = cells[fit:], ""
        yield _Group(cells, whole)


def _rows(tokens: Sequence[tuple[bytes, int]], width: int) -> Iterator[list[_Group]]:
    row: list[_Group] = []
    used = 0
    for group in _groups(tokens, width):
        if row and used + group.size + 1 > width:
            yield row
            row, used = [], 0
        row.append(group)
        used += group.size + 1
    if row:
        yield row


def _draw_in_colour(
    lines: Sequence[str], cells: Sequence[tuple[int, str, int]], out: TextIO
) -> bool:
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
    console.print(*map(Text, lines), above, below, sep="\n", end="\n\n", soft_wrap=True)
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
