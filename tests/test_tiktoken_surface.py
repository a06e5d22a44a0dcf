"""`as_encoding` beside `tiktoken.Encoding`: each public name, on the same arguments."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bytebpe
from bytebpe.integrations.tiktoken import Encoding, as_encoding
from strategies import texts

tiktoken = pytest.importorskip("tiktoken")
numpy = pytest.importorskip("numpy")


@pytest.fixture(scope="session", params=["gpt2", "cl100k"])
def both(engine: str, corpus: list[str], request: pytest.FixtureRequest) -> tuple[Encoding, Any]:
    tok = bytebpe.train(
        corpus, vocab_size=1000, pattern=request.param, special_tokens=["<|endoftext|>", "<|x|>"]
    )
    theirs = tiktoken.Encoding(
        "own",
        pat_str=tok.pattern,
        mergeable_ranks=tok.mergeable_ranks,
        special_tokens=tok.special_tokens,
    )
    return as_encoding(tok, "own"), theirs


PUBLIC = [name for name in dir(tiktoken.Encoding) if not name.startswith("_")]
TEXT = "Hello 世界, it's 👋🏽  \n\n done<|endoftext|>"
ALLOWED: dict[str, Any] = {"allowed_special": "all"}
ORDINARY: dict[str, Any] = {"disallowed_special": ()}

#: For each method, arguments to call it with: some fit, and some are wrong.
CALLS: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "encode": [
        ((TEXT,), {}), ((TEXT,), ALLOWED), ((TEXT,), ORDINARY), (("",), {}), ((5,), {}),
        ((TEXT,), {"allowed_special": {"<|endoftext|>"}}), ((b"a",), ORDINARY),
        (("a<|x|>",), {"allowed_special": {"<|endoftext|>"}}), (("\ud83d\udc4b \ud83d",), {}),
        (("a<|x|>",), {"disallowed_special": {"<|endoftext|>"}}),
        (("abc",), {"disallowed_special": {"b"}}),
    ],
    "encode_ordinary": [((TEXT,), {}), (("\ud800",), {}), ((None,), {})],
    "encode_batch": [(([TEXT, "a"],), ALLOWED), (([TEXT],), {}), (([],), {"num_threads": 2})],
    "encode_ordinary_batch": [(([TEXT, "b"],), {}), (([TEXT],), {"num_threads": 1})],
    "encode_to_numpy": [((TEXT,), ALLOWED), ((TEXT,), {}), (("",), {})],
    "encode_with_unstable": [
        (("Hello wor",), {}), (("a  ",), {}), (("",), {}), ((TEXT,), ALLOWED), ((TEXT,), {}),
        (("x\n \n",), {}), (("x\n\n  \n\t",), {}),
        (("x .\n\n",), {}), (("世",), {}), (("the",), {}),
    ],
    "encode_single_token": [
        (("a",), {}), ((b"\xff",), {}), (("<|x|>",), {}), (("no such",), {}), ((b"\xff\xfe",), {}),
    ],
    "decode": [
        (([33, 10, 200],), {}), (([200],), {"errors": "strict"}), (([],), {}),
        (([5_000],), {}), (([-1],), {}), (([2**40],), {}), ((["a"],), {}), ((5,), {}),
    ],
    "decode_bytes": [(([33, 200, 999],), {}), (([5_000],), {}), (([-1],), {}), (([1.5],), {})],
    "decode_single_token_bytes": [
        ((200,), {}), ((998,), {}), ((5_000,), {}), ((-1,), {}), (("a",), {}),
    ],
    "decode_tokens_bytes": [(([33, 200, 999],), {}), (([5_000],), {})],
    "decode_with_offsets": [(([33, 10],), {}), (([200],), {}), (([],), {}), (([5_000],), {})],
    "decode_batch": [(([[33], [200]],), {}), (([[200]],), {"errors": "ignore"}), (([[-1]],), {})],
    "decode_bytes_batch": [(([[33], [200]],), {"num_threads": 1}), (([[5_000]],), {})],
    "token_byte_values": [((), {})],
    "is_special_token": [((998,), {}), ((5,), {}), (("a",), {})],
}  # fmt: skip


def outcome(call: Callable[[], Any]) -> Any:
    """Return what a call gives in a form that can be compared, or the type of its error."""
    try:
        result = call()
    except Exception as error:
        return next(
            base
            for base in type(error).__mro__
            if base.__module__ == "builtins" and base is not Exception
        )
    if isinstance(result, numpy.ndarray):
        return result.dtype, result.tolist()
    if isinstance(result, tuple) and result and isinstance(result[1], list):
        return result[0], sorted(result[1])
    return result


def test_every_public_name_is_there_with_its_arguments(both: tuple[Encoding, Any]) -> None:
    assert set(PUBLIC) <= {name for name in dir(both[0]) if not name.startswith("_")}
    for name in CALLS:
        mine = inspect.signature(getattr(Encoding, name)).parameters.values()
        theirs = inspect.signature(getattr(tiktoken.Encoding, name)).parameters.values()
        assert [(p.name, p.kind) for p in mine] == [(p.name, p.kind) for p in theirs]
        for parameter, other in zip(mine, theirs, strict=True):
            assert parameter.default in (
                other.default,
                frozenset() if other.default == set() else 0,
            )


@pytest.mark.parametrize("name", PUBLIC)
def test_each_name_does_what_it_does_there(both: tuple[Encoding, Any], name: str) -> None:
    mine, theirs = both
    if not callable(getattr(tiktoken.Encoding, name)):
        assert getattr(mine, name) == getattr(theirs, name)
        return
    for positional, named in CALLS[name]:
        expected = outcome(lambda: getattr(theirs, name)(*positional, **named))  # noqa: B023

        assert outcome(lambda: getattr(mine, name)(*positional, **named)) == expected  # noqa: B023


@given(text=st.one_of(texts(6), st.text(" \nab'", max_size=8)))
@settings(max_examples=30)
def test_ways_to_go_on_are_those_of_tiktoken(both: tuple[Encoding, Any], text: str) -> None:
    mine, theirs = (encoding.encode_with_unstable(text, disallowed_special=()) for encoding in both)

    assert mine[0] == theirs[0]
    assert sorted(mine[1]) == sorted(theirs[1])


@given(text=texts())
@settings(max_examples=30)
def test_offsets_are_those_of_tiktoken(both: tuple[Encoding, Any], text: str) -> None:
    ids = both[0].encode_ordinary(text)

    assert both[0].decode_with_offsets(ids) == both[1].decode_with_offsets(ids)
    assert both[0]._encode_bytes(text.encode()) == both[1]._encode_bytes(text.encode())


def test_the_private_names_in_use_are_there(both: tuple[Encoding, Any]) -> None:
    mine, theirs = both

    assert mine._mergeable_ranks == theirs._mergeable_ranks
    assert (mine._pat_str, mine._special_tokens) == (theirs._pat_str, theirs._special_tokens)
    assert mine._encode_single_piece("abc") == theirs._encode_single_piece("abc")
    assert repr(mine) == repr(theirs)
    assert pickle.loads(pickle.dumps(mine)).encode("abc") == theirs.encode("abc")


def test_without_an_end_of_text_there_is_none() -> None:
    with pytest.raises(KeyError):
        _ = as_encoding(bytebpe.Tokenizer(bytebpe.Vocab.from_merges([]))).eot_token
