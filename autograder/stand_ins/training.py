"""Lesson 10 on torch.nn.utils and torch's own saving."""

import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.watch import outside_the_watch

GIVEN = ("config_of",)


@outside_the_watch
def train_step(
    model: nn.Module,
    micro_batches: Sequence[Any],
    optimizer: torch.optim.Optimizer,
    loss_fn: Callable[[nn.Module, Any], Tensor],
    max_norm: float | None = None,
    autocast_dtype: torch.dtype | None = None,
) -> float:
    """One step by the gradient of the mean loss over all micro-batches."""
    if not micro_batches:
        raise ValueError("micro_batches is empty; give at least one batch")
    model.train()
    model.zero_grad()
    losses = []
    for batch in micro_batches:
        with nullcontext() if autocast_dtype is None else torch.autocast("cpu", autocast_dtype):
            loss = loss_fn(model, batch)
        loss.backward(torch.full_like(loss, 1 / len(micro_batches)))
        losses.append(loss.item())
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return sum(losses) / len(losses)


@outside_the_watch
def save_checkpoint(path: str | Path, model: nn.Module, optimizer: torch.optim.Optimizer, step: int) -> None:
    """Keep parameters, buffers, running means, settings, step and random numbers."""
    checkpoint = {
        "config": config_of(model),
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": step,
        "rng": torch.get_rng_state(),
    }
    unfinished = f"{path}.unfinished"
    torch.save(checkpoint, unfinished)
    os.replace(unfinished, path)


@outside_the_watch
def load_checkpoint(path: str | Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> int:
    """Take up training where `save_checkpoint` left it."""
    checkpoint: dict[str, Any] = torch.load(path, weights_only=True)
    saved, own = checkpoint["config"], config_of(model)
    different = [name for name in {**saved, **own} if saved.get(name) != own.get(name)]
    if different:
        told = ", ".join(f"{name}={saved.get(name)}, here {own.get(name)}" for name in different)
        raise ValueError(f"the checkpoint is one of another model: {told}")
    torch.set_rng_state(checkpoint["rng"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    model.load_state_dict(checkpoint["model"])
    step: int = checkpoint["step"]
    return step


def config_of(model: nn.Module) -> dict[str, Any]:
    """The fields of a model's `config`; none where it has no such dataclass."""
    config = getattr(model, "config", None)
    return asdict(config) if is_dataclass(config) and not isinstance(config, type) else {}
