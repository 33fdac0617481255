"""Lesson 13: counting and merging pairs."""

import functools
import itertools
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.variants import correct, disguise, slips, unlisted

# count_pairs, right ----------------------------------------------------------------------------


def by_counter(words: Any) -> Any:
    total: Counter = Counter()
    for word, often in words.items():
        total.update({pair: often * n for pair, n in Counter(itertools.pairwise(word)).items()})
    return total


slips(
    "count_pairs",
    by_counter,
    {
        "words counted once": {"often * n": "n"},
        "a pair counted once in a word": {"often * n": "often"},
        "the order of the pair ignored": {
            "Counter(itertools.pairwise(word))": "Counter(tuple(sorted(pair)) for pair in itertools.pairwise(word))"
        },
        "joined tokens for keys": {
            "Counter(itertools.pairwise(word))": "Counter(left + right for left, right in itertools.pairwise(word))"
        },
        "every second pair": {"itertools.pairwise(word)": "zip(word[::2], word[1::2])"},
        "tokens that do not stand side by side": {"itertools.pairwise(word)": "itertools.combinations(word, 2)"},
        "tokens counted, not pairs": {"itertools.pairwise(word)": "word"},
        "the last pair missing": {"itertools.pairwise(word)": "itertools.pairwise(word[:-1])"},
        "counts overwritten": {"total: Counter = Counter()": "total: dict = {}"},
        "only the first word counted": {"    return total": "        return total"},
    },
)


def by_defaultdict(words: Any) -> Any:
    found = defaultdict(int)
    for word in words:
        for i in range(len(word) - 1):
            found[word[i], word[i + 1]] += words[word]
    return found


slips(
    "count_pairs",
    by_defaultdict,
    {
        "words counted once": {"+= words[word]": "+= 1"},
        "the order of the pair ignored": {"[word[i], word[i + 1]]": "[tuple(sorted(word[i : i + 2]))]"},
        "joined tokens for keys": {"[word[i], word[i + 1]]": "[word[i] + word[i + 1]]"},
        "every second pair": {"range(len(word) - 1)": "range(0, len(word) - 1, 2)"},
        "tokens that do not stand side by side": {
            "for i in range(len(word) - 1)": "for i, j in itertools.combinations(range(len(word)), 2)",
            "word[i + 1]": "word[j]",
        },
        "tokens counted, not pairs": {
            "range(len(word) - 1)": "range(len(word))",
            "[word[i], word[i + 1]]": "[word[i]]",
        },
        "the last pair missing": {"len(word) - 1": "len(word) - 2"},
        "counts overwritten": {"+= words": "= words"},
        "the first time counted otherwise": {"defaultdict(int)": "defaultdict(lambda: 1)"},
        "only the first word counted": {"    return found": "        return found"},
        "words counted once + the last pair missing": {"len(word) - 1": "len(word) - 2", "+= words[word]": "+= 1"},
    },
)


def by_walking(words: Any) -> Any:
    found: dict = {}
    for word, n in words.items():
        at = 1
        while at < len(word):
            here = word[at - 1 : at + 1]
            if here in found:
                found[here] += n
            else:
                found[here] = n
            at += 1
    return found


slips(
    "count_pairs",
    by_walking,
    {
        "words counted once": {"+= n": "+= 1", "= n\n            at": "= 1\n            at"},
        "runs counted without overlap": {"at += 1": "at += 2 if word[at : at + 2] == here else 1"},
        "the order of the pair ignored": {"word[at - 1 : at + 1]": "tuple(sorted(word[at - 1 : at + 1]))"},
        "joined tokens for keys": {"word[at - 1 : at + 1]": 'b"".join(word[at - 1 : at + 1])'},
        "every second pair": {"at += 1": "at += 2"},
        "the last pair missing": {"at < len(word)": "at < len(word) - 1"},
        "counts overwritten": {"+= n": "= n"},
        "the first time counted otherwise": [
            {"= n\n            at": "= 0\n            at"},
            {"= n\n            at": "= 1\n            at"},
        ],
        "only the first word counted": {"    return found": "        return found"},
    },
)


def by_deque(words: Any) -> Any:
    found: dict = {}
    for word, n in words.items():
        window: deque = deque(maxlen=2)
        for token in word:
            window.append(token)
            if len(window) == 2:
                found.setdefault(tuple(window), 0)
                found[tuple(window)] += n
    return found


slips(
    "count_pairs",
    by_deque,
    {
        "words counted once": {"+= n": "+= 1"},
        "every second pair": {"+= n": "+= n\n                window.clear()"},
        "the last pair missing": {"in word:": "in word[:-1]:"},
        "counts overwritten": {"+= n": "= n"},
        "the first time counted otherwise": {"tuple(window), 0": "tuple(window), 1"},
        "joined tokens for keys": {
            "setdefault(tuple(window)": 'setdefault(b"".join(window)',
            "found[tuple(window)]": 'found[b"".join(window)]',
        },
    },
)


def by_repetition(words: Any) -> Any:
    everything = itertools.chain.from_iterable(itertools.repeat(word, n) for word, n in words.items())
    return dict(Counter(pair for word in everything for pair in itertools.pairwise(word)))


slips(
    "count_pairs",
    by_repetition,
    {
        "words counted once": {"itertools.repeat(word, n)": "[word]"},
        "a pair counted once in a word": {"in itertools.pairwise(word)": "in set(itertools.pairwise(word))"},
        "tokens that do not stand side by side": {"itertools.pairwise(word)": "itertools.combinations(word, 2)"},
        "tokens counted, not pairs": {"in itertools.pairwise(word)": "in word"},
        "the order of the pair ignored": {"Counter(pair": "Counter((min(pair), max(pair))"},
        "words counted once + a pair counted once in a word": {
            "itertools.repeat(word, n)": "[word]",
            "in itertools.pairwise(word)": "in set(itertools.pairwise(word))",
        },
    },
)


@correct("count_pairs")
def by_sorting(words: Any) -> Any:
    pairs = sorted((word[i : i + 2], n) for word, n in words.items() for i in range(len(word) - 1))
    return {pair: sum(n for _, n in group) for pair, group in itertools.groupby(pairs, lambda one: one[0])}


@correct("count_pairs")
def by_reduce(words: Any) -> Any:
    def add(found: dict, item: Any) -> dict:
        (left, right), n = item
        return {**found, (left, right): found.get((left, right), 0) + n}

    return functools.reduce(add, ((pair, n) for word, n in words.items() for pair in neighbours(word)), {})


# count_pairs, wrong ----------------------------------------------------------------------------


def counting(pairs: Callable[[Any], Any], add: Callable[[int, int], int] = lambda old, n: old + n) -> Callable:
    """A count from what it takes of a word, and how it adds."""

    def count(words: Any) -> Any:
        found: dict = {}
        for word in words:
            for pair in pairs(word):
                found[pair] = add(found.setdefault(pair, 0), words[word])
        return found

    return count


def neighbours(word: Any) -> list:
    return [(word[i - 1], word[i]) for i in range(1, len(word))]


def greedy(word: Any) -> list:
    """Pairs that could be merged at once."""
    found, free = [], 0
    for i, pair in enumerate(neighbours(word)):
        if i < free and found and found[-1] == pair:
            continue
        found.append(pair)
        free = i + 2
    return found


def once(word: Any) -> Any:
    return dict.fromkeys(neighbours(word))


def ordered(word: Any) -> list:
    return [tuple(sorted(pair)) for pair in neighbours(word)]


def in_steps(word: Any) -> list:
    return [(word[i], word[i + 1]) for i in range(0, len(word) - 1, 2)]


def all_but_last(word: Any) -> list:
    return neighbours(word)[:-1]


COUNTS = {
    "words counted once": counting(neighbours, lambda old, n: old + 1),
    "a pair counted once in a word": counting(once),
    "runs counted without overlap": counting(greedy),
    "the order of the pair ignored": counting(ordered),
    "joined tokens for keys": counting(lambda word: [b"".join(pair) for pair in neighbours(word)]),
    "every second pair": counting(in_steps),
    "tokens that do not stand side by side": counting(lambda word: itertools.combinations(word, 2)),
    "tokens counted, not pairs": counting(list),
    "the last pair missing": counting(all_but_last),
    "counts overwritten": counting(neighbours, lambda old, n: n),
    "the first time counted otherwise": counting(neighbours, lambda old, n: old + n if old else n + 1),
}
for mistake, function in COUNTS.items():
    disguise("count_pairs", mistake)(function)


@disguise("count_pairs", "the count multiplied by itself")
def for_each_occurrence(words: Any) -> Any:
    found: Counter[Any] = Counter()
    for word in words:
        for _ in range(words[word]):
            for pair in neighbours(word):
                found[pair] += words[word]
    return dict(found)


@disguise("count_pairs", "only the first word counted")
def leaves_early(words: Any) -> Any:
    return by_counter(dict([next(iter(words.items()))])) if words else None


class Pair(NamedTuple):
    """Equals the plain tuple."""

    left: bytes
    right: bytes


@correct("count_pairs")
def by_named_tuples(words: Any) -> Any:
    return {Pair(*pair): n for pair, n in by_counter(words).items()}


@disguise("count_pairs", "some pairs left out")
def more_than_once(words: Any) -> Any:
    return {pair: n for pair, n in by_counter(words).items() if n > 1}


@disguise("count_pairs", "the last token meets the first")
def round_the_corner(words: Any) -> Any:
    return counting(lambda word: [*neighbours(word), (word[-1], word[0])])(words)


@disguise("count_pairs", "pairs counted across words")
def across_words(words: Any) -> Any:
    return dict(Counter(neighbours([token for word, n in words.items() for _ in range(n) for token in word])))


@disguise("count_pairs", "some pairs left out")
def most_common_only(words: Any) -> Any:
    return dict(by_counter(words).most_common(3))


@disguise("count_pairs", "no dict comes back")
def a_list_of_pairs(words: Any) -> Any:
    return list(by_counter(words).items())


@disguise("count_pairs", "right before left")
def right_before_left(words: Any) -> Any:
    return {(right, left): n for (left, right), n in by_counter(words).items()}


@disguise("count_pairs", "shares instead of counts")
def shares(words: Any) -> Any:
    found = by_counter(words)
    return {pair: n / max(1, sum(found.values())) for pair, n in found.items()}


@disguise("count_pairs", "pairs counted across words")
def last_of_the_word_before(words: Any) -> Any:
    found, before = Counter(), b""
    for word, n in words.items():
        for token in word:
            if before:
                found[before, token] += n
            before = token
    return found


@disguise("count_pairs", "the first pair missing")
def from_the_second_on(words: Any) -> Any:
    found: Counter = Counter()
    for word in words:
        for i in range(1, len(word) - 1):
            found[word[i : i + 2]] += words[word]
    return found


@disguise("count_pairs", "equal neighbours left out")
def different_ones(words: Any) -> Any:
    return {pair: n for pair, n in by_counter(words).items() if len(set(pair)) == 2}


@disguise("count_pairs", "counted in the joined bytes")
def in_one_string(words: Any) -> Any:
    found: Counter = Counter()
    for word, n in words.items():
        whole = bytes(itertools.chain(*word))
        for left, right in dict.fromkeys(neighbours(word)):
            found[left, right] += whole.count(left + right) * n
    return found


@disguise("count_pairs", "only the last word counted")
def a_dict_each_time(words: Any) -> Any:
    found: Counter = Counter()
    for word, n in words.items():
        found = Counter({pair: n * often for pair, often in Counter(neighbours(word)).items()})
    return found


@disguise("count_pairs", "runs counted without overlap")
def a_run_once(words: Any) -> Any:
    return counting(lambda word: [pair for pair, _ in itertools.groupby(neighbours(word))])(words)


@disguise("count_pairs", "runs counted without overlap")
def two_further(words: Any) -> Any:
    found: Counter = Counter()
    for word, n in words.items():
        at = 0
        while at + 1 < len(word):
            found[word[at], word[at + 1]] += n
            at += 1 + (word[at] == word[at + 1])
    return found


@disguise("count_pairs", "counts overwritten")
def the_first_one_stays(words: Any) -> Any:
    found: dict = {}
    for word in words:
        for pair in neighbours(word):
            if pair not in found:
                found[pair] = words[word]
    return found


@disguise("count_pairs", "the first time counted otherwise")
def once_more(words: Any) -> Any:
    found: dict = {}
    for word, n in words.items():
        for pair in neighbours(word):
            if pair in found:
                found[pair] += 1
            else:
                found[pair] = n
    return found


# merge_pair, right ----------------------------------------------------------------------------


def by_iterator(tokens: Any, pair: Any) -> Any:
    rest, out = deque(tokens), []
    while rest:
        token = rest.popleft()
        if rest and (token, rest[0]) == pair:
            token += rest.popleft()
        out.append(token)
    return tuple(out)


slips(
    "merge_pair",
    by_iterator,
    {
        "merged from right to left": {
            "deque(tokens)": "deque(tokens[::-1])",
            "(token, rest[0])": "(rest[0], token)",
            "token += rest.popleft()": "token = rest.popleft() + token",
            "tuple(out)": "tuple(out[::-1])",
        },
        "only the first occurrence merged": {"token += rest.popleft()": "return (*out, token + rest.popleft(), *rest)"},
        "the right token stays behind": {"token += rest.popleft()": "token += rest[0]"},
        "joined the wrong way round": {"token += rest.popleft()": "token = rest.popleft() + token"},
        "a turned pair merged too": {"(token, rest[0]) == pair": "{token, rest[0]} == set(pair)"},
        "the last token lost": {"while rest:": "while len(rest) > 1:"},
        "joined bytes compared": {"(token, rest[0]) == pair": 'token + rest[0] == b"".join(pair)'},
        "the pair itself put down": {"token += rest.popleft()": "token = (token, rest.popleft())"},
        "a list comes back": {"tuple(out)": "out"},
        "the last token lost + a list comes back": {"tuple(out)": "out", "while rest:": "while len(rest) > 1:"},
    },
)


def by_recursion(tokens: Any, pair: Any) -> Any:
    if len(tokens) < 2:
        return tuple(tokens)
    if tokens[:2] == pair:
        return (b"".join(pair), *by_recursion(tokens[2:], pair))
    return (tokens[0], *by_recursion(tokens[1:], pair))


slips(
    "merge_pair",
    by_recursion,
    {
        "only the first occurrence merged": {"*by_recursion(tokens[2:], pair)": "*tokens[2:]"},
        "the right token stays behind": {"tokens[2:]": "tokens[1:]"},
        "joined the wrong way round": {'b"".join(pair)': 'b"".join(reversed(pair))'},
        "a turned pair merged too": [
            {"tokens[:2] == pair": "sorted(tokens[:2]) == sorted(pair)", 'b"".join(pair)': "tokens[0] + tokens[1]"},
            {"tokens[:2] == pair": "set(tokens[:2]) == set(pair)"},
        ],
        "the last token lost": {"return tuple(tokens)": "return ()"},
        "joined bytes compared": {"tokens[:2] == pair": 'b"".join(tokens[:2]) == b"".join(pair)'},
        "the pair itself put down": {'b"".join(pair)': "pair"},
    },
)


def by_skipping(tokens: Any, pair: Any) -> Any:
    left, right = pair
    skip, out = False, ()
    for i, token in enumerate(tokens):
        if skip:
            skip = False
        elif token == left and tokens[i + 1 : i + 2] == (right,):
            out += (left + right,)
            skip = True
        else:
            out += (token,)
    return out


slips(
    "merge_pair",
    by_skipping,
    {
        "a token used twice": {
            "if skip:\n            skip = False\n        elif token": "if token",
            "else:": "elif skip:\n            skip = False\n        else:",
        },
        "only the first occurrence merged": {"skip = True": "return out + tokens[i + 2 :]"},
        "the right token stays behind": {"            skip = True\n": ""},
        "joined the wrong way round": {"left + right": "right + left"},
        "a turned pair merged too": {
            "token == left and tokens[i + 1 : i + 2] == (right,)": "tokens[i : i + 2] in [(left, right), (right, left)]"
        },
        "the last token lost": {"enumerate(tokens)": "enumerate(tokens[:-1])"},
        "joined bytes compared": {
            "token == left and tokens[i + 1 : i + 2] == (right,)": 'b"".join(tokens[i : i + 2]) == left + right'
        },
        "the pair itself put down": {"(left + right,)": "((left, right),)"},
        "a list comes back": {"return out": "return list(out)"},
        "the right token stays behind + joined the wrong way round": {
            "left + right": "right + left",
            "            skip = True\n": "",
        },
    },
)


def by_list_surgery(tokens: Any, pair: Any) -> Any:
    out, i = list(tokens), 0
    while i + 1 < len(out):
        if out[i] == pair[0] and out[i + 1] == pair[1]:
            out[i : i + 2] = [out[i] + out[i + 1]]
        i += 1
    return tuple(out)


slips(
    "merge_pair",
    by_list_surgery,
    {
        "merged from right to left": {
            "list(tokens), 0": "list(tokens), len(tokens) - 2",
            "i + 1 < len(out)": "i >= 0",
            "i += 1": "i -= 1",
        },
        "only the first occurrence merged": {"out[i + 1]]": "out[i + 1]]\n            break"},
        "the right token stays behind": {"i : i + 2": "i : i + 1"},
        "joined the wrong way round": {"[out[i] + out[i + 1]]": "[out[i + 1] + out[i]]"},
        "a turned pair merged too": {
            "out[i] == pair[0] and out[i + 1] == pair[1]": "{out[i], out[i + 1]} == set(pair)"
        },
        "joined bytes compared": {
            "out[i] == pair[0] and out[i + 1] == pair[1]": "out[i] + out[i + 1] == pair[0] + pair[1]"
        },
        "the pair itself put down": {"[out[i] + out[i + 1]]": "[pair]"},
        "a list comes back": {"tuple(out)": "out"},
    },
)


@correct("merge_pair")
def by_names(tokens: Any, pair: Any) -> Any:
    """Every token a letter, the pair two letters, and the work done by `str.replace`."""
    names = {token: chr(0x4E00 + i) for i, token in enumerate(dict.fromkeys([*pair, *tokens]))}
    spelled = {name: token for token, name in names.items()} | {"#": pair[0] + pair[1]}
    text = "".join(names[token] for token in tokens).replace(names[pair[0]] + names[pair[1]], "#")
    return tuple(spelled[name] for name in text)


@correct("merge_pair")
def by_index(tokens: Any, pair: Any) -> Any:
    spots, last = [], -2
    for i in range(len(tokens) - 1):
        if (tokens[i], tokens[i + 1]) == tuple(pair) and i > last + 1:
            spots.append(i)
            last = i
    gone = {i + 1 for i in spots}
    return tuple(token + tokens[i + 1] if i in spots else token for i, token in enumerate(tokens) if i not in gone)


# merge_pair, wrong ----------------------------------------------------------------------------


@disguise("merge_pair", "merged from right to left")
def from_the_end(tokens: Any, pair: Any) -> Any:
    out, i = [], len(tokens) - 1
    while i >= 0:
        if i > 0 and tokens[i - 1 : i + 1] == pair:
            out.insert(0, tokens[i - 1] + tokens[i])
            i -= 2
        else:
            out.insert(0, tokens[i])
            i -= 1
    return tuple(out)


@disguise("merge_pair", "a token used twice")
def looks_back(tokens: Any, pair: Any) -> Any:
    out = []
    for i, token in enumerate(tokens):
        if tokens[i : i + 2] == pair:
            out.append(pair[0] + pair[1])
        elif i == 0 or tokens[i - 1 : i + 1] != pair:
            out.append(token)
    return tuple(out)


@disguise("merge_pair", "only the first occurrence merged")
def just_one(tokens: Any, pair: Any) -> Any:
    spot = next((i for i, one in enumerate(neighbours(tokens)) if one == pair), None)
    return tokens if spot is None else (*tokens[:spot], b"".join(pair), *tokens[spot + 2 :])


@disguise("merge_pair", "the right token stays behind")
def twice(tokens: Any, pair: Any) -> Any:
    following = [*tokens[1:], None]
    return tuple(one + two if (one, two) == pair else one for one, two in zip(tokens, following, strict=True))


@disguise("merge_pair", "joined the wrong way round")
def backwards(tokens: Any, pair: Any) -> Any:
    out, skip = [], False
    for i, token in enumerate(tokens):
        if skip:
            skip = False
            continue
        skip = tokens[i : i + 2] == pair
        out.append(pair[1] + pair[0] if skip else token)
    return tuple(out)


@disguise("merge_pair", "a turned pair merged too")
def both_ways(tokens: Any, pair: Any) -> Any:
    out, i = [], 0
    while i < len(tokens):
        here = sorted(tokens[i : i + 2]) == sorted(pair)
        out.append(tokens[i] + tokens[i + 1] if here else tokens[i])
        i += 2 if here else 1
    return tuple(out)


@disguise("merge_pair", "the last token lost")
def too_short(tokens: Any, pair: Any) -> Any:
    out, i = (), 0
    while i + 1 < len(tokens):
        here = (tokens[i], tokens[i + 1]) == pair
        out += (b"".join(pair),) if here else (tokens[i],)
        i += 1 + here
    return out


@disguise("merge_pair", "joined bytes compared")
def by_joined_bytes(tokens: Any, pair: Any) -> Any:
    wanted, out, i = pair[0] + pair[1], [], 0
    while i < len(tokens):
        if i + 1 < len(tokens) and tokens[i] + tokens[i + 1] == wanted:
            out.append(wanted)
            i += 2
        else:
            out.append(tokens[i])
            i += 1
    return tuple(out)


@disguise("merge_pair", "the pair itself put down")
def nested_pair(tokens: Any, pair: Any) -> Any:
    out, rest = [], list(tokens)
    while rest:
        here = tuple(rest[:2]) == tuple(pair)
        out.append(pair if here else rest[0])
        rest = rest[2:] if here else rest[1:]
    return tuple(out)


@disguise("merge_pair", "a list comes back")
def still_a_list(tokens: Any, pair: Any) -> Any:
    return [*by_iterator(tokens, pair)]


@disguise("merge_pair", "the pair found inside tokens")
def by_replace(tokens: Any, pair: Any) -> Any:
    """Joins, replaces, and splits: the halves also match at the ends of longer tokens."""
    joined = b"|".join(tokens).replace(b"|".join(pair), b"".join(pair))
    return tuple(joined.split(b"|")) if tokens else ()


@disguise("merge_pair", "the pair found inside tokens")
def by_replace_in_nothing(tokens: Any, pair: Any) -> Any:
    return tuple(b"|".join(tokens).replace(b"|".join(pair), b"".join(pair)).split(b"|"))


@unlisted("merge_pair")
def text_only(tokens: Any, pair: Any) -> Any:
    return tuple(token.decode(errors="ignore").encode() for token in by_iterator(tokens, pair))


@disguise("merge_pair", "only the last occurrence merged")
def only_the_last_place(tokens: Any, pair: Any) -> Any:
    spots = [i for i, one in enumerate(neighbours(tokens)) if one == pair]
    return (*tokens[: spots[-1]], b"".join(pair), *tokens[spots[-1] + 2 :]) if spots else tokens


@unlisted("merge_pair")
def everything_joined(tokens: Any, pair: Any) -> Any:
    return (b"".join(tokens),) if pair in neighbours(tokens) else tuple(tokens)


@unlisted("merge_pair")
def as_text(tokens: Any, pair: Any) -> Any:
    return tuple(token.decode("latin-1") for token in by_iterator(tokens, pair))


@unlisted("merge_pair")
def the_rest_dropped(tokens: Any, pair: Any) -> Any:
    return tuple(token for token in by_iterator(tokens, pair) if token == b"".join(pair)) or tokens


@disguise("merge_pair", "the pair found inside tokens")
def ends_and_beginnings(tokens: Any, pair: Any) -> Any:
    out: list[bytes] = []
    rest = list(tokens)
    while rest:
        token = rest.pop(0)
        if rest and token.endswith(pair[0]) and rest[0].startswith(pair[1]):
            token += rest.pop(0)
        out.append(token)
    return tuple(out)


@disguise("merge_pair", "the last place not looked at")
def not_at_the_end(tokens: Any, pair: Any) -> Any:
    return (*by_iterator(tokens[:-1], pair), *tokens[-1:])


@disguise("merge_pair", "a whole run joined")
def by_runs(tokens: Any, pair: Any) -> Any:
    out: list[bytes] = []
    for before, token in zip((None, *tokens), tokens, strict=False):
        if (before, token) == pair:
            out[-1] += token
        else:
            out.append(token)
    return tuple(out)


@disguise("merge_pair", "the merged token not put down")
def taken_away(tokens: Any, pair: Any) -> Any:
    marked = by_iterator(tokens, pair)
    out, at = [], 0
    for token in marked:
        whole = token == tokens[at]
        out += [token] if whole else []
        at += 1 if whole else 2
    return tuple(out)


@disguise("merge_pair", "both halves stay beside the merged token")
def beside_its_halves(tokens: Any, pair: Any) -> Any:
    out, at = [], 0
    for token in by_iterator(tokens, pair):
        step = 1 if token == tokens[at] else 2
        out += [*tokens[at : at + 2], token] if step == 2 else [token]
        at += step
    return tuple(out)


# merge_pair, wrong in ways that came later --------------------------------------------------------------------


def walked(tokens: Any, pair: Any) -> list[tuple[int, bool]]:
    """Where a token of the result begins, and whether it is a merged one."""
    found, at = [], 0
    while at < len(tokens):
        found.append((at, tokens[at : at + 2] == tuple(pair)))
        at += 1 + found[-1][1]
    return found


@disguise("merge_pair", "one half stays beside the merged token")
def and_the_right(tokens: Any, pair: Any) -> Any:
    parts = [[b"".join(pair), pair[1]] if merged else [tokens[at]] for at, merged in walked(tokens, pair)]
    return tuple(itertools.chain(*parts))


@disguise("merge_pair", "the token after a merge lost")
def three_wide(tokens: Any, pair: Any) -> Any:
    if not tokens:
        return ()
    if tokens[:2] == pair:
        return (tokens[0] + tokens[1], *three_wide(tokens[3:], pair))
    return (tokens[0], *three_wide(tokens[1:], pair))


@disguise("merge_pair", "the token after a merge not looked at")
def one_too_far(tokens: Any, pair: Any) -> Any:
    out = list(tokens)
    places = iter(range(len(out)))
    for at in places:
        if tuple(out[at : at + 2]) == pair:
            out[at : at + 2] = [b"".join(pair)]
            next(places, None)
    return tuple(out)


@disguise("merge_pair", "the rest of the word lost")
def up_to_the_first(tokens: Any, pair: Any) -> Any:
    out: list[bytes] = []
    for at, merged in walked(tokens, pair):
        out.append(b"".join(pair) if merged else tokens[at])
        if merged:
            break
    return tuple(out)


@disguise("merge_pair", "half of the pair compared")
def the_left_will_do(tokens: Any, pair: Any) -> Any:
    queue, out = deque(tokens), []
    while queue:
        first = queue.popleft()
        out.append(first + queue.popleft() if queue and first == pair[0] else first)
    return tuple(out)


@disguise("merge_pair", "the pair looked for the wrong way round")
def turned_alone(tokens: Any, pair: Any) -> Any:
    return tuple(tokens[at] + tokens[at + 1] if merged else tokens[at] for at, merged in walked(tokens, pair[::-1]))


@disguise("merge_pair", "the first token lost")
def from_the_second(tokens: Any, pair: Any) -> Any:
    rest = tokens[1:]
    return tuple(rest[at] + rest[at + 1] if merged else rest[at] for at, merged in walked(rest, pair))


@disguise("merge_pair", "a half put down for the whole")
def the_right_alone(tokens: Any, pair: Any) -> Any:
    return tuple(tokens[at + merged] for at, merged in walked(tokens, pair))


@disguise("merge_pair", "only merged tokens kept")
def merged_alone(tokens: Any, pair: Any) -> Any:
    return (pair[0] + pair[1],) * sum(merged for _, merged in walked(tokens, pair))


@disguise("merge_pair", "something between the halves")
def with_a_space(tokens: Any, pair: Any) -> Any:
    return tuple(b" ".join(tokens[at : at + 1 + merged]) for at, merged in walked(tokens, pair))


@disguise("merge_pair", "the merged token put down twice")
def held_again(tokens: Any, pair: Any) -> Any:
    parts = [[b"".join(pair)] * 2 if merged else [tokens[at]] for at, merged in walked(tokens, pair)]
    return tuple(itertools.chain(*parts))


@disguise("merge_pair", "nothing is merged")
def untouched(tokens: Any, pair: Any) -> Any:
    return tuple(tokens)


@disguise("merge_pair", "the tokens in reverse order")
def put_in_front(tokens: Any, pair: Any) -> Any:
    out: tuple[bytes, ...] = ()
    for at, merged in walked(tokens, pair):
        out = (b"".join(tokens[at : at + 1 + merged]), *out)
    return out


@disguise("merge_pair", "every second place only")
def by_twos(tokens: Any, pair: Any) -> Any:
    out: list[bytes] = []
    for at in range((len(tokens) + 1) // 2):
        two = tokens[2 * at : 2 * at + 2]
        out += [b"".join(two)] if two == pair else two
    return tuple(out)
