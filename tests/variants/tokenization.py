"""Lesson 12. Nothing here is built on the reference's functions."""

import functools
import heapq
import itertools
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.variants import correct, disguise, unlisted

# pretokenize, right ----------------------------------------------------------------------------


def kind_of(sign: str) -> int:
    return 0 if sign.isspace() else 1 if sign.isalnum() or sign == "_" else 2


@correct("pretokenize")
def by_finditer(text: str) -> list[str]:
    pattern = re.compile(r"(?P<word>[ ]?\w+)|(?P<signs>[ ]?[^\w\s]+)|(?P<space>\s+)")
    return [match.group() for match in pattern.finditer(text)]


@correct("pretokenize")
def by_groups(text: str) -> list[str]:
    """Runs of one kind; a run that is a single space is put before the next."""
    runs = ["".join(run) for _, run in itertools.groupby(text, kind_of)]
    pieces, waiting = [], ""
    for run in runs:
        if run == " ":
            waiting = run
        else:
            pieces.append(waiting + run)
            waiting = ""
    return [*pieces, waiting] if waiting else pieces


@correct("pretokenize")
def by_position(text: str) -> list[str]:
    pieces, at = [], 0
    while at < len(text):
        start = at
        if text[at] == " " and at + 1 < len(text) and kind_of(text[at + 1]) != 0:
            at += 1
        kind = kind_of(text[at])
        while at < len(text) and kind_of(text[at]) == kind:
            at += 1
        pieces.append(text[start:at])
    return pieces


@correct("pretokenize")
def by_split(text: str) -> list[str]:
    return [piece for piece in re.split(r"( ?\w+| ?[^\w\s]+|\s+)", text) if piece]


@correct("pretokenize")
def by_cuts(text: str) -> list[str]:
    """Marks where pieces begin, and cuts there."""
    kinds = [kind_of(sign) for sign in text]
    begins = [i for i in range(len(text)) if i == 0 or kinds[i] != kinds[i - 1]]
    alone = {i for i, after in itertools.pairwise(begins) if text[i:after] == " "}
    begins = [i for i in begins if i - 1 not in alone]
    return [text[a:b] for a, b in itertools.pairwise([*begins, len(text)])] if text else []


@correct("pretokenize")
def by_match(text: str) -> list[str]:
    if not text:
        return []
    first = re.match(r" ?(?:\w+|[^\w\s]+)|\s+", text)[0]
    return [first, *by_match(text[len(first) :])]


# pretokenize, wrong ----------------------------------------------------------------------------


def pattern(mistake: str, text: str, flags: int = 0) -> None:
    """A disguise by another pattern, compiled and searched through."""
    compiled = re.compile(text, flags)
    disguise("pretokenize", mistake)(lambda given: [one[0] for one in compiled.finditer(given)])


pattern("spaces apart", r"\s+|[^\W]+|[^\w\s]+")
pattern("whitespace lost", r"\w+|[^\w\s]+")
pattern("whitespace lost", r" ?(?:\w+|[^\w\s]+)")
pattern("whitespace lost", r"\S+")
pattern("whitespace lost", r" ?(?:\w+|[^\w\s]+)|[ ]+")
pattern("every sign by itself + letters of ASCII only", r" ?[_0-9A-Za-z]+| ?[^_0-9A-Za-z\s]|\s+")
pattern("the space before signs apart", r"[ ]?\w+|[^\w\s]+|\s+")
pattern("the space before words apart", r"\w+|[ ]?[^\w\s]+|\s+")
pattern("whitespace and signs together", r" ?\w+|(?: |)\W+")
pattern("whitespace and signs together", r"\w+|[^\w]+")
pattern("every sign by itself + every whitespace character by itself", r" ?(?:\w+|[^\w\s])|\s")
pattern("signs glued to words", r" ?[^\s]+|\s+")
pattern("every sign by itself", r" ?(?:\w+|[^\w\s])|\s+")
pattern("the space behind the word", r"(?:\w+|[^\w\s]+) ?|\s+")
pattern("letters of ASCII only", r" ?\w+| ?[^\w\s]+|\s+", re.ASCII)
pattern("letters of ASCII only", r" ?[_0-9A-Za-z]+| ?[^_0-9A-Za-z\s]+|\s+")
pattern("any whitespace before a word", r"\s?(?:\w+|[^\w\s]+)|\s+")
pattern("all spaces before a word", r" *(?:\w+|[^\w\s]+)|\s+")
pattern("the last of several spaces given to the word", r" ?(?:\w+|[^\w\s]+)|\s+(?!\S)|\s+")
pattern("every whitespace character by itself", r" ?(?:\w+|[^\w\s]+)|\s")
pattern("digits apart from letters", r" ?(?:\d+|[^\W\d]+|[^\w\s]+)|\s+")
pattern("contractions kept whole", r"'(?:s|t|re|ve|m|ll|d)| ?\w+| ?[^\w\s]+|\s+")


def groups(text: str) -> None:
    compiled = re.compile(text)
    disguise("pretokenize", "round brackets in the pattern")(lambda given: compiled.findall(given))


groups(r"([ ]?\w+)|([ ]?[^\w\s]+)|(\s+)")
groups(r"([ ]?)\w+|([ ]?)[^\w\s]+|\s+")
groups(r"[ ]?(\w+)|[ ]?[^\w\s]+|\s+")
disguise("pretokenize", "spaces taken off the pieces")(re.compile(r"[ ]?(\w+|[^\w\s]+)|\s+").findall)


@disguise("pretokenize", "made lower case")
def small_letters(text: str) -> list[str]:
    return [piece.lower() for piece in by_position(text)]


@disguise("pretokenize", "whitespace lost")
def split_at_spaces(text: str) -> list[str]:
    return [word for line in text.splitlines() for word in line.split()]


@unlisted("pretokenize")
def characters(text: str) -> list[str]:
    return list(text)


@unlisted("pretokenize")
def groups_come_back(text: str) -> list[Any]:
    return re.findall(r"( ?)(\w+)|( ?)([^\w\s]+)|(\s+)", text)


@unlisted("pretokenize")
def matches(text: str) -> list[Any]:
    return list(re.finditer(r" ?\w+| ?[^\w\s]+|\s+", text))


@disguise("pretokenize", "spaces taken off the pieces")
def stripped_to_nothing(text: str) -> list[str]:
    return [piece.strip() for piece in by_groups(text)]


@unlisted("pretokenize")
def stripped_pieces(text: str) -> list[str]:
    return [piece.strip() or piece for piece in by_position(text)]


@disguise("pretokenize", "whitespace lost")
def not_blank(text: str) -> list[str]:
    return [piece for piece in by_finditer(text) if not piece.isspace()]


@disguise("pretokenize", "whitespace lost")
def split_at_single_spaces(text: str) -> list[str]:
    return re.split(" ", text)


@unlisted("pretokenize")
def unix_lines(text: str) -> list[str]:
    return by_finditer(text.replace("\r\n", "\n"))


@unlisted("pretokenize")
def spaces_first(text: str) -> list[str]:
    return re.findall(r"  +| ?\w+| ?[^\w\s]+|\s+", text)


@unlisted("pretokenize")
def whitespace_of_ascii(text: str) -> list[str]:
    return re.findall(r" ?\w+| ?[^\w\s]+|[ \t\n\r\f\v]+", text)


@unlisted("pretokenize")
def once_each(text: str) -> list[str]:
    return list(dict.fromkeys(by_position(text)))


@unlisted("pretokenize")
def as_bytes(text: str) -> list[bytes]:
    return [piece.encode() for piece in by_position(text)]


@unlisted("pretokenize")
def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


@unlisted("pretokenize")
def signs_first(text: str) -> list[str]:
    return re.findall(r" ?[^\w\s]\w*| ?\w+|\s+", text)


# count_pairs, right ----------------------------------------------------------------------------


@correct("count_pairs")
def by_counter(words: Any) -> Any:
    total: Counter = Counter()
    for word, count in words.items():
        total.update({pair: count * n for pair, n in Counter(itertools.pairwise(word)).items()})
    return total


@correct("count_pairs")
def by_defaultdict(words: Any) -> Any:
    found = defaultdict(int)
    for word in words:
        for i in range(len(word) - 1):
            found[word[i], word[i + 1]] += words[word]
    return found


@correct("count_pairs")
def by_repetition(words: Any) -> Any:
    everything = itertools.chain.from_iterable(itertools.repeat(word, n) for word, n in words.items())
    return dict(Counter(pair for word in everything for pair in itertools.pairwise(word)))


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


@correct("count_pairs")
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


def seen_before(first: int) -> Callable:
    """Counts the first time of a pair as it likes."""

    def count(words: Any) -> Any:
        found: dict = {}
        for word, n in words.items():
            for pair in neighbours(word):
                if pair in found:
                    found[pair] += n
                else:
                    found[pair] = first
        return found

    return count


disguise("count_pairs", "the first time counted otherwise")(seen_before(0))
disguise("count_pairs", "the first time counted otherwise")(seen_before(1))


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


@unlisted("count_pairs")
def more_than_once(words: Any) -> Any:
    return {pair: n for pair, n in by_counter(words).items() if n > 1}


@unlisted("count_pairs")
def round_the_corner(words: Any) -> Any:
    return counting(lambda word: [*neighbours(word), (word[-1], word[0])])(words)


@unlisted("count_pairs")
def across_words(words: Any) -> Any:
    return dict(Counter(neighbours([token for word, n in words.items() for _ in range(n) for token in word])))


@unlisted("count_pairs")
def most_common_only(words: Any) -> Any:
    return dict(by_counter(words).most_common(3))


@unlisted("count_pairs")
def a_list_of_pairs(words: Any) -> Any:
    return list(by_counter(words).items())


@unlisted("count_pairs")
def right_before_left(words: Any) -> Any:
    return {(right, left): n for (left, right), n in by_counter(words).items()}


@unlisted("count_pairs")
def shares(words: Any) -> Any:
    found = by_counter(words)
    return {pair: n / max(1, sum(found.values())) for pair, n in found.items()}


# merge_pair, right ----------------------------------------------------------------------------


@correct("merge_pair")
def by_iterator(tokens: Any, pair: Any) -> Any:
    rest, out = deque(tokens), []
    while rest:
        token = rest.popleft()
        if rest and (token, rest[0]) == pair:
            token += rest.popleft()
        out.append(token)
    return tuple(out)


@correct("merge_pair")
def by_recursion(tokens: Any, pair: Any) -> Any:
    if len(tokens) < 2:
        return tuple(tokens)
    if tokens[:2] == pair:
        return (b"".join(pair), *by_recursion(tokens[2:], pair))
    return (tokens[0], *by_recursion(tokens[1:], pair))


@correct("merge_pair")
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


@correct("merge_pair")
def by_list_surgery(tokens: Any, pair: Any) -> Any:
    out, i = list(tokens), 0
    while i + 1 < len(out):
        if out[i] == pair[0] and out[i + 1] == pair[1]:
            out[i : i + 2] = [out[i] + out[i + 1]]
        i += 1
    return tuple(out)


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


@unlisted("merge_pair")
def only_the_left(tokens: Any, pair: Any) -> Any:
    return tuple(token + pair[1] if token == pair[0] else token for token in tokens)


@unlisted("merge_pair")
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
) -> Callable:
    """A trainer on lists of ids, every part of which can be another."""

    def train(text: str, vocab_size: int) -> list:
        if guarded:
            guard(vocab_size)
        words = [[list(piece.encode()), often(n)] for piece, n in Counter(cut(text)).items()]
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
        return merges

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


TRAINERS: dict[str, Callable] = {
    "ids of merges begin at 0": trainer(room=lambda text, vocab_size: vocab_size, prefer=from_zero),
    "words counted once": trainer(often=lambda n: 1),
    "a pair counted once in a word": trainer(pairs=once),
    "runs counted without overlap": trainer(pairs=greedy),
    "every second pair": trainer(pairs=in_steps),
    "the last pair missing": trainer(pairs=all_but_last),
    "merged from right to left": trainer(merge=merged_from_right),
    "ties: the first that was seen": trainer(prefer=lambda n, a, b, spelled: -n),
    "ties: by the alphabet": trainer(prefer=lambda n, a, b, spelled: (-n, spelled[a], spelled[b])),
    "ties: the highest ids": trainer(prefer=lambda n, a, b, spelled: (-n, -a, -b)),
    "ties: the left token only": trainer(prefer=lambda n, a, b, spelled: (-n, a)),
    "ties: the sum of the ids": trainer(prefer=lambda n, a, b, spelled: (-n, a + b)),
    "ties: the right token first": trainer(prefer=lambda n, a, b, spelled: (-n, b, a)),
    "the rarest pair first": trainer(prefer=lambda n, a, b, spelled: (n, a, b)),
    "vocab_size counts merges": trainer(room=lambda text, vocab_size: vocab_size),
    "one merge too many": trainer(room=lambda text, vocab_size: vocab_size - 255),
    "one merge too few": trainer(room=lambda text, vocab_size: vocab_size - 257),
    "only the bytes that occur counted": trainer(room=count_over),
    "stops at pairs seen once": trainer(enough=lambda n: n > 1),
    "too small a vocabulary accepted": trainer(guarded=False),
    "merges across pieces": trainer(cut=lambda text: [text]),
    "spaces lost": trainer(cut=str.split),
    "tokens instead of pairs": trainer(note=hexed),
    "pairs of ids": trainer(note=lambda a, b, spelled: (a, b)),
}
ONLY_NAIVE = {
    "a pair counted once in a word",
    "runs counted without overlap",
    "every second pair",
    "the last pair missing",
    "ties: the first that was seen",
    "ties: the left token only",
    "ties: the sum of the ids",
}
for mistake, function in TRAINERS.items():
    disguise("byte_pair_train", mistake)(function)
    if mistake not in ONLY_NAIVE:
        disguise("byte_pair_train_fast", mistake)(function)


for trains in ("byte_pair_train", "byte_pair_train_fast"):
    disguise(trains, "spaces lost")(trainer(cut=lambda text: text.split(" ")))
    unlisted(trains)(trainer(cut=lambda text: by_groups(text.lower())))
unlisted("byte_pair_train")(trainer(note=lambda a, b, spelled: [spelled[a], spelled[b]]))


@disguise("byte_pair_train_fast", "ties: by the alphabet")
@disguise("byte_pair_train", "ties: by the alphabet")
def by_joined(text: str, vocab_size: int) -> list:
    return trainer(prefer=lambda n, a, b, spelled: (-n, spelled[a] + spelled[b]))(text, vocab_size)


class Backwards:
    """Sorts the other way round."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: "Backwards") -> bool:
        return other.value < self.value


@disguise("byte_pair_train_fast", "ties: the last in the alphabet")
@disguise("byte_pair_train", "ties: the last in the alphabet")
def last_of_all(text: str, vocab_size: int) -> list:
    return trainer(prefer=lambda n, a, b, spelled: Backwards((n, spelled[a], spelled[b])))(text, vocab_size)


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
    disguise("byte_pair_train_fast", "characters instead of bytes")(by_characters(named))


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


# Training, right ----------------------------------------------------------------------------

on_lists_of_ids = trainer()


@correct("byte_pair_train_fast")
@correct("byte_pair_train")
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


@correct("byte_pair_train_fast")
@correct("byte_pair_train")
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


@correct("byte_pair_train_fast")
@correct("byte_pair_train")
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


@correct("byte_pair_train_fast")
@correct("byte_pair_train")
def by_recursive_training(text: str, vocab_size: int) -> list:
    guard(vocab_size)
    ids = {bytes([one]): one for one in range(256)}

    def further(words: list, merges: list) -> list:
        found = by_defaultdict(dict(words))
        if 256 + len(merges) == vocab_size or not found:
            return merges
        most = max(found.values())
        best = min((pair for pair in found if found[pair] == most), key=lambda pair: tuple(map(ids.get, pair)))
        ids[b"".join(best)] = len(ids)
        return further([(by_names(word, best), n) for word, n in words], [*merges, best])

    words = Counter(tuple(bytes([one]) for one in piece.encode("utf8")) for piece in by_cuts(text))
    return further(list(words.items()), [])


@correct("byte_pair_train_fast")
@correct("byte_pair_train")
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


correct("byte_pair_train")(on_lists_of_ids)
correct("byte_pair_train_fast")(on_lists_of_ids)


# Training, wrong in other ways ----------------------------------------------------------------------------


def wrong_trainer(function: Callable) -> Callable:
    unlisted("byte_pair_train")(function)
    unlisted("byte_pair_train_fast")(function)
    return function


wrong_trainer(trainer(cut=lambda text: by_position(text.lower().replace("n", "N"))))
wrong_trainer(trainer(cut=lambda text: re.findall(r"\w+|\W+", text)))
wrong_trainer(trainer(prefer=lambda n, a, b, spelled: (-n, len(spelled[a] + spelled[b]), a, b)))
wrong_trainer(trainer(prefer=lambda n, a, b, spelled: (-n * len(spelled[a] + spelled[b]), a, b)))
wrong_trainer(trainer(note=lambda a, b, spelled: (spelled[a].decode("latin-1"), spelled[b].decode("latin-1"))))
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


@wrong_trainer
def falls_over_at_the_end(text: str, vocab_size: int) -> list:
    merges = on_lists_of_ids(text, vocab_size)
    if len(merges) < vocab_size - 256:
        raise ValueError("max() iterable argument is empty")
    return merges


# Training fast, wrong ----------------------------------------------------------------------------


def incremental(
    zeros: bool = False,
    forget: bool = True,
    fresh: bool = False,
    once_only: bool = False,
    again: bool = False,
    prefer: Callable = lambda n, pair: (-n, pair),
) -> Callable:
    """An incremental trainer on ids with a place for each of the slips."""

    def train(text: str, vocab_size: int) -> list:
        guard(vocab_size)
        words = [[tuple(piece.encode()), n] for piece, n in Counter(by_split(text)).items()]
        spelled = [bytes([one]) for one in range(256)]
        found, where = {}, {}
        for i, (word, n) in enumerate(words):
            for pair in neighbours(word):
                found[pair] = found.get(pair, 0) + n
                where.setdefault(pair, set()).add(i)
        merges = []
        while found and len(spelled) < vocab_size:
            best = min(found, key=lambda pair: prefer(found[pair], pair))
            merges.append((spelled[best[0]], spelled[best[1]]))
            new = len(spelled)
            spelled.append(b"".join(merges[-1]))
            if not forget:
                del found[best]
            for i in sorted(where[best] if again else where.pop(best)):
                word, n = words[i]
                words[i][0] = tuple(merged_ids(list(word), *best, new))
                if forget:
                    for pair in neighbours(word):
                        found[pair] -= n
                        if not zeros and not found[pair]:
                            found.pop(pair)
                for pair in neighbours(words[i][0]):
                    if not fresh or new in pair:
                        found[pair] = found.get(pair, 0) + (1 if once_only else n)
                    where.setdefault(pair, set()).add(i)
        return merges

    return train


disguise("byte_pair_train_fast", "pairs that count 0 stay")(incremental(zeros=True))
disguise("byte_pair_train_fast", "pairs that count 0 stay")(incremental(zeros=True, again=True))
disguise("byte_pair_train_fast", "the old neighbours still counted")(incremental(forget=False))
disguise("byte_pair_train_fast", "the old neighbours still counted")(incremental(forget=False, fresh=True))
unlisted("byte_pair_train_fast")(incremental(once_only=True))
disguise("byte_pair_train_fast", "ties: the left token only")(incremental(prefer=lambda n, pair: (-n, pair[0])))
disguise("byte_pair_train_fast", "ties: the sum of the ids")(incremental(prefer=lambda n, pair: (-n, sum(pair))))
correct("byte_pair_train_fast")(incremental())


def by_postings(forget: bool = True, noted: bool = True, fresh: bool = False, kept: bool = False) -> Callable:
    """An incremental trainer on bytes, with Counters, that asks for a pair without an entry and gets an empty one."""

    def train(text: str, vocab_size: int) -> list:
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
            for i in set(postings[pair] if kept else postings.pop(pair, [])):
                before, rows[i] = rows[i], by_skipping(rows[i], pair)
                if forget:
                    total.subtract({one: n * weights[i] for one, n in Counter(neighbours(before)).items()})
                for one in neighbours(rows[i]):
                    if not fresh or b"".join(pair) in one:
                        total[one] += weights[i]
                    if noted:
                        postings[one].append(i)
            total = Counter({one: n for one, n in total.items() if n})
        return merges

    return train


correct("byte_pair_train_fast")(by_postings())
disguise("byte_pair_train_fast", "old pairs are still counted")(by_postings(forget=False))
disguise("byte_pair_train_fast", "old pairs are still counted")(by_postings(forget=False, kept=True))
disguise("byte_pair_train_fast", "old pairs are still counted")(by_postings(forget=False, fresh=True))
disguise("byte_pair_train_fast", "old pairs are still counted")(by_postings(forget=False, fresh=True, kept=True))
disguise("byte_pair_train_fast", "new pairs are not noted")(by_postings(noted=False))
disguise("byte_pair_train_fast", "new pairs are not noted")(by_postings(noted=False, kept=True))


@unlisted("byte_pair_train_fast")
def new_pairs_only_seen_once_more(text: str, vocab_size: int) -> list:
    return incremental(fresh=True)(text, vocab_size)


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


# Encoding ----------------------------------------------------------------------------


def table(merges: Any, first: int = 256) -> dict[bytes, int]:
    return {bytes([one]): one for one in range(256)} | {
        left + right: first + i for i, (left, right) in enumerate(merges)
    }


def encoder(
    cut: Callable = by_groups,
    start: Callable = lambda piece: [bytes([one]) for one in piece.encode()],
    work: Callable | None = None,
    name: Callable = lambda merges: table(merges).__getitem__,
    nested: bool = False,
) -> Callable:
    """An encoder, every part of which can be another."""

    def encode(text: str, merges: Any) -> list:
        named = name(merges)
        rows = [[named(token) for token in (work or merge_by_merge)(start(piece), list(merges))] for piece in cut(text)]
        return rows if nested else list(itertools.chain.from_iterable(rows))

    return encode


def merge_by_merge(tokens: list[bytes], merges: list) -> Any:
    """All merges one after the other, as they were learned."""
    for pair in merges:
        tokens = by_iterator(tokens, tuple(pair))
    return tokens


correct("byte_pair_encode")(encoder())


@correct("byte_pair_encode")
def by_joined_ranks(text: str, merges: Any) -> list[int]:
    """Neighbours whose joined bytes are a token: merges from a training never make one token in two ways."""
    ids = table(merges)
    found: list[int] = []
    for piece in by_position(text):
        parts = [bytes([one]) for one in piece.encode()]
        while len(parts) > 1:
            rank, at = min((ids.get(parts[i] + parts[i + 1], 10**9), i) for i in range(len(parts) - 1))
            if rank == 10**9:
                break
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        found.extend(map(ids.__getitem__, parts))
    return found


@correct("byte_pair_encode")
def on_ids(text: str, merges: Any) -> list[int]:
    ids = table(merges)
    pairs = {(ids[left], ids[right]): 256 + i for i, (left, right) in enumerate(merges)}
    out: list[int] = []
    for piece in by_split(text):
        row = list(piece.encode())
        while candidates := [pairs[pair] for pair in itertools.pairwise(row) if pair in pairs]:
            new = min(candidates)
            a, b = next(pair for pair, one in pairs.items() if one == new)
            row = merged_ids(row, a, b, new)
        out += row
    return out


@correct("byte_pair_encode")
def with_a_cache(text: str, merges: Any) -> list[int]:
    ids, order = table(merges), {tuple(pair): i for i, pair in enumerate(merges)}

    @functools.cache
    def one(piece: str) -> tuple[int, ...]:
        tokens = tuple(bytes([byte]) for byte in piece.encode())
        while True:
            ranked = sorted((order[pair], pair) for pair in set(neighbours(tokens)) if pair in order)
            if not ranked:
                return tuple(ids[token] for token in tokens)
            tokens = by_skipping(tokens, ranked[0][1])

    return [number for piece in by_finditer(text) for number in one(piece)]


@correct("byte_pair_encode")
def by_halves(text: str, merges: Any) -> list[int]:
    """With `str.replace` on strings of ids."""
    ids = table(merges)
    out: list[int] = []
    for piece in by_cuts(text):
        word = "".join(map(chr, piece.encode()))
        for i, (left, right) in enumerate(merges):
            word = word.replace(chr(ids[left]) + chr(ids[right]), chr(256 + i))
        out += map(ord, word)
    return out


@correct("byte_pair_encode")
def one_place_at_a_time(text: str, merges: Any) -> list[int]:
    ids, listed = table(merges), list(map(tuple, merges))

    def settle(tokens: tuple) -> tuple:
        places = [(listed.index(pair), i) for i, pair in enumerate(neighbours(tokens)) if pair in listed]
        if not places:
            return tokens
        _, i = min(places)
        return settle((*tokens[:i], tokens[i] + tokens[i + 1], *tokens[i + 2 :]))

    pieces = (tuple(bytes([one]) for one in piece.encode()) for piece in by_match(text))
    return [ids[token] for piece in pieces for token in settle(piece)]


def longest(tokens: list[bytes], merges: list) -> Any:
    known, rest, out = set(table(merges)), b"".join(tokens), []
    while rest:
        best = max((one for one in known if rest.startswith(one)), key=len)
        out.append(best)
        rest = rest.removeprefix(best)
    return out


def single_pass(tokens: list[bytes], merges: list) -> Any:
    out, i = list(tokens), 0
    while i + 1 < len(out):
        if (out[i], out[i + 1]) in merges:
            out[i] += out.pop(i + 1)
        else:
            i += 1
    return out


def leftmost_again(tokens: list[bytes], merges: list) -> Any:
    for i in range(len(tokens) - 1):
        if (tokens[i], tokens[i + 1]) in merges:
            return leftmost_again([*tokens[:i], tokens[i] + tokens[i + 1], *tokens[i + 2 :]], merges)
    return tokens


def leftmost_everywhere(tokens: list[bytes], merges: list) -> Any:
    while True:
        first = next((pair for pair in neighbours(tokens) if pair in merges), None)
        if first is None:
            return tokens
        tokens = list(by_iterator(tokens, first))


def stepping(tokens: list[bytes], merges: list) -> Any:
    out, i = list(tokens), 0
    while i < len(out) - 1:
        if (out[i], out[i + 1]) in merges:
            out[i : i + 2] = [out[i] + out[i + 1]]
        i += 1
    return out


def latest(tokens: list[bytes], merges: list) -> Any:
    while True:
        here = [pair for pair in reversed(merges) if pair in neighbours(tokens)]
        if not here:
            return tokens
        tokens = list(by_iterator(tokens, here[0]))


def longest_pair(tokens: list[bytes], merges: list) -> Any:
    while here := [pair for pair in neighbours(tokens) if pair in merges]:
        here.sort(key=lambda pair: -len(b"".join(pair)))
        tokens = list(by_iterator(tokens, here[0]))
    return tokens


def longest_pair_by_rank(tokens: list[bytes], merges: list) -> Any:
    order = sorted(merges, key=lambda pair: len(b"".join(pair)), reverse=True)  # of equal length: by rank
    while True:
        here = set(neighbours(tokens))
        best = next((pair for pair in order if pair in here), None)
        if best is None:
            return tokens
        tokens = list(by_iterator(tokens, best))


def longest_pair_once(tokens: list[bytes], merges: list) -> Any:
    """One place at a time."""
    out = list(tokens)
    while True:
        here = [i for i in range(len(out) - 1) if (out[i], out[i + 1]) in merges]
        if not here:
            return out
        _, _, i = min((-len(out[i] + out[i + 1]), merges.index((out[i], out[i + 1])), i) for i in here)
        out[i : i + 2] = [out[i] + out[i + 1]]


def only_once(tokens: list[bytes], merges: list) -> Any:
    best = next((pair for pair in merges if pair in neighbours(tokens)), None)
    return tokens if best is None else by_iterator(tokens, best)


def rightwards(tokens: list[bytes], merges: list) -> Any:
    tokens = tuple(tokens)
    for pair in merges:
        tokens = from_the_end(tokens, pair)
    return tokens


def by_letters(piece: str) -> list[bytes]:
    return [sign.encode() for sign in piece]


def letters_named(merges: Any) -> Callable:
    ids = table(merges)
    return lambda token: ids[token] if token in ids else ord(token.decode())


IN_TEXT_ORDER = (single_pass, leftmost_again, leftmost_everywhere, stepping)

ENCODERS = {
    "the longest match": [encoder(work=longest)],
    "in the order of the text": [
        encoder(work=one) for one in (single_pass, leftmost_again, leftmost_everywhere, stepping)
    ],
    "the longest token first": [encoder(work=one) for one in (longest_pair, longest_pair_by_rank, longest_pair_once)],
    "the last merge first": [
        encoder(work=latest),
        encoder(work=lambda tokens, merges: merge_by_merge(tokens, merges[::-1])),
    ],
    "stops after one merge": [encoder(work=only_once)],
    "merged from right to left": [encoder(work=rightwards)],
    "merges across pieces": [encoder(cut=lambda text: [text]), encoder(cut=lambda text: [text] if text else [])],
    "spaces lost": [encoder(cut=str.split), encoder(cut=lambda text: re.split(" ", text))],
    "characters instead of bytes": [encoder(start=by_letters), encoder(start=by_letters, name=letters_named)],
    "ids from 257 on": [encoder(name=lambda merges: table(merges, 257).get)],
    "ranks for ids": [encoder(name=lambda merges: table(merges, 0).get)],
    "tokens instead of ids": [encoder(name=lambda merges: bytes)],
    "a list for every piece": [encoder(nested=True)],
}
for mistake, functions in ENCODERS.items():
    for function in functions:
        disguise("byte_pair_encode", mistake)(function)

unlisted("byte_pair_encode")(encoder(work=lambda tokens, merges: tokens))
unlisted("byte_pair_encode")(encoder(cut=lambda text: by_groups(text.strip())))
unlisted("byte_pair_encode")(encoder(cut=lambda text: re.findall(r"\w+|\W+", text)))
unlisted("byte_pair_encode")(encoder(start=lambda piece: [bytes([one]) for one in piece.encode("latin-1", "replace")]))
unlisted("byte_pair_encode")(encoder(name=lambda merges: lambda token: table(merges)[token] + 1))
unlisted("byte_pair_encode")(encoder(cut=lambda text: reversed(by_groups(text))))
unlisted("byte_pair_encode")(encoder(work=lambda tokens, merges: merge_by_merge(tokens, merges[:-1])))


# Decoding ----------------------------------------------------------------------------


def known(ids: Any, merges: Any) -> list[bytes]:
    """The tokens' bytes; ValueError for an id that has none."""
    spelled = [bytes([one]) for one in range(256)] + [b"".join(pair) for pair in merges]
    if any(one < 0 or one >= len(spelled) for one in ids):
        raise ValueError("no such id")
    return [spelled[one] for one in ids]


@correct("byte_pair_decode")
def by_bytearray(ids: Any, merges: Any) -> str:
    out = bytearray()
    for token in known(ids, merges):
        out.extend(token)
    return str(out, "utf-8", "replace")


@correct("byte_pair_decode")
def by_dict(ids: Any, merges: Any) -> str:
    spelled = {one: bytes([one]) for one in range(256)} | dict(enumerate((left + right for left, right in merges), 256))
    try:
        return functools.reduce(lambda out, one: out + spelled[one], ids, b"").decode(errors="replace")
    except KeyError as error:
        raise ValueError(f"no token {error}") from None


@correct("byte_pair_decode")
def by_numbers(ids: Any, merges: Any) -> str:
    numbers: list[int] = []
    for one in ids:
        if one < 0 or one - 256 >= len(merges):
            raise ValueError(one)
        numbers += [one] if one < 256 else [*merges[one - 256][0], *merges[one - 256][1]]
    return bytes(numbers).decode("utf8", "replace")


@correct("byte_pair_decode")
def by_incremental_decoder(ids: Any, merges: Any) -> str:
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    return "".join([*(decoder.decode(token) for token in known(ids, merges)), decoder.decode(b"", final=True)])


@correct("byte_pair_decode")
def by_stream(ids: Any, merges: Any) -> str:
    import io

    raw = io.BytesIO()
    raw.writelines(known(ids, merges))
    raw.seek(0)
    return io.TextIOWrapper(raw, encoding="utf-8", errors="replace", newline="").read()


@disguise("byte_pair_decode", "every token decoded by itself")
def one_after_another(ids: Any, merges: Any) -> str:
    return "".join(str(token, "utf-8", "replace") for token in known(ids, merges))


@disguise("byte_pair_decode", "every token decoded by itself")
def one_after_another_ignored(ids: Any, merges: Any) -> str:
    out = ""
    for token in known(ids, merges):
        out += token.decode(errors="ignore")
    return out


@disguise("byte_pair_decode", "every token decoded by itself")
def one_after_another_strictly(ids: Any, merges: Any) -> str:
    return "".join(map(bytes.decode, known(ids, merges)))


@disguise("byte_pair_decode", "invalid bytes raise")
def strictly(ids: Any, merges: Any) -> str:
    return str(b"".join(known(ids, merges)), "utf-8")


@disguise("byte_pair_decode", "invalid bytes vanish")
def quietly(ids: Any, merges: Any) -> str:
    return b"".join(known(ids, merges)).decode(errors="ignore")


@disguise("byte_pair_decode", "bytes taken for characters")
def code_points(ids: Any, merges: Any) -> str:
    return "".join(chr(byte) for token in known(ids, merges) for byte in token)


@disguise("byte_pair_decode", "spaces between tokens")
def with_spaces(ids: Any, merges: Any) -> str:
    return b" ".join(known(ids, merges)).decode(errors="replace")


@disguise("byte_pair_decode", "ids from 257 on")
def shifted(ids: Any, merges: Any) -> str:
    known(ids, merges)
    spelled = (
        {i: bytes([i]) for i in range(256)} | {256: b""} | {257 + i: b"".join(pair) for i, pair in enumerate(merges)}
    )
    return b"".join(spelled[one] for one in ids).decode(errors="replace")


@disguise("byte_pair_decode", "ids are not checked")
def trusting(ids: Any, merges: Any) -> str:
    spelled = [*(bytes([one]) for one in range(256)), *(left + right for left, right in merges)]
    return bytes(byte for one in ids for byte in spelled[one]).decode(errors="replace")


@disguise("byte_pair_decode", "ids are not checked")
def trusting_a_dict(ids: Any, merges: Any) -> str:
    spelled = {number: token for token, number in table(merges).items()}
    return b"".join([spelled[one] for one in ids]).decode(errors="replace")


@disguise("byte_pair_decode", "ids are not checked")
def leaving_out(ids: Any, merges: Any) -> str:
    spelled = {number: token for token, number in table(merges).items()}
    return b"".join(spelled.get(one, b"") for one in ids).decode(errors="replace")


@disguise("byte_pair_decode", "ids are not checked")
def half_checked(ids: Any, merges: Any) -> str:
    if max(ids, default=0) > 255 + len(merges):
        raise ValueError("too large")
    spelled = [bytes([one]) for one in range(256)] + [left + right for left, right in merges]
    return b"".join(map(spelled.__getitem__, ids)).decode(errors="replace")


@unlisted("byte_pair_decode")
def only_bytes(ids: Any, merges: Any) -> str:
    known(ids, merges)
    return bytes(one for one in ids if one < 256).decode(errors="replace")


@unlisted("byte_pair_decode")
def still_bytes(ids: Any, merges: Any) -> bytes:
    return b"".join(known(ids, merges))


@unlisted("byte_pair_decode")
def a_list_of_tokens(ids: Any, merges: Any) -> list[str]:
    return [token.decode(errors="replace") for token in known(ids, merges)]


@unlisted("byte_pair_decode")
def stripped(ids: Any, merges: Any) -> str:
    return b"".join(known(ids, merges)).decode(errors="replace").strip()


@unlisted("byte_pair_decode")
def right_then_left(ids: Any, merges: Any) -> str:
    known(ids, merges)
    swapped = [(right, left) for left, right in merges]
    return b"".join(known(ids, swapped)).decode(errors="replace")


@unlisted("byte_pair_decode")
def question_marks(ids: Any, merges: Any) -> str:
    return b"".join(known(ids, merges)).decode(errors="replace").replace("\ufffd", "?")


@unlisted("byte_pair_decode")
def escapes(ids: Any, merges: Any) -> str:
    return b"".join(known(ids, merges)).decode(errors="backslashreplace")


# Special tokens ----------------------------------------------------------------------------


def not_empty(specials: Any) -> None:
    if any(not special for special in specials):
        raise ValueError("an empty special token")


def scan(text: str, specials: Any, ranked: Callable) -> list[str]:
    """From left to right, asking at every place for special tokens in some order."""
    parts, plain, at = [], "", 0
    order = ranked(specials)
    while at < len(text):
        here = next((special for special in order if text.startswith(special, at)), None)
        if here is None:
            plain += text[at]
            at += 1
        else:
            parts += [plain, here]
            plain, at = "", at + len(here)
    return [*parts, plain]


def by_length(specials: Any) -> list[str]:
    return sorted(specials, key=lambda special: -len(special))


@correct("split_special")
def scanning(text: str, specials: Any) -> list[str]:
    not_empty(specials)
    return [part for part in scan(text, specials, by_length) if part]


@correct("split_special")
def matching(text: str, specials: Any) -> list[str]:
    not_empty(specials)
    if not specials:
        return list(filter(None, [text]))
    end, parts = 0, []
    for match in re.finditer("|".join(map(re.escape, by_length(specials))), text):
        parts += [text[end : match.start()], match.group()]
        end = match.end()
    return list(filter(len, [*parts, text[end:]]))


@correct("split_special")
def one_special_after_another(text: str, specials: Any) -> list[str]:
    not_empty(specials)
    parts = [(text, False)]
    for special in by_length(specials):
        found = []
        for part, done in parts:
            if done:
                found.append((part, True))
                continue
            pieces = part.split(special)
            for i, piece in enumerate(pieces):
                found += [(special, True)] * (i > 0) + [(piece, False)]
        parts = found
    return [part for part, _ in parts if part]


@correct("split_special")
def by_partition(text: str, specials: Any) -> list[str]:
    not_empty(specials)
    if not text:
        return []
    spots = [(text.find(special), -len(special), special) for special in specials if special in text]
    if not spots:
        return [text]
    at, _, special = min(spots)
    return [*([text[:at]] if at else []), special, *by_partition(text[at + len(special) :], specials)]


@correct("split_special")
def with_lookup(text: str, specials: Any) -> list[str]:
    not_empty(specials)
    escaped = [
        "".join(f"\\{sign}" if not sign.isalnum() and sign < "\x80" else sign for sign in one)
        for one in by_length(specials)
    ]
    pattern = re.compile("(?P<special>" + "|".join(escaped) + ")" if escaped else "(?!)")
    return [part for part in pattern.split(text) if part not in ("", None)]


def special_disguise(mistake: str) -> Callable:
    def add(function: Callable) -> Callable:
        def split(text: str, specials: Any) -> Any:
            not_empty(specials)
            return function(text, specials)

        disguise("split_special", mistake)(split)
        return function

    return add


@special_disguise("signs of the pattern not escaped")
def raw_pattern(text: str, specials: Any) -> Any:
    if not specials:
        return [text] if text else []
    found = re.compile("(" + "|".join(by_length(specials)) + ")").split(text)
    return [part for part in found if part]


@special_disguise("not the longest first")
def in_given_order(text: str, specials: Any) -> Any:
    return [part for part in scan(text, specials, list) if part]


@special_disguise("not the longest first")
def in_short_order(text: str, specials: Any) -> Any:
    return [part for part in scan(text, specials, lambda given: sorted(given, key=len)) if part]


@special_disguise("not the longest first")
def in_the_alphabet(text: str, specials: Any) -> Any:
    return [part for part in scan(text, specials, sorted) if part]


@special_disguise("special tokens thrown away")
def without_them(text: str, specials: Any) -> Any:
    parts = scan(text, specials, by_length)
    return [part for part in parts[::2] if part]


@special_disguise("empty parts")
def with_empties(text: str, specials: Any) -> Any:
    if not specials:
        return [text] if text else []
    return scan(text, specials, by_length)


@special_disguise("empty parts")
def empty_for_empty(text: str, specials: Any) -> Any:
    return [part for part in scan(text, specials, by_length) if part] or ([text] if not specials else [])


@special_disguise("no special tokens not thought of")
def empty_pattern(text: str, specials: Any) -> Any:
    pattern = "|".join(re.escape(special) for special in by_length(specials))
    return [part for part in re.split("(" + pattern + ")", text) if len(part) > 0]


@special_disguise("only the first special token")
def first_and_rest(text: str, specials: Any) -> Any:
    parts = scan(text, specials, by_length)
    return [part for part in [*parts[:2], "".join(parts[2:])] if part]


@special_disguise("spaces around lost")
def tidy(text: str, specials: Any) -> Any:
    if not specials:
        return [text] if text else []
    return [part.strip() for part in scan(text, specials, by_length) if part]


@special_disguise("the list of special tokens changed")
def sorting_the_given(text: str, specials: Any) -> Any:
    if isinstance(specials, list):
        specials.sort(key=len, reverse=True)
    return [part for part in scan(text, specials, list) if part]


@disguise("split_special", "an empty special token accepted")
def accepting(text: str, specials: Any) -> Any:
    if not specials:
        return [text] if text else []
    ordered = [re.escape(one) for one in by_length(specials)]
    return list(filter(None, re.compile(f"({'|'.join(ordered)})").split(text)))


@special_disguise("parts of whitespace lost")
def without_blanks(text: str, specials: Any) -> Any:
    return [part for part in scanning(text, specials) if not part.isspace()]


@special_disguise("without special tokens the text lost")
def nothing_to_cut(text: str, specials: Any) -> Any:
    return scanning(text, specials) if specials else []


@special_disguise("one special token after the other")
def by_turns(text: str, specials: Any) -> Any:
    parts = [text]
    for special in specials:
        parts = [one for part in parts for one in re.split(f"({re.escape(special)})", part)]
    return [part for part in parts if part]


@special_disguise("one special token after the other")
def by_markers(text: str, specials: Any) -> Any:
    for special in specials:
        text = f"\1{special}\1".join(text.split(special))
    return list(filter(None, text.split("\1")))


def special_unlisted(function: Callable) -> Callable:
    @unlisted("split_special")
    def split(text: str, specials: Any) -> Any:
        not_empty(specials)
        return function(text, specials)

    return function


@special_unlisted
def never_split(text: str, specials: Any) -> Any:
    return [text] if text else []


@special_unlisted
def by_whitespace(text: str, specials: Any) -> Any:
    return text.split()


@special_unlisted
def any_case(text: str, specials: Any) -> Any:
    if not specials:
        return [text] if text else []
    pattern = "|".join(map(re.escape, by_length(specials)))
    return [part for part in re.split(f"({pattern})", text, flags=re.IGNORECASE) if part]


@special_unlisted
def marked(text: str, specials: Any) -> Any:
    return [(part, part in specials) for part in scanning(text, specials)]


@special_unlisted
def special_only(text: str, specials: Any) -> Any:
    return [part for part in scanning(text, specials) if part in specials]


@special_unlisted
def first_of_each(text: str, specials: Any) -> Any:
    parts = [text]
    for special in by_length(specials):
        parts = [
            piece for part in parts for piece in ([part] if part in specials else part.partition(special)) if piece
        ]
    return parts


# WordPiece ----------------------------------------------------------------------------


def marked_at(word: str, start: int, end: int) -> str:
    return ("##" if start else "") + word[start:end]


@correct("word_piece_encode")
def with_else(word: str, vocabulary: Any) -> list[str]:
    out, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            if marked_at(word, start, end) in vocabulary:
                out.append(marked_at(word, start, end))
                start = end
                break
        else:
            return ["[UNK]"]
    return out


@correct("word_piece_encode")
def with_recursion(word: str, vocabulary: Any) -> list[str]:
    def rest_of(rest: str, mark: str) -> list[str] | None:
        if not rest:
            return []
        fits = [n for n in range(1, len(rest) + 1) if mark + rest[:n] in vocabulary]
        if not fits:
            return None
        tail = rest_of(rest[max(fits) :], "##")
        return None if tail is None else [mark + rest[: max(fits)], *tail]

    found = rest_of(word, "")
    return ["[UNK]"] if found is None else found


@correct("word_piece_encode")
def with_shrinking(word: str, vocabulary: Any) -> list[str]:
    out, rest = [], word
    while rest:
        piece = rest
        while piece and ("##" * bool(out)) + piece not in vocabulary:
            piece = piece[:-1]
        if not piece:
            return ["[UNK]"]
        out.append("##" * bool(out) + piece)
        rest = rest[len(piece) :]
    return out


@correct("word_piece_encode")
def with_max(word: str, vocabulary: Any) -> list[str]:
    out, at = [], 0
    while at < len(word):
        mark = "##" if at else ""
        fits = [
            one for one in vocabulary if one.startswith(mark) and word.startswith(one[len(mark) :], at) and one != mark
        ]
        fits = [one for one in fits if at or not one.startswith("##")]
        if not fits:
            return ["[UNK]"]
        out.append(max(fits, key=len))
        at += len(out[-1]) - len(mark)
    return out


@correct("word_piece_encode")
def with_exceptions(word: str, vocabulary: Any) -> list[str]:
    out: list[str] = []
    remaining = word
    try:
        while remaining:
            options = (remaining[:n] for n in reversed(range(1, 1 + len(remaining))))
            taken = next(option for option in options if (f"##{option}" if out else option) in vocabulary)
            out.append(f"##{taken}" if out else taken)
            remaining = remaining.removeprefix(taken)
    except StopIteration:
        out = ["[UNK]"]
    return out


def pieces(
    look: Callable = marked_at,
    write: Callable = marked_at,
    ends: Callable = lambda start, length: range(length, start, -1),
    stuck: Callable = lambda out: ["[UNK]"],
    skip: bool = False,
) -> Callable:
    """A WordPiece encoder, every part of which can be another."""

    def encode(word: str, vocabulary: Any) -> list[str]:
        out: list[str] = []
        start = 0
        while start != len(word):
            fits = [end for end in ends(start, len(word)) if look(word, start, end) in vocabulary]
            if fits:
                out += [write(word, start, fits[0])]
                start = fits[0]
            elif skip:
                out += ["[UNK]"]
                start += 1
            else:
                return stuck(out)
        return out

    return encode


def bare(word: str, start: int, end: int) -> str:
    return word[start:end]


WORD_PIECES = {
    "no ## at all": [pieces(look=bare, write=bare)],
    "## at the beginning too": [pieces(look=lambda *at: "##" + bare(*at), write=lambda *at: "##" + bare(*at))],
    "## looked up and not written": [pieces(write=bare)],
    "## written and not looked up": [pieces(look=bare)],
    "the shortest match": [pieces(ends=lambda start, length: range(start + 1, length + 1))],
    "part of the word unknown": [pieces(stuck=lambda out: [*out, "[UNK]"]), pieces(skip=True)],
    "unknown words vanish": [pieces(stuck=lambda out: [])],
    "stops where nothing fits": [pieces(stuck=lambda out: out)],
    "a single character never tried": [
        pieces(ends=lambda start, length: reversed(range(start + 2, length + 1))),
    ],
    "the whole rest never tried": [pieces(ends=lambda start, length: range(length - 1, start, -1))],
}
for mistake, functions in WORD_PIECES.items():
    for function in functions:
        disguise("word_piece_encode", mistake)(function)


@disguise("word_piece_encode", "shorter tokens tried again")
def with_ways_back(word: str, vocabulary: Any) -> list[str]:
    """All ways to cut the word, the longest tokens first, one of them taken."""
    open_ways: list = [(0, ())]
    while open_ways:
        at, tokens = open_ways.pop()
        if at == len(word):
            return list(tokens)
        for end in range(at + 1, len(word) + 1):
            if marked_at(word, at, end) in vocabulary:
                open_ways.append((end, (*tokens, marked_at(word, at, end))))
    return ["[UNK]"]


@disguise("word_piece_encode", "a single character never tried")
def shrinking_to_two(word: str, vocabulary: Any) -> list[str]:
    out, rest = [], word
    while rest:
        piece = rest
        while len(piece) > 1 and "##" * bool(out) + piece not in vocabulary:
            piece = piece[:-1]
        if len(piece) < 2:
            return ["[UNK]"]
        out.append("##" * bool(out) + piece)
        rest = rest.removeprefix(piece)
    return out


@disguise("word_piece_encode", "made lower case")
def without_capitals(word: str, vocabulary: Any) -> list[str]:
    return with_recursion(word.casefold(), vocabulary)


@disguise("word_piece_encode", "from right to left")
def leftwards(word: str, vocabulary: Any) -> list[str]:
    out: list[str] = []
    while word:
        cuts = [i for i in range(len(word)) if marked_at(word, i, len(word)) in vocabulary]
        if not cuts:
            return ["[UNK]"]
        out = [marked_at(word, cuts[0], len(word)), *out]
        word = word[: cuts[0]]
    return out


unlisted("word_piece_encode")(pieces(stuck=lambda out: None))
unlisted("word_piece_encode")(pieces(stuck=lambda out: ["<unk>"]))
unlisted("word_piece_encode")(pieces(stuck=lambda out: ["[UNK]"] * (len(out) + 1)))
unlisted("word_piece_encode")(
    pieces(write=lambda word, start, end: bare(word, start, end) + ("##" if end < len(word) else ""))
)
unlisted("word_piece_encode")(pieces(look=lambda *at: "#" * bool(at[1]) + bare(*at)))


@unlisted("word_piece_encode")
def letter_by_letter(word: str, vocabulary: Any) -> list[str]:
    return [marked_at(word, i, i + 1) for i in range(len(word))]


@unlisted("word_piece_encode")
def whole_or_nothing(word: str, vocabulary: Any) -> list[str]:
    return [word] if word in vocabulary else ["[UNK]"]


@unlisted("word_piece_encode")
def fewest_tokens(word: str, vocabulary: Any) -> list[str]:
    """The cut into the fewest tokens, which is not always the greedy one."""
    best: list[list[str] | None] = [[]]
    for end in range(1, len(word) + 1):
        options = [
            [*before, marked_at(word, start, end)]
            for start, before in enumerate(best)
            if before is not None and marked_at(word, start, end) in vocabulary
        ]
        best.append(min(options, key=len, default=None))
    return ["[UNK]"] if best[-1] is None else best[-1]
