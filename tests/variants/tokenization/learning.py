"""Lesson 13: learning which pairs to merge."""

import functools
import heapq
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.variants import correct, disguise, slips, unlisted
from tests.variants.tokenization.cutting import by_cuts, by_finditer, by_groups, by_position, by_split
from tests.variants.tokenization.pairs import (
    all_but_last,
    by_counter,
    by_defaultdict,
    by_iterator,
    by_names,
    by_recursion,
    by_skipping,
    greedy,
    in_steps,
    neighbours,
    once,
)

# Training ----------------------------------------------------------------------------


def guard(vocab_size: int) -> None:
    if vocab_size < 256:
        raise ValueError(f"vocab_size={vocab_size}")


def trainer(
    cut: Callable = by_position,
    often: Callable[[int], int] = lambda n: n,
    pairs: Callable = neighbours,
    prefer: Callable = lambda n, a, b, spelled: (-n, a, b),
    room: Callable[[str, int], int] = lambda text, vocab_size: vocab_size - 256,
    enough: Callable[[int], bool] = lambda n: n > 0,
    merge: Callable | None = None,
    note: Callable = lambda a, b, spelled: (spelled[a], spelled[b]),
    guarded: bool = True,
    whole: Callable = list,
    start: Callable = str.encode,
) -> Callable:
    """A trainer on lists of ids, every part of which can be another."""

    def train(text: str, vocab_size: int) -> list:
        if guarded:
            guard(vocab_size)
        words = [[list(start(piece)), often(n)] for piece, n in Counter(cut(text)).items()]
        spelled = [bytes([one]) for one in range(256)]
        merges: list = []
        while len(merges) < room(text, vocab_size):
            found: dict = {}
            for word, n in words:
                for pair in pairs(word):
                    found[pair] = found.get(pair, 0) + n
            if not found:
                break
            a, b = min(found, key=lambda pair: prefer(found[pair], *pair, spelled))
            if not enough(found[a, b]):
                break
            merges.append(note(a, b, spelled))
            spelled.append(spelled[a] + spelled[b])
            for entry in words:
                entry[0] = (merge or merged_ids)(entry[0], a, b, len(spelled) - 1)
        return whole(merges)

    return train


@dataclass(frozen=True)
class Slips:
    """What an incremental trainer may forget.

    Attributes:
        zeros: pairs whose count has fallen to 0 stay.
        forget: what the old pairs counted is taken off.
        once_only: new pairs count once, however often their word occurs.
        fresh: of the new pairs only those that hold the new token are counted.
        kept: where a merged pair stood is remembered.
        noted: where new pairs stand is noted.
        added: new pairs are counted.
        off: what a word's old pairs lose, of how often it occurs.
        again: how often a word occurs after a merge.
        once: of the old pairs, and of the new ones, each counts once in a word.
    """

    zeros: bool = False
    forget: bool = True
    once_only: bool = False
    fresh: bool = False
    kept: bool = False
    noted: bool = True
    added: bool = True
    off: Callable[[int], int] = lambda n: n
    again: Callable[[int], int] = lambda n: n
    once: tuple[bool, bool] = (False, False)


def incremental(
    slips: Slips = Slips(),
    cut: Callable = by_split,
    often: Callable[[int], int] = lambda n: n,
    prefer: Callable = lambda n, a, b, spelled: (-n, a, b),
    room: Callable[[str, int], int] = lambda text, vocab_size: vocab_size - 256,
    enough: Callable[[int], bool] = lambda n: n > 0,
    merge: Callable | None = None,
    note: Callable = lambda a, b, spelled: (spelled[a], spelled[b]),
    guarded: bool = True,
    whole: Callable = list,
    start: Callable = str.encode,
    last: int = 1,
    smallest: int = 0,
) -> Callable:
    """An incremental trainer on ids, with the parts of `trainer` and a place for each slip of its own."""

    def train(text: str, vocab_size: int) -> list:
        if guarded:
            guard(vocab_size)
        words = [[tuple(start(piece)), often(n)] for piece, n in Counter(cut(text)).items()]
        spelled = [bytes([one]) for one in range(256)]
        found, where = {}, {}
        for i, (word, n) in enumerate(words):
            for pair in neighbours(word):
                found[pair] = found.get(pair, 0) + n
                where.setdefault(pair, set()).add(i)
        merges = []
        if vocab_size < smallest:
            raise ValueError("too few")
        while len(found) >= last and len(merges) < room(text, vocab_size):
            best = min(found, key=lambda pair: prefer(found[pair], *pair, spelled))
            if not (slips.zeros or enough(found[best])):
                break
            merges.append(note(*best, spelled))
            new = len(spelled)
            spelled.append(spelled[best[0]] + spelled[best[1]])
            if not (slips.forget or slips.kept):
                del found[best]
            for i in sorted(where.get(best, ()) if slips.kept else where.pop(best, ())):
                word, n = words[i]
                merged = tuple((merge or merged_ids)(list(word), *best, new))
                words[i] = [merged, slips.again(n)]
                if slips.forget:
                    for pair in set(neighbours(word)) if slips.once[0] else neighbours(word):
                        found[pair] = found.get(pair, 0) - slips.off(n)
                        if not slips.zeros and found[pair] <= 0:
                            found.pop(pair)
                for pair in set(neighbours(merged)) if slips.once[1] else neighbours(merged):
                    if slips.added and (not slips.fresh or new in pair):
                        found[pair] = found.get(pair, 0) + (1 if slips.once_only else n)
                    if slips.noted:
                        where.setdefault(pair, set()).add(i)
        return whole(merges)

    return train


def merged_ids(word: list[int], a: int, b: int, new: int) -> list[int]:
    out: list[int] = []
    for one in word:
        if out and out[-1] == a and one == b:
            out[-1] = new
        else:
            out.append(one)
    return out


def merged_from_right(word: list[int], a: int, b: int, new: int) -> list[int]:
    return merged_ids(word[::-1], b, a, new)[::-1]


def count_over(text: str, vocab_size: int) -> int:
    return vocab_size - len(set(text.encode()))


def hexed(a: int, b: int, spelled: list[bytes]) -> Any:
    return spelled[a] + spelled[b]


def from_zero(n: int, a: int, b: int, spelled: list[bytes]) -> Any:
    return -n, *(one - 256 if one > 255 else one for one in (a, b))


TRAINERS: dict[str, dict[str, Any]] = {
    "ids of merges begin at 0": dict(room=lambda text, vocab_size: vocab_size, prefer=from_zero),
    "words counted once": dict(often=lambda n: 1),
    "a pair counted once in a word": dict(pairs=once),
    "runs counted without overlap": dict(pairs=greedy),
    "every second pair": dict(pairs=in_steps),
    "the last pair missing": dict(pairs=all_but_last),
    "merged from right to left": dict(merge=merged_from_right),
    "ties: the first that was seen": dict(prefer=lambda n, a, b, spelled: -n),
    "ties: by the alphabet": dict(prefer=lambda n, a, b, spelled: (-n, spelled[a], spelled[b])),
    "ties: the highest ids": dict(prefer=lambda n, a, b, spelled: (-n, -a, -b)),
    "ties: the left token only": dict(prefer=lambda n, a, b, spelled: (-n, a)),
    "ties: the sum of the ids": dict(prefer=lambda n, a, b, spelled: (-n, a + b)),
    "ties: the right token first": dict(prefer=lambda n, a, b, spelled: (-n, b, a)),
    "the rarest pair first": dict(prefer=lambda n, a, b, spelled: (n, a, b)),
    "vocab_size counts merges": dict(room=lambda text, vocab_size: vocab_size),
    "one merge too many": dict(room=lambda text, vocab_size: vocab_size - 255),
    "one merge too few": dict(room=lambda text, vocab_size: vocab_size - 257),
    "only the bytes that occur counted": dict(room=count_over),
    "stops at pairs seen once": dict(enough=lambda n: n > 1),
    "too small a vocabulary accepted": dict(guarded=False),
    "merges across pieces": dict(cut=lambda text: [text]),
    "spaces lost": dict(cut=str.split),
    "tokens instead of pairs": dict(note=hexed),
    "pairs of ids": dict(note=lambda a, b, spelled: (a, b)),
    "ties: the lowest id of either": dict(prefer=lambda n, a, b, spelled: (-n, *sorted((a, b)))),
    "ties: by length": dict(prefer=lambda n, a, b, spelled: (-n, -len(spelled[a]) - len(spelled[b]), a, b)),
    "ties: one of the two ids the wrong way round": dict(prefer=lambda n, a, b, spelled: (-n, a, -b)),
    "ties: the right token only": dict(prefer=lambda n, a, b, spelled: (-n, b)),
    "new tokens have no ids of their own": dict(
        prefer=lambda n, a, b, spelled: (-n, a if a < 256 else -a, b if b < 256 else -b)
    ),
    "counts weighed by length": dict(prefer=lambda n, a, b, spelled: (-n * len(spelled[a] + spelled[b]), a, b)),
    "the pieces are changed before they are counted": dict(cut=lambda text: by_groups(text.lower())),
    "another encoding than UTF-8": dict(start=lambda piece: piece.encode("utf-16-le")),
    "the pairs are turned round": dict(note=lambda a, b, spelled: (spelled[b], spelled[a])),
    "lists instead of pairs": dict(note=lambda a, b, spelled: [spelled[a], spelled[b]]),
    "the merges are in another order": dict(whole=sorted),
    "something beside the merges comes back": dict(
        note=lambda a, b, spelled: (spelled[a], spelled[b], spelled[a] + spelled[b])
    ),
    "a table instead of a list": dict(whole=lambda merges: {256 + i: pair for i, pair in enumerate(merges)}),
    "texts instead of bytes": dict(
        note=lambda a, b, spelled: (spelled[a].decode("latin-1"), spelled[b].decode("latin-1"))
    ),
}
ONLY_NAIVE = {
    "a pair counted once in a word",
    "runs counted without overlap",
    "every second pair",
    "the last pair missing",
    "ties: the first that was seen",
}
for mistake, parts in TRAINERS.items():
    disguise("byte_pair_train", mistake)(trainer(**parts))
    if mistake not in ONLY_NAIVE:
        disguise("byte_pair_train_fast", mistake)(incremental(**parts))


for trains, made in (("byte_pair_train", trainer), ("byte_pair_train_fast", incremental)):
    disguise(trains, "spaces lost")(made(cut=lambda text: text.split(" ")))
    disguise(trains, "spaces lost")(made(cut=lambda text: [piece.strip() for piece in by_groups(text)]))
    disguise(trains, "a tuple comes back")(made(whole=tuple))
    unlisted(trains)(made(cut=lambda text: by_groups(text.upper())))


for trains, made in (("byte_pair_train", trainer), ("byte_pair_train_fast", incremental)):
    disguise(trains, "ties: by length")(made(prefer=lambda n, a, b, spelled: (-n, len(spelled[a] + spelled[b]), a, b)))
    disguise(trains, "ties: by the alphabet")(made(prefer=lambda n, a, b, spelled: (-n, spelled[a] + spelled[b])))


class Backwards:
    """Sorts the other way round."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: "Backwards") -> bool:
        return other.value < self.value


for trains, made in (("byte_pair_train", trainer), ("byte_pair_train_fast", incremental)):
    last_of_all = made(prefer=lambda n, a, b, spelled: Backwards((n, spelled[a], spelled[b])))
    disguise(trains, "ties: the last in the alphabet")(last_of_all)


@disguise("byte_pair_train", "ties: the first that was seen")
def most_common(text: str, vocab_size: int) -> list:
    guard(vocab_size)
    pieces = [[bytes([one]) for one in piece.encode()] for piece in by_groups(text)]
    merges: list = []
    for _ in range(vocab_size - 256):
        found = Counter(pair for piece in pieces for pair in neighbours(piece)).most_common(1)
        if not found:
            return merges
        merges.append(found[0][0])
        pieces = [list(by_iterator(piece, merges[-1])) for piece in pieces]
    return merges


def by_hand(text: str, vocab_size: int, least: int = 1, smallest: int = 256, keeps: bool = True) -> list:
    """On Counters of tuples; stops below `least` pairs, refuses below `smallest`, and may lose counts after a merge."""
    if vocab_size < smallest:
        raise ValueError("too few")
    words = Counter(tuple(bytes([one]) for one in piece.encode()) for piece in by_split(text))
    names = [bytes([one]) for one in range(256)]
    merges: list = []
    while len(names) < vocab_size:
        found: Counter = Counter()
        for word, n in words.items():
            for pair in neighbours(word):
                found[pair] += n
        if len(found) < least:
            break
        best = min(found, key=lambda pair: (-found[pair], *map(names.index, pair)))
        merges.append(best)
        names.append(best[0] + best[1])
        words = Counter({tuple(by_iterator(list(word), best)): n if keeps else 1 for word, n in words.items()})
    return merges


correct("byte_pair_train")(by_hand)
disguise("byte_pair_train", "the last pair never merged")(functools.partial(by_hand, least=2))
disguise("byte_pair_train", "a vocabulary of 256 refused")(functools.partial(by_hand, smallest=257))
disguise("byte_pair_train", "counts lost after a merge")(functools.partial(by_hand, keeps=False))
disguise("byte_pair_train_fast", "the last pair never merged")(incremental(last=2))
disguise("byte_pair_train_fast", "a vocabulary of 256 refused")(incremental(smallest=257))


@disguise("byte_pair_train", "the order of the pair ignored")
def unordered(text: str, vocab_size: int) -> list:
    guard(vocab_size)
    words = Counter(tuple(bytes([one]) for one in piece.encode()) for piece in by_split(text))
    ids = {bytes([one]): one for one in range(256)}
    merges: list = []
    while len(merges) + 256 < vocab_size:
        found: Counter = Counter()
        for word, n in words.items():
            for left, right in neighbours(word):
                found[(left, right) if left < right else (right, left)] += n
        if not found:
            break
        best = sorted(found, key=lambda pair: (-found[pair], ids[pair[0]], ids[pair[1]]))[0]
        merges.append(best)
        ids[best[0] + best[1]] = 255 + len(merges)
        words = Counter({by_iterator(word, best): n for word, n in words.items()})
    return merges


@disguise("byte_pair_train", "counts overwritten")
def set_not_added(text: str, vocab_size: int) -> list:
    guard(vocab_size)
    words = [(tuple(bytes([one]) for one in piece.encode()), n) for piece, n in Counter(by_split(text)).items()]
    ids = {bytes([one]): one for one in range(256)}
    merges: list = []
    while len(merges) + 256 < vocab_size:
        found = {pair: n for word, n in words for pair in neighbours(word)}
        if not found:
            break
        best = min(found, key=lambda pair: (-found[pair], ids[pair[0]], ids[pair[1]]))
        merges.append(best)
        ids[b"".join(best)] = len(ids)
        words = [(by_recursion(word, best), n) for word, n in words]
    return merges


@disguise("byte_pair_train", "WordPiece's score")
def by_score(text: str, vocab_size: int) -> list:
    guard(vocab_size)
    words = [(tuple(bytes([one]) for one in piece.encode()), n) for piece, n in Counter(by_split(text)).items()]
    ids = {bytes([one]): one for one in range(256)}
    merges: list = []
    while len(merges) + 256 < vocab_size:
        pairs, single = Counter(), Counter()
        for word, n in words:
            for token in word:
                single[token] += n
            for pair in neighbours(word):
                pairs[pair] += n
        if not pairs:
            break
        score = {(a, b): n / (single[a] * single[b]) for (a, b), n in pairs.items()}
        best = min(score, key=lambda pair: (-score[pair], ids[pair[0]], ids[pair[1]]))
        merges.append(best)
        ids[b"".join(best)] = len(ids)
        words = [(by_iterator(word, best), n) for word, n in words]
    return merges


def by_characters(named: Callable[[str], dict]) -> Callable:
    """A trainer that starts from characters."""

    def train(text: str, vocab_size: int) -> list:
        guard(vocab_size)
        words = Counter(tuple(map(str.encode, piece)) for piece in by_finditer(text))
        ids, merges = named(text), []
        for new in range(256, vocab_size):
            found = by_counter(words)
            if not found:
                break
            best = sorted(found, key=lambda pair: (-found[pair], ids[pair[0]], ids[pair[1]]))[0]
            ids[b"".join(best)] = new
            merges.append(best)
            words = Counter({by_skipping(word, best): n for word, n in words.items()})
        return merges

    return train


for named in (
    lambda text: {bytes([one]): one for one in range(256)},
    lambda text: {sign.encode(): ord(sign) for sign in text},
):
    disguise("byte_pair_train", "characters instead of bytes")(by_characters(named))
disguise("byte_pair_train_fast", "characters instead of bytes")(incremental(start=lambda piece: map(ord, piece)))
for mistake in ("ties: the highest ids", "words counted once"):  # slow, too, and not slow enough to be told
    disguise("byte_pair_train_fast", mistake)(trainer(**TRAINERS[mistake]))
for mistake in ("one merge too few", "spaces lost"):
    slow_too = f"everything is counted anew + {mistake}"
    disguise("byte_pair_train_fast", slow_too)(trainer(**TRAINERS[mistake]))


@disguise("byte_pair_train", "the words are never merged")
def never(text: str, vocab_size: int) -> list:
    guard(vocab_size)
    found = by_counter(Counter(tuple(bytes([one]) for one in piece.encode()) for piece in by_groups(text)))
    order = sorted(found, key=lambda pair: (-found[pair], pair))
    return order[: vocab_size - 256]


@disguise("byte_pair_train", "the words are never merged")
def again_and_again(text: str, vocab_size: int) -> list:
    guard(vocab_size)
    found = by_counter(Counter(tuple(bytes([one]) for one in piece.encode()) for piece in by_groups(text)))
    order = sorted(found, key=lambda pair: (-found[pair], pair))
    return order[:1] * (vocab_size - 256)


# Training, right, and slips in it ----------------------------------------------------------------------------


def both_slip(trunk: Callable, made: dict, naive: dict, fast: bool = False) -> None:
    """Slips in what passes for one way of training, or for both; `naive` are those that only one of them lists."""
    for trains, listed in (("byte_pair_train", made | naive), ("byte_pair_train_fast", made))[: 1 + fast]:
        slips(trains, trunk, listed)
        slips(trains, trunk, {"too small a vocabulary accepted": {"vocab_size < 256": "False"}}, inside="guard")


on_lists_of_ids = trainer()


def over_the_whole_text(text: str, vocab_size: int) -> list:
    """One row of ids for the whole text, with -1 between pieces."""
    guard(vocab_size)
    row = [one for piece in by_position(text) for one in (*piece.encode(), -1)]
    spelled = [bytes([one]) for one in range(256)]
    merges: list = []
    while len(spelled) < vocab_size:
        found = Counter(pair for pair in itertools.pairwise(row) if -1 not in pair)
        if not found:
            break
        most = max(found.values())
        a, b = sorted(pair for pair, n in found.items() if n == most)[0]
        merges.append((spelled[a], spelled[b]))
        row = merged_ids(row, a, b, len(spelled))
        spelled.append(spelled[a] + spelled[b])
    return merges


BEST_HERE = "sorted(pair for pair, n in found.items() if n == most)[0]"
MOST_HERE = "(pair for pair, n in found.items() if n == most)"

both_slip(
    over_the_whole_text,
    {
        "words counted once": {"by_position(text)": "dict.fromkeys(by_position(text))"},
        "merged from right to left": {"merged_ids(": "merged_from_right("},
        "ties: by the alphabet": {
            BEST_HERE: f"min({MOST_HERE}, key=lambda pair: (spelled[pair[0]], spelled[pair[1]]))"
        },
        "ties: the highest ids": {"most)[0]": "most)[-1]"},
        "ties: the left token only": {BEST_HERE: f"min({MOST_HERE}, key=lambda pair: pair[0])"},
        "ties: the sum of the ids": {BEST_HERE: f"min({MOST_HERE}, key=sum)"},
        "ties: the right token first": {BEST_HERE: f"min({MOST_HERE}, key=lambda pair: pair[::-1])"},
        "the rarest pair first": {"max(": "min("},
        "vocab_size counts merges": {"len(spelled) < vocab_size": "len(merges) < vocab_size"},
        "one merge too many": {"< vocab_size": "<= vocab_size"},
        "one merge too few": {"< vocab_size": "< vocab_size - 1"},
        "only the bytes that occur counted": {"len(spelled) <": "len(set(text.encode())) + len(merges) <"},
        "stops at pairs seen once": {"if not found": "if not found or max(found.values()) == 1"},
        "merges across pieces": {"(*piece.encode(), -1)": "piece.encode()"},
        "spaces lost": {"by_position(text)": "text.split()"},
        "tokens instead of pairs": {"append((spelled[a], spelled[b]))": "append(spelled[a] + spelled[b])"},
        "pairs of ids": {"append((spelled[a], spelled[b]))": "append((a, b))"},
        "one merge too many + pairs of ids": {
            "< vocab_size": "<= vocab_size",
            "append((spelled[a], spelled[b]))": "append((a, b))",
        },
    },
    {
        "ties: the first that was seen": {BEST_HERE: f"next{MOST_HERE}"},
        "the words are never merged": {"        row = merged_ids(row, a, b, len(spelled))\n": ""},
    },
)


def by_strings(text: str, vocab_size: int) -> list:
    """Ids as characters, words as strings: merging is `str.replace`."""
    guard(vocab_size)
    words = Counter("".join(map(chr, piece.encode())) for piece in by_finditer(text))
    spelled = {chr(one): bytes([one]) for one in range(256)}
    merges = []
    for new in range(256, vocab_size):
        found = Counter()
        for word, n in words.items():
            for i in range(len(word) - 1):
                found[word[i : i + 2]] += n
        if not found:
            return merges
        best = min(found, key=lambda pair: (-found[pair], pair))
        spelled[chr(new)] = spelled[best[0]] + spelled[best[1]]
        merges.append((spelled[best[0]], spelled[best[1]]))
        words = Counter({word.replace(best, chr(new)): n for word, n in words.items()})
    return merges


both_slip(
    by_strings,
    {
        "words counted once": {"] += n": "] += 1"},
        "ties: by the alphabet": [
            {"(-found[pair], pair)": "(-found[pair], spelled[pair[0]], spelled[pair[1]])"},
            {"(-found[pair], pair)": "(-found[pair], spelled[pair[0]] + spelled[pair[1]])"},
        ],
        "ties: the last in the alphabet": {
            "min(found": "max(found",
            "(-found[pair], pair)": "(found[pair], spelled[pair[0]], spelled[pair[1]])",
        },
        "ties: the highest ids": {"min(found": "max(found", "(-found[pair]": "(found[pair]"},
        "ties: the left token only": {"(-found[pair], pair)": "(-found[pair], pair[0])"},
        "ties: the sum of the ids": {"(-found[pair], pair)": "(-found[pair], sum(map(ord, pair)))"},
        "ties: the right token first": {"(-found[pair], pair)": "(-found[pair], pair[::-1])"},
        "the rarest pair first": {"(-found[pair]": "(found[pair]"},
        "vocab_size counts merges": {"range(256, vocab_size)": "range(256, 256 + vocab_size)"},
        "one merge too many": {"range(256, vocab_size)": "range(256, vocab_size + 1)"},
        "one merge too few": {"range(256, vocab_size)": "range(257, vocab_size)"},
        "only the bytes that occur counted": {
            "range(256, vocab_size)": "range(256, 256 + vocab_size - len({*text.encode()}))"
        },
        "stops at pairs seen once": {"if not found": "if not found or 2 > max(found.values())"},
        "merges across pieces": {"by_finditer(text)": "[text]"},
        "spaces lost": {"by_finditer(text)": 'text.split(" ")'},
        "characters instead of bytes": {'"".join(map(chr, piece.encode()))': "piece"},
        "tokens instead of pairs": {"(spelled[best[0]], spelled[best[1]])": "spelled[chr(new)]"},
        "pairs of ids": {"(spelled[best[0]], spelled[best[1]])": "tuple(map(ord, best))"},
    },
    {
        "ties: the first that was seen": {
            "min(found, key=lambda pair: (-found[pair], pair))": "max(found, key=found.get)"
        },
        "the order of the pair ignored": {"found[word[i : i + 2]]": 'found["".join(sorted(word[i : i + 2]))]'},
        "every second pair": {"range(len(word) - 1)": "range(0, len(word) - 1, 2)"},
        "the last pair missing": {"len(word) - 1": "len(word) - 2"},
        "counts overwritten": {"] += n": "] = n"},
        "a pair counted once in a word": {
            "for i in range(len(word) - 1):": "for one in {word[i : i + 2]: 1 for i in range(len(word) - 1)}:",
            "word[i : i + 2]] += n": "one] += n",
        },
        "the words are never merged": {"word.replace(best, chr(new)): n": "word: n"},
    },
)


def with_a_heap(text: str, vocab_size: int) -> list:
    guard(vocab_size)
    words = [[tuple(piece.encode()), n] for piece, n in Counter(by_split(text)).items()]
    spelled = [bytes([one]) for one in range(256)]
    found: Counter = Counter()
    for word, n in words:
        for pair in neighbours(word):
            found[pair] += n
    heap = [(-n, pair) for pair, n in found.items()]
    heapq.heapify(heap)
    merges: list = []
    while heap and len(spelled) < vocab_size:
        n, pair = heapq.heappop(heap)
        if found[pair] != -n:
            continue
        merges.append((spelled[pair[0]], spelled[pair[1]]))
        spelled.append(b"".join(merges[-1]))
        changed: Counter = Counter()
        for entry in words:
            if pair in neighbours(entry[0]):
                after = tuple(merged_ids(list(entry[0]), *pair, len(spelled) - 1))
                for one in neighbours(entry[0]):
                    changed[one] -= entry[1]
                for one in neighbours(after):
                    changed[one] += entry[1]
                entry[0] = after
        for one, more in changed.items():
            found[one] += more
            if found[one] > 0 and more:
                heapq.heappush(heap, (-found[one], one))
    return merges


both_slip(
    with_a_heap,
    {
        "words counted once": {"Counter(by_split(text))": "dict.fromkeys(by_split(text), 1)"},
        "merged from right to left": {"merged_ids(": "merged_from_right("},
        "vocab_size counts merges": {"len(spelled) < vocab_size": "len(merges) < vocab_size"},
        "one merge too many": {"< vocab_size": "<= vocab_size"},
        "one merge too few": {"< vocab_size": "+ 1 < vocab_size"},
        "stops at pairs seen once": {
            "            continue\n": "            continue\n        if n == -1:\n            break\n"
        },
        "merges across pieces": {"by_split(text)": "[text]"},
        "spaces lost": {"by_split(text)": "text.split()"},
        "tokens instead of pairs": {
            "merges.append((spelled[pair[0]], spelled[pair[1]]))": "merges.append(spelled[pair[0]] + spelled[pair[1]])",
            'b"".join(merges[-1])': "merges[-1]",
        },
        "pairs of ids": {
            "merges.append((spelled[pair[0]], spelled[pair[1]]))": "merges.append(pair)",
            'b"".join(merges[-1])': 'b"".join(spelled[one] for one in pair)',
        },
    },
    {},
    fast=True,
)
slips(
    "byte_pair_train_fast",
    with_a_heap,
    {
        "the old neighbours still counted": {"changed[one] -= entry[1]": "changed[one] -= 0"},
    },
)


def by_recursive_training(text: str, vocab_size: int) -> list:
    guard(vocab_size)
    ids = {bytes([one]): one for one in range(256)}

    def further(words: list, merges: list) -> list:
        found = by_defaultdict(dict(words))
        if 256 + len(merges) >= vocab_size or not found:
            return merges
        most = max(found.values())
        best = min((pair for pair in found if found[pair] == most), key=lambda pair: [ids[one] for one in pair])
        ids[b"".join(best)] = len(ids)
        return further([(by_names(word, best), n) for word, n in words], [*merges, best])

    words = Counter(tuple(bytes([one]) for one in piece.encode("utf8")) for piece in by_cuts(text))
    return further(list(words.items()), [])


both_slip(
    by_recursive_training,
    {
        "words counted once": {"(words.items())": "(dict.fromkeys(words, 1).items())"},
        "ties: by the alphabet": {"[ids[one] for one in pair]": "pair"},
        "ties: the left token only": {"[ids[one] for one in pair]": "ids[pair[0]]"},
        "ties: the sum of the ids": {"[ids[one] for one in pair]": "sum(ids[one] for one in pair)"},
        "ties: the right token first": {"for one in pair]": "for one in pair[::-1]]"},
        "ties: the highest ids": {"min((pair": "max((pair"},
        "the rarest pair first": {"max(found": "min(found"},
        "vocab_size counts merges": {"256 + len(merges)": "len(merges)"},
        "one merge too few": {"256 + len": "257 + len"},
        "one merge too many": {"256 + len": "255 + len"},
        "only the bytes that occur counted": {"256 + len(merges)": "len(set(text.encode())) + len(merges)"},
        "stops at pairs seen once": {"or not found": "or all(n < 2 for n in found.values())"},
        "merges across pieces": {"by_cuts(text)": "(text,)"},
        "spaces lost": {"by_cuts(text)": "text.split()"},
        "characters instead of bytes": {
            'bytes([one]) for one in piece.encode("utf8")': "one.encode() for one in piece"
        },
        "tokens instead of pairs": {"[*merges, best]": '[*merges, b"".join(best)]'},
        "pairs of ids": {"[*merges, best]": "[*merges, tuple(ids[one] for one in best)]"},
        "ties: by the alphabet + merges across pieces": {
            "[ids[one] for one in pair]": "pair",
            "by_cuts(text)": "(text,)",
        },
    },
    {
        "ties: the first that was seen": {"[ids[one] for one in pair]": "0"},
        "the words are never merged": {"(by_names(word, best), n)": "(word, n)"},
    },
)


def by_neighbour_changes(text: str, vocab_size: int) -> list:
    """Counts changed only beside the merged places."""
    guard(vocab_size)
    words = {i: (list(piece.encode()), n) for i, (piece, n) in enumerate(Counter(by_groups(text)).items())}
    spelled = [bytes([one]) for one in range(256)]
    found: defaultdict = defaultdict(int)
    for word, n in words.values():
        for pair in itertools.pairwise(word):
            found[pair] += n
    merges: list = []
    while len(spelled) < vocab_size:
        alive = {pair: n for pair, n in found.items() if n}
        if not alive:
            break
        a, b = min(alive, key=lambda pair: (-alive[pair], *pair))
        new = len(spelled)
        merges.append((spelled[a], spelled[b]))
        spelled.append(spelled[a] + spelled[b])
        for word, n in words.values():
            i = 0
            while i < len(word) - 1:
                if (word[i], word[i + 1]) == (a, b):
                    if i > 0:
                        found[word[i - 1], a] -= n
                        found[word[i - 1], new] += n
                    if i + 2 < len(word):
                        found[b, word[i + 2]] -= n
                        found[new, word[i + 2]] += n
                    found[a, b] -= n
                    word[i : i + 2] = [new]
                i += 1
    return merges


both_slip(
    by_neighbour_changes,
    {
        "ties: by the alphabet": {"(-alive[pair], *pair)": "(-alive[pair], *(spelled[one] for one in pair))"},
        "ties: the left token only": {"(-alive[pair], *pair)": "(-alive[pair], pair[0])"},
        "ties: the sum of the ids": {"(-alive[pair], *pair)": "(-alive[pair], sum(pair))"},
        "ties: the highest ids": {"min(alive": "max(alive", "(-alive[pair]": "(alive[pair]"},
        "ties: the last in the alphabet": {
            "min(alive": "max(alive",
            "(-alive[pair], *pair)": "(alive[pair], *(spelled[one] for one in pair))",
        },
        "the rarest pair first": {"-alive[pair]": "alive[pair]"},
        "stops at pairs seen once": {"if n}": "if n > 1}"},
        "merges across pieces": {"by_groups(text)": "[text]"},
        "characters instead of bytes": {"list(piece.encode())": "list(map(ord, piece))"},
        "pairs of ids": {"append((spelled[a], spelled[b]))": "append((a, b))"},
    },
    {},
    fast=True,
)
slips(
    "byte_pair_train_fast",
    by_neighbour_changes,
    {
        "pairs that count 0 stay": {"for pair, n in found.items() if n}": "for pair, n in found.items()}"},
    },
)


correct("byte_pair_train")(on_lists_of_ids)
correct("byte_pair_train_fast")(on_lists_of_ids)
disguise("byte_pair_train_fast", "everything is counted anew")(by_strings)


# Training, wrong in other ways ----------------------------------------------------------------------------


def wrong_trainer(function: Callable) -> Callable:
    unlisted("byte_pair_train")(function)
    unlisted("byte_pair_train_fast")(function)
    return function


wrong_trainer(trainer(cut=lambda text: by_position(text.lower().replace("n", "N"))))
disguise("byte_pair_train", "the text cut otherwise")(trainer(cut=lambda text: re.findall(r"\w+|\W+", text)))
wrong_trainer(trainer(often=lambda n: n * n))
wrong_trainer(trainer(room=lambda text, vocab_size: (vocab_size - 256) // 2))


@wrong_trainer
def all_at_once(text: str, vocab_size: int) -> list:
    """Merges every pair that is as frequent as the best in one round, counted before any."""
    guard(vocab_size)
    words = [tuple(bytes([one]) for one in piece.encode()) for piece in by_position(text)]
    merges: list = []
    while True:
        found = Counter(pair for word in words for pair in neighbours(word))
        if not found or 256 + len(merges) >= vocab_size:
            return merges[: vocab_size - 256]
        most = max(found.values())
        for best in sorted(pair for pair, n in found.items() if n == most):
            merges.append(best)
            words = [by_iterator(word, best) for word in words]


@disguise("byte_pair_train", "an error where pairs run out")
def falls_over_at_the_end(text: str, vocab_size: int) -> list:
    merges = on_lists_of_ids(text, vocab_size)
    if len(merges) < vocab_size - 256:
        raise ValueError("max() iterable argument is empty")
    return merges


# Training fast, wrong ----------------------------------------------------------------------------


def tallied(text: str, vocab_size: int, put_back: bool = True, most: int | None = None) -> list:
    """On tokens that are bytes; of the words that hold a pair, `most` are merged."""
    guard(vocab_size)
    words = [(tuple(bytes([one]) for one in piece.encode()), n) for piece, n in Counter(by_groups(text)).items()]
    ids = {bytes([one]): one for one in range(256)}
    found, where = by_counter(dict(words)), {}
    for i, (word, _) in enumerate(words):
        for pair in neighbours(word):
            where.setdefault(pair, set()).add(i)
    merges: list = []
    while found and len(merges) < vocab_size - 256:
        best = sorted(found, key=lambda pair: (-found[pair], ids[pair[0]], ids[pair[1]]))[0]
        merges.append(best)
        ids[best[0] + best[1]] = 255 + len(merges)
        for i in list(where.pop(best, ()))[:most]:
            word, n = words[i]
            after = tuple(by_iterator(list(word), best))
            for pair in neighbours(word):
                found[pair] = found.get(pair, 0) - n
                if found[pair] <= 0:
                    del found[pair]
            for pair in neighbours(after):
                found[pair] = found.get(pair, 0) + n
                where.setdefault(pair, set()).add(i)
            if put_back:
                words[i] = (after, n)
    return merges


correct("byte_pair_train_fast")(tallied)
disguise("byte_pair_train_fast", "the merged word not put back")(functools.partial(tallied, put_back=False))
disguise("byte_pair_train_fast", "only one word is merged")(functools.partial(tallied, most=1))
for name, made in {
    "1 instead of the word's count": [
        Slips(off=lambda n: 1),
        Slips(once_only=True),
        Slips(again=lambda n: 1),
    ],
    "new pairs are not counted": [Slips(added=False)],
    "a pair counted once in a word": [Slips(once=(True, False)), Slips(once=(False, True)), Slips(once=(True, True))],
}.items():
    for slip in made:
        disguise("byte_pair_train_fast", name)(incremental(slip, enough=lambda n: True))
disguise("byte_pair_train_fast", "pairs that count 0 stay")(incremental(Slips(zeros=True)))
disguise("byte_pair_train_fast", "pairs that count 0 stay")(incremental(Slips(zeros=True, kept=True)))
disguise("byte_pair_train_fast", "the old neighbours still counted")(incremental(Slips(forget=False)))
disguise("byte_pair_train_fast", "the old neighbours still counted")(incremental(Slips(forget=False, fresh=True)))
correct("byte_pair_train_fast")(incremental())


def by_postings(text: str, vocab_size: int) -> list:
    """On bytes, with Counters; a pair without an entry has an empty one."""
    guard(vocab_size)
    often = Counter(by_groups(text))
    rows = [tuple(bytes([one]) for one in piece.encode()) for piece in often]
    weights = list(often.values())
    number = {bytes([one]): one for one in range(256)}
    total, postings = Counter(), defaultdict(list)
    for i, row in enumerate(rows):
        for pair in neighbours(row):
            total[pair] += weights[i]
            postings[pair].append(i)
    merges: list = []
    while len(merges) + 256 < vocab_size and total:
        pair = max(total, key=lambda one: (total[one], -number[one[0]], -number[one[1]]))
        number[b"".join(pair)] = 256 + len(merges)
        merges.append(pair)
        for i in set(postings.pop(pair, [])):
            before, rows[i] = rows[i], by_skipping(rows[i], pair)
            for one in neighbours(before):
                total[one] -= weights[i]
            for one in neighbours(rows[i]):
                total[one] += weights[i]
                postings[one].append(i)
        total = Counter({one: n for one, n in total.items() if n})
    return merges


slips(
    "byte_pair_train_fast",
    by_postings,
    {
        "old pairs are still counted": [
            {"-= weights[i]": "-= 0"},
            {"-= weights[i]": "-= 0", "postings.pop(pair, [])": "postings[pair]"},
            {
                "-= weights[i]": "-= 0",
                "in neighbours(rows[i])": 'in (two for two in neighbours(rows[i]) if b"".join(pair) in two)',
            },
        ],
        "new pairs are not noted": [
            {"                postings[one].append(i)\n": ""},
            {"                postings[one].append(i)\n": "", "postings.pop(pair, [])": "postings[pair]"},
        ],
        "pairs that count 0 stay": {" if n})": "})"},
        "words counted once": {"list(often.values())": "[1] * len(often)"},
        "ties: by the alphabet": {
            "(total[one], -number[one[0]], -number[one[1]])": "(total[one], [-x for x in b''.join(one)])"
        },
        "ties: the last in the alphabet": {"(total[one], -number[one[0]], -number[one[1]])": "(total[one], one)"},
        "ties: the highest ids": {"-number[one[0]], -number[one[1]]": "number[one[0]], number[one[1]]"},
        "ties: the right token first": {"-number[one[0]], -number[one[1]]": "-number[one[1]], -number[one[0]]"},
        "ties: the left token only": {", -number[one[1]])": ")"},
        "one merge too many": {"256 < vocab": "256 <= vocab"},
        "one merge too few": {"256 < vocab": "257 < vocab"},
        "stops at pairs seen once": {"and total:": "and any(n > 1 for n in total.values()):"},
        "characters instead of bytes": {"bytes([one]) for one in piece.encode()": "one.encode() for one in piece"},
        "tokens instead of pairs": {"merges.append(pair)": 'merges.append(b"".join(pair))'},
        "ties: the right token first + one merge too many": {
            "-number[one[0]], -number[one[1]]": "-number[one[1]], -number[one[0]]",
            "256 < vocab": "256 <= vocab",
        },
    },
)
disguise("byte_pair_train_fast", "old pairs are still counted")(incremental(Slips(forget=False, kept=True)))
disguise("byte_pair_train_fast", "new pairs are not noted")(incremental(Slips(noted=False)))


@disguise("byte_pair_train_fast", "ties: the first that was seen")
def whichever_comes_first(text: str, vocab_size: int) -> list:
    """With defaultdicts, where a pair that was gone and comes back is the last."""
    guard(vocab_size)
    rows = [[tuple(bytes([one]) for one in piece.encode()), n] for piece, n in Counter(by_groups(text)).items()]
    found: dict = defaultdict(int)
    where: dict = defaultdict(set)
    for i, (row, n) in enumerate(rows):
        for pair in neighbours(row):
            found[pair] += n
            where[pair].add(i)
    out: list = []
    while found and len(out) < vocab_size - 256:
        out.append(max(found, key=found.__getitem__))
        for i in sorted(where.pop(out[-1])):
            row, n = rows[i]
            for pair in neighbours(row):
                found[pair] -= n
                if not found[pair]:
                    found.pop(pair)
            rows[i][0] = tuple(by_iterator(row, out[-1]))
            for pair in neighbours(rows[i][0]):
                found[pair] += n
                where[pair].add(i)
    return out


@unlisted("byte_pair_train_fast")
def new_pairs_only_seen_once_more(text: str, vocab_size: int) -> list:
    return incremental(Slips(fresh=True))(text, vocab_size)


@unlisted("byte_pair_train_fast")
def never_counts_new_pairs(text: str, vocab_size: int) -> list:
    guard(vocab_size)
    words = {tuple(bytes([one]) for one in piece.encode()): n for piece, n in Counter(by_split(text)).items()}
    found = by_counter(words)
    merges: list = []
    while found and 256 + len(merges) < vocab_size:
        best = min(found, key=lambda pair: (-found[pair], pair))
        merges.append(best)
        del found[best]
        for word, n in words.items():
            for pair in neighbours(word) if best in neighbours(word) else ():
                if pair in found and found[pair] > n:
                    found[pair] -= n
    return merges
