"""Lesson 12: WordPiece."""

from collections.abc import Callable
from typing import Any

from tests.variants import correct, disguise, unlisted


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
