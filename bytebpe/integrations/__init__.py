"""Other libraries' ways to use a tokenizer, one file for each; none is imported before use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import MissingDependency


def need(module: str, extra: str) -> Any:
    """Import an optional module; raises `MissingDependency` with the command that installs it."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingDependency(
            f"{package} is not installed ({error}); pip install 'bytebpe[{extra}]'"
        ) from error
