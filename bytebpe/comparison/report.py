"""A comparison as a page: one file that plots, tells and lists everything.

Every plot has its numbers beside it; the page reads from top to bottom without a script,
on paper, and by a screen reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..display import shown
from ..pages import Bar, Series, bars, fragment, legend, lines, page, parts, symbols, table, text
from .outputs import LABELS, TOLD, formatted

if TYPE_CHECKING:
    from .rows import Comparison, Profile, Row

#: Rates that a reader can choose bars of, the first to begin with.
_CHOICES = (
    "tokens_per_word",
    "tokens_per_character",
    "bytes_per_token",
    "oov_word_rate",
    "unknown_token_rate",
    "lost_character_rate",
    "single_token_word_rate",
    "cut_token_rate",
    "premium",
    "long_document_rate",
    "megabytes_per_second",
)


def html(comparison: Comparison, title: str) -> str:
    """Return the whole page."""
    sections = [
        _head(comparison, title),
        _returns(comparison),
        _bars(comparison),
        _curves(comparison),
        _losses(comparison),
        _vocabularies(comparison),
        _numbers(comparison),
        _method(comparison),
    ]
    return page(title, "\n".join(filter(None, sections)))


def notebook(comparison: Comparison) -> str:
    """Return what a notebook shows: what comes back, and the numbers."""
    return fragment(_returns(comparison) + _numbers(comparison))


def _head(comparison: Comparison, title: str) -> str:
    lossless, lossy = [], []
    for profile in comparison.profiles:
        rows = _rows_of(comparison, profile.tokenizer)
        lost = sum(row.lost_characters for row in rows)
        if all(row.exact for row in rows):
            lossless.append(profile.tokenizer)
        else:
            lossy.append((lost, profile.tokenizer))
    said = []
    if lossless:
        said.append(f"Every text came back exactly from {text(_and(lossless))}.")
    if lossy:
        worst = ", ".join(f"{text(name)} {lost:,}" for lost, name in sorted(lossy, reverse=True))
        said.append(f"Characters lost by the others, white space apart: {worst}.")
    documents = sum(
        comparison.row(comparison.profiles[0].tokenizer, name).documents
        for name in comparison.slices
    )
    return (
        f'<h1>{text(title)}</h1>\n<p class="note">{len(comparison.profiles)} tokenizers, '
        f"{len(comparison.slices)} slices, {documents:,} documents</p>\n"
        f'<p class="lead">{" ".join(said)}</p>'
    )


def _returns(comparison: Comparison) -> str:
    """Say for each tokenizer and slice what comes back."""
    names = [profile.tokenizer for profile in comparison.profiles]
    rows = []
    for slice in comparison.slices:
        cells = []
        for name in names:
            row = comparison.row(name, slice)
            if row.exact:
                cells.append('<td><span class="exact">exact</span></td>')
            elif row.lost_characters:
                share = formatted("lost_character_rate", row.lost_character_rate)
                cells.append(
                    f'<td class="heat" style="--share:{row.lost_character_rate or 0:.3f}">'
                    f'{row.lost_characters:,} <span class="tag">{text(share)}</span></td>'
                )
            else:
                cells.append('<td><span class="tag">white space</span></td>')
        rows.append([text(slice), *cells])
    return (
        "<section><h2>What comes back</h2>\n"
        "<p>Is a text the same when it was encoded and decoded again? Where it is not: how many of "
        "its characters are missing, and what share of all that is; or that only white space "
        "differs.</p>\n"
        + table(["slice", *map(text, names)], rows, caption="Characters that do not come back")
        + "</section>"
    )


def _bars(comparison: Comparison) -> str:
    rates = [
        rate for rate in _CHOICES if any(getattr(row, rate) is not None for row in comparison.rows)
    ]
    options = "".join(f'<option value="{rate}">{text(LABELS[rate])}</option>' for rate in rates)
    return (
        "<section><h2>Slice by slice</h2>\n"
        '<div class="choice" hidden><label for="rate">Show</label> '
        f'<select id="rate">{options}</select></div>\n'
        + "\n".join(_bars_of(comparison, rate) for rate in rates)
        + "</section>"
    )


def _bars_of(comparison: Comparison, rate: str) -> str:
    values = [getattr(row, rate) for row in comparison.rows if not row.on_curve]
    highest = 1 if rate.endswith("_rate") else max(filter(None, values), default=1)
    cards = []
    for slice in comparison.slices:
        items = []
        for number, profile in enumerate(comparison.profiles):
            value = getattr(comparison.row(profile.tokenizer, slice), rate)
            share = (value or 0) / highest
            items.append(Bar(profile.tokenizer, share, formatted(rate, value), number))
        cards.append(f'<div class="card"><h4>{text(slice)}</h4>{bars(items)}</div>')
    return (
        f'<div data-rate="{rate}"><h3>{text(LABELS[rate])}</h3>\n'
        f'<p class="note">{text(TOLD[rate])}</p>\n<div class="cards">{"".join(cards)}</div></div>'
    )


def _curves(comparison: Comparison) -> str:
    """Plot fertility against the size of the vocabulary, for what was trained at several sizes."""
    drawn: list[tuple[str, int]] = []
    for number, profile in enumerate(comparison.profiles):
        if any(row.on_curve and row.tokenizer == profile.tokenizer for row in comparison.rows):
            drawn.append((profile.tokenizer, number))
    if not drawn:
        return ""
    cards, rows = [], []
    for slice in comparison.slices:
        series = []
        for name, number in drawn:
            points = sorted(
                (row.vocab_size, row.tokens_per_word or 0)
                for row in comparison.rows
                if (row.tokenizer, row.slice) == (name, slice)
            )
            series.append(Series(name, tuple(points), number))
            rows.append(
                [
                    f"{text(slice)}, {text(name)}",
                    ", ".join(f"{value:.2f} at {size:,}" for size, value in points),
                ]
            )
        plot = lines(series, title=slice, x="tokens in the vocabulary", y="tokens per word")
        cards.append(f'<figure class="card"><figcaption>{text(slice)}</figcaption>{plot}</figure>')
    listed = table(("slice", "tokens per word"), rows, caption="Fertility by size", left=2)
    return (
        "<section><h2>Fertility against vocabulary size</h2>\n"
        "<p>Tokens per word, as the vocabulary grows. Sizes stand at equal distances.</p>\n"
        f'{legend(drawn)}<div class="cards">{"".join(cards)}</div>'
        f"<details><summary>The same as a table</summary>{listed}</details></section>"
    )


def _losses(comparison: Comparison) -> str:
    if not comparison.losses:
        return ""
    grouped: dict[tuple[str, str], list[str]] = {}
    for loss in comparison.losses:
        tokens = symbols(loss.tokens, part=[at for at, t in enumerate(loss.tokens) if t == "<unk>"])
        grouped.setdefault((loss.slice, loss.tokenizer), []).append(
            f'<span class="loss"><bdi>{text(shown(loss.word))}</bdi> <span class="tag">→</span> '
            f"{tokens}</span>"
        )
    rows = [[text(slice), text(name), " ".join(words)] for (slice, name), words in grouped.items()]
    return (
        "<section><h2>Words that were lost</h2>\n<p>The first few of each tokenizer and slice, "
        "with the tokens they became.</p>\n"
        + table(
            ("slice", "tokenizer", "words"), rows, caption="Words that do not come back", left=3
        )
        + "</section>"
    )


def _vocabularies(comparison: Comparison) -> str:
    totals: dict[str, int] = {}
    for profile in comparison.profiles:
        for script, count in profile.scripts.items():
            totals[script] = totals.get(script, 0) + count
    # As many as there are colours; the rest share the last one.
    shown_scripts = sorted(totals, key=lambda name: (-totals[name], name))[:7]
    rest = len(totals) > len(shown_scripts)
    named = [(script, at) for at, script in enumerate(shown_scripts)]
    rows = []
    for profile in comparison.profiles:
        size = f"{profile.vocab_size:,}"
        if profile.asked_size is not None and profile.vocab_size < profile.asked_size:
            size += f' <span class="tag">of {profile.asked_size:,} asked</span>'
        rows.append(
            [
                text(profile.tokenizer),
                size,
                f"{profile.embedding_parameters:,}",
                f'<td style="min-width:14rem">{parts(_shares(profile, shown_scripts))}</td>',
            ]
        )
    scripts = sorted(totals, key=lambda name: (-totals[name], name))
    listed = table(
        ["script", *(text(profile.tokenizer) for profile in comparison.profiles)],
        [
            [text(script), *(f"{p.scripts.get(script, 0):,}" for p in comparison.profiles)]
            for script in scripts
        ],
        caption="Tokens by script",
    )
    return (
        "<section><h2>The vocabularies</h2>\n"
        + legend([*named, *([("others", 7)] if rest else [])])
        + table(
            (
                "tokenizer",
                "tokens",
                f"embedding parameters<br>at width {comparison.embedding_dim:,}",
                "tokens by script",
            ),
            rows,
            caption="Size, cost and scripts",
        )
        + f"<details><summary>Scripts as a table</summary>{listed}</details></section>"
    )


def _shares(profile: Profile, scripts: Sequence[str]) -> list[tuple[str, float, int]]:
    whole = sum(profile.scripts.values()) or 1
    shares = [(name, profile.scripts.get(name, 0) / whole, at) for at, name in enumerate(scripts)]
    rest = 1 - sum(share for _, share, _ in shares)
    return [part for part in [*shares, ("others", rest, 7)] if part[1] > 0.0005]


def _numbers(comparison: Comparison) -> str:
    rates = [
        rate for rate in LABELS if any(getattr(row, rate) is not None for row in comparison.rows)
    ]
    rows = []
    for slice in comparison.slices:
        for profile in comparison.profiles:
            row = comparison.row(profile.tokenizer, slice)
            rows.append(
                [
                    f"{text(slice)}",
                    f'<td class="text">{text(profile.tokenizer)}</td>',
                    "yes" if row.exact else "no",
                    f"{row.tokens:,}",
                    *(formatted(rate, getattr(row, rate)) for rate in rates),
                ]
            )
    header = ["slice", "tokenizer", "exact", "tokens", *(text(LABELS[rate]) for rate in rates)]
    return (
        "<section><h2>All numbers</h2>\n"
        + table(header, rows, caption="Every tokenizer on every slice", left=2)
        + "</section>"
    )


def _method(comparison: Comparison) -> str:
    told = "".join(
        f"<dt><b>{text(LABELS[rate])}</b></dt><dd>{text(TOLD[rate])}</dd>" for rate in LABELS
    )
    premium = f" Premiums are against {text(comparison.reference)}." if comparison.reference else ""
    return (
        "<section><h2>How it is measured</h2>\n<p>Words are those of UAX 29, which cuts Chinese "
        "into characters and Thai into clusters, since it knows no dictionary; a symbol such as an "
        "emoji counts as a word, punctuation does not. A document is long above "
        f"{comparison.max_tokens:,} tokens.{premium}</p><dl>{told}</dl></section>"
    )


def _rows_of(comparison: Comparison, tokenizer: str) -> list[Row]:
    return [row for row in comparison.rows if row.tokenizer == tokenizer and not row.on_curve]


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
