"""Count the tokens of files, and of all together."""

from __future__ import annotations

import argparse

from .inputs import add_files, add_special, add_tokenizer, contents, encode, tokenizer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    add_tokenizer(parser)
    add_special(parser)


def run(args: argparse.Namespace) -> None:
    tok = tokenizer(args.tokenizer)
    rows = [
        (len(encode(tok, name, data, args.special)), name) for name, data in contents(args.files)
    ]
    if not args.files:
        print(rows[0][0])
        return
    if len(rows) > 1:
        rows.append((sum(count for count, _ in rows), "total"))
    width = max(len(str(count)) for count, _ in rows)
    for count, name in rows:
        print(f"{count:>{width}} {name}")
