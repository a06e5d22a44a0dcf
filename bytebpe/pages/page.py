"""The frame of a page, and the plainest things in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from html import escape
from pathlib import Path

from .direction import Direction

_HERE = Path(__file__).parent


def text(value: object) -> str:
    """Write a value as text in HTML; None is a dash."""
    return "–" if value is None else escape(str(value))


def page(title: str, body: str, *, lang: str = "en") -> str:
    """Make a file of its own: style, script and all."""
    return (
        f'<!DOCTYPE html>\n<html lang="{lang}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        # An empty icon, so that no browser asks for one.
        '<link rel="icon" href="data:,">\n'
        f"<title>{text(title)}</title>\n<style>\n{_asset('style.css')}</style>\n</head>\n"
        f'<body class="bytebpe">\n<main>\n{body}\n</main>\n'
        f"<script>\n{_asset('script.js')}</script>\n</body>\n</html>\n"
    )


def fragment(body: str) -> str:
    """Make a piece of HTML for a notebook, with its style and without a script."""
    return f'<div class="bytebpe"><style>{_asset("style.css")}</style>\n{body}</div>\n'


def table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    caption: str = "",
    left: int = 1,
    marked: Collection[int] = (),
    stacked: bool = False,
) -> str:
    """Make a table of cells that are HTML; the first of each row is its heading.

    The first `left` columns start at the left, `marked` rows stand out.  A cell that begins
    with `<td` is taken whole.  Where a screen is narrow, a `stacked` table puts the third cell
    of a row and what follows below the others, in the whole width.
    """
    style = [' class="text"' if at < left else "" for at in range(len(header))]
    head = "".join(f'<th scope="col"{style[at]}>{cell}</th>' for at, cell in enumerate(header))
    body = []
    for number, (first, *cells) in enumerate(rows):
        rest = "".join(
            cell if cell.startswith("<td") else f"<td{style[at]}>{cell}</td>"
            for at, cell in enumerate(cells, 1)
        )
        won = ' class="won"' if number in marked else ""
        body.append(f'<tr{won}><th scope="row">{first}</th>{rest}</tr>')
    named = f"<caption>{text(caption)}</caption>" if caption else ""
    label = f' aria-label="{text(caption)}"' if caption else ' aria-label="Table"'
    kind = ' class="stacked"' if stacked else ""
    # A frame that scrolls must be reachable by keyboard.
    return (
        f'<div class="frame" role="region" tabindex="0"{label}><table{kind}>{named}'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n" + "\n".join(body) + "\n</tbody></table></div>"
    )


def symbols(
    items: Iterable[str],
    *,
    new: Collection[int] = (),
    part: Collection[int] = (),
    way: Direction | None = None,
) -> str:
    """Draw the symbols of a word; those at `new` are just made, those at `part` will be merged.

    `way` is how the whole word runs, which its symbols, parts of characters perhaps, do not tell.
    """
    drawn = []
    for at, item in enumerate(items):
        kind = ' class="new"' if at in new else ' class="part"' if at in part else ""
        drawn.append(f"<span{kind}>{text(item)}</span>")
    runs = ' dir="rtl"' if way == "rtl" else ""
    return f'<span class="symbols"{runs}>{"".join(drawn)}</span>'


def slider(last: int, what: str) -> str:
    """Make a slider over the sections of class `round` that follow, numbered 0 to `last`.

    It shows itself by script; without one the sections stand one below the other.
    """
    return (
        '<div class="slider" hidden><button type="button">Back</button>'
        f'<input type="range" min="0" max="{last}" value="0" step="1" aria-label="{text(what)}">'
        '<button type="button">Next</button>'
        '<output aria-live="polite"></output></div>\n'
    )


@lru_cache
def _asset(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")
