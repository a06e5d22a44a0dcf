"""Split patterns as other libraries write them.

A pattern in a file is code from elsewhere: it can be made to run for ever, and it may mean one
thing to one library and another to the next.  So it is taken where it is a known one, or where
it is in the dialect that `dfa_parse` reads, which is matched in one pass.
"""

from __future__ import annotations

import re
from typing import Final

from ..dfa_parse import NotInDialect, parse
from ..errors import PatternError
from ..patterns import CL100K, GPT2, NAMED, compile_pattern

#: Cuts nothing: a text is one piece.
WHOLE: Final = r"[\s\S]+"

#: No pattern of more characters is read.
LONGEST: Final = 4096

_GPT2_REST: Final = r"| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

#: Other ways to write the named patterns, each of the same meaning on every text.
_ALIASES: Final = {
    # GPT-2's own, and tiktoken's, which was twice rewritten for speed.
    "'s|'t|'re|'ve|'m|'ll|'d" + _GPT2_REST: GPT2,
    "'(?:[sdmt]|ll|ve|re)"
    r"| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s": GPT2,
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s": CL100K,
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+": CL100K,
}

#: What libraries read differently: word characters, word ends, line ends.  A dollar in a class
#: is a dollar, and what is escaped is itself.
_AMBIGUOUS: Final = re.compile(
    r"(?P<read_differently>\\[wWbB]|\$)|\\.|\[(?:[^\]\\]|\\[^wWbB])*\]", re.DOTALL
)


def known(source: str) -> str:
    """Return the pattern in our own words, or as it is where it is none of the named.

    A bare word would be taken for a name, and is put in a group.

    >>> known("gpt2")
    '(?:gpt2)'
    """
    return f"(?:{source})" if source.isidentifier() else _ALIASES.get(source, source)


def problem(source: str) -> str | None:
    """Say why a pattern from a file is not taken; None where it is.

    >>> problem("(a+)+b"), problem(r"\\p{N}{1,3}")
    (None, None)
    >>> problem(r"(a)\\1")
    "'\\\\\\\\1' at 3 is outside the dialect that libraries agree on"
    """
    if source in NAMED.values():
        return None
    if len(source) > LONGEST:
        return f"it has {len(source)} characters, and at most {LONGEST} are read"
    for part in _AMBIGUOUS.finditer(source):
        if part["read_differently"]:
            return f"{part[0]!r} does not mean the same in all libraries"
    try:
        parse(source)
        compile_pattern(source)
    except NotInDialect as error:
        return f"{error} is outside the dialect that libraries agree on"
    except PatternError as error:
        return str(error)
    return None
