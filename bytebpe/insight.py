"""What a tokenizer can tell of itself: the part of `Tokenizer` that explains.

The methods only delegate: to `token_view`, `trace` and `audit`, which are imported when
they are asked for; those who only encode need not wait for them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .encode import Specials
from .patterns import compile_pattern, name_of
from .specials import ORDINARY
from .vocab import Vocab

if TYPE_CHECKING:
    from .audit import Audit
    from .token_view import TokenView
    from .trace import Trace, Why


class Insight:
    """The methods of a tokenizer that explain it; `Tokenizer` is one."""

    if TYPE_CHECKING:

        @property
        def vocab(self) -> Vocab: ...

        @property
        def pattern(self) -> str: ...

        def encode(
            self, text: str, *, allowed_special: Specials, disallowed_special: Specials
        ) -> list[int]: ...

        def encode_ordinary(self, text: str) -> list[int]: ...

        def _must_be_plain(self) -> None: ...

        def encode_bytes(self, data: bytes) -> list[int]: ...

    def view(
        self,
        text: str,
        *,
        allowed_special: Specials = frozenset(),
        disallowed_special: Specials = "all",
    ) -> TokenView:
        """Return the tokens of a text to be looked at; a notebook shows them in colours.

        >>> print(tok.view("Hello 世"))
        Hello│·│<e4 b8>│<96>
        """
        from .token_view import view

        ids = self.encode(
            text, allowed_special=allowed_special, disallowed_special=disallowed_special
        )
        return view(ids, self.vocab)

    def trace(self, text: str | bytes) -> Trace:
        """Return the pieces of an ordinary text and each merge in them.

        >>> [(step.rank, step.left, step.right) for step in tok.trace("Hi!").pieces[0].steps()]
        [(16994, b'H', b'i')]
        """
        self._must_be_plain()
        from .trace import trace

        return trace(_data(text), self.vocab, compile_pattern(self.pattern))

    def why(
        self,
        left: str | bytes,
        right: str | bytes,
        *,
        before: str | bytes = "",
        after: str | bytes = "",
    ) -> Why:
        """Say why two neighbours merge or do not, in a text of these four parts.

        >>> print(tok.why("lo", "wer"))
        lo + wer: not merged; the vocabulary has no such merge
        """
        self._must_be_plain()
        from .trace import why

        return why(
            _data(left),
            _data(right),
            self.vocab,
            compile_pattern(self.pattern),
            before=_data(before),
            after=_data(after),
        )

    def audit(self, texts: Iterable[str | bytes], *, alpha: float = 2.5) -> Audit:
        """Look the vocabulary over: tokens that texts never use or that nothing can produce.

        Without texts, `audit([])`, it is about the vocabulary alone.  `alpha` is the order
        of Rényi's entropy.

        >>> import bytebpe
        >>> bytebpe.train(["low low"], num_merges=2).audit(["low", "owl"]).used_tokens
        4
        """
        self._must_be_plain()
        from .audit import audit

        return audit(
            texts, self.vocab, compile_pattern(self.pattern), self._encode_any, alpha=alpha
        )

    def _encode_any(self, text: str | bytes) -> list[int]:
        return self.encode_bytes(text) if isinstance(text, bytes) else self.encode_ordinary(text)

    def _repr_html_(self) -> str:
        from .pages import fragment, table, text

        rows = [
            ("tokens", f"{len(self.vocab):,}"),
            ("merges", f"{len(self.vocab.merges):,}"),
            ("special tokens", text(", ".join(self.vocab.special_tokens) or "none")),
            ("pattern", f"<code>{text(name_of(self.pattern) or self.pattern)}</code>"),
        ]
        return fragment(table(("Tokenizer", ""), rows, left=2))


def _data(text: str | bytes) -> bytes:
    if isinstance(text, bytes):
        return text
    if (fault := ORDINARY.fault(text)) is not None:
        raise fault
    return text.encode("utf-8")
