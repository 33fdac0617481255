"""A decoder of touch tones as a textbook has it: no learning, eight filters, two numbers to choose."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from itertools import groupby, product

import torch
from torch import Tensor

from course.tones import COLUMNS, HOP, KEYS, RATE, ROWS, SIZE, Sound, padded

THRESHOLDS = (0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.15, 0.2)
AT_LEAST = (1, 2, 3)


@cache
def _filters() -> Tensor:
    """Eight cosines and eight sines, (16, SIZE)."""
    time = torch.arange(SIZE) / RATE
    angles = 2 * math.pi * torch.tensor([*ROWS, *COLUMNS])[:, None] * time
    return torch.cat([angles.cos(), angles.sin()])


def tone_shares(signal: Tensor) -> Tensor:
    """What share of a frame's energy each of the eight tones has, (..., frames, 8).

    Goertzel's algorithm (1958) computes one frequency of a Fourier transform by a recursion; so does this, by a sum.
    """
    cut = signal.unfold(-1, SIZE, HOP)
    cosines, sines = (cut @ _filters().T).chunk(2, dim=-1)
    energy = cut.square().sum(dim=-1, keepdim=True).clamp(min=1e-9)
    return 2 * (cosines.square() + sines.square()) / (SIZE * energy)


def decode(signal: Tensor, mask: Tensor, threshold: float = 0.04, at_least: int = 2) -> list[str]:
    """The keys of each signal: where a row's and a column's tone both have a share of the energy, for long enough.

    Args:
        signal: (batch, samples).
        mask: True for whole frames, (batch, frames).
        threshold: the share that each of the two tones needs.
        at_least: frames on end.
    """
    return _read(tone_shares(signal)[:, : mask.size(1)], mask, threshold, at_least)


def _read(shares: Tensor, mask: Tensor, threshold: float, at_least: int) -> list[str]:
    row_share, row = shares[..., :4].max(dim=-1)
    column_share, column = shares[..., 4:].max(dim=-1)
    key = 4 * row + column
    key = key.masked_fill((row_share < threshold) | (column_share < threshold) | ~mask, -1)
    found = []
    for one in key.tolist():
        runs = [(value, len(list(run))) for value, run in groupby(one)]
        found.append("".join(KEYS[value] for value, length in runs if value >= 0 and length >= at_least))
    return found


def tune(sounds: Sequence[Sound], errors_of: Callable[[list[str]], float]) -> tuple[float, int]:
    """The threshold and the number of frames with the fewest errors on some sounds.

    Args:
        sounds: to be tuned on.
        errors_of: `errors_of(outputs)` says how many errors the keys of these sounds have.
    """
    signal, mask = padded(sounds)
    shares = tone_shares(signal)[:, : mask.size(1)]
    return min(product(THRESHOLDS, AT_LEAST), key=lambda choice: errors_of(_read(shares, mask, *choice)))
