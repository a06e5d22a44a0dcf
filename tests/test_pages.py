"""Pages as a browser shows them, where Playwright and a Chromium are at hand."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import bytebpe
from bytebpe.comparison import compare
from bytebpe.compression import compress
from bytebpe.pages import Bar, Series, bars, lines, parts, table, text
from bytebpe.pages.charts import _nice
from bytebpe.pages.direction import Direction, runs
from bytebpe.training_trace import trace_training
from strategies import any_bytes, texts

TEXTBOOK = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
CHECKS = Path(__file__).with_name("page_checks.js").read_text(encoding="utf-8")
VOID = {"meta", "link", "br", "wbr", "input"}


class Checked(HTMLParser):
    """Whether each element that is opened is closed, in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(page)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None: ...


@pytest.fixture(scope="module")
def tok() -> bytebpe.Tokenizer:
    return bytebpe.train(["low lower lowest newest <b>"] * 3, num_merges=12)


@pytest.fixture(scope="module")
def pages(gpt2: bytebpe.Tokenizer, corpus: list[str]) -> dict[str, str]:
    train = [line for text in corpus[:4] for line in text.split("\n") if line][:150]
    slices = {"ar": corpus[0].split("\n")[:8], "emoji": corpus[3].split("\n")[:8]}
    arabic_and_emoji = corpus[0][:120] + "\n" + corpus[3][:300]
    return {
        "comparison": compare(train, slices, vocab_size=[300, 500]).html(),
        "training": trace_training(TEXTBOOK, num_merges=6, unit="char", ties="first").html(),
        "encoding": gpt2.trace(" decodes 世界 مرحبا").html(),
        "tokens": gpt2.view("Hello 世界 👩‍👩‍👧‍👦!\n" + corpus[4][:200]).html(),
        "compression": compress("aaabdaaabac" * 9).html(),
        "mixed": gpt2.view(
            "see שלום עולם 12,345 here\nהמילה hello world באה ב-2024 12,345 פעמים"
        ).html(),
        "arabic": gpt2.view(arabic_and_emoji).html(title="رموز"),
    }


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Any, pages: dict[str, str], tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Open a page by name; whatever goes wrong in it, or leaves the file, fails the test."""
    contexts, wrong = [], []

    def open_page(name: str, width: int = 1200, scheme: str = "light") -> Any:
        (tmp_path / f"{name}.html").write_text(pages[name], encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text))
        page.on(
            "request",
            lambda request: (
                wrong.append(request.url)
                if not request.url.startswith(("file:", "data:"))
                else None
            ),
        )
        page.goto((tmp_path / f"{name}.html").as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


def test_pages_are_whole_and_need_no_network(pages: dict[str, str]) -> None:
    for page in pages.values():
        Checked(re.sub(r"<(style|script)>.*?</\1>", "", page, flags=re.DOTALL))
        assert page.startswith("<!DOCTYPE html>")
        assert "https:" not in page
        assert not re.search(r"""(?:src|href)=["'](?!data:)|url\(|@import""", page)


@given(data=any_bytes())
def test_any_text_makes_a_sound_view(tok: bytebpe.Tokenizer, data: bytes) -> None:
    view = bytebpe.token_view.view(tok.encode_bytes(data), tok.vocab)
    page = view.html()

    Checked(re.sub(r"<(style|script)>.*?</\1>", "", page, flags=re.DOTALL))
    assert page.count('role="listitem"') == len(view.tokens)
    assert page.encode("utf-8")


@given(text=texts(6))
def test_what_texts_hold_is_never_markup(tok: bytebpe.Tokenizer, text: str) -> None:
    Checked(
        tok.trace(text + "<script>&")._repr_html_().split("</style>")[1].removesuffix("</div>\n")
    )


def test_notebooks_show_everything(tok: bytebpe.Tokenizer) -> None:
    shown = [
        tok,
        tok.view("lower"),
        tok.trace("lower"),
        trace_training(TEXTBOOK, num_merges=2),
        compress("aaabdaaabac"),
        compare([], {"x": ["low"]}, kinds=(), tokenizers={"t": tok}),
    ]
    for thing in shown:
        fragment = thing._repr_html_()  # type: ignore[attr-defined]
        assert fragment.startswith('<div class="bytebpe"><style>')
        assert "<script" not in fragment


def test_special_tokens_stand_out(gpt2: bytebpe.Tokenizer) -> None:
    page = gpt2.view("Hi<|endoftext|>", allowed_special="all").html()

    assert 'class="token special"' in page
    assert "&lt;|endoftext|&gt;, id 50256, special token" in page


def test_long_texts_are_folded(tok: bytebpe.Tokenizer) -> None:
    page = tok.view("ab" * 2500).html()

    assert "3,600 more tokens</summary>" in page
    assert "The first 4,000 of 5,000 tokens are shown." in page


def test_a_token_that_no_merge_makes_says_so() -> None:
    vocab = bytebpe.Vocab({**bytebpe.Vocab.from_merges([]).ids, b"ab": 300}, ())

    assert "ab, id 300, made by no merge" in bytebpe.token_view.view([300], vocab).html()


def test_small_things() -> None:
    assert text(None) == "–"
    assert 'style="--share:1.0000' in bars([Bar("a", 3.0, "3", 0)])
    assert "var(--hue-7)" in bars([Bar("a", 0.5, "1", 30)])
    assert 'aria-hidden="true"' in parts([("a", 1.0, 0)])
    assert lines([], title="t", x="x", y="y").startswith("<svg")
    assert lines([Series("s", ((10, 0),), 0)], title="t", x="x", y="y").count("<circle") == 1
    assert table(("a",), []).count("<tr>") == 1
    assert [_nice(value) for value in (0.3, 1, 7, 23, 450)] == [0.4, 1, 8, 40, 600]


@pytest.mark.parametrize(
    "name", ["comparison", "training", "compression", "encoding", "tokens", "mixed", "arabic"]
)
@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1200, "light")])
def test_nothing_sticks_out(opened: Callable[..., Any], name: str, width: int, scheme: str) -> None:
    page = opened(name, width, scheme)

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(f"{CHECKS} overlaps()") == []
    assert page.evaluate(f"{CHECKS} faint()") == []


def test_the_slider_goes_from_round_to_round(opened: Callable[..., Any]) -> None:
    page = opened("training")
    seen = page.locator(".round:visible h2")
    assert seen.all_inner_texts() == ["Before training"]

    page.get_by_role("slider").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")

    assert seen.count() == 1
    assert re.sub(r"\s", "", seen.inner_text()) == "Round3:est</w>→est</w>"
    assert page.locator("output").inner_text() == "Round 3 of 6"
    page.get_by_role("button", name="Back").click()
    assert "Round 2" in seen.inner_text()
    page.keyboard.press("Tab")
    page.get_by_role("slider").fill("7")
    assert page.get_by_role("button", name="Next").is_disabled()
    assert seen.all_inner_texts() == ["After training"]


def test_paper_holds_every_round(opened: Callable[..., Any]) -> None:
    page = opened("training")
    page.emulate_media(media="print")

    assert page.locator(".round:visible").count() == 8
    assert not page.get_by_role("slider").is_visible()


def test_a_token_tells_of_itself(opened: Callable[..., Any]) -> None:
    page = opened("tokens", 400)
    token = page.locator(".token").nth(2)

    token.hover()

    tip = token.locator(".tip")
    assert tip.is_visible()
    assert tip.inner_text().startswith("id ")
    box = tip.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 400
    assert page.locator(".tip:visible").count() == 1


def test_tokens_by_the_keyboard(opened: Callable[..., Any]) -> None:
    page = opened("tokens")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.className") == "token":
            break
    page.keyboard.press("ArrowRight")

    assert page.evaluate("document.activeElement === document.querySelectorAll('.token')[1]")
    assert page.locator(".tip:visible").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".tip:visible").count() == 0


def test_right_to_left_text_runs_right_to_left(opened: Callable[..., Any]) -> None:
    page = opened("arabic")
    groups = page.evaluate(
        "[...document.querySelector('.tokens > div').children].slice(0, 8)"
        ".filter((e) => e.tagName === 'SPAN').map((e) => e.getBoundingClientRect().x)"
    )

    directions = page.locator(".tokens > div").evaluate_all(
        "lines => lines.map((line) => getComputedStyle(line).direction)"
    )
    assert directions[0] == "rtl"
    assert directions[-1] == "ltr"  # English, with emoji
    assert groups == sorted(groups, reverse=True)


def test_words_run_their_own_way_in_a_line_of_the_other(opened: Callable[..., Any]) -> None:
    page = opened("mixed")
    english, hebrew = page.locator(".tokens > div").evaluate_all(
        """lines => lines.map((line) => [...line.querySelectorAll(".token")]
            .map((token) => [token.ariaLabel, token.getBoundingClientRect().x])
            .sort((a, b) => a[1] - b[1])
            .map(([label]) => label.replace(/, id .*/s, "")))"""
    )

    assert english[0] == "see"
    assert english[-1] == "⏎"
    assert english.index("·<d7>") > english.index("ל")  # the first letter of a word is on its right
    before = [hebrew.index(token) for token in ("·hello", "·world")]
    assert before == sorted(before)
    number = [hebrew.index(token) for token in ("·12", ",", "345")]
    assert number == sorted(number)
    assert hebrew.index("20") + 1 == hebrew.index("24")
    assert hebrew.index("345") < hebrew.index("20")  # the number that is read first is on the right


@pytest.mark.parametrize(
    ("tokens", "base", "expected"),
    [
        (["a", " b"], "ltr", [(False, 0, 2)]),
        (["1", " של", "ום", "!"], "ltr", [(False, 0, 1), (True, 1, 3), (False, 3, 4)]),
        (["ש", " a", " 1", "ש"], "ltr", [(True, 0, 1), (False, 1, 3), (True, 3, 4)]),
        (["ש", " 12", ".", "5"], "rtl", [(False, 0, 1), (True, 1, 4)]),
        (["ש", " 12", ".", " 5"], "rtl", [(False, 0, 4)]),
        (["12", "a", ".", "34"], "rtl", [(True, 0, 4)]),
        (["a", "ש", "b"], "rtl", [(True, 0, 1), (False, 1, 2), (True, 2, 3)]),
        (["1", "-", "2"], "rtl", [(False, 0, 3)]),
        ([], "ltr", []),
    ],
)
def test_runs(tokens: list[str], base: Direction, expected: list[tuple[bool, int, int]]) -> None:
    assert list(runs(tokens, base)) == expected


def test_a_character_that_only_says_how_another_looks_is_named(gpt2: bytebpe.Tokenizer) -> None:
    page = gpt2.view("1\ufe0f\u20e3").html()

    assert '<span class="hex">U+FE0F</span>' in page
    assert "1\ufe0f\u20e3</span>" in page


def test_a_mark_in_a_token_of_its_own_stands_on_a_circle() -> None:
    vocab = bytebpe.Vocab.from_merges([(b"\xcc", b"\x81")])
    page = bytebpe.Tokenizer(vocab).view("e\u0301").html()

    assert ">\u25cc\u0301<" in page


def test_characters_run_their_own_way_and_bytes_as_in_memory() -> None:
    words = {"שלום": 5, "של": 3}

    assert 'class="symbols" dir="rtl"' in trace_training(words, num_merges=2, unit="char").html()
    assert 'class="symbols" dir="rtl"' not in trace_training(words, num_merges=2).html()


def test_the_compression_goes_step_by_step(opened: Callable[..., Any]) -> None:
    page = opened("compression")
    seen = page.locator(".round:visible h2")
    assert seen.all_inner_texts() == ["The text"]

    page.get_by_role("button", name="Next").click()

    assert re.sub(r"\s", "", seen.inner_text()).startswith("Step1of")
    assert page.locator(".round:visible .new").count() > 1


def test_a_long_text_is_cut_on_the_page_of_its_compression() -> None:
    page = compress("aaa" * 200).html()

    assert "and 200 more" in page
    assert "the others overlap" in page


def test_another_rate_can_be_chosen(opened: Callable[..., Any]) -> None:
    page = opened("comparison")
    shown = page.locator("[data-rate]:visible")
    assert shown.count() == 1

    page.get_by_label("Show").select_option("oov_word_rate")

    assert shown.get_attribute("data-rate") == "oov_word_rate"
    assert "OOV words" in shown.inner_text()
