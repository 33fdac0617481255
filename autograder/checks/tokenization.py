"""Checks of lesson 12: cutting text, counting and merging pairs, byte-pair encoding and back, special tokens, WordPiece."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

MERGES = [
    (b" ", b"a"), (b" ", b"b"), (b"c", b"c"), (b"d", b"d"), (b"c", b"d"), (b"c", b"a"), (b" a", b"d"), (b" ", b"d"),
    (b" ", b" "), (b" a", b"a"), (b" b", b"b"), (b"\xc3", b"\xa9"), (b" ", b"\xc3\xa9"), (b"b", b"c"), (b" b", b"a"),
    (b"cd", b"bc"), (b" d", b"cc"), (b" ", b"cd"), (b"b", b"cc"), (b" ", b"\xe6"), (b"\x97", b"\xa5"), (b" a", b"bcc"),
    (b" b", b"d"), (b" \xe6", b"\x97\xa5"), (b"dd", b"d"), (b" ", b"dd"), (b".", b"."), (b"a", b"d"), (b"b", b"ca"),
    (b"ca", b"d"), (b" bb", b"dd"), (b" \xc3\xa9", b"a"), (b" dd", b"bca"), (b" ", b".."), (b" b", b"ddd"), (b" aa", b"ad"),
    (b"f", b"g"), (b"e", b"f"), (b"g", b"h"), (b"k", b"l"), (b"m", b"n"), (b"h", b"ef"), (b"kl", b"m"),
]  # fmt: skip
"""Learned from drawn words of a, b, c, d and a few others: in merges that were made up, two ways may lead to one token.

The last line is from fg, ef, gh, kl, mn, hef and klm, in falling numbers. In `efghef` and `klmn` the lowest rank, the
leftmost pair and the longest token lead to three different ends; no words of a, b, c, d tell the latter two apart.
"""


def drawn_text(draw: Draw, name: str, count: int, pool: Sequence[str]) -> str:
    """So many drawn pieces of a pool, joined."""
    return "".join(pool[i] for i in draw.integers(name, count, high=len(pool)).tolist())


def in_drawn_order(draw: Draw, name: str, things: Sequence[Any]) -> list[Any]:
    """All of them, shuffled."""
    keys = draw.integers(name, len(things), high=2**40).tolist()
    return [thing for _, thing in sorted(zip(keys, things, strict=True))]


# pretokenize ----------------------------------------------------------------------------

pretokenize = Exercise(
    "pretokenize",
    points=1,
    hints=(
        "`re.findall` gives all places where a pattern fits, in order. Three kinds of pieces are three patterns with `|` between them; where several fit, the "
        "first is taken.",
        "```python\n"
        "# word characters:   \\w+\n"
        "# whitespace:        \\s+\n"
        "# neither:           [^\\w\\s]+\n"
        '# a space, perhaps:  " ?" in front\n'
        "return re.findall(..., text)\n"
        "```",
        '`re.findall(r" ?\\w+| ?...|\\s+", text)`. Write the pattern without brackets of the kind `( )`: with them `findall` gives what is inside them, and not the piece.',
    ),
    traps={
        "AttributeError: 're.Match' object has no attribute ...": "`re.finditer` gives matches; `match[0]` is the text of one. `re.findall` gives the texts at once.",
        "error: ...": "the pattern is no regular expression. Look for a bracket that is not closed.",
    },
)

SIGNS = [
    "word",
    " word",
    "word_2",
    " 3",
    ".",
    "14",
    ",",
    " (",
    ")",
    "...",
    "!?",
    " --",
    "'s",
    "x",
    " Y",
]


@pretokenize.probe("cuts words, numbers and other signs apart, with the space before them")
def words_and_signs(pretokenize: Callable, draw: Draw) -> Any:
    text = "It's 3.14 in utf8_2, (isn't it)?!" + drawn_text(draw, "text", 12, SIGNS)
    return pretokenize(text)


@pretokenize.probe("leaves whitespace of more than one space to itself")
def whitespace(pretokenize: Callable, draw: Draw) -> Any:
    pool = ["if", "x", " x", "  x", "    y", "\n", "\tx", "\n\n"]  # no signs: their pieces have a probe of their own
    return pretokenize("if x  \n    y  z\tz\r\n" + drawn_text(draw, "text", 14, pool) + "a")


@pretokenize.probe("takes the letters of every script for word characters")
def scripts(pretokenize: Callable, draw: Draw) -> Any:
    pool = [" über", "naïve", " 日本", "語", "。a", " Ελλάδα", " Привет", "!я", "🙂é", "éa", "ß1"]
    return pretokenize("Größe 東京:ß\u3000" + drawn_text(draw, "text", 10, pool))


@pretokenize.probe("loses nothing", rung="invariants")
def nothing_lost(pretokenize: Callable, draw: Draw) -> Any:
    text = drawn_text(draw, "text", 20, [*SIGNS, "日本", "\t\n", "\n", "  "])
    return ["".join(pretokenize(text)), text]


@pretokenize.probe("works for an empty text, a single character, and spaces at both ends", rung="edges")
def short_texts(pretokenize: Callable, draw: Draw) -> Any:
    return {
        "empty": pretokenize(""),
        "a letter": pretokenize(drawn_text(draw, "letter", 1, "abc")),
        "a space": pretokenize(" "),
        "spaces at both ends": pretokenize(" both "),
        "a sign at the end": pretokenize(drawn_text(draw, "end", 2, ["a", "b"]) + " ."),
    }


# count_pairs ----------------------------------------------------------------------------

count_pairs = Exercise(
    "count_pairs",
    points=1,
    hints=(
        "Two loops: over the words, and over the neighbours in each. A word that occurs 7 times gives each of its pairs 7.",
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
    words = {(b"l", b"o", b"w"): 5, (b"l", b"o", b"w", b"er"): 2} | drawn_words(draw, "words", 8)
    once = {tuple(dict.fromkeys(word)): count for word, count in words.items()}  # runs have a probe of their own
    return count_pairs(once)


@count_pairs.probe("counts every place where two tokens meet, in a run too")
def pairs_in_runs(count_pairs: Callable, draw: Draw) -> Any:
    often = draw.integers("counts", 3, low=2, high=9).tolist()
    words = [(b"a",) * 5, (b"b", b"a", b"a", b"a"), (b"c", b"c", b"b", b"c", b"c")]
    return count_pairs(dict(zip(words, often, strict=True)))


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
        "Walk through the tokens with a position of your own. If the pair stands here, put down one token and go two ahead; if not, put down the token and go one ahead.",
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
    word = (b"b", b"a", *tokens, b"a", b"b", b"c", b"a", b"b", b"a")
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


# byte_pair_train ----------------------------------------------------------------------------

byte_pair_train = Exercise(
    "byte_pair_train",
    points=4,
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
    return [byte_pair_train(".".join(one), 256 + 14) for one in (words, words[::-1])]


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
    often = [d + e] * 12 + in_drawn_order(draw, "order", [a + b + c] * 20 + [a + b] * 10)
    others = drawn_text(draw, "others", 1 + 2 * len(often) + 320, letters[5:])
    # d stands at odd places only: whoever takes every second pair never meets d, e.
    word = "".join(others[2 * i] + one + others[2 * i + 1] for i, one in enumerate(often))
    word += others[2 * len(often) :]  # there are more pairs in it than anyone may merge
    return byte_pair_train(word, 256 + 3)


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
    }


@byte_pair_train.probe("returns pairs that can be keys", rung="invariants")
def merges_as_keys(byte_pair_train: Callable, draw: Draw) -> Any:
    text = drawn_text(draw, "text", 6, ["abc ", "ab ", "cb "])
    return {pair: rank for rank, pair in enumerate(byte_pair_train("abc ab " + text, 258))}


@byte_pair_train.probe("raises a ValueError for a vocabulary of fewer than 256 tokens", rung="invariants")
def train_refuses(byte_pair_train: Callable, draw: Draw) -> Any:
    byte_pair_train("abab", 257)  # the blank stub must show as blank
    return byte_pair_train("abab", draw.integers("size", 1, high=256).tolist()[0])


# byte_pair_encode ----------------------------------------------------------------------------

byte_pair_encode = Exercise(
    "byte_pair_encode",
    points=3,
    hints=(
        "The same as in training, without counting: in a piece, look which neighbours are a merge at all, and make the one that was learned first. Then look again.",
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
    text = " efghef klmn klm add bccd ddd"
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
        "café é 日本 日🙂 éa"
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


# byte_pair_decode ----------------------------------------------------------------------------

byte_pair_decode = Exercise(
    "byte_pair_decode",
    points=2,
    hints=(
        "Every id stands for some bytes. Put them all in a row first. A character may be spread over several tokens, so that nothing can be decoded before.",
        "```python\n"
        "tokens = ...  # a list: 256 single bytes, then left + right of every merge\n"
        "joined = ...  # the bytes of all ids, joined\n"
        "return ...    # decoded; bytes that are no UTF-8 are replaced\n"
        "```",
        '`b"".join(...)` joins bytes, and `.decode("utf-8", errors="replace")` makes text of them.',
    ),
    traps={
        "UnicodeDecodeError: 'utf-8' codec can't decode ...": 'bytes that are no valid UTF-8. A model may write such: `errors="replace"`. If the text is fine, you decode token by token: '
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
    }


@byte_pair_decode.probe("raises a ValueError for an id beyond the vocabulary", rung="invariants")
def decode_refuses(byte_pair_decode: Callable, draw: Draw) -> Any:
    byte_pair_decode([97], MERGES)  # the blank stub must show as blank
    return byte_pair_decode([97, 256 + len(MERGES) + draw.integers("beyond", 1, high=3).tolist()[0]], MERGES)


@byte_pair_decode.probe("raises a ValueError for an id below 0", rung="invariants")
def decode_refuses_negative(byte_pair_decode: Callable, draw: Draw) -> Any:
    byte_pair_decode([97], MERGES)  # the blank stub must show as blank
    return byte_pair_decode([97, -1 - draw.integers("below", 1, high=3).tolist()[0]], MERGES)


# split_special ----------------------------------------------------------------------------

split_special = Exercise(
    "split_special",
    points=2,
    hints=(
        "`re.split` cuts a text at a pattern, and with the pattern in round brackets it keeps what it cut at. The pattern is all special tokens with `|` between them.",
        "```python\n"
        "...          # no special tokens: the whole text, if there is any\n"
        "ordered = ...  # the longest first: of several that fit, a pattern takes the one that stands first\n"
        "pattern = ...  # each through re.escape, joined by |\n"
        "parts = ...    # re.split with the pattern in ( )\n"
        "return ...     # without the empty ones\n"
        "```",
        '`"|".join(re.escape(special) for special in sorted(specials, key=len, reverse=True))`, then `re.split(f"({pattern})", text)`. `re.escape` makes `|` and `.` mean themselves.',
    ),
    traps={
        "TypeError: unhashable type: 'list'": "`re.split` wants one pattern, not a list: join the special tokens by `|`.",
        "TypeError: must be str or None, not list": "`text.split` cuts at one string. `re.split` takes a pattern, which may stand for several.",
        "TypeError: bad operand type for unary -: ...": "`key=-len` negates a function. The longest first is `key=len, reverse=True`.",
        "error: ...": "signs of a special token were read as a pattern. `re.escape(special)` makes them plain.",
    },
)

SPECIALS = ["<|end|>", "[MASK]", "<s>", "<|end|>!", "a+b", "..."]


@split_special.probe("cuts out special tokens, whatever signs they hold")
def drawn_specials(split_special: Callable, draw: Draw) -> Any:
    pool = [*SPECIALS, "end", " M ", "|", "aab", "ab", "<", ">", ".", "S", "日", "[mask]"]
    return split_special(
        "M <|end|> end [MASK]a+b aab" + drawn_text(draw, "text", 12, pool), ["<|end|>", "[MASK]", "<s>", "a+b", "..."]
    )


@split_special.probe("takes the longest where several begin at one place")
def longest_special(split_special: Callable, draw: Draw) -> Any:
    specials = in_drawn_order(draw, "order", ["<|end|>", "<|end|>!", "<|end|>!!", "<e>", "<e><e>"])
    pool = ["<|end|>", "<|end|>!", "<|end|>!!", "!", "x", "<e>", "<e><e>"]
    text = "a<|end|>!<|end|>!!b <e><e><e>" + drawn_text(draw, "text", 8, pool)
    upwards = sorted(specials, key=len)
    return [split_special(text, one) for one in (upwards, upwards[::-1], specials)]


@split_special.probe("leaves no empty parts, and loses nothing", rung="edges")
def special_edges(split_special: Callable, draw: Draw) -> Any:
    some = SPECIALS[draw.integers("which", 1, high=len(SPECIALS)).tolist()[0]]
    return {
        "empty": split_special("", ["<s>"]),
        "no special tokens": split_special(" a b", []),
        "neither": split_special("", []),
        "one alone": split_special(some, [some]),
        "two side by side": split_special(some + some + " ", [some]),
        "at both ends": split_special(f"{some} a\n{some}", [some]),
        "none in the text": split_special(" <x>  ", [some]),
    }


@split_special.probe("leaves the list of special tokens as it was", rung="invariants")
def specials_stay(split_special: Callable, draw: Draw) -> Any:
    specials = ["<s>", "<|end|>", "[MASK]", "</s>"]
    return [split_special(drawn_text(draw, "text", 6, [*specials, "a"]), specials), specials]


@split_special.probe("raises a ValueError for an empty special token", rung="invariants")
def specials_refused(split_special: Callable, draw: Draw) -> Any:
    split_special("a<s>", ["<s>"])  # the blank stub must show as blank
    return split_special("a<s>", ["<s>", ""])


# byte_pair_train_fast ----------------------------------------------------------------------------

byte_pair_train_fast = Exercise(
    "byte_pair_train_fast",
    points=3,
    stretch=True,
    hints=(
        "A merge changes only the words that hold the pair. For such a word: take off what its pairs counted, merge, count its new pairs. All other counts stay. So you need to "
        "know, for every pair, which words hold it.",
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
        "Take off *all* pairs of the old word and put in *all* pairs of the merged one, each with the word's count; what did not change cancels out. `places.pop(best)` gives the set and "
        "takes it out of the dict; `places.setdefault(pair, set()).add(place)` notes a new one.",
    ),
    traps={
        "RuntimeError: Set changed size during iteration": "the set you loop over grows while you do. Take it out first: `places.pop(best)`, or loop over `list(...)`.",
        "RuntimeError: dictionary changed size during iteration": "pairs are added to or taken from the dict you loop over. Loop over `list(...)` of it.",
        "KeyError: ...": "a pair was chosen that has no entry in `places`. Either it is gone and still counts, as what the old pairs of a word counted was not taken off; or it is new, and was "
        "counted without being noted: `places.setdefault(pair, set()).add(place)`. If it is `counts` that has no entry, the pair is new there: `counts.get(pair, 0)`.",
        "ValueError: ... empty": "no pair is left: leave the loop when `counts` is empty.",
        "TypeError: 'tuple' object does not support item assignment": "an entry of the list is a tuple (tokens, count): put a whole new one in its place.",
    },
)

for probe in byte_pair_train.probes:
    byte_pair_train_fast.probe(probe.says, rung=probe.rung)(probe.compute)


@byte_pair_train_fast.probe("learns the same from a longer text")
def longer_text(byte_pair_train_fast: Callable, draw: Draw) -> Any:
    words = [drawn_text(draw, f"word {i}", 3 + i % 5, "aaabbcdeé") for i in range(60)]
    text = drawn_text(draw, "text", 300, [f" {word}" for word in words] + ["  ", ".", ", "])
    tie = " zy zx" * 60  # of two equally frequent pairs that begin alike, the wrong one is met first
    return byte_pair_train_fast(tie + text, 256 + 40)


# word_piece_encode ----------------------------------------------------------------------------

word_piece_encode = Exercise(
    "word_piece_encode",
    points=2,
    stretch=True,
    hints=(
        "Start with the whole word, and shorten it at its end until it is in the vocabulary. Then do the same with the rest, which now is looked up with ## in front.",
        "```python\n"
        "tokens, start = [], 0\n"
        "while start < len(word):\n"
        '    mark = ...  # "" at the beginning of the word, "##" later\n'
        "    ...         # the largest end with mark + word[start:end] in the vocabulary\n"
        '    ...         # none: return ["[UNK]"]\n'
        "    ...         # note the token, go on at its end\n"
        "return tokens\n"
        "```",
        "`for end in range(len(word), start, -1)` goes from the longest to a single character. A loop's `else` runs when no `break` was met, which is where nothing fits.",
    ),
    traps={
        "TypeError: 'set' object is not subscriptable": "a vocabulary is asked with `in`; there is nothing to look up.",
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
    words = ["unx", "xun", "unable", "Unable", "abxab", "affable", "日本", "本日", *("ab" + end for end in ends)]
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


# In the wild ----------------------------------------------------------------------------

article = Exercise(
    "article_encode",
    points=2,
    repairs=byte_pair_encode,
    hints=(
        "Two things are wrong. Encode a text and decode what came out: what is missing? And in which order are merges made here: in that in which they were learned?",
        "What does `split()` do to spaces? And when the loop meets a pair that is a merge, may there be another one further on, of a lower rank?",
        "Cut the text by `pretokenize`. In a piece, look at *all* neighbours before you merge any, and merge those of the lowest rank, as in your `byte_pair_encode`.",
    ),
)
