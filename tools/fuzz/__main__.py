"""Try hostile bytes on the native core, on every tier of instructions this machine has.

    python -m tools.fuzz [--seconds N] [--seed N] [--compiler CXX] [--plain]

Builds target.cpp, which says what is compared, with the address and undefined-behaviour
sanitizers unless `--plain`, and with libFuzzer if the compiler is clang.  Exits with 1 when
something differs or a sanitizer speaks; the input is then left in a file.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from bytebpe import assets
from bytebpe.dfa import compile_dfa
from bytebpe.patterns import TEKKEN, compile_pattern
from bytebpe.unicode import CATEGORIES

HERE = Path(__file__).parent
CORE = HERE.parent.parent / "bytebpe" / "_core"
#: In the order of `Family` in family_scanner.hpp.
FAMILIES = ("gpt2", "cl100k", "qwen2", "o200k", TEKKEN)
OTHERS = (r"\p{Lu}?\p{Ll}+|[0-9]{1,3}|\s+(?!\S)|\s|[^\s\w]+", r"[^\n]*\n|[^\n]+")
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]
SANITIZERS = [
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    *("-D_GLIBCXX_ASSERTIONS", "-DBYTEBPE_SANITIZE"),
]


def tables() -> bytes:
    """Lay out what the target reads: classes, vocabulary and automata."""
    numbers = array("I")

    def add(values: Iterable[int]) -> None:
        listed = array("I", list(values))
        numbers.append(len(listed))
        numbers.extend(listed)

    add(ranges())
    vocab = assets.gpt2()
    add(vocab.ids[bytes([byte])] for byte in range(256))
    add(chain.from_iterable(vocab.merge_ids))
    numbers.append(len(vocab.ids))
    for token in vocab.ids:
        add(token)
    automata = [compile_dfa(compile_pattern(name)) for name in (*FAMILIES, *OTHERS)]
    numbers.append(len(automata))
    for dfa in automata:
        add(dfa.pages)
        add(dfa.classes)
        add(dfa.transitions)
        numbers.append(dfa.width)
    return numbers.tobytes()


def ranges() -> Iterator[int]:
    """Yield ranges of code points: first, last, and the `CharClass` of char_table.hpp."""
    classes = {"Ll": 1, "N": 2, "Z": 3, "Lu": 4, "Lt": 4, "Lm": 5, "Lo": 5, "M": 6}
    for category, bounds in CATEGORIES.items():
        if kind := classes.get(category) or classes.get(category[0]):
            for start, end in zip(bounds[::2], bounds[1::2], strict=True):
                yield from (start, end - 1, kind)
    yield from (9, 13, 3, 0x85, 0x85, 3)


def seeds() -> Iterator[bytes]:
    """Yield the corpora in parts, behind each of the fillers and lengths of the target."""
    parts = [
        path.read_bytes()[at : at + 200]
        for path in sorted((HERE.parent.parent / "data" / "corpora").glob("*.txt"))
        for at in range(0, 3_000, 200)
    ]
    parts += ["!/\n//\u0301aA\u4e16B'S".encode() * 20]
    parts += [b"'s" * 99, b"'ll 12345 \r\n" * 20, "世界 ".encode() * 40]
    for at, part in enumerate([*parts, *(bytes(range(start, start + 64)) for start in (0, 192))]):
        yield bytes([at % 16, at // 16 % 16, at % 128]) + part


def build(compiler: str, folder: Path, plain: bool) -> tuple[Path, bool]:
    """Compile the target; tell whether libFuzzer drives it."""
    program, with_libfuzzer = folder / "target", "clang" in compiler
    command = [compiler, "-std=c++17", "-O2", "-g", "-pthread", f"-I{CORE}", *WARNINGS]
    command += [] if plain else SANITIZERS
    command += ["-fsanitize=fuzzer", "-DBYTEBPE_LIBFUZZER"] if with_libfuzzer else []
    sources = [str(HERE / "target.cpp"), str(CORE / "isa.cpp")]
    subprocess.run([*command, *sources, "-o", str(program)], check=True)
    return program, with_libfuzzer


def main() -> int:
    """Build, run, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compiler", default=shutil.which("clang++") or "c++")
    parser.add_argument("--plain", action="store_true", help="no sanitizers: many more inputs")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tables").write_bytes(tables())
        program, with_libfuzzer = build(args.compiler, folder, args.plain)
        (folder / "seeds").mkdir()
        for at, seed in enumerate(seeds()):
            (folder / "seeds" / str(at)).write_bytes(seed)
        limits = [f"-max_total_time={args.seconds}", f"-seed={args.seed}", "-max_len=2000"]
        limits += ["-len_control=0", str(folder / "seeds")]
        plain = [str(args.seconds), str(args.seed)]
        done = subprocess.run(
            [str(program), *(limits if with_libfuzzer else plain)],
            env={**os.environ, "BYTEBPE_FUZZ_TABLES": str(folder / "tables")},
            check=False,
        )
    return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
