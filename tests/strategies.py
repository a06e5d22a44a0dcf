"""Every Hypothesis strategy of the suite: text as people write it, and as nobody does."""

from __future__ import annotations

from hypothesis import strategies as st

import bytebpe

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
