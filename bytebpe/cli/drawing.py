"""Traces, differences and audits as text, for any terminal or file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TextIO

from ..audit import Audit
from ..comparison import Difference
from ..compression import Compressed
from ..display import Token, shown
from ..training_trace import Round, TrainingTrace, Word
from .terminal import draw_table

#: Of a longer token, only this many bytes are shown.
_LONG: Final = 60

_RULES: Final = {
    "count": "no other pair is as frequent",
    "lowest": "of equals, the one of lowest ids",
    "first": "of equals, the one met first",
}


def training(trace: TrainingTrace, out: TextIO) -> None:
    """Draw the words, then each round of a training."""
    out.write(f"alphabet: {' '.join(map(shown, trace.alphabet))}\n\n")
    _words("words before training", trace.words, trace.distinct_words, out)
    for round in trace.rounds:
        _round(round, out)
    _words("words after training", trace.after, trace.distinct_words, out)
    for rank, round in enumerate(trace.rounds):
        out.write(f"merge {rank}: {_pair(round.pair)} -> {shown(round.made)}\n")
    if len(trace.rounds) < trace.asked_merges:
        out.write(
            f"stopped after {len(trace.rounds)} of {trace.asked_merges} merges: "
            "no pair left is frequent enough\n"
        )


def compression(compressed: Compressed, out: TextIO) -> None:
    """Draw the replacement table, the text after each step, and the way back."""
    rows = [
        (
            f"{shown(step.symbol)} = {shown(step.left)}{shown(step.right)}",
            shown(step.text),
            str(step.count),
            str(step.replaced),
        )
        for step in compressed.steps
    ]
    first = ("", shown(compressed.original), "", "")
    draw_table(("symbol", "text", "count", "replaced"), [first, *rows], out, left=2)
    out.write(
        f"\n{len(compressed.original)} symbols became {len(compressed.text)}, "
        f"and {len(compressed.steps)} lines of table at 3 each: {compressed.size} to store\n"
    )
    back = " -> ".join(map(shown, compressed.restored()))
    same = list(compressed.restored())[-1] == compressed.original
    out.write(f"back: {back}, {'the same' if same else 'NOT the same'}\n")


def difference(found: Difference, out: TextIO) -> None:
    """Draw what two tokenizers make of the same texts."""
    share = f" ({found.same_documents / found.documents:.1%})" if found.documents else ""
    out.write(f"{found.same_documents} of {found.documents} documents alike{share}\n\n")
    rows = [
        (name, f"{tokens:,}", f"{size:,}")
        for name, tokens, size in zip(found.names, found.tokens, found.vocab_sizes, strict=True)
    ]
    draw_table(("tokenizer", "tokens", "vocabulary"), rows, out)
    out.write(f"\ntokens in both vocabularies: {found.shared_tokens:,}\n")
    for each in found.first:
        out.write(f"\ndocument {each.document}, byte {each.position}:\n")
        for name, tokens in zip(found.names, each.tokens, strict=True):
            out.write(f"  {name}: {'│'.join(map(shown, tokens))}\n")


def audit(found: Audit, token_bytes: Callable[[int], bytes], most: int, out: TextIO) -> None:
    """Draw an audit, and `most` of each list in it."""
    out.write(f"{found.vocab_size:,} tokens in the vocabulary\n")
    if found.texts:
        out.write(
            f"{found.texts:,} texts use {found.used_tokens:,} of them, {found.tokens:,} times\n"
            f"entropy {found.entropy:.2f} bits a token, "
            f"Rényi efficiency {found.renyi_efficiency:.3f}\n"
        )
    lists = {
        "unused": found.unused if found.texts else (),
        "part of a character": found.partial,
        "longest": found.longest,
    }
    out.write(f"\nunreachable: {len(found.unreachable):,}\n")
    for each in found.unreachable[:most]:
        why = "no merges lead to it" if each.reason == "merges" else "the pattern cuts it"
        out.write(f"  {each.id:>6}  {shown(each.token)}  ({why})\n")
    for name, ids in lists.items():
        if ids:
            out.write(f"\n{name}: {len(ids):,}\n")
        for id in ids[:most]:
            token = token_bytes(id)
            folded = f"  ({len(token)} bytes)" if len(token) > _LONG else ""
            out.write(f"  {id:>6}  {shown(token[:_LONG])}{folded}\n")
    out.write(f"\nalike but for space or case: {len(found.near_duplicates):,} groups\n")
    for group in found.near_duplicates[:most]:
        out.write("  " + ", ".join(f"{shown(token_bytes(id))} {id}" for id in group) + "\n")
    out.write("\n")
    rows = [(each.name, f"{each.tokens:,}", f"{each.uses:,}") for each in found.scripts]
    draw_table(("script", "tokens", "uses"), rows, out)


def _round(round: Round, out: TextIO) -> None:
    rule = _RULES[round.decided_by]
    out.write(
        f"round {round.number}: {_pair(round.pair)} -> {shown(round.made)}, "
        f"count {round.count} ({rule})\n"
    )
    if len(round.tied) > 1:
        out.write(f"  tied: {_list(map(_pair, round.tied))}\n")
    counted = (f"{_pair(pair)} {count}" for pair, count in round.ranking)
    out.write(f"  pairs: {_list(counted, round.pairs)}\n")
    for before, after in round.words:
        out.write(f"  {before.count} x {_symbols(before.symbols)} -> {_symbols(after.symbols)}\n")
    _more(len(round.words), round.changed_words, "words", out)
    if round.vanished:
        out.write(f"  vanished: {_list(map(_pair, round.vanished))}\n")
    if round.appeared:
        out.write(
            f"  appeared: {_list(f'{_pair(pair)} {count}' for pair, count in round.appeared)}\n"
        )
    fewer = [change for change in round.changes if change.before and change.after]
    if fewer:
        listed = (f"{_pair(change.pair)} {change.before} -> {change.after}" for change in fewer)
        out.write(f"  fewer: {_list(listed)}\n")
    _more(len(round.changes), round.changed_pairs, "pairs", out)
    out.write("\n")


def _words(title: str, words: Sequence[Word], all: int, out: TextIO) -> None:
    out.write(f"{title}:\n")
    for word in words:
        out.write(f"  {word.count} x {_symbols(word.symbols)}\n")
    _more(len(words), all, "words", out)
    out.write("\n")


def _more(there: int, all: int, what: str, out: TextIO) -> None:
    if there < all:
        out.write(f"  and {all - there} more {what}\n")


def _list(items: Iterable[str], all: int = 0) -> str:
    listed = list(items)
    more = f", and {all - len(listed)} more" if len(listed) < all else ""
    return ", ".join(listed) + more


def _pair(pair: tuple[Token, Token]) -> str:
    return f"{shown(pair[0])}+{shown(pair[1])}"


def _symbols(symbols: Iterable[Token]) -> str:
    return " ".join(map(shown, symbols))
