"""Checks of a GPT's first numbers."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks.gpt.shared import small
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.probing.kinship import known_to
from autograder.stand_ins import gpt as right

init_gpt_ = Exercise(
    "init_gpt_",
    points=2,
    hints=(
        "Go through `model.named_parameters()`: a name says what a parameter is for. Print the names of a model of one layer first. Which two matrices of a block make what is added to the tokens?",
        "```python\nfor name, parameter in model.named_parameters():\n    if ...:      # a bias: zeros\n    elif ...:    # of a norm: ones\n    elif ...:    # writes to the tokens: the smaller spread\n    else:        # every other matrix and table\n```",
        '`name.endswith("bias")`, `"norm" in name`, `name.endswith(("out_proj.weight", "linear2.weight"))`. `nn.init.zeros_`, `ones_` and `normal_(parameter, std=0.02)` change a parameter in place; the smaller spread is `0.02 / math.sqrt(2 * model.config.num_layers)`.',
    ),
    traps={
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.": "parameters are changed in place under `torch.no_grad()`, as the line above the function says. Is it still there?",
    },
)

WIDTH = 48
"""So wide that the spread of a matrix is known to 1.5 %: the nearest of the possible ones is no matter of luck."""


def spread(values: Tensor, num_layers: int) -> str:
    """About how large a parameter's standard deviation is, and what else has that; "another" if it is no usual one."""
    value = float(values.double().std(correction=0))
    if value == 0:
        first = float(values.flatten()[0]) + 0.0  # -0 is 0
        return f"all {first:g}"
    if values.dim() == 1:  # too few numbers to tell one spread from another
        return f"drawn around {'0' if abs(float(values.mean())) < 0.1 else 'another number'}"
    inputs = values.size(-1)
    usual = {
        "0.02": 0.02,
        "0.02/√L": 0.02 / math.sqrt(num_layers),
        "0.02/√(2L)": 0.02 / math.sqrt(2 * num_layers),
        "0.02/L": 0.02 / num_layers,
        "0.02/(2L)": 0.02 / (2 * num_layers),
        "0.02·√(2L)": 0.02 * math.sqrt(2 * num_layers),
        "0.02²": 0.0004,
        "√0.02": math.sqrt(0.02),
        "nn.Linear's start": 1 / math.sqrt(3 * inputs),
        "nn.Embedding's start": 1.0,
    }
    near = {name: one for name, one in usual.items() if abs(value / one - 1) < 0.1}
    if not near:
        return f"another spread than the usual ones, {'larger' if value > 0.02 else 'smaller'} than 0.02"
    size = sum(near.values()) / len(near)
    told = " or ".join(sorted(near.keys() - {"0.02"}))
    return f"a spread of about {size:.2g}{f' ({told})' if told else ''}"


def is_uniform(values: Tensor) -> bool:
    """Whether hardly any number lies beyond 1.8 standard deviations: of a uniform distribution none, of a normal 7 %."""
    off = (values - values.mean()).abs() / values.std()
    return bool(values.std() > 0 and (off > 1.8).double().mean() < 0.02)


def drawn(model: nn.Module, num_layers: int) -> dict[str, Any]:
    """Of every parameter its spread, and which are no normal distribution."""
    named = dict(model.named_parameters())
    found: dict[str, Any] = {name: spread(one.detach(), num_layers) for name, one in named.items()}
    matrices = [one.detach().double() for one in named.values() if one.dim() > 1]
    found["drawn uniformly"] = [name for name, one in named.items() if one.dim() > 1 and is_uniform(one.detach())]
    found["around 0"] = all(abs(float(one.mean())) < 0.2 * float(one.std()) + 1e-9 for one in matrices)
    return found


class LayerNorm(nn.Module):
    """A norm that is not torch's, as the learner's own is not."""


def begun(init_gpt_: Callable, positions: str, num_layers: int) -> dict[str, Any]:
    """What a model's parameters are after it."""
    config = right.GPTConfig(
        vocab_size=60, d_model=WIDTH, num_heads=4, num_layers=num_layers, d_ff=96, max_len=50, positions=positions
    )
    model = right.GPT(config)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.3)  # what should become 0 or 1 must be made so
    norms: list[Any] = [part for part in model.modules() if isinstance(part, nn.LayerNorm)]
    for norm in norms:
        norm.__class__ = LayerNorm
    init_gpt_(known_to(init_gpt_, model))
    return drawn(model, num_layers)


@init_gpt_.probe("gives every parameter of a model of two blocks its spread")
def two_blocks(init_gpt_: Callable, draw: Draw) -> Any:
    return begun(init_gpt_, "learned", 2)


@init_gpt_.probe("gives every parameter of a model of eight blocks its spread")
def eight_blocks(init_gpt_: Callable, draw: Draw) -> Any:
    return begun(init_gpt_, "learned", 8)


@init_gpt_.probe("works with rotary positions, where there is no table of them, and for a single block", rung="edges")
def one_block(init_gpt_: Callable, draw: Draw) -> Any:
    return begun(init_gpt_, "rotary", 1)


@init_gpt_.probe("leaves the head tied to the token table, and training possible", rung="invariants")
def still_tied(init_gpt_: Callable, draw: Draw) -> Any:
    model = known_to(init_gpt_, right.GPT(small()))
    init_gpt_(model)
    return {
        "the head is the table": model.head.weight is model.token_embedding.weight,
        "every parameter wants a gradient": all(one.requires_grad for one in model.parameters()),
        "every parameter is a leaf": all(one.is_leaf for one in model.parameters()),
    }


@init_gpt_.probe("draws other numbers for every matrix and every model", rung="invariants")
def drawn_anew(init_gpt_: Callable, draw: Draw) -> Any:
    model: Any = right.GPT(small())
    other: Any = right.GPT(small())
    for one in (model, other):
        init_gpt_(known_to(init_gpt_, one))
    attention: Any = model.layers[0].self_attn
    last: Any = model.layers[-1].self_attn
    second: Any = other.layers[0].self_attn
    return {
        "queries and keys begin alike": torch.equal(attention.q_proj.weight, attention.k_proj.weight),
        "two blocks begin alike": torch.equal(attention.q_proj.weight, last.q_proj.weight),
        "two models begin alike": torch.equal(attention.q_proj.weight, second.q_proj.weight),
    }
