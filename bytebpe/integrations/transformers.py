"""A tokenizer in the shape of `transformers.PreTrainedTokenizer`, and as the real fast one.

`PreTrainedByteBPE` runs on this library and does what models, collators and `datasets` ask of a
tokenizer: pairs, padding, truncation, masks, offsets, chat templates.  `to_fast` gives
`PreTrainedTokenizerFast` itself, made of our tokenizer.json, and what `save_pretrained` writes
is that, so that `AutoTokenizer` reads it.
"""

from __future__ import annotations

import json
import os
from typing import Any, Final

from .. import formats
from ..bytemap import to_text
from ..library import load
from ..tokenizer import Tokenizer
from . import need

transformers: Any = need("transformers", "transformers")

#: What is passed on where one kind is made of the other.
_PASSED_ON: Final = (
    "bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token",
    "model_max_length", "padding_side", "truncation_side", "chat_template",
    "model_input_names", "clean_up_tokenization_spaces",
)  # fmt: skip


class PreTrainedByteBPE(transformers.PreTrainedTokenizer):  # type: ignore[misc]
    """A `Tokenizer` for transformers; give it, or the path of a file to load.

    Names such as `pad_token="<|endoftext|>"` are given as to any tokenizer of that library; a
    token that is not there yet is added as a special token.  Special tokens in a text become
    their ids, as they do there.
    """

    vocab_files_names = {"tokenizer_file": "tokenizer.json"}  # noqa: RUF012
    model_input_names = ["input_ids", "attention_mask"]  # noqa: RUF012

    def __init__(
        self,
        tokenizer: Tokenizer | None = None,
        tokenizer_file: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        if tokenizer is None:
            if tokenizer_file is None:
                raise ValueError("give a Tokenizer, or tokenizer_file=PATH")
            tokenizer = load(tokenizer_file)
        self._use(tokenizer)
        options.pop("added_tokens_decoder", None)  # which the tokenizer itself knows
        super().__init__(**options)

    def _use(self, tokenizer: Tokenizer) -> None:
        self.bytebpe = tokenizer
        vocab = tokenizer.vocab
        self._id_of = {to_text(token): id for token, id in vocab.ids.items()}
        self._id_of |= vocab.special_tokens
        self._token_of = {id: token for token, id in self._id_of.items()}

    @property
    def vocab_size(self) -> int:
        """One more than the highest id, the rows of an embedding."""
        return max(self.bytebpe.vocab.tokens) + 1

    def __len__(self) -> int:
        """Return `vocab_size`: added tokens are in the vocabulary."""
        return self.vocab_size

    def get_vocab(self) -> dict[str, int]:
        """Return all tokens, written as in tokenizer.json, and their ids."""
        return dict(self._id_of)

    def _add_tokens(self, new_tokens: Any, special_tokens: bool = False) -> int:
        missing = [str(token) for token in new_tokens if str(token) not in self._id_of]
        if missing:
            self._use(self.bytebpe.add_special_tokens(missing)[0])
        super()._add_tokens(new_tokens, special_tokens=special_tokens)
        return len(missing)

    def tokenize(self, text: str, **options: Any) -> list[str]:
        """Return the tokens of a text, written as in tokenizer.json."""
        ids = self.bytebpe.encode(text, allowed_special="all")
        return [self._token_of[id] for id in ids]

    def _convert_token_to_id(self, token: str) -> int:
        return self._id_of[token]

    def _convert_id_to_token(self, index: int) -> str:
        return self._token_of[index]

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """Join tokens to text."""
        return self.bytebpe.decode([self._id_of[token] for token in tokens])

    def _decode(
        self,
        token_ids: int | list[int],
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool | None = None,
        **options: Any,
    ) -> str:
        ids = [token_ids] if isinstance(token_ids, int) else list(token_ids)
        if skip_special_tokens:
            special = set(self.all_special_ids) | set(self.bytebpe.special_tokens.values())
            ids = [id for id in ids if id not in special]
        return self.bytebpe.decode(ids)

    def build_inputs_with_special_tokens(
        self, token_ids_0: list[int], token_ids_1: list[int] | None = None
    ) -> list[int]:
        """Put around a text, or a pair of texts, what the tokenizer's template asks for."""
        if token_ids_1 is None:
            return self.bytebpe.wrap(token_ids_0)
        template = self.bytebpe.pipeline.template
        if not (template and template.pair):
            return self.bytebpe.wrap(token_ids_0) + self.bytebpe.wrap(token_ids_1)
        texts = {"A": token_ids_0, "B": token_ids_1}
        parts = (texts[part] if isinstance(part, str) else [part] for part, _ in template.pair)
        return [id for part in parts for id in part]

    def create_token_type_ids_from_sequences(
        self, token_ids_0: list[int], token_ids_1: list[int] | None = None
    ) -> list[int]:
        """Return a type of 0 for each id, as models of this kind know no other."""
        return [0] * len(self.build_inputs_with_special_tokens(token_ids_0, token_ids_1))

    def _encode_plus(
        self,
        text: Any,
        text_pair: Any = None,
        *positional: Any,
        return_offsets_mapping: bool = False,
        return_tensors: Any = None,
        **options: Any,
    ) -> Any:
        if not return_offsets_mapping:
            return super()._encode_plus(
                text, text_pair, *positional, return_tensors=return_tensors, **options
            )
        texts = text if isinstance(text, list) else [text]
        if text_pair is not None or not all(isinstance(one, str) for one in texts):
            raise NotImplementedError("offsets of pairs and of words; see to_fast()")
        encoded = super()._encode_plus(text, *positional, **{**options, "return_tensors": None})
        around = options.get("add_special_tokens", True)
        rows = [encoded["input_ids"]] if text is not texts else encoded["input_ids"]
        side = options.get("padding_side") or self.padding_side
        spans = [self._spans(one, row, around, side) for one, row in zip(texts, rows, strict=True)]
        encoded["offset_mapping"] = spans if text is texts else spans[0]
        return transformers.BatchEncoding(dict(encoded), tensor_type=return_tensors)

    def _spans(
        self, text: str, row: list[int], around: bool, padding_side: str
    ) -> list[tuple[int, int]]:
        """Return the spans of a row that may be truncated and padded; what is put in has none."""
        spans = self.bytebpe.offsets(text, allowed_special="all")
        template = self.bytebpe.pipeline.template if around else None
        before, after = (len(template.before), len(template.after)) if template else (0, 0)
        # A row is as long as its text, cut to its length or filled up to it.
        whole = before + len(spans) + after
        kept = min(len(spans), max(0, len(row) - before - after))
        spans = spans[len(spans) - kept :] if self.truncation_side == "left" else spans[:kept]
        spans = [(0, 0)] * before + spans + [(0, 0)] * after
        padding = [(0, 0)] * max(0, len(row) - whole)
        return padding + spans if padding_side == "left" else spans + padding

    def save_vocabulary(
        self, save_directory: str, filename_prefix: str | None = None
    ) -> tuple[str, ...]:
        """Write tokenizer.json."""
        prefix = f"{filename_prefix}-" if filename_prefix else ""
        path = os.path.join(save_directory, f"{prefix}tokenizer.json")
        self.bytebpe.save(path, format="huggingface")
        return (path,)

    def save_pretrained(self, save_directory: Any, **options: Any) -> tuple[str, ...]:
        """Write what `from_pretrained`, here and of AutoTokenizer, reads."""
        saved: tuple[str, ...] = self.to_fast().save_pretrained(save_directory, **options)
        return saved

    def to_fast(self) -> Any:
        """Return the same tokenizer as `PreTrainedTokenizerFast`."""
        return to_fast(self.bytebpe, **{name: getattr(self, name) for name in _PASSED_ON})


def to_fast(tok: Tokenizer, **options: Any) -> Any:
    """Return a tokenizer as `transformers.PreTrainedTokenizerFast`, made of its tokenizer.json.

    `options` are those of that class, such as `pad_token="<|endoftext|>"`.  Raises `FormatError`
    for a tokenizer that a tokenizer.json cannot say.
    """
    tokenizers = need("tokenizers", "transformers")
    stored = formats.Stored(tok.vocab, tok.pattern, tok.pipeline)
    content = json.dumps(formats.huggingface.render(stored))
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizers.Tokenizer.from_str(content), **options
    )
