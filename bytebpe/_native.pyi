"""The native core; each name equals the one of the reference module it stands for."""

from collections.abc import Iterable, Sequence

class MergeTable:
    """Equals `bytebpe.merge.MergeTable`."""

    def __init__(self, byte_ids: Sequence[int], merges: Iterable[tuple[int, int, int]]) -> None: ...
    def merge(self, piece: bytes) -> list[int]: ...
