"""Tokens of a text in colours, each with what is known of it when pointed at.

A character that is cut into several tokens is shown whole above its parts, and the parts
in hexadecimal.  Right-to-left text stays right to left, and Arabic letters keep the
forms they have beside each other although boxes divide them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import regex

from ..display import shown, together
from .direction import Direction, direction, opposite, runs
from .page import table, text

#: As many colours as the style has; neighbours never have the same.
COLOURS: Final = 5

#: How many tokens are shown at once, how many unfolded, and how many listed in the table.
FOLD: Final = 400
MOST: Final = 4000

_JOINS: Final = regex.compile(r"[\p{Script=Arabic}&&\p{L}]", flags=regex.V1)
_JOINER: Final = "\u200d"


@dataclass(frozen=True, slots=True)
class Cell:
    """A token: its bytes, its id, how it came about in a word or two, and its merge tree."""

    data: bytes
    id: int
    origin: str
    tree: str = ""
    special: bool = False


def token_view(cells: Sequence[Cell]) -> str:
    """Draw tokens, and list them in a table below."""
    boxes = list(_boxes(cells[:MOST]))
    fold = next((at for at, box in enumerate(boxes) if box.number >= FOLD), len(boxes))
    drawn, base = _lines(boxes[:fold], "ltr")
    if fold < len(boxes):
        more = min(len(cells), MOST) - boxes[fold].number
        folded, _ = _lines(boxes[fold:], base)
        drawn += f"<details><summary>{more:,} more tokens</summary>{folded}</details>"
    left_out = (
        f'<p class="note">The first {MOST:,} of {len(cells):,} tokens are shown.</p>'
        if len(cells) > MOST
        else ""
    )
    return (
        f'<div class="tokens" role="list" aria-label="{len(cells):,} tokens">'
        f"{drawn}</div>{left_out}"
        f"<details><summary>The tokens as a table</summary>{_listed(cells[:MOST])}</details>"
    )


@dataclass(frozen=True, slots=True)
class _Box:
    """What stands in a line as one: a token, or the tokens of one grapheme."""

    number: int
    text: str
    html: str


def _boxes(cells: Sequence[Cell]) -> Iterator[_Box]:
    groups = list(_groups(cells))
    number = 0
    for at, group in enumerate(groups):
        before = groups[at - 1][-1].data if at else b""
        after = groups[at + 1][0].data if at + 1 < len(groups) else b""
        whole = b"".join(cell.data for cell in group).decode("utf-8", "surrogateescape")
        yield _Box(number, whole, _group(group, number, before, after))
        number += len(group)


def _lines(boxes: Sequence[_Box], base: Direction) -> tuple[str, Direction]:
    """Draw boxes line by line, each the way its first letter runs, or else as the one before."""
    lines: list[str] = []
    start = 0
    for end, box in enumerate(boxes, 1):
        if box.text.endswith("\n") or end == len(boxes):
            line = boxes[start:end]
            start = end
            base = direction("".join(each.text for each in line)) or base
            lines.append(f'<div dir="{base}" role="presentation">{_runs(line, base)}</div>')
    return "".join(lines), base


def _runs(boxes: Sequence[_Box], base: Direction) -> str:
    drawn: list[str] = []
    for against, start, end in runs([box.text for box in boxes], base):
        if against:
            way = opposite(base)
            inside = _runs(boxes[start:end], way)
            drawn.append(f'<span dir="{way}" role="presentation">{inside}</span>')
        else:
            drawn += [box.html for box in boxes[start:end]]
    return "".join(drawn)


def _groups(cells: Sequence[Cell]) -> Iterator[Sequence[Cell]]:
    """Put tokens together that share a character as readers see it."""
    start = 0
    for count in together([cell.data for cell in cells]):
        yield cells[start : start + count]
        start += count


def _group(group: Sequence[Cell], number: int, before: bytes, after: bytes) -> str:
    if len(group) == 1:
        return _token(group[0], number, _joined(group[0].data, before, after))
    whole = b"".join(cell.data for cell in group).decode("utf-8", "surrogateescape")
    parts = "".join(
        _token(cell, number + at, _readable(cell.data)) for at, cell in enumerate(group)
    )
    return (
        f'<span class="whole" role="presentation"><span aria-hidden="true">{_readable(whole)}'
        f'</span><span class="parts-of" role="presentation">{parts}</span></span><wbr>'
    )


def _token(cell: Cell, number: int, inside: str) -> str:
    label = text(f"{shown(cell.data)}, id {cell.id}, {cell.origin}")
    special = " special" if cell.special else ""
    inside = inside.removesuffix("\n")  # after which the line ends anyway
    tree = f"<pre>{text(cell.tree)}</pre>" if cell.tree else ""
    return (
        f'<span class="token{special}" role="listitem" tabindex="-1" aria-label="{label}" '
        f'style="--token:var(--token-{number % COLOURS})">{inside}'
        f'<span class="tip" aria-hidden="true"><b>id {cell.id}</b> · {text(cell.origin)} · '
        f'<span class="mono">{cell.data[:32].hex(" ")}{"…" * (len(cell.data) > 32)}</span>'
        f"{tree}</span></span><wbr>"
    )


def _readable(data: bytes | str) -> str:
    """Write what a token holds: white space as marks, parts of characters in hexadecimal."""
    characters = data if isinstance(data, str) else data.decode("utf-8", "surrogateescape")
    drawn: list[str] = []
    run: list[str] = []
    if unicodedata.category(characters[0]).startswith("M") and not _unseen(characters[0]):
        drawn.append("\u25cc")  # a circle for a mark to stand on
    for char in characters:
        if "\udc80" <= char <= "\udcff":
            run.append(f"{ord(char) - 0xDC00:02x}")
            continue
        drawn += _hex(run)
        run = []
        if char == "\n":
            drawn.append('<span class="mark">⏎</span>\n')
        elif char in " \t":
            drawn.append(f'<span class="mark">{shown(char)}</span>')
        elif (len(characters) > 1 and _unseen(char)) or (char.isprintable() and not _unseen(char)):
            drawn.append(text(char))
        else:
            drawn.append(f'<span class="hex">U+{ord(char):04X}</span>')
    return "".join([*drawn, *_hex(run)])


def _unseen(char: str) -> bool:
    """Say whether a character only says how its neighbours look."""
    return char in "\u200c\u200d" or "\ufe00" <= char <= "\ufe0f"


def _hex(run: Sequence[str]) -> Iterable[str]:
    return [f'<span class="hex">{" ".join(run)}</span>'] if run else []


def _joined(data: bytes, before: bytes, after: bytes) -> str:
    """Let Arabic letters at the edges take the forms they have inside a word."""
    inside = data.decode("utf-8", "surrogateescape")
    last = before.decode("utf-8", "surrogateescape")[-1:]
    first = after.decode("utf-8", "surrogateescape")[:1]
    drawn = _readable(data)
    if _JOINS.match(last) and _JOINS.match(inside):
        drawn = _JOINER + drawn
    if _JOINS.match(inside[-1:]) and _JOINS.match(first):
        drawn += _JOINER
    return drawn


def _listed(cells: Sequence[Cell]) -> str:
    rows = (
        (
            str(at),
            f"<bdi>{_readable(cell.data)}</bdi>",
            str(cell.id),
            f'<span class="mono">{cell.data.hex(" ")}</span>',
            text(cell.origin),
        )
        for at, cell in enumerate(cells)
    )
    header = ("", "token", "id", "bytes", "from")
    return table(header, rows, caption="Tokens in order", left=2)
