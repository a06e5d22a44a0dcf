"""Files as every format needs them: read strictly, written whole or not at all."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ..errors import FormatError
from ..vocab import ID_LIMIT

#: No larger file is read; the largest tokenizer there is has a tenth of it.
LARGEST: Final = 2**28


def read_bytes(path: Path) -> bytes:
    """Read a file; raises `FormatError` for one that is too large to be a tokenizer."""
    size = path.stat().st_size
    if size > LARGEST:
        raise FormatError(str(path), None, f"{size} bytes; at most {LARGEST} are read")
    return path.read_bytes()


def check_id(path: Path, what: str, id: object) -> None:
    """Refuse what is no id."""
    if type(id) is not int or not 0 <= id < ID_LIMIT:
        problem = f"{what} has the id {id!r}; ids go from 0 to {ID_LIMIT - 1}"
        raise FormatError(str(path), None, problem)


def read_text(path: Path) -> str:
    """Read a UTF-8 file, without its byte order mark if it has one.

    Raises `FormatError` with the line where the file is not UTF-8.
    """
    data = read_bytes(path)
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            str(path), line, f"not UTF-8: byte 0x{data[error.start]:02X}, {error.reason}"
        ) from None


def read_json_object(path: Path) -> dict[str, Any]:
    """Read a file that holds one JSON object, in which no key occurs twice."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise FormatError(str(path), None, f"the key {twice!r} occurs twice")
        return result

    try:
        value = json.loads(read_text(path), object_pairs_hook=unique)
    except FormatError:
        raise
    except json.JSONDecodeError as error:
        raise FormatError(str(path), error.lineno, f"not JSON: {error.msg}") from None
    except ValueError as error:  # a number of more digits than Python reads
        raise FormatError(str(path), None, str(error)) from None
    except RecursionError:
        raise FormatError(str(path), None, "not a vocabulary: JSON nested too deep") from None
    if not isinstance(value, dict):
        raise FormatError(str(path), 1, f"expected a JSON object, found {type(value).__name__}")
    return value


def write_files(directory: Path, texts: Mapping[str, str]) -> None:
    """Write files into a directory, all under other names first, then renamed.

    Should a write fail, the files that were there stay as they were.
    """
    directory.mkdir(parents=True, exist_ok=True)
    suffix = f".{secrets.token_hex(4)}.tmp"
    try:
        for name, text in texts.items():
            with (directory / (name + suffix)).open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
        for name in texts:
            (directory / (name + suffix)).replace(directory / name)
    finally:
        for name in texts:
            (directory / (name + suffix)).unlink(missing_ok=True)
