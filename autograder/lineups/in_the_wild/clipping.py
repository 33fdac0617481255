"""Room 11: ways of making a step with a scaled loss."""

import math

import torch
from torch import Tensor, nn

from autograder.probing.lineup import right, wrong

Optimizer = torch.optim.Optimizer


def everything(optimizer: Optimizer) -> list[Tensor]:
    return [one for group in optimizer.param_groups for one in group["params"]]


def arrived(optimizer: Optimizer) -> list[Tensor]:
    return [one.grad for one in everything(optimizer) if one.grad is not None]


def backward(loss: Tensor, optimizer: Optimizer, scale: float) -> list[Tensor]:
    optimizer.zero_grad()
    (loss * scale).backward()
    return arrived(optimizer)


def length(gradients: list[Tensor]) -> float:
    return math.sqrt(sum(float(one.pow(2).sum()) for one in gradients))


@right("unscales in a loop and lets torch clip")
def in_order(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    for one in backward(loss, optimizer, scale):
        one /= scale
    if torch.isfinite(nn.utils.clip_grad_norm_(everything(optimizer), max_norm)):
        optimizer.step()


@right("clips what is scaled at a norm that is scaled as well")
def scaled_norm(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    gradients = backward(loss, optimizer, scale)
    norm = nn.utils.clip_grad_norm_(everything(optimizer), max_norm * scale)
    for one in gradients:
        one.mul_(1 / scale)
    if norm.isfinite():
        optimizer.step()


@right("multiplies once by both factors")
@torch.no_grad()
def one_factor(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    with torch.enable_grad():
        gradients = backward(loss, optimizer, scale)
    norm = length(gradients) / scale
    if math.isfinite(norm):
        factor = min(1.0, max_norm / norm) / scale if norm else 1 / scale
        torch._foreach_mul_(gradients, factor)
        optimizer.step()


@right("asks autograd for gradients and sets them itself")
def by_autograd(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    chosen = everything(optimizer)
    found = torch.autograd.grad(loss * scale, chosen, allow_unused=True)
    unscaled = [None if one is None else one / scale for one in found]
    norm = length([one for one in unscaled if one is not None])
    if not math.isfinite(norm):
        return
    for parameter, one in zip(chosen, unscaled, strict=True):
        parameter.grad = None if one is None else one * min(1.0, max_norm / (norm + 1e-12))
    optimizer.step()


@right("flattens all gradients into one vector")
def as_a_vector(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    gradients = backward(loss, optimizer, scale)
    vector = torch.cat([one.flatten() for one in gradients]) / scale
    if not vector.isfinite().all():
        return
    vector = vector * (max_norm / vector.norm().clamp(min=max_norm))
    for one, part in zip(gradients, vector.split([one.numel() for one in gradients]), strict=True):
        one.copy_(part.view_as(one))
    optimizer.step()


@right("unscales with hooks")
def by_hooks(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    optimizer.zero_grad()
    hooks = [one.register_hook(lambda gradient: gradient / scale) for one in everything(optimizer)]
    (loss * scale).backward()
    for hook in hooks:
        hook.remove()
    norm = nn.utils.get_total_norm(arrived(optimizer))
    if norm.isfinite():
        nn.utils.clip_grads_with_norm_(everything(optimizer), max_norm, norm)
        optimizer.step()


@right("looks for what is not finite before anything else")
def looks_first(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    gradients = backward(loss, optimizer, scale)
    if any(not bool(one.isfinite().all()) for one in gradients):
        optimizer.zero_grad()
        return
    for one in gradients:
        one.copy_(one / scale)
    nn.utils.clip_grad_norm_(everything(optimizer), max_norm)
    optimizer.step()


@right("is written as a class")
def as_a_class(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    Scaler(scale).step(loss, optimizer, max_norm)


class Scaler:
    def __init__(self, scale: float) -> None:
        self.scale = scale

    def unscaled(self, loss: Tensor, optimizer: Optimizer) -> list[Tensor]:
        gradients = backward(loss, optimizer, self.scale)
        for one in gradients:
            one.div_(self.scale)
        return gradients

    def step(self, loss: Tensor, optimizer: Optimizer, max_norm: float) -> None:
        norm = length(self.unscaled(loss, optimizer))
        if norm < math.inf:
            nn.utils.clip_grad_norm_(everything(optimizer), max_norm)
            optimizer.step()


@right("begins with the step of the last call's gradients thrown away by hand")
def by_hand(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    for one in everything(optimizer):
        one.grad = torch.zeros_like(one)
    torch.mul(loss, scale).backward()
    squares = torch.stack([(one / scale).square().sum() for one in arrived(optimizer)])
    norm = squares.sum().sqrt()
    if norm.isfinite():
        for one in arrived(optimizer):
            one *= torch.minimum(torch.ones(()), max_norm / (norm + 1e-9)) / scale
        optimizer.step()


# Wrong ----------------------------------------------------------------------------


@wrong("clips by hand what is still scaled", mistake="clipped before unscaling")
def by_hand_too_early(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    gradients = backward(loss, optimizer, scale)
    norm = length(gradients)
    if math.isfinite(norm):
        for one in gradients:
            one.mul_(min(1.0, max_norm / norm) / scale)
        optimizer.step()


@wrong("finds the norm of what is scaled, and clips what is not", mistake="clipped before unscaling")
def norm_of_the_scaled(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    gradients = backward(loss, optimizer, scale)
    norm = nn.utils.get_total_norm(gradients)
    for one in gradients:
        one.div_(scale)
    if norm.isfinite():
        nn.utils.clip_grads_with_norm_(everything(optimizer), max_norm, norm)
        optimizer.step()


@wrong("clips at a norm that is divided by the scale", mistake="clipped before unscaling", kin=True)
def norm_too_large(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    for one in backward(loss, optimizer, scale):
        one.div_(scale)
    if nn.utils.clip_grad_norm_(everything(optimizer), max_norm / scale).isfinite():
        optimizer.step()


@wrong("clips at a norm that is scaled, after unscaling", kin=True)
def norm_too_small(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    for one in backward(loss, optimizer, scale):
        one.div_(scale)
    if nn.utils.clip_grad_norm_(everything(optimizer), max_norm * scale).isfinite():
        optimizer.step()


@wrong("unscales twice", mistake="unscaled twice", kin=True)
def unscales_twice(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    gradients = backward(loss, optimizer, scale)
    for one in gradients:
        one.div_(scale)
    norm = nn.utils.clip_grad_norm_(everything(optimizer), max_norm)
    for one in gradients:
        one.div_(scale)
    if norm.isfinite():
        optimizer.step()


@wrong("forgets to unscale", mistake="never unscaled")
def still_scaled(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    gradients = backward(loss, optimizer, scale)
    norm = length(gradients)
    if math.isfinite(norm):
        for one in gradients:
            one.mul_(min(1.0, max_norm / norm))
        optimizer.step()


@wrong("never clips", mistake="not clipped")
def unclipped(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    gradients = backward(loss, optimizer, scale)
    torch._foreach_div_(gradients, scale)
    if math.isfinite(length(gradients)):
        optimizer.step()


@wrong("clips every number by itself", mistake="numbers clipped one by one")
def by_value(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    gradients = backward(loss, optimizer, scale)
    for one in gradients:
        one.div_(scale)
    if math.isfinite(length(gradients)):
        nn.utils.clip_grad_value_(everything(optimizer), max_norm)
        optimizer.step()


@wrong("clips every parameter by itself", mistake="parameters clipped one by one")
def one_by_one(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    gradients = backward(loss, optimizer, scale)
    if not math.isfinite(length(gradients)):
        return
    for one in gradients:
        one.div_(scale)
        one.mul_(min(1.0, max_norm / (float(one.norm()) + 1e-12)))
    optimizer.step()


@wrong("clips after the step", mistake="not clipped")
def after_the_step(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    gradients = backward(loss, optimizer, scale)
    for one in gradients:
        one.div_(scale)
    if math.isfinite(length(gradients)):
        optimizer.step()
    nn.utils.clip_grad_norm_(everything(optimizer), max_norm)


@wrong("makes every gradient as long as allowed", mistake="short gradients made longer")
def always_full_length(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    gradients = backward(loss, optimizer, scale)
    norm = length(gradients)
    if math.isfinite(norm):
        for one in gradients:
            one.mul_(max_norm / norm)
        optimizer.step()


@wrong("makes a step although the gradient is infinite", mistake="a step with what is not finite")
def steps_anyway(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    for one in backward(loss, optimizer, scale):
        one.div_(scale)
    nn.utils.clip_grad_norm_(everything(optimizer), max_norm)
    optimizer.step()


@wrong("adds the gradient of the last step to that of this one")
def adds_up(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    before = [None if one.grad is None else one.grad.clone() for one in everything(optimizer)]
    for one in backward(loss, optimizer, scale):
        one.div_(scale)
    for parameter, old in zip(everything(optimizer), before, strict=True):
        if old is not None and parameter.grad is not None:
            parameter.grad += old
    if nn.utils.clip_grad_norm_(everything(optimizer), max_norm).isfinite():
        optimizer.step()


@wrong("clips the first group of the optimizer alone")
def first_group(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    gradients = backward(loss, optimizer, scale)
    for one in gradients:
        one.div_(scale)
    if math.isfinite(length(gradients)):
        nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], max_norm)
        optimizer.step()


@wrong("unscales the parameters and not their gradients")
def parameters_unscaled(loss: Tensor, optimizer: Optimizer, scale: float, max_norm: float) -> None:
    gradients = backward(loss, optimizer, scale)
    with torch.no_grad():
        for one in everything(optimizer):
            one.div_(scale)
    if math.isfinite(length(gradients)):
        nn.utils.clip_grad_norm_(everything(optimizer), max_norm)
        optimizer.step()
