"""Divide a text into parts of a number of tokens.

Prints where each part starts and ends, in characters, and how many tokens it has; with
--jsonl an object in JSON for each, with its text.
"""

from __future__ import annotations

import argparse
import json

from .inputs import add_cut, add_file, add_special, add_tokenizer, decoded, specials, tokenizer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    add_cut(parser)
    parser.add_argument(
        "--overlap", type=int, default=0, metavar="N", help="tokens that a part repeats (0)"
    )
    parser.add_argument("--jsonl", action="store_true", help="print the texts, in JSON")
    add_tokenizer(parser)
    add_special(parser)


def run(args: argparse.Namespace) -> None:
    tok, options = tokenizer(args.tokenizer), specials(args)
    parts = tok.chunk(
        decoded(args.file, "chunk"), args.n, overlap=args.overlap, at=args.at, **options
    )
    for text, start, end in parts:
        tokens = tok.count(text, **options)
        if args.jsonl:
            row = {"text": text, "start": start, "end": end, "tokens": tokens}
            print(json.dumps(row, ensure_ascii=False))
        else:
            print(start, end, tokens)
