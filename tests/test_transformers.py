from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bytebpe
from bytebpe.pipeline import Pipeline, Template

transformers = pytest.importorskip("transformers")
adapter = pytest.importorskip("bytebpe.integrations.transformers")

TEXTS = ["Hello world", "naïve 世界 👋🏽 it's", "", "a<|end|>b"]
CHAT = "{% for m in messages %}<|end|>{{ m['content'] }}{% endfor %}"


@pytest.fixture(scope="session")
def tok(engine: str, corpus: list[str]) -> bytebpe.Tokenizer:
    return bytebpe.train(corpus[:4], vocab_size=500, special_tokens=["<|end|>"])


@pytest.fixture(scope="session", params=[False, True], ids=["plain", "template"])
def both(request: pytest.FixtureRequest, tok: bytebpe.Tokenizer) -> tuple[Any, Any]:
    template = Template(((499, 0), ("A", 0), (499, 0))) if request.param else None
    own = bytebpe.Tokenizer(tok.vocab, pipeline=Pipeline(template=template))
    ours = adapter.PreTrainedByteBPE(own, pad_token="<|end|>", chat_template=CHAT)
    return ours, ours.to_fast()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"add_special_tokens": False},
        {"padding": True},
        {"padding": "max_length", "max_length": 40, "padding_side": "left"},
        {"truncation": True, "max_length": 5},
        {"truncation": True, "max_length": 6, "padding": "max_length"},
        {"return_attention_mask": False},
    ],
)
@pytest.mark.parametrize("offsets", [False, True])
def test_our_class_and_the_fast_one_agree(
    both: tuple[Any, Any], options: dict[str, Any], offsets: bool
) -> None:
    options = {"return_offsets_mapping": True, **options} if offsets else options
    mine, fast = (dict(tokenizer(TEXTS, **options)) for tokenizer in both)
    for made in (mine, fast):
        made.pop("token_type_ids", None)
    if offsets:
        mine["offset_mapping"] = [[*map(tuple, row)] for row in mine["offset_mapping"]]

    assert mine == fast


def test_one_text_and_pairs(both: tuple[Any, Any]) -> None:
    ours, fast = both

    for arguments in ((TEXTS[0],), (TEXTS[0], TEXTS[1])):
        assert ours(*arguments)["input_ids"] == fast(*arguments)["input_ids"]
    assert (
        ours(TEXTS[0], return_offsets_mapping=True)["offset_mapping"]
        == (fast(TEXTS[0], return_offsets_mapping=True)["offset_mapping"])
    )
    assert len(ours.create_token_type_ids_from_sequences([1], [2])) in (2, 6)
    with pytest.raises(NotImplementedError, match="offsets of pairs"):
        ours("a", "b", return_offsets_mapping=True)


def test_a_template_for_pairs_is_followed(tok: bytebpe.Tokenizer) -> None:
    single, pair = ((499, 0), ("A", 0)), ((499, 0), ("A", 0), (499, 0), ("B", 1))
    own = bytebpe.Tokenizer(tok.vocab, pipeline=Pipeline(template=Template(single, pair)))
    ours = adapter.PreTrainedByteBPE(own)

    assert ours("a", "b")["input_ids"] == ours.to_fast()("a", "b")["input_ids"]


def test_ids_become_text_as_there(both: tuple[Any, Any]) -> None:
    ours, fast = both
    ids = ours(TEXTS)["input_ids"]

    for skip in (False, True):
        expected = fast.batch_decode(ids, skip_special_tokens=skip)
        assert ours.batch_decode(ids, skip_special_tokens=skip) == expected
    assert ours.decode(5) == fast.decode(5)
    tokens = ours.convert_ids_to_tokens(ids[1])
    assert tokens == fast.convert_ids_to_tokens(ids[1])
    assert ours.convert_tokens_to_ids(tokens) == ids[1]
    assert ours.convert_tokens_to_string(tokens) == ours.decode(ids[1])
    assert ours.get_vocab() == fast.get_vocab()
    assert len(ours) == len(fast) == ours.vocab_size == 500


def test_left_truncation_and_padding(tok: bytebpe.Tokenizer) -> None:
    ours = adapter.PreTrainedByteBPE(
        tok, pad_token="<|end|>", truncation_side="left", padding_side="left"
    )
    options = {
        "truncation": True,
        "max_length": 6,
        "padding": "max_length",
        "return_offsets_mapping": True,
    }

    mine, fast = ours(TEXTS, **options), ours.to_fast()(TEXTS, **options)

    assert mine["input_ids"] == fast["input_ids"]
    assert [[*map(tuple, row)] for row in mine["offset_mapping"]] == fast["offset_mapping"]


def test_a_token_that_is_missing_is_added(tok: bytebpe.Tokenizer) -> None:
    ours = adapter.PreTrainedByteBPE(tok, pad_token="<pad>")

    assert (ours.pad_token_id, len(ours)) == (500, 501)
    assert ours.add_tokens(["<more>", "<pad>"]) == 1
    assert ours("<more>")["input_ids"] == [501] == ours.to_fast()("<more>")["input_ids"]


def test_what_is_saved_is_read_by_all(both: tuple[Any, Any], tmp_path: Path) -> None:
    ours, fast = both
    ours.save_pretrained(tmp_path)

    for again in (
        transformers.AutoTokenizer.from_pretrained(tmp_path),
        adapter.PreTrainedByteBPE.from_pretrained(tmp_path),
        adapter.PreTrainedByteBPE(tokenizer_file=tmp_path, pad_token="<|end|>"),
    ):
        assert again(TEXTS, padding=True)["input_ids"] == fast(TEXTS, padding=True)["input_ids"]
    assert transformers.AutoTokenizer.from_pretrained(tmp_path).chat_template == CHAT
    assert ours.save_vocabulary(str(tmp_path), "x") == (str(tmp_path / "x-tokenizer.json"),)
    assert bytebpe.load(tmp_path / "x-tokenizer.json").vocab == ours.bytebpe.vocab


def test_what_is_saved_here_is_read_by_auto_tokenizer(
    tok: bytebpe.Tokenizer, tmp_path: Path
) -> None:
    tok.save(tmp_path, format="huggingface")

    auto = transformers.AutoTokenizer.from_pretrained(tmp_path)

    assert auto(TEXTS)["input_ids"] == [tok.encode(text, allowed_special="all") for text in TEXTS]


def test_a_chat_template_is_applied(both: tuple[Any, Any]) -> None:
    pytest.importorskip("jinja2")
    chat = [{"role": "user", "content": "Hello"}]

    mine, fast = (tokenizer.apply_chat_template(chat) for tokenizer in both)

    assert mine["input_ids"] == fast["input_ids"]


def test_something_to_make_it_of_is_needed() -> None:
    with pytest.raises(ValueError, match="give a Tokenizer, or tokenizer_file=PATH"):
        adapter.PreTrainedByteBPE()
