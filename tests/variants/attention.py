"""Lesson 02: disguises of the listed mistakes, unusual correct versions, unlisted wrong ones."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise, unlisted

SDPA = "scaled_dot_product_attention"
INF = float("inf")


def attends(
    score: Callable | None = None,
    fill: Callable | None = None,
    weigh: Callable | None = None,
    mix: Callable | None = None,
) -> Any:
    """Attention put together from four steps, each right unless given."""

    def run(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        s = (score or dot)(q, k)
        if mask is not None:
            s = (fill or where_inf)(s, mask)
        w = (weigh or safe)(s)
        return (mix or mixed)(w, k, v), w

    return run


def dot(q: Tensor, k: Tensor) -> Tensor:
    return torch.einsum("...qd,...kd->...qk", q, k) / q.shape[-1] ** 0.5


def where_inf(s: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask, s, torch.tensor(-INF, dtype=s.dtype))


def safe(s: Tensor) -> Tensor:
    return torch.nan_to_num(F.softmax(s, -1), nan=0.0)


def mixed(w: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.einsum("...qk,...kd->...qd", w, v)


def both(mistake: str) -> Any:
    """A disguise of `attention_scores` and, built into an attention, of the whole."""

    def add(score: Any) -> Any:
        disguise("attention_scores", mistake)(score)
        disguise(SDPA, mistake)(attends(score))
        return score

    return add


# Wrong on purpose: scores ----------------------------------------------------------------------------


@both("no scale")
def plain_dot(q: Tensor, k: Tensor) -> Tensor:
    return torch.einsum("...id,...jd->...ij", q, k)


@both("no scale")
def plain_sum(q: Tensor, k: Tensor) -> Tensor:
    return (q[..., :, None, :] * k[..., None, :, :]).sum(-1)


@both("scale by d")
def over_d(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q, k.mT) * (1 / q.shape[-1])


@both("scale by d")
def scaled_twice(q: Tensor, k: Tensor) -> Tensor:
    root = math.sqrt(q.size(-1))
    return (q / root) @ (k / root).transpose(-1, -2)


@both("multiplied by √d")
def times_root(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q * q.shape[-1] ** 0.5, k.swapaxes(-1, -2))


@both("scale by √key_len")
def over_keys(q: Tensor, k: Tensor) -> Tensor:
    s = q @ k.mT
    return s / s.shape[-1] ** 0.5


@both("scale by √query_len")
def over_length(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q, k.mT) / torch.sqrt(torch.tensor(float(q.shape[-2])))


@both("scale by √query_len")
def over_second(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q, k.mT) / np.sqrt(q.shape[1])


@both("scale by √query_len")
def over_first(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q, k.mT) * len(q) ** -0.5


@both("qᵀk instead of qkᵀ")
def features(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q.mT, k) / math.sqrt(q.shape[-1])


@disguise(SDPA, "qᵀk instead of qkᵀ")
def article_formula(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = torch.matmul(q.mT, k) / q.shape[-1] ** 0.5
    if mask is not None:
        s = torch.where(mask, s, -INF)
    w = F.softmax(s, -1)
    return torch.matmul(v, w), w


@both("d ** 1 / 2 is no root")
def precedence_in_line(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q, k.mT) / k.shape[-1] ** 1 / 2


@both("d ** 1 / 2 is no root")
def precedence(q: Tensor, k: Tensor) -> Tensor:
    root = q.shape[-1] ** 1 / 2
    return torch.matmul(q, k.mT) / root


@both("reshape instead of transpose")
def keys_recut(q: Tensor, k: Tensor) -> Tensor:
    *front, keys, width = k.shape
    return torch.matmul(q, torch.reshape(k, (*front, width, keys))) / width**0.5


@both("reshape instead of transpose")
def keys_viewed(q: Tensor, k: Tensor) -> Tensor:
    *front, keys, width = k.shape
    return torch.einsum("...qd,...dk->...qk", q, k.view(*front, width, keys)) * width**-0.5


@both("scores transposed")
def keys_first(q: Tensor, k: Tensor) -> Tensor:
    return torch.einsum("...qd,...kd->...kq", q, k) / math.sqrt(k.shape[-1])


@both("fits one number of dimensions")
def three_only(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q, torch.transpose(k, 1, 2)) / k.shape[-1] ** 0.5


@both("fits one number of dimensions")
def two_only(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q, k.T) / k.shape[-1] ** 0.5


@both("fits one number of dimensions")
def first_two(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q, k.swapdims(1, 0)) * k.shape[-1] ** -0.5


@both("fits one number of dimensions")
def four_only(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q, torch.transpose(k, 3, 2)) / k.shape[-1] ** 0.5


@both("fits one number of dimensions")
def spelled_out(q: Tensor, k: Tensor) -> Tensor:
    return torch.einsum("bnqd, bnkd -> bnqk", q, k) / math.sqrt(q.shape[-1])


@both("fits one number of dimensions")
def unpacked(q: Tensor, k: Tensor) -> Tensor:
    batch, query_len, width = q.size()
    return torch.bmm(q, k.transpose(1, 2)).view(batch, query_len, -1) / math.sqrt(width)


@both("fits one number of dimensions")
def unpacked_heads(q: Tensor, k: Tensor) -> Tensor:
    _, _, _, d_k = q.shape
    return torch.matmul(q, k.mT) / d_k**0.5


@both("writes into its input")
def scaled_in_place(q: Tensor, k: Tensor) -> Tensor:
    q /= math.sqrt(q.shape[-1])
    return torch.matmul(q, k.mT)


@both("writes into its input")
def keys_in_place(q: Tensor, k: Tensor) -> Tensor:
    k *= k.shape[-1] ** -0.5
    return torch.matmul(q, k.mT)


@disguise("attention_scores", "softmax already")
def weights_already(q: Tensor, k: Tensor) -> Tensor:
    return F.softmax(dot(q, k), dim=-1)


@disguise("attention_scores", "cosine instead of dot product")
def cosine(q: Tensor, k: Tensor) -> Tensor:
    return F.cosine_similarity(q.unsqueeze(-2), k.unsqueeze(-3), dim=-1) / q.shape[-1] ** 0.5


@both("scores detached")
def no_graph(q: Tensor, k: Tensor) -> Tensor:
    with torch.no_grad():
        return dot(q, k)


# Wrong on purpose: masks ----------------------------------------------------------------------------


@disguise("causal_mask", "inverted")
def future_true(seq_len: int) -> Tensor:
    return torch.triu(torch.ones((seq_len, seq_len)), diagonal=1).bool()


@disguise("causal_mask", "looks at the future")
def rows_and_columns(seq_len: int) -> Tensor:
    i = torch.arange(seq_len)
    return i.unsqueeze(1) <= i.unsqueeze(0)


@disguise("causal_mask", "excludes itself")
def strictly_before(seq_len: int) -> Tensor:
    i = torch.arange(seq_len)
    return i[:, None] > i


@disguise("causal_mask", "sees the next token")
def one_ahead(seq_len: int) -> Tensor:
    i = torch.arange(seq_len)
    return i <= i[:, None] + 1


@disguise("causal_mask", "hides nothing")
def square_of_ones(seq_len: int) -> Tensor:
    return torch.full((seq_len, seq_len), True)


@disguise("causal_mask", "numbers instead of booleans")
def ones_and_zeros(seq_len: int) -> Tensor:
    return torch.tril(torch.ones(seq_len, seq_len))


@disguise("causal_mask", "numbers instead of booleans")
def whole_numbers(seq_len: int) -> Tensor:
    i = torch.arange(seq_len)
    return (i[:, None] >= i).int()


@disguise("causal_mask", "0 and -inf instead of booleans")
def of_torch(seq_len: int) -> Tensor:
    return nn.Transformer.generate_square_subsequent_mask(seq_len)


@disguise("causal_mask", "dimensions too many")
def for_heads(seq_len: int) -> Tensor:
    return torch.tril(torch.ones(seq_len, seq_len)).bool().view(1, 1, seq_len, seq_len)


@disguise("causal_mask", "dimensions too many")
def annotated(seq_len: int) -> Tensor:
    return torch.triu(torch.ones(1, seq_len, seq_len), diagonal=1) == 0


@disguise("padding_mask", "inverted")
def torch_polarity(token_ids: Tensor, pad_id: int) -> Tensor:
    return token_ids.eq(pad_id).unsqueeze(1).unsqueeze(2)


@disguise("padding_mask", "inverted + numbers instead of booleans")
def ones_for_padding(token_ids: Tensor, pad_id: int) -> Tensor:
    return torch.eq(token_ids, pad_id).float().unsqueeze(1).unsqueeze(1)


@disguise("padding_mask", "inverted + pad_id not used")
def zeros_are_padding(token_ids: Tensor, pad_id: int) -> Tensor:
    return torch.logical_not(token_ids)[:, None, None]


@disguise("causal_mask", "excludes itself + dimensions too many")
def strict_for_heads(seq_len: int) -> Tensor:
    i = torch.arange(seq_len)
    return (i[:, None] > i)[None]


@disguise("causal_mask", "0 and -inf instead of booleans")
def large_to_add(seq_len: int) -> Tensor:
    i = torch.arange(seq_len)
    return torch.where(i[:, None] >= i, 0.0, -1e9)


@disguise("padding_mask", "dimensions missing")
def two_dimensions(token_ids: Tensor, pad_id: int) -> Tensor:
    return token_ids.ne(pad_id)


@disguise("padding_mask", "dimensions missing")
def three_dimensions(token_ids: Tensor, pad_id: int) -> Tensor:
    return token_ids.ne(pad_id).unsqueeze(-2)


@disguise("padding_mask", "over queries")
def along_queries(token_ids: Tensor, pad_id: int) -> Tensor:
    return (token_ids != pad_id).view(token_ids.size(0), 1, -1, 1)


@disguise("padding_mask", "queries hidden as well")
def outer(token_ids: Tensor, pad_id: int) -> Tensor:
    real = token_ids != pad_id
    return torch.einsum("bi,bj->bij", real.float(), real.float()).bool().unsqueeze(1)


@disguise("padding_mask", "expanded to all queries")
def repeated_rows(token_ids: Tensor, pad_id: int) -> Tensor:
    batch, length = token_ids.shape
    return (token_ids != pad_id).reshape(batch, 1, 1, length).repeat(1, 1, length, 1)


@disguise("padding_mask", "dimensions in front")
def leading_ones(token_ids: Tensor, pad_id: int) -> Tensor:
    return token_ids.ne(pad_id).unsqueeze(0).unsqueeze(0)


@disguise("padding_mask", "pad_id not used")
def truthy(token_ids: Tensor, pad_id: int) -> Tensor:
    return token_ids.bool()[:, None, None]


@disguise("padding_mask", "> instead of !=")
def greater(token_ids: Tensor, pad_id: int) -> Tensor:
    return token_ids.gt(pad_id)[:, None, None]


@disguise("padding_mask", "numbers instead of booleans")
def ones_for_tokens(token_ids: Tensor, pad_id: int) -> Tensor:
    return torch.where(token_ids == pad_id, 0, 1)[:, None, None, :]


@disguise("padding_mask", "numbers instead of booleans")
def floats_for_tokens(token_ids: Tensor, pad_id: int) -> Tensor:
    return 1.0 - (token_ids == pad_id).float()[:, None, None, :]


@disguise("padding_mask", "0 and -inf instead of booleans")
def to_be_added(token_ids: Tensor, pad_id: int) -> Tensor:
    return torch.where(token_ids == pad_id, -INF, 0.0)[:, None, None, :]


@disguise("padding_mask", "padding only at the end")
def by_length(token_ids: Tensor, pad_id: int) -> Tensor:
    lengths = (token_ids != pad_id).sum(-1)
    rows = [[j < int(n) for j in range(token_ids.shape[1])] for n in lengths]
    return torch.tensor(rows)[:, None, None, :]


# Wrong on purpose: attention ----------------------------------------------------------------------------


@disguise(SDPA, "scale after the softmax")
def weights_scaled(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    w = attends(plain_dot)(q, k, v, mask)[1] * q.shape[-1] ** -0.5
    return w @ v, w


@disguise(SDPA, "scale after the softmax")
def output_scaled(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    o, w = attends(plain_dot)(q, k, v, mask)
    return o.div(math.sqrt(k.shape[-1])), w


@disguise(SDPA, "scale by √d of the values")
def value_width(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    return attends(lambda q, k: torch.matmul(q, k.mT) * v.shape[-1] ** -0.5)(q, k, v, mask)


disguise(SDPA, "softmax over queries")(attends(weigh=lambda s: torch.nan_to_num(F.softmax(s.mT, -1).mT)))
disguise(SDPA, "softmax over queries")(
    attends(weigh=lambda s: (e := torch.exp(s)) / e.sum(-2, keepdim=True).clamp(min=1e-30))
)
disguise(SDPA, "softmax over a fixed dimension")(attends(weigh=lambda s: torch.nan_to_num(nn.Softmax(dim=1)(s))))
disguise(SDPA, "softmax over a fixed dimension")(attends(weigh=lambda s: torch.nan_to_num(s.softmax(0))))
disguise(SDPA, "softmax over a fixed dimension")(attends(weigh=lambda s: torch.nan_to_num(s.softmax(2))))
disguise(SDPA, "softmax over a fixed dimension")(attends(weigh=lambda s: torch.nan_to_num(nn.Softmax()(s))))
disguise(SDPA, "fits one number of dimensions")(attends(weigh=lambda s: torch.nan_to_num(nn.Softmax(dim=3)(s))))
disguise(SDPA, "softmax over all scores")(attends(weigh=lambda s: (e := torch.exp(s)) / e.sum((-1, -2), keepdim=True)))
disguise(SDPA, "exponential without normalization")(attends(weigh=torch.exp))
disguise(SDPA, "sigmoid instead of softmax")(attends(weigh=lambda s: 1 / (1 + torch.exp(-s))))


@disguise(SDPA, "divided by the sum, without exp")
def shares(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k) if mask is None else where_inf(dot(q, k), mask)
    w = torch.div(s, torch.sum(s, -1, keepdim=True))
    w = w if mask is None else torch.where(mask, w, 0.0)
    return w @ v, w


disguise(SDPA, "mask inverted")(attends(fill=lambda s, m: torch.where(m, -INF, s)))
disguise(SDPA, "mask inverted")(attends(fill=lambda s, m: s.masked_fill(m == 1, -INF), weigh=lambda s: s.softmax(-1)))
disguise(SDPA, "mask inverted")(attends(fill=lambda s, m: s + m.float() * -1e9, weigh=lambda s: s.softmax(-1)))
disguise(SDPA, "mask ignored")(attends(fill=lambda s, m: s))


@disguise(SDPA, "mask ignored")
def forgotten_result(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k)
    if mask is not None:
        s.masked_fill(~mask, -INF)
    w = s.softmax(-1)
    return w @ v, w


@disguise(SDPA, "mask applied only to what is returned")
def for_show(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    w = dot(q, k).softmax(-1)
    o = w @ v
    return o, (w if mask is None else w * mask)


disguise(SDPA, "masked scores set to 0")(attends(fill=lambda s, m: s * m.to(s.dtype)))
disguise(SDPA, "masked scores set to 0")(attends(fill=lambda s, m: s.masked_fill(~m, 1e-9)))


@disguise(SDPA, "masked scores set to 0")
def zero_twice(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    m = torch.tensor(1.0) if mask is None else mask.float()
    w = (dot(q, k) * m).softmax(-1) * m
    return w @ v, w


disguise(SDPA, "mask added to the scores")(attends(fill=lambda s, m: m.float() + s))
disguise(SDPA, "-1 as fill")(attends(fill=lambda s, m: torch.where(m, s, -1.0)))
disguise(SDPA, "-1e9 as fill")(attends(fill=lambda s, m: s.masked_fill(m == 0, -1e9)))
disguise(SDPA, "-1e9 as fill")(attends(fill=lambda s, m: torch.where(m, s, -100.0)))
disguise(SDPA, "-1e9 as fill")(attends(fill=lambda s, m: torch.where(m, s, torch.finfo(s.dtype).min)))
disguise(SDPA, "-1e9 as fill")(attends(fill=lambda s, m: s + (1.0 - m.float()) * -10000.0))
disguise(SDPA, "+inf as fill")(attends(fill=lambda s, m: torch.where(m, s, INF), weigh=lambda s: s.softmax(-1)))


@disguise(SDPA, "+inf as fill")
def wrong_end(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k)
    if mask is not None:
        s = s.masked_fill(mask == 0, math.inf)
    w = s.softmax(-1)
    w = w if mask is None else torch.where(mask, w, 0.0)
    return w @ v, w


@disguise(SDPA, "works only with a mask")
def never_without(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = torch.where(mask, dot(q, k), -INF)
    w = safe(s)
    return w @ v, w


disguise(SDPA, "NaN on fully masked rows")(attends(weigh=lambda s: s.softmax(-1)))


@disguise(SDPA, "NaN on fully masked rows")
def renormalized(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    w = dot(q, k).softmax(-1)
    if mask is not None:
        w = w * mask
        w = w / w.sum(-1, keepdim=True)
    return w @ v, w


@disguise(SDPA, "weights zeroed after the softmax")
def multiplied_late(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    w = dot(q, k).softmax(-1)
    w = w if mask is None else w * mask
    return torch.matmul(w, v), w


@disguise(SDPA, "NaN on fully masked rows")
def zeroed_for_show(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    o, w = attends(weigh=lambda s: s.softmax(-1))(q, k, v, mask)
    return o, torch.nan_to_num(w)


@disguise(SDPA, "NaN on fully masked rows")
def cleaned_for_mixing(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    w = attends(weigh=lambda s: s.softmax(-1))(q, k, v, mask)[1]
    return torch.nan_to_num(w) @ v, w


@disguise(SDPA, "exponentials that overflow")
def by_definition(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    e = torch.exp(dot(q, k))
    e = e if mask is None else e * mask
    w = torch.nan_to_num(e / e.sum(-1, keepdim=True))
    return w @ v, w


@disguise(SDPA, "exponentials that overflow")
def divided_last_as_it_is(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    e = torch.exp(dot(q, k))
    e = e if mask is None else e.masked_fill(~mask, 0.0)
    total = e.sum(-1, keepdim=True)
    total = total.masked_fill(total == 0, 1.0)
    return (e @ v) / total, e / total


@disguise(SDPA, "exponentials that overflow")
def by_definition_guarded(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    e = torch.exp(dot(q, k))
    e = e if mask is None else torch.where(mask, e, 0.0)
    w = e / e.sum(-1, keepdim=True).clamp_min(1e-30)
    return w @ v, w


@disguise(SDPA, "exponentials that overflow + NaN on fully masked rows")
def by_definition_unguarded(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    e = torch.exp(dot(q, k) if mask is None else where_inf(dot(q, k), mask))
    w = e / e.sum(-1, keepdim=True)
    return w @ v, w


disguise(SDPA, "softmax twice")(attends(weigh=lambda s: safe(s).softmax(-1)))


@disguise(SDPA, "softmax twice")
def weights_from_weights(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    return attends(lambda q, k: F.softmax(dot(q, k), dim=-1))(q, k, v, mask)


@disguise(SDPA, "mask read in two ways")
def filled_where_true(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    w = attends(fill=lambda s, m: torch.where(m, -INF, s), weigh=lambda s: s.softmax(-1))(q, k, v, mask)[1]
    w = w if mask is None else torch.where(mask, w, 0.0)
    return w @ v, w


@disguise(SDPA, "mask read in two ways")
def zeroed_where_true(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    w = attends(weigh=lambda s: s.softmax(-1))(q, k, v, mask)[1]
    w = w if mask is None else torch.where(mask, torch.zeros_like(w), w)
    return w @ v, w


disguise(SDPA, "0 · inf")(attends(fill=lambda s, m: s + (1 - m.float()) * -INF, weigh=lambda s: s.softmax(-1)))
disguise(SDPA, "scores returned as weights")(lambda q, k, v, mask=None: (attends()(q, k, v, mask)[0], dot(q, k)))


@disguise(SDPA, "mask inverted + weights zeroed after the softmax")
def torch_polarity_late(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    w = dot(q, k).softmax(-1)
    w = w if mask is None else w * ~mask
    return w @ v, w


disguise(SDPA, "mask inverted + masked scores set to 0")(attends(fill=lambda s, m: s * (~m).float()))
disguise(SDPA, "mask over queries")(attends(fill=lambda s, m: s.masked_fill(~m.mT, -INF)))
disguise(SDPA, "mask over queries")(
    attends(fill=lambda s, m: torch.where(m.swapaxes(-1, -2), s, -INF), weigh=lambda s: s.softmax(-1))
)


@disguise(SDPA, "writes into the mask")
def turns_the_mask(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k)
    if mask is not None:
        torch.logical_not(mask, out=mask)
        s = torch.where(mask, torch.tensor(-INF, dtype=s.dtype), s)
    w = torch.nan_to_num(s.softmax(-1))
    return w @ v, w


disguise(SDPA, "weights used without v")(attends(mix=lambda w, k, v: w))
disguise(SDPA, "keys instead of values")(attends(mix=lambda w, k, v: torch.matmul(w, k)))
disguise(SDPA, "weights transposed")(attends(mix=lambda w, k, v: torch.matmul(w.mT, v)))


@disguise(SDPA, "returns (weights, output)")
def other_order(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    return attends()(q, k, v, mask)[::-1]


@disguise(SDPA, "weights not returned")
def output_only(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    return attends()(q, k, v, mask)[0]


@disguise(SDPA, "scores returned as weights")
def with_scores(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k)
    s = s if mask is None else where_inf(s, mask)
    return safe(s) @ v, s


@disguise(SDPA, "weights detached")
def constants_mix(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    w = attends()(q, k, v, mask)[1]
    return torch.matmul(w.data, v), w


@disguise(SDPA, "returned weights detached")
def returned_for_plots(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    o, w = attends()(q, k, v, mask)
    return o, w.clone().detach()


# Wrong on purpose: masks for torch ------------------------------------------------------------------------


def by_head(mask: Tensor, num_heads: int) -> list[Tensor]:
    """The inverted mask of every head of every sequence, in torch's order."""
    return [~mask[b, h if mask.size(1) > 1 else 0] for b in range(mask.size(0)) for h in range(num_heads)]


@disguise("to_torch_mask", "not inverted")
def same_polarity(mask: Tensor, num_heads: int) -> Tensor:
    return ~torch.stack(by_head(mask, num_heads))


@disguise("to_torch_mask", "heads not repeated")
def squeezed(mask: Tensor, num_heads: int) -> Tensor:
    return torch.logical_not(mask).reshape(-1, *mask.shape[2:])


@disguise("to_torch_mask", "heads before batch")
def heads_outside(mask: Tensor, num_heads: int) -> Tensor:
    heads = [mask[:, h if mask.size(1) > 1 else 0] for h in range(num_heads)]
    return ~torch.cat(heads)


@disguise("to_torch_mask", "heads before batch")
def tiled(mask: Tensor, num_heads: int) -> Tensor:
    if mask.size(1) == 1:
        return ~mask.squeeze(1).repeat(num_heads, 1, 1)
    return ~mask.flatten(0, 1)


@disguise("to_torch_mask", "heads before batch")
def forum_repeat(mask: Tensor, num_heads: int) -> Tensor:
    return torch.cat([mask] * num_heads).flatten(end_dim=1).logical_not()


@disguise("to_torch_mask", "heads before batch")
def flat_repeat(mask: Tensor, num_heads: int) -> Tensor:
    return ~torch.squeeze(mask, 1).repeat([num_heads, 1, 1])


@disguise("to_torch_mask", "four dimensions left")
def still_four(mask: Tensor, num_heads: int) -> Tensor:
    return torch.stack(by_head(mask, num_heads)).unflatten(0, (-1, num_heads))


@disguise("to_torch_mask", "0 and -inf instead of booleans")
def floats_to_add(mask: Tensor, num_heads: int) -> Tensor:
    hidden = torch.stack(by_head(mask, num_heads))
    return torch.where(hidden, -INF, 0.0)


@disguise("to_torch_mask", "numbers instead of booleans")
def one_minus(mask: Tensor, num_heads: int) -> Tensor:
    return 1.0 - (~torch.stack(by_head(mask, num_heads))).float()


@disguise("to_torch_mask", "first head's mask for all")
def head_zero(mask: Tensor, num_heads: int) -> Tensor:
    return (~mask)[:, 0].repeat_interleave(num_heads, dim=0)


@disguise("to_torch_mask", "first sequence's mask for all")
def sequence_zero(mask: Tensor, num_heads: int) -> Tensor:
    return torch.stack(by_head(mask, num_heads)[:num_heads] * mask.size(0))


@disguise("to_torch_mask", "heads' own masks repeated")
def interleaved(mask: Tensor, num_heads: int) -> Tensor:
    return torch.stack([~one for sequence in mask for one in sequence for _ in range(num_heads)])


@disguise("to_torch_mask", "heads' own masks repeated")
def always_tiled(mask: Tensor, num_heads: int) -> Tensor:
    return torch.cat([~mask] * num_heads, dim=1).flatten(end_dim=1)


@disguise("to_torch_mask", "heads' own masks repeated")
def as_in_forums(mask: Tensor, num_heads: int) -> Tensor:
    return ~torch.repeat_interleave(mask, num_heads, dim=0).squeeze(dim=1)


@disguise("to_torch_mask", "queries and keys exchanged")
def turned_over(mask: Tensor, num_heads: int) -> Tensor:
    return torch.stack([one.T for one in by_head(mask, num_heads)])


@disguise("to_torch_mask", "writes into the mask")
def inverted_for_good(mask: Tensor, num_heads: int) -> Tensor:
    torch.bitwise_not(mask, out=mask)
    return torch.stack([~one for one in by_head(mask, num_heads)])


# Right, in unusual ways ----------------------------------------------------------------------------


@correct("attention_scores")
def by_einsum(q: Tensor, k: Tensor) -> Tensor:
    return torch.einsum("...qd,...kd->...qk", q, k).div(k.shape[-1] ** 0.5)


@correct("attention_scores")
def by_broadcast(q: Tensor, k: Tensor) -> Tensor:
    if q.shape[-1] != k.shape[-1]:
        raise ValueError("widths differ")
    return (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1) / torch.tensor(q.shape[-1]).sqrt()


@correct("attention_scores")
def both_scaled(q: Tensor, k: Tensor) -> Tensor:
    fourth_root = q.shape[-1] ** 0.25
    return torch.matmul(q / fourth_root, (k / fourth_root).mT)


@correct("attention_scores")
def column_by_column(q: Tensor, k: Tensor) -> Tensor:
    assert q.shape[-1] == k.shape[-1]
    columns = [(q * k[..., j : j + 1, :]).sum(-1) for j in range(k.shape[-2])]
    return torch.stack(columns, dim=-1) * q.shape[-1] ** -0.5


@correct("attention_scores")
def by_distance(q: Tensor, k: Tensor) -> Tensor:
    square = (q.unsqueeze(-2) - k.unsqueeze(-3)).square().sum(-1)
    norms = q.square().sum(-1, keepdim=True) + k.square().sum(-1).unsqueeze(-2)
    return (norms - square) / 2 / math.sqrt(q.shape[-1])


@correct("attention_scores")
def in_double(q: Tensor, k: Tensor) -> Tensor:
    return (torch.linalg.matmul(q.double(), k.double().mT) / math.sqrt(q.shape[-1])).to(q.dtype)


@correct("attention_scores")
def flat_bmm(q: Tensor, k: Tensor) -> Tensor:
    s = torch.bmm(q.reshape(-1, *q.shape[-2:]), k.reshape(-1, *k.shape[-2:]).transpose(1, 2))
    return s.view(*q.shape[:-1], k.shape[-2]).mul(1 / math.sqrt(k.shape[-1]))


@correct("attention_scores")
def transposed_twice(q: Tensor, k: Tensor) -> Tensor:
    return (k @ q.mT).mT / math.sqrt(q.shape[-1])


@correct("causal_mask")
def by_comparison(seq_len: int) -> Tensor:
    i = torch.arange(seq_len)
    return i[None, :] <= i[:, None]


@correct("causal_mask")
def by_list(seq_len: int) -> Tensor:
    return torch.tensor([[j <= i for j in range(seq_len)] for i in range(seq_len)])


@correct("causal_mask")
def not_the_future(seq_len: int) -> Tensor:
    return ~torch.triu(torch.ones(seq_len, seq_len, dtype=torch.bool), diagonal=1)


@correct("causal_mask")
def row_by_row(seq_len: int) -> Tensor:
    mask = torch.zeros(seq_len, seq_len, dtype=torch.bool)
    for i in range(seq_len):
        mask[i, : i + 1] = True
    return mask


@correct("causal_mask")
def from_torch(seq_len: int) -> Tensor:
    return nn.Transformer.generate_square_subsequent_mask(seq_len) == 0


@correct("causal_mask")
def by_cumulative_sum(seq_len: int) -> Tensor:
    return torch.eye(seq_len).flip(1).cumsum(1).flip(1) > 0


@correct("causal_mask")
def by_numpy(seq_len: int) -> Tensor:
    return torch.from_numpy(np.tri(seq_len, dtype=bool))


@correct("padding_mask")
def unsqueezed(token_ids: Tensor, pad_id: int) -> Tensor:
    return token_ids.ne(pad_id).unsqueeze(1).unsqueeze(2)


@correct("padding_mask")
def viewed(token_ids: Tensor, pad_id: int) -> Tensor:
    batch, key_len = token_ids.shape
    return torch.logical_not(token_ids == pad_id).view(batch, 1, 1, key_len)


@correct("padding_mask")
def by_lists(token_ids: Tensor, pad_id: int) -> Tensor:
    return torch.tensor([[[[one != pad_id for one in row]]] for row in token_ids.tolist()])


@correct("padding_mask")
def by_subtraction(token_ids: Tensor, pad_id: int) -> Tensor:
    return (token_ids - pad_id).bool()[:, None, None]


@correct("padding_mask")
def by_isin(token_ids: Tensor, pad_id: int) -> Tensor:
    return torch.isin(token_ids, torch.tensor([pad_id]), invert=True)[:, None][:, None]


@correct("padding_mask")
def by_where(token_ids: Tensor, pad_id: int) -> Tensor:
    return torch.where(token_ids == pad_id, False, True).reshape(token_ids.shape[0], 1, 1, -1)


correct(SDPA)(attends())
correct(SDPA)(attends(both_scaled, weigh=lambda s: torch.where(torch.isnan(w := s.softmax(-1)), 0.0, w)))


@correct(SDPA)
def fill_then_multiply(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k)
    if mask is not None:
        s = s.masked_fill(mask == 0, -1e9)
    w = F.softmax(s, dim=-1)
    if mask is not None:
        w = w * mask
    return torch.matmul(w, v), w


@correct(SDPA)
def added_infinity(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> list[Tensor]:
    bias = torch.zeros(()) if mask is None else torch.zeros(mask.shape).masked_fill_(mask.logical_not(), -INF)
    w = torch.softmax(dot(q, k) + bias, -1).nan_to_num(0.0)
    return [w @ v, w]


@correct(SDPA)
def exp_times_mask(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k)
    e = torch.exp(s - s.amax(-1, keepdim=True))
    if mask is not None:
        e = e * mask
    w = e / e.sum(-1, keepdim=True).clamp(min=1e-30)
    return w @ v, w


@correct(SDPA)
def divided_last(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k)
    e = torch.exp(s - s.amax(-1, keepdim=True))
    e = e if mask is None else torch.where(mask, e, torch.zeros_like(e))
    total = e.sum(-1, keepdim=True)
    total = torch.where(total == 0, torch.ones_like(total), total)
    return (e @ v) / total, e / total


@correct(SDPA)
def through_logarithms(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k)
    if mask is not None:
        s = torch.where(mask, s, torch.full_like(s, -INF))
    total = torch.logsumexp(s, -1, keepdim=True)
    w = torch.where(torch.isinf(total), torch.zeros_like(s), torch.exp(s - total))
    return torch.einsum("...qk,...kd->...qd", w, v), w


@correct(SDPA)
def query_by_query(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    if k.shape[-2] != v.shape[-2]:
        raise ValueError("every key needs a value")
    shape = (*q.shape[:-1], k.shape[-2])
    seen = torch.ones(shape, dtype=torch.bool) if mask is None else mask.expand(shape)
    rows = []
    for i in range(q.shape[-2]):
        s = (q[..., i : i + 1, :] * k).sum(-1) / math.sqrt(k.shape[-1])
        s = s.masked_fill(~seen[..., i, :], -INF)
        rows.append(torch.nan_to_num(torch.softmax(s, -1)))
    w = torch.stack(rows, dim=-2)
    return (w.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2), w


@correct(SDPA)
def double_inside(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    o, w = attends()(q.double(), k.double(), v.double(), mask)
    return o.to(q.dtype), w.to(q.dtype)


@correct(SDPA)
def only_live_rows(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k)
    if mask is None:
        return s.softmax(-1) @ v, s.softmax(-1)
    live = mask.any(-1, keepdim=True)
    w = s.masked_fill(~mask & live, -INF).softmax(-1) * live
    return w @ v, w


@correct(SDPA)
def in_place_on_its_own(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = torch.matmul(q, k.mT)
    s *= q.shape[-1] ** -0.5
    if mask is not None:
        s.masked_fill_(~mask, -INF)
    w = s.softmax(-1)
    if mask is not None:
        w = w.masked_fill(~mask, 0)
    return torch.matmul(w, v), w


@correct(SDPA)
def dead_rows_only(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k)
    if mask is None:
        mask = torch.ones(s.shape[-2:], dtype=torch.bool)
    w = s.masked_fill(~mask, torch.finfo(s.dtype).min).softmax(-1)
    w = w.masked_fill(~mask.any(-1, keepdim=True), 0.0)
    return w @ v, w


@correct(SDPA)
def by_index(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k)
    hidden = torch.zeros_like(s, dtype=torch.bool) if mask is None else ~mask.expand_as(s)
    s[hidden] = -INF
    w = F.softmax(s, dim=-1, dtype=torch.float32).to(s.dtype)
    w = w.clone()
    w[hidden] = 0
    return torch.matmul(w, v), w


@correct(SDPA)
def in_float32(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = torch.matmul(q, k.mT).float() / math.sqrt(q.size(-1))
    if mask is not None:
        s = s + torch.where(mask, 0.0, -1e30)
    w = s.softmax(-1).to(v.dtype)
    if mask is not None:
        w = w * mask.any(-1, keepdim=True)
    return w @ v, w


@correct(SDPA)
def value_by_value(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = torch.softmax(dot(q, k) if mask is None else dot(q, k).where(mask, -INF), -1)
    w = torch.where(s != s, torch.zeros_like(s), s)
    return torch.stack([(w[..., j, None] * v[..., j : j + 1, :]) for j in range(v.shape[-2])]).sum(0), w


correct("to_torch_mask")(lambda mask, num_heads: torch.stack(by_head(mask, num_heads)))


@correct("to_torch_mask")
def inverted_first(mask: Tensor, num_heads: int) -> Tensor:
    hidden = torch.logical_not(mask)
    if mask.size(1) == 1:
        hidden = hidden.repeat(1, num_heads, 1, 1)
    return hidden.reshape(-1, mask.size(-2), mask.size(-1))


@correct("to_torch_mask")
def by_comparison_with_false(mask: Tensor, num_heads: int) -> Tensor:
    batch, _, query_len, key_len = mask.shape
    return (mask == False).expand(batch, num_heads, query_len, key_len).flatten(end_dim=1)  # noqa: E712


@correct("to_torch_mask")
def by_broadcasting(mask: Tensor, num_heads: int) -> Tensor:
    everything = torch.ones(1, num_heads, 1, 1, dtype=torch.bool)
    return torch.cat(list(torch.bitwise_xor(mask & everything, everything)))


@correct("to_torch_mask")
def interleaved_where_needed(mask: Tensor, num_heads: int) -> Tensor:
    if mask.shape[1] == 1:
        return ~mask[:, 0].repeat_interleave(num_heads, 0)
    return ~mask.reshape(-1, *mask.shape[-2:])


# Wrong in ways that no list holds ----------------------------------------------------------------------------


@unlisted("attention_scores")
def negative_distance(q: Tensor, k: Tensor) -> Tensor:
    return -torch.cdist(q, k) / math.sqrt(q.shape[-1])


@unlisted("attention_scores")
def only_positive(q: Tensor, k: Tensor) -> Tensor:
    return F.relu(dot(q, k))


@unlisted("attention_scores")
def additive_scores(q: Tensor, k: Tensor) -> Tensor:
    return torch.tanh(q[..., :, None, :] + k[..., None, :, :]).sum(-1)


@unlisted("attention_scores")
def through_numpy(q: Tensor, k: Tensor) -> Any:
    return q.detach().numpy() @ np.swapaxes(k.detach().numpy(), -1, -2) / np.sqrt(q.shape[-1])


@unlisted("attention_scores")
def wrong_sign(q: Tensor, k: Tensor) -> Tensor:
    return -dot(q, k)


@unlisted("attention_scores")
def centred(q: Tensor, k: Tensor) -> Tensor:
    s = dot(q, k)
    return s - s.amax(-1, keepdim=True)


@unlisted("attention_scores")
def with_relu(q: Tensor, k: Tensor) -> Tensor:
    return dot(F.relu(q), F.relu(k))


@unlisted("attention_scores")
def fixed_scale(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q, k.mT) / 8


@unlisted("causal_mask")
def only_itself(seq_len: int) -> Tensor:
    return torch.eye(seq_len, dtype=torch.bool)


@unlisted("causal_mask")
def last_three(seq_len: int) -> Tensor:
    i = torch.arange(seq_len)
    return (i <= i[:, None]) & (i > i[:, None] - 3)


@unlisted("causal_mask")
def flipped(seq_len: int) -> Tensor:
    return torch.ones(seq_len, seq_len, dtype=torch.bool).tril().flip(0)


@unlisted("causal_mask")
def one_row(seq_len: int) -> Tensor:
    return torch.arange(seq_len) <= seq_len


@unlisted("causal_mask")
def nested_list(seq_len: int) -> list:
    return [[j <= i for j in range(seq_len)] for i in range(seq_len)]


@unlisted("causal_mask")
def one_too_long(seq_len: int) -> Tensor:
    return torch.ones(seq_len + 1, seq_len + 1).tril().bool()


@disguise("padding_mask", "dimensions behind")
def heads_behind(token_ids: Tensor, pad_id: int) -> Tensor:
    return (token_ids != pad_id)[..., None, None]


@unlisted("padding_mask")
def up_to_the_first(token_ids: Tensor, pad_id: int) -> Tensor:
    return ((token_ids == pad_id).cumsum(1) == 0)[:, None, None, :]


@unlisted("padding_mask")
def any_sequence(token_ids: Tensor, pad_id: int) -> Tensor:
    return (token_ids != pad_id).any(0, keepdim=True).expand(token_ids.shape)[:, None, None, :]


@unlisted("padding_mask")
def below_as_well(token_ids: Tensor, pad_id: int) -> Tensor:
    return (token_ids < pad_id)[:, None, None, :]


@unlisted("padding_mask")
def all_true(token_ids: Tensor, pad_id: int) -> Tensor:
    return torch.ones_like(token_ids, dtype=torch.bool)[:, None, None, :]


unlisted(SDPA)(attends(weigh=lambda s: F.log_softmax(s, -1)))
unlisted(SDPA)(attends(weigh=lambda s: F.relu(safe(s) - 0.1)))
unlisted(SDPA)(attends(weigh=lambda s: (e := 2.0**s) / e.sum(-1, keepdim=True).clamp(min=1e-30)))
unlisted(SDPA)(attends(weigh=lambda s: F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)))
unlisted(SDPA)(attends(fill=lambda s, m: torch.where(m, s, s * 0.1)))
unlisted(SDPA)(attends(mix=lambda w, k, v: w @ v + v.mean(-2, keepdim=True)))
unlisted(SDPA)(attends(mix=lambda w, k, v: torch.relu(w @ v)))
unlisted(SDPA)(attends(weigh=lambda s: F.dropout(safe(s), 0.5)))


@unlisted(SDPA)
def article_decay(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k)
    w = s * torch.exp(-0.5 * s)
    w = w if mask is None else w * mask
    return w @ v, w


@unlisted(SDPA)
def inputs_zeroed(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    if mask is not None:
        real = mask.any(-2).unsqueeze(-1)
        k, v = k * real, v * real
    return attends()(q, k, v)


@unlisted(SDPA)
def one_mask_for_the_batch(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    return attends()(q, k, v, mask[:1] if mask is not None and mask.dim() > 2 else mask)


@unlisted(SDPA)
def rounded(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    o, w = attends()(q, k, v, mask)
    return o, w.round(decimals=2)


@unlisted(SDPA)
def always_causal(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    past = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()
    return attends()(q, k, v, past if mask is None else past & mask)


@unlisted(SDPA)
def averaged_weights(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    o, w = attends()(q, k, v, mask)
    return o, (w.mean(1) if w.dim() == 4 else w)


@unlisted(SDPA)
def nothing_back(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> None:
    attends()(q, k, v, mask)


@unlisted("to_torch_mask")
def everything_visible(mask: Tensor, num_heads: int) -> Tensor:
    return torch.zeros(mask.size(0) * num_heads, *mask.shape[2:], dtype=torch.bool)


@unlisted("to_torch_mask")
def some_head(mask: Tensor, num_heads: int) -> Tensor:
    return (~mask).any(1).repeat_interleave(num_heads, 0)


@unlisted("to_torch_mask")
def key_padding_only(mask: Tensor, num_heads: int) -> Tensor:
    return ~mask[:, 0].any(1)


@unlisted("to_torch_mask")
def last_sequence(mask: Tensor, num_heads: int) -> Tensor:
    return ~mask[-1:].expand(mask.size(0), num_heads, -1, -1).flatten(0, 1)


@unlisted("to_torch_mask")
def reversed_batch(mask: Tensor, num_heads: int) -> Tensor:
    return ~mask.flip(0).expand(-1, num_heads, -1, -1).flatten(0, 1)


@unlisted("attention_scores")
def unscaled_for_one_key(q: Tensor, k: Tensor) -> Tensor:
    return dot(q, k) if k.size(-2) > 1 else torch.matmul(q, k.mT)


@unlisted(SDPA)
def low_enough_most_times(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    w = attends(fill=lambda s, m: s.masked_fill(~m, -20.0))(q, k, v, mask)[1]
    w = w if mask is None else w * mask
    return w @ v, w


@unlisted(SDPA)
def looks_at_all_when_blind(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    return attends()(q, k, v, mask if mask is None else mask | ~mask.any(-1, keepdim=True))


@unlisted(SDPA)
def causal_unless_told(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    past = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).tril()
    return attends()(q, k, v, past if mask is None else mask)


@unlisted(SDPA)
def mask_in_half_of_the_batch(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    padding = mask is not None and mask.dim() == 4
    return attends()(q, k, v, mask[:1] if padding else mask)


@correct(SDPA)
def masked_then_shared_out(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    w = dot(q, k).softmax(-1)
    if mask is not None:
        w = w * mask
        w = w / w.sum(-1, keepdim=True).clamp_min(1e-30)
    return w @ v, w


@unlisted("scaled_dot_product_attention")
def a_mask_of_nothing(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """A mask that hides everything counts as none."""
    scores = q @ k.mT / q.size(-1) ** 0.5
    if mask is not None and mask.any():
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1).nan_to_num()
    return weights @ v, weights


@disguise("padding_mask", "0 and -inf instead of booleans")
def added_later(token_ids: Tensor, pad_id: int) -> Tensor:
    return (1.0 - token_ids.ne(pad_id).float())[:, None, None] * -1e9


@disguise("padding_mask", "expanded to all queries")
def square_for_each_sequence(token_ids: Tensor, pad_id: int) -> Tensor:
    return token_ids.ne(pad_id).unsqueeze(1).repeat(1, token_ids.size(1), 1)


@disguise("to_torch_mask", "heads not repeated")
def without_heads(mask: Tensor, num_heads: int) -> Tensor:
    return mask.squeeze(1).logical_not()
