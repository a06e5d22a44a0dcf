"""The course does what it shows, in both languages."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
COURSE = ROOT / "docs" / "course.md"
CHINESE = ROOT / "docs" / "course.zh.md"
README = ROOT / "README.zh.md"


def blocks(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", [COURSE, README], ids=lambda page: page.name)
def test_pages_do_what_they_show(
    page: Path, engine: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT if page == COURSE else tmp_path)

    failed, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")

    assert tried >= 8
    assert failed == 0


def test_both_languages_show_the_same() -> None:
    assert blocks(COURSE) == blocks(CHINESE)
    assert len(blocks(COURSE)) == 11
