"""Slips that were counted, each in another style than the solution."""

import codecs
import re
from collections import Counter, defaultdict
from functools import reduce
from itertools import pairwise
from typing import Any

from tests.variants import disguise, unlisted

# Decoding ----------------------------------------------------------------------------


def bytes_of(ids: Any, merges: Any) -> list[bytes]:
    """The bytes of every id; a ValueError for an id that is none."""
    found = []
    for one in ids:
        if one < 0 or one - 256 >= len(merges):
            raise ValueError(f"{one} is the id of no token")
        found.append(bytes([one]) if one < 256 else merges[one - 256][0] + merges[one - 256][1])
    return found


@disguise("byte_pair_decode", "ids are not checked at the limits")
def c_the_first_beyond(ids: Any, merges: Any) -> str:
    table = [bytes((byte,)) for byte in range(256)] + list(map(b"".join, merges))
    if any(one < 0 or one > len(table) for one in ids):
        raise ValueError("the id of no token")
    return str(b"".join([table[one] for one in ids]), "utf-8", "replace")


@disguise("byte_pair_decode", "another encoding than UTF-8")
def c_windows(ids: Any, merges: Any) -> str:
    return codecs.decode(b"".join(bytes_of(ids, merges)), "cp1252", "replace")


@disguise("byte_pair_decode", "characters changed or lost")
def c_signature(ids: Any, merges: Any) -> str:
    text = b"".join(bytes_of(ids, merges)).decode("utf-8", "replace")
    return text.removeprefix("\ufeff")


@disguise("byte_pair_decode", "one half of a merge")
def c_left_alone(ids: Any, merges: Any) -> str:
    bytes_of(ids, merges)
    raw = bytearray()
    for one in ids:
        if one > 255:
            left, _ = merges[one - 256]
            raw.extend(left)
        else:
            raw.append(one)
    return raw.decode(errors="replace")


@disguise("byte_pair_decode", "tokens in reverse")
def c_put_in_front(ids: Any, merges: Any) -> str:
    return reduce(lambda joined, token: token + joined, bytes_of(ids, merges), b"").decode("utf-8", "replace")


@disguise("byte_pair_decode", "ids left out")
def c_up_to_the_last(ids: Any, merges: Any) -> str:
    tokens = bytes_of(ids, merges)
    raw = b""
    for i in range(len(tokens) - 1):
        raw += tokens[i]
    return raw.decode("utf-8", "replace")


@disguise("byte_pair_decode", "merges in another order")
def c_sorted_table(ids: Any, merges: Any) -> str:
    return b"".join(bytes_of(ids, sorted(merges))).decode(errors="replace")


@disguise("byte_pair_decode", "merges in the place of bytes")
def c_written_over(ids: Any, merges: Any) -> str:
    bytes_of(ids, merges)
    table = {byte: bytes([byte]) for byte in range(256)}
    for i, (left, right) in enumerate(merges):
        table[i] = table[256 + i] = left + right
    return b"".join(map(table.__getitem__, ids)).decode(errors="replace")


@unlisted("byte_pair_decode")
def c_in_halves(ids: Any, merges: Any) -> str:
    tokens = bytes_of(ids, merges)
    half = len(tokens) // 2
    return "".join(b"".join(some).decode(errors="replace") for some in (tokens[:half], tokens[half:]))


@unlisted("byte_pair_decode")
def c_twice(ids: Any, merges: Any) -> str:
    return 2 * b"".join(bytes_of(ids, merges)).decode(errors="replace")


# Counting ----------------------------------------------------------------------------


@disguise("count_pairs", "counts multiplied")
def c_product(words: Any) -> Any:
    found: dict = {}
    for word, count in words.items():
        for i in range(1, len(word)):
            pair = word[i - 1], word[i]
            found[pair] = found[pair] * count if pair in found else count
    return found


@disguise("count_pairs", "weighed by the length of the word")
def c_long_words(words: Any) -> Any:
    found: defaultdict = defaultdict(int)
    for word, count in words.items():
        for pair in pairwise(word):
            found[pair] += len(word) * count
    return dict(found)


@disguise("count_pairs", "a mark at an end of the word counted")
def c_from_the_start(words: Any) -> Any:
    found: Counter = Counter()
    for word, count in words.items():
        before = b""
        for token in word:
            found[before, token] += count
            before = token
    return found


@disguise("count_pairs", "keys that are no pairs of bytes")
def c_text_for_keys(words: Any) -> Any:
    found: Counter = Counter()
    for word, count in words.items():
        for left, right in pairwise(word):
            found[left.decode("latin-1"), right.decode("latin-1")] += count
    return found


@unlisted("count_pairs")
def c_singles_too(words: Any) -> Any:
    found: Counter = Counter()
    for word, count in words.items():
        found.update({(token,): count for token in word})
        for pair in pairwise(word):
            found[pair] += count
    return found


@unlisted("count_pairs")
def c_halves_of_runs(words: Any) -> Any:
    found: Counter = Counter()
    for word, count in words.items():
        for pair in pairwise(word):
            found[pair] += count
    return {pair: (n + 1) // 2 if pair[0] == pair[1] else n for pair, n in found.items()}


@unlisted("count_pairs")
def c_capped(words: Any) -> Any:
    found: Counter = Counter()
    for word, count in words.items():
        for pair in pairwise(word):
            found[pair] += count
    return {pair: min(n, 4) for pair, n in found.items()}


@disguise("count_pairs", "the count multiplied by itself")
def c_squared(words: Any) -> Any:
    found: Counter = Counter()
    for word, count in words.items():
        for pair in pairwise(word):
            found[pair] += count * count
    return found


# Special tokens ----------------------------------------------------------------------------


def nearest(text: str, specials: Any, place: Any, choose: Any) -> list[str]:
    """Cut at one special token, go on behind it."""
    if "" in specials:
        raise ValueError("an empty special token")
    parts: list[str] = []
    while there := [one for one in specials if one in text]:
        special = choose(there, text)
        at = place(text, special)
        parts += [text[:at], special]
        text = text[at + len(special) :]
    return [part for part in (*parts, text) if part]


@disguise("split_special", "not the nearest special token")
def c_longest_of_all(text: str, specials: Any) -> Any:
    return nearest(text, specials, str.index, lambda there, _: max(there, key=len))


def scanned(text: str, specials: Any, begin: int = 0) -> list[str]:
    """Text, special token, text and so on; empty ones as well."""
    if "" in specials:
        raise ValueError("an empty special token")
    parts: list[str] = []
    start, at = 0, begin
    while at < len(text):
        fits = [one for one in specials if text.startswith(one, at)]
        if fits:
            longest = max(fits, key=len)
            parts += [text[start:at], longest]
            at += len(longest)
            start = at
        else:
            at += 1
    return [*parts, text[start:]]


@disguise("split_special", "not at the beginning of the text")
def c_from_one(text: str, specials: Any) -> Any:
    return list(filter(None, scanned(text, specials, 1)))


@disguise("split_special", "text beside a special token lost")
def c_without_the_text_before(text: str, specials: Any) -> Any:
    parts = scanned(text, specials)
    return [part for i, part in enumerate(parts) if part and (i % 2 or i == len(parts) - 1)]


@disguise("split_special", "a special token joined to the text beside it")
def c_one_part(text: str, specials: Any) -> Any:
    parts = scanned(text, specials)
    pairs = [parts[i] + parts[i + 1] for i in range(0, len(parts) - 1, 2)]
    return [part for part in (*pairs, parts[-1]) if part]


@disguise("split_special", "special tokens of one character")
def c_two_at_least(text: str, specials: Any) -> Any:
    kept = [one for one in specials if len(one) != 1]
    return [part for part in scanned(text, kept if "" not in specials else specials) if part]


@disguise("split_special", "parts in another order")
def c_put_in_front_of(text: str, specials: Any) -> Any:
    found: list[str] = []
    for part in scanned(text, specials):
        if part:
            found.insert(0, part)
    return found


# Pieces ----------------------------------------------------------------------------


def kind(character: str) -> str:
    if character.isspace():
        return "space"
    return "word" if character.isalnum() or character == "_" else "other"


def walked(text: str, kind: Any = kind) -> list[str]:
    """Character by character."""
    pieces: list[str] = []
    at = 0
    while at < len(text):
        start = at
        if text[at] == " " and at + 1 < len(text) and kind(text[at + 1]) != "space":
            at += 1
        now = kind(text[at])
        while at < len(text) and kind(text[at]) == now:
            at += 1
        pieces.append(text[start:at])
    return pieces


@disguise("pretokenize", "words with hyphens kept whole")
def c_hyphens(text: str) -> Any:
    return [one[0] for one in re.finditer(r"[ ]?\w+(-\w+)*|[ ]?[^\w\s]+|\s+", text)]


@disguise("pretokenize", "cut at capitals")
def c_camels(text: str) -> Any:
    return [part for piece in walked(text) for part in re.sub("([a-z])([A-Z])", "\\1\0\\2", piece).split("\0")]


@disguise("pretokenize", "signs lost")
def c_words_alone(text: str) -> Any:
    return [one for one in walked(text) if kind(one[-1]) != "other"]


@disguise("pretokenize", "nothing without a space before it")
def c_space_needed(text: str) -> Any:
    return [one for one in walked(text) if one[0].isspace()]


@disguise("pretokenize", "digits taken for signs")
def c_letters(text: str) -> Any:
    def of(character: str) -> str:
        if character.isspace():
            return "space"
        return "word" if character.isalpha() or character == "_" else "other"

    return walked(text, of)


@disguise("pretokenize", "only some whitespace")
def c_three_kinds(text: str) -> Any:
    return walked(text, lambda one: "space" if one in " \t\n" else "word" if one.isalnum() or one == "_" else "other")


@disguise("pretokenize", "the last piece lost")
def c_not_appended(text: str) -> Any:
    pieces = walked(text)
    return [pieces[i] for i in range(len(pieces) - 1)]


@disguise("pretokenize", "pieces in another order")
def c_inserted(text: str) -> Any:
    found: list[str] = []
    for piece in walked(text):
        found.insert(0, piece)
    return found


@disguise("pretokenize", "no list comes back")
def c_one_text(text: str) -> Any:
    found = ""
    for piece in walked(text):
        found += piece + " "
    return found[:-1]


@disguise("pretokenize", "spaces written otherwise")
def c_marked(text: str) -> Any:
    return ["".join("\u0120" if one == " " else one for one in piece) for piece in walked(text)]


@unlisted("pretokenize")
def c_digit_by_digit(text: str) -> Any:
    return [part for piece in walked(text) for part in re.split(r"(?<=\d)(?=\d)", piece)]


@unlisted("pretokenize")
def c_four_at_most(text: str) -> Any:
    return [piece[i : i + 4] for piece in walked(text) for i in range(0, len(piece), 4)]


@unlisted("pretokenize")
def c_with_an_end(text: str) -> Any:
    return [*walked(text), ""]


# Merging ----------------------------------------------------------------------------


def c_spots(tokens: Any, pair: Any) -> list[int]:
    """Where the pair begins, from left to right, no token twice."""
    found: list[int] = []
    for i in range(len(tokens) - 1):
        if (tokens[i], tokens[i + 1]) == pair and (not found or found[-1] + 1 < i):
            found.append(i)
    return found


def c_merged(tokens: Any, spots: list[int], token: Any = None) -> list[Any]:
    """What stands there once the tokens at these places are joined with those behind them."""
    out: list[Any] = []
    for i, one in enumerate(tokens):
        if i in spots:
            out.append(one + tokens[i + 1] if token is None else token)
        elif i - 1 not in spots:
            out.append(one)
    return out


@disguise("merge_pair", "the first place not looked at")
def c_behind_the_first(tokens: Any, pair: Any) -> Any:
    return tuple(tokens[:1]) + tuple(c_merged(tokens[1:], c_spots(tokens[1:], pair)))


@disguise("merge_pair", "runs never merged")
def c_different_only(tokens: Any, pair: Any) -> Any:
    left, right = pair
    return tuple(c_merged(tokens, [] if left == right else c_spots(tokens, pair)))


@disguise("merge_pair", "each half at either place")
def c_members(tokens: Any, pair: Any) -> Any:
    left = list(tokens)
    out = []
    while left:
        one = left.pop(0)
        if left and one in set(pair) and left[0] in set(pair):
            one += left.pop(0)
        out.append(one)
    return tuple(out)


@disguise("merge_pair", "a merged token merged again")
def c_further(tokens: Any, pair: Any) -> Any:
    once = tuple(c_merged(tokens, c_spots(tokens, pair)))
    return once if once == tuple(tokens) else c_further(once, (pair[0], pair[0] + pair[1]))


@disguise("merge_pair", "no tokens come back")
def c_one_word(tokens: Any, pair: Any) -> Any:
    return b"".join(c_merged(tokens, c_spots(tokens, pair)))


@disguise("merge_pair", "tokens taken apart")
def c_numbers(tokens: Any, pair: Any) -> Any:
    out: tuple[Any, ...] = ()
    for one in c_merged(tokens, c_spots(tokens, pair), token=pair):
        out += tuple(one[0] + one[1]) if one == pair else (one,)
    return out


@disguise("merge_pair", "a text in the place of the merged token")
def c_as_shown(tokens: Any, pair: Any) -> Any:
    return tuple(c_merged(tokens, c_spots(tokens, pair), token=str(b"".join(pair))))
