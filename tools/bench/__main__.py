"""Run a benchmark: `python -m tools.bench NAME --help`."""

from __future__ import annotations

import argparse
import sys

from . import budget, corpora, decode, encode, pathological, train

#: Each has add_arguments(parser) and run(args) -> exit status, and opens with what it does.
COMMANDS = {
    "budget": budget,
    "corpora": corpora,
    "decode": decode,
    "encode": encode,
    "pathological": pathological,
    "train": train,
}


def main() -> int:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    verbs = parser.add_subparsers(dest="command", required=True)
    for name, module in COMMANDS.items():
        about = str(module.__doc__).split("\n", 1)[0]
        verb = verbs.add_parser(name, help=about, description=about)
        module.add_arguments(verb)
        verb.set_defaults(run=module.run)
    args = parser.parse_args()
    return int(args.run(args))


if __name__ == "__main__":
    sys.exit(main())
