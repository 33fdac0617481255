"""Checks of measuring a classifier: precision_recall_f1."""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from autograder.checks.decoding.shared import raised
from autograder.checks.fine_tuning.confusion import LIBRARIES, classified, never
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

precision_recall_f1 = Exercise(
    "precision_recall_f1",
    points=3,
    forbidden=LIBRARIES,
    hints=(
        "All that is needed stands in the confusion matrix. Where in it are the places of class 2 that were predicted right? Where are all that were predicted to be class 2, and where all that are of class 2? And the averages: what does each of them take the mean *of*?",
        '```python\ncounts = ...     # the confusion matrix, as float64\nright = ...      # its diagonal\npredicted = ...  # columns added up\nthere = ...      # rows added up\n...              # "micro": each of the three becomes one number\nprecision, recall, f1 = ...\n...              # a mean of each, for "macro" (all classes alike) and "weighted" (by `there`)\n```',
        "`counts.diagonal()`, `counts.sum(dim=0)` for columns, `counts.sum(dim=1)` for rows. `right / predicted.clamp(min=1)` is 0 where nothing was predicted, since `right` is 0 there too. `f1 = 2 * right / (predicted + there).clamp(min=1)`. Then `f1.mean()`, or `(f1 * there).sum() / there.sum()`.",
    ),
    traps={
        "ZeroDivisionError: division by zero": "some class was never predicted, or is never there. What is to be divided by 0 counts as 0: ask first.",
        "ZeroDivisionError: float division by zero": "some class was never predicted, or is never there. What is to be divided by 0 counts as 0: ask first.",
    },
)


def three(found: Any) -> Any:
    """A number is a number, whether it comes in a tensor or not."""
    if not isinstance(found, tuple | list):
        return found.item() if isinstance(found, Tensor) and found.dim() == 0 else found
    return [one.item() if isinstance(one, Tensor) and one.dim() == 0 else one for one in found]


@precision_recall_f1.probe("gives precision, recall and F1 of each class")
def of_each_class(precision_recall_f1: Callable, draw: Draw) -> Any:
    return three(precision_recall_f1(*classified(draw, 60, 4), 4))


@precision_recall_f1.probe('"macro": the mean over the classes, of each of the three')
def macro(precision_recall_f1: Callable, draw: Draw) -> Any:
    return three(precision_recall_f1(*classified(draw, 60, 4), 4, average="macro"))


@precision_recall_f1.probe('"weighted": the mean weighted by how often a class is there, of each of the three')
def weighted(precision_recall_f1: Callable, draw: Draw) -> Any:
    return three(precision_recall_f1(*classified(draw, 60, 4), 4, average="weighted"))


@precision_recall_f1.probe('"micro": what is right, predicted and there is added up first')
def micro(precision_recall_f1: Callable, draw: Draw) -> Any:
    return three(precision_recall_f1(*classified(draw, 60, 4), 4, average="micro"))


@precision_recall_f1.probe("counts a class that never occurs as 0, alone and in every mean")
def of_absent_classes(precision_recall_f1: Callable, draw: Draw) -> Any:
    both = never(draw)
    return {
        str(average): three(precision_recall_f1(*both, 5, average)) for average in (None, "macro", "weighted", "micro")
    }


@precision_recall_f1.probe(
    "works where all is right, where nothing is, for a single class, and for no place at all", rung="edges"
)
def few_places(precision_recall_f1: Callable, draw: Draw) -> Any:
    targets, _ = classified(draw, 8, 3)
    wrong = (targets + 1) % 3
    found: dict[str, Any] = {}
    for average in (None, "macro", "weighted", "micro"):
        found |= {
            f"all right, {average}": three(precision_recall_f1(targets, targets.clone(), 3, average)),
            f"nothing right, {average}": three(precision_recall_f1(targets, wrong, 3, average)),
            f"one class, {average}": three(precision_recall_f1(targets * 0, targets * 0, 1, average)),
            f"no place, {average}": three(precision_recall_f1(targets[:0], wrong[:0], 3, average)),
        }
    return found


@precision_recall_f1.probe("raises a ValueError where confusion_matrix does", rung="invariants")
def refuses_what_is_no_class(precision_recall_f1: Callable, draw: Draw) -> Any:
    targets, predictions = classified(draw, 9, 3)
    precision_recall_f1(targets, predictions, 3)  # the blank stub must show as blank
    marked, beyond = targets.clone(), predictions.clone()
    marked[2], beyond[4] = -100, 3
    return {
        "-100 among the targets": raised(lambda: precision_recall_f1(marked, predictions, 3)),
        "class 3 of three": raised(lambda: precision_recall_f1(targets, beyond, 3)),
    }


@precision_recall_f1.probe("raises a ValueError for another average", rung="invariants")
def refuses_averages(precision_recall_f1: Callable, draw: Draw) -> Any:
    both = classified(draw, 9, 3)
    precision_recall_f1(*both, 3)  # the blank stub must show as blank
    return {word: raised(lambda word=word: precision_recall_f1(*both, 3, word)) for word in ("mean", "samples", "")}  # type: ignore[misc]
