"""Checks of attention_rollout."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

attention_rollout = Exercise(
    "attention_rollout",
    points=3,
    hints=(
        "Follow one token by hand through two layers. After the first layer half of it is itself and half is what its heads read. What is it made of after the second, if what it reads there is a mixture already?",
        "```python\nrolled = ...            # nothing has been mixed yet: the identity, once for each picture\nfor layer in weights:\n    ...                 # the mean over the heads\n    ...                 # half of it, and half the identity\n    rolled = ...        # this layer reads what is rolled up so far\nreturn rolled\n```",
        "`handed_on = (layer.mean(dim=1) + torch.eye(tokens)) / 2`, and `rolled = handed_on @ rolled`: the later layer stands on the left, since its rows are the ones that are asked.",
    ),
    traps={
        "AttributeError: 'list' object has no attribute ...": "`weights` is a list, a tensor for each layer. Go through it layer by layer.",
        "RuntimeError: The size of tensor a (...) must match the size of tensor b (...) at non-singleton dimension ...": "the identity is (tokens, tokens), and the mean over the heads is `layer.mean(dim=1)`.",
        "RuntimeError: Expected size for first two dimensions of batch2 tensor to be: [...] but got: [...].": "what is rolled up so far is (batch, tokens, tokens), as is what the layer hands on.",
        "TypeError: can't multiply sequence by non-int of type 'float'": "`weights` is a list, a tensor for each layer. Go through it layer by layer.",
    },
)


def layers(draw: Draw, count: int, batch: int = 2, heads: int = 4, tokens: int = 5) -> list[Tensor]:
    """Attention weights of some layers, most of each row on few tokens."""
    scores = [draw.tensor(f"layer {number}", batch, heads, tokens, tokens, scale=2) for number in range(count)]
    return [draw.keep(f"weights {number}", one.softmax(-1)) for number, one in enumerate(scores)]


def side_by_side(*results: Any) -> Any:
    """Results of one shape as one: of two mistakes, each may change what the other alone would leave right."""
    alike = all(isinstance(one, Tensor) for one in results) and len({one.shape for one in results}) == 1
    return torch.stack(results) if alike else list(results)


@attention_rollout.probe(
    "multiplies half the mean of the heads plus half the identity, the last layer on the left", float64=True
)
def three_layers(attention_rollout: Callable, draw: Draw) -> Any:
    return attention_rollout(layers(draw, 3))


@attention_rollout.probe("is half attention and half identity for one layer", float64=True)
def one_layer(attention_rollout: Callable, draw: Draw) -> Any:
    return attention_rollout(layers(draw, 1, batch=3))


@attention_rollout.probe(
    "follows a token from place to place, and keeps half of it where it was, in every layer", float64=True
)
def from_place_to_place(attention_rollout: Callable, draw: Draw) -> Any:
    ahead = torch.eye(4).roll(1, dims=1).expand(1, 2, 4, 4)  # each token reads the next one alone
    still = torch.eye(4).expand(1, 2, 4, 4)
    first = torch.eye(4)[:1].expand(4, 4).expand(1, 2, 4, 4)  # all read the first one
    twice = attention_rollout([draw.keep("ahead", ahead.clone()), draw.keep("again", ahead.clone())])
    gathered = attention_rollout([first.clone(), ahead.clone()])
    kept = attention_rollout([still.clone(), still.clone(), still.clone()])
    return side_by_side(twice, gathered, kept)


@attention_rollout.probe("keeps what one layer does where the other hands on all as it was", float64=True)
def beside_a_still_layer(attention_rollout: Callable, draw: Draw) -> Any:
    (moving,), still = layers(draw, 1, heads=3, tokens=4), torch.eye(4).repeat(2, 3, 1, 1)
    alike = torch.full((2, 3, 4, 4), 0.25)
    below = attention_rollout([still.clone(), moving])
    above = attention_rollout([moving, still.clone()])
    level = attention_rollout([alike.clone(), alike.clone()])
    return side_by_side(below, above, level)


@attention_rollout.probe("gives rows that sum to 1 for six layers as well", rung="invariants", float64=True)
def six_layers(attention_rollout: Callable, draw: Draw) -> Any:
    return attention_rollout(layers(draw, 6, batch=1, heads=2, tokens=3))


@attention_rollout.probe(
    "works for one head, one picture, one layer, one layer twice, and layers in a tuple",
    rung="edges",
    float64=True,
)
def rollout_edges(attention_rollout: Callable, draw: Draw) -> Any:
    one, two = layers(draw, 2, heads=3)
    return {
        "one head": attention_rollout([one[:, :1], two[:, :1]]),
        "one layer and head": attention_rollout([one[:, :1]]),
        "one picture": attention_rollout([one[:1], two[:1]]),
        "one layer": attention_rollout([two]),
        "the same once more": attention_rollout([one[:1, :1]] * 2),
        "a tuple": attention_rollout((one, two)),
    }


@attention_rollout.probe("raises a ValueError where there is no layer", rung="invariants")
def refuses_nothing(attention_rollout: Callable, draw: Draw) -> Any:
    attention_rollout(layers(draw, 1))  # the blank stub must show as blank
    return raised(lambda: attention_rollout([]))
