"""The training step."""

import contextlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from tests.variants import correct, disguise, unlisted

STEP = "train_step"


def training_step(
    kind: Any,
    *,
    clear: str = "first",
    share: float | None = None,
    clip_at: str = "end",
    step_at: str = "end",
    mode: bool | None = True,
    report: Callable[[list[Tensor]], Any] | None = None,
    autocast: Callable[[Any], Any] | None = None,
    used: slice = slice(None),
    clipper: Callable[..., Any] = nn.utils.clip_grad_norm_,
    refuses: bool = True,
    factor: float = 1.0,
) -> None:
    """One step of training that goes wrong, or not, where it is told."""

    @kind
    def train_step(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
        if refuses and len(micro_batches) == 0:
            raise ValueError("no batches")
        if mode is not None:
            model.train(mode)
        if clear == "first":
            model.zero_grad()
        batches = list(micro_batches)[used]
        part = 1 / len(micro_batches) if share is None else share

        def clip() -> None:
            if max_norm is not None:
                clipper(model.parameters(), max_norm)

        losses = []
        for pair in batches:
            if clear == "between":
                model.zero_grad()
            context = (
                autocast(autocast_dtype)
                if autocast
                else torch.autocast("cpu", autocast_dtype)
                if autocast_dtype
                else contextlib.nullcontext()
            )
            with context:
                loss = loss_fn(model, pair)
            losses.append(loss.detach())
            if clip_at == "before":
                clip()
            (loss * part * factor).backward()
            if clip_at == "within" or step_at == "within":
                clip()
            if step_at == "within":
                optimizer.step()
        if factor != 1:
            clip()
            for p in model.parameters():
                p.grad = None if p.grad is None else p.grad / factor
        elif clip_at == "end" and step_at == "end":
            clip()
        if clear == "last":
            optimizer.zero_grad()
        if step_at == "end":
            optimizer.step()
        if clip_at == "late":
            clip()
        return report(losses) if report else sum(one.item() for one in losses) / max(1, len(losses))


training_step(disguise(STEP, "gradients are not cleared"), clear="never")
training_step(disguise(STEP, "cleared between the micro-batches"), clear="between")
training_step(disguise(STEP, "cleared before the step"), clear="last")
training_step(disguise(STEP, "micro-batches are summed"), share=1.0)
training_step(
    disguise(STEP, "micro-batches are summed"), share=1.0, report=lambda losses: sum(one.item() for one in losses)
)
training_step(
    disguise(STEP, "the sum of the losses is returned"), report=lambda losses: torch.stack(losses).sum().item()
)
training_step(disguise(STEP, "the last loss is returned"), report=lambda losses: losses[-1].item())
training_step(disguise(STEP, "the last loss is returned"), report=lambda losses: losses[-1].item() / len(losses))
training_step(
    disguise(STEP, "the returned loss is divided twice"),
    report=lambda losses: torch.stack(losses).mean().item() / len(losses),
)
training_step(disguise(STEP, "a tensor, not a number"), report=lambda losses: torch.stack(losses).mean())
training_step(disguise(STEP, "a step for every micro-batch"), clear="between", step_at="within", share=1.0)
training_step(disguise(STEP, "a step for every micro-batch"), step_at="within")
training_step(disguise(STEP, "clipped before the gradient is whole"), clip_at="within")
training_step(disguise(STEP, "clipped before the gradient is whole"), clip_at="before")
training_step(disguise(STEP, "not clipped when the step is made"), clip_at="late")
training_step(disguise(STEP, "not clipped when the step is made"), clip_at="never")
training_step(disguise(STEP, "numbers are cut, not the length"), clipper=nn.utils.clip_grad_value_)
training_step(disguise(STEP, "clipped while still scaled"), factor=65536.0)
training_step(disguise(STEP, "train mode forgotten"), mode=None)
training_step(disguise(STEP, "train mode forgotten"), mode=False)
training_step(disguise(STEP, "no autocast"), autocast=lambda dtype: contextlib.nullcontext())
training_step(
    disguise(STEP, "autocast is always on"), autocast=lambda dtype: torch.autocast("cpu", dtype or torch.bfloat16)
)
training_step(disguise(STEP, "only one micro-batch is used"), used=slice(0, 1), share=1.0)
training_step(disguise(STEP, "only one micro-batch is used"), used=slice(-1, None), share=1.0)
training_step(disguise(STEP, "an empty list is not refused"), refuses=False)
training_step(
    disguise(STEP, "each parameter is clipped on its own"),
    clipper=lambda parameters, longest: [nn.utils.clip_grad_norm_(p, longest) for p in parameters],
)


def another_loop(
    kind: Any,
    back: Callable[[Tensor, list[Tensor], int], Any],
) -> None:
    """A step whose `backward` is another: back(loss, losses so far, how many)."""

    @kind
    def train_step(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
        count = len(micro_batches)
        if count == 0:
            raise ValueError("no batches")
        model.train()
        model.zero_grad()
        losses: list[Tensor] = []
        for pair in micro_batches:
            with torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None):
                losses.append(loss_fn(model, pair))
            back(losses[-1], losses, count)
        if max_norm is not None:
            nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        return sum(one.item() for one in losses) / count


another_loop(disguise(STEP, "no backward"), lambda loss, losses, count: None)
another_loop(disguise(STEP, "no backward"), lambda loss, losses, count: loss.detach().requires_grad_().backward())
another_loop(disguise(STEP, "the share is taken twice"), lambda loss, losses, count: (loss / count**2).backward())
another_loop(
    disguise(STEP, "the sum so far is run back each time"),
    lambda loss, losses, count: (sum(losses) / count).backward(retain_graph=True),
)


@disguise(STEP, "a step for every micro-batch")
def t_step_and_clear(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    total, count = 0.0, len(micro_batches)
    if not count:
        raise ValueError("no batches")
    model.train()
    optimizer.zero_grad()
    for pair in micro_batches:
        with torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None):
            loss = loss_fn(model, pair) / count
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item()
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    return total


@disguise(STEP, "train mode forgotten")
def t_mode_late(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no batches")
    model.zero_grad()
    total = 0.0
    for pair in micro_batches:
        with torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None):
            loss = loss_fn(model, pair).div(len(micro_batches))
        loss.backward()
        total += loss.item()
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    model.train()
    return total


@disguise(STEP, "an empty list is not refused")
def t_accepts(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    model.train()
    optimizer.zero_grad()
    total, count = 0.0, len(micro_batches)
    for pair in micro_batches:
        with torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None):
            loss = loss_fn(model, pair)
        (loss / count).backward()
        total += loss.item() / count
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return total


@disguise(STEP, "the model itself is cast")
def t_cast(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no batches")
    if autocast_dtype is not None:
        model = model.to(dtype=autocast_dtype)
    return t_plain(model, micro_batches, optimizer, loss_fn, max_norm, autocast_dtype)


@disguise(STEP, "left in evaluation mode")
def t_left_in_eval(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    told = t_plain(model, micro_batches, optimizer, loss_fn, max_norm, autocast_dtype)
    for part in model.modules():
        part.training = False
    return told


@disguise(STEP, "no step")
def t_no_step(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no batches")
    model.train()
    losses = []
    for pair in micro_batches:
        with torch.autocast("cpu", dtype=autocast_dtype or torch.bfloat16, enabled=bool(autocast_dtype)):
            losses.append(loss_fn(model, pair))
        losses[-1].backward()
    return float(np.mean([loss.item() for loss in losses]))


@disguise(STEP, "all micro-batches are held at once")
def t_at_once(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no batches")
    model.train()
    optimizer.zero_grad(set_to_none=False)
    with torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None):
        mean = torch.stack([loss_fn(model, pair) for pair in micro_batches]).mean()
    mean.backward()
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return mean.item()


training_step(correct(STEP))
training_step(correct(STEP), report=lambda losses: float(np.mean([one.item() for one in losses])))


@correct(STEP)
def t_plain(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if len(micro_batches) < 1:
        raise ValueError("no batches")
    for p in model.parameters():
        p.grad = None
    model.train(True)
    losses = []
    with contextlib.ExitStack() as stack:
        for pair in micro_batches:
            if autocast_dtype:
                with torch.autocast(device_type="cpu", dtype=autocast_dtype):
                    loss = loss_fn(model, pair)
            else:
                loss = loss_fn(model, pair)
            torch.autograd.backward(loss / len(micro_batches))
            losses.append(float(loss.detach()))
        stack.callback(optimizer.step)
        if max_norm:
            torch.nn.utils.clip_grad_norm_(list(model.parameters()), max_norm)
    return sum(losses) / len(losses)


@correct(STEP)
def t_gradients_divided_later(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no batches")
    model.train()
    optimizer.zero_grad(set_to_none=False)
    total = 0.0
    for pair in micro_batches:
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast_dtype is torch.bfloat16):
            loss = loss_fn(model, pair)
        loss.backward()
        total += loss.item()
    having = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
    for p in having:
        p.grad /= len(micro_batches)
    if max_norm is not None:
        norm = torch.cat([p.grad.flatten() for p in having]).norm().item()
        for p in having:
            p.grad *= min(1.0, max_norm / (norm + 1e-6))
    optimizer.step()
    return total / len(micro_batches)


@correct(STEP)
def t_cleared_at_the_end(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no batches")
    model.train()
    total = 0.0
    for i in range(len(micro_batches)):
        with torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None):
            loss = loss_fn(model, micro_batches[i])
            loss = loss / len(micro_batches)
        loss.backward()
        total = total + loss.item()
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    optimizer.zero_grad()
    return total


@correct(STEP)
def t_by_autograd_grad(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no batches")
    model.train()
    ps = [p for p in model.parameters() if p.requires_grad]
    sums = [None] * len(ps)
    losses = []
    for pair in micro_batches:
        context = torch.autocast("cpu", autocast_dtype) if autocast_dtype else contextlib.nullcontext()
        with context:
            loss = loss_fn(model, pair)
        for i, g in enumerate(torch.autograd.grad(loss, ps, allow_unused=True)):
            if g is not None:
                sums[i] = g if sums[i] is None else sums[i] + g
        losses.append(loss.item())
    for p, g in zip(ps, sums, strict=True):
        p.grad = None if g is None else g / len(micro_batches)
    if max_norm is not None:
        nn.utils.clip_grad_norm_(ps, max_norm)
    optimizer.step()
    return sum(losses) / len(losses)


@correct(STEP)
def t_scaler_with_unscale(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no batches")
    model.train()
    optimizer.zero_grad()
    total = 0.0
    for pair in micro_batches:
        with torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None):
            loss = loss_fn(model, pair) / len(micro_batches)
        (loss * 1024).backward()
        total += loss.item()
    for p in model.parameters():
        if p.grad is not None:
            p.grad.div_(1024)
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return total


training_step(unlisted(STEP), share=0.5)
training_step(unlisted(STEP), report=lambda losses: losses[0].item())
training_step(unlisted(STEP), report=lambda losses: min(one.item() for one in losses))
training_step(unlisted(STEP), clipper=lambda ps, top: nn.utils.clip_grad_norm_(ps, 2 * top))
training_step(unlisted(STEP), clipper=lambda ps, top: nn.utils.clip_grad_norm_(ps, top, norm_type=1))
training_step(unlisted(STEP), autocast=lambda dtype: torch.autocast("cpu", torch.float16, enabled=dtype is not None))
training_step(unlisted(STEP), report=lambda losses: math.exp(sum(one.item() for one in losses) / len(losses)))
training_step(unlisted(STEP), used=slice(None, None, -1), report=lambda losses: losses[-1].item())


@unlisted(STEP)
def t_two_steps(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    loss = t_plain(model, micro_batches, optimizer, loss_fn, max_norm, autocast_dtype)
    optimizer.step()
    return loss
