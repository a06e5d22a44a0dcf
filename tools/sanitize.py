"""Run the tests on a core built with the address and undefined-behaviour sanitizers.

    python -m tools.sanitize [--keep DIR] [PYTEST ARGUMENT ...]

Builds the core in an environment of its own (kept and used again with `--keep`) and
runs pytest there, by default the whole suite on the native engine alone.  What a sanitizer
finds ends the run.  Leaks are not looked for: Python itself leaves memory behind at its end.
Needs Linux and GCC or clang.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: The first error ends the process.  What it says must not go where pytest keeps it.
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:detect_stack_use_after_return=1",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
}

#: What cannot hold here: memory is not what it was, and a process must have the sanitizer first.
LEFT_OUT = "not (cache-01 or cache-long-pieces or train-16 or memory or whatever_their_hash_seed)"


def build(folder: Path) -> Path:
    """Return the Python of an environment in which the core is built with the sanitizers."""
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        inside = next((folder / "venv").glob("lib/*/site-packages"))
        # What else is needed is taken from here, but not the core: its hook stays behind.
        (inside / "here.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--editable", ROOT]
    define = "--config-settings=cmake.define.BYTEBPE_SANITIZE=ON"
    directory = f"--config-settings=build-dir={folder / 'build'}"
    subprocess.run(
        [*pip, define, directory], env={**os.environ, "BYTEBPE_REQUIRE_NATIVE": "1"}, check=True
    )
    return python


def runtime(name: str) -> str:
    """Return the path of a library of the compiler, which must be in place before Python is."""
    compiler = os.environ.get("CXX") or sysconfig.get_config_var("CXX").split()[0]
    found = subprocess.run(
        [compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if found == name:
        raise SystemExit(f"{compiler} has no {name}")
    return found


def main() -> int:
    """Build, then run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where to build, and to keep it")
    args, rest = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep.resolve() if args.keep else Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        python = build(folder)
        preloaded = " ".join(map(runtime, ("libasan.so", "libstdc++.so")))
        done = subprocess.run(
            [
                python,
                "-m",
                "pytest",
                "-q",
                "--capture=sys",
                "-k",
                LEFT_OUT,
                *(rest or ["-n", "auto"]),
            ],
            cwd=ROOT,
            env={**os.environ, **OPTIONS, "LD_PRELOAD": preloaded, "BYTEBPE_REQUIRE_NATIVE": "1"},
            check=False,
        )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
