"""Lesson 18: following attention."""

from collections.abc import Sequence
from functools import reduce

import torch
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

ROLL = "attention_rollout"


def refuse(weights: Sequence[Tensor]) -> None:
    """The given lines."""
    if len(weights) == 0:
        raise ValueError("no layer")


def mixed(layer: Tensor) -> Tensor:
    """Half the attention, half the identity."""
    return 0.5 * layer.mean(1) + 0.5 * torch.eye(layer.size(-1))


def from_the_first(weights: Sequence[Tensor]) -> Tensor:
    """Begins with the first layer instead of the identity."""
    refuse(weights)
    eye = torch.eye(weights[0].shape[-1])
    total = None
    for attention in weights:
        heads = attention.size(1)
        average = attention.sum(1) / heads
        step = 0.5 * average + 0.5 * eye
        total = step if total is None else step @ total
    return total


slips(
    ROLL,
    from_the_first,
    {
        "without the residual's half": {"0.5 * average + 0.5 * eye": "average"},
        "the identity added and not halved": {"0.5 * average + 0.5 * eye": "average + eye"},
        "half of the attention, all of the identity": [
            {"0.5 * average + 0.5 * eye": "0.5 * average + eye"},
            {"0.5 * average + 0.5 * eye": "average + 0.5 * eye"},
        ],
        "the last layer on the right": {"step @ total": "total @ step"},
        "rows and columns exchanged": {"return total": "return total.mT"},
        "each number by itself": {"step @ total": "step * total"},
        "added instead of multiplied": {"step @ total": "step + total"},
        "one layer alone": [
            {"step @ total": "step"},
            {"step @ total": "total"},
        ],
        "another layer's sum over the heads": {"attention.sum(1) / heads": "attention.sum(1)"},
        "the largest or a single head": [
            {"attention.sum(1) / heads": "attention.max(1).values"},
            {"attention.sum(1) / heads": "attention[:, 0]"},
        ],
        "the residual once, at the end": {
            "0.5 * average + 0.5 * eye": "average",
            "return total": "return 0.5 * total + 0.5 * eye",
        },
        "the class token's row alone": {"return total": "return total[:, 0]"},
    },
)


def stacked(weights: Sequence[Tensor]) -> Tensor:
    """All means first, then one chain of products from the last layer down."""
    refuse(weights)
    steps = [one.mean(dim=1) for one in weights]
    steps = [(one + torch.eye(one.size(-1))) / 2 for one in steps]
    found = steps[-1]
    for one in steps[-2::-1]:
        found = torch.bmm(found, one)
    return found


slips(
    ROLL,
    stacked,
    {
        "without the residual's half": {"(one + torch.eye(one.size(-1))) / 2": "one"},
        "the identity added and not halved": {"(one + torch.eye(one.size(-1))) / 2": "one + torch.eye(one.size(-1))"},
        "the last layer on the right": {"torch.bmm(found, one)": "torch.bmm(one, found)"},
        "rows and columns exchanged": {"return found": "return found.transpose(-1, -2)"},
        "added instead of multiplied": {"torch.bmm(found, one)": "found + one"},
        "one layer alone": {"steps[-2::-1]": "[]"},
        "another layer's sum over the heads": {"one.mean(dim=1) for": "one.sum(dim=1) for"},
        "the largest or a single head": [
            {"one.mean(dim=1) for": "one[:, -1] for"},
            {"one.mean(dim=1) for": "one.amax(dim=1) for"},
        ],
        "the class token's row alone": {"return found": "return found[:, 0, 1:]"},
    },
)


def normalized(weights: Sequence[Tensor]) -> Tensor:
    """Adds the identity, then divides by the sums of the rows: the same, where rows sum to 1."""
    refuse(weights)
    made = []
    for one in weights:
        joined = one.mean(1) + torch.eye(one.size(-1))
        joined = joined / joined.sum(dim=-1, keepdim=True)
        made.append(joined)
    return reduce(lambda lower, upper: upper @ lower, made)


slips(
    ROLL,
    normalized,
    {
        "the columns made to sum to 1": {"joined.sum(dim=-1, keepdim=True)": "joined.sum(dim=-2, keepdim=True)"},
        "the last layer on the right": {"upper @ lower": "lower @ upper"},
        "without the residual's half": {"one.mean(1) + torch.eye(one.size(-1))": "one.mean(1)"},
        "another layer's sum over the heads": {"one.mean(1)": "one.sum(1)"},
        "the largest or a single head": [
            {"one.mean(1)": "one.max(dim=1)[0]"},
            {"one.mean(1)": "one.min(dim=1)[0]"},
        ],
        "the identity added and not halved": {"joined = joined / joined.sum(dim=-1, keepdim=True)": "pass"},
        "added instead of multiplied": {"upper @ lower": "upper + lower"},
    },
)


@correct(ROLL)
def token_by_token(weights: Sequence[Tensor]) -> Tensor:
    """Row by row, by what each token reads."""
    refuse(weights)
    count = weights[0].size(-1)
    rows = [torch.eye(count)[place].expand(len(weights[0]), count) for place in range(count)]
    for layer in weights:
        mean = layer.mean(1)
        rows = [
            rows[asks] / 2 + sum(mean[:, asks, read, None] * rows[read] for read in range(count)) / 2
            for asks in range(count)
        ]
    return torch.stack(rows, 1)


@correct(ROLL)
def with_einsum(weights: Sequence[Tensor]) -> Tensor:
    """Without a gradient, as one would for looking."""
    refuse(weights)
    with torch.no_grad():
        found = torch.eye(weights[0].size(-1)).repeat(weights[0].size(0), 1, 1)
        for layer in weights:
            found = torch.einsum("bij,bjk->bik", mixed(layer), found)
        return found


# In full ----------------------------------------------------------------------------


def rolled(steps: Sequence[Tensor]) -> Tensor:
    """A product, the last on the left."""
    return reduce(lambda lower, upper: torch.matmul(upper, lower), steps)


@disguise(ROLL, "without the residual's half")
def attention_alone(weights: Sequence[Tensor]) -> Tensor:
    refuse(weights)
    return rolled([one.mean(1) for one in weights])


@disguise(ROLL, "the identity added and not halved")
def growing(weights: Sequence[Tensor]) -> Tensor:
    refuse(weights)
    return rolled([2 * mixed(one) for one in weights])


@disguise(ROLL, "half of the attention, all of the identity")
def uneven(weights: Sequence[Tensor]) -> Tensor:
    refuse(weights)
    return rolled([one.mean(1).div(2) + torch.eye(one.size(-1)) for one in weights])


@disguise(ROLL, "the last layer on the right")
def other_way(weights: Sequence[Tensor]) -> Tensor:
    refuse(weights)
    return rolled([mixed(one) for one in list(weights)[::-1]])


@disguise(ROLL, "rows and columns exchanged")
def turned(weights: Sequence[Tensor]) -> Tensor:
    refuse(weights)
    return rolled([mixed(one) for one in weights]).permute(0, 2, 1)


@disguise(ROLL, "each number by itself")
def by_number(weights: Sequence[Tensor]) -> Tensor:
    refuse(weights)
    return torch.stack([mixed(one) for one in weights]).prod(0)


@disguise(ROLL, "added instead of multiplied")
def on_average(weights: Sequence[Tensor]) -> Tensor:
    refuse(weights)
    return torch.stack([mixed(one) for one in weights]).mean(0)


@disguise(ROLL, "one layer alone")
def the_last(weights: Sequence[Tensor]) -> Tensor:
    refuse(weights)
    return mixed(weights[-1])


@disguise(ROLL, "another layer's sum over the heads")
def all_heads(weights: Sequence[Tensor]) -> Tensor:
    refuse(weights)
    return rolled([(one.sum(1) + torch.eye(one.size(-1))) / 2 for one in weights])


@disguise(ROLL, "the largest or a single head")
def loudest(weights: Sequence[Tensor]) -> Tensor:
    refuse(weights)
    return rolled([mixed(one.amax(1, keepdim=True)) for one in weights])


@disguise(ROLL, "the heads brought together at the end")
def head_by_head(weights: Sequence[Tensor]) -> Tensor:
    refuse(weights)
    heads = range(weights[0].size(1))
    return sum((rolled([mixed(one[:, [head]]) for one in weights]) for head in heads), torch.zeros(())) / len(heads)


@disguise(ROLL, "the columns made to sum to 1")
def by_columns(weights: Sequence[Tensor]) -> Tensor:
    refuse(weights)
    return rolled([mixed(one) / mixed(one).sum(-2, keepdim=True) for one in weights])


@disguise(ROLL, "the residual once, at the end")
def one_residual(weights: Sequence[Tensor]) -> Tensor:
    refuse(weights)
    return mixed(rolled([one.mean(1) for one in weights])[:, None])


@disguise(ROLL, "the class token's row alone")
def one_row(weights: Sequence[Tensor]) -> Tensor:
    refuse(weights)
    return rolled([mixed(one) for one in weights])[:, 0, :]


# On no list ----------------------------------------------------------------------------


@disguise(ROLL, "other shares than one half")
def a_third(weights: Sequence[Tensor]) -> Tensor:
    refuse(weights)
    return rolled([one.mean(1) / 3 + torch.eye(one.size(-1)) * 2 / 3 for one in weights])


@disguise(ROLL, "the largest or a single head")
def smallest(weights: Sequence[Tensor]) -> Tensor:
    refuse(weights)
    return rolled([mixed(one.amin(1, keepdim=True)) for one in weights])


@disguise(ROLL, "less the token itself")
def less_itself(weights: Sequence[Tensor]) -> Tensor:
    refuse(weights)
    found = rolled([mixed(one) for one in weights])
    return found * (1 - torch.eye(found.size(-1)))


@unlisted(ROLL)
def each_layer_twice(weights: Sequence[Tensor]) -> Tensor:
    refuse(weights)
    return rolled([mixed(one) @ mixed(one) for one in weights])
