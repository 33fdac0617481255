"""Lesson 00."""

import math
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

INF = float("inf")


def zero_rows(x: Tensor, y: Tensor, dim: int) -> Tensor:
    """`y` with zeros where all of `x` along `dim` is -inf."""
    return torch.where(torch.isneginf(x).all(dim, True), torch.zeros_like(y), y)


# Slips in right code ----------------------------------------------------------------------------


def guarded(x: Tensor, dim: int = -1) -> Tensor:
    top = x.max(dim, keepdim=True).values
    top = torch.where(torch.isinf(top), torch.zeros_like(top), top)
    e = (x - top).exp()
    s = e.sum(dim, keepdim=True)
    return e / torch.where(s > 0, s, torch.ones_like(s))


AT_LEAST_ONE = "torch.where(s > 0, s, torch.ones_like(s))"

slips(
    "softmax",
    guarded,
    {
        "no max subtraction": [
            {"(x - top)": "x"},
            {"(x - top)": "x", AT_LEAST_ONE: "s"},
            {"(x - top)": "x", AT_LEAST_ONE: "(s + 1e-6)"},
            {"x - top": "top + x"},
        ],
        "global max": [
            {"x.max(dim, keepdim=True).values": "x.max()"},
            {"x.max(dim, keepdim=True).values": "x.max()", AT_LEAST_ONE: "s"},
            {"x.max(dim, keepdim=True).values": "x.max()", AT_LEAST_ONE: "(s + 1e-9)"},
        ],
        "NaN on a row of -inf": [
            {AT_LEAST_ONE: "s"},
            {"torch.where(torch.isinf(top), torch.zeros_like(top), top)": "top.detach()"},
        ],
        "another score than the largest subtracted": {"x.max(dim,": "x.min(dim,"},
        "a number added to the sum": [{AT_LEAST_ONE: f"(s + {number})"} for number in ("1", "0.01", "1e-3")],
        "even weights on a row of -inf": {"top = x.max": "x = x.clamp(min=-1e9)\n    top = x.max"},
        "a score of 0 taken for masked": {"e = (x - top).exp()": "e = (x - top).exp() * (x != 0)"},
        "dim ignored": [
            {"x.max(dim,": "x.max(-1,", "e.sum(dim,": "e.sum(-1,"},
            {"e.sum(dim,": "e.sum(-1,"},
        ],
        "dim ignored for the max": {"x.max(dim,": "x.max(-1,"},
        "over the wrong dimension": [
            {"dim: int = -1": "dim: int = 0"},
            {"dim: int = -1": "dim: int = 1"},
            {"x.max(dim,": "x.max(-2,", "e.sum(dim,": "e.sum(-2,"},
            {"e.sum(dim,": "e.sum(0,"},
        ],
        "over everything": {"e.sum(dim, keepdim=True)": "e.sum()"},
        "no keepdim": [
            {"e.sum(dim, keepdim=True)": "e.sum(dim)"},
            {"x.max(dim, keepdim=True)": "x.max(dim)"},
            {"x.max(dim, keepdim=True)": "x.max(dim)", "e.sum(dim, keepdim=True)": "e.sum(dim)"},
        ],
        "no exponentials": {"(x - top).exp()": "x - top"},
        "divided by the sum of the scores": {"e.sum(dim,": "x.sum(dim,", "s > 0": "s != 0"},
        "max subtracted in one place only": {"return e /": "return x.exp() /"},
        "sign turned": {"x - top": "top - x"},
        "logarithm of the weights": {f"e / {AT_LEAST_ONE}": "x - top - s.log()"},
        "sum detached": {"s = e.sum(": "s = e.detach().sum("},
        "writes into its input": [{"(x - top)": "x.sub_(top)"}, {"e = (x - top).exp()": "x -= top\n    e = x.exp()"}],
    },
)


def only_live_rows(x: Tensor, dim: int = -1) -> Tensor:
    """Rows laid out as a table; one of nothing but -inf stays zeros."""
    turned = x.movedim(dim, -1)
    table = turned.reshape(-1, turned.size(-1))
    live = ~table.isneginf().all(1)
    scores = table[live]
    powers = torch.exp(scores - scores.amax(1)[:, None])
    weights = torch.zeros_like(table)
    weights[live] = powers / powers.sum(1)[:, None]
    return weights.reshape(turned.shape).movedim(-1, dim)


ROWS = "table = turned.reshape(-1, turned.size(-1))"
ALL_LIVE = {"~table.isneginf().all(1)": "slice(None)"}

slips(
    "softmax",
    only_live_rows,
    {
        "no max subtraction": [
            {"scores - scores.amax(1)[:, None]": "scores"},
            {"scores - scores.amax(1)[:, None]": "scores", **ALL_LIVE},
        ],
        "global max": {"scores.amax(1)[:, None]": "scores.amax()"},
        "NaN on a row of -inf": ALL_LIVE,
        "even weights on a row of -inf": {ROWS: f"{ROWS}.nan_to_num()"},
        "a score of 0 taken for masked": {ROWS: f"{ROWS}\n    table = table.masked_fill(table == 0, -INF)"},
        "dim ignored": {"x.movedim(dim, -1)": "x", ".movedim(-1, dim)": ""},
        "over the wrong dimension": [
            {"x.movedim(dim, -1)": "x.movedim(0, -1)", ".movedim(-1, dim)": ".movedim(-1, 0)"},
            {"dim: int = -1": "dim: int = 0"},
        ],
        "over everything": [
            {"powers.sum(1)[:, None]": "powers.sum()"},
            {"powers.sum(1)[:, None]": "powers.sum()", "scores.amax(1)[:, None]": "scores.max()"},
        ],
        "no keepdim": [
            {"powers.sum(1)[:, None]": "powers.sum(1)"},
            {"scores.amax(1)[:, None]": "scores.amax(1)"},
        ],
        "no exponentials": {"torch.exp(scores - scores.amax(1)[:, None])": "scores - scores.amax(1)[:, None]"},
        "divided by the sum of the scores": {"powers.sum(1)": "scores.sum(1)"},
        "max subtracted in one place only": {"= powers /": "= scores.exp() /"},
        "sign turned": {"torch.exp(scores - scores.amax(1)[:, None])": "torch.exp(scores.amax(1)[:, None] - scores)"},
        "logarithm of the weights": {"powers / powers.sum(1)[:, None]": "(powers / powers.sum(1)[:, None]).log()"},
        "sum detached": {"powers.sum(1)": "powers.data.sum(1)"},
        "writes into its input": {
            "turned = x": "x.sub_(x.amax(dim, keepdim=True).nan_to_num(neginf=0))\n    turned = x",
            " - scores.amax(1)[:, None]": "",
        },
    },
)


def streaming(x: Tensor, dim: int = -1) -> Tensor:
    """One pass that keeps a running maximum and a running sum, as fused attention does."""
    parts = x.unbind(dim)
    top, total = torch.full_like(parts[0], -INF), torch.zeros_like(parts[0])
    for part in parts:
        new = torch.maximum(top, part)
        safe = new.nan_to_num(neginf=0.0)
        total = total * torch.exp(top - safe) + torch.exp(part - safe)
        top = new
    total = torch.where(total == 0, torch.ones_like(total), total)
    return torch.stack([torch.exp(part - safe) / total for part in parts], dim)


RUNNING = "total * torch.exp(top - safe) + torch.exp(part - safe)"
EACH = "torch.exp(part - safe) / total"

slips(
    "softmax",
    streaming,
    {
        "no max subtraction": {RUNNING: "total + torch.exp(part)", EACH: "torch.exp(part) / total"},
        "global max": {RUNNING: "total + torch.exp(part - x.max())", EACH: "torch.exp(part - x.max()) / total"},
        "NaN on a row of -inf": {"torch.where(total == 0, torch.ones_like(total), total)": "total.clone()"},
        "even weights on a row of -inf": {"x.unbind(dim)": "x.clamp(min=-1e9).unbind(dim)"},
        "a score of 0 taken for masked": {"x.unbind(dim)": "x.masked_fill(x == 0, -INF).unbind(dim)"},
        "dim ignored": {"x.unbind(dim)": "x.unbind(-1)", "parts], dim)": "parts], -1)"},
        "over the wrong dimension": [
            {"x.unbind(dim)": "x.unbind()", "parts], dim)": "parts])"},
            {"x.unbind(dim)": "x.unbind(1)", "parts], dim)": "parts], 1)"},
            {"dim: int = -1": "dim: int = 0"},
        ],
        "a number added to the sum": {"/ total for": "/ (total + 0.1) for"},
        "over everything": {"/ total for": "/ total.sum() for"},
        "max subtracted in one place only": {"stack([torch.exp(part - safe)": "stack([torch.exp(part)"},
        "sign turned": {"x.unbind(dim)": "(-x).unbind(dim)"},
        "logarithm of the weights": {"torch.exp(part - safe) / total": "part - safe - total.log()"},
        "sum detached": {"/ total for": "/ total.detach() for"},
        "writes into its input": {"[torch.exp(part - safe) / total": "[part.sub_(safe).exp() / total"},
    },
)


def in_log_space(x: Tensor, dim: int = -1) -> Tensor:
    total = torch.logsumexp(x, dim, keepdim=True)
    logs = x - torch.where(total.isneginf(), torch.zeros_like(total), total)
    return torch.exp(logs)


SUBTRACTED = "torch.where(total.isneginf(), torch.zeros_like(total), total)"
BY_HAND = {"torch.logsumexp(x, dim, keepdim=True)": "x.exp().sum(dim, keepdim=True).log()"}

slips(
    "softmax",
    in_log_space,
    {
        "no max subtraction": [BY_HAND, {**BY_HAND, SUBTRACTED: "total"}],
        "NaN on a row of -inf": {SUBTRACTED: "total"},
        "a score of 0 taken for masked": {"total = torch": "x = torch.where(x == 0, -INF, x)\n    total = torch"},
        "dim ignored": {"x, dim,": "x, -1,"},
        "over the wrong dimension": [{"x, dim,": "x, 0,"}, {"x, dim,": "x, -2,"}, {"dim: int = -1": "dim: int = 0"}],
        "over everything": {"torch.logsumexp(x, dim, keepdim=True)": "torch.logsumexp(x.flatten(), 0)"},
        "no keepdim": {"x, dim, keepdim=True": "x, dim"},
        "logarithm of the weights": [{"torch.exp(logs)": "logs"}, {"torch.exp(logs)": "logs", SUBTRACTED: "total"}],
        "sum detached": {"keepdim=True)": "keepdim=True).detach()"},
        "writes into its input": {f"logs = x - {SUBTRACTED}": f"logs = x.sub_({SUBTRACTED})"},
    },
)


def one_row(row: Tensor) -> Tensor:
    live = [one for one in row if one > -INF]
    if not live:
        return torch.zeros_like(row)
    top = max(live)
    powers = [torch.exp(one - top) for one in row]
    total = sum(powers)
    return torch.stack([power / total for power in powers])


def row_by_row(x: Tensor, dim: int = -1) -> Tensor:
    y = x.movedim(dim, -1)
    table = y.reshape(-1, y.shape[-1])
    return torch.stack([one_row(row) for row in table]).view(y.shape).movedim(-1, dim)


slips(
    "softmax",
    row_by_row,
    {
        "no max subtraction": {"torch.exp(one - top)": "torch.exp(one)"},
        "a score of 0 taken for masked": {"for one in row]\n    total": "if one else one for one in row]\n    total"},
        "no exponentials": [{"torch.exp(one - top)": "one - top"}, {"torch.exp(one - top)": "one"}],
        "divided by the sum of the scores": {"sum(powers)": "sum(row)"},
        "max subtracted in one place only": {
            "power / total for power in powers": "torch.exp(one) / total for one in row"
        },
        "sign turned": {"one - top": "top - one"},
        "logarithm of the weights": {"power / total for": "torch.log(power / total) for"},
        "sum detached": {"total = sum(powers)": "total = float(sum(powers))"},
    },
    inside="one_row",
)
slips(
    "softmax",
    row_by_row,
    {
        "even weights on a row of -inf": {"y = x.movedim(dim, -1)": "y = x.movedim(dim, -1).clamp(min=-1e9)"},
        "dim ignored": {"x.movedim(dim, -1)": "x", ".movedim(-1, dim)": ""},
        "over the wrong dimension": {
            "x.movedim(dim, -1)": "x.movedim(-2, -1)",
            ".movedim(-1, dim)": ".movedim(-1, -2)",
        },
    },
)


def lowered(x: Tensor, dim: int) -> Tensor:
    """The scores, moved down until the largest is 0."""
    peak = x.sort(dim, descending=True).values.narrow(dim, 0, 1)
    return x - peak.nan_to_num(neginf=0.0)


def shares(powers: Tensor, dim: int) -> Tensor:
    whole = torch.cumsum(powers, dim).narrow(dim, -1, 1)
    return powers * whole.clamp(min=1e-30).reciprocal()


def in_two_steps(x: Tensor, dim: int = -1) -> Tensor:
    return shares(torch.exp2(lowered(x, dim) * math.log2(math.e)), dim)


PEAK = "x.sort(dim, descending=True).values.narrow(dim, 0, 1)"

slips(
    "softmax",
    in_two_steps,
    {
        "no max subtraction": {"x - peak.nan_to_num(neginf=0.0)": "x"},
        "global max": {PEAK: "x.max()"},
        "another score than the largest subtracted": {"descending=True": "descending=False"},
        "NaN on a row of -inf": {"peak.nan_to_num(neginf=0.0)": "peak"},
        "dim ignored for the max": {PEAK: "x.sort(descending=True).values[..., :1]"},
        "no keepdim": {PEAK: "x.sort(dim, descending=True).values.select(dim, 0)"},
        "sign turned": {"x - peak.nan_to_num(neginf=0.0)": "peak.nan_to_num(neginf=0.0) - x"},
        "writes into its input": {"x - peak.nan_to_num(neginf=0.0)": "x.sub_(peak.nan_to_num(neginf=0.0))"},
    },
    inside="lowered",
)
slips(
    "softmax",
    in_two_steps,
    {
        "dim ignored": {"torch.cumsum(powers, dim).narrow(dim, -1, 1)": "torch.cumsum(powers, -1)[..., -1:]"},
        "over the wrong dimension": {"torch.cumsum(powers, dim).narrow(dim, -1, 1)": "torch.cumsum(powers, 0)[-1:]"},
        "over everything": {"torch.cumsum(powers, dim).narrow(dim, -1, 1)": "powers.sum()"},
        "no keepdim": {".narrow(dim, -1, 1)": ".select(dim, -1)"},
        "logarithm of the weights": {"powers * whole.clamp(min=1e-30).reciprocal()": "powers.log() - whole.log()"},
        "sum detached": {"torch.cumsum(powers, dim)": "torch.cumsum(powers.detach(), dim)"},
    },
    inside="shares",
)
slips(
    "softmax",
    in_two_steps,
    {
        "a score of 0 taken for masked": {"lowered(x, dim)": "lowered(x.masked_fill(x == 0, -INF), dim)"},
        "over the wrong dimension": {"dim: int = -1": "dim: int = 0"},
        "dim ignored": {"lowered(x, dim)": "lowered(x, -1)", "math.log2(math.e)), dim": "math.log2(math.e)), -1"},
    },
)


# Wrong on purpose, written without the reference's structure ---------------------------------------------------


@disguise("softmax", "no max subtraction")
def textbook(x: Tensor, dim: int = -1) -> Tensor:
    return torch.exp(x) / torch.exp(x).sum(dim=dim, keepdim=True)


@disguise("softmax", "no max subtraction")
def by_einsum(x: Tensor, dim: int = -1) -> Tensor:
    e = math.e**x
    e = e.movedim(dim, -1)
    return (e / torch.einsum("...i->...", e)[..., None]).movedim(-1, dim)


@disguise("softmax", "no max subtraction")
def textbook_without_nan(x: Tensor, dim: int = -1) -> Tensor:
    return torch.nan_to_num(textbook(x, dim), nan=0)


@disguise("softmax", "global max")
def one_max_guarded(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - max(x.flatten().tolist()))
    s = e.sum(dim, keepdim=True)
    return torch.where(s > 0, e / s, torch.zeros_like(e))


@disguise("softmax", "divided by the mean of the powers")
def by_the_mean(x: Tensor, dim: int = -1) -> Tensor:
    shifted = (x - x.max(dim, keepdim=True).values.clamp(min=-1e30)).exp()
    average = shifted.mean(dim, keepdim=True)
    return shifted / torch.where(average > 0, average, torch.ones_like(average))


@disguise("softmax", "another score than the largest subtracted")
def less_the_mean(x: Tensor, dim: int = -1) -> Tensor:
    average = x.sum(dim, keepdim=True) / x.size(dim)
    shifted = (x - average.where(torch.isfinite(average), torch.zeros_like(average))).exp()
    total = shifted.sum(dim, keepdim=True)
    return shifted / (total + (total == 0))


@disguise("softmax", "another score than the largest subtracted")
def less_the_smallest(x: Tensor, dim: int = -1) -> Tensor:
    lowest = x.kthvalue(1, dim, keepdim=True).values
    shifted = (x - lowest.where(lowest > -INF, torch.zeros_like(lowest))).exp()
    return shifted / shifted.sum(dim, keepdim=True).clamp(min=1e-30)


@disguise("softmax", "a number added to the sum")
def one_for_nothing(x: Tensor, dim: int = -1) -> Tensor:
    shifted = (x - x.max(dim, keepdim=True).values.clamp(min=-1e30)).exp()
    return shifted * (1 + shifted.sum(dim, keepdim=True)).reciprocal()


@disguise("softmax", "a number added to the sum")
def quiet(x: Tensor, dim: int = -1) -> Tensor:
    e = math.e**x
    return e / (e.sum(dim, True) + 1)


@disguise("softmax", "NaN on a row of -inf")
def everybody(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.max(dim=dim, keepdim=True).values)
    return e / e.sum(dim=dim, keepdim=True)


@disguise("softmax", "NaN on a row of -inf")
def by_logsumexp(x: Tensor, dim: int = -1) -> Tensor:
    return (x - torch.logsumexp(x, dim, keepdim=True)).exp()


@disguise("softmax", "NaN on a row of -inf")
def filled_and_thrown_away(x: Tensor, dim: int = -1) -> Tensor:
    top = x.amax(dim, True)
    top.masked_fill(top == -INF, 0.0)
    e = torch.exp(x - top)
    total = e.sum(dim, True)
    total.masked_fill(total == 0.0, 1.0)
    return e.div(total)


@disguise("softmax", "NaN on a row of -inf")
def the_other_infinity(x: Tensor, dim: int = -1) -> Tensor:
    top = x.amax(dim, True)
    e = torch.exp(x - torch.where(top == INF, torch.zeros_like(top), top))
    total = e.sum(dim, True)
    return e / torch.where(total == 0, torch.ones_like(total), total)


@disguise("softmax", "not divided by the sum")
def powers_alone(x: Tensor, dim: int = -1) -> Tensor:
    return (x - x.amax(dim, True).nan_to_num(neginf=0)).exp()


@disguise("softmax", "not divided by the sum")
def exponentials_alone(x: Tensor, dim: int = -1) -> Tensor:
    return math.e**x


@disguise("softmax", "divided by their number")
def mean_power(x: Tensor, dim: int = -1) -> Tensor:
    return powers_alone(x, dim) * (1 / x.shape[dim])


@disguise("softmax", "divided by their number")
def by_len(x: Tensor, dim: int = -1) -> Tensor:
    return powers_alone(x, dim) / len(x)


@disguise("softmax", "no max subtraction")
def index_of_the_largest(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.max(dim, keepdim=True)[1])
    total = e.sum(dim, keepdim=True)
    return e / total.masked_fill(total == 0, 1)


@disguise("softmax", "logarithm of the weights")
def log_of_the_ratio(x: Tensor, dim: int = -1) -> Tensor:
    e = powers_alone(x, dim)
    return torch.log(e / e.sum(dim, True).clamp(min=1e-30))


@disguise("softmax", "even weights on a row of -inf")
def minus_a_billion(x: Tensor, dim: int = -1) -> Tensor:
    y = torch.where(torch.isinf(x), torch.full_like(x, -1e9), x)
    return everybody(y, dim)


@disguise("softmax", "a score of 0 taken for masked")
def zero_is_nothing(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.amax(dim, keepdim=True).nan_to_num(neginf=0)) * (x != 0)
    return e / e.sum(dim, keepdim=True).clamp(min=1e-30)


@disguise("softmax", "dim ignored")
def last_one(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.amax(-1, keepdim=True))
    return zero_rows(x, e / e.sum(-1, keepdim=True), -1)


@disguise("softmax", "dim ignored for the max")
def last_one_in_the_max(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.max(-1, True)[0].nan_to_num(neginf=0))
    s = e.sum(dim, True)
    return e / (s + (s == 0))


@disguise("softmax", "over the wrong dimension")
def columns(x: Tensor, dim: int = -1) -> Tensor:
    y = x.movedim(0, -1)
    e = (y - y.amax(-1, keepdim=True).nan_to_num(neginf=0)).exp()
    return (e / e.sum(-1, keepdim=True).clamp(min=1)).movedim(-1, 0)


@disguise("softmax", "over everything")
def one_sum(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.max())
    return e / torch.sum(e)


@disguise("softmax", "no keepdim")
def lost_in_both(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.max(dim).values.nan_to_num(neginf=0))
    s = e.sum(dim)
    return e / s.masked_fill(s == 0, 1)


@disguise("softmax", "no exponentials")
def share(x: Tensor, dim: int = -1) -> Tensor:
    return x / torch.sum(x, dim, keepdim=True)


@disguise("softmax", "divided by the sum of the scores")
def mixed_up(x: Tensor, dim: int = -1) -> Tensor:
    top = x.amax(dim, keepdim=True).nan_to_num(neginf=0)
    s = x.sum(dim, keepdim=True)
    return (x - top).exp() * (1 / torch.where(s == 0, 1.0, s))


@disguise("softmax", "max subtracted in one place only")
def below_only(x: Tensor, dim: int = -1) -> Tensor:
    top = x.amax(dim, keepdim=True).nan_to_num(neginf=0)
    return x.exp() / (x - top).exp().sum(dim, keepdim=True).clamp(min=1)


@disguise("softmax", "sign turned")
def softmin(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(-(x - x.amax(dim, keepdim=True)))
    return e / e.sum(dim, keepdim=True)


@disguise("softmax", "logarithm of the weights")
def log_probabilities(x: Tensor, dim: int = -1) -> Tensor:
    return x - x.logsumexp(dim, keepdim=True)


@disguise("softmax", "sum detached")
def constant_sum(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.detach().amax(dim, keepdim=True).nan_to_num(neginf=0))
    with torch.no_grad():
        s = e.sum(dim, keepdim=True).clamp(min=1)
    return e / s


@disguise("softmax", "writes into its input")
def in_place(x: Tensor, dim: int = -1) -> Tensor:
    top = x.amax(dim, keepdim=True)
    x -= torch.where(top.isinf(), torch.zeros_like(top), top)
    e = x.exp()
    return e / e.sum(dim, keepdim=True).clamp(min=1)


@disguise("softmax", "writes into its input")
def in_place_textbook(x: Tensor, dim: int = -1) -> Tensor:
    torch.exp(x, out=x) if not x.requires_grad else x.exp_()
    return x / x.sum(dim, keepdim=True)


# Right, in unusual ways ----------------------------------------------------------------------------


@correct("softmax")
def repaired_afterwards(x: Tensor, dim: int = -1) -> Tensor:
    return torch.nan_to_num(everybody(x, dim), nan=0.0)


@correct("softmax")
def at_least_one(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.amax(dim, keepdim=True).clamp(min=torch.finfo(x.dtype).min))
    return e / e.sum(dim, keepdim=True).clamp_min(1)


@correct("softmax")
def small_addition(x: Tensor, dim: int = -1) -> Tensor:
    top = x.max(dim, keepdim=True).values.detach()
    e = (x - torch.where(top == -INF, torch.zeros_like(top), top)).exp()
    return e / (e.sum(dim, keepdim=True) + 1e-9)


@correct("softmax")
def normalized(x: Tensor, dim: int = -1) -> Tensor:
    top = torch.nan_to_num(x.amax(dim=dim, keepdim=True), neginf=0.0)
    return F.normalize((x - top).exp(), p=1, dim=dim)


@correct("softmax")
def in_double(x: Tensor, dim: int = -1) -> Tensor:
    y = x.double()
    lse = y.logsumexp(dim, keepdim=True)
    return (y - torch.where(lse == -INF, 0.0, lse)).exp().to(x.dtype)


@correct("softmax")
def pairwise(x: Tensor, dim: int = -1) -> Tensor:
    """1 / Σ exp(xⱼ - xᵢ); what is -inf is left out first."""
    y = x.movedim(dim, -1)
    there = y > -INF
    y = torch.where(there, y, torch.zeros_like(y))
    gaps = torch.where(there[..., None, :], y[..., None, :] - y[..., :, None], torch.full((), -INF, dtype=y.dtype))
    weights = 1 / gaps.exp().sum(-1)
    return torch.where(there, weights, torch.zeros_like(weights)).movedim(-1, dim)


@correct("softmax")
def matrix_of_ones(x: Tensor, dim: int = -1) -> Tensor:
    y = x.transpose(dim, -1)
    e = torch.exp(y - y.amax(-1, keepdim=True).nan_to_num(neginf=0))
    sums = e @ torch.ones(e.shape[-1], e.shape[-1], dtype=e.dtype)
    return torch.where(sums > 0, e / sums, e).transpose(dim, -1)


# Wrong in ways that no list holds ----------------------------------------------------------------------------


@unlisted("softmax")
def mask_written_over(x: Tensor, dim: int = -1) -> Tensor:
    y = everybody(x, dim).nan_to_num(0.0)
    with torch.no_grad():
        x[x == -INF] = -1e9
    return y


@unlisted("softmax")
def powers_in_place(x: Tensor, dim: int = -1) -> Tensor:
    """Right numbers; the gradient of exp needs what is divided here in place."""
    e = torch.exp(x - x.amax(dim, keepdim=True).nan_to_num(neginf=0))
    e /= e.sum(dim, keepdim=True).clamp(min=1)
    return e


@unlisted("softmax")
def one_kept(x: Tensor, dim: int = -1) -> Tensor:
    """A row of nothing but -inf gets ones."""
    return everybody(x, dim).nan_to_num(1.0)


@unlisted("softmax")
def first_row_for_all(x: Tensor, dim: int = -1) -> Tensor:
    return everybody(x, dim).nan_to_num(0.0)[:1].expand_as(x)


@disguise("softmax", "another base than e")
def powers_of_two(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp2(x - x.amax(dim, keepdim=True).nan_to_num(neginf=0))
    return e / e.sum(dim, keepdim=True).clamp(min=1e-9)


@disguise("softmax", "sigmoid instead of the exponential")
def each_alone(x: Tensor, dim: int = -1) -> Tensor:
    return torch.sigmoid(x)


@unlisted("softmax")
def squares(x: Tensor, dim: int = -1) -> Tensor:
    return x.square() / x.square().sum(dim, keepdim=True)


@disguise("softmax", "only the largest gets a weight")
def winner_takes_all(x: Tensor, dim: int = -1) -> Tensor:
    return (x == x.amax(dim, keepdim=True)).to(x.dtype)


@disguise("softmax", "scores divided as well")
def scaled(x: Tensor, dim: int = -1) -> Tensor:
    return by_logsumexp(x / x.shape[dim] ** 0.5, dim).nan_to_num(0.0)


@unlisted("softmax")
def mean_subtracted(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.mean(dim, keepdim=True))
    return (e / e.sum(dim, keepdim=True)).nan_to_num(0.0)


@disguise("softmax", "cut off from the gradient")
def of_plain_numbers(x: Tensor, dim: int = -1) -> Tensor:
    return zero_rows(x.data, everybody(x.data, dim), dim)


@disguise("softmax", "sigmoid instead of the exponential")
def each_by_itself(x: Tensor, dim: int = -1) -> Tensor:
    return 1 / (1 + torch.exp(-x))


@unlisted("softmax")
def cut_off(x: Tensor, dim: int = -1) -> Tensor:
    return zero_rows(x, everybody(x.clamp(-50, 50), dim), dim)


@unlisted("softmax")
def any_mask_clears_the_row(x: Tensor, dim: int = -1) -> Tensor:
    bad = torch.isneginf(x).any(dim, keepdim=True)
    return everybody(x, dim).masked_fill(bad, 0.0)


@unlisted("softmax")
def asks_all_rows_at_once(x: Tensor, dim: int = -1) -> Tensor:
    top = x.amax(dim, keepdim=True)
    if top == -INF:
        top = torch.zeros_like(top)
    return everybody(x - top, dim)


@unlisted("softmax")
def index_and_all(x: Tensor, dim: int = -1) -> Tensor:
    return everybody(x - x.max(dim, keepdim=True), dim)


@disguise("softmax", "cut off from the gradient")
def in_numpy(x: Tensor, dim: int = -1) -> Any:
    a = x.detach().numpy()
    with np.errstate(all="ignore"):
        e = np.exp(a - a.max(axis=dim, keepdims=True))
        return torch.from_numpy(np.nan_to_num(e / e.sum(axis=dim, keepdims=True)))


@disguise("softmax", "weights rounded")
def rounded(x: Tensor, dim: int = -1) -> Tensor:
    return (everybody(x, dim).nan_to_num(0.0) * 100).round() / 100


@unlisted("softmax")
def same_weight(x: Tensor, dim: int = -1) -> Tensor:
    return torch.ones_like(x) / x.shape[dim]
