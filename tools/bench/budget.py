"""Time budgets of tokens and growing texts beside tiktoken and tokenizers doing the same job.

    python -m tools.bench budget [--size-mb 1] [--rounds 5]

The text is that of data/corpora/en.txt over and over, the vocabulary GPT-2's.  The peers have
none of this, so their way is what people write: encode all of the text, and work on the ids.
In each round the ways are timed in turn; what is printed are medians of CPU time, and how
many times ours the other way takes.  Results are compared first.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from time import process_time
from typing import Any

from .process import ROOT

N = 1_000  #: tokens of a budget
NEW = 100  #: characters of an append


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--size-mb", type=float, default=1.0, metavar="MB", help="(1)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="(5)")


def run(args: argparse.Namespace) -> int:
    """Compare, measure and print a table."""
    text = (ROOT / "data" / "corpora" / "en.txt").read_text("utf-8")
    size = round(args.size_mb * 1e6)
    text = (text * (size // len(text) + 1))[:size]
    jobs = _jobs(text)
    print(f"{size / 1e6:g} MB of English, n = {N}, append of {NEW} characters; CPU time\n")
    print(f"{'job':24}{'bytebpe':>12}   the other way")
    for job, (ours, others) in jobs.items():
        times: dict[str, list[float]] = {}
        for _ in range(args.rounds):
            for name, way in {"": ours, **others}.items():
                times.setdefault(name, []).append(_time(way))
        medians = {name: statistics.median(values) for name, values in times.items()}
        mine = medians.pop("")
        rest = ", ".join(f"{name} x{value / mine:,.1f}" for name, value in medians.items())
        print(f"{job:24}{1e3 * mine:9.3f} ms   {rest}")
    return 0


def _time(way: Callable[[], object]) -> float:
    """Return the time of one call, of as many as take a hundredth of a second."""
    calls, took = 0, 0.0
    start = process_time()
    while took < 0.01:
        way()
        calls += 1
        took = process_time() - start
    return took / calls


def _jobs(text: str) -> dict[str, tuple[Callable[[], object], dict[str, Callable[[], object]]]]:
    import tiktoken
    import tokenizers

    import bytebpe

    tok = bytebpe.pretrained("gpt2")
    ranks = tok.mergeable_ranks
    peer = tiktoken.Encoding("gpt2", pat_str=tok.pattern, mergeable_ranks=ranks, special_tokens={})
    model = tokenizers.models.BPE(_named(ranks), [tuple(map(_name, pair)) for pair in tok.merges])
    face: Any = tokenizers.Tokenizer(model)
    face.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    face.decoder = tokenizers.decoders.ByteLevel()

    def face_ids(text: str) -> list[int]:
        return list(face.encode(text, add_special_tokens=False).ids)

    grown = tok.incremental()
    grown.append(text)
    new = text[5_000 : 5_000 + NEW]
    ids = tok.encode(text)
    assert ids == grown.ids == peer.encode_ordinary(text) == face_ids(text)
    assert tok.count(tok.truncate(text, N)) == N
    assert "".join(chunk.text for chunk in tok.chunk(text, N)) == text

    def cut(encode: Callable[[str], list[int]], decode: Callable[[list[int]], str]) -> Any:
        return lambda: decode(encode(text)[:N])

    def divide(encode: Callable[[str], list[int]], decode: Callable[[list[int]], str]) -> Any:
        def way() -> list[str]:
            ids = encode(text)
            return [decode(ids[at : at + N]) for at in range(0, len(ids), N)]

        return way

    def stream(feed: Callable[[int], object]) -> Callable[[], None]:
        def way() -> None:
            for id in ids[:10_000]:
                feed(id)

        return way

    encode, decode = peer.encode_ordinary, peer.decode
    steps = tokenizers.decoders.DecodeStream(skip_special_tokens=False)
    return {
        "count": (
            lambda: tok.count(text),
            {
                "our array": lambda: len(tok.encode_array(text)),
                "tiktoken": lambda: len(encode(text)),
                "tokenizers": lambda: len(face_ids(text)),
            },
        ),
        "fits": (
            lambda: tok.fits(text, N),
            {
                "tiktoken": lambda: len(encode(text)) <= N,
                "tokenizers": lambda: len(face_ids(text)) <= N,
            },
        ),
        "truncate": (
            lambda: tok.truncate(text, N),
            {"tiktoken": cut(encode, decode), "tokenizers": cut(face_ids, face.decode)},
        ),
        "truncate, left, word": (
            lambda: tok.truncate(text, N, side="left", at="word"),
            {"tiktoken (ids)": lambda: decode(encode(text)[-N:])},
        ),
        "chunk": (
            lambda: list(tok.chunk(text, N)),
            {"tiktoken": divide(encode, decode), "tokenizers": divide(face_ids, face.decode)},
        ),
        "append": (
            lambda: grown.append(new),
            {
                "our encode": lambda: tok.encode(text + new),
                "tiktoken": lambda: encode(text + new),
                "tokenizers": lambda: face_ids(text + new),
            },
        ),
        "stream of 10,000 ids": (
            stream(tok.stream_decoder().feed),
            {"tokenizers": stream(lambda id: steps.step(face, id))},
        ),
    }


def _named(ranks: dict[bytes, int]) -> dict[str, int]:
    return {_name(token): id for token, id in ranks.items()}


def _name(token: bytes) -> str:
    from bytebpe.bytemap import to_text

    return to_text(token)
