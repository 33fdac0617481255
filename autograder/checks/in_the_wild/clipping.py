"""Room 11: gradients that are clipped before they are unscaled."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.probing.lineup import line_up, own_or, right, wrong
from autograder.stand_ins import in_the_wild as stand_ins

scaled_step = Exercise(
    "scaled_step",
    points=2,
    wild=True,
    hints=(
        "How long is the gradient when it is clipped? Print its norm there, for a scale of 1 and for one of 1024.",
        "```python\n...  # zero the gradients, then backward of the scaled loss\n...  # divide every gradient by the scale\n...  # clip, and keep the norm from before\n...  # a step, where that norm is finite\n```",
        "Move the loop with `div_(scale)` above `nn.utils.clip_grad_norm_(parameters, max_norm)`, which gives the norm from before it clipped.",
    ),
    traps={
        "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn": "`backward` belongs to the loss times the scale, which has a graph; a `detach` or `.item()` cuts it off.",
        "AttributeError: 'NoneType' object has no attribute ...": "a parameter that the loss does not use has no gradient: its `grad` is None. Leave it out.",
    },
)

shows_early_clipping = Exercise(
    "shows_early_clipping",
    points=3,
    shows=scaled_step,
    hints=(
        "With plain SGD a step is minus the learning rate times what arrived as gradient. Which gradient should it be, for a loss whose gradient you know? Adam hides what you look for: its step hardly depends on how long a gradient is.",
        "```python\nfor size, scale in ...:             # a gradient that is too long, one that is not; several scales\n    weight = nn.Parameter(...)      # known numbers\n    optimizer = torch.optim.SGD([weight], lr=1.0)\n    loss = ...                      # a sum with known factors: its gradient is these factors\n    implementation(loss, optimizer, scale, max_norm)\n    ...                             # where should weight be now?\n# once more with a loss whose gradient is infinite: nothing may move\n```",
        "`loss = (weight * factors).sum()` has the gradient `factors`, and the step is `factors * min(1, max_norm / factors.norm())`. Two parameters, in two groups of the optimizer, show whether each was clipped by itself; a gradient left over from before shows whether it was zeroed.",
    ),
    traps={
        "RuntimeError: Trying to backward through the graph a second time": "make a new loss for every call.",
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation": "set a parameter's numbers under `torch.no_grad()`, or make a new one.",
    },
)


def after_a_step(
    scaled_step: Callable,
    draw: Draw,
    size: float,
    scale: float,
    max_norm: float,
    *,
    steps: int = 1,
    lost: float = 1.0,
    left: bool = False,
    root: bool = False,
) -> Any:
    """Where two parameters are after steps of plain SGD, whose gradients are known; one is used by no loss.

    With `left` there are gradients before the first step; with `root` the loss is a number, and one gradient is none.
    """
    one, other = (nn.Parameter(draw.tensor(name, *shape)) for name, shape in (("one", (3,)), ("other", (2, 2))))
    unused = nn.Parameter(draw.tensor("unused", 2))
    factors = [draw.tensor(f"factors {number}", *part.shape, scale=size) for number, part in enumerate((one, other))]
    optimizer = torch.optim.SGD([{"params": [one, unused], "lr": 0.5}, {"params": [other], "lr": 0.25}], lr=0.5)
    if left:
        one.grad, other.grad = torch.ones_like(one), torch.ones_like(other)
    for _ in range(steps):
        loss = ((one * factors[0]).sum() + (other * factors[1]).sum()) * lost
        loss = loss + (one * 0.0).sqrt().sum() if root else loss
        scaled_step(loss, optimizer, scale, max_norm)
    return {"one": one.detach(), "other": other.detach(), "unused": unused.detach()}


@scaled_step.probe("clips the gradient of the loss, and not that of the scaled loss")
def long_gradient(scaled_step: Callable, draw: Draw) -> Any:
    return {scale: after_a_step(scaled_step, draw, 4.0, scale, 1.0) for scale in (1.0, 64.0)}


@scaled_step.probe("leaves a short gradient as it is, whatever the scale")
def short_gradient(scaled_step: Callable, draw: Draw) -> Any:
    return {scale: after_a_step(scaled_step, draw, 0.1, scale, 3.0) for scale in (2.0, 256.0)}


@scaled_step.probe("begins every step without the gradient of the last one")
def two_steps(scaled_step: Callable, draw: Draw) -> Any:
    return [after_a_step(scaled_step, draw, 0.4, 4.0, 90.0, steps=2, left=left) for left in (False, True)]


@scaled_step.probe("moves nothing where the gradient is not finite", rung="edges")
def not_finite(scaled_step: Callable, draw: Draw) -> Any:
    return {
        "infinite": after_a_step(scaled_step, draw, 1.0, 8.0, 1.0, lost=float("inf")),
        "no number, of a loss that is one": after_a_step(scaled_step, draw, 1.0, 8.0, 1.0, root=True),
    }


# Implementations that everybody may see ------------------------------------------------------

Optimizer = torch.optim.Optimizer


def parts(optimizer: Optimizer) -> list[Tensor]:
    """All parameters of an optimizer."""
    return [one for group in optimizer.param_groups for one in group["params"]]


@right("is written without torch's clipping")
def stand_in(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    """As in the stand-ins."""
    stand_ins.scaled_step(loss, optimizer, scale, max_norm)


@right("is your own repair, once it has passed in this kernel")
def your_repair(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    """The stand-in until then."""
    own_or(stand_ins.scaled_step)(loss, optimizer, scale, max_norm)


@wrong("the page shows", mistake="clipped before unscaling")
def as_shown(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    """Clips what is still scaled."""
    optimizer.zero_grad()
    (loss * scale).backward()
    norm = nn.utils.clip_grad_norm_(parts(optimizer), max_norm)
    for one in parts(optimizer):
        if one.grad is not None:
            one.grad.div_(scale)
    if norm.isfinite():
        optimizer.step()


@wrong("never unscales", mistake="never unscaled", kin=True)
def never_unscales(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    """Clips, and that is all."""
    optimizer.zero_grad()
    (loss * scale).backward()
    if nn.utils.clip_grad_norm_(parts(optimizer), max_norm).isfinite():
        optimizer.step()


@wrong("does not clip", mistake="not clipped")
def does_not_clip(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    """Unscales, and that is all."""
    optimizer.zero_grad()
    (loss * scale).backward()
    gradients = [one.grad for one in parts(optimizer) if one.grad is not None]
    for one in gradients:
        one.div_(scale)
    if all(one.isfinite().all() for one in gradients):
        optimizer.step()


line_up(shows_early_clipping, "clipping")
