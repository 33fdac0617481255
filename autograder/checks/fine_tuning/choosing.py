"""Checks of best_span."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

best_span = Exercise(
    "best_span",
    points=3,
    stretch=True,
    hints=(
        "With scores for three tokens, write all spans down: which six are there? Which of them go when an answer has at most two tokens, and which when the middle token is not allowed?",
        "```python\nfound = []\nfor first in ...:\n    for last in ...:      # from first on; how far?\n        if ...:           # a token that is not allowed: no span from first goes on over it\n            break\n        ...               # keep its score, first, and the place behind last\nreturn ...                # of the best one, two whole numbers\n```",
        "`last` goes through `range(first, min(first + max_len, len(start)))`. Keep `((start[first] + end[last]).item(), first, last + 1)`; `max` of such a list compares the scores first.",
    ),
    traps={
        "ValueError: max() ...": "no span was found. Is a token that is not allowed the end of all spans, or only of those that run over it?",
        "IndexError: index ... is out of bounds for dimension 0 with size ...": "`first + max_len` may lie behind the end of the text.",
        "UnboundLocalError: ...": "no span was better than the one you began with. Scores may all be negative: begin with minus infinity.",
    },
)

LENGTH = 12


def scored(draw: Draw, *gaps: int, length: int = LENGTH, shift: float = 0.0) -> tuple[Tensor, Tensor, Tensor]:
    """Scores, no two of which are alike, and all places allowed but these."""
    start, end = draw.tensor("start", length, scale=3), draw.tensor("end", length, scale=3)
    allowed = torch.ones(length, dtype=torch.bool)
    allowed[list(gaps)] = False
    return draw.keep("start scores", start + shift), draw.keep("end scores", end + shift), draw.keep("allowed", allowed)


def peaks(draw: Draw, starts: dict[int, float], ends: dict[int, float], *gaps: int) -> tuple[Tensor, Tensor, Tensor]:
    """Small scores, and large ones at some places."""
    start, end, allowed = scored(draw, *gaps)
    start, end = (0.1 * start).clone(), (0.1 * end).clone()
    for scores, large in ((start, starts), (end, ends)):
        for place, height in large.items():
            scores[place] = height
    return draw.keep("start with peaks", start), draw.keep("end with peaks", end), allowed


def in_two_parts(draw: Draw) -> tuple[Tensor, Tensor, Tensor]:
    """Before a gap stand all large start scores, behind it all large end scores: no span has one of each."""
    place = torch.arange(2 * 24 + 1)
    start = draw.tensor("starts", len(place), scale=0.5) + 6.0 * (place < 24)
    end = draw.tensor("ends", len(place), scale=0.5) + 6.0 * (place > 24)
    return draw.keep("starts before", start), draw.keep("ends behind", end), draw.keep("but the gap", place != 24)


@best_span.probe("takes the span whose two scores have the largest sum, and gives the place behind its end")
def largest_sum(best_span: Callable, draw: Draw) -> Any:
    return {
        "peaks that fit together": best_span(*peaks(draw, {3: 8.0}, {5: 8.0}), LENGTH),
        "any scores": best_span(*scored(draw), LENGTH),
        "scores below 0": best_span(*scored(draw, shift=-20), LENGTH),
    }


@best_span.probe("lets no span end before it starts, nor takes start and end each by itself")
def in_order(best_span: Callable, draw: Draw) -> Any:
    return {
        "the best end stands before the best start": best_span(
            *peaks(draw, {2: 6.0, 7: 8.0}, {4: 8.0, 9: 5.0}), LENGTH
        ),
        "the second best start fits the best end": best_span(*peaks(draw, {2: 7.0, 7: 8.0}, {4: 8.0, 9: 2.0}), LENGTH),
        "the second best end fits the best start": best_span(*peaks(draw, {2: 2.0, 7: 8.0}, {4: 8.0, 9: 7.0}), LENGTH),
        "every good start stands before a gap, every good end behind it": best_span(*in_two_parts(draw), 3),
    }


@best_span.probe("takes a span of one token, where that is best")
def single_token(best_span: Callable, draw: Draw) -> Any:
    return {
        "in the middle": best_span(*peaks(draw, {5: 8.0}, {5: 8.0, 7: 4.0}), LENGTH),
        "the first": best_span(*peaks(draw, {0: 8.0}, {0: 8.0}), LENGTH),
        "the last": best_span(*peaks(draw, {LENGTH - 1: 8.0}, {LENGTH - 1: 8.0}), LENGTH),
    }


@best_span.probe("takes no span of more than max_len tokens, and one of exactly so many")
def no_longer(best_span: Callable, draw: Draw) -> Any:
    far = peaks(draw, {2: 8.0}, {3: 4.0, 5: 6.0, 6: 7.0, 9: 8.0})
    return {
        "at most 12": best_span(*far, LENGTH),
        "at most 5": best_span(*far, 5),
        "at most 4": best_span(*far, 4),
        "at most 3": best_span(*far, 3),
        "at most 2": best_span(*far, 2),
        "more than there are": best_span(*far, 100),
    }


@best_span.probe("lets no token into the answer that is not allowed")
def only_where_allowed(best_span: Callable, draw: Draw) -> Any:
    question, hole = range(5), (6,)
    tall: tuple[dict[int, float], dict[int, float]] = ({2: 9.0, 5: 4.0, 8: 6.0}, {3: 9.0, 5: 5.0, 7: 8.0, 9: 4.0})
    return {
        "the question before the text": best_span(*peaks(draw, *tall, *question), LENGTH),
        "padding behind it": best_span(*peaks(draw, *tall, *range(7, LENGTH)), LENGTH),
        "a token in the middle": best_span(*peaks(draw, {5: 8.0, 8: 3.0}, {7: 8.0, 9: 4.0, 5: 3.5}, *hole), LENGTH),
        "scores below 0": best_span(*scored(draw, *question, *hole, shift=-20), LENGTH),
    }


@best_span.probe("finds the best of any scores, allowed places and length")
def any_scores(best_span: Callable, draw: Draw) -> Any:
    found = {}
    for number in range(6):
        start, end = draw.tensor(f"start {number}", 20, scale=2), draw.tensor(f"end {number}", 20, scale=2)
        allowed = draw.booleans(f"allowed {number}", 20, chance=0.8).clone()
        allowed[number] = True
        longest = 2 + int(draw.integers(f"longest {number}", 1, high=7))
        found[f"{number}, at most {longest}"] = best_span(start, end, draw.keep(f"places {number}", allowed), longest)
    return found


@best_span.probe("works for a single token: of the text, of what is allowed, of an answer", rung="edges")
def one_token(best_span: Callable, draw: Draw) -> Any:
    return {
        "of the text": best_span(*scored(draw, length=1), 3),
        "of what is allowed": best_span(*scored(draw, *range(4), *range(5, LENGTH)), LENGTH),
        "of an answer": best_span(*peaks(draw, {2: 8.0}, {2: 3.0, 3: 8.0}), 1),
    }


@best_span.probe("works for scores that need a gradient, and for scores far below 0", rung="edges")
def other_scores(best_span: Callable, draw: Draw) -> Any:
    start, end, allowed = scored(draw, 0)
    return {
        "scores of a model in training": best_span(start.requires_grad_(), end.requires_grad_(), allowed, 4),
        "scores that lie far below 0": best_span(*scored(draw, 2, 3, shift=-1e5), 4),
    }


@best_span.probe("gives its two places as a tuple of whole numbers, as spans gives its own", rung="invariants")
def as_a_tuple(best_span: Callable, draw: Draw) -> Any:
    found = best_span(*scored(draw), 4)
    kind = "a tuple" if isinstance(found, tuple) else f"a {type(found).__name__}"
    return [kind, *("a whole number" if hasattr(one, "__index__") else f"a {type(one).__name__}" for one in found)]


@best_span.probe("raises a ValueError where no token is allowed, and for a max_len below 1", rung="invariants")
def refuses_no_span(best_span: Callable, draw: Draw) -> Any:
    start, end, allowed = scored(draw)
    best_span(start, end, allowed, 3)  # the blank stub must show as blank
    return {
        "no token": raised(lambda: best_span(start, end, torch.zeros_like(allowed), 3)),
        "no length": raised(lambda: best_span(start, end, allowed, 0)),
    }
