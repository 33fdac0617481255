"""Lesson 03: MultiHeadAttention."""

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise, slips, unlisted
from tests.variants.multi_head_attention.shared import (
    KEY,
    PROJECTED,
    QUERY,
    RIGHT,
    VALUE,
    Slips,
    logits,
    mix,
    must_divide,
    share,
)

# MultiHeadAttention, slips ----------------------------------------------------------------------------

LAYERS = [f"self.{name}_proj = nn.Linear(d_model, d_model)" for name in ("q", "k", "v", "out")]


def unbiased(*layers: str) -> dict[str, str]:
    """These linear layers without bias."""
    return {one: one.removesuffix(")") + ", bias=False)" for one in layers}


CONSTRUCTED: Slips = {
    "bias missing": [unbiased(*LAYERS), unbiased(*LAYERS[:3]), unbiased(LAYERS[3])],
    "sizes that do not fit are accepted": {"must_divide(d_model, num_heads)": "d_model // num_heads"},
    "one projection for several": {
        LAYERS[1]: "self.k_proj = self.q_proj",
        LAYERS[2]: "self.v_proj = self.q_proj",
    },
}
PROJECTED_OR_NOT: Slips = PROJECTED | {
    "one projection for several": [
        {KEY: "self.q_proj(key)", VALUE: "self.q_proj(value)"},
        {KEY: "self.q_proj(key)"},
        {VALUE: "self.k_proj(value)"},
    ],
    "ReLU on the projections": [
        PROJECTED["ReLU on the projections"],
        {QUERY: "self.q_proj(query).relu()", KEY: "self.k_proj(key).relu()"},
        {VALUE: "F.relu(self.v_proj(value))"},
    ],
    "a projection left out": [
        {QUERY: "query", KEY: "key", VALUE: "value"},
        {QUERY: "query"},
        {KEY: "key"},
        {VALUE: "value"},
        {QUERY: "query", KEY: "key"},
    ],
}


class Permuting(nn.Module):
    """Other names, a functional dropout, keys that are transposed at once."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.width = must_divide(d_model, num_heads)
        self.heads, self.p = num_heads, dropout
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
        """Attend."""
        asked = self.q_proj(query).view(len(query), -1, self.heads, self.width).permute(0, 2, 1, 3)
        offered = self.k_proj(key).view(len(key), -1, self.heads, self.width).permute(0, 2, 3, 1)
        taken = self.v_proj(value).view(len(value), -1, self.heads, self.width).permute(0, 2, 1, 3)
        scores = torch.matmul(asked, offered) / math.sqrt(asked.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -torch.inf)
        shares = F.softmax(scores, dim=-1).nan_to_num()
        kept = F.dropout(shares, self.p, self.training)
        found = torch.matmul(kept, taken).permute(0, 2, 1, 3).contiguous()
        return self.out_proj(found.view(len(query), -1, self.heads * self.width)), shares


ASKED, OFFERED, TAKEN = (f"view(len({one}), -1, self.heads, self.width)" for one in ("query", "key", "value"))
FIRST, LAST = "permute(0, 2, 1, 3)", "permute(0, 2, 3, 1)"
FOUND = "torch.matmul(kept, taken)"
BACK = f"{FOUND}.permute(0, 2, 1, 3)"
ANSWER = "self.out_proj(found.view(len(query), -1, self.heads * self.width))"
slips("MultiHeadAttention", Permuting, CONSTRUCTED)
slips(
    "MultiHeadAttention",
    Permuting,
    PROJECTED_OR_NOT
    | {
        "view instead of view and transpose": {
            f"{ASKED}.{FIRST}": "view(len(query), self.heads, -1, self.width)",
            f"{OFFERED}.{LAST}": "view(len(key), self.heads, -1, self.width).mT",
            f"{TAKEN}.{FIRST}": "view(len(value), self.heads, -1, self.width)",
        },
        "features dealt out in turn": {
            f"{ASKED}.{FIRST}": "view(len(query), -1, self.width, self.heads).permute(0, 3, 1, 2)",
            f"{OFFERED}.{LAST}": "view(len(key), -1, self.width, self.heads).permute(0, 3, 2, 1)",
            f"{TAKEN}.{FIRST}": "view(len(value), -1, self.width, self.heads).permute(0, 3, 1, 2)",
        },
        "num_heads and d_head exchanged": {
            one: one.replace("self.heads, self.width", "self.width, self.heads") for one in (ASKED, OFFERED, TAKEN)
        },
        "merge without transposing back": {BACK: FOUND},
        "features woven together": {BACK: f"{FOUND}.permute(0, 2, 3, 1)"},
        "the wrong two dimensions transposed": {BACK: f"{FOUND}.permute(0, 1, 3, 2)"},
        "no output projection": {ANSWER: ANSWER.removeprefix("self.out_proj")},
        "only for equal lengths": {one: "view(*query.shape[:2], self.heads, self.width)" for one in (OFFERED, TAKEN)},
        "residual connection inside": {ANSWER: f"query + {ANSWER}"},
        "mask ignored": {"scores = scores.masked_fill": "scores.masked_fill"},
        "mask inverted": {"mask == 0": "mask"},
        "NaN for a query that may look at nothing": {".nan_to_num()": ""},
        "a large negative number instead of -inf": {"-torch.inf": "-1e9"},
        "scaled by √d_model": {"math.sqrt(asked.size(-1))": "math.sqrt(query.size(-1))"},
        "no scale": {" / math.sqrt(asked.size(-1))": ""},
        "scaled twice": {"math.sqrt(asked.size(-1))": "asked.size(-1)"},
        "softmax over the queries": {"dim=-1": "dim=-2"},
        "softmax over the heads": {"dim=-1": "dim=1"},
        "heads attend to each other": {
            f"{ASKED}.{FIRST}": ASKED,
            f"{OFFERED}.{LAST}": f"{OFFERED}.permute(0, 1, 3, 2)",
            f"{TAKEN}.{FIRST}": TAKEN,
            BACK: FOUND,
        },
        "one head only": {
            "self.heads, self.p = num_heads, dropout": "self.heads, self.width, self.p = 1, d_model, dropout"
        },
        "dropout in evaluation": [
            {"F.dropout(shares, self.p, self.training)": "F.dropout(shares, self.p)"},
            {"F.dropout(shares, self.p, self.training)": "nn.Dropout(self.p)(shares)"},
        ],
        "weights returned after dropout": [{")), shares": ")), kept"}, {"kept = F": "shares = F", "(kept": "(shares"}],
        "dropout on the returned weights alone": {"(kept": "(shares", ")), shares": ")), kept"},
        "no dropout": {"(kept": "(shares"},
        "dropout before the softmax": {
            "F.softmax(scores,": "F.softmax(F.dropout(scores, self.p, self.training),",
            "(kept": "(shares",
        },
        "dropout on the heads": {FOUND: "F.dropout(torch.matmul(shares, taken), self.p, self.training)"},
        "dropout on the output": {
            "(kept": "(shares",
            ANSWER: f"F.dropout({ANSWER}, self.p, self.training)",
        },
        "weights averaged over the heads": [
            {")), shares": ")), shares.mean(dim=1)"},
            {")), shares": ")), shares.mean(1, True)"},
        ],
        "weights and output swapped": {f"{ANSWER}, shares": f"shares, {ANSWER}"},
        "weights not returned": {f"{ANSWER}, shares": ANSWER},
        "keys mixed instead of values": {FOUND: "torch.matmul(kept, offered.mT)"},
        "mask inverted + weights averaged over the heads": {"mask == 0": "mask", ")), shares": ")), shares.mean(1)"},
        "no output projection + no dropout": {"(kept": "(shares", ANSWER: ANSWER.removeprefix("self.out_proj")},
    },
)


class HeadAfterHead(nn.Module):
    """A loop over slices of the features."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.num_heads, self.d_head = num_heads, must_divide(d_model, num_heads)
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
        """Attend."""
        queries, keys, values = self.q_proj(query), self.k_proj(key), self.v_proj(value)
        everywhere = (query.size(0), self.num_heads, query.size(1), key.size(1))
        found, seen = [], []
        for head in range(self.num_heads):
            own = slice(head * self.d_head, (head + 1) * self.d_head)
            scores = torch.bmm(queries[..., own], keys[..., own].mT) * self.d_head**-0.5
            if mask is not None:
                allowed = mask.expand(everywhere)[:, head]
                scores = torch.where(allowed, scores, -torch.inf)
            weights = torch.nan_to_num(scores.softmax(dim=2), nan=0.0)
            seen.append(weights)
            found.append(torch.bmm(self.dropout(weights), values[..., own]))
        return self.out_proj(torch.cat(found, dim=2)), torch.stack(seen, dim=1)


SOFTMAX = "torch.nan_to_num(scores.softmax(dim=2), nan=0.0)"
MIXED = "torch.bmm(self.dropout(weights), values[..., own])"
JOINED, SEEN = "self.out_proj(torch.cat(found, dim=2))", "torch.stack(seen, dim=1)"
slips("MultiHeadAttention", HeadAfterHead, CONSTRUCTED)
slips(
    "MultiHeadAttention",
    HeadAfterHead,
    PROJECTED_OR_NOT
    | {
        "features dealt out in turn": {
            "slice(head * self.d_head, (head + 1) * self.d_head)": "slice(head, None, self.num_heads)"
        },
        "merge without transposing back": {"torch.cat(found, dim=2)": "torch.stack(found, dim=1).reshape(query.shape)"},
        "features woven together": {"torch.cat(found, dim=2)": "torch.stack(found, dim=-1).flatten(2)"},
        "no output projection": {JOINED: "torch.cat(found, dim=2)"},
        "residual connection inside": {JOINED: f"query + {JOINED}"},
        "mask ignored": {"scores = torch.where": "_ = torch.where"},
        "mask inverted": {"torch.where(allowed, scores, -torch.inf)": "torch.where(allowed, -torch.inf, scores)"},
        "mask not broadcast over the heads": {"if mask is not None:": "if mask is not None and head == 0:"},
        "mask of head 0 for all heads": {"(everywhere)[:, head]": "(everywhere)[:, 0]"},
        "NaN for a query that may look at nothing": {SOFTMAX: "scores.softmax(dim=2)"},
        "a large negative number instead of -inf": {"-torch.inf": "-1e20"},
        "scaled by √d_model": {"self.d_head**-0.5": "query.size(-1) ** -0.5"},
        "no scale": {" * self.d_head**-0.5": ""},
        "scaled twice": {"self.d_head**-0.5": "self.d_head**-1"},
        "softmax over the queries": {"softmax(dim=2)": "softmax(dim=1)"},
        "dropout in evaluation": {"self.dropout(weights)": "F.dropout(weights, self.dropout.p)"},
        "weights returned after dropout": {SOFTMAX: f"self.dropout({SOFTMAX})", "self.dropout(weights)": "weights"},
        "no dropout": {"self.dropout(weights)": "weights"},
        "dropout before the softmax": {
            "scores.softmax": "self.dropout(scores).softmax",
            "self.dropout(weights)": "weights",
        },
        "dropout on the heads": {MIXED: "self.dropout(torch.bmm(weights, values[..., own]))"},
        "dropout on the output": {"self.dropout(weights)": "weights", JOINED: f"self.dropout({JOINED})"},
        "weights averaged over the heads": {SEEN: "sum(seen) / self.num_heads"},
        "weights and output swapped": {f"{JOINED}, {SEEN}": f"{SEEN}, {JOINED}"},
        "weights not returned": {f"{JOINED}, {SEEN}": JOINED},
        "keys mixed instead of values": {"values[..., own]": "keys[..., own]"},
        "mask of head 0 for all heads + weights averaged over the heads": {
            "(everywhere)[:, head]": "(everywhere)[:, 0]",
            SEEN: "torch.stack(seen).mean(0)",
        },
    },
)


class FoldedIntoTheBatch(nn.Module):
    """As torch does it inside: heads and batch are one dimension."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        must_divide(d_model, num_heads)
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def fold(self, x: Tensor) -> Tensor:
        """(batch, seq_len, d_model) to (batch · num_heads, seq_len, d_head)."""
        batch, length, _ = x.shape
        return x.reshape(batch, length, self.num_heads, -1).transpose(1, 2).reshape(batch * self.num_heads, length, -1)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
        """Attend."""
        q, k, v = self.fold(self.q_proj(query)), self.fold(self.k_proj(key)), self.fold(self.v_proj(value))
        full = (len(query), self.num_heads, query.size(1), key.size(1))
        seen = torch.ones(full, dtype=torch.bool) if mask is None else mask.expand(full)
        hidden = seen.reshape(-1, *full[2:]).logical_not()
        scores = torch.bmm(q / math.sqrt(q.size(2)), k.mT).masked_fill(hidden, float("-inf"))
        weights = torch.softmax(scores, 2).masked_fill(hidden, 0.0)
        heads = torch.bmm(self.dropout(weights), v).reshape(*full[:3], -1)
        tokens = heads.permute(0, 2, 1, 3).reshape(query.shape)
        return F.linear(tokens, self.out_proj.weight, self.out_proj.bias), weights.reshape(full)


FOLD = "reshape(batch, length, self.num_heads, -1).transpose(1, 2)"
PROJECT_OUT = "F.linear(tokens, self.out_proj.weight, self.out_proj.bias)"
TWICE = ".masked_fill(hidden, 0.0)"
slips("MultiHeadAttention", FoldedIntoTheBatch, CONSTRUCTED)
slips(
    "MultiHeadAttention",
    FoldedIntoTheBatch,
    PROJECTED_OR_NOT
    | {
        "key and value made from the query": [],  # as sizes come from `key`, this works for equal lengths alone
        "view instead of view and transpose": {f"x.{FOLD}": "x"},
        "features dealt out in turn": {FOLD: "reshape(batch, length, -1, self.num_heads).permute(0, 3, 1, 2)"},
        "merge without transposing back": {"heads.permute(0, 2, 1, 3)": "heads"},
        "features woven together": {"(0, 2, 1, 3)": "(0, 2, 3, 1)"},
        "the wrong two dimensions transposed": {"heads.permute(0, 2, 1, 3)": "heads.transpose(2, 3)"},
        "no output projection": {PROJECT_OUT: "tokens"},
        "biases not added": [PROJECTED["biases not added"], {", self.out_proj.bias)": ")"}],
        "residual connection inside": {PROJECT_OUT: f"{PROJECT_OUT} + query"},
        "mask ignored": {" if mask is None else mask.expand(full)": ""},
        "mask inverted": {"mask.expand(full)": "~mask.expand(full)"},
        "mask copied in the wrong order": {
            "mask.expand(full)": "mask.expand(full[0], 1, *full[2:]).repeat(self.num_heads, 1, 1, 1)"
        },
        "NaN for a query that may look at nothing": {TWICE: ""},
        "a large negative number instead of -inf": {'float("-inf")': "-1e9", TWICE: ""},
        "scaled by √d_model": {"math.sqrt(q.size(2))": "math.sqrt(query.size(2))"},
        "no scale": {"q / math.sqrt(q.size(2))": "q"},
        "scaled twice": {"math.sqrt(q.size(2))": "q.size(2)"},
        "softmax over the queries": {"torch.softmax(scores, 2)": "torch.softmax(scores, 1)"},
        "one head only": {"self.num_heads = num_heads": "self.num_heads = 1"},
        "dropout in evaluation": {"self.dropout(weights)": "F.dropout(weights, self.dropout.p)"},
        "weights returned after dropout": {
            TWICE: f"{TWICE}\n        weights = self.dropout(weights)",
            "(self.dropout(weights), v": "(weights, v",
        },
        "dropout on the returned weights alone": {
            "self.dropout(weights)": "weights",
            "weights.reshape(full)": "self.dropout(weights).reshape(full)",
        },
        "no dropout": {"self.dropout(weights)": "weights"},
        "dropout before the softmax": {
            "softmax(scores,": "softmax(self.dropout(scores),",
            "self.dropout(weights)": "weights",
        },
        "dropout on the heads": {"torch.bmm(self.dropout(weights), v)": "self.dropout(torch.bmm(weights, v))"},
        "dropout on the output": {"self.dropout(weights)": "weights", PROJECT_OUT: f"self.dropout({PROJECT_OUT})"},
        "weights averaged over the heads": {"weights.reshape(full)": "weights.reshape(full).mean(1)"},
        "weights and output swapped": {
            f"{PROJECT_OUT}, weights.reshape(full)": f"weights.reshape(full), {PROJECT_OUT}"
        },
        "weights not returned": {f"{PROJECT_OUT}, weights.reshape(full)": PROJECT_OUT},
        "keys mixed instead of values": {"self.dropout(weights), v)": "self.dropout(weights), k)"},
        "scaled by √d_model + weights averaged over the heads": {
            "math.sqrt(q.size(2))": "math.sqrt(query.size(2))",
            "weights.reshape(full)": "weights.reshape(full).mean(1)",
        },
    },
)


class InLetters(nn.Module):
    """Heads stay behind the tokens, and einsum finds them."""

    def __init__(self, embed_size: int, heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.embed_size, self.heads = embed_size, heads
        must_divide(embed_size, heads)
        self.head_dim = embed_size // heads
        self.q_proj, self.k_proj, self.v_proj = (nn.Linear(embed_size, embed_size) for _ in range(3))
        self.out_proj = nn.Linear(embed_size, embed_size)
        self.drop = nn.Dropout(dropout)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
        """Attend."""
        N, query_len, key_len = query.shape[0], query.shape[1], key.shape[1]
        queries = self.q_proj(query).reshape(N, query_len, self.heads, self.head_dim)
        keys = self.k_proj(key).reshape(N, key_len, self.heads, self.head_dim)
        values = self.v_proj(value).reshape(N, key_len, self.heads, self.head_dim)
        energy = torch.einsum("nqhd,nkhd->nhqk", [queries, keys]) / (self.head_dim ** (1 / 2))
        if mask is not None:
            energy = energy.masked_fill(mask == 0, float("-inf"))
        attention = torch.softmax(energy, dim=3)
        if mask is not None:
            attention = attention.masked_fill(mask == 0, 0)
        out = torch.einsum("nhql,nlhd->nqhd", [self.drop(attention), values])
        out = self.out_proj(out.reshape(N, query_len, self.heads * self.head_dim))
        return out, attention


HEADS = "self.heads, self.head_dim)"
LAST_LAYER = "self.out_proj = nn.Linear(embed_size, embed_size)"
HIDDEN = "attention = attention.masked_fill(mask == 0, 0)"
slips(
    "MultiHeadAttention",
    InLetters,
    PROJECTED_OR_NOT
    | {
        "key and value made from the query": [],  # as sizes come from `key`, this works for equal lengths alone
        "sizes that do not fit are accepted": {"must_divide(embed_size, heads)": "pass"},
        "bias missing": [
            {"nn.Linear(embed_size, embed_size) for": "nn.Linear(embed_size, embed_size, bias=False) for"},
            {LAST_LAYER: LAST_LAYER.replace(")", ", bias=False)")},
        ],
        "merge without transposing back": {"nlhd->nqhd": "nlhd->nhqd"},
        "features woven together": {"nlhd->nqhd": "nlhd->nqdh"},
        "the wrong two dimensions transposed": {"nlhd->nqhd": "nlhd->nhdq"},
        "no output projection": {"self.out_proj(out": "(out"},
        "biases not added": [
            PROJECTED["biases not added"],
            {"self.out_proj(out.reshape": "F.linear(weight=self.out_proj.weight, input=out.reshape"},
        ],
        "only for equal lengths": {
            f"self.k_proj(key).reshape(N, key_len, {HEADS}": f"self.k_proj(key).reshape(N, query_len, {HEADS}",
            f"self.v_proj(value).reshape(N, key_len, {HEADS}": f"self.v_proj(value).reshape(N, query_len, {HEADS}",
        },
        "residual connection inside": {"return out,": "return query + out,"},
        "mask ignored": {"energy = energy.masked_fill": "energy.masked_fill", HIDDEN: "pass"},
        "mask inverted": {
            "energy.masked_fill(mask == 0": "energy.masked_fill(mask",
            "attention.masked_fill(mask == 0": "attention.masked_fill(mask",
        },
        "NaN for a query that may look at nothing": {HIDDEN: "pass"},
        "a large negative number instead of -inf": {'float("-inf")': 'float("-1e20")', HIDDEN: "pass"},
        "scaled by √d_model": {"self.head_dim ** (1 / 2)": "self.embed_size ** (1 / 2)"},
        "no scale": {" / (self.head_dim ** (1 / 2))": ""},
        "scaled twice": {"self.head_dim ** (1 / 2)": "self.head_dim"},
        "softmax over the queries": {"dim=3": "dim=2"},
        "softmax over the heads": {"dim=3": "dim=1"},
        "one head only": {
            "self.heads = embed_size, heads": "self.heads = embed_size, 1",
            "embed_size // heads": "embed_size",
        },
        "dropout in evaluation": {"self.drop(attention)": "F.dropout(attention, self.drop.p)"},
        "weights returned after dropout": {"return out, attention": "return out, self.drop(attention)"},
        "dropout on the returned weights alone": {
            "self.drop(attention)": "attention",
            "return out, attention": "return out, self.drop(attention)",
        },
        "no dropout": {"self.drop(attention)": "attention"},
        "dropout before the softmax": {
            "softmax(energy,": "softmax(self.drop(energy),",
            "self.drop(attention)": "attention",
        },
        "dropout on the output": {"self.drop(attention)": "attention", "return out,": "return self.drop(out),"},
        "dropout on the heads": {
            "self.drop(attention)": "attention",
            "self.out_proj(out": "self.out_proj(self.drop(out)",
        },
        "weights averaged over the heads": {"out, attention": "out, attention.mean(dim=1)"},
        "weights and output swapped": {"return out, attention": "return attention, out"},
        "weights not returned": {"return out, attention": "return out"},
        "keys mixed instead of values": {"self.drop(attention), values": "self.drop(attention), keys"},
        "scaled by √d_model + no dropout": {
            "self.head_dim ** (1 / 2)": "self.embed_size ** (1 / 2)",
            "self.drop(attention)": "attention",
        },
        "a large negative number instead of -inf + scaled by √d_model": {
            'float("-inf")': 'float("-1e20")',
            HIDDEN: "pass",
            "self.head_dim ** (1 / 2)": "self.embed_size ** (1 / 2)",
        },
    },
)

# MultiHeadAttention, wrong ----------------------------------------------------------------------------


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


wrong("one projection for several", OneLayer)(from_parts(*RIGHT))
wrong("one projection for several", OnlyQuery)(
    from_parts(RIGHT[0], lambda s, q, k, v: s.q_proj(k), lambda s, q, k, v: s.q_proj(v))
)
wrong("key and value swapped")(from_parts(RIGHT[0], RIGHT[2], RIGHT[1]))
wrong("query and key swapped")(from_parts(lambda s, q, k, v: s.k_proj(q), lambda s, q, k, v: s.q_proj(k), RIGHT[2]))
wrong("key and value made from the query")(
    from_parts(RIGHT[0], lambda s, q, k, v: s.k_proj(q), lambda s, q, k, v: s.v_proj(q))
)
wrong("value made from the key")(from_parts(RIGHT[0], RIGHT[1], lambda s, q, k, v: s.v_proj(k)))
wrong("a projection left out")(from_parts(lambda s, q, k, v: q, lambda s, q, k, v: k, lambda s, q, k, v: v))
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


wrong("bias missing", Unbiased)(from_parts(*RIGHT))


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


@wrong("dropout on the returned weights alone")
def dropped_for_show(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    return self.out_proj(mix(weights, v)), self.dropout(weights)


@wrong("dropout without a factor")
def zeroed_by_hand(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(logits(q, k), mask)
    kept = weights.masked_fill(torch.rand(weights.shape) < self.dropout.p, 0) if self.training else weights
    return self.out_proj(mix(kept, v)), weights


@wrong("heads never split")
def one_attention(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.q_proj(query), self.k_proj(key), self.v_proj(value)
    scores = q @ k.mT / q.size(-1) ** 0.5
    weights = scores.softmax(-1) if mask is None else scores.where(mask, -torch.inf).softmax(-1).where(mask, 0)
    return self.out_proj(self.dropout(weights) @ v), weights


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


@wrong("dropout before the softmax")
def dropped_scores(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    weights = share(self.dropout(logits(q, k)), mask)
    return self.out_proj(mix(weights, v)), weights


@wrong("mask of head 0 for all heads")
def every_head_the_first_mask(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = self.qkv(query, key, value)
    first = mask if mask is None or mask.ndim == 2 else mask[:, 0]
    made = [share(q[:, :, h] @ k[:, :, h].mT / math.sqrt(q.size(-1)), first) for h in range(self.num_heads)]
    weights = torch.stack(made, 1)
    return self.out_proj(mix(self.dropout(weights), v)), weights


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


# MultiHeadAttention, right ----------------------------------------------------------------------------


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
