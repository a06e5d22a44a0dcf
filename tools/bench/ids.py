"""Ids in the shapes that peers give them: lists, arrays, or laid end to end with offsets."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

Ids = list[int]


def split_flat(ids: Any, offsets: Any) -> list[Ids]:
    """Return the lists that ids laid end to end and the offsets between them stand for."""
    flat = id_list(ids)
    ends = offsets if isinstance(offsets, list) else _view(offsets, "q").tolist()
    return [flat[start:end] for start, end in pairwise(ends)]


def id_list(ids: Any) -> Ids:
    """Return the ids in a list or a buffer; plain bytes hold four to an id."""
    return ids if isinstance(ids, list) else _view(ids, "I").tolist()


def _view(buffer: Any, of_bytes: Literal["I", "q"]) -> memoryview:
    view = memoryview(buffer)
    return view.cast(of_bytes) if view.format == "B" else view
