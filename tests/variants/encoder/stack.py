"""Encoder: written in full, right, and wrong in other ways."""

import copy
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise
from tests.variants.encoder.parts import Good, mark, past

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


bad("one layer for all", layers=one_for_all)
bad("layers in a plain list", layers=lambda n, sizes: [Good(*sizes) for _ in range(n)])
bad("wrong number of layers", layers=lambda n, sizes: new_layers(len(range(1, n)), sizes))
bad("final norm in post-norm", norm=lambda n, sizes, layers: nn.LayerNorm(sizes[0]))
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


def runs_into_one_list(self: Any, x: Tensor, mask: Any) -> Any:
    """A list that belongs to the stack."""
    x, seen = run(self, x, mask)
    self.seen = getattr(self, "seen", [])
    self.seen += seen
    return x, self.seen


bad("weights of an earlier call", through=runs_into_one_list)
bad("weights in a tuple", back=lambda x, w, asked: (x, tuple(w)) if asked else x)


def normed_each_time(self: Any, x: Tensor, mask: Any) -> Any:
    """The final norm acts after each layer."""
    seen = []
    for one in self.layers:
        x, w = one(x, mask=mask, return_weights=True)
        seen.append(w)
        if self.norm is not None:
            x = self.norm(x)
    return x, seen


bad("final norm after every layer", through=normed_each_time)
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


bad("layers in reverse", through=upside_down)
bad("every layer reads the input", through=each_from_the_start)
bad("only the first layer runs", through=out_too_early)
bad("residual around whole layers", through=added_around)
bad("mask in the first layer only", through=masked_once)
bad("mask not passed on", through=lambda s, x, m: run(s, x, None))
bad("mask inverted", through=lambda s, x, m: run(s, x, None if m is None else m.logical_not()))
bad("mask on the queries", through=lambda s, x, m: run(s, x, None if m is None else m.swapaxes(-1, -2)))
bad("mask on the queries as well", through=lambda s, x, m: run(s, x, m if m is None else m * m.mT))
bad("causal", through=lambda s, x, m: run(s, x, past(x) if m is None else past(x).logical_and(m)))
bad("causal", through=lambda s, x, m: run(s, x, m if m is None else m & past(x)))
bad("past hidden", through=lambda s, x, m: run(s, x, past(x).mT if m is None else m & past(x).mT))
bad("weights of one layer only", back=lambda x, w, asked: answer(x, [w[-1]], asked))
bad("weights joined into one tensor", back=lambda x, w, asked: answer(x, torch.stack(w).transpose(0, 1), asked))
bad("weights joined into one tensor", back=lambda x, w, asked: answer(x, torch.hstack(w), asked))
bad("weights taken apart", back=lambda x, w, asked: answer(x, [one for layer in w for one in layer], asked))
bad("weights in reverse order", back=lambda x, w, asked: answer(x, list(reversed(w)), asked))
bad("return_weights the wrong way round", back=lambda x, w, asked: answer(x, w, not asked))
bad("weights averaged over the layers", back=lambda x, w, asked: answer(x, torch.stack(w).mean(0), asked))
bad("weights averaged over the heads", back=lambda x, w, asked: answer(x, [a.mean(dim=1) for a in w], asked))
bad("weights not returned", back=lambda x, w, asked: x)
bad("weights always returned", back=lambda x, w, asked: (x, w))
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
bad(
    "causal + weights of one layer only",
    through=lambda s, x, m: run(s, x, past(x) if m is None else past(x) & m),
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
    return (self.norm(x) if self.norm is not None else x), list(seen)


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


def masked_last(self: Any, x: Tensor, mask: Any) -> Any:
    """The mask for the last layer."""
    seen = []
    for i, one in enumerate(self.layers, 1):
        x, w = one(x, mask if i == len(self.layers) else None, True)
        seen.append(w)
    return (self.norm(x) if self.norm else x), seen


def last_once_more(self: Any, x: Tensor, mask: Any) -> Any:
    """The last layer reads what it has made."""
    x, seen = unnormed(self, x, mask)
    x = self.layers[-1](x, mask)
    return (self.norm(x) if self.norm else x), seen


def pairs_kept(self: Any, x: Tensor, mask: Any) -> Any:
    """All that the layers return."""
    seen = []
    for one in self.layers:
        seen.append(one(x, mask, True))
        x = seen[-1][0]
    return (self.norm(x) if self.norm else x), seen


bad("a layer runs twice", through=last_once_more)
bad("all layers run twice", through=twice_through)
bad("a layer does not run", through=last_left_out)
bad("residual around the whole stack", through=around_the_stack)
bad("mask not in every layer", through=masked_last)
bad("mask inverted in every second layer", through=turned_each_time)
bad("weights of a layer missing", back=lambda x, w, asked: answer(x, w[: len(w) - 1], asked))
bad("weights of a layer twice in the list", back=lambda x, w, asked: answer(x, w + w[-1:], asked))
bad("weights summed over the layers", back=lambda x, w, asked: answer(x, torch.stack(w).sum(0), asked))
bad("tokens beside the weights in the list", through=pairs_kept)
bad("weights beside the output, one by one", back=lambda x, w, asked: (x, *w) if asked else x)


for wrong_way in (mean_of_all, read_flat, padding_out, dropped_at_the_end):
    stack("unlisted", through=wrong_way)
stack("unlisted", back=lambda x, w, asked: answer(x.mean(1, keepdim=True).expand_as(x), w, asked))
stack("unlisted", sizes=lambda sizes: (sizes[0], sizes[1], 2 * sizes[2], *sizes[3:]))
stack("unlisted", sizes=lambda sizes: (sizes[0], 1, *sizes[2:]))
stack("unlisted", norm=lambda n, sizes, layers: nn.LayerNorm(sizes[0], elementwise_affine=False) if sizes[4] else None)
