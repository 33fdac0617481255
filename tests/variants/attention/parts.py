"""What attention is put together from, each part right."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

SDPA = "scaled_dot_product_attention"


INF = float("inf")


def attends(
    score: Callable | None = None,
    fill: Callable | None = None,
    weigh: Callable | None = None,
    mix: Callable | None = None,
) -> Any:
    """Attention put together from four steps, each right unless given."""

    def run(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        s = (score or dot)(q, k)
        if mask is not None:
            s = (fill or where_inf)(s, mask)
        w = (weigh or safe)(s)
        return (mix or mixed)(w, k, v), w

    return run


def dot(q: Tensor, k: Tensor) -> Tensor:
    return torch.einsum("...qd,...kd->...qk", q, k) / q.shape[-1] ** 0.5


def where_inf(s: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask, s, torch.tensor(-INF, dtype=s.dtype))


def safe(s: Tensor) -> Tensor:
    return torch.nan_to_num(F.softmax(s, -1), nan=0.0)


def mixed(w: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.einsum("...qk,...kd->...qd", w, v)
