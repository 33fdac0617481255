"""Losses, rates and updates, beside torch's."""

import math

import torch
import torch.nn.functional as F
from my_transformer import AdamW, clip_gradients_, cosine_lr, label_smoothed_cross_entropy, shift_right
from torch import nn


def test_the_target_is_shifted_behind_its_beginning() -> None:
    assert shift_right(torch.tensor([[5, 6, 7]]), 1).tolist() == [[1, 5, 6]]


def test_smoothing_gives_torchs_loss() -> None:
    logits, targets = torch.randn(2, 3, 7), torch.randint(1, 7, (2, 3))
    theirs = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), label_smoothing=0.1)
    assert torch.allclose(label_smoothed_cross_entropy(logits, targets, 0.1, 0), theirs, atol=1e-5)


def test_the_rate_rises_and_falls() -> None:
    rates = [cosine_lr(step, 1.0, 10, 100) for step in (5, 10, 55, 100)]
    assert all(math.isclose(a, b, abs_tol=1e-6) for a, b in zip(rates, (0.5, 1.0, 0.5, 0.0), strict=True))


def test_a_long_gradient_is_shortened() -> None:
    weight = nn.Parameter(torch.zeros(2))
    weight.grad = torch.tensor([3.0, 4.0])
    clip_gradients_([weight], 1.0)
    assert math.isclose(weight.grad.norm().item(), 1.0, abs_tol=1e-4)


def test_adamw_walks_as_torchs_does() -> None:
    start = torch.randn(4)
    ends = []
    for kind in (AdamW, torch.optim.AdamW):
        weight = nn.Parameter(start.clone())
        optimizer = kind([weight], lr=0.1, weight_decay=0.1)
        for step in range(5):
            weight.grad = torch.arange(4.0) - step
            optimizer.step()
        ends.append(weight.detach())
    assert torch.allclose(ends[0], ends[1], atol=1e-5)
