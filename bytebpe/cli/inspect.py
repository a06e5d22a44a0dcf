"""Show the tokens of a text with their ids below, and whether they give it back.

A space is shown as · and a line end as ⏎; bytes that are only a part of a character
are shown in hexadecimal.
"""

from __future__ import annotations

import argparse
import os
import sys

from . import terminal
from .inputs import add_special, add_tokenizer, contents, encode, tokenizer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="?", metavar="TEXT", help="else the file, or standard input")
    parser.add_argument("--file", metavar="FILE", help="file to read the text from")
    add_tokenizer(parser)
    add_special(parser)


def run(args: argparse.Namespace) -> None:
    if args.text is not None and args.file is not None:
        raise ValueError("give TEXT or --file, not both")
    if args.text is not None:
        name, data = "TEXT", os.fsencode(args.text)  # what the shell passed, UTF-8 or not
    else:
        name, data = next(contents([args.file] if args.file else []))
    tok = tokenizer(args.tokenizer)
    ids = encode(tok, name, data, args.special)
    terminal.draw_tokens([(shown(tok.token_bytes(id)), id) for id in ids], sys.stdout)
    exact = tok.decode_bytes(ids) == data
    characters = len(data.decode("utf-8", "surrogateescape"))
    print(
        f"{len(ids)} tokens, {len(data)} bytes, {characters} characters; "
        f"decoded again: {'the same' if exact else 'NOT the same'}"
    )


def shown(token: bytes) -> str:
    """Write a token in characters that can be seen.

    >>> shown(b" caf\\xc3"), shown("世\\n".encode()), shown(b"\\x00")
    ('·caf<c3>', '世⏎', '\\\\x00')
    """
    parts = []
    for char in token.decode("utf-8", "surrogateescape"):
        if char in _SEEN_AS:
            parts.append(_SEEN_AS[char])
        elif "\udc80" <= char <= "\udcff":
            parts.append(f"<{ord(char) - 0xDC00:02x}>")
        elif char.isprintable():
            parts.append(char)
        else:
            parts.append(repr(char)[1:-1])
    return "".join(parts).replace("><", " ")


_SEEN_AS = {" ": "·", "\n": "⏎", "\t": "⇥"}
