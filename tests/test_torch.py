"""With torch: embeddings follow a vocabulary, loaders with workers, and a model that learns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bytebpe

torch = pytest.importorskip("torch")
adapter = pytest.importorskip("bytebpe.integrations.torch")


@pytest.fixture(scope="session")
def tok(engine: str, corpus: list[str]) -> bytebpe.Tokenizer:
    return bytebpe.train(corpus[:3], vocab_size=400, special_tokens=["<|end|>"])


def test_rows_move_with_their_tokens(tok: bytebpe.Tokenizer, corpus: list[str]) -> None:
    matrix = torch.randn(400, 8)
    more, change = tok.extend(corpus[:3], vocab_size=420)

    rows = adapter.resize_embeddings(matrix, change)

    assert rows.shape == (len(more), 8)
    assert torch.equal(rows[:400], matrix)
    for id, parts in change.made_of.items():
        assert torch.allclose(rows[id], matrix[list(parts)].mean(0))
    zeros = adapter.resize_embeddings(matrix, change, init="zeros")
    assert not zeros[400:].any()
    mean = adapter.resize_embeddings(matrix, change, init="mean")
    assert torch.allclose(mean[400], matrix.mean(0))

    _, dropped = tok.prune(corpus[:1], vocab_size=300)
    fewer = adapter.resize_embeddings(matrix, dropped)
    assert torch.equal(fewer, matrix[torch.tensor(dropped.old_ids().tolist())])
    with pytest.raises(ValueError, match="init: expected one of"):
        adapter.resize_embeddings(matrix, change, init="random")
    with pytest.raises(ValueError, match="9 rows, while the old ids go to 399"):
        adapter.resize_embeddings(matrix[:9], change)


class Lines(torch.utils.data.Dataset):  # type: ignore[misc, name-defined]
    def __init__(self, tok: bytebpe.Tokenizer, lines: list[str]) -> None:
        self.tok, self.lines = tok, lines

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, at: int) -> Any:
        return torch.tensor(self.tok.encode(self.lines[at]))


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_a_loader_with_workers_encodes(tok: bytebpe.Tokenizer, start: str) -> None:
    lines = [f"line {number} 世界" for number in range(12)]
    tok.encode_batch(lines)  # threads have run before the fork

    loader = torch.utils.data.DataLoader(
        Lines(tok, lines), num_workers=2, batch_size=None, multiprocessing_context=start
    )

    assert [row.tolist() for row in loader] == tok.encode_batch(lines)


def test_arrays_become_tensors(tok: bytebpe.Tokenizer) -> None:
    ids = torch.frombuffer(tok.encode_array("Hello world"), dtype=torch.uint16)

    assert ids.tolist() == tok.encode("Hello world")


def test_a_model_learns_from_text(
    tok: bytebpe.Tokenizer, corpus: list[str], tmp_path: Path
) -> None:
    transformers = pytest.importorskip("transformers")
    datasets = pytest.importorskip("datasets")
    hf = pytest.importorskip("bytebpe.integrations.transformers")
    tokenizer = hf.PreTrainedByteBPE(tok, pad_token="<|end|>", eos_token="<|end|>")
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer), n_positions=32, n_embd=16, n_layer=1, n_head=2
    )
    torch.manual_seed(0)
    model = transformers.GPT2LMHeadModel(config)
    data = datasets.Dataset.from_dict({"text": corpus[0].splitlines()[:32]}).map(
        lambda rows: tokenizer(rows["text"], truncation=True, max_length=32),
        batched=True,
        remove_columns=["text"],
    )
    collate = transformers.DataCollatorForLanguageModeling(tokenizer, mlm=False)
    loader = torch.utils.data.DataLoader(data.select(range(24)), batch_size=8, collate_fn=collate)
    steps = torch.optim.AdamW(model.parameters(), lr=1e-2)

    losses = []
    for batch in loader:
        loss = model(**batch).loss
        loss.backward()
        steps.step()
        steps.zero_grad()
        losses.append(loss.item())

    assert len(losses) == 3
    assert losses[-1] < losses[0]
    more, change = tok.extend(corpus[:2], vocab_size=410)
    bigger = hf.PreTrainedByteBPE(more)
    adapter.resize_embeddings(model, change)
    assert model.lm_head.weight is model.transformer.wte.weight
    assert model(**bigger("Hello", return_tensors="pt")).logits.shape[-1] == 410
