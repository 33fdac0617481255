"""Checks of how errors are counted: edit_distance, error_rate, and a repair."""

from collections.abc import Callable, Sequence
from typing import Any

from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

LIBRARIES = ("nltk", "jiwer", "Levenshtein", "rapidfuzz", "editdistance", "torchmetrics")

# edit_distance ----------------------------------------------------------------------------

edit_distance = Exercise(
    "edit_distance",
    points=2,
    forbidden=LIBRARIES,
    hints=(
        "What makes `7 7 5` of nothing? Three insertions. So the first row of a table is known, and the first column. What makes the first i tokens of one text of the first j of the other, if the three smaller answers beside it are known?",
        "```python\nrow = ...            # what it takes to make the first 0, 1, 2, ... tokens of b of nothing\nfor i, of_a in enumerate(a):\n    new = [...]      # to make nothing of i + 1 tokens\n    for j, of_b in enumerate(b):\n        new.append(...)  # the least of three\n    row = new\nreturn ...\n```",
        "The three are `new[j] + 1` (insert), `row[j + 1] + 1` (delete), and `row[j] + (of_a != of_b)` (replace, or nothing where they are equal).",
    ),
    traps={
        "RecursionError: maximum recursion depth exceeded": "without a memory the recursion asks the same again and again. Fill a table row by row.",
        "IndexError: list index out of range": "the table has one row and one column more than the texts have tokens: one for nothing.",
    },
)


def changed(draw: Draw, name: str, text: list[int]) -> list[int]:
    """With some tokens deleted, replaced and inserted."""
    found: list[int] = []
    for token, fate in zip(text, draw.integers(f"{name} fate", len(text), high=6).tolist(), strict=True):
        found += {0: [], 1: [(token + 1) % 4], 2: [token, (token + 2) % 4]}.get(fate, [token])
    return found


def count(edit_distance: Callable, one: Sequence[Any], other: Sequence[Any]) -> Any:
    """The edits, as a whole number whatever kind of number they are."""
    found = edit_distance(one, other)
    try:
        return int(found) if float(found) == int(found) else float(found)
    except (TypeError, ValueError, OverflowError):
        return found


@edit_distance.probe("counts the fewest insertions, deletions and replacements")
def drawn_texts(edit_distance: Callable, draw: Draw) -> Any:
    texts = draw.integers("texts", 4, 9, high=4).tolist()
    found = {
        f"changed {number}": count(edit_distance, changed(draw, str(number), one), one)
        for number, one in enumerate(texts)
    }
    return {
        **found,
        "two texts": count(edit_distance, texts[0], texts[1]),
        "two others": count(edit_distance, texts[2][:5], texts[3]),
    }


@edit_distance.probe("counts each of the three as 1")
def one_by_one(edit_distance: Callable, draw: Draw) -> Any:
    a, b, c, d = draw.tensor("tokens", 4).argsort().tolist()
    return {
        "replaced": count(edit_distance, [a, b, c], [a, d, c]),
        "inserted": count(edit_distance, [a, b, c], [a, d, b, c]),
        "deleted": count(edit_distance, [a, b, c], [b, c]),
        "inserted in front": count(edit_distance, [b, c], [a, b, c]),
        "inserted in front of four": count(edit_distance, [a, b, c, d], [4, a, b, c, d]),
        "deleted in front of four": count(edit_distance, [4, a, b, c, d], [a, b, c, d]),
        "inserted at the end": count(edit_distance, [b, c], [b, c, a]),
        "exchanged": count(edit_distance, [a, b, c, d], [a, c, b, d]),
        "shifted": count(edit_distance, [a, b, c, d], [b, c, d, a]),
        "equal": count(edit_distance, [a, b, c], [a, b, c]),
        "equal, of large numbers": count(edit_distance, [a + 1000, b + 1000], [a + 1000, b + 1000]),
    }


@edit_distance.probe("works for empty texts", rung="edges")
def empty_texts(edit_distance: Callable, draw: Draw) -> Any:
    return {
        "both": count(edit_distance, [], []),
        "the first": count(edit_distance, [], [1, 2, 2]),
        "the second": count(edit_distance, [3, 1], []),
        "words": count(edit_distance, ["7A", "#"], ["7", "A"]),
        "texts": count(edit_distance, "47A", "4AA#"),
    }


# error_rate ----------------------------------------------------------------------------

error_rate = Exercise(
    "error_rate",
    points=2,
    forbidden=LIBRARIES,
    hints=(
        "A message of two keys and a message of twenty: should an error in the one count as much as an error in the other? What has to be added up before anything is divided?",
        "```python\nedits = ...  # of all texts\nreturn ...   # for each token of the references\n```",
        "`sum(edit_distance(output, reference) for ...)`, divided by `tokens`, which stands above.",
    ),
    traps={
        "ZeroDivisionError: division by zero": "a single reference may be empty. Divide once, by the tokens of all of them.",
    },
)


def some_pairs(draw: Draw) -> tuple[list[list[int]], list[list[int]]]:
    """Outputs and references of different lengths; one output is much too long."""
    references = [draw.integers(f"text {length}", length, high=4).tolist() for length in (9, 3, 6, 2)]
    outputs = [changed(draw, str(number), one) for number, one in enumerate(references)]
    references += [[1, 2], [3], [0, 1, 2, 3], [0, 1, 2], [3, 3]]
    outputs += [[1, 0, 0, 0, 2, 3], [3], [0, 1], [0, 1], [2, 3, 3]]
    return outputs, references


@error_rate.probe("gives the edits of all texts over the tokens of all references")
def of_the_set(error_rate: Callable, draw: Draw) -> Any:
    outputs, references = some_pairs(draw)
    return {
        "nine texts": error_rate(outputs, references),
        "three of them": error_rate(outputs[2:5], references[2:5]),
        "another order": error_rate([[1, 2, 3], [4]], [[3, 1, 2], [4]]),
        "at the wrong text": error_rate([[3], [4, 1, 2, 3]], [[4, 1, 2, 3], [3]]),
        "too little written": error_rate([[1], [3, 2]], [[1, 2, 3], [3, 2, 2]]),
    }


@error_rate.probe("goes above 1 where more is wrong than there was to write")
def above_one(error_rate: Callable, draw: Draw) -> Any:
    return {
        "all of it": error_rate([[0, 0, 0, 0, 0], [1, 1, 1, 1]], [[2, 3], [3]]),
        "one of three": error_rate([[0, 0, 0, 0, 0], [1, 2], [3]], [[2], [1, 2], [0]]),
        "of one token": error_rate([[2, 1], [3]], [[0], [1]]),
    }


@error_rate.probe("is 0 where all is right, counts a text that is missing, and takes an empty reference", rung="edges")
def rate_edges(error_rate: Callable, draw: Draw) -> Any:
    return {
        "all right": error_rate([[1, 2], [3]], [[1, 2], [3]]),
        "nothing written": error_rate([[], [3]], [[1, 2], [3]]),
        "an empty reference": error_rate([[1, 2, 0, 2], [2, 0, 2, 0, 2, 0, 2], [0]], [[1], [], [0]]),
        "tokens of two digits": error_rate([[12, 3]], [[1, 23]]),
        "strings": error_rate(["47", "A"], ["4A", "A"]),
    }


@error_rate.probe("raises a ValueError where there are not as many outputs, or no token at all", rung="invariants")
def refuses_counts(error_rate: Callable, draw: Draw) -> Any:
    error_rate([[1]], [[1]])  # the blank stub must show as blank
    return {
        "an output is missing": raised(lambda: error_rate([[1]], [[1], [2]])),
        "no token": raised(lambda: error_rate([[1]], [[]])),
        "no text": raised(lambda: error_rate([], [])),
    }


# In the wild ----------------------------------------------------------------------------

article_error_rate = Exercise(
    "article_error_rate",
    points=2,
    repairs=error_rate,
    hints=(
        "Two things are wrong. What becomes of an output that is three times too long? And what does a message of one key weigh?",
        "A rate above 1 is cut off, and then the mean is taken over *messages*. Which sums have to be taken first?",
        "Add up the edits of all texts, add up the tokens of all references, and divide once. Nothing is cut off.",
    ),
)
