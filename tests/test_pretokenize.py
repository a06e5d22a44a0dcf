from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytebpe.patterns import NAMED, compile_pattern
from bytebpe.pretokenize import split
from strategies import texts

WITH_GAPS = [
    r"[a-z]+",  # most characters unmatched
    r"(\p{L})(\p{N})?",  # groups, of which findall would give only these
    r"a*",  # matches the empty string
    r"(?=b)|\p{N}",  # matches nothing but positions
    r"\p{L}\K\p{N}+",  # a match that starts after where it was found
    r"(?i)ß|k|\s+(?!\S)",
    r"\b\w",
    r"\X",
    r"(?:ab){e<=1}",  # fuzzy
    r"(?V1)[\p{L}--[aeiou]]+",
]


@given(text=texts(), pattern=st.sampled_from([*NAMED, *WITH_GAPS]))
def test_pieces_tile_the_text(text: str, pattern: str) -> None:
    pieces = split(text, compile_pattern(pattern))

    assert "".join(pieces) == text
    assert all(pieces)


@pytest.mark.parametrize(
    ("pattern", "text", "pieces"),
    [
        (r"[a-z]+", "abc 123", ["abc", " 123"]),
        (r"[a-z]+", "123", ["123"]),
        (r"(\p{L})(\p{N})?", "a1-b", ["a1", "-", "b"]),
        (r"a*", "baab", ["b", "aa", "b"]),
        (r"\p{L}\K\p{N}+", "a12b3", ["a", "12", "b", "3"]),
    ],
)
def test_what_a_pattern_leaves_out_is_a_piece(pattern: str, text: str, pieces: list[str]) -> None:
    assert split(text, compile_pattern(pattern)) == pieces


@pytest.mark.parametrize(
    ("name", "text", "pieces"),
    [
        ("gpt2", "I'll   go\n\n x", ["I", "'ll", "  ", " go", "\n\n", " x"]),
        ("gpt2", "I'LL", ["I", "'", "LL"]),
        ("gpt2", "a1½ ²", ["a", "1½", " ²"]),
        ("cl100k", "I'LL 1234567", ["I", "'LL", " ", "123", "456", "7"]),
        ("cl100k", "a.b\r\n\r\n  c", ["a", ".b", "\r\n\r\n", " ", " c"]),
        ("cl100k", "x!\n\n y", ["x", "!\n\n", " y"]),
        ("qwen2", "12 a", ["1", "2", " a"]),
        ("o200k", "HelloWORLDs it's", ["Hello", "WORLDs", " it's"]),
        ("o200k", "/usr/\n//x", ["/usr", "/\n//", "x"]),
        ("o200k", "हिन्दी", ["हिन्दी"]),
        ("gpt2", "हि", ["ह", "ि"]),
    ],
)
def test_named_patterns_cut_where_their_tokenizers_do(
    name: str, text: str, pieces: list[str]
) -> None:
    assert split(text, compile_pattern(name)) == pieces
