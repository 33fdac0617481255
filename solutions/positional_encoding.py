"""Positions for tokens: sinusoids (Vaswani et al. 2017), learned vectors, and rotations (Su et al. 2021)."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from solutions.attention import scaled_dot_product_attention
from solutions.multi_head_attention import merge_heads, split_heads


def sinusoidal_encoding(max_len: int, d_model: int) -> Float[Tensor, "max_len d_model"]:
    """Give every position a vector of sines and cosines, from fast to slow.

    Args:
        max_len: number of positions, counted from 0.
        d_model: number of features; must be even, as sine and cosine come in pairs.

    Returns:
        Row pos, columns 2i and 2i+1: the sine and the cosine of
        pos / 10000^(2i / d_model), in radians.

    Raises:
        ValueError: if d_model is odd.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.5.
    """
    if d_model % 2 != 0:
        raise ValueError(f"d_model={d_model} is odd; features come in pairs, so give an even number")
    # 1. the positions 0, 1, ... as a column; the even numbers 2i = 0, 2, ... as a row
    # 2. the angle of every position and every pair
    # 3. sines into the even columns, cosines into the odd ones
    # BEGIN SOLUTION
    position = torch.arange(max_len).unsqueeze(1)  # (max_len, 1)
    two_i = torch.arange(0, d_model, 2)  # (d_model / 2,)
    angle = position / 10000 ** (two_i / d_model)  # (max_len, d_model / 2)
    table = torch.empty(max_len, d_model)
    table[:, 0::2] = torch.sin(angle)
    table[:, 1::2] = torch.cos(angle)
    return table
    # END SOLUTION


class PositionalEncoding(nn.Module):
    """Add to every token the vector of its position.

    Args:
        d_model: number of features of a token; even.
        max_len: number of positions in the table.
        dropout: share of the sums that training sets to zero.

    Raises:
        ValueError: if d_model is odd.

    Source: Vaswani et al., "Attention Is All You Need" (2017), sections 3.5 and 5.4.
    """

    table: Float[Tensor, "max_len d_model"]

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        # the table is `self.table`: kept with the module, but no parameter, since nobody learns it
        # BEGIN SOLUTION
        self.register_buffer("table", sinusoidal_encoding(max_len, d_model))
        # END SOLUTION

    def forward(
        self, x: Float[Tensor, "batch seq_len d_model"], start: int = 0
    ) -> Float[Tensor, "batch seq_len d_model"]:
        """Add the positions start, start + 1, ... to the tokens of every sequence.

        Args:
            x: tokens.
            start: the position of the first of them.

        Returns:
            The sums, after dropout.

        Raises:
            ValueError: if a position lies outside the table.
        """
        end = start + x.size(1)
        if start < 0 or end > len(self.table):
            given, places = f"{x.size(1)} tokens from position {start} on", len(self.table)
            raise ValueError(f"{given} do not fit into max_len={places} positions")
        # 1. the rows of the table for these positions
        # 2. add them to the tokens of every sequence
        # 3. dropout
        # BEGIN SOLUTION
        positions = self.table[start:end]  # (seq_len, d_model)
        return self.dropout(x + positions)  # every sequence of the batch gets the same
        # END SOLUTION


class LearnedPositionalEncoding(nn.Module):
    """Add to every token a vector of its position that training finds.

    Args:
        max_len: number of positions that have a vector.
        d_model: number of features of a token.

    Source: Gehring et al., "Convolutional Sequence to Sequence Learning" (2017), section 3.1;
    Vaswani et al. (2017), table 3, row (E).
    """

    def __init__(self, max_len: int, d_model: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x: Float[Tensor, "batch seq_len d_model"]) -> Float[Tensor, "batch seq_len d_model"]:
        """Add the vectors of positions 0, 1, ... to the tokens of every sequence.

        Raises:
            ValueError: if there are more tokens than positions.
        """
        seq_len, max_len = x.size(1), self.embedding.num_embeddings
        if seq_len > max_len:
            raise ValueError(f"{seq_len} tokens do not fit into max_len={max_len} positions")
        # BEGIN SOLUTION
        positions = torch.arange(seq_len, device=x.device)  # (seq_len,)
        return x + self.embedding(positions)  # every sequence of the batch gets the same
        # END SOLUTION


def apply_rotary(
    x: Float[Tensor, "... seq_len d_head"], positions: Int[Tensor, " seq_len"], base: float = 10000.0
) -> Float[Tensor, "... seq_len d_head"]:
    """Turn every pair of features by an angle that grows with the token's position.

    Features 2i and 2i+1 are the two coordinates of a point. For the token at position p it is turned
    by the angle p / base^(2i / d_head), in radians, from the first axis towards the second.

    Args:
        x: queries or keys.
        positions: the position of every token.
        base: the larger it is, the slower the slow pairs turn.

    Returns:
        The turned vectors, each as long as before.

    Raises:
        ValueError: if d_head is odd.

    Source: Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding" (2021),
    section 3.2.2, equations 14 and 15.
    """
    d_head = x.size(-1)
    if d_head % 2 != 0:
        raise ValueError(f"d_head={d_head} is odd; features are turned in pairs, give an even number")
    # 1. the angle of every position and every pair
    # 2. the first and the second coordinate of every pair
    # 3. turn: (first · cos - second · sin, first · sin + second · cos)
    # 4. put the two coordinates back side by side
    # BEGIN SOLUTION
    two_i = torch.arange(0, d_head, 2, device=x.device)  # (d_head / 2,)
    angle = positions.unsqueeze(-1) / base ** (two_i / d_head)  # (seq_len, d_head / 2)
    cos, sin = torch.cos(angle), torch.sin(angle)
    first, second = x[..., 0::2], x[..., 1::2]  # (..., seq_len, d_head / 2) each
    turned = torch.stack((first * cos - second * sin, first * sin + second * cos), dim=-1)
    return turned.flatten(-2)  # (..., seq_len, d_head / 2, 2) -> (..., seq_len, d_head)
    # END SOLUTION


class RotaryAttention(nn.Module):
    """Multi-head attention whose scores depend on distance: queries and keys are turned.

    Args:
        d_model: number of features of a token.
        num_heads: number of heads; each must have an even number of features.

    Raises:
        ValueError: if d_model is not divisible by num_heads, or d_model / num_heads is odd.

    Source: Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding" (2021),
    section 3.2.2.
    """

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if num_heads < 1 or d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model} is not divisible by num_heads={num_heads}")
        if (d_model // num_heads) % 2 != 0:
            raise ValueError(f"d_model / num_heads = {d_model // num_heads} is odd; it must be even")
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(
        self,
        query: Float[Tensor, "batch query_len d_model"],
        key: Float[Tensor, "batch key_len d_model"],
        value: Float[Tensor, "batch key_len d_model"],
        mask: Bool[Tensor, "#batch #num_heads #query_len #key_len"] | Bool[Tensor, "#query_len #key_len"] | None = None,
    ) -> tuple[Float[Tensor, "batch query_len d_model"], Float[Tensor, "batch num_heads query_len key_len"]]:
        """Let the tokens of `query` read those of `key` and `value`; both count from position 0.

        Args:
            query: the tokens that ask.
            key: the tokens that are read, as they present themselves.
            value: the same tokens, as what is taken from them.
            mask: True where a query may look at a key; broadcast to the weights. None hides nothing.

        Returns:
            The output, and the weights of every head.
        """
        # 1. project, split into heads
        # 2. turn queries and keys, each by its own positions
        # 3. attend, merge, project
        # BEGIN SOLUTION
        q = split_heads(self.q_proj(query), self.num_heads)  # (batch, num_heads, query_len, d_head)
        k = split_heads(self.k_proj(key), self.num_heads)  # (batch, num_heads, key_len, d_head)
        v = split_heads(self.v_proj(value), self.num_heads)  # (batch, num_heads, key_len, d_head)
        q = apply_rotary(q, torch.arange(query.size(1), device=q.device))
        k = apply_rotary(k, torch.arange(key.size(1), device=k.device))
        heads, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.out_proj(merge_heads(heads)), weights
        # END SOLUTION
