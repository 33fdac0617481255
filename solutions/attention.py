"""Scaled dot-product attention and its masks (Vaswani et al. 2017, section 3.2.1)."""

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def attention_scores(
    q: Float[Tensor, "... query_len d_head"], k: Float[Tensor, "... key_len d_head"]
) -> Float[Tensor, "... query_len key_len"]:
    """Score every query against every key: their dot product, divided by √d_head.

    Args:
        q: queries, one row for each token that asks.
        k: keys, one row for each token that can be read.

    Returns:
        Row i, column j: how well key j fits query i. Any real number, not yet a weight.

    Raises:
        ValueError: if queries and keys do not have the same number of features.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1: inside the softmax.
    """
    d_head = q.size(-1)
    if k.size(-1) != d_head:
        raise ValueError(f"queries have {d_head} features and keys have {k.size(-1)}; they need the same number")
    # 1. the dot product of every query with every key
    # 2. divide by √d_head
    # BEGIN SOLUTION
    scores = q @ k.transpose(-2, -1)  # (..., query_len, d_head) @ (..., d_head, key_len)
    return scores / math.sqrt(d_head)
    # END SOLUTION


def causal_mask(seq_len: int) -> Bool[Tensor, "seq_len seq_len"]:
    """Let every token look at itself and at what came before it.

    Args:
        seq_len: number of tokens.

    Returns:
        True where query i may look at key j, that is where j <= i.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.3, third point.
    """
    # BEGIN SOLUTION
    return torch.ones(seq_len, seq_len, dtype=torch.bool).tril()
    # END SOLUTION


def padding_mask(token_ids: Int[Tensor, "batch key_len"], pad_id: int) -> Bool[Tensor, "batch 1 1 key_len"]:
    """Let no token look at padding.

    Args:
        token_ids: the tokens that are read, padded to one length.
        pad_id: the id that stands for "no token here".

    Returns:
        True where a key is a real token. The two dimensions of size 1 stand for all heads and all queries.

    Raises:
        ValueError: if the ids are not one row per sequence.

    Source: `key_padding_mask` of torch.nn.MultiheadAttention, where True means the opposite.
    """
    if token_ids.dim() != 2:
        raise ValueError(f"token_ids has shape {tuple(token_ids.shape)}; give (batch, key_len)")
    # BEGIN SOLUTION
    real = token_ids != pad_id  # (batch, key_len)
    return real[:, None, None, :]  # (batch, 1, 1, key_len)
    # END SOLUTION


def scaled_dot_product_attention(
    q: Float[Tensor, "... query_len d_head"],
    k: Float[Tensor, "... key_len d_head"],
    v: Float[Tensor, "... key_len d_value"],
    mask: Bool[Tensor, "... #query_len #key_len"] | None = None,
) -> tuple[Float[Tensor, "... query_len d_value"], Float[Tensor, "... query_len key_len"]]:
    """Mix the values: every query takes most from the keys that fit it best.

    Args:
        q: queries, one row for each token that asks.
        k: keys, one row for each token that can be read.
        v: values, what is read: one row for each key.
        mask: True where a query may look at a key; broadcast to the scores. None hides nothing.

    Returns:
        The output, one row for each query, and the weights that made it: rows of non-negative numbers that sum to 1.
        A query that may look at nothing has weights of 0 and an output of 0.

    Raises:
        ValueError: if keys and values differ in number, or if the mask is not boolean.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1, equation 1.
    """
    if k.size(-2) != v.size(-2):
        raise ValueError(f"{k.size(-2)} keys and {v.size(-2)} values; every key needs a value")
    if mask is not None and mask.dtype != torch.bool:
        raise ValueError(f"mask has dtype {mask.dtype}; give booleans, True where a query may look")
    # 1. the scores of every query with every key
    # 2. -inf wherever the mask is False
    # 3. the softmax of every row
    # 4. zeros wherever the mask is False: a row with nothing to look at is NaN by now
    # 5. the output: the values, mixed by the weights
    # BEGIN SOLUTION
    scores = attention_scores(q, k)  # (..., query_len, key_len)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    output = weights @ v  # (..., query_len, key_len) @ (..., key_len, d_value)
    return output, weights
    # END SOLUTION


def to_torch_mask(
    mask: Bool[Tensor, "batch heads query_len key_len"], num_heads: int
) -> Bool[Tensor, "batch*num_heads query_len key_len"]:
    """Turn a mask of ours into the `attn_mask` of nn.MultiheadAttention, where True means the opposite.

    Args:
        mask: True where a query may look at a key; the second dimension is 1 (the same for all heads) or num_heads.
        num_heads: number of heads of the nn.MultiheadAttention.

    Returns:
        True where a query may *not* look. Batch and heads share one dimension: all heads of the first sequence,
        then all heads of the second.

    Raises:
        ValueError: if the mask has not four dimensions, or a number of heads that cannot be spread over num_heads.

    Source: the documentation of torch.nn.MultiheadAttention, argument `attn_mask`.
    """
    if mask.dim() != 4 or mask.size(1) not in (1, num_heads):
        given = tuple(mask.shape)
        raise ValueError(f"mask has shape {given}; give (batch, 1 or num_heads={num_heads}, query_len, key_len)")
    # 1. one copy of the mask for every head
    # 2. batch and heads become one dimension
    # 3. True has to mean "may not look"
    # BEGIN SOLUTION
    per_head = mask.expand(-1, num_heads, -1, -1)  # (batch, num_heads, query_len, key_len)
    return ~per_head.flatten(0, 1)  # (batch * num_heads, query_len, key_len)
    # END SOLUTION
