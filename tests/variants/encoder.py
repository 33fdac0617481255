"""Lesson 06. Nothing here uses the lessons before: attention and the feed-forward network are written anew."""

import copy
import functools
import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise, unlisted

# Parts ----------------------------------------------------------------------------


class Attend(nn.Module):
    """Multi-head attention, with the heads behind the tokens."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        if num_heads < 1 or d_model % num_heads:
            raise ValueError(f"d_model={d_model} is not divisible by num_heads={num_heads}")
        self.num_heads = num_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
        self.drop = nn.Dropout(dropout)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> tuple[Tensor, Tensor]:
        """(output, weights)."""
        q, k, v = self.q_proj(query), self.k_proj(key), self.v_proj(value)
        q, k, v = (x.unflatten(-1, (self.num_heads, -1)) for x in (q, k, v))
        weights = share(torch.einsum("bihd,bjhd->bhij", q, k) / math.sqrt(q.size(-1)), mask)
        found = torch.einsum("bhij,bjhd->bihd", self.drop(weights), v)
        return self.out_proj(found.flatten(2)), weights


def share(scores: Tensor, mask: Tensor | None) -> Tensor:
    """A softmax by hand that gives zeros to a row without a place to look at."""
    seen = scores if mask is None else torch.where(mask, scores, -torch.inf)
    e = torch.exp(seen - seen.detach().amax(-1, keepdim=True).clamp_min(-1e30))
    return e / e.sum(-1, keepdim=True).clamp_min(1e-30)


class Feed(nn.Module):
    """The feed-forward network."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Widen, ReLU, dropout, narrow."""
        return self.linear2(self.drop(self.linear1(x).clamp_min(0)))


class Base(nn.Module):
    """The constructor that the notebook gives."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__()
        self.self_attn = Attend(d_model, num_heads, dropout)
        self.feed_forward = Feed(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first


def layer(kind: str, mistake: str = "", base: type = Base) -> Any:
    """An EncoderLayer from its forward(self, x, mask), which returns (output, weights)."""

    def add(core: Callable) -> Any:
        def forward(self: Any, x: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
            output, weights = core(self, x, mask)
            return (output, weights) if return_weights else output

        mark(kind, "EncoderLayer", mistake)(type(core.__name__, (base,), {"forward": forward}))
        return core

    return add


def mark(kind: str, exercise: str, mistake: str) -> Any:
    """The decorator of one kind."""
    if kind == "disguise":
        return disguise(exercise, mistake)
    return (correct if kind == "correct" else unlisted)(exercise)


def wrong(mistake: str, base: type = Base) -> Any:
    """A disguise of EncoderLayer."""
    return layer("disguise", mistake, base)


# Residuals ----------------------------------------------------------------------------


@wrong("no residual around attention")
def forgets_the_token(self: Any, x: Tensor, mask: Any) -> Any:
    if self.norm_first:
        h = self.norm1(x)
        a, w = self.self_attn(h, h, h, mask)
        x = self.dropout(a)
        return x + self.dropout(self.feed_forward(self.norm2(x))), w
    a, w = self.self_attn(x, x, x, mask)
    x = self.norm1(self.dropout(a))
    return self.norm2(x + self.dropout(self.feed_forward(x))), w


@wrong("no residual around the feed-forward network")
def replaces_the_token(self: Any, x: Tensor, mask: Any) -> Any:
    h = self.norm1(x) if self.norm_first else x
    a, w = self.self_attn(h, h, h, mask)
    s = x + self.dropout(a)
    if self.norm_first:
        return self.dropout(self.feed_forward(self.norm2(s))), w
    return self.norm2(self.dropout(self.feed_forward(self.norm1(s)))), w


@wrong("no residuals")
def a_chain(self: Any, x: Tensor, mask: Any) -> Any:
    n1, n2 = self.norm1, self.norm2
    if self.norm_first:
        h = n1(x)
        a, w = self.self_attn(h, h, h, mask)
        return self.dropout(self.feed_forward(n2(self.dropout(a)))), w
    a, w = self.self_attn(x, x, x, mask)
    return n2(self.dropout(self.feed_forward(n1(self.dropout(a))))), w


@wrong("second residual adds the layer's input")
def back_to_the_start(self: Any, x: Tensor, mask: Any) -> Any:
    if self.norm_first:
        h = self.norm1(x)
        a, w = self.self_attn(h, h, h, mask)
        y = x + self.dropout(a)
        return x + self.dropout(self.feed_forward(self.norm2(y))), w
    a, w = self.self_attn(x, x, x, mask)
    y = self.norm1(x + self.dropout(a))
    return self.norm2(x + self.dropout(self.feed_forward(y))), w


@wrong("result of add_norm not kept")
def works_for_nothing(self: Any, x: Tensor, mask: Any) -> Any:
    h = self.norm1(x) if self.norm_first else x
    _, w = self.self_attn(h, h, h, mask)
    self.dropout(self.feed_forward(h))
    return x, w


@wrong("result of add_norm not kept")
def found_for_nothing(self: Any, x: Tensor, mask: Any) -> Any:
    first, second = self.norm1, self.norm2
    if self.norm_first:
        h = first(x)
        _, w = self.self_attn(h, h, h, mask)
        return x + self.dropout(self.feed_forward(second(x))), w
    _, w = self.self_attn(x, x, x, mask)
    return second(x + self.dropout(self.feed_forward(x))), w


@wrong("weights of a second call")
def asks_the_raw_tokens_again(self: Any, x: Tensor, mask: Any) -> Any:
    _, w = self.self_attn(x, x, x, mask)
    h = self.norm1(x) if self.norm_first else x
    y = x + self.dropout(self.self_attn(h, h, h, mask)[0])
    if self.norm_first:
        return y + self.dropout(self.feed_forward(self.norm2(y))), w
    y = self.norm1(y)
    return self.norm2(y + self.dropout(self.feed_forward(y))), w


@wrong("weights of a second call")
def asks_once_more_at_the_end(self: Any, x: Tensor, mask: Any) -> Any:
    reads = self.norm1 if self.norm_first else (lambda t: t)
    y = x + self.dropout(self.self_attn(reads(x), reads(x), reads(x), mask)[0])
    if self.norm_first:
        y = y + self.dropout(self.feed_forward(self.norm2(y)))
    else:
        y = self.norm1(y)
        y = self.norm2(y + self.dropout(self.feed_forward(y)))
    return y, self.self_attn(y, y, y, mask)[1]


@wrong("weights of a second call")
def asks_again_without_the_mask(self: Any, x: Tensor, mask: Any) -> Any:
    read = self.norm1(x) if self.norm_first else x
    _, w = self.self_attn(read, read, read)
    y, _ = by("norm1", "norm2")(self, x, mask)
    return y, w


@wrong("norm and dropout exchanged")
def normalizes_what_is_added(self: Any, x: Tensor, mask: Any) -> Any:
    if self.norm_first:
        h = self.dropout(x)
        a, w = self.self_attn(h, h, h, mask)
        x = x + self.norm1(a)
        return x + self.norm2(self.feed_forward(self.dropout(x))), w
    a, w = self.self_attn(x, x, x, mask)
    x = self.dropout(x + self.norm1(a))
    return self.dropout(x + self.norm2(self.feed_forward(x))), w


@wrong("feed-forward network on the wrong tensor")
def feeds_the_input(self: Any, x: Tensor, mask: Any) -> Any:
    if self.norm_first:
        h = self.norm1(x)
        a, w = self.self_attn(h, h, h, mask)
        return x + self.dropout(a) + self.dropout(self.feed_forward(self.norm2(x))), w
    a, w = self.self_attn(x, x, x, mask)
    y = self.norm1(x + self.dropout(a))
    return self.norm2(y + self.dropout(self.feed_forward(x))), w


@wrong("feed-forward network on the wrong tensor")
def feeds_what_was_found(self: Any, x: Tensor, mask: Any) -> Any:
    if self.norm_first:
        h = self.norm1(x)
        a, w = self.self_attn(h, h, h, mask)
        y = x + self.dropout(a)
        return y + self.dropout(self.feed_forward(self.norm2(a))), w
    a, w = self.self_attn(x, x, x, mask)
    y = self.norm1(x + self.dropout(a))
    return self.norm2(y + self.dropout(self.feed_forward(a))), w


@wrong("feed-forward network on the wrong tensor")
def feeds_the_input_in_post_norm(self: Any, x: Tensor, mask: Any) -> Any:
    if not self.norm_first:
        a, w = self.self_attn(x, x, x, mask)
        return self.norm2(self.norm1(x + self.dropout(a)) + self.dropout(self.feed_forward(x))), w
    h = self.norm1(x)
    a, w = self.self_attn(h, h, h, mask)
    x = x + self.dropout(a)
    return x + self.dropout(self.feed_forward(self.norm2(x))), w


@wrong("feed-forward network on the wrong tensor")
def feeds_the_first_norm(self: Any, x: Tensor, mask: Any) -> Any:
    h = self.norm1(x) if self.norm_first else x
    a, w = self.self_attn(h, h, h, mask)
    x = x + self.dropout(a)
    if self.norm_first:
        return x + self.dropout(self.feed_forward(h)), w
    x = self.norm1(x)
    return self.norm2(x + self.dropout(self.feed_forward(x))), w


@wrong("added twice")
def twice_the_token(self: Any, x: Tensor, mask: Any) -> Any:
    if self.norm_first:
        h = self.norm1(x)
        a, w = self.self_attn(h, h, h, mask)
        x = 2 * x + self.dropout(a)
        return 2 * x + self.dropout(self.feed_forward(self.norm2(x))), w
    a, w = self.self_attn(x, x, x, mask)
    x = x + self.norm1(x + self.dropout(a))
    return x + self.norm2(x + self.dropout(self.feed_forward(x))), w


def adding(attended: bool, thought: bool) -> Callable:
    """A forward whose sublayers return their tokens with what they made of them, and are added to as well."""

    def forward(self: Any, x: Tensor, mask: Any) -> Any:
        h = self.norm1(x) if self.norm_first else x
        a, w = self.self_attn(h, h, h, mask)
        x = x + self.dropout(torch.add(h, a) if attended else a)
        x = x if self.norm_first else self.norm1(x)
        h = self.norm2(x) if self.norm_first else x
        f = self.feed_forward(h)
        x = x + self.dropout(torch.add(h, f) if thought else f)
        return x if self.norm_first else self.norm2(x), w

    return forward


for added_too in ((True, True), (True, False), (False, True)):
    wrong("added twice")(adding(*added_too))


@wrong("added twice")
def token_token_and_what_it_found(self: Any, x: Tensor, mask: Any) -> Any:
    h = self.norm1(x) if self.norm_first else x
    a, w = self.self_attn(h, h, h, mask)
    x = torch.stack([x, x, self.dropout(a)]).sum(0)
    x = x if self.norm_first else self.norm1(x)
    x = 2 * x + self.dropout(self.feed_forward(self.norm2(x) if self.norm_first else x))
    return x if self.norm_first else self.norm2(x), w


@wrong("written over in place")
def writes_over(self: Any, x: Tensor, mask: Any) -> Any:
    h = self.norm1(x) if self.norm_first else x
    a, w = self.self_attn(h, h, h, mask)
    x += self.dropout(a)
    if self.norm_first:
        x += self.dropout(self.feed_forward(self.norm2(x)))
        return x, w
    x = self.norm1(x)
    x += self.dropout(self.feed_forward(x))
    return self.norm2(x), w


@wrong("written over in place")
def writes_over_in_pre_norm(self: Any, x: Tensor, mask: Any) -> Any:
    if self.norm_first:
        h = self.norm1(x)
        a, w = self.self_attn(h, h, h, mask)
        x += self.dropout(a)
        x += self.dropout(self.feed_forward(self.norm2(x)))
        return x, w
    a, w = self.self_attn(x, x, x, mask)
    x = self.norm1(x + self.dropout(a))
    return self.norm2(x + self.dropout(self.feed_forward(x))), w


# Norms ----------------------------------------------------------------------------


def by(one: str, two: str) -> Callable:
    """The right forward with these norms."""

    def forward(self: Any, x: Tensor, mask: Any) -> Any:
        norm_1, norm_2 = getattr(self, one, nn.Identity()), getattr(self, two, nn.Identity())
        h = norm_1(x) if self.norm_first else x
        a, w = self.self_attn(h, h, h, mask)
        x = x + self.dropout(a)
        x = x if self.norm_first else norm_1(x)
        h = norm_2(x) if self.norm_first else x
        x = x + self.dropout(self.feed_forward(h))
        return x if self.norm_first else norm_2(x), w

    return forward


class OneNorm(Base):
    """One norm under both names."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.norm1 = self.norm2


class NormAlone(Base):
    """One norm, called norm."""

    def __init__(self, d_model: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(d_model, *args, **kwargs)
        del self.norm1, self.norm2
        self.norm = nn.LayerNorm(d_model)


wrong("norms swapped")(by("norm2", "norm1"))
wrong("one norm for both sublayers")(by("norm1", "norm1"))
wrong("one norm for both sublayers")(by("norm2", "norm2"))
wrong("one norm for both sublayers", OneNorm)(by("norm1", "norm2"))
wrong("one norm for both sublayers", NormAlone)(by("norm", "norm"))
wrong("a norm left out")(by("nothing", "norm2"))
wrong("a norm left out")(by("norm1", "nothing"))
wrong("a norm left out")(by("nothing", "nothing"))


@wrong("norm_first ignored")
def as_in_the_paper(self: Any, x: Tensor, mask: Any) -> Any:
    a, w = self.self_attn(x, x, x, mask)
    x = F.layer_norm(x + self.dropout(a), x.shape[-1:], self.norm1.weight, self.norm1.bias)
    return self.norm2(x + self.dropout(self.feed_forward(x))), w


@wrong("norm_first ignored")
def as_of_late(self: Any, x: Tensor, mask: Any) -> Any:
    h = self.norm1(x)
    a, w = self.self_attn(h, h, h, mask)
    x = x + self.dropout(a)
    return x + self.dropout(self.feed_forward(self.norm2(x))), w


@wrong("norm_first the wrong way round")
def other_form(self: Any, x: Tensor, mask: Any) -> Any:
    return (as_in_the_paper if self.norm_first else as_of_late)(self, x, mask)


@wrong("norm before the addition")
def norm_inside(self: Any, x: Tensor, mask: Any) -> Any:
    if self.norm_first:
        return as_of_late(self, x, mask)
    a, w = self.self_attn(x, x, x, mask)
    x = x + self.norm1(self.dropout(a))
    return x + self.norm2(self.dropout(self.feed_forward(x))), w


@wrong("sum normalized in pre-norm")
def both_ends(self: Any, x: Tensor, mask: Any) -> Any:
    if not self.norm_first:
        return as_in_the_paper(self, x, mask)
    h = self.norm1(x)
    a, w = self.self_attn(h, h, h, mask)
    x = self.norm1(x + self.dropout(a))
    return self.norm2(x + self.dropout(self.feed_forward(self.norm2(x)))), w


@wrong("normalized tokens added in pre-norm")
def stream_lost(self: Any, x: Tensor, mask: Any) -> Any:
    if not self.norm_first:
        return as_in_the_paper(self, x, mask)
    x = self.norm1(x)
    a, w = self.self_attn(x, x, x, mask)
    x = self.norm2(x + self.dropout(a))
    return x + self.dropout(self.feed_forward(x)), w


@wrong("normalized once more")
def norms_again(self: Any, x: Tensor, mask: Any) -> Any:
    if self.norm_first:
        return both_ends(self, x, mask)
    a, w = self.self_attn(x, x, x, mask)
    x = self.norm1(self.norm1(x + self.dropout(a)))
    return self.norm2(self.norm2(x + self.dropout(self.feed_forward(x)))), w


@wrong("keys or values not normalized")
def raw_keys(self: Any, x: Tensor, mask: Any) -> Any:
    if not self.norm_first:
        return as_in_the_paper(self, x, mask)
    a, w = self.self_attn(self.norm1(x), x, x, mask)
    x = x + self.dropout(a)
    return x + self.dropout(self.feed_forward(self.norm2(x))), w


@wrong("query not normalized")
def raw_query(self: Any, x: Tensor, mask: Any) -> Any:
    read = self.norm1(x) if self.norm_first else x
    a, w = self.self_attn(query=x, key=read, value=read, mask=mask)
    x = x + self.dropout(a)
    x = x if self.norm_first else self.norm1(x)
    x = x + self.dropout(self.feed_forward(self.norm2(x) if self.norm_first else x))
    return x if self.norm_first else self.norm2(x), w


@wrong("attention reads raw tokens in pre-norm")
def raw_reading(self: Any, x: Tensor, mask: Any) -> Any:
    if not self.norm_first:
        return as_in_the_paper(self, x, mask)
    self.norm1(x)
    a, w = self.self_attn(x, x, x, mask)
    x = x + self.dropout(a)
    return x + self.dropout(self.feed_forward(self.norm2(x))), w


@wrong("norm_first in one step only")
def first_step_only(self: Any, x: Tensor, mask: Any) -> Any:
    h = self.norm1(x) if self.norm_first else x
    a, w = self.self_attn(h, h, h, mask)
    x = x + self.dropout(a)
    x = x if self.norm_first else self.norm1(x)
    return self.norm2(x + self.dropout(self.feed_forward(x))), w


@wrong("norm_first in one step only")
def second_step_only(self: Any, x: Tensor, mask: Any) -> Any:
    a, w = self.self_attn(x, x, x, mask)
    x = self.norm1(x + self.dropout(a))
    if self.norm_first:
        return x + self.dropout(self.feed_forward(self.norm2(x))), w
    return self.norm2(x + self.dropout(self.feed_forward(x))), w


@wrong("a norm left out")
def raw_thinking(self: Any, x: Tensor, mask: Any) -> Any:
    if not self.norm_first:
        return as_in_the_paper(self, x, mask)
    h = self.norm1(x)
    a, w = self.self_attn(h, h, h, mask)
    x = x + self.dropout(a)
    return x + self.dropout(self.feed_forward(x)), w


# Dropout ----------------------------------------------------------------------------


def dropping(added: Callable, *, read: Any = None, end: Any = None, kept: Any = None, second: Any = None) -> Callable:
    """A forward whose dropouts act on what is added, read, the sum, the residual; `second` for the second sublayer."""

    def forward(self: Any, x: Tensor, mask: Any) -> Any:
        def on(what: Any, h: Tensor) -> Tensor:
            return h if what is None else what(self, h)

        def around(x: Tensor, sublayer: Callable, norm: nn.Module, add: Any) -> Tensor:
            h = on(read, norm(x) if self.norm_first else x)
            x = on(kept, x) + on(add, sublayer(h))
            return on(end, x) if self.norm_first else norm(on(end, x))

        found: list[Tensor] = []

        def attend(h: Tensor) -> Tensor:
            a, w = self.self_attn(h, h, h, mask)
            found.append(w)
            return a

        x = around(x, attend, self.norm1, added)
        return around(x, self.feed_forward, self.norm2, second or added), found[0]

    return forward


def drops(self: Any, h: Tensor) -> Tensor:
    """Dropout that follows the mode."""
    return F.dropout(h, self.dropout.p, self.training)


def whole(self: Any, h: Tensor) -> Tensor:
    """No dropout."""
    return h


def always(self: Any, h: Tensor) -> Tensor:
    """Dropout that does not follow the mode."""
    return F.dropout(h, self.dropout.p)


wrong("a dropout left out")(dropping(whole))
wrong("a dropout left out")(dropping(whole, second=drops))
wrong("a dropout left out")(dropping(drops, second=whole))
wrong("dropout on the sum")(dropping(whole, end=drops))


def dropping_one_sum(first: bool) -> Callable:
    """A forward in which one of the two sums goes through dropout."""

    def forward(self: Any, x: Tensor, mask: Any) -> Any:
        read = self.norm1(x) if self.norm_first else x
        a, w = self.self_attn(read, read, read, mask)
        x = drops(self, x + a) if first else x + drops(self, a)
        x = x if self.norm_first else self.norm1(x)
        f = self.feed_forward(self.norm2(x) if self.norm_first else x)
        x = x + drops(self, f) if first else drops(self, x + f)
        return x if self.norm_first else self.norm2(x), w

    return forward


wrong("dropout on the sum")(dropping_one_sum(True))
wrong("dropout on the sum")(dropping_one_sum(False))
wrong("dropout on the residual")(dropping(whole, kept=drops))
wrong("dropout on what a sublayer reads")(dropping(whole, read=drops))
wrong("dropout in evaluation")(dropping(always))


@wrong("dropout after the norm")
def last_of_all(self: Any, x: Tensor, mask: Any) -> Any:
    if self.norm_first:
        return as_of_late(self, x, mask)
    a, w = self.self_attn(x, x, x, mask)
    x = self.dropout(self.norm1(x + a))
    return self.dropout(self.norm2(x + self.feed_forward(x))), w


@wrong("dropout after the norm")
def after_each_norm(self: Any, x: Tensor, mask: Any) -> Any:
    if self.norm_first:
        h = self.dropout(self.norm1(x))
        a, w = self.self_attn(h, h, h, mask)
        x = x + a
        return x + self.feed_forward(self.dropout(self.norm2(x))), w
    return last_of_all(self, x, mask)


class NothingHanded(Base):
    """The parts never drop."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first)
        self.self_attn.drop = self.feed_forward.drop = nn.Identity()


class AttentionNotHanded(Base):
    """Attention never drops."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first)
        self.self_attn = Attend(d_model, num_heads)


class FeedNotHanded(Base):
    """The feed-forward network never drops."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first)
        self.feed_forward.drop.p = 0.0


class Half(Base):
    """Drops half, whatever is asked for."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.dropout = nn.Dropout(p=0.5)


for one_base in (NothingHanded, AttentionNotHanded, FeedNotHanded, Half):
    wrong("dropout not handed to the parts", one_base)(by("norm1", "norm2"))

# Masks ----------------------------------------------------------------------------


def masking(change: Callable[[Any, Tensor, Any], Any]) -> Callable:
    """The right forward with another mask, made from (self, x, mask)."""

    def forward(self: Any, x: Tensor, mask: Any) -> Any:
        return by("norm1", "norm2")(self, x, change(self, x, mask))

    return forward


def past(self: Any, x: Tensor, mask: Any) -> Tensor:
    """Causal."""
    places = torch.arange(x.size(1))
    return places[:, None] >= places


def before(x: Tensor) -> Tensor:
    """Causal, and a token does not see itself."""
    places = torch.arange(x.size(1))
    return places[:, None] > places


wrong("mask not passed on")(masking(lambda self, x, mask: None))
wrong("mask not passed on")(masking(lambda self, x, mask: mask if self.norm_first else None))
wrong("mask not passed on")(masking(lambda self, x, mask: None if self.norm_first else mask))
wrong("mask inverted")(masking(lambda self, x, mask: mask if mask is None else mask.logical_not()))
wrong("mask on the queries")(masking(lambda self, x, mask: mask if mask is None else mask.swapaxes(2, 3)))
wrong("mask on the queries as well")(
    masking(lambda self, x, mask: mask if mask is None else mask.logical_and(mask.transpose(3, 2)))
)
wrong("causal")(masking(past))
wrong("causal")(masking(lambda self, x, mask: past(self, x, mask) & (True if mask is None else mask)))
wrong("causal")(masking(lambda self, x, mask: past(self, x, mask) if mask is None else mask))
wrong("causal")(masking(lambda self, x, mask: mask if mask is None else past(self, x, mask).logical_and(mask)))
wrong("causal")(masking(lambda self, x, mask: before(x) if mask is None else before(x) & mask))
wrong("past hidden")(masking(lambda self, x, mask: past(self, x, mask).mT & (True if mask is None else mask)))

# Results and parts ----------------------------------------------------------------------------


def weighing(change: Callable[[Any, Tensor, Tensor], Any]) -> Callable:
    """The right forward with other weights, made from (self, output, weights)."""

    def forward(self: Any, x: Tensor, mask: Any) -> Any:
        x, w = by("norm1", "norm2")(self, x, mask)
        return x, change(self, x, w)

    return forward


wrong("weights averaged over the heads")(weighing(lambda self, x, w: w.sum(1) / w.size(1)))
wrong("weights averaged over the heads")(weighing(lambda self, x, w: torch.stack(w.unbind(1)).mean(0)))
wrong("weights returned after dropout")(weighing(lambda self, x, w: drops(self, w)))


def returning(mistake: str) -> Any:
    """A layer from what its forward returns, given (output, weights, return_weights)."""

    def add(back: Callable) -> Any:
        class Returns(Base):
            def forward(self, x: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
                return back(*by("norm1", "norm2")(self, x, mask), return_weights)

        disguise("EncoderLayer", mistake)(Returns)
        return back

    return add


returning("weights not returned")(lambda x, w, asked: x)
returning("weights always returned")(lambda x, w, asked: [x, w])
returning("weights always returned")(lambda x, w, asked: (x, w if asked else None))
returning("return_weights the wrong way round")(lambda x, w, asked: (x, w) if not asked else x)
returning("None for the weights")(lambda x, w, asked: (x, None) if asked else x)
returning("weights in a list")(lambda x, w, asked: (x, (w,)) if asked else x)
returning("weights and output swapped")(lambda x, w, asked: (w, x) if asked else x)


@wrong("no feed-forward network")
def attention_alone(self: Any, x: Tensor, mask: Any) -> Any:
    h = self.norm1(x) if self.norm_first else x
    a, w = self.self_attn(h, h, h, mask)
    x = x + self.dropout(a)
    return x if self.norm_first else self.norm1(x), w


@wrong("attention in both steps")
def attends_once_more(self: Any, x: Tensor, mask: Any) -> Any:
    seen = []
    for norm in (self.norm1, self.norm2):
        read = norm(x) if self.norm_first else x
        a, w = self.self_attn(read, read, read, mask)
        seen.append(w)
        x = x + self.dropout(a)
        x = x if self.norm_first else norm(x)
    return x, seen[0]


@wrong("feed-forward network before attention")
def thinks_first(self: Any, x: Tensor, mask: Any) -> Any:
    if self.norm_first:
        x = x + self.dropout(self.feed_forward(self.norm2(x)))
        h = self.norm1(x)
        a, w = self.self_attn(h, h, h, mask)
        return x + self.dropout(a), w
    x = self.norm2(x + self.dropout(self.feed_forward(x)))
    a, w = self.self_attn(x, x, x, mask)
    return self.norm1(x + self.dropout(a)), w


class OneLinear(Base):
    """One matrix for the feed-forward network."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first)
        self.feed_forward = nn.Linear(d_model, d_model)


class OtherWidth(Base):
    """As wide as the paper's."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first)
        self.feed_forward = Feed(d_model, d_model * 4, dropout)


wrong("one linear layer for the feed-forward network", OneLinear)(by("norm1", "norm2"))
wrong("d_ff ignored", OtherWidth)(by("norm1", "norm2"))


@disguise("EncoderLayer", "no residuals + one linear layer for the feed-forward network")
class Article(OneLinear):
    """As articles have it."""

    def forward(self, x: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
        out, w = a_chain(self, x, mask)
        return (out, w) if return_weights else out


@wrong("norms swapped + a dropout left out")
def two_slips(self: Any, x: Tensor, mask: Any) -> Any:
    if self.norm_first:
        h = self.norm2(x)
        a, w = self.self_attn(h, h, h, mask)
        return x + a + self.feed_forward(self.norm1(x + a)), w
    a, w = self.self_attn(x, x, x, mask)
    x = self.norm2(x + a)
    return self.norm1(x + self.feed_forward(x)), w


# EncoderLayer, right ----------------------------------------------------------------------------

layer("correct")(by("norm1", "norm2"))
layer("correct")(dropping(drops))


@layer("correct")
def two_branches(self: Any, x: Tensor, mask: Any) -> Any:
    return (as_of_late if self.norm_first else as_in_the_paper)(self, x, mask)


@layer("correct")
def weights_by_hook(self: Any, x: Tensor, mask: Any) -> Any:
    seen: list[Tensor] = []
    handle = self.self_attn.register_forward_hook(lambda module, given, result: seen.append(result[1]))
    x, _ = by("norm1", "norm2")(self, x, mask)
    handle.remove()
    return x, seen.pop()


@layer("correct")
def weights_from_a_call_of_their_own(self: Any, x: Tensor, mask: Any) -> Any:
    read = self.norm1(x) if self.norm_first else x
    _, w = self.self_attn(read, read, read, mask)
    return by("norm1", "norm2")(self, x, mask)[0], w


@layer("correct")
def steps_in_a_list(self: Any, x: Tensor, mask: Any) -> Any:
    found = {}

    def attend(h: Tensor) -> Tensor:
        a, found["w"] = self.self_attn(query=h, key=h, value=h, mask=mask)
        return a

    for sublayer, norm in zip((attend, self.feed_forward), (self.norm1, self.norm2), strict=True):
        before, after = (norm, nn.Identity()) if self.norm_first else (nn.Identity(), norm)
        x = after(torch.add(x, self.dropout(sublayer(before(x)))))
    return x, found["w"]


@layer("correct")
def by_partial(self: Any, x: Tensor, mask: Any) -> Any:
    attend = functools.partial(self.self_attn, mask=mask)
    both = functools.reduce(
        lambda h, step: step(h),
        [self.norm1] if self.norm_first else [],
        x,
    )
    a, w = attend(both, both, both)
    x = x + self.dropout(a)
    if not self.norm_first:
        x = self.norm1(x)
    h = self.feed_forward(self.norm2(x) if self.norm_first else x)
    x = x + self.dropout(h)
    return (x, w) if self.norm_first else (self.norm2(x), w)


@layer("correct")
def sentence_by_sentence(self: Any, x: Tensor, mask: Any) -> Any:
    outputs, weights = [], []
    for i in range(len(x)):
        own = None if mask is None else mask.expand(len(x), -1, -1, -1)[i : i + 1]
        out, w = by("norm1", "norm2")(self, x[i : i + 1], own)
        outputs.append(out)
        weights.append(w)
    return torch.cat(outputs), torch.cat(weights)


@layer("correct")
def feeds_token_by_token(self: Any, x: Tensor, mask: Any) -> Any:
    h = self.norm1(x) if self.norm_first else x
    a, w = self.self_attn(h, h, h, mask)
    x = x + self.dropout(a)
    x = x if self.norm_first else self.norm1(x)
    made = [self.feed_forward(self.norm2(t) if self.norm_first else t) for t in x.unbind(1)]
    x = x + self.dropout(torch.stack(made, 1))
    return x if self.norm_first else self.norm2(x), w


@layer("correct")
def written_into_a_new_tensor(self: Any, x: Tensor, mask: Any) -> Any:
    """In place, and harmless: only tensors of its own that nobody needs again."""
    h = self.norm1(x) if self.norm_first else x
    a, w = self.self_attn(h, h, h, mask)
    a = self.dropout(a) * 1.0
    a += x
    x = a if self.norm_first else self.norm1(a)
    f = self.dropout(self.feed_forward(self.norm2(x) if self.norm_first else x)) * 1.0
    f += x
    return f if self.norm_first else self.norm2(f), w


@correct("EncoderLayer")
class AsTorchHasIt(nn.Module):
    """Two dropouts, other attributes, another order, the feed-forward network written out."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__()
        self.dropout1, self.dropout2 = nn.Dropout(dropout), nn.Dropout(dropout)
        for name in ("norm2", "norm1"):
            self.add_module(name, nn.LayerNorm(d_model, eps=1e-5))
        self.feed_forward = nn.ModuleDict({"linear2": nn.Linear(d_ff, d_model), "linear1": nn.Linear(d_model, d_ff)})
        self.inner = nn.Dropout(dropout)
        self.self_attn = Attend(d_model, num_heads, dropout)
        self.pre = norm_first

    def _sa(self, x: Tensor, mask: Any) -> Tensor:
        a, self.seen = self.self_attn(x, x, x, mask)
        return self.dropout1(a)

    def _ff(self, x: Tensor) -> Tensor:
        hidden = self.inner(F.relu(self.feed_forward["linear1"](x)))
        return self.dropout2(self.feed_forward["linear2"](hidden))

    def forward(self, x: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
        if self.pre:
            x = x + self._sa(self.norm1(x), mask)
            x = x + self._ff(self.norm2(x))
        else:
            x = self.norm1(x + self._sa(x, mask))
            x = self.norm2(x + self._ff(x))
        if return_weights:
            return [x, self.seen]
        return x


@correct("EncoderLayer")
class Fused(Base):
    """Fused attention for the output, weights by hand only when asked."""

    def forward(self, x: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
        h = self.norm1(x) if self.norm_first else x
        sa = self.self_attn
        q, k, v = (
            one(h).unflatten(-1, (sa.num_heads, -1)).transpose(1, 2) for one in (sa.q_proj, sa.k_proj, sa.v_proj)
        )
        p = sa.drop.p if self.training else 0.0
        a = F.scaled_dot_product_attention(q, k, v, mask, dropout_p=p).nan_to_num(0.0)
        y = x + self.dropout(sa.out_proj(a.transpose(1, 2).flatten(2)))
        y = y if self.norm_first else self.norm1(y)
        y = y + self.dropout(self.feed_forward(self.norm2(y) if self.norm_first else y))
        y = y if self.norm_first else self.norm2(y)
        return (y, share(q @ k.mT / math.sqrt(q.size(-1)), mask)) if return_weights else y


@layer("correct")
def each_form_a_loop(self: Any, x: Tensor, mask: Any) -> Any:
    seen: list[Tensor] = []

    def attend(h: Tensor) -> Tensor:
        a, w = self.self_attn(key=h, value=h, query=h, mask=mask)
        seen.append(w)
        return a

    def same(h: Tensor) -> Tensor:
        return h

    for sublayer, norm in ((attend, self.norm1), (self.feed_forward, self.norm2)):
        first, last = (norm, same) if self.norm_first else (same, norm)
        x = last(x.double().add(self.dropout(sublayer(first(x)))).to(x.dtype))
    return x, seen.pop()


# EncoderLayer, wrong in other ways ----------------------------------------------------------------------------


@layer("unlisted")
def halved_sums(self: Any, x: Tensor, mask: Any) -> Any:
    if not self.norm_first:
        return as_in_the_paper(self, x, mask)
    h = self.norm1(x)
    a, w = self.self_attn(h, h, h, mask)
    x = (x + self.dropout(a)) / 2**0.5
    return (x + self.dropout(self.feed_forward(self.norm2(x)))) / 2**0.5, w


@layer("unlisted")
def the_input_once_more(self: Any, x: Tensor, mask: Any) -> Any:
    y, w = by("norm1", "norm2")(self, x, mask)
    return x + y, w


@layer("unlisted")
def no_relu(self: Any, x: Tensor, mask: Any) -> Any:
    h = self.norm1(x) if self.norm_first else x
    a, w = self.self_attn(h, h, h, mask)
    x = x + self.dropout(a)
    x = x if self.norm_first else self.norm1(x)
    f = self.feed_forward
    x = x + self.dropout(f.linear2(f.linear1(self.norm2(x) if self.norm_first else x)))
    return x if self.norm_first else self.norm2(x), w


@layer("unlisted")
def no_bias_in_the_norm(self: Any, x: Tensor, mask: Any) -> Any:
    y, w = by("norm1", "norm2")(self, x, mask)
    return (y if self.norm_first else y - self.norm2.bias), w


@layer("unlisted")
def attends_twice(self: Any, x: Tensor, mask: Any) -> Any:
    h = self.norm1(x) if self.norm_first else x
    a, w = self.self_attn(h, h, h, mask)
    a, w = self.self_attn(a, a, a, mask)
    x = x + self.dropout(a)
    x = x if self.norm_first else self.norm1(x)
    x = x + self.dropout(self.feed_forward(self.norm2(x) if self.norm_first else x))
    return x if self.norm_first else self.norm2(x), w


@layer("unlisted")
def detached(self: Any, x: Tensor, mask: Any) -> Any:
    y, w = by("norm1", "norm2")(self, x, mask)
    return y.detach(), w


@layer("unlisted")
def looks_at_others_only(self: Any, x: Tensor, mask: Any) -> Any:
    others = ~torch.eye(x.size(1), dtype=torch.bool)
    return by("norm1", "norm2")(self, x, others if mask is None else mask & others)


@layer("unlisted")
def output_for_weights(self: Any, x: Tensor, mask: Any) -> Any:
    y, _ = by("norm1", "norm2")(self, x, mask)
    return y, y


@layer("unlisted")
def padding_zeroed(self: Any, x: Tensor, mask: Any) -> Any:
    y, w = by("norm1", "norm2")(self, x, mask)
    return (y if mask is None else y * mask.any(1)[:, 0, :, None]), w


@layer("unlisted")
def normed_over_the_sentence(self: Any, x: Tensor, mask: Any) -> Any:
    x = (x - x.mean(1, keepdim=True)) / (x.var(1, correction=0, keepdim=True) + 1e-5).sqrt()
    return by("norm1", "norm2")(self, x, mask)


@layer("unlisted")
def remembers_the_mask(self: Any, x: Tensor, mask: Any) -> Any:
    mask = getattr(self, "old", None) if mask is None else mask
    if mask is not None and mask.size(-1) == x.size(1) and mask.size(0) in (1, x.size(0)):
        self.old = mask
    else:
        mask = None
    return by("norm1", "norm2")(self, x, mask)


@layer("unlisted")
def subtracts(self: Any, x: Tensor, mask: Any) -> Any:
    read = self.norm1(x) if self.norm_first else x
    a, w = self.self_attn(read, read, read, mask)
    x = x - self.dropout(a)
    x = x if self.norm_first else self.norm1(x)
    x = x + self.dropout(self.feed_forward(self.norm2(x) if self.norm_first else x))
    return x if self.norm_first else self.norm2(x), w


class Gelu(Base):
    """BERT's activation."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        f = self.feed_forward
        f.forward = lambda x: f.linear2(f.drop(F.gelu(f.linear1(x))))


layer("unlisted", base=Gelu)(by("norm1", "norm2"))


class Third(Base):
    """A norm of its own at the end."""

    def __init__(self, d_model: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(d_model, *args, **kwargs)
        self.norm3 = nn.LayerNorm(d_model)


@layer("unlisted", base=Third)
def third_norm(self: Any, x: Tensor, mask: Any) -> Any:
    y, w = by("norm1", "norm2")(self, x, mask)
    return self.norm3(y), w


# Encoder ----------------------------------------------------------------------------


class Good(Base):
    """A right layer, for the stacks."""

    def forward(self, x: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
        """As it should be."""
        x, w = by("norm1", "norm2")(self, x, mask)
        return (x, w) if return_weights else x


Sizes = tuple[int, int, int, float, bool]


def new_layers(n: int, sizes: Sizes) -> nn.ModuleList:
    """n layers, each anew."""
    found = nn.ModuleList()
    for _ in range(n):
        found.append(Good(*sizes))
    return found


def final_norm(n: int, sizes: Sizes, layers: Any) -> Any:
    """The right final norm."""
    return nn.LayerNorm(sizes[0]) if sizes[-1] else None


def run(self: Any, x: Tensor, mask: Any) -> tuple[Tensor, list[Tensor]]:
    """The right way through a stack."""
    seen = []
    for i in range(len(self.layers)):
        x, w = self.layers[i](x, mask, True)
        seen += [w]
    return (x if self.norm is None else self.norm(x)), seen


def answer(x: Any, weights: Any, asked: bool) -> Any:
    """The right answer."""
    return (x, weights) if asked else x


def stack(
    kind: str,
    mistake: str = "",
    *,
    layers: Callable = new_layers,
    norm: Callable = final_norm,
    through: Callable = run,
    back: Callable = answer,
    sizes: Callable[[Sizes], tuple] = lambda sizes: sizes,
) -> None:
    """An Encoder that differs from a right one in the parts that are given."""

    class Stack(nn.Module):
        def __init__(
            self,
            num_layers: int,
            d_model: int,
            num_heads: int,
            d_ff: int,
            dropout: float = 0.0,
            norm_first: bool = False,
        ) -> None:
            super().__init__()
            given = (d_model, num_heads, d_ff, dropout, norm_first)
            self.layers = layers(num_layers, sizes(given))
            self.norm = norm(num_layers, given, self.layers)

        def forward(self, x: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
            return back(*through(self, x, mask), return_weights)

    mark(kind, "Encoder", mistake)(Stack)


def bad(mistake: str, **parts: Any) -> None:
    """A disguise of Encoder."""
    stack("disguise", mistake, **parts)


def one_for_all(n: int, sizes: Sizes) -> nn.ModuleList:
    """One layer, n times."""
    only = Good(*sizes)
    return nn.ModuleList([only for _ in range(n)])


def last_layer_again(self: Any, x: Tensor, mask: Any) -> Any:
    """n layers of which one runs n times."""
    seen = []
    for _ in self.layers:
        x, w = self.layers[0](x, mask, True)
        seen.append(w)
    return (x if self.norm is None else self.norm(x)), seen


bad("one layer for all", layers=one_for_all)
bad("one layer for all", through=last_layer_again)
bad("layers in a plain list", layers=lambda n, sizes: [Good(*sizes) for _ in range(n)])
bad("wrong number of layers", layers=lambda n, sizes: new_layers(1, sizes))
bad("wrong number of layers", layers=lambda n, sizes: new_layers(n + 1, sizes))
bad("wrong number of layers", layers=lambda n, sizes: new_layers(len(range(1, n)), sizes))
bad("wrong number of layers", layers=lambda n, sizes: new_layers(6, sizes))
bad("final norm in post-norm", norm=lambda n, sizes, layers: nn.LayerNorm(sizes[0]))
bad("no final norm in pre-norm", norm=lambda n, sizes, layers: None)
bad("final norm the wrong way round", norm=lambda n, sizes, layers: None if sizes[4] else nn.LayerNorm(sizes[0]))
bad("final norm shared with a layer", norm=lambda n, sizes, layers: layers[n - 1].norm2 if sizes[4] else None)


def unnormed(self: Any, x: Tensor, mask: Any) -> Any:
    """The final norm is there and idle."""
    seen = []
    for one in self.layers:
        x, w = one(x, mask=mask, return_weights=True)
        seen.append(w)
    return x, seen


bad("no final norm in pre-norm", through=unnormed)


def normed_each_time(self: Any, x: Tensor, mask: Any) -> Any:
    """The final norm acts after each layer."""
    seen = []
    for one in self.layers:
        x, w = one(x, mask=mask, return_weights=True)
        seen.append(w)
        if self.norm is not None:
            x = self.norm(x)
    return x, seen


def normed_each_time_and_after(self: Any, x: Tensor, mask: Any) -> Any:
    """... and once more."""
    x, seen = normed_each_time(self, x, mask)
    return (self.norm(x) if self.norm else x), seen


bad("final norm after every layer", through=normed_each_time)
bad("final norm after every layer", through=normed_each_time_and_after)
bad("final norm before the layers", through=lambda s, x, m: unnormed(s, s.norm(x) if s.norm else x, m))


def upside_down(self: Any, x: Tensor, mask: Any) -> Any:
    """The last layer first."""
    seen = []
    for one in list(self.layers)[::-1]:
        x, w = one(x, mask, True)
        seen.append(w)
    return (self.norm(x) if self.norm else x), seen


def each_from_the_start(self: Any, x: Tensor, mask: Any) -> Any:
    """All layers read the input."""
    pairs = [one(x, mask, True) for one in self.layers]
    output = pairs[-1][0]
    return (self.norm(output) if self.norm else output), [w for _, w in pairs]


def out_too_early(self: Any, x: Tensor, mask: Any) -> Any:
    """return stands inside the loop."""
    seen = []
    for one in self.layers:
        x, w = one(x, mask, True)
        seen.append(w)
        if self.norm is not None:
            x = self.norm(x)
        return x, seen
    return x, seen


def out_at_once(self: Any, x: Tensor, mask: Any) -> Any:
    """... and the norm is not reached."""
    x, w = self.layers[0](x, mask, True)
    return x, [w]


def added_around(self: Any, x: Tensor, mask: Any) -> Any:
    """x + layer(x)."""
    seen = []
    for one in self.layers:
        y, w = one(x, mask, True)
        x = y + x
        seen.append(w)
    return (self.norm(x) if self.norm else x), seen


def masked_once(self: Any, x: Tensor, mask: Any) -> Any:
    """The mask for the first layer."""
    seen = []
    for i, one in enumerate(self.layers):
        x, w = one(x, mask if i == 0 else None, True)
        seen.append(w)
    return (self.norm(x) if self.norm else x), seen


def lost(self: Any, x: Tensor, mask: Any) -> Any:
    """Nobody takes what a layer returns."""
    seen = [one(x, mask, True)[1] for one in self.layers]
    return (self.norm(x) if self.norm else x), seen


def tokens_seen(self: Any, x: Tensor, mask: Any) -> Any:
    """The tokens of every layer stand in the list."""
    found = []
    for one in self.layers:
        x = one(x, mask)
        found.append(x)
    return (self.norm(x) if self.norm else x), found


bad("result of a layer not kept", through=lost)
bad("tokens in place of the weights", through=tokens_seen)


def masked_once_normed_each_time(self: Any, x: Tensor, mask: Any) -> Any:
    """The mask for the first layer, and the final norm after each."""
    seen = []
    for one in self.layers:
        x, w = one(x, mask, True)
        seen.append(w)
        mask, x = None, self.norm(x) if self.norm else x
    return x, seen


bad("final norm after every layer + mask in the first layer only", through=masked_once_normed_each_time)
bad("layers in reverse", through=upside_down)
bad("every layer reads the input", through=each_from_the_start)
bad("only the first layer runs", through=out_too_early)
bad("only the first layer runs", through=out_at_once)
bad("residual around whole layers", through=added_around)
bad("mask in the first layer only", through=masked_once)
bad("mask not passed on", through=lambda s, x, m: run(s, x, None))
bad("mask inverted", through=lambda s, x, m: run(s, x, None if m is None else m.logical_not()))
bad("mask on the queries", through=lambda s, x, m: run(s, x, None if m is None else m.swapaxes(-1, -2)))
bad("mask on the queries as well", through=lambda s, x, m: run(s, x, m if m is None else m * m.mT))
bad("causal", through=lambda s, x, m: run(s, x, past(s, x, m) if m is None else past(s, x, m).logical_and(m)))
bad("causal", through=lambda s, x, m: run(s, x, past(s, x, m)))
bad("causal", through=lambda s, x, m: run(s, x, past(s, x, m) if m is None else m))
bad("causal", through=lambda s, x, m: run(s, x, m if m is None else m & past(s, x, m)))
bad("causal", through=lambda s, x, m: run(s, x, before(x) if m is None else m & before(x)))
bad("past hidden", through=lambda s, x, m: run(s, x, past(s, x, m).mT if m is None else m & past(s, x, m).mT))
bad("weights of one layer only", back=lambda x, w, asked: answer(x, w[-1], asked))
bad("weights of one layer only", back=lambda x, w, asked: answer(x, [w[-1]], asked))
bad("weights of one layer only", back=lambda x, w, asked: answer(x, w[0], asked))
bad("weights joined into one tensor", back=lambda x, w, asked: answer(x, torch.stack(w, dim=0), asked))
bad("weights joined into one tensor", back=lambda x, w, asked: answer(x, torch.cat(w), asked))
bad("weights joined into one tensor", back=lambda x, w, asked: answer(x, torch.stack(w).transpose(0, 1), asked))
bad("weights joined into one tensor", back=lambda x, w, asked: answer(x, torch.hstack(w), asked))
bad("weights taken apart", back=lambda x, w, asked: answer(x, [one for layer in w for one in layer], asked))
bad("weights in reverse order", back=lambda x, w, asked: answer(x, list(reversed(w)), asked))
bad("return_weights the wrong way round", back=lambda x, w, asked: answer(x, w, not asked))
bad("weights averaged over the layers", back=lambda x, w, asked: answer(x, torch.stack(w).mean(0), asked))
bad("weights averaged over the heads", back=lambda x, w, asked: answer(x, [a.mean(dim=1) for a in w], asked))
bad("weights not returned", back=lambda x, w, asked: x)
bad("weights always returned", back=lambda x, w, asked: (x, w))
bad("weights always returned", back=lambda x, w, asked: (x, w if asked else None))
bad("weights and output swapped", back=lambda x, w, asked: [w, x] if asked else x)
bad("norm_first not handed to the layers", sizes=lambda sizes: sizes[:4])
bad("dropout not handed to the layers", sizes=lambda sizes: (*sizes[:3], 0, sizes[4]))
bad("neither dropout nor norm_first handed to the layers", sizes=lambda sizes: sizes[:3])
bad("norm_first handed over as dropout", sizes=lambda sizes: (*sizes[:3], sizes[4]))
bad("dropout and norm_first exchanged", sizes=lambda sizes: (*sizes[:3], sizes[4], sizes[3]))
bad(
    "one vector for the whole sentence",
    back=lambda x, w, asked: answer(torch.einsum("bsd->bd", x) / x.size(1), w, asked),
)
bad("one vector for the whole sentence", back=lambda x, w, asked: answer(x.select(1, 0), w, asked))
bad("one vector for the whole sentence", back=lambda x, w, asked: answer(x.unbind(1)[-1], w, asked))
bad(
    "causal + weights of one layer only",
    through=lambda s, x, m: run(s, x, past(s, x, m) if m is None else past(s, x, m) & m),
    back=lambda x, w, asked: answer(x, w[-1], asked),
)


@disguise("Encoder", "one layer for all")
class OneRunOften(nn.Module):
    """One layer is made, and run as often as there should be layers."""

    def __init__(self, num_layers: int, *sizes: Any, **more: Any) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Good(*sizes, **more)])
        self.norm = nn.LayerNorm(sizes[0]) if self.layers[0].norm_first else None
        self.times = num_layers

    def forward(self, x: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
        seen = []
        for _ in range(self.times):
            x, w = self.layers[0](x, mask, True)
            seen.append(w)
        x = self.norm(x) if self.norm else x
        return (x, seen) if return_weights else x


class Branches(nn.Module):
    """A right constructor, for a forward with a branch for each answer."""

    def __init__(self, num_layers: int, *sizes: Any, **more: Any) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Good(*sizes, **more) for _ in range(num_layers))
        self.norm = nn.LayerNorm(sizes[0]) if self.layers[0].norm_first else None


@disguise("Encoder", "result of a layer not kept")
class LostWithoutWeights(Branches):
    """Only the branch with weights takes what a layer returns."""

    def forward(self, x: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
        if return_weights:
            return run(self, x, mask)
        for one in self.layers:
            one(x, mask)
        return self.norm(x) if self.norm else x


@disguise("Encoder", "only the first layer runs")
class OutTooEarlyWithoutWeights(Branches):
    """Without weights a return stands inside the loop."""

    def forward(self, x: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
        seen = []
        for one in self.layers:
            x, w = one(x, mask, True)
            seen.append(w)
            if not return_weights:
                return x
        return (self.norm(x) if self.norm else x), seen


@disguise("Encoder", "final norm in post-norm")
class NormMadeForNothing(Branches):
    """There is a norm in post-norm, and it is passed by."""

    def __init__(self, num_layers: int, *sizes: Any, **more: Any) -> None:
        super().__init__(num_layers, *sizes, **more)
        self.norm = nn.LayerNorm(sizes[0])

    def forward(self, x: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
        x, seen = unnormed(self, x, mask)
        x = self.norm(x) if self.layers[0].norm_first else x
        return (x, seen) if return_weights else x


# Encoder, right ----------------------------------------------------------------------------


def copies(n: int, sizes: Sizes) -> nn.ModuleList:
    """Copies of one layer, each with parameters of its own."""
    first = Good(*sizes)
    return nn.ModuleList([first, *(copy.deepcopy(first) for _ in range(n - 1))])


def recursive(self: Any, x: Tensor, mask: Any) -> Any:
    """One layer, then the rest."""

    def go(layers: list, x: Tensor) -> tuple[Tensor, tuple]:
        if not layers:
            return x, ()
        x, w = layers[0](x, mask=mask, return_weights=True)
        x, rest = go(layers[1:], x)
        return x, (w, *rest)

    x, seen = go(list(self.layers), x)
    return (self.norm(x) if self.norm is not None else x), seen


def by_name(self: Any, x: Tensor, mask: Any) -> Any:
    """The children of the list, by name."""
    seen = {}
    for name, one in self.layers.named_children():
        x, seen[name] = one(x, mask, return_weights=True)
    return (x if not self.norm else self.norm(x)), list(seen.values())


stack("correct")
stack("correct", layers=copies, through=recursive)
stack("correct", layers=lambda n, sizes: nn.Sequential(*new_layers(n, sizes)), through=by_name)


@correct("Encoder")
class OnlyWhenAsked(nn.Module):
    """Asks for weights only when they are wanted; the norm is an Identity where there is none."""

    def __init__(self, num_layers: int, *sizes: Any, **named: Any) -> None:
        super().__init__()
        self.layers = nn.ModuleList()
        for number in range(num_layers):
            self.layers.add_module(str(number), Good(*sizes, **named))
        d_model, norm_first = self.layers[0].norm1.normalized_shape, self.layers[0].norm_first
        self.norm = nn.LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
        if not return_weights:
            for one in self.layers:
                x = one(x, mask)
            return self.norm(x)
        weights: list[Tensor] = []
        for one in self.layers:
            x, w = one(x, mask, return_weights)
            weights.insert(len(weights), w)
        return self.norm(x), tuple(weights)


@correct("Encoder")
class NormFirstDecides(nn.Module):
    """The norm is there only where it is needed, and asked for by `norm_first`."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False
    ) -> None:
        super().__init__()
        make = functools.partial(Good, d_model=d_model, num_heads=num_heads, d_ff=d_ff)
        self.layers = nn.ModuleList(map(lambda _: make(dropout=dropout, norm_first=norm_first), range(num_layers)))
        self.norm_first = norm_first
        if norm_first:
            self.norm = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
        outputs, weights = [x], []
        while len(outputs) <= len(self.layers):
            y, w = self.layers[len(weights)](outputs[-1], mask, return_weights=True)
            outputs, weights = [*outputs, y], [*weights, w]
        y = self.norm(outputs[-1]) if self.norm_first else outputs[-1]
        return [y, weights] if return_weights else y


@correct("Encoder")
class ByHooks(nn.Module):
    """The weights are caught where attention makes them."""

    def __init__(self, num_layers: int, d_model: int, *rest: Any, **named: Any) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Good(d_model, *rest, **named) for _ in range(num_layers)])
        self.register_module("norm", nn.LayerNorm(d_model) if self.layers[0].norm_first else None)

    def forward(self, x: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
        seen: list[Tensor] = []
        hooks = [one.self_attn.register_forward_hook(lambda m, i, out: seen.append(out[1])) for one in self.layers]
        for one in self.layers:
            x = one(x, mask)
        for hook in hooks:
            hook.remove()
        if self.norm is not None:
            x = self.norm(x)
        return (x, seen) if return_weights else x


# Encoder, wrong in other ways ----------------------------------------------------------------------------


def mean_of_all(self: Any, x: Tensor, mask: Any) -> Any:
    """The mean of what all layers made."""
    found, seen = [], []
    for one in self.layers:
        x, w = one(x, mask, True)
        found.append(x)
        seen.append(w)
    x = torch.stack(found).mean(0)
    return (self.norm(x) if self.norm else x), seen


def turned_each_time(self: Any, x: Tensor, mask: Any) -> Any:
    """The mask is inverted for every second layer."""
    seen = []
    for one in self.layers:
        x, w = one(x, mask, True)
        mask = mask if mask is None else ~mask
        seen.append(w)
    return (self.norm(x) if self.norm else x), seen


def twice_through(self: Any, x: Tensor, mask: Any) -> Any:
    """All layers run twice."""
    x, _ = unnormed(self, x, mask)
    return run(self, x, mask)


def around_the_stack(self: Any, x: Tensor, mask: Any) -> Any:
    """x + stack(x)."""
    y, seen = run(self, x, mask)
    return x + y, seen


def last_left_out(self: Any, x: Tensor, mask: Any) -> Any:
    """The last layer is made and never run, if there are several."""
    seen = []
    for one in self.layers[: max(1, len(self.layers) - 1)]:
        x, w = one(x, mask, True)
        seen.append(w)
    return (self.norm(x) if self.norm else x), seen


def padding_out(self: Any, x: Tensor, mask: Any) -> Any:
    """The rows of padding are set to zero at the end."""
    x, seen = run(self, x, mask)
    return (x if mask is None else x * mask.any(1).any(1)[..., None]), seen


def dropped_at_the_end(self: Any, x: Tensor, mask: Any) -> Any:
    """Dropout on the result."""
    x, seen = run(self, x, mask)
    return F.dropout(x, self.layers[0].dropout.p, self.training), seen


def read_flat(self: Any, x: Tensor, mask: Any) -> Any:
    """Fails on memory that is not contiguous."""
    return run(self, x.view(-1).view(x.shape), mask)


for wrong_way in (
    mean_of_all, read_flat, turned_each_time, twice_through, around_the_stack, last_left_out, padding_out,
    dropped_at_the_end,
):  # fmt: skip
    stack("unlisted", through=wrong_way)
stack("unlisted", back=lambda x, w, asked: answer(x.mean(1, keepdim=True).expand_as(x), w, asked))
stack("unlisted", back=lambda x, w, asked: answer(x, [*w, w[-1]], asked))
stack("unlisted", sizes=lambda sizes: (sizes[0], sizes[1], 2 * sizes[2], *sizes[3:]))
stack("unlisted", sizes=lambda sizes: (sizes[0], 1, *sizes[2:]))
stack("unlisted", norm=lambda n, sizes, layers: nn.LayerNorm(sizes[0], elementwise_affine=False) if sizes[4] else None)
