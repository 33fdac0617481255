"""Checks of clipping."""

import math
from collections.abc import Callable, Iterable
from typing import Any

from torch import Tensor, nn

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

clip_gradients_ = Exercise(
    "clip_gradients_",
    points=2,
    forbidden=("clip_grad_norm_",),
    hints=(
        "Think of all gradients as one long vector. Its length is the root of the sum of all squares. If the vector is too long, all of it is "
        "multiplied by one number, so that the direction stays.",
        "```python\n"
        "gradients = [...]  # those that are not None\n"
        "norm = ...         # root of the sum of all squares, over all of them\n"
        "if norm > max_norm:\n"
        "    ...            # every gradient times max_norm / norm, in place\n"
        "return norm\n"
        "```",
        "`one.square().sum().item()` is the squared length of one gradient as a plain number; `math.sqrt(sum(...))` the length of all. `gradient.mul_(max_norm / norm)` "
        "changes it where it is. Make the list first: `model.parameters()` can be read only once.",
    ),
    traps={
        "AttributeError: 'NoneType' object has no attribute": "a parameter that took no part in the loss has no gradient: its `.grad` is None. Leave it out.",
        "ZeroDivisionError": "all gradients can be 0. Then there is nothing to shorten, and nothing to divide by.",
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation": "it is `parameter.grad` that is scaled, not the parameter.",
        "RuntimeError: stack expects a non-empty TensorList": "there may be no gradient at all; the length is 0 then.",
        "TypeError: mul_(): argument 'other' (position 1) must be Tensor, not NoneType": "one of the numbers is None: does the line that computes the length give one?",
    },
)


def some_parameters(draw: Draw, *scales: float | None) -> list[nn.Parameter]:
    """Parameters of different shapes with gradients of the given scales; None: without one."""
    shapes = [(3, 4), (5,), (2, 2, 3), (4, 2)]
    found = []
    for number, scale in enumerate(scales):
        shape = shapes[number % len(shapes)]
        parameter = nn.Parameter(draw.tensor(f"parameter {number}", *shape))
        if scale is not None:
            parameter.grad = draw.tensor(f"gradient {number}", *shape, scale=scale).clone()
        found.append(parameter)
    return found


def gradients_of(parameters: Iterable[nn.Parameter]) -> list[Tensor | None]:
    """Their gradients; the parameters' numbers must stay as they are, so they are draws."""
    return [one.grad for one in parameters]


@clip_gradients_.probe("shortens the gradient of all parameters together to max_norm")
def too_long(clip_gradients_: Callable, draw: Draw) -> Any:
    parameters = some_parameters(draw, 1.0, 0.3, 2.0)  # the longest is not the first
    norm = clip_gradients_(parameters, 1.5)
    return {
        "norm": norm,
        "gradients": gradients_of(parameters),
        "parameters": [one.detach() for one in parameters],
    }


@clip_gradients_.probe("leaves a short gradient as it is")
def short_enough(clip_gradients_: Callable, draw: Draw) -> Any:
    parameters = some_parameters(draw, 0.6, 0.3)  # longer than 1 together, shorter than max_norm
    norm = clip_gradients_(parameters, 9.0)
    return {"norm": norm, "gradients": gradients_of(parameters)}


@clip_gradients_.probe("makes a tiny gradient no longer")
def tiny(clip_gradients_: Callable, draw: Draw) -> Any:
    parameters = some_parameters(draw, 0.02, 0.03)  # the square of its length is below max_norm, and so is every sum
    norm = clip_gradients_(parameters, 2.0)
    found = {
        "norm, in thousandths": norm * 1000 if isinstance(norm, float) else norm,
        "gradients": gradients_of(parameters),
    }
    for one in parameters:
        one.grad = None if one.grad is None else one.grad / 100
    norm = clip_gradients_(parameters, 2.0)
    return {**found, "norm of a hundredth, in millionths": norm * 1e6 if isinstance(norm, float) else norm}


@clip_gradients_.probe("leaves a gradient whose square alone is above max_norm")
def square_too_long(clip_gradients_: Callable, draw: Draw) -> Any:
    parameters = some_parameters(draw, 2.0, 1.0)
    length = math.sqrt(sum(float(one.grad.square().sum()) for one in parameters if one.grad is not None))
    norm = clip_gradients_(parameters, length**1.5)
    return {"norm": norm, "gradients": gradients_of(parameters)}


@clip_gradients_.probe("scales the gradients that are there, and puts no others in their place")
def in_place(clip_gradients_: Callable, draw: Draw) -> Any:
    parameters = some_parameters(draw, 1.0, 2.0)
    held = gradients_of(parameters)
    norm = clip_gradients_(parameters, 1.5)
    return {"norm": norm, "the gradients that were there": held}


@clip_gradients_.probe("works on a single parameter")
def one_parameter(clip_gradients_: Callable, draw: Draw) -> Any:
    parameters = some_parameters(draw, 3.0)  # shorter than the square of max_norm
    return {"norm": clip_gradients_(parameters, 4.0), "gradients": gradients_of(parameters)}


@clip_gradients_.probe("leaves out parameters without a gradient", rung="edges")
def some_without(clip_gradients_: Callable, draw: Draw) -> Any:
    parameters = some_parameters(draw, None, 2.0, None, 1.0)
    return {"norm": clip_gradients_(parameters, 1.0), "gradients": gradients_of(parameters)}


@clip_gradients_.probe("takes a generator, which is what `model.parameters()` gives", rung="edges")
def a_generator(clip_gradients_: Callable, draw: Draw) -> Any:
    parameters = some_parameters(draw, 0.5, 3.0)
    norm = clip_gradients_((one for one in parameters), 0.5)
    return {"norm": norm, "gradients": gradients_of(parameters)}


@clip_gradients_.probe("returns 0 where all gradients are 0, or where there are none", rung="edges")
def nothing_to_clip(clip_gradients_: Callable, draw: Draw) -> Any:
    parameters = some_parameters(draw, 0.0, 0.0)
    norm = clip_gradients_(parameters, 1.0)
    return {
        "all zero": {"norm": norm, "gradients": gradients_of(parameters)},
        "none": clip_gradients_(some_parameters(draw, None), 1.0),
    }


@clip_gradients_.probe("shortens a gradient that is a little too long")
def a_little_too_long(clip_gradients_: Callable, draw: Draw) -> Any:
    parameters = some_parameters(draw, 1.0, 1.5)
    length = math.sqrt(sum(float(one.grad.square().sum()) for one in parameters if one.grad is not None))
    return {"norm": clip_gradients_(parameters, length / 1.05), "gradients": gradients_of(parameters)}


@clip_gradients_.probe("shortens the gradient of a parameter that is frozen like any other", rung="edges")
def one_frozen(clip_gradients_: Callable, draw: Draw) -> Any:
    parameters = some_parameters(draw, 1.0, 2.0, 1.5)
    parameters[1].requires_grad_(False)  # after its gradient was computed
    return {"norm": clip_gradients_(parameters, 1.0), "gradients": gradients_of(parameters)}
