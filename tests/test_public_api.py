from __future__ import annotations

import inspect
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bytebpe
from bytebpe import errors

ROOT = Path(__file__).parent.parent


def test_all_is_what_is_there() -> None:
    public = {
        name
        for name in dir(bytebpe)
        if not name.startswith("_")
        and (not inspect.ismodule(getattr(bytebpe, name)) or name in bytebpe.__all__)
    }

    assert public == set(bytebpe.__all__)
    assert bytebpe.__all__ == sorted(bytebpe.__all__)


def test_what_is_imported_late_is_there_whatever_is_imported_first() -> None:
    program = (
        "import bytebpe, bytebpe.train, bytebpe.charbpe; assert 'train' in dir(bytebpe);"
        "print(bytebpe.train.__module__, bytebpe.TrainingReport.__module__)"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.stdout.split() == ["bytebpe.training", "bytebpe.report"]
    with pytest.raises(AttributeError, match="has no attribute 'trian'"):
        bytebpe.trian  # type: ignore[attr-defined]  # noqa: B018


def test_every_public_thing_says_what_it_does() -> None:
    for name in bytebpe.__all__:
        thing = getattr(bytebpe, name)
        assert inspect.getdoc(thing), name
        for member, value in vars(thing).items() if inspect.isclass(thing) else ():
            if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                assert inspect.getdoc(value), f"{name}.{member}"


def test_options_are_named() -> None:
    methods = [
        method
        for _, method in inspect.getmembers(bytebpe.Tokenizer, inspect.isfunction)
        if not method.__name__.startswith("__")
    ]
    functions = (
        bytebpe.train,
        bytebpe.train_from_counts,
        bytebpe.load,
        bytebpe.compare,
        bytebpe.compress,
        bytebpe.trace_training,
    )
    for function in (*methods, *functions):
        parameters = inspect.signature(function).parameters.values()
        positional = [
            p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD and p.name != "self"
        ]
        assert len(positional) <= 2, function.__name__
        assert all(p.default is p.empty for p in positional), function.__name__


@pytest.mark.parametrize(
    "error",
    [
        errors.VocabError("v"),
        errors.FormatError("file", 3, "broken"),
        errors.FormatError("file", None, "broken"),
        errors.PatternError("p"),
        errors.BudgetError("b"),
        errors.UnknownTokenError(7, 3, 0, 2),
        errors.SpecialTokenError("s", "<x>", 4),
        errors.TrainingError("t"),
        errors.ConversionError("c"),
        errors.MissingDependency("m"),
    ],
)
def test_errors_survive_pickling(error: errors.ByteBPEError) -> None:
    copy = pickle.loads(pickle.dumps(error))

    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


def test_errors_are_the_built_in_ones_too() -> None:
    assert issubclass(errors.FormatError, (errors.VocabError, ValueError))
    assert issubclass(errors.UnknownTokenError, LookupError)
    assert issubclass(errors.SpecialTokenError, ValueError)
    assert issubclass(errors.MissingDependency, ImportError)


def test_the_version_is_the_same_everywhere() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    assert f'version = "{bytebpe.__version__}"' in project
    assert re.search(rf"^## {re.escape(bytebpe.__version__)}\b", changes, re.MULTILINE)


def test_the_package_says_that_it_is_typed() -> None:
    assert Path(bytebpe.__file__).with_name("py.typed").exists()
