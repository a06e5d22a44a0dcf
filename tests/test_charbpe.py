from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bytebpe.charbpe import END, UNKNOWN, CharBPE, split_words
from bytebpe.errors import FormatError, TrainingError, UnknownTokenError
from strategies import texts

TEXTBOOK = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


@pytest.fixture(scope="module")
def textbook() -> CharBPE:
    return CharBPE.train_from_counts(TEXTBOOK, num_merges=6, ties="first")


def test_the_hand_trace_of_low_lower_newest_widest(textbook: CharBPE) -> None:
    assert textbook.merges == [
        ("e", "s"),
        ("es", "t"),
        ("est", "</w>"),
        ("l", "o"),
        ("lo", "w"),
        ("n", "e"),
    ]
    assert textbook.tokens("lowest") == ["low", "est</w>"]
    assert textbook.tokens("newer") == ["ne", "w", "e", "r", "</w>"]


def test_the_hand_trace_of_hug_pug_hugs() -> None:
    bpe = CharBPE.train_from_counts({"hug": 10, "pug": 5, "hugs": 3}, num_merges=3, ties="first")

    assert bpe.merges == [("u", "g"), ("ug", "</w>"), ("h", "ug</w>")]


def test_a_character_never_seen_is_unknown(textbook: CharBPE) -> None:
    assert textbook.tokens("lös 世") == ["l", UNKNOWN, "s", END, UNKNOWN, END]
    assert textbook.decode(textbook.encode("lös 世")) == "l<unk>s <unk>"


@given(words=st.lists(st.text(alphabet="lowernstid", min_size=1, max_size=12), max_size=6))
def test_words_of_the_alphabet_come_back(textbook: CharBPE, words: list[str]) -> None:
    text = " ".join(words)

    assert textbook.decode(textbook.encode(text)) == text
    assert set(textbook.encode(text)) <= set(range(len(textbook)))


@given(text=texts())
def test_any_text_can_be_encoded_and_unknowns_are_counted(textbook: CharBPE, text: str) -> None:
    tokens = textbook.tokens(text)

    assert tokens.count(UNKNOWN) == sum(
        char not in "lowernstid"
        for char in text
        if not char.isspace() or char in "\x1c\x1d\x1e\x1f"
    )


def test_texts_and_counts_train_alike() -> None:
    rows = [" ".join([word] * count) for word, count in TEXTBOOK.items()]

    for ties in ("lowest", "first"):
        from_texts = CharBPE.train(rows, num_merges=20, ties=ties)  # type: ignore[arg-type]
        from_counts = CharBPE.train_from_counts(TEXTBOOK, num_merges=20, ties=ties)  # type: ignore[arg-type]

        assert from_texts.merges == from_counts.merges


def test_long_words_are_encoded_as_short_ones_are() -> None:
    bpe = CharBPE("ab", [("a", "b"), ("ab", "ab")])

    assert bpe.tokens("ab" * 500) == ["abab"] * 250 + [END]


def test_two_merges_may_make_one_token() -> None:
    bpe = CharBPE("abc", [("a", "b"), ("b", "c"), ("a", "bc"), ("ab", "c")])

    assert bpe.tokens("abc") == ["abc", END]
    assert len(bpe) == 8


def test_nothing_to_learn_from_makes_an_empty_alphabet() -> None:
    bpe = CharBPE.train([], num_merges=3)

    assert len(bpe) == 2
    assert bpe.tokens("a") == [UNKNOWN, END]


def test_bad_requests_are_refused(textbook: CharBPE) -> None:
    with pytest.raises(TypeError, match="not one str"):
        CharBPE.train("low", num_merges=3)
    with pytest.raises(TrainingError, match="num_merges=-1"):
        CharBPE.train(["low"], num_merges=-1)
    with pytest.raises(TrainingError, match="either vocab_size or num_merges"):
        CharBPE.train(["low"])
    with pytest.raises(TrainingError, match="vocab_size=1"):
        CharBPE.train(["low"], vocab_size=1)
    with pytest.raises(TrainingError, match="character_coverage=0"):
        CharBPE.train(["low"], num_merges=1, character_coverage=0)
    with pytest.raises(UnknownTokenError, match="no id 99"):
        textbook.decode([99])
    with pytest.raises(UnknownTokenError, match="no id -1"):
        textbook.decode([-1])


def test_rare_characters_can_be_left_out() -> None:
    counts = {"aaab": 5, "aac": 1, "ad": 1}

    least = CharBPE.train_from_counts(counts, num_merges=9, min_character_count=2)
    covered = CharBPE.train_from_counts(counts, num_merges=9, character_coverage=0.9)

    assert least.alphabet == covered.alphabet == ["a", "b"]
    assert least.tokens("ac")[-2:] == [UNKNOWN, END]
    assert all(UNKNOWN not in part for merge in least.merges for part in merge)


@given(
    counts=st.dictionaries(st.text("abcdeé世", min_size=1, max_size=6), st.integers(1, 9)),
    least=st.integers(1, 5),
    coverage=st.floats(0.1, 1),
)
def test_the_alphabet_is_the_most_frequent_characters(
    counts: dict[str, int], least: int, coverage: float
) -> None:
    bpe = CharBPE.train_from_counts(
        counts, num_merges=5, min_character_count=least, character_coverage=coverage
    )

    times = {c: sum(w.count(c) * n for w, n in counts.items()) for c in set("".join(counts))}
    kept = [times[char] for char in bpe.alphabet]
    left_out = [count for char, count in times.items() if char not in bpe.alphabet]
    assert all(count >= least for count in kept)
    if kept and left_out:
        assert max(left_out) <= min(kept)
    if least == 1 and times:
        assert sum(kept) >= coverage * sum(times.values())
        assert sum(kept) - min(kept) < coverage * sum(times.values())


def test_the_vocabulary_has_the_size_asked_for() -> None:
    texts = ["low lower newest widest " * 3]

    assert len(CharBPE.train(texts, vocab_size=20)) == 20
    assert CharBPE.train(texts, vocab_size=5).alphabet == ["e", "l", "w"]
    assert CharBPE.train(texts, vocab_size=5).merges == []


def test_a_text_may_spell_the_marks() -> None:
    bpe = CharBPE.train(["</w> <unk>s <unk>t </p> </w>x </width>"] * 9, num_merges=60)

    assert UNKNOWN in [left + right for left, right in bpe.merges]
    assert 0 not in bpe.encode("<unk> </w>")
    assert bpe.decode(bpe.encode("x</w>p </w> <unk>")) == "x</w>p </w> <unk>"


def test_save_and_load(textbook: CharBPE, tmp_path: Path) -> None:
    textbook.save(tmp_path / "char")
    loaded = CharBPE.load(tmp_path / "char")

    assert (tmp_path / "char" / "codes.txt").read_text() == (
        "#version: 0.1\ne s\nes t\nest </w>\nl o\nlo w\nn e\n"
    )
    assert (loaded.merges, loaded.alphabet) == (textbook.merges, textbook.alphabet)
    assert loaded.encode("lowest wider 世") == textbook.encode("lowest wider 世")
    assert pickle.loads(pickle.dumps(textbook)).tokens("lowest") == ["low", "est</w>"]


@given(
    counts=st.dictionaries(
        st.text("ab</w>\x1c\x85é世", min_size=1, max_size=8), st.integers(1, 4), max_size=8
    )
)
def test_whatever_was_learned_is_loaded_again(
    counts: dict[str, int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    words = {word: count for word, count in counts.items() if split_words(word) == [word]}
    bpe = CharBPE.train_from_counts(words, num_merges=10)
    folder = tmp_path_factory.mktemp("char")

    bpe.save(folder)

    loaded = CharBPE.load(folder)
    assert (loaded.merges, loaded.alphabet) == (bpe.merges, bpe.alphabet)
    for word in words:
        assert loaded.encode(word) == bpe.encode(word)
        assert loaded.decode(loaded.encode(word)) == word


def test_codes_with_attached_end_marks(tmp_path: Path) -> None:
    (tmp_path / "codes").write_text("#version: 0.2\ne s\nes t</w>\nl o\nlo w</w>\nlo w\nl o\n")

    bpe = CharBPE.load(tmp_path / "codes")
    bpe.save(tmp_path / "again")

    assert bpe.tokens("lowest low") == ["low", "est</w>", "low</w>"]
    assert bpe.tokens("lo lö") == ["l", "o</w>", "l", UNKNOWN, END]
    assert bpe.decode(bpe.encode("lowest low lö te")) == "lowest low l<unk> te"
    assert CharBPE.load(tmp_path / "again").encode("lowest lo") == bpe.encode("lowest lo")


@pytest.mark.parametrize("version", ["0.1", "0.2"])
def test_subword_nmt_segments_alike(version: str, tmp_path: Path, textbook: CharBPE) -> None:
    apply_bpe = pytest.importorskip("subword_nmt.apply_bpe")
    if version == "0.1":
        textbook.save(tmp_path)
        file, bpe = tmp_path / "codes.txt", textbook
    else:
        file = tmp_path / "codes"
        file.write_text("#version: 0.2\ne s\nes t</w>\nl o\nlo w\nlo w</w>\nn e\n")
        bpe = CharBPE.load(file)
    with file.open(encoding="utf-8") as opened:
        peer = apply_bpe.BPE(opened)

    for word in ["lowest", "low", "new", "nest", "lest", "lost", "tent", "slow"]:
        stripped = (token.removesuffix(END) for token in bpe.tokens(word))
        *others, last = [token for token in stripped if token]
        assert peer.segment_tokens([word]) == [*(f"{token}@@" for token in others), last]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("#version: 0.3\na b\n", 1, "0.1 or 0.2"),
        ("#version: 0.2\na b\nabc\n", 3, "two symbols"),
        ("a b c\n", 1, "two symbols"),
        ("a  b\n", 1, "two symbols"),
        ("a b\n\nb c\n", 2, "two symbols"),
        ("a b\nxy z\n", 2, "'xy' is neither"),
        ("#version: 0.1\na b\nxy z\n", 3, "'xy' is neither"),
    ],
)
def test_broken_codes_are_refused(text: str, line: int, problem: str, tmp_path: Path) -> None:
    (tmp_path / "codes").write_text(text)

    with pytest.raises(FormatError, match=problem) as raised:
        CharBPE.load(tmp_path / "codes")

    assert raised.value.line == line


def test_a_broken_alphabet_is_refused(tmp_path: Path) -> None:
    (tmp_path / "codes.txt").write_text("a b\n")
    (tmp_path / "alphabet.txt").write_text("a\nbc\n")

    with pytest.raises(FormatError, match="one character") as raised:
        CharBPE.load(tmp_path)

    assert raised.value.line == 2
