"""Which way texts run, where boxes hide their letters from the browser's own rules.

A box for each token is isolated from its neighbours, so that the browser would set the tokens of a
Hebrew word inside an English line from left to right.  The rules here are those of UAX 9
for whole tokens: near enough for words, numbers and what stands between them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Literal

Direction = Literal["ltr", "rtl"]


def direction(text: str) -> Direction | None:
    """Return which way the first letter of a text runs; None if there is none.

    >>> direction("12 abc"), direction("(שלום"), direction("1 + 2")
    ('ltr', 'rtl', None)
    """
    for char in text:
        kind = unicodedata.bidirectional(char)
        if kind in ("R", "AL"):
            return "rtl"
        if kind == "L" and not "\ud800" <= char <= "\udfff":  # which are bytes of no letter yet
            return "ltr"
    return None


def opposite(base: Direction) -> Direction:
    """Return the other direction."""
    return "rtl" if base == "ltr" else "ltr"


def runs(tokens: Sequence[str], base: Direction) -> Iterator[tuple[bool, int, int]]:
    """Cut a line into runs: whether one runs against the line, its start and its end.

    >>> list(runs(["see", " של", "ום", " ", "עולם", "!"], "ltr"))
    [(False, 0, 1), (True, 1, 5), (False, 5, 6)]
    """
    kinds = [_kind(token) for token in tokens]
    against = ("R",) if base == "ltr" else ("L", "N", " N")
    found: list[tuple[int, int]] = []
    for at, kind in enumerate(kinds):
        if kind not in against:
            continue
        if found and _go_on(kinds[found[-1][0] : at + 1], base):
            found[-1] = found[-1][0], at + 1
        else:
            found.append((at, at + 1))
    done = 0
    for start, end in found:
        if end - start == 1 and kinds[start] in ("N", " N"):
            continue  # a number in one box runs as it should anyway
        if done < start:
            yield False, done, start
        yield True, start, end
        done = end
    if done < len(tokens):
        yield False, done, len(tokens)


def _kind(token: str) -> str:
    """Return L or R for letters of these directions, N for a number, S for what joins numbers.

    A number after a space, in the same token, is " N".
    """
    way = direction(token)
    if way is not None:
        return "L" if way == "ltr" else "R"
    if any(unicodedata.bidirectional(char) in ("EN", "AN") for char in token):
        return " N" if token[0].isspace() else "N"
    return "S" if token in (".", ",", ":", "/") else ""


def _go_on(kinds: Sequence[str], base: Direction) -> bool:
    """Say whether the last of some tokens goes on with the run that the first began."""
    *before, last = kinds
    if base == "ltr":
        return "L" not in before
    if "R" in before:
        return False
    if "L" in before or last == "L":
        return "L" in before or before[-1] in ("N", " N")
    joined = before[-1] in ("N", " N") or (before[-1] == "S" and before[-2] in ("N", " N"))
    return last == "N" and joined
