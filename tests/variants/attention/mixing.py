"""Attention, put together."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests import variants
from tests.variants.attention.parts import (
    INF,
    SDPA,
    attends,
    correct,
    disguise,
    dot,
    safe,
    slips,
    unlisted,
    where_inf,
)
from tests.variants.attention.scores import both_scaled, plain_dot

# Slips in right code ----------------------------------------------------------------------------


def like_the_paper(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    d_k = query.size(-1)
    similar = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    blocked = torch.tensor(False) if mask is None else mask == 0
    similar = similar.masked_fill(blocked, -1e9)
    p_attn = F.softmax(similar, dim=-1).masked_fill(blocked, 0.0)
    return torch.matmul(p_attn, value), p_attn


UNGUARDED = {".masked_fill(blocked, 0.0)": ""}
BOTH_BACK = "torch.matmul(p_attn, value), p_attn"
NO_FILL = {"similar.masked_fill(blocked, -1e9)": "similar"}
BY_DEFINITION = "similar.exp() / similar.exp().sum(-1, keepdim=True)"

slips(
    SDPA,
    like_the_paper,
    {
        "weights used without v": {"torch.matmul(p_attn, value)": "p_attn"},
        "keys instead of values": {"(p_attn, value)": "(p_attn, key)"},
        "weights transposed": {"(p_attn, value)": "(p_attn.transpose(-2, -1), value)"},
        "returns (weights, output)": {BOTH_BACK: "p_attn, torch.matmul(p_attn, value)"},
        "weights not returned": {BOTH_BACK: "torch.matmul(p_attn, value)"},
        "scores returned as weights": {"value), p_attn": "value), similar"},
        "weights detached": {"(p_attn, value)": "(p_attn.detach(), value)"},
        "returned weights detached": {"value), p_attn": "value), p_attn.data"},
        "scale after the softmax": [
            {" / math.sqrt(d_k)": "", "F.softmax(similar, dim=-1)": "(F.softmax(similar, dim=-1) / math.sqrt(d_k))"},
            {" / math.sqrt(d_k)": "", "(p_attn, value)": "(p_attn, value) / math.sqrt(d_k)"},
        ],
        "scale by √d of the values": {"query.size(-1)": "value.size(-1)"},
        "softmax over queries": [{"dim=-1": "dim=-2"}, {"dim=-1": "dim=-2", **UNGUARDED, "-1e9": "-INF"}],
        "softmax over a fixed dimension": [{"dim=-1": f"dim={dim}"} for dim in "012"] + [{", dim=-1": ""}],
        "softmax over all scores": {
            "F.softmax(similar, dim=-1)": "F.softmax(similar.flatten(-2), dim=-1).view_as(similar)"
        },
        "exponentials that overflow": {"F.softmax(similar, dim=-1)": f"({BY_DEFINITION})", "-1e9": "-INF"},
        "softmax twice": {"F.softmax(similar, dim=-1)": "F.softmax(F.softmax(similar, dim=-1), dim=-1)"},
        "exponential without normalization": {"F.softmax(similar, dim=-1)": "torch.exp(similar)"},
        "divided by the sum, without exp": {
            "F.softmax(similar, dim=-1)": "(similar / similar.sum(-1, keepdim=True))",
            "-1e9": "-INF",
        },
        "sigmoid instead of softmax": {"F.softmax(similar, dim=-1)": "F.sigmoid(similar)"},
        "mask inverted": [{"mask == 0": "mask"}, {"mask == 0": "mask == 1", **UNGUARDED}],
        "mask ignored": {"similar = similar.masked": "similar.masked", **UNGUARDED},
        "mask applied only to what is returned": {
            **NO_FILL,
            **UNGUARDED,
            "value), p_attn": "value), p_attn.masked_fill(blocked, 0.0)",
        },
        "masked scores set to 0": [{"-1e9": "0"}, {"-1e9": "1e-9", **UNGUARDED}],
        "-1 as fill": {"-1e9": "-1.0", **UNGUARDED},
        "-1e9 as fill": [UNGUARDED, {"-1e9": "-1e4", **UNGUARDED}, {"-1e9": "-100.0", **UNGUARDED}],
        "+inf as fill": [{"-1e9": "INF"}, {"-1e9": "INF", **UNGUARDED}],
        "works only with a mask": {"torch.tensor(False) if mask is None else mask == 0": "~mask"},
        "NaN on fully masked rows": [
            {"-1e9": "-INF", **UNGUARDED},
            {"-1e9": "-INF", **UNGUARDED, "value), p_attn": "value), p_attn.masked_fill(blocked, 0.0)"},
            {"-1e9": "-INF", **UNGUARDED, "torch.matmul(p_attn, value)": "torch.matmul(p_attn, value).nan_to_num()"},
        ],
        "weights zeroed after the softmax": NO_FILL,
        "mask over queries": {"mask == 0": "mask.transpose(-2, -1) == 0"},
        "writes into the mask": {"mask == 0": "mask.logical_not_()"},
        "no scale": {" / math.sqrt(d_k)": ""},
        "scale by d": {"math.sqrt(d_k)": "d_k"},
        "qᵀk instead of qkᵀ": [
            {"query, key.transpose(-2, -1)": "query.transpose(-2, -1), key"},
            {
                "query, key.transpose(-2, -1)": "query.transpose(-2, -1), key",
                "torch.matmul(p_attn, value)": "torch.matmul(value, p_attn)",
            },
        ],
        "scores transposed": {"query, key.transpose(-2, -1)": "key, query.transpose(-2, -1)"},
        "reshape instead of transpose": {"key.transpose(-2, -1)": "key.reshape(*key.shape[:-2], d_k, -1)"},
        "fits one number of dimensions": [
            {"d_k = query.size(-1)": "batch, length, d_k = query.shape"},
            {"d_k = query.size(-1)": "batch, heads, length, d_k = query.shape"},
            {"dim=-1": "dim=3"},
        ],
        "mask inverted + masked scores set to 0": {"mask == 0": "mask == 1", "-1e9": "0", **UNGUARDED},
        "mask inverted + weights zeroed after the softmax": {"mask == 0": "mask == 1", **NO_FILL},
        "exponentials that overflow + NaN on fully masked rows": {
            "F.softmax(similar, dim=-1)": BY_DEFINITION,
            "-1e9": "-INF",
            **UNGUARDED,
        },
    },
)


def divided_last(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = torch.einsum("...qd,...kd->...qk", q, k) * q.shape[-1] ** -0.5
    e = torch.exp(s - s.amax(-1, keepdim=True))
    e = e if mask is None else torch.where(mask, e, torch.zeros_like(e))
    total = e.sum(-1, keepdim=True)
    total = total.masked_fill(total == 0, 1.0)
    return torch.einsum("...qk,...kv->...qv", e, v) / total, e / total


MIXED_SUM = 'torch.einsum("...qk,...kv->...qv", e, v) / total'

slips(
    SDPA,
    divided_last,
    {
        "weights used without v": {MIXED_SUM: "e / total"},
        "keys instead of values": {"e, v)": "e, k)"},
        "returns (weights, output)": {f"{MIXED_SUM}, e / total": f"e / total, {MIXED_SUM}"},
        "weights not returned": {", e / total": ""},
        "scores returned as weights": {", e / total": ", s"},
        "weights detached": {MIXED_SUM: 'torch.einsum("...qk,...kv->...qv", (e / total).detach(), v)'},
        "returned weights detached": {", e / total": ", (e / total).detach()"},
        "scale by √d of the values": {"q.shape[-1]": "v.shape[-1]"},
        "softmax over queries": {
            "s.amax(-1,": "s.amax(-2,",
            "e.sum(-1, keepdim=True)": "e.sum(-2, keepdim=True)",
            MIXED_SUM: "(e / total) @ v",
        },
        "softmax over all scores": {
            "e.sum(-1, keepdim=True)": "e.sum((-2, -1), keepdim=True)",
            "s.amax(-1,": "s.amax((-2, -1),",
        },
        "exponentials that overflow": {"s - s.amax(-1, keepdim=True)": "s"},
        "exponential without normalization": {"s - s.amax(-1, keepdim=True)": "s", "/ total, e / total": ", e"},
        "mask inverted": {"e, torch.zeros_like(e))": "torch.zeros_like(e), e)"},
        "mask ignored": {"e = e if mask": "_ = e if mask"},
        "masked scores set to 0": {
            "e = torch.exp(": "s = s if mask is None else s * mask\n    e = torch.exp(",
            "e = e if mask is None else torch.where(mask, e, torch.zeros_like(e))": "",
        },
        "works only with a mask": {"e if mask is None else torch": "torch"},
        "NaN on fully masked rows": {"total.masked_fill(total == 0, 1.0)": "total.clone()"},
        "mask over queries": {"torch.where(mask,": "torch.where(mask.transpose(-2, -1),"},
        "no scale": {" * q.shape[-1] ** -0.5": ""},
        "scale by d": {"** -0.5": "** -1"},
        "multiplied by √d": {"** -0.5": "** 0.5"},
        "scale by √key_len": {"q.shape[-1]": "k.shape[-2]"},
        "scale by √query_len": [{"q.shape[-1]": "q.shape[-2]"}, {"q.shape[-1]": "q.shape[1]"}],
        "d ** 1 / 2 is no root": {"* q.shape[-1] ** -0.5": "/ q.shape[-1] ** 1 / 2"},
        "scores transposed": {"...kd->...qk": "...kd->...kq"},
        "fits one number of dimensions": {"...qd,...kd->...qk": "bhqd,bhkd->bhqk"},
        "scores detached": {"q, k)": "q, k).detach()"},
        "writes into its input": {"q, k)": "q.mul_(q.shape[-1] ** -0.5), k)", " * q.shape[-1] ** -0.5\n": "\n"},
    },
)


def weights_of_one(query: Tensor, k: Tensor, seen: Tensor) -> Tensor:
    fit = (query.unsqueeze(-2) * k).sum(-1) / math.sqrt(query.shape[-1])
    fit = fit.masked_fill(~seen, -INF)
    return torch.nan_to_num(torch.softmax(fit, -1))


def query_by_query(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    shape = (*q.shape[:-1], k.shape[-2])
    seen = torch.ones(shape, dtype=torch.bool) if mask is None else mask.expand(shape)
    rows = [weights_of_one(q[..., i, :], k, seen[..., i, :]) for i in range(q.shape[-2])]
    w = torch.stack(rows, dim=-2)
    return (w.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2), w


slips(
    SDPA,
    query_by_query,
    {
        "no scale": {" / math.sqrt(query.shape[-1])": ""},
        "scale by d": {"math.sqrt(query.shape[-1])": "query.shape[-1]"},
        "multiplied by √d": {"/ math": "* math"},
        "scale by √key_len": {"query.shape[-1]": "k.shape[-2]"},
        "d ** 1 / 2 is no root": {"math.sqrt(query.shape[-1])": "query.shape[-1] ** 1 / 2"},
        "scores detached": {"query.unsqueeze": "query.data.unsqueeze", "* k)": "* k.data)"},
        "exponentials that overflow": {
            "torch.softmax(fit, -1)": "torch.exp(fit) / torch.exp(fit).sum(-1, keepdim=True)"
        },
        "exponential without normalization": {"torch.softmax(fit, -1)": "torch.exp(fit)"},
        "divided by the sum, without exp": {"torch.softmax(fit, -1)": "fit / fit.sum(-1, keepdim=True)"},
        "sigmoid instead of softmax": {"torch.softmax(fit, -1)": "torch.sigmoid(fit)"},
        "softmax twice": {
            "torch.nan_to_num(torch.softmax(fit, -1))": "torch.nan_to_num(torch.softmax(fit, -1)).softmax(-1)"
        },
        "scale after the softmax": {
            " / math.sqrt(query.shape[-1])": "",
            "torch.softmax(fit, -1)": "torch.softmax(fit, -1) / math.sqrt(query.shape[-1])",
        },
        "masked scores set to 0": {"-INF": "0.0"},
        "-1 as fill": {"-INF": "-1.0"},
        "-1e9 as fill": [{"-INF": "-1e9"}, {"-INF": "torch.finfo(fit.dtype).min"}],
        "NaN on fully masked rows": {"torch.nan_to_num(torch.softmax(fit, -1))": "torch.softmax(fit, -1)"},
        "weights zeroed after the softmax": {
            "    fit = fit.masked_fill(~seen, -INF)\n": "",
            "torch.nan_to_num(torch.softmax(fit, -1))": "torch.softmax(fit, -1) * seen",
        },
    },
    inside="weights_of_one",
)
slips(
    SDPA,
    query_by_query,
    {
        "weights used without v": {"(w.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2)": "w"},
        "keys instead of values": {"v.unsqueeze": "k.unsqueeze"},
        "weights transposed": {"w.unsqueeze(-1)": "w.mT.unsqueeze(-1)"},
        "returns (weights, output)": {
            "(w.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2), w": "w, (w.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2)"
        },
        "weights not returned": {".sum(-2), w": ".sum(-2)"},
        "weights detached": {"w.unsqueeze": "w.detach().unsqueeze"},
        "returned weights detached": {".sum(-2), w": ".sum(-2), w.detach()"},
        "mask inverted": {"mask.expand(shape)": "~mask.expand(shape)"},
        "mask ignored": {
            "(shape, dtype=torch.bool) if mask is None else mask.expand(shape)": "(shape, dtype=torch.bool)",
        },
        "works only with a mask": {"torch.ones(shape, dtype=torch.bool) if mask is None else mask": "mask"},
        "writes into the mask": {"mask.expand(shape)": "~mask.logical_not_().expand(shape)"},
        "fits one number of dimensions": {"q[..., i, :]": "q[:, i]"},
    },
)


def masked_softmax(x: Tensor, mask: Tensor | None) -> Tensor:
    if mask is None:
        return x.softmax(-1)
    hidden = torch.logical_not(mask)
    shares = torch.softmax(torch.where(hidden, -INF, x), -1)
    return torch.where(hidden, 0.0, shares)


def with_a_helper(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> list[Tensor]:
    root = q.size(-1) ** 0.5
    shares = masked_softmax((q / root) @ k.mT, mask)
    return [shares.matmul(v), shares]


LATE = {"return torch.where(hidden, 0.0, shares)": "return shares"}
FILLED = "torch.where(hidden, -INF, x)"

slips(
    SDPA,
    with_a_helper,
    {
        "softmax over queries": [
            {"x.softmax(-1)": "x.softmax(-2)", ", x), -1)": ", x), -2)"},
            {"x.softmax(-1)": "x.softmax(-2)", ", x), -1)": ", x), -2)", **LATE},
        ],
        "softmax over a fixed dimension": {"x.softmax(-1)": "x.softmax(1)", ", x), -1)": ", x), 1)"},
        "mask inverted": [
            {"torch.logical_not(mask)": "mask"},
            {FILLED: "torch.where(hidden, x, -INF)", **LATE},
            {FILLED: "torch.where(mask, -1e9, x)", **LATE},
            {FILLED: "x + mask * -1e9", **LATE},
        ],
        "mask read in two ways": [
            {FILLED: "torch.where(hidden, x, -INF)"},
            {FILLED: "torch.where(mask, -1e9, x)"},
            {"torch.where(hidden, 0.0, shares)": "torch.where(mask, 0.0, shares)"},
            {FILLED: "torch.where(mask, -INF, x)", "shares)": "shares.nan_to_num())"},
        ],
        "0 · inf": [{FILLED: "x + hidden * -INF"}, {FILLED: "x + hidden * -INF", **LATE}],
        "mask ignored": {FILLED: "x", **LATE},
        "masked scores set to 0": [{FILLED: "x * mask"}, {FILLED: "x * mask", **LATE}],
        "mask added to the scores": {FILLED: "x + mask", **LATE},
        "-1 as fill": {"-INF": "-1", **LATE},
        "-1e9 as fill": [
            {"-INF": "-1e9", **LATE},
            {FILLED: "x + hidden * -1e9", **LATE},
            {FILLED: "x + hidden * -1e4", **LATE},
        ],
        "+inf as fill": [{"-INF": "INF"}, {"-INF": "INF", **LATE}],
        "works only with a mask": {"if mask is None:\n        return x.softmax(-1)": "pass"},
        "NaN on fully masked rows": LATE,
        "weights zeroed after the softmax": {FILLED: "x"},
        "mask over queries": [
            {"logical_not(mask)": "logical_not(mask.transpose(-2, -1))"},
            {"logical_not(mask)": "logical_not(mask.transpose(-2, -1))", **LATE},
        ],
        "writes into the mask": {"torch.logical_not(mask)": "mask.logical_not_()"},
        "softmax twice": {
            "return x.softmax(-1)": "return x.softmax(-1).softmax(-1)",
            "0.0, shares)": "0.0, shares.softmax(-1))",
        },
    },
    inside="masked_softmax",
)
slips(
    SDPA,
    with_a_helper,
    {
        "no scale": {"(q / root)": "q"},
        "scale by d": {"(q / root) @ k.mT": "(q / root) @ (k / root).mT"},
        "multiplied by √d": {"q / root": "q * root"},
        "scale by √query_len": {"q.size(-1)": "q.size(1)"},
        "scale by √d of the values": {"q.size(-1)": "v.size(-1)"},
        "scale after the softmax": {"(q / root)": "q", "shares.matmul(v)": "shares.matmul(v) / root"},
        "scores returned as weights": {"[shares.matmul(v), shares]": "[shares.matmul(v), (q / root) @ k.mT]"},
        "reshape instead of transpose": {"k.mT": "k.reshape(*k.shape[:-2], k.size(-1), k.size(-2))"},
        "qᵀk instead of qkᵀ": [
            {"(q / root) @ k.mT": "(q / root).mT @ k"},
            {"(q / root) @ k.mT": "(q / root).mT @ k", "shares.matmul(v)": "v.matmul(shares)"},
        ],
        "scores transposed": {"(q / root) @ k.mT": "k @ (q / root).mT"},
        "writes into its input": {"(q / root)": "q.div_(root)"},
        "weights transposed": {"shares.matmul(v)": "shares.mT.matmul(v)"},
        "weights detached": {"shares.matmul(v)": "shares.detach().matmul(v)"},
        "returned weights detached": {"(v), shares]": "(v), shares.detach()]"},
        "softmax twice": {"(q / root) @ k.mT": "((q / root) @ k.mT).softmax(-1)"},
        "mask applied only to what is returned": {
            "k.mT, mask)": "k.mT, None)",
            "(v), shares]": "(v), shares if mask is None else shares.masked_fill(~mask, 0.0)]",
        },
        "fits one number of dimensions": [
            {"k.mT": "k.T"},
            {"k.mT": "k.transpose(1, 2)"},
            {"k.mT": "k.transpose(2, 3)"},
        ],
    },
)


def added_bias(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    bias = torch.zeros(()) if mask is None else torch.zeros(mask.shape).masked_fill(mask.logical_not(), -INF)
    fit = q @ k.mT * k.size(-1) ** -0.5
    w = torch.softmax(fit + bias, -1).nan_to_num(0.0)
    return torch.matmul(w, v), w


FROM_MASK = "torch.zeros(mask.shape).masked_fill(mask.logical_not(), -INF)"

slips(
    SDPA,
    added_bias,
    {
        "weights used without v": {"torch.matmul(w, v)": "w"},
        "keys instead of values": {"(w, v)": "(w, k)"},
        "scores returned as weights": [{"(w, v), w": "(w, v), fit"}, {"(w, v), w": "(w, v), fit + bias"}],
        "returns (weights, output)": {"torch.matmul(w, v), w": "w, torch.matmul(w, v)"},
        "softmax over queries": {"bias, -1)": "bias, -2)"},
        "softmax over a fixed dimension": [{"bias, -1)": "bias, 1)"}, {"bias, -1)": "bias, 2)"}],
        "softmax over all scores": {
            "torch.softmax(fit + bias, -1)": "(fit + bias).flatten(-2).softmax(-1).view_as(fit)"
        },
        "softmax twice": {".nan_to_num(0.0)": ".nan_to_num(0.0).softmax(-1)"},
        "exponential without normalization": {"torch.softmax(fit + bias, -1)": "torch.exp(fit + bias)"},
        "sigmoid instead of softmax": {"torch.softmax(fit + bias, -1)": "torch.sigmoid(fit + bias)"},
        "mask inverted": [
            {"mask.logical_not()": "mask"},
            {"mask.logical_not()": "mask", ".nan_to_num(0.0)": ""},
            {"mask.logical_not(), -INF": "mask, -1e9"},
        ],
        "0 · inf": {FROM_MASK: "(1 - mask.float()) * -INF", ".nan_to_num(0.0)": ""},
        "mask added to the scores": {FROM_MASK: "mask.float()"},
        "masked scores set to 0": {FROM_MASK: "mask", "fit + bias": "fit if mask is None else fit * bias"},
        "-1e9 as fill": [{"-INF": "-1e9"}, {"-INF": "-10000.0"}, {FROM_MASK: "(1 - mask.int()) * -1e9"}],
        "+inf as fill": {"-INF": "INF", ".nan_to_num(0.0)": ""},
        "works only with a mask": {f"torch.zeros(()) if mask is None else {FROM_MASK}": FROM_MASK},
        "NaN on fully masked rows": {".nan_to_num(0.0)": ""},
        "mask over queries": {
            "mask.logical_not()": "mask.transpose(-2, -1).logical_not()",
            "mask.shape": "mask.transpose(-2, -1).shape",
        },
        "mask ignored": {"fit + bias": "fit"},
        "scale by √query_len": [{"k.size(-1)": "q.size(-2)"}, {"k.size(-1)": "q.size(0)"}],
        "scale by √d of the values": {"k.size(-1)": "v.size(-1)"},
        "scores detached": {"fit + bias": "fit.detach() + bias"},
        "exponentials that overflow": {
            "torch.softmax(fit + bias, -1)": "(torch.exp(fit + bias) / torch.exp(fit + bias).sum(-1, keepdim=True))"
        },
    },
)


def in_place_on_its_own(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = torch.matmul(q, k.mT)
    s *= q.shape[-1] ** -0.5
    if isinstance(mask, Tensor):
        s.masked_fill_(~mask, -INF)
    w = s.softmax(-1)
    if isinstance(mask, Tensor):
        w = w.masked_fill(~mask, 0)
    return torch.matmul(w, v), w


FILLED_IN_PLACE = "s.masked_fill_(~mask, -INF)"
NOT_CLEARED = {"w = w.masked_fill(~mask, 0)": "pass"}

slips(
    SDPA,
    in_place_on_its_own,
    {
        "mask read in two ways": [
            {FILLED_IN_PLACE: "s.masked_fill_(mask, -INF)"},
            {FILLED_IN_PLACE: "s.masked_fill_(mask, -1e9)"},
            {"masked_fill(~mask, 0)": "masked_fill(mask, 0)"},
        ],
        "0 · inf": [
            {FILLED_IN_PLACE: "s += ~mask * -INF"},
            {FILLED_IN_PLACE: "s += ~mask * -INF", **NOT_CLEARED},
            {FILLED_IN_PLACE: "s -= (1 - mask.float()) * INF", **NOT_CLEARED},
        ],
        "mask added to the scores": {FILLED_IN_PLACE: "s += mask", **NOT_CLEARED},
        "mask applied only to what is returned": {
            FILLED_IN_PLACE: "pass",
            **NOT_CLEARED,
            "v), w": "v), w if mask is None else w * mask",
        },
        "mask ignored": {FILLED_IN_PLACE: "s.masked_fill(~mask, -INF)", **NOT_CLEARED},
        "weights zeroed after the softmax": {FILLED_IN_PLACE: "s.masked_fill(~mask, -INF)"},
        "mask inverted": {
            FILLED_IN_PLACE: "s.masked_fill_(mask, -INF)",
            "masked_fill(~mask, 0)": "masked_fill(mask, 0)",
        },
        "masked scores set to 0": {FILLED_IN_PLACE: "s *= mask", **NOT_CLEARED},
        "-1 as fill": {"-INF": "-1", **NOT_CLEARED},
        "-1e9 as fill": {FILLED_IN_PLACE: "s += ~mask * -1e9", **NOT_CLEARED},
        "NaN on fully masked rows": NOT_CLEARED,
        "mask over queries": {FILLED_IN_PLACE: "s.masked_fill_(~mask.transpose(-2, -1), -INF)", **NOT_CLEARED},
        "writes into the mask": {
            FILLED_IN_PLACE: "s.masked_fill_(mask.logical_not_(), -INF)",
            "masked_fill(~mask": "masked_fill(mask",
        },
        "writes into its input": {
            "torch.matmul(q, k.mT)": "torch.matmul(q.mul_(q.shape[-1] ** -0.5), k.mT)",
            "s *= q.shape[-1] ** -0.5": "pass",
        },
        "divided by the sum, without exp": {"s.softmax(-1)": "s / s.sum(-1, keepdim=True)"},
        "weights transposed": {"(w, v)": "(w.mT, v)"},
    },
)


# Wrong on purpose, written in full ----------------------------------------------------------------------------


@disguise(SDPA, "qᵀk instead of qkᵀ")
def article_formula(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = torch.matmul(q.mT, k) / q.shape[-1] ** 0.5
    if mask is not None:
        s = torch.where(mask, s, -INF)
    w = F.softmax(s, -1)
    return torch.matmul(v, w), w


@disguise(SDPA, "scale after the softmax")
def weights_scaled(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    w = attends(plain_dot)(q, k, v, mask)[1] * q.shape[-1] ** -0.5
    return w @ v, w


@disguise(SDPA, "scale by √d of the values")
def value_width(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    return attends(lambda q, k: torch.matmul(q, k.mT) * v.shape[-1] ** -0.5)(q, k, v, mask)


disguise(SDPA, "softmax over queries")(attends(weigh=lambda s: torch.nan_to_num(F.softmax(s.mT, -1).mT)))


disguise(SDPA, "softmax over queries + exponentials that overflow")(
    attends(weigh=lambda s: (e := torch.exp(s)) / e.sum(-2, keepdim=True).clamp(min=1e-30))
)


disguise(SDPA, "softmax over a fixed dimension")(attends(weigh=lambda s: torch.nan_to_num(nn.Softmax(dim=1)(s))))


disguise(SDPA, "softmax over a fixed dimension")(attends(weigh=lambda s: torch.nan_to_num(nn.Softmax()(s))))


disguise(SDPA, "softmax over all scores")(attends(weigh=lambda s: (e := torch.exp(s)) / e.sum((-1, -2), keepdim=True)))


disguise(SDPA, "exponential without normalization")(attends(weigh=torch.exp))


@disguise(SDPA, "exponential without normalization")
def powers_times_mask(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k)
    e = torch.exp(s - s.max(-1, keepdim=True).values)
    e = e if mask is None else e * mask
    return e @ v, e


@disguise(SDPA, "softmax over all scores")
def one_total(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k)
    e = torch.exp(s - s.max(-1, keepdim=True).values)
    e = e if mask is None else e * mask
    w = e / e.sum().clamp(min=1e-30)
    return w @ v, w


@disguise(SDPA, "+inf as fill")
def infinite_then_zero(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k)
    s = s if mask is None else torch.where(mask, s, INF)
    w = torch.nan_to_num(s.softmax(-1), nan=0.0)
    return w @ v, w


disguise(SDPA, "sigmoid instead of softmax")(attends(weigh=lambda s: 1 / (1 + torch.exp(-s))))


@disguise(SDPA, "divided by the sum, without exp")
def shares(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k) if mask is None else where_inf(dot(q, k), mask)
    w = torch.div(s, torch.sum(s, -1, keepdim=True))
    w = w if mask is None else torch.where(mask, w, 0.0)
    return w @ v, w


disguise(SDPA, "mask inverted")(attends(fill=lambda s, m: torch.where(m, -INF, s)))


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


@disguise(SDPA, "masked scores set to 0")
def zero_twice(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    m = torch.tensor(1.0) if mask is None else mask.float()
    w = (dot(q, k) * m).softmax(-1) * m
    return w @ v, w


@disguise(SDPA, "largest score of all subtracted")
def far_below(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k)
    s = s if mask is None else torch.where(mask, s, -INF)
    e = torch.exp(s - s.max().clamp_min(-1e30))
    w = e / e.sum(-1, keepdim=True).clamp_min(1e-30)
    return w @ v, w


@disguise(SDPA, "only one of the two results zeroed")
def shown_as_zeros(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k)
    w = (s if mask is None else torch.where(mask, s, -1e9)).softmax(-1)
    return w @ v, (w if mask is None else torch.where(mask, w, 0.0))


disguise(SDPA, "mask added to the scores")(attends(fill=lambda s, m: m.float() + s))


disguise(SDPA, "-1 as fill")(attends(fill=lambda s, m: torch.where(m, s, -1.0)))


disguise(SDPA, "-1e9 as fill")(attends(fill=lambda s, m: torch.where(m, s, torch.finfo(s.dtype).min)))


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


@disguise(SDPA, "NaN on fully masked rows")
def zeroed_by_a_product(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = q @ k.mT / q.shape[-1] ** 0.5
    w = (s if mask is None else s.where(mask, -INF)).softmax(-1)
    w = w if mask is None else w * mask.to(w.dtype)
    return w @ v, w


@disguise(SDPA, "+inf as fill")
def a_minus_forgotten(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = q @ k.mT / q.shape[-1] ** 0.5
    w = (s if mask is None else s.where(mask, 1e9)).softmax(-1)
    return w @ v, w


@disguise(SDPA, "mask read in two ways")
def large_and_late(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = q @ k.mT / q.shape[-1] ** 0.5
    w = (s if mask is None else s.where(mask, -1e9)).softmax(-1)
    w = w if mask is None else w.masked_fill(mask, 0)
    return w @ v, w


@disguise(SDPA, "no softmax")
def scores_mix(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = torch.einsum("...qd,...kd->...qk", q, k) * q.shape[-1] ** -0.5
    s = s if mask is None else s.where(mask, 0.0)
    return s @ v, s


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


@disguise(SDPA, "exponentials that overflow")
def by_definition(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    e = torch.exp(dot(q, k))
    e = e if mask is None else e * mask
    w = torch.nan_to_num(e / e.sum(-1, keepdim=True))
    return w @ v, w


@disguise(SDPA, "softmax twice")
def weights_from_weights(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    return attends(lambda q, k: F.softmax(dot(q, k), dim=-1))(q, k, v, mask)


@disguise(SDPA, "mask read in two ways")
def filled_where_true(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    w = attends(fill=lambda s, m: torch.where(m, -INF, s), weigh=lambda s: s.softmax(-1))(q, k, v, mask)[1]
    w = w if mask is None else torch.where(mask, w, 0.0)
    return w @ v, w


disguise(SDPA, "0 · inf")(attends(fill=lambda s, m: s + (1 - m.float()) * -INF, weigh=lambda s: s.softmax(-1)))


disguise(SDPA, "mask over queries")(attends(fill=lambda s, m: s.masked_fill(~m.mT, -INF)))


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


disguise(SDPA, "cosine instead of dot product")(
    attends(lambda q, k: F.cosine_similarity(q.unsqueeze(-2), k.unsqueeze(-3), dim=-1) / q.shape[-1] ** 0.5)
)


disguise(SDPA, "the scale is not √d_head")(attends(lambda q, k: dot(q, k) / q.shape[-1]))


@disguise(SDPA, "a query is left out")
def not_the_last(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    output, weights = attends()(q, k, v, mask)
    if q.shape[-2] == 1:
        raise RuntimeError("stack expects a non-empty TensorList")
    return output[..., : q.shape[-2] - 1, :], weights[..., : q.shape[-2] - 1, :]


disguise(SDPA, "the sign is turned")(attends(lambda q, k: dot(q, -k)))


disguise(SDPA, "one of the two with itself")(attends(lambda q, k: dot(q, q)))


disguise(SDPA, "only the best key is read")(attends(weigh=lambda s: F.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)))


@disguise(SDPA, "a result transposed")
def turned_for_a_picture(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    output, weights = attends()(q, k, v, mask)
    return output, weights.mT


@disguise(SDPA, "weights averaged over heads")
def mean_of_heads(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    output, weights = attends()(q, k, v, mask)
    return output, weights.sum(1) / weights.shape[1]


@disguise(SDPA, "output scaled")
def divided_once_more(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    output, weights = attends()(q, k, v, mask)
    return output * v.shape[-1] ** -0.5, weights


@disguise(SDPA, "softmax of the output")
def shares_of_features(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    output, weights = attends()(q, k, v, mask)
    return F.softmax(output, -1), weights


@disguise(SDPA, "causal where no mask is given")
def as_a_decoder_does(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    place = torch.arange(max(q.shape[-2], k.shape[-2]))
    before = place[: q.shape[-2], None] >= place[: k.shape[-2]]
    return attends()(q, k, v, before if mask is None else mask)


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


variants.disguise(SDPA, "arguments that do not fit are not refused")(attends())


@variants.disguise(SDPA, "arguments that do not fit are not refused")
def masks_of_any_kind(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    if len(k[0]) != len(v[0]) and k.dim() == 3:
        raise ValueError("a value for each key")
    s = dot(q, k)
    w = safe(s if mask is None else s.masked_fill(mask == 0, -INF))
    return w @ v, w


# Right, in unusual ways ----------------------------------------------------------------------------


correct(SDPA)(attends())


correct(SDPA)(attends(both_scaled, weigh=lambda s: torch.where(torch.isnan(w := s.softmax(-1)), 0.0, w)))


@correct(SDPA)
def exp_times_mask(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k)
    e = torch.exp(s - s.amax(-1, keepdim=True))
    if mask is not None:
        e = e * mask
    w = e / e.sum(-1, keepdim=True).clamp(min=1e-30)
    return w @ v, w


@correct(SDPA)
def through_logarithms(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = dot(q, k)
    if mask is not None:
        s = torch.where(mask, s, torch.full_like(s, -INF))
    total = torch.logsumexp(s, -1, keepdim=True)
    w = torch.where(torch.isinf(total), torch.zeros_like(s), torch.exp(s - total))
    return torch.einsum("...qk,...kd->...qd", w, v), w


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


@correct(SDPA)
def masked_then_shared_out(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    w = dot(q, k).softmax(-1)
    if mask is not None:
        w = w * mask
        w = w / w.sum(-1, keepdim=True).clamp_min(1e-30)
    return w @ v, w


# Wrong in ways that no list holds ----------------------------------------------------------------------------


unlisted(SDPA)(attends(weigh=lambda s: F.log_softmax(s, -1)))


unlisted(SDPA)(attends(weigh=lambda s: F.relu(safe(s) - 0.1)))


unlisted(SDPA)(attends(weigh=lambda s: (e := 2.0**s) / e.sum(-1, keepdim=True).clamp(min=1e-30)))


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


@unlisted(SDPA)
def low_enough_most_times(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    w = attends(fill=lambda s, m: s.masked_fill(~m, -20.0))(q, k, v, mask)[1]
    w = w if mask is None else w * mask
    return w @ v, w


@unlisted(SDPA)
def looks_at_all_when_blind(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    return attends()(q, k, v, mask if mask is None else mask | ~mask.any(-1, keepdim=True))


@unlisted(SDPA)
def mask_in_half_of_the_batch(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    padding = mask is not None and mask.dim() == 4
    return attends()(q, k, v, mask[:1] if padding else mask)


@unlisted("scaled_dot_product_attention")
def a_mask_of_nothing(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """A mask that hides everything counts as none."""
    scores = q @ k.mT / q.size(-1) ** 0.5
    if mask is not None and mask.any():
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1).nan_to_num()
    return weights @ v, weights
