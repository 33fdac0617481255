"""The training step."""

import contextlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from tests.variants import correct, disguise, slips, unlisted

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
    divided: bool = True,
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
            elif clip_at == "always":
                clipper(model.parameters(), 1.0)

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
        if factor != 1 and divided:
            clip()
            for p in model.parameters():
                p.grad = None if p.grad is None else p.grad / factor
        elif clip_at in ("end", "always") and step_at == "end":
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
    disguise(STEP, "the sum of the losses is returned"), report=lambda losses: torch.stack(losses).sum().item()
)
training_step(disguise(STEP, "the last loss is returned"), report=lambda losses: losses[-1].item() / len(losses))
training_step(
    disguise(STEP, "the returned loss is divided twice"),
    report=lambda losses: torch.stack(losses).mean().item() / len(losses),
)
training_step(disguise(STEP, "a tensor, not a number"), report=lambda losses: torch.stack(losses).mean())
training_step(disguise(STEP, "a step for every micro-batch"), clear="between", step_at="within", share=1.0)
training_step(disguise(STEP, "clipped before the gradient is whole"), clip_at="before")
training_step(disguise(STEP, "not clipped when the step is made"), clip_at="late")
training_step(disguise(STEP, "numbers are cut, not the length"), clipper=nn.utils.clip_grad_value_)
training_step(disguise(STEP, "clipped while still scaled"), factor=65536.0)
training_step(disguise(STEP, "the scale stays in the gradient"), factor=1024.0, divided=False)
training_step(
    disguise(STEP, "bfloat16 whatever dtype is given"),
    autocast=lambda dtype: torch.autocast("cpu", torch.bfloat16) if dtype else contextlib.nullcontext(),
)
training_step(disguise(STEP, "autocast is always on"), autocast=lambda dtype: torch.autocast("cpu", torch.bfloat16))
training_step(
    disguise(STEP, "autocast is on just where no dtype is given"),
    autocast=lambda dtype: contextlib.nullcontext() if dtype else torch.autocast("cpu"),
)
training_step(
    disguise(STEP, "clipped to another length than max_norm"),
    clipper=lambda parameters, longest: nn.utils.clip_grad_norm_(parameters, 1.0),
)
training_step(
    disguise(STEP, "the returned loss is rounded"), report=lambda losses: float(f"{torch.stack(losses).mean():.4f}")
)
training_step(disguise(STEP, "train mode forgotten"), mode=False)
training_step(disguise(STEP, "no autocast"), autocast=lambda dtype: contextlib.nullcontext())
training_step(
    disguise(STEP, "autocast is always on"), autocast=lambda dtype: torch.autocast("cpu", dtype or torch.bfloat16)
)
training_step(disguise(STEP, "the first loss is returned"), report=lambda losses: losses[0].item())
training_step(disguise(STEP, "clipped without being asked"), clip_at="always")
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


another_loop(disguise(STEP, "no backward"), lambda loss, losses, count: loss.detach().requires_grad_().backward())
another_loop(disguise(STEP, "the share is taken twice"), lambda loss, losses, count: (loss / count**2).backward())
another_loop(
    disguise(STEP, "the sum so far is run back each time"),
    lambda loss, losses, count: (sum(losses) / count).backward(retain_graph=True),
)


@disguise(STEP, "each group is clipped on its own")
def t_by_group(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    losses = gathered(model, micro_batches, loss_fn, autocast_dtype)
    for group in optimizer.param_groups if max_norm is not None else ():
        nn.utils.clip_grad_norm_(group["params"], max_norm)
    optimizer.step()
    return sum(losses) / len(losses)


def t_cleared_if(cleared: Callable[[Any], bool]) -> Any:
    """A step that clears the gradients where it should, or not."""

    def train_step(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
        old = [None if one.grad is None else one.grad.clone() for one in model.parameters()]
        losses = gathered(model, micro_batches, loss_fn, autocast_dtype)
        for one, left in zip(model.parameters(), old, strict=True):
            if left is not None and not cleared(max_norm):
                one.grad = left if one.grad is None else one.grad + left
        if max_norm is not None:
            nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        return sum(losses) / len(losses)

    return train_step


disguise(STEP, "cleared only with or without clipping")(t_cleared_if(lambda max_norm: max_norm is None))
disguise(STEP, "cleared only with or without clipping")(t_cleared_if(lambda max_norm: max_norm is not None))


@disguise(STEP, "the gradient's length is returned")
def t_length(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    losses = gathered(model, micro_batches, loss_fn, autocast_dtype)
    found = sum(losses) / len(losses)
    if max_norm is not None:
        found = nn.utils.clip_grad_norm_(model.parameters(), max_norm).item()
    optimizer.step()
    return found


@disguise(STEP, "the loss after the step is returned")
def t_looks_again(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    gathered(model, micro_batches, loss_fn, autocast_dtype)
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return torch.stack([loss_fn(model, one).detach() for one in micro_batches]).mean().item()


def gathered(model: nn.Module, micro_batches: Any, loss_fn: Any, dtype: Any) -> list[float]:
    """The losses, with the mean gradient in place."""
    if not len(micro_batches):
        raise ValueError("no batches")
    model.train()
    model.zero_grad()
    losses = []
    for one in micro_batches:
        with torch.autocast("cpu", dtype, enabled=bool(dtype)):
            loss = loss_fn(model, one)
        loss.div(len(micro_batches)).backward()
        losses.append(loss.item())
    return losses


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


@disguise(STEP, "cleared between the micro-batches")
def t_last_alone(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    """Every loss is run back at once, into gradients that only the last leaves behind."""
    if not micro_batches:
        raise ValueError("no batches")
    model.train()
    found = []
    for pair in micro_batches:
        with torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None):
            loss = loss_fn(model, pair) / len(micro_batches)
        for p in model.parameters():
            p.grad = None
        loss.backward()
        found.append(loss.item())
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return sum(found)


@disguise(STEP, "clipped while still scaled")
def t_share_of_the_length(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    limit = None if max_norm is None else max_norm / len(micro_batches)
    return t_plain(model, micro_batches, optimizer, loss_fn, limit, autocast_dtype)


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


@disguise(STEP, "cleared only after the step")
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


training_step(disguise(STEP, "divided by another number"), share=0.5)
training_step(
    disguise(STEP, "another loss than the mean is returned"), report=lambda losses: min(one.item() for one in losses)
)
training_step(unlisted(STEP), clipper=lambda ps, top: nn.utils.clip_grad_norm_(ps, 2 * top))
training_step(unlisted(STEP), clipper=lambda ps, top: nn.utils.clip_grad_norm_(ps, top, norm_type=1))
training_step(unlisted(STEP), autocast=lambda dtype: torch.autocast("cpu", torch.float16, enabled=dtype is not None))
training_step(unlisted(STEP), report=lambda losses: math.exp(sum(one.item() for one in losses) / len(losses)))
training_step(
    disguise(STEP, "the first loss is returned"),
    used=slice(None, None, -1),
    report=lambda losses: losses[-1].item(),
)


@disguise(STEP, "two steps")
def t_two_steps(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    loss = t_plain(model, micro_batches, optimizer, loss_fn, max_norm, autocast_dtype)
    optimizer.step()
    return loss


# slips in right code ----------------------------------------------------------------------------


def t_mean_at_the_end(model, micro_batches, opt, loss_fn, max_norm=None, autocast_dtype=None):
    """Shares for `backward`, whole losses for the report."""
    count = len(micro_batches)
    if count == 0:
        raise ValueError("nothing to learn from")
    opt.zero_grad(set_to_none=True)
    model.train()
    running = 0.0
    for one in micro_batches:
        with torch.autocast(device_type="cpu", dtype=autocast_dtype, enabled=bool(autocast_dtype)):
            loss = loss_fn(model, one)
        (loss / count).backward()
        running += loss.item()
    if max_norm:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    opt.step()
    return running / count


AT_THE_END_CLEARS = "    opt.zero_grad(set_to_none=True)\n"
AT_THE_END_CLIPS = "    if max_norm:\n        nn.utils.clip_grad_norm_(model.parameters(), max_norm)\n"
AT_THE_END_CLIPS_WITHIN = "        if max_norm:\n            nn.utils.clip_grad_norm_(model.parameters(), max_norm)\n"

slips(
    STEP,
    t_mean_at_the_end,
    {
        "gradients are not cleared": {AT_THE_END_CLEARS: ""},
        "cleared between the micro-batches": {
            AT_THE_END_CLEARS: "",
            "        (loss": "        opt.zero_grad(set_to_none=True)\n        (loss",
        },
        "cleared before the step": [
            {AT_THE_END_CLEARS: "", "    opt.step()": "    opt.zero_grad()\n    opt.step()"},
            {
                "(loss / count).backward()": "opt.step()",
                "opt.step()\n    return": "(loss / count).backward()\n    return",
            },
        ],
        "no backward": [
            {"        (loss / count).backward()\n": ""},
            {"loss = loss_fn(model, one)": "loss = loss_fn(model, one).detach().requires_grad_()"},
        ],
        "micro-batches are summed": [
            {"(loss / count)": "loss"},
            {"(loss / count)": "loss", "return running / count": "return running"},
        ],
        "the share is taken twice": {
            "loss_fn(model, one)": "loss_fn(model, one) / count",
            "running / count": "running",
        },
        "the sum of the losses is returned": {"return running / count": "return running"},
        "the last loss is returned": [
            {"return running / count": "return loss.item()"},
            {"running += loss": "running = loss"},
        ],
        "the returned loss is divided twice": {"running += loss.item()": "running += loss.item() / count"},
        "a tensor, not a number": [{"loss.item()": "loss"}, {"loss.item()": "loss.detach()"}],
        "a step for every micro-batch": [
            {"        running +=": "        opt.step()\n        running +=", "    opt.step()\n": ""},
            {
                AT_THE_END_CLIPS + "    opt.step()\n": AT_THE_END_CLIPS_WITHIN + "        opt.step()\n",
            },
            {
                AT_THE_END_CLIPS + "    opt.step()\n": (
                    AT_THE_END_CLIPS_WITHIN + "        opt.step()\n        opt.zero_grad()\n"
                ),
            },
        ],
        "clipped before the gradient is whole": {AT_THE_END_CLIPS: AT_THE_END_CLIPS_WITHIN},
        "not clipped when the step is made": [
            {AT_THE_END_CLIPS + "    opt.step()\n": "    opt.step()\n" + AT_THE_END_CLIPS},
            {AT_THE_END_CLIPS: ""},
        ],
        "numbers are cut, not the length": {"clip_grad_norm_": "clip_grad_value_"},
        "each parameter is clipped on its own": {
            "nn.utils.clip_grad_norm_(model.parameters(), max_norm)": (
                "[nn.utils.clip_grad_norm_(one, max_norm) for one in model.parameters()]"
            )
        },
        "the scale stays in the gradient": {"(loss / count)": "(loss / count * 65536)"},
        "bfloat16 whatever dtype is given": {"dtype=autocast_dtype, enabled": "dtype=torch.bfloat16, enabled"},
        "clipped while still scaled": [
            {
                "(loss / count)": "loss",
                "    opt.step()": (
                    "    for p in model.parameters():\n"
                    "        p.grad = None if p.grad is None else p.grad / count\n"
                    "    opt.step()"
                ),
            },
            *(
                {
                    "(loss / count)": f"(loss * {scale} / count)",
                    "    opt.step()": (
                        "    for p in model.parameters():\n"
                        f"        p.grad = None if p.grad is None else p.grad / {scale}\n"
                        "    opt.step()"
                    ),
                }
                for scale in (1024, 65536)
            ),
        ],
        "train mode forgotten": [
            {"    model.train()\n": ""},
            {"model.train()": "model.eval()"},
            {"    model.train()\n": "", "    opt.step()": "    model.train()\n    opt.step()"},
        ],
        "no autocast": {"enabled=bool(autocast_dtype)": "enabled=False"},
        "autocast is always on": {", enabled=bool(autocast_dtype)": ""},
        "the model itself is cast": {
            "model.train()": "model.train()\n    if autocast_dtype:\n        model.to(autocast_dtype)"
        },
        "no step": {"    opt.step()\n": ""},
        "left in evaluation mode": {"    opt.step()": "    opt.step()\n    model.eval()"},
        "only one micro-batch is used": [
            {"in micro_batches": "in micro_batches[:1]"},
            {"in micro_batches": "in micro_batches[:1]", "(loss / count)": "loss", "running / count": "running"},
            {"in micro_batches": "in micro_batches[-1:]", "(loss / count)": "loss", "running / count": "running"},
        ],
        "an empty list is not refused": {'    if count == 0:\n        raise ValueError("nothing to learn from")\n': ""},
        "gradients are not cleared + the sum of the losses is returned": {
            AT_THE_END_CLEARS: "",
            "return running / count": "return running",
        },
        "not clipped when the step is made + train mode forgotten": {
            "    model.train()\n": "",
            AT_THE_END_CLIPS: "",
        },
    },
)


def t_list_of_losses(model, micro_batches, adam, loss_fn, max_norm=None, autocast_dtype=None):
    """The losses are kept in a list, and the gradients cleared by hand."""
    if len(micro_batches) == 0:
        raise ValueError("an empty list of micro-batches")
    parameters = list(model.train().parameters())
    for parameter in parameters:
        parameter.grad = None
    losses: list[Tensor] = []
    for pair in micro_batches:
        context = torch.autocast("cpu", autocast_dtype) if autocast_dtype else contextlib.nullcontext()
        with context:
            losses.append(loss_fn(model, pair))
        torch.autograd.backward(losses[-1] / len(micro_batches))
    if max_norm is not None and max_norm > 0:
        torch.nn.utils.clip_grad_norm_(parameters, max_norm=max_norm)
    adam.step()
    return float(np.mean([loss.item() for loss in losses]))


LIST_CLEARS = "    for parameter in parameters:\n        parameter.grad = None\n"
LIST_RUNS_BACK = "        torch.autograd.backward(losses[-1] / len(micro_batches))\n"
LIST_CLIPS = (
    "    if max_norm is not None and max_norm > 0:\n"
    "        torch.nn.utils.clip_grad_norm_(parameters, max_norm=max_norm)\n"
)
LIST_CLIPS_WITHIN = (
    "        if max_norm is not None and max_norm > 0:\n"
    "            torch.nn.utils.clip_grad_norm_(parameters, max_norm=max_norm)\n"
)

slips(
    STEP,
    t_list_of_losses,
    {
        "gradients are not cleared": {LIST_CLEARS: ""},
        "cleared between the micro-batches": {
            LIST_CLEARS: "",
            LIST_RUNS_BACK: "        model.zero_grad()\n" + LIST_RUNS_BACK,
        },
        "cleared before the step": {LIST_CLEARS: "", "    adam.step()": LIST_CLEARS + "    adam.step()"},
        "no backward": [
            {LIST_RUNS_BACK: ""},
            {"backward(losses[-1] /": "backward(losses[-1].detach().requires_grad_() /"},
        ],
        "micro-batches are summed": {"losses[-1] / len(micro_batches)": "losses[-1]"},
        "the share is taken twice": {
            LIST_CLIPS: (
                "    for parameter in parameters:\n"
                "        if parameter.grad is not None:\n"
                "            parameter.grad /= len(micro_batches)\n" + LIST_CLIPS
            ),
        },
        "the sum so far is run back each time": {
            "losses[-1] / len(micro_batches)": "sum(losses) / len(micro_batches), retain_graph=True"
        },
        "the sum of the losses is returned": {"np.mean": "np.sum"},
        "the last loss is returned": {
            "float(np.mean([loss.item() for loss in losses]))": "losses[-1].item()",
        },
        "the returned loss is divided twice": {
            "loss.item() for": "loss.item() / len(losses) for",
        },
        "a tensor, not a number": {
            "float(np.mean([loss.item() for loss in losses]))": "sum(losses) / len(losses)",
        },
        "a step for every micro-batch": [
            {LIST_RUNS_BACK: LIST_RUNS_BACK + "        adam.step()\n", "\n    adam.step()": ""},
            {LIST_CLIPS + "    adam.step()\n": LIST_CLIPS_WITHIN + "        adam.step()\n"},
        ],
        "clipped before the gradient is whole": {LIST_CLIPS: LIST_CLIPS_WITHIN},
        "not clipped when the step is made": {LIST_CLIPS: ""},
        "numbers are cut, not the length": {
            "clip_grad_norm_(parameters, max_norm=max_norm)": "clip_grad_value_(parameters, max_norm)"
        },
        "each parameter is clipped on its own": {
            "        torch.nn.utils.clip_grad_norm_(parameters": (
                "        for one in parameters:\n            torch.nn.utils.clip_grad_norm_([one]"
            )
        },
        "train mode forgotten": [
            {"model.train()": "model"},
            {"model.train()": "model.eval()"},
        ],
        "no autocast": [
            {'torch.autocast("cpu", autocast_dtype) if autocast_dtype else contextlib': "contextlib"},
            {"        with context:\n            losses": "        losses"},
        ],
        "autocast is always on": {" if autocast_dtype else contextlib.nullcontext()": ""},
        "the model itself is cast": {
            "    losses: list": "    model.to(autocast_dtype or torch.float32)\n    losses: list"
        },
        "no step": {"    adam.step()\n": ""},
        "left in evaluation mode": {"    adam.step()": "    model.eval()\n    adam.step()"},
        "all micro-batches are held at once": [
            {LIST_RUNS_BACK: "    torch.autograd.backward(sum(losses) / len(micro_batches))\n"},
            {LIST_RUNS_BACK: "    torch.stack(losses).mean().backward()\n"},
        ],
        "only one micro-batch is used": {"in micro_batches:": "in [micro_batches[0]]:", "/ len(micro_batches)": ""},
        "an empty list is not refused": {
            '    if len(micro_batches) == 0:\n        raise ValueError("an empty list of micro-batches")\n': ""
        },
        "a tensor, not a number + no autocast": {
            "        with context:\n            losses": "        losses",
            "float(np.mean([loss.item() for loss in losses]))": "sum(losses) / len(losses)",
        },
    },
)


def loss_of(model: nn.Module, batch: Any, loss_fn: Callable[..., Tensor], dtype: torch.dtype | None) -> Tensor:
    """The loss of one batch, in a small dtype if one is given."""
    if dtype is None:
        return loss_fn(model, batch)
    with torch.autocast("cpu", dtype=dtype):
        return loss_fn(model, batch)


def t_divided_afterwards(model, micro_batches, sgd, loss_fn, max_norm=None, autocast_dtype=None):
    """Sums first; the gradients themselves are divided, and the mean of the losses runs along."""
    if not len(micro_batches):
        raise ValueError("at least one micro-batch")
    sgd.zero_grad()
    model.train(mode=True)
    mean = 0.0
    for number, batch in enumerate(micro_batches, start=1):
        loss = loss_of(model, batch, loss_fn, autocast_dtype)
        loss.backward()
        mean += (loss.item() - mean) / number
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    for gradient in gradients:
        gradient.div_(len(micro_batches))
    if max_norm is not None and gradients:
        length = math.hypot(*(gradient.norm().item() for gradient in gradients))
        for gradient in gradients:
            gradient.mul_(min(1.0, max_norm / max(length, 1e-12)))
    sgd.step()
    return mean


AFTERWARDS_DIVIDES = "    for gradient in gradients:\n        gradient.div_(len(micro_batches))\n"

slips(
    STEP,
    t_divided_afterwards,
    {
        "gradients are not cleared": {"    sgd.zero_grad()\n": ""},
        "cleared between the micro-batches": [
            {
                "    sgd.zero_grad()\n": "",
                "        loss.backward()": "        sgd.zero_grad()\n        loss.backward()",
            },
        ],
        "cleared before the step": [
            {"    sgd.step()": "    sgd.zero_grad()\n    sgd.step()"},
            {"    sgd.zero_grad()\n": "    sgd.zero_grad()\n    sgd.step()\n", "    sgd.step()\n": ""},
        ],
        "clipped while still scaled": {
            AFTERWARDS_DIVIDES: "",
            "    sgd.step()": AFTERWARDS_DIVIDES + "    sgd.step()",
        },
        "no backward": {"        loss.backward()\n": ""},
        "micro-batches are summed": {AFTERWARDS_DIVIDES: ""},
        "the share is taken twice": {"loss.backward()": "(loss / len(micro_batches)).backward()"},
        "the sum of the losses is returned": {"(loss.item() - mean) / number": "loss.item()"},
        "the last loss is returned": {"return mean": "return loss.item()"},
        "the returned loss is divided twice": {"return mean": "return mean / len(micro_batches)"},
        "a tensor, not a number": [{"loss.item()": "loss"}, {"loss.item()": "loss.detach()"}],
        "not clipped when the step is made": {
            "    sgd.step()\n": "",
            "    if max_norm is": "    sgd.step()\n    if max_norm is",
        },
        "numbers are cut, not the length": {
            "gradient.mul_(min(1.0, max_norm / max(length, 1e-12)))": "gradient.clamp_(-max_norm, max_norm)"
        },
        "each parameter is clipped on its own": {"max(length, 1e-12)": "max(gradient.norm().item(), 1e-12)"},
        "train mode forgotten": {"mode=True": "mode=False"},
        "no step": {"    sgd.step()\n": ""},
        "left in evaluation mode": {"    sgd.step()": "    sgd.step()\n    model.train(mode=False)"},
        "only one micro-batch is used": {
            "enumerate(micro_batches,": "enumerate(micro_batches[:1],",
            "gradient.div_(len(micro_batches))": "gradient.div_(number)",
        },
        "an empty list is not refused": {
            '    if not len(micro_batches):\n        raise ValueError("at least one micro-batch")\n': ""
        },
        "micro-batches are summed + the last loss is returned": {
            AFTERWARDS_DIVIDES: "",
            "return mean": "return loss.item()",
        },
    },
)

slips(
    STEP,
    t_divided_afterwards,
    {
        "bfloat16 whatever dtype is given": {'"cpu", dtype=dtype': '"cpu", dtype=torch.bfloat16'},
        "no autocast": {'torch.autocast("cpu", dtype=dtype)': 'torch.autocast("cpu", dtype=dtype, enabled=False)'},
        "autocast is always on": {"    if dtype is None:\n        return loss_fn(model, batch)\n": ""},
        "the model itself is cast": {
            '    with torch.autocast("cpu", dtype=dtype):\n        return loss_fn(model, batch)': (
                "    with torch.autocast('cpu', dtype=dtype):\n        return loss_fn(model.to(dtype), batch)"
            )
        },
    },
    inside="loss_of",
)
