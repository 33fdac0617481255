"""Room 9: a mask that is added, taken for one that says yes and no."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.probing.lineup import line_up, own_or, right, wrong
from autograder.stand_ins import in_the_wild as stand_ins

weights_under = Exercise(
    "weights_under",
    points=2,
    wild=True,
    hints=(
        "Work out `hidden` for one token that may be looked at: once with a mask of booleans, once with a mask that is added.",
        "```python\nif mask.dtype == torch.bool:\n    mask = ...                  # one that is added: 0 where True, -inf where False\nreturn (... + mask).softmax(-1)\n```",
        "`torch.zeros(mask.shape).masked_fill(~mask, -math.inf)` is the mask of booleans as one that is added. Of the dtype of the scores, if they are not float32.",
    ),
    traps={
        "TypeError: ~ (operator.invert) is only implemented on integer and Boolean-type tensors": "only a mask of booleans can be turned round with `~`. Ask for `mask.dtype` first.",
        "RuntimeError: masked_fill_ only supports boolean masks, but got mask with dtype ...": "`masked_fill` wants booleans; a mask of floats is added.",
        "RuntimeError: where expected condition to be a boolean tensor, but got a tensor with dtype ...": "`torch.where` wants booleans; a mask of floats is added.",
    },
)

shows_mistaken_mask = Exercise(
    "shows_mistaken_mask",
    points=3,
    shows=weights_under,
    hints=(
        "The promise has two kinds of masks, and the second has numbers between 0 and -inf too. Each is a question of its own.",
        "```python\nscores = ...\nmay_look = ...             # booleans: not symmetric, not causal, True somewhere in every row\nhidden = ...               # the same, to be added: 0 and -inf\nfor mask, added in ...:    # booleans; 0 and -inf; other numbers as well\n    right = ...            # exp(scores + added), divided by its sum over the keys\n    ...                    # against implementation(scores, mask)\n```",
        "`hidden = torch.zeros(5, 5).masked_fill(~may_look, -math.inf)`, and `hidden + torch.randn(5, 5)` for preferences: -inf stays -inf. `torch.allclose` says that NaN is wrong, which `>` does not.",
    ),
    traps={
        "TypeError: implementation() missing ... required positional ...": "an implementation is called as `weights_under` is: `implementation(scores, mask)`.",
    },
)


def looks(draw: Draw, length: int = 5, name: str = "may look") -> Tensor:
    """Neither symmetric nor causal; nobody is blind, and not everybody sees itself."""
    mask = draw.booleans(name, length, length, chance=0.5) | torch.eye(length, dtype=torch.bool).roll(2, dims=1)
    mask[0, 0], mask[3, 1] = False, False
    return mask


def to_add(may_look: Tensor) -> Tensor:
    """The same as 0 and -inf, of the default dtype."""
    return torch.zeros(may_look.shape).masked_fill(~may_look, -math.inf)


def some_scores(draw: Draw, *sizes: int) -> Tensor:
    """Scores that differ."""
    return draw.tensor("scores", *sizes, scale=2)


@weights_under.probe("hides by a mask of booleans what is False", float64=True)
def booleans(weights_under: Callable, draw: Draw) -> Any:
    return weights_under(some_scores(draw, 3, 5, 5), draw.keep("booleans", looks(draw)))


@weights_under.probe("hides by a mask that is added what is -inf, and shows what is 0", float64=True)
def floats(weights_under: Callable, draw: Draw) -> Any:
    return weights_under(some_scores(draw, 3, 5, 5), draw.keep("added", to_add(looks(draw))))


@weights_under.probe("adds numbers between", float64=True)
def preferences(weights_under: Callable, draw: Draw) -> Any:
    mask = to_add(looks(draw)) + draw.tensor("rather", 5, 5, scale=2)
    return weights_under(some_scores(draw, 2, 5, 5), draw.keep("preferences", mask))


@weights_under.probe("hands back the gradient of the scores, under both", rung="gradients")
def gradients(weights_under: Callable, draw: Draw) -> Any:
    found = {}
    for name, mask in {"booleans": looks(draw), "floats": to_add(looks(draw))}.items():
        scores = draw.tensor(f"scores under {name}", 2, 5, 5, scale=2, requires_grad=True)
        found[name] = draw.gradients(weights_under(scores, draw.keep(name, mask)), scores=scores)
    return found


@weights_under.probe("works with heads, without a batch, and with more keys than queries", rung="edges", float64=True)
def shapes(weights_under: Callable, draw: Draw) -> Any:
    mask, wide = looks(draw), looks(draw, name="wide")[:3]
    return {
        "heads": weights_under(draw.tensor("heads", 2, 3, 5, 5), to_add(mask)),
        "no batch": weights_under(draw.tensor("bare", 5, 5), mask),
        "booleans for 3 queries and 5 keys": weights_under(draw.tensor("wide", 2, 3, 5), wide),
        "floats for 3 queries and 5 keys": weights_under(draw.tensor("wide", 2, 3, 5), to_add(wide)),
    }


# Implementations that everybody may see ------------------------------------------------------


@right("is written on torch.nn")
def stand_in(scores: Tensor, mask: Tensor) -> Tensor:
    """As in the stand-ins."""
    return stand_ins.weights_under(scores, mask)


@right("is your own repair, once it has passed in this kernel")
def your_repair(scores: Tensor, mask: Tensor) -> Tensor:
    """The stand-in until then."""
    return own_or(stand_ins.weights_under)(scores, mask)


@wrong("the page shows", mistake="a mask that is added, taken for yes and no")
def as_shown(scores: Tensor, mask: Tensor) -> Tensor:
    """One minus a mask."""
    hidden = 1.0 - mask.to(scores.dtype)
    return (scores - 1e9 * hidden).softmax(-1)


@wrong("adds every mask, also one of booleans", mistake="booleans added as numbers", kin=True)
def always_adds(scores: Tensor, mask: Tensor) -> Tensor:
    """The other way round."""
    return (scores + mask.to(scores.dtype)).softmax(-1)


@wrong("knows 0 and -inf, and drops the numbers between", mistake="numbers between dropped", kin=True)
def yes_or_no(scores: Tensor, mask: Tensor) -> Tensor:
    """Hidden or not."""
    hidden = ~mask if mask.dtype == torch.bool else mask == -math.inf
    return scores.masked_fill(hidden, -math.inf).softmax(-1)


@wrong("hides what True allows", mistake="booleans upside down")
def upside_down(scores: Tensor, mask: Tensor) -> Tensor:
    """True is hidden, in another interface."""
    if mask.dtype == torch.bool:
        return scores.masked_fill(mask, -1e30).softmax(-1)
    return (scores + mask).softmax(-1)


line_up(shows_mistaken_mask, "added_mask")
