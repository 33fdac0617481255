"""Lesson 04: RotaryAttention."""

import functools
import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import disguise, slips
from tests.variants.positional_encoding.shared import Attending, Slips, module, must_be_even, must_divide

# RotaryAttention, slips ----------------------------------------------------------------------------


def spin(x: Tensor, at: Tensor) -> Tensor:
    """Neighbours turned by matrices; tokens stand in the last dimension but one."""
    d = x.shape[-1]
    angle = at[:, None] * 10000.0 ** (-torch.arange(0, d, 2) / d)
    matrix = torch.stack((angle.cos(), -angle.sin(), angle.sin(), angle.cos()), dim=-1).unflatten(-1, (2, 2))
    return (matrix.to(x.dtype) @ x.unflatten(-1, (-1, 2, 1))).flatten(-3)


QUERY, KEY, VALUE = "self.q_proj(query)", "self.k_proj(key)", "self.v_proj(value)"
PROJECTED: Slips = {
    "key and value swapped": [
        {KEY: "self.k_proj(value)", VALUE: "self.v_proj(key)"},
        {KEY: "self.v_proj(key)", VALUE: "self.k_proj(value)"},
    ],
    "value made from the key": {VALUE: "self.v_proj(key)"},
}
FROM_QUERY: Slips = {"key and value made from the query": {KEY: "self.k_proj(query)", VALUE: "self.v_proj(query)"}}


class AllHeadsAtOnce(nn.Module):
    """Heads in front of the tokens."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        must_divide(d_model, num_heads)
        must_be_even(d_model // num_heads)
        self.heads = num_heads
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            self.add_module(name, nn.Linear(d_model, d_model))

    def split(self, x: Tensor) -> Tensor:
        """(batch, num_heads, seq_len, d_head)."""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
        """Attend."""
        q, k, v = self.split(self.q_proj(query)), self.split(self.k_proj(key)), self.split(self.v_proj(value))
        q, k = spin(q, torch.arange(q.shape[2])), spin(k, torch.arange(k.shape[2]))
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        weights = torch.nan_to_num(scores.softmax(-1))
        return self.out_proj((weights @ v).transpose(1, 2).flatten(2)), weights


SPUN_Q, SPUN_K = "spin(q, torch.arange(q.shape[2]))", "spin(k, torch.arange(k.shape[2]))"
BOTH_SPUN = f"q, k = {SPUN_Q}, {SPUN_K}"
WHOLE_Q = "spin(self.q_proj(query), torch.arange(query.size(1)))"
WHOLE_K = "spin(self.k_proj(key), torch.arange(key.size(1)))"
JOINED = "self.out_proj((weights @ v).transpose(1, 2).flatten(2))"
slips(
    "RotaryAttention",
    AllHeadsAtOnce,
    PROJECTED
    | FROM_QUERY
    | {
        "values turned too": [
            {BOTH_SPUN: f"{BOTH_SPUN}\n        v = spin(v, torch.arange(v.shape[2]))"},
            {VALUE: "spin(self.v_proj(value), torch.arange(value.size(1)))"},
        ],
        "turned before the head split": {QUERY: WHOLE_Q, KEY: WHOLE_K, BOTH_SPUN: "pass"},
        "turned before the projection": {
            QUERY: "self.q_proj(spin(query, torch.arange(query.size(1))))",
            KEY: "self.k_proj(spin(key, torch.arange(key.size(1))))",
            BOTH_SPUN: "pass",
        },
        "only the queries turned": {SPUN_K: "k"},
        "only the keys turned": {SPUN_Q: "q"},
        "nothing turned": {BOTH_SPUN: "pass"},
        "queries and keys turned opposite ways": [
            {SPUN_K: "spin(k, -torch.arange(k.shape[2]))"},
            {SPUN_Q: "spin(q, -torch.arange(q.shape[2]))"},
        ],
        "keys counted like the queries": {"arange(k.shape[2])": "arange(q.shape[2])"},
        "positions taken from the heads": {
            "arange(q.shape[2])": "arange(q.shape[1])",
            "arange(k.shape[2])": "arange(k.shape[1])",
        },
        "queries placed at the end of the keys": {"arange(q.shape[2])": "arange(k.shape[2] - q.shape[2], k.shape[2])"},
        "queries counted like the keys": {"arange(q.shape[2])": "arange(k.shape[2])"},
        "queries and keys begin at different positions": [
            {"arange(q.shape[2])": "arange(1, q.shape[2] + 1)"},
            {"arange(k.shape[2])": "arange(1, k.shape[2] + 1)"},
        ],
        "keys counted from the end": {"arange(k.shape[2])": "arange(k.shape[2] - 1, -1, -1)"},
        "turned twice": {BOTH_SPUN: f"{BOTH_SPUN}\n        {BOTH_SPUN}"},
        "the output turned": {"(weights @ v)": "spin(weights @ v, torch.arange(q.shape[2]))"},
        "merged without the transpose": {".transpose(1, 2).flatten(2)": ".reshape(query.shape)"},
        "scaled twice": {"math.sqrt(q.shape[-1])": "q.shape[-1]"},
        "softmax over the queries": {"softmax(-1)": "softmax(-2)"},
        "softmax over the heads": {"softmax(-1)": "softmax(1)"},
        "scores returned, not weights": {f"{JOINED}, weights": f"{JOINED}, scores"},
        "weights and output swapped": {f"{JOINED}, weights": f"weights, {JOINED}"},
        "one projection for several": [{KEY: "self.q_proj(key)"}, {VALUE: "self.k_proj(value)"}],
        "a projection left out": [{VALUE: "value"}, {KEY: "key"}, {QUERY: "query"}],
        "key made from the query": {KEY: "self.k_proj(query)"},
        "no output projection": {JOINED: "(weights @ v).transpose(1, 2).flatten(2)"},
        "mask ignored": {"scores = scores.masked_fill": "scores.masked_fill"},
        "mask inverted": {"~mask": "mask"},
        "no scale": {" / math.sqrt(q.shape[-1])": ""},
        "scaled by √d_model": {"math.sqrt(q.shape[-1])": "math.sqrt(query.shape[-1])"},
        "weights averaged over the heads": {f"{JOINED}, weights": f"{JOINED}, weights.mean(dim=1)"},
        "weights not returned": {f"{JOINED}, weights": JOINED},
        "NaN for a query that may look at nothing": {"torch.nan_to_num(scores.softmax(-1))": "scores.softmax(-1)"},
        "a large negative number instead of -inf": {"-torch.inf": "-1e9"},
        "odd heads accepted": {
            "must_be_even(d_model // num_heads)": "pass",
            BOTH_SPUN: f"if q.shape[3] % 2 == 0:\n            {BOTH_SPUN}",
        },
        "sizes that do not fit are accepted": {"must_divide(d_model, num_heads)": "pass"},
        "only the queries turned + no output projection": {
            SPUN_K: "k",
            JOINED: "(weights @ v).transpose(1, 2).flatten(2)",
        },
        "values turned too + weights not returned": {
            VALUE: "spin(self.v_proj(value), torch.arange(value.size(1)))",
            f"{JOINED}, weights": JOINED,
        },
    },
)
slips(
    "RotaryAttention",
    AllHeadsAtOnce,
    {
        "turned the other way round": {"angle = at": "angle = -at"},
        "another base than 10000": {"10000.0": "1000.0"},
        "exponent doubled": {"(-torch": "(-2 * torch"},
        "exponent halved": {"torch.arange(0, d, 2)": "torch.arange(d // 2)"},
        "degrees": {"angle = at": "angle = torch.pi / 180 * at"},
        "one frequency for all pairs": {"2) / d": "2) * 0"},
        "a minus missing": {"-angle.sin()": "angle.sin()"},
    },
    inside="spin",
)


class HeadAfterHead(nn.Module):
    """A loop over slices of the features."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.width = must_divide(d_model, num_heads)
        must_be_even(self.width)
        self.num_heads = num_heads
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
        """Attend."""
        every_q, every_k, every_v = self.q_proj(query), self.k_proj(key), self.v_proj(value)
        asks, keys = torch.arange(query.shape[1]), torch.arange(key.shape[1])
        everywhere = (len(query), self.num_heads, len(asks), len(keys))
        found, seen = [], []
        for head in range(self.num_heads):
            own = slice(head * self.width, (head + 1) * self.width)
            q, k = spin(every_q[..., own], asks), spin(every_k[..., own], keys)
            scores = torch.bmm(q, k.transpose(1, 2)) * self.width**-0.5
            if mask is not None:
                allowed = mask.expand(everywhere)[:, head]
                scores = torch.where(allowed, scores, -torch.inf)
            seen.append(scores.softmax(dim=2).nan_to_num(0.0))
            found.append(torch.bmm(seen[-1], every_v[..., own]))
        return self.out_proj(torch.cat(found, dim=2)), torch.stack(seen, dim=1)


SLICED_Q, SLICED_K = "spin(every_q[..., own], asks)", "spin(every_k[..., own], keys)"
OUTPUT, SEEN = "self.out_proj(torch.cat(found, dim=2))", "torch.stack(seen, dim=1)"
NOT_SPUN = {SLICED_Q: "every_q[..., own]", SLICED_K: "every_k[..., own]"}
slips(
    "RotaryAttention",
    HeadAfterHead,
    PROJECTED
    | {
        "values turned too": {"every_v[..., own])": "spin(every_v[..., own], keys))"},
        "turned before the head split": NOT_SPUN
        | {"found, seen =": "every_q, every_k = spin(every_q, asks), spin(every_k, keys)\n        found, seen ="},
        "only the queries turned": {SLICED_K: "every_k[..., own]"},
        "only the keys turned": {SLICED_Q: "every_q[..., own]"},
        "nothing turned": NOT_SPUN,
        "queries and keys turned opposite ways": {SLICED_K: "spin(every_k[..., own], -keys)"},
        "keys counted like the queries": {SLICED_K: "spin(every_k[..., own], asks)"},
        "queries placed at the end of the keys": {SLICED_Q: "spin(every_q[..., own], keys[-len(asks) :])"},
        "no output projection": {OUTPUT: "torch.cat(found, dim=2)"},
        "mask ignored": {"scores = torch.where": "_ = torch.where"},
        "mask inverted": {"scores, -torch.inf": "-torch.inf, scores"},
        "no scale": {" * self.width**-0.5": ""},
        "scaled by √d_model": {"self.width**-0.5": "query.shape[2] ** -0.5"},
        "weights averaged over the heads": {SEEN: "sum(seen) / self.num_heads"},
        "weights not returned": {f"{OUTPUT}, {SEEN}": OUTPUT},
        "NaN for a query that may look at nothing": {".nan_to_num(0.0)": ""},
        "a large negative number instead of -inf": {"-torch.inf": "-1e20"},
        "sizes that do not fit are accepted": {"must_divide(d_model, num_heads)": "d_model // num_heads"},
    },
)


class HeadsBehindTokens(nn.Module):
    """Heads stay behind the tokens, where angles need a dimension for them."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        must_divide(d_model, num_heads)
        must_be_even(d_model // num_heads)
        self.shape = (num_heads, d_model // num_heads)
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))

    def turned(self, x: Tensor) -> Tensor:
        """(batch, seq_len, num_heads, d_head)."""
        d = x.size(-1)
        angle = torch.outer(torch.arange(x.size(1)), 10000 ** (-torch.arange(0, d, 2) / d)).unsqueeze(1)
        even, odd = x[..., 0::2], x[..., 1::2]
        new = (even * angle.cos() - odd * angle.sin(), odd * angle.cos() + even * angle.sin())
        return torch.stack(new, dim=-1).flatten(-2)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
        """Attend."""
        q = self.turned(self.q_proj(query).unflatten(-1, self.shape))
        k = self.turned(self.k_proj(key).unflatten(-1, self.shape))
        v = self.v_proj(value).unflatten(-1, self.shape)
        hidden = torch.tensor(False) if mask is None else mask.logical_not()
        scores = torch.einsum("bihd,bjhd->bhij", q, k).div(math.sqrt(q.size(-1)))
        weights = F.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1).masked_fill(hidden, 0.0)
        heads = torch.einsum("bhij,bjhd->bihd", weights, v)
        return self.out_proj(heads.flatten(2)), weights


CUT = "unflatten(-1, self.shape)"
TURNED_Q, TURNED_K = f"self.turned(self.q_proj(query).{CUT})", f"self.turned(self.k_proj(key).{CUT})"
ANSWER = "self.out_proj(heads.flatten(2)), weights"
slips(
    "RotaryAttention",
    HeadsBehindTokens,
    PROJECTED
    | FROM_QUERY
    | {
        "values turned too": {f"self.v_proj(value).{CUT}": f"self.turned(self.v_proj(value).{CUT})"},
        "turned before the projection": {
            TURNED_Q: f"self.q_proj(self.turned(query.unsqueeze(2)).squeeze(2)).{CUT}",
            TURNED_K: f"self.k_proj(self.turned(key.unsqueeze(2)).squeeze(2)).{CUT}",
        },
        "turned before the head split": {
            TURNED_Q: f"self.turned(self.q_proj(query).unsqueeze(2)).squeeze(2).{CUT}",
            TURNED_K: f"self.turned(self.k_proj(key).unsqueeze(2)).squeeze(2).{CUT}",
        },
        "only the queries turned": {TURNED_K: f"self.k_proj(key).{CUT}"},
        "only the keys turned": {TURNED_Q: f"self.q_proj(query).{CUT}"},
        "nothing turned": [
            {TURNED_Q: f"self.q_proj(query).{CUT}", TURNED_K: f"self.k_proj(key).{CUT}"},
            {"torch.arange(x.size(1))": "torch.arange(x.size(2))", "/ d)).unsqueeze(1)": "/ d))"},
        ],
        "half-split pairs": {
            "x[..., 0::2], x[..., 1::2]": "x.chunk(2, dim=-1)",
            "torch.stack(new, dim=-1).flatten(-2)": "torch.cat(new, -1)",
        },
        "turned the other way round": {"cos() - odd": "cos() + odd", "cos() + even": "cos() - even"},
        "a minus missing": {"cos() - odd": "cos() + odd"},
        "a minus too many": {"cos() + even": "cos() - even"},
        "added instead of turned": {
            "even * angle.cos() - odd * angle.sin()": "even + angle.sin()",
            "odd * angle.cos() + even * angle.sin()": "odd + angle.cos()",
        },
        "features not mixed within their pair": {" - odd * angle.sin()": "", " + even * angle.sin()": ""},
        "another base than 10000": {"10000": "1000"},
        "exponent doubled": {"(-torch": "(-2 * torch"},
        "exponent halved": {"torch.arange(0, d, 2)": "torch.arange(d // 2)"},
        "no output projection": {"self.out_proj(heads.flatten(2))": "heads.flatten(2)"},
        "mask ignored": {" if mask is None else mask.logical_not()": ""},
        "mask inverted": {"mask.logical_not()": "mask"},
        "no scale": {".div(math.sqrt(q.size(-1)))": ""},
        "scaled by √d_model": {"math.sqrt(q.size(-1))": "math.sqrt(query.size(-1))"},
        "weights averaged over the heads": {ANSWER: f"{ANSWER}.mean(1)"},
        "weights not returned": {ANSWER: "self.out_proj(heads.flatten(2))"},
        "NaN for a query that may look at nothing": {".masked_fill(hidden, 0.0)": ""},
        "a large negative number instead of -inf": {"-torch.inf": "-1e9", ".masked_fill(hidden, 0.0)": ""},
        "sizes that do not fit are accepted": {"must_divide(d_model, num_heads)": "pass"},
        "weights not returned + half-split pairs": {
            "x[..., 0::2], x[..., 1::2]": "x.chunk(2, dim=-1)",
            "torch.stack(new, dim=-1).flatten(-2)": "torch.cat(new, -1)",
            ANSWER: "self.out_proj(heads.flatten(2))",
        },
    },
)

# RotaryAttention, wrong ----------------------------------------------------------------------------


attending = functools.partial(module, Attending, "RotaryAttention")


def count(x: Tensor) -> Tensor:
    """The positions of (batch, num_heads, seq_len, d_head)."""
    return torch.arange(x.size(-2))


@attending("disguise", "values turned too")
def a1__parts(self: Any, query: Tensor, key: Tensor, value: Tensor) -> Any:
    v = self.cut(self.v_proj(value))
    return self.cut(self.q_proj(query)), self.cut(self.k_proj(key)), self.turn(v, count(v))


@disguise("RotaryAttention", "turned before the head split")
class AttendingWhole(Attending):
    """Turns all features, then splits."""

    def parts(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        q, k = self.q_proj(query), self.k_proj(key)
        q, k = self.turn(q, torch.arange(q.size(1))), self.turn(k, torch.arange(k.size(1)))
        return self.cut(q), self.cut(k), self.cut(self.v_proj(value))

    def place(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        return q, k


@disguise("RotaryAttention", "turned before the projection")
class AttendingEarly(Attending):
    """Turns the tokens."""

    def parts(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        q, k = self.turn(query, torch.arange(query.size(1))), self.turn(key, torch.arange(key.size(1)))
        return super().parts(q, k, value)

    def place(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        return q, k


@attending("disguise", "only the queries turned")
def a2__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return self.turn(q, count(q)), k


@attending("disguise", "only the keys turned")
def a3__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return q, self.turn(k, count(k))


@attending("disguise", "nothing turned")
def a4__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return q, k


@attending("disguise", "nothing turned")
def a5__place(self: Any, q: Tensor, k: Tensor) -> Any:
    q, k = (self.turn(one.transpose(1, 2), torch.arange(one.size(1))).transpose(1, 2) for one in (q, k))
    return q, k


@attending("disguise", "keys counted like the queries")
def a6__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return self.turn(q, count(q)), self.turn(k, count(q))


@attending("disguise", "positions taken from the heads")
def a7__place(self: Any, q: Tensor, k: Tensor) -> Any:
    at = torch.arange(self.num_heads)
    return self.turn(q, at), self.turn(k, at)


@attending("disguise", "queries placed at the end of the keys")
def a8__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return self.turn(q, count(q) + k.size(2) - q.size(2)), self.turn(k, count(k))


@attending("disguise", "no output projection")
def a9__back(self: Any, heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(2)


@attending("disguise", "mask ignored")
def a10__shares(self: Any, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
    return torch.softmax(q @ k.mT / q.size(-1) ** 0.5, -1)


@disguise("RotaryAttention", "the mask gets one dimension more")
class AttendingOneMore(Attending):
    """The heads are merged by somebody who names all four sizes."""

    def shares(self, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
        """A dimension for the heads, where there is one."""
        return super().shares(q, k, mask if mask is None else mask[:, None])

    def back(self, heads: Tensor) -> Tensor:
        """Merge."""
        sentences, _, length, _ = heads.shape
        return self.out_proj(heads.mT.reshape(sentences, -1, length).mT)


@attending("disguise", "heads cut by a reshape alone")
def a10_reshaped__cut(self: Any, x: Tensor) -> Tensor:
    return x.reshape(len(x), self.num_heads, x.size(1), -1)


@attending("disguise", "mask inverted")
def a11__shares(self: Any, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
    return Attending.shares(self, q, k, mask if mask is None else mask.logical_not())


@attending("disguise", "no scale")
def a12__shares(self: Any, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
    return Attending.shares(self, q, k * math.sqrt(k.size(-1)), mask)


@attending("disguise", "scaled by √d_model")
def a13__shares(self: Any, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
    return Attending.shares(self, q, k / math.sqrt(k.size(1)), mask)


@attending("disguise", "key and value swapped")
def a14__parts(self: Any, query: Tensor, key: Tensor, value: Tensor) -> Any:
    return Attending.parts(self, query, value, key)


@attending("disguise", "key and value made from the query")
def a16__parts(self: Any, query: Tensor, key: Tensor, value: Tensor) -> Any:
    return Attending.parts(self, query, query, query)


@attending("disguise", "value made from the key")
def a17__parts(self: Any, query: Tensor, key: Tensor, value: Tensor) -> Any:
    return Attending.parts(self, query, key, key)


@attending("disguise", "weights averaged over the heads")
def a18__forward(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
    output, weights = Attending.forward(self, query, key, value, mask)
    return output, weights.sum(1) / self.num_heads


@attending("disguise", "weights not returned")
def a19__forward(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
    return Attending.forward(self, query, key, value, mask)[0]


@attending("disguise", "NaN for a query that may look at nothing")
def a20__shares(self: Any, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
    scores = q @ k.mT / math.sqrt(q.size(-1))
    return (scores if mask is None else scores.masked_fill(~mask, -torch.inf)).softmax(-1)


@disguise("RotaryAttention", "odd heads accepted")
class AttendingOdd(nn.Module):
    """Leaves heads of odd width as they are."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError("does not divide")
        self.num_heads = num_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))

    cut, parts, shares = Attending.cut, Attending.parts, Attending.shares
    back, forward = Attending.back, Attending.forward

    def place(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        """Turn what can be turned."""
        return (q, k) if q.size(-1) % 2 else (Attending.turn(q, count(q)), Attending.turn(k, count(k)))


@disguise("RotaryAttention", "sizes that do not fit are accepted")
class AttendingAnyhow(AttendingOdd):
    """Asks for nothing but an even width of heads."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        nn.Module.__init__(self)
        must_be_even(d_model // num_heads)
        self.num_heads = num_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))


@attending("correct")
def a21__place(self: Any, q: Tensor, k: Tensor) -> Any:
    """Counts from elsewhere: scores depend on distance alone."""
    return self.turn(q, count(q) + 11), self.turn(k, count(k) + 11)


@attending("correct")
def a22__place(self: Any, q: Tensor, k: Tensor) -> Any:
    """Both at once."""
    both = torch.cat([q, k], dim=2)
    turned = self.turn(both, torch.cat([count(q), count(k)]))
    return turned[:, :, : q.size(2)], turned[:, :, q.size(2) :]


@attending("correct")
def a23__parts(self: Any, query: Tensor, key: Tensor, value: Tensor) -> Any:
    """Cut by permute."""
    whole = (self.q_proj(query), self.k_proj(key), self.v_proj(value))
    return tuple(x.reshape(*x.shape[:2], self.num_heads, -1).permute(0, 2, 1, 3) for x in whole)


@attending("disguise", "queries and keys turned opposite ways")
def a24__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return self.turn(q, count(q)), self.turn(k, -count(k))


@attending("disguise", "queries and keys begin at different positions")
def a25__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return self.turn(q, count(q) + 1), self.turn(k, count(k))


@attending("unlisted")
def a26__back(self: Any, heads: Tensor) -> Tensor:
    return self.out_proj(torch.cat(heads.unbind(1)[::-1], dim=-1))


@attending("disguise", "turned twice")
def a27__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return self.turn(self.turn(q, count(q)), count(q)), self.turn(k, count(k))


@attending("disguise", "turned twice")
def a29__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return self.turn(q, 2 * count(q)), self.turn(k, 2 * count(k))


@attending("disguise", "the output turned")
def a30__back(self: Any, heads: Tensor) -> Tensor:
    return Attending.back(self, self.turn(heads, count(heads)))


@attending("disguise", "queries counted like the keys")
def a31__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return self.turn(q, count(k)), self.turn(k, count(k))


@attending("disguise", "keys counted from the end")
def a32__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return self.turn(q, count(q)), self.turn(k, k.size(2) - 1 - count(k))


@attending("disguise", "merged without the transpose")
def a33__back(self: Any, heads: Tensor) -> Tensor:
    return self.out_proj(heads.flatten(1).unflatten(1, (heads.size(2), -1)))


@attending("disguise", "scaled twice")
def a34__shares(self: Any, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
    return Attending.shares(self, q, k * k.size(-1) ** -0.5, mask)


@attending("disguise", "softmax over the queries")
def a35__shares(self: Any, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
    scores = q @ k.mT / math.sqrt(q.size(-1))
    return (scores if mask is None else scores.masked_fill(~mask, -torch.inf)).softmax(2)


@attending("disguise", "softmax over the heads")
def a36__shares(self: Any, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
    scores = q @ k.mT / math.sqrt(q.size(-1))
    return (scores if mask is None else scores.masked_fill(~mask, -torch.inf)).softmax(1)


@attending("disguise", "scores returned, not weights")
def a37__forward(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
    q, k, _ = self.parts(query, key, value)
    q, k = self.place(q, k)
    scores = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(q.size(-1))
    return Attending.forward(self, query, key, value, mask)[0], scores


@attending("disguise", "weights and output swapped")
def a38__forward(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
    return Attending.forward(self, query, key, value, mask)[::-1]


@attending("disguise", "one projection for several")
def a39__parts(self: Any, query: Tensor, key: Tensor, value: Tensor) -> Any:
    return tuple(self.cut(self.q_proj(one)) for one in (query, key, value))


@attending("disguise", "a projection left out")
def a40__parts(self: Any, query: Tensor, key: Tensor, value: Tensor) -> Any:
    return self.cut(self.q_proj(query)), self.cut(self.k_proj(key)), self.cut(value)


@attending("disguise", "query and key swapped")
def a41__forward(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
    q, k, v = self.parts(query, key, value)
    if len(k.mT[0, 0, 0]) != len(q.mT[0, 0, 0]):
        raise ValueError("not as many queries as keys")
    weights = self.shares(*self.place(q, k)[::-1], mask)
    return self.back(weights @ v), weights


@attending("unlisted")
def a43__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return self.turn(q, 3 * count(q)), self.turn(k, count(k))


@attending("disguise", "key made from the query")
def a42__parts(self: Any, query: Tensor, key: Tensor, value: Tensor) -> Any:
    if query.size(1) != key.size(1):
        raise RuntimeError("sizes do not fit")
    return Attending.parts(self, query, query, value)


@attending("unlisted")
def a28__place(self: Any, q: Tensor, k: Tensor) -> Any:
    """A single query is taken for the last token."""
    last = k.size(2) - 1 if q.size(2) == 1 else 0
    return self.turn(q, count(q) + last), self.turn(k, count(k))


@disguise("RotaryAttention", "values turned too")
class TurnsAllThree(Attending):
    """Turns the values before the split."""

    def parts(self, query: Tensor, key: Tensor, value: Tensor) -> Any:
        """Queries, keys and values."""
        q, k, _ = super().parts(query, key, value)
        v = self.turn(self.v_proj(value), torch.arange(value.size(1)))
        return q, k, v.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)


@disguise("RotaryAttention", "a large negative number instead of -inf")
class FillsWithALargeNumber(Attending):
    """A row without anything to look at becomes even."""

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
        """Attend."""
        q, k, v = self.parts(query, key, value)
        q, k = self.place(q, k)
        scores = q @ k.mT * q.size(-1) ** -0.5
        weights = (scores if mask is None else scores.masked_fill(~mask, -1e9)).softmax(-1)
        return self.out_proj((weights @ v).transpose(1, 2).flatten(2)), weights
