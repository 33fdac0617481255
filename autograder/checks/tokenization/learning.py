"""Checks of learning which pairs to merge, slowly and fast."""

from collections.abc import Callable, Mapping
from itertools import cycle, islice, product
from string import ascii_uppercase, digits
from typing import Any

from autograder.checks.tokenization.shared import LIBRARIES, drawn_text, in_drawn_order, kind_of, steps
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise, Probe

# byte_pair_train ----------------------------------------------------------------------------

byte_pair_train = Exercise(
    "byte_pair_train",
    points=4,
    forbidden=LIBRARIES,
    hints=(
        "Put your three functions together: cut the text, count, choose a pair, merge it in every word, and count again. Ties are broken by ids, so keep a dict "
        "from token to id that grows by one with every merge.",
        "```python\n"
        "words = ...   # tuple of single bytes → how often: Counter, byte_tokens, pretokenize\n"
        "ids = ...     # bytes([0]) → 0, ..., bytes([255]) → 255\n"
        "merges = []\n"
        "for new_id in range(256, vocab_size):\n"
        "    counts = count_pairs(words)\n"
        "    ...       # no pair left: stop\n"
        "    best = min(counts, key=...)  # most frequent first, then the lowest id on the left, then on the right\n"
        "    words = ...                  # merge_pair for every word, with its count\n"
        "    ...                          # the new token's id; note the pair\n"
        "return merges\n"
        "```",
        "Tuples compare item by item, so `key=lambda pair: (-counts[pair], ids[pair[0]], ids[pair[1]])` is the whole rule. The words after a merge: "
        "`{merge_pair(word, best): count for word, count in words.items()}`.",
    ),
    traps={
        "ValueError: ... empty": "no two tokens are left side by side, and there is nothing to choose from: leave the loop when `counts` is empty.",
        "KeyError: ...": "a token has no id. Single bytes are `bytes([65])`, not `65` or `'A'`; and every merge gives its new token an id, before the next choice.",
        "TypeError: unhashable type: 'list'": "words are keys of a dict, and have to be tuples. Does your `merge_pair` return one?",
        "TypeError: can't concat ...": 'a token is bytes and the other is not: `for byte in b"ab"` gives numbers. `byte_tokens` makes single bytes.',
    },
)


def shuffled_text(draw: Draw, name: str, counts: Mapping[str, int]) -> str:
    """So many of each, in drawn order.

    The counts are not drawn: where equally frequent pairs came up by chance, a slip about ties would show by chance.
    """
    return "".join(in_drawn_order(draw, name, [piece for piece, count in counts.items() for _ in range(count)]))


@byte_pair_train.probe("merges the most frequent pair, and counts anew after every merge")
def most_frequent_first(byte_pair_train: Callable, draw: Draw) -> Any:
    counts = {" ab": 9, " abc": 8, " cab": 4, " bb": 6, " dab": 7, " abab": 11, " dd": 10, " bcd": 3}
    return byte_pair_train(shuffled_text(draw, "order", counts), 256 + 9)


@byte_pair_train.probe("decides between equally frequent pairs by the ids of their tokens")
def ties(byte_pair_train: Callable, draw: Draw) -> Any:
    words = ["no", "no", "nop", "qa", "ar", "zs", "bt", "mu", "hv", "hc", "hk", "gb", "ia", "xno"]
    words = in_drawn_order(draw, "order", words)
    # Both ways round: of two pairs, each is the first that is met once.
    found = [byte_pair_train(".".join(one), 256 + 14) for one in (words, words[::-1])]
    # In the end ef, abz and cdy are equally frequent: one of bytes, one of the first new token, one of the second.
    new = [word for word, count in {"abz": 5, "ab": 2, "cdy": 5, "cd": 1, "ef": 5}.items() for _ in range(count)]
    return [*found, byte_pair_train(".".join(new), 256 + 5)]


@byte_pair_train.probe("counts and merges in runs of one token")
def runs(byte_pair_train: Callable, draw: Draw) -> Any:
    words = {"aaa": 5, "baaa": 7, "aaaaaa": 13, "caaaaa": 1, "aaab": 12, "ddd": 12, "cddddd": 3}
    others = {"gh": 8, "ij": 9, "bc": 6, "ef": 11}
    counts = {f"{word},": count for word, count in (words | others).items()}
    return byte_pair_train(shuffled_text(draw, "order", counts)[:-1], 256 + 12)


@byte_pair_train.probe("adds as many tokens as there is room for")
def room_for_merges(byte_pair_train: Callable, draw: Draw) -> Any:
    letters = in_drawn_order(draw, "letters", "abcdefghijklmnopqrst")
    a, b, c, d, e = sorted(letters[:5], reverse=True)
    often = [d + e] * 7 + in_drawn_order(draw, "order", [a + b + c] * 12 + [a + b] * 5)
    # d stands at odd places only: whoever takes every second pair never meets d, e.
    others = cycle(letters[5:])
    return byte_pair_train("".join(next(others) + one + next(others) for one in often), 256 + 3)


def more_than_fit(byte_pair_train: Callable, draw: Draw) -> Any:
    # More pairs than anyone may merge; in runs few of them are left to choose from at a time.
    signs = (ascii_uppercase + digits + "yz")[::-1]
    return byte_pair_train(".".join(sign * (20 + i) for i, sign in enumerate(signs)), 256 + 3)


byte_pair_train.add_probe(
    Probe(
        "more_than_fit",
        "adds no more tokens than there is room for, however many pairs are left",
        more_than_fit,
        once=True,
    )
)


@byte_pair_train.probe("works on bytes, so that every script has tokens")
def other_scripts(byte_pair_train: Callable, draw: Draw) -> Any:
    counts = {" für": 6, " fünf": 7, " über": 1, " 日本": 9, " 日": 7, "本語": 6, "🙂": 7}
    return byte_pair_train(shuffled_text(draw, "order", counts), 256 + 9)


@byte_pair_train.probe("merges nothing across pieces")
def no_merge_across(byte_pair_train: Callable, draw: Draw) -> Any:
    counts = {"To be, ": 7, "or not, ": 3, "to be. ": 1, "As is. ": 1, "if x:\n    y\n": 9, "to  be  ": 9}
    text = shuffled_text(draw, "order", counts)
    return byte_pair_train("To be, to be, To be. if x:\n    y\n" + text, 256 + 10)


@byte_pair_train.probe("stops when no pair is left, and makes no merge when there is room for none", rung="edges")
def little_to_merge(byte_pair_train: Callable, draw: Draw) -> Any:
    text = drawn_text(draw, "text", 8, ["abc ", "ab ", "cb ", "c "])
    return {
        "no text": byte_pair_train("", 300),
        "no pairs": byte_pair_train("a.b,c", 300),
        "few pairs": byte_pair_train("abcd ab", 300),
        "256 tokens": byte_pair_train(text, 256),
        "257 tokens": byte_pair_train("ab ab " + text, 257),
        "a pair and its reverse": byte_pair_train("ba,ab,ba,c", 258),
        "as many as there are": byte_pair_train(text, 400),
        "signs in a row": byte_pair_train("?!?!?!", 258),
    }


@byte_pair_train.probe("returns pairs that can be keys", rung="invariants")
def merges_as_keys(byte_pair_train: Callable, draw: Draw) -> Any:
    text = drawn_text(draw, "text", 6, ["abc ", "ab ", "cb "])
    return {pair: rank for rank, pair in enumerate(byte_pair_train("abc ab " + text, 258))}


@byte_pair_train.probe("returns a list", rung="invariants")
def merges_in_a_list(byte_pair_train: Callable, draw: Draw) -> Any:
    return kind_of(byte_pair_train("abc ab " + drawn_text(draw, "text", 6, ["abc ", "ab ", "cb "]), 258))


@byte_pair_train.probe("raises a ValueError for a vocabulary of fewer than 256 tokens", rung="invariants")
def train_refuses(byte_pair_train: Callable, draw: Draw) -> Any:
    byte_pair_train("abab", 257)  # the blank stub must show as blank
    byte_pair_train("abab", draw.integers("size", 1, high=256).tolist()[0])
    return "no error"  # whatever else is wrong with the merges


# byte_pair_train_fast ----------------------------------------------------------------------------

byte_pair_train_fast = Exercise(
    "byte_pair_train_fast",
    points=3,
    forbidden=LIBRARIES,
    stretch=True,
    done_by=(byte_pair_train,),
    hints=(
        "A merge changes only the words that hold the pair. For such a word, subtract the counts of its pairs, merge, and count its new pairs. All "
        "other counts stay. So you need to know, for every pair, which words hold it.",
        "```python\n"
        "words = ...   # a list of (tokens, count), so that a word has a place\n"
        "counts = ...  # as before, once\n"
        "places = ...  # pair → set of the places of words that hold it\n"
        "for new_id in range(256, vocab_size):\n"
        "    ...       # stop, choose and note as before\n"
        "    for place in ...:  # where the pair was; a set must not change while you loop over it: pop it\n"
        "        ...   # old pairs: counts[pair] -= count, and gone at 0\n"
        "        ...   # merge\n"
        "        ...   # new pairs: counts up, and the place noted\n"
        "        ...   # the word at this place is the merged one\n"
        "```",
        "Subtract the word's count for *all* pairs of the old word and add it for *all* pairs of the merged word; what did not change cancels out. "
        "`places.pop(best)` gives the set and "
        "takes it out of the dict; `places.setdefault(pair, set()).add(place)` notes a new one.",
    ),
    traps={
        "RuntimeError: Set changed size during iteration": "the set you loop over grows while you do. Take it out first: `places.pop(best)`, or loop over `list(...)`.",
        "RuntimeError: dictionary changed size during iteration": "pairs are added to or taken from the dict you loop over. Loop over `list(...)` of it.",
        "KeyError: ...": "a pair was chosen that has no entry in `places`. Either the pair is gone and still counts, because the counts of a word's old "
        "pairs were not subtracted; or it is new, and was counted without being noted: `places.setdefault(pair, set()).add(place)`. If it is `counts` "
        "that has no entry, the pair is new there: `counts.get(pair, 0)`.",
        "ValueError: ... empty": "no pair is left: leave the loop when `counts` is empty.",
        "TypeError: 'tuple' object does not support item assignment": "an entry of the list is a tuple (tokens, count): replace the whole tuple by a new one.",
    },
)

for probe in byte_pair_train.probes:
    byte_pair_train_fast.add_probe(probe)


@byte_pair_train_fast.probe("learns the same from a longer text")
def longer_text(byte_pair_train_fast: Callable, draw: Draw) -> Any:
    words = [drawn_text(draw, f"word {i}", 3 + i % 5, "aaabbcdeé") for i in range(60)]
    text = drawn_text(draw, "text", 300, [f" {word}" for word in words] + ["  ", ".", ", "])
    tie = " zy zx" * 60  # of two equally frequent pairs that begin alike, the wrong one is met first
    return byte_pair_train_fast(tie + text, 256 + 24)


@byte_pair_train_fast.probe("keeps the counts right from each of the first merges to the next")
def one_merge_after_the_other(byte_pair_train_fast: Callable, draw: Draw) -> Any:
    # The second merge is one in words that the first has changed, or one in others; whoever runs into an error has come
    # so far.
    a, b, c, d, e, f = in_drawn_order(draw, "letters", "ghijkm")
    changed = {a + b + c + d: 12, a + b + a + b: 9, a + b: 5, c + d: 8, e + a + b: 7, e + f + e: 3, c + d + e: 4}
    others = {
        a + b + c: 12,
        a + b + d: 9,
        e + a + b: 7,
        c + d: 8,
        d + e: 6,
        f + c + d: 5,
        a + b + a + b: 4,
        f + f + f: 3,
    }
    texts = [".".join(word for word, count in words.items() for _ in range(count)) for words in (changed, others)]
    return [[_as_far_as_it_goes(byte_pair_train_fast, text, 256 + n) for n in range(1, 8)] for text in texts]


@byte_pair_train_fast.probe("learns from words of which each occurs once")
def words_that_occur_once(byte_pair_train_fast: Callable, draw: Draw) -> Any:
    # Whoever forgets how often a word occurs is right here, and what else is wrong shows by itself.
    letters = in_drawn_order(draw, "once", "noq")
    words = in_drawn_order(draw, "words", ["".join(word) for word in product(letters, repeat=3)])
    return byte_pair_train_fast(" ".join(words[:20]), 256 + 8)


def _as_far_as_it_goes(train: Callable, text: str, vocab_size: int) -> Any:
    try:
        return train(text, vocab_size)
    except (KeyError, IndexError, ValueError, RuntimeError) as error:
        if isinstance(error, NotImplementedError):
            raise
        return type(error).__name__


RARE, MERGES, TIMES = 100, 24, 13
"""How many words stay as they are, how many merges are made in a few others, and how many times the steps of one merge
these may take."""
ENOUGH = 40_000
"""Steps of one merge after which nobody counts on: right code takes 2,000 to 15,000, and some wrong code merges all."""


def work_of_a_merge(byte_pair_train_fast: Callable, draw: Draw) -> Any:
    # Enough of them to merge without their spaces, too.
    often = ["".join(word) for word in zip("ghijklmnopQT", "zyxwvutsrqRU", "GHIJKLMNOPSV", strict=True)]
    rare = [f" {''.join(word)}" for word in islice(product("abcdef", repeat=6), 0, None, 6**6 // RARE + 1)]
    text = "".join(f" {word}" * (20 + i) for i, word in enumerate(often)) + "".join(rare)
    with steps(ENOUGH) as one:
        byte_pair_train_fast(text, 256 + 1)
    if not (anew := one.done > ENOUGH):
        # Whoever looks through all words for those that hold the pair comes to 7 times, and to 12 who merges them
        # all; some who count anew come to no more than 9, and pass, unless they give all words to `count_pairs` again:
        # right code comes first.
        with steps(TIMES * one.done) as many:
            byte_pair_train_fast(text, 256 + MERGES)
        anew = many.done > TIMES * one.done or many.counted > TIMES / 2 * max(one.counted, RARE)
    return f"{MERGES} merges take {'' if anew else 'no '}more than {TIMES} times the steps of one"


byte_pair_train_fast.add_probe(
    Probe(
        "work_of_a_merge",
        "corrects the counts of the words that a merge changes, and no others",
        work_of_a_merge,
        rung="invariants",
        once=True,
    )
)
