"""Columns of Arrow and Polars: texts in, lists of uint16 or uint32 out.

The ids go from the encoder into the column as the arrays they are.
"""

from __future__ import annotations

from typing import Any

from ..encode import NONE, Specials
from ..tokenizer import Tokenizer
from . import need


def encode_column(
    tok: Tokenizer,
    column: Any,
    *,
    allowed_special: Specials = NONE,
    disallowed_special: Specials = "all",
    num_threads: int | None = None,
) -> Any:
    """Encode a column of texts; a missing text stays missing.

    `column` is an array or a chunked array of pyarrow, or a series of polars, and so is the
    result.  Its lists are of uint16 where the vocabulary fits, else of uint32.
    """
    arrow = need("pyarrow", "arrow")
    if type(column).__module__.partition(".")[0] == "polars":
        polars = need("polars", "polars")
        encoded = encode_column(
            tok, column.to_arrow(), allowed_special=allowed_special,
            disallowed_special=disallowed_special, num_threads=num_threads,
        )  # fmt: skip
        return polars.Series(column.name, polars.from_arrow(encoded))
    if isinstance(column, arrow.ChunkedArray):
        chunks = [
            encode_column(
                tok, chunk, allowed_special=allowed_special,
                disallowed_special=disallowed_special, num_threads=num_threads,
            )
            for chunk in column.chunks
        ]  # fmt: skip
        return arrow.chunked_array(chunks or [encode_column(tok, arrow.array([], arrow.string()))])
    if not isinstance(column, arrow.Array):
        raise TypeError(
            f"column: expected a column of pyarrow or polars, not {type(column).__name__}"
        )
    batch = tok.encode_batch_arrays(
        [text or "" for text in column.to_pylist()],
        allowed_special=allowed_special,
        disallowed_special=disallowed_special,
        num_threads=num_threads,
    )
    kind = arrow.uint16() if batch.ids.format == "H" else arrow.uint32()
    ids = arrow.Array.from_buffers(kind, len(batch.ids), [None, arrow.py_buffer(batch.ids)])
    starts = arrow.py_buffer(batch.offsets)
    places = arrow.Array.from_buffers(arrow.int64(), len(batch.offsets), [None, starts])
    missing = column.is_null() if column.null_count else None
    return arrow.LargeListArray.from_arrays(places, ids, mask=missing)
