"""Checks of looking into heads: induction_score."""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

induction_score = Exercise(
    "induction_score",
    points=2,
    stretch=True,
    hints=(
        "Write the places of a text of period 3 under each other: A B C A B C. Query 4 stands on the second B. Where is the token that came after the first B?",
        "```python\ndiagonal = ...  # weights[..., t, t - period + 1]\n...             # without the queries of the first period\nreturn ...      # one number for every head\n```",
        "`weights.diagonal(offset=1 - period, dim1=-2, dim2=-1)` begins with query `period - 1`, which repeats nothing yet: leave it out, `[..., 1:]`, and take `.mean(dim=(0, 2))`.",
    ),
    traps={
        "IndexError: Dimension out of range (expected to be in range of [...], but got ...)": "`diagonal` takes the two dimensions away and puts a single one at the end: (batch, num_heads, length).",
        "RuntimeError: upper bound and lower bound inconsistent with step sign": "there is no third period in a text of two. The queries that count begin with the second, at `period`, and go to the end of the text.",
        "IndexError: index 12 is out of bounds for dimension 0 with size 12": "a place is asked for that lies beyond the end. Queries go from `period` to the last place of the text, and the dimensions of the weights are (batch, num_heads, query, key).",
    },
)


def attention(draw: Draw, *shape: int, causal: bool = True) -> Tensor:
    """Weights whose rows sum to 1."""
    weights = draw.tensor("scores", *shape, scale=2).exp()
    if causal:
        weights = weights.tril()
    return draw.keep("weights", weights / weights.sum(dim=-1, keepdim=True))


@induction_score.probe("means the weight of the key after the earlier place, for each head")
def some_heads(induction_score: Callable, draw: Draw) -> Any:
    return induction_score(attention(draw, 3, 4, 11, 11), 4)


@induction_score.probe("begins with the second period, however many there are")
def periods(induction_score: Callable, draw: Draw) -> Any:
    weights = attention(draw, 2, 3, 12, 12, causal=False)  # no zeros: every entry tells which it is
    return {f"period {period}": induction_score(weights, period) for period in (3, 5, 7)}


@induction_score.probe(
    "works for one text, one head, a period of one token, and a second period of one token", rung="edges"
)
def induction_edges(induction_score: Callable, draw: Draw) -> Any:
    weights = attention(draw, 2, 3, 7, 7)
    return {
        "one text, one head": induction_score(weights[:1, :1], 3),
        "a period of one token": induction_score(weights, 1),
        "a second period of one token": induction_score(weights, 6),
    }


@induction_score.probe("raises a ValueError for a period of 0, and for one without a second", rung="invariants")
def refuses_periods(induction_score: Callable, draw: Draw) -> Any:
    weights = attention(draw, 1, 2, 5, 5)
    induction_score(weights, 2)  # the blank stub must show as blank
    return {
        "period 0": raised(lambda: induction_score(weights, 0)),
        "5 tokens, period 5": raised(lambda: induction_score(weights, 5)),
    }
