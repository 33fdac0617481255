"""What both kinds of variants of this lesson are made of."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from tests.variants import correct, disguise, unlisted


class Attend(nn.Module):
    """Multi-head attention, with the heads behind the tokens."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        if num_heads < 1 or d_model % num_heads:
            raise ValueError(f"d_model={d_model} is not divisible by num_heads={num_heads}")
        self.num_heads = num_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
        self.drop = nn.Dropout(dropout)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> tuple[Tensor, Tensor]:
        """(output, weights)."""
        q, k, v = self.q_proj(query), self.k_proj(key), self.v_proj(value)
        q, k, v = (x.unflatten(-1, (self.num_heads, -1)) for x in (q, k, v))
        weights = share(torch.einsum("bihd,bjhd->bhij", q, k) / math.sqrt(q.size(-1)), mask)
        found = torch.einsum("bhij,bjhd->bihd", self.drop(weights), v)
        return self.out_proj(found.flatten(2)), weights


def share(scores: Tensor, mask: Tensor | None) -> Tensor:
    """A softmax by hand that gives zeros to a row without a place to look at."""
    seen = scores if mask is None else torch.where(mask, scores, -torch.inf)
    e = torch.exp(seen - seen.detach().amax(-1, keepdim=True).clamp_min(-1e30))
    return e / e.sum(-1, keepdim=True).clamp_min(1e-30)


class Feed(nn.Module):
    """The feed-forward network."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Widen, ReLU, dropout, narrow."""
        return self.linear2(self.drop(self.linear1(x).clamp_min(0)))


class Base(nn.Module):
    """The constructor that the notebook gives."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__()
        self.self_attn = Attend(d_model, num_heads, dropout)
        self.feed_forward = Feed(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first


def mark(kind: str, exercise: str, mistake: str) -> Any:
    """The decorator of one kind."""
    if kind == "disguise":
        return disguise(exercise, mistake)
    return (correct if kind == "correct" else unlisted)(exercise)


def by(one: str, two: str) -> Callable:
    """The right forward with these norms."""

    def forward(self: Any, x: Tensor, mask: Any) -> Any:
        norm_1, norm_2 = getattr(self, one, nn.Identity()), getattr(self, two, nn.Identity())
        h = norm_1(x) if self.norm_first else x
        a, w = self.self_attn(h, h, h, mask)
        x = x + self.dropout(a)
        x = x if self.norm_first else norm_1(x)
        h = norm_2(x) if self.norm_first else x
        x = x + self.dropout(self.feed_forward(h))
        return x if self.norm_first else norm_2(x), w

    return forward


class Good(Base):
    """A right layer, for the stacks."""

    def forward(self, x: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
        """As it should be."""
        x, w = by("norm1", "norm2")(self, x, mask)
        return (x, w) if return_weights else x


def past(x: Tensor) -> Tensor:
    """The causal mask of some tokens."""
    places = torch.arange(x.size(1))
    return places[:, None] >= places


def before(x: Tensor) -> Tensor:
    """Causal, and a token does not see itself."""
    places = torch.arange(x.size(1))
    return places[:, None] > places
