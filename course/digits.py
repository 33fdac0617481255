"""Handwritten digits, 8 x 8 pixels each, as scikit-learn ships them: nothing is downloaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import Tensor, nn

from course.training import train
from course.widgets.figures import Picture, panels

HELD_OUT = 500
DARKEST = 16
BATCH = 64
PATCH = 2


@dataclass(frozen=True)
class Digits:
    """Pictures, and what they show.

    Attributes:
        images: (count, 1, 8, 8), float32: 0 for paper, 1 for ink.
        labels: (count,), int64: 0 to 9.
    """

    images: Tensor
    labels: Tensor

    def __len__(self) -> int:
        return len(self.labels)

    def rows(self) -> Tensor:
        """Each picture as one row of 64 numbers, for models that know no picture."""
        return self.images.flatten(1)

    def part(self, places: Tensor) -> Digits:
        """Some of them."""
        return Digits(self.images[places], self.labels[places])


@cache
def _all() -> Digits:
    found = load_digits()
    images = torch.tensor(found.images, dtype=torch.float32).unsqueeze(1) / DARKEST
    return Digits(images, torch.tensor(found.target, dtype=torch.int64))


def read_digits(seed: int = 0, held_out: int = HELD_OUT) -> tuple[Digits, Digits]:
    """The digits to learn from, and those that are held out.

    Args:
        seed: which of them are held out.
        held_out: how many are.

    Raises:
        ValueError: if nothing would be left on one of the sides.
    """
    digits = _all()
    if not 0 < held_out < len(digits):
        raise ValueError(f"held_out={held_out}; give 1 to {len(digits) - 1}")
    order = torch.randperm(len(digits), generator=torch.Generator().manual_seed(seed))
    return digits.part(order[held_out:]), digits.part(order[:held_out])


def fit(
    model: nn.Module,
    known: Digits,
    *,
    steps: int,
    rate: float,
    seed: int = 0,
    label: str = "training",
    curve: bool = True,
) -> list[float]:
    """Train a model to name digits: AdamW, batches of 64, a rate that rises for a tenth of the steps and then falls.

    Args:
        model: pictures to logits. It is left in evaluation mode.
        known: what it learns from.
        steps: how many batches.
        rate: the largest learning rate.
        seed: which batches.
        label, curve: see `train`.

    Returns:
        The losses.
    """
    chance = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.1)

    def step(_: int) -> Tensor:
        batch = known.part(torch.randint(len(known), (BATCH,), generator=chance))
        loss = F.cross_entropy(model(batch.images), batch.labels)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        return loss

    model.train()
    losses = train(step, steps, label=label, curve=curve)
    model.eval()
    return losses


@torch.no_grad()
def accuracy(model: nn.Module, digits: Digits) -> float:
    """The share of digits that get their own label as the likeliest."""
    return (model(digits.images).argmax(-1) == digits.labels).float().mean().item()


def without_patches(images: Tensor, scores: Tensor, count: int, side: int = PATCH) -> Tensor:
    """Paper instead of the patches with the largest scores.

    Args:
        images: (batch, 1, 8, 8).
        scores: (batch, patches), one for each patch, row by row.
        count: how many patches of each picture become paper.
        side: the side of a patch.
    """
    down = images.size(2) // side
    keep = torch.ones_like(scores).scatter(1, scores.topk(count).indices, 0.0)
    shown = keep.unflatten(1, (down, -1)).repeat_interleave(side, 1).repeat_interleave(side, 2)
    return images * shown.unsqueeze(1)


def ink(images: Tensor, side: int = PATCH) -> Tensor:
    """How much ink there is in each patch, (batch, patches)."""
    return F.avg_pool2d(images, side).flatten(1)


def draw_pictures(
    images: Sequence[Tensor], titles: Sequence[str], alt: str, *, columns: int = 6, side: float = 1.5
) -> Picture:
    """Pictures side by side, paper white and ink black.

    Args:
        images: (height, width) or (1, height, width) each, 0 for paper and 1 for ink.
        titles: one for each.
        alt: what is to be seen.
        columns: how many stand in a row.
        side: the width of one, in inches.
    """
    across = min(columns, len(images))
    down = -(-len(images) // across)
    picture, axes = panels(down, across, size=(side * across, (side + 0.25) * down), alt=alt)
    for ax in axes.flat:
        ax.set_axis_off()
    for ax, image, title in zip(axes.flat, images, titles, strict=False):
        shown = image.detach().reshape(image.shape[-2:])
        ax.imshow(shown.numpy(), cmap="gray_r", vmin=0, vmax=max(1.0, float(shown.max())))
        ax.set_title(title, fontsize=9)
    return picture
