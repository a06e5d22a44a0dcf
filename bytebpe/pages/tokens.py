"""Tokens of a text in colours, each with what is known of it when pointed at.

A character that is cut into several tokens is shown whole above its parts, and the parts
in hexadecimal.  Right-to-left text stays right to left, and Arabic letters keep the
forms they have beside each other although boxes divide them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

import regex

from ..display import graphemes, shown
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
    groups = list(_groups(cells[:MOST]))
    drawn: list[str] = []
    count, folded = 0, False
    for at, group in enumerate(groups):
        if count >= FOLD and not folded:
            folded = True
            drawn.append(
                '<details><summary><bdi dir="ltr">'
                f"{min(len(cells), MOST) - count:,} more tokens</bdi></summary>"
            )
        before = groups[at - 1][-1].data if at else b""
        after = groups[at + 1][0].data if at + 1 < len(groups) else b""
        drawn.append(_group(group, count, before, after))
        count += len(group)
    drawn.append("</details>" * folded)
    left_out = (
        f'<p class="note">The first {MOST:,} of {len(cells):,} tokens are shown.</p>'
        if len(cells) > MOST
        else ""
    )
    return (
        f'<div class="tokens" dir="auto" role="list" aria-label="{len(cells):,} tokens">'
        f"{''.join(drawn)}</div>{left_out}"
        f"<details><summary>The tokens as a table</summary>{_listed(cells[:MOST])}</details>"
    )


def _groups(cells: Sequence[Cell]) -> Iterator[list[Cell]]:
    """Put tokens together that share a character as readers see it."""
    whole = b"".join(cell.data for cell in cells).decode("utf-8", "surrogateescape")
    sizes = (len(one.encode("utf-8", "surrogateescape")) for one in graphemes(whole))
    cuts = set(accumulate(sizes))
    group: list[Cell] = []
    end = 0
    for cell in cells:
        group.append(cell)
        end += len(cell.data)
        if end in cuts:
            yield group
            group = []


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
    # A line end stands after the box, which would else go on in the next line.
    inside, line_end = (inside[:-1], "<br>") if inside.endswith("\n") else (inside, "<wbr>")
    tree = f"<pre>{text(cell.tree)}</pre>" if cell.tree else ""
    return (
        f'<span class="token{special}" role="listitem" tabindex="-1" aria-label="{label}" '
        f'style="--token:var(--token-{number % COLOURS})">{inside}'
        f'<span class="tip" aria-hidden="true"><b>id {cell.id}</b> · {text(cell.origin)} · '
        f'<span class="mono">{cell.data[:32].hex(" ")}{"…" * (len(cell.data) > 32)}</span>'
        f"{tree}</span></span>{line_end}"
    )


def _readable(data: bytes | str) -> str:
    """Write what a token holds: white space as marks, parts of characters in hexadecimal."""
    characters = data if isinstance(data, str) else data.decode("utf-8", "surrogateescape")
    drawn: list[str] = []
    run: list[str] = []
    if unicodedata.category(characters[0]).startswith("M"):
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
        elif char.isprintable() or (char in "\u200c\u200d" and len(characters) > 1):
            drawn.append(text(char))
        else:
            drawn.append(f'<span class="hex">U+{ord(char):04X}</span>')
    return "".join([*drawn, *_hex(run)])


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
