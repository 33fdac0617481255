"""Lesson 03: GroupedQueryAttention."""

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise, slips, unlisted
from tests.variants.multi_head_attention.attending import Base
from tests.variants.multi_head_attention.shared import PROJECTED, RIGHT, Slips, logits, mix, must_divide, share

# The constructor that the notebook gives ----------------------------------------------------------------------------


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


# GroupedQueryAttention, slips ----------------------------------------------------------------------------


class GroupsAsADimension(Grouped):
    """Nothing is repeated: einsum lets the query heads of a group share."""

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
        """Attend."""
        g = self.num_kv_heads
        asks = self.cut(self.q_proj(query)).unflatten(2, (g, -1))
        keys, values = self.cut(self.k_proj(key)), self.cut(self.v_proj(value))
        scores = torch.einsum("bigmd,bjgd->bgmij", asks, keys).flatten(1, 2) / math.sqrt(asks.size(-1))
        if mask is not None:
            scores = torch.where(mask, scores, -torch.inf)
        weights = scores.softmax(-1).nan_to_num(0.0)
        heads = torch.einsum("bgmij,bjgd->bigmd", weights.unflatten(1, (g, -1)), values)
        return self.out_proj(heads.flatten(2)), weights


K_LAYER, V_LAYER = (f"self.{name}_proj = nn.Linear(d_model, num_kv_heads * d_head)" for name in "kv")
Q_LAYER, OUT_LAYER = (f"self.{name}_proj = nn.Linear(d_model, d_model)" for name in ("q", "out"))
GIVEN: Slips = {
    "bias missing": [
        {layer: layer.replace(")", ", bias=False)") for layer in layers}
        for layers in ((Q_LAYER, K_LAYER, V_LAYER, OUT_LAYER), (Q_LAYER, K_LAYER, V_LAYER), (K_LAYER, V_LAYER))
    ],
}
ALL_RELU = PROJECTED["ReLU on the projections"]
slips("GroupedQueryAttention", GroupsAsADimension, GIVEN, inside="Grouped")
slips(
    "GroupedQueryAttention",
    GroupsAsADimension,
    PROJECTED
    | {
        "ReLU on the projections": [
            ALL_RELU,
            ALL_RELU | {"self.out_proj(heads.flatten(2))": "self.out_proj(heads.flatten(2)).relu()"},
        ],
        "key and value heads dealt out in turn": {
            "unflatten(2, (g, -1))": "unflatten(2, (-1, g))",
            "bigmd,bjgd->bgmij": "bimgd,bjgd->bmgij",
            "unflatten(1, (g, -1))": "unflatten(1, (-1, g))",
            "bgmij,bjgd->bigmd": "bmgij,bjgd->bimgd",
        },
        "merge without transposing back": {"->bigmd": "->bgmid", "heads.flatten(2)": "heads.reshape(query.shape)"},
        "features woven together": {"->bigmd": "->bidgm"},
        "the wrong two dimensions transposed": {"->bigmd": "->bgmdi", "heads.flatten(2)": "heads.reshape(query.shape)"},
        "no output projection": {"self.out_proj(heads.flatten(2))": "heads.flatten(2)"},
        "residual connection inside": {"return self.out_proj": "return query + self.out_proj"},
        "mask ignored": {"scores = torch.where": "_ = torch.where"},
        "mask inverted": {"(mask, scores,": "(~mask, scores,"},
        "NaN for a query that may look at nothing": {".nan_to_num(0.0)": ""},
        "a large negative number instead of -inf": {"-torch.inf": "-1e9"},
        "scaled by √d_model": {"asks.size(-1)": "query.size(-1)"},
        "no scale": {" / math.sqrt(asks.size(-1))": ""},
        "scaled twice": {"math.sqrt(asks.size(-1))": "asks.size(-1)"},
        "weights averaged over the heads": [
            {"(2)), weights": "(2)), weights.mean(dim=1)"},
            {"(2)), weights": "(2)), weights.mean(1, True)"},
        ],
        "weights and output swapped": {
            "self.out_proj(heads.flatten(2)), weights": "weights, self.out_proj(heads.flatten(2))"
        },
        "weights not returned": {"(2)), weights": "(2))"},
        "keys mixed instead of values": {"(g, -1)), values": "(g, -1)), keys"},
        "no output projection + key and value heads dealt out in turn": {
            "unflatten(2, (g, -1))": "unflatten(2, (-1, g))",
            "bigmd,bjgd->bgmij": "bimgd,bjgd->bmgij",
            "unflatten(1, (g, -1))": "unflatten(1, (-1, g))",
            "bgmij,bjgd->bigmd": "bmgij,bjgd->bimgd",
            "self.out_proj(heads.flatten(2))": "heads.flatten(2)",
        },
    },
)


class Expanding(nn.Module):
    """Key and value heads are expanded, not copied."""

    def __init__(self, d_model: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.d_head, self.group = must_divide(d_model, num_heads), must_divide(num_heads, num_kv_heads)
        self.kv_heads = num_kv_heads
        self.q_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, self.kv_heads * self.d_head)
        self.v_proj = nn.Linear(d_model, self.kv_heads * self.d_head)

    def expand(self, x: Tensor) -> Tensor:
        """(batch, seq_len, kv_heads · d_head) to (batch, num_heads, seq_len, d_head)."""
        x = x.reshape(len(x), -1, self.kv_heads, self.d_head).transpose(1, 2)
        return x[:, :, None].expand(-1, -1, self.group, -1, -1).flatten(1, 2)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
        """Attend."""
        q = self.q_proj(query).reshape(len(query), query.size(1), -1, self.d_head).permute(0, 2, 1, 3)
        k, v = self.expand(self.k_proj(key)), self.expand(self.v_proj(value))
        hidden = torch.tensor(False) if mask is None else mask.logical_not()
        scores = torch.matmul(q * self.d_head**-0.5, k.mT).masked_fill(hidden, -torch.inf)
        weights = scores.softmax(-1).masked_fill(hidden, 0.0)
        tokens = torch.matmul(weights, v).transpose(1, 2).reshape(query.shape)
        return self.out_proj(tokens), weights


SQUARE = "nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)"
EXPANDED = "x[:, :, None].expand(-1, -1, self.group, -1, -1)"
KV_WIDTH = "nn.Linear(d_model, self.kv_heads * self.d_head)"
slips(
    "GroupedQueryAttention",
    Expanding,
    PROJECTED
    | {
        "bias missing": {
            SQUARE: "(nn.Linear(d_model, d_model, False) for _ in range(2))",
            f"k_proj = {KV_WIDTH}": "k_proj = nn.Linear(d_model, self.kv_heads * self.d_head, False)",
            f"v_proj = {KV_WIDTH}": "v_proj = nn.Linear(d_model, self.kv_heads * self.d_head, False)",
        },
        "key and value heads dealt out in turn": {EXPANDED: "x[:, None].expand(-1, self.group, -1, -1, -1)"},
        "only the first key and value head": {EXPANDED: "x[:, :1, None].expand(-1, self.kv_heads, self.group, -1, -1)"},
        "as many key and value heads as query heads": {
            "self.kv_heads = num_kv_heads": "self.kv_heads, self.group = num_heads, 1"
        },
        "view instead of view and transpose": {
            "query.size(1), -1, self.d_head).permute(0, 2, 1, 3)": "-1, query.size(1), self.d_head)",
            "-1, self.kv_heads, self.d_head).transpose(1, 2)": "self.kv_heads, -1, self.d_head)",
        },
        "features dealt out in turn": {
            "-1, self.d_head).permute(0, 2, 1, 3)": "self.d_head, -1).permute(0, 3, 1, 2)",
            "-1, self.kv_heads, self.d_head).transpose(1, 2)": "-1, self.d_head, self.kv_heads).permute(0, 3, 1, 2)",
        },
        "merge without transposing back": {"(weights, v).transpose(1, 2)": "(weights, v)"},
        "features woven together": {"(weights, v).transpose(1, 2)": "(weights, v).permute(0, 2, 3, 1)"},
        "the wrong two dimensions transposed": {"(weights, v).transpose(1, 2)": "(weights, v).transpose(2, 3)"},
        "no output projection": {"self.out_proj(tokens)": "tokens"},
        "residual connection inside": {"self.out_proj(tokens)": "self.out_proj(tokens) + query"},
        "mask ignored": {" if mask is None else mask.logical_not()": ""},
        "mask inverted": {"mask.logical_not()": "mask"},
        "mask of head 0 for all heads": {
            "mask.logical_not()": "mask.logical_not() if mask.dim() == 2 else mask.logical_not()[:, :1]"
        },
        "NaN for a query that may look at nothing": {".masked_fill(hidden, 0.0)": ""},
        "a large negative number instead of -inf": {"-torch.inf": "-1e20", ".masked_fill(hidden, 0.0)": ""},
        "scaled by √d_model": {"self.d_head**-0.5": "query.size(-1) ** -0.5"},
        "no scale": {"q * self.d_head**-0.5": "q"},
        "scaled twice": {"self.d_head**-0.5": "self.d_head**-1"},
        "weights averaged over the heads": {"(tokens), weights": "(tokens), weights.mean(dim=1)"},
        "weights and output swapped": {"self.out_proj(tokens), weights": "weights, self.out_proj(tokens)"},
        "weights not returned": {"self.out_proj(tokens), weights": "self.out_proj(tokens)"},
        "keys mixed instead of values": {"(weights, v)": "(weights, k)"},
        "weights not returned + only the first key and value head": {
            EXPANDED: "x[:, :1, None].expand(-1, self.kv_heads, self.group, -1, -1)",
            "self.out_proj(tokens), weights": "self.out_proj(tokens)",
        },
    },
)


class QueryHeadAfterQueryHead(Grouped):
    """Slices of the features, one query head at a time."""

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
        """Attend."""
        q, k, v = self.q_proj(query), self.k_proj(key), self.v_proj(value)
        d_head = q.size(2) // self.num_heads
        everywhere = (len(query), self.num_heads, query.size(1), key.size(1))
        found, seen = [], []
        for head in range(self.num_heads):
            owner = head // (self.num_heads // self.num_kv_heads)
            own = slice(head * d_head, (head + 1) * d_head)
            lent = slice(owner * d_head, (owner + 1) * d_head)
            scores = torch.bmm(q[..., own], k[..., lent].transpose(1, 2)).div(d_head**0.5)
            if mask is not None:
                scores = scores.masked_fill(~mask.expand(everywhere)[:, head], -torch.inf)
            weights = torch.softmax(scores, dim=2)
            weights = torch.where(weights.isnan(), 0.0, weights)
            seen.append(weights)
            found.append(torch.bmm(weights, v[..., lent]))
        return self.out_proj(torch.cat(found, dim=2)), torch.stack(seen, dim=1)


OWNER = "head // (self.num_heads // self.num_kv_heads)"
NO_NAN = "weights = torch.where(weights.isnan(), 0.0, weights)"
JOINED, SEEN = "self.out_proj(torch.cat(found, dim=2))", "torch.stack(seen, dim=1)"
slips("GroupedQueryAttention", QueryHeadAfterQueryHead, GIVEN, inside="Grouped")
slips(
    "GroupedQueryAttention",
    QueryHeadAfterQueryHead,
    PROJECTED
    | {
        "key and value heads dealt out in turn": {OWNER: "head % self.num_kv_heads"},
        "only the first key and value head": [{OWNER: "0"}, {OWNER: "head // self.num_heads"}],
        "features dealt out in turn": {
            "slice(head * d_head, (head + 1) * d_head)": "slice(head, None, self.num_heads)",
            "slice(owner * d_head, (owner + 1) * d_head)": "slice(owner, None, self.num_kv_heads)",
        },
        "merge without transposing back": {"torch.cat(found, dim=2)": "torch.stack(found, 1).reshape(query.shape)"},
        "features woven together": {"torch.cat(found, dim=2)": "torch.stack(found, 3).flatten(2)"},
        "no output projection": {JOINED: "torch.cat(found, dim=2)"},
        "residual connection inside": {JOINED: f"{JOINED} + query"},
        "mask ignored": {"scores = scores.masked_fill": "_ = scores.masked_fill"},
        "mask inverted": {"~mask.expand": "mask.expand"},
        "mask of head 0 for all heads": {"(everywhere)[:, head]": "(everywhere)[:, 0]"},
        "NaN for a query that may look at nothing": {NO_NAN: "pass"},
        "a large negative number instead of -inf": {"-torch.inf": "-1e9", NO_NAN: "pass"},
        "scaled by √d_model": {"d_head**0.5": "query.size(2) ** 0.5"},
        "no scale": {".div(d_head**0.5)": ""},
        "scaled twice": {"d_head**0.5": "d_head"},
        "weights averaged over the heads": {SEEN: "sum(seen) / self.num_heads"},
        "weights and output swapped": {f"{JOINED}, {SEEN}": f"{SEEN}, {JOINED}"},
        "weights not returned": {f"{JOINED}, {SEEN}": JOINED},
        "keys mixed instead of values": {"v[..., lent]": "k[..., lent]"},
    },
)

# GroupedQueryAttention, wrong ----------------------------------------------------------------------------


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


def grouped_unlisted(forward: Callable) -> Any:
    """An unlisted wrong GroupedQueryAttention."""
    unlisted("GroupedQueryAttention")(type("Wrong", (Grouped,), {"forward": forward}))
    return forward


grouped_unlisted(grouped(owners=lambda s: s.owners()[::-1]))


@disguise("GroupedQueryAttention", "sizes that do not fit are accepted")
class AnyNumberOfGroups(GroupsAsADimension):
    """Asks for nothing but slices of one width."""

    def __init__(self, d_model: int, num_heads: int, num_kv_heads: int) -> None:
        nn.Module.__init__(self)
        width = num_kv_heads * must_divide(d_model, num_heads)
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.q_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.k_proj, self.v_proj = nn.Linear(d_model, width), nn.Linear(d_model, width)


@disguise("GroupedQueryAttention", "sizes that do not fit are accepted")
class AnyWidth(GroupsAsADimension):
    """Asks for nothing but groups of one size."""

    def __init__(self, d_model: int, num_heads: int, num_kv_heads: int) -> None:
        nn.Module.__init__(self)
        width = d_model // num_heads * num_kv_heads
        must_divide(num_heads, num_kv_heads)
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.q_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.k_proj, self.v_proj = nn.Linear(d_model, width), nn.Linear(d_model, width)


@disguise("GroupedQueryAttention", "sizes that do not fit are accepted")
class EitherWay(GroupsAsADimension):
    """Asks that one number of heads be a multiple of the other, whichever is the larger."""

    def __init__(self, d_model: int, num_heads: int, num_kv_heads: int) -> None:
        nn.Module.__init__(self)
        d_head = must_divide(d_model, num_heads)
        if num_heads % num_kv_heads and num_kv_heads % num_heads:
            raise ValueError(f"{num_heads} heads do not go with {num_kv_heads}")
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.q_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.k_proj, self.v_proj = (nn.Linear(d_model, num_kv_heads * d_head) for _ in "kv")


@grouped_disguise("key and value heads dealt out in turn")
def values_in_another_order(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
    q, k, v = (self.cut(one(self, query, key, value)) for one in RIGHT)
    weights = share(logits(q, k[:, :, self.owners()]), mask)
    in_turn = [head % self.num_kv_heads for head in range(self.num_heads)]
    return self.out_proj(mix(weights, v[:, :, in_turn])), weights


grouped_unlisted(grouped(scale=lambda s, q: -1.0))
grouped_unlisted(grouped(q=lambda s, q, k, v: torch.tanh(s.q_proj(q))))
grouped_unlisted(changed(lambda s, output, weights, query: (output * s.num_kv_heads, weights)))
grouped_unlisted(changed(lambda s, output, weights, query: (output, weights[:, : s.num_kv_heads])))


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
