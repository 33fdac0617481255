"""Room 8: one position for all patches of a picture."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.probing.lineup import line_up, own_or, right, wrong
from autograder.stand_ins import in_the_wild as stand_ins

with_positions = Exercise(
    "with_positions",
    points=2,
    wild=True,
    hints=(
        "Print the shape of what is added to the tokens. How many places can it tell apart?",
        "```python\ntokens = ...                   # the class token of every picture, then its patches: (batch, 1 + num_patches, d_model)\nreturn tokens + table[...]     # (1 + num_patches, d_model): a row for each\n```",
        "`table[n]` is one row, `table[:n]` are n of them. `table[: tokens.size(1)]`.",
    ),
    traps={
        "RuntimeError: Sizes of tensors must match except in dimension ...": "`torch.cat` wants the class token once for every picture, (batch, 1, d_model): `first.expand(len(patches), 1, -1)`.",
        "RuntimeError: The size of tensor a (...) must match the size of tensor b (...) at non-singleton dimension 1": "there are as many rows as there are tokens: those of the patches, and one for the class token.",
        "IndexError: index ... is out of bounds for dimension 0 with size ...": "the table may have exactly as many rows as there are tokens.",
    },
)

shows_one_position = Exercise(
    "shows_one_position",
    points=3,
    shows=with_positions,
    hints=(
        "Every token of the result can be worked out by hand: the class token plus row 0, patch 0 plus row 1, and so on. With a table of random rows, no two places are alike.",
        "```python\nfor ... in ...:                 # a table that is just long enough, and a longer one; batch and num_patches differ\n    patches, first, table = ...\n    right = ...                 # token by token\n    ...                         # against implementation(patches, first, table); and are patches still what they were?\n    ...                         # once more with requires_grad: do all three learn?\nreturn False\n```",
        "Keep `before = patches.clone()` for what should not change. For what learns, call it with tensors that have `requires_grad_()`, and compare `torch.autograd.grad((got * away).sum(), [patches, first, table], allow_unused=True)` with the same of your own result; a None there means that nothing is learned.",
    ),
    traps={
        "TypeError: implementation() missing ... required positional ...": "an implementation is called as `with_positions` is: `implementation(patches, first, table)`.",
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.": "some implementations write into the patches that they are given. Call them without gradients first, and look whether the patches are still the same.",
        "RuntimeError: ...differentiated Tensor... appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.": "some implementations cut off what should learn. With `allow_unused=True` the gradient is None there.",
        "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn": "some implementations give a result without a graph. Ask `got.requires_grad` first: without it nothing is learned.",
    },
)


def picture(
    draw: Draw, batch: int, num_patches: int, rows: int, d_model: int = 4, name: str = ""
) -> tuple[Tensor, Tensor, Tensor]:
    """Patches, a class token, and a table of so many rows."""
    return (
        draw.tensor(f"{name}patches", batch, num_patches, d_model),
        draw.tensor(f"{name}first", d_model),
        draw.tensor(f"{name}table", rows, d_model),
    )


@with_positions.probe("gives every token the row of its own place")
def long_table(with_positions: Callable, draw: Draw) -> Any:
    return with_positions(*picture(draw, 3, 5, 9))


@with_positions.probe("works with a table that has exactly as many rows as there are tokens")
def short_table(with_positions: Callable, draw: Draw) -> Any:
    return with_positions(*picture(draw, 2, 6, 7))


@with_positions.probe("lets patches, class token and the rows that are used learn", rung="gradients")
def gradients(with_positions: Callable, draw: Draw) -> Any:
    patches, first, table = (one.requires_grad_() for one in picture(draw, 3, 4, 7))
    return draw.gradients(with_positions(patches, first, table), patches=patches, first=first, table=table)


@with_positions.probe("works for one picture, one patch, and more pictures than places", rung="edges")
def small(with_positions: Callable, draw: Draw) -> Any:
    return {
        "one picture": with_positions(*picture(draw, 1, 5, 8, name="one ")),
        "one patch": with_positions(*picture(draw, 2, 1, 2, name="few ")),
        "seven pictures": with_positions(*picture(draw, 7, 3, 5, name="many ")),
    }


# Implementations that everybody may see ------------------------------------------------------


@right("is written on torch.nn")
def stand_in(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    """As in the stand-ins."""
    return stand_ins.with_positions(patches, first, table)


@right("is your own repair, once it has passed in this kernel")
def your_repair(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    """The stand-in until then."""
    return own_or(stand_ins.with_positions)(patches, first, table)


@wrong("the page shows", mistake="one row for all")
def as_shown(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    """A number in the place of a slice."""
    tokens = torch.cat([first.expand(len(patches), 1, -1), patches], dim=1)
    return tokens + table[patches.size(1)]


@wrong("gives the class token no row", mistake="the class token without a place", kin=True)
def patches_alone(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    """It comes last, and too late."""
    placed = patches + table[: patches.size(1)]
    return torch.cat([first.expand(len(patches), 1, -1), placed], dim=1)


@wrong("takes the last rows of the table", mistake="the last rows of the table", kin=True)
def last_rows(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    """Right where the table has no others."""
    tokens = torch.cat([first.expand(len(patches), 1, -1), patches], dim=1)
    return tokens + table[-tokens.size(1) :]


@wrong("never teaches the table", mistake="something does not learn")
def fixed(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    """The numbers are right."""
    tokens = torch.cat([first.expand(len(patches), 1, -1), patches], dim=1)
    return tokens + table.detach()[: tokens.size(1)]


line_up(shows_one_position, "one_position")
