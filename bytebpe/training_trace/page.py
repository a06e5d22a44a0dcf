"""A training as a page: a slider goes from round to round; on paper they follow each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ..display import Token, shown
from ..pages import Direction, direction, fragment, page, slider, symbols, table, text

if TYPE_CHECKING:
    from .rounds import Round, TokenPair, TrainingTrace, Word

_RULES: Final = {
    "lowest": "the one with the smallest ids is taken",
    "first": "the one that is met first is taken",
}


def html(trace: TrainingTrace, title: str) -> str:
    """Return the whole page."""
    unit = "bytes" if trace.unit == "byte" else "characters, with &lt;/w&gt; after each word"
    head = (
        f'<h1>{text(title)}</h1>\n<p class="lead">Each round counts all pairs of neighbours, takes '
        "the most frequent one, and merges it in every word.</p>\n"
        f'<p class="note">Symbols are {unit}. Of pairs that occur equally often, '
        f"{_RULES[trace.ties]}.</p>\n"
    )
    return page(title, head + slider(len(trace.rounds) + 1, "Round") + _steps(trace))


def notebook(trace: TrainingTrace) -> str:
    """Return the rounds one below the other."""
    return fragment(_steps(trace))


def _steps(trace: TrainingTrace) -> str:
    steps = [
        '<section class="round" data-name="Before training"><h2>Before training</h2>'
        f"<p>The alphabet: {symbols(map(shown, trace.alphabet))}</p>"
        f"{_words(trace.words, trace.distinct_words)}</section>"
    ]
    steps += [_round(round, len(trace.rounds)) for round in trace.rounds]
    merges = [
        (
            str(rank),
            _pair(round.pair),
            symbols([shown(round.made)]),
            f"{round.count:,}",
        )
        for rank, round in enumerate(trace.rounds)
    ]
    short = (
        f"<p>Asked for {trace.asked_merges:,} merges; no pair left is frequent enough.</p>"
        if len(trace.rounds) < trace.asked_merges
        else ""
    )
    steps.append(
        '<section class="round" data-name="After training"><h2>After training</h2>'
        f'{short}<div class="columns">{_words(trace.after, trace.distinct_words)}'
        + table(("rank", "merge", "makes", "count"), merges, caption="The merges learned", left=3)
        + "</div></section>"
    )
    return "\n".join(steps)


def _round(round: Round, all: int) -> str:
    others = [pair for pair in round.tied if pair != round.pair]
    if others:
        tied = " and ".join(_pair(pair) for pair in others)
        why = f"as often as {tied}; {_RULES[round.decided_by]}."
    else:
        why = "more often than any other."
    return (
        f'<section class="round" data-name="Round {round.number} of {all}">'
        f"<h2>Round {round.number}: {_pair(round.pair)} → "
        f"{symbols([shown(round.made)], new=[0])}</h2>\n"
        f"<p>The pair occurs {round.count:,} times, {why}</p>\n"
        f'<div class="columns">{_ranking(round)}<div>{_merged(round)}{_changes(round)}</div></div>'
        "</section>"
    )


def _ranking(round: Round) -> str:
    rows = []
    highest = round.ranking[0][1] if round.ranking else 1
    for pair, count in round.ranking:
        said = "taken" if pair == round.pair else "tied" if pair in round.tied else ""
        bar = (
            f'<td class="text"><span class="bar" style="--share:{count / highest:.3f}"></span></td>'
        )
        rows.append((_pair(pair), f"{count:,}", bar, f'<span class="tag">{said}</span>'))
    return table(
        ("pair", "count", '<span class="only-read">share of the highest</span>', ""),
        rows,
        caption=_caption("Pairs of neighbours and how often they occur", len(rows), round.pairs),
        marked=[at for at, (pair, _) in enumerate(round.ranking) if pair == round.pair],
    )


def _merged(round: Round) -> str:
    rows = []
    for before, after in round.words:
        places = _places(before.symbols, round.pair)
        parts = {at + side for at in places for side in (0, 1)}
        new = {at - number for number, at in enumerate(places)}
        way = _way(before.symbols)
        rows.append(
            (
                f"{before.count:,} ×",
                f"{symbols(map(shown, before.symbols), part=parts, way=way)} →<br>"
                f"{symbols(map(shown, after.symbols), new=new, way=way)}",
            )
        )
    caption = _caption("Words that hold it, before and after", len(rows), round.changed_words)
    return table(("count", "word"), rows, caption=caption, left=2)


def _changes(round: Round) -> str:
    rows = [
        (
            _pair(change.pair),
            f"{change.before:,}" if change.before else "–",
            f"{change.after:,}" if change.after else "–",
            '<span class="tag">'
            + ("appeared" if not change.before else "vanished" if not change.after else "fewer")
            + "</span>",
        )
        for change in round.changes
    ]
    caption = _caption("Pairs whose count changed", len(rows), round.changed_pairs)
    return table(("pair", "before", "after", ""), rows, caption=caption)


def _words(words: Sequence[Word], all: int) -> str:
    rows = [
        (f"{word.count:,} ×", symbols(map(shown, word.symbols), way=_way(word.symbols)))
        for word in words
    ]
    return table(("count", "word"), rows, caption=_caption("Words", len(rows), all), left=2)


def _caption(what: str, there: int, all: int) -> str:
    return what if there == all else f"{what} ({there} of {all:,})"


def _pair(pair: TokenPair) -> str:
    return symbols(map(shown, pair), way=_way(pair))


def _way(word: Sequence[Token]) -> Direction | None:
    """Return which way the characters of a word run; bytes stand in the order of memory."""
    return direction("".join(symbol for symbol in word if isinstance(symbol, str)))


def _places(word: Sequence[Token], pair: TokenPair) -> list[int]:
    """Return where the pair stands in a word, from left to right, without overlap."""
    places, at = [], 0
    while at < len(word) - 1:
        if (word[at], word[at + 1]) == pair:
            places.append(at)
            at += 1
        at += 1
    return places
