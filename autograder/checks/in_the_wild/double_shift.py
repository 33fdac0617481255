"""Room 2: labels that are shifted by the loader, and by the loss once more."""

from collections.abc import Callable
from typing import Any

import torch.nn.functional as F
from torch import Tensor

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.probing.lineup import line_up, own_or, right, wrong
from autograder.stand_ins import in_the_wild as stand_ins

training_loss = Exercise(
    "training_loss",
    points=2,
    wild=True,
    hints=(
        "Take one row of five tokens, a to e. Write down which places reach `F.cross_entropy`, and beside each the token that it is asked for.",
        "```python\ninputs, labels = ...      # the loader has moved them against each other already\nlogits = ...\nreturn F.cross_entropy(..., ...)    # place for place, nothing left out\n```",
        "`F.cross_entropy(logits.flatten(0, 1), labels.flatten())`: the labels are the next tokens, so logits and labels fit place by place.",
    ),
    traps={
        "ValueError: Expected input batch_size (...) to match target batch_size (...).": "logits and labels must have the same number of places: what is cut off one has to be cut off the other.",
    },
)

shows_double_shift = Exercise(
    "shows_double_shift",
    points=3,
    shows=training_loss,
    hints=(
        "You make the model, so you know what it says of every place, and you can work out the loss that is promised without calling anybody. Which model has another loss for every wrong pairing of places and tokens?",
        "```python\ntable = ...                      # random\ndef model(ids):\n    return ...                   # causal: what stands before a place has its say\nids = ...                        # several rows, with 0 among the ids\nright = ...                      # -log p(next token), at every place but the last of each row\nreturn abs(implementation(model, ids) - right.mean()) > ...\n```",
        "`model = lambda ids: table[ids].cumsum(1)` with `table = torch.randn(7, 7)`, and `right = -model(ids)[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None])`.",
    ),
    traps={
        "RuntimeError: Size does not match at dimension 1 expected index ... self ... apart from dimension 2": "an implementation may give the model rows without their last token: let the model make its logits from the ids that it gets.",
        "ValueError: Expected input batch_size (...) to match target batch_size (...).": "your model gives logits of one shape, whatever ids it gets. An implementation may give it rows without their last token.",
        "TypeError: implementation() missing 1 required positional argument: 'ids'": "an implementation is called as `training_loss` is: `implementation(model, ids)`.",
    },
)


# The repair ----------------------------------------------------------------------------


def reader(draw: Draw, vocab_size: int = 7) -> Callable[[Tensor], Tensor]:
    """A causal model: the sum of what all tokens up to a place say."""
    table = draw.tensor("table", vocab_size, vocab_size, scale=2)

    def model(ids: Tensor) -> Tensor:
        return table[ids].cumsum(1)

    return model


@training_loss.probe("is the mean over every token that has one before it in its row", float64=True)
def four_rows(training_loss: Callable, draw: Draw) -> Any:
    return training_loss(reader(draw), draw.integers("ids", 4, 6, high=7))


@training_loss.probe("counts id 0 as it counts any other", float64=True)
def many_zeros(training_loss: Callable, draw: Draw) -> Any:
    ids = draw.integers("ids", 3, 5, high=7) * draw.booleans("kept", 3, 5)
    return training_loss(reader(draw), draw.keep("rows", ids))


@training_loss.probe("teaches the model what follows")
def gradient_of_the_table(training_loss: Callable, draw: Draw) -> Any:
    table = draw.tensor("table", 7, 7, requires_grad=True)
    loss = training_loss(lambda ids: table[ids].cumsum(1), draw.integers("ids", 3, 5, high=7))
    return draw.gradients(loss, table=table)


@training_loss.probe("works for a single row, and for rows of two tokens", rung="edges", float64=True)
def small_rows(training_loss: Callable, draw: Draw) -> Any:
    model = reader(draw)
    return [
        training_loss(model, draw.integers(f"{rows} by {length}", rows, length, high=7))
        for rows, length in ((1, 6), (3, 2))
    ]


# Implementations that everybody may see ------------------------------------------------------


@right("is written on torch.nn")
def stand_in(model: Any, ids: Tensor) -> Tensor:
    """As in the stand-ins."""
    return stand_ins.training_loss(model, ids)


@right("is your own repair, once it has passed in this kernel")
def your_repair(model: Any, ids: Tensor) -> Tensor:
    """The stand-in until then."""
    return own_or(stand_ins.training_loss)(model, ids)


@wrong("the page shows", mistake="shifted twice")
def as_shown(model: Any, ids: Tensor) -> Tensor:
    """By the loader and by the loss."""
    inputs, labels = ids[:, :-1], ids[:, 1:]
    logits = model(inputs)
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())


@wrong("asks every place for the token that stands there", mistake="not shifted at all")
def not_shifted(model: Any, ids: Tensor) -> Tensor:
    """What is read already."""
    return F.cross_entropy(model(ids).flatten(0, 1), ids.flatten())


@wrong("adds up where a mean is promised", mistake="a sum, or another mean")
def added_up(model: Any, ids: Tensor) -> Tensor:
    """Grows with the batch."""
    return F.cross_entropy(model(ids)[:, :-1].transpose(1, 2), ids[:, 1:], reduction="sum")


@wrong("makes one row of all rows, and shifts then", mistake="one row's end asks for another's beginning", kin=True)
def rows_in_one(model: Any, ids: Tensor) -> Tensor:
    """The last of a row is asked for the first of the next."""
    return F.cross_entropy(model(ids).flatten(0, 1)[:-1], ids.flatten()[1:])


line_up(shows_double_shift, "double_shift")
