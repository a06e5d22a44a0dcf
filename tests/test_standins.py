from __future__ import annotations

import importlib
from itertools import pairwise
from pathlib import Path

import pytest
import regex

from bytebpe import standins, unicode
from bytebpe.patterns import compile_pattern
from bytebpe.pretokenize import split
from strategies import WHITE_SPACE

EVERY_CODE_POINT = "".join(map(chr, range(0x110000)))


def test_the_categories_tile_all_code_points() -> None:
    spans = sorted(
        (bounds[i], bounds[i + 1])
        for bounds in unicode.CATEGORIES.values()
        for i in range(0, len(bounds), 2)
    )

    assert spans[0][0] == 0
    assert spans[-1][1] == 0x110000
    assert all(left[1] == right[0] for left, right in pairwise(spans))


def test_the_tables_are_what_the_tool_writes() -> None:
    pytest.importorskip("unicodedata2")
    tool = importlib.import_module("tools.unicode_tables")

    assert Path(unicode.__file__).read_text(encoding="utf-8") == tool.render()


@pytest.mark.parametrize("category", unicode.CATEGORIES)
def test_patterns_see_the_categories_of_unicode_16(category: str) -> None:
    seen = standins.pinned(EVERY_CODE_POINT, frozenset())

    spans = [match.span() for match in regex.finditer(rf"\p{{{category}}}+", seen)]

    assert [bound for span in spans for bound in span] == list(unicode.CATEGORIES[category])


def test_white_space_is_the_25_code_points_of_unicode() -> None:
    seen = standins.pinned(EVERY_CODE_POINT, frozenset())

    found = "".join(EVERY_CODE_POINT[match.start()] for match in regex.finditer(r"\s", seen))

    assert len(found) == 25
    assert sorted(found) == sorted(WHITE_SPACE)


def test_text_on_which_both_agree_is_passed_as_it_is() -> None:
    for text in ("plain", "naïve 世界 👋", ""):
        assert standins.pinned(text, frozenset()) is text


def test_pieces_come_from_the_original_text() -> None:
    text = "x\u0558's \U000323b0\U000323b1"

    pieces = split(text, compile_pattern("gpt2"))

    # Letters since Unicode 17 and 18; in 16.0 unassigned, and so cut like symbols.
    assert pieces == ["x", "\u0558'", "s", " \U000323b0\U000323b1"]


def test_a_range_of_the_pattern_holds_a_code_point_and_its_stand_in_alike() -> None:
    pattern = compile_pattern(r"[\u0530-\u058F]+|\p{L}+")

    assert split("\u0558a", pattern) == ["\u0558", "a"]
    assert split("\u0561\u0558a", pattern) == ["\u0561\u0558", "a"]


def test_a_code_point_that_the_pattern_names_stands_for_itself() -> None:
    pattern = compile_pattern("\u0558+|[^\u0558]+")

    assert split("a\u0558\u0558b", pattern) == ["a", "\u0558\u0558", "b"]


def test_nothing_is_replaced_where_regex_agrees_on_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(standins, "_disagreements", dict)
    standins._stand_ins.cache_clear()

    assert standins.pinned("\u0558", frozenset()) == "\u0558"
    standins._stand_ins.cache_clear()
