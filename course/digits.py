"""Handwritten digits, 8 x 8 pixels each, as scikit-learn ships them: nothing is downloaded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import torch
from sklearn.datasets import load_digits
from torch import Tensor

SIDE = 8
HELD_OUT = 500
DARKEST = 16


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
