"""Lesson 03 on torch.nn and torch.nn.functional."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.probing.watch import outside_the_watch


def _must_divide(whole: str, size: int, part: str, count: int) -> None:
    if count < 1 or size % count != 0:
        raise ValueError(f"{whole}={size} is not divisible by {part}={count}")


def _must_fit(mask: Tensor | None, sizes: tuple[int, ...]) -> None:
    if mask is not None and mask.dtype != torch.bool:  # torch would add numbers to the scores
        raise ValueError(f"mask has dtype {mask.dtype}; give booleans, True where a query may look")
    shape = () if mask is None else tuple(mask.shape)
    if any(size not in (1, full) for size, full in zip(shape[::-1], sizes[::-1], strict=False)):
        wanted = f"(batch, num_heads, query_len, key_len) = {sizes}"
        raise ValueError(f"mask has shape {shape}; give {wanted}, where any size may also be 1")


@outside_the_watch
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """Cut the features of every token into equal slices, one for each head."""
    _must_divide("d_model", x.size(-1), "num_heads", num_heads)
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


@outside_the_watch
def merge_heads(x: Tensor) -> Tensor:
    """Put the slices of all heads side by side again."""
    return torch.cat(x.unbind(dim=1), dim=-1)


def weights_of(q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
    """With the identity for values, the output of attention is its weights."""
    identity = torch.eye(k.size(-2), dtype=q.dtype, device=q.device)
    return F.scaled_dot_product_attention(q, k, identity.expand(*k.shape[:-1], -1), mask)


@outside_the_watch
class MultiHeadAttention(nn.Module):
    """torch's fused attention between four linear layers."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        _must_divide("d_model", d_model, "num_heads", num_heads)
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Attend with every head; returns (output, weights before dropout)."""
        _must_fit(mask, (query.size(0), self.num_heads, query.size(1), key.size(1)))
        if key.size(1) != value.size(1):  # as `scaled_dot_product_attention` does, which the learner's own calls
            raise ValueError(f"{key.size(1)} keys and {value.size(1)} values; every key needs a value")
        q = split_heads(self.q_proj(query), self.num_heads)
        k = split_heads(self.k_proj(key), self.num_heads)
        v = split_heads(self.v_proj(value), self.num_heads)
        dropout = self.dropout.p if self.training else 0.0
        heads = F.scaled_dot_product_attention(q, k, v, mask, dropout_p=dropout)
        return self.out_proj(merge_heads(heads)), weights_of(q, k, mask)


@outside_the_watch
def load_from_torch(ours: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    """Copy the parameters of torch's module into ours."""
    sizes = (ours.q_proj.in_features, ours.num_heads), (theirs.embed_dim, theirs.num_heads)
    if sizes[0] != sizes[1]:
        raise ValueError(f"ours has (d_model, num_heads) = {sizes[0]} and theirs {sizes[1]}; they must be the same")
    if theirs.in_proj_weight is None or theirs.in_proj_bias is None:
        raise ValueError(
            "theirs has no in_proj_weight or no in_proj_bias; make it with bias=True, without kdim and vdim"
        )
    entries = theirs.state_dict()
    found = {f"out_proj.{kind}": entries[f"out_proj.{kind}"] for kind in ("weight", "bias")}
    for kind in ("weight", "bias"):
        fused = entries[f"in_proj_{kind}"].unflatten(0, (3, -1))
        found |= {f"{name}_proj.{kind}": third for name, third in zip("qkv", fused, strict=True)}
    ours.load_state_dict(found)


@outside_the_watch
class GroupedQueryAttention(nn.Module):
    """torch's fused attention with its own grouping of heads."""

    def __init__(self, d_model: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        _must_divide("d_model", d_model, "num_heads", num_heads)
        _must_divide("num_heads", num_heads, "num_kv_heads", num_kv_heads)
        d_kv = d_model // num_heads * num_kv_heads
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_kv)
        self.v_proj = nn.Linear(d_model, d_kv)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Attend with every query head; returns (output, weights)."""
        q = split_heads(self.q_proj(query), self.num_heads)
        k = split_heads(self.k_proj(key), self.num_kv_heads)
        v = split_heads(self.v_proj(value), self.num_kv_heads)
        heads = F.scaled_dot_product_attention(q, k, v, mask, enable_gqa=True)
        shared = k.repeat_interleave(self.num_heads // self.num_kv_heads, dim=1)
        return self.out_proj(merge_heads(heads)), weights_of(q, shared, mask)
