"""Checks of the learning rates."""

from collections.abc import Callable
from typing import Any

import torch

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# warmup_lr ----------------------------------------------------------------------------

warmup_lr = Exercise(
    "warmup_lr",
    points=1,
    hints=(
        "Take the smaller of two curves: one rises with the step, the other falls. They meet at warmup_steps.",
        "```python\nrising = ...   # step · warmup_steps^-1½\nfalling = ...  # step^-½\nreturn ...     # d_model^-½ times the smaller\n```",
        "`d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)`. In Python `**` is the power; `^` is something else.",
    ),
    traps={
        "TypeError: unsupported operand type(s) for ^: 'int' and 'float'": "the power is `**` in Python.",
        "TypeError: sqrt(): argument 'input' (position 1) must be Tensor, not int": "these are plain numbers: `step**-0.5` needs no torch.",
        "ZeroDivisionError": "the first step has the number 1. If you count from 0, add 1; the given lines refuse step 0.",
    },
)


@warmup_lr.probe("rises in a straight line to warmup_steps, then falls with one over the root of the step")
def up_and_down(warmup_lr: Callable, draw: Draw) -> Any:
    # Small numbers: a learning rate of 0.0007 would be taken for one of 0.0006.
    return [warmup_lr(step, 5, 4) for step in (1, 2, 3, 4, 5, 6, 9, 16, 100)]


@warmup_lr.probe("is smaller for a wider model, and for a longer warm-up")
def other_sizes(warmup_lr: Callable, draw: Draw) -> Any:
    d_model, warmup_steps = (int(one) for one in draw.integers("sizes", 2, low=2, high=12))
    return [warmup_lr(step, d_model, warmup_steps) for step in (1, 2, 5, 11, 30)]


def in_millionths(rates: list[Any]) -> list[Any]:
    """Rates as small as usual, so told that a difference shows."""
    return [1e6 * rate if isinstance(rate, float) else rate for rate in rates]


@warmup_lr.probe("is right for the paper's sizes, told in millionths", rung="edges")
def of_the_paper(warmup_lr: Callable, draw: Draw) -> Any:
    return in_millionths([warmup_lr(step, 512, 4000) for step in (1, 1000, 4000, 100_000)])


@warmup_lr.probe("needs no warm-up to fall", rung="edges")
def no_warmup(warmup_lr: Callable, draw: Draw) -> Any:
    return [warmup_lr(step, 3, 1) for step in (1, 2, 3)]


@warmup_lr.probe("raises a ValueError for a step below 1", rung="invariants")
def step_zero(warmup_lr: Callable, draw: Draw) -> Any:
    warmup_lr(1, 4, 2)  # the blank stub must show as blank
    return warmup_lr(0, 4, 2)


# cosine_lr ----------------------------------------------------------------------------

cosine_lr = Exercise(
    "cosine_lr",
    points=2,
    hints=(
        "There are three parts: up, down, and level from total_steps on. On the way down, compute how much of the way is done (progress): 0 at "
        "warmup_steps, 1 at total_steps. (1 + cos(π · progress)) / 2 then goes from 1 to 0.",
        "```python\n"
        "if step < warmup_steps:\n"
        "    return ...  # the straight line: 0 at step 0, max_lr at warmup_steps\n"
        "progress = ...  # steps made since warmup_steps, of those there are; never more than 1\n"
        "return ...      # min_lr plus what is left of max_lr - min_lr\n"
        "```",
        "`progress = min(1.0, (step - warmup_steps) / (total_steps - warmup_steps))`, then "
        "`min_lr + (max_lr - min_lr) * (1 + math.cos(math.pi * progress)) / 2`.",
    ),
    traps={
        "ZeroDivisionError": "with warmup_steps=0 there is no straight line. Ask `step < warmup_steps` *before* dividing by warmup_steps.",
        "TypeError: cos(): argument 'input' (position 1) must be Tensor, not float": "these are plain numbers: `math.cos`.",
    },
)


@cosine_lr.probe("rises in a straight line from 0 to max_lr, and is there at warmup_steps")
def rising(cosine_lr: Callable, draw: Draw) -> Any:
    return [cosine_lr(step, 3.0, 4, 20) for step in range(5)]


@cosine_lr.probe("falls along half a cosine from max_lr to min_lr")
def falling(cosine_lr: Callable, draw: Draw) -> Any:
    return [cosine_lr(step, 3.0, 4, 20, 0.5) for step in (4, 5, 8, 12, 17, 19, 20)]


@cosine_lr.probe("does so for any numbers")
def other_numbers(cosine_lr: Callable, draw: Draw) -> Any:
    warmup_steps, more = (int(one) for one in draw.integers("steps", 2, low=3, high=9))
    max_lr, min_lr = (float(one) for one in draw.tensor("rates", 2).abs() + torch.tensor([2.0, 0.1]))
    total_steps = warmup_steps + more
    return [cosine_lr(step, max_lr, warmup_steps, total_steps, min_lr) for step in range(total_steps)]


@cosine_lr.probe("ends at 0 unless told otherwise")
def ends_at_zero(cosine_lr: Callable, draw: Draw) -> Any:
    return [cosine_lr(step, 2.0, 2, 10) for step in (2, 5, 9, 10)]


@cosine_lr.probe("is right for a small rate, told in millionths", rung="edges")
def small_rates(cosine_lr: Callable, draw: Draw) -> Any:
    falling = [cosine_lr(step, 3e-4, 100, 1000, 3e-6) for step in (1, 99, 250, 990)]
    return in_millionths([*falling, cosine_lr(1000, 3e-4, 100, 1000)])


@cosine_lr.probe("stays where it is after the last step, and needs no warm-up", rung="edges")
def beyond_the_ends(cosine_lr: Callable, draw: Draw) -> Any:
    return {
        "after the end": [cosine_lr(step, 3.0, 4, 20, 0.5) for step in (21, 30, 36, 500)],
        "no warm-up": [cosine_lr(step, 3.0, 0, 5) for step in (0, 1, 4, 5)],
        "one step of warm-up": [cosine_lr(step, 3.0, 1, 5) for step in (0, 1, 2)],
    }


@cosine_lr.probe("raises a ValueError when the warm-up is not over before the end", rung="invariants")
def warmup_too_long(cosine_lr: Callable, draw: Draw) -> Any:
    cosine_lr(3, 1.0, 2, 5)  # the blank stub must show as blank
    return cosine_lr(3, 1.0, 5, 5)
