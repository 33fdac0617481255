"""What both kinds of variants of this lesson are made of."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Attention(nn.Module):
    """Multi-head attention written anew."""

    def __init__(self, d_model: int, num_heads: int, p: float = 0.0) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"d_model={d_model} is not divisible by num_heads={num_heads}")
        self.heads, self.rate = num_heads, p
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """As an einsum, with the given ValueErrors."""
        if k.size(1) != v.size(1):
            raise ValueError("as many keys as values")
        full = (q.size(0), self.heads, q.size(1), k.size(1))
        if mask is not None and any(a not in (1, b) for a, b in zip(mask.shape[::-1], full[::-1], strict=False)):
            raise ValueError("the mask does not fit")
        made = ((self.q_proj, q), (self.k_proj, k), (self.v_proj, v))
        q, k, v = (layer(x).unflatten(-1, (self.heads, -1)) for layer, x in made)
        weights = share(torch.einsum("bihd,bjhd->bhij", q, k) / math.sqrt(q.size(-1)), mask)
        dropped = F.dropout(weights, self.rate, self.training)
        return self.out_proj(torch.einsum("bhij,bjhd->bihd", dropped, v).flatten(2)), weights


def share(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The softmax of what may be seen, 0 for the rest."""
    if mask is None:
        return scores.softmax(-1)
    return torch.where(mask, scores, -torch.inf).softmax(-1).nan_to_num(0.0)


class Network(nn.Module):
    """The feed-forward network written anew."""

    def __init__(self, d_model: int, d_ff: int, p: float = 0.0) -> None:
        super().__init__()
        self.linear1, self.linear2, self.p = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model), p

    def forward(self, x: Tensor) -> Tensor:
        """Widen, cut off, narrow."""
        return self.linear2(F.dropout(self.linear1(x).clamp_min(0), self.p, self.training))


def past(h: Tensor) -> Tensor:
    """The causal mask."""
    places = torch.arange(h.shape[1])
    return places[None, :] <= places[:, None]
