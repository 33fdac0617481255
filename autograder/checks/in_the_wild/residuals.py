"""Room 1: matrices that were never scaled, because a name that is compared matches nothing."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.probing.lineup import line_up, own_or, right, wrong
from autograder.stand_ins import in_the_wild as stand_ins
from autograder.stand_ins.gpt import GPT, GPTConfig

init_residuals_ = Exercise(
    "init_residuals_",
    points=2,
    wild=True,
    hints=(
        "Print the names that `model.named_parameters()` gives, and the names that the code compares them with. How many of them are equal?",
        "```python\nfor name, parameter in model.named_parameters():\n    if ...:             # the name *ends* with one of the two\n        nn.init.normal_(parameter, std=...)\n```",
        '`name.endswith(("out_proj.weight", "linear2.weight"))`, and nothing else has to change.',
    ),
    traps={
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.": "parameters are changed in place under `torch.no_grad()`; `nn.init.normal_` sees to that by itself.",
    },
)

shows_unscaled_residuals = Exercise(
    "shows_unscaled_residuals",
    points=3,
    shows=init_residuals_,
    hints=(
        "You are given a function, and you know what it promises. Which model would you hand it, and what would you measure afterwards? A spread is a standard deviation of many numbers: with 2,000 of them, chance moves it by 2 %.",
        "```python\nfor num_layers in ...:      # a formula shows itself in two depths, not in one\n    model = ...             # a GPT\n    before = ...            # a clone of every parameter, by name\n    implementation(model)\n    for name, parameter in model.named_parameters():\n        ...                 # writes to the tokens: is its spread off by more than a tenth?\n        ...                 # all others: is it what it was?\nreturn False\n```",
        "`abs(parameter.std() / wanted - 1) > 0.1` with `wanted = 0.02 / math.sqrt(2 * num_layers)` for `out_proj.weight` and `linear2.weight`, in every block; `not torch.equal(parameter, before[name])` for all others.",
    ),
    traps={
        "TypeError: implementation() missing 1 required positional argument: 'model'": "call the implementation with a GPT, as `init_residuals_` is called.",
        "AttributeError: 'NoneType' object has no attribute ...": "an implementation changes the model and returns nothing: look at the model that you gave it.",
        "KeyError: ...": "the names of `before` are those of `model.named_parameters()`, taken before the call.",
    },
)


# The repair ----------------------------------------------------------------------------


def begun(draw: Draw, num_layers: int, positions: str = "learned") -> Any:
    """A GPT all of whose parameters have a spread of 0.05: whoever makes them smaller has another than is promised."""
    sizes = GPTConfig(7, d_model=32, num_heads=2, num_layers=num_layers, d_ff=48, max_len=4, positions=positions)
    model = GPT(sizes)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(draw.tensor(name, *parameter.shape, scale=0.05))
    return model


def spreads(init_residuals_: Callable, model: Any) -> dict[str, str]:
    """The spread of every parameter that is another than before, in words."""
    before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    init_residuals_(model)
    return {
        name: "as it was" if torch.equal(one, before[name]) else spread(one.detach())
        for name, one in model.named_parameters()
    }


def spread(numbers: torch.Tensor) -> str:
    """The spread of numbers, to the nearest power of √2."""
    found = float(numbers.std(correction=0))
    if not found > 0:
        return "no spread"
    power = round(2 * math.log2(found / 0.02))
    return f"0.02 / √{2**-power}" if power < 0 else f"0.02 · √{2**power}" if power > 0 else "0.02"


@init_residuals_.probe("gives both matrices of two blocks half the spread, and leaves the rest alone")
def two_blocks(init_residuals_: Callable, draw: Draw) -> Any:
    return spreads(init_residuals_, begun(draw, 2))


@init_residuals_.probe("gives those of eight blocks a quarter of it")
def eight_blocks(init_residuals_: Callable, draw: Draw) -> Any:
    return spreads(init_residuals_, begun(draw, 8))


@init_residuals_.probe("works for one block and rotary positions", rung="edges")
def one_rotary_block(init_residuals_: Callable, draw: Draw) -> Any:
    return spreads(init_residuals_, begun(draw, 1, "rotary"))


@init_residuals_.probe("draws around 0, and other numbers for each matrix", rung="invariants")
def centred_and_different(init_residuals_: Callable, draw: Draw) -> Any:
    model = begun(draw, 2)
    before = model.layers[0].self_attn.out_proj.weight.detach().clone()
    init_residuals_(model)
    first, second = (layer.self_attn.out_proj.weight.detach() for layer in model.layers)
    centre = float(first.mean() / (first.std() + 1e-9))
    widest = float(first.abs().max() / (first.std() + 1e-9))
    alike = float(torch.cosine_similarity(first.flatten(), before.flatten(), dim=0))
    return {
        "what was there, times a number": abs(alike) > 0.9 and not torch.equal(first, before),
        "off centre by a fifth": abs(centre) > 0.2,
        "the same in both blocks": torch.equal(first, second),
        "none of 1,024 numbers beyond two spreads": widest < 2,
    }


# Implementations that everybody may see ------------------------------------------------------


@right("is written on torch.nn")
def stand_in(model: Any) -> None:
    """As in the stand-ins."""
    stand_ins.init_residuals_(model)


@right("is your own repair, once it has passed in this kernel")
def your_repair(model: Any) -> None:
    """The stand-in until then."""
    own_or(stand_ins.init_residuals_)(model)


@wrong("the page shows", mistake="nothing is drawn anew")
def as_shown(model: Any) -> None:
    """Whole names."""
    std = 0.02 / math.sqrt(2 * model.config.num_layers)
    for name, parameter in model.named_parameters():
        if name in ("out_proj.weight", "linear2.weight"):
            nn.init.normal_(parameter, mean=0.0, std=std)


@wrong("divides by √num_layers", mistake="the root of the number of blocks")
def root_of_blocks(model: Any) -> None:
    """One sum a block."""
    for name, parameter in model.named_parameters():
        if name.endswith(("out_proj.weight", "linear2.weight")):
            nn.init.normal_(parameter, std=0.02 / math.sqrt(model.config.num_layers))


@wrong("draws the attention's matrices and forgets the others", mistake="one of the two matrices alone")
def attention_alone(model: Any) -> None:
    """Half of it."""
    for layer in model.layers:
        nn.init.normal_(layer.self_attn.out_proj.weight, std=0.02 / math.sqrt(2 * len(model.layers)))


@wrong("draws all matrices of the blocks with the smaller spread", mistake="other parameters as well", kin=True)
def every_matrix(model: Any) -> None:
    """Too many."""
    for parameter in model.layers.parameters():
        if parameter.dim() == 2:
            nn.init.normal_(parameter, std=0.02 / math.sqrt(2 * len(model.layers)))


line_up(shows_unscaled_residuals, "residuals")
