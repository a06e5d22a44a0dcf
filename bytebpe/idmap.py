"""What became of the ids of a vocabulary when it was changed.

>>> change = IdMap(array("q", [0, -1, 1]), 3, {2: (0, 2)})
>>> change.apply([0, 2, 0]), change.old_ids().tolist()
([0, 1, 0], [0, 2, -1])
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from .errors import UnknownTokenError

#: In place of an id: there is none.
NONE: Final = -1


@dataclass(frozen=True, slots=True)
class IdMap:
    """Old ids to new ones, and new tokens to what they were before.

    `new_ids` has a place for each old id, with -1 where the token is gone or there was none;
    `size` is one more than the highest new id, the rows of an embedding.  `made_of` gives for
    each token that is new the old ids that its text had.
    """

    new_ids: array[int]
    size: int
    made_of: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    def old_ids(self) -> array[int]:
        """Return the old id of each new one, -1 where there is none."""
        old = array("q", [NONE]) * self.size
        for id, new in enumerate(self.new_ids):
            if new != NONE:
                old[new] = id
        return old

    def apply(self, ids: Iterable[int]) -> list[int]:
        """Turn old ids into new ones; raises `UnknownTokenError` for one that is gone."""
        result = []
        for id in ids:
            new = self.new_ids[id] if 0 <= id < len(self.new_ids) else NONE
            if new == NONE:
                kept = [old for old, new in enumerate(self.new_ids) if new != NONE]
                raise UnknownTokenError(id, len(kept), min(kept), max(kept))
            result.append(new)
        return result
