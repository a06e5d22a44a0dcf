"""The vocabularies that OpenAI publishes: their files by hash, and what the files do not say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from ..patterns import CL100K, GPT2, O200K


@dataclass(frozen=True, slots=True)
class File:
    """A file of ranks as it is published.

    `cache_key` is what tiktoken and data-gym call it in their caches: the SHA-1 of the address
    that it is published at.
    """

    name: str
    sha256: str
    cache_key: str


@dataclass(frozen=True, slots=True)
class Published:
    """A published vocabulary: its file of ranks, and what that does not say."""

    file: File
    pattern: str
    special_tokens: Mapping[str, int] = field(repr=False)


_END: Final = "<|endoftext|>"
_FIM: Final = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")

_R50K: Final = File(
    "r50k_base.tiktoken",
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    "0ea1e91bbb3a60f729a8dc8f777fd2fc07cd8df4",
)
_P50K: Final = File(
    "p50k_base.tiktoken",
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    "ec7223a39ce59f226a68acc30dc1af2788490e15",
)
_CL100K: Final = File(
    "cl100k_base.tiktoken",
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
)
_O200K: Final = File(
    "o200k_base.tiktoken",
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "fb374d419588a4632f3f557e76b4b70aebbca790",
)
_HARMONY: Final = (
    "<|return|>", "<|constrain|>", "<|reserved_200004|>", "<|channel|>", "<|start|>", "<|end|>",
    "<|message|>", "<|reserved_200009|>", "<|reserved_200010|>", "<|reserved_200011|>",
    "<|call|>",
)  # fmt: skip


def _from(first: int, tokens: Iterable[str]) -> dict[str, int]:
    return {token: id for id, token in enumerate(tokens, first)}


KNOWN: Final = {
    "r50k": Published(_R50K, GPT2, {_END: 50256}),
    "p50k": Published(_P50K, GPT2, {_END: 50256}),
    "p50k_edit": Published(_P50K, GPT2, {_END: 50256, **_from(50281, _FIM)}),
    "cl100k": Published(
        _CL100K, CL100K, {_END: 100257, **_from(100258, _FIM), "<|endofprompt|>": 100276}
    ),
    "o200k": Published(_O200K, O200K, {_END: 199999, "<|endofprompt|>": 200018}),
    # What gpt-oss uses: the same ranks with more special tokens.  tiktoken gives 200018 a second
    # name, <|reserved_200018|>, which a vocabulary cannot.
    "o200k_harmony": Published(
        _O200K,
        O200K,
        {
            "<|startoftext|>": 199998,
            _END: 199999,
            **_from(200000, ("<|reserved_200000|>", "<|reserved_200001|>", *_HARMONY)),
            **{f"<|reserved_{id}|>": id for id in range(200013, 201088) if id != 200018},
            "<|endofprompt|>": 200018,
        },
    ),
}


def by_name(name: str) -> Published | None:
    """Return a published vocabulary by our name or tiktoken's."""
    return KNOWN.get(name.removesuffix("_base"))


def by_hash(sha256: str) -> Published | None:
    """Return the published vocabulary that a file of this hash is; the plain one of several."""
    return next((known for known in KNOWN.values() if known.file.sha256 == sha256), None)
