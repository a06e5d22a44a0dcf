from __future__ import annotations

import pytest
import regex

from bytebpe import patterns
from bytebpe.errors import PatternError

WITHOUT_GROUPING = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


@pytest.mark.parametrize("name", patterns.NAMED)
def test_a_name_stands_for_its_regular_expression(name: str) -> None:
    source = patterns.resolve(name)

    assert source == patterns.NAMED[name]
    assert patterns.resolve(source) == source
    assert patterns.NAMED[patterns.name_of(source) or ""] == source


def test_an_unnamed_pattern_has_no_name() -> None:
    assert patterns.name_of(r"\w+|\W+") is None


def test_gpt2_means_what_openai_wrote(corpus: list[str]) -> None:
    as_written = regex.compile(WITHOUT_GROUPING)
    ours = regex.compile(patterns.GPT2)

    for text in corpus:
        assert ours.findall(text) == as_written.findall(text)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("gtp2", "no pattern named 'gtp2'; the names are gpt2, cl100k"),
        ("", "no pattern named ''"),
        ("(", "is no regular expression: missing \\)"),
        (r"\p{Nope}", "is no regular expression: unknown property"),
        (r"(?r)\w+", "reads backwards"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused(pattern: str, message: str) -> None:
    with pytest.raises(PatternError, match=message):
        patterns.compile_pattern(pattern)


def test_a_pattern_must_be_a_str() -> None:
    with pytest.raises(TypeError, match="expected a str, not bytes"):
        patterns.resolve(b"gpt2")  # type: ignore[arg-type]


def test_code_points_that_a_pattern_spells_out_are_known() -> None:
    source = r"[\u0530-\u058F]+|\x41|\U0001F600|\N{GREEK SMALL LETTER ALPHA}|ж|\N{no such name}"

    # The `regex` package refuses the last name; only the reader of names has to pass over it.
    named = patterns._named_code_points(source)

    assert {0x530, 0x58F, 0x41, 0x1F600, 0x3B1, 0x436} <= named
