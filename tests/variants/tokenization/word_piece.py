"""Lesson 13: WordPiece."""

import unicodedata
from collections.abc import Callable
from typing import Any

from tests.variants import correct, disguise, slips, unlisted

UNKNOWN = "[UNK]"


def marked_at(word: str, start: int, end: int) -> str:
    return ("##" if start else "") + word[start:end]


def with_else(word: str, vocabulary: Any) -> list[str]:
    out, start = [], 0
    while len(word) > start:
        for end in range(len(word), start, -1):
            if marked_at(word, start, end) in vocabulary:
                out.append(marked_at(word, start, end))
                start = end
                break
        else:
            return [UNKNOWN]
    return out


slips(
    "word_piece_encode",
    with_else,
    {
        "## looked up and not written": {"append(marked_at(word, start, end))": "append(word[start:end])"},
        "## written and not looked up": {"if marked_at(word, start, end)": "if word[start:end]"},
        "the shortest match": {"range(len(word), start, -1)": "range(start + 1, len(word) + 1)"},
        "part of the word unknown": {"return [UNKNOWN]": "return [*out, UNKNOWN]"},
        "unknown words vanish": {"return [UNKNOWN]": "return []"},
        "stops where nothing fits": {"return [UNKNOWN]": "break"},
        "a single character never tried": {"start, -1)": "start + 1, -1)"},
        "the whole rest never tried": {"range(len(word),": "range(len(word) - 1,"},
        "made lower case": {"    out, start": "    word = word.lower()\n    out, start"},
        "stops where nothing fits + a single character never tried": {
            "return [UNKNOWN]": "return out",
            "start, -1)": "start + 1, -1)",
        },
    },
)
slips(
    "word_piece_encode",
    with_else,
    {
        "no ## at all": {'("##" if start else "") + ': ""},
        "## at the beginning too": {'("##" if start else "")': '"##"'},
    },
    inside="marked_at",
)


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
    return [UNKNOWN] if found is None else found


slips(
    "word_piece_encode",
    with_recursion,
    {
        "no ## at all": {':], "##")': ':], "")'},
        "## at the beginning too": {'(word, "")': '(word, "##")'},
        "## looked up and not written": {"[mark + rest[: max": "[rest[: max"},
        "## written and not looked up": {"mark + rest[:n] in": "rest[:n] in"},
        "the shortest match": {"max(fits) :]": "min(fits) :]", "[: max(fits)]": "[: min(fits)]"},
        "part of the word unknown": {"return None\n": "return [UNKNOWN]\n"},
        "unknown words vanish": {"[UNKNOWN] if": "[] if"},
        "stops where nothing fits": {"return None\n": "return []\n"},
        "a single character never tried": {"range(1,": "range(2,"},
        "the whole rest never tried": {"len(rest) + 1)": "len(rest))"},
        "made lower case": {"(word, ": "(word.lower(), "},
        "unknown words vanish + the whole rest never tried": {"[UNKNOWN] if": "[] if", "len(rest) + 1)": "len(rest))"},
    },
)


def with_shrinking(word: str, vocabulary: Any) -> list[str]:
    out, rest = [], word
    while rest:
        piece = rest
        while piece and ("##" * bool(out)) + piece not in vocabulary:
            piece = piece[:-1]
        if not piece:
            return [UNKNOWN]
        out.append("##" * bool(out) + piece)
        rest = rest[len(piece) :]
    return out


slips(
    "word_piece_encode",
    with_shrinking,
    {
        "no ## at all": {'("##" * bool(out)) + piece': "piece", '"##" * bool(out) + piece)': "piece)"},
        "## at the beginning too": {
            '("##" * bool(out)) + piece': '"##" + piece',
            '"##" * bool(out) + piece)': '"##" + piece)',
        },
        "## looked up and not written": {'"##" * bool(out) + piece)': "piece)"},
        "## written and not looked up": {'("##" * bool(out)) + piece': "piece"},
        "part of the word unknown": [
            {"return [UNKNOWN]": "return out + [UNKNOWN]"},
            {"return [UNKNOWN]": "out.append(UNKNOWN)\n            rest = rest[1:]\n            continue"},
        ],
        "unknown words vanish": {"[UNKNOWN]": "[]"},
        "stops where nothing fits": {"return [UNKNOWN]": "break"},
        "a single character never tried": {
            "while piece and": "while piece[1:] and",
            "if not piece": "if not piece[1:]",
        },
        "the whole rest never tried": {"piece = rest\n": "piece = rest[:-1]\n"},
        "made lower case": {"[], word": "[], word.lower()"},
    },
)


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
        out = [UNKNOWN]
    return out


slips(
    "word_piece_encode",
    with_exceptions,
    {
        "## looked up and not written": {'append(f"##{taken}" if out else taken)': "append(taken)"},
        "## written and not looked up": {'(f"##{option}" if out else option)': "option"},
        "## at the beginning too": {
            'f"##{option}" if out else option': 'f"##{option}"',
            'f"##{taken}" if out else taken': 'f"##{taken}"',
        },
        "the shortest match": {"reversed(range(1, 1 + len(remaining)))": "range(1, 1 + len(remaining))"},
        "part of the word unknown": {"out = [UNKNOWN]": "out += [UNKNOWN]"},
        "unknown words vanish": {"out = [UNKNOWN]": "return []"},
        "stops where nothing fits": {"out = [UNKNOWN]": "pass"},
        "a single character never tried": {"range(1, 1": "range(2, 1"},
        "the whole rest never tried": {"1 + len(remaining)": "len(remaining)"},
        "made lower case": {"remaining = word": "remaining = word.lower()"},
    },
)


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


disguise("word_piece_encode", "[UNK] written otherwise")(pieces(stuck=lambda out: None))
disguise("word_piece_encode", "[UNK] written otherwise")(pieces(stuck=lambda out: ["<unk>"]))
disguise("word_piece_encode", "[UNK] more than once")(pieces(stuck=lambda out: ["[UNK]"] * (len(out) + 1)))
unlisted("word_piece_encode")(
    pieces(write=lambda word, start, end: bare(word, start, end) + ("##" if end < len(word) else ""))
)
disguise("word_piece_encode", "tokens that go on are never found")(
    pieces(look=lambda *at: "#" * bool(at[1]) + bare(*at))
)


@disguise("word_piece_encode", "long tokens never tried + unknown words kept as they are")
def letter_by_letter(word: str, vocabulary: Any) -> list[str]:
    return [marked_at(word, i, i + 1) for i in range(len(word))]


@disguise("word_piece_encode", "tokens that go on are never found")
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


@disguise("word_piece_encode", "long words given up")
def a_hundred_at_most(word: str, vocabulary: Any) -> list[str]:
    return with_recursion(word, vocabulary) if len(word) <= 100 else ["[UNK]"]


@disguise("word_piece_encode", "a tuple comes back")
def tokens_in_a_tuple(word: str, vocabulary: Any) -> tuple[str, ...]:
    return tuple(with_else(word, vocabulary))


@disguise("word_piece_encode", "a tuple comes back")
def known_tokens_in_a_tuple(word: str, vocabulary: Any) -> Any:
    found = with_else(word, vocabulary)
    return found if found == ["[UNK]"] else (*found,)


@disguise("word_piece_encode", "tokens left out")
def four_tokens_at_most(word: str, vocabulary: Any) -> list[str]:
    return with_else(word, vocabulary)[:4]


@disguise("word_piece_encode", "long tokens never tried")
def short_tokens_only(word: str, vocabulary: Any) -> list[str]:
    return with_else(word, {token for token in vocabulary if len(token) <= 8})


@disguise("word_piece_encode", "with ## or without")
def either(word: str, vocabulary: Any) -> list[str]:
    out: list[str] = []
    while word:
        ends = [n for n in range(1, len(word) + 1) if word[:n] in vocabulary or (out and f"##{word[:n]}" in vocabulary)]
        if not ends:
            return ["[UNK]"]
        begin, word = word[: ends[-1]], word[ends[-1] :]
        out.append(f"##{begin}" if out and f"##{begin}" in vocabulary else begin)
    return out


@disguise("word_piece_encode", "stops where nothing fits")
def something_at_least(word: str, vocabulary: Any) -> list[str]:
    whole = with_else(word, vocabulary)
    for end in range(len(word), 0, -1):
        if whole != ["[UNK]"]:
            return whole
        whole = with_else(word[:end], vocabulary)
    return whole


@disguise("word_piece_encode", "stops where nothing fits")
def letters_skipped(word: str, vocabulary: Any) -> list[str]:
    out, at = [], 0
    while at < len(word):
        tokens = [marked_at(word, at, end) for end in range(at + 1, len(word) + 1)]
        fits = [token for token in tokens if token in vocabulary]
        out += fits[-1:]
        at += len(fits[-1]) - 2 * (at > 0) if fits else 1
    return out


# wrong in ways that came later --------------------------------------------------------------------------------


def cut_by(word: str, vocabulary: Any, mark: Callable[[int], str], goes_on: Callable[[int, int], int]) -> list[str]:
    """From left to right, with a mark and a way of going on."""
    out, at = [], 0
    while at < len(word):
        fits = [end for end in range(at + 1, len(word) + 1) if mark(at) + word[at:end] in vocabulary]
        if not fits:
            return [UNKNOWN]
        out.append(mark(at) + word[at : fits[-1]])
        at = goes_on(at, fits[-1])
    return out


@disguise("word_piece_encode", "tokens that go on are never found")
def one_sign(word: str, vocabulary: Any) -> list[str]:
    return cut_by(word, vocabulary, lambda at: "#" if at else "", lambda at, end: end)


@disguise("word_piece_encode", "## at the wrong places")
def marked_late(word: str, vocabulary: Any) -> list[str]:
    return cut_by(word, vocabulary, lambda at: "##" if at >= 2 else "", lambda at, end: end)


@disguise("word_piece_encode", "unknown words kept as they are")
def kept_as_it_is(word: str, vocabulary: Any) -> list[str]:
    found = with_else(word, vocabulary)
    return [word] if found == [UNKNOWN] else found


@disguise("word_piece_encode", "goes on at the wrong place")
def one_further(word: str, vocabulary: Any) -> list[str]:
    return cut_by(word, vocabulary, lambda at: "##" if at else "", lambda at, end: at + 1)


@disguise("word_piece_encode", "only the first token")
def begun(word: str, vocabulary: Any) -> list[str]:
    fits = [word[:end] for end in range(1, len(word) + 1) if word[:end] in vocabulary]
    return fits[-1:] or ([UNKNOWN] if word else [])


@disguise("word_piece_encode", "the tokens in reverse order")
def last_first(word: str, vocabulary: Any) -> list[str]:
    return with_else(word, vocabulary)[::-1]


@disguise("word_piece_encode", "unknown words raise")
def a_missing_key(word: str, vocabulary: Any) -> list[str]:
    found = with_else(word, vocabulary)
    if found == [UNKNOWN]:
        raise KeyError(word)
    return found


@disguise("word_piece_encode", "the empty word taken for an unknown one")
def something_always(word: str, vocabulary: Any) -> list[str]:
    return with_recursion(word, vocabulary) if word else [UNKNOWN]


@disguise("word_piece_encode", "no list comes back")
def in_one_line(word: str, vocabulary: Any) -> str:
    line = ""
    for token in with_else(word, vocabulary):
        line += f" {token}"
    return line.strip()


@disguise("word_piece_encode", "any token that fits")
def whichever(word: str, vocabulary: Any) -> list[str]:
    out: list[str] = []
    rest = word
    while rest:
        for token in vocabulary:
            bare_token = token.removeprefix("##") if out else token
            if bare_token and rest.startswith(bare_token) and (token != bare_token) == bool(out):
                break
        else:
            return [UNKNOWN]
        out.append(token)
        rest = rest[len(bare_token) :]
    return out


@disguise("word_piece_encode", "the signs # taken off the word")
def without_signs(word: str, vocabulary: Any) -> list[str]:
    return with_shrinking("".join(sign for sign in word if sign != "#"), vocabulary)


@disguise("word_piece_encode", "the word is changed first")
def decomposed(word: str, vocabulary: Any) -> list[str]:
    return with_else(unicodedata.normalize("NFD", word), vocabulary)


@unlisted("word_piece_encode")
def second_longest(word: str, vocabulary: Any) -> list[str]:
    out, at = [], 0
    while at < len(word):
        fits = [end for end in range(at + 1, len(word) + 1) if marked_at(word, at, end) in vocabulary]
        if not fits:
            return [UNKNOWN]
        out.append(marked_at(word, at, fits[-2:][0]))
        at = fits[-2:][0]
    return out
