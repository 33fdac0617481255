"""Lesson 07. The steps are written out by hand, half of them on an attention and a network written anew."""

import copy
import functools
import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.decoder import DecoderLayer
from autograder.stand_ins.encoder import Encoder, EncoderLayer
from autograder.stand_ins.feed_forward import FeedForward, add_norm
from autograder.stand_ins.layer_norm import LayerNorm
from autograder.stand_ins.multi_head_attention import MultiHeadAttention
from tests.variants import correct, disguise, unlisted

# Parts ----------------------------------------------------------------------------


class Attention(nn.Module):
    """Multi-head attention written anew."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"d_model={d_model} is not divisible by num_heads={num_heads}")
        self.heads, self.rate = num_heads, dropout
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """As an einsum, with the given ValueErrors."""
        if k.size(1) != v.size(1):
            raise ValueError("as many keys as values")
        full = (q.size(0), self.heads, q.size(1), k.size(1))
        if mask is not None and any(a not in (1, b) for a, b in zip(mask.shape[::-1], full[::-1], strict=False)):
            raise ValueError("the mask does not fit")
        made = ((self.q_proj, q), (self.k_proj, k), (self.v_proj, v))
        q, k, v = (layer(x).unflatten(-1, (self.heads, -1)) for layer, x in made)
        weights = share(torch.einsum("bihd,bjhd->bhij", q, k) / math.sqrt(q.size(-1)), mask)
        dropped = F.dropout(weights, self.rate, self.training)
        return self.out_proj(torch.einsum("bhij,bjhd->bihd", dropped, v).flatten(2)), weights


def share(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The softmax of what may be seen, 0 for the rest."""
    if mask is None:
        return scores.softmax(-1)
    return torch.where(mask, scores, -torch.inf).softmax(-1).nan_to_num(0.0)


class Network(nn.Module):
    """The feed-forward network written anew."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.linear1, self.linear2, self.p = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model), dropout

    def forward(self, x: Tensor) -> Tensor:
        """Widen, cut off, narrow."""
        return self.linear2(F.dropout(self.linear1(x).clamp_min(0), self.p, self.training))


class Base(nn.Module):
    """The constructor, and a step by hand."""

    attention: Any = Attention
    network: Any = Network
    norm: Any = nn.LayerNorm

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__()
        for number in (1, 2, 3):
            setattr(self, f"norm{number}", self.norm(d_model))
        self.self_attn = self.attention(d_model, num_heads, dropout)
        self.cross_attn = self.attention(d_model, num_heads, dropout)
        self.feed_forward = self.network(d_model, d_ff, dropout)
        self.drop = nn.Dropout(dropout)
        self.pre = norm_first

    def norms(self, number: int) -> Any:
        """A norm by its number."""
        return getattr(self, f"norm{number}")

    def enter(self, number: int, x: Tensor) -> Tensor:
        """What a step reads."""
        return self.norms(number)(x) if self.pre else x

    def leave(self, number: int, x: Tensor, y: Tensor) -> Tensor:
        """What a step leaves."""
        total = x + self.drop(y)
        return total if self.pre else self.norms(number)(total)


class OnStandIns(Base):
    """The same on the parts that a learner without earlier lessons gets."""

    attention, network, norm = MultiHeadAttention, FeedForward, LayerNorm


def layer(kind: str, mistake: str = "", base: type[Base] = Base) -> Any:
    """A DecoderLayer from its forward."""

    def add(forward: Callable) -> Any:
        made = type(forward.__name__, (base,), {"forward": forward})
        marks = {"correct": correct, "unlisted": unlisted}
        (marks[kind]("DecoderLayer") if kind in marks else disguise("DecoderLayer", mistake))(made)
        return forward

    return add


def wrong(mistake: str, base: type[Base] = Base) -> Any:
    """A disguise from its forward, on parts written anew."""
    return layer("disguise", mistake, base)


def on_both(mistake: str) -> Any:
    """A disguise from its forward, on parts written anew and on the stand-ins."""

    def add(forward: Callable) -> Any:
        wrong(mistake)(forward)
        return wrong(mistake, OnStandIns)(forward)

    return add


def steps(**ways: Callable) -> Callable:
    """A forward of which some ways are not the usual ones: ask, read, think, give, or leave of a step."""

    def ask(self: Any, h: Tensor, m: Tensor, a: Any, b: Any, x: Tensor) -> Any:
        return self.self_attn(h, h, h, a)

    def read(self: Any, h: Tensor, m: Tensor, a: Any, b: Any, x: Tensor) -> Any:
        return self.cross_attn(h, m, m, b)

    def give(x: Tensor, v: Tensor, w: Tensor, asked: bool) -> Any:
        return (x, (v, w)) if asked else x

    usual = {"ask": ask, "read": read, "give": give, "enter": Base.enter, "leave": Base.leave, **ways}

    def forward(
        self: Any,
        x: Tensor,
        memory: Tensor,
        self_mask: Any = None,
        cross_mask: Any = None,
        return_weights: bool = False,
    ) -> Any:
        masks = self_mask, cross_mask
        y, v = usual["ask"](self, usual["enter"](self, 1, x), memory, *masks, x)
        x = usual["leave"](self, 1, x, y)
        y, w = usual["read"](self, usual["enter"](self, 2, x), memory, *masks, x)
        x = usual["leave"](self, 2, x, y)
        x = usual["leave"](self, 3, x, self.feed_forward(usual["enter"](self, 3, x)))
        return usual["give"](x, v, w, return_weights)

    return forward


# DecoderLayer, right ----------------------------------------------------------------------------

layer("correct")(steps())
layer("correct", base=OnStandIns)(steps())


@layer("correct")
def two_branches(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    if self.pre:
        a = self.norm1(x)
        a, seen = self.self_attn(a, a, a, self_mask)
        x = x + self.drop(a)
        a, read = self.cross_attn(self.norm2(x), memory, memory, cross_mask)
        x = x + self.drop(a)
        x = x + self.drop(self.feed_forward(self.norm3(x)))
    else:
        a, seen = self.self_attn(x, x, x, self_mask)
        h = self.norm1(x + self.drop(a))
        a, read = self.cross_attn(h, memory, memory, cross_mask)
        h = self.norm2(h + self.drop(a))
        x = self.norm3(h + self.drop(self.feed_forward(h)))
    if return_weights:
        return [x, [seen, read]]
    return x


@layer("correct", base=OnStandIns)
def lambdas(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    """Every attention is run twice, once for its output and once for its weights."""
    wrap = functools.partial(add_norm, dropout=self.drop, norm_first=self.pre)
    seen = self.self_attn(*[self.enter(1, x)] * 3, self_mask)[1]
    x = wrap(x, lambda h: self.self_attn(h, h, h, self_mask)[0], self.norm1)
    read = self.cross_attn(self.enter(2, x), memory, memory, cross_mask)[1]
    x = wrap(x, lambda h: self.cross_attn(h, memory, memory, cross_mask)[0], self.norm2)
    x = wrap(x, lambda h: self.feed_forward(h), self.norm3)
    return (x, (seen, read)) if return_weights else x


@layer("correct")
def a_loop(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    weights: list[Tensor] = []
    for number, part in enumerate((self.self_attn, self.cross_attn, self.feed_forward), start=1):
        h = self.enter(number, x)
        if number < 3:
            source, mask = ((h, self_mask), (memory, cross_mask))[number - 1]
            y, seen = part(h, source, source, mask)
            weights = [*weights, seen]
        else:
            y = part(h)
        x = self.leave(number, x, y)
    return (x, tuple(weights)) if return_weights else x


@layer("correct")
def all_inline(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    """No part is called: only their parameters are used, and torch's functions. Dropout follows the layer's mode."""
    p, kept, size = self.drop.p, [], (x.size(-1),)

    def norm(number: int, h: Tensor) -> Tensor:
        one = self.norms(number)
        return F.layer_norm(h, size, one.weight, one.bias)

    def attend(a: Any, h: Tensor, source: Tensor, mask: Any) -> Tensor:
        heads = []
        for head in range(a.heads):
            rows = slice(head * size[0] // a.heads, (head + 1) * size[0] // a.heads)
            q, k, v = (
                F.linear(t, one.weight[rows], one.bias[rows])
                for t, one in ((h, a.q_proj), (source, a.k_proj), (source, a.v_proj))
            )
            heads.append((q @ k.mT * q.size(-1) ** -0.5, v))
        whole = None if mask is None else mask.expand(len(h), a.heads, h.size(1), source.size(1))
        weights = torch.stack([share(s, None if whole is None else whole[:, i]) for i, (s, _) in enumerate(heads)], 1)
        kept.append(weights)
        dropped = F.dropout(weights, p, self.training)
        return a.out_proj(torch.cat([dropped[:, i] @ v for i, (_, v) in enumerate(heads)], -1))

    def think(h: Tensor) -> Tensor:
        wide = F.dropout(F.relu(self.feed_forward.linear1(h)), p, self.training)
        return self.feed_forward.linear2(wide)

    calls = (
        lambda h: attend(self.self_attn, h, h, self_mask),
        lambda h: attend(self.cross_attn, h, memory, cross_mask),
        think,
    )
    for number, call in enumerate(calls, start=1):
        made = F.dropout(call(norm(number, x) if self.pre else x), p, training=self.training)
        x = x + made if self.pre else norm(number, x + made)
    return (x, (kept[0], kept[1])) if return_weights else x


@correct("DecoderLayer")
class LikeTorch(nn.Module):
    """torch's own structure: blocks as methods, three dropouts, another order of construction, copies of one norm."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__()
        norm = nn.LayerNorm(d_model)
        self.norm3, self.norm2, self.norm1 = norm, copy.deepcopy(norm), copy.deepcopy(norm)
        self.dropout1, self.dropout2, self.dropout3 = (nn.Dropout(dropout) for _ in range(3))
        self.feed_forward = FeedForward(dropout=dropout, d_ff=d_ff, d_model=d_model)
        self.cross_attn = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.self_attn = copy.deepcopy(self.cross_attn)
        self.norm_first = norm_first

    def _sa_block(self, x: Tensor, mask: Any) -> Any:
        x, weights = self.self_attn(x, x, x, mask=mask)
        return self.dropout1(x), weights

    def _mha_block(self, x: Tensor, memory: Tensor, mask: Any) -> Any:
        x, weights = self.cross_attn(query=x, key=memory, value=memory, mask=mask)
        return self.dropout2(x), weights

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout3(self.feed_forward(x))

    def forward(
        self, x: Tensor, memory: Tensor, self_mask: Any = None, cross_mask: Any = None, return_weights: bool = False
    ) -> Any:
        if self.norm_first:
            y, v = self._sa_block(self.norm1(x), self_mask)
            x = x + y
            y, w = self._mha_block(self.norm2(x), memory, cross_mask)
            x = x + y
            x = x + self._ff_block(self.norm3(x))
        else:
            y, v = self._sa_block(x, self_mask)
            x = self.norm1(x + y)
            y, w = self._mha_block(x, memory, cross_mask)
            x = self.norm2(x + y)
            x = self.norm3(x + self._ff_block(x))
        return (x, (v, w)) if return_weights else x


@correct("DecoderLayer")
class Keeper(OnStandIns):
    """The weights are kept on the module; the masks are made explicit where there are none."""

    def forward(
        self, x: Tensor, memory: Tensor, self_mask: Any = None, cross_mask: Any = None, return_weights: bool = False
    ) -> Any:
        batch, tgt_len, _ = x.shape
        if self_mask is None:
            self_mask = torch.ones(tgt_len, tgt_len, dtype=torch.bool)
        if cross_mask is None:
            cross_mask = torch.ones(batch, 1, 1, memory.size(1), dtype=torch.bool)
        x = self.step(1, x, lambda h: self.note("v", self.self_attn(h, h, h, self_mask)))
        x = self.step(2, x, lambda h: self.note("w", self.cross_attn(h, memory, memory, cross_mask)))
        x = self.step(3, x, self.feed_forward)
        return (x, (self.v, self.w)) if return_weights else x

    def step(self, number: int, x: Tensor, part: Callable) -> Tensor:
        return self.leave(number, x, part(self.enter(number, x)))

    def note(self, name: str, both: tuple[Tensor, Tensor]) -> Tensor:
        object.__setattr__(self, name, both[1])
        return both[0]


# DecoderLayer, wrong: the masks ----------------------------------------------------------------------------

on_both("self_mask ignored")(steps(ask=lambda s, h, m, a, b, x: s.self_attn(h, h, h)))
on_both("cross_mask ignored")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(h, m, m, None)))
on_both("masks exchanged")(
    steps(
        ask=lambda s, h, m, a, b, x: s.self_attn(h, h, h, b),
        read=lambda s, h, m, a, b, x: s.cross_attn(h, m, m, mask=a),
    )
)
on_both("one mask for both attentions")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(h, m, m, a)))
on_both("one mask for both attentions")(steps(ask=lambda s, h, m, a, b, x: s.self_attn(h, h, h, b)))


@wrong("one mask for both attentions")
def one_name(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    mask = cross_mask
    if mask is None:
        mask = self_mask
    return steps()(self, x, memory, mask, mask, return_weights)


@wrong("mask inverted")
def as_torch_means_it(
    self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False
):
    hidden = [None if one is None else one.logical_not() for one in (self_mask, cross_mask)]
    return steps()(self, x, memory, *hidden, return_weights)


wrong("mask inverted")(
    steps(ask=lambda s, h, m, a, b, x: s.self_attn(h, h, h, a if a is None else torch.bitwise_not(a)))
)
wrong("mask inverted")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(h, m, m, b if b is None else b == 0)))


def past(h: Tensor) -> Tensor:
    """The causal mask."""
    places = torch.arange(h.shape[1])
    return places[None, :] <= places[:, None]


on_both("always causal")(
    steps(ask=lambda s, h, m, a, b, x: s.self_attn(h, h, h, past(h) if a is None else a.logical_and(past(h))))
)
wrong("always causal")(steps(ask=lambda s, h, m, a, b, x: s.self_attn(h, h, h, past(h) if a is None else a)))
wrong("always causal")(steps(ask=lambda s, h, m, a, b, x: s.self_attn(h, h, h, past(h))))

# Who asks, and who is read ----------------------------------------------------------------------------

on_both("self-attention reads memory")(steps(ask=lambda s, h, m, a, b, x: s.self_attn(h, m, m, a)))
on_both("self-attention reads memory")(steps(ask=lambda s, h, m, a, b, x: s.self_attn(h, m, h, a)))
on_both("query of the cross-attention from memory")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(m, h, h, b)))
on_both("query of the cross-attention from memory")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(m, m, m, b)))
on_both("key or value of the cross-attention from x")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(h, h, m, b)))
on_both("key or value of the cross-attention from x")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(h, m, h, b)))
on_both("cross-attention reads the target")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(h, h, h, b)))
wrong("cross-attention reads the target")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(h, h, h, a)))


@wrong("memory normalized on the way")
def pre_everything(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    def read(s: Any, h: Any, m: Any, a: Any, b: Any, x: Any) -> Any:
        normed = self.enter(2, m)
        return s.cross_attn(h, normed, normed, b)

    return steps(read=read)(self, x, memory, self_mask, cross_mask, return_weights)


wrong("memory normalized on the way")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(h, s.norm2(m), s.norm2(m), b)))
wrong("memory cut off from the graph")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(h, m.data, m.data, b)))


class WithEncoder(OnStandIns):
    """It has an encoder of its own."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first)
        self.encoder = EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first)


@wrong("source encoded again", WithEncoder)
def encoder_in_every_layer(
    self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False
):
    return steps()(self, x, self.encoder(memory, mask=cross_mask), self_mask, cross_mask, return_weights)


@wrong("source encoded again", WithEncoder)
def encoder_without_mask(
    self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False
):
    return steps()(self, x, self.encoder(memory), self_mask, cross_mask, return_weights)


@wrong("source encoded again")
def with_its_own_parts(
    self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False
):
    h = self.enter(1, memory)
    source = self.leave(1, memory, self.self_attn(h, h, h, cross_mask)[0])
    source = self.leave(3, source, self.feed_forward(self.enter(3, source)))
    return steps()(self, x, source, self_mask, cross_mask, return_weights)


on_both("one attention for both")(steps(read=lambda s, h, m, a, b, x: s.self_attn(h, m, m, b)))
wrong("attentions exchanged")(
    steps(ask=lambda s, h, m, a, b, x: s.cross_attn(h, h, h, a), read=lambda s, h, m, a, b, x: s.self_attn(h, m, m, b))
)


class OneAttention(Base):
    """One module under two names."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first)
        self.cross_attn = self.self_attn


wrong("one attention for both", OneAttention)(steps())

# The order of the steps ----------------------------------------------------------------------------


def ordered(
    self: Any, x: Any, memory: Any, masks: Any, return_weights: bool, order: str, norms: tuple[int, ...]
) -> Any:
    """The steps in any order: s, c and f."""
    weights = {}
    for letter, number in zip(order, norms, strict=True):
        h = self.enter(number, x)
        if letter == "f":
            y = self.feed_forward(h)
        elif letter == "s":
            y, weights["s"] = self.self_attn(h, h, h, masks[0])
        else:
            y, weights["c"] = self.cross_attn(h, memory, memory, masks[1])
        x = self.leave(number, x, y)
    return (x, (weights["s"], weights["c"])) if return_weights else x


def in_order(order: str, norms: tuple[int, ...]) -> Callable:
    """A forward that takes the steps in this order."""

    def forward(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
        return ordered(self, x, memory, (self_mask, cross_mask), return_weights, order, norms)

    return forward


layer("correct")(in_order("scf", (1, 2, 3)))
wrong("cross-attention before self-attention")(in_order("csf", (1, 2, 3)))
wrong("cross-attention before self-attention", OnStandIns)(in_order("csf", (2, 1, 3)))
wrong("feed-forward network before cross-attention")(in_order("sfc", (1, 2, 3)))
wrong("feed-forward network before cross-attention", OnStandIns)(in_order("sfc", (1, 3, 2)))
layer("unlisted")(in_order("fsc", (3, 1, 2)))
for swapped_order in ((2, 1, 3), (3, 2, 1), (1, 3, 2)):
    wrong("norms swapped")(in_order("scf", swapped_order))
for shared_order in ((1, 1, 1), (1, 1, 3), (1, 2, 2), (1, 2, 1), (1, 1, 2)):
    wrong("one norm for several steps", OnStandIns)(in_order("scf", shared_order))


class OneNorm(Base):
    """One norm under three names."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first)
        self.norm1 = self.norm2 = self.norm3


wrong("one norm for several steps", OneNorm)(steps())


@wrong("a step is lost")
def self_attention_unused(
    self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False
):
    h = self.enter(1, x)
    y, v = self.self_attn(h, h, h, self_mask)
    self.leave(1, x, y)
    y, w = self.cross_attn(self.enter(2, x), memory, memory, cross_mask)
    x = self.leave(2, x, y)
    x = self.leave(3, x, self.feed_forward(self.enter(3, x)))
    return (x, (v, w)) if return_weights else x


@wrong("a step is lost", OnStandIns)
def source_unused(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    h = self.enter(1, x)
    y, v = self.self_attn(h, h, h, self_mask)
    x = self.leave(1, x, y)
    w = self.cross_attn(self.enter(2, x), memory, memory, cross_mask)[1]
    x = self.leave(3, x, self.feed_forward(self.enter(3, x)))
    return (x, (v, w)) if return_weights else x


@wrong("a step is lost")
def does_not_think(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    h = self.enter(1, x)
    y, v = self.self_attn(h, h, h, self_mask)
    x = self.leave(1, x, y)
    y, w = self.cross_attn(self.enter(2, x), memory, memory, cross_mask)
    x = self.leave(2, x, y)
    return (x, (v, w)) if return_weights else x


@wrong("cross-attention asks with the layer's input")
def old_question(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    h = self.enter(1, x)
    y, v = self.self_attn(h, h, h, self_mask)
    first = self.leave(1, x, y)
    y, w = self.cross_attn(self.enter(2, x), memory, memory, cross_mask)
    second = self.leave(2, first, y)
    third = self.leave(3, second, self.feed_forward(self.enter(3, second)))
    return (third, (v, w)) if return_weights else third


@wrong("a later step adds to older tokens", OnStandIns)
def added_to_its_own_text(
    self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False
):
    h = self.enter(1, x)
    y, v = self.self_attn(h, h, h, self_mask)
    first = self.leave(1, x, y)
    y, w = self.cross_attn(self.enter(2, first), memory, memory, cross_mask)
    second = self.leave(2, first, y)
    third = self.leave(3, first, self.feed_forward(self.enter(3, second)))
    return (third, (v, w)) if return_weights else third


@wrong("feed-forward network reads older tokens")
def thinks_of_its_own_text(
    self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False
):
    h = self.enter(1, x)
    y, v = self.self_attn(h, h, h, self_mask)
    first = self.leave(1, x, y)
    y, w = self.cross_attn(self.enter(2, first), memory, memory, cross_mask)
    second = self.leave(2, first, y)
    third = self.leave(3, second, self.feed_forward(self.enter(3, first)))
    return (third, (v, w)) if return_weights else third


@wrong("feed-forward network reads older tokens", OnStandIns)
def thinks_of_what_came_in(
    self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False
):
    h = self.enter(1, x)
    y, v = self.self_attn(h, h, h, self_mask)
    first = self.leave(1, x, y)
    y, w = self.cross_attn(self.enter(2, first), memory, memory, cross_mask)
    second = self.leave(2, first, y)
    third = self.leave(3, second, self.feed_forward(self.enter(3, x)))
    return (third, (v, w)) if return_weights else third


@wrong("weights of an earlier call", OnStandIns)
def weights_kept_for_ever(
    self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False
):
    h = self.enter(1, x)
    y, v = self.self_attn(h, h, h, self_mask)
    first = self.leave(1, x, y)
    y, w = self.cross_attn(self.enter(2, first), memory, memory, cross_mask)
    second = self.leave(2, first, y)
    third = self.leave(3, second, self.feed_forward(self.enter(3, second)))
    self.seen = (*getattr(self, "seen", ()), v, w)
    return (third, self.seen[:2]) if return_weights else third


@wrong("dropout on the sum")
def last_sum_dropped(
    self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False
):
    h = self.enter(1, x)
    y, v = self.self_attn(h, h, h, self_mask)
    first = self.leave(1, x, y)
    y, w = self.cross_attn(self.enter(2, first), memory, memory, cross_mask)
    second = self.leave(2, first, y)
    third = self.drop(second + self.feed_forward(self.enter(3, second)))
    third = third if self.pre else self.norm3(third)
    return (third, (v, w)) if return_weights else third


@wrong("memory normalized on the way")
def memory_by_the_first_norm(
    self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False
):
    h = self.enter(1, x)
    y, v = self.self_attn(h, h, h, self_mask)
    first = self.leave(1, x, y)
    y, w = self.cross_attn(self.enter(2, first), self.enter(1, memory), self.enter(1, memory), cross_mask)
    second = self.leave(2, first, y)
    third = self.leave(3, second, self.feed_forward(self.enter(3, second)))
    return (third, (v, w)) if return_weights else third


@layer("unlisted")
def first_source_for_ever(
    self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False
):
    """What is read is kept, by its shape."""
    self.sources = getattr(self, "sources", {})
    memory = self.sources.setdefault(memory.shape, memory)
    return steps()(self, x, memory, self_mask, cross_mask, return_weights)


@layer("unlisted", base=OnStandIns)
def no_batch_of_one(
    self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False
):
    """Right with the weights, and squeezed without."""
    found = steps()(self, x, memory, self_mask, cross_mask, return_weights)
    return found if return_weights else found.squeeze(0)


@wrong("a later step adds to older tokens")
def added_to_the_first(
    self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False
):
    h = self.enter(1, x)
    y, v = self.self_attn(h, h, h, self_mask)
    first = self.leave(1, x, y)
    y, w = self.cross_attn(self.enter(2, first), memory, memory, cross_mask)
    second = self.leave(2, x, y)
    third = self.leave(3, second, self.feed_forward(self.enter(3, second)))
    return (third, (v, w)) if return_weights else third


@wrong("a later step adds to older tokens", OnStandIns)
def added_to_the_very_first(
    self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False
):
    h = self.enter(1, x)
    y, v = self.self_attn(h, h, h, self_mask)
    first = self.leave(1, x, y)
    y, w = self.cross_attn(self.enter(2, first), memory, memory, cross_mask)
    second = self.leave(2, first, y)
    third = self.leave(3, x, self.feed_forward(self.enter(3, second)))
    return (third, (v, w)) if return_weights else third


@on_both("a later step adds to older tokens")
def added_to_the_first_throughout(
    self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False
):
    residual, h = x, self.enter(1, x)
    y, v = self.self_attn(h, h, h, self_mask)
    x = self.leave(1, residual, y)
    y, w = self.cross_attn(self.enter(2, x), memory, memory, cross_mask)
    x = self.leave(2, residual, y)
    x = self.leave(3, residual, self.feed_forward(self.enter(3, x)))
    return (x, (v, w)) if return_weights else x


def drops_the_sum(self: Any, number: int, x: Tensor, y: Tensor) -> Tensor:
    """What a step leaves when norm and dropout have changed places."""
    total = x + self.norms(number)(y)
    return total if self.pre else self.drop(total)


def drops_what_it_reads(self: Any, number: int, x: Tensor) -> Tensor:
    """What a step reads when norm and dropout have changed places."""
    return self.drop(x) if self.pre else x


on_both("norm and dropout exchanged")(steps(enter=drops_what_it_reads, leave=drops_the_sum))


@wrong("None for the weights")
def kept_nowhere(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    seen = read = None

    def ask(h: Tensor) -> Tensor:
        found, _ = self.self_attn(h, h, h, self_mask)
        return found

    def look(h: Tensor) -> Tensor:
        found, _ = self.cross_attn(h, memory, memory, cross_mask)
        return found

    for number, step in enumerate((ask, look, self.feed_forward), start=1):
        x = self.leave(number, x, step(self.enter(number, x)))
    return (x, (seen, read)) if return_weights else x


# Add and norm ----------------------------------------------------------------------------


def leaving(*numbers: int, pre: Callable | None = None, post: Callable | None = None) -> Callable:
    """A way to leave the steps of these numbers: what becomes of (self, x, y, norm) in pre-norm and in post-norm."""

    def leave(self: Any, number: int, x: Tensor, y: Tensor) -> Tensor:
        way = pre if self.pre else post
        if way is None or number not in numbers:
            return Base.leave(self, number, x, y)
        return way(self, x, y, self.norms(number))

    return leave


def bare(self: Any, x: Tensor, y: Tensor, norm: Any) -> Tensor:
    """Pre-norm without the sum."""
    return self.drop(y)


def bare_post(self: Any, x: Tensor, y: Tensor, norm: Any) -> Tensor:
    """Post-norm without the sum."""
    return norm(self.drop(y))


for place, which in enumerate(("first", "second", "third"), start=1):
    name = f"{which} residual missing"
    on_both(name)(steps(leave=leaving(place, pre=bare, post=bare_post)))
    wrong(name)(steps(leave=leaving(place, post=bare_post)))
    wrong(name)(steps(leave=leaving(place, pre=bare)))
on_both("no residuals")(steps(leave=leaving(1, 2, 3, pre=bare, post=bare_post)))

for places in ((1,), (2,), (3,), (1, 2, 3)):
    wrong("the normalized tokens are added to")(
        steps(leave=leaving(*places, pre=lambda self, x, y, norm: norm(x) + self.drop(y)))
    )
wrong("norm before the addition")(steps(leave=leaving(1, 2, 3, post=lambda self, x, y, norm: x + norm(self.drop(y)))))
wrong("norm before the addition")(steps(leave=leaving(1, 2, 3, post=lambda self, x, y, norm: x + self.drop(norm(y)))))
on_both("dropout after the norm")(steps(leave=leaving(1, 2, 3, post=lambda self, x, y, norm: self.drop(norm(x + y)))))
on_both("dropout on the sum")(
    steps(
        leave=leaving(
            1, 2, 3, pre=lambda self, x, y, norm: self.drop(x + y), post=lambda self, x, y, norm: norm(self.drop(x + y))
        )
    )
)
for places in ((1,), (2,), (3,), (1, 2, 3)):
    wrong("no dropout before an addition")(
        steps(leave=leaving(*places, pre=lambda self, x, y, norm: x + y, post=lambda self, x, y, norm: norm(x + y)))
    )
for places in ((1,), (2,), (3,), (1, 2, 3)):
    whole = {
        "enter": lambda self, number, x, places=places: x if number in places else Base.enter(self, number, x),
        "leave": leaving(*places, post=lambda self, x, y, norm: x + self.drop(y)),
    }
    wrong("a norm left out")(steps(**whole))
for place in (1, 2, 3):
    wrong("norm_first ignored")(
        steps(
            enter=lambda self, number, x, place=place: x if number == place else Base.enter(self, number, x),
            leave=leaving(place, pre=lambda self, x, y, norm: norm(x + self.drop(y))),
        )
    )
wrong("norm_first ignored")(
    steps(enter=lambda self, number, x: x, leave=leaving(1, 2, 3, pre=lambda self, x, y, norm: norm(x + self.drop(y))))
)
wrong("a step reads x, not what it is given")(steps(ask=lambda s, h, m, a, b, x: s.self_attn(x, x, x, a)))
wrong("a step reads x, not what it is given")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(x, m, m, b)))
on_both("a step reads x, not what it is given")(
    steps(ask=lambda s, h, m, a, b, x: s.self_attn(x, x, x, a), read=lambda s, h, m, a, b, x: s.cross_attn(x, m, m, b))
)


class Turned(OnStandIns):
    """The two forms in each other's place."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__(d_model, num_heads, d_ff, dropout, not norm_first)


class AlwaysPre(OnStandIns):
    """Pre-norm whatever was asked for."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__(d_model, num_heads, d_ff, dropout, True)


wrong("norm_first inverted", Turned)(steps())
wrong("norm_first ignored", AlwaysPre)(steps())


@wrong("the input is written over")
def in_place(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    y, v = self.self_attn(*(self.enter(1, x),) * 3, self_mask)
    x += self.drop(y)
    x = x if self.pre else self.norm1(x)
    y, w = self.cross_attn(self.enter(2, x), memory, memory, cross_mask)
    x += self.drop(y)
    x = x if self.pre else self.norm2(x)
    y = self.feed_forward(self.enter(3, x))
    x += self.drop(y)
    x = x if self.pre else self.norm3(x)
    return (x, (v, w)) if return_weights else x


class Undropped(Base):
    """The parts know nothing of dropout."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__(d_model, num_heads, d_ff, 0.0, norm_first)
        self.drop = nn.Dropout(dropout)


class OnlyInside(OnStandIns):
    """The parts drop, the layer itself does not."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first)
        self.drop = nn.Identity()


class NetworkUndropped(Base):
    """The feed-forward network knows nothing of dropout."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first)
        self.feed_forward.p = 0.0


class NeverOff(Base):
    """Dropout that knows no evaluation."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first)
        del self.drop
        self.drop = functools.partial(F.dropout, p=dropout, training=True)


wrong("dropout not handed to the parts", Undropped)(steps())
wrong("dropout not handed to the parts", NetworkUndropped)(steps())
wrong("no dropout before an addition", OnlyInside)(steps())
wrong("dropout in evaluation", NeverOff)(steps())

# What is returned ----------------------------------------------------------------------------

on_both("weights in the wrong order")(steps(give=lambda x, v, w, asked: (x, (w, v)) if asked else x))
wrong("weights not in a pair")(steps(give=lambda x, v, w, asked: (x, v, w) if asked else x))
wrong("weights of one attention only")(steps(give=lambda x, v, w, asked: (x, w) if asked else x))
wrong("weights of one attention only")(steps(give=lambda x, v, w, asked: (x, v) if asked else x))
wrong("weights returned unasked")(steps(give=lambda x, v, w, asked: [x, [v, w]]))
wrong("weights not returned")(steps(give=lambda x, v, w, asked: x))

# DecoderLayer, wrong in other ways ----------------------------------------------------------------------------

layer("unlisted")(steps(give=lambda x, v, w, asked: (x.tanh(), (v, w)) if asked else x.tanh()))
layer("unlisted")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(h, m.flip(1), m.flip(1), b)))
layer("unlisted")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(h, 2 * m, 2 * m, b)))
layer("unlisted")(
    steps(
        leave=leaving(1, 2, 3, pre=lambda s, x, y, n: x + 0.5 * s.drop(y), post=lambda s, x, y, n: n(x + s.drop(y) / 2))
    )
)
layer("unlisted")(steps(give=lambda x, v, w, asked: (x, (v.mean(1), w.mean(1))) if asked else x))
layer("unlisted")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(h, m, m.roll(1, 1), b)))
layer("unlisted", base=OnStandIns)(steps(ask=lambda s, h, m, a, b, x: s.self_attn(h, h.detach(), h.detach(), a)))


@layer("unlisted")
def mean_of_memory(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    """One vector for the whole source."""
    one = memory.mean(1, keepdim=True)
    return steps()(self, x, one, self_mask, None, return_weights)


@layer("unlisted")
def side_by_side(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    """Both attentions at once."""
    h = self.enter(1, x)
    y, v = self.self_attn(h, h, h, self_mask)
    z, w = self.cross_attn(h, memory, memory, cross_mask)
    x = self.leave(2, x, y + z)
    x = self.leave(3, x, self.feed_forward(self.enter(3, x)))
    return (x, (v, w)) if return_weights else x


@layer("unlisted")
def thinks_twice(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    found = steps()(self, x, memory, self_mask, cross_mask, True)
    x = self.leave(3, found[0], self.feed_forward(self.enter(3, found[0])))
    return (x, found[1]) if return_weights else x


# Decoder ----------------------------------------------------------------------------


class Stack(nn.Module):
    """The constructor."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(DecoderLayer(d_model, num_heads, d_ff, dropout=dropout, norm_first=norm_first))
        self.norm = None
        if norm_first:
            self.norm = LayerNorm(d_model)

    def end(self, x: Tensor) -> Tensor:
        """The norm, where there is one."""
        return x if self.norm is None else self.norm(x)


def stack(kind: str, mistake: str = "", base: type[Stack] = Stack) -> Any:
    """A Decoder from its forward."""

    def add(forward: Callable) -> Any:
        made = type(forward.__name__, (base,), {"forward": forward})
        marks = {"correct": correct, "unlisted": unlisted}
        (marks[kind]("Decoder") if kind in marks else disguise("Decoder", mistake))(made)
        return forward

    return add


def bad(mistake: str, base: type[Stack] = Stack) -> Any:
    """A disguise of the stack from its forward."""
    return stack("disguise", mistake, base)


def runs(call: Any = None, give: Any = None, begin: Any = None, end: Any = None) -> Callable:
    """A forward of which something is not as usual: the call of layer i, what is given back, begin or end."""

    def usual_call(self: Any, i: int, x: Tensor, memory: Tensor, a: Any, b: Any) -> Any:
        return self.layers[i](x, memory, self_mask=a, cross_mask=b, return_weights=True)

    def usual_give(x: Tensor, v: list, w: list, asked: bool) -> Any:
        return (x, (v, w)) if asked else x

    def forward(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
        seen = []
        if begin:
            x, memory = begin(self, x, memory)
        for i in range(len(self.layers)):
            x, both = (call or usual_call)(self, i, x, memory, self_mask, cross_mask)
            seen.append(both)
        x = end(self, x) if end else self.end(x)
        v, w = (list(one) for one in zip(*seen, strict=True))
        return (give or usual_give)(x, v, w, return_weights)

    return forward


# Decoder, right ----------------------------------------------------------------------------

stack("correct")(runs())


@stack("correct")
def reduced(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    if not return_weights:
        return self.end(functools.reduce(lambda h, one: one(h, memory, self_mask, cross_mask), self.layers, x))
    v, w = [], []
    for one in self.layers:
        x, (a, b) = one(x, memory, self_mask, cross_mask, True)
        v, w = [*v, a], [*w, b]
    return self.end(x), (tuple(v), tuple(w))


@stack("correct")
def recursive(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    def below(i: int) -> Any:
        if i < 0:
            return x, [], []
        h, v, w = below(i - 1)
        h, (a, b) = self.layers[i](h, memory, self_mask, cross_mask, return_weights=True)
        return h, [*v, a], [*w, b]

    h, v, w = below(len(self.layers) - 1)
    h = self.norm(h) if self.norm else h
    return (h, (v, w)) if return_weights else h


@correct("Decoder")
class Copied(nn.Module):
    """Copies of one layer, as torch has them; a norm that does nothing where none is wanted."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False
    ) -> None:
        super().__init__()
        one = DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)
        self.norm = nn.LayerNorm(d_model) if norm_first else nn.Identity()
        self.layers = nn.ModuleList([copy.deepcopy(one) for _ in range(num_layers)])

    def forward(
        self, x: Tensor, memory: Tensor, self_mask: Any = None, cross_mask: Any = None, return_weights: bool = False
    ) -> Any:
        weights: tuple[list, list] = ([], [])
        for one in self.layers:
            x, pair = one(x, memory, self_mask, cross_mask, return_weights=True)
            for kept, new in zip(weights, pair, strict=True):
                kept.append(new)
        x = self.norm(x)
        return (x, weights) if return_weights else x


@correct("Decoder")
class InASequence(Stack):
    """An nn.Sequential as a container, never called; the last layer is treated apart."""

    def __init__(self, *sizes: Any, dropout: float = 0.0, norm_first: bool = False) -> None:
        num_layers, d_model, num_heads, d_ff, *rest = sizes
        dropout, norm_first = [*rest, *(dropout, norm_first)[len(rest) :]]
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = nn.Sequential(*self.layers)

    def forward(
        self, x: Tensor, memory: Tensor, self_mask: Any = None, cross_mask: Any = None, return_weights: bool = False
    ) -> Any:
        *before, last = self.layers
        seen = []
        for one in before:
            x, both = one(x, memory, self_mask, cross_mask, True)
            seen.append(both)
        x, both = last(x, memory, self_mask, cross_mask, True)
        seen.append(both)
        result = self.norm.forward(x) if isinstance(self.norm, nn.Module) else x
        return (result, tuple([pair[i] for pair in seen] for i in (0, 1))) if return_weights else result


# Decoder, wrong ----------------------------------------------------------------------------


def ask(self: Any, i: int, x: Any, memory: Any, a: Any, b: Any) -> Any:
    """Layer i, by position."""
    return self.layers[i](x, memory, a, b, True)


bad("self_mask ignored")(runs(lambda s, i, x, m, a, b: s.layers[i](x, m, cross_mask=b, return_weights=True)))
bad("cross_mask ignored")(runs(lambda s, i, x, m, a, b: s.layers[i](x, m, a, return_weights=True)))
bad("masks exchanged")(runs(lambda s, i, x, m, a, b: ask(s, i, x, m, b, a)))
bad("one mask for both attentions")(runs(lambda s, i, x, m, a, b: ask(s, i, x, m, a, a)))
bad("one mask for both attentions")(runs(lambda s, i, x, m, a, b: ask(s, i, x, m, b, b)))
bad("one mask for both attentions")(runs(lambda s, i, x, m, a, b: ask(s, i, x, m, *[b if b is not None else a] * 2)))
bad("one mask for both attentions")(runs(lambda s, i, x, m, a, b: ask(s, i, x, m, *[a if a is not None else b] * 2)))
bad("mask inverted")(
    runs(lambda s, i, x, m, a, b: ask(s, i, x, m, *(None if one is None else one.logical_not() for one in (a, b))))
)
bad("mask inverted")(runs(lambda s, i, x, m, a, b: ask(s, i, x, m, a, b if b is None else b.logical_not())))
bad("always causal")(runs(lambda s, i, x, m, a, b: ask(s, i, x, m, past(x) if a is None else past(x) & a, b)))
bad("always causal")(runs(lambda s, i, x, m, a, b: ask(s, i, x, m, past(x) if a is None else a, b)))
bad("always causal")(runs(lambda s, i, x, m, a, b: ask(s, i, x, m, past(x), b)))
bad("memory normalized on the way")(runs(begin=lambda s, x, m: (x, s.end(m))))
bad("memory cut off from the graph")(runs(begin=lambda s, x, m: (x, m.clone().detach())))
bad("every layer starts from the input")(
    lambda self, x, memory, self_mask=None, cross_mask=None, return_weights=False: runs(
        lambda s, i, h, m, a, b: ask(s, i, x, m, a, b)
    )(self, x, memory, self_mask, cross_mask, return_weights)
)
bad("final norm missing")(runs(end=lambda s, x: x))
bad("final norm after every layer")(
    runs(lambda s, i, x, m, a, b: (lambda both: (s.end(both[0]), both[1]))(ask(s, i, x, m, a, b)), end=lambda s, x: x)
)
bad("final norm after every layer")(
    runs(lambda s, i, x, m, a, b: (lambda both: (s.end(both[0]), both[1]))(ask(s, i, x, m, a, b)))
)
bad("final norm before the layers")(runs(begin=lambda s, x, m: (s.end(x), m), end=lambda s, x: x))
bad("masks in the first layer only")(
    runs(lambda s, i, x, m, a, b: ask(s, i, x, m, *((a, b) if i == 0 else (None, None))))
)
bad("masks in the first layer only")(runs(lambda s, i, x, m, a, b: ask(s, i, x, m, None if i else a, b)))
bad("memory replaced by the layer's output")(runs(lambda s, i, x, m, a, b: ask(s, i, x, x if i else m, a, b)))
bad("memory replaced by the layer's output")(
    runs(lambda s, i, x, m, a, b: ask(s, i, x, x, a, None) if i else ask(s, i, x, m, a, b))
)
bad("memory replaced by the layer's output")(
    runs(lambda s, i, x, m, a, b: ask(s, i, x, x, a, a) if i else ask(s, i, x, m, a, b))
)
bad("only the last layer sees the memory")(
    runs(lambda s, i, x, m, a, b: ask(s, i, x, m if i + 1 == len(s.layers) else x, a, b))
)
bad("only the last layer sees the memory")(
    runs(lambda s, i, x, m, a, b: ask(s, i, x, m, a, b) if i + 1 == len(s.layers) else ask(s, i, x, x, a, a))
)
bad("only the last layer sees the memory")(
    runs(lambda s, i, x, m, a, b: ask(s, i, x, m, a, b) if i + 1 == len(s.layers) else ask(s, i, x, x, a, None))
)
bad("one layer repeated")(runs(lambda s, i, x, m, a, b: ask(s, 0, x, m, a, b)))
bad("weights in the wrong order")(runs(give=lambda x, v, w, asked: (x, (w, v)) if asked else x))
bad("weights not in a pair")(runs(give=lambda x, v, w, asked: (x, v, w) if asked else x))
bad("weights of one attention only")(runs(give=lambda x, v, w, asked: (x, w) if asked else x))
bad("weights of one attention only")(runs(give=lambda x, v, w, asked: (x, v) if asked else x))
bad("weights returned unasked")(runs(give=lambda x, v, w, asked: (x, (v, w))))
bad("weights not returned")(runs(give=lambda x, v, w, asked: x))
bad("weights of the last layer only")(runs(give=lambda x, v, w, asked: (x, (v.pop(), w.pop())) if asked else x))
bad("a list of pairs instead of two lists")(
    runs(give=lambda x, v, w, asked: (x, [(v[i], w[i]) for i in range(len(v))]) if asked else x)
)
bad("weights stacked into a tensor")(
    runs(give=lambda x, v, w, asked: (x, (torch.stack(v), torch.stack(w))) if asked else x)
)


bad("masks in the first layer only")(runs(lambda s, i, x, m, a, b: ask(s, i, x, m, a, None if i else b)))


@bad("weights of an earlier call")
def lists_kept_for_ever(
    self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False
):
    found, pair = runs()(self, x, memory, self_mask, cross_mask, True)
    self.seen = [[*old, *kept] for old, kept in zip(getattr(self, "seen", ([], [])), pair, strict=True)]
    return (found, tuple(self.seen)) if return_weights else found


@stack("unlisted")
def first_memory_for_ever(
    self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False
):
    self.sources = getattr(self, "sources", {})
    memory = self.sources.setdefault(memory.shape, memory)
    return runs()(self, x, memory, self_mask, cross_mask, return_weights)


@disguise("Decoder", "one layer repeated")
class Repeated(Stack):
    """One layer, held several times."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False
    ) -> None:
        super().__init__(1, d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList(num_layers * list(self.layers))

    forward = runs()


@disguise("Decoder", "layers in a plain list")
class Unregistered(Stack):
    """A list of layers."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False
    ) -> None:
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        layers = [*self.layers]
        del self.layers
        self.layers = layers

    forward = runs()


@disguise("Decoder", "final norm missing")
class NormLess(Stack):
    """No norm at all."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False
    ) -> None:
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.norm = None

    forward = runs()


@disguise("Decoder", "final norm in post-norm")
class AlwaysNormed(Stack):
    """A norm in either form."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False
    ) -> None:
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.norm = nn.LayerNorm(d_model)

    forward = runs()


@disguise("Decoder", "norm_first not handed to the layers")
class FormLost(Stack):
    """The layers are post-norm."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False
    ) -> None:
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout)
        self.norm = LayerNorm(d_model) if norm_first else None

    forward = runs()


@disguise("Decoder", "dropout not handed to the layers")
class DropoutLost(Stack):
    """The layers drop nothing."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False
    ) -> None:
        super().__init__(num_layers, d_model, num_heads, d_ff, norm_first=norm_first)

    forward = runs()


@disguise("Decoder", "source encoded again")
class EncoderInside(Stack):
    """A whole encoder in front."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False
    ) -> None:
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout, norm_first)

    forward = runs(begin=lambda s, x, m: (x, s.encoder(m)))


# Decoder, wrong in other ways ----------------------------------------------------------------------------

stack("unlisted")(runs(lambda s, i, x, m, a, b: ask(s, len(s.layers) - 1 - i, x, m, a, b)))
stack("unlisted")(runs(lambda s, i, x, m, a, b: ask(s, i, x, 2 * m, a, b)))
stack("unlisted")(runs(lambda s, i, x, m, a, b: ask(s, i, x, m.flip(1) if i else m, a, b)))
stack("unlisted")(runs(end=lambda s, x: s.end(x).tanh()))
stack("unlisted")(runs(give=lambda x, v, w, asked: (x, ([one.mean(1) for one in v], w)) if asked else x))
stack("unlisted")(runs(begin=lambda s, x, m: (x, m + 1)))


@stack("unlisted")
def around(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    """A residual connection around the whole stack."""
    found = runs()(self, x, memory, self_mask, cross_mask, True)
    return (x + found[0], found[1]) if return_weights else x + found[0]


@stack("unlisted")
def mean_of_layers(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    """The mean of what all layers made."""
    v, w, made = [], [], []
    for one in self.layers:
        x, (a, b) = one(x, memory, self_mask, cross_mask, return_weights=True)
        v.append(a)
        w.append(b)
        made.append(x)
    x = self.end(sum(made) / len(made))
    return (x, (v, w)) if return_weights else x
