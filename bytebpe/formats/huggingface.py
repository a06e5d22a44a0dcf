"""Hugging Face's tokenizer.json: vocabulary, merges, tokens of their own and all steps around.

Read are byte-level BPE tokenizers, whatever their library made of them; a part that asks for
anything else is refused by name, since ids would be wrong without a word.  Merges may stand as
"a b" or as ["a", "b"]; they are written the first way, which older readers know too.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from ..bytemap import to_bytes, to_text
from ..errors import FormatError, VocabError
from ..pipeline import AddedToken, Pipeline, Template
from ..vocab import Merge, Vocab
from .files import check_id, read_json_object, write_files
from .huggingface_steps import (
    Unsupported,
    read_decoder,
    read_normalizer,
    read_post_processor,
    read_pre_tokenizer,
    write_normalizer,
    write_post_processor,
    write_pre_tokenizer,
)
from .stored import Stored

NAME: Final = "tokenizer.json"
CONFIG: Final = "tokenizer_config.json"

_PARTS: Final = {
    "version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer",
    "post_processor", "decoder", "model",
}  # fmt: skip
#: What a model may say, and for each key the values that change nothing here.  With a token
#: for each byte nothing is ever unknown.
_MODEL: Final[dict[str, tuple[object, ...] | None]] = {
    "type": ("BPE",),
    "dropout": (None, 0, 0.0),
    "unk_token": None,
    "continuing_subword_prefix": (None, ""),
    "end_of_word_suffix": (None, ""),
    "fuse_unk": (None, False, True),
    "byte_fallback": (None, False, True),
    "ignore_merges": (None, False, True),
    "vocab": None,
    "merges": None,
}
_FLAGS: Final = ("special", "single_word", "lstrip", "rstrip", "normalized")


def load(path: Path, pattern: str | None) -> Stored:
    """Read a tokenizer; `pattern` overrides the one in the file."""
    content = read_json_object(path)
    try:
        return _Reader(path, content).read(pattern)
    except Unsupported as error:
        raise FormatError(str(path), None, f"{error}: this cannot be done exactly") from None
    except FormatError:
        raise
    except VocabError as error:
        raise FormatError(str(path), None, str(error)) from None


class _Reader:
    def __init__(self, path: Path, content: dict[str, Any]) -> None:
        self._path = path
        self._content = content
        model = content.get("model")
        if not isinstance(model, dict):
            raise self._error("model: expected an object")
        self._model = model

    def read(self, pattern: str | None) -> Stored:
        content, model = self._content, self._model
        for key in content.keys() - _PARTS:
            raise Unsupported(f"{key!r}")
        for key in ("truncation", "padding"):
            if content.get(key) is not None:
                raise Unsupported(f"{key}, which changes the ids of long or short texts")
        for key, value in model.items():
            if key not in _MODEL or not _is_one_of(value, _MODEL[key]):
                raise Unsupported(f"model: {key} {value!r}")
        entries = self._entries()
        merges = self._merges()
        tokens = self._added()
        made = {left + right for left, right in merges}
        specials, listed, ids = {}, [], dict(entries)
        for token, id in tokens:
            if token.content in entries and self._is_ordinary(token.content, made):
                listed.append(token)
                continue
            if token.content in ids and model.get("ignore_merges"):
                refuse_as_piece(token)
            ids.pop(token.content, None)
            specials[token.content] = id
            if not token.is_plain:
                listed.append(token)
        vocab = Vocab({to_bytes(text): id for text, id in ids.items()}, tuple(merges), specials)
        read_decoder(content.get("decoder"))
        presplits, found, prefix_space = read_pre_tokenizer(content.get("pre_tokenizer"))
        return Stored(
            vocab,
            pattern or found,
            Pipeline(
                added=tuple(listed),
                normalizer=read_normalizer(content.get("normalizer")),
                prefix_space=prefix_space,
                presplits=() if pattern else presplits,
                ignore_merges=bool(model.get("ignore_merges")),
                template=self._template(vocab),
            ),
        )

    def _template(self, vocab: Vocab) -> Template | None:
        template = read_post_processor(self._content.get("post_processor"))
        for part, _ in (*template.single, *template.pair) if template else ():
            if isinstance(part, int) and part not in vocab.tokens:
                raise self._error(f"post_processor: {part} is the id of no token")
        return template

    def _is_ordinary(self, text: str, made: set[bytes]) -> bool:
        """Whether an added token is also one that merging makes, under the same id."""
        try:
            token = to_bytes(text)
        except VocabError:
            return False
        if len(token) > 1 and token not in made:
            return False
        if token != text.encode():
            raise Unsupported(f"added token {text!r}, which shares the id of the token {token!r}")
        return True

    def _entries(self) -> dict[str, int]:
        entries = self._model.get("vocab")
        if not isinstance(entries, dict):
            raise self._error("model: vocab: expected an object")
        for text, id in entries.items():
            check_id(self._path, f"token {text!r}", id)
        return entries

    def _merges(self) -> list[Merge]:
        listed = self._model.get("merges")
        if not isinstance(listed, list):
            raise self._error("model: merges: expected a list")
        merges: list[Merge] = []
        for rank, merge in enumerate(listed):
            parts = merge.split(" ") if isinstance(merge, str) else merge
            if (
                not isinstance(parts, list)
                or len(parts) != 2
                or not all(isinstance(part, str) and part for part in parts)
            ):
                raise self._error(f"model: merge {rank}: expected two tokens, found {merge!r}")
            merges.append((to_bytes(parts[0]), to_bytes(parts[1])))
        return merges

    def _added(self) -> list[tuple[AddedToken, int]]:
        listed = self._content.get("added_tokens", [])
        if not isinstance(listed, list):
            raise self._error("added_tokens: expected a list")
        tokens: dict[str, tuple[AddedToken, int]] = {}
        for entry in listed:
            if not isinstance(entry, dict) or not isinstance(entry.get("content"), str):
                raise self._error(f"added_tokens: expected a token with content, found {entry!r}")
            content: str = entry["content"]
            id: Any = entry.get("id")
            check_id(self._path, f"added token {content!r}", id)
            flags = {flag: entry.get(flag, False) for flag in _FLAGS}
            if any(not isinstance(value, bool) for value in flags.values()):
                raise self._error(f"added token {content!r}: expected true or false, in {flags}")
            if content in tokens:
                raise self._error(f"added token {content!r} is given twice")
            tokens[content] = AddedToken(content, **flags), id
        self._check_numbers(tokens)
        return list(tokens.values())

    def _check_numbers(self, tokens: dict[str, tuple[AddedToken, int]]) -> None:
        """Refuse ids that the library would not give: it counts on from the vocabulary."""
        entries = self._entries()
        highest = -1
        for content, (_, id) in tokens.items():
            theirs = entries.get(content, max(highest + 1, len(entries)))
            if theirs != id:
                raise self._error(
                    f"added token {content!r} has the id {id} here, while the library that "
                    f"writes such files gives it {theirs}"
                )
            highest = max(highest, id)

    def _error(self, problem: str) -> FormatError:
        return FormatError(str(self._path), None, problem)


def save(stored: Stored, directory: Path, name: str | None) -> None:
    """Write a tokenizer.json under `name`; without one also what AutoTokenizer looks for."""
    try:
        text = json.dumps(render(stored), ensure_ascii=False, separators=(",", ":"))
    except Unsupported as error:
        raise FormatError(
            str(directory / (name or NAME)), None, f"a tokenizer.json cannot say it: {error}"
        ) from None
    files = {name or NAME: text}
    if name is None:
        config = {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "clean_up_tokenization_spaces": False,
        }
        files[CONFIG] = json.dumps(config, indent=2) + "\n"
    write_files(directory, files)


def render(stored: Stored) -> dict[str, Any]:
    """Return the JSON of a tokenizer."""
    vocab, pipeline = stored.vocab, stored.pipeline
    entries = {to_text(token): id for token, id in vocab.ids.items()}
    tokens = [(pipeline.flags(content), id) for content, id in vocab.special_tokens.items()]
    tokens += [
        (token, vocab.ids[token.content.encode()])
        for token in pipeline.added
        if token.content not in vocab.special_tokens
    ]
    tokens.sort(key=lambda entry: entry[1])
    # The library counts on from the vocabulary where tokens are added, so that ids with holes
    # have to stand in the vocabulary too.
    if [id for _, id in tokens] != list(range(len(entries), len(entries) + len(tokens))):
        for token, id in tokens:
            if pipeline.ignore_merges and token.content not in entries:
                refuse_as_piece(token)
            if entries.setdefault(token.content, id) != id:
                raise Unsupported(
                    f"special token {token.content!r} with the id {id}, beside an ordinary token "
                    f"written alike with the id {entries[token.content]}"
                )
    else:
        for token, _ in tokens:
            if token.content in entries:
                raise Unsupported(
                    f"special token {token.content!r} beside an ordinary token written alike"
                )
    level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_render_token(token, id) for token, id in tokens],
        "normalizer": write_normalizer(pipeline.normalizer),
        "pre_tokenizer": write_pre_tokenizer(stored.pattern, pipeline),
        "post_processor": write_post_processor(pipeline.template, lambda id: _name(vocab, id)),
        "decoder": level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": pipeline.ignore_merges,
            "vocab": dict(sorted(entries.items(), key=lambda entry: entry[1])),
            "merges": [f"{to_text(left)} {to_text(right)}" for left, right in vocab.merges],
        },
    }


def refuse_as_piece(token: AddedToken) -> None:
    """Refuse a token in the vocabulary that a piece could be taken for, merges being ignored.

    A token that is cut out wherever it stands is left in no piece.  Another may be, and so may
    bytes whose characters in the file happen to spell a token.
    """
    try:
        data = to_bytes(token.content)
    except VocabError:
        return
    if token.single_word or token.normalized or data != token.content.encode():
        raise Unsupported(f"ignore_merges, which a piece {data!r} turns into an added token")


def _render_token(token: AddedToken, id: int) -> dict[str, object]:
    flags = {
        flag: getattr(token, flag)
        for flag in ("single_word", "lstrip", "rstrip", "normalized", "special")
    }
    return {"id": id, "content": token.content, **flags}


def _name(vocab: Vocab, id: int) -> str:
    for content, special_id in vocab.special_tokens.items():
        if special_id == id:
            return content
    return to_text(vocab.tokens[id])


def _is_one_of(value: object, wanted: tuple[object, ...] | None) -> bool:
    return wanted is None or value in wanted
