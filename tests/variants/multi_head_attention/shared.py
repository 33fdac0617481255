"""What several exercises of lesson 03 are written with."""

from typing import Any

import torch
from torch import Tensor


def must_divide(d_model: int, num_heads: int) -> int:
    """d_head, or the given ValueError."""
    if num_heads < 1 or d_model % num_heads:
        raise ValueError(f"d_model={d_model} is not divisible by num_heads={num_heads}")
    return d_model // num_heads


def logits(q: Tensor, k: Tensor) -> Tensor:
    """Scaled scores (batch, num_heads, query_len, key_len) of q and k with the heads behind the tokens."""
    return torch.einsum("bihd,bjhd->bhij", q, k) * q.size(-1) ** -0.5


def share(scores: Tensor, mask: Tensor | None, dim: int = -1) -> Tensor:
    """A softmax by hand that gives zeros to a row without a place to look at."""
    seen = scores if mask is None else torch.where(mask, scores, -torch.inf)
    e = torch.exp(seen - seen.detach().amax(dim, keepdim=True).clamp_min(-1e30))
    return e / e.sum(dim, keepdim=True).clamp_min(1e-30)


def mix(weights: Tensor, v: Tensor) -> Tensor:
    """(batch, query_len, d_model) from weights and v with the heads behind the tokens."""
    return torch.einsum("bhij,bjhd->bihd", weights, v).flatten(2)


RIGHT = (
    lambda self, query, key, value: self.q_proj(query),
    lambda self, query, key, value: self.k_proj(key),
    lambda self, query, key, value: self.v_proj(value),
)
"""How queries, keys and values are made."""

QUERY, KEY, VALUE = "self.q_proj(query)", "self.k_proj(key)", "self.v_proj(value)"

Slips = dict[str, Any]
PROJECTED: Slips = {
    "key and value swapped": [
        {KEY: "self.k_proj(value)", VALUE: "self.v_proj(key)"},
        {KEY: "self.v_proj(key)", VALUE: "self.k_proj(value)"},
    ],
    "key and value made from the query": {KEY: "self.k_proj(query)", VALUE: "self.v_proj(query)"},
    "value made from the key": {VALUE: "self.v_proj(key)"},
    "ReLU on the projections": {one: f"torch.relu({one})" for one in (QUERY, KEY, VALUE)},
    "biases not added": {
        QUERY: "(query @ self.q_proj.weight.T)",
        KEY: "(key @ self.k_proj.weight.T)",
        VALUE: "(value @ self.v_proj.weight.T)",
    },
}
"""Slips that are the same in every trunk that calls its layers so."""
