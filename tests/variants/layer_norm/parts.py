"""What several exercises of lesson 01 are made of."""

from typing import Any

import torch
from torch import Tensor, nn


class Base(nn.Module):
    """The constructor that the notebook gives."""

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))


def layer(core: Any) -> type:
    """A LayerNorm whose forward is weight · core(x, eps) + bias."""

    class Layer(Base):
        def forward(self, x: Tensor) -> Tensor:
            return core(x, self.eps) * self.weight + self.bias

    return Layer


def good(x: Tensor, eps: float = 1e-5) -> Tensor:
    d = x - x.mean(-1, keepdim=True)
    return d / torch.sqrt((d * d).mean(-1, keepdim=True) + eps)


def rms(x: Tensor, eps: float = 1e-5) -> Tensor:
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps)
