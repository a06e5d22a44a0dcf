"""The command line: one module a verb, each with `add_arguments` and `run`.

The verbs read files or standard input and print; all that they know of tokenizers
they ask the library.  Exit status 0 is success, 2 bad input, told in one line.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from ..errors import ByteBPEError
from . import (
    audit,
    chunk,
    compare,
    convert,
    count,
    count_pieces,
    decode,
    encode,
    inspect,
    trace,
    train,
    truncate,
)

VERBS = {
    "train": train,
    "count-pieces": count_pieces,
    "encode": encode,
    "decode": decode,
    "count": count,
    "truncate": truncate,
    "chunk": chunk,
    "inspect": inspect,
    "trace": trace,
    "compare": compare,
    "audit": audit,
    "convert": convert,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    args = _parser().parse_args(argv)
    try:
        VERBS[args.verb].run(args)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except (ByteBPEError, OSError, ValueError) as error:
        print(f"bytebpe {args.verb}: {_one_line(error)}", file=sys.stderr)
        return 2
    return 0


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())


def _parser() -> argparse.ArgumentParser:
    from .. import __version__

    parser = argparse.ArgumentParser(
        prog="bytebpe", description="Train, use and look into byte-level BPE tokenizers."
    )
    parser.add_argument("--version", action="version", version=f"bytebpe {__version__}")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, module in VERBS.items():
        summary = (module.__doc__ or "").split("\n", 1)[0]
        module.add_arguments(verbs.add_parser(name, help=summary, description=module.__doc__))
    return parser
