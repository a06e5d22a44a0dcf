"""Show the tokens of a text with their ids below, and whether they give it back.

A space is shown as · and a line end as ⏎; bytes that are only a part of a character are
shown in hexadecimal, below the whole of it.
"""

from __future__ import annotations

import argparse
import os
import sys

from ..display import shown
from ..token_view import view
from ..trace import PieceTrace
from . import terminal
from .inputs import add_special, add_tokenizer, contents, encode, tokenizer, write_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="?", metavar="TEXT", help="else the file, or standard input")
    parser.add_argument("--file", metavar="FILE", help="file to read the text from")
    add_tokenizer(parser)
    add_special(parser)
    parser.add_argument(
        "--most", type=int, default=2000, metavar="N", help="how many tokens to show (2000)"
    )
    parser.add_argument(
        "--trace",
        action="store_true",
        help="show each merge, the merges that lost, and where longest match would differ",
    )
    parser.add_argument(
        "--html", metavar="FILE", help="write a page of the tokens, or with --trace of the merges"
    )
    parser.add_argument(
        "--why",
        nargs=2,
        metavar=("LEFT", "RIGHT"),
        help="say why two neighbours merge or do not; TEXT is not needed",
    )


def run(args: argparse.Namespace) -> None:
    if args.text is not None and args.file is not None:
        raise ValueError("give TEXT or --file, not both")
    tok = tokenizer(args.tokenizer, args.pattern)
    if args.why is not None:
        print(tok.why(*map(os.fsencode, args.why)))
        return
    if args.text is not None:
        name, data = "TEXT", os.fsencode(args.text)  # what the shell passed, UTF-8 or not
    else:
        name, data = next(contents([args.file] if args.file else []))
    if args.html is not None:
        page = (
            tok.trace(data)
            if args.trace
            else view(encode(tok, name, data, args.special), tok.vocab)
        )
        write_text(args.html, page.html())
    if args.trace:
        for number, piece in enumerate(tok.trace(data).pieces, 1):
            _draw_piece(number, piece)
    ids = encode(tok, name, data, args.special)
    drawn = [(tok.token_bytes(id), id) for id in ids[: args.most]]
    terminal.draw_tokens(drawn, sys.stdout)
    if len(drawn) < len(ids):
        print(f"... and {len(ids) - len(drawn)} more tokens; --most shows more of them\n")
    exact = tok.decode_bytes(ids) == data
    characters = len(data.decode("utf-8", "surrogateescape"))
    print(
        f"{len(ids)} tokens, {len(data)} bytes, {characters} characters; "
        f"decoded again: {'the same' if exact else 'NOT the same'}"
    )


def _draw_piece(number: int, piece: PieceTrace) -> None:
    end = piece.start + len(piece.piece)
    print(f"piece {number}: {shown(piece.piece)}  (bytes {piece.start} to {end})")
    rows = [
        (
            f"  {shown(step.left)} + {shown(step.right)}",
            " ".join(map(shown, step.after)),
            ", ".join(f"{shown(lost.left)}+{shown(lost.right)} {lost.rank}" for lost in step.lost),
            str(step.rank),
            str(step.position),
        )
        for step in piece.steps()
    ]
    if rows:
        header = ("  merge", "gives", "candidates that lost, with rank", "rank", "at byte")
        terminal.draw_table(header, rows, sys.stdout, left=3)
    else:
        print("  no merge applies")
    if (contrast := piece.contrast()) is not None:
        print(f"  longest match would give {' '.join(map(shown, piece.longest_match))}:")
        print(f"  {contrast}")
    print()
