"""Lesson 00 on torch's own softmax."""

import torch
from torch import Tensor

from autograder.probing.watch import outside_the_watch


@outside_the_watch
def softmax(x: Tensor, dim: int = -1) -> Tensor:
    """torch's own, with zeros instead of NaN where all scores are -inf."""
    empty = (x == -torch.inf).all(dim=dim, keepdim=True)
    weights = torch.softmax(x.masked_fill(empty, 0.0), dim=dim)
    return weights.masked_fill(empty, 0.0)
