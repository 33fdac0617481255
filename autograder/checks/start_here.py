"""Check of lesson 00: softmax."""

from collections.abc import Callable
from typing import Any

import torch

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

softmax = Exercise(
    "softmax",
    points=2,
    forbidden=("softmax",),
    hints=(
        "Start with the formula: e to the power of every score, divided by the sum of these powers. Then ask what a score of 100 does to this formula: "
        "that is why something has to be subtracted. Last, ask what a row of nothing but -inf does to the largest score, and to the sum.",
        "```python\n"
        "largest = ...  # x.amax along dim, keepdim=True\n"
        "largest = ...  # the same, with 0.0 where it is -inf: masked_fill\n"
        "powers = ...   # torch.exp of x minus largest\n"
        "total = ...    # their sum along dim, keepdim=True\n"
        "return ...     # powers over total, with 1.0 where total is 0\n"
        "```",
        "`largest.masked_fill(largest == -torch.inf, 0.0)` gives a new tensor, with zeros for the rows that hold nothing but -inf. "
        "The same with `total == 0.0` and `1.0` keeps 0 / 0 away: a row of zeros stays a row of zeros.",
    ),
    traps={
        "TypeError: unsupported operand type(s) for -: 'Tensor' and 'torch.return_types.max'": "with `dim`, `x.max` gives two things, "
        "the values and where they are. `x.amax(dim=dim, keepdim=True)` gives the values alone.",
        "RuntimeError: The size of tensor a (4) must match the size of tensor b (3)": "the largest score, or the sum, lost its dimension: "
        "`x.sum(dim=dim)` of shape (3, 4) has shape (3). With `keepdim=True` it is (3, 1) and lines up.",
        "RuntimeError: Boolean value of Tensor with more than one value": "`if` needs a single answer, but there is a largest score for every row. "
        "`largest.masked_fill(largest == -torch.inf, 0.0)` decides for each row by itself.",
        "TypeError: max() received an invalid combination of arguments": "`x.max(keepdim=True)` has no dimension to keep. Say which: "
        "`x.amax(dim=dim, keepdim=True)`.",
    },
)


@softmax.probe("turns every row of a square of scores into weights")
def square(softmax: Callable, draw: Draw) -> Any:
    return softmax(draw.tensor("x", 3, 3, scale=1.5))


@softmax.probe("works along the last dimension if not told otherwise")
def last_dimension(softmax: Callable, draw: Draw) -> Any:
    return softmax(draw.tensor("x", 2, 3, 5, scale=1.5))


@softmax.probe("works along the dimension it is given, counted from either end")
def every_dimension(softmax: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 3, 4, scale=1.5)
    return {f"dim={dim}": softmax(x, dim=dim) for dim in (0, 1, 2, -2)}


@softmax.probe("gives the same when the same number is added to all scores of a row", rung="invariants")
def shifted(softmax: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 3, 4)
    return [softmax(x), softmax(x + draw.tensor("shift", 3, 1, scale=3))]


@softmax.probe("has the right gradient: every weight depends on every score along dim", rung="gradients")
def gradient(softmax: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 3, 4, requires_grad=True)
    return {
        "last": draw.gradients(softmax(x), x=x),
        "dim=1": draw.gradients(softmax(x, dim=1), x=x),
    }


@softmax.probe("stays right for scores far from 0, whose exponentials overflow or vanish", rung="edges")
def far_from_zero(softmax: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 3, 4, scale=1.5)
    return {"scores about 150": softmax(x + 150), "scores about -150": softmax(x - 150)}


@softmax.probe("stays right when one row's scores are far above another's", rung="edges", float64=True)
def rows_far_apart(softmax: Callable, draw: Draw) -> Any:
    rows = torch.tensor([[1000.0], [0.0], [-1000.0]])
    return softmax(draw.tensor("x", 3, 4) + rows)


@softmax.probe("gives nearly all weight to a score far above the others of its row", rung="edges")
def wide_row(softmax: Callable, draw: Draw) -> Any:
    # The largest stands in another place in each row, far above every other score, the mean and the median.
    apart = torch.tensor([[500.0, 800.0, 1100.0, 1500.0, 700.0], [0.0, 1200.0, 500.0, 700.0, 1900.0]])
    return softmax(draw.keep("scores", draw.tensor("x", 2, 5, scale=10) + apart))


@softmax.probe("gives a score of -inf the weight 0", rung="edges")
def some_masked(softmax: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 3, 4)
    mask = torch.tensor([[0, 1, 1, 1], [0, 0, 0, 1], [1, 0, 1, 0]], dtype=torch.bool)
    return softmax(draw.keep("masked", x.masked_fill(mask, -torch.inf)))


@softmax.probe("gives zeros, not NaN, where all scores are -inf", rung="edges")
def all_masked(softmax: Callable, draw: Draw) -> Any:
    rows = draw.tensor("rows", 2, 3, 4).clone()
    rows[0, 1] = -torch.inf
    columns = draw.tensor("columns", 3, 2).clone()
    columns[:, 0] = -torch.inf
    draw.keep("rows", rows)
    draw.keep("columns", columns)
    return {"a row": softmax(rows), "a column, dim=0": softmax(columns, dim=0)}


@softmax.probe("treats a score of 0 like any other", rung="edges")
def zero_scores(softmax: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 3, 4) * torch.tensor([[1.0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0]])
    return softmax(x)


@softmax.probe("works on a single row, a single score and out of memory order", rung="edges")
def other_shapes(softmax: Callable, draw: Draw) -> Any:
    return {
        "a single row": softmax(draw.tensor("row", 5)),
        "one score each": softmax(draw.tensor("one", 3, 1)),
        "four dimensions": softmax(draw.tensor("four", 2, 3, 4, 5).transpose(1, 3), dim=1),
    }
