"""Checks of measuring scores: roc_auc."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding.shared import raised
from autograder.checks.fine_tuning.confusion import LIBRARIES
from autograder.checks.fine_tuning.evaluating import one_number
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

roc_auc = Exercise(
    "roc_auc",
    points=2,
    stretch=True,
    forbidden=LIBRARIES,
    hints=(
        "Take the scores 1, 2, 2, 3 with the labels 0, 0, 1, 1. There are four pairs of a 1 and a 0. In how many has the 1 the larger score, and in how many are the two equal?",
        "```python\nranks = ...  # of every score, from 1; equal scores share the mean of their ranks\nwon = ...    # the ranks of the ones, less 1 + 2 + ... + ones\nreturn ...   # by ones * zeros\n```",
        "`_, place, counts = scores.unique(return_inverse=True, return_counts=True)`: `counts.cumsum(0)` is the last rank of each value, and half of `counts - 1` less is their mean. Or compare all pairs: `(a[:, None] > b).double() + 0.5 * (a[:, None] == b)`, and the mean of it.",
    ),
)


def ranked(draw: Draw, count: int, steps: float = 4.0) -> tuple[Tensor, Tensor]:
    """Scores, many of them equal, that know a little of their labels; both labels occur."""
    labels = draw.booleans("drawn", count, chance=0.4).clone()
    labels[0], labels[1] = True, False
    scores = draw.tensor("noise", count) + 0.8 * labels
    return draw.keep("scores", (scores * steps).round() / steps), draw.keep("labels", labels)


@roc_auc.probe("is the share of pairs in which the 1 has the larger score, a tie counting one half")
def many_pairs(roc_auc: Callable, draw: Draw) -> Any:
    return one_number(roc_auc(*ranked(draw, 60)))


@roc_auc.probe("does the same where no two scores are equal, and where most are")
def more_and_fewer_ties(roc_auc: Callable, draw: Draw) -> Any:
    return {
        "no ties": one_number(roc_auc(*ranked(draw, 41, steps=1e6))),
        "most are ties": one_number(roc_auc(*ranked(draw, 50, steps=0.7))),
    }


@roc_auc.probe("does not change when the scores are stretched or shifted, and turns over with them", rung="invariants")
def other_scales(roc_auc: Callable, draw: Draw) -> Any:
    scores, labels = ranked(draw, 30)
    other = {"times 3": 3 * scores, "less 100": scores - 100, "turned over": -scores}
    return {name: one_number(roc_auc(draw.keep(name, one), labels)) for name, one in other.items()}


@roc_auc.probe("works for numbers as labels, for two places, and where all scores are equal", rung="edges")
def odd_scores(roc_auc: Callable, draw: Draw) -> Any:
    scores, labels = ranked(draw, 20)
    return {
        "labels of 0 and 1": one_number(roc_auc(scores, draw.keep("numbers", labels.long()))),
        "two places": one_number(roc_auc(torch.tensor([0.3, 0.1]), torch.tensor([True, False]))),
        "all equal": one_number(roc_auc(draw.keep("flat", torch.zeros(20)), labels)),
        "all apart": one_number(roc_auc(draw.keep("perfect", labels.double()), labels)),
    }


@roc_auc.probe("tells scores apart that are close to one another", rung="edges")
def close_scores(roc_auc: Callable, draw: Draw) -> Any:
    scores, labels = ranked(draw, 40, steps=1e6)
    place = scores.argsort().argsort()
    return {
        "too close for half precision": one_number(roc_auc(draw.keep("near", 1 + place * 1e-4), labels)),
        "closer still": one_number(roc_auc(draw.keep("nearer", 1 + place * 1e-6), labels)),
    }


@roc_auc.probe("gives a number of Python's", rung="invariants")
def as_a_number(roc_auc: Callable, draw: Draw) -> Any:
    found = roc_auc(*ranked(draw, 20))
    return f"a tensor of shape {tuple(found.shape)}" if isinstance(found, Tensor) else "a number"


@roc_auc.probe("raises a ValueError where all labels are the same", rung="invariants")
def refuses_one_label(roc_auc: Callable, draw: Draw) -> Any:
    scores, labels = ranked(draw, 10)
    roc_auc(scores, labels)  # the blank stub must show as blank
    return {
        "all 1": raised(lambda: roc_auc(scores, torch.ones(10).bool())),
        "all 0": raised(lambda: roc_auc(scores, torch.zeros(10).bool())),
    }
