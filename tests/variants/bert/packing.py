"""Lesson 15: two texts in a row."""

import itertools
import operator
from collections.abc import Sequence
from typing import Any

from tests.variants import correct, disguise, slips, unlisted

PACK = "pack_pair"
Text = Sequence[int]


def refuse(second: Text | None, max_len: int) -> None:
    """The given ValueError."""
    if max_len < (2 if second is None else 3):
        raise ValueError("no room")


# Trunks ----------------------------------------------------------------------------


def one_by_one(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    """As BERT's own code cuts: a loop that never ends by itself."""
    refuse(second, max_len)
    tokens_a = list(first)
    tokens_b = None if second is None else list(second)
    if tokens_b is None:
        tokens_a = tokens_a[: max_len - 2]
    else:
        while True:
            total = len(tokens_a) + len(tokens_b)
            if total <= max_len - 3:
                break
            if len(tokens_a) > len(tokens_b):
                tokens_a.pop()
            else:
                tokens_b.pop()
    tokens = [cls_id]
    numbers = [0]
    for token in tokens_a:
        tokens.append(token)
        numbers.append(0)
    tokens.append(sep_id)
    numbers.append(0)
    if tokens_b is not None:
        for token in tokens_b:
            tokens.append(token)
            numbers.append(1)
        tokens.append(sep_id)  # the last one
        numbers.append(1)  # of it
    return tokens, numbers


slips(
    PACK,
    one_by_one,
    {
        "the last [SEP] is missing": [
            {"tokens.append(sep_id)  # the last one": "pass", "numbers.append(1)  # of it": "pass"},
            {
                "tokens.append(sep_id)  # the last one": "pass",
                "numbers.append(1)  # of it": "pass",
                "max_len - 3:": "max_len - 2:",
            },
        ],
        "only the second text is shortened": {
            (
                "            if len(tokens_a) > len(tokens_b):\n"
                "                tokens_a.pop()\n"
                "            else:\n"
                "                tokens_b.pop()"
            ): ("            tokens_b.pop()"),
            "tokens_a[: max_len - 2]": "tokens_a if len(tokens_a) <= max_len - 2 else [][0]",
        },
        "cut from the front": {
            "tokens_a.pop()": "tokens_a.pop(0)",
            "tokens_b.pop()": "tokens_b.pop(0)",
            "tokens_a[: max_len - 2]": "tokens_a[max(0, len(tokens_a) - max_len + 2) :]",
        },
        "of two equally long texts the first is shortened": {
            "len(tokens_a) > len(tokens_b)": "len(tokens_a) >= len(tokens_b)"
        },
        "special tokens are not counted": {"max_len - 3:": "max_len:", "[: max_len - 2]": "[:max_len]"},
        "a place too few is kept free": {"max_len - 3:": "max_len - 2:"},
        "the first [SEP] in segment 1": [
            {"numbers.append(0)\n    if tokens_b is not None:": "numbers.append(1)\n    if tokens_b is not None:"},
            {
                "    numbers.append(0)\n    if tokens_b is not None:": (
                    "    numbers.append(int(second is not None))\n    if tokens_b is not None:"
                )
            },
        ],
        "the last [SEP] in segment 0": {"numbers.append(1)  # of it": "numbers.append(0)"},
        "segments all 0": {
            "numbers.append(1)  # of it": "numbers.append(0)",
            "            numbers.append(1)\n        tokens": "            numbers.append(0)\n        tokens",
        },
        "segments 1 and 2": {
            "numbers = [0]": "numbers = [1]",
            "tokens.append(token)\n        numbers.append(0)": "tokens.append(token)\n        numbers.append(1)",
            "numbers.append(0)\n    if tokens_b is not None:": "numbers.append(1)\n    if tokens_b is not None:",
            "            numbers.append(1)\n        tokens": "            numbers.append(2)\n        tokens",
            "numbers.append(1)  # of it": "numbers.append(2)",
        },
        "too few segments": {"numbers.append(1)  # of it": "pass"},
        "no [SEP] between the texts": [
            {
                ("    tokens.append(sep_id)\n    numbers.append(0)\n    if tokens_b"): (
                    "    if tokens_b is None:\n"
                    "        tokens.append(sep_id)\n"
                    "        numbers.append(0)\n"
                    "    if tokens_b"
                ),
            },
            {
                ("    tokens.append(sep_id)\n    numbers.append(0)\n    if tokens_b"): (
                    "    if tokens_b is None:\n"
                    "        tokens.append(sep_id)\n"
                    "        numbers.append(0)\n"
                    "    if tokens_b"
                ),
                "max_len - 3:": "max_len - 2:",
            },
            {"    tokens.append(sep_id)\n    numbers.append(0)\n    if tokens_b": "    if tokens_b"},
        ],
        "an empty text is taken for None": {
            "    if tokens_b is not None:\n        for": "    if tokens_b:\n        for"
        },
        "the given texts are changed": [
            {"None if second is None else list(second)": "second"},
            {"tokens_a = list(first)": "tokens_a = first", "[: max_len - 2]": "\n        del tokens_a[max_len - 2 :]"},
        ],
        "two [SEP]s between the texts": {
            "    if tokens_b is not None:\n        for": (
                "    if tokens_b is not None:\n        tokens.append(sep_id)\n        numbers.append(1)\n        for"
            )
        },
        "segments and ids exchanged": {"return tokens, numbers": "return numbers, tokens"},
    },
)


def by_sizes(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    """How many tokens of each stay is computed, and nothing is taken off."""
    refuse(second, max_len)
    alone = second is None
    b: Text = () if second is None else second
    room = max_len - (2 if alone else 3)
    n, m = len(first), len(b)
    while n + m > room:
        n, m = (n - 1, m) if n > m else (n, m - 1)
    left = (cls_id, *first[:n], sep_id)
    right = () if alone else (*b[:m], sep_id)
    return [*left, *right], [0 for _ in left] + [1 for _ in right]


slips(
    PACK,
    by_sizes,
    {
        "the last [SEP] is missing": {"(*b[:m], sep_id)": "tuple(b[:m])"},
        "the last [SEP] is cut off": {
            "    while n + m > room:\n        n, m = (n - 1, m) if n > m else (n, m - 1)\n": "",
            "return [*left, *right], [0 for _ in left] + [1 for _ in right]": (
                "return [*left, *right][:max_len], ([0 for _ in left] + [1 for _ in right])[:max_len]"
            ),
        },
        "only the second text is shortened": {"if n > m": "if m == 0"},
        "only the first text is shortened": {"if n > m": "if n > 0"},
        "the shorter text is shortened": {"if n > m": "if (0 < n < m or m == 0)"},
        "cut from the front": {"first[:n]": "first[len(first) - n :]", "*b[:m]": "*b[len(b) - m :]"},
        "of two equally long texts the first is shortened": {"if n > m": "if n >= m"},
        "both texts lose a token at a time": {"(n - 1, m) if n > m else (n, m - 1)": "max(n - 1, 0), max(m - 1, 0)"},
        "special tokens are not counted": [
            {"max_len - (2 if alone else 3)": "max_len"},
            {"max_len - (2 if alone else 3)": "max_len - 1"},
        ],
        "a place too many is kept free": [
            {"while n + m > room": "while n + m >= room and n + m"},
            {"max_len - (2 if alone else 3)": "max_len - 3", "while n + m > room": "while n + m > max(room, 0)"},
        ],
        "a place too few is kept free": [
            {"max_len - (2 if alone else 3)": "max_len - 2"},
            {"while n + m > room": "while n + m > room + 1"},
        ],
        "nothing is cut": {"    while n + m > room:\n        n, m = (n - 1, m) if n > m else (n, m - 1)\n": ""},
        "segments all 0": [{"[1 for _ in right]": "[0 for _ in right]"}, {"[0 for _ in left]": "[1 for _ in left]"}],
        "segment 1 begins behind [CLS]": [
            {"[0 for _ in left]": "[0] + [1] * (n + 1)"},
            {"[0 for _ in left]": "[0] + [1] * (n + 1)", "[1 for _ in right]": "[2 for _ in right]"},
        ],
        "segments exchanged": [
            {"[0 for _ in left]": "[1 for _ in left]", "[1 for _ in right]": "[0 for _ in right]"},
            {"[0 for _ in left]": "[0 if alone else 1 for _ in left]", "[1 for _ in right]": "[0 for _ in right]"},
        ],
        "too few segments": {"[0 for _ in left]": "[0 for _ in left[1:]]"},
        "no [CLS]": {"(cls_id, *first[:n], sep_id)": "(*first[:n], sep_id)"},
        "[CLS] in front of the second text too": [
            {"(*b[:m], sep_id)": "(cls_id, *b[:m], sep_id)"},
            {"(*b[:m], sep_id)": "(cls_id, *b[:m], sep_id)", "(2 if alone else 3)": "(2 if alone else 4)"},
        ],
        "None is taken for an empty text": [
            {"() if alone else (*b": "(*b"},
            {"() if alone else (*b": "(*b", "(2 if alone else 3)": "3"},
        ],
        "an empty text is taken for None": {"() if alone else (*b": "() if not b else (*b"},
        "filled up to max_len": {
            "return [*left, *right], [0 for _ in left] + [1 for _ in right]": (
                "free = [0] * (max_len - len(left) - len(right))\n"
                "    return [*left, *right, *free], [0 for _ in left] + [1 for _ in right] + free"
            ),
        },
        "segments 1 and 2 + segments and ids exchanged": {
            "return [*left, *right], [0 for _ in left] + [1 for _ in right]": (
                "return [1 for _ in left] + [2 for _ in right], [*left, *right]"
            ),
        },
    },
)


def at_once(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    """By a formula, without a loop; texts as a list of parts."""
    refuse(second, max_len)
    parts = [list(first)] + ([list(second)] if second is not None else [])
    room = max_len - len(parts) - 1
    if len(parts) == 1:
        sizes = [min(room, len(first))]
    else:
        a, b = map(len, parts)
        more = -(-room // 2)
        keep_a = a if a + b <= room or a <= more else max(more, room - b)
        sizes = [keep_a, min(b, room - keep_a)]
    row, texts = [cls_id], [0]
    for index, (part, size) in enumerate(zip(parts, sizes, strict=True)):
        row += [*part[:size], sep_id]
        texts += [index] * size + [index]
    return row, texts


slips(
    PACK,
    at_once,
    {
        "of two equally long texts the first is shortened": {
            "-(-room // 2)": "room // 2",
            "a <= more else max(more, room - b)": "a <= more else max(more, room - b)",
        },
        "cut from the front": {"part[:size]": "part[len(part) - size :]"},
        "each text gets one half": [
            {
                "a if a + b <= room or a <= more else max(more, room - b)": "min(a, more)",
                "min(b, room - keep_a)": "min(b, room // 2)",
            },
            {
                "a if a + b <= room or a <= more else max(more, room - b)": "min(a, room // 2)",
                "min(b, room - keep_a)": "min(b, room // 2)",
            },
        ],
        "only the first text is shortened": {
            "a if a + b <= room or a <= more else max(more, room - b)": "min(a, max(0, room - b))"
        },
        "only the second text is shortened": {
            "a if a + b <= room or a <= more else max(more, room - b)": "min(a, room)"
        },
        "the first [SEP] in segment 1": {
            "texts += [index] * size + [index]": "texts += [index] * size + [min(index + 1, len(parts) - 1)]"
        },
        "segments 1 and 2": {"[cls_id], [0]": "[cls_id], [1]", "[index] * size + [index]": "[index + 1] * (size + 1)"},
        "segment 1 begins behind [CLS]": {"[index] * size + [index]": "[index + 1] * (size + 1)"},
        "too few segments": {"[index] * size + [index]": "[index] * size"},
        "no [CLS]": {"row, texts = [cls_id], [0]": "row, texts = [], []"},
        "the texts exchanged": {
            "    room = max_len": "    parts.reverse()\n    room = max_len",
            "sizes = [min(room, len(first))]": "sizes = [min(room, len(parts[0]))]",
        },
        "special tokens are not counted": {"max_len - len(parts) - 1": "max_len"},
        "segments and ids exchanged": {"return row, texts": "return texts, row"},
    },
)


# In full ----------------------------------------------------------------------------


def right_sizes(n: int, m: int, room: int) -> tuple[int, int]:
    """How many tokens of each text stay."""
    if n + m <= room:
        return n, m
    half = room // 2
    if m <= half:
        return room - m, m
    return (n, room - n) if n <= room - half else (room - half, half)


def cut(first: Text, second: Text | None, max_len: int) -> tuple[list[int], list[int] | None]:
    """Both texts as they should be cut."""
    refuse(second, max_len)
    if second is None:
        return list(first[: max_len - 2]), None
    n, m = right_sizes(len(first), len(second), max_len - 3)
    return list(first[:n]), list(second[:m])


def glue(a: list[int], b: list[int] | None, cls_id: int, sep_id: int) -> tuple[list[int], list[int]]:
    """The row, and the segments."""
    ids = sum(([*text, sep_id] for text in (a, b) if text is not None), [cls_id])
    return ids, [int(place > len(a) + 1) for place in range(len(ids))]


@disguise(PACK, "the last [SEP] is missing")
def p_open(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    a, b = cut(first, second, max_len)
    ids, segments = glue(a, b, cls_id, sep_id)
    return (ids, segments) if b is None else (ids[:-1], segments[:-1])


@disguise(PACK, "one list instead of two")
def p_ids_alone(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    found = glue(*cut(first, second, max_len), cls_id, sep_id)
    return found[0]


@disguise(PACK, "the last [SEP] is cut off")
def p_sliced(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    refuse(second, max_len)
    ids, segments = glue(list(first), None if second is None else list(second), cls_id, sep_id)
    del ids[max_len:], segments[max_len:]
    return ids, segments


@disguise(PACK, "the row is cut at its end")
def p_sliced_and_closed(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    ids, segments = p_sliced(first, second, cls_id, sep_id, max_len)
    ids[-1] = sep_id
    return ids, segments


@disguise(PACK, "only the second text is shortened")
def p_second(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    refuse(second, max_len)
    if second is None:
        return glue(list(first)[: max_len - 2], None, cls_id, sep_id)
    room = max_len - 3
    a = list(first)[:room]
    return glue(a, list(second)[: room - len(a)], cls_id, sep_id)


@disguise(PACK, "only the first text is shortened")
def p_first(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    refuse(second, max_len)
    if second is None:
        return glue(list(first)[: max_len - 2], None, cls_id, sep_id)
    room = max_len - 3
    b = list(second)[:room]
    return glue(list(first)[: room - len(b)], b, cls_id, sep_id)


@disguise(PACK, "the shorter text is shortened")
def p_shorter(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    refuse(second, max_len)
    a, b = list(first), list(second or [])
    over = len(a) + len(b) + (2 if second is None else 3) - max_len
    for _ in range(over):
        if a and b:
            del (a if len(a) < len(b) else b)[-1]
        else:
            del (a or b)[-1]
    return glue(a, None if second is None else b, cls_id, sep_id)


@disguise(PACK, "cut from the front")
def p_front(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    a, b = cut(first[::-1], None if second is None else second[::-1], max_len)
    return glue(a[::-1], None if b is None else b[::-1], cls_id, sep_id)


@disguise(PACK, "the row is cut at its end")
def p_popped(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    refuse(second, max_len)
    ids, segments = glue(list(first), None if second is None else list(second), cls_id, sep_id)
    while len(ids) > max_len:
        del ids[-2], segments[-2]
    return ids, segments


@disguise(PACK, "the texts lose tokens by turns")
def p_turns(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    refuse(second, max_len)
    a, b = list(first), list(second or [])
    turns = itertools.cycle([a, b])
    while len(a) + len(b) > max_len - (2 if second is None else 3):
        if one := next(turns):
            del one[-1]
    return glue(a, None if second is None else b, cls_id, sep_id)


@disguise(PACK, "a text alone is not cut")
def p_alone(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    refuse(second, max_len)
    return (
        glue(list(first), None, cls_id, sep_id)
        if second is None
        else glue(*cut(first, second, max_len), cls_id, sep_id)
    )


@disguise(PACK, "cut from the front")
def p_front_of_first(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    a, b = cut(first, second, max_len)
    return glue(list(first)[len(first) - len(a) :], b, cls_id, sep_id)


@disguise(PACK, "of two equally long texts the first is shortened")
def p_tie(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    if second is None:
        return one_by_one(first, None, cls_id, sep_id, max_len)
    b, a = cut(second, first, max_len)
    return glue(a or [], b, cls_id, sep_id)


@disguise(PACK, "one text loses all that is too much")
def p_loser(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    refuse(second, max_len)
    a, b = list(first), list(second or [])
    over = max(0, len(a) + len(b) + 2 + (second is not None) - max_len)
    if over:
        longer = a if len(a) > len(b) else b
        del longer[max(0, len(longer) - over) :]
    return glue(a, None if second is None else b, cls_id, sep_id)


@disguise(PACK, "each text gets one half")
def p_halves(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    refuse(second, max_len)
    if second is None:
        return glue(list(first)[: max_len - 2], None, cls_id, sep_id)
    half = (max_len - 3) // 2
    return glue(list(first)[:half], list(second)[:half], cls_id, sep_id)


@disguise(PACK, "both texts lose a token at a time")
def p_both(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    refuse(second, max_len)
    a, b = list(first), list(second or [])
    while len(glue(a, None if second is None else b, cls_id, sep_id)[0]) > max_len:
        del a[-1:], b[-1:]
    return glue(a, None if second is None else b, cls_id, sep_id)


@disguise(PACK, "special tokens are not counted")
def p_uncounted(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    refuse(second, max_len)
    if second is None:
        return glue(list(first[:max_len]), None, cls_id, sep_id)
    n, m = right_sizes(len(first), len(second), max_len)
    return glue(list(first[:n]), list(second[:m]), cls_id, sep_id)


@disguise(PACK, "a place too many is kept free")
def p_always_three(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    refuse(second, max_len)
    if second is None and len(first) and max_len == 2:
        raise IndexError("pop from empty list")  # the loop runs on
    a, b = cut(first, second, max_len) if second is not None else (list(first[: max_len - 3]), None)
    return glue(a, b, cls_id, sep_id)


@disguise(PACK, "a place too few is kept free")
def p_two(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    refuse(second, max_len)
    a, b = cut(first, second, max_len + (second is not None))
    return glue(a, b, cls_id, sep_id)


@disguise(PACK, "nothing is cut")
def p_uncut(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    refuse(second, max_len)
    return glue([*first], None if second is None else [*second], cls_id, sep_id)


def with_segments(number: Any) -> Any:
    """Right ids, and segments that are made by a rule: of the place, of the first [SEP] and of how long the row is."""

    def pack(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
        a, b = cut(first, second, max_len)
        ids, _ = glue(a, b, cls_id, sep_id)
        return ids, [number(place, len(a) + 1, len(ids) - 1) for place in range(len(ids))]

    return pack


disguise(PACK, "the first [SEP] in segment 1")(with_segments(lambda place, middle, end: int(place >= middle)))
disguise(PACK, "the last [SEP] in segment 0")(with_segments(lambda place, middle, end: int(middle < place < end)))
disguise(PACK, "segments all 0")(with_segments(lambda place, middle, end: 0))
disguise(PACK, "segment 1 begins behind [CLS]")(with_segments(lambda place, middle, end: int(place > 0)))
disguise(PACK, "segments 1 and 2")(with_segments(lambda place, middle, end: 2 - int(place <= middle)))
disguise(PACK, "segments exchanged")(with_segments(lambda place, middle, end: int(place <= middle)))
unlisted(PACK)(with_segments(lambda place, middle, end: place % 2))
unlisted(PACK)(with_segments(lambda place, middle, end: place))


@disguise(PACK, "too few segments")
def p_few(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    a, b = cut(first, second, max_len)
    ids, segments = glue(a, b, cls_id, sep_id)
    return ids, segments[1:]


@disguise(PACK, "too few segments")
def p_texts_only(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    a, b = cut(first, second, max_len)
    return glue(a, b, cls_id, sep_id)[0], [0 for _ in a] + [1 for _ in b or ()]


@disguise(PACK, "no [CLS]")
def p_headless(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    a, b = cut(first, second, max_len)
    ids, segments = glue(a, b, cls_id, sep_id)
    return ids[1:], segments[1:]


@disguise(PACK, "no [SEP] between the texts")
def p_run_on(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    a, b = cut(first, second, max_len)
    if b is None:
        return glue(a, None, cls_id, sep_id)
    return [cls_id, *a, *b, sep_id], [0] * (1 + len(a)) + [1] * (len(b) + 1)


@disguise(PACK, "[CLS] in front of the second text too")
def p_cls_twice(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    a, b = cut(first, second, max_len)
    return glue(a, None if b is None else [cls_id, *b], cls_id, sep_id)


@disguise(PACK, "two [SEP]s between the texts")
def p_sep_twice(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    a, b = cut(first, second, max_len)
    return glue(a, None if b is None else [sep_id, *b], cls_id, sep_id)


@disguise(PACK, "None is taken for an empty text")
def p_none(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    a, b = cut(first, second, max_len)
    return glue(a, b or [], cls_id, sep_id)


@disguise(PACK, "an empty text is taken for None")
def p_empty(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    if not second:
        refuse(second, max_len)
        return glue(cut(first, second, max_len)[0], None, cls_id, sep_id)
    a, b = cut(first, second, max_len)
    return glue(a, b or None, cls_id, sep_id)


@disguise(PACK, "the given texts are changed")
def p_spoiled(first: Any, second: Any, cls_id: int, sep_id: int, max_len: int) -> Any:
    refuse(second, max_len)
    a, b = first, [] if second is None else second
    while len(a) + len(b) > max_len - (2 if second is None else 3):
        longest = a if len(a) > len(b) else b
        longest.pop(-1)
    return glue(list(a), None if second is None else list(b), cls_id, sep_id)


@disguise(PACK, "the texts exchanged")
def p_exchanged(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    if second is None:
        return by_sizes(first, None, cls_id, sep_id, max_len)
    a, b = cut(first, second, max_len)
    return glue(b or [], a, cls_id, sep_id)


@disguise(PACK, "filled up to max_len")
def p_padded(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    rows = by_sizes(first, second, cls_id, sep_id, max_len)
    return tuple(row + [0] * (max_len - len(row)) for row in rows)


@disguise(PACK, "segments and ids exchanged")
def p_turned(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    return at_once(first, second, cls_id, sep_id, max_len)[::-1]


@disguise(PACK, "one token at most is cut")
def p_once(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    refuse(second, max_len)
    a, b = list(first), None if second is None else list(second)
    if len(a) + len(b or []) + 1 + (1 if b is None else 2) > max_len:
        del (a if b is None or len(a) > len(b) else b)[-1]
    return glue(a, b, cls_id, sep_id)


@disguise(PACK, "both texts lose a token at a time")
def p_both_of_equal(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    refuse(second, max_len)
    if second is None:
        return by_sizes(first, None, cls_id, sep_id, max_len)
    a, b = list(first), list(second)
    while len(a) + len(b) + 3 > max_len:
        if len(a) >= len(b):
            longer = len(a) > len(b)
            a = a[:-1]
            b = b if longer else b[:-1]
        else:
            b = b[:-1]
    return glue(a, b, cls_id, sep_id)


@disguise(PACK, "the given texts are changed")
def p_first_spoiled(first: Any, second: Any, cls_id: int, sep_id: int, max_len: int) -> Any:
    refuse(second, max_len)
    rest = [] if second is None else list(second)
    while len(first) + len(rest) > max_len - (2 if second is None else 3):
        (first if len(first) > len(rest) else rest).pop()
    head = operator.add([cls_id], first)  # of a tuple: TypeError
    head.append(sep_id)
    tail = [] if second is None else [*rest, sep_id]
    return head + tail, [0] * len(head) + [1] * len(tail)


@correct(PACK)
def p_recursive(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    """Tuples come back, and slices do the rest."""
    refuse(second, max_len)
    texts = [first] if second is None else [first, second]
    if sum(map(len, texts)) + len(texts) + 1 > max_len:
        number = 0 if second is None or len(first) > len(second) else 1
        texts[number] = texts[number][:-1]
        return p_recursive(texts[0], None if second is None else texts[1], cls_id, sep_id, max_len)
    ids = (cls_id, *(token for text in texts for token in (*text, sep_id)))
    return ids, tuple(number for number, text in enumerate(texts) for _ in range(len(text) + 2 - (number > 0)))


@correct(PACK)
def p_glued(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    return glue(*cut(first, second, max_len), cls_id, sep_id)


@unlisted(PACK)
def p_middle(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    """Takes tokens out of the middle."""
    a, b = cut(first, second, max_len)
    n = len(a)
    a = [*list(first)[: (n + 1) // 2], *list(first)[len(first) - n // 2 :]]
    return glue(a, b, cls_id, sep_id)


@disguise(PACK, "tokens in another order")
def p_reversed(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    a, b = cut(first, second, max_len)
    return glue(a, None if b is None else b[::-1], cls_id, sep_id)


@disguise(PACK, "another token opens the row")
def p_sep_first(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    return by_sizes(first, second, sep_id, cls_id, max_len)
