"""Checks of WordPiece."""

from collections.abc import Callable
from typing import Any

from autograder.checks.tokenization.shared import LIBRARIES, drawn_text, kind_of
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

word_piece_encode = Exercise(
    "word_piece_encode",
    points=2,
    forbidden=LIBRARIES,
    stretch=True,
    hints=(
        "Start with the whole word, and shorten it at its end until it is in the vocabulary. Then do the same with the rest of the word, now with ## in front.",
        "```python\n"
        "tokens, start = [], 0\n"
        "while start < len(word):\n"
        '    mark = ...  # "" at the beginning of the word, "##" later\n'
        "    ...         # the largest end with mark + word[start:end] in the vocabulary\n"
        '    ...         # none: return ["[UNK]"]\n'
        "    ...         # note the token, go on at its end\n"
        "return tokens\n"
        "```",
        "`for end in range(len(word), start, -1)` goes from the longest to a single character. A loop's `else` runs when there was no `break`, that is, "
        "where nothing fits.",
    ),
    traps={
        "TypeError: 'set' object is not subscriptable": "a vocabulary is a set: ask it with `in`.",
        'TypeError: can only concatenate str (not "NoneType") to str': 'no token was found, and the search gave None: return ["[UNK]"] then.',
        "UnboundLocalError: ...": 'the loop found no token, and the variable that should hold it was never set: return ["[UNK]"] then.',
    },
)

PIECES = [
    "un", "##aff", "##able", "a", "##b", "##a", "ab", "##ab", "abc", "##bc", "b", "##ba", "aff", "##un", "##é", "日", "##本",
    "##c", "kl", "klmn", "##o", "##p", "##mnop", "##lmnop",
]  # fmt: skip


@word_piece_encode.probe("takes the longest token that fits, from left to right")
def longest_first(word_piece_encode: Callable, draw: Draw) -> Any:
    words = [drawn_text(draw, f"word {i}", 6, ["a", "b", "ab", "bc", "éaff", "un", "é"]) for i in range(4)]
    return [
        word_piece_encode(word, set(PIECES))
        for word in ["unaffable", "unabc", "abcab", "klmnop", *("a" + word for word in words)]
    ]


@word_piece_encode.probe("gives up the whole word where nothing fits")
def unknown_words(word_piece_encode: Callable, draw: Draw) -> Any:
    ends = [drawn_text(draw, f"end {i}", 3, ["a", "b", "x", "ab"]) for i in range(3)]
    words = ["unx", "xun", "unable", "Unable", "abxab", "affable", "日本", "本日", "abkl", "ababx"]
    words += ["ab" + end for end in ends]
    no_way_on = word_piece_encode("klmnop", {"kl", "klmn", "##mnop"})
    return [no_way_on, *(word_piece_encode(word, set(PIECES)) for word in words)]


@word_piece_encode.probe("knows the tokens that begin a word from those that go on")
def beginnings(word_piece_encode: Callable, draw: Draw) -> Any:
    kept = {"[UNK]", *(PIECES[i] for i in draw.integers("kept", 9, high=len(PIECES)).tolist())}
    return [
        word_piece_encode(word, {"a", "b", "##a", "ab", "##ba", "baa"} | kept)
        for word in ("aa", "ab", "ba", "aaab", "abab", "unun", "b", "bb", "baa", "aba", "ax")
    ]


@word_piece_encode.probe("works for no word, one character, and an empty vocabulary", rung="edges")
def short_words(word_piece_encode: Callable, draw: Draw) -> Any:
    letter = drawn_text(draw, "letter", 1, "ab")
    return {
        "no word": word_piece_encode("", set(PIECES)),
        "one character": word_piece_encode(letter, set(PIECES)),
        "one that is not there": word_piece_encode("x", set(PIECES)),
        "no vocabulary": word_piece_encode(letter + "b", set()),
    }


@word_piece_encode.probe("cuts a word of any length into tokens of any length", rung="edges")
def long_words(word_piece_encode: Callable, draw: Draw) -> Any:
    drawn = drawn_text(draw, "letters", 260, "abc")
    vocabulary = {*PIECES, "sixteen_letters_", "##_and_twenty_letters"}
    words = ["ab" + "ba" * 9, "a" + drawn, "sixteen_letters__and_twenty_lettersab"]
    return [word_piece_encode(word, vocabulary) for word in words]


@word_piece_encode.probe("takes the sign # for a character of the word", rung="edges")
def words_with_signs(word_piece_encode: Callable, draw: Draw) -> Any:
    signs = [*PIECES, "#", "###", "###a", "b#"]
    drawn = drawn_text(draw, "word", 3, ["a", "b", "ab"])
    return [word_piece_encode(word, set(signs)) for word in ("#b", "a#", "ab#a", "b#", "#" + drawn, drawn + "#")]


@word_piece_encode.probe("returns a list, and asks a vocabulary of any kind", rung="invariants")
def tokens_in_a_list(word_piece_encode: Callable, draw: Draw) -> Any:
    word = "ab" + drawn_text(draw, "rest", 4, ["a", "b", "ab"])
    holders = {"a set": set(PIECES), "a list": PIECES, "a dict": {piece: i for i, piece in enumerate(PIECES)}}
    found = {name: word_piece_encode(word, vocabulary) for name, vocabulary in holders.items()}
    return found | {"known": kind_of(found["a set"]), "unknown": kind_of(word_piece_encode("xx", set(PIECES)))}
