"""Lesson 03: MultiHeadAttention, where one head is taken for all or each stays by itself."""

from typing import Any

import torch
from torch import Tensor

from tests.variants.multi_head_attention.attending import wrong
from tests.variants.multi_head_attention.shared import logits, mix, share


@wrong("another projection in place of out_proj")
def values_once_more(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return self.v_proj(mix(self.dropout(weights), v)), weights


@wrong("out_proj within each head")
def sliced_to_the_end(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    found = mix(self.dropout(weights), v).chunk(self.num_heads, dim=-1)
    rows = self.out_proj.weight.chunk(self.num_heads)
    squares = [row.chunk(self.num_heads, dim=1)[head] for head, row in enumerate(rows)]
    parts = [one @ square.T for one, square in zip(found, squares, strict=True)]
    return torch.cat(parts, dim=-1) + self.out_proj.bias, weights


@wrong("masked scores set to 0")
def hidden_by_zeros(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    scores = logits(q, k)
    weights = share(scores if mask is None else torch.where(mask, scores, 0.0), None)
    return self.out_proj(mix(self.dropout(weights), v)), weights


@wrong("-1 as fill")
def hidden_by_minus_one(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    scores = logits(q, k)
    weights = share(scores if mask is None else torch.where(mask, scores, -1.0), None)
    return self.out_proj(mix(self.dropout(weights), v)), weights


@wrong("weights of one head only")
def last_of_the_loop(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return self.out_proj(mix(self.dropout(weights), v)), weights.unbind(1)[-1]


@wrong("weights with the heads elsewhere")
def stacked_in_front(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return self.out_proj(mix(self.dropout(weights), v)), torch.stack(weights.unbind(1))


@wrong("keys or values of one head for all")
def first_values(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return self.out_proj(mix(self.dropout(weights), v[:, :, :1].expand_as(v))), weights
