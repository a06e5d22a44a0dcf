"""What the automaton refuses because it is too much, and what is no pattern at all."""

from __future__ import annotations

import pytest

from bytebpe import dfa_alphabet
from bytebpe.dfa import compile_dfa
from bytebpe.dfa_parse import NotInDialect, parse
from bytebpe.patterns import compile_pattern

MANY_SETS = "|".join(f"[a{chr(0x4E00 + at)}]" for at in range(300))
MANY_CLASSES = "|".join(
    "[" + "".join(chr(0x4E00 + at) for at in range(512) if at >> bit & 1) + "]" for bit in range(9)
)


@pytest.mark.parametrize("pattern", [MANY_SETS, MANY_CLASSES])
def test_a_pattern_of_too_many_sets_or_classes_is_left_to_regex(pattern: str) -> None:
    with pytest.raises(NotInDialect, match="too many"):
        compile_dfa(compile_pattern(pattern))


@pytest.mark.parametrize(
    "source", ["a)", "(a", "(?:" * 200 + "a" + ")" * 200, "a{}", "(?:(?=a))*b", "(?=a)+b"]
)
def test_what_is_unfinished_too_deep_or_repeats_nothing_is_refused(source: str) -> None:
    with pytest.raises(NotInDialect):
        parse(source)


def test_too_many_characters_with_other_cases_are_left_to_regex(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dfa_alphabet, "_MAX_CUTS", 5)

    with pytest.raises(NotInDialect, match="too many characters"):
        compile_dfa(compile_pattern("[acegikmo]+|[bdfhjlnp]"))
