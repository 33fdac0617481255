"""Lesson 04 on torch: sinusoids as real and imaginary parts, rotations as complex products."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.probing.watch import outside_the_watch
from autograder.stand_ins.multi_head_attention import MultiHeadAttention, merge_heads, split_heads, weights_of


def _must_be_even(name: str, size: int) -> None:
    if size % 2 != 0:
        raise ValueError(f"{name}={size} is odd; features come in pairs, so give an even number")


def _turns(positions: Tensor, size: int, base: float) -> Tensor:
    """The unit complex number of every position and every pair: (positions, size / 2)."""
    rates = base ** -(torch.arange(0, size, 2, dtype=torch.get_default_dtype()) / size)
    angles = torch.outer(positions.to(rates.dtype), rates)
    return torch.polar(torch.ones_like(angles), angles)


@outside_the_watch
def sinusoidal_encoding(max_len: int, d_model: int) -> Tensor:
    """Give every position a vector of sines and cosines."""
    _must_be_even("d_model", d_model)
    turns = _turns(torch.arange(max_len), d_model, 10000.0)
    return torch.stack([turns.imag, turns.real], dim=-1).flatten(1)


@outside_the_watch
class PositionalEncoding(nn.Module):
    """Add to every token the vector of its position."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0) -> None:
        super().__init__()
        self.register_buffer("table", sinusoidal_encoding(max_len, d_model))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Add the positions start, start + 1, ... to the tokens of every sequence."""
        table = self.get_buffer("table")
        if start < 0 or start + x.size(1) > len(table):
            raise ValueError(
                f"{x.size(1)} tokens from position {start} on do not fit into max_len={len(table)} positions"
            )
        return self.dropout(x + table.narrow(0, start, x.size(1)))


@outside_the_watch
class LearnedPositionalEncoding(nn.Module):
    """Add to every token a vector of its position that training finds."""

    def __init__(self, max_len: int, d_model: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x: Tensor) -> Tensor:
        """Add the vectors of positions 0, 1, ... to the tokens of every sequence."""
        seq_len, max_len = x.size(1), self.embedding.num_embeddings
        if seq_len > max_len:
            raise ValueError(f"{seq_len} tokens do not fit into max_len={max_len} positions")
        return x + self.embedding.weight[:seq_len]


@outside_the_watch
def apply_rotary(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    """Turn every pair of features by an angle that grows with the token's position."""
    _must_be_even("d_head", x.size(-1))
    points = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    turned = points * _turns(positions, x.size(-1), base).to(points.dtype)
    return torch.view_as_real(turned).flatten(-2)


@outside_the_watch
class RotaryAttention(MultiHeadAttention):
    """Multi-head attention that turns queries and keys by their positions."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__(d_model, num_heads)
        _must_be_even("d_model / num_heads", d_model // num_heads)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Attend with every head; returns (output, weights)."""
        q = apply_rotary(split_heads(self.q_proj(query), self.num_heads), torch.arange(query.size(1)))
        k = apply_rotary(split_heads(self.k_proj(key), self.num_heads), torch.arange(key.size(1)))
        v = split_heads(self.v_proj(value), self.num_heads)
        heads = F.scaled_dot_product_attention(q, k, v, mask)
        return self.out_proj(merge_heads(heads)), weights_of(q, k, mask)
