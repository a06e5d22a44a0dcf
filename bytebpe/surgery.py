"""Change a vocabulary and keep count of the ids: extend it, prune it, number it afresh.

Each change returns a vocabulary and an `IdMap`.  What stays means what it meant: a token keeps
its bytes, merges keep their order, and the tokens of a text that a change does not concern are
the same tokens.
"""

from __future__ import annotations

import heapq
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from ._kernels import learn
from .encode import Encoder
from .errors import TrainingError
from .idmap import NONE, IdMap
from .train import Ties
from .vocab import Vocab


def extend(
    vocab: Vocab,
    encoder: Encoder,
    texts: Iterable[str] | Mapping[str, int],
    *,
    vocab_size: int,
    min_frequency: int = 2,
    ties: Ties = "lowest",
) -> tuple[Vocab, IdMap]:
    """Learn further merges on top of those that are there.

    They rank after the old ones, so that a text is first merged as before and then further:
    each new token stands for the old ids that it was learned from.
    """
    if vocab_size < len(vocab):
        raise TrainingError(
            f"vocab_size={vocab_size} is less than the {len(vocab)} tokens there are; see prune"
        )
    pieces: Counter[str] = Counter()
    for text, count in _counted(texts):
        for piece in encoder.pieces(text):
            pieces[piece] += count
    first = max(vocab.tokens) + 1
    learned, _ = learn(
        (encoder.encode_piece(piece) for piece in pieces),
        pieces.values(),
        new_symbol=first,
        max_merges=vocab_size - len(vocab),
        min_frequency=min_frequency,
        ties=ties,
    )
    ids, merges = dict(vocab.ids), dict.fromkeys(vocab.merges)
    tokens = dict(vocab.tokens)
    made_of: dict[int, tuple[int, ...]] = {}
    for symbol, merge in enumerate(learned, first):
        left, right = (tokens[part] for part in merge.pair)
        tokens[symbol] = left + right
        merges[left, right] = None
        # A token that was there and that no merge made has its id already.
        if ids.setdefault(left + right, first + len(made_of)) == first + len(made_of):
            made_of[first + len(made_of)] = _parts(merge.pair, made_of)
    extended = Vocab(ids, tuple(merges), vocab.special_tokens)
    return extended, IdMap(_unchanged(vocab), max(extended.tokens) + 1, made_of)


def prune(
    vocab: Vocab, encoder: Encoder, texts: Iterable[str] | Mapping[str, int], *, vocab_size: int
) -> tuple[Vocab, IdMap]:
    """Drop the tokens that are used least, and with each all that is made of it.

    The bytes and the special tokens stay.  Of those used equally little the one of the highest
    id goes first.  A token that is gone counts for the two it was made of.
    """
    least = 256 + len(vocab.special_tokens)
    if vocab_size < least:
        raise TrainingError(
            f"vocab_size={vocab_size} is too small: the bytes and the special tokens are {least}"
        )
    used: Counter[int] = Counter()
    for text, count in _counted(texts):
        for id in encoder.encode(text, (), ()):
            used[id] += count
    makers: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    users: Counter[int] = Counter()  # how many merges a token is a part of
    for left, right, made in vocab.merge_ids:
        makers[made].append((left, right))
        users.update((left, right))
    bytes_of = {vocab.ids[bytes([byte])] for byte in range(256)}
    removable = [id for id in vocab.ids.values() if id not in bytes_of]
    heap = [(used[id], -id) for id in removable if not users[id]]
    heapq.heapify(heap)
    gone: set[int] = set()
    while len(vocab) - len(gone) > vocab_size:
        count, negative = heapq.heappop(heap)
        id = -negative
        gone.add(id)
        for number, pair in enumerate(makers[id]):
            for part in pair:
                users[part] -= 1
                used[part] += count if number == 0 else 0
                if not users[part] and part not in bytes_of and part not in gone:
                    heapq.heappush(heap, (used[part], -part))
    kept = [id for id in sorted(vocab.tokens) if id not in gone]
    return _renumbered(vocab, kept)


def renumber(vocab: Vocab, *, special_first: bool = False) -> tuple[Vocab, IdMap]:
    """Give the bytes their values as ids, merged tokens the next ones by rank, specials the last.

    So formats want it that have no place for ids.  With `special_first` special tokens have the
    lowest ids instead, and the others follow.
    """
    order = [vocab.ids[bytes([byte])] for byte in range(256)]
    order += dict.fromkeys(made for _, _, made in vocab.merge_ids)
    order += [id for id in vocab.ids.values() if id not in set(order)]
    specials = sorted(vocab.special_tokens.values())
    return _renumbered(vocab, specials + order if special_first else order + specials)


def added(vocab: Vocab, encoder: Encoder, tokens: Iterable[str]) -> tuple[Vocab, IdMap]:
    """Add special tokens with the next free ids; those that are there keep theirs."""
    first = max(vocab.tokens) + 1
    new = [token for token in dict.fromkeys(tokens) if token not in vocab.special_tokens]
    extended = vocab.with_special_tokens({token: first + at for at, token in enumerate(new)})
    made_of = {first + at: tuple(encoder.encode(token, (), ())) for at, token in enumerate(new)}
    return extended, IdMap(_unchanged(vocab), max(extended.tokens) + 1, made_of)


def _counted(texts: Iterable[str] | Mapping[str, int]) -> Iterable[tuple[str, int]]:
    if isinstance(texts, str):
        raise TypeError("texts: expected an iterable of texts, not one str; write [text]")
    return texts.items() if isinstance(texts, Mapping) else ((text, 1) for text in texts)


def _parts(pair: tuple[int, int], made_of: Mapping[int, tuple[int, ...]]) -> tuple[int, ...]:
    left, right = (made_of.get(part, (part,)) for part in pair)
    return left + right


def _unchanged(vocab: Vocab) -> array[int]:
    new_ids = array("q", [NONE]) * (max(vocab.tokens) + 1)
    for id in vocab.tokens:
        new_ids[id] = id
    return new_ids


def _renumbered(vocab: Vocab, kept: list[int]) -> tuple[Vocab, IdMap]:
    """Keep these tokens, numbered in this order."""
    new_ids = array("q", [NONE]) * (max(vocab.tokens) + 1)
    for new, old in enumerate(kept):
        new_ids[old] = new
    merges = [
        merge
        for merge, ids in zip(vocab.merges, vocab.merge_ids, strict=True)
        if all(new_ids[id] != NONE for id in ids)
    ]
    ids = {token: new_ids[id] for token, id in vocab.ids.items() if new_ids[id] != NONE}
    specials = {token: new_ids[id] for token, id in vocab.special_tokens.items()}
    in_order = dict(sorted(ids.items(), key=lambda entry: entry[1]))
    return Vocab(in_order, tuple(merges), specials), IdMap(new_ids, len(kept))
