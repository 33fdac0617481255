"""Checks of training little: LoRALinear."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks.fine_tuning.shared import whose_luck
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

lora_linear = Exercise(
    "LoRALinear",
    points=3,
    stretch=True,
    hints=(
        "On paper: x has 5 features, the layer makes 4 of them, the rank is 2. What shapes have A and B, in which order does x meet them, and with which of them at zero does nothing change at first?",
        "```python\n...              # freeze the layer: both its matrix and its bias\nself.down = ...  # nn.Parameter, random\nself.up = ...    # nn.Parameter, zeros\n```\n```python\nreturn ...       # the layer, plus the difference times alpha / rank\n```\n```python\nmerged = ...     # a new nn.Linear of these sizes; with a bias only if there is one\n...              # its matrix: the frozen one plus the difference's, of the same shape\nreturn merged\n```",
        "`linear.requires_grad_(False)`. The difference is `self.alpha / self.rank * (x @ self.down.T @ self.up.T)`, and as a matrix `self.alpha / self.rank * (self.up @ self.down)`. `merged.weight.copy_(...)` fills a parameter where no gradient is tracked.",
    ),
    traps={
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (...)": "x is (..., in_features), `down` (rank, in_features), `up` (out_features, rank): `x @ self.down.T @ self.up.T`.",
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.": "a parameter cannot be written over while gradients are tracked. `merge` has `@torch.no_grad()`; is it still there?",
        "TypeError: copy_(): argument 'other' (position 1) must be Tensor, not NoneType": "the layer may have no bias. Ask for it first.",
        "AttributeError: 'LoRALinear' object has no attribute 'weight'": "the layer's matrix is `self.linear.weight`. And what `merge` gives is a new `nn.Linear`, not this module.",
        "AttributeError: 'NoneType' object has no attribute 'requires_grad'": "the layer may have no bias. `linear.requires_grad_(False)` freezes all that there is.",
        "AttributeError: 'NoneType' object has no attribute 'clone'": "the layer may have no bias. Ask for it first.",
        "AttributeError: 'NoneType' object has no attribute 'data'": "the layer may have no bias. Ask for it first.",
    },
)

IN, OUT = 5, 4


def adapted(
    LoRALinear: Callable, draw: Draw, rank: int = 3, alpha: float = 7.0, bias: bool = True, out: int = OUT
) -> Any:
    """One with drawn numbers everywhere."""
    return draw.module(LoRALinear, nn.Linear(IN, out, bias=bias), rank, alpha)


def inputs(draw: Draw, *shape: int, **more: Any) -> Tensor:
    """What goes in."""
    return draw.tensor("x", *shape, IN, **more)


@lora_linear.probe("adds to the layer alpha / rank times the narrow one", float64=True)
def layer_and_difference(LoRALinear: Callable, draw: Draw) -> Any:
    return adapted(LoRALinear, draw)(inputs(draw, 3, 2))


@lora_linear.probe("counts the difference by alpha and by the rank", float64=True)
def other_strengths(LoRALinear: Callable, draw: Draw) -> Any:
    x = inputs(draw, 3)
    found = {(rank, alpha): adapted(LoRALinear, draw, rank, alpha) for rank, alpha in ((1, 3.0), (3, 3.0), (3, 1.0))}
    return {f"rank {rank}, alpha {alpha:g}": layer(x) for (rank, alpha), layer in found.items()}


@lora_linear.probe("begins as the layer alone: up is zero, and down is not", float64=True)
def at_the_start(LoRALinear: Callable, draw: Draw) -> Any:
    linear, x = draw.fill(nn.Linear(IN, OUT)), inputs(draw, 3)
    alone = linear(x).detach()
    layer = LoRALinear(linear, 2, 8.0)
    found = {name: getattr(layer, name, None) for name in ("down", "up")}
    zeros = {name: int((one == 0).sum()) if isinstance(one, Tensor) else None for name, one in found.items()}
    rows = len(found["down"].unique(dim=0)) if isinstance(found["down"], Tensor) else None
    return {
        "the layer in it": "the one given" if getattr(layer, "linear", None) is linear else "another",
        "different rows of down": rows,
        "output": "the layer's" if torch.allclose(layer(x), alone) else "another",
        **{f"numbers of {name} that are 0": count for name, count in zeros.items()},
    }


@lora_linear.probe("merges into a layer that computes the same by itself", float64=True)
def merged(LoRALinear: Callable, draw: Draw) -> Any:
    layer, x = adapted(LoRALinear, draw), inputs(draw, 3)
    alone = layer.merge()
    return {"weight": alone.weight, **its_bias(alone, layer.linear), "output less the bias": without_bias(alone, x)}


def its_bias(merged: nn.Linear, linear: nn.Linear) -> dict[str, str]:
    """In words, as a bias that was forgotten is drawn anew each time."""
    if merged.bias is None:
        return {"bias": "none"}
    right = linear.bias is not None and torch.allclose(merged.bias, linear.bias)
    return {"bias": "the layer's" if right else "zeros" if not merged.bias.any() else "another"}


def without_bias(merged: nn.Linear, x: Tensor) -> Tensor:
    return merged(x) if merged.bias is None else merged(x) - merged.bias


@lora_linear.probe("stays as it is when it is merged, and can be merged again", float64=True)
def after_merging(LoRALinear: Callable, draw: Draw) -> Any:
    layer, x = adapted(LoRALinear, draw), inputs(draw, 3)
    before = dict(layer.named_parameters())
    once, twice = layer.merge(), layer.merge()
    with torch.no_grad():
        for one in once.parameters():
            one.add_(1)
    return {
        "merged a second time": twice.weight,
        "the layer itself": layer(x),
        "trained": {name: one.requires_grad for name, one in sorted(before.items())},
        "parameters that it had not before": sum(name not in before for name, _ in layer.named_parameters()),
    }


@lora_linear.probe("merges into a new layer before the first step too, and sets no seed", rung="invariants")
def merged_at_the_start(LoRALinear: Callable, draw: Draw) -> Any:
    linear = nn.Linear(IN, OUT)
    draw.fill(linear)
    before = linear.weight.clone()
    merged = LoRALinear(linear, 2, 8.0).merge()
    with torch.no_grad():
        for one in merged.parameters():
            one.add_(1)
    return {
        "merged": "the layer itself" if merged is linear else "a new layer",
        "the layer's numbers, when those of the new one change": "as they were"
        if torch.equal(linear.weight, before)
        else "others",
        "random numbers after the constructor": whose_luck(lambda: LoRALinear(nn.Linear(IN, OUT), 2, 8.0)),
    }


@lora_linear.probe("trains the narrow matrices and nothing else", rung="gradients")
def trained_parts(LoRALinear: Callable, draw: Draw) -> Any:
    layer, x = adapted(LoRALinear, draw), inputs(draw, 3, requires_grad=True)
    trained = {name: one.requires_grad for name, one in layer.named_parameters()}
    wanted = {name: one for name, one in layer.named_parameters() if one.requires_grad}
    return {"trained": dict(sorted(trained.items())), "gradients": draw.gradients(layer(x), x=x, **wanted)}


@lora_linear.probe(
    "works without a bias, for rank 1, for a single output, and for one row of inputs", rung="edges", float64=True
)
def lora_edges(LoRALinear: Callable, draw: Draw) -> Any:
    x = inputs(draw, 3)
    bare, narrow, single = (
        adapted(LoRALinear, draw, bias=False),
        adapted(LoRALinear, draw, rank=1),
        adapted(LoRALinear, draw, out=1),
    )
    alone = bare.merge()
    return {
        "no bias": bare(x),
        "no bias, merged": without_bias(alone, x),
        "a bias after merging": its_bias(alone, bare.linear)["bias"],
        "rank 1": narrow(x),
        "rank 1, merged": narrow.merge().weight,
        "a single output": single(x),
        "one row": bare(x[0]),
        "in evaluation mode": single.eval()(x),
    }


@lora_linear.probe("raises a ValueError for a rank below 1", rung="invariants")
def refuses_ranks(LoRALinear: Callable, draw: Draw) -> Any:
    adapted(LoRALinear, draw)(inputs(draw, 2))  # the blank stub must show as blank
    LoRALinear(nn.Linear(IN, OUT), 0, 1.0)
    return "a rank of 0"
