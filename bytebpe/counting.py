"""Texts to piece counts: what the trainer learns from.

Texts are read once and not kept, so that memory follows the number of distinct
pieces and an endless corpus may come from a generator.  This is the reference;
where the native core is built, `native_train` takes its place with the same results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Final

from .bytemap import to_text
from .errors import TrainingError
from .patterns import SplitPattern
from .pretokenize import split
from .specials import Finder

#: Whether there are too many pieces is looked at each time so many bytes of whole texts are read.
BLOCK: Final = 2**20

#: Counts are 64-bit numbers with a sign; so must be those of all pairs together.
COUNT_LIMIT: Final = 2**63


class PieceCounter:
    """How often each piece occurs, in the order in which the pieces first appeared.

    At the end of each block of texts, and of all texts, at most `max_pieces` pieces may be
    held.  Where there are more, half that many stay: those that occurred most so far, and of
    equals those seen first.  `dropped_pieces` and `dropped_count` say what was lost: how
    often a piece was dropped, and how many occurrences with them.
    """

    def __init__(
        self, pattern: SplitPattern, special_tokens: Collection[str], max_pieces: int | None = None
    ) -> None:
        self.max_pieces = max_pieces
        self.dropped_pieces = 0
        self.dropped_count = 0
        self._texts = 0
        self._bytes = 0
        self._weight = 0  # pairs of bytes in texts that came with a count
        self._checked = 0  # bytes read when the pieces were last found to be few enough
        self._pattern = pattern
        self._specials = Finder(special_tokens)
        self._counts: Counter[str] = Counter()

    def __len__(self) -> int:
        """Return the number of distinct pieces."""
        return len(self._counts)

    @property
    def texts(self) -> int:
        """How many texts were counted."""
        return self._texts

    @property
    def size(self) -> int:
        """How many bytes they had, in UTF-8."""
        return self._bytes

    @property
    def unchecked(self) -> int:
        """How many of them were read since the pieces were last found to be few enough."""
        return self.size - self._checked

    @property
    def total(self) -> int:
        """How many pieces there were, but for those dropped."""
        return self._counts.total()

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Yield each piece with its count."""
        for piece, count in self._counts.items():
            yield _data(piece), count

    def lines(self) -> Iterator[str]:
        """Yield text in which each line is a count, a tab and the piece in proxy characters."""
        for piece, count in self.items():
            yield f"{count}\t{to_text(piece)}\n"

    def add(
        self,
        texts: Iterable[str | bytes],
        on_bytes: Callable[[int], object] = lambda done: None,
        num_threads: int = 1,
    ) -> None:
        """Count the pieces of texts, after special tokens are cut out.

        `on_bytes` is called with the number of bytes read, now and then.  Raises `TypeError`
        for one text in place of several, which would be counted letter by letter, and for
        an item that is neither str nor bytes; what the iterable itself raises goes through.
        Whatever is raised, each text has been counted wholly or not at all, and `texts` says
        how many were.
        """
        for text in several(texts):
            self._check()
            self._add_text(text)
            on_bytes(self.size)
        self._keep_few()

    def add_counts(self, counts: Mapping[str, int] | Mapping[bytes, int]) -> None:
        """Count the pieces of texts that come with a count each.

        A text that the pattern splits is split here too: `encode` would do so, and
        could never make a token that was learned across the cut.  Raises `TrainingError` for
        a negative count, and where all of them come to 2**63 pairs; what stood before is counted.
        """
        if not isinstance(counts, Mapping):
            raise TypeError(
                f"counts: expected a mapping from text to count, not {type(counts).__name__}"
            )
        for number, (text, count) in enumerate(counts.items()):
            if isinstance(count, bool) or not isinstance(count, int):
                raise TypeError(f"count of {text!r}: expected an int, not {type(count).__name__}")
            if count < 0:
                raise TrainingError(f"the count of {text!r} is {count}; counts start at 0")
            decoded, size = decoded_text(text, f"key {number}")
            pieces = [_data(piece) for piece in self._pieces(decoded)] if count else []
            weight = self._weight + count * sum(max(1, len(piece) - 1) for piece in pieces)
            if weight >= COUNT_LIMIT:
                raise TrainingError(f"with the count of {text!r} these come to 2**63 pairs or more")
            self._weight = weight
            self.add_pieces(((piece, count) for piece in pieces), count, size * count)
        self._keep_few()

    def add_pieces(self, pieces: Iterable[tuple[bytes, int]], texts: int, size: int) -> None:
        """Count pieces that were counted before, in so many texts of so many bytes."""
        for piece, count in pieces:
            self._counts[piece.decode("utf-8", "surrogateescape")] += count
        self._pass(texts, size)

    def checked_at(self, size: int) -> None:
        """Say how many bytes were read when the pieces were last found to be few enough."""
        self._checked = size

    def drop_rare(self, least: int) -> None:
        """Drop the pieces that occur less often."""
        self._keep(piece for piece, count in self._counts.items() if count >= least)

    def _add_text(self, text: object) -> None:
        decoded, size = decoded_text(text, f"text {self.texts}")
        pieces = self._pieces(decoded)
        # A signal that comes while pieces are counted is heeded afterwards, so not before `_pass`.
        self._pass(1, size)
        self._counts.update(pieces)

    def _pieces(self, text: str) -> list[str]:
        """Return the pieces of what stands between special tokens."""
        pieces: list[str] = []
        start = 0
        while found := self._specials.find(text, start):
            pieces += split(text[start : found[0]], self._pattern)
            start = found[1]
        return pieces + split(text[start:], self._pattern)

    def _check(self) -> None:
        if self.unchecked >= BLOCK:
            self._keep_few()

    def _pass(self, texts: int, size: int) -> None:
        self._texts += texts
        self._bytes += size

    def _keep_few(self) -> None:
        self._checked = self.size
        if self.max_pieces is None or len(self._counts) <= self.max_pieces:
            return
        most_first = sorted(self._counts, key=self._counts.__getitem__, reverse=True)
        self._keep(most_first[: self.max_pieces // 2])

    def _keep(self, pieces: Iterable[str]) -> None:
        kept = set(pieces)
        self.dropped_pieces += len(self._counts) - len(kept)
        before = self._counts.total()
        self._counts = Counter({p: count for p, count in self._counts.items() if p in kept})
        self.dropped_count += before - self._counts.total()


def _data(piece: str) -> bytes:
    return piece.encode("utf-8", "surrogateescape")


def several(texts: Iterable[str | bytes]) -> Iterable[str | bytes]:
    """Return the texts, unless they are something else that could be taken for texts."""
    if isinstance(texts, (str, bytes)):
        raise TypeError(
            f"texts: expected an iterable of texts, not one {type(texts).__name__}; "
            "write [text] to train on one"
        )
    if isinstance(texts, Mapping):
        raise TypeError("texts: expected an iterable of texts, not counts; see train_from_counts")
    return texts


def decoded_text(text: object, what: str) -> tuple[str, int]:
    """Return a text as str, and its size in UTF-8; bytes that are none become surrogates."""
    if isinstance(text, bytes):
        return text.decode("utf-8", "surrogateescape"), len(text)
    if not isinstance(text, str):
        raise TypeError(f"{what}: expected a str or bytes, not {type(text).__name__}")
    try:
        return text, len(text.encode())
    except UnicodeEncodeError as error:
        reason = f"lone surrogate in {what}; text.encode('utf-8', 'surrogatepass') keeps it"
        raise UnicodeEncodeError(
            error.encoding, error.object, error.start, error.end, reason
        ) from None
