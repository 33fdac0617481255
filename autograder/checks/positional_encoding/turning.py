"""Checks of lesson 04: rotations."""

from collections.abc import Callable
from typing import Any

import torch

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

apply_rotary = Exercise(
    "apply_rotary",
    points=3,
    hints=(
        "The angles are made as in `sinusoidal_encoding`, with `positions` for 0, 1, 2, ... and `base` for 10000: (seq_len, d_head / 2), one for every token and pair. Then cut `x` into the first and the second "
        "coordinates of all pairs, which have that shape too, and turn.",
        "```python\n"
        "two_i = ...           # 0, 2, 4, ...: (d_head / 2,)\n"
        "angle = ...           # (seq_len, d_head / 2)\n"
        "first, second = ...   # every second feature from 0 on, every second from 1 on\n"
        "new_first = ...       # first · cos - second · sin\n"
        "new_second = ...      # first · sin + second · cos\n"
        "return ...            # new_first and new_second in turn, shape of x\n"
        "```",
        "`first, second = x[..., 0::2], x[..., 1::2]`. To put them back in turn: `torch.stack((new_first, new_second), dim=-1).flatten(-2)`. `torch.cat` would put all first coordinates in front, which is another order.",
    ),
    traps={
        "RuntimeError: The size of tensor a (5) must match the size of tensor b (3) at non-singleton dimension 0": "positions and powers lie along the same dimension. Make the positions a column with `.unsqueeze(-1)`.",
        "RuntimeError: The size of tensor a (6) must match the size of tensor b (3) at non-singleton dimension 3": "either all d_head features meet the angles of d_head / 2 pairs: take the first and the second coordinates apart before you turn them. Or positions and powers lie along the same dimension: make the positions a column with `.unsqueeze(-1)`.",
    },
)


@apply_rotary.probe("turns every pair of features by position times the pair's frequency")
def turned(apply_rotary: Callable, draw: Draw) -> Any:
    return apply_rotary(draw.tensor("x", 2, 3, 5, 6), draw.keep("positions", torch.arange(5)))


@apply_rotary.probe("takes any whole numbers for positions: with gaps, in any order, negative")
def any_positions(apply_rotary: Callable, draw: Draw) -> Any:
    negative, others = draw.integers("negative", 2, low=-30, high=0), draw.integers("others", 2, high=50)
    positions = draw.keep("positions", torch.stack([others[0], negative[0], others[1], negative[1]]))
    return apply_rotary(draw.tensor("x", 2, 4, 8), positions)


@apply_rotary.probe("takes another base")
def another_base(apply_rotary: Callable, draw: Draw) -> Any:
    x, positions = draw.tensor("x", 3, 5, 6), draw.integers("positions", 5, high=20)
    return [apply_rotary(x, positions, 100.0), apply_rotary(x, positions, base=7.5)]


@apply_rotary.probe("turns by the token's position, however many heads there are")
def as_many_heads_as_tokens(apply_rotary: Callable, draw: Draw) -> Any:
    return apply_rotary(draw.tensor("x", 4, 4, 4, 6), draw.keep("positions", torch.tensor([0, 1, 2, 9])))


@apply_rotary.probe("leaves every pair as long as it was", rung="invariants", float64=True)
def lengths(apply_rotary: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 3, 4, 6)
    output = apply_rotary(x, draw.integers("positions", 4, high=40))
    return {"token": output.norm(dim=-1), "pair": output.unflatten(-1, (3, 2)).norm(dim=-1)}


@apply_rotary.probe("makes scores depend on distance alone", rung="invariants", float64=True)
def two_shifts(apply_rotary: Callable, draw: Draw) -> Any:
    query, key = draw.tensor("query", 3, 8), draw.tensor("key", 5, 8)
    at, of = draw.integers("query positions", 3, high=20), draw.integers("key positions", 5, high=20)
    return [apply_rotary(query, at + shift) @ apply_rotary(key, of + shift).mT for shift in (0, 17)]


@apply_rotary.probe("gives vectors in the dtype of x, as attention takes them", rung="invariants")
def turned_kind(apply_rotary: Callable, draw: Draw) -> Any:
    return {"dtype": str(apply_rotary(draw.tensor("x", 2, 3, 4), draw.keep("positions", torch.arange(3))).dtype)}


@apply_rotary.probe("has the right gradient", rung="gradients")
def turned_gradient(apply_rotary: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 3, 5, 4, requires_grad=True)
    return draw.gradients(apply_rotary(x, draw.integers("positions", 5, high=30)), x=x)


@apply_rotary.probe(
    "works for one pair, one token, without other dimensions, and on memory that is not contiguous", rung="edges"
)
def turned_edges(apply_rotary: Callable, draw: Draw) -> Any:
    three = draw.keep("three", torch.tensor([4, 0, 2]))
    return {
        "position 0": apply_rotary(draw.tensor("first", 2, 1, 4), draw.keep("zero", torch.tensor([0]))),
        "one token, further on": apply_rotary(draw.tensor("later", 2, 1, 4), draw.keep("nine", torch.tensor([9]))),
        "one pair": apply_rotary(draw.tensor("pair", 2, 3, 2), three),
        "tokens alone": apply_rotary(draw.tensor("tokens", 3, 4), three),
        "three other dimensions": apply_rotary(draw.tensor("many", 2, 1, 2, 3, 4), three),
        # As queries are after `split_heads`; their features stay neighbours in memory, which view_as_complex needs.
        "not contiguous": apply_rotary(draw.tensor("x", 2, 3, 2, 4).transpose(1, 2), three),
    }


@apply_rotary.probe("turns tokens that stand far behind", rung="edges", float64=True)
def turned_far_behind(apply_rotary: Callable, draw: Draw) -> Any:
    # One pair, whose frequency is 1: however the angle is computed, it is a whole number, and exact in float32 too.
    return apply_rotary(draw.tensor("x", 2, 4, 2), draw.keep("positions", torch.tensor([300, 120, 1501, 1500])))


@apply_rotary.probe("raises a ValueError when d_head is odd", rung="invariants")
def turned_refuses(apply_rotary: Callable, draw: Draw) -> Any:
    positions = draw.keep("positions", torch.arange(3))
    apply_rotary(draw.tensor("fits", 2, 3, 4), positions)  # the blank stub must show as blank
    return apply_rotary(draw.tensor("x", 2, 3, 5), positions)
