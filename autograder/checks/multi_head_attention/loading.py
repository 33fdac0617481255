"""Checks of lesson 03: the weights of torch's module."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

load_from_torch = Exercise(
    "load_from_torch",
    points=2,
    hints=(
        "Print `theirs.in_proj_weight.shape`. Three square matrices lie on top of each other; which rows are the query's?",
        "```python\n"
        "weights = ...  # in_proj_weight in three, along its first dimension\n"
        "biases = ...   # in_proj_bias likewise\n"
        "...            # for each projection of ours: .weight.copy_( ), .bias.copy_( )\n"
        "...            # out_proj has the same name on both sides\n"
        "```",
        "`theirs.in_proj_weight.chunk(3)` gives the thirds in the order query, key, value. `copy_` writes numbers into memory that is there already; "
        "an assignment would tie the two modules together.",
    ),
    traps={
        "RuntimeError: The size of tensor a (6) must match the size of tensor b (18)": "all three thirds went into one projection, or the cut went along the wrong dimension.",
        "RuntimeError: Error(s) in loading state_dict": "the two name their parameters differently: torch keeps query, key and value in one `in_proj_weight`. "
        "Cut it with `chunk(3)` and copy each part.",
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation": "the `with torch.no_grad():` around the copying is gone.",
        "TypeError: cannot assign 'torch.FloatTensor' as parameter 'weight'": "do not assign, copy: `ours.q_proj.weight.copy_(...)`.",
    },
)


class _Ours(nn.Module):
    """What `load_from_torch` fills: the parameters of a MultiHeadAttention, and nothing that computes."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.d_model, self.num_heads, self.d_head = d_model, num_heads, d_model // num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(0.0)


def _both(draw: Draw, d_model: int, num_heads: int) -> tuple[_Ours, nn.MultiheadAttention]:
    """A module of ours full of halves, and one of torch's filled with draws."""
    ours, theirs = _Ours(d_model, num_heads), nn.MultiheadAttention(d_model, num_heads, batch_first=True)
    # Draws are keyed by name, and both have an out_proj: the two would hold the same numbers.
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.fill_(0.5)
    draw.fill(theirs)
    return ours, theirs


def _numbers(module: nn.Module) -> dict[str, Tensor]:
    return {name: parameter.detach().clone() for name, parameter in module.named_parameters()}


@load_from_torch.probe("copies the three projections and the output projection, weights and biases")
def copies(load_from_torch: Callable, draw: Draw) -> Any:
    ours, theirs = _both(draw, 6, 2)
    load_from_torch(ours, theirs)
    return _numbers(ours)


@load_from_torch.probe("fills ours, and leaves torch's module as it is")
def leaves_theirs(load_from_torch: Callable, draw: Draw) -> Any:
    ours, theirs = _both(draw, 6, 3)
    load_from_torch(ours, theirs)
    return {"ours": _numbers(ours), "theirs": _numbers(theirs), "theirs is in training": theirs.training}


@load_from_torch.probe("copies: what becomes of torch's module later does not touch ours")
def no_shared_memory(load_from_torch: Callable, draw: Draw) -> Any:
    ours, theirs = _both(draw, 4, 2)
    load_from_torch(ours, theirs)
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.fill_(7.0)
    return _numbers(ours)


@load_from_torch.probe("fills the parameters that are there, so that an optimizer made before trains them")
def in_their_own_place(load_from_torch: Callable, draw: Draw) -> Any:
    ours, theirs = _both(draw, 4, 1)
    before = dict(ours.named_parameters())
    load_from_torch(ours, theirs)
    return {name: parameter.detach().clone() for name, parameter in before.items()}


@load_from_torch.probe("leaves parameters that can be trained", rung="gradients")
def can_be_trained(load_from_torch: Callable, draw: Draw) -> Any:
    ours, theirs = _both(draw, 4, 2)
    load_from_torch(ours, theirs)
    x = draw.tensor("x", 3, 4)
    output = ours.out_proj(ours.q_proj(x) * ours.k_proj(x) + ours.v_proj(x))
    return draw.gradients(output, **dict(ours.named_parameters()))


@load_from_torch.probe("works for one head and width 1", rung="edges")
def load_edges(load_from_torch: Callable, draw: Draw) -> Any:
    narrow, wide = _both(draw, 1, 1), _both(draw, 5, 1)
    load_from_torch(*narrow)
    load_from_torch(*wide)
    return {"width 1": _numbers(narrow[0]), "one head": _numbers(wide[0])}


@load_from_torch.probe("raises a ValueError when the two do not have the same number of heads", rung="invariants")
def load_refuses(load_from_torch: Callable, draw: Draw) -> Any:
    load_from_torch(*_both(draw, 6, 2))  # first what fits
    load_from_torch(_Ours(6, 2), nn.MultiheadAttention(6, 3))
    return "2 heads filled from 3"


@load_from_torch.probe("raises a ValueError when the two differ in width", rung="invariants")
def load_refuses_width(load_from_torch: Callable, draw: Draw) -> Any:
    load_from_torch(*_both(draw, 6, 2))  # first what fits
    load_from_torch(_Ours(6, 2), nn.MultiheadAttention(8, 2))
    return "width 6 filled from width 8"


@load_from_torch.probe("raises a ValueError when theirs has no bias", rung="invariants")
def load_refuses_without_bias(load_from_torch: Callable, draw: Draw) -> Any:
    load_from_torch(*_both(draw, 6, 2))  # first what fits
    load_from_torch(_Ours(6, 2), nn.MultiheadAttention(6, 2, bias=False))
    return "filled from a module without biases"


@load_from_torch.probe("raises a ValueError when theirs has no fused matrix", rung="invariants")
def load_refuses_three_matrices(load_from_torch: Callable, draw: Draw) -> Any:
    load_from_torch(*_both(draw, 6, 2))  # first what fits
    load_from_torch(_Ours(6, 2), nn.MultiheadAttention(6, 2, kdim=4))
    return "filled from a module with three matrices"
