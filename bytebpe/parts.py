"""Budgets for texts that come in parts, such as files larger than memory.

No more is held than the cut needs: of a head as much as surely has too many tokens, of a
tail likewise, and of what is divided the part at hand.  A text is seen through that window
alone, so with `cut="token"` its tokens are those that the window has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from .budget import Budget, Chunk, Side
from .units import Cut

#: How many characters are looked at together, and how many must follow a cut.
BLOCK: Final = 2**17
AHEAD: Final = 2**13


def truncate_parts(budget: Budget, parts: Iterable[str], side: Side, cut: Cut) -> str:
    """Return what `Budget.truncate` keeps of the text that the parts make."""
    blocks = _blocks(parts)
    head = tail = ""
    if side != "left":
        for block in blocks:
            head += block
            if _overflows(budget, head[: len(head) - AHEAD]):
                break
    if side != "right":
        limit = 2 * BLOCK
        for block in blocks:
            tail += block
            if len(tail) >= limit:
                tail = _shortened(budget, tail)
                limit = 2 * len(tail) + BLOCK
    return budget.truncate(head + tail, side, cut)


def chunk_parts(budget: Budget, parts: Iterable[str], overlap: int, cut: Cut) -> Iterator[Chunk]:
    """Yield the chunks of the text that the parts make."""
    blocks = _blocks(parts)
    held, at, ends = "", 0, False
    while held or not ends:
        more = "".join(islice(blocks, 1 + len(held) // BLOCK))
        held, ends = held + more, not more
        last = len(held) if ends else len(held) - AHEAD
        start = len(held)
        for chunk in budget.chunks(held, overlap, cut):
            if chunk.end > last:
                start = chunk.start
                break
            yield Chunk(chunk.text, at + chunk.start, at + chunk.end)
        held, at = held[start:], at + start


def _shortened(budget: Budget, text: str) -> str:
    """Return an end of a text that surely holds the end that fits."""
    start = len(text) - len(budget.truncate(text, "left", "char")) - AHEAD
    return text[start - AHEAD :] if start > AHEAD and _overflows(budget, text[start:]) else text


def _overflows(budget: Budget, text: str) -> bool:
    return bool(text) and not budget.fits(text)


def _blocks(parts: Iterable[str]) -> Iterator[str]:
    """Yield blocks of one size, however the text was divided."""
    held: list[str] = []
    size = 0
    for part in parts:
        held.append(part)
        size += len(part)
        if size >= BLOCK:
            text = "".join(held)
            for at in range(0, len(text) - BLOCK + 1, BLOCK):
                yield text[at : at + BLOCK]
            held = [text[len(text) - len(text) % BLOCK :]]
            size = len(held[0])
    if size:
        yield "".join(held)
