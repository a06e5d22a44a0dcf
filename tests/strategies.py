"""Every Hypothesis strategy of the suite: text as people write it, and as nobody does."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

import bytebpe
from bytebpe.pipeline import AddedToken, Pipeline, Template

SCRIPTS = {
    "Latin": "abcdefghijklmnopqrstuvwxyzABCXYZàéîõüßñçłøıİſK",
    "Greek": "αβγδεζηθλμπσςωΆΈΏᾳῥ",
    "Cyrillic": "абвгдежзийклмнопрстуфхцчшщъыьэюяЁѣ",
    "Hebrew": "אבגדהוזחטיךכלםמןנסעףפץצקרשת\u05b0\u05b8",
    "Arabic": "ابتثجحخدذرزسشصضطظعغفقكلمنهوي\u064e\u0650\u0651٠١٢٣",
    "Devanagari": "अआइकखगघचजटतदनपबमयरलवशसह\u093e\u093f\u0940\u094d\u0902०१२३",
    "Tamil": "அஆஇகஙசஞடணதநபமயரலவ\u0bbe\u0bbf\u0bcd",
    "Thai": "กขคงจชซญดตถทธนบปพมยรลวสหอ\u0e34\u0e35\u0e48\u0e49๐๑๒",
    "Han": "的一是不了人我在有他这为之大来以个中上们到說時國語你好世界",
    "Kana": "あいうえおかがきくけこさしすせそアイウエオカガｱｲｳﾞー",
    "Hangul": "가나다라마바사아자차카타파하한국어\u1112\u1161\u11ab",
    "Ethiopic": "ሀለሐመሠረሰሸቀበተኀነአከወዐዘየደጀገጠጨጰጸፀፈፐ፩፪",
    "Adlam": "𞤀𞤁𞤂𞤃𞤄𞤢𞤣𞤤𞥐𞥑",
}
WHITE_SPACE = (
    "".join(map(chr, [*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B)]))
    + "\u2028\u2029\u202f\u205f\u3000"
)
LOOK_LIKE_SPACE = "\u180e\u200b\u200c\u200d\u2060\ufeff\x1c\x1d\x1e\x1f"
MARKS = "\u0300\u0301\u0308\u0327\u0345\u0488\u05bf\u0670\u093c\u20d0\u20e3\ufe0e\ufe0f"
EMOJI = (
    "👋🏽", "👩‍👩‍👧‍👦", "🏳️‍🌈", "❤️‍🔥", "👨🏿‍🔬", "🇯🇵", "🇧🇷🇩🇪", "1️⃣", "#️⃣", "☺︎", "☺️", "🫱🏻‍🫲🏿",
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
)  # fmt: skip
CONTRACTIONS = ("'s", "'t", "'re", "'VE", "'ll", "'D", "’s", "'ſ", "'", "it's", "WE'LL")


def texts(max_size: int = 30) -> st.SearchStrategy[str]:
    """Draw text of runs in one script, with the things between that break tokenizers."""
    run = st.sampled_from(sorted(SCRIPTS)).flatmap(
        lambda script: st.text(alphabet=SCRIPTS[script], min_size=1, max_size=8)
    )
    part = st.one_of(
        run,
        run.map(lambda word: " " + word),
        st.text(alphabet=WHITE_SPACE, min_size=1, max_size=5),
        st.text(alphabet=" \n\r\t", min_size=1, max_size=6),
        st.text(alphabet=LOOK_LIKE_SPACE, min_size=1, max_size=3),
        st.text(alphabet=MARKS, min_size=1, max_size=4),
        st.text(alphabet="0123456789½²Ⅻ٣", min_size=1, max_size=7),
        st.text(alphabet="!?.,;:-/\\()[]{}<>|#@&*_=+~^\"'`$%", min_size=1, max_size=5),
        st.sampled_from(EMOJI),
        st.sampled_from(CONTRACTIONS),
        st.sampled_from(["<|endoftext|>", "<|endoftext|", "aaaaaaaa", "\u0558", "\U000323b0"]),
        st.characters(exclude_categories=("Cs",)),
        st.characters(max_codepoint=0x9F),
    )
    return st.lists(part, max_size=max_size).map("".join)


def any_bytes() -> st.SearchStrategy[bytes]:
    """Draw bytes that are UTF-8, nearly UTF-8, or nothing like it."""
    broken = st.sampled_from(
        [b"\xff", b"\xc3", b"\xe4\xb8", b"\xf0\x9f\x91", b"\x80", b"\xc0\xaf", b"\xed\xa0\x80",
         b"\xf4\x90\x80\x80", b"\xfe\xff", b"\x00"]
    )  # fmt: skip
    part = st.one_of(texts(4).map(str.encode), broken, st.binary(max_size=6))
    return st.lists(part, max_size=8).map(b"".join)


@st.composite
def vocabs(draw: st.DrawFn, alphabet: bytes = b"abc ", ordered: bool = True) -> bytebpe.Vocab:
    """Draw a vocabulary whose merges are made of few bytes, so that they meet often.

    Not `ordered`, the merges stand in any order: a merge may need a later one, and ids
    have gaps and say nothing of ranks.
    """
    tokens = [bytes([byte]) for byte in alphabet]
    merges: list[tuple[bytes, bytes]] = []
    for _ in range(draw(st.integers(0, 12))):
        merge = (draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens)))
        if merge not in merges and len(merge[0] + merge[1]) <= 12:
            merges.append(merge)
            tokens.append(merge[0] + merge[1])
    if ordered:
        return bytebpe.Vocab.from_merges(merges)
    merges = draw(st.permutations(merges))
    known = bytebpe.Vocab.from_merges(merges).ids
    numbers = draw(
        st.lists(st.integers(0, 9_999), min_size=len(known), max_size=len(known), unique=True)
    )
    return bytebpe.Vocab(dict(zip(known, numbers, strict=True)), tuple(merges))


def counted_sequences() -> st.SearchStrategy[list[tuple[list[int], int]]]:
    """Draw what the trainer learns from: sequences of few symbols, with counts that tie."""
    sequence = st.lists(st.integers(0, 3), max_size=10)
    return st.lists(st.tuples(sequence, st.integers(1, 3)), max_size=8)


#: Texts of tokens that get in each other's way, and in that of white space and words.
TOKEN_TEXTS = (
    "<x>", "<x", "<xy>", "a", "ab", "abc", " ", "  ", "é", "e\u0301", "ﬁ", "ﬀ<x>", "fi", "\n",
    "[A]", "世", "한", "b c", "K",
)  # fmt: skip


def added_tokens(content: str) -> st.SearchStrategy[AddedToken]:
    """Draw the flags of a token."""
    flag = st.booleans()
    return st.builds(
        AddedToken, st.just(content), special=flag, single_word=flag, lstrip=flag, rstrip=flag,
        normalized=flag,
    )  # fmt: skip


@st.composite
def tokenizers_with_pipelines(draw: st.DrawFn) -> bytebpe.Tokenizer:
    """Draw a tokenizer that does much to a text, of a vocabulary in which merges meet often."""
    vocab = draw(vocabs())
    contents = draw(st.lists(st.sampled_from(TOKEN_TEXTS), max_size=5, unique=True))
    ordinary = {token.decode("latin-1") for token in vocab.ids}
    contents = [content for content in contents if content not in ordinary]
    first = len(vocab) + draw(st.sampled_from([0, 7]))
    vocab = vocab.with_special_tokens({text: first + at for at, text in enumerate(contents)})
    ids = st.sampled_from(sorted(vocab.tokens))
    around = st.lists(ids.map(lambda id: (id, 0)), max_size=2).map(tuple)
    pattern = draw(st.sampled_from(["gpt2", "cl100k", r"[\s\S]+", r"[a-c]+|é"]))
    template = st.builds(lambda b, a: Template((*b, ("A", 0), *a)), around, around)
    pipeline = Pipeline(
        added=tuple(draw(added_tokens(text)) for text in contents),
        normalizer=draw(st.sampled_from([(), ("NFC",), ("NFKC",), ("NFD",), ("NFKD", "NFC")])),
        prefix_space=pattern == "gpt2" and draw(st.booleans()),
        presplits=draw(st.sampled_from([(), (r"\p{N}{1,3}",), (r"[b世]", r" +")])),
        ignore_merges=draw(st.booleans()),
        template=draw(st.none() | template),
    )
    if pipeline.prefix_space:
        pipeline = replace(pipeline, presplits=())
    return bytebpe.Tokenizer(vocab, pattern=pattern, pipeline=pipeline)


def texts_with_tokens() -> st.SearchStrategy[str]:
    """Draw text in which the tokens of `TOKEN_TEXTS` stand among spaces, marks and words."""
    part = st.one_of(
        st.sampled_from(TOKEN_TEXTS),
        st.sampled_from(
            [" ", "\u00a0", "\t", "\u200b", "\u0301", "_", "ⓐ", "12", "'s", "x", "²", "\x1c"]
        ),
        texts(2),
    )
    return st.lists(part, max_size=12).map("".join)
