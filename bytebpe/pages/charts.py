"""Plots that can be read aloud: bars are lists, and beside lines stands a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from .page import text

#: As many colours as the style has; further series share the last, a grey.
HUES: Final = 8

_WIDTH, _HEIGHT = 360, 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 12, 10, 34


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: its name, its length from 0 to 1, the value as it is read, and its colour."""

    name: str
    share: float
    value: str
    hue: int


@dataclass(frozen=True, slots=True)
class Series:
    """A line: its name, its points, and its colour."""

    name: str
    points: tuple[tuple[float, float], ...]
    hue: int


def hue(number: int) -> str:
    """Name the colour of a series."""
    return f"--hue:var(--hue-{min(number, HUES - 1)})"


def bars(items: Sequence[Bar]) -> str:
    """Draw bars as a list; the first is the one that is compared with the others."""
    drawn = []
    for at, bar in enumerate(items):
        first = ' class="first"' if at == 0 else ""
        style = f"--share:{min(max(bar.share, 0), 1):.4f};{hue(bar.hue)}"
        drawn.append(
            f'<li{first}><span>{text(bar.name)}</span> <span class="track" style="{style}">'
            f'</span> <span class="value">{text(bar.value)}</span></li>'
        )
    return f'<ul class="bars">{"".join(drawn)}</ul>'


def legend(names: Sequence[tuple[str, int]]) -> str:
    """Name the colours."""
    items = "".join(f'<li style="{hue(number)}">{text(name)}</li>' for name, number in names)
    return f'<ul class="legend">{items}</ul>'


def parts(shares: Sequence[tuple[str, float, int]]) -> str:
    """Draw a whole as a bar divided into parts; what they are is said by a legend and a table."""
    drawn = "".join(
        f'<span style="--share:{share:.4f};{hue(number)}" title="{text(name)} {share:.0%}"></span>'
        for name, share, number in shares
    )
    return f'<div class="parts" aria-hidden="true">{drawn}</div>'


def lines(series: Sequence[Series], *, title: str, x: str, y: str) -> str:
    """Draw lines from 0 up, the values of x at equal distances, as a picture with a description."""
    xs = sorted({point[0] for each in series for point in each.points})
    top = _nice(max((point[1] for each in series for point in each.points), default=1) or 1)
    drawn = []
    for share in (0, 0.5, 1):
        at = _y(share)
        drawn.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
            f'<text x="{_LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{share * top:g}</text>'
        )
    last = float("-inf")
    for value in xs:
        at = _x(value, xs)
        if at - last >= 44 or value == xs[0]:  # labels must not touch
            drawn.append(
                f'<text x="{at:.1f}" y="{_HEIGHT - _BOTTOM + 16}" text-anchor="middle">'
                f"{value:,.0f}</text>"
            )
            last = at
    drawn.append(
        f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2}" y="{_HEIGHT - 3}" text-anchor="middle">'
        f"{text(x)}</text>"
    )
    said = []
    for each in series:
        places = [(_x(at, xs), _y(value / top)) for at, value in each.points]
        path = " ".join(f"{at:.1f},{value:.1f}" for at, value in places)
        dots = "".join(f'<circle class="dot" cx="{a:.1f}" cy="{b:.1f}" r="3"/>' for a, b in places)
        drawn.append(
            f'<g style="{hue(each.hue)}"><polyline class="series" points="{path}"/>{dots}</g>'
        )
        values = ", ".join(f"{value:.2f} at {at:,.0f}" for at, value in each.points)
        said.append(f"{each.name}: {values}")
    label = f"{title}: {y} against {x}. {'; '.join(said)}"
    return (
        f'<svg class="lines" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{text(label)}">{"".join(drawn)}</svg>'
    )


def _x(value: float, xs: Sequence[float]) -> float:
    share = xs.index(value) / (len(xs) - 1) if len(xs) > 1 else 0.5
    return _LEFT + 14 + share * (_WIDTH - _RIGHT - _LEFT - 28)


def _y(share: float) -> float:
    return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)


def _nice(value: float) -> float:
    """Return the next number of one figure that is easy to halve."""
    scale = 1.0
    while value > 10 * scale:
        scale *= 10
    while value <= scale:
        scale /= 10
    return next(step * scale for step in (1, 2, 4, 6, 8, 10) if step * scale >= value)
