"""Checks of counting what a classifier took for what: confusion_matrix."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

LIBRARIES = ("sklearn", "torchmetrics", "seqeval")

confusion_matrix = Exercise(
    "confusion_matrix",
    points=2,
    forbidden=LIBRARIES,
    hints=(
        "A matrix of zeros, and 1 more in a cell for every place. Which cell? Row and column each say one thing. What happens to a cell that is hit twice?",
        "```python\ncells = ...   # each cell gets a number of its own: 0, 1, ... along row 0, then on in row 1\ncounts = ...  # how often each number occurs, num_classes² counts\nreturn ...    # as a matrix\n```",
        "`cells = targets * num_classes + predictions`, and `torch.bincount(cells, minlength=num_classes**2).reshape(num_classes, num_classes)`. A loop over `zip(targets.tolist(), predictions.tolist())` is right too.",
    ),
    traps={
        "RuntimeError: shape '[...]' is invalid for input of size ...": "`bincount` gives as many counts as the largest cell that occurs needs. Say how many there are: `minlength=num_classes**2`.",
        "RuntimeError: stack expects each tensor to be equal size, but got ...": "`bincount` gives as many counts as the largest class that occurs needs. Say how many there are: `minlength=num_classes`.",
        "NotImplementedError: \"bincount_cpu\" not implemented for 'Float'": "cells are counted by whole numbers. Is something divided?",
        "TypeError: list indices must be integers or slices, not tuple": "a list of lists takes two brackets, `matrix[t][p]`; a tensor takes `matrix[t, p]`.",
    },
)


def classified(draw: Draw, count: int, classes: int, name: str = "") -> tuple[Tensor, Tensor]:
    """Targets and predictions: half of these right, some classes frequent and some rare, and both lists different."""
    targets = draw.integers(f"{name}targets", count, high=classes)
    rare = draw.integers(f"{name}rare", count, high=classes)
    targets = draw.keep(f"{name}wanted", torch.minimum(targets, rare))
    other = torch.maximum(draw.integers(f"{name}predictions", count, high=classes), rare.roll(1))
    right = draw.booleans(f"{name}right", count)
    return targets, draw.keep(f"{name}predicted", torch.where(right, targets, other))


def never(draw: Draw) -> tuple[Tensor, Tensor]:
    """Of five classes 1 is never there, 3 is never predicted, 4 is neither, and 0 is never right."""
    targets = draw.integers("kinds", 20, high=3)
    mixed = torch.tensor([0, 2, 3])[targets]
    mixed = torch.cat([mixed, torch.tensor([0, 2, 3, 0, 2, 2])])
    after = torch.tensor([1, 2, 0, 1])[draw.integers("guesses", 26, high=4)]
    after = after.where((after != 0) | (mixed != 0), 2)
    after[-6:] = torch.tensor([1, 2, 0, 2, 2, 1])
    return draw.keep("sparse targets", mixed), draw.keep("sparse predictions", after)


@confusion_matrix.probe("counts in row t and column p how often t was taken for p")
def counted(confusion_matrix: Callable, draw: Draw) -> Any:
    return confusion_matrix(*classified(draw, 40, 4), 4)


@confusion_matrix.probe("has a row and a column for each class, also for those that never occur")
def with_absent_classes(confusion_matrix: Callable, draw: Draw) -> Any:
    return {
        "classes that are never there, or never predicted": confusion_matrix(*never(draw), 5),
        "more classes than occur": confusion_matrix(*classified(draw, 12, 3), 6),
    }


@confusion_matrix.probe("counts every place of many", rung="edges")
def many_places(confusion_matrix: Callable, draw: Draw) -> Any:
    return {
        "seven classes": confusion_matrix(*classified(draw, 900, 7), 7),
        "two classes, so that cells go beyond 255": confusion_matrix(*classified(draw, 1500, 2), 2),
    }


@confusion_matrix.probe("works for one place, for two classes, and for no place at all", rung="edges")
def small_matrices(confusion_matrix: Callable, draw: Draw) -> Any:
    targets, predictions = classified(draw, 9, 2)
    return {
        "one place": confusion_matrix(torch.tensor([1]), torch.tensor([2]), 3),
        "two classes": confusion_matrix(targets, predictions, 2),
        "no place": confusion_matrix(targets[:0], predictions[:0], 3),
        "every second place of a list": confusion_matrix(targets[::2], predictions[::2], 2),
    }


@confusion_matrix.probe(
    "raises a ValueError for what is no class, and for lists of different lengths", rung="invariants"
)
def refuses_others(confusion_matrix: Callable, draw: Draw) -> Any:
    targets, predictions = classified(draw, 9, 3)
    confusion_matrix(targets, predictions, 3)  # the blank stub must show as blank
    marked, beyond = targets.clone(), predictions.clone()
    marked[2], beyond[4] = -100, 3
    return {
        "-100 among the targets": raised(lambda: confusion_matrix(marked, predictions, 3)),
        "class 3 of three": raised(lambda: confusion_matrix(targets, beyond, 3)),
        "one target too many": raised(lambda: confusion_matrix(targets, predictions[1:], 3)),
    }
