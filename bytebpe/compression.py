"""What BPE was first: compression, as Philip Gage published it in 1994.

The pair that occurs most often is replaced by a new symbol, again and again, until no pair
occurs twice; the text and the table of replacements are the compressed file.
Tokenizers keep the table and apply it to other texts.  The trainer here is theirs.

>>> compressed = compress("aaabdaaabac")
>>> for step in compressed.steps:
...     print(step.symbol, "=", step.left + step.right, step.count, step.text)
Z = aa 4 ZabdZabac
Y = ab 2 ZYdZYac
X = ZY 2 XdXac
>>> [text for text in compressed.restored()]
['XdXac', 'ZYdZYac', 'ZabdZabac', 'aaabdaaabac']
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

from .display import shown
from .pages import direction, fragment, page, slider, symbols, table
from .pages import text as escaped
from .train import Ties, learn

#: Of a longer text, a page shows only so many symbols.
MOST: Final = 400


@dataclass(frozen=True, slots=True)
class Replacement:
    """A pair and the symbol that takes its place: how often it stood, how often it was replaced.

    The numbers differ where pairs overlap: `aaa` holds `aa` twice and has room for one.
    """

    symbol: str
    left: str
    right: str
    count: int
    replaced: int
    text: str


@dataclass(frozen=True, slots=True)
class Compressed:
    """A text after all replacements, and the table of them in the order they were made."""

    original: str
    steps: tuple[Replacement, ...]

    @property
    def text(self) -> str:
        """The text that is left."""
        return self.steps[-1].text if self.steps else self.original

    @property
    def size(self) -> int:
        """The symbols to store: those of the text, and three for each line of the table."""
        return len(self.text) + 3 * len(self.steps)

    def restored(self) -> Iterator[str]:
        """Undo the replacements, the last one first, and yield the text each time."""
        text = self.text
        yield text
        for step in reversed(self.steps):
            text = text.replace(step.symbol, step.left + step.right)
            yield text

    def html(self, *, title: str = "Compression, step by step") -> str:
        """Return a page with a slider over the steps; it is one file and needs no network."""
        head = (
            f'<h1>{escaped(title)}</h1>\n<p class="lead">The pair of neighbours that occurs most '
            "often becomes a new symbol, until no pair occurs twice. The text that is left and the "
            "table of replacements are the compressed file.</p>\n"
        )
        return page(title, head + slider(len(self.steps) + 1, "Step") + self._sections())

    def _repr_html_(self) -> str:
        return fragment(self._sections())

    def _sections(self) -> str:
        sections = [_section("The text", f"<p>{_symbols(self.original)}</p>")]
        before = self.original
        for number, step in enumerate(self.steps, 1):
            name = f"Step {number} of {len(self.steps)}"
            sections.append(_section(name, _step(before, step), _replacement(step)))
            before = step.text
        return "\n".join([*sections, _section("What is stored", self._stored())])

    def _stored(self) -> str:
        rows = [
            (symbols([shown(step.symbol)]), _pair(step), f"{step.count:,}", f"{step.replaced:,}")
            for step in self.steps
        ]
        back = [(str(number), _symbols(text)) for number, text in enumerate(self.restored())]
        return (
            f"<p>{_symbols(self.text)}</p>\n<p>{len(self.original):,} symbols became "
            f"{len(self.text):,}, and {len(self.steps):,} lines of table at 3 each: "
            f"{self.size:,} to store.</p>\n"
            + table(("symbol", "stands for", "count", "replaced"), rows, caption="Table", left=2)
            + table(
                ("undone", "text"), back, caption="And back, the last replacement first", left=2
            )
        )


def compress(text: str, *, max_steps: int | None = None, ties: Ties = "lowest") -> Compressed:
    """Replace the most frequent pair by a new symbol until none occurs twice.

    New symbols are the capital letters from Z down that the text does not use, then
    characters of Unicode's private area.  Of pairs that occur equally often, "lowest"
    takes those of older symbols first, "first" the one that occurs first.
    """
    points = list(map(ord, text))
    new_symbol = 0x110000  # above every character
    learned, _ = learn(
        [points],
        [1],
        new_symbol=new_symbol,
        max_merges=len(points) if max_steps is None else max_steps,
        ties=ties,
    )
    used = set(text)
    names = (
        chr(point)
        for point in chain(range(90, 64, -1), range(0xE000, 0xF900), range(0xF0000, 0x10FFFE))
    )
    free = (name for name in names if name not in used)
    name_of = {point: chr(point) for point in points}
    steps: list[Replacement] = []
    for rank, merge in enumerate(learned):
        left, right = (name_of[symbol] for symbol in merge.pair)
        symbol = name_of[new_symbol + rank] = next(free)
        replaced = text.count(left + right)
        text = text.replace(left + right, symbol)
        steps.append(Replacement(symbol, left, right, merge.count, replaced, text))
    return Compressed("".join(map(chr, points)), tuple(steps))


def _section(name: str, body: str, more: str = "") -> str:
    return (
        f'<section class="round" data-name="{escaped(name)}">'
        f"<h2>{escaped(name)}{more and ': '}{more}</h2>\n{body}</section>"
    )


def _step(before: str, step: Replacement) -> str:
    pair = step.left + step.right
    starts = [match.start() for match in re.finditer(re.escape(pair), before)]
    parts = {start + side for start in starts for side in (0, 1)}
    new = {start - number for number, start in enumerate(starts)}
    overlap = (
        f" It has room for {step.replaced:,}: the others overlap."
        if step.replaced < step.count
        else ""
    )
    return (
        f"<p>The pair occurs {step.count:,} times.{overlap}</p>\n"
        f"<p>{_symbols(before, part=parts)} →</p>\n<p>{_symbols(step.text, new=new)}</p>"
    )


def _replacement(step: Replacement) -> str:
    return f"{symbols([shown(step.symbol)], new=[0])} = {_pair(step)}"


def _pair(step: Replacement) -> str:
    return symbols([shown(step.left), shown(step.right)])


def _symbols(text: str, *, new: Collection[int] = (), part: Collection[int] = ()) -> str:
    drawn = symbols(map(shown, text[:MOST]), new=new, part=part, way=direction(text))
    return drawn + (f" and {len(text) - MOST:,} more" if len(text) > MOST else "")
