"""EncoderLayer: written in full, right, and wrong in other ways."""

import functools
import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise
from tests.variants.encoder.parts import Attend, Base, Feed, before, by, mark, past, share


def layer(kind: str, mistake: str = "", base: type = Base) -> Any:
    """An EncoderLayer from its forward(self, x, mask), which returns (output, weights)."""

    def add(core: Callable) -> Any:
        def forward(self: Any, x: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
            output, weights = core(self, x, mask)
            return (output, weights) if return_weights else output

        mark(kind, "EncoderLayer", mistake)(type(core.__name__, (base,), {"forward": forward}))
        return core

    return add


def wrong(mistake: str, base: type = Base) -> Any:
    """A disguise of EncoderLayer."""
    return layer("disguise", mistake, base)


# Residuals ----------------------------------------------------------------------------


def made_by(pre: Callable, post: Callable) -> Callable:
    """A layer of which what a step makes of x, its part, its norm is not the usual: (self, x, part, norm) → tokens."""

    def core(self: Any, x: Tensor, mask: Any) -> Any:
        seen = []

        def attend(h: Tensor) -> Tensor:
            a, w = self.self_attn(h, h, h, mask)
            seen.append(w)
            return a

        way = pre if self.norm_first else post
        x = way(self, way(self, x, attend, self.norm1), self.feed_forward, self.norm2)
        return x, seen[-1]

    return core


def usual_pre(self: Any, x: Tensor, part: Callable, norm: Any) -> Tensor:
    return x + self.dropout(part(norm(x)))


def usual_post(self: Any, x: Tensor, part: Callable, norm: Any) -> Tensor:
    return norm(x + self.dropout(part(x)))


wrong("norm before the addition")(made_by(usual_pre, lambda s, x, part, norm: x + s.dropout(norm(part(x)))))
wrong("what a sublayer made is normalized too")(
    made_by(usual_pre, lambda s, x, part, norm: norm(x + norm(s.dropout(part(x)))))
)
wrong("what a sublayer made is normalized too")(
    made_by(lambda s, x, part, norm: x + s.dropout(norm(part(norm(x)))), usual_post)
)
wrong("norm after the sublayer in pre-norm")(made_by(lambda s, x, part, norm: x + norm(s.dropout(part(x))), usual_post))
wrong("x is normalized, not the sum")(made_by(usual_pre, lambda s, x, part, norm: s.dropout(part(x)) + norm(x)))
wrong("normalized before a sublayer in post-norm")(
    made_by(usual_pre, lambda s, x, part, norm: norm(x + s.dropout(part(norm(x)))))
)


@wrong("steps side by side")
def two_sums(self: Any, x: Tensor, mask: Any) -> Any:
    if self.norm_first:
        a, w = self.self_attn(*[self.norm1(x)] * 3, mask)
        return x + self.dropout(a) + x + self.dropout(self.feed_forward(self.norm2(x))), w
    a, w = self.self_attn(x, x, x, mask)
    return self.norm1(x + self.dropout(a)) + self.norm2(x + self.dropout(self.feed_forward(x))), w


@wrong("a step runs twice")
def thinks_twice(self: Any, x: Tensor, mask: Any) -> Any:
    step = usual_pre if self.norm_first else usual_post
    x, w = made_by(usual_pre, usual_post)(self, x, mask)
    return step(self, x, self.feed_forward, self.norm2), w


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


@wrong("no residuals")
def a_chain(self: Any, x: Tensor, mask: Any) -> Any:
    n1, n2 = self.norm1, self.norm2
    if self.norm_first:
        h = n1(x)
        a, w = self.self_attn(h, h, h, mask)
        return self.dropout(self.feed_forward(n2(self.dropout(a)))), w
    a, w = self.self_attn(x, x, x, mask)
    return n2(self.dropout(self.feed_forward(n1(self.dropout(a))))), w


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
def feeds_what_was_found(self: Any, x: Tensor, mask: Any) -> Any:
    if self.norm_first:
        h = self.norm1(x)
        a, w = self.self_attn(h, h, h, mask)
        y = x + self.dropout(a)
        return y + self.dropout(self.feed_forward(self.norm2(a))), w
    a, w = self.self_attn(x, x, x, mask)
    y = self.norm1(x + self.dropout(a))
    return self.norm2(y + self.dropout(self.feed_forward(a))), w


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


# Norms ----------------------------------------------------------------------------


class NormAlone(Base):
    """One norm, called norm."""

    def __init__(self, d_model: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(d_model, *args, **kwargs)
        del self.norm1, self.norm2
        self.norm = nn.LayerNorm(d_model)


wrong("norms swapped")(by("norm2", "norm1"))
wrong("one norm for both sublayers", NormAlone)(by("norm", "norm"))
wrong("a norm left out")(by("nothing", "norm2"))


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


@wrong("normalized once more")
def reads_normalized_twice(self: Any, x: Tensor, mask: Any) -> Any:
    if not self.norm_first:
        return as_in_the_paper(self, x, mask)
    h = self.norm1(self.norm1(x))
    a, w = self.self_attn(h, h, h, mask)
    x = x + self.dropout(a)
    return x + self.dropout(self.feed_forward(self.norm2(x))), w


@wrong("normalized once more")
def network_normalizes(self: Any, x: Tensor, mask: Any) -> Any:
    h = self.norm1(x) if self.norm_first else x
    a, w = self.self_attn(h, h, h, mask)
    x = x + self.dropout(a)
    if self.norm_first:
        return x + self.dropout(self.feed_forward(self.norm2(self.norm2(x)))), w
    x = self.norm1(x)
    return self.norm2(x + self.dropout(self.feed_forward(self.norm2(x)))), w


@wrong("dropout twice")
def dropped_again(self: Any, x: Tensor, mask: Any) -> Any:
    h = self.norm1(x) if self.norm_first else x
    a, w = self.self_attn(h, h, h, mask)
    x = x + self.dropout(self.dropout(a))
    x = x if self.norm_first else self.norm1(x)
    h = self.norm2(x) if self.norm_first else x
    x = x + self.dropout(self.dropout(self.feed_forward(h)))
    return x if self.norm_first else self.norm2(x), w


@wrong("weights of an earlier call")
def weights_pile_up(self: Any, x: Tensor, mask: Any) -> Any:
    x, w = by("norm1", "norm2")(self, x, mask)
    self.seen = [*getattr(self, "seen", []), w]
    return x, self.seen[0]


@wrong("weights of an earlier call")
def never_forgets(self: Any, x: Tensor, mask: Any) -> Any:
    self.__dict__.setdefault("log", []).append(x.detach())
    return by("norm1", "norm2")(self, x, mask)


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


# Dropout ----------------------------------------------------------------------------


def dropping(added: Callable, *, read: Any = None, end: Any = None, kept: Any = None) -> Callable:
    """A forward whose dropouts act on what is added, read, the sum, the residual."""

    def forward(self: Any, x: Tensor, mask: Any) -> Any:
        def on(what: Any, h: Tensor) -> Tensor:
            return h if what is None else what(self, h)

        def around(x: Tensor, sublayer: Callable, norm: nn.Module) -> Tensor:
            h = on(read, norm(x) if self.norm_first else x)
            x = on(kept, x) + on(added, sublayer(h))
            return on(end, x) if self.norm_first else norm(on(end, x))

        found: list[Tensor] = []

        def attend(h: Tensor) -> Tensor:
            a, w = self.self_attn(h, h, h, mask)
            found.append(w)
            return a

        x = around(x, attend, self.norm1)
        return around(x, self.feed_forward, self.norm2), found[0]

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


class AttentionNotHanded(Base):
    """Attention never drops."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first)
        self.self_attn = Attend(d_model, num_heads)


wrong("dropout not handed to the parts", AttentionNotHanded)(by("norm1", "norm2"))

# Masks ----------------------------------------------------------------------------


def masking(change: Callable[[Any, Tensor, Any], Any]) -> Callable:
    """The right forward with another mask, made from (self, x, mask)."""

    def forward(self: Any, x: Tensor, mask: Any) -> Any:
        return by("norm1", "norm2")(self, x, change(self, x, mask))

    return forward


wrong("mask not passed on")(masking(lambda self, x, mask: None))
wrong("mask inverted")(masking(lambda self, x, mask: mask if mask is None else mask.logical_not()))
wrong("mask on the queries")(masking(lambda self, x, mask: mask if mask is None else mask.swapaxes(2, 3)))
wrong("mask on the queries as well")(
    masking(lambda self, x, mask: mask if mask is None else mask.logical_and(mask.transpose(3, 2)))
)
wrong("causal")(masking(lambda self, x, mask: past(x) & (True if mask is None else mask)))
wrong("causal")(masking(lambda self, x, mask: before(x) if mask is None else before(x) & mask))
wrong("past hidden")(masking(lambda self, x, mask: past(x).mT & (True if mask is None else mask)))

# Results and parts ----------------------------------------------------------------------------


def weighing(change: Callable[[Any, Tensor, Tensor], Any]) -> Callable:
    """The right forward with other weights, made from (self, output, weights)."""

    def forward(self: Any, x: Tensor, mask: Any) -> Any:
        x, w = by("norm1", "norm2")(self, x, mask)
        return x, change(self, x, w)

    return forward


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


# EncoderLayer, right ----------------------------------------------------------------------------

layer("correct")(by("norm1", "norm2"))
layer("correct")(dropping(drops))


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


@wrong("nothing between the two linear layers")
def no_relu(self: Any, x: Tensor, mask: Any) -> Any:
    h = self.norm1(x) if self.norm_first else x
    a, w = self.self_attn(h, h, h, mask)
    x = x + self.dropout(a)
    x = x if self.norm_first else self.norm1(x)
    f = self.feed_forward
    x = x + self.dropout(f.linear2(f.drop(f.linear1(self.norm2(x) if self.norm_first else x))))
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


wrong("another activation than ReLU", Gelu)(by("norm1", "norm2"))


class Behind(nn.Module):
    """A network that ends with its ReLU."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Widen, dropout, narrow, ReLU."""
        return self.linear2(self.drop(self.linear1(x))).clamp_min(0)


class ReluBehind(Base):
    """Another network."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first)
        self.feed_forward = Behind(d_model, d_ff, dropout)


wrong("ReLU in another place", ReluBehind)(by("norm1", "norm2"))


class Third(Base):
    """A norm of its own at the end."""

    def __init__(self, d_model: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(d_model, *args, **kwargs)
        self.norm3 = nn.LayerNorm(d_model)


@layer("unlisted", base=Third)
def third_norm(self: Any, x: Tensor, mask: Any) -> Any:
    y, w = by("norm1", "norm2")(self, x, mask)
    return self.norm3(y), w
