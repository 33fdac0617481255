"""Words to ids."""

import functools
import itertools
import operator
from collections import Counter, defaultdict
from typing import Any

from tests.variants import correct, disguise, slips, unlisted

SPECIALS = ("<pad>", "<bos>", "<eos>")


# Right, and slips in it ----------------------------------------------------------------------------


def found_in_loops(sentences: Any, specials: Any = SPECIALS) -> dict[str, int]:
    """Two loops, a list and `sort`; each id is how many there are."""
    found: list[str] = []
    for sentence in sentences:
        for token in sentence:
            if token not in found and token not in specials:
                found.append(token)
    found.sort()
    ids: dict[str, int] = {}
    for token in [*specials, *found]:
        ids[token] = len(ids)
    return ids


slips(
    "build_vocabulary",
    found_in_loops,
    {
        "special tokens behind the others": {"[*specials, *found]": "[*found, *specials]"},
        "ids from 1": {"len(ids)": "len(ids) + 1"},
        "in order of appearance": {"    found.sort()\n": ""},
        "characters instead of tokens": {"token in sentence:": 'token in "".join(sentence):'},
        "words joined": {"token in sentence:": 'token in [" ".join(sentence)]:'},
        "a special token numbered twice": {" and token not in specials": ""},
        "special tokens sorted in with the others": {
            "    found.sort()": "    found = sorted([*found, *specials])",
            "[*specials, *found]": "found",
        },
        "special tokens left out": {"[*specials, *found]": "found"},
        "ids to tokens": {"ids[token] = len(ids)": "ids[len(ids)] = token"},
        "special tokens sorted": {"[*specials, *": "[*sorted(specials), *"},
        "always the same special tokens": {"[*specials, *": "[*SPECIALS, *"},
        "every occurrence numbered": {"token not in found and ": ""},
        "made lower case": {"token in sentence:": "token in map(str.lower, sentence):"},
    },
)


def chained_and_zipped(sentences: Any, specials: Any = SPECIALS) -> dict[str, int]:
    """A chain, a difference of sets, and `zip` with a range."""
    words = set(itertools.chain.from_iterable(sentences)).difference(specials)
    order = list(specials) + sorted(words)
    return dict(zip(order, range(len(order)), strict=True))


slips(
    "build_vocabulary",
    chained_and_zipped,
    {
        "special tokens behind the others": {"list(specials) + sorted(words)": "sorted(words) + list(specials)"},
        "ids from 1": {"range(len(order))": "range(1, len(order) + 1)"},
        "in order of appearance": {
            "set(itertools.chain.from_iterable(sentences))": "dict.fromkeys(itertools.chain.from_iterable(sentences))",
            ".difference(specials)": "",
            "sorted(words)": "[word for word in words if word not in specials]",
        },
        "by frequency": {
            "set(itertools.chain.from_iterable(sentences)).difference(specials)": "Counter("
            "one for one in itertools.chain.from_iterable(sentences) if one not in specials)",
            "sorted(words)": "sorted(words, key=lambda one: (-words[one], one))",
        },
        "in the order of a set": {"sorted(words)": "list(words)"},
        "characters instead of tokens": {"from_iterable(sentences)": "from_iterable(itertools.chain(*sentences))"},
        "words joined": {"itertools.chain.from_iterable(sentences)": 'map(" ".join, sentences)'},
        "a special token numbered twice": {".difference(specials)": ""},
        "special tokens sorted in with the others": {"list(specials) + sorted(words)": "sorted(words.union(specials))"},
        "special tokens left out": [
            {"list(specials) + ": ""},
            {"list(specials) + ": "", ".difference(specials)": ""},
        ],
        "ids to tokens": {"zip(order, range(len(order)), strict=True)": "enumerate(order)"},
        "special tokens sorted": {"list(specials)": "sorted(specials)"},
        "always the same special tokens": {"list(specials)": "list(SPECIALS)"},
        "every occurrence numbered": {
            "set(itertools.chain.from_iterable(sentences)).difference(specials)": "[one for sentence in sentences "
            "for one in sentence if one not in specials]"
        },
        "made lower case": {"sorted(words)": "sorted(word.lower() for word in words)"},
        "special tokens behind the others + ids from 1": {
            "list(specials) + sorted(words)": "sorted(words) + list(specials)",
            "range(len(order))": "range(1, len(order) + 1)",
        },
    },
)


def counted_first(sentences: Any, specials: Any = SPECIALS) -> dict[str, int]:
    """A Counter from which the special tokens are taken; the two kinds are numbered one after the other."""
    counts: Counter = Counter()
    for sentence in sentences:
        counts.update(sentence)
    for token in specials:
        counts.pop(token, None)
    ids = {token: place for place, token in enumerate(specials)}
    for place, token in enumerate(sorted(counts), start=len(specials)):
        ids[token] = place
    return ids


slips(
    "build_vocabulary",
    counted_first,
    {
        "special tokens behind the others": {
            "enumerate(specials)": "enumerate(specials, start=len(counts))",
            "start=len(specials)": "start=0",
        },
        "ids from 1": {
            "enumerate(specials)": "enumerate(specials, 1)",
            "start=len(specials)": "start=1 + len(specials)",
        },
        "in order of appearance": {"sorted(counts)": "counts"},
        "by frequency": [
            {"sorted(counts)": "[token for token, _ in counts.most_common()]"},
            {"sorted(counts)": "sorted(counts, key=lambda token: (-counts[token], token))"},
        ],
        "characters instead of tokens": {"counts.update(sentence)": 'counts.update("".join(sentence))'},
        "words joined": {"counts.update(sentence)": 'counts[" ".join(sentence)] += 1'},
        "a special token numbered twice": {"    for token in specials:\n        counts.pop(token, None)\n": ""},
        "special tokens left out": {
            "{token: place for place, token in enumerate(specials)}": "{}",
            "start=len(specials)": "start=0",
        },
        "ids to tokens": {"{token: place for": "{place: token for", "ids[token] = place": "ids[place] = token"},
        "three special tokens taken for granted": {"start=len(specials)": "start=3"},
        "special tokens sorted": {"enumerate(specials)": "enumerate(sorted(specials))"},
        "always the same special tokens": {
            "enumerate(specials)": "enumerate(SPECIALS)",
            "start=len(specials)": "start=len(SPECIALS)",
        },
        "every occurrence numbered": {"enumerate(sorted(counts),": "enumerate(sorted(counts.elements()),"},
        "made lower case": {"counts.update(sentence)": "counts.update(token.lower() for token in sentence)"},
    },
)


def asked_for(sentences: Any, specials: Any = SPECIALS) -> dict[str, int]:
    """Whoever is not there yet gets the next id."""
    ids: dict[str, int] = {}
    for special in specials:
        ids.setdefault(special, len(ids))
    for token in sorted(itertools.chain(*sentences)):
        ids.setdefault(token, len(ids))
    return ids


slips(
    "build_vocabulary",
    asked_for,
    {
        "in order of appearance": {"sorted(itertools.chain(*sentences))": "itertools.chain(*sentences)"},
        "by frequency": {
            "sorted(itertools.chain(*sentences))": "dict(Counter(itertools.chain(*sentences)).most_common())"
        },
        "in the order of a set": {"sorted(": "set("},
        "characters instead of tokens": {
            "itertools.chain(*sentences)": "itertools.chain(*itertools.chain(*sentences))"
        },
        "words joined": {"itertools.chain(*sentences)": 'map(" ".join, sentences)'},
        "special tokens left out": {"    for special in specials:\n        ids.setdefault(special, len(ids))\n": ""},
        "special tokens sorted": {"in specials:": "in sorted(specials):"},
        "special tokens sorted in with the others": {
            "    for special in specials:\n        ids.setdefault(special, len(ids))\n": "",
            "sorted(itertools.chain(*sentences))": "sorted(itertools.chain(specials, *sentences))",
        },
        "always the same special tokens": {"in specials:": "in SPECIALS:"},
        "made lower case": {"ids.setdefault(token,": "ids.setdefault(token.lower(),"},
    },
)


# Right, in other ways ----------------------------------------------------------------------------


@correct("build_vocabulary")
def bv_chain(sentences: Any, specials: Any = SPECIALS) -> Any:
    others = set(itertools.chain(*sentences)).difference(specials)
    ids = defaultdict(itertools.count().__next__)
    for token in list(specials) + sorted(others):
        ids[token]
    return ids


@correct("build_vocabulary")
def bv_counter(sentences: Any, specials: Any = SPECIALS) -> Any:
    counts = functools.reduce(operator.add, map(Counter, sentences), Counter())
    for token in specials:
        del counts[token]
    first = {token: i for i, token in enumerate(specials)}
    return first | {token: i + len(specials) for i, token in enumerate(sorted(counts))}


@correct("build_vocabulary")
def bv_rank(sentences: Any, specials: Any = SPECIALS) -> Any:
    """The id of a token is how many tokens stand before it."""
    tokens = frozenset().union(*sentences) - frozenset(specials)
    ids = {token: list(specials).index(token) for token in specials}
    ids.update({token: len(specials) + sum(other < token for other in tokens) for token in tokens})
    return ids


@correct("build_vocabulary")
def bv_two_keys(sentences: Any, specials: Any = SPECIALS) -> Any:
    place = {token: i for i, token in enumerate(specials)}
    every = {*specials, *(token for sentence in sentences for token in sentence)}
    ordered = sorted(every, key=lambda token: (place.get(token, len(place)), token))
    return {ordered[i]: i for i in range(len(ordered))}


@correct("build_vocabulary")
def bv_groupby(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids = {}
    for token in specials:
        ids[token] = len(ids)
    for token, _ in itertools.groupby(sorted(token for sentence in sentences for token in sentence)):
        if token not in ids:
            ids[token] = len(ids)
    return ids


# Wrong ----------------------------------------------------------------------------


def others_of(sentences: Any, specials: Any) -> list[str]:
    return sorted({token for token in itertools.chain.from_iterable(sentences) if token not in specials})


@disguise("build_vocabulary", "special tokens behind the others")
def bv_behind(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids = dict(map(reversed, enumerate(others_of(sentences, specials))))
    for token in specials:
        ids[token] = len(ids)
    return ids


@disguise("build_vocabulary", "ids from 1")
def bv_from_one(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids: dict[str, int] = {}
    for token in itertools.chain(specials, others_of(sentences, specials)):
        ids[token] = len(ids) + 1
    return ids


@disguise("build_vocabulary", "in order of appearance")
def bv_appearance(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids = {token: i for i, token in enumerate(specials)}
    for sentence in sentences:
        for token in sentence:
            if token not in ids:
                ids[token] = len(ids)
    return ids


@disguise("build_vocabulary", "by frequency")
def bv_frequency(sentences: Any, specials: Any = SPECIALS) -> Any:
    counts: Counter = Counter()
    for sentence in sentences:
        counts.update(token for token in sentence if token not in specials)
    return {token: i for i, token in enumerate(list(specials) + [one for one, _ in counts.most_common()])}


@disguise("build_vocabulary", "in the order of a set")
def bv_set_loop(sentences: Any, specials: Any = SPECIALS) -> Any:
    seen = set()
    for sentence in sentences:
        for token in sentence:
            seen.add(token)
    ids = {token: i for i, token in enumerate(specials)}
    for token in seen:
        if token not in ids:
            ids[token] = len(ids)
    return ids


@disguise("build_vocabulary", "characters instead of tokens")
def bv_characters(sentences: Any, specials: Any = SPECIALS) -> Any:
    signs = set("".join("".join(sentence) for sentence in sentences)) - set(specials)
    return {token: i for i, token in enumerate(list(specials) + sorted(signs))}


@disguise("build_vocabulary", "words joined")
def bv_whole(sentences: Any, specials: Any = SPECIALS) -> Any:
    texts = {" ".join(sentence) for sentence in sentences}
    return {token: i for i, token in enumerate(list(specials) + sorted(texts))}


@disguise("build_vocabulary", "a special token numbered twice")
def bv_gaps(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids = {token: i for i, token in enumerate(specials)}
    for i, token in enumerate(sorted(set(itertools.chain(*sentences)))):
        if token not in ids:
            ids[token] = i + len(specials)
    return ids


@disguise("build_vocabulary", "special tokens sorted in with the others")
def bv_sorted_in(sentences: Any, specials: Any = SPECIALS) -> Any:
    return {token: i for i, token in enumerate(sorted({*specials, *itertools.chain(*sentences)}))}


@disguise("build_vocabulary", "special tokens left out")
def bv_left_out(sentences: Any, specials: Any = SPECIALS) -> Any:
    return {token: i for i, token in enumerate(others_of(sentences, specials))}


@disguise("build_vocabulary", "ids to tokens")
def bv_wrong_way(sentences: Any, specials: Any = SPECIALS) -> Any:
    ordered = [*specials, *others_of(sentences, specials)]
    return {i: ordered[i] for i in range(len(ordered))}


@disguise("build_vocabulary", "three special tokens taken for granted")
def bv_three(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids = {}
    for i in range(len(specials)):
        ids[specials[i]] = i
    for i, token in enumerate(others_of(sentences, specials), start=3):
        ids[token] = i
    return ids


@disguise("build_vocabulary", "made lower case")
def bv_lower(sentences: Any, specials: Any = SPECIALS) -> Any:
    low = [[token.lower() for token in sentence] for sentence in sentences]
    return {token: i for i, token in enumerate([*specials, *others_of(low, specials)])}


@unlisted("build_vocabulary")
def bv_unknown(sentences: Any, specials: Any = SPECIALS) -> Any:
    return {token: i for i, token in enumerate([*specials, "<unk>", *others_of(sentences, specials)])}


@disguise("build_vocabulary", "special tokens sorted")
def bv_sorted_specials(sentences: Any, specials: Any = SPECIALS) -> Any:
    return {token: i for i, token in enumerate(sorted(specials) + others_of(sentences, specials))}


@disguise("build_vocabulary", "every occurrence numbered")
def bv_repeated_first(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids = {special: i for i, special in enumerate(specials)}
    for i, token in enumerate(sorted(itertools.chain(*sentences)), len(ids)):
        if token not in ids:
            ids[token] = i
    return ids


@correct("build_vocabulary")
def bv_default_factory(sentences: Any, specials: Any = SPECIALS) -> Any:
    """A dict that grows by being asked."""
    ids: defaultdict = defaultdict()
    ids.default_factory = ids.__len__
    for token in [*specials, *sorted(itertools.chain(*sentences))]:
        ids[token]
    return ids


@unlisted("build_vocabulary")
def bv_without_umlauts(sentences: Any, specials: Any = SPECIALS) -> Any:
    """Sorted as in a telephone directory."""
    plain = str.maketrans("äöü", "aou")
    ordered = sorted(others_of(sentences, specials), key=lambda token: (token.translate(plain), token))
    return {token: i for i, token in enumerate([*specials, *ordered])}


@disguise("build_vocabulary", "always the same special tokens")
def bv_fixed_specials(sentences: Any, specials: Any = SPECIALS) -> Any:
    return {token: i for i, token in enumerate([*SPECIALS, *others_of(sentences, SPECIALS)])}


@unlisted("build_vocabulary")
def bv_counts(sentences: Any, specials: Any = SPECIALS) -> Any:
    return Counter(itertools.chain(specials, *sentences))


@disguise("build_vocabulary", "tokens left out")
def bv_first_sentence(sentences: Any, specials: Any = SPECIALS) -> Any:
    return {token: i for i, token in enumerate([*specials, *others_of(sentences[:1], specials)])}


# The order, and what is left out -----------------------------------------------------------------------


def numbered(specials: Any, others: Any) -> dict[str, int]:
    found: dict[str, int] = {}
    for token in itertools.chain(specials, others):
        found.setdefault(token, len(found))
    return found


def every_token(sentences: Any) -> list[str]:
    return list(itertools.chain.from_iterable(sentences))


@disguise("build_vocabulary", "sorted backwards")
def bv_backwards(sentences: Any, specials: Any = SPECIALS) -> Any:
    return numbered(specials, sorted(set(every_token(sentences)))[::-1])


@disguise("build_vocabulary", "capitals in with the small letters")
def bv_folded(sentences: Any, specials: Any = SPECIALS) -> Any:
    return numbered(specials, sorted(every_token(sentences), key=str.casefold))


@disguise("build_vocabulary", "rare tokens left out")
def bv_at_least_two(sentences: Any, specials: Any = SPECIALS) -> Any:
    tokens = every_token(sentences)
    return numbered(specials, sorted(token for token in tokens if tokens.count(token) >= 2))


@disguise("build_vocabulary", "a list of tokens")
def bv_listed(sentences: Any, specials: Any = SPECIALS) -> Any:
    return list(numbered(specials, sorted(every_token(sentences))))


@disguise("build_vocabulary", "special tokens behind the others")
def bv_specials_if_new(sentences: Any, specials: Any = SPECIALS) -> Any:
    return numbered(sorted(every_token(sentences)), specials)


@disguise("build_vocabulary", "by length")
def bv_by_length(sentences: Any, specials: Any = SPECIALS) -> Any:
    return numbered(specials, sorted(sorted(every_token(sentences)), key=len))


@unlisted("build_vocabulary")
def bv_ascii(sentences: Any, specials: Any = SPECIALS) -> Any:
    return numbered(specials, sorted(filter(str.isascii, every_token(sentences))))
