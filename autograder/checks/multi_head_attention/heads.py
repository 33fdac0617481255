"""Checks of lesson 03: the head split and its inverse."""

from collections.abc import Callable
from typing import Any

import torch

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# split_heads ----------------------------------------------------------------------------

split_heads = Exercise(
    "split_heads",
    points=2,
    hints=(
        "Two steps. First cut the last dimension in two: 6 features become 2 heads of 3. No token may lose or gain a feature. "
        "Only then move the heads in front of the tokens.",
        "```python\n"
        "slices = ...  # reshape to (batch, seq_len, num_heads, d_head)\n"
        "return ...    # exchange the dimensions 1 and 2\n"
        "```",
        "`x.reshape(batch, seq_len, num_heads, d_model // num_heads)`, then `.transpose(1, 2)`. Reshaping straight to "
        "(batch, num_heads, seq_len, d_head) gives the right shape and the wrong numbers.",
    ),
    traps={
        "RuntimeError: shape '[...]' is invalid for input of size ...": "the four sizes do not multiply to the size of `x`. "
        "d_head is `d_model // num_heads`.",
        "TypeError: reshape(): argument 'shape' must be tuple of ints": "`d_model / num_heads` is a float; `//` gives an int.",
    },
)


@split_heads.probe("gives every head its own slice of the features of every token")
def slices(split_heads: Callable, draw: Draw) -> Any:
    return split_heads(draw.tensor("x", 2, 4, 15), 3)


@split_heads.probe("leaves a token's other features, and all other tokens, out of a slice", rung="invariants")
def one_token_changes(split_heads: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 3, 8)
    other = x.clone()
    other[1, 2, :2] = draw.tensor("other", 2, shift=4)
    return [split_heads(x, 4), split_heads(other, 4)]


@split_heads.probe("has the right gradient", rung="gradients")
def split_gradient(split_heads: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 3, 4, 10, requires_grad=True)
    return draw.gradients(split_heads(x, 2), x=x)


@split_heads.probe("works for one head, one token, one sequence and on memory that is not contiguous", rung="edges")
def split_edges(split_heads: Callable, draw: Draw) -> Any:
    return {
        "one head": split_heads(draw.tensor("one", 2, 3, 4), 1),
        "as many heads as features": split_heads(draw.tensor("all", 2, 3, 5), 5),
        "one sequence of one token": split_heads(draw.tensor("short", 1, 1, 6), 2),
        "not contiguous": split_heads(draw.tensor("x", 8, 3, 5).transpose(0, 2), 4),
    }


@split_heads.probe("raises a ValueError when the features cannot be cut into equal slices", rung="invariants")
def split_refuses(split_heads: Callable, draw: Draw) -> Any:
    split_heads(draw.tensor("fits", 1, 2, 9), 3)  # first what fits
    return split_heads(draw.tensor("x", 1, 2, 10), 3)


@split_heads.probe("raises a ValueError when there is no head", rung="invariants")
def split_refuses_none(split_heads: Callable, draw: Draw) -> Any:
    split_heads(draw.tensor("fits", 1, 2, 9), 3)  # first what fits
    return split_heads(draw.tensor("x", 1, 2, 4), 0)


# merge_heads ----------------------------------------------------------------------------

merge_heads = Exercise(
    "merge_heads",
    points=2,
    hints=(
        "Undo `split_heads`, last step first: move the heads back behind the tokens, then let heads and features become one dimension.",
        "```python\n"
        "slices = ...  # exchange the dimensions 1 and 2: (batch, seq_len, num_heads, d_head)\n"
        "return ...    # reshape to (batch, seq_len, num_heads * d_head)\n"
        "```",
        "`x.transpose(1, 2)` and then `.reshape(batch, seq_len, num_heads * d_head)`. Not `view`: after a transpose the memory is "
        "out of order.",
    ),
    traps={
        "RuntimeError: view size is not compatible with input tensor's size and stride": "`transpose` moves no number in memory; it only changes the "
        "order of reading, and `view` cannot express that order. `reshape` copies where it has to.",
        "ValueError: not enough values to unpack": "`x` has four dimensions here: `batch, num_heads, seq_len, d_head = x.shape`.",
    },
)


@merge_heads.probe("puts the slices of a token side by side, head 0 first")
def side_by_side(merge_heads: Callable, draw: Draw) -> Any:
    return merge_heads(draw.tensor("x", 2, 3, 4, 5))


@merge_heads.probe("undoes the split")
def undoes_the_split(merge_heads: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 3, 4, 10)
    return merge_heads(torch.stack(x.split(5, dim=-1), dim=1))


@merge_heads.probe("has the right gradient", rung="gradients")
def merge_gradient(merge_heads: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 3, 2, 4, 5, requires_grad=True)
    return draw.gradients(merge_heads(x), x=x)


@merge_heads.probe("works for one head, one token, one sequence and on memory that is not contiguous", rung="edges")
def merge_edges(merge_heads: Callable, draw: Draw) -> Any:
    return {
        "one head": merge_heads(draw.tensor("one", 2, 1, 3, 4)),
        "heads of one feature": merge_heads(draw.tensor("all", 2, 5, 3, 1)),
        "one sequence of one token": merge_heads(draw.tensor("short", 1, 2, 1, 3)),
        "not contiguous": merge_heads(draw.tensor("x", 4, 3, 2, 5).permute(2, 0, 3, 1)),
    }
