"""Decoder: written in full, right, and wrong in other ways."""

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.stand_ins.decoder import DecoderLayer
from autograder.stand_ins.encoder import Encoder
from autograder.stand_ins.layer_norm import LayerNorm
from tests.variants import correct, disguise, unlisted
from tests.variants.decoder.parts import past


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
bad("one mask for both attentions")(runs(lambda s, i, x, m, a, b: ask(s, i, x, m, *[a if a is not None else b] * 2)))
bad("mask inverted")(
    runs(lambda s, i, x, m, a, b: ask(s, i, x, m, *(None if one is None else one.logical_not() for one in (a, b))))
)
bad("always causal")(runs(lambda s, i, x, m, a, b: ask(s, i, x, m, past(x) if a is None else past(x) & a, b)))
bad("always causal")(runs(lambda s, i, x, m, a, b: ask(s, i, x, m, past(x), b)))
bad("memory normalized on the way")(runs(begin=lambda s, x, m: (x, s.end(m))))
bad("memory cut off from the graph")(runs(begin=lambda s, x, m: (x, m.clone().detach())))
bad("every layer starts from the input")(
    lambda self, x, memory, self_mask=None, cross_mask=None, return_weights=False: runs(
        lambda s, i, h, m, a, b: ask(s, i, x, m, a, b)
    )(self, x, memory, self_mask, cross_mask, return_weights)
)
bad("layers in reverse")(runs(lambda s, i, x, m, a, b: ask(s, len(s.layers) - 1 - i, x, m, a, b)))
bad("x and memory exchanged")(runs(lambda s, i, x, m, a, b: ask(s, i, m, x, a, b)))
bad("the memory is not handed on")(runs(lambda s, i, x, m, a, b: ask(s, i, x, x, a, b)))
bad("residual around whole layers")(
    runs(lambda s, i, x, m, a, b: (lambda both: (both[0].add(x), both[1]))(ask(s, i, x, m, a, b)))
)


@bad("a layer is left out")
def last_one_idle(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    v, w, place = [], [], 0
    while place < len(self.layers) - 1:
        x, (a, b) = ask(self, place, x, memory, self_mask, cross_mask)
        v.append(a)
        w.append(b)
        place += 1
    return (self.end(x), (v, w)) if return_weights else self.end(x)


bad("final norm missing")(runs(end=lambda s, x: x))
bad("final norm after every layer")(
    runs(lambda s, i, x, m, a, b: (lambda both: (s.end(both[0]), both[1]))(ask(s, i, x, m, a, b)), end=lambda s, x: x)
)
bad("final norm before the layers")(runs(begin=lambda s, x, m: (s.end(x), m), end=lambda s, x: x))
bad("masks in the first layer only")(
    runs(lambda s, i, x, m, a, b: ask(s, i, x, m, *((a, b) if i == 0 else (None, None))))
)
bad("memory replaced by the layer's output")(
    runs(lambda s, i, x, m, a, b: ask(s, i, x, x, a, a) if i else ask(s, i, x, m, a, b))
)
bad("only the last layer sees the memory")(
    runs(lambda s, i, x, m, a, b: ask(s, i, x, m, a, b) if i + 1 == len(s.layers) else ask(s, i, x, x, a, a))
)
bad("only the last layer sees the memory")(
    runs(lambda s, i, x, m, a, b: ask(s, i, x, m, a, b) if i + 1 == len(s.layers) else ask(s, i, x, x, a, None))
)
bad("only the last layer sees the memory")(
    runs(lambda s, i, x, m, a, b: ask(s, i, x, m if s.layers[i] is s.layers[-1] else torch.zeros_like(m), a, b))
)
bad("one layer repeated")(runs(lambda s, i, x, m, a, b: ask(s, 0, x, m, a, b)))
bad("weights in the wrong order")(runs(give=lambda x, v, w, asked: (x, (w, v)) if asked else x))
bad("weights of the last layer first")(
    runs(give=lambda x, v, w, asked: (x, (list(reversed(v)), list(reversed(w)))) if asked else x)
)
bad("weights not in a pair")(runs(give=lambda x, v, w, asked: (x, v, w) if asked else x))
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


@bad("only the first layer runs")
def returns_within_the_loop(
    self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False
):
    for one in self.layers:
        x, (v, w) = one(x, memory, self_mask, cross_mask, True)
        x = self.end(x)
        return (x, ([v], [w])) if return_weights else x


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


@disguise("Decoder", "only the sizes handed to the layers")
class OnlySizes(Stack):
    """Layers by default."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False
    ) -> None:
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList([DecoderLayer(d_model, num_heads, d_ff) for _ in self.layers])

    forward = runs()


@disguise("Decoder", "dropout and norm_first exchanged")
class Exchanged(Stack):
    """Positional arguments in another order."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False
    ) -> None:
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        more: Any = {"dropout": norm_first, "norm_first": dropout}
        self.layers = nn.ModuleList([DecoderLayer(d_model, num_heads, d_ff, **more) for _ in self.layers])

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

stack("unlisted")(runs(lambda s, i, x, m, a, b: ask(s, i, x, 2 * m, a, b)))
stack("unlisted")(runs(lambda s, i, x, m, a, b: ask(s, i, x, m.flip(1) if i else m, a, b)))
stack("unlisted")(runs(end=lambda s, x: s.end(x).tanh()))
bad("heads lost in the weights")(
    runs(give=lambda x, v, w, asked: (x, ([one[:, 0] for one in v], [one[:, 0] for one in w])) if asked else x)
)
bad("weights transposed")(
    runs(give=lambda x, v, w, asked: (x, ([one.mT for one in v], [one.mT for one in w])) if asked else x)
)
bad("weights before the tokens")(runs(give=lambda x, v, w, asked: ((v, w), x) if asked else x))
bad("return_weights inverted")(runs(give=lambda x, v, w, asked: x if asked else (x, (v, w))))
bad("final norm twice")(runs(end=lambda s, x: s.end(s.end(x))))
bad("final norm twice")(runs(begin=lambda s, x, m: (s.end(x), m)))
bad("mask transposed")(runs(lambda s, i, x, m, a, b: ask(s, i, x, m, a if a is None else a.swapaxes(-1, -2), b)))
bad("the tokens are cut off from the graph")(runs(lambda s, i, x, m, a, b: ask(s, i, x.detach(), m, a, b)))
bad("memory normalized on the way")(
    runs(lambda s, i, x, m, a, b: ask(s, i, x, s.layers[i].norm2(m) if s.norm else m, a, b))
)


@bad("what the layers make is thrown away")
def unheard(self: Any, x: Any, memory: Any, self_mask: Any = None, cross_mask: Any = None, return_weights=False):
    seen = [one(x, memory, self_mask, cross_mask, return_weights=True)[1] for one in self.layers]
    x = self.end(x)
    return (x, tuple(map(list, zip(*seen, strict=True)))) if return_weights else x


@disguise("Decoder", "another number of layers")
class OneTooFew(Stack):
    """The numbers begin with 1."""

    def __init__(self, num_layers: int, *sizes: Any, **more: Any) -> None:
        super().__init__(num_layers, *sizes, **more)
        del self.layers[-1]

    forward = runs()


@disguise("Decoder", "another width in the feed-forward networks")
class AsInThePaper(Stack):
    """Four times d_model."""

    def __init__(self, num_layers: int, d_model: int, num_heads: int, d_ff: int, *rest: Any, **more: Any) -> None:
        super().__init__(num_layers, d_model, num_heads, d_model * 4, *rest, **more)

    forward = runs()


@disguise("Decoder", "norm_first not handed to the layers")
class AlwaysPre(Stack):
    """The layers are pre-norm, the stack what it should be."""

    def __init__(self, *sizes: Any, **more: Any) -> None:
        super().__init__(*sizes, **more)
        for one in self.layers:
            one.norm_first = True

    forward = runs()


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
