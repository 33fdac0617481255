"""Checks of lesson 03: grouped queries."""

from collections.abc import Callable
from typing import Any

import torch

from autograder.checks.multi_head_attention.attending import FORBIDDEN, some_true
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

grouped_query_attention = Exercise(
    "GroupedQueryAttention",
    points=3,
    forbidden=FORBIDDEN,
    stretch=True,
    hints=(
        "Only one thing is new: after the split there are fewer key and value heads than query heads. Before attention, each of them has to be "
        "repeated, once for each query head that shares it.",
        "```python\n"
        "q = ...  # split into num_heads\n"
        "k = ...  # split into num_kv_heads\n"
        "v = ...  # split into num_kv_heads\n"
        "k = ...  # each head num_heads // num_kv_heads times in a row, along dimension 1\n"
        "v = ...  # likewise\n"
        "...      # as in MultiHeadAttention, without dropout\n"
        "```",
        "`k.repeat_interleave(group, dim=1)` gives 0 0 0 1 1 1; `k.repeat(1, group, 1, 1)` gives 0 1 0 1 0 1, which is another module.",
    ),
    traps={
        "RuntimeError: The size of tensor a (6) must match the size of tensor b (2) at non-singleton dimension 1": "6 query heads meet another number of key heads. "
        "Each key and value head is repeated num_heads // num_kv_heads times, along dimension 1.",
        "IndexError: Dimension out of range": "`repeat_interleave` without `dim=1` makes one long row of everything.",
        "ValueError: d_model=... is not divisible by num_heads=...": "keys and values are split into `num_kv_heads`, not `num_heads`.",
    },
)


@grouped_query_attention.probe("shares every key and value head among neighbouring query heads")
def groups(GroupedQueryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(GroupedQueryAttention, 12, 6, 2)
    x = draw.tensor("x", 3, 4, 12, scale=1.5)
    return layer(x, x, x)


@grouped_query_attention.probe("reads other tokens than those that ask, and obeys the mask")
def grouped_cross_attention(GroupedQueryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(GroupedQueryAttention, 12, 4, 2)
    key, value = draw.tensor("key", 3, 6, 12), draw.tensor("value", 3, 6, 12)
    return layer(draw.tensor("query", 3, 5, 12), key, value, some_true(draw, "mask", 3, 1, 1, 6))


@grouped_query_attention.probe("reads keys and values of another length than the queries")
def grouped_other_length(GroupedQueryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(GroupedQueryAttention, 12, 6, 3)
    return layer(draw.tensor("query", 2, 4, 12), draw.tensor("key", 2, 5, 12), draw.tensor("value", 2, 5, 12))


@grouped_query_attention.probe(
    "is MultiHeadAttention with as many key as query heads, and multi-query attention with one"
)
def extremes(GroupedQueryAttention: Callable, draw: Draw) -> Any:
    every, single = draw.module(GroupedQueryAttention, 6, 3, 3), draw.module(GroupedQueryAttention, 8, 4, 1)
    x, y = draw.tensor("x", 2, 4, 6), draw.tensor("y", 2, 3, 8)
    return {"as many": every(x, x, x), "one": single(y, y, y)}


@grouped_query_attention.probe("lets a mask differ from head to head")
def grouped_mask_of_each_head(GroupedQueryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(GroupedQueryAttention, 8, 4, 2)
    x = draw.tensor("x", 3, 5, 8)
    return layer(x, x, x, some_true(draw, "mask", 3, 4, 5, 5))


@grouped_query_attention.probe("has the right gradients, for the inputs and all parameters", rung="gradients")
def grouped_gradients(GroupedQueryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(GroupedQueryAttention, 12, 6, 2)
    given = {
        "query": draw.tensor("query", 3, 4, 12, requires_grad=True),
        "key": draw.tensor("key", 3, 5, 12, requires_grad=True),
        "value": draw.tensor("value", 3, 5, 12, requires_grad=True),
    }
    output, _ = layer(*given.values(), some_true(draw, "mask", 4, 5))
    return draw.gradients(output, **given, **dict(layer.named_parameters()))


@grouped_query_attention.probe(
    "works for one token, on memory that is not contiguous, and for a query that may look at nothing", rung="edges"
)
def grouped_edges(GroupedQueryAttention: Callable, draw: Draw) -> Any:
    layer = draw.fill(GroupedQueryAttention(4, 4, 2))
    token, x = draw.tensor("token", 1, 1, 4), draw.tensor("x", 4, 3, 2).transpose(0, 2)
    mask = torch.ones(3, 3, dtype=torch.bool)
    mask[1] = False
    return {
        "one token": layer(token, token, token),
        "not contiguous": layer(x, x, x),
        "nothing to look at": layer(x, x, x, draw.keep("mask", mask)),
    }


@grouped_query_attention.probe("raises a ValueError when d_model is not divisible by num_heads", rung="invariants")
def grouped_refuses_width(GroupedQueryAttention: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 1, 2, 4)
    GroupedQueryAttention(4, 2, 1)(x, x, x)  # first what fits
    GroupedQueryAttention(14, 4, 2)
    return "a module of width 14 with 4 heads"


@grouped_query_attention.probe("raises a ValueError when num_heads is not divisible by num_kv_heads", rung="invariants")
def grouped_refuses(GroupedQueryAttention: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 1, 2, 4)
    GroupedQueryAttention(4, 2, 1)(x, x, x)  # first what fits
    GroupedQueryAttention(12, 6, 4)
    return "a module with 6 query heads on 4 key and value heads"


@grouped_query_attention.probe(
    "raises a ValueError when there are more key and value heads than query heads", rung="invariants"
)
def grouped_refuses_more(GroupedQueryAttention: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 1, 2, 4)
    GroupedQueryAttention(4, 2, 1)(x, x, x)  # first what fits
    GroupedQueryAttention(12, 2, 4)
    return "a module with 2 query heads on 4 key and value heads"
