"""Checks of lesson 04: attention with rotations."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

rotary_attention = Exercise(
    "RotaryAttention",
    points=3,
    forbidden=("multi_head_attention",),
    stretch=True,
    hints=(
        "It is MultiHeadAttention without dropout, and with two lines more. Positions decide *where* a token looks, so they belong in what is compared. What is taken from a token needs no position.",
        "```python\n"
        "q = ...               # q_proj of query, split: (batch, num_heads, query_len, d_head)\n"
        "k = ...               # k_proj of key, split\n"
        "v = ...               # v_proj of value, split\n"
        "q = ...               # turned by 0, 1, ... query_len - 1\n"
        "k = ...               # turned by 0, 1, ... key_len - 1\n"
        "heads, weights = ...  # attention\n"
        "return ...            # out_proj of the merged heads, and the weights\n"
        "```",
        "`q = apply_rotary(q, torch.arange(query.size(1)))`, and `k` likewise with `key.size(1)`. After the split, the tokens stand in dimension 2 of `q`: `q.size(1)` is the number of heads.",
    ),
    traps={
        "RuntimeError: The size of tensor a (5) must match the size of tensor b (3) at non-singleton dimension 2": "there are as many positions as heads, or as queries where keys are meant. After the split, `q` is (batch, num_heads, query_len, d_head); keys have a length of their own.",
        "TypeError: linear(): argument 'input' (position 1) must be Tensor, not tuple": "`scaled_dot_product_attention` returns two things: `heads, weights = ...`.",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied": "something of d_head features came to `out_proj`, which takes d_model: the heads are not merged yet.",
    },
)


def some_true(draw: Draw, name: str, *shape: int) -> Tensor:
    """A drawn mask in which every query may look at its first key at least, and not at its last."""
    mask = draw.booleans(f"{name} drawn", *shape, chance=0.6)
    place = torch.arange(shape[-1])
    return draw.keep(name, (mask | (place == 0)) & (place != shape[-1] - 1))


@rotary_attention.probe("turns queries and keys of every head by the tokens' positions")
def rotary_self_attention(RotaryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(RotaryAttention, 12, 3)
    x = draw.tensor("x", 2, 5, 12, scale=1.5)
    return layer(x, x, x)


@rotary_attention.probe("reads other tokens than those that ask, which count their positions for themselves")
def rotary_cross_attention(RotaryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(RotaryAttention, 12, 2)
    key, value = draw.tensor("key", 3, 7, 12), draw.tensor("value", 3, 7, 12)
    return layer(draw.tensor("query", 3, 4, 12, scale=1.5), key, value)


@rotary_attention.probe("turns by the token's position, however many heads there are")
def rotary_square(RotaryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(RotaryAttention, 12, 3)
    x = draw.tensor("x", 2, 3, 12, scale=1.5)
    return layer(x, x, x)


@rotary_attention.probe("hides padding from all heads: a mask of shape (batch, 1, 1, key_len)")
def rotary_padding(RotaryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(RotaryAttention, 8, 2)
    memory = draw.tensor("memory", 3, 5, 8)
    return layer(draw.tensor("query", 3, 5, 8), memory, memory, some_true(draw, "mask", 3, 1, 1, 5))


@rotary_attention.probe("lets a mask differ from head to head")
def rotary_mask_of_each_head(RotaryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(RotaryAttention, 8, 2)
    x = draw.tensor("x", 3, 5, 8)
    return layer(x, x, x, some_true(draw, "mask", 3, 2, 5, 5))


@rotary_attention.probe("does not let a token see a later one, whatever stands there", rung="invariants")
def rotary_future(RotaryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(RotaryAttention, 8, 2)
    mask = draw.keep("mask", torch.ones(4, 4, dtype=torch.bool).tril())
    x = draw.tensor("x", 3, 4, 8)
    other = torch.cat([x[:, :2], draw.tensor("future", 3, 2, 8, scale=3)], dim=1)
    return [layer(one, one, one, mask)[0][:, :2] for one in (x, other)]


@rotary_attention.probe(
    "gives a sentence the same weights when it stands further back", rung="invariants", float64=True
)
def further_back(RotaryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(RotaryAttention, 8, 2)
    x = draw.tensor("x", 2, 4, 8)
    longer = torch.cat([draw.tensor("before", 2, 3, 8), x], dim=1)
    hidden = draw.keep("mask", torch.arange(7) >= 3)
    return [layer(x, x, x)[1], layer(longer, longer, longer, hidden.expand(7, 7))[1][..., 3:, 3:]]


@rotary_attention.probe("has the right gradients, for the inputs and all parameters", rung="gradients")
def rotary_gradients(RotaryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(RotaryAttention, 8, 2)
    given = {
        "query": draw.tensor("query", 3, 5, 8, requires_grad=True),
        "key": draw.tensor("key", 3, 5, 8, requires_grad=True),
        "value": draw.tensor("value", 3, 5, 8, requires_grad=True),
    }
    output, _ = layer(*given.values(), some_true(draw, "mask", 5, 5))
    return draw.gradients(output, **given, **dict(layer.named_parameters()))


@rotary_attention.probe(
    "works for one head, one token, on memory that is not contiguous, and for a query that may look at nothing",
    rung="edges",
)
def rotary_edges(RotaryAttention: Callable, draw: Draw) -> Any:
    one, pairs = draw.fill(RotaryAttention(4, 1)), draw.fill(RotaryAttention(4, 2))
    token, x = draw.tensor("token", 1, 1, 4), draw.tensor("x", 4, 3, 2).transpose(0, 2)
    mask = torch.ones(3, 3, dtype=torch.bool)
    mask[1] = False
    many = draw.tensor("many", 3, 3, 4)
    return {
        "one token": one(token, token, token),
        "one token that asks": pairs(draw.tensor("asks", 2, 1, 4), x, x),
        "as many sentences as tokens": one(many, many, many, draw.keep("triangle", torch.ones(3, 3).tril().bool())),
        "heads of one pair, not contiguous": pairs(x, x, x),
        "nothing to look at": one(x, x, x, draw.keep("mask", mask)),
    }


@rotary_attention.probe("raises a ValueError when d_model is not divisible by num_heads", rung="invariants")
def rotary_refuses(RotaryAttention: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 1, 2, 12)
    RotaryAttention(12, 3)(x, x, x)  # the blank stub must show as blank
    RotaryAttention(14, 3)
    return "a module of width 14 with 3 heads"


@rotary_attention.probe("raises a ValueError when a head has an odd number of features", rung="invariants")
def rotary_refuses_odd(RotaryAttention: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 1, 2, 12)
    layer = RotaryAttention(12, 3)
    layer(x, x, x)  # the blank stub must show as blank
    odd, x = RotaryAttention(9, 3), draw.tensor("odd", 1, 2, 9)
    return odd(x, x, x)
