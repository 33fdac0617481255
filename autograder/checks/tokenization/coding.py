"""Checks of byte-pair encoding and back, and a repair."""

from collections.abc import Callable
from typing import Any

from autograder.checks.tokenization.shared import LIBRARIES, drawn_text, kind_of
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

MERGES = [
    (b" ", b"a"), (b" ", b"b"), (b"c", b"c"), (b"d", b"d"), (b"c", b"d"), (b"c", b"a"), (b" a", b"d"), (b" ", b"d"),
    (b" ", b" "), (b" a", b"a"), (b" b", b"b"), (b"\xc3", b"\xa9"), (b" ", b"\xc3\xa9"), (b"b", b"c"), (b" b", b"a"),
    (b"cd", b"bc"), (b" d", b"cc"), (b" ", b"cd"), (b"b", b"cc"), (b" ", b"\xe6"), (b"\x97", b"\xa5"), (b" a", b"bcc"),
    (b" b", b"d"), (b" \xe6", b"\x97\xa5"), (b"dd", b"d"), (b" ", b"dd"), (b".", b"."), (b"a", b"d"), (b"b", b"ca"),
    (b"ca", b"d"), (b" bb", b"dd"), (b" \xc3\xa9", b"a"), (b" dd", b"bca"), (b" ", b".."), (b" b", b"ddd"), (b" aa", b"ad"),
    (b"f", b"g"), (b"e", b"f"), (b"g", b"h"), (b"k", b"l"), (b"m", b"n"), (b"h", b"ef"), (b"kl", b"m"),
    (b"o", b"p"), (b"u", b"w"), (b"t", b"s"), (b"s", b"ef"), (b"op", b"u"), (b"x", b"y"), (b"y", b"v"),
]  # fmt: skip
"""Learned from drawn words of a, b, c, d and a few others: in merges that were made up, two ways may lead to one token.

The last lines are from fg, ef, gh, kl, mn, hef, klm, op, uw, ts, sef, opu, xy and yv, in falling numbers. In `efghef` and `klmn` the
lowest rank, the leftmost pair and the longest token lead to three different ends; no words of a, b, c, d tell the latter two
apart. In `opuwop` so do the rightmost pair and the longest token, in `tsef` the shortest token and the lowest ids.
"""


# byte_pair_encode ----------------------------------------------------------------------------

byte_pair_encode = Exercise(
    "byte_pair_encode",
    points=3,
    forbidden=LIBRARIES,
    hints=(
        "The same as in training, without counting: in a piece, look which neighbours are a merge at all, and make the merge that was learned first. "
        "Then look again.",
        "```python\n"
        "ranks = ...  # pair → its place in `merges`\n"
        "ids = ...    # token → id: 256 single bytes, and left + right of every merge\n"
        "found = []\n"
        "for piece in pretokenize(text):\n"
        "    tokens = byte_tokens(piece)\n"
        "    while ...:    # there are neighbours with a rank\n"
        "        tokens = merge_pair(tokens, ...)  # those of the lowest rank\n"
        "    found += ...  # the ids of the tokens\n"
        "return found\n"
        "```",
        "`known = [pair for pair in pairwise(tokens) if pair in ranks]`, and `min(known, key=lambda pair: ranks[pair])` is the next to merge. Stop when `known` is empty.",
    ),
    traps={
        "KeyError: ...": "a token has no id. Start from bytes, not from characters: `byte_tokens(piece)`. And a merge's token is `left + right`.",
        "ValueError: ... empty": "no neighbours are a merge any more: stop there.",
        "TypeError: '<' not supported between instances of ...": "a pair that is no merge has no rank, and `ranks.get` gives None for it. Choose among the pairs that have one.",
        "ValueError: (b'...') is not in list": "`merges.index` raises for a pair that is no merge. A dict from pair to rank can be asked, and is faster.",
    },
)

WORDS = [
    " add",
    "bcc",
    " ccd",
    "dcd",
    " bad",
    " abcd",
    " aaad",
    "ddddd",
    " bddd",
    " cdbc",
    " dccc",
    "cad",
    " bbdd",
    ".",
    " ..",
]


@byte_pair_encode.probe("makes the merges in the order in which they were learned")
def drawn_letters(byte_pair_encode: Callable, draw: Draw) -> Any:
    text = " efghef klmn klm opuwop opuw tsef xyv bad bdddklm add bccd ddd"
    text += drawn_text(draw, "text", 12, WORDS) + drawn_text(draw, "letters", 16, "abcd")
    return byte_pair_encode(text, MERGES)


@byte_pair_encode.probe("merges within a piece only, and keeps every space")
def pieces_stay_apart(byte_pair_encode: Callable, draw: Draw) -> Any:
    pool = ["a", " a", "  a", "  ", ".", ". ", " b", "\n", "   dd", "..  "]
    return byte_pair_encode("b  a.. dd\n b   a" + drawn_text(draw, "text", 14, pool), MERGES)


@byte_pair_encode.probe("works on bytes, so that every character has ids")
def any_character(byte_pair_encode: Callable, draw: Draw) -> Any:
    drawn = draw.integers("characters", 8, low=0x80, high=0xD800).tolist()
    text = (
        "café é 日本 日🙂 éa \0e\u0301 \ufb01 A"
        + "".join(map(chr, drawn))
        + drawn_text(draw, "text", 8, ["é", " é", "日", " 日", "a", "本"])
    )
    return byte_pair_encode(text, MERGES)


@byte_pair_encode.probe("makes only the merges that it is given")
def fewer_merges(byte_pair_encode: Callable, draw: Draw) -> Any:
    text = " add bccd bcd ddd" + drawn_text(draw, "text", 12, WORDS)
    few, more = draw.integers("few", 1, low=2, high=8).tolist(), draw.integers("more", 1, low=10, high=16).tolist()
    return [byte_pair_encode(text, MERGES[:count]) for count in few + more]


@byte_pair_encode.probe("works for an empty text, a single character, and without merges", rung="edges")
def little_to_encode(byte_pair_encode: Callable, draw: Draw) -> Any:
    text = drawn_text(draw, "text", 6, WORDS)
    return {
        "empty": byte_pair_encode("", MERGES),
        "a letter": byte_pair_encode("d", MERGES),
        "a space": byte_pair_encode(" ", MERGES),
        "no merges": byte_pair_encode(text, []),
        "one merge": byte_pair_encode("addd" + text, [(b"d", b"d")]),
    }


@byte_pair_encode.probe("returns a list", rung="invariants")
def ids_in_a_list(byte_pair_encode: Callable, draw: Draw) -> Any:
    return kind_of(byte_pair_encode(drawn_text(draw, "text", 3, WORDS), MERGES))


# byte_pair_decode ----------------------------------------------------------------------------

byte_pair_decode = Exercise(
    "byte_pair_decode",
    points=2,
    forbidden=LIBRARIES,
    hints=(
        "Every id stands for some bytes. Join all of them first. A character may be spread over several tokens, so nothing can be decoded before that.",
        "```python\n"
        "tokens = ...  # a list: 256 single bytes, then left + right of every merge\n"
        "joined = ...  # the bytes of all ids, joined\n"
        "return ...    # decoded; bytes that are no UTF-8 are replaced\n"
        "```",
        '`b"".join(...)` joins bytes, and `.decode("utf-8", errors="replace")` makes text of them.',
    ),
    traps={
        "UnicodeDecodeError: 'utf-8' codec can't decode ...": 'bytes that are no valid UTF-8. A model may write such bytes: `errors="replace"`. If the '
        "text is fine, you decode token by token: "
        "join first.",
        "TypeError: sequence item 0: expected str instance, bytes found": 'bytes are joined by `b"".join(...)`.',
        "TypeError: sequence item 0: expected a bytes-like object, ...": "something among the tokens is not bytes: a merge is a pair, `left + right` is its token; a single byte is `bytes([65])`.",
        "ValueError: bytes must be in range(0, 256)": "only ids below 256 are bytes themselves. The others are looked up.",
        "IndexError: list index out of range": "the list of tokens is too short: 256 bytes, and one token for each merge.",
    },
)


@byte_pair_decode.probe("joins the bytes of the tokens")
def drawn_ids(byte_pair_decode: Callable, draw: Draw) -> Any:
    plain = [97, 98, 99, 100, 32, 46, *(256 + i for i, (left, right) in enumerate(MERGES) if max(left + right) < 128)]
    return byte_pair_decode(
        [256, 97, 258, *(plain[i] for i in draw.integers("ids", 12, high=len(plain)).tolist())], MERGES
    )


@byte_pair_decode.probe("finds characters that are spread over several tokens")
def spread_characters(byte_pair_decode: Callable, draw: Draw) -> Any:
    whole = [
        [0xC3, 0xA9],
        [267],
        [268],
        [275, 276],
        [0xE6, 276],
        [279],
        [0xF0, 0x9F, 0x99, 0x82],
        [256],
        [97, 98],
        [275, 0x97, 0xA5],
    ]
    drawn = [whole[i] for i in draw.integers("characters", 8, high=len(whole)).tolist()]
    return byte_pair_decode([one for ids in [[275, 276], [0xC3, 0xA9], *drawn] for one in ids], MERGES)


@byte_pair_decode.probe("gives back any character")
def every_character(byte_pair_decode: Callable, draw: Draw) -> Any:
    low, high = (
        draw.integers("low", 6, high=0xD800).tolist(),
        draw.integers("high", 6, low=0xE000, high=0x110000).tolist(),
    )
    return byte_pair_decode(list("".join(map(chr, [*low, *high])).encode()), MERGES)


@byte_pair_decode.probe("replaces bytes that are no valid UTF-8")
def broken_bytes(byte_pair_decode: Callable, draw: Draw) -> Any:
    drawn = draw.integers("ids", 9, low=120, high=256 + len(MERGES)).tolist()
    return [
        byte_pair_decode([97, 0x97, 98, 275, 99], MERGES),
        byte_pair_decode(drawn, MERGES),
        byte_pair_decode([255, 275], MERGES),
    ]


@byte_pair_decode.probe("works for no ids, and without merges", rung="edges")
def little_to_decode(byte_pair_decode: Callable, draw: Draw) -> Any:
    letters = draw.integers("letters", 5, low=32, high=127).tolist()
    return {
        "no ids": byte_pair_decode([], MERGES),
        "no merges": byte_pair_decode(letters, []),
        "the last merge": byte_pair_decode([97, 255 + len(MERGES)], MERGES),
        "spaces at both ends": byte_pair_decode([32, 97, 32, 10], MERGES),
        "signs without ink": byte_pair_decode([0xEF, 0xBB, 0xBF, 0, 97, 13, 10], MERGES),
        "an accent of its own": byte_pair_decode([69, 0xCC, 0x81, 0xC3, 0xA9, 0xEF, 0xAC, 0x81], MERGES),
    }


@byte_pair_decode.probe("raises a ValueError for an id beyond the vocabulary", rung="invariants")
def decode_refuses(byte_pair_decode: Callable, draw: Draw) -> Any:
    byte_pair_decode([97], MERGES)  # the blank stub must show as blank
    return byte_pair_decode([97, 256 + len(MERGES) + draw.integers("beyond", 1, low=1, high=4).tolist()[0]], MERGES)


@byte_pair_decode.probe("raises a ValueError for the first id beyond the vocabulary", rung="invariants")
def decode_refuses_the_first(byte_pair_decode: Callable, draw: Draw) -> Any:
    byte_pair_decode([97], MERGES)  # the blank stub must show as blank
    return byte_pair_decode([256 + len(MERGES)], MERGES)


@byte_pair_decode.probe("raises a ValueError for an id below 0", rung="invariants")
def decode_refuses_negative(byte_pair_decode: Callable, draw: Draw) -> Any:
    byte_pair_decode([97], MERGES)  # the blank stub must show as blank
    return byte_pair_decode([97, -1 - draw.integers("below", 1, high=3).tolist()[0]], MERGES)


# In the wild ----------------------------------------------------------------------------

article = Exercise(
    "article_encode",
    points=2,
    repairs=byte_pair_encode,
    hints=(
        "Two things are wrong. Encode a text and decode what came out: what is missing? And are merges made here in the order in which they were learned?",
        "What does `split()` do to spaces? And when the loop meets a pair that is a merge, may a merge of a lower rank stand further on?",
        "Cut the text by `pretokenize`. In a piece, look at *all* neighbours before you merge any, and merge those of the lowest rank, as in your `byte_pair_encode`.",
    ),
)
