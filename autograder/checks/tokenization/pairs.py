"""Checks of counting and merging pairs."""

from collections.abc import Callable, Sequence
from typing import Any

from autograder.checks.tokenization.shared import in_drawn_order
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# count_pairs ----------------------------------------------------------------------------

count_pairs = Exercise(
    "count_pairs",
    points=1,
    hints=(
        "Write two loops: over the words, and over the neighbours in each word. A word that occurs 7 times adds 7 to each of its pairs.",
        "```python\n"
        "counts = {}\n"
        "for word, count in words.items():\n"
        "    for ...:  # each token with the one after it\n"
        "        ...\n"
        "return counts\n"
        "```",
        "`zip(word, word[1:])`, or `itertools.pairwise(word)`, gives each token with the one after it. `counts.get(pair, 0) + count` also works for a pair that is new.",
    ),
    traps={
        "KeyError: ...": "the first time a pair comes along, there is no count yet: `counts.get(pair, 0)`, a `Counter` or a `defaultdict(int)`.",
        "ValueError: too many values to unpack (expected 2)": "`for word, count in words:` unpacks the word itself. `words.items()` gives words with their counts.",
        "TypeError: unhashable type: 'list'": "a pair is a key, so it has to be a tuple.",
        "IndexError: tuple index out of range": "the last token has none after it.",
    },
)

TOKENS = [b"a", b"b", b"c", b"ab", b" a", b"\xc3", b"\xa9"]


def drawn_words(draw: Draw, name: str, count: int, tokens: Sequence[bytes] = TOKENS) -> dict[tuple[bytes, ...], int]:
    """Words of one to five drawn tokens, and how often they occur."""
    lengths = draw.integers(f"{name} lengths", count, low=1, high=6).tolist()
    often = draw.integers(f"{name} counts", count, low=1, high=9).tolist()
    drawn = [draw.integers(f"{name} {i}", length, high=len(tokens)).tolist() for i, length in enumerate(lengths)]
    return {tuple(tokens[i] for i in word): n for word, n in zip(drawn, often, strict=True)}


@count_pairs.probe("counts neighbours, each as often as its word occurs")
def drawn_pairs(count_pairs: Callable, draw: Draw) -> Any:
    words = {(b"l", b"o", b"w"): 5, (b"l", b"o", b"w", b"er"): 2, (b"lo", b"l", b"o"): 3} | drawn_words(
        draw, "words", 8
    )
    once = {tuple(dict.fromkeys(word)): count for word, count in words.items()}  # runs have a probe of their own
    return count_pairs(once)


@count_pairs.probe("counts every place where two tokens meet, in a run too")
def pairs_in_runs(count_pairs: Callable, draw: Draw) -> Any:
    often = draw.integers("counts", 3, low=2, high=9).tolist()
    words = [(b"a",) * 5, (b"b", b"a", b"a", b"a"), (b"c", b"c", b"b", b"c", b"c")]
    return count_pairs(dict(zip(words, often, strict=True)))


@count_pairs.probe("has pairs of bytes for keys", rung="edges")
def kinds_of_keys(count_pairs: Callable, draw: Draw) -> Any:
    found = count_pairs({(b"a", b"bc", b"a"): draw.integers("count", 1, low=2, high=9).tolist()[0]})
    return [isinstance(one, tuple) and all(isinstance(token, bytes) for token in one) for one in found]


@count_pairs.probe("leaves the words as they were", rung="invariants")
def words_stay(count_pairs: Callable, draw: Draw) -> Any:
    words = drawn_words(draw, "words", 4)
    return [count_pairs(words), words]


@count_pairs.probe("finds nothing where no two tokens meet", rung="edges")
def no_pairs(count_pairs: Callable, draw: Draw) -> Any:
    often = draw.integers("counts", 3, low=2, high=9).tolist()
    return {
        "no words": count_pairs({}),
        "single tokens": count_pairs({(b"a",): often[0], (b"bc",): often[1]}),
        "one pair": count_pairs({(b"a", b"bc"): often[2], (b"a",): 1}),
    }


# merge_pair ----------------------------------------------------------------------------

merge_pair = Exercise(
    "merge_pair",
    points=1,
    hints=(
        "Walk through the tokens with a position of your own. If the pair stands here, append one merged token and go two places ahead; if not, append "
        "the token and go one place ahead.",
        "```python\n"
        "merged, at = [], 0\n"
        "while at < len(tokens):\n"
        "    ...  # the pair stands at `at`: append both joined, at += 2\n"
        "    ...  # else: append the token, at += 1\n"
        "return ...  # as a tuple\n"
        "```",
        "`tokens[at : at + 2] == pair` asks whether the pair stands here, and is False at the last token without raising. Bytes are joined by `+`.",
    ),
    traps={
        "TypeError: unhashable type: 'list'": "a list came back. Words are keys of a dict, so return `tuple(merged)`.",
        "IndexError: tuple index out of range": "the last token has none after it: compare a slice, `tokens[at : at + 2] == pair`, or stop one earlier and do not lose the last.",
        "AttributeError: 'tuple' object has no attribute 'append'": "collect in a list, and make a tuple of it at the end.",
        "TypeError: sequence item 0: expected str instance, bytes found": 'tokens are bytes, so join them by `b"".join(...)`, or by `+`.',
    },
)


@merge_pair.probe("joins the pair wherever it stands, and nothing else")
def drawn_tokens(merge_pair: Callable, draw: Draw) -> Any:
    tokens = tuple([b"a", b"b", b"ab", b"c"][i] for i in draw.integers("tokens", 14, high=4).tolist())
    word = (b"b", b"a", *tokens, b"a", b"b", b"c", b"a", b"b", b"a", b"a", b"b", b"b")
    half = (b"\xe6", b"\x97")  # no text by themselves
    return [merge_pair(word, (b"a", b"b")), merge_pair(word, (b"ab", b"c")), merge_pair((*word[:3], *half), half)]


@merge_pair.probe("goes from left to right, and uses no token twice")
def merge_in_runs(merge_pair: Callable, draw: Draw) -> Any:
    lengths = draw.integers("lengths", 2, low=1, high=4).tolist()
    odd, even = 2 * lengths[0] + 1, 2 * lengths[1]
    return [
        merge_pair((b"a",) * odd, (b"a", b"a")),
        merge_pair((b"b", *(b"a",) * odd, b"c", *(b"a",) * even), (b"a", b"a")),
    ]


@merge_pair.probe("compares tokens, and not the bytes that they have together")
def the_same_bytes(merge_pair: Callable, draw: Draw) -> Any:
    words = [(b"a", b"bc"), (b"ab", b"c"), (b"a", b"b", b"c"), (b"abc",), (b"cab", b"c"), (b"ab", b"cc")]
    return [merge_pair(word + words[0], (b"ab", b"c")) for word in in_drawn_order(draw, "order", words)]


@merge_pair.probe("returns a tuple, which can be a key", rung="invariants")
def as_a_key(merge_pair: Callable, draw: Draw) -> Any:
    often = draw.integers("count", 1, low=2, high=9).tolist()[0]
    return {merge_pair((b"c", b"a", b"b", b"a"), (b"a", b"b")): often}


@merge_pair.probe("works for no tokens, for one, and for a pair that is not there", rung="edges")
def few_tokens(merge_pair: Callable, draw: Draw) -> Any:
    token = [b"a", b"b", b"ab"][draw.integers("token", 1, high=3).tolist()[0]]
    pair = (b"a", b"b")
    return {
        "none": merge_pair((), pair),
        "one": merge_pair((token,), pair),
        "the pair alone": merge_pair(pair, pair),
        "turned round": merge_pair((b"b", b"a"), pair),
        "not there": merge_pair((b"c", b"a", b"c", b"b"), pair),
    }
