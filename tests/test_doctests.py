"""Every example in a docstring of the package, and in the README, does what it shows."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import bytebpe
from bytebpe.errors import MissingDependency

MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(bytebpe.__path__, "bytebpe.")
    if not name.endswith(("__main__", "_native"))
]


@pytest.mark.parametrize("name", ["bytebpe", *MODULES])
def test_docstring_examples(name: str, gpt2: bytebpe.Tokenizer) -> None:
    try:
        module = importlib.import_module(name)
    except MissingDependency as missing:
        pytest.skip(str(missing))

    failed, _ = doctest.testmod(module, extraglobs={"tok": gpt2})

    assert failed == 0


def test_readme_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    readme = Path(__file__).parent.parent / "README.md"

    failed, tried = doctest.testfile(str(readme), module_relative=False)

    assert tried >= 8
    assert failed == 0
