"""Clipping."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from tests.variants import correct, disguise, unlisted

CLIP = "clip_gradients_"


def clip(kind: Any) -> Any:
    """A clip from a function of (list of gradients, max_norm)."""

    def add(core: Callable[..., Any]) -> Any:
        @kind
        def clip_gradients_(parameters: Any, max_norm: float) -> Any:
            return core([p.grad for p in parameters if p.grad is not None], max_norm)

        return core

    return add


def length(gs: list[Tensor]) -> float:
    """The length of all of them as one vector."""
    return float(torch.cat([torch.zeros(1), *[g.flatten() for g in gs]]).norm())


def scale(gs: list[Tensor], factor: float) -> None:
    """All of them times one factor."""
    for g in gs:
        g *= factor


@clip(disguise(CLIP, "each parameter on its own"))
def k_each(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    for g in gs:
        own = g.pow(2).sum().sqrt().item()
        if own > top:
            g.mul_(top / own)
    return before


@clip(disguise(CLIP, "numbers are cut, not the length"))
def k_cut(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    for g in gs:
        g.copy_(torch.minimum(torch.maximum(g, torch.tensor(-top)), torch.tensor(top)))
    return before


@clip(disguise(CLIP, "no root"))
def k_no_root(gs: list[Tensor], top: float) -> Any:
    total = length(gs) ** 2
    scale(gs, top / total if total > top else 1)
    return total


@clip(disguise(CLIP, "lengths are added up"))
def k_added(gs: list[Tensor], top: float) -> Any:
    total = 0.0
    for g in gs:
        total += g.norm().item()
    scale(gs, min(1, top / (total + 1e-9)))
    return total


@clip(disguise(CLIP, "the largest number, not the length"))
def k_inf(gs: list[Tensor], top: float) -> Any:
    total = max((g.abs().max().item() for g in gs), default=0.0)
    scale(gs, min(1, top / (total + 1e-9)))
    return total


@clip(disguise(CLIP, "the sum of the absolute values"))
def k_l1(gs: list[Tensor], top: float) -> Any:
    total = float(sum(g.norm(p=1).item() for g in gs))
    scale(gs, min(1, top / (total + 1e-9)))
    return total


@clip(disguise(CLIP, "the mean, not the sum, of the squares"))
def k_rms(gs: list[Tensor], top: float) -> Any:
    flat = torch.cat([torch.zeros(0), *[g.reshape(-1) for g in gs]])
    total = flat.square().mean().sqrt().item() if len(flat) else 0.0
    scale(gs, min(1, top / (total + 1e-9)))
    return total


@clip(disguise(CLIP, "short gradients are made longer"))
def k_longer(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    scale(gs, top / (before + 1e-6))
    return before


@clip(disguise(CLIP, "short gradients are made longer"))
def k_longer_divides(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    for g in gs:
        g.mul_(top / before)
    return before


@clip(disguise(CLIP, "the length afterwards is returned"))
def k_after(gs: list[Tensor], top: float) -> Any:
    scale(gs, min(1, top / (length(gs) + 1e-9)))
    return length(gs)


@clip(disguise(CLIP, "the factor is returned"))
def k_factor(gs: list[Tensor], top: float) -> Any:
    factor = min(1.0, top / (length(gs) + 1e-9))
    scale(gs, factor)
    return factor


@clip(disguise(CLIP, "no length is returned"))
def k_nothing(gs: list[Tensor], top: float) -> Any:
    scale(gs, min(1, top / (length(gs) + 1e-9)))


@clip(disguise(CLIP, "a tensor, not a number"))
def k_tensor(gs: list[Tensor], top: float) -> Any:
    total = sum((g.square().sum() for g in gs), torch.zeros(())).sqrt()
    scale(gs, (top / (total + 1e-6)).clamp(max=1))
    return total


@clip(disguise(CLIP, "the factor is upside down"))
def k_upside(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    if before > top:
        scale(gs, before / top)
    return before


@clip(disguise(CLIP, "shortened to 1"))
def k_one(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    if before > top:
        scale(gs, 1 / before)
    return before


@clip(disguise(CLIP, "not in place"))
def k_not_in_place(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    if before > top:
        gs = [g * top / before for g in gs]
    return before


@disguise(CLIP, "a parameter without a gradient")
def k_none(parameters: Any, max_norm: float) -> Any:
    gs = [p.grad for p in parameters]
    before = math.sqrt(sum((g * g).sum().item() for g in gs))
    scale(gs, min(1, max_norm / (before + 1e-9)))
    return before


@disguise(CLIP, "parameters are read twice")
def k_twice(parameters: Any, max_norm: float) -> Any:
    squares = 0.0
    for p in parameters:
        if p.grad is not None:
            squares += p.grad.pow(2).sum().item()
    before = squares**0.5
    for p in parameters:
        if p.grad is not None:
            p.grad *= min(1.0, max_norm / (before + 1e-9))
    return before


@disguise(CLIP, "parameters are shortened, not gradients")
def k_parameters(parameters: Any, max_norm: float) -> Any:
    having = [p for p in parameters if p.grad is not None]
    before = length([p.grad for p in having])
    if before > max_norm:
        with torch.no_grad():
            for p in having:
                p.mul_(max_norm / before)
    return before


@clip(correct(CLIP))
def kr_flat(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    scale(gs, min(1.0, top / max(before, 1e-30)))
    return before


@clip(correct(CLIP))
def kr_as_torch(gs: list[Tensor], top: float) -> Any:
    before = float(torch.tensor([g.norm() for g in gs]).norm()) if gs else 0.0
    factor = min(1.0, top / (before + 1e-6))
    for g in gs:
        g.detach().mul_(factor)
    return before


@correct(CLIP)
def kr_new_gradients(parameters: Any, max_norm: float) -> Any:
    having = [p for p in parameters if p.grad is not None]
    before = math.hypot(*[p.grad.norm().item() for p in having])
    for p in having:
        p.grad = p.grad * (max_norm / before) if before > max_norm else p.grad
    return before


@clip(correct(CLIP))
def kr_numpy(gs: list[Tensor], top: float) -> Any:
    before = float(np.sqrt(sum(float((g.numpy() ** 2).sum()) for g in gs)))
    if before >= top:
        [g.div_(before / top) for g in gs]
    return before


@clip(correct(CLIP))
def kr_torchs_length(gs: list[Tensor], top: float) -> Any:
    before = nn.utils.get_total_norm(gs)
    for g in gs:
        g.mul_((top / before).clamp(max=1.0))
    return before.item()


@correct(CLIP)
def kr_tee(parameters: Any, max_norm: float) -> Any:
    first, second = itertools.tee(p for p in parameters if p.grad is not None)
    before = sum(torch.vdot(p.grad.flatten(), p.grad.flatten()).item() for p in first) ** 0.5
    for p in second:
        p.grad.data.mul_(max_norm / max(before, max_norm))
    return before


@clip(correct(CLIP))
def kr_foreach(gs: list[Tensor], top: float) -> Any:
    if not gs:
        return 0.0
    before = torch.stack(torch._foreach_norm(gs)).norm().item()
    torch._foreach_mul_(gs, min(1.0, top / (before + 1e-12)))
    return before


@clip(unlisted(CLIP))
def ku_first_gradient(gs: list[Tensor], top: float) -> Any:
    before = length(gs[:1])
    if before > top:
        scale(gs, top / before)
    return before


@clip(unlisted(CLIP))
def ku_times_max(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    if before > top:
        scale(gs, top)
    return before


@clip(unlisted(CLIP))
def ku_zeroed(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    if before > top:
        scale(gs, 0.0)
    return before


@clip(unlisted(CLIP))
def ku_shrinking(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    for g in gs:
        g.mul_(min(1.0, top / (length(gs) + 1e-9)))
    return before


@clip(unlisted(CLIP))
def ku_large_eps(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    scale(gs, min(1.0, top / (before + 0.1)))
    return before


@clip(unlisted(CLIP))
def ku_all_but_last(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    if before > top:
        scale(gs[:-1], top / before)
    return before


def having(parameters: Any) -> list[nn.Parameter]:
    return [p for p in parameters if p.grad is not None]


@disguise(CLIP, "each parameter on its own")
def k_last_told(parameters, max_norm):
    length = 0.0
    for p in having(parameters):
        length = torch.linalg.vector_norm(p.grad).item()
        p.grad *= max_norm / max(length, max_norm)
    return length


@disguise(CLIP, "the longest gradient's length")
def k_longest(parameters, max_norm):
    rest = having(parameters)
    length = max((p.grad.norm().item() for p in rest), default=0.0)
    for p in rest:
        p.grad *= max_norm / max(length, max_norm)
    return length


@disguise(CLIP, "the length of the parameters")
def k_of_parameters(parameters, max_norm):
    rest = having(parameters)
    length = torch.cat([p.data.flatten() for p in rest]).norm().item() if rest else 0.0
    for p in rest:
        p.grad *= max_norm / max(length, max_norm)
    return length


@disguise(CLIP, "the mean, not the sum, of the squares")
def k_mean_of_each(parameters, max_norm):
    rest = having(parameters)
    length = sum(p.grad.pow(2).mean().item() for p in rest) ** 0.5
    for p in rest:
        p.grad *= max_norm / max(length, max_norm)
    return length


@disguise(CLIP, "the wrong ones are scaled")
def k_only_short(parameters, max_norm):
    rest = having(parameters)
    length = math.hypot(*(p.grad.norm().item() for p in rest))
    if length < max_norm and length:
        for p in rest:
            p.grad *= max_norm / length
    return length


@disguise(CLIP, "numbers are cut, not the length + the length afterwards is returned")
def k_cut_and_measured(parameters, max_norm):
    rest = having(parameters)
    for p in rest:
        p.grad.clamp_(-max_norm, max_norm)
    return math.hypot(*(p.grad.norm().item() for p in rest))


@disguise(CLIP, "short gradients are made longer")
def k_compared_with_one(parameters, max_norm):
    rest = having(parameters)
    length = math.hypot(*(p.grad.norm().item() for p in rest))
    if length > 1:
        for p in rest:
            p.grad *= max_norm / length
    return length


@unlisted(CLIP)
def k_compared_with_the_square(parameters, max_norm):
    rest = having(parameters)
    length = math.hypot(*(p.grad.norm().item() for p in rest))
    if length > max_norm**2:
        for p in rest:
            p.grad *= max_norm / length
    return length
