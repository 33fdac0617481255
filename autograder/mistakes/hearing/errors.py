"""Wrong ways of counting errors."""

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from functools import cache

from autograder.checks.hearing.errors import edit_distance, error_rate
from autograder.probing.mistake import Way, edit

# edit_distance ----------------------------------------------------------------------------


def without_the_rest(a: Sequence[int], b: Sequence[int]) -> int:
    """Levenshtein's table, which may be left at the end of either text."""
    table = [[max(i, j) if not i or not j else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i, one in enumerate(a, start=1):
        for j, other in enumerate(b, start=1):
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (one != other))
    return min([*table[-1], *(row[-1] for row in table)])


def less_in_common(a: Sequence[int], b: Sequence[int]) -> int:
    """The longer text less the longest common subsequence."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, one in enumerate(a, start=1):
        for j, other in enumerate(b, start=1):
            table[i][j] = table[i - 1][j - 1] + 1 if one == other else max(table[i - 1][j], table[i][j - 1])
    return max(len(a), len(b)) - table[-1][-1]


def one_list_with_a_corner(a: Sequence[int], b: Sequence[int]) -> int:
    """A table whose rows are one list, where equal tokens take the corner and do not look at the other two."""
    row = [len(a), *range(1, len(b) + 1)]
    for one in a:
        for j, other in enumerate(b, start=1):
            row[j] = row[j - 1] if one == other else 1 + min(row[j], row[j - 1])
    return row[-1]


def from_the_front(
    *, inserts: bool = True, deletes: bool = True, rest_of_a: bool = True, rest_of_b: bool = True, counts: int = 1
) -> Callable[[Sequence[int], Sequence[int]], int]:
    """A recursion over what is left of both texts, in which equal tokens are passed over."""

    def edit_distance(a: Sequence[int], b: Sequence[int]) -> int:
        @cache
        def left(i: int, j: int) -> int:
            if i == len(a):
                return (len(b) - j) * rest_of_b
            if j == len(b):
                return (len(a) - i) * rest_of_a
            if a[i] == b[j]:
                return left(i + 1, j + 1)
            ways = [left(i + 1, j + 1), *([left(i + 1, j)] * deletes), *([left(i, j + 1)] * inserts)]
            return counts + min(ways)

        return left(0, 0)

    return edit_distance


def weighed(*, inserted: int = 1, deleted: int = 1) -> Callable[[Sequence[int], Sequence[int]], int]:
    """A recursion over what is left of both texts; what is left at the end counts 1 a token all the same."""

    def edit_distance(a: Sequence[int], b: Sequence[int]) -> int:
        @cache
        def left(i: int, j: int) -> int:
            if i == len(a) or j == len(b):
                return len(a) - i + len(b) - j
            kept = left(i + 1, j + 1) + (a[i] != b[j])
            return min(kept, left(i + 1, j) + deleted, left(i, j + 1) + inserted)

        return left(0, 0)

    return edit_distance


def apart(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int]]:
    """Where difflib finds the texts to differ: how many tokens of each stand there."""
    found = SequenceMatcher(None, a, b).get_opcodes()
    return [(i_end - i, j_end - j) for kind, i, i_end, j, j_end in found if kind != "equal"]


def by_difflib(a: Sequence[int], b: Sequence[int]) -> int:
    """With tokens replaced where both have some."""
    return sum(max(pair) for pair in apart(a, b))


def by_difflib_without_replacements(a: Sequence[int], b: Sequence[int]) -> int:
    """With each of them deleted or inserted."""
    return sum(sum(pair) for pair in apart(a, b))


FIRST = "row = list(range(len(b) + 1))"
LEFT = "new = [i + 1]"
LEAST = "new.append(min(new[j] + 1, row[j + 1] + 1, row[j] + (of_a != of_b)))"
END = "row[-1]"
IN_PLACE = "new[j + 1] = min(new[j] + 1, row[j + 1] + 1, row[j] + (of_a != of_b))"
ALWAYS_THE_FIRST = "Your number is the length of the first text, whatever the second one holds. What you return still is what a row or column was made with. Does each new one take the place of the one before, and do both loops reach the last token?"

edit_distance.mistake(
    "compared by identity",
    "Equal tokens count as different when they are not one and the same object, as large numbers rarely are: `is not` asks for that. Compare with `!=`.",
    {LEAST: LEAST.replace("!=", "is not")},
)

edit_distance.mistake(
    "compared the wrong way round",
    "Tokens that are equal cost 1 with you, and others cost nothing. It is the other way round.",
    {LEAST: LEAST.replace("!=", "==")},
)

edit_distance.mistake(
    "exchanged neighbours count 1",
    "Two neighbours that are exchanged count as one edit with you, which is Damerau's distance. Levenshtein has three edits: insert, delete, replace. Two tokens replaced are 2.",
    {
        LEAST: f"{LEAST}\n            if i and j and of_a == b[j - 1] and a[i - 1] == of_b:\n                new[j + 1] = min(new[j + 1], older[j - 1] + 1)",
        "        row = new\n": "        older, row = row, new\n",
    },
)

edit_distance.mistake(
    "the longest common part",
    "Your number is the length of the longer text less what both have in common, in this order. Where a token is missing here and another one there, that counts 1 instead of 2.",
    less_in_common,
)

edit_distance.mistake(
    "the table begins a step off",
    "To make nothing of one token costs nothing in your table: its first column is 0, 0, 1, ... It is 0, 1, 2, ...: row i begins with i.",
    {LEFT: "new = [i]"},
    edit(
        {FIRST: "row = list(range(1, len(b) + 2))"},
        says="To make nothing of nothing costs 1 in your table: its first row is 1, 2, 3, ... It is 0, 1, 2, ...",
    ),
)

edit_distance.mistake(
    "another number of the table",
    "What the second text has more at its end costs nothing with you, as when the least number of the table's last row is returned. Its last number is asked for; each token that is left has to be inserted.",
    {END: "min(row)"},
    edit(
        {END: "row[-2 if len(row) > 1 else -1]"},
        says="You return the number before the last one, which is for the text without its last token. `row[-1]`.",
    ),
    edit(
        {END: "row"},
        says="You return the whole last row of the table. Its last number is asked for.",
    ),
)

edit_distance.mistake(
    "returned after one row",
    "You return after the first token of the first text. Does `return` stand within the loop?",
    {"        row = new\n": "        row = new\n        return row[-1]\n"},
    {"        row = new\n    return row[-1]": "        row = new\n        return row[-1]\n    return None"},
)

edit_distance.mistake(
    "an edit that counts 2",
    "A token that is inserted counts 2 with you. Each of the three edits counts 1.",
    {LEAST: LEAST.replace("new[j] + 1", "new[j] + 2")},
    edit(
        {LEAST: LEAST.replace("row[j + 1] + 1", "row[j + 1] + 2")},
        says="A token that is deleted counts 2 with you. Each of the three edits counts 1.",
    ),
    {FIRST: "row = [2 * j for j in range(len(b) + 1)]", LEAST: LEAST.replace("new[j] + 1", "new[j] + 2")},
    edit(
        {LEFT: "new = [2 * (i + 1)]", LEAST: LEAST.replace("row[j + 1] + 1", "row[j + 1] + 2")},
        says="A token that is deleted counts 2 with you. Each of the three edits counts 1.",
    ),
    weighed(inserted=2),
    Way(
        instead=weighed(deleted=2),
        says="A token that is deleted counts 2 with you. Each of the three edits counts 1.",
    ),
)

edit_distance.mistake(
    "nothing is counted where tokens differ",
    "Where two tokens differ you take the least of the three numbers and add nothing. Whichever of the three edits it is, it counts 1.",
    {LEAST: "new.append(row[j] if of_a == of_b else min(new[j], row[j + 1], row[j]))"},
    from_the_front(counts=0),
)

edit_distance.mistake(
    "another number for the corner",
    "Where a token is kept or replaced you start from the number above. There the token of the second text is in the count already: it is the one in the corner, `row[j]`.",
    {LEAST: LEAST.replace("row[j] + (", "row[j + 1] + (")},
    edit(
        {LEAST: LEAST.replace("row[j] + (", "row[0] + (")},
        says="Where a token is kept or replaced you start from the first number of the row above, in all columns. The corner goes along: for column j + 1 it is column j of the row above.",
    ),
)

edit_distance.mistake(
    "the last number is never computed",
    "Your number is the length of the second text, whatever the first one holds. What you return still is what a row was made with. Does each new row take the place of the one before, and do both loops reach the last token?",
    {END: "len(b)"},
    {END: "(len(b) or len(a))"},
    edit({END: "len(a)"}, says=ALWAYS_THE_FIRST),
    edit({END: "(len(a) or len(b))"}, says=ALWAYS_THE_FIRST),
    edit(
        {END: "(row[-1] if not len(a) or not len(b) else 0)"},
        says="Your number is 0 wherever both texts have tokens. The last corner of the table still holds what it was made with. Do both loops reach the last row and the last column? `range(1, n)` ends with n - 1.",
    ),
)

edit_distance.mistake(
    "the longest run first",
    "You count what `difflib` leaves over. It takes the longest run that both texts have first, and never goes back on it, so it may leave more edits than are needed. The table looks at all ways: fill it.",
    by_difflib,
    by_difflib_without_replacements,
)

edit_distance.mistake(
    "the texts are turned into strings",
    "You compare characters: the texts are turned into strings first, with brackets and commas. Compare tokens.",
    {FIRST: "a, b = str(a), str(b)\n    row = list(range(len(b) + 1))"},
)

edit_distance.mistake(
    "what is alike is counted",
    "You take the edits from the length of the longer text: your number is large where texts are alike. Count the edits.",
    {END: "(max(len(a), len(b)) - row[-1])"},
)

edit_distance.mistake(
    "how far tokens differ",
    "A token that is replaced counts as much as the two numbers differ. Tokens are names: one that is replaced counts 1.",
    {
        LEAST: "far = float(of_a != of_b) if isinstance(of_a, str) else abs(of_a - of_b)\n            new.append(min(new[j] + 1, row[j + 1] + 1, row[j] + far))"
    },
    {LEAST: LEAST.replace("(of_a != of_b)", "abs(of_a - of_b)")},
)

edit_distance.mistake(
    "the last token is not read",
    "The last token of both texts is not read. The table has one row and one column more than the texts have tokens: what is asked for stands in its last corner.",
    {FIRST: "if len(a) and len(b):\n        a, b = a[:-1], b[:-1]\n    row = list(range(len(b) + 1))"},
    edit(
        {"enumerate(a)": "enumerate(a[:-1])"},
        says="The last token of the first text is not read. The table has one row more than this text has tokens.",
    ),
    edit(
        {"enumerate(a)": "enumerate(a[1:])"},
        says="The first token of the first text is not read. Tokens are numbered from 0.",
    ),
    edit(
        {FIRST: "if len(a) and len(b):\n        a, b = a[1:], b[1:]\n    row = list(range(len(b) + 1))"},
        says="The first token of both texts is not read. Tokens are numbered from 0.",
    ),
    edit(
        {FIRST: "a, b = a[1:], b[1:]\n    row = list(range(len(b) + 1))"},
        says="The first token of both texts is not read. Tokens are numbered from 0.",
    ),
)

edit_distance.mistake(
    "an edit that costs nothing",
    "To insert a token costs nothing with you. Each of the three edits counts 1.",
    {LEAST: LEAST.replace("new[j] + 1", "new[j]")},
    edit(
        {LEAST: LEAST.replace("row[j + 1] + 1", "row[j + 1]")},
        says="To delete a token costs nothing with you. Each of the three edits counts 1.",
    ),
    edit(
        {LEAST: LEAST.replace("new[j] + 1", "new[j]").replace("row[j + 1] + 1", "row[j + 1]")},
        says="To insert or delete a token costs nothing with you. Each of the three edits counts 1.",
    ),
    weighed(inserted=0),
    Way(
        instead=weighed(deleted=0),
        says="To delete a token costs nothing with you. Each of the three edits counts 1.",
    ),
    Way(
        instead=weighed(inserted=0, deleted=0),
        says="To insert or delete a token costs nothing with you. Each of the three edits counts 1.",
    ),
)

edit_distance.mistake(
    "equal tokens take the least of three",
    "Where two tokens are equal you take the least of the three numbers, without adding anything. From the left and from above a token is inserted or deleted, and that counts 1: where they are equal, the corner alone comes for nothing.",
    {LEAST: "new.append(min(new[j], row[j + 1], row[j]) + (of_a != of_b))"},
)

edit_distance.mistake(
    "neither inserted nor deleted",
    "You look into the corner alone: tokens are only ever replaced. The number from the left and that from above are missing among the three.",
    {LEAST: "new.append(row[j] + (of_a != of_b))"},
)

edit_distance.mistake(
    "all rows are one list",
    "All rows of your table are one and the same list: `[[0] * n] * m` repeats the list and makes no new one. What you write into one stands in all. `[[0] * n for _ in range(m)]`.",
    {LEFT: "new = row", LEAST: IN_PLACE},
    {LEFT: "new = row\n        row[0] = len(a)", LEAST: IN_PLACE},
    one_list_with_a_corner,
)

edit_distance.mistake(
    "an empty text costs nothing",
    "Where one of the two texts is empty you give 0. All tokens of the other one have to be inserted or deleted.",
    {END: "(row[-1] if len(a) and len(b) else 0)"},
)

edit_distance.mistake(
    "a replacement counts 2",
    "A token that is replaced counts 2 with you: as one deleted and one inserted. It is one edit.",
    {LEAST: "new.append(min(new[j] + 1, row[j + 1] + 1, row[j] + 2 * (of_a != of_b)))"},
    edit(
        {LEAST: "new.append(row[j] if of_a == of_b else min(new[j], row[j + 1]) + 1)"},
        says="You only delete and insert, so a token that is replaced counts 2. To replace it is one edit.",
    ),
)

edit_distance.mistake(
    "place by place",
    "You compare the texts place by place. One key that is missing at the front then makes all the others wrong. An edit may shift the rest.",
    {END: "(sum(one != other for one, other in zip(a, b)) + abs(len(a) - len(b)))"},
    edit(
        {END: "sum(one != other for one, other in zip(a, b))"},
        says="You compare the texts place by place, as far as both go. One key that is missing at the front then makes all the others wrong, and what one text has more is not counted. An edit may shift the rest.",
    ),
)

edit_distance.mistake(
    "the first row is 0",
    "The tokens of the second text in front of the first match cost nothing with you: the first row of the table is 0. To make j tokens of nothing takes j insertions.",
    {FIRST: "row = [0] * (len(b) + 1)"},
)

edit_distance.mistake(
    "the first column is 0",
    "The tokens of the first text in front of the first match cost nothing with you: the first column of the table is 0. To make nothing of i tokens takes i deletions.",
    {LEFT: "new = [0]"},
)

edit_distance.mistake(
    "equal tokens cost 1",
    "Tokens that are equal cost 1 with you, as if they were replaced by themselves. Add 1 only where they differ.",
    {LEAST: "new.append(min(new[j] + 1, row[j + 1] + 1, row[j] + 1))"},
)

edit_distance.mistake(
    "both texts in full",
    "Your number is as large as both texts together, as if every token of one were deleted and every token of the other inserted. The least of three numbers is asked for, and the third is in the corner, where a token is kept or replaced.",
    {LEAST: "new.append(min(new[j] + 1, row[j + 1] + 1))"},
    {"append(min(": "append(max("},
)

edit_distance.mistake(
    "the largest of the three",
    "Where two tokens differ you take the largest of the three numbers. The fewest edits are asked for, so the least of them: `min`.",
    {LEAST: "new.append(row[j] if of_a == of_b else max(new[j], row[j + 1], row[j]) + 1)"},
)

edit_distance.mistake(
    "nothing is deleted",
    "The number from above is missing among the three: no token of the first text can be deleted.",
    {LEAST: "new.append(min(new[j] + 1, row[j] + (of_a != of_b)))"},
    {LEAST: "new.append(row[j] if of_a == of_b else min(new[j], row[j]) + 1)"},
    from_the_front(deletes=False),
)

edit_distance.mistake(
    "nothing is inserted",
    "The number from the left is missing among the three: no token of the second text can be inserted.",
    {LEAST: "new.append(min(row[j + 1] + 1, row[j] + (of_a != of_b)))"},
    {LEAST: "new.append(row[j] if of_a == of_b else min(row[j + 1], row[j]) + 1)"},
    from_the_front(inserts=False),
)

edit_distance.mistake(
    "compared with another token",
    "You compare a token with the one before the other text's: place -1 counts from the end. Row i + 1 of the table is for token i of the first text, and column j + 1 for token j of the second.",
    {LEAST: LEAST.replace("of_a != of_b", "of_a != b[j - 1]")},
    {LEAST: LEAST.replace("of_a != of_b", "a[i - 1] != of_b")},
    {LEAST: LEAST.replace("of_a != of_b", "a[i - 1] != b[j - 1]")},
)

edit_distance.mistake(
    "cut off at a length",
    "Your number is never above the length of the first text. It may be as large as the longer text is: what the second one has more has to be inserted.",
    {END: "min(row[-1], len(a))"},
    edit(
        {END: "min(row[-1], len(b))"},
        says="Your number is never above the length of the second text. It may be as large as the longer text is: what the first one has more has to be deleted.",
    ),
    edit(
        {END: "min(row[-1], len(a), len(b))"},
        says="Your number is never above the length of the shorter text. It may be as large as the longer one is.",
    ),
)

edit_distance.mistake(
    "a share of the longer text",
    "Your number is divided by the length of a text. Edits are counted; `error_rate` divides, once and for all texts.",
    {END: "row[-1] / max(len(a), len(b), 1)"},
    {END: "row[-1] / max(len(b), 1)"},
    {END: "row[-1] / max(len(a), 1)"},
    {END: "row[-1] / max(len(a) + len(b), 1)"},
    {END: "2 * row[-1] / max(len(a) + len(b), 1)"},
    {END: "row[-1] / max(min(len(a), len(b)), 1)"},
    edit(
        {END: "(1 - row[-1] / max(len(a), len(b), 1))"},
        says="Your number is a likeness, 1 for equal texts. Edits are counted; `error_rate` divides, once and for all texts.",
    ),
)

edit_distance.mistake(
    "without regard to order",
    "You count which tokens each text has, without regard to their order. Two texts of the same keys in another order are not equal.",
    {END: "(max(len(a), len(b)) - sum(min(list(a).count(one), list(b).count(one)) for one in set(a)))"},
    {END: "len(set(a) ^ set(b))"},
    {FIRST: "a, b = sorted(a), sorted(b)\n    row = list(range(len(b) + 1))"},
)

edit_distance.mistake(
    "the difference of the lengths",
    "Your number is the difference of the lengths. What stands in the texts counts too.",
    {LEAST: LEAST.replace("(of_a != of_b)", "0")},
)

edit_distance.mistake(
    "the corner is overwritten",
    "You keep one row and write over it. The number in the corner, from the row above and one place to the left, is then gone when it is needed: what stands there is already of the new row. Make a new row, or put the corner aside.",
    {LEFT: "row[0] = i + 1\n        new = row", LEAST: IN_PLACE},
    {LEAST: LEAST.replace("row[j] + (", "(new[j] if j else i) + (")},
)

edit_distance.mistake(
    "the rest of a text is not counted",
    "Where one text ends, what is left of the other costs nothing with you. Each token that is left has to be inserted or deleted.",
    without_the_rest,
    from_the_front(rest_of_a=False, rest_of_b=False),
    Way(
        instead=from_the_front(rest_of_a=False),
        says="Where the second text ends, what is left of the first costs nothing with you. Each token that is left has to be deleted.",
    ),
)

# error_rate ----------------------------------------------------------------------------

EDITS = "edits = sum(edit_distance(output, reference) for output, reference in zip(outputs, references, strict=True))"
PAIRS_OF_EDITS = "for output, reference in zip(outputs, references, strict=True)"
CALL, RATIO = "edit_distance(output, reference)", "edits / tokens"
PAIRS = "in zip(outputs, references, strict=True)"
TOKENS, REFUSED = "sum(len(one) for one in references)", "if len(outputs) != len(references) or not tokens:"
MEAN = "A mean over texts is taken: a message of one key counts as much as one of twenty."
MEDIAN = "You take the middle one of all texts' rates, their median. A few texts that are all wrong then do not count. Add up the edits of all texts, and divide once by the tokens of all references."
CAPPED = "A rate above 1 is cut off there. A transcriber that writes three times too much then looks as good as one that writes nothing."
SUM, EACH_SIDE = "edits = sum(", "for texts in (outputs, references)"


def before(line: str) -> dict[str, str]:
    """A line before the edits are added up; so it goes together with what is done to each text, and to the ratio."""
    return {SUM: f"{line}\n    {SUM}"}


def these_alone(outputs: str, references: str, tokens: str = "") -> dict[str, str]:
    """Other texts take part; the tokens are still those of all, unless something else is said."""
    counted = f"\n    tokens = {tokens}" if tokens else ""
    return before(f"outputs, references = {outputs}, {references}{counted}")


def divided_by(tokens: str) -> dict[str, str]:
    """Another number of tokens, counted once the lists have been looked at."""
    return before(f"tokens = {tokens}")


error_rate.mistake(
    "mean of the texts",
    f"{MEAN} Add up the edits of all texts, and divide once by the tokens of all references.",
    {CALL: f"{CALL} / max(1, len(reference))", RATIO: "edits / len(references)"},
    {CALL: f"{CALL} / len(reference)", RATIO: "edits / len(references)"},
    {CALL: f"({CALL} / len(reference) if reference else 0)", RATIO: "edits / len(references)"},
    {
        CALL: f"({CALL} / len(reference) if reference else 0)",
        RATIO: "edits / sum(len(one) > 0 for one in references)",
    },
    edit(
        {
            SUM: "edits = sorted(",
            CALL: f"{CALL} / max(1, len(reference))",
            RATIO: "edits[len(edits) // 2]",
        },
        says=MEDIAN,
    ),
    edit(
        {
            SUM: "edits = sorted(",
            CALL: f"{CALL} / max(1, len(reference))",
            RATIO: "edits[(len(edits) - 1) // 2]",
        },
        says=MEDIAN,
    ),
    edit(
        {
            SUM: "edits = sorted(",
            CALL: f"{CALL} / max(1, len(reference))",
            RATIO: "(edits[len(edits) // 2] + edits[(len(edits) - 1) // 2]) / 2",
        },
        says=MEDIAN,
    ),
)

error_rate.mistake(
    "a rate for each text",
    "You return a list, with a rate for each text. One number is promised, of all texts: add up their edits, and divide once by the tokens of all references.",
    *(
        {SUM: "edits = list(", CALL: f"{CALL} / {by}", RATIO: "edits"}
        for by in ("max(1, len(reference))", "len(reference)")
    ),
)

error_rate.mistake(
    "rates added up",
    "You add up the rates of all texts. That grows with every text, and a message of one key counts as much as one of twenty. Add up the edits, and divide once by the tokens of all references.",
    {CALL: f"{CALL} / max(1, len(reference))", RATIO: "edits"},
    *(
        edit(
            {CALL: rate},
            says=f"You divide twice: the edits of each text by its own tokens{cut}, and the sum of these rates once more. Add up the edits, and divide once by the tokens of all references.",
        )
        for rate, cut in {
            f"{CALL} / max(1, len(reference))": "",
            f"min(1.0, {CALL} / max(1, len(reference)))": ", cut off at 1",
        }.items()
    ),
)

error_rate.mistake(
    "one text alone",
    "The edits of the last text alone count: each text's overwrite those before. Add them up, `+=`.",
    these_alone("outputs[-1:]", "references[-1:]"),
    edit(
        these_alone("outputs[:1]", "references[:1]"),
        says="The edits of the first text alone count. Does `return` stand within the loop? Go through all of them first.",
    ),
    *(
        edit(
            these_alone(f"outputs[{part}]", f"references[{part}]", tokens),
            says=f"Your number is the rate of the {which} text alone. Add up the edits of all texts, and divide once by the tokens of all references.",
        )
        for part, which in ((":1", "first"), ("-1:", "last"))
        for tokens in ("len(references[0])", "max(1, len(references[0]))")
    ),
)

error_rate.mistake(
    "a text is left out",
    "The last text is not counted. All of them count, to the end of the lists.",
    {PAIRS_OF_EDITS: "for output, reference in list(zip(outputs, references, strict=True))[:-1]"},
    these_alone("outputs[:-1]", "references[:-1]"),
    *(
        edit(way, says="The first text is not counted. Texts are numbered from 0.")
        for way in (
            {PAIRS_OF_EDITS: "for output, reference in list(zip(outputs, references, strict=True))[1:]"},
            these_alone("outputs[1:]", "references[1:]"),
        )
    ),
    *(
        edit(
            these_alone(f"outputs[{part}]", f"references[{part}]", "sum(len(one) for one in references)"),
            says=f"The {which} text is left out, its edits and its tokens. All texts count.",
        )
        for part, which in ((":-1", "last"), ("1:", "first"))
    ),
)

error_rate.mistake(
    "the texts are turned into strings",
    "You count edits of characters: the texts are turned into strings first. Where tokens have two digits, or brackets and commas stand between them, that is another number. Count edits of tokens.",
    {CALL: 'edit_distance("".join(map(str, output)), "".join(map(str, reference)))'},
    {CALL: "edit_distance(str(output), str(reference))"},
)

error_rate.mistake(
    "texts are compared as wholes",
    "You hand all texts at once to `edit_distance`, so a whole text counts as one token. Count the edits of each text, and add them up.",
    these_alone("[outputs]", "[references]"),
    edit(
        {CALL: "(list(output) != list(reference))"},
        says="A text with an error in it counts 1 with you, however many there are. Count its edits: `edit_distance`.",
    ),
)

error_rate.mistake(
    "the worst text alone",
    "You take the largest number of edits that any text has. They are added up over all texts.",
    {SUM: "edits = max("},
    edit(
        {SUM: "edits = max(", CALL: f"{CALL} / max(1, len(reference))", RATIO: "edits"},
        says="You return the largest rate that any text has. The edits of all texts are added up, and divided once by the tokens of all references.",
    ),
)

error_rate.mistake(
    "a text is compared with itself",
    "Your number is always 0: each text is compared with itself. Compare what was written with what is right, `edit_distance(output, reference)`.",
    {CALL: "edit_distance(output, output)"},
)

error_rate.mistake(
    "the lengths alone",
    "You count by how much the lengths differ. A key that is taken for another one is then no error. `edit_distance` counts the fewest edits.",
    {CALL: "abs(len(output) - len(reference))"},
)

error_rate.mistake(
    "divided by something more",
    "You divide by the tokens of outputs and references together, or by their mean. Whoever writes too much then lowers the rate. Divide by the tokens of the references.",
    divided_by("(tokens + sum(len(one) for one in outputs)) / 2"),
    divided_by("tokens + sum(len(one) for one in outputs)"),
    edit(
        {RATIO: "edits / (tokens + edits)"},
        says="You divide by tokens and edits together. Then the rate can never go above 1. Divide by the tokens of the references.",
    ),
    edit(
        {TOKENS: "sum(len(one) + 1 for one in references)"},
        says="You count one token more for each text than it has. The references are given without an end token, so none is to be counted.",
    ),
    edit(
        divided_by("tokens + len(references)"),
        says="You count one token more for each text than it has. The references are given without an end token, so none is to be counted.",
    ),
    edit(
        divided_by("sum(max(1, len(one)) for one in references)"),
        says="An empty reference counts as one token with you. It has none: divide by the tokens that there are.",
    ),
    edit(
        divided_by("tokens + 1"),
        says="You divide by one token more than there are. That there is one is seen to above.",
    ),
)

error_rate.mistake(
    "an empty reference counts 1",
    "Where nothing was said and something was written, that counts as one edit with you. Each token that was written is one: `edit_distance` takes an empty text too.",
    {CALL: f"({CALL} if reference else 1)"},
    {CALL: f"({CALL} if reference else len(output) > 0)"},
)

error_rate.mistake(
    "a tensor",
    "Your number is a tensor. A number is promised: `.item()`.",
    {RATIO: f"torch.tensor({RATIO})"},
)

error_rate.mistake(
    "texts without a reference are left out",
    "What was written where nothing was said does not count with you. Each of these tokens is an edit.",
    {PAIRS_OF_EDITS: f"{PAIRS_OF_EDITS} if reference"},
    these_alone(*(f"[{one} {PAIRS_OF_EDITS} if reference]" for one in ("output", "reference"))),
    *(
        edit(
            way,
            says="Texts for which nothing was written are left out. Each token of theirs is an edit, and counts among the tokens.",
        )
        for way in (
            {PAIRS_OF_EDITS: f"{PAIRS_OF_EDITS} if output"},
            these_alone(*(f"[{one} {PAIRS_OF_EDITS} if output]" for one in ("output", "reference"))),
            {
                PAIRS_OF_EDITS: f"{PAIRS_OF_EDITS} if output",
                TOKENS: f"sum(len(right) for text, right {PAIRS[: -len(', strict=True)')]}) if text)",
            },
        )
    ),
)

error_rate.mistake(
    "what was written is cut",
    "You cut what was written to the length of the reference before you count edits. What a transcriber writes too much is then no error. Hand both to `edit_distance` as they are.",
    {CALL: "edit_distance(output[: len(reference)], reference)"},
    edit(
        {CALL: "edit_distance(output[: len(reference)], reference[: len(output)])"},
        says="You cut both texts to the length of the shorter one before you count edits. What one has more is then no error. Hand both to `edit_distance` as they are.",
    ),
)

error_rate.mistake(
    "other edits than three that count 1",
    "A token that is replaced counts 2 with you: as one deleted and one inserted. It is one edit.",
    edit(
        {"(of_a != of_b)": "2 * (of_a != of_b)"},
        inside="edit_distance",
        says="A token that is replaced counts 2 with you: as one deleted and one inserted. It is one edit.",
    ),
    edit(
        {"new[j] + 1": "new[j]"},
        inside="edit_distance",
        says="One of the three edits costs nothing with you: what the reference has and the output lacks. Each of them counts 1.",
    ),
    edit(
        {"row[j + 1] + 1": "row[j + 1]"},
        inside="edit_distance",
        says="One of the three edits costs nothing with you: what the output has and the reference lacks. Each of them counts 1.",
    ),
    edit(
        {FIRST: "row = [0] * (len(b) + 1)"},
        inside="edit_distance",
        says="Tokens of the reference in front of the first match cost nothing with you. Is the first row of your table 0? To make j tokens of nothing takes j insertions.",
    ),
    edit(
        {LEFT: "new = [0]"},
        inside="edit_distance",
        says="Tokens of the output in front of the first match cost nothing with you. Is the first column of your table 0? To make nothing of i tokens takes i deletions.",
    ),
)

error_rate.mistake(
    "a wrong set is let pass",
    "Where there is no token at all you return a number. The promise is a ValueError: there is nothing to divide by.",
    {REFUSED: "if not tokens:\n        return 0.0\n    if len(outputs) != len(references):"},
    edit(
        {'raise ValueError(f"{given}; give an output for each reference, and at least one token")': "return 0.0"},
        says="Where the two lists do not fit, or there is no token at all, you return a number. The promise is a ValueError: keep the lines that are given.",
    ),
    edit(
        {REFUSED: "if len(outputs) != len(references):"},
        says="Where there is no token at all you divide by 0. The promise is a ValueError: keep the lines that are given.",
    ),
    edit(
        {REFUSED: "if not tokens:", PAIRS_OF_EDITS: "for output, reference in zip(outputs, references)"},
        says="You do not look whether there are as many outputs as references. `zip` ends with the shorter list, and nobody is told. The promise is a ValueError.",
    ),
)

error_rate.mistake(
    "each text with every reference",
    "You compare each text with every reference, as a loop within a loop does. A text has one reference, at its own place: `zip(outputs, references)`.",
    {PAIRS_OF_EDITS: "for output in outputs for reference in references"},
)

error_rate.mistake(
    "equal tokens are counted once",
    "You divide by how many different tokens the references have: `set` counts equal ones once. A key that is dialled twice is two tokens, `len(reference)`.",
    divided_by("sum(len(set(one)) for one in references)"),
)

error_rate.mistake(
    "counted place by place",
    "You compare the texts place by place. One key that is missing at the front then makes all the others wrong. `edit_distance` counts the fewest edits.",
    {CALL: "sum(a != b for a, b in zip(output, reference)) + abs(len(output) - len(reference))"},
    edit(
        {CALL: "sum(a != b for a, b in zip(output, reference))"},
        says="You compare the texts place by place, as far as both go. One key that is missing at the front then makes all the others wrong, and what one text has more is not counted. `edit_distance` counts the fewest edits.",
    ),
)

error_rate.mistake(
    "without regard to order",
    "You compare which tokens each text has, without regard to their order. Two texts of the same keys in another order are not equal: hand both to `edit_distance` as they are.",
    {CALL: "edit_distance(sorted(output), sorted(reference))"},
    {CALL: "len(set(output) ^ set(reference))"},
)

error_rate.mistake(
    "not divided",
    "Your number is how many edits there are. The more texts, the more of them: divide by the tokens of all references.",
    {RATIO: "float(edits)"},
)

error_rate.mistake(
    "rounded",
    "Your number is rounded down to a whole one: `//` does so. Divide by `/`.",
    {RATIO: f"int({RATIO})"},
    edit(
        {RATIO: f"round({RATIO}, 2)"},
        says="Your number is rounded to two digits. Return it as it is, and round where it is printed.",
    ),
    *(
        edit(
            {RATIO: f"round({RATIO}, {digits})"},
            says="Your number is rounded. Return it as it is, and round where it is printed.",
        )
        for digits in (1, 3)
    ),
)

error_rate.mistake(
    "the texts are joined",
    "You join all texts to one before you count edits. A key that is missing at the end of one message may then be made up for by the beginning of the next. Count text by text.",
    before(f"outputs, references = ([[token for one in texts for token in one]] {EACH_SIDE})"),
    *(
        edit(
            before(f"outputs, references = ([[token for one in texts for token in {each}]] {EACH_SIDE})"),
            says="You join all texts to one, with a mark between them, before you count edits. The fewest edits may then delete a mark here and insert it there, so that a text is compared with the wrong reference. Count text by text.",
        )
        for each in ("[*one, None]", "[None, *one]")
    ),
)

error_rate.mistake(
    "cut off at 1",
    f"{CAPPED} Leave it as it is.",
    {RATIO: f"min(1.0, {RATIO})"},
    edit(
        {CALL: f"min({CALL}, len(reference))"},
        says="A text counts with as many edits as its reference has tokens, and no more. A transcriber that writes three times too much then looks as good as one that writes nothing. Leave it as it is.",
    ),
)

error_rate.mistake(
    "as the article has it",
    f"{MEAN} {CAPPED} Add up the edits of all texts, divide once by the tokens of all references, and cut nothing off.",
    {CALL: f"min(1.0, {CALL} / max(1, len(reference)))", RATIO: "edits / len(references)"},
    {CALL: f"{CALL} / max(1, len(reference))", RATIO: "min(1.0, edits / len(references))"},
)

error_rate.mistake(
    "divided by what was written",
    "You divide by the tokens of the outputs. Whoever writes too much then lowers the rate. Divide by those of the references.",
    divided_by("sum(len(one) for one in outputs)"),
    divided_by("max(1, sum(len(one) for one in outputs))"),
    {TOKENS: "sum(len(one) for one in outputs)"},
    *(
        edit(
            {CALL: f"({CALL} / {by})", RATIO: f"edits / {count}"},
            says="You divide the edits of each text by the tokens that were written, and take the mean. Whoever writes too much then lowers the rate, and a message of one key counts as much as one of twenty. Add up the edits of all texts, and divide once by the tokens of all references.",
        )
        for by, count in (
            ("max(1, len(output))", "len(references)"),
            ("len(output) if output else 0.0", "len(references)"),
            ("len(output) if output else 0.0", "max(1, sum(len(one) > 0 for one in outputs))"),
        )
    ),
)

error_rate.mistake(
    "divided by the longer text",
    "You divide by the longer one of each two texts. Then the rate can never go above 1, and it is another measure. Divide by the tokens of the references.",
    divided_by(f"sum(max(len(one), len(other)) for one, other {PAIRS})"),
    {TOKENS: "sum(max(len(one), len(other)) for one, other in zip(outputs, references))"},
    edit(
        {CALL: f"{CALL} / max(1, len(output), len(reference))", RATIO: "edits / len(references)"},
        says="You divide by the longer one of each two texts, and take the mean over the texts. Divide once, by the tokens of all references.",
    ),
)

error_rate.mistake(
    "divided by whichever has more tokens",
    "You divide by the tokens of the outputs where these are more than those of the references. Then the rate can never go above 1. Divide by the tokens of the references.",
    divided_by("max(tokens, sum(len(one) for one in outputs))"),
)

error_rate.mistake(
    "the share of texts that are wrong",
    "Your number is the share of texts in which anything is wrong. One key of twenty then counts as much as twenty. Count edits.",
    {CALL: "(list(output) != list(reference))", RATIO: "edits / len(references)"},
)

error_rate.mistake(
    "edits for each text",
    "You divide the edits by the number of texts. Long texts have more errors for no other reason than that: divide by tokens.",
    divided_by("len(references)"),
    {RATIO: "edits / len(references)"},
)

error_rate.mistake(
    "what is right instead of what is wrong",
    "Your number is 1 less the error rate, the accuracy. It can fall below 0, which is why errors are counted.",
    {RATIO: f"1 - ({RATIO})"},
)

error_rate.mistake(
    "upside down",
    "You divide the tokens by the edits: the fewer the errors, the larger your number. It is the edits for each token.",
    {RATIO: "tokens / max(1, edits)"},
    {RATIO: "tokens / edits"},
)

error_rate.mistake(
    "percent",
    "Your number is in percent. The rate itself is asked for: .05 and not 5.",
    {RATIO: f"100 * ({RATIO})"},
)
