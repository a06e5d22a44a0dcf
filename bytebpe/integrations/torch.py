"""The rows of an embedding when a vocabulary has changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from ..idmap import IdMap
from . import need

torch: Any = need("torch", "torch")

Init = Literal["mean-of-parts", "mean", "zeros"]


def resize_embeddings(model_or_matrix: Any, idmap: IdMap, *, init: Init = "mean-of-parts") -> Any:
    """Move the rows of an embedding to the new ids, and fill those that are new.

    A matrix has a row for each id, and the new one is returned.  A model is changed where it
    stands: the matrices of `get_input_embeddings` and `get_output_embeddings`, which may be one,
    and `config.vocab_size`.  A new row is the mean of the rows of the ids that its text had
    before ("mean-of-parts"), the mean of all old rows ("mean"), or zeros.
    """
    if init not in _NEW_ROWS:
        raise ValueError(f"init: expected one of {', '.join(_NEW_ROWS)}, not {init!r}")
    if not hasattr(model_or_matrix, "get_input_embeddings"):
        return _resized(model_or_matrix, idmap, init)
    model = model_or_matrix
    inputs, outputs = model.get_input_embeddings(), model.get_output_embeddings()
    with torch.no_grad():
        tied = outputs is not None and outputs.weight is inputs.weight
        inputs.weight = torch.nn.Parameter(_resized(inputs.weight, idmap, init))
        inputs.num_embeddings = idmap.size
        if outputs is not None:
            outputs.weight = (
                inputs.weight if tied else torch.nn.Parameter(_resized(outputs.weight, idmap, init))
            )
            if getattr(outputs, "bias", None) is not None:
                bias = _resized(outputs.bias.unsqueeze(1), idmap, init).squeeze(1)
                outputs.bias = torch.nn.Parameter(bias)
            outputs.out_features = idmap.size
    model.config.vocab_size = idmap.size
    return model


def _resized(matrix: Any, idmap: IdMap, init: Init) -> Any:
    if len(matrix) < len(idmap.new_ids):
        raise ValueError(f"{len(matrix)} rows, while the old ids go to {len(idmap.new_ids) - 1}")
    rows = torch.zeros((idmap.size, *matrix.shape[1:]), dtype=matrix.dtype, device=matrix.device)
    old = torch.tensor(idmap.old_ids().tolist(), device=matrix.device)
    kept = old >= 0
    rows[kept] = matrix.detach()[old[kept]]
    for id in torch.nonzero(~kept).flatten().tolist():
        rows[id] = _NEW_ROWS[init](matrix.detach(), list(idmap.made_of.get(id, ())))
    return rows


_NEW_ROWS: Final[dict[str, Callable[[Any, list[int]], Any]]] = {
    "mean-of-parts": lambda matrix, parts: matrix[parts].mean(0) if parts else matrix.mean(0),
    "mean": lambda matrix, parts: matrix.mean(0),
    "zeros": lambda matrix, parts: torch.zeros_like(matrix[0]),
}
