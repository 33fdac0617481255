"""Room 5: a mask that is multiplied with a mean that has been taken already."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.probing.lineup import line_up, own_or, right, wrong
from autograder.stand_ins import in_the_wild as stand_ins

loss_where_asked = Exercise(
    "loss_where_asked",
    points=2,
    wild=True,
    hints=(
        "Print the shape of `loss` in the line behind `F.cross_entropy`. What can a mask still do to it?",
        "```python\nlosses = F.cross_entropy(..., ..., reduction=...)   # one for each place\ncounts = ...                                        # 1 where a place counts, else 0\nreturn ...                                          # their sum, by how many they are\n```",
        '`reduction="none"` keeps a loss for each place. And with `.clamp(min=1)` below the fraction it is 0, not NaN, where nothing is asked.',
    ),
    traps={
        "IndexError: too many indices for tensor of dimension 1": "the losses are flat, (batch · seq_len,), or the mask is not: flatten both.",
        "RuntimeError: The size of tensor a (15) must match the size of tensor b (5) at non-singleton dimension 1": "the losses are flat, (batch · seq_len,), and the mask is not: flatten both.",
    },
)

shows_idle_mask = Exercise(
    "shows_idle_mask",
    points=3,
    shows=loss_where_asked,
    hints=(
        "You can take the mean over the places that are asked by hand, for a mask of your choice. With which masks would a mean over all places, a mean of the rows' means, and a sum each be something else?",
        "```python\nlogits, labels = ...\nfor asked in ...:              # rows of several lengths; and a mask that asks for nothing\n    losses = ...               # -log p(label), of the places that are asked\n    right = ...                # their mean; 0 where there is none\n    ...                        # against implementation(logits, labels, asked)\n```",
        "`-logits.log_softmax(-1).gather(-1, labels[..., None])[..., 0][asked]` are the losses of what is asked. A NaN is no 0: `torch.allclose` says False of it, and `abs(a - b) > 1e-4` says False as well.",
    ),
    traps={
        "TypeError: implementation() missing 1 required positional argument: 'asked'": "an implementation is called as `loss_where_asked` is: `implementation(logits, labels, asked)`.",
        "RuntimeError: index -100 is out of bounds ...": "a label is an id, also where nothing is asked. -100 is none, and right code may look it up.",
        "IndexError: Target -100 is out of bounds.": "a label is an id, also where nothing is asked. -100 is none, and right code may look it up.",
    },
)


def rows(draw: Draw, lengths: list[int], seq_len: int = 5) -> tuple[Tensor, Tensor, Tensor]:
    """Logits, labels, and a mask for rows of these lengths."""
    count = len(lengths)
    asked = torch.arange(seq_len) < torch.tensor(lengths)[:, None]
    logits, labels = draw.tensor("logits", count, seq_len, 7, scale=2), draw.integers("labels", count, seq_len, high=7)
    return logits, labels, draw.keep("asked", asked)


@loss_where_asked.probe("is the mean over the places that are asked", float64=True)
def several_lengths(loss_where_asked: Callable, draw: Draw) -> Any:
    return loss_where_asked(*rows(draw, [1, 3, 5]))


@loss_where_asked.probe("takes a mask with gaps, and a row in which nothing is asked", float64=True)
def gaps(loss_where_asked: Callable, draw: Draw) -> Any:
    logits, labels, _ = rows(draw, [5, 5, 5, 5])
    asked = draw.booleans("gaps", 4, 5, chance=0.4).clone()
    asked[2] = False
    asked[0, 1], asked[3, 4] = True, True
    return loss_where_asked(logits, labels, draw.keep("with gaps", asked))


@loss_where_asked.probe("teaches the places that are asked, and no others")
def gradient_of_the_logits(loss_where_asked: Callable, draw: Draw) -> Any:
    logits, labels, asked = rows(draw, [2, 4, 1])
    logits = draw.keep("learned", logits.clone().requires_grad_())
    return draw.gradients(loss_where_asked(logits, labels, asked), logits=logits)


@loss_where_asked.probe("is 0 where nothing is asked", rung="edges")
def nothing(loss_where_asked: Callable, draw: Draw) -> Any:
    return loss_where_asked(*rows(draw, [0, 0]))


@loss_where_asked.probe("works for one place, and where everything is asked", rung="edges", float64=True)
def small(loss_where_asked: Callable, draw: Draw) -> Any:
    logits, labels, asked = rows(draw, [5, 5])
    return [loss_where_asked(logits, labels, asked), loss_where_asked(logits[:1, :1], labels[:1, :1], asked[:1, :1])]


# Implementations that everybody may see ------------------------------------------------------


@right("is written on torch.nn")
def stand_in(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    """As in the stand-ins."""
    return stand_ins.loss_where_asked(logits, labels, asked)


@right("is your own repair, once it has passed in this kernel")
def your_repair(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    """The stand-in until then."""
    return own_or(stand_ins.loss_where_asked)(logits, labels, asked)


@wrong("the page shows", mistake="the mask does nothing")
def as_shown(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    """A mean, times a mask."""
    loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
    counts = asked.flatten().to(loss.dtype)
    return (loss * counts).sum() / counts.sum().clamp(min=1)


@wrong("divides by the number of all places", mistake="divided by all places", kin=True)
def by_all_places(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    """Padding makes it small."""
    losses = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")
    return (losses * asked).mean()


@wrong("takes a mean of the rows' means", mistake="a mean of means", kin=True)
def mean_of_means(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    """A short row weighs as much as a long one."""
    losses = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")
    return ((losses * asked).sum(1) / asked.sum(1).clamp(min=1)).mean()


@wrong("gives NaN where nothing is asked", mistake="NaN where nothing is asked")
def nan_for_nothing(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    """The mean of nothing."""
    return F.cross_entropy(logits[asked], labels[asked])


line_up(shows_idle_mask, "idle_mask")
