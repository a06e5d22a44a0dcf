"""What is only known of tokenizers that do nothing but split says so of the others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import bytebpe
from bytebpe.errors import PipelineError
from bytebpe.pipeline import Pipeline


@pytest.mark.parametrize(
    "ask",
    [
        lambda tok: tok.fits("a", 1),
        lambda tok: tok.incremental(),
        lambda tok: tok.truncate("a", 1),
        lambda tok: tok.trace("a"),
        lambda tok: tok.why("a", "b"),
        lambda tok: tok.audit(["a"]),
    ],
)
def test_what_is_not_known_of_a_pipeline_is_refused(
    ask: Callable[[bytebpe.Tokenizer], object],
) -> None:
    tok = bytebpe.Tokenizer(bytebpe.Vocab.from_merges([]), pipeline=Pipeline(normalizer=("NFC",)))

    with pytest.raises(PipelineError, match="does more to a text than split it"):
        ask(tok)


def test_streams_are_decoded_all_the_same() -> None:
    tok = bytebpe.Tokenizer(bytebpe.Vocab.from_merges([]), pipeline=Pipeline(normalizer=("NFC",)))

    assert tok.stream_decoder().feed(tok.encode("a")) == "a"
