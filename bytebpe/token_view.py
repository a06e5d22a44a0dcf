"""The tokens of a text, to be looked at: on a terminal, on a page, in a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from .display import shown
from .pages import Cell, fragment, page, text, token_view
from .vocab import Merge, Vocab

_ISOLATED: Final = "\u2068{}\u2069"


@dataclass(frozen=True, slots=True)
class TokenInfo:
    """A token: its id, its bytes, and where it is from.

    `rank` is that of the merge that makes it, None for a byte and for a special token.
    """

    id: int
    token: bytes
    rank: int | None
    parts: Merge | None
    special: bool


@dataclass(frozen=True, slots=True)
class TokenView:
    """Tokens in order; a notebook shows them in colours, and `html()` is a page of them."""

    tokens: tuple[TokenInfo, ...]
    _made: dict[bytes, tuple[int, Merge]] = field(repr=False, compare=False)

    def tree(self, token: bytes) -> str:
        """Draw how merges lead to a token, one line a part, with the rank of each merge."""
        return "\n".join(self._branches(token, "{}"))

    def html(self, *, title: str = "Tokens") -> str:
        """Return a page that shows the tokens; it is one file and needs no network."""
        data = b"".join(info.token for info in self.tokens)
        characters = len(data.decode("utf-8", "surrogateescape"))
        head = (
            f'<h1>{text(title)}</h1>\n<p class="lead">{len(self.tokens):,} tokens, '
            f"{len(data):,} bytes, {characters:,} characters</p>\n"
            '<p class="note">Point at a token, or go to the tokens by the tab key and from one '
            "to the next by the arrow keys, to see its id, its bytes and its merges.</p>\n"
        )
        return page(title, head + self.body())

    def body(self) -> str:
        """Return the tokens as HTML that a page or a notebook can hold."""
        return token_view(
            [
                Cell(
                    info.token,
                    info.id,
                    _origin(info),
                    # Isolated, so that a right-to-left token does not turn its line around.
                    "" if info.parts is None else "\n".join(self._branches(info.token, _ISOLATED)),
                    info.special,
                )
                for info in self.tokens
            ]
        )

    def _repr_html_(self) -> str:
        return fragment(self.body())

    def __str__(self) -> str:
        return "│".join(shown(info.token) for info in self.tokens)

    def _branches(self, token: bytes, name: str) -> Iterable[str]:
        if token not in self._made:
            yield name.format(shown(token))
            return
        rank, (left, right) = self._made[token]
        yield f"{name.format(shown(token))}  {rank}"
        for part, here, below in ((left, "├ ", "│ "), (right, "└ ", "  ")):
            branches = iter(self._branches(part, name))
            yield here + next(branches)
            yield from (below + line for line in branches)


def view(ids: Iterable[int], vocab: Vocab) -> TokenView:
    """Make a view of tokens.

    >>> tokens = view([257, 3], Vocab.from_merges([(b"l", b"o"), (b"lo", b"w")]))
    >>> print(tokens)
    low│$
    >>> print(tokens.tree(b"low"))
    low  1
    ├ lo  0
    │ ├ l
    │ └ o
    └ w
    """
    made: dict[bytes, tuple[int, Merge]] = {}
    for number, merge in enumerate(vocab.merges):
        made.setdefault(merge[0] + merge[1], (number, merge))
    specials = set(vocab.special_tokens.values())
    infos = []
    for id in ids:
        token, special = vocab[id], id in specials
        known = None if special else made.get(token)
        rank, parts = known or (None, None)
        infos.append(TokenInfo(id, token, rank, parts, special))
    return TokenView(tuple(infos), made)


def _origin(info: TokenInfo) -> str:
    if info.special:
        return "special token"
    if info.rank is None:
        return "a byte" if len(info.token) == 1 else "made by no merge"
    return f"merge of rank {info.rank}"
