"""A trace as a page: the tokens, and for each piece the merges with what lost to them."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from ..display import shown
from ..pages import fragment, page, symbols, table, text

if TYPE_CHECKING:
    from .steps import Candidate, PieceTrace, Step, Trace


def html(trace: Trace, title: str) -> str:
    """Return the whole page."""
    head = (
        f'<h1>{text(title)}</h1>\n<p class="lead">The pattern cuts the text into pieces. In each, '
        "the merge of lowest rank is applied, the leftmost first, until none is left.</p>\n"
    )
    return page(title, head + _pieces(trace))


def notebook(trace: Trace) -> str:
    """Return the pieces with their merges."""
    return fragment(_pieces(trace))


def _pieces(trace: Trace) -> str:
    return "\n".join(
        f"<section>{_piece(number, piece)}</section>"
        for number, piece in enumerate(trace.pieces, 1)
    )


def _piece(number: int, piece: PieceTrace) -> str:
    rows = [
        (
            str(step.rank),
            symbols([shown(step.left), shown(step.right)]),
            symbols(map(shown, step.after), new=[_place(step)]),
            _lost(step.lost),
        )
        for step in piece.steps()
    ]
    header = ("rank", "merge", "gives", "candidates that lost, with rank")
    steps = (
        table(
            header,
            rows,
            caption="Merges in the order in which they are applied",
            left=4,
            stacked=True,
        )
        if rows
        else '<p class="note">No merge applies.</p>'
    )
    contrast = piece.contrast()
    if contrast is not None:
        longest = symbols(map(shown, piece.longest_match))
        steps += f"<p>Longest match would give {longest} instead: {text(contrast)}.</p>"
    tokens = symbols(map(shown, piece.tokens))
    return f"<h2>Piece {number}: <bdi>{text(shown(piece.piece))}</bdi> → {tokens}</h2>\n{steps}"


def _place(step: Step) -> int:
    """Return which of the symbols after a step is the new one."""
    starts = accumulate(map(len, step.after), initial=0)
    return list(starts).index(step.position)


def _lost(candidates: tuple[Candidate, ...]) -> str:
    said = [f"{symbols([shown(each.left), shown(each.right)])} {each.rank}" for each in candidates]
    lost = " ".join(
        f'<span class="nobreak">{each}{"," if at < len(said) else ""}</span>'
        for at, each in enumerate(said, 1)
    )
    return f'<span class="label">lost: </span>{lost}' if lost else ""
