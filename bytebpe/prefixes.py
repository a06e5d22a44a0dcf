"""The ids of every prefix of a piece that grows, and those that no growth can change.

Three facts carry it (docs/algorithm.md proves them, for any vocabulary):

1. Tokens in a row are what merging makes of their bytes if and only if each two
   neighbours are what merging makes of the bytes of the two.
2. So without its last token the row is what merging makes of a shorter prefix: the ids of
   all prefixes are a tree, and the last token of each is enough to know it.
3. A token that ends in what is yet to come begins in what is there, or at its end.  The
   ids of all longer prefixes go through one of those few places, and what these have in
   common never changes.

>>> from .vocab import Vocab
>>> piece = OpenPiece(TokenTree(Vocab.from_merges([(b"a", b"a"), (b"aa", b"aa")])))
>>> piece.extend(b"aaaaaaa")
>>> piece.ids(), piece.ids(b"a")
([257, 256, 64], [257, 257])
>>> piece.settle(), piece.ids()
([257], [256, 64])
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .merge import MergeTable
from .vocab import Vocab

_NONE: Final = -1  # no id
_ROOT: Final = 0


class TokenTree:
    """The tokens of a vocabulary byte by byte, and which may stand beside which."""

    def __init__(self, vocab: Vocab) -> None:
        self._tokens = vocab.tokens
        self._table = MergeTable([vocab.ids[bytes([byte])] for byte in range(256)], vocab.merge_ids)
        self._next: dict[tuple[int, int], int] = {}
        self.ids: Final = [_NONE]  # of the token that ends at each node
        self.inner: Final = bytearray(1)  # whether tokens go on after it
        for token, id in vocab.ids.items():
            node = _ROOT
            for byte in token:
                self.inner[node] = True
                node = self._next.setdefault((node, byte), len(self.ids))
                if node == len(self.ids):
                    self.ids.append(_NONE)
                    self.inner.append(False)
            self.ids[node] = id
        self._stand: dict[tuple[int, int], bool] = {}

    def step(self, node: int, byte: int) -> int | None:
        """Return the node after one more byte; None where no token goes on so."""
        return self._next.get((node, byte))

    def size(self, id: int) -> int:
        return len(self._tokens[id])

    def stand(self, left: int, right: int) -> bool:
        """Tell whether merging leaves these two beside each other; `left` may be none."""
        key = left, right
        if key not in self._stand:
            ids = [id for id in key if id != _NONE]
            data = b"".join(self._tokens[id] for id in ids)
            self._stand[key] = self._table.merge(data) == ids
        return self._stand[key]


class OpenPiece:
    """A piece whose end is not known yet, from a place on before which its ids are settled."""

    def __init__(self, tree: TokenTree) -> None:
        self._tree = tree
        # Of each prefix the last token; of the first, the last that is settled.
        self._last = [_NONE]
        # Where tokens may have begun that have not ended, and the node of the bytes since.
        self._begun: list[tuple[int, int]] = []

    def copy(self) -> OpenPiece:
        other = OpenPiece(self._tree)
        other._last, other._begun = self._last.copy(), self._begun.copy()
        return other

    def extend(self, data: Iterable[int]) -> None:
        """Let the piece go on with these bytes."""
        tree, last = self._tree, self._last
        for byte in data:
            begun = []
            found = _NONE
            for start, node in (*self._begun, (len(last) - 1, _ROOT)):
                after = tree.step(node, byte)
                if after is None:
                    continue
                if tree.inner[after]:
                    begun.append((start, after))
                id = tree.ids[after]
                if found == _NONE and id != _NONE and tree.stand(last[start], id):
                    found = id
            last.append(found)
            self._begun = begun

    def ids(self, more: bytes = b"") -> list[int]:
        """Return the ids from that place on, were the piece to end after `more`."""
        size, begun = len(self._last), self._begun
        self.extend(more)
        ids = self._path(len(self._last) - 1)
        del self._last[size:]
        self._begun = begun
        return ids

    def settle(self) -> list[int]:
        """Move the place on as far as ids are certain, and return them."""
        ways = {len(self._last) - 1, *(start for start, _ in self._begun)}
        while len(ways) > 1:
            furthest = max(ways)
            ways.remove(furthest)
            ways.add(furthest - self._tree.size(self._last[furthest]))
        (place,) = ways
        ids = self._path(place)
        del self._last[:place]
        self._begun = [(start - place, node) for start, node in self._begun]
        return ids

    def _path(self, end: int) -> list[int]:
        ids = []
        while end:
            ids.append(self._last[end])
            end -= self._tree.size(ids[-1])
        return ids[::-1]
