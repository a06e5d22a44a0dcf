"""bytebpe.json: what the files beside it have no place for.

    {"format": "bytebpe", "version": 1, "unicode": "16.0.0",
     "pattern": "gpt2", "special_tokens": {"<|endoftext|>": 50256}}

A tokenizer that does more than split and merge says so in "pipeline", under version 2, which
a reader of version 1 refuses.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from ..errors import FormatError, PatternError
from ..patterns import compile_pattern, name_of
from ..pipeline import AddedToken, Pipeline, Template
from ..unicode import VERSION as UNICODE_VERSION
from .files import check_id, read_json_object
from .stored import Stored

NAME: Final = "bytebpe.json"


@dataclass(frozen=True, slots=True)
class Sidecar:
    """What bytebpe.json says."""

    pattern: str
    special_tokens: Mapping[str, int]
    pipeline: Pipeline


def read(directory: Path) -> Sidecar | None:
    """Read the file of a directory; None where there is none."""
    path = directory / NAME
    return _read(path) if path.is_file() else None


def render(stored: Stored) -> str:
    """Return the text of the file."""
    content: dict[str, object] = {
        "format": "bytebpe",
        "version": 1,
        "unicode": UNICODE_VERSION,
        "pattern": name_of(stored.pattern) or stored.pattern,
        "special_tokens": dict(stored.vocab.special_tokens),
    }
    if stored.pipeline != Pipeline():
        content |= {"version": 2, "pipeline": asdict(stored.pipeline)}
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _read(path: Path) -> Sidecar:
    def expect(key: str, kind: type, what: str) -> Any:
        value = content.get(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise FormatError(str(path), None, f"{key!r}: expected {what}, found {value!r}")
        return value

    content = read_json_object(path)
    if content.get("format") != "bytebpe" or expect("version", int, "a number") not in (1, 2):
        raise FormatError(
            str(path),
            None,
            "not written by this version: expected format 'bytebpe', version 1 or 2",
        )
    try:
        pattern = compile_pattern(expect("pattern", str, "a pattern")).source
    except PatternError as error:
        raise FormatError(str(path), None, str(error)) from None
    specials = expect("special_tokens", dict, "an object")
    for token, id in specials.items():
        check_id(path, f"special token {token!r}", id)
    pipeline = Pipeline()
    if content["version"] == 2:
        said = expect("pipeline", dict, "an object, as version 2 has it")
        try:
            pipeline = _pipeline(said)
        except (TypeError, KeyError, ValueError) as error:
            raise FormatError(str(path), None, f"'pipeline': {error}") from None
    return Sidecar(pattern, specials, pipeline)


def _pipeline(content: dict[str, Any]) -> Pipeline:
    """Make the pipeline of its fields; raises what Python does where one is missing or wrong."""
    template = content["template"]
    flags = [AddedToken(**token) for token in content["added"]]
    for token in flags:
        for name, value in asdict(token).items():
            if type(value) is not (str if name == "content" else bool):
                raise TypeError(f"{name}: {value!r}")
    for name in ("prefix_space", "ignore_merges"):
        if type(content[name]) is not bool:
            raise TypeError(f"{name}: {content[name]!r}")
    return Pipeline(
        added=tuple(flags),
        normalizer=tuple(content["normalizer"]),
        prefix_space=content["prefix_space"],
        presplits=tuple(compile_pattern(source).source for source in content["presplits"]),
        ignore_merges=content["ignore_merges"],
        template=template and Template(_parts(template["single"]), _parts(template["pair"])),
    )


def _parts(listed: list[list[Any]]) -> tuple[tuple[str | int, int], ...]:
    parts = tuple((part, type_id) for part, type_id in listed)
    for part, type_id in parts:
        if type(part) not in (str, int) or type(type_id) is not int:
            raise TypeError(f"template: {part!r}, {type_id!r}")
    return parts
