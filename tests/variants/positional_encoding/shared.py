"""What several exercises of lesson 04 are written with."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from tests.variants import correct, disguise, unlisted

Slips = dict[str, Any]


def must_be_even(size: int) -> None:
    """The given ValueError."""
    if size % 2:
        raise ValueError(f"{size} is odd; give an even number")


def must_divide(d_model: int, num_heads: int) -> int:
    """d_head, or the given ValueError."""
    if num_heads < 1 or d_model % num_heads:
        raise ValueError(f"{d_model} is not divisible by {num_heads}")
    return d_model // num_heads


def rates(width: int, base: float = 10000.0) -> Tensor:
    """The frequency of every pair."""
    return torch.exp(-torch.arange(0, width, 2) / width * math.log(base))


def woven(angles: Tensor) -> Tensor:
    """Sines and cosines in turn."""
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


class Encoding(nn.Module):
    """A PositionalEncoding around any table; the rest of it is right."""

    def __init__(self, make: Callable[[int, int], Tensor], d_model: int, max_len: int, dropout: float) -> None:
        super().__init__()
        self.register_buffer("table", make(max_len, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Add the rows token by token."""
        if start < 0 or start + x.shape[1] > self.table.shape[0]:
            raise ValueError("the table is too short")
        return self.dropout(torch.stack([x[:, i] + self.table[start + i] for i in range(x.shape[1])], dim=1))


def around(make: Callable[[int, int], Tensor]) -> Any:
    """A PositionalEncoding that makes its table itself."""

    def module(d_model: int, max_len: int = 5000, dropout: float = 0.0) -> nn.Module:
        return Encoding(make, d_model, max_len, dropout)

    return module


def module(base: type, exercise: str, kind: str, mistake: str = "") -> Any:
    """A module in which one method differs."""

    def add(method: Callable) -> Any:
        made = type(method.__name__, (base,), {method.__name__.rsplit("__", 1)[-1]: method})
        if kind == "disguise":
            disguise(exercise, mistake)(made)
        else:
            (correct if kind == "correct" else unlisted)(exercise)(made)
        return method

    return add


class Attending(nn.Module):
    """Rotary attention written out: heads behind the tokens, a softmax by hand."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        must_be_even(must_divide(d_model, num_heads))
        self.num_heads = num_heads
        for name in ("q", "k", "v", "out"):
            self.add_module(f"{name}_proj", nn.Linear(d_model, d_model))

    @staticmethod
    def turn(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        """As complex numbers."""
        rate = base ** (-torch.arange(0, x.size(-1), 2, dtype=x.dtype) / x.size(-1))
        turns = torch.polar(torch.ones(1, dtype=x.dtype), positions.to(x.dtype)[:, None] * rate)
        return torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) * turns).flatten(-2)

    def cut(self, x: Tensor) -> Tensor:
        """(batch, num_heads, seq_len, d_head)."""
        return torch.stack(x.chunk(self.num_heads, dim=-1), dim=1)

    def place(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        """Turn both."""
        return self.turn(q, torch.arange(q.size(2))), self.turn(k, torch.arange(k.size(2)))

    def parts(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """q, k, v of all heads."""
        return self.cut(self.q_proj(query)), self.cut(self.k_proj(key)), self.cut(self.v_proj(value))

    def shares(self, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
        """The weights."""
        scores = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(q.size(-1))
        seen = scores if mask is None else torch.where(mask, scores, -torch.inf)
        e = torch.exp(seen - seen.detach().amax(-1, keepdim=True).clamp_min(-1e30))
        return e / e.sum(-1, keepdim=True).clamp_min(1e-30)

    def back(self, heads: Tensor) -> Tensor:
        """Join and project."""
        return self.out_proj(torch.cat(heads.unbind(1), dim=-1))

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
        """Attend."""
        q, k, v = self.parts(query, key, value)
        weights = self.shares(*self.place(q, k), mask)
        return self.back(weights @ v), weights
