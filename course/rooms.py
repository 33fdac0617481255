"""Small runs for the rooms of lesson 21: rows that count, and models that learn them while something is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from course.training import train

TOKENS, LENGTH, STRIDES = 17, 12, 4
BATCH = 32

UNKNOWN = math.log(STRIDES) / (LENGTH - 1)
"""The loss of whoever knows all that can be known: of the 11 tokens of a row that are asked for, the second is one of
four, and the rest is certain."""


def counting_rows(count: int, seed: int = 0) -> Tensor:
    """Rows that count on, each by a stride of its own: 5, 8, 11, 14, 0, 3, ... The last token goes on with the first.

    Args:
        count: how many rows.
        seed: which.

    Returns:
        (count, 12) ids from 0 to 16. After two tokens of a row, all others are certain.
    """
    chance = torch.Generator().manual_seed(seed)
    start = torch.randint(TOKENS, (count, 1), generator=chance)
    stride = torch.randint(1, STRIDES + 1, (count, 1), generator=chance)
    return (start + stride * torch.arange(LENGTH)) % TOKENS


def learn(
    model: nn.Module, loss_of: Callable[[Tensor], Tensor], *, steps: int = 200, rate: float = 3e-3, label: str
) -> list[float]:
    """Train a model on rows that count.

    Args:
        model: whose parameters are trained. It is left in evaluation mode.
        loss_of: the loss of a batch of rows.
        steps, rate: of AdamW, in batches of 32.
        label: what the bar is called.

    Returns:
        The losses.
    """
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate)

    def step(number: int) -> Tensor:
        loss = loss_of(counting_rows(BATCH, seed=number + 1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.detach()

    model.train()
    losses = train(step, steps, label=label, curve=False)
    model.eval()
    return losses
