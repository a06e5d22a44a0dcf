"""Find tokens with a text of their own: leftmost, then longest, by the flags of each.

What is found is what Hugging Face's tokenizers find: white space that a token takes in is not
taken from the match before it, and a match that is refused because it touches a word is over,
so that no other token is looked for inside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from .patterns import compile_pattern
from .pipeline import AddedToken
from .specials import Finder
from .standins import pinned

#: Alphabetic characters, marks, decimal digits, connectors and joiners: `\w` as Unicode has it.
_WORD: Final = (
    r"[\p{L}\p{M}\p{Nl}\p{Nd}\p{Pc}\u200c\u200d"
    r"\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189]"
)
#: White space, without the four controls that Python alone counts as such.
_SPACE: Final = re.compile(r"[^\S\x1c-\x1f]")


def find(
    text: str, tokens: Mapping[str, AddedToken], finder: Finder
) -> Iterator[tuple[AddedToken, int, int]]:
    """Yield each token found with the place where it starts and ends, white space included.

    `tokens` has them by the text that `finder` looks for.  A token that took in the white
    space before the next one may end where that one has begun.
    """
    at = end = 0
    while found := finder.find(text, at):
        start, stop = found
        at = stop
        token = tokens[text[start:stop]]
        if token.single_word and any(
            map(_is_word, (text[start - 1 : start], text[stop : stop + 1]))
        ):
            continue
        if token.lstrip:
            while start > end and _SPACE.fullmatch(text[start - 1]):
                start -= 1
        if token.rstrip:
            while stop < len(text) and _SPACE.fullmatch(text[stop]):
                stop += 1
        yield token, start, stop
        end = stop


def _is_word(char: str) -> bool:
    """Whether a character is one of a word; none at all, as at the ends of a text, is not."""
    word = compile_pattern(_WORD)
    return word.compiled.fullmatch(pinned(char, word.named)) is not None
