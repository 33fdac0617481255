"""Lesson 09: slips of people who had the student's page alone."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from tests.variants import disguise

# shift_right ----------------------------------------------------------------------------


@disguise("shift_right", "the target is written over")
def sr_written_over(tgt, bos_id):
    for place in reversed(range(1, tgt.size(1))):
        tgt[:, place] = tgt[:, place - 1]
    tgt[:, 0] = bos_id
    return tgt


@disguise("shift_right", "the first token is copied on and on")
def sr_on_and_on(tgt, bos_id):
    out = tgt.clone()
    for place in range(1, tgt.size(1)):
        out[:, place] = out[:, place - 1]
    out[:, 0] = bos_id
    return out


@disguise("shift_right", "the tokens are not copied")
def sr_zeros(tgt, bos_id):
    result = torch.zeros_like(tgt)
    result[:, 0] = bos_id
    return result


@disguise("shift_right", "another shape")
def sr_turned(tgt, bos_id):
    columns = [torch.full_like(tgt[:, 0], bos_id), *tgt.unbind(1)[:-1]]
    return torch.stack(columns)


# label_smoothed_cross_entropy ----------------------------------------------------------------------------


def a_loss(kind: Any, log_probs: Callable[..., Tensor], classes: Callable[..., Any] | None = None) -> None:
    """The loss, from these log-probabilities, with the share spread over so many classes."""

    @kind
    def label_smoothed_cross_entropy(logits, targets, smoothing=0.1, pad_id=0):
        if not 0 <= smoothing < 1:
            raise ValueError(f"smoothing is {smoothing}")
        keep = torch.nonzero(targets.flatten() != pad_id).flatten()
        if not len(keep):
            raise ValueError("padding alone")
        found = log_probs(logits, pad_id)
        rows = found.reshape(-1, found.size(-1))[keep]
        number = found.size(-1) if classes is None else classes(logits, targets)
        hit = rows[torch.arange(len(keep)), targets.flatten()[keep]]
        return ((smoothing - 1) * hit - smoothing / number * rows.sum(1)).mean()


a_loss(
    disguise("label_smoothed_cross_entropy", "the exponentials overflow"),
    lambda logits, pad_id: logits - torch.log(sum(one.exp() for one in logits.split(1, dim=-1))),
)


def without_padding(logits: Tensor, pad_id: int) -> Tensor:
    hidden = logits.clone()
    hidden[..., pad_id] = -1e9
    return torch.log_softmax(hidden, dim=-1)


a_loss(disguise("label_smoothed_cross_entropy", "the score of padding is hidden"), without_padding)


def moved_in_place(logits: Tensor, pad_id: int) -> Tensor:
    logits -= logits.max(dim=-1, keepdim=True).values
    return logits - torch.logsumexp(logits, -1, keepdim=True)


a_loss(disguise("label_smoothed_cross_entropy", "the logits are written over"), moved_in_place)
a_loss(
    disguise("label_smoothed_cross_entropy", "another number of classes"),
    lambda logits, pad_id: logits.log_softmax(-1),
    lambda logits, targets: logits.shape[-1] - 2,
)
a_loss(
    disguise("label_smoothed_cross_entropy", "another number of classes"),
    lambda logits, pad_id: logits.log_softmax(-1),
    lambda logits, targets: targets.max().item() + 1,
)

# The rates ----------------------------------------------------------------------------


def warmed_up(step: int, d_model: int, warmup_steps: int, refused: type[Exception] = ValueError) -> float:
    """The paper's rate, by its top."""
    if step <= 0:
        raise refused(f"step {step}")
    top = 1 / math.sqrt(d_model * warmup_steps)
    return top * (step / warmup_steps if step < warmup_steps else math.sqrt(warmup_steps / step))


@disguise("warmup_lr", "a factor in front")
def wl_twice(step, d_model, warmup_steps):
    return warmed_up(step, d_model, warmup_steps) + warmed_up(step, d_model, warmup_steps)


@disguise("warmup_lr", "a factor in front")
def wl_downwards(step, d_model, warmup_steps):
    return 0.0 - warmed_up(step, d_model, warmup_steps)


@disguise("warmup_lr", "the rate is rounded")
def wl_rounded(step, d_model, warmup_steps):
    return float(f"{warmed_up(step, d_model, warmup_steps):.5f}")


@disguise("warmup_lr", "an error of another class")
def wl_other_class(step, d_model, warmup_steps):
    return warmed_up(step, d_model, warmup_steps, refused=IndexError)


def along_the_wave(
    step: int, max_lr: float, warmup_steps: int, total_steps: int, min_lr: float, bent: Callable[[float], float]
) -> float:
    """Up in a line, then from max_lr to min_lr by the share that is left."""
    if not 0 <= warmup_steps < total_steps:
        raise ValueError("the warm-up is longer than all")
    if step < warmup_steps:
        return step * max_lr / warmup_steps
    gone = 1.0 if step >= total_steps else (step - warmup_steps) / (total_steps - warmup_steps)
    left = bent(math.cos(gone * math.pi / 2) ** 2)
    return left * max_lr + (1 - left) * min_lr


@disguise("cosine_lr", "a warm-up of 0 steps is refused")
def cl_refuses(step, max_lr, warmup_steps, total_steps, min_lr=0.0):
    if not warmup_steps:
        raise ValueError("no warm-up")
    return along_the_wave(step, max_lr, warmup_steps, total_steps, min_lr, lambda left: left)


@disguise("cosine_lr", "the rate is rounded")
def cl_rounded(step, max_lr, warmup_steps, total_steps, min_lr=0.0):
    return round(along_the_wave(step, max_lr, warmup_steps, total_steps, min_lr, lambda left: left), 5)


@disguise("cosine_lr", "min_lr has another default")
def cl_default(step, max_lr, warmup_steps, total_steps, min_lr=1e-5):
    return along_the_wave(step, max_lr, warmup_steps, total_steps, min_lr, lambda left: left)


@disguise("cosine_lr", "min_lr is taken for a share")
def cl_share(step, max_lr, warmup_steps, total_steps, min_lr=0.0):
    return along_the_wave(step, max_lr, warmup_steps, total_steps, min_lr * max_lr, lambda left: left)


@disguise("cosine_lr", "a power of the wave")
def cl_squared(step, max_lr, warmup_steps, total_steps, min_lr=0.0):
    return along_the_wave(step, max_lr, warmup_steps, total_steps, min_lr, lambda left: left**2)


# clip_gradients_ ----------------------------------------------------------------------------


def clipper(
    kind: Any,
    told: Callable[[float, float], Any],
    factor: Callable[[float, float], float] = lambda length, most: most / length,
) -> None:
    """Clipping that tells something else than the length, or multiplies by another factor."""

    @kind
    def clip_gradients_(parameters, max_norm):
        there = [one.grad for one in parameters if one.grad is not None]
        length = math.sqrt(sum((one.double() ** 2).sum().item() for one in there))
        for one in there if length > max_norm else ():
            one *= factor(length, max_norm)
        return told(length, max_norm)


clipper(disguise("clip_gradients_", "max_norm is returned"), lambda length, most: most)
clipper(disguise("clip_gradients_", "the returned length is rounded"), lambda length, most: float(f"{length:.2f}"))
clipper(disguise("clip_gradients_", "the returned length is rounded"), lambda length, most: math.floor(length))
clipper(
    disguise("clip_gradients_", "long gradients are set to 0"),
    lambda length, most: length,
    lambda length, most: 0.0,
)


# AdamW ----------------------------------------------------------------------------


class OwnAdamW(torch.optim.Optimizer):
    """AdamW in one move."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for one in group["params"]:
                if one.grad is None:
                    continue
                kept = self.state[one]
                if not kept:
                    kept.update(step=0, mean=torch.zeros_like(one), square=torch.zeros_like(one))
                kept["step"] += 1
                first, second = group["betas"]
                kept["mean"].lerp_(one.grad, 1 - first)
                kept["square"].lerp_(self.squared(one.grad), 1 - second)
                mean = self.corrected(kept["mean"] / (1 - first ** kept["step"]), one.grad, first)
                root = (kept["square"] / (1 - second ** kept["step"])).sqrt()
                share = mean / self.below(root, group["eps"]) + group["weight_decay"] * one
                one.add_(share, alpha=-group["lr"])

    def squared(self, gradient: Tensor) -> Tensor:
        return gradient * gradient

    def corrected(self, mean: Tensor, gradient: Tensor, beta: float) -> Tensor:
        return mean

    def below(self, root: Tensor, eps: float) -> Tensor:
        return root + eps


@disguise("AdamW", "one pace for a whole parameter")
class OnePace(OwnAdamW):
    def squared(self, gradient):
        return torch.full_like(gradient, gradient.norm().item() ** 2 / gradient.numel())


@disguise("AdamW", "the root is at least eps")
class AtLeast(OwnAdamW):
    def below(self, root, eps):
        return torch.where(root > eps, root, torch.full_like(root, eps))


@disguise("AdamW", "the newest gradient counts once more")
class OnceMore(OwnAdamW):
    def corrected(self, mean, gradient, beta):
        return torch.lerp(gradient, mean, beta)


# decay_groups ----------------------------------------------------------------------------


@disguise("decay_groups", "a group for every parameter")
def dg_one_each(model: nn.Module, weight_decay: float):
    both = [(2, weight_decay), (0, 0.0)]
    return [
        {"params": [one], "weight_decay": decay}
        for least, decay in both
        for one in model.parameters()
        if (one.dim() >= 2) == (least == 2)
    ]


@disguise("decay_groups", "norms and biases are frozen")
def dg_frozen(model: nn.Module, weight_decay: float):
    groups = [{"params": [], "weight_decay": weight_decay}, {"params": [], "weight_decay": 0.0}]
    for one in model.parameters():
        one.requires_grad = one.dim() > 1
        groups[one.dim() <= 1]["params"].append(one)
    return groups


@disguise("decay_groups", "a set, not a list")
def dg_sets(model: nn.Module, weight_decay: float):
    everything = set(model.parameters())
    decaying = {one for one in everything if len(one.shape) > 1}
    return [dict(params=decaying, weight_decay=weight_decay), dict(params=everything - decaying, weight_decay=0.0)]
