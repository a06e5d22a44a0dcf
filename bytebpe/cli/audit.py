"""Look a vocabulary over: tokens that files never use, and tokens that nothing can make.

Without files, only the vocabulary itself is looked at.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from . import drawing
from .inputs import add_tokenizer, contents, tokenizer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", metavar="FILE", help="texts; - for standard input")
    add_tokenizer(parser)
    parser.add_argument(
        "--most", type=int, default=10, metavar="N", help="how much of each list to show (10)"
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON")


def run(args: argparse.Namespace) -> None:
    tok = tokenizer(args.tokenizer)
    audit = tok.audit(data for _, data in (contents(args.files) if args.files else ()))
    if args.json:
        json.dump(asdict(audit), sys.stdout, ensure_ascii=False, default=bytes.hex)
        print()
    else:
        drawing.audit(audit, tok.token_bytes, args.most, sys.stdout)
