"""Lesson 09 on torch.nn.functional, torch.nn.utils and torch.optim."""

import math
from collections.abc import Iterable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.probing.watch import outside_the_watch


@outside_the_watch
def shift_right(tgt: Tensor, bos_id: int) -> Tensor:
    """bos_id first, and without the last token."""
    return F.pad(tgt, (1, 0), value=bos_id)[:, : tgt.size(1)]


@outside_the_watch
def label_smoothed_cross_entropy(logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0) -> Tensor:
    """torch's cross-entropy with label_smoothing and ignore_index."""
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing={smoothing}; give a share from 0 to below 1")
    if bool((targets == pad_id).all()):
        raise ValueError(f"no target counts: all {targets.numel()} of them are pad_id={pad_id}")
    rows = logits.reshape(-1, logits.size(-1))
    return F.cross_entropy(rows, targets.reshape(-1), ignore_index=pad_id, label_smoothing=smoothing)


@outside_the_watch
def warmup_lr(step: int, d_model: int, warmup_steps: int) -> float:
    """A straight line up to the last step of the warm-up, then one over the root of the step."""
    if step < 1:
        raise ValueError(f"step={step}; steps are counted from 1")
    rises = step < warmup_steps
    return (step / warmup_steps**1.5 if rises else 1 / math.sqrt(step)) / math.sqrt(d_model)


@outside_the_watch
def cosine_lr(step: int, max_lr: float, warmup_steps: int, total_steps: int, min_lr: float = 0.0) -> float:
    """A straight line up, then half a cosine down, in torch's own words for it."""
    if not 0 <= warmup_steps < total_steps:
        raise ValueError(f"warmup_steps={warmup_steps} does not lie in 0 to below total_steps={total_steps}")
    if step < warmup_steps:
        return max_lr / warmup_steps * step
    left = max(0, total_steps - step) / (total_steps - warmup_steps)
    return min_lr + (max_lr - min_lr) * math.sin(math.pi / 2 * left) ** 2


@outside_the_watch
def clip_gradients_(parameters: Iterable[nn.Parameter], max_norm: float) -> float:
    """torch's clip_grad_norm_."""
    return float(nn.utils.clip_grad_norm_(parameters, max_norm))


@outside_the_watch
class AdamW(torch.optim.AdamW):
    """torch's own."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)


@outside_the_watch
def decay_groups(model: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    """Weights of layers and tables with weight_decay, norms and biases without."""
    groups: list[dict[str, Any]] = [
        {"params": [], "weight_decay": weight_decay},
        {"params": [], "weight_decay": 0.0},
    ]
    for parameter in model.parameters():
        groups[parameter.dim() < 2]["params"].append(parameter)
    return groups
