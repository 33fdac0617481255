"""Checks of what an optimizer gets: fine_tune_groups."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from autograder.checks.decoding.shared import raised
from autograder.checks.optimization.updates import OwnNorm
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

fine_tune_groups = Exercise(
    "fine_tune_groups",
    points=2,
    hints=(
        "Two questions for every parameter: is it in the head, and does it decay? `decay_groups(model, weight_decay)` has answered the second. How many groups does that make, and what does each of them say?",
        '```python\ngroups = []\nfor group in decay_groups(model, weight_decay):\n    inside = ...   # of group["params"], what is in the head\n    outside = ...  # and what is not\n    ...            # a group of each: "params", "lr", "weight_decay"\nreturn groups\n```',
        '`inside = [one for one in group["params"] if id(one) in of_head]`. Each of the two becomes `{"params": ..., "lr": ..., "weight_decay": group["weight_decay"]}`, with head_rate for what is inside and rate for the rest.',
    ),
    traps={
        "RuntimeError: Boolean value of Tensor with more than one value is ambiguous": "`one in list(head.parameters())` compares numbers, and of many numbers there is no single answer. Ask by identity: `id(one) in of_head`.",
        "RuntimeError: The size of tensor a (...) must match the size of tensor b (...) at non-singleton dimension ...": "`one in list(head.parameters())` compares numbers with numbers. Ask by identity: `id(one) in of_head`.",
        "TypeError: 'AdamW' object is not iterable": "groups are asked for, a list of dicts. An optimizer is made of them later, by whoever calls this.",
        "ValueError: some parameters appear in more than one parameter group": "every parameter belongs to exactly one group. What is in the head is in the model, too.",
    },
)


class Body(nn.Module):
    """A model below a head, with parts whose names say nothing of what they are."""

    def __init__(self) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(5, 3)
        self.heads = nn.Linear(3, 3)  # no head, whatever it is called
        self.layers = nn.Sequential(nn.Linear(3, 4), OwnNorm(4), nn.Linear(4, 3, bias=False))


class Tuned(nn.Module):
    """A body, and a head under some name."""

    def __init__(self, head: nn.Module, name: str = "head") -> None:
        super().__init__()
        self.bert = Body()
        self.add_module(name, head)
        self.dropout = nn.Dropout(0.1)


def rates(draw: Draw) -> tuple[float, float, float]:
    """A rate for the rest, another for the head, and a weight decay."""
    one, other, decay = (float(x) for x in draw.tensor("rates", 3).abs() + 0.1)
    return one, one + other, decay + 0.05


def settings(model: nn.Module, groups: Any) -> dict[str, list[Any]]:
    """Name of every parameter → learning rate and weight decay of each group in which it stands."""
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    found: dict[str, list[Any]] = {name: [] for name in names.values()}
    for group in groups:
        for one in group["params"]:
            parameter = one[-1] if isinstance(one, tuple) else one  # torch takes pairs with a name too
            name = names.get(id(parameter), f"none of the model's: {type(parameter).__name__}")
            found.setdefault(name, []).append({"lr": group.get("lr"), "weight_decay": group.get("weight_decay")})
    return {name: sorted(one, key=repr) for name, one in sorted(found.items())}


@fine_tune_groups.probe("gives the head its rate, the rest the other, and lets weights decay but not biases and norms")
def linear_head(fine_tune_groups: Callable, draw: Draw) -> Any:
    model = Tuned(nn.Linear(3, 2))
    return settings(model, fine_tune_groups(model, model.head, *rates(draw)))


@fine_tune_groups.probe("knows the head by what it is given, whatever it is called and whatever is in it")
def other_heads(fine_tune_groups: Callable, draw: Draw) -> Any:
    head = nn.Sequential(nn.Linear(3, 4), OwnNorm(4), nn.Tanh(), nn.Linear(4, 2))
    model = Tuned(head, "output")
    return settings(model, fine_tune_groups(model, head, *rates(draw)))


@fine_tune_groups.probe("puts what the head shares with the rest into the head's group, once")
def shared_table(fine_tune_groups: Callable, draw: Draw) -> Any:
    model = Tuned(nn.Linear(3, 5))
    model.head.weight = model.bert.token_embedding.weight  # type: ignore[union-attr]
    return settings(model, fine_tune_groups(model, model.head, *rates(draw)))


@fine_tune_groups.probe("gives an optimizer what it takes", rung="edges")
def groups_in_an_optimizer(fine_tune_groups: Callable, draw: Draw) -> Any:
    model = draw.fill(Tuned(nn.Linear(3, 2)))
    optimizer = torch.optim.SGD(fine_tune_groups(model, model.head, 0.1, 0.3, 0.2), lr=7.0, weight_decay=5.0)
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    return {name: one.detach() for name, one in model.named_parameters()}


@fine_tune_groups.probe(
    "leaves the parameters as they were; those that are frozen stay frozen, and have a group", rung="edges"
)
def frozen_parts(fine_tune_groups: Callable, draw: Draw) -> Any:
    model = draw.fill(Tuned(nn.Linear(3, 2)))
    model.bert.token_embedding.requires_grad_(False)  # type: ignore[union-attr]
    groups = fine_tune_groups(model, model.head, *rates(draw))
    return {
        "groups": settings(model, groups),
        "trained": {name: one.requires_grad for name, one in model.named_parameters()},
        "model": model.state_dict(),
    }


@fine_tune_groups.probe("works for a head without a bias, and where the whole model is the head", rung="edges")
def small_heads(fine_tune_groups: Callable, draw: Draw) -> Any:
    model = Tuned(nn.Linear(3, 2, bias=False))
    alone = nn.Sequential(nn.Linear(3, 2))
    return {
        "no bias": settings(model, fine_tune_groups(model, model.head, *rates(draw))),
        "nothing but a head": settings(alone, fine_tune_groups(alone, alone, *rates(draw))),
    }


@fine_tune_groups.probe("takes both rates as they are, also where the head's is the smaller", rung="edges")
def a_slower_head(fine_tune_groups: Callable, draw: Draw) -> Any:
    model = Tuned(nn.Linear(3, 2))
    small, large, decay = rates(draw)
    return settings(model, fine_tune_groups(model, model.head, large, small, decay))


@fine_tune_groups.probe("raises a ValueError for a head that is no part of the model", rung="invariants")
def refuses_other_heads(fine_tune_groups: Callable, draw: Draw) -> Any:
    model = Tuned(nn.Linear(3, 2))
    fine_tune_groups(model, model.head, *rates(draw))  # the blank stub must show as blank
    half = nn.Sequential(model.bert.layers, nn.Linear(3, 2))  # a part of the model, and a layer from elsewhere
    return {
        "from elsewhere": raised(lambda: fine_tune_groups(model, nn.Linear(3, 2), *rates(draw))),
        "half of it from elsewhere": raised(lambda: fine_tune_groups(model, half, *rates(draw))),
    }
