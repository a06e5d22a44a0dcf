"""Texts out of files: plain, JSON lines, Parquet; compressed; in directories; standard input.

A document is a text of its own: no piece crosses two.  A plain file is one document.  Files
are read one by one, JSON lines line by line and Parquet batch by batch.
"""

from __future__ import annotations

import glob
import gzip
import io
import json
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO, Any, Final, Literal, cast, get_args

from .errors import FormatError, MissingDependency

#: How documents lie in a file: it is one, or each of its lines or rows is.
Layout = Literal["text", "lines", "jsonl", "parquet"]

#: The name of standard input.
STDIN: Final = "-"

_BY_SUFFIX: Final[dict[str, Layout]] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
_COMPRESSED: Final = (".gz", ".zst")


class TextSource:
    """The documents of some files; may be read more than once.

    `skipped` counts the broken lines and rows that were passed over.
    """

    def __init__(
        self, paths: Iterable[str], field: str, layout: Layout | None, skip_bad: bool
    ) -> None:
        self.paths = list(paths)
        self.skipped = 0
        self._field = field
        self._layout = layout
        self._skip_bad = skip_bad

    def __iter__(self) -> Iterator[str | bytes]:
        self.skipped = 0
        for path in self.paths:
            for text in self._documents(path):
                if isinstance(text, FormatError):
                    if not self._skip_bad:
                        raise text
                    self.skipped += 1
                else:
                    yield text

    def _documents(self, path: str) -> Iterator[str | bytes | FormatError]:
        layout = self._layout or _layout_of(path)
        with _opened(path) as file:
            if layout == "text":
                yield file.read()
            elif layout == "lines":
                yield from file
            elif layout == "jsonl":
                yield from _json_lines(path, file, self._field)
            else:
                yield from _parquet_rows(path, file, self._field)


def read_texts(
    paths: Iterable[str | PathLike[str]],
    *,
    field: str = "text",
    layout: Layout | None = None,
    skip_bad: bool = False,
) -> TextSource:
    """Return the documents of files, of all files in directories, and of what globs match.

    How documents lie in a file goes by its name (`.jsonl`, `.parquet`, anything else is one
    text; `.gz` and `.zst` may follow) unless `layout` says it: "text", "lines", "jsonl" or
    "parquet".  `field` is the field of JSON lines or the column of Parquet that holds the text.
    "-" is standard input.

    Reading raises `FormatError` with file and line for a line that holds no text; with
    `skip_bad` such lines are passed over and counted.  Raises `FileNotFoundError` at once for
    a path that is not there.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.jsonl").write_text('{"text": "one"}\\n{"text": "two"}\\n')
    ...     list(read_texts([folder]))
    ['one', 'two']
    """
    if isinstance(paths, (str, PathLike)):
        raise TypeError(f"paths: expected several, not one; write [{paths!r}]")
    if layout is not None and layout not in get_args(Layout):
        raise ValueError(f"layout={layout!r}; expected one of {', '.join(get_args(Layout))}")
    found = [file for path in paths for file in _files(str(path))]
    return TextSource(found, field, layout, skip_bad)


def _files(path: str) -> list[str]:
    """Return the files that a path stands for, in the order of their names."""
    if path == STDIN or Path(path).is_file():
        return [path]
    if Path(path).is_dir():
        return sorted(str(file) for file in Path(path).rglob("*") if file.is_file())
    matches = sorted(match for match in glob.glob(path, recursive=True) if Path(match).is_file())
    if not matches:
        raise FileNotFoundError(2, "no such file, directory or match", path)
    return matches


def _layout_of(path: str) -> Layout:
    suffixes = [suffix for suffix in Path(path).suffixes if suffix not in _COMPRESSED]
    return _BY_SUFFIX.get(suffixes[-1], "text") if suffixes else "text"


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    """Open a file, unpacked if it is compressed."""
    if path == STDIN:
        yield sys.stdin.buffer
        return
    with _open(path) as file:
        try:
            yield file
        except (EOFError, zlib.error, gzip.BadGzipFile, _zstd_error()) as error:
            raise FormatError(path, None, f"cannot be unpacked: {error}") from None


def _open(path: str) -> IO[bytes]:
    suffix = Path(path).suffix
    if suffix == ".zst":
        return _open_zstd(path)
    return cast(IO[bytes], gzip.open(path)) if suffix == ".gz" else open(path, "rb")


def _open_zstd(path: str) -> IO[bytes]:
    try:
        import zstandard
    except ImportError:
        raise MissingDependency(
            f"{path}: .zst files need a package; pip install 'bytebpe[zstd]'"
        ) from None
    return io.BufferedReader(zstandard.open(path))


def _zstd_error() -> type[Exception]:
    zstandard: Any = sys.modules.get("zstandard")
    return zstandard.ZstdError if zstandard else EOFError


def _json_lines(path: str, file: IO[bytes], field: str) -> Iterator[str | FormatError]:
    for number, line in enumerate(file, 1):
        if line.isspace():
            continue
        try:
            yield _text_of(json.loads(line), field)
        except (ValueError, RecursionError) as error:
            problem = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            yield FormatError(path, number, f"no text: {problem}")


def _text_of(value: object, field: str) -> str:
    if not isinstance(value, dict):
        raise ValueError(f"expected a JSON object, found {type(value).__name__}")
    if field not in value:
        raise ValueError(f"no field {field!r}; there are {', '.join(value) or 'none'}")
    text = value[field]
    if not isinstance(text, str):
        raise ValueError(f"{field!r}: expected a string, found {type(text).__name__}")
    text.isascii() or text.encode()  # raises for a lone surrogate, which \u can write
    return text


def _parquet_rows(path: str, file: IO[bytes], column: str) -> Iterator[str | bytes | FormatError]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingDependency(
            f"{path}: Parquet files need a package; pip install 'bytebpe[arrow]'"
        ) from None
    try:
        table = parquet.ParquetFile(file)
        if column not in table.schema_arrow.names:
            names = ", ".join(table.schema_arrow.names)
            raise FormatError(path, None, f"no column {column!r}; there are {names}")
        number = 0
        for batch in table.iter_batches(batch_size=1_000, columns=[column]):
            for text in batch.column(0).to_pylist():
                number += 1
                if isinstance(text, (str, bytes)):
                    yield text
                else:
                    kind = type(text).__name__
                    yield FormatError(path, number, f"{column!r}: expected text, found {kind}")
    except pyarrow.ArrowInvalid as error:
        raise FormatError(path, None, f"not a Parquet file: {error}") from None
