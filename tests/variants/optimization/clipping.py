"""Clipping."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from tests.variants import correct, disguise, slips, unlisted

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


@clip(disguise(CLIP, "the root of a sum of lengths"))
def k_root_of_lengths(gs: list[Tensor], top: float) -> Any:
    total = float(sum(g.norm() for g in gs)) ** 0.5
    if total > top:
        scale(gs, top / total)
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
def kr_as_torch(gs: list[Tensor], top: float) -> Any:
    before = float(torch.tensor([g.norm() for g in gs]).norm()) if gs else 0.0
    factor = min(1.0, top / (before + 1e-6))
    for g in gs:
        g.detach().mul_(factor)
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


@clip(disguise(CLIP, "one gradient's length alone"))
def ku_first_gradient(gs: list[Tensor], top: float) -> Any:
    before = length(gs[:1])
    if before > top:
        scale(gs, top / before)
    return before


@clip(disguise(CLIP, "the factor without the length"))
def ku_times_max(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    if before > top:
        scale(gs, top)
    return before


@clip(disguise(CLIP, "summed before it is squared"))
def k_sums(gs: list[Tensor], top: float) -> Any:
    before = abs(float(torch.cat([torch.zeros(1), *[g.flatten() for g in gs]]).sum()))
    scale(gs, top / before if before > top else 1)
    return before


@clip(disguise(CLIP, "scaled before the length is known"))
def k_on_the_way(gs: list[Tensor], top: float) -> Any:
    total = 0.0
    for g in gs:
        total += float(g.flatten() @ g.flatten())
        if total**0.5 > top:
            g.mul_(top / total**0.5)
    return total**0.5


@clip(disguise(CLIP, "a power in the factor"))
def k_squared(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    for _ in range(2):
        scale(gs, min(1.0, top / (before or top)))
    return before


@clip(disguise(CLIP, "not all gradients are scaled"))
def k_last_scaled(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    if before > top:
        gs[-1].mul_(top / before)
    return before


@disguise(CLIP, "a gradient where there was none")
def k_filled(parameters: Any, max_norm: float) -> float:
    gs = []
    for p in parameters:
        if p.grad is None:
            p.grad = p.detach() * 0
        gs.append(p.grad)
    before = length(gs)
    scale(gs, max_norm / before if before > max_norm else 1)
    return before


@clip(disguise(CLIP, "a length of 0 divides by zero"))
def k_over_nothing(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    scale(gs, min(top / before, 1))
    return before


@clip(disguise(CLIP, "no gradient at all stops it"))
def k_nothing_joined(gs: list[Tensor], top: float) -> Any:
    before = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g) for g in gs])).item()
    scale(gs, top / before if before > top else 1)
    return before


@clip(disguise(CLIP, "the square is returned"))
def k_squares_told(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    scale(gs, min(1.0, top / before) if before else 1.0)
    return before * before


@clip(disguise(CLIP, "long gradients are set to 0"))
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
def ku_matrices(gs: list[Tensor], top: float) -> Any:
    wide = [g for g in gs if g.dim() > 1]
    before = length(wide)
    if before > top:
        scale(wide, top / before)
    return before


@clip(unlisted(CLIP))
def ku_large_eps(gs: list[Tensor], top: float) -> Any:
    before = length(gs)
    scale(gs, min(1.0, top / (before + 0.1)))
    return before


@clip(disguise(CLIP, "not all gradients are scaled"))
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


@disguise(CLIP, "a length beside a square")
def k_compared_with_the_square(parameters, max_norm):
    rest = having(parameters)
    length = math.hypot(*(p.grad.norm().item() for p in rest))
    if length > max_norm**2:
        for p in rest:
            p.grad *= max_norm / length
    return length


@clip(correct(CLIP))
def kr_foreach(gs: list[Tensor], top: float) -> Any:
    if not gs:
        return 0.0
    before = torch.stack(torch._foreach_norm(gs)).norm().item()
    torch._foreach_mul_(gs, min(1.0, top / (before + 1e-12)))
    return before


# slips in right code ----------------------------------------------------------------------------


def kr_added_up(parameters: Any, max_norm: float) -> Any:
    """The squares are added up in a loop."""
    having = [p for p in parameters if p.grad is not None]
    squares = 0.0
    for p in having:
        squares += p.grad.pow(2).sum().item()
    length = squares**0.5
    if length > max_norm:
        for p in having:
            p.grad.mul_(max_norm / length)
    return length


slips(
    CLIP,
    kr_added_up,
    {
        "each parameter on its own": [
            {"max_norm / length": "min(1.0, max_norm / p.grad.norm().item())"},
            {"max_norm / length": "max_norm / p.grad.norm()"},
        ],
        "numbers are cut, not the length": {"p.grad.mul_(max_norm / length)": "p.grad.clamp_(-max_norm, max_norm)"},
        "no root": {"squares**0.5": "squares"},
        "the square is returned": {"return length": "return squares"},
        "lengths are added up": {"p.grad.pow(2).sum().item()": "p.grad.norm().item()", "squares**0.5": "squares"},
        "the root of a sum of lengths": [
            {"p.grad.pow(2).sum().item()": "p.grad.norm().item()"},
            {"p.grad.pow(2)": "p.grad.abs()"},
        ],
        "the largest number, not the length": {
            "squares += p.grad.pow(2).sum().item()": "squares = max(squares, p.grad.abs().max().item())",
            "squares**0.5": "squares",
        },
        "the longest gradient's length": {
            "squares += p.grad.pow(2).sum().item()": "squares = max(squares, p.grad.pow(2).sum().item())"
        },
        "the length of the parameters": {"p.grad.pow(2)": "p.pow(2)"},
        "the sum of the absolute values": {"p.grad.pow(2)": "p.grad.abs()", "squares**0.5": "squares"},
        "the mean, not the sum, of the squares": {".sum()": ".mean()"},
        "the wrong ones are scaled": {"length > max_norm": "length < max_norm"},
        "short gradients are made longer": [
            {"if length > max_norm": "if length > 0"},
            {"if length > max_norm": "if True"},
        ],
        "the length afterwards is returned": {"return length": "return min(length, max_norm)"},
        "the factor is returned": {"return length": "return min(1.0, max_norm / length) if length else 1.0"},
        "no length is returned": {"    return length": ""},
        "a tensor, not a number": {".sum().item()": ".sum()"},
        "the factor is upside down": {"max_norm / length": "length / max_norm"},
        "shortened to 1": {"max_norm / length": "1 / length"},
        "not in place": [{"grad.mul_(": "grad.mul("}, {"p.grad.mul_(max_norm / length)": "p.grad * max_norm / length"}],
        "a parameter without a gradient": {" if p.grad is not None": ""},
        "parameters are read twice": {
            "max_norm:\n        for p in having:": (
                "max_norm:\n        for p in (p for p in parameters if p.grad is not None):"
            )
        },
        "parameters are shortened, not gradients": [
            {"p.grad.mul_(": "p.data.mul_("},
            {"p.grad.mul_(max_norm / length)": "p.data *= max_norm / length"},
        ],
        "numbers are cut, not the length + no length is returned": {
            "p.grad.mul_(max_norm / length)": "p.grad.clamp_(-max_norm, max_norm)",
            "    return length": "",
        },
    },
)


def kr_one_vector(parameters: Any, max_norm: float) -> Any:
    """One long vector, and a factor that is never more than 1."""
    gs = [p.grad.detach() for p in parameters if p.grad is not None]
    flat = torch.cat([torch.zeros(0), *(g.flatten() for g in gs)])
    norm = torch.linalg.vector_norm(flat).item()
    scale = min(1.0, max_norm / (norm + 1e-12))
    for g in gs:
        g *= scale
    return norm


slips(
    CLIP,
    kr_one_vector,
    {
        "each parameter on its own": {"g *= scale": "g *= min(1.0, max_norm / (g.norm().item() + 1e-12))"},
        "numbers are cut, not the length": {"g *= scale": "g.clamp_(-max_norm, max_norm)"},
        "no root": {"torch.linalg.vector_norm(flat)": "flat.square().sum()"},
        "lengths are added up": {"torch.linalg.vector_norm(flat).item()": "sum(g.norm().item() for g in gs)"},
        "the root of a sum of lengths": {
            "torch.linalg.vector_norm(flat).item()": "sum(g.norm().item() for g in gs) ** 0.5"
        },
        "the largest number, not the length": [
            {"vector_norm(flat)": "vector_norm(flat, ord=math.inf)"},
            {"torch.linalg.vector_norm(flat).item()": "max((g.abs().max().item() for g in gs), default=0.0)"},
        ],
        "the longest gradient's length": {
            "torch.linalg.vector_norm(flat).item()": "max((g.norm().item() for g in gs), default=0.0)"
        },
        "the sum of the absolute values": {"vector_norm(flat)": "vector_norm(flat, ord=1)"},
        "the mean, not the sum, of the squares": {"torch.linalg.vector_norm(flat)": "flat.square().mean().sqrt()"},
        "the wrong ones are scaled": {"min(1.0": "max(1.0"},
        "short gradients are made longer": {"min(1.0, max_norm / (norm + 1e-12))": "max_norm / (norm + 1e-12)"},
        "the length afterwards is returned": [{"return norm": "return norm * scale"}],
        "the factor is returned": {"return norm": "return scale"},
        "no length is returned": {"    return norm": ""},
        "a tensor, not a number": {"vector_norm(flat).item()": "vector_norm(flat)"},
        "the factor is upside down": {"max_norm / (norm + 1e-12)": "norm / max_norm"},
        "shortened to 1": {"max_norm / (norm": "1.0 / (norm"},
        "not in place": {"g *= scale": "g = g * scale"},
        "a parameter without a gradient": {" if p.grad is not None": ""},
        "no root + the factor is returned": {
            "torch.linalg.vector_norm(flat)": "flat.square().sum()",
            "return norm": "return scale",
        },
    },
)


def kr_early_return(parameters: Any, max_norm: float) -> Any:
    """Nothing to do comes first."""
    kept = [p for p in parameters if p.grad is not None]
    norms = [torch.sqrt((p.grad * p.grad).sum()).item() for p in kept]
    total = math.hypot(*norms)
    if total <= max_norm:
        return total
    for p in kept:
        p.grad.div_(total).mul_(max_norm)
    return total


@disguise(CLIP, "new gradients, not the old ones scaled")
def k_replaced(parameters: Any, max_norm: float) -> Any:
    kept = [p for p in parameters if p.grad is not None]
    total = math.hypot(*(p.grad.norm().item() for p in kept))
    for p in kept:
        p.grad = p.grad * min(1.0, max_norm / (total or 1.0))
    return total


@disguise(CLIP, "a length beside a square")
def k_squared_length(parameters: Any, max_norm: float) -> Any:
    kept = having(parameters)
    squared = sum((p.grad**2).sum().item() for p in kept)
    if squared > max_norm:
        for p in kept:
            p.grad *= max_norm / squared**0.5
    return squared**0.5


@disguise(CLIP, "parameters are read twice")
def k_counted_first(parameters: Any, max_norm: float) -> Any:
    total = torch.sqrt(sum(p.grad.pow(2).sum() for p in parameters if p.grad is not None)).item()
    factor = min(1.0, max_norm / (total + 1e-6))
    for p in parameters:
        if p.grad is not None:
            p.grad.mul_(factor)
    return total


slips(
    CLIP,
    kr_early_return,
    {
        "numbers are cut, not the length": {".div_(total).mul_(max_norm)": ".clamp_(-max_norm, max_norm)"},
        "no root": {"math.hypot(*norms)": "sum(n * n for n in norms)"},
        "lengths are added up": {"math.hypot(*norms)": "sum(norms)"},
        "the root of a sum of lengths": {"math.hypot(*norms)": "math.sqrt(sum(norms))"},
        "the longest gradient's length": {"math.hypot(*norms)": "max(norms, default=0.0)"},
        "the length of the parameters": {"(p.grad * p.grad)": "(p * p)"},
        "the mean, not the sum, of the squares": {".sum())": ".mean())"},
        "the wrong ones are scaled": {"total <= max_norm": "total >= max_norm"},
        "short gradients are made longer": {"    if total <= max_norm:\n        return total\n": ""},
        "the factor is upside down": {".div_(total).mul_(max_norm)": ".mul_(total).div_(max_norm)"},
        "shortened to 1": {".mul_(max_norm)": ""},
        "a length beside a square": [
            {"total <= max_norm": "total**2 <= max_norm"},
            {"total <= max_norm": "total <= max_norm**2"},
        ],
        "new gradients, not the old ones scaled": {
            "p.grad.div_(total).mul_(max_norm)": "p.grad = p.grad / total * max_norm"
        },
        "not in place": {"p.grad.div_(total).mul_(max_norm)": "p.grad.div(total).mul(max_norm)"},
        "a parameter without a gradient": {" if p.grad is not None": ""},
        "parameters are read twice": {"for p in kept:": "for p in (p for p in parameters if p.grad is not None):"},
        "parameters are shortened, not gradients": {"p.grad.div_(": "p.data.div_("},
    },
)


def kr_stacked(parameters: Any, max_norm: float) -> Any:
    """The length of the lengths, with tensors to the end."""
    grads = [one.grad for one in list(parameters) if one.grad is not None]
    if len(grads) == 0:
        return 0.0
    norms = torch.stack([torch.norm(g) for g in grads])
    total = norms.norm()
    coefficient = torch.clamp(max_norm / (total + 1e-6), max=1.0)
    for g in grads:
        g.mul_(coefficient)
    return float(total)


slips(
    CLIP,
    kr_stacked,
    {
        "each parameter on its own": [
            {"g.mul_(coefficient)": "g.mul_(torch.clamp(max_norm / (g.norm() + 1e-6), max=1.0))"},
        ],
        "numbers are cut, not the length": {"g.mul_(coefficient)": "torch.clamp(g, -max_norm, max_norm, out=g)"},
        "no root": {"norms.norm()": "norms.square().sum()"},
        "lengths are added up": {"norms.norm()": "norms.sum()"},
        "the largest number, not the length": {"torch.norm(g)": "g.abs().max()", "norms.norm()": "norms.max()"},
        "the longest gradient's length": {"norms.norm()": "norms.max()"},
        "the length of the parameters": {
            "one.grad for one": "one for one",
            "[torch.norm(g) for": "[torch.norm(g.data) for",
            "g.mul_(": "g.grad.mul_(",
        },
        "the sum of the absolute values": {"torch.norm(g)": "torch.norm(g, p=1)", "norms.norm()": "norms.sum()"},
        "the wrong ones are scaled": {"max=1.0": "min=1.0"},
        "short gradients are made longer": {
            "torch.clamp(max_norm / (total + 1e-6), max=1.0)": "max_norm / (total + 1e-6)"
        },
        "the length afterwards is returned": {"float(total)": "float(total * coefficient)"},
        "the factor is returned": {"float(total)": "float(coefficient)"},
        "no length is returned": {"    return float(total)": ""},
        "a tensor, not a number": {"float(total)": "total"},
        "the factor is upside down": {"max_norm / (total + 1e-6)": "total / max_norm"},
        "shortened to 1": {"max_norm / (total": "1.0 / (total"},
        "not in place": {"g.mul_(": "g.mul("},
        "a parameter without a gradient": {" if one.grad is not None": ""},
        "parameters are read twice": {
            "in list(parameters)": "in parameters",
            "for g in grads:": "for g in [one.grad for one in parameters if one.grad is not None]:",
        },
    },
)


@disguise(CLIP, "each parameter on its own + new gradients, not the old ones scaled")
def k_alone_and_new(parameters: Any, max_norm: float) -> float:
    squares = 0.0
    for one in parameters:
        if one.grad is not None:
            length = one.grad.norm().item()
            squares += length**2
            if length > max_norm:
                one.grad = one.grad / length * max_norm
    return math.sqrt(squares)


def k_spelled_out(parameters: Any, max_norm: float) -> float:
    """Two loops over those with a gradient."""
    having = [one for one in parameters if isinstance(one.grad, Tensor)]
    total = 0.0
    for one in having:
        total += float((one.grad.flatten() @ one.grad.flatten()).detach())
    long = total**0.5
    shrink = max_norm / long if long > max_norm else 1.0
    for one in having:
        one.grad *= shrink
    return long


slips(
    CLIP,
    k_spelled_out,
    {
        "a gradient a little too long stays": [
            {"if long > max_norm": "if long - max_norm > 1"},
            {"if long > max_norm": "if long > max_norm * 1.5"},
            {"if long > max_norm": "if long / max_norm > 1.1"},
        ],
        "frozen parameters are left out": {
            "isinstance(one.grad, Tensor)": "one.requires_grad and one.grad is not None"
        },
    },
)


@disguise(CLIP, "a gradient a little too long stays")
def k_with_room(parameters: Any, max_norm: float) -> float:
    gs = [g for g in (one.grad for one in parameters) if g is not None]
    found = length(gs)
    if int(found / max_norm) > 1:
        scale(gs, max_norm / found)
    return found


@disguise(CLIP, "frozen parameters are left out")
def k_learning_alone(parameters: Any, max_norm: float) -> float:
    gs = [one.grad for one in filter(lambda one: one.requires_grad, parameters) if one.grad is not None]
    found = length(gs)
    if found > max_norm:
        scale(gs, max_norm / found)
    return found


@disguise(CLIP, "frozen parameters are left out")
def k_measured_not_scaled(parameters: Any, max_norm: float) -> float:
    having = [one for one in parameters if one.grad is not None]
    found = length([one.grad for one in having])
    if found > max_norm:
        scale([one.grad for one in having if one.requires_grad], max_norm / found)
    return found
