"""The files below a directory, less those that .gitignore names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import MissingDependency

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

#: A directory, and what its .gitignore says of paths relative to it.
_Rules = list[tuple[Path, "GitIgnoreSpec"]]


def files_below(directory: Path) -> Iterator[Path]:
    """Yield the files below a directory in the order of their names.

    What .gitignore files in it, below it, or above it in the same repository exclude is
    left out, and so are `.git` and symbolic links.
    """
    rules: _Rules = []
    for above in reversed(_above(directory.resolve())):
        rules += _rules_of(above)
    yield from _walk(directory, directory.resolve(), rules)


def _above(directory: Path) -> list[Path]:
    """Return the directories above one, up to the top of its repository."""
    parents = list(directory.parents)
    if (directory / ".git").exists():
        return []
    tops = [at for at, parent in enumerate(parents) if (parent / ".git").exists()]
    return parents[: tops[0] + 1] if tops else []


def _walk(shown: Path, directory: Path, rules: _Rules) -> Iterator[Path]:
    rules = rules + _rules_of(directory)
    for entry in sorted(os.scandir(directory), key=lambda entry: entry.name):
        path = directory / entry.name
        is_directory = entry.is_dir(follow_symlinks=False)
        if entry.name == ".git" or _ignored(path, is_directory, rules):
            continue
        if is_directory:
            yield from _walk(shown / entry.name, path, rules)
        elif entry.is_file(follow_symlinks=False):
            yield shown / entry.name


def _rules_of(directory: Path) -> _Rules:
    try:
        from pathspec import GitIgnoreSpec
    except ImportError:
        raise MissingDependency(
            "-r needs the package pathspec, to read .gitignore: pip install 'bytebpe[cli]'"
        ) from None
    file = directory / ".gitignore"
    if not file.is_file():
        return []
    lines = file.read_text("utf-8", "surrogateescape").splitlines()
    return [(directory, GitIgnoreSpec.from_lines(lines))]


def _ignored(path: Path, is_directory: bool, rules: _Rules) -> bool:
    for base, spec in reversed(rules):  # the nearest that says anything counts
        name = path.relative_to(base).as_posix() + "/" * is_directory
        verdict = spec.check_file(name).include
        if verdict is not None:
            return verdict
    return False
