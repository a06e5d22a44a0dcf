"""What each token is made of, where only the tokens are known and the order of their ranks.

Two neighbours are merged if their bytes together are a token, lowest rank first.  So take each
token as a piece and merge it until two parts are left: they are what it is made of, for while
the token comes to be inside a longer piece no merge crosses its ends, and what happens between
them is what happens here.  Where nothing joins the parts and they are more than two, no merge
makes the token.

>>> left_sizes([b"a", b"b", b"c", b"bc", b"abc", b"cab"])
[1, 1, 1, 1, 1, 0]
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def left_sizes(tokens: Sequence[bytes]) -> list[int]:
    """Return the size of the left part of each token, 0 where no merge makes it.

    The tokens stand in the order of their ranks; one of a single byte gets 1.
    """
    ranks = {token: rank for rank, token in enumerate(tokens)}
    return [len(token) and _left_size(token, ranks) for token in tokens]


def _left_size(token: bytes, ranks: dict[bytes, int]) -> int:
    never = len(ranks)
    parts = [token[at : at + 1] for at in range(len(token))]
    of_pair = [ranks.get(left + right, never) for left, right in pairwise(parts)]
    while len(parts) > 2:
        best = min(of_pair)
        if best == never:
            return 0
        at = of_pair.index(best)  # the leftmost of equals
        joined = parts[at] + parts[at + 1]
        parts[at : at + 2] = [joined]
        del of_pair[at]
        if at:
            of_pair[at - 1] = ranks.get(parts[at - 1] + joined, never)
        if at < len(of_pair):
            of_pair[at] = ranks.get(joined + parts[at + 1], never)
    return len(parts[0])
