"""Lesson 19: edit_distance."""

from collections import Counter
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from functools import cache
from typing import Any

import torch

from tests.variants import correct, disguise, slips, unlisted

EDITS = "edit_distance"


def whole_table(a: Sequence[int], b: Sequence[int]) -> int:
    m, n = len(a), len(b)
    d = [[0] * (n + 1) for _ in range(m + 1)]
    for i in range(m + 1):
        d[i][0] = i
    for j in range(n + 1):
        d[0][j] = j
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i][j] = min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost)
    return d[m][n]


EXCHANGED = """d[i - 1][j - 1] + cost)
            if min(i, j) > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1)"""

slips(
    EDITS,
    whole_table,
    {
        "a replacement counts 2": {"else 1": "else 2"},
        "the first row is 0": {"d[0][j] = j": "d[0][j] = 0"},
        "the first column is 0": {"d[i][0] = i": "d[i][0] = 0"},
        "equal tokens cost 1": {"cost = 0 if": "cost = 1 if"},
        "nothing is deleted": {"d[i - 1][j] + 1, ": ""},
        "nothing is inserted": {"d[i][j - 1] + 1, ": ""},
        "a share of the longer text": [
            {"return d[m][n]": "return d[m][n] / max(m, n, 1)"},
            {"return d[m][n]": "return d[m][n] / max(n, 1)"},
            {"return d[m][n]": "return d[m][n] / max(m, 1)"},
        ],
        "a replacement counts 2 + the first row is 0": {"d[0][j] = j": "d[0][j] = 0", "else 1": "else 2"},
        "how far tokens differ": {"0 if a[i - 1] == b[j - 1] else 1": "abs(a[i - 1] - b[j - 1])"},
        "all rows are one list": {"[[0] * (n + 1) for _ in range(m + 1)]": "[[0] * (n + 1)] * (m + 1)"},
        "exchanged neighbours count 1": {"d[i - 1][j - 1] + cost)": EXCHANGED},
        "exchanged neighbours count 1 + nothing is deleted": {
            "d[i - 1][j - 1] + cost)": EXCHANGED,
            "d[i - 1][j] + 1, ": "",
        },
    },
)


def with_a_memory(a: Sequence[int], b: Sequence[int]) -> int:
    @cache
    def left(i: int, j: int) -> int:
        if i == len(a):
            return len(b) - j
        if j == len(b):
            return len(a) - i
        if a[i] == b[j]:
            return left(i + 1, j + 1)
        return 1 + min(left(i + 1, j), left(i, j + 1), left(i + 1, j + 1))

    return left(0, 0)


slips(
    EDITS,
    with_a_memory,
    {
        "a replacement counts 2": {", left(i + 1, j + 1))": ")"},
        "a share of the longer text": {"return left(0, 0)": "return left(0, 0) / max(1, len(a), len(b))"},
    },
)


def as_tensors(a: Sequence[int], b: Sequence[int]) -> int:
    above = torch.arange(len(b) + 1)
    for number, token in enumerate(a, 1):
        row = [torch.tensor(number)]
        for place, other in enumerate(b):
            corner = above[place] + int(token != other)
            row.append(torch.min(torch.stack([corner, above[place + 1] + 1, row[place] + 1])))
        above = torch.stack(row)
    return int(above[-1])


slips(
    EDITS,
    as_tensors,
    {
        "the first row is 0": {"torch.arange(len(b) + 1)": "torch.zeros(len(b) + 1, dtype=torch.long)"},
        "the first column is 0": {"torch.tensor(number)": "torch.tensor(0)"},
        "nothing is deleted": {"above[place + 1] + 1, ": ""},
        "nothing is inserted": {", row[place] + 1]": "]"},
        "equal tokens cost 1": {"int(token != other)": "1"},
        "a replacement counts 2": {"int(token != other)": "2 * int(token != other)"},
    },
)


def table(costs: Callable[..., Any], first: Any = None, edge: Any = None, end: Any = None) -> Any:
    """Levenshtein's table with some of it written otherwise."""

    def edit_distance(a: Sequence[int], b: Sequence[int]) -> Any:
        cells: dict[tuple[int, int], int] = {}
        for i in range(len(a) + 1):
            for j in range(len(b) + 1):
                if i == 0:
                    cells[i, j] = (first or (lambda j: j))(j)
                elif j == 0:
                    cells[i, j] = (edge or (lambda i: i))(i)
                else:
                    same = a[i - 1] == b[j - 1]
                    cells[i, j] = costs(cells[i - 1, j], cells[i, j - 1], cells[i - 1, j - 1], same)
        return (end or (lambda x, a, b: x))(cells[len(a), len(b)], a, b)

    return edit_distance


def usual(up: int, left: int, corner: int, same: bool) -> int:
    return corner if same else 1 + min(up, left, corner)


correct(EDITS)(table(usual))
disguise(EDITS, "a replacement counts 2")(table(lambda up, left, corner, same: corner if same else 1 + min(up, left)))
disguise(EDITS, "the first row is 0")(table(usual, first=lambda j: 0))
disguise(EDITS, "the first column is 0")(table(usual, edge=lambda i: 0))
disguise(EDITS, "equal tokens cost 1")(table(lambda up, left, corner, same: 1 + min(up, left, corner)))
disguise(EDITS, "both texts in full")(table(lambda up, left, corner, same: 1 + min(up, left)))
disguise(EDITS, "both texts in full")(table(lambda up, left, corner, same: max(up + 1, left + 1, corner + (not same))))
disguise(EDITS, "nothing is deleted")(table(lambda up, left, corner, same: min(left + 1, corner + (not same))))
disguise(EDITS, "nothing is inserted")(table(lambda up, left, corner, same: min(up + 1, corner + (not same))))
disguise(EDITS, "a share of the longer text")(table(usual, end=lambda x, a, b: x / max(1, len(a), len(b))))


@disguise(EDITS, "compared by identity")
def d_objects(a: Sequence[int], b: Sequence[int]) -> int:
    cells = [[i + j for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i, one in enumerate(a, start=1):
        for j, other in enumerate(b, start=1):
            fits = one is other
            cells[i][j] = min(cells[i - 1][j] + 1, cells[i][j - 1] + 1, cells[i - 1][j - 1] + (not fits))
    return cells[-1][-1]


@disguise(EDITS, "the corner is overwritten")
def d_one_row(a: Sequence[int], b: Sequence[int]) -> int:
    kept = list(range(len(b) + 1))
    for number, token in enumerate(a):
        kept[0] = number + 1
        for place, other in enumerate(b, start=1):
            kept[place] = min(kept[place - 1] + (token != other), kept[place - 1] + 1, kept[place] + 1)
    return kept[-1]


@disguise(EDITS, "the rest of a text is not counted")
def d_no_rest(a: Sequence[int], b: Sequence[int]) -> int:
    if len(a) == 0 or len(b) == 0:
        return 0
    if a[0] == b[0]:
        return d_no_rest(a[1:], b[1:])
    return 1 + min(d_no_rest(a[1:], b), d_no_rest(a, b[1:]), d_no_rest(a[1:], b[1:]))


@correct(EDITS)
def d_corner_kept(a: Sequence[int], b: Sequence[int]) -> int:
    kept = list(range(len(b) + 1))
    for number, token in enumerate(a):
        corner, kept[0] = kept[0], number + 1
        for place, other in enumerate(b, start=1):
            corner, kept[place] = kept[place], min(corner + (token != other), kept[place - 1] + 1, kept[place] + 1)
    return kept[-1]


@disguise(EDITS, "place by place")
def d_places(a: Sequence[int], b: Sequence[int]) -> int:
    wrong = 0
    for place in range(max(len(a), len(b))):
        wrong += list(a[place : place + 1]) != list(b[place : place + 1])
    return wrong


@disguise(EDITS, "place by place")
def d_hamming(a: Sequence[int], b: Sequence[int]) -> int:
    return len([place for place in range(min(len(a), len(b))) if a[place] != b[place]])


@disguise(EDITS, "without regard to order")
def d_bags(a: Sequence[int], b: Sequence[int]) -> int:
    return max(len(a), len(b)) - (Counter(a) & Counter(b)).total()


@disguise(EDITS, "the difference of the lengths")
def d_lengths(a: Sequence[int], b: Sequence[int]) -> int:
    return max(len(a), len(b)) - min(len(a), len(b))


@unlisted(EDITS)
def d_common(a: Sequence[int], b: Sequence[int]) -> int:
    """What both begin with."""
    return next(
        (place for place, (one, other) in enumerate(zip(a, b, strict=False)) if one != other), min(len(a), len(b))
    )


unlisted(EDITS)(table(lambda up, left, corner, same: corner if same else 2 + min(up, left, corner)))
unlisted(EDITS)(table(usual, end=lambda x, a, b: x * x))


disguise(EDITS, "the table begins a step off")(table(usual, edge=lambda i: i - 1))
disguise(EDITS, "the table begins a step off")(table(usual, first=lambda j: j + 1, edge=lambda i: i))
disguise(EDITS, "an edit that counts 2")(
    table(lambda up, left, corner, same: min(up + 1, left + 2, corner + (not same)))
)
disguise(EDITS, "an edit that counts 2")(
    table(lambda up, left, corner, same: min(up + 2, left + 1, corner + (not same)))
)
disguise(EDITS, "another number for the corner")(
    table(lambda up, left, corner, same: min(up + (not same), left + 1, up + 1))
)
disguise(EDITS, "nothing is counted where tokens differ")(
    table(lambda up, left, corner, same: corner if same else min(up, left, corner))
)
disguise(EDITS, "what is alike is counted")(table(usual, end=lambda x, a, b: max(len(a), len(b)) - x))


@disguise(EDITS, "the texts are turned into strings")
def d_strings(a: Sequence[int], b: Sequence[int]) -> int:
    found: int = table(usual)(repr(a), repr(b))
    return found


@disguise(EDITS, "another number of the table")
def d_least(a: Sequence[int], b: Sequence[int]) -> int:
    """As far as the second text goes, wherever that is."""
    return min(table(usual)(a, b[:end]) for end in range(len(b) + 1))


@disguise(EDITS, "returned after one row")
def d_one_token(a: Sequence[int], b: Sequence[int]) -> int:
    found: int = table(usual)(a[:1], b)
    return found


@disguise(EDITS, "how far tokens differ")
def d_far(a: Sequence[int], b: Sequence[int]) -> float:
    def far(one: Any, other: Any) -> float:
        return abs(one - other) if isinstance(one, int) else float(one != other)

    above: list[float] = [*range(len(b) + 1)]
    for number, one in enumerate(a, start=1):
        row: list[float] = [number]
        for place, other in enumerate(b):
            row += [min(above[place] + far(one, other), 1 + min(above[place + 1], row[place]))]
        above = row
    return above[len(b)]


def walked(a: Sequence[int], b: Sequence[int]) -> int:
    """From the front, with the memory in a dictionary."""
    seen: dict[tuple[int, int], int] = {}

    def walk(i: int, j: int) -> int:
        if i == len(a):
            return len(b) - j
        if j == len(b):
            return len(a) - i
        if (i, j) not in seen:
            best = walk(i + 1, j + 1) + int(a[i] != b[j])
            best = min(best, walk(i + 1, j) + 1)
            seen[i, j] = min(best, walk(i, j + 1) + 1)
        return seen[i, j]

    return walk(0, 0)


slips(
    EDITS,
    walked,
    {
        "an edit that counts 2": [
            {"walk(i, j + 1) + 1": "walk(i, j + 1) + 2"},
            {"walk(i + 1, j) + 1": "walk(i + 1, j) + 2"},
        ],
        "an edit that costs nothing": [
            {"walk(i, j + 1) + 1": "walk(i, j + 1)"},
            {"walk(i + 1, j) + 1": "walk(i + 1, j)"},
        ],
    },
)


def corner_put_aside(a: Sequence[int], b: Sequence[int]) -> int:
    row = list(range(len(b) + 1))
    for i in range(len(a)):
        corner, row[0] = row[0], i + 1
        for j in range(len(b)):
            above = row[j + 1]
            row[j + 1] = min(above + 1, row[j] + 1, corner + (a[i] != b[j]))
            corner = above
    return row[-1]


slips(
    EDITS,
    corner_put_aside,
    {
        "another number for the corner": {"            corner = above\n": ""},
        "the corner is overwritten": {"corner = above": "corner = row[j + 1]"},
        "the last number is never computed": {"in range(len(b)):": "in range(len(b) - 1):"},
    },
)
slips(
    EDITS,
    whole_table,
    {
        "the last number is never computed": [
            {"range(1, m + 1)": "range(1, m)"},
            {"range(1, n + 1)": "range(1, n)"},
        ]
    },
)


@disguise(EDITS, "the last number is never computed")
def d_never_replaced(a: Sequence[int], b: Sequence[int]) -> int:
    before = list(range(len(b) + 1))
    for number, token in enumerate(a, start=1):
        now = [number]
        for place, other in enumerate(b):
            now.append(before[place] if token == other else 1 + min(now[-1], before[place + 1], before[place]))
    return before[-1]


@disguise(EDITS, "the longest run first")
def d_blocks(a: Sequence[int], b: Sequence[int]) -> int:
    edits = i = j = 0
    for block in SequenceMatcher(a=a, b=b).get_matching_blocks():
        edits += max(block.a - i, block.b - j)
        i, j = block.a + block.size, block.b + block.size
    return edits


def by_columns(a: Sequence[int], b: Sequence[int]) -> int:
    column = list(range(len(a) + 1))
    for number, other in enumerate(b, start=1):
        new = [number]
        for place, token in enumerate(a):
            new.append(min(new[-1] + 1, column[place + 1] + 1, column[place] + (token != other)))
        column = new
    return column[-1]


slips(
    EDITS,
    by_columns,
    {
        "the last number is never computed": {"        column = new\n": ""},
        "an edit that counts 2": [
            {"range(len(a) + 1)": "range(0, 2 * len(a) + 1, 2)", "new[-1] + 1": "new[-1] + 2"},
            {"[number]": "[2 * number]", "column[place + 1] + 1": "column[place + 1] + 2"},
        ],
    },
)


@disguise(EDITS, "the largest of the three")
def of_the_largest(a: Sequence[int], b: Sequence[int]) -> int:
    @cache
    def of(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        return of(i - 1, j - 1) if a[i - 1] == b[j - 1] else 1 + max(of(i - 1, j), of(i, j - 1), of(i - 1, j - 1))

    return of(len(a), len(b))
