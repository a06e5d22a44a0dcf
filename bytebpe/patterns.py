r"""Split patterns: where a text may be cut before any merge is looked at.

Merges never cross a cut, so the pattern decides what a token can be.  Patterns
are regular expressions of the `regex` package; the classes behind \p{..} and
\s are those of Unicode 16.0 (see `standins`).  Each named pattern is written
here branch by branch; the first branch that matches wins, as in any regular
expression, and the meaning is that of the tokenizer the pattern is named for.

Many patterns end in `\s+(?!\S)|\s+`: of a run of white space before a word, all
but the last character is one piece, so that the last one, a space, can join the word.

>>> resolve("gpt2") == GPT2
True
>>> name_of(GPT2)
'gpt2'
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from .errors import PatternError

if TYPE_CHECKING:
    import regex

_CONTRACTION: Final = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WHITE_SPACE: Final = (
    r"\s*[\r\n]+",  # white space up to the last line end that follows it
    r"\s+(?!\S)",  # a run of white space, less the character before a word
    r"\s+",  # that character, unless it joined the word
)

GPT2: Final = "|".join(
    (
        # English contractions, in lower case only; GPT-2 wrote 's|'t|'re|'ve|'m|'ll|'d, which
        # means the same and is tried seven times at each character instead of once.
        r"'(?:[sdmt]|ll|ve|re)",
        r" ?\p{L}+",  # a word, with the space before it
        r" ?\p{N}+",  # a number, with the space before it
        r" ?[^\s\p{L}\p{N}]+",  # the rest: punctuation, symbols, marks
        *_WHITE_SPACE[1:],
    )
)

CL100K: Final = "|".join(
    (
        _CONTRACTION,  # contractions in any case
        r"[^\r\n\p{L}\p{N}]?\p{L}+",  # a word, with one character of any kind before it
        r"\p{N}{1,3}",  # digits by threes
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",  # punctuation, with the line ends after it
        *_WHITE_SPACE,
    )
)

LLAMA3: Final = CL100K

QWEN2: Final = CL100K.replace(r"\p{N}{1,3}", r"\p{N}")  # digits one by one

O200K: Final = "|".join(
    (
        # A word in lower case, or with a capital head; marks belong to the word.
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        + f"{_CONTRACTION}?",
        # A word in capitals, with what follows of it in lower case.
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        + f"{_CONTRACTION}?",
        r"\p{N}{1,3}",  # digits by threes
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",  # punctuation, with the line ends and slashes after it
        *_WHITE_SPACE,
    )
)

#: Mistral's, which has no name here: words as in "o200k", no contractions, digits one by one.
TEKKEN: Final = O200K.replace(_CONTRACTION + "?", "").replace(r"\p{N}{1,3}", r"\p{N}")

NAMED: Final = {
    "gpt2": GPT2,
    "cl100k": CL100K,
    "o200k": O200K,
    "llama3": LLAMA3,
    "qwen2": QWEN2,
}


def resolve(pattern: str) -> str:
    """Return the regular expression that a name stands for, or `pattern` itself.

    Raises `PatternError` for a bare word that is no name: such a regular
    expression would match only itself, so it is a name mistyped.
    """
    if not isinstance(pattern, str):
        raise TypeError(f"pattern: expected a str, not {type(pattern).__name__}")
    if pattern in NAMED:
        return NAMED[pattern]
    if pattern.isidentifier() or not pattern:
        raise PatternError(f"no pattern named {pattern!r}; the names are {', '.join(NAMED)}")
    return pattern


def name_of(source: str) -> str | None:
    """Return the first name of a regular expression, None for one that has none."""
    return next((name for name, known in NAMED.items() if known == source), None)


class SplitPattern(NamedTuple):
    """A pattern made ready: its source, and what the reference needs of it when it needs it."""

    source: str

    @property
    def compiled(self) -> regex.Pattern[str]:
        """The regular expression; raises `PatternError` where the source is none."""
        return _compile(self.source)

    @property
    def named(self) -> frozenset[int]:
        """The code points that the source spells out, alone or as the end of a range."""
        return _named_code_points(self.source)


@lru_cache(maxsize=64)
def compile_pattern(pattern: str) -> SplitPattern:
    """Make a pattern ready from its name or its regular expression.

    Raises `PatternError` where it is no regular expression, or one that reads
    the text backwards.
    """
    made = SplitPattern(resolve(pattern))
    if name_of(made.source) is None:
        _ = made.compiled  # raises now, not at the first text
    return made


@lru_cache(maxsize=64)
def _compile(source: str) -> regex.Pattern[str]:
    # To import the package takes longer than to load a vocabulary, and the native core
    # splits by the named patterns without it.
    import regex

    try:
        compiled = regex.compile(source)
    except (regex.error, OverflowError, RecursionError) as error:
        raise PatternError(f"pattern {source!r} is no regular expression: {error}") from error
    if compiled.flags & regex.REVERSE:
        raise PatternError(f"pattern {source!r} reads backwards; remove the flag (?r)")
    return compiled


_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|N\{([^}]*)\})"
)


@lru_cache(maxsize=64)
def _named_code_points(source: str) -> frozenset[int]:
    points = {ord(char) for char in source}
    for match in _ESCAPE.finditer(source):
        digits = match[1] or match[2] or match[3]
        if digits:
            points.add(int(digits, 16))
        else:
            try:
                points.add(ord(unicodedata.lookup(match[4])))
            except KeyError:  # regex may know a name that is newer than this Python
                continue
    return frozenset(points)
