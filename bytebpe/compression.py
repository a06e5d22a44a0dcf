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

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from .train import Ties, learn


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
