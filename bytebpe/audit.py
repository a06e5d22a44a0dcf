"""Look a vocabulary over: what texts never use, and what no text could use.

A token is unreachable if nothing that can be encoded makes it.  Its own bytes decide that.
Where a token comes about inside a text, no merge has crossed its ends, so its bytes merged by
the same steps as they do alone.  So a token is reachable exactly if its bytes, merged
alone, end in it, and if the pattern leaves them in one piece somewhere.

>>> from .patterns import compile_pattern
>>> vocab = Vocab.from_merges([(b"b", b"c"), (b"a", b"b"), (b"ab", b"c")])
>>> audit([], vocab, compile_pattern("gpt2"), lambda text: []).unreachable
(Unreachable(id=258, token=b'abc', reason='merges'),)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from math import log2
from typing import Final, Literal
from unicodedata import category

from .display import is_whole
from .merge import MergeTable
from .patterns import SplitPattern
from .pretokenize import split
from .scripts import script_of
from .vocab import Vocab

#: The order of Rényi's entropy that goes best with translation quality (Zouhar et al. 2023).
ALPHA: Final = 2.5


@dataclass(frozen=True, slots=True)
class Unreachable:
    """A token that nothing makes: its merges do not lead to it, or the pattern cuts it."""

    id: int
    token: bytes
    reason: Literal["merges", "pattern"]


@dataclass(frozen=True, slots=True)
class Script:
    """A script: how many tokens are written in it, and how often texts use them."""

    name: str
    tokens: int
    uses: int


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found; ids throughout, special tokens apart.

    `unused` are tokens that the texts did not use, `partial` those that hold a part of a
    character, `longest` those of most bytes, and `near_duplicates` groups that differ only in
    white space around them or in case.  `entropy` is in bits a token; `renyi_efficiency` is
    Rényi's entropy divided by that of a vocabulary used evenly, from 0 to 1.  Both are
    None where no text was given.
    """

    vocab_size: int
    texts: int
    tokens: int
    used_tokens: int
    unused: tuple[int, ...]
    unreachable: tuple[Unreachable, ...]
    partial: tuple[int, ...]
    longest: tuple[int, ...]
    near_duplicates: tuple[tuple[int, ...], ...]
    scripts: tuple[Script, ...]
    entropy: float | None
    renyi_efficiency: float | None


def audit(
    texts: Iterable[str | bytes],
    vocab: Vocab,
    pattern: SplitPattern,
    encode: Callable[[str | bytes], Sequence[int]],
    *,
    alpha: float = ALPHA,
    longest: int = 20,
) -> Audit:
    """Count which tokens texts use, and look at the vocabulary itself."""
    if isinstance(texts, (str, bytes)):
        raise TypeError(
            f"texts: expected an iterable of texts, not one {type(texts).__name__}; write [text]"
        )
    if alpha <= 0 or alpha == 1:
        raise ValueError(f"alpha={alpha}; expected more than 0, and not 1")
    uses: Counter[int] = Counter()
    read = 0
    for text in texts:
        uses.update(encode(text))
        read += 1
    ids = sorted(vocab.ids.values())
    tokens = vocab.tokens
    return Audit(
        vocab_size=len(vocab),
        texts=read,
        tokens=uses.total(),
        used_tokens=len(uses),
        unused=tuple(id for id in ids if id not in uses),
        unreachable=tuple(_unreachable(vocab, pattern)),
        partial=tuple(id for id in ids if not is_whole(tokens[id])),
        longest=tuple(sorted(ids, key=lambda id: (-len(tokens[id]), id))[:longest]),
        near_duplicates=_near_duplicates(ids, tokens),
        scripts=_scripts(ids, tokens, uses),
        entropy=_entropy(uses) if uses else None,
        renyi_efficiency=_renyi(uses, alpha) / log2(len(vocab)) if uses else None,
    )


def _unreachable(vocab: Vocab, pattern: SplitPattern) -> Iterator[Unreachable]:
    table = MergeTable([vocab.ids[bytes([byte])] for byte in range(256)], vocab.merge_ids)
    for token, id in sorted(vocab.ids.items(), key=lambda item: item[1]):
        if table.merge(token) != [id]:
            yield Unreachable(id, token, "merges")
        elif not any(_in_one_piece(*around, pattern) for around in _surroundings(token)):
            yield Unreachable(id, token, "pattern")


def _in_one_piece(before: bytes, token: bytes, after: bytes, pattern: SplitPattern) -> bool:
    """Say whether the pattern makes no cut inside the token, between these two."""
    text = (before + token + after).decode("utf-8", "surrogateescape")
    pieces = (piece.encode("utf-8", "surrogateescape") for piece in split(text, pattern))
    first = next(end for end in accumulate(map(len, pieces)) if end > len(before))
    return first >= len(before) + len(token)


def _surroundings(token: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Yield what may stand around a token: nothing first, which does for nearly all.

    A token that ends inside a character goes on as a letter, a number or a mark, which the
    pattern sees; and a pattern may look at the characters beside.
    """
    yield b"", token, b""
    heads, tails = _heads(token), _tails(token)
    for before, after in product(heads, tails):
        yield before, token, after
    for before, after in product(_BESIDE, repeat=2):
        for head, tail in product(heads, tails):
            yield before + head, token, tail + after


_BESIDE: Final = (b"", b"a", b"A", b" ", b"1", b"!", b"\n")


def _heads(token: bytes) -> list[bytes]:
    """Return beginnings for the character in whose middle the token starts."""
    size = next((at for at, byte in enumerate(token[:4]) if byte & 0xC0 != 0x80), len(token))
    if not 1 <= size <= 3:
        return [b""]
    ending = _payload(token[:size])
    found: dict[str, bytes] = {}
    for point in range(ending, 0x110000, 64**size):
        data = chr(point).encode("utf-8", "surrogatepass")
        if data[-size:] == token[:size] and len(data) > size:
            found.setdefault(category(chr(point)), data[:-size])
    return _characters(found)


def _tails(token: bytes) -> list[bytes]:
    """Return endings for the character in whose middle the token ends."""
    start = next((token[-at:] for at in (1, 2, 3) if token[-at:] >= b"\xc0"), b"")
    size = 4 if start >= b"\xf0" else 3 if start >= b"\xe0" else 2
    missing = size - len(start)
    if not start or not missing:
        return [b""]
    first = (
        (start[0] & (0x7F >> size)) << 6 * (len(start) - 1) | _payload(start[1:])
    ) << 6 * missing
    found: dict[str, bytes] = {}
    for point in range(first, min(first + 64**missing, 0x110000)):
        data = chr(point).encode("utf-8", "surrogatepass")
        if data.startswith(start):
            found.setdefault(category(chr(point)), data[-missing:])
    return _characters(found)


def _characters(found: dict[str, bytes]) -> list[bytes]:
    """Leave the surrogates out, which UTF-8 does not write."""
    return [data for kind, data in found.items() if kind != "Cs"] or [b""]


def _payload(continuation: bytes) -> int:
    """Return the bits that continuation bytes carry."""
    bits = 0
    for byte in continuation:
        bits = bits << 6 | byte & 0x3F
    return bits


def _near_duplicates(
    ids: Sequence[int], tokens: Mapping[int, bytes]
) -> tuple[tuple[int, ...], ...]:
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for id in ids:
        if is_whole(tokens[id]) and (bare := tokens[id].decode().strip().casefold()):
            groups[bare].append(id)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def _scripts(
    ids: Sequence[int], tokens: Mapping[int, bytes], uses: Counter[int]
) -> tuple[Script, ...]:
    count: Counter[str] = Counter()
    used: Counter[str] = Counter()
    for id in ids:
        script = script_of(tokens[id])
        count[script] += 1
        used[script] += uses[id]
    names = sorted(count, key=lambda name: (-count[name], name))
    return tuple(Script(name, count[name], used[name]) for name in names)


def _entropy(uses: Counter[int]) -> float:
    total = uses.total()
    return -sum(count / total * log2(count / total) for count in uses.values())


def _renyi(uses: Counter[int], alpha: float) -> float:
    total = uses.total()
    return log2(sum((count / total) ** alpha for count in uses.values())) / (1 - alpha)
