"""Files that hold ranks alone: the merges that are behind them, recovered exactly.

In such a file (tiktoken's, tekken's) a token is its bytes and a rank, which is its id too.  How
it comes to be follows from that, as `parts` shows.  A token that no merge makes is an orphan:
in such a file a piece that is a token becomes that token at once, so it is encoded all the same.

>>> recover({b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"abc": 4, b"ca": 5, b"bca": 6})
([(b'b', b'c'), (b'a', b'bc'), (b'c', b'a'), (b'bc', b'a')], [])
>>> recover({b"a": 0, b"b": 1, b"aba": 2})
([], [b'aba'])
"""

from __future__ import annotations

from collections.abc import Mapping

from .. import _kernels
from ..vocab import Merge, Vocab


def recover(ranks: Mapping[bytes, int]) -> tuple[list[Merge], list[bytes]]:
    """Return the merges in rank order, and the tokens that no merge makes."""
    tokens = sorted(ranks, key=ranks.__getitem__)
    sizes = _kernels.left_sizes(tokens)
    merges = [
        (t[:size], t[size:]) for t, size in zip(tokens, sizes, strict=True) if 0 < size < len(t)
    ]
    orphans = [token for token, size in zip(tokens, sizes, strict=True) if not size]
    return merges, orphans


def same_as_ranks(vocab: Vocab, ignore_merges: bool) -> str | None:
    """Say why the ids do not say all of the merges; None where they do."""
    merges, orphans = recover(vocab.ids)
    if orphans and not ignore_merges:
        return (
            f"the token {orphans[0]!r} is made by no merge, and here never encoded; read by its "
            "rank it would be encoded where it is a whole piece"
        )
    for rank, (mine, by_rank) in enumerate(zip(vocab.merges, merges, strict=False)):
        if mine != by_rank:
            return (
                f"merge {rank} is {mine[0]!r} + {mine[1]!r}, while the ids say that it is "
                f"{by_rank[0]!r} + {by_rank[1]!r}"
            )
    if len(vocab.merges) != len(merges):
        return f"there are {len(vocab.merges)} merges, while the ids say {len(merges)}"
    return None
