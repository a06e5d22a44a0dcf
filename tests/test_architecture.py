"""Imports run one way: a module imports only from the lines above its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "bytebpe"

LAYERS = [
    {"errors", "unicode", "dfa_read", "units", "display", "longest", "scripts"},
    {"pages"},
    {"bytemap", "standins", "sources"},
    {"patterns", "vocab", "pipeline"},
    {"pretokenize", "merge", "train", "decode", "offsets", "specials", "normalize", "token_parts"},
    {"counting", "ordinary", "dfa_parse", "prefixes", "stream_decode", "dropout", "unstable"},
    {"trace", "token_view", "alignment", "idmap"},
    {"dfa_alphabet"},
    {"dfa"},
    {"growing"},
    {"_native", "native"},
    {"native_growing", "native_train"},
    {"_kernels"},
    {"encode", "audit", "added"},
    {"prepared"},
    {"special_growing", "blocks"},
    {"reading", "incremental"},
    {"budget"},
    {"parts"},
    {"budgeting", "insight", "surgery"},
    {"report", "assets", "progress"},
    {"formats"},
    {"counts_file"},
    {"piece_counts"},
    {"tokenizer", "charbpe"},
    {"training", "library", "baselines"},
    {"training_trace", "compression", "comparison", "conversion"},
    {"integrations"},
    {"cli"},
    {"__init__"},
    {"__main__"},
]
LAYER_OF = {name: depth for depth, layer in enumerate(LAYERS) for name in layer}
FOLDERS = {
    "assets",
    "cli",
    "comparison",
    "formats",
    "integrations",
    "pages",
    "trace",
    "training_trace",
}  # whose modules import each other


def unit_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_units(path: Path) -> Iterator[str]:
    folders = path.relative_to(PACKAGE).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = [*folders[: len(folders) - node.level + 1], *(node.module or "").split(".")]
            named = [part for part in above if part]
            yield from named[:1] or (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            names = (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [alias.name for alias in node.names]
            )
            assert not any(name.split(".")[0] == "bytebpe" for name in names), "import relatively"


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_imports_run_one_way(path: Path) -> None:
    mine = unit_of(path)

    for other in imported_units(path):
        if other == "__version__":
            continue
        runs_down = LAYER_OF[other] < LAYER_OF[mine]
        assert (
            runs_down
            or (mine == other and mine in FOLDERS)
            or (mine in ("native", "native_growing") and other == "_native")
        ), f"{mine} imports {other}"


def test_the_table_of_modules_has_all_of_them_in_order() -> None:
    page = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.split("|---|---|\n", 1)[1].split("\n\n", 1)[0]
    listed = [
        name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])
    ]

    assert len(set(listed)) == len(listed)
    assert set(listed) == LAYER_OF.keys() - {"_native", "__init__", "__main__"}
    assert [LAYER_OF[name] for name in listed] == sorted(LAYER_OF[name] for name in listed)


def test_only_the_switch_knows_of_the_native_core() -> None:
    for path in PACKAGE.rglob("*.py"):
        units = set(imported_units(path))
        faces = {"native", "native_growing", "native_train"}
        knows = bool(units & faces)
        assert knows <= (path.stem in {"_kernels", *faces}), path.name
        assert ("_native" in units) <= (path.stem in faces), path.name


def test_only_the_bindings_know_of_python() -> None:
    for path in (PACKAGE / "_core").glob("*.hpp"):
        if path.name.startswith("module"):
            continue
        text = path.read_text(encoding="utf-8")

        assert "nanobind" not in text
        assert "Python.h" not in text
        assert text.startswith("// Equals "), f"{path.name} does not open with what it must equal"


def test_files_are_short() -> None:
    for path in (*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.?pp")):
        if path.name != "unicode.py":  # which is a table
            most = 600 if path.name == "tokenizer.py" else 340  # mostly examples
            assert len(path.read_text(encoding="utf-8").splitlines()) <= most, path.name
