"""Lesson 03. Nothing here uses lesson 02: attention is written out anew."""

import copy
import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise, unlisted

# Splitting, wrong ----------------------------------------------------------------------------


def must_divide(d_model: int, num_heads: int) -> int:
    """d_head, or the given ValueError."""
    if num_heads < 1 or d_model % num_heads:
        raise ValueError(f"d_model={d_model} is not divisible by num_heads={num_heads}")
    return d_model // num_heads


def split_disguise(mistake: str) -> Any:
    """A disguise of split_heads from a function of (x, num_heads, d_head)."""

    def add(core: Callable[[Tensor, int, int], Tensor]) -> Any:
        def split(x: Tensor, num_heads: int) -> Tensor:
            return core(x, num_heads, must_divide(x.shape[-1], num_heads))

        disguise("split_heads", mistake)(split)
        return core

    return add


@split_disguise("view instead of view and transpose")
def s_view(x: Tensor, h: int, d: int) -> Tensor:
    return x.contiguous().view(x.size(0), h, -1, d)


@split_disguise("view instead of view and transpose")
def s_unflatten(x: Tensor, h: int, d: int) -> Tensor:
    return x.flatten(1).unflatten(1, (h, x.size(1), d))


@split_disguise("view instead of view and transpose")
def s_really_view(x: Tensor, h: int, d: int) -> Tensor:
    return x.view(len(x), h, x.shape[1], d)


@split_disguise("heads left behind the tokens")
def s_behind(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack(x.split(d, dim=-1), dim=2)


@split_disguise("heads left behind the tokens")
def s_behind_too(x: Tensor, h: int, d: int) -> Tensor:
    return x.unflatten(-1, (h, d))


@split_disguise("features dealt out in turn")
def s_turn(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack([x[..., i::h] for i in range(h)], dim=1)


@split_disguise("num_heads and d_head exchanged")
def s_exchanged(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack(x.chunk(d, dim=-1), dim=1)


@split_disguise("heads in front of the batch")
def s_front(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack(x.chunk(h, dim=-1))


@split_disguise("heads folded into the batch")
def s_folded(x: Tensor, h: int, d: int) -> Tensor:
    b, n, _ = x.shape
    return x.transpose(0, 1).reshape(n, b * h, d).transpose(0, 1)


@split_disguise("features in front of the tokens")
def s_features(x: Tensor, h: int, d: int) -> Tensor:
    return x.mT.unflatten(1, (h, d))


@disguise("split_heads", "sizes that do not fit are accepted")
def s_accepts(x: Tensor, num_heads: int) -> Tensor:
    b, n, width = x.shape
    return x.reshape(b, n, num_heads, width // num_heads).permute(0, 2, 1, 3)


# Splitting, right ----------------------------------------------------------------------------


def split_correct(core: Callable[[Tensor, int, int], Tensor]) -> Any:
    """A correct split_heads from a function of (x, num_heads, d_head)."""

    @correct("split_heads")
    def split(x: Tensor, num_heads: int) -> Tensor:
        return core(x, num_heads, must_divide(x.shape[-1], num_heads))

    return core


@split_correct
def by_chunk(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack(x.chunk(h, dim=2), 1)


@split_correct
def by_slices(x: Tensor, h: int, d: int) -> Tensor:
    return torch.cat([x[:, None, :, i * d : (i + 1) * d] for i in range(h)], dim=1)


@split_correct
def by_unfold(x: Tensor, h: int, d: int) -> Tensor:
    return x.unfold(-1, d, d).permute(0, 2, 1, 3)


@split_correct
def by_loop(x: Tensor, h: int, d: int) -> Tensor:
    out = x.new_zeros(x.size(0), h, x.size(1), d)
    for head in range(h):
        for feature in range(d):
            out[:, head, :, feature] = x[:, :, head * d + feature]
    return out


@split_correct
def by_matrix(x: Tensor, h: int, d: int) -> Tensor:
    pick = torch.eye(h * d, dtype=x.dtype).view(h * d, h, d)
    return torch.einsum("bnm,mhd->bhnd", x, pick)


@split_correct
def by_double_transpose(x: Tensor, h: int, d: int) -> Tensor:
    b, n, _ = x.shape
    return x.transpose(1, 2).reshape(b, h, d, n).transpose(2, 3)


# Splitting, wrong in other ways ----------------------------------------------------------------------------


def split_unlisted(core: Callable[[Tensor, int, int], Tensor]) -> Any:
    """An unlisted wrong split_heads."""

    @unlisted("split_heads")
    def split(x: Tensor, num_heads: int) -> Tensor:
        return core(x, num_heads, must_divide(x.shape[-1], num_heads))

    return core


@split_unlisted
def every_head_gets_all(x: Tensor, h: int, d: int) -> Tensor:
    return x[:, None].expand(-1, h, -1, -1)


@split_unlisted
def first_slice_for_all(x: Tensor, h: int, d: int) -> Tensor:
    return x[:, None, :, :d].expand(-1, h, -1, -1)


@split_unlisted
def heads_backwards(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack(x.chunk(h, dim=-1)[::-1], dim=1)


@split_unlisted
def scaled(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack(x.chunk(h, dim=-1), dim=1) / math.sqrt(d)


@split_unlisted
def cut_off(x: Tensor, h: int, d: int) -> Tensor:
    return torch.stack(x.detach().chunk(h, dim=-1), dim=1)


# Merging ----------------------------------------------------------------------------


@disguise("merge_heads", "merge without transposing back")
def m_flat(x: Tensor) -> Tensor:
    return x.contiguous().view(x.size(0), x.size(2), -1)


@disguise("merge_heads", "merge without transposing back")
def m_view(x: Tensor) -> Tensor:
    b, h, n, d = x.size()
    return x.view(b, n, h * d)


@disguise("merge_heads", "features woven together")
def m_woven(x: Tensor) -> Tensor:
    return torch.stack(x.unbind(1), dim=-1).flatten(2)


@disguise("merge_heads", "the wrong two dimensions transposed")
def m_wrong_pair(x: Tensor) -> Tensor:
    b, h, n, d = x.shape
    return x.mT.contiguous().view(b, n, h * d)


@disguise("merge_heads", "heads added up")
def m_sum(x: Tensor) -> Tensor:
    return torch.einsum("bhnd->bnd", x)


@disguise("merge_heads", "heads added up")
def m_mean(x: Tensor) -> Tensor:
    return sum(x.unbind(1)) / x.size(1)


@disguise("merge_heads", "heads one behind the other")
def m_behind(x: Tensor) -> Tensor:
    return torch.cat(list(x.transpose(0, 1)), dim=1)


@disguise("merge_heads", "sequence in front of the batch")
def m_sequence_first(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(1), dim=-1).transpose(0, 1)


@correct("merge_heads")
def m_cat(x: Tensor) -> Tensor:
    return torch.cat([x[:, head] for head in range(x.size(1))], dim=2)


@correct("merge_heads")
def m_permute(x: Tensor) -> Tensor:
    return x.permute(0, 2, 1, 3).flatten(2)


@correct("merge_heads")
def m_contiguous_view(x: Tensor) -> Tensor:
    return x.transpose(1, 2).contiguous().view(x.size(0), x.size(2), -1)


@correct("merge_heads")
def m_matrix(x: Tensor) -> Tensor:
    h, d = x.shape[1], x.shape[3]
    place = torch.eye(h * d, dtype=x.dtype).view(h, d, h * d)
    return torch.einsum("bhnd,hdm->bnm", x, place)


@correct("merge_heads")
def m_token_by_token(x: Tensor) -> Tensor:
    return torch.stack([x[:, :, i].reshape(x.size(0), -1) for i in range(x.size(2))], dim=1)


@unlisted("merge_heads")
def m_backwards(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(1)[::-1], dim=-1)


@unlisted("merge_heads")
def m_first_repeated(x: Tensor) -> Tensor:
    return x[:, 0].repeat(1, 1, x.size(1))


@unlisted("merge_heads")
def m_largest(x: Tensor) -> Tensor:
    return x.amax(dim=1)


@unlisted("merge_heads")
def m_detached(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(1), dim=-1).detach()


# MultiHeadAttention ----------------------------------------------------------------------------


class Base(nn.Module):
    """The constructor that the notebook gives."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        must_divide(d_model, num_heads)
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def qkv(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The projections, cut into (batch, seq_len, num_heads, d_head)."""
        return self.cut(self.q_proj(query)), self.cut(self.k_proj(key)), self.cut(self.v_proj(value))

    def cut(self, x: Tensor) -> Tensor:
        """(batch, seq_len, d_model) to (batch, seq_len, num_heads, d_head)."""
        return x.unflatten(-1, (self.num_heads, -1))


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


def module(kind: str, mistake: str = "", base: type = Base) -> Any:
    """A MultiHeadAttention from its forward."""

    def add(forward: Callable) -> Any:
        made = type(forward.__name__, (base,), {"forward": forward})
        if kind == "disguise":
            disguise("MultiHeadAttention", mistake)(made)
        else:
            (correct if kind == "correct" else unlisted)("MultiHeadAttention")(made)
        return forward

    return add


def wrong(mistake: str, base: type = Base) -> Any:
    """A disguise of MultiHeadAttention from its forward."""
    return module("disguise", mistake, base)


@wrong("view instead of view and transpose")
def viewed(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    b, h = query.size(0), self.num_heads
    q, k, v = (
        layer(x).view(b, h, x.size(1), -1)
        for layer, x in ((self.q_proj, query), (self.k_proj, key), (self.v_proj, value))
    )
    weights = share(q @ k.mT / math.sqrt(q.size(-1)), mask)
    return self.out_proj(torch.cat((self.dropout(weights) @ v).unbind(1), -1)), weights


@wrong("features dealt out in turn")
def dealt(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    h = self.num_heads
    q, k, v = self.q_proj(query), self.k_proj(key), self.v_proj(value)
    q, k, v = (torch.stack([x[..., i::h] for i in range(h)], 2) for x in (q, k, v))
    weights = share(logits(q, k), mask)
    return self.out_proj(mix(self.dropout(weights), v)), weights


@wrong("num_heads and d_head exchanged")
def exchanged(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.q_proj(query), self.k_proj(key), self.v_proj(value)
    q, k, v = (x.unflatten(-1, (-1, self.num_heads)) for x in (q, k, v))
    scores = logits(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1).nan_to_num(0.0)
    return self.out_proj(mix(self.dropout(weights), v)), weights


class Accepts(Base):
    """Without the given lines that refuse."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        nn.Module.__init__(self)
        self.num_heads = num_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
        self.dropout = nn.Dropout(dropout)


@wrong("sizes that do not fit are accepted", Accepts)
def accepts(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return self.out_proj(mix(self.dropout(weights), v)), weights


@wrong("merge without transposing back")
def unmerged(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    heads = torch.einsum("bhij,bjhd->bhid", self.dropout(weights), v)
    return self.out_proj(heads.reshape(query.shape)), weights


@wrong("features woven together")
def weaves(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return self.out_proj(torch.einsum("bhij,bjhd->bidh", self.dropout(weights), v).flatten(2)), weights


@wrong("the wrong two dimensions transposed")
def wrong_two(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return self.out_proj(torch.einsum("bhij,bjhd->bhdi", self.dropout(weights), v).reshape(query.shape)), weights


class NoOut(Base):
    """The heads of an article: three projections and that is all."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__(d_model, num_heads, dropout)
        del self.out_proj


@wrong("no output projection", NoOut)
@wrong("no output projection")
def never_mixed(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return mix(self.dropout(weights), v), weights


class OneLayer(Base):
    """One projection under three names."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__(d_model, num_heads, dropout)
        self.k_proj = self.v_proj = self.q_proj


class OnlyQuery(Base):
    """One projection."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__(d_model, num_heads, dropout)
        del self.k_proj, self.v_proj


def from_parts(q: Any, k: Any, v: Any) -> Any:
    """A forward whose queries, keys and values are made by these functions of (self, query, key, value)."""

    def forward(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
        made = [self.cut(one(self, query, key, value)) for one in (q, k, v)]
        weights = share(logits(*made[:2]), mask)
        return self.out_proj(mix(self.dropout(weights), made[2])), weights

    return forward


RIGHT = (
    lambda self, query, key, value: self.q_proj(query),
    lambda self, query, key, value: self.k_proj(key),
    lambda self, query, key, value: self.v_proj(value),
)

wrong("one projection for several", OneLayer)(from_parts(*RIGHT))
for one_base in (Base, OnlyQuery):
    wrong("one projection for several", one_base)(
        from_parts(RIGHT[0], lambda s, q, k, v: s.q_proj(k), lambda s, q, k, v: s.q_proj(v))
    )
wrong("one projection for several")(from_parts(RIGHT[0], lambda s, q, k, v: s.q_proj(k), RIGHT[2]))
wrong("one projection for several")(from_parts(RIGHT[0], RIGHT[1], lambda s, q, k, v: s.k_proj(v)))
wrong("key and value swapped")(from_parts(RIGHT[0], lambda s, q, k, v: s.k_proj(v), lambda s, q, k, v: s.v_proj(k)))
wrong("key and value swapped")(from_parts(RIGHT[0], lambda s, q, k, v: s.v_proj(k), lambda s, q, k, v: s.k_proj(v)))
wrong("key and value swapped")(from_parts(RIGHT[0], RIGHT[2], RIGHT[1]))
wrong("key and value made from the query")(
    from_parts(RIGHT[0], lambda s, q, k, v: s.k_proj(q), lambda s, q, k, v: s.v_proj(q))
)
wrong("value made from the key")(from_parts(RIGHT[0], RIGHT[1], lambda s, q, k, v: s.v_proj(k)))
wrong("ReLU on the projections")(
    from_parts(*[lambda s, q, k, v, one=one: one(s, q, k, v).clamp_min(0) for one in RIGHT])
)
wrong("ReLU on the projections")(
    from_parts(*[lambda s, q, k, v, one=one: F.relu(one(s, q, k, v)) for one in RIGHT[:2]], RIGHT[2])
)
wrong("a projection left out")(from_parts(lambda s, q, k, v: q, lambda s, q, k, v: k, lambda s, q, k, v: v))
wrong("a projection left out")(from_parts(*RIGHT[:2], lambda s, q, k, v: v))
wrong("keys mixed instead of values")(from_parts(*RIGHT[:2], RIGHT[1]))
wrong("scaled by √d_model")(from_parts(lambda s, q, k, v: s.q_proj(q) * math.sqrt(1 / s.num_heads), *RIGHT[1:]))
wrong("no scale")(from_parts(lambda s, q, k, v: s.q_proj(q) * math.sqrt(q.size(-1) // s.num_heads), *RIGHT[1:]))
wrong("scaled twice")(from_parts(lambda s, q, k, v: s.q_proj(q) / math.sqrt(q.size(-1) / s.num_heads), *RIGHT[1:]))


class Unbiased(Base):
    """Linear layers without bias."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__(d_model, num_heads, dropout)
        for layer in (self.q_proj, self.k_proj, self.v_proj, self.out_proj):
            layer.bias = None


class UnbiasedButOut(Base):
    """The out projection alone has one."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__(d_model, num_heads, dropout)
        for layer in (self.q_proj, self.k_proj, self.v_proj):
            layer.register_parameter("bias", None)


wrong("bias missing", Unbiased)(from_parts(*RIGHT))
wrong("bias missing", UnbiasedButOut)(from_parts(*RIGHT))


@wrong("only for equal lengths")
def same_lengths(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    b, n, d = query.shape
    h = self.num_heads
    q = self.q_proj(query).view(b, n, h, d // h)
    k = self.k_proj(key).view(b, n, h, d // h)
    v = self.v_proj(value).view(b, n, h, d // h)
    weights = share(logits(q, k), mask)
    return self.out_proj(mix(self.dropout(weights), v)), weights


@wrong("residual connection inside")
def plus_input(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return torch.add(self.out_proj(mix(self.dropout(weights), v)), query), weights


@wrong("mask ignored")
def blind(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = logits(q, k).softmax(-1)
    return self.out_proj(mix(self.dropout(weights), v)), weights


@wrong("mask inverted")
def upside_down(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), None if mask is None else mask.logical_not())
    return self.out_proj(mix(self.dropout(weights), v)), weights


@wrong("mask not broadcast over the heads")
def one_masked_head(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    scores = logits(q, k)
    if mask is not None:
        full = torch.ones_like(scores, dtype=torch.bool)
        full[:, 0] = mask.expand_as(scores)[:, 0]
        mask = full
    weights = share(scores, mask)
    return self.out_proj(mix(self.dropout(weights), v)), weights


@wrong("mask copied in the wrong order")
def repeated(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    scores = logits(q, k)
    b, h, i, j = scores.shape
    if mask is not None:
        mask = mask.broadcast_to(b, 1, i, j)[:, 0].repeat(h, 1, 1).view(b, h, i, j)
    weights = share(scores, mask)
    return self.out_proj(mix(self.dropout(weights), v)), weights


@wrong("NaN for a query that may look at nothing")
def poisonous(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    scores = logits(q, k)
    if mask is not None:
        scores = scores + torch.zeros_like(scores).masked_fill(~mask, -torch.inf)
    weights = F.softmax(scores, -1)
    return self.out_proj(mix(self.dropout(weights), v)), weights


@wrong("a large negative number instead of -inf")
def large(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    scores = logits(q, k)
    weights = scores.softmax(-1) if mask is None else torch.where(mask, scores, -1e9).softmax(-1)
    return self.out_proj(mix(self.dropout(weights), v)), weights


@wrong("softmax over the queries")
def per_key(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask, dim=-2)
    return self.out_proj(mix(self.dropout(weights), v)), weights


@wrong("softmax over the heads")
def per_pair(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask, dim=1)
    return self.out_proj(mix(self.dropout(weights), v)), weights


@wrong("heads attend to each other")
def untransposed(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(q @ k.mT / math.sqrt(q.size(-1)), mask)
    return self.out_proj((self.dropout(weights) @ v).flatten(2)), weights


@wrong("one head only")
def single(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.q_proj(query), self.k_proj(key), self.v_proj(value)
    weights = share((q @ k.mT / math.sqrt(q.size(-1))).unsqueeze(1), mask)
    return self.out_proj(self.dropout(weights).squeeze(1) @ v), weights


@wrong("dropout in evaluation")
def functional(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return self.out_proj(mix(F.dropout(weights, self.dropout.p), v)), weights


@wrong("weights returned after dropout")
def kept_dropped(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    attention = self.dropout(share(logits(q, k), mask))
    return self.out_proj(mix(attention, v)), attention


@wrong("no dropout")
def undropped(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return self.out_proj(mix(weights, v)), weights


@wrong("dropout on the heads")
def dropped_heads(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return self.out_proj(self.dropout(mix(weights, v))), weights


@wrong("dropout on the output")
def dropped_output(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return self.dropout(self.out_proj(mix(weights, v))), weights


@wrong("weights averaged over the heads")
def mean_weights(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return self.out_proj(mix(self.dropout(weights), v)), weights.sum(1) / self.num_heads


@wrong("weights and output swapped")
def other_way_round(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return weights, self.out_proj(mix(self.dropout(weights), v))


@wrong("weights not returned")
def secretive(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    return self.out_proj(mix(self.dropout(share(logits(q, k), mask)), v))


# MultiHeadAttention, right ----------------------------------------------------------------------------


@module("correct")
def all_einsum(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return self.out_proj(mix(self.dropout(weights), v)), weights


@module("correct")
def head_by_head(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    d = self.q_proj.out_features // self.num_heads
    found, seen = [], []
    for head in range(self.num_heads):
        own = slice(head * d, (head + 1) * d)
        q, k, v = self.q_proj(query)[..., own], self.k_proj(key)[..., own], self.v_proj(value)[..., own]
        scores = torch.bmm(q, k.transpose(1, 2)) / d**0.5
        if mask is not None:
            allowed = mask.expand(len(q), self.num_heads, q.size(1), k.size(1))[:, head]
            scores = torch.where(allowed, scores, torch.tensor(-torch.inf, dtype=scores.dtype))
        weights = torch.nan_to_num(torch.softmax(scores, dim=2))
        seen.append(weights)
        found.append(torch.bmm(self.dropout(weights), v))
    return self.out_proj(torch.cat(found, dim=2)), torch.stack(seen, dim=1)


@module("correct")
def folded_into_batch(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    h, (b, n, d) = self.num_heads, query.shape
    q, k, v = (
        layer(x).reshape(b, -1, h, d // h).transpose(1, 2).reshape(b * h, -1, d // h)
        for layer, x in ((self.q_proj, query), (self.k_proj, key), (self.v_proj, value))
    )
    scores = torch.baddbmm(q.new_zeros(1), q / math.sqrt(d // h), k.mT)
    if mask is not None:
        mask = mask.expand(b, h, n, k.size(1)).reshape(b * h, n, -1)
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    heads = (self.dropout(weights) @ v).view(b, h, n, -1).permute(0, 2, 1, 3).reshape(b, n, d)
    return F.linear(heads, self.out_proj.weight, self.out_proj.bias), weights.view(b, h, n, -1)


@module("correct")
def output_by_slices(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    """out_proj applied head by head: the product with a concatenation is a sum of products with slices."""
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    heads = torch.einsum("bhij,bjhd->hbid", self.dropout(weights), v)
    slices = self.out_proj.weight.chunk(self.num_heads, dim=1)
    output = sum(head @ one.T for head, one in zip(heads, slices, strict=True)) + self.out_proj.bias
    return output, weights


@module("correct")
def in_double(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = (x.double() for x in self.qkv(query, key, value))
    weights = share(logits(q, k), mask)
    heads = mix(self.dropout(weights), v).to(query.dtype)
    return [self.out_proj(heads), weights.to(query.dtype)]


class Reordered(nn.Module):
    """Other attributes, another order, one functional dropout that follows the mode."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.h, self.d, self.p = num_heads, must_divide(d_model, num_heads), dropout
        self.out_proj = nn.Linear(self.h * self.d, d_model)
        for name in ("v_proj", "k_proj", "q_proj"):
            self.add_module(name, nn.Linear(d_model, self.h * self.d))

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
        shape = (query.shape[0], -1, self.h, self.d)
        q = self.q_proj(query).view(shape).permute(0, 2, 1, 3) * self.d**-0.5
        k = self.k_proj(key).view(shape).permute(0, 2, 3, 1)
        v = self.v_proj(value).view(shape).permute(0, 2, 1, 3)
        w = torch.matmul(q, k)
        w = w.softmax(-1) if mask is None else w.masked_fill(mask == 0, -torch.inf).softmax(-1).nan_to_num()
        o = F.dropout(w, self.p, training=self.training).matmul(v)
        return self.out_proj(o.permute(0, 2, 1, 3).contiguous().view(query.shape)), w


correct("MultiHeadAttention")(Reordered)


@module("correct")
def fused_output(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = (x.transpose(1, 2) for x in self.qkv(query, key, value))
    p = self.dropout.p if self.training else 0.0
    heads = F.scaled_dot_product_attention(q, k, v, mask, dropout_p=p)
    weights = share(logits(q.transpose(1, 2), k.transpose(1, 2)), mask).detach()
    return self.out_proj(heads.transpose(1, 2).flatten(-2)), weights


class InADict(Base):
    """The projections are looked up by name."""

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
        layers = dict(self.named_children())
        given = {"q": query, "k": key, "v": value}
        q, k, v = (self.cut(layers[f"{name}_proj"](x)) for name, x in given.items())
        bend = 0.0 if mask is None else torch.where(mask, 0.0, -torch.inf).to(q.dtype)
        weights = torch.exp(F.log_softmax(logits(q, k) + bend, dim=-1)).nan_to_num(nan=0.0)
        return self.out_proj(mix(self.dropout(weights), v)), weights


correct("MultiHeadAttention")(InADict)


# MultiHeadAttention, wrong in other ways ----------------------------------------------------------------------------


@module("unlisted")
def sigmoid_weights(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = torch.sigmoid(logits(q, k)) * (1 if mask is None else mask)
    return self.out_proj(mix(self.dropout(weights), v)), weights


@module("unlisted")
def heads_averaged(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    mean = torch.einsum("bhij,bjhd->bid", self.dropout(weights), v) / self.num_heads
    return self.out_proj(mean.repeat(1, 1, self.num_heads)), weights


@module("unlisted")
def tanh_output(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return torch.tanh(self.out_proj(mix(self.dropout(weights), v))), weights


@module("unlisted")
def not_renormalised(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), None) * (1 if mask is None else mask)
    return self.out_proj(mix(self.dropout(weights), v)), weights


@wrong("dropout before the softmax")
def dropped_scores(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(self.dropout(logits(q, k)), mask)
    return self.out_proj(mix(weights, v)), weights


@module("unlisted")
def scores_returned(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    scores = logits(q, k)
    return self.out_proj(mix(self.dropout(share(scores, mask)), v)), scores


@module("unlisted")
def cosine(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(F.normalize(q, dim=-1), F.normalize(k, dim=-1)), mask)
    return self.out_proj(mix(self.dropout(weights), v)), weights


@module("unlisted")
def always_causal(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    past = torch.ones(query.size(1), key.size(1), dtype=torch.bool).tril()
    weights = share(logits(q, k), past if mask is None else mask & past)
    return self.out_proj(mix(self.dropout(weights), v)), weights


@module("unlisted")
def head_of_others(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k.flip(2)), mask)
    return self.out_proj(mix(self.dropout(weights), v)), weights


class Layer(Base):
    """A whole layer, with a norm of its own."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__(d_model, num_heads, dropout)
        self.norm = nn.LayerNorm(d_model)


@module("unlisted", base=Layer)
def normed(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return self.norm(query + self.out_proj(mix(self.dropout(weights), v))), weights


# load_from_torch ----------------------------------------------------------------------------


def must_fit(ours: Any, theirs: nn.MultiheadAttention) -> None:
    """The given lines."""
    if ours.num_heads != theirs.num_heads or theirs.in_proj_weight is None or theirs.in_proj_bias is None:
        raise ValueError("they must be alike")


def loader(kind: str, mistake: str = "") -> Any:
    """A load_from_torch from its body."""

    def add(body: Callable) -> Any:
        def load_from_torch(ours: Any, theirs: nn.MultiheadAttention) -> None:
            must_fit(ours, theirs)
            with torch.no_grad():
                body(ours, theirs)

        marks = {"correct": correct, "unlisted": unlisted}
        (marks[kind]("load_from_torch") if kind in marks else disguise("load_from_torch", mistake))(load_from_torch)
        return body

    return add


def fill(ours: Any, w: Any, b: Any) -> None:
    """Fill the three projections."""
    for name, weight, bias in zip("qkv", w, b, strict=True):
        layer = getattr(ours, f"{name}_proj")
        layer.weight.data[:] = weight
        layer.bias.data[:] = bias


def fill_out(ours: Any, theirs: Any) -> None:
    """Fill out_proj."""
    ours.out_proj.weight[:] = theirs.out_proj.weight
    ours.out_proj.bias[:] = theirs.out_proj.bias


def cut3(x: Tensor) -> list[Tensor]:
    """Three blocks of rows."""
    d = len(x) // 3
    return [x[:d], x[d : 2 * d], x[2 * d :]]


@loader("disguise", "thirds in the wrong order")
def key_first(ours: Any, theirs: Any) -> None:
    (k, q, v), (kb, qb, vb) = cut3(theirs.in_proj_weight), cut3(theirs.in_proj_bias)
    fill(ours, (q, k, v), (qb, kb, vb))
    fill_out(ours, theirs)


@loader("disguise", "thirds in the wrong order")
def value_second(ours: Any, theirs: Any) -> None:
    d = ours.q_proj.in_features
    state = theirs.state_dict()
    for i, name in enumerate("qvk"):
        layer = ours.get_submodule(f"{name}_proj")
        layer.weight.copy_(state["in_proj_weight"][i * d :][:d])
        layer.bias.copy_(state["in_proj_bias"][i * d :][:d])
    fill_out(ours, theirs)


@loader("disguise", "weights transposed")
def columns(ours: Any, theirs: Any) -> None:
    fill(ours, theirs.in_proj_weight.T.chunk(3, dim=1), cut3(theirs.in_proj_bias))
    fill_out(ours, theirs)


@loader("disguise", "rows dealt out in turn")
def viewed_rows(ours: Any, theirs: Any) -> None:
    d = ours.q_proj.in_features
    fill(ours, theirs.in_proj_weight.view(d, 3, d).unbind(1), theirs.in_proj_bias.view(d, 3).unbind(1))
    fill_out(ours, theirs)


@loader("disguise", "biases of the projections forgotten")
def weights_alone(ours: Any, theirs: Any) -> None:
    fill(
        ours,
        cut3(theirs.in_proj_weight),
        (ours.q_proj.bias.clone(), ours.k_proj.bias.clone(), ours.v_proj.bias.clone()),
    )
    fill_out(ours, theirs)


@loader("disguise", "out_proj forgotten")
def without_out(ours: Any, theirs: Any) -> None:
    fill(ours, cut3(theirs.in_proj_weight), cut3(theirs.in_proj_bias))


@loader("disguise", "bias of out_proj forgotten")
def without_out_bias(ours: Any, theirs: Any) -> None:
    without_out(ours, theirs)
    ours.out_proj.weight.data = theirs.out_proj.weight.clone()


@loader("disguise", "memory shared with torch's module")
def assigned(ours: Any, theirs: Any) -> None:
    d = ours.q_proj.in_features
    for i, layer in enumerate((ours.q_proj, ours.k_proj, ours.v_proj)):
        layer.weight = nn.Parameter(theirs.in_proj_weight[i * d : (i + 1) * d])
        layer.bias = nn.Parameter(theirs.in_proj_bias[i * d : (i + 1) * d])
    ours.out_proj = theirs.out_proj


@loader("disguise", "memory shared with torch's module")
def assigned_data(ours: Any, theirs: Any) -> None:
    for name, w, b in zip("qkv", cut3(theirs.in_proj_weight.data), cut3(theirs.in_proj_bias.data), strict=True):
        layer = getattr(ours, f"{name}_proj")
        layer.weight.data, layer.bias.data = w, b
    fill_out(ours, theirs)


@loader("disguise", "copied the wrong way")
def theirs_filled(ours: Any, theirs: Any) -> None:
    theirs.in_proj_weight.copy_(torch.cat([ours.q_proj.weight, ours.k_proj.weight, ours.v_proj.weight]))
    theirs.in_proj_bias.copy_(torch.cat([ours.q_proj.bias, ours.k_proj.bias, ours.v_proj.bias]))
    fill_out(theirs, ours)


@loader("disguise", "one third for all three")
def same_third(ours: Any, theirs: Any) -> None:
    d = ours.q_proj.in_features
    fill(ours, [theirs.in_proj_weight[:d]] * 3, [theirs.in_proj_bias[:d]] * 3)
    fill_out(ours, theirs)


@loader("correct")
def by_state(ours: Any, theirs: Any) -> None:
    state = {f"{n}_proj.weight": w for n, w in zip("qkv", theirs.in_proj_weight.chunk(3), strict=True)}
    state |= {f"{n}_proj.bias": b for n, b in zip("qkv", theirs.in_proj_bias.chunk(3), strict=True)}
    ours.load_state_dict(state | {f"out_proj.{n}": p for n, p in theirs.out_proj.named_parameters()})


@loader("correct")
def new_parameters(ours: Any, theirs: Any) -> None:
    for name, w, b in zip("qkv", cut3(theirs.in_proj_weight), cut3(theirs.in_proj_bias), strict=True):
        setattr(ours, f"{name}_proj", nn.Linear(w.size(1), w.size(0)))
        layer = getattr(ours, f"{name}_proj")
        layer.weight, layer.bias = nn.Parameter(w.detach().clone()), nn.Parameter(b.detach().clone())
    ours.out_proj = copy.deepcopy(theirs.out_proj)


@loader("correct")
def row_by_row(ours: Any, theirs: Any) -> None:
    d = theirs.embed_dim
    for row in range(3 * d):
        layer = (ours.q_proj, ours.k_proj, ours.v_proj)[row // d]
        layer.weight[row % d] = theirs.in_proj_weight[row]
        layer.bias[row % d] = theirs.in_proj_bias[row]
    fill_out(ours, theirs)


@loader("correct")
def through_numpy(ours: Any, theirs: Any) -> None:
    w = theirs.in_proj_weight.detach().numpy().copy().reshape(3, -1, theirs.embed_dim)
    b = theirs.in_proj_bias.detach().numpy().copy().reshape(3, -1)
    fill(ours, torch.from_numpy(w), torch.from_numpy(b))
    fill_out(ours, theirs)


@loader("unlisted")
def doubled(ours: Any, theirs: Any) -> None:
    fill(ours, [2 * w for w in cut3(theirs.in_proj_weight)], cut3(theirs.in_proj_bias))
    fill_out(ours, theirs)


@loader("unlisted")
def biases_in_another_order(ours: Any, theirs: Any) -> None:
    fill(ours, cut3(theirs.in_proj_weight), cut3(theirs.in_proj_bias)[::-1])
    fill_out(ours, theirs)


@loader("unlisted")
def frozen(ours: Any, theirs: Any) -> None:
    by_state(ours, theirs)
    ours.requires_grad_(False)


@loader("unlisted")
def nothing_copied(ours: Any, theirs: Any) -> None:
    pass


@loader("unlisted")
def query_alone(ours: Any, theirs: Any) -> None:
    ours.q_proj.weight.copy_(theirs.in_proj_weight[: ours.q_proj.in_features])
    fill_out(ours, theirs)


@loader("unlisted")
def fused_by_head(ours: Any, theirs: Any) -> None:
    """As models that fuse query, key and value head by head have it."""
    h, d = ours.num_heads, theirs.embed_dim
    w = theirs.in_proj_weight.view(h, 3, -1, d).transpose(0, 1).reshape(3, d, d)
    fill(ours, w, theirs.in_proj_bias.view(h, 3, -1).transpose(0, 1).reshape(3, d))
    fill_out(ours, theirs)


@loader("unlisted")
def added_on(ours: Any, theirs: Any) -> None:
    for name, w in zip("qkv", cut3(theirs.in_proj_weight), strict=True):
        getattr(ours, f"{name}_proj").weight.add_(w)
    fill_out(ours, theirs)


@loader("unlisted")
def out_transposed(ours: Any, theirs: Any) -> None:
    by_state(ours, theirs)
    ours.out_proj.weight.copy_(theirs.out_proj.weight.T)


# GroupedQueryAttention ----------------------------------------------------------------------------


class Grouped(nn.Module):
    """The constructor that the notebook gives."""

    def __init__(self, d_model: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        d_head = must_divide(d_model, num_heads)
        must_divide(num_heads, num_kv_heads)
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, num_kv_heads * d_head)
        self.v_proj = nn.Linear(d_model, num_kv_heads * d_head)
        self.out_proj = nn.Linear(d_model, d_model)

    def owners(self) -> list[int]:
        """Which key and value head each query head reads."""
        return [head * self.num_kv_heads // self.num_heads for head in range(self.num_heads)]

    def cut(self, x: Tensor) -> Tensor:
        """(batch, seq_len, any) to (batch, seq_len, heads, d_head)."""
        return x.unflatten(-1, (-1, self.q_proj.in_features // self.num_heads))


def grouped(
    q: Any = None, k: Any = None, v: Any = None, owners: Any = None, scale: float | None = None, flip: bool = False
) -> Any:
    """A forward that differs from the right one in the parts that are given."""

    def forward(
        self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        asks = self.cut((q or RIGHT[0])(self, query, key, value))
        own = owners(self) if owners else self.owners()
        keys = self.cut((k or RIGHT[1])(self, query, key, value))[:, :, own]
        values = self.cut((v or RIGHT[2])(self, query, key, value))[:, :, own]
        if mask is not None and flip:
            mask = mask.logical_not()
        weights = share(logits(asks, keys) * (scale(self, asks) if scale else 1.0), mask)
        return self.out_proj(mix(weights, values)), weights

    return forward


def grouped_wrong(mistake: str, forward: Callable, base: type = Grouped) -> None:
    """A disguise of GroupedQueryAttention."""
    disguise("GroupedQueryAttention", mistake)(type(forward.__name__, (base,), {"forward": forward}))


def changed(change: Callable) -> Any:
    """A forward that changes what the right one returns: change(self, output, weights, query)."""
    right = grouped()
    return lambda self, query, key, value, mask=None: change(self, *right(self, query, key, value, mask), query)


class GroupedNoOut(Grouped):
    def __init__(self, d_model: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__(d_model, num_heads, num_kv_heads)
        self.out_proj = nn.Identity()


class GroupedUnbiased(Grouped):
    def __init__(self, d_model: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__(d_model, num_heads, num_kv_heads)
        for layer in self.children():
            layer.bias = None


class GroupedFull(Base):
    def __init__(self, d_model: int, num_heads: int, num_kv_heads: int) -> None:
        must_divide(num_heads, num_kv_heads)
        super().__init__(d_model, num_heads)
        del self.dropout


grouped_wrong(
    "key and value heads dealt out in turn", grouped(owners=lambda s: [i % s.num_kv_heads for i in range(s.num_heads)])
)
grouped_wrong("only the first key and value head", grouped(owners=lambda s: [0] * s.num_heads))
grouped_wrong("no output projection", grouped(), GroupedNoOut)
grouped_wrong("bias missing", grouped(), GroupedUnbiased)
grouped_wrong("key and value swapped", grouped(k=lambda s, q, k, v: s.k_proj(v), v=lambda s, q, k, v: s.v_proj(k)))
grouped_wrong("key and value swapped", grouped(k=RIGHT[2], v=RIGHT[1]))
grouped_wrong(
    "key and value made from the query", grouped(k=lambda s, q, k, v: s.k_proj(q), v=lambda s, q, k, v: s.v_proj(q))
)
grouped_wrong("value made from the key", grouped(v=lambda s, q, k, v: s.v_proj(k)))
grouped_wrong("keys mixed instead of values", grouped(v=RIGHT[1]))
grouped_wrong(
    "ReLU on the projections", grouped(*[lambda s, q, k, v, one=one: F.relu(one(s, q, k, v)) for one in RIGHT])
)
grouped_wrong("mask inverted", grouped(flip=True))
grouped_wrong("scaled by √d_model", grouped(scale=lambda s, q: s.num_heads**-0.5))
grouped_wrong("no scale", grouped(scale=lambda s, q: q.size(-1) ** 0.5))
grouped_wrong("scaled twice", grouped(scale=lambda s, q: q.size(-1) ** -0.5))
grouped_wrong("residual connection inside", changed(lambda s, output, weights, query: (query + output, weights)))
grouped_wrong("weights averaged over the heads", changed(lambda s, output, weights, query: (output, weights.mean(-3))))
grouped_wrong("weights and output swapped", changed(lambda s, output, weights, query: (weights, output)))
grouped_wrong("weights not returned", changed(lambda s, output, weights, query: output))
grouped_wrong("mask ignored", lambda self, query, key, value, mask=None: grouped()(self, query, key, value))


def grouped_disguise(mistake: str, base: type = Grouped) -> Any:
    """A disguise of GroupedQueryAttention from its forward."""

    def add(forward: Callable) -> Any:
        grouped_wrong(mistake, forward, base)
        return forward

    return add


@grouped_disguise("as many key and value heads as query heads", GroupedFull)
def grouped_full(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return self.out_proj(mix(weights, v)), weights


def grouped_parts(self: Any, query: Tensor, key: Tensor, value: Tensor) -> list[Tensor]:
    """q, k and v as (batch, heads, seq_len, d_head) with keys and values repeated."""
    q, k, v = (self.cut(one(self, query, key, value)).transpose(1, 2) for one in RIGHT)
    return [q, k[:, self.owners()], v[:, self.owners()]]


@grouped_disguise("NaN for a query that may look at nothing")
def grouped_poisonous(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = grouped_parts(self, query, key, value)
    scores = q @ k.mT / q.size(-1) ** 0.5
    weights = (scores if mask is None else torch.where(mask, scores, -torch.inf)).softmax(-1)
    return self.out_proj((weights @ v).transpose(1, 2).flatten(2)), weights


@grouped_disguise("a large negative number instead of -inf")
def grouped_large(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = grouped_parts(self, query, key, value)
    scores = q @ k.mT / q.size(-1) ** 0.5
    weights = (scores if mask is None else scores.masked_fill(~mask, -1e9)).softmax(-1)
    return self.out_proj((weights @ v).transpose(1, 2).flatten(2)), weights


@grouped_disguise("merge without transposing back")
def grouped_unmerged(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = grouped_parts(self, query, key, value)
    weights = share(q @ k.mT / q.size(-1) ** 0.5, mask)
    return self.out_proj((weights @ v).reshape(query.shape)), weights


@grouped_disguise("features woven together")
def grouped_woven(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = grouped_parts(self, query, key, value)
    weights = share(q @ k.mT / q.size(-1) ** 0.5, mask)
    return self.out_proj((weights @ v).permute(0, 2, 3, 1).reshape(query.shape)), weights


@grouped_disguise("the wrong two dimensions transposed")
def grouped_wrong_two(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = grouped_parts(self, query, key, value)
    weights = share(q @ k.mT / q.size(-1) ** 0.5, mask)
    return self.out_proj((weights @ v).mT.reshape(query.shape)), weights


@grouped_disguise("view instead of view and transpose")
def grouped_viewed(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    b, d = query.size(0), query.size(-1) // self.num_heads
    q = self.q_proj(query).view(b, self.num_heads, -1, d)
    k = self.k_proj(key).view(b, self.num_kv_heads, -1, d)[:, self.owners()]
    v = self.v_proj(value).view(b, self.num_kv_heads, -1, d)[:, self.owners()]
    weights = share(q @ k.mT / d**0.5, mask)
    return self.out_proj((weights @ v).transpose(1, 2).flatten(2)), weights


@grouped_disguise("features dealt out in turn")
def grouped_dealt(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = (one(self, query, key, value) for one in RIGHT)
    q = q.unflatten(-1, (-1, self.num_heads)).mT
    k, v = (x.unflatten(-1, (-1, self.num_kv_heads)).mT[:, :, self.owners()] for x in (k, v))
    weights = share(logits(q, k), mask)
    return self.out_proj(mix(weights, v)), weights


def grouped_correct(forward: Callable) -> Any:
    """A correct GroupedQueryAttention from its forward."""
    correct("GroupedQueryAttention")(type(forward.__name__, (Grouped,), {"forward": forward}))
    return forward


grouped_correct(grouped())


@grouped_correct
def groups_as_a_dimension(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    g = self.num_kv_heads
    q = self.cut(self.q_proj(query)).unflatten(2, (g, -1))
    k, v = self.cut(self.k_proj(key)), self.cut(self.v_proj(value))
    scores = torch.einsum("bigmd,bjgd->bgmij", q, k) / math.sqrt(q.size(-1))
    weights = share(scores.flatten(1, 2), mask)
    heads = torch.einsum("bgmij,bjgd->bigmd", weights.unflatten(1, (g, -1)), v)
    return self.out_proj(heads.flatten(2)), weights


@grouped_correct
def by_expand(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    m = self.num_heads // self.num_kv_heads
    q = self.cut(self.q_proj(query)).transpose(1, 2)
    k, v = (self.cut(x).transpose(1, 2) for x in (self.k_proj(key), self.v_proj(value)))
    k, v = (x[:, :, None].expand(-1, -1, m, -1, -1).reshape(len(x), -1, *x.shape[2:]) for x in (k, v))
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -torch.inf)
    weights = scores.softmax(-1).nan_to_num(0.0)
    return self.out_proj((weights @ v).permute(0, 2, 1, 3).reshape(query.shape)), weights


@grouped_correct
def head_after_head(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.cut(self.q_proj(query)), self.cut(self.k_proj(key)), self.cut(self.v_proj(value))
    found, seen = [], []
    for head, owner in enumerate(self.owners()):
        scores = q[:, :, head] @ k[:, :, owner].mT * q.size(-1) ** -0.5
        full = None if mask is None else mask.expand(len(q), self.num_heads, *scores.shape[1:])[:, head]
        seen.append(share(scores, full))
        found.append(seen[-1] @ v[:, :, owner])
    return self.out_proj(torch.cat(found, -1)), torch.stack(seen, 1)


def grouped_unlisted(forward: Callable) -> Any:
    """An unlisted wrong GroupedQueryAttention."""
    unlisted("GroupedQueryAttention")(type("Wrong", (Grouped,), {"forward": forward}))
    return forward


grouped_unlisted(grouped(owners=lambda s: s.owners()[::-1]))


@grouped_unlisted
def values_in_another_order(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = (self.cut(one(self, query, key, value)) for one in RIGHT)
    weights = share(logits(q, k[:, :, self.owners()]), mask)
    in_turn = [head % self.num_kv_heads for head in range(self.num_heads)]
    return self.out_proj(mix(weights, v[:, :, in_turn])), weights


grouped_unlisted(grouped(scale=lambda s, q: -1.0))
grouped_unlisted(grouped(q=lambda s, q, k, v: torch.tanh(s.q_proj(q))))
grouped_unlisted(changed(lambda s, output, weights, query: (output * s.num_kv_heads, weights)))
grouped_unlisted(changed(lambda s, output, weights, query: (output, weights[:, : s.num_kv_heads])))
grouped_wrong(
    "weights averaged over the heads", changed(lambda s, output, weights, query: (output, weights.mean(1, True)))
)


def by_query_length(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    def cut(layer: nn.Linear, x: Tensor, heads: int) -> Tensor:
        return layer(x).view(query.size(0), query.size(1), heads, -1)

    g = self.num_kv_heads
    q, k, v = cut(self.q_proj, query, self.num_heads), cut(self.k_proj, key, g), cut(self.v_proj, value, g)
    weights = share(logits(q, k[:, :, self.owners()]), mask)
    return self.out_proj(mix(weights, v[:, :, self.owners()])), weights


grouped_wrong("only for equal lengths", by_query_length)


def mask_of_head_0(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    return grouped()(self, query, key, value, mask[:, 0][:, None] if mask is not None and mask.ndim > 3 else mask)


grouped_wrong("mask of head 0 for all heads", mask_of_head_0)


def added_nowhere(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = (
        self.cut(F.linear(x, one.weight)) for one, x in ((self.q_proj, query), (self.k_proj, key), (self.v_proj, value))
    )
    weights = share(logits(q, k[:, :, self.owners()]), mask)
    return F.linear(mix(weights, v[:, :, self.owners()]), self.out_proj.weight), weights


grouped_wrong("biases not added", added_nowhere)

# More ways ----------------------------------------------------------------------------


@wrong("mask of head 0 for all heads")
def every_head_the_first_mask(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    first = mask if mask is None or mask.ndim == 2 else mask[:, 0]
    made = [share(q[:, :, h] @ k[:, :, h].mT / math.sqrt(q.size(-1)), first) for h in range(self.num_heads)]
    weights = torch.stack(made, 1)
    return self.out_proj(mix(self.dropout(weights), v)), weights


@wrong("weights averaged over the heads")
def averaged_in_place(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return self.out_proj(mix(self.dropout(weights), v)), weights.mean(1).unsqueeze(1)


@wrong("ReLU on the projections")
def rectified_everywhere(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = (one.clamp_min(0) for one in self.qkv(query, key, value))
    weights = share(logits(q, k), mask)
    return self.out_proj(mix(self.dropout(weights), v)).relu(), weights


@wrong("biases not added")
def products_alone(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = (
        self.cut(x.matmul(one.weight.t()))
        for one, x in ((self.q_proj, query), (self.k_proj, key), (self.v_proj, value))
    )
    weights = share(logits(q, k), mask)
    return mix(self.dropout(weights), v).matmul(self.out_proj.weight.t()), weights


@wrong("dropout in evaluation")
def dropped_by_hand(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    keep = 1 - self.dropout.p
    kept = weights * (torch.rand(weights.shape) < keep) / max(keep, 1e-9)
    return self.out_proj(mix(kept, v)), weights


@module("unlisted")
def overflows(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    e = logits(q, k).exp() * (1 if mask is None else mask)
    weights = e / e.sum(-1, keepdim=True).clamp_min(1e-30)
    return self.out_proj(mix(self.dropout(weights), v)), weights


@module("unlisted")
def shrinks_in_evaluation(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    kept = self.dropout(weights) if self.training else weights * (1 - self.dropout.p)
    return self.out_proj(mix(kept, v)), weights


@loader("disguise", "weights transposed")
def all_four_turned(ours: Any, theirs: Any) -> None:
    fill(ours, [one.t() for one in cut3(theirs.in_proj_weight)], cut3(theirs.in_proj_bias))
    ours.out_proj.weight[:] = theirs.out_proj.weight.t()
    ours.out_proj.bias[:] = theirs.out_proj.bias


@loader("unlisted")
def leaves_theirs_in_evaluation(ours: Any, theirs: Any) -> None:
    fill(ours, cut3(theirs.in_proj_weight), cut3(theirs.in_proj_bias))
    fill_out(ours, theirs.eval())


def softmax_in_float32(scores: Tensor, mask: Tensor | None) -> Tensor:
    """As in the code of Llama: the softmax in float32 whatever the dtype, and back."""
    hidden = torch.zeros((), dtype=torch.bool) if mask is None else ~mask
    weights = F.softmax(scores.masked_fill(hidden, -torch.inf).float(), dim=-1).type_as(scores)
    return weights.masked_fill(hidden, 0.0)


@correct("MultiHeadAttention")
class SoftmaxInFloat32(Base):
    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q, k, v = self.qkv(query, key, value)
        full = (len(query), self.num_heads, query.size(1), key.size(1))
        if mask is not None and any(n not in (1, m) for n, m in zip(mask.shape[::-1], full[::-1], strict=False)):
            raise ValueError(mask.shape)
        weights = softmax_in_float32(logits(q, k), mask)
        heads = torch.einsum("bhij,bjhd->bihd", self.dropout(weights), v)
        return self.out_proj(heads.flatten(2)), weights


@correct("MultiHeadAttention")
class AllInFloat32(SoftmaxInFloat32):
    """Its products do not fit beside float64, which only probes have."""

    def qkv(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        q, k, v = super().qkv(query, key, value)
        return q.float(), k.float(), v.float()


@split_disguise("heads folded into the batch")
def s_concatenated(x: Tensor, h: int, d: int) -> Tensor:
    return torch.cat(x.split(d, dim=2), dim=0)
