"""Lesson 00."""

import math
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.variants import correct, disguise, unlisted

INF = float("inf")


def zero_rows(x: Tensor, y: Tensor, dim: int) -> Tensor:
    """`y` with zeros where all of `x` along `dim` is -inf."""
    return torch.where(torch.isneginf(x).all(dim, True), torch.zeros_like(y), y)


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
def textbook_guarded(x: Tensor, dim: int = -1) -> Tensor:
    e = x.exp()
    return zero_rows(x, e.div(e.sum(dim, True)), dim)


@disguise("softmax", "no max subtraction")
def textbook_without_nan(x: Tensor, dim: int = -1) -> Tensor:
    return torch.nan_to_num(textbook(x, dim), nan=0)


@disguise("softmax", "no max subtraction")
def textbook_with_eps(x: Tensor, dim: int = -1) -> Tensor:
    return x.exp() / (x.exp().sum(dim, keepdim=True) + 1e-6)


@disguise("softmax", "global max")
def one_max_with_eps(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.max())
    return e / (torch.finfo(x.dtype).eps + e.sum(dim, keepdim=True))


@disguise("softmax", "global max")
def one_max_zero_rows(x: Tensor, dim: int = -1) -> Tensor:
    return zero_rows(x, one_max(x, dim), dim)


@disguise("softmax", "global max")
def one_max(x: Tensor, dim: int = -1) -> Tensor:
    e = (x - torch.max(x)).exp()
    return e / e.sum(dim, keepdim=True)


@disguise("softmax", "global max")
def one_max_guarded(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - max(x.flatten().tolist()))
    s = e.sum(dim, keepdim=True)
    return torch.where(s > 0, e / s, torch.zeros_like(e))


@disguise("softmax", "NaN on a row of -inf")
def everybody(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.max(dim=dim, keepdim=True).values)
    return e / e.sum(dim=dim, keepdim=True)


@disguise("softmax", "NaN on a row of -inf")
def by_logsumexp(x: Tensor, dim: int = -1) -> Tensor:
    return (x - torch.logsumexp(x, dim, keepdim=True)).exp()


@disguise("softmax", "NaN on a row of -inf")
def zero_by_zero(x: Tensor, dim: int = -1) -> Tensor:
    top = torch.nan_to_num(x.amax(dim, keepdim=True), neginf=0.0)
    e = (x - top).exp()
    return e / e.sum(dim, keepdim=True)


@disguise("softmax", "even weights on a row of -inf")
def minus_a_billion(x: Tensor, dim: int = -1) -> Tensor:
    y = torch.where(torch.isinf(x), torch.full_like(x, -1e9), x)
    return everybody(y, dim)


@disguise("softmax", "even weights on a row of -inf")
def finite_input(x: Tensor, dim: int = -1) -> Tensor:
    return everybody(torch.nan_to_num(x), dim)


@disguise("softmax", "no max subtraction")
def log_of_the_sum(x: Tensor, dim: int = -1) -> Tensor:
    return torch.exp(x - x.exp().sum(dim, keepdim=True).log())


@disguise("softmax", "a score of 0 taken for masked")
def zero_is_nothing(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.amax(dim, keepdim=True).nan_to_num(neginf=0)) * (x != 0)
    return e / e.sum(dim, keepdim=True).clamp(min=1e-30)


@disguise("softmax", "dim ignored")
def last_one(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.amax(-1, keepdim=True))
    return zero_rows(x, e / e.sum(-1, keepdim=True), -1)


@disguise("softmax", "dim ignored")
def last_one_in_the_sum(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.max(dim, True)[0].nan_to_num(neginf=0))
    s = e.sum(-1, True)
    return e / (s + (s == 0))


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


@disguise("softmax", "over the wrong dimension")
def last_but_one(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.amax(-2, keepdim=True).nan_to_num(neginf=0))
    return e / e.sum(-2, keepdim=True).clamp(min=1)


@disguise("softmax", "over the wrong dimension")
def first_by_default(x: Tensor, dim: int = 0) -> Tensor:
    e = torch.exp(x - x.amax(dim, keepdim=True).nan_to_num(neginf=0))
    return e / e.sum(dim, keepdim=True).clamp(min=1)


@disguise("softmax", "over everything")
def one_sum(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.max())
    return e / torch.sum(e)


@disguise("softmax", "no keepdim")
def lost_in_the_sum(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.amax(dim, True).nan_to_num(neginf=0))
    s = torch.sum(e, dim)
    return e / torch.where(s == 0, torch.ones_like(s), s)


@disguise("softmax", "no keepdim")
def lost_in_both(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.max(dim).values.nan_to_num(neginf=0))
    s = e.sum(dim)
    return e / s.masked_fill(s == 0, 1)


@disguise("softmax", "no exponentials")
def share(x: Tensor, dim: int = -1) -> Tensor:
    return x / torch.sum(x, dim, keepdim=True)


@disguise("softmax", "no exponentials")
def share_shifted(x: Tensor, dim: int = -1) -> Tensor:
    y = x - x.amax(dim, keepdim=True).nan_to_num(neginf=0)
    s = y.sum(dim, keepdim=True)
    return y / torch.where(s == 0, 1, s)


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
def row_by_row(x: Tensor, dim: int = -1) -> Tensor:
    y = x.movedim(dim, -1)
    rows = []
    for row in y.reshape(-1, y.shape[-1]):
        top = max(one.item() for one in row)
        powers = [one * 0 if top == -INF else torch.exp(one - top) for one in row]
        rows.append(torch.stack([torch.zeros_like(one) if top == -INF else one / sum(powers) for one in powers]))
    return torch.stack(rows).reshape(y.shape).movedim(-1, dim)


@correct("softmax")
def streaming(x: Tensor, dim: int = -1) -> Tensor:
    """One pass that keeps a running maximum and a running sum, as fused attention does."""
    parts = x.unbind(dim)
    top, total = torch.full_like(parts[0], -INF), torch.zeros_like(parts[0])
    for part in parts:
        new = torch.maximum(top, part)
        safe = torch.where(new == -INF, torch.zeros_like(new), new)
        total = total * torch.exp(top - safe) + torch.exp(part - safe)
        top = new
    safe = torch.where(top == -INF, torch.zeros_like(top), top)
    total = torch.where(total == 0, torch.ones_like(total), total)
    return torch.stack([torch.exp(part - safe) / total for part in parts], dim)


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


@correct("softmax")
def swapped_names(x: Tensor, dim: int = -1) -> Tensor:
    x = x - x.sort(dim=dim, descending=True).values.narrow(dim, 0, 1).nan_to_num(neginf=0)
    x = 2 ** (x * math.log2(math.e))
    return x.mul(x.sum(dim, keepdim=True).clamp(min=1).reciprocal())


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


@unlisted("softmax")
def powers_of_two(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp2(x - x.amax(dim, keepdim=True).nan_to_num(neginf=0))
    return e / e.sum(dim, keepdim=True).clamp(min=1e-9)


@unlisted("softmax")
def each_alone(x: Tensor, dim: int = -1) -> Tensor:
    return torch.sigmoid(x)


@unlisted("softmax")
def squares(x: Tensor, dim: int = -1) -> Tensor:
    return x.square() / x.square().sum(dim, keepdim=True)


@unlisted("softmax")
def winner_takes_all(x: Tensor, dim: int = -1) -> Tensor:
    return (x == x.amax(dim, keepdim=True)).to(x.dtype)


@unlisted("softmax")
def scaled(x: Tensor, dim: int = -1) -> Tensor:
    return by_logsumexp(x / x.shape[dim] ** 0.5, dim).nan_to_num(0.0)


@unlisted("softmax")
def mean_subtracted(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.mean(dim, keepdim=True))
    return (e / e.sum(dim, keepdim=True)).nan_to_num(0.0)


@unlisted("softmax")
def cut_off(x: Tensor, dim: int = -1) -> Tensor:
    return zero_rows(x, everybody(x.clamp(-50, 50), dim), dim)


@unlisted("softmax")
def any_mask_clears_the_row(x: Tensor, dim: int = -1) -> Tensor:
    bad = torch.isneginf(x).any(dim, keepdim=True)
    return everybody(x, dim).masked_fill(bad, 0.0)


@unlisted("softmax")
def not_divided(x: Tensor, dim: int = -1) -> Tensor:
    return torch.exp(x - x.amax(dim, keepdim=True).nan_to_num(neginf=0))


@unlisted("softmax")
def in_numpy(x: Tensor, dim: int = -1) -> Any:
    a = x.detach().numpy()
    with np.errstate(all="ignore"):
        e = np.exp(a - a.max(axis=dim, keepdims=True))
        return torch.from_numpy(np.nan_to_num(e / e.sum(axis=dim, keepdims=True)))


@unlisted("softmax")
def rounded(x: Tensor, dim: int = -1) -> Tensor:
    return (everybody(x, dim).nan_to_num(0.0) * 100).round() / 100


@unlisted("softmax")
def same_weight(x: Tensor, dim: int = -1) -> Tensor:
    return torch.ones_like(x) / x.shape[dim]
