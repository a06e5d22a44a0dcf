"""The steps of a tokenizer.json around the model, read and written.

Each function takes or gives the JSON of one part.  What a part asks for that cannot be done
exactly raises `Unsupported`, which says where in the part it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, get_args

from ..patterns import GPT2, NAMED
from ..pipeline import Form, Pipeline, Template
from . import spellings

Json = Any


class Unsupported(Exception):
    """A part of the file asks for what cannot be done exactly; the message names it."""


def read_normalizer(part: Json) -> tuple[Form, ...]:
    """Read Unicode normalization; every other normalizer changes texts in other ways."""
    forms: list[Form] = []
    for step in _flat(part, "normalizer", "normalizers"):
        kind: Any = step.get("type")
        if kind not in get_args(Form):
            raise Unsupported(f"normalizer {kind!r}")
        forms.append(kind)
    return tuple(forms)


def write_normalizer(forms: Sequence[Form]) -> Json:
    """Write Unicode normalization."""
    steps = [{"type": form} for form in forms]
    if len(steps) > 1:
        return {"type": "Sequence", "normalizers": steps}
    return steps[0] if steps else None


def read_pre_tokenizer(part: Json) -> tuple[tuple[str, ...], str, bool]:
    """Return the patterns that cut first, the last one, and whether a space is put before.

    `ByteLevel` must come last, for it turns the text into characters that stand for bytes.
    """
    steps = list(_flat(part, "pre_tokenizer", "pretokenizers"))
    if not steps or steps[-1].get("type") != "ByteLevel":
        kinds = ", ".join(str(step.get("type")) for step in steps) or "none"
        raise Unsupported(f"pre_tokenizer: expected ByteLevel as the last step, found {kinds}")
    patterns = [_read_split(step) for step in steps[:-1]]
    level = steps[-1]
    if _flag(level, "use_regex", True):
        patterns.append(GPT2)
    prefix_space = _flag(level, "add_prefix_space", True)
    if prefix_space and len(steps) > 1:
        raise Unsupported("pre_tokenizer: add_prefix_space, which puts a space before each piece")
    patterns = patterns or [spellings.WHOLE]
    return tuple(patterns[:-1]), patterns[-1], prefix_space


def write_pre_tokenizer(pattern: str, pipeline: Pipeline) -> Json:
    """Write how texts are cut."""
    level = {"type": "ByteLevel", "add_prefix_space": pipeline.prefix_space, "trim_offsets": True}
    patterns = [*pipeline.presplits, pattern]
    if patterns in ([GPT2], [spellings.WHOLE]):
        return {**level, "use_regex": patterns == [GPT2]}
    if pipeline.prefix_space:
        raise Unsupported("a space before the text, together with a pattern other than GPT-2's")
    splits = []
    for source in patterns:
        if problem := spellings.problem(source):
            raise Unsupported(f"pattern {source!r}: {problem}")
        splits.append(
            {
                "type": "Split",
                "pattern": {"Regex": source},
                "behavior": "Isolated",
                "invert": False,
            }
        )
    return {"type": "Sequence", "pretokenizers": [*splits, {**level, "use_regex": False}]}


def _read_split(step: Json) -> str:
    kind = step.get("type")
    if kind == "Digits":
        return r"\p{N}" if _flag(step, "individual_digits", False) else r"\p{N}+"
    if kind != "Split":
        raise Unsupported(f"pre_tokenizer {kind!r}")
    pattern = step.get("pattern")
    if isinstance(pattern, dict) and list(pattern) == ["String"]:
        source = spellings.known(re.escape(_text(pattern["String"])))
    elif isinstance(pattern, dict) and list(pattern) == ["Regex"]:
        source = spellings.known(_text(pattern["Regex"]))
    else:
        raise Unsupported(f"pre_tokenizer Split: pattern {pattern!r}")
    if problem := spellings.problem(source):
        raise Unsupported(f"pre_tokenizer Split: pattern {source[:80]!r}: {problem}")
    behavior, invert = step.get("behavior"), step.get("invert", False)
    # To keep the matches and drop the rest is the same where there is no rest.
    if (behavior, invert) == ("Removed", True) and source in NAMED.values():
        return source
    # Where matches and rest are both kept, it does not matter which of them is called which.
    if behavior != "Isolated":
        raise Unsupported(f"pre_tokenizer Split: behavior {behavior!r} with invert {invert!r}")
    return source


def read_post_processor(part: Json) -> Template | None:
    """Read what is put around texts; `ByteLevel` here concerns offsets alone."""
    template = None
    for step in _flat(part, "post_processor", "processors"):
        kind: Any = step.get("type")
        if kind == "ByteLevel":
            continue
        if template:
            raise Unsupported("post_processor: a second template")
        if kind == "TemplateProcessing":
            template = _read_template(step)
        elif kind in ("RobertaProcessing", "BertProcessing"):
            template = _read_enclosing(step, doubled=kind == "RobertaProcessing")
        else:
            raise Unsupported(f"post_processor {kind!r}")
    return template


def _read_template(step: Json) -> Template:
    ids = {}
    for spelled, token in _object(step.get("special_tokens", {})).items():
        numbers = _object(token).get("ids")
        if not isinstance(numbers, list) or not all(type(id) is int for id in numbers):
            raise Unsupported(f"post_processor: ids of {spelled!r}: {numbers!r}")
        ids[spelled] = numbers
    parts: dict[str, list[tuple[str | int, int]]] = {"single": [], "pair": []}
    for which, found in parts.items():
        pieces = step.get(which) or []
        if not isinstance(pieces, list):
            raise Unsupported(f"post_processor: {which}: {pieces!r}")
        for piece in pieces:
            (kind, body), *more = _object(piece).items() or [("nothing", {})]
            name: Any = _object(body).get("id")
            type_id: Any = _object(body).get("type_id", 0)
            if more or type(type_id) is not int or kind not in ("Sequence", "SpecialToken"):
                raise Unsupported(f"post_processor: {which}: {piece!r}")
            if kind == "Sequence":
                found.append((str(name), type_id))
            elif name in ids:
                found += [(id, type_id) for id in ids[name]]
            else:
                raise Unsupported(f"post_processor: {which}: unknown token {name!r}")
    return Template(tuple(parts["single"]), tuple(parts["pair"]))


def _read_enclosing(step: Json, doubled: bool) -> Template:
    """Read the two older processors: [CLS] A [SEP] B [SEP], in RoBERTa with two [SEP] between."""
    ids = []
    for key in ("cls", "sep"):
        token = step.get(key)
        if not isinstance(token, list) or len(token) != 2 or type(token[1]) is not int:
            raise Unsupported(f"post_processor: {key}: {token!r}")
        ids.append(token[1])
    first, last = ids
    single = ((first, 0), ("A", 0), (last, 0))
    if doubled:
        return Template(single, (*single, (last, 0), ("B", 0), (last, 0)))
    return Template(single, (*single, ("B", 1), (last, 1)))


def write_post_processor(template: Template | None, name_of: Callable[[int], str]) -> Json:
    """Write what is put around texts."""
    level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False}
    level["use_regex"] = True
    if template is None:
        return level

    def piece(part: str | int, type_id: int) -> Json:
        if isinstance(part, str):
            return {"Sequence": {"id": part, "type_id": type_id}}
        return {"SpecialToken": {"id": name_of(part), "type_id": type_id}}

    pair = template.pair or (
        *template.single,
        *(("B", 1) if p == "A" else (p, 1) for p, _ in template.single),
    )
    used = sorted({part for part, _ in (*template.single, *pair) if isinstance(part, int)})
    tokens = {name_of(id): {"id": name_of(id), "ids": [id], "tokens": [name_of(id)]} for id in used}
    processing = {
        "type": "TemplateProcessing",
        "single": [piece(*part) for part in template.single],
        "pair": [piece(*part) for part in pair],
        "special_tokens": tokens,
    }
    return {"type": "Sequence", "processors": [level, processing]}


def read_decoder(part: Json) -> None:
    """Accept the decoder that joins bytes, or none; ids do not depend on it, texts do."""
    for step in _flat(part, "decoder", "decoders"):
        if step.get("type") != "ByteLevel":
            raise Unsupported(f"decoder {step.get('type')!r}")


def _flat(part: Json, where: str, inner: str) -> Iterator[dict[str, Json]]:
    """Yield the steps of a part that may be none, one, or a sequence of them."""
    if part is None:
        return
    if not isinstance(part, dict):
        raise Unsupported(f"{where}: {part!r}")
    if part.get("type") != "Sequence":
        yield part
        return
    steps = part.get(inner)
    if not isinstance(steps, list):
        raise Unsupported(f"{where}: a Sequence without {inner}")
    for step in steps:
        yield from _flat(step, where, inner)


def _flag(step: Json, key: str, default: bool) -> bool:
    value = step.get(key, default)
    if not isinstance(value, bool):
        raise Unsupported(f"{step.get('type')}: {key} {value!r}")
    return value


def _text(value: Json) -> str:
    if not isinstance(value, str) or not value:
        raise Unsupported(f"pre_tokenizer Split: pattern {value!r}")
    return value


def _object(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise Unsupported(f"post_processor: expected an object, found {value!r}")
    return value
