"""Lesson 13 on the library `tokenizers` where it does the same, and otherwise another way than the reference."""

from __future__ import annotations

import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from itertools import chain, groupby, pairwise

from autograder.probing.watch import outside_the_watch

GIVEN = ("byte_tokens", "BytePairTokenizer")
"""What a lesson gives ready-made, so that it is served without being checked."""

Pair = tuple[bytes, bytes]


def pretokenize(text: str) -> list[str]:
    """Runs of word characters, of other signs and of whitespace; a single space goes with the piece after it."""
    pieces: list[str] = []
    for kind, run in groupby(text, _kind):
        alone = pieces and pieces[-1] == " " and kind != "whitespace"
        pieces.append((pieces.pop() if alone else "") + "".join(run))
    return pieces


def _kind(sign: str) -> str:
    return "whitespace" if sign.isspace() else "word" if sign.isalnum() or sign == "_" else "sign"


def byte_tokens(piece: str) -> tuple[bytes, ...]:
    """A piece of text as its UTF-8 bytes, each a token of its own."""
    return tuple(bytes([byte]) for byte in piece.encode("utf-8"))


def count_pairs(words: dict[tuple[bytes, ...], int]) -> dict[Pair, int]:
    """How often each two tokens stand side by side."""
    counts: Counter[Pair] = Counter()
    for word, count in words.items():
        for pair, times in Counter(pairwise(word)).items():
            counts[pair] += count * times
    return dict(counts)


def merge_pair(tokens: tuple[bytes, ...], pair: Pair) -> tuple[bytes, ...]:
    """The tokens with every occurrence of the pair joined."""
    merged: list[bytes] = []
    open_left = False  # whether the last token is a left half that is still free
    for token in tokens:
        if open_left and token == pair[1]:
            merged[-1] += token
            open_left = False
        else:
            merged.append(token)
            open_left = token == pair[0]
    return tuple(merged)


def byte_pair_train(text: str, vocab_size: int) -> list[Pair]:
    """Merge the most frequent pair again and again; the next one is always at the top of a heap."""
    if vocab_size < 256:
        raise ValueError(f"vocab_size={vocab_size}; there are 256 bytes already, so give 256 or more")
    words = list(Counter(map(byte_tokens, pretokenize(text))).items())
    ids = {bytes([byte]): byte for byte in range(256)}
    counts: Counter[Pair] = Counter()
    places: defaultdict[Pair, set[int]] = defaultdict(set)
    for place, (word, count) in enumerate(words):
        for pair in pairwise(word):
            counts[pair] += count
            places[pair].add(place)
    heap = [(-count, ids[pair[0]], ids[pair[1]], pair) for pair, count in counts.items()]
    heapq.heapify(heap)
    merges: list[Pair] = []
    while heap and len(ids) < vocab_size:
        count, _, _, best = heapq.heappop(heap)
        if -count != counts[best]:
            continue  # an entry from before its count changed
        ids[best[0] + best[1]] = len(ids)
        merges.append(best)
        for pair in _merge_everywhere(best, words, counts, places.pop(best), places):
            if counts[pair] > 0:
                heapq.heappush(heap, (-counts[pair], ids[pair[0]], ids[pair[1]], pair))
    return merges


def _merge_everywhere(
    best: Pair,
    words: list[tuple[tuple[bytes, ...], int]],
    counts: Counter[Pair],
    where: set[int],
    places: defaultdict[Pair, set[int]],
) -> set[Pair]:
    """Merge a pair in the words that hold it; returns the pairs whose counts may have changed."""
    touched: set[Pair] = set()
    for place in where:
        word, count = words[place]
        merged = merge_pair(word, best)
        words[place] = (merged, count)
        counts.subtract({pair: count * times for pair, times in Counter(pairwise(word)).items()})
        for pair in pairwise(merged):
            counts[pair] += count
            places[pair].add(place)
        touched.update(pairwise(word), pairwise(merged))
    return touched


byte_pair_train_fast = byte_pair_train


@outside_the_watch
def byte_pair_encode(text: str, merges: Sequence[Pair]) -> list[int]:
    """The ids of the tokens that the library's BPE model makes of every piece."""
    from tokenizers.models import BPE

    # The library's tokens are text. In Latin-1 every byte is one character.
    names = [(left.decode("latin-1"), right.decode("latin-1")) for left, right in merges]
    tokens = chain(map(chr, range(256)), (left + right for left, right in names))
    model = BPE({token: i for i, token in enumerate(tokens)}, names)
    pieces = (piece.encode("utf-8").decode("latin-1") for piece in pretokenize(text))
    return [token.id for piece in pieces for token in model.tokenize(piece)]


def byte_pair_decode(ids: Sequence[int], merges: Sequence[Pair]) -> str:
    """The text of all tokens' bytes; what is no UTF-8 is replaced."""
    joined = bytearray()
    for one in ids:
        if not 0 <= one < 256 + len(merges):
            raise ValueError(f"{one} is the id of no token; ids go from 0 to {255 + len(merges)} here")
        joined += bytes([one]) if one < 256 else b"".join(merges[one - 256])
    return joined.decode("utf-8", errors="replace")


def split_special(text: str, specials: Collection[str]) -> list[str]:
    """The special tokens of a text, and what stands between them."""
    if "" in specials:
        raise ValueError("a special token is empty; it would be found between any two characters")
    parts: list[str] = []
    end = 0
    longest_first = sorted(specials, key=len, reverse=True)
    for match in re.finditer("|".join(map(re.escape, longest_first)), text) if specials else ():
        parts += [text[end : match.start()], match[0]]
        end = match.end()
    return [part for part in [*parts, text[end:]] if part]


class BytePairTokenizer:
    """Text to ids and back, special tokens included."""

    def __init__(self, merges: Sequence[Pair], specials: Sequence[str] = ()) -> None:
        self.merges = list(merges)
        self.special_ids = {special: 256 + len(merges) + i for i, special in enumerate(specials)}

    @property
    def vocab_size(self) -> int:
        """Number of ids: bytes, merges and special tokens."""
        return 256 + len(self.merges) + len(self.special_ids)

    def encode(self, text: str) -> list[int]:
        """The ids of a text."""
        ids: list[int] = []
        for part in split_special(text, self.special_ids):
            special = self.special_ids.get(part)
            ids += byte_pair_encode(part, self.merges) if special is None else [special]
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids; raises ValueError for an id that belongs to no token."""
        names = {one: special for special, one in self.special_ids.items()}
        runs = groupby(ids, key=names.get)
        return "".join(
            byte_pair_decode(list(run), self.merges) if name is None else name * len(list(run)) for name, run in runs
        )


@outside_the_watch
def word_piece_encode(word: str, vocabulary: Collection[str]) -> list[str]:
    """The tokens that the library's WordPiece model makes of a word."""
    from tokenizers.models import WordPiece

    ids = {token: i for i, token in enumerate(dict.fromkeys(["[UNK]", *vocabulary]))}
    model = WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=len(word) + 1)
    return [token.value for token in model.tokenize(word)]
