"""DecoderLayer: written in full, right, and wrong in other ways."""

import functools
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.encoder import EncoderLayer
from autograder.stand_ins.feed_forward import FeedForward, add_norm
from autograder.stand_ins.layer_norm import LayerNorm
from autograder.stand_ins.multi_head_attention import MultiHeadAttention
from tests.variants import correct, disguise, unlisted
from tests.variants.decoder.parts import Attention, Network, past, share


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

wrong("self_mask ignored")(steps(ask=lambda s, h, m, a, b, x: s.self_attn(h, h, h)))
wrong("cross_mask ignored")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(h, m, m, None)))
wrong("masks exchanged")(
    steps(
        ask=lambda s, h, m, a, b, x: s.self_attn(h, h, h, b),
        read=lambda s, h, m, a, b, x: s.cross_attn(h, m, m, mask=a),
    )
)


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


wrong("always causal")(
    steps(ask=lambda s, h, m, a, b, x: s.self_attn(h, h, h, past(h) if a is None else a.logical_and(past(h))))
)

# Who asks, and who is read ----------------------------------------------------------------------------

wrong("self-attention reads memory")(steps(ask=lambda s, h, m, a, b, x: s.self_attn(h, m, h, a)))
wrong("query of the cross-attention from memory")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(m, h, h, b)))
wrong("key or value of the cross-attention from x")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(h, m, h, b)))
wrong("cross-attention reads the target")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(h, h, h, b)))


@wrong("memory normalized on the way")
def pre_everything(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    def read(s: Any, h: Any, m: Any, a: Any, b: Any, x: Any) -> Any:
        normed = self.enter(2, m)
        return s.cross_attn(h, normed, normed, b)

    return steps(read=read)(self, x, memory, self_mask, cross_mask, return_weights)


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


wrong("one attention for both")(steps(read=lambda s, h, m, a, b, x: s.self_attn(h, m, m, b)))
wrong("attentions exchanged")(
    steps(ask=lambda s, h, m, a, b, x: s.cross_attn(h, h, h, a), read=lambda s, h, m, a, b, x: s.self_attn(h, m, m, b))
)


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
wrong("cross-attention before self-attention", OnStandIns)(in_order("csf", (2, 1, 3)))
wrong("feed-forward network before cross-attention", OnStandIns)(in_order("sfc", (1, 3, 2)))
wrong("feed-forward network before cross-attention")(in_order("fsc", (3, 1, 2)))
wrong("norms swapped")(in_order("scf", (3, 2, 1)))
for shared_order in ((1, 1, 1), (1, 2, 1)):
    wrong("one norm for several steps", OnStandIns)(in_order("scf", shared_order))


@wrong("a step is lost", OnStandIns)
def source_unused(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    h = self.enter(1, x)
    y, v = self.self_attn(h, h, h, self_mask)
    x = self.leave(1, x, y)
    w = self.cross_attn(self.enter(2, x), memory, memory, cross_mask)[1]
    x = self.leave(3, x, self.feed_forward(self.enter(3, x)))
    return (x, (v, w)) if return_weights else x


wrong("normalized inside a step")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(s.norm2(h), m, m, b)))


@wrong("the memory is added to", OnStandIns)
def memory_goes_on(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    h = self.enter(1, x)
    v = self.self_attn(h, h, h, self_mask)[1]
    y, w = self.cross_attn(self.enter(2, memory), memory, memory, cross_mask)
    x = self.leave(2, memory, y)
    x = self.leave(3, x, self.feed_forward(self.enter(3, x)))
    return (x, (v, w)) if return_weights else x


@wrong("a step is lost", OnStandIns)
def all_from_x(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    h = self.enter(1, x)
    v = self.self_attn(h, h, h, self_mask)[1]
    w = self.cross_attn(self.enter(2, x), memory, memory, cross_mask)[1]
    x = self.leave(3, x, self.feed_forward(self.enter(3, x)))
    return (x, (v, w)) if return_weights else x


def twice(made: tuple[Any, Any], dropout: Any) -> tuple[Any, Any]:
    """What attention made, dropped once already."""
    return dropout(made[0]), made[1]


wrong("dropout twice")(
    steps(
        ask=lambda s, h, m, a, b, x: twice(s.self_attn(h, h, h, a), s.drop),
        read=lambda s, h, m, a, b, x: twice(s.cross_attn(h, m, m, b), s.drop),
    )
)


@wrong("cross-attention asks with the layer's input")
def old_question(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    h = self.enter(1, x)
    y, v = self.self_attn(h, h, h, self_mask)
    first = self.leave(1, x, y)
    y, w = self.cross_attn(self.enter(2, x), memory, memory, cross_mask)
    second = self.leave(2, first, y)
    third = self.leave(3, second, self.feed_forward(self.enter(3, second)))
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


wrong("norm and dropout exchanged")(steps(enter=drops_what_it_reads, leave=drops_the_sum))


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
    wrong(name)(steps(leave=leaving(place, post=bare_post)))
wrong("no residuals")(steps(leave=leaving(1, 2, 3, pre=bare, post=bare_post)))

wrong("the normalized tokens are added to")(
    steps(leave=leaving(1, 2, 3, pre=lambda self, x, y, norm: norm(x) + self.drop(y)))
)
wrong("norm before the addition")(steps(leave=leaving(1, 2, 3, post=lambda self, x, y, norm: x + self.drop(norm(y)))))
wrong("dropout after the norm")(steps(leave=leaving(1, 2, 3, post=lambda self, x, y, norm: self.drop(norm(x + y)))))
wrong("dropout on the sum")(
    steps(
        leave=leaving(
            1, 2, 3, pre=lambda self, x, y, norm: self.drop(x + y), post=lambda self, x, y, norm: norm(self.drop(x + y))
        )
    )
)
wrong("no dropout before an addition")(
    steps(leave=leaving(1, 2, 3, pre=lambda self, x, y, norm: x + y, post=lambda self, x, y, norm: norm(x + y)))
)
wrong("a norm left out")(steps(enter=lambda self, number, x: x, leave=lambda self, number, x, y: x + self.drop(y)))
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
wrong("a step reads x, not what it is given")(
    steps(ask=lambda s, h, m, a, b, x: s.self_attn(x, x, x, a), read=lambda s, h, m, a, b, x: s.cross_attn(x, m, m, b))
)


wrong("what a step made is normalized too")(
    steps(leave=leaving(1, 2, 3, post=lambda self, x, y, norm: norm(x + self.drop(norm(y)))))
)
wrong("what a step made is normalized too")(
    steps(leave=leaving(1, pre=lambda self, x, y, norm: x + norm(self.drop(y))))
)
wrong("normalized before a step in post-norm")(steps(enter=lambda self, number, x: self.norms(number)(x)))
wrong("normalized once more")(
    steps(
        leave=leaving(
            3,
            pre=lambda self, x, y, norm: norm(x + self.drop(y)),
            post=lambda self, x, y, norm: norm(norm(x + self.drop(y))),
        )
    )
)
wrong("the same attention in both steps")(
    steps(
        ask=lambda s, h, m, a, b, x: s.cross_attn(h, m, m, b), enter=lambda self, number, x: Base.enter(self, number, x)
    )
)
wrong("norm after the step in pre-norm")(
    steps(
        enter=lambda self, number, x: x,
        leave=leaving(1, 2, 3, pre=lambda self, x, y, norm: x + norm(self.drop(y))),
    )
)
wrong("sum normalized in pre-norm")(steps(leave=leaving(1, 2, 3, pre=lambda self, x, y, norm: norm(x + self.drop(y)))))
for place in (1, 2, 3):
    wrong("sum normalized in pre-norm")(
        steps(leave=leaving(place, pre=lambda self, x, y, norm: norm(x + self.drop(y))))
    )
    wrong("x is normalized, not the sum")(
        steps(leave=leaving(place, post=lambda self, x, y, norm: norm(x) + self.drop(y)))
    )
    wrong("norm before the addition", OnStandIns)(
        steps(leave=leaving(place, post=lambda self, x, y, norm: x + self.drop(norm(y))))
    )
    wrong("added twice")(
        steps(
            leave=leaving(
                place,
                pre=lambda self, x, y, norm: 2 * x + self.drop(y),
                post=lambda self, x, y, norm: x + norm(x + self.drop(y)),
            )
        )
    )
wrong("x is normalized, not the sum")(
    steps(leave=leaving(1, 2, 3, post=lambda self, x, y, norm: norm(x) + self.drop(y)))
)
wrong("dropout on the residual", OnStandIns)(
    steps(
        leave=leaving(
            1, 2, 3, pre=lambda self, x, y, norm: self.drop(x) + y, post=lambda self, x, y, norm: norm(self.drop(x) + y)
        )
    )
)
wrong("dropout on what a step reads")(
    steps(
        enter=lambda self, number, x: self.drop(Base.enter(self, number, x)),
        leave=leaving(1, 2, 3, pre=lambda self, x, y, norm: x + y, post=lambda self, x, y, norm: norm(x + y)),
    )
)
for place in (1, 3):
    wrong("dropout on what a step reads")(
        steps(
            enter=lambda self, number, x, place=place: (
                self.drop(Base.enter(self, number, x)) if number == place else Base.enter(self, number, x)
            )
        )
    )


@wrong("steps side by side")
def three_sums(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    parts = (
        lambda h: self.self_attn(h, h, h, self_mask),
        lambda h: self.cross_attn(h, memory, memory, cross_mask),
        lambda h: (self.feed_forward(h), None),
    )
    made, weights = zip(*(part(self.enter(number, x)) for number, part in enumerate(parts, 1)), strict=True)
    total = sum(self.leave(number, x, one) for number, one in enumerate(made, 1))
    return (total, weights[:2]) if return_weights else total


wrong("cross-attention before self-attention")(
    lambda self, x, memory, self_mask=None, cross_mask=None, return_weights=False: turned_pair(
        ordered(self, x, memory, (self_mask, cross_mask), return_weights, "csf", (2, 1, 3)), return_weights
    )
)


def turned_pair(found: Any, asked: bool) -> Any:
    """The weights in the order of steps that are exchanged."""
    return (found[0], found[1][::-1]) if asked else found


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


wrong("dropout not handed to the parts", NetworkUndropped)(steps())
wrong("dropout in evaluation", NeverOff)(steps())

# What is returned ----------------------------------------------------------------------------

wrong("weights in the wrong order")(steps(give=lambda x, v, w, asked: (x, (w, v)) if asked else x))
wrong("weights not in a pair")(steps(give=lambda x, v, w, asked: (x, v, w) if asked else x))
wrong("weights of one attention only")(steps(give=lambda x, v, w, asked: (x, v) if asked else x))
wrong("weights returned unasked")(steps(give=lambda x, v, w, asked: [x, [v, w]]))
wrong("weights not returned")(steps(give=lambda x, v, w, asked: x))

# DecoderLayer, wrong in other ways ----------------------------------------------------------------------------

layer("unlisted")(steps(give=lambda x, v, w, asked: (x.tanh(), (v, w)) if asked else x.tanh()))
layer("unlisted")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(h, m.flip(1), m.flip(1), b)))
layer("unlisted")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(h, 2 * m, 2 * m, b)))
wrong("half of what a step made")(
    steps(
        leave=leaving(1, 2, 3, pre=lambda s, x, y, n: x + 0.5 * s.drop(y), post=lambda s, x, y, n: n(x + s.drop(y) / 2))
    )
)
wrong("heads lost in the weights")(steps(give=lambda x, v, w, asked: (x, (v.mean(1), w.mean(1))) if asked else x))
wrong("heads lost in the weights")(steps(give=lambda x, v, w, asked: (x, (v[:, 0], w[:, 0])) if asked else x))
wrong("weights transposed")(steps(give=lambda x, v, w, asked: (x, (v.mT, w.swapaxes(2, 3))) if asked else x))
wrong("weights before the tokens")(steps(give=lambda x, v, w, asked: ((v, w), x) if asked else x))
wrong("return_weights inverted")(steps(give=lambda x, v, w, asked: x if asked else (x, (v, w))))
HALVED = leaving(
    *(1, 2, 3), pre=lambda s, x, y, n: (x + s.drop(y)) * 0.5, post=lambda s, x, y, n: n((x + s.drop(y)) / 2)
)
wrong("half of the sum")(steps(leave=HALVED))
wrong("mask transposed")(
    steps(ask=lambda s, h, m, a, b, x: s.self_attn(h, h, h, a if a is None else a.swapaxes(-1, -2)))
)
wrong("source encoded again")(
    steps(read=lambda s, h, m, a, b, x: s.cross_attn(h, *2 * [m + s.self_attn(m, m, m, b)[0]], b))
)
wrong("no dropout before an addition")(
    steps(leave=leaving(1, 3, pre=lambda s, x, y, n: x + y, post=lambda s, x, y, n: n(x + y)))
)


@wrong("tokens from before the last step")
def one_step_short(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    """With the weights come the tokens that the feed-forward network reads."""
    y, v = self.self_attn(*[self.enter(1, x)] * 3, self_mask)
    x = self.leave(1, x, y)
    y, w = self.cross_attn(self.enter(2, x), memory, memory, cross_mask)
    x = self.leave(2, x, y)
    z = self.leave(3, x, self.feed_forward(self.enter(3, x)))
    return (x, (v, w)) if return_weights else z


layer("unlisted")(steps(read=lambda s, h, m, a, b, x: s.cross_attn(h, m, m.roll(1, 1), b)))
layer("unlisted", base=OnStandIns)(steps(ask=lambda s, h, m, a, b, x: s.self_attn(h, h.detach(), h.detach(), a)))


@layer("unlisted")
def mean_of_memory(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    """One vector for the whole source."""
    one = memory.mean(1, keepdim=True)
    return steps()(self, x, one, self_mask, None, return_weights)


@wrong("a step runs twice")
def thinks_twice(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    found = steps()(self, x, memory, self_mask, cross_mask, True)
    x = self.leave(3, found[0], self.feed_forward(self.enter(3, found[0])))
    return (x, found[1]) if return_weights else x
