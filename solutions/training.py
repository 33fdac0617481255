"""Training: one step from several batches, and all that is needed to go on another day."""

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from solutions.optimization import clip_gradients_


def train_step(
    model: nn.Module,
    micro_batches: Sequence[Any],
    optimizer: torch.optim.Optimizer,
    loss_fn: Callable[[nn.Module, Any], Tensor],
    max_norm: float | None = None,
    autocast_dtype: torch.dtype | None = None,
) -> float:
    """Change the model once, by the gradient of the mean loss over several small batches.

    Args:
        model: what is trained; put into train mode.
        micro_batches: batches that together are too large for the memory, so that only one of them is
            held at a time; all weigh the same.
        optimizer: steps once.
        loss_fn: `loss_fn(model, micro_batch)` gives the mean loss of one of them.
        max_norm: if given, the gradient is clipped to this length.
        autocast_dtype: if given, the forward pass computes in this dtype where that is safe
            (torch.autocast); bfloat16 has the range of float32, so its gradients need no scaling.

    Returns:
        The mean loss, before the step.

    Raises:
        ValueError: if there are no micro-batches.
    """
    if not micro_batches:
        raise ValueError("micro_batches is empty; give at least one batch")
    # 1. train mode; no gradient is left over from the step before
    # 2. for every micro-batch: its share of the mean loss, under autocast; backward adds gradients up
    # 3. clip once, when all have been added; step
    # BEGIN SOLUTION
    model.train()
    optimizer.zero_grad()
    total = 0.0
    for batch in micro_batches:
        with torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None):
            loss = loss_fn(model, batch) / len(micro_batches)
        loss.backward()
        total += loss.item()
    if max_norm is not None:
        clip_gradients_(model.parameters(), max_norm)
    optimizer.step()
    return total
    # END SOLUTION


def save_checkpoint(
    path: str | Path,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    step: int,
) -> None:
    """Keep all that is needed to go on as if training had never stopped.

    Args:
        path: the file; a crash while writing leaves the earlier one whole.
        model: its parameters and buffers, and its `config` where it has one.
        optimizer: its running means, and the settings of its groups.
        step: how many steps have been made; schedules are functions of it.
    """
    checkpoint: dict[str, Any] = {"config": config_of(model)}
    # put into `checkpoint`: "model", "optimizer", "step"; "rng", the state of torch's random numbers
    # BEGIN SOLUTION
    checkpoint |= {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": step,
        "rng": torch.get_rng_state(),
    }
    # END SOLUTION
    unfinished = f"{path}.unfinished"
    torch.save(checkpoint, unfinished)
    os.replace(unfinished, path)


def load_checkpoint(path: str | Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> int:
    """Take up training where `save_checkpoint` left it.

    Args:
        path: the file.
        model: of the same configuration; gets the parameters and buffers.
        optimizer: over the same parameters; gets the running means and settings.

    Returns:
        How many steps have been made.

    Raises:
        ValueError: if the model was made with another configuration; says which field differs.
    """
    checkpoint = torch.load(path, weights_only=True)
    saved, own = checkpoint["config"], config_of(model)
    different = [name for name in {**saved, **own} if saved.get(name) != own.get(name)]
    if different:
        told = ", ".join(f"{name}={saved.get(name)}, here {own.get(name)}" for name in different)
        raise ValueError(f"the checkpoint is one of another model: {told}")
    # BEGIN SOLUTION
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    torch.set_rng_state(checkpoint["rng"])
    return checkpoint["step"]
    # END SOLUTION


def config_of(model: nn.Module) -> dict[str, Any]:
    """The fields of a model's `config`; none where it has no such dataclass."""
    config = getattr(model, "config", None)
    return asdict(config) if is_dataclass(config) and not isinstance(config, type) else {}
