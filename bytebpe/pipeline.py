"""What surrounds splitting and merging: all of a tokenizer but its vocabulary and its pattern.

GPT-2 needs none of it, and the plain `Pipeline()` does nothing.  Other tokenizers normalize a
text first, cut it by several patterns in turn, look for tokens of their own in it, take a
piece that is a token as it is, or put ids around a text.  The steps, in order:

1. tokens with a text of their own are cut out, first those that are looked for as the text
   stands, and after step 2 those that are looked for in the normalized text (`added`)
2. what is between is normalized (`normalizer`)
3. a space is put before each stretch that has none (`prefix_space`)
4. each stretch is cut by the patterns of `presplits`, each cutting what the last one left;
   then comes the tokenizer's own pattern
5. a piece that is a token becomes that token (`ignore_merges`); others are merged
6. on request, ids are put around it all (`template`)

Steps 1 to 3 can lose what they change: white space around a token that takes it in, and the
way a character was composed.  A pipeline without them is `lossless`.

>>> Pipeline().is_plain, Pipeline(normalizer=("NFC",)).lossless
(True, False)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from .errors import VocabError

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

#: Where the texts go in a template: the first, and the second of a pair.
TEXTS: Final = ("A", "B")


@dataclass(frozen=True, slots=True)
class AddedToken:
    """How a token with a text of its own is looked for; `Vocab.special_tokens` has its id.

    A `special` token obeys `allowed_special` and `disallowed_special`; any other is taken
    wherever it stands.  `lstrip` and `rstrip` take in the white space before and after,
    `single_word` leaves out what touches a letter, a number or a mark, and `normalized`
    looks in the normalized text for the normalized token.
    """

    content: str
    special: bool = True
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it is looked for as any special token is."""
        return self == AddedToken(self.content)


@dataclass(frozen=True, slots=True)
class Template:
    """Ids put around a text, and around a pair of texts.

    A part is "A" or "B", the texts, or an id; with each goes the type that the format gives
    it, which no id depends on.
    """

    single: tuple[tuple[str | int, int], ...]
    pair: tuple[tuple[str | int, int], ...] = ()

    def __post_init__(self) -> None:
        for parts, texts in ((self.single, "A"), (self.pair, "AB")):
            found = "".join(part for part, _ in parts if isinstance(part, str))
            if (parts or texts == "A") and found != texts:
                raise VocabError(
                    f"template: expected the texts {texts!r} once each, found {found!r}"
                )

    @property
    def before(self) -> tuple[int, ...]:
        """The ids before a text."""
        return self._ids(slice(0, self._place))

    @property
    def after(self) -> tuple[int, ...]:
        """The ids after a text."""
        return self._ids(slice(self._place + 1, None))

    @property
    def _place(self) -> int:
        return [part for part, _ in self.single].index("A")

    def _ids(self, where: slice) -> tuple[int, ...]:
        return tuple(part for part, _ in self.single[where] if isinstance(part, int))


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The steps around splitting and merging; see the head of this module."""

    added: tuple[AddedToken, ...] = ()
    normalizer: tuple[Form, ...] = ()
    prefix_space: bool = False
    presplits: tuple[str, ...] = ()
    ignore_merges: bool = False
    template: Template | None = None

    def __post_init__(self) -> None:
        for form in self.normalizer:
            if form not in get_args(Form):
                raise VocabError(
                    f"normalizer {form!r}; expected one of {', '.join(get_args(Form))}"
                )
        if len({token.content for token in self.added}) < len(self.added):
            raise VocabError("an added token is given twice")

    @property
    def is_plain(self) -> bool:
        """Whether texts are encoded by the vocabulary and the pattern alone."""
        return not (self.added or self.normalizer or self.prefix_space or self.presplits)

    @property
    def merges_alone(self) -> bool:
        """Whether the ids of a text follow from vocabulary, pattern and merges alone."""
        return self.is_plain and not self.ignore_merges

    @property
    def lossless(self) -> bool:
        """Whether every text comes back as it was."""
        takes_space = any(token.lstrip or token.rstrip for token in self.added)
        changed = any(token.normalized for token in self.added) and self.normalizer
        return not (self.normalizer or self.prefix_space or takes_space or changed)

    def with_ids(self, new_ids: Sequence[int]) -> Pipeline:
        """Return the pipeline of a vocabulary whose ids have changed; tokens in it must stay."""
        if self.template is None:
            return self

        def renamed(parts: tuple[tuple[str | int, int], ...]) -> tuple[tuple[str | int, int], ...]:
            return tuple((p if isinstance(p, str) else new_ids[p], kind) for p, kind in parts)

        template = Template(renamed(self.template.single), renamed(self.template.pair))
        return replace(self, template=template)

    def flags(self, content: str) -> AddedToken:
        """Return how a token is looked for: as a plain special one where nothing is said."""
        return next(
            (token for token in self.added if token.content == content), AddedToken(content)
        )


#: What does nothing.
PLAIN: Final = Pipeline()
