"""The automaton of a pattern cuts as the pattern does, or there is none."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import pytest
import regex
from hypothesis import event, example, given
from hypothesis import strategies as st

from bytebpe import dfa, pretokenize
from bytebpe.dfa import Dfa, NotInDialect, compile_dfa
from bytebpe.dfa_alphabet import Alphabet, sets_of
from bytebpe.dfa_parse import parse
from bytebpe.patterns import GPT2, NAMED, SplitPattern, compile_pattern
from bytebpe.standins import pinned
from strategies import any_bytes, texts

try:
    from bytebpe import _native
except ImportError:
    _native = None

needs_scanner = pytest.mark.skipif(
    not hasattr(_native, "dfa_scanner"), reason="no native scanner for automata"
)
EVERY_CODE_POINT = "".join(map(chr, range(0x110000)))

# As their tokenizers write them.
PEERS = {
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "r50k": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    "cl100k": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "qwen": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}"
        r"| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "deepseek": (
        r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
        r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "deepseek_cjk": r"[一-龥぀-ゟ゠-ヿ]+",
    "starcoder": rf"\p{{N}}|{GPT2}",
    "bloom": r" ?[^\s.,!?…。，、।۔،]+|[.,!?…。，、।۔،]|\s+",
    "tekken": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "words": r"\w+|[^\w\s]+",
    "lines": r"[^\n]*\n|[^\n]+",
    "quotes": r"\"[^\"]*\"|'[^']*'|\p{L}+(?:'\p{L}+)*",
}

SMALL = [
    *("a", "a|ab", "ab|a", "a|b|ab", "(?:ab|a)(?:bc)?", "(?:a|ab)(?:c|bcd)(?:d*)", "a??b", "a+?"),
    *("ca*?b", "ca+?b|a", "c(?:a|b)+?c|b", "a{2}", "a{2,}", "a{1,2}", "a{,2}b", "a{1,3}?b"),
    *("(?:ab){1,2}", "(?:ab?){2,3}", "(?:a|ba){2}?b?", "c(?:(?:ab)+c)+|b", "(a)(?:b|(c))"),
    *("a(?:)b", "a(?:b|)c|b", "ca++b", "a?+ab|b", "a{1,2}+a|b", "c[ab]++b|c", "[ab]{,2}+c"),
    *("a$", "ca+$|b", r"a\Z", r"a\z|a\n", r"a\n?$|b", r"\n$|a\n", r"c\s+$|\S", r"a(?=b|$)|b"),
    *(r"a(?!b)|b(?=\n)", r"a(?![^a])", r"a(?!\Z)b?", r"(?=a)\w+|b", r"(?!a)\w|c", r"\s+(?!\S)|b"),
    *("(?i)aB|c", "(?i:a)b|A", "(?i:[a-b])+", r"[^a\n]+|a", "[]a]+|b", r"[^]\n]|\]", ".b|c"),
    *(r"\u0061|\U00000062", r"[\d\n]+|\D", r"\PL+|a", r"\p{^L}|ab", "a|(?:b|bc)|c{2}", "[[a]|b"),
    *("a{1}+b", r"\x61b", "A(?:b|c(?:a|b))+?c", "(?:a|b)(?:a|b)(?:a|b)", "(?:aa|a)(?:ab|b)?"),
]  # fmt: skip
FOREIGN = [
    *(r"(a)\1", r"(?<=a)b", r"(?<!a)b", r"a\b", r"\X", r"a(?R)?b", r"(?>a|ab)c", r"(?:ab)++c"),
    *("(?P<x>a)", "(?<x>a)", "(?:ab){e<=1}", "(?V1)[a--b]", "(?V1)[[a]b]", "(?m)a$", "(?s)."),
    *("(?x)a", r"(?a)\w", "a(?i)b", "(?i:a)(?-i:b)", "(?s:.)", "^a", r"\Aa", r"\Ga", r"a\Kb"),
    *("(?#c)a", r"\R", r"\N{SPACE}", r"\101", r"[\b]", "[[:alpha:]]", r"\h", "(?|a|b)"),
    *("a(*FAIL)", "a{0}b", "{a", "a^"),
    *("(?=ab)a", "a(?=b(?!c))", "(?:a(?!b))+", "(?:a(?!b)|c)+", "x(?:a(?=b)|c)|d", "(?:a?)+b"),
    *("a*", "a|", "a?|b", "(?=a)", "$", r"(?:\s*)", "(?:a|b*)c?"),  # match the empty string
    *("a*b|a", ".*a|.", r"[^\n]*\n|.", r"\w+:|\w", "a+b", "(?:a|b)*c|a"),  # read on and on
    *(r"(?i)\p{Lu}", "(?i)[^a]", r"(?i:\p{L}|k)", "[^a]|[^b]", "(?:x|[^a])c|(?:y|[^b])d"),
    *("(?:a{100}){100}", "(?:a|b)*a(?:a|b){13}", "|".join(map(chr, range(0x4E00, 0x4F00)))),
]  # fmt: skip


@pytest.fixture(scope="session", autouse=True)
def engine() -> str:
    """No engine: what is compared here is not switched."""
    return "reference"


class OfAsciiAlone(SplitPattern):
    """A pattern that stand-ins are the same for, whatever it is: that saves much time."""

    @property
    def named(self) -> frozenset[int]:
        return frozenset(range(0x80)).union(map(ord, self.source))


def pattern_of(source: str) -> SplitPattern:
    return OfAsciiAlone(source)


@cache
def strings(alphabet: str, longest: int) -> list[str]:
    return [
        "".join(chars) for size in range(longest + 1) for chars in product(alphabet, repeat=size)
    ]


ACCEPTED = [*NAMED.values(), *PEERS.values()]


@given(text=texts(), source=st.sampled_from(ACCEPTED))
@example(text=" \n", source=PEERS["r50k"])
@example(text="a \n \n", source=PEERS["cl100k"])
def test_it_cuts_as_the_pattern_does(text: str, source: str) -> None:
    pattern = compile_pattern(source)

    assert dfa.split(text, compile_dfa(pattern)) == pretokenize.split(text, pattern)


@given(data=any_bytes(), source=st.sampled_from(ACCEPTED))
def test_bytes_that_are_not_utf8_are_characters_to_it_too(data: bytes, source: str) -> None:
    pattern, text = compile_pattern(source), data.decode(errors="surrogateescape")

    assert dfa.split(text, compile_dfa(pattern)) == pretokenize.split(text, pattern)


@pytest.mark.parametrize("source", SMALL)
def test_it_takes_the_branch_that_a_backtracking_engine_takes(source: str) -> None:
    pattern = pattern_of(source)
    automaton = compile_dfa(pattern)

    for text in strings("abcA]\n", 4):
        assert dfa.split(text, automaton) == pretokenize.split(text, pattern), text


def sources() -> st.SearchStrategy[str]:
    """Draw patterns of the dialect over few characters, so that their branches compete."""
    char_set = st.sampled_from(
        ["a", "b", " ", r"\n", ".", "[ab]", "[^a]", r"\s", r"\S", r"\p{L}", r"[^\s\p{L}]", r"\w"]
    )
    sign = st.sampled_from(["?", "*", "+", "{2}", "{1,2}", "{,2}", "{2,}"])
    suffix = st.sampled_from(["", "", "?"])
    possessive = st.builds("{}{}+".format, char_set, sign)
    look = st.sampled_from([r"(?!\S)", r"(?=\s)", "(?!a)", "(?=b|$)", "$", r"\Z"])

    def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        group = st.builds("({}{})".format, st.sampled_from(["", "?:", "?i:"]), inner)
        return st.one_of(
            st.lists(inner, min_size=2, max_size=3).map("".join),
            st.lists(inner, min_size=2, max_size=3).map("|".join).map("(?:{})".format),
            st.builds("{}{}{}".format, group, sign, suffix),
            st.builds("{}{}{}".format, char_set, sign, suffix),
        )

    tree = st.recursive(st.one_of(char_set, possessive), grown, max_leaves=5)
    branch = st.builds("{}{}{}".format, char_set, st.just("") | tree, st.just("") | look)
    return st.lists(branch, min_size=1, max_size=4).map("|".join)


@given(source=sources())
def test_any_pattern_of_the_dialect_is_cut_alike_or_refused(source: str) -> None:
    pattern = pattern_of(source)
    try:
        automaton = compile_dfa(pattern)
    except NotInDialect:
        event("refused")
        return

    event("accepted")
    for text in strings("abA \n", 4):
        assert dfa.split(text, automaton) == pretokenize.split(text, pattern), text


@pytest.mark.parametrize("source", FOREIGN)
def test_a_pattern_of_another_dialect_is_refused(source: str) -> None:
    with pytest.raises(NotInDialect):
        compile_dfa(pattern_of(source))


def test_a_pattern_that_regex_cuts_in_its_own_way_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dfa, "reference_split", lambda text, pattern: [text])

    with pytest.raises(NotInDialect, match="in its own way"):
        compile_dfa(pattern_of("a|b|c"))


@pytest.mark.parametrize("source", [*dict.fromkeys(NAMED.values()), PEERS["bloom"]])
def test_a_set_holds_what_regex_sees_in_it_of_all_code_points(source: str) -> None:
    pattern = compile_pattern(source)
    tree = parse(source)
    alphabet = Alphabet(tree, pattern.named)
    automaton = compile_dfa(pattern)
    every = pinned(EVERY_CODE_POINT, pattern.named)
    classes = b"".join(automaton.classes[256 * page : 256 * page + 256] for page in automaton.pages)

    for char_set in set(sets_of(tree)):
        mask = alphabet.mask(char_set)
        held = classes.translate(bytes(mask >> number & 1 for number in range(256)))
        flags = regex.IGNORECASE if char_set.ignore_case else 0
        expected = bytearray(0x110000)
        for match in regex.finditer(f"(?:{char_set.source})+", every, flags):
            start, end = match.span()
            expected[start:end] = bytes([1]) * (end - start)
        assert held == expected, char_set


@pytest.mark.parametrize("source", dict.fromkeys(NAMED.values()))
def test_a_text_of_all_code_points_is_cut_alike(source: str) -> None:
    pattern = compile_pattern(source)

    assert dfa.split(EVERY_CODE_POINT, compile_dfa(pattern)) == pretokenize.split(
        EVERY_CODE_POINT, pattern
    )


def test_any_case_means_simple_folding() -> None:
    cases = {"(?i)s": "sSſ", "(?i)k": "kK\u212a", "(?i)ß": "ßẞ", "(?i)[st]": "sSſtT"}

    for source, held in cases.items():
        for text in (held, "ss", "SS", "ﬆ", "ﬅ", "ß", "İ", "ı"):
            pattern = compile_pattern(source)
            assert dfa.split(text, compile_dfa(pattern)) == pretokenize.split(text, pattern)
        assert dfa.split(held, compile_dfa(compile_pattern(source))) == list(held)


class Counting:
    """Transitions that count how often they are looked up."""

    def __init__(self, entries: Any) -> None:
        self.entries = entries
        self.looks = 0

    def __getitem__(self, index: int) -> int:
        self.looks += 1
        return int(self.entries[index])


@pytest.mark.parametrize("source", ACCEPTED)
@pytest.mark.parametrize(
    "unit",
    [" ", "\n ", " \n", "a", "A", "1", "'", "'l", '"', "aA", "\r", "\u0301", " '", "1 ", "\t"],
)
def test_a_text_is_read_in_time_that_grows_with_its_length(source: str, unit: str) -> None:
    automaton = compile_dfa(compile_pattern(source))

    for text in (unit * 500, "\n" + unit * 500 + "x", '"' + unit * 500):
        counting = Counting(automaton.transitions)
        dfa.split(text, replace(automaton, transitions=counting))  # type: ignore[arg-type]
        assert counting.looks <= 4 * len(text) + 10


def test_the_automata_are_small() -> None:
    sizes = {name: compile_dfa(compile_pattern(name)) for name in ("gpt2", "cl100k", "o200k")}

    assert all(each.width <= 32 for each in sizes.values())
    assert all(len(each.transitions) <= 40 * each.width for each in sizes.values())


def native_split(automaton: Dfa) -> Callable[[bytes], list[int]]:
    pages, transitions = automaton.pages.tobytes(), automaton.transitions.tobytes()
    return _native.dfa_scanner(pages, automaton.classes, transitions, automaton.width).split


def ends_of(pieces: list[str]) -> Iterator[int]:
    end = 0
    for piece in pieces:
        end += len(piece.encode(errors="surrogateescape"))
        yield end


@needs_scanner
@given(data=any_bytes(), source=st.sampled_from([*ACCEPTED, *SMALL]))
@example(data=b"a" * 1500, source=GPT2)
@example(data=b"\xe4\xb8\xad" * 700 + b"\n", source=GPT2)
@example(data=b"x \n" * 400, source=GPT2)
def test_the_native_scanner_cuts_alike(data: bytes, source: str) -> None:
    automaton = compile_dfa(compile_pattern(source) if source in ACCEPTED else pattern_of(source))
    pieces = dfa.split(data.decode(errors="surrogateescape"), automaton)

    assert native_split(automaton)(data) == list(ends_of(pieces))


@needs_scanner
@pytest.mark.parametrize("size", [50, 500, 1_000, 5_000])
def test_what_was_read_in_vain_is_read_again_by_many_pieces(size: int) -> None:
    automaton = compile_dfa(pattern_of("xa*b|x|a{1,2}|c"))
    text = ("x" + "a" * size + "c") * 4 + "a" * size

    pieces = dfa.split(text, automaton)

    assert native_split(automaton)(text.encode()) == list(ends_of(pieces))


@needs_scanner
@pytest.mark.parametrize("source", [*SMALL, *ACCEPTED])
def test_the_native_scanner_reads_stretches_side_by_side_alike(source: str) -> None:
    automaton = compile_dfa(compile_pattern(source) if source in ACCEPTED else pattern_of(source))
    split = native_split(automaton)
    draw = random.Random(source)

    for alphabet in ("abcA]\n", "ab", "a\n", "ac世\udce4", "a\"' \n", '"aaaaaaaaaaaaaaaaaaaa'):
        text = "".join(draw.choices(alphabet, k=3_000))
        data = text.encode(errors="surrogateescape")
        pieces = dfa.split(text, automaton)
        assert split(data) == list(ends_of(pieces))


@needs_scanner
@pytest.mark.parametrize("source", ACCEPTED)
def test_the_native_scanner_cuts_the_corpora_alike(source: str, corpus: list[str]) -> None:
    automaton = compile_dfa(compile_pattern(source))
    split = native_split(automaton)

    for text in corpus:
        assert split(text.encode()) == list(ends_of(dfa.split(text, automaton)))


@needs_scanner
def test_the_native_scanner_reads_utf8_as_python_does() -> None:
    automaton = compile_dfa(compile_pattern(r"[\x00-\x7f]|[\u0080-\U0010ffff]"))
    split = native_split(automaton)
    edges = bytes([0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF])
    leads = bytes([0xE0, 0xE1, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF])

    for size in range(1, 5):
        for head in leads + edges:
            for rest in product(edges, repeat=size - 1):
                data = bytes([head, *rest])
                chars = list(data.decode(errors="surrogateescape"))
                assert split(data) == list(ends_of(chars)), data
