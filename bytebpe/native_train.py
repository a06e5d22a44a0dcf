"""Training on the native core; equals `train` and `counting`."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final

from . import _native, counting
from .bytemap import to_text
from .counting import decoded_text, several
from .native import FAMILIES, char_classes
from .patterns import SplitPattern
from .train import Learned, Stop, Ties
from .train import learn as reference_learn

#: Merges between two calls of `on_merge`.
STEP: Final = 64
#: Pieces that are taken out of the core at a time.
ROWS: Final = 10_000

_ANY_WIDTH: Final = 2**64 - 1


def learn(
    sequences: Iterable[Sequence[int]],
    counts: Iterable[int],
    *,
    new_symbol: int,
    max_merges: int,
    min_frequency: int = 2,
    max_width: int | None = None,
    ties: Ties = "lowest",
    on_merge: Callable[[int], object] = lambda done: None,
) -> tuple[list[Learned], Stop]:
    """Learn merges; see `train.learn`."""
    rows = [(sequence, count) for sequence, count in zip(sequences, counts, strict=True) if count]
    if not _fit_the_core(rows, new_symbol):
        return reference_learn(
            *([row[side] for row in rows] for side in (0, 1)),  # type: ignore[arg-type]
            new_symbol=new_symbol, max_merges=max_merges, min_frequency=min_frequency,
            max_width=max_width, ties=ties, on_merge=on_merge,
        )  # fmt: skip
    symbols, ends = array("I"), array("Q")
    for sequence, _ in rows:
        symbols.extend(sequence)
        ends.append(len(symbols))
    core = _native.Trainer(
        symbols=symbols.tobytes(),
        ends=ends.tobytes(),
        counts=array("q", (count for _, count in rows)).tobytes(),
        new_symbol=new_symbol,
        max_merges=max(0, max_merges),
        min_frequency=min_frequency,
        max_width=_ANY_WIDTH if max_width is None else max_width,
        first=ties == "first",
    )
    return _finish(core, on_merge)


class PieceCounter(counting.PieceCounter):
    """Count pieces, and learn merges from them; see `counting.PieceCounter`."""

    def __init__(
        self,
        core: _native.PieceCounter,
        pattern: SplitPattern,
        special_tokens: Collection[str],
        max_pieces: int | None,
    ) -> None:
        super().__init__(pattern, special_tokens, max_pieces)
        self._core = core

    def __len__(self) -> int:
        return len(self._core)

    @property
    def texts(self) -> int:
        return self._core.texts

    @property
    def size(self) -> int:
        return self._core.size

    @property
    def total(self) -> int:
        return self._core.total()

    def items(self) -> Iterator[tuple[bytes, int]]:
        for start in range(0, len(self), ROWS):
            yield from self._core.items(start, ROWS)

    def lines(self) -> Iterator[str]:
        proxies = [to_text(bytes([byte])) for byte in range(256)]
        for start in range(0, len(self), ROWS):
            yield self._core.lines(start, ROWS, proxies)

    def add(
        self,
        texts: Iterable[str | bytes],
        on_bytes: Callable[[int], object] = lambda done: None,
        num_threads: int = 1,
    ) -> None:
        source = iter(several(texts))
        more = True
        while more:
            self._check()
            more, left = self._core.read(source, counting.BLOCK - self.unchecked, counting.BLOCK)
            self._core.count(num_threads)
            for text in left:
                self._check()
                if not self._core.count_long(text, num_threads):
                    self._add_text(text)
            on_bytes(self.size)
        self._keep_few()

    def add_pieces(self, pieces: Iterable[tuple[bytes, int]], texts: int, size: int) -> None:
        for piece, count in pieces:
            self._core.add_counted(piece, count)
        self._core.passed(texts, size)

    def drop_rare(self, least: int) -> None:
        self._dropped(*self._core.drop_rare(least))

    def learn(
        self,
        symbols: Sequence[int],
        *,
        new_symbol: int,
        max_merges: int,
        min_frequency: int,
        max_width: int | None,
        ties: Ties,
        on_merge: Callable[[int], object],
    ) -> tuple[list[Learned], Stop]:
        """Learn merges of the pieces, in which each byte has its symbol."""
        core = _native.piece_trainer(
            self._core,
            byte_symbols=array("I", symbols).tobytes(),
            new_symbol=new_symbol,
            max_merges=max_merges,
            min_frequency=min_frequency,
            max_width=_ANY_WIDTH if max_width is None else max_width,
            first=ties == "first",
        )
        return _finish(core, on_merge)

    def _add_text(self, text: object) -> None:
        """Count a text that is no UTF-8, by the reference."""
        decoded, size = decoded_text(text, f"text {self.texts}")
        pieces = [piece.encode("utf-8", "surrogateescape") for piece in self._pieces(decoded)]
        self._core.add_pieces(pieces, size)

    def _keep_few(self) -> None:
        self._checked = self.size
        if self.max_pieces is not None:
            self._dropped(*self._core.keep_most(self.max_pieces, self.max_pieces // 2))

    def _dropped(self, pieces: int, count: int) -> None:
        self.dropped_pieces += pieces
        self.dropped_count += count


def piece_counter(
    pattern: SplitPattern, special_tokens: Collection[str], max_pieces: int | None
) -> PieceCounter | None:
    """Make a counter of pieces; None for a pattern whose pieces only `regex` can find."""
    specials = sorted(special_tokens)
    if any("\ud800" <= char <= "\udfff" for token in specials for char in token):
        return None  # it stands for bytes that are not UTF-8
    if name := FAMILIES.get(pattern.source):
        core = _native.family_counter(name, char_classes(), specials)
        return PieceCounter(core, pattern, specials, max_pieces)
    # Not needed for the patterns above, and slow to import.
    from .dfa import compile_dfa
    from .dfa_parse import NotInDialect

    try:
        dfa = compile_dfa(pattern)
    except NotInDialect:
        return None
    pages, transitions = dfa.pages.tobytes(), dfa.transitions.tobytes()
    core = _native.dfa_counter(pages, dfa.classes, transitions, dfa.width, specials)
    return PieceCounter(core, pattern, specials, max_pieces)


def _finish(core: _native.Trainer, on_merge: Callable[[int], object]) -> tuple[list[Learned], Stop]:
    """Run a trainer to its end."""
    stop: Stop | None = None
    done = 0
    while stop is None:
        stop = core.learn(STEP)
        if len(core) > done:
            done = len(core)
            on_merge(done)
    return [Learned((left, right), count) for left, right, count in core.learned()], stop


def _fit_the_core(rows: Sequence[tuple[Sequence[int], int]], new_symbol: int) -> bool:
    """Say whether symbols and counts are numbers that the core can hold."""
    if not 0 <= new_symbol < 2**31:
        return False
    if sum(max(1, len(row) - 1) * count for row, count in rows) >= 2**63:
        return False
    return all(count > 0 and all(0 <= s < new_symbol for s in row) for row, count in rows)
