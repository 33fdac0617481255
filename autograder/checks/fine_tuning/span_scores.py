"""Checks of span_f1."""

from collections.abc import Callable, Sequence
from typing import Any

from autograder.checks.decoding.shared import raised
from autograder.checks.fine_tuning.confusion import LIBRARIES
from autograder.checks.fine_tuning.entities import drawn_tags, shuffled, tagged
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

span_f1 = Exercise(
    "span_f1",
    points=2,
    forbidden=LIBRARIES,
    hints=(
        "Three numbers for the whole set: how many entities are there, how many were predicted, how many are both? When is a predicted entity the same as one that is there?",
        "```python\nright = predicted = there = 0\nfor target, prediction in zip(targets, predictions):\n    ...     # the spans of both, as sets; add to each of the three\nreturn ...  # F1; 0 where nothing is there and nothing was predicted\n```",
        "`wanted, found = set(spans(target)), set(spans(prediction))`, then `right += len(wanted & found)` and the two lengths. At the end `2 * right / (predicted + there)`, if there is anything to divide by.",
    ),
    traps={
        "ZeroDivisionError: division by zero": "no entity is there and none was predicted. That is 0 by convention: ask before you divide.",
        "ZeroDivisionError: float division by zero": "precision and recall are both 0. 2 · right / (predicted + there) needs neither.",
        "TypeError: unsupported operand type(s) for &: 'list' and 'list'": "`spans` gives a list. A `set(...)` of it can be intersected.",
        "TypeError: unhashable type: 'list'": "a set takes tuples and no lists. Does `spans` give `(kind, start, end)`, or a list for each entity? Or is a set made of what stands in a list of lists?",
        "ValueError: a tag is ...": "`targets` holds a list of tags for each text, and `spans` takes one of these lists.",
    },
)


def predicted_tags(draw: Draw, name: str, tags: Sequence[str]) -> list[str]:
    """Half right: some tags are exchanged for others."""
    kinds = shuffled(draw)
    other = ["O", "O", *(f"B-{one}" for one in kinds), *(f"I-{one}" for one in kinds)]
    chosen = draw.integers(f"{name} other", len(tags), high=len(other)).tolist()
    changed = draw.booleans(f"{name} changed", len(tags), chance=0.2).tolist()
    return [other[one] if change else tag for tag, one, change in zip(tags, chosen, changed, strict=True)]


def texts(draw: Draw, lengths: Sequence[int]) -> tuple[list[list[str]], list[list[str]]]:
    """Tags of texts, and predictions: some entities right, some cut short, of another kind, missed, or made up."""
    kinds = shuffled(draw)
    wanted = [drawn_tags(draw, f"text {number}", length) for number, length in enumerate(lengths)]
    found = [predicted_tags(draw, f"text {number}", tags) for number, tags in enumerate(wanted)]
    # All that can go wrong, whatever was drawn; and the last text lacks the entities that the one before it has.
    wanted += [tagged("O Ba Ia O Bb O Bc Ic Ba O O", kinds), tagged("O O O Ba Ia O", kinds), tagged("O O Ba Ia", kinds)]
    found += [
        tagged("O Ba Ia O Bc O Bc O Ba Bb O", kinds),
        tagged("Ba Ia O Ba Ia O", kinds),
        tagged("O Ba Ia Ia", kinds),
    ]
    order = draw.tensor("order", len(wanted)).argsort().tolist()
    return [wanted[one] for one in order], [found[one] for one in order]


@span_f1.probe("gives F1 of the entities of all texts: right are those of the same kind, start and end")
def all_texts(span_f1: Callable, draw: Draw) -> Any:
    return span_f1(*texts(draw, (12, 9, 16)))


@span_f1.probe("takes one number over all texts, whatever the order or the length of the texts")
def one_number(span_f1: Callable, draw: Draw) -> Any:
    wanted, found = texts(draw, (25, 3, 4, 8))
    short = tagged("Ba O"), tagged("Ba O")
    return {
        "many": span_f1(wanted, found),
        "with short texts that are right": span_f1([*wanted, *[short[0]] * 3], [*found, *[short[1]] * 3]),
        "with texts of nothing": span_f1([*wanted, ["O"] * 4, []], [*found, ["O"] * 4, []]),
    }


@span_f1.probe(
    "keeps texts apart: the end of one is not gone on with by the next, nor is a place in one a place in another"
)
def texts_apart(span_f1: Callable, draw: Draw) -> Any:
    kinds = shuffled(draw)
    # so many that texts run together, and texts passed over, leave different sums
    wanted, found = ("O Ba", "Ia O", "O Bb Bb", "O O O O O"), ("O Ba", "O Ia", "O O O", "O Bb O Bb Bb")
    return span_f1([tagged(text, kinds) for text in wanted], [tagged(text, kinds) for text in found])


@span_f1.probe("counts an entity only if kind, start and end are right")
def half_right(span_f1: Callable, draw: Draw) -> Any:
    kinds = shuffled(draw)
    wanted = tagged("O Ba Ia Ia O Bb O O Bc Ic", kinds)
    return {
        "one of another kind": span_f1([wanted], [tagged("O Ba Ia Ia O Bc O O Bc Ic", kinds)]),
        "one ends early": span_f1([wanted], [tagged("O Ba Ia O O Bb O O Bc Ic", kinds)]),
        "one ends late": span_f1([wanted], [tagged("O Ba Ia Ia Ia Bb O O Bc Ic", kinds)]),
        "one begins early": span_f1([wanted], [tagged("Ba Ia Ia Ia O Bb O O Bc Ic", kinds)]),
        "one begins late": span_f1([wanted], [tagged("O O Ba Ia O Bb O O Bc Ic", kinds)]),
        "one cut in two": span_f1([wanted], [tagged("O Ba Ia Ba O Bb O O Bc Ic", kinds)]),
        "one missed": span_f1([wanted], [tagged("O Ba Ia Ia O O O O Bc Ic", kinds)]),
        "one made up": span_f1([wanted], [tagged("O Ba Ia Ia O Bb O Ba Bc Ic", kinds)]),
        "an I- where a B- stands": span_f1([wanted], [tagged("O Ia Ia Ia O Ib O O Ic Ic", kinds)]),
    }


@span_f1.probe("gives 0 where nothing is right and where no entity is at all, 1 where all is right", rung="edges")
def span_edges(span_f1: Callable, draw: Draw) -> Any:
    some, none = tagged("O Ba Ia Bb"), ["O"] * 4
    return {
        "all right": span_f1([some, none], [some, none]),
        "none predicted": span_f1([some], [none]),
        "none there": span_f1([none], [some]),
        "none at all": span_f1([none], [none]),
        "no text": span_f1([], []),
        "other kinds": span_f1([some], [tagged("O Bb Ib Ba")]),
    }


@span_f1.probe("raises a ValueError where tags are missing", rung="invariants")
def refuses_lengths(span_f1: Callable, draw: Draw) -> Any:
    tags = tagged("O Ba Ia Bb")
    span_f1([tags], [tags])  # the blank stub must show as blank
    return {
        "a tag is missing": raised(lambda: span_f1([tags], [tags[1:]])),
        "a text is missing": raised(lambda: span_f1([tags, tags], [tags])),
    }
