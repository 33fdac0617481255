"""Lesson 02 on torch.nn.functional."""

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.probing.watch import outside_the_watch


@outside_the_watch
def attention_scores(q: Tensor, k: Tensor) -> Tensor:
    """Score every query against every key: their dot product, divided by √d_head."""
    d_head = q.size(-1)
    if k.size(-1) != d_head:
        raise ValueError(f"queries have {d_head} features and keys have {k.size(-1)}; they need the same number")
    return torch.einsum("...id,...jd->...ij", q, k) * d_head**-0.5


@outside_the_watch
def causal_mask(seq_len: int) -> Tensor:
    """Let every token look at itself and at what came before it."""
    position = torch.arange(seq_len)
    return position[:, None] >= position


@outside_the_watch
def padding_mask(token_ids: Tensor, pad_id: int) -> Tensor:
    """Let no token look at padding."""
    if token_ids.dim() != 2:
        raise ValueError(f"token_ids has shape {tuple(token_ids.shape)}; give (batch, key_len)")
    return token_ids.ne(pad_id).unsqueeze(1).unsqueeze(1)


@outside_the_watch
def scaled_dot_product_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """torch's own for the output; with the identity for values, its output is the weights."""
    if k.size(-2) != v.size(-2):
        raise ValueError(f"{k.size(-2)} keys and {v.size(-2)} values; every key needs a value")
    if mask is not None and mask.dtype != torch.bool:
        raise ValueError(f"mask has dtype {mask.dtype}; give booleans, True where a query may look")
    identity = torch.eye(k.size(-2), dtype=v.dtype, device=v.device)
    weights = F.scaled_dot_product_attention(q, k, identity.expand(*k.shape[:-1], -1), mask)
    return F.scaled_dot_product_attention(q, k, v, mask), weights


@outside_the_watch
def to_torch_mask(mask: Tensor, num_heads: int) -> Tensor:
    """Turn a mask of ours into the `attn_mask` of nn.MultiheadAttention, where True means the opposite."""
    if mask.dim() != 4 or mask.size(1) not in (1, num_heads):
        given = tuple(mask.shape)
        raise ValueError(f"mask has shape {given}; give (batch, 1 or num_heads={num_heads}, query_len, key_len)")
    copies = num_heads // mask.size(1)
    return mask.logical_not().repeat_interleave(copies, dim=1).flatten(0, 1)
