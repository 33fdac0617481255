"""Checks of lesson 05: gelu, FeedForward, add_norm, SwiGLU, and two repairs."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# gelu ----------------------------------------------------------------------------

gelu = Exercise(
    "gelu",
    points=2,
    forbidden=("gelu",),
    hints=(
        "Both forms are ½ · x · (1 + curve). Only the curve differs: `torch.erf` of one thing, or `torch.tanh` of another.",
        "```python\n"
        'if approximate == "tanh":\n'
        "    curve = ...  # tanh of √(2/π) times (x + 0.044715 x³)\n"
        "else:\n"
        "    curve = ...  # erf of x / √2\n"
        "return ...       # half of x times (1 + curve)\n"
        "```",
        "`torch.erf(x / math.sqrt(2))` and `torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))`; then `0.5 * x * (1 + curve)`. "
        "`math.sqrt` is for plain numbers, `torch.erf` and `torch.tanh` for tensors.",
    ),
    traps={
        "ValueError: only one element tensors can be converted to Python scalars": "`math.erf` and `math.tanh` take one number; for a tensor "
        "it is `torch.erf` and `torch.tanh`.",
        "TypeError: sqrt(): argument 'input' (position 1) must be Tensor, not int": "`torch.sqrt` takes a tensor; for the plain number √2 use `math.sqrt(2)`.",
    },
)


@gelu.probe("is x · ½ (1 + erf(x / √2)) unless told otherwise", float64=True)
def exact(gelu: Callable, draw: Draw) -> Any:
    return gelu(draw.tensor("x", 3, 5, scale=1.5))


# The two forms differ by 5e-4 at most, near -2 and 2. Near -2 the result is small, and so is the tolerance.
@gelu.probe('is the exact formula for approximate="none", not the one with tanh', float64=True)
def exact_to_the_digit(gelu: Callable, draw: Draw) -> Any:
    return gelu(draw.tensor("x", 4, 6, shift=-2), approximate="none")


@gelu.probe('is x · ½ (1 + tanh(√(2/π) (x + 0.044715 x³))) for approximate="tanh"', float64=True)
def approximation(gelu: Callable, draw: Draw) -> Any:
    return gelu(draw.tensor("x", 3, 5, scale=1.5), approximate="tanh")


@gelu.probe('is the formula with tanh for approximate="tanh", not the exact one', float64=True)
def approximation_to_the_digit(gelu: Callable, draw: Draw) -> Any:
    return gelu(draw.tensor("x", 4, 6, shift=-2), "tanh")


@gelu.probe("treats every number by itself", rung="invariants")
def one_number_changes(gelu: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 3)
    other = x.clone()
    other[1, 2] = 5.0
    return {form: [gelu(x, form)[0], gelu(other, form)[0]] for form in ("none", "tanh")}


@gelu.probe("has the right gradient, in both forms", rung="gradients")
def gelu_gradient(gelu: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 3, 4, scale=1.5, requires_grad=True)
    return {form: draw.gradients(gelu(x, form), x=x) for form in ("none", "tanh")}


@gelu.probe("lets large numbers through and stops large negative ones", rung="edges")
def large_numbers(gelu: Callable, draw: Draw) -> Any:
    positive, negative = (draw.tensor(name, 4, scale=30).abs() + 50 for name in ("positive", "negative"))
    return {form: [gelu(positive, form), gelu(-negative, form)] for form in ("none", "tanh")}


@gelu.probe("works on one number, on zeros, on four dimensions and on memory that is not contiguous", rung="edges")
def gelu_edges(gelu: Callable, draw: Draw) -> Any:
    four = draw.tensor("four", 2, 1, 3, 4).transpose(1, 3)
    return {
        form: {
            "one number": gelu(draw.tensor("one", 1)[0], form),
            "zeros": gelu(torch.zeros(2, 3), form),
            "four dimensions, not contiguous": gelu(four, form),
        }
        for form in ("none", "tanh")
    }


@gelu.probe("raises a ValueError for another word than none or tanh", rung="invariants")
def gelu_refuses(gelu: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 3)
    gelu(x)  # first what fits
    return gelu(x, approximate="quick")


# FeedForward ----------------------------------------------------------------------------

feed_forward = Exercise(
    "FeedForward",
    points=3,
    hints=(
        "Four steps, in the order of the docstring: widen, activate, drop out, narrow. The constructor has made a module or function for each: "
        "`linear1`, `activation`, `dropout`, `linear2`.",
        "```python\n"
        "widened = ...  # linear1 of x, then the activation: (..., d_ff)\n"
        "return ...     # dropout, then linear2: (..., d_model)\n"
        "```",
        "`self.activation(self.linear1(x))`, then `self.linear2(self.dropout(...))` of that. Call `self.activation`, which is relu or gelu, "
        "as the constructor was told. Nothing is added to x here.",
    ),
    traps={
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied": "`linear1` reads d_model features and gives d_ff; `linear2` reads d_ff and gives "
        "d_model. One of them got the input of the other.",
        "AttributeError: 'FeedForward' object has no attribute 'relu'": "the constructor keeps it as `self.activation`.",
        "TypeError: dropout(): argument 'input' (position 1) must be Tensor, not ReLU": "`nn.ReLU(...)` makes a module and computes nothing yet. "
        "`self.activation(...)` computes.",
        "NotImplementedError": 'with `activation="gelu"` your own `gelu` is called. Write `gelu` first.',
    },
)


@feed_forward.probe("widens, activates with relu, and narrows")
def with_relu(FeedForward: Callable, draw: Draw) -> Any:
    return draw.module(FeedForward, 3, 5)(draw.tensor("x", 2, 4, 3, scale=1.5))


@feed_forward.probe('activates with the exact gelu for activation="gelu"', float64=True)
def with_gelu(FeedForward: Callable, draw: Draw) -> Any:
    return draw.module(FeedForward, 3, 4, activation="gelu")(draw.tensor("x", 2, 9, 3, scale=1.5))


@feed_forward.probe("drops features between the activation and linear2", float64=True)
def dropped_features(FeedForward: Callable, draw: Draw) -> Any:
    # Two features in between, each dropped or not: tokens that are alike have four different outputs, and of 500
    # tokens all four occur. Which token has which is left to the implementation's random numbers.
    token = draw.tensor("token", 1, 2, scale=0.7).expand(500, 2)
    return {
        activation: _distinct_rows(_with_some_open(FeedForward, draw, activation).train()(token))
        for activation in ("relu", "gelu")
    }


def _with_some_open(FeedForward: Callable, draw: Draw, activation: str) -> Any:
    """Two features in between, of which the activation lets something of both through, and half of them dropped."""
    layer: Any = draw.module(FeedForward, 2, 2, 0.5, activation)
    with torch.no_grad():
        layer.linear1.weight.mul_(0.2)
        layer.linear1.bias.copy_(draw.tensor("open", 2).abs() + 0.7)
    return layer


def _distinct_rows(rows: Tensor) -> dict[str, Any]:
    """How many rows differ by more than five decimals, and the first eight of them, in order.

    Fewer are filled up with the last one: another number of rows is a wrong value, not a wrong shape.
    """
    found = torch.unique(rows.detach().reshape(-1, rows.shape[-1]).round(decimals=5), dim=0)
    return {"how many different rows": len(found), "rows": found[torch.arange(8).clamp(max=len(found) - 1)]}


@feed_forward.probe("drops all features at dropout=1, so that only the bias of linear2 is left")
def all_features_dropped(FeedForward: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 4, 3)
    return {activation: draw.module(FeedForward, 3, 5, 1.0, activation).train()(x) for activation in ("relu", "gelu")}


@feed_forward.probe("drops nothing in evaluation", rung="invariants", float64=True)
def feed_forward_evaluation(FeedForward: Callable, draw: Draw) -> Any:
    token = draw.tensor("token", 1, 2).expand(500, 2)
    alike = _with_some_open(FeedForward, draw, "gelu").eval()(token)
    return {"rows": _distinct_rows(alike), "all": draw.module(FeedForward, 3, 5, 1.0).eval()(draw.tensor("x", 4, 3))}


@feed_forward.probe("does not move a token when the others change", rung="invariants")
def others_change(FeedForward: Callable, draw: Draw) -> Any:
    layer = draw.module(FeedForward, 4, 6)
    x = draw.tensor("x", 2, 3, 4)
    other = x.clone()
    other[:, 1:] = draw.tensor("other", 2, 2, 4, scale=3)
    other[1] = draw.tensor("second", 3, 4, scale=2)
    return [layer(x)[0, 0], layer(other)[0, 0]]


@feed_forward.probe("has the right gradients, for x and all parameters", rung="gradients")
def feed_forward_gradients(FeedForward: Callable, draw: Draw) -> Any:
    found = {}
    for activation in ("relu", "gelu"):
        layer = draw.module(FeedForward, 3, 5, activation=activation)
        x = draw.tensor(f"x for {activation}", 2, 4, 3, requires_grad=True)
        found[activation] = draw.gradients(layer(x), x=x, **dict(layer.named_parameters()))
    return found


@feed_forward.probe(
    "works on one token, on loud ones, on four dimensions and on memory that is not contiguous", rung="edges"
)
def feed_forward_edges(FeedForward: Callable, draw: Draw) -> Any:
    layer, narrow = draw.fill(FeedForward(4, 7)), draw.fill(FeedForward(5, 2, activation="gelu"))
    return {
        "one token": layer(draw.tensor("one", 4)),
        "one sequence of one token": layer(draw.tensor("short", 1, 1, 4)),
        "loud, in four dimensions": layer(draw.tensor("four", 2, 1, 3, 4, scale=20)),
        "not contiguous": narrow(draw.tensor("x", 5, 3, 2).transpose(0, 2)),
    }


@feed_forward.probe("raises a ValueError for another activation than relu or gelu", rung="invariants")
def feed_forward_refuses(FeedForward: Callable, draw: Draw) -> Any:
    FeedForward(2, 3)(draw.tensor("x", 1, 2))  # first what fits
    FeedForward(2, 3, activation="swish")
    return "a module with the activation swish"


# add_norm ----------------------------------------------------------------------------

add_norm = Exercise(
    "add_norm",
    points=3,
    hints=(
        "Two formulas, one line each; `norm_first` says which. In both, x itself is added, untouched by dropout and by the sublayer.",
        "```python\n"
        "if norm_first:\n"
        "    return ...  # x plus dropout of the sublayer of the norm of x\n"
        "return ...      # the norm of (x plus dropout of the sublayer of x)\n"
        "```",
        "Pre-norm: `x + dropout(sublayer(norm(x)))`. Post-norm: `norm(x + dropout(sublayer(x)))`. Write `x + ...`, never `x += ...`, which "
        "would change the caller's tensor.",
    ),
    traps={
        "AttributeError: 'function' object has no attribute 'forward'": "sublayer, norm and dropout are callables, modules or plain functions: only "
        "call them, `sublayer(x)`.",
        "TypeError: ... is not a Module subclass": "`nn.Sequential` takes modules only, and a sublayer may be a plain function. Call the functions one "
        "after the other.",
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation": "`x += ...` writes into x. `x = x + ...` makes a new tensor.",
    },
)


class _Parts:
    """A sublayer, a norm and a dropout with drawn numbers; counts how often the sublayer is called."""

    def __init__(self, draw: Draw, width: int) -> None:
        self.mix = draw.tensor("mix", width, width)
        self.lift = draw.tensor("lift", width)
        self.weight = draw.tensor("weight", width, shift=0.5)
        self.bias = draw.tensor("bias", width)
        self.kept, self.shift = draw.tensor("kept", width), draw.tensor("shift", width)
        self.calls = 0

    def sublayer(self, x: Tensor) -> Tensor:
        """Mixes tokens and features, and bends."""
        self.calls += 1
        others = x.mean(-2, keepdim=True) if x.dim() > 1 else 0
        return torch.sin(x @ self.mix + others + self.lift)

    def norm(self, x: Tensor) -> Tensor:
        """A layer normalization with a large eps."""
        centred = x - x.mean(-1, keepdim=True)
        return self.weight * centred / (centred.square().mean(-1, keepdim=True) + 0.3).sqrt() + self.bias

    def dropout(self, x: Tensor) -> Tensor:
        """Not random, so that it shows where it acts; shifted, so that acting twice is not acting on a sum."""
        return x * self.kept + self.shift


def _nothing(x: Tensor) -> Tensor:
    return x


@add_norm.probe("normalizes the sum of x and what dropout leaves of the sublayer, unless told otherwise (post-norm)")
def post_norm(add_norm: Callable, draw: Draw) -> Any:
    parts = _Parts(draw, 4)
    return add_norm(draw.tensor("x", 2, 3, 4), parts.sublayer, parts.norm, parts.dropout)


@add_norm.probe("adds to x what the sublayer makes of the normalized x, for norm_first=True (pre-norm)")
def pre_norm(add_norm: Callable, draw: Draw) -> Any:
    parts = _Parts(draw, 4)
    return add_norm(draw.tensor("x", 2, 3, 4), parts.sublayer, parts.norm, parts.dropout, norm_first=True)


@add_norm.probe("keeps x when dropout takes all that the sublayer made")
def everything_dropped(add_norm: Callable, draw: Draw) -> Any:
    parts = _Parts(draw, 5)
    x = draw.tensor("x", 3, 2, 5)
    return {
        kind: add_norm(x, parts.sublayer, parts.norm, nn.Dropout(1.0).train(), norm_first)
        for kind, norm_first in (("post-norm", False), ("pre-norm", True))
    }


@add_norm.probe("works with modules as with functions")
def modules(add_norm: Callable, draw: Draw) -> Any:
    sublayer, norm = draw.fill(nn.Linear(4, 4)), draw.fill(nn.LayerNorm(4, eps=0.2))
    x = draw.tensor("x", 2, 3, 4)
    return {
        kind: add_norm(x, sublayer, norm, nn.Dropout(0.5).eval(), norm_first)
        for kind, norm_first in (("post-norm", False), ("pre-norm", True))
    }


@add_norm.probe("calls the sublayer once", rung="invariants")
def calls(add_norm: Callable, draw: Draw) -> Any:
    found = {}
    for kind, norm_first in (("post-norm", False), ("pre-norm", True)):
        parts = _Parts(draw, 3)
        output = add_norm(draw.tensor("x", 2, 4, 3), parts.sublayer, parts.norm, parts.dropout, norm_first)
        found[kind] = {"output": output, "calls": parts.calls}
    return found


@add_norm.probe("leaves alone the tensor that a sublayer gives it", rung="invariants")
def leaves_what_it_gets(add_norm: Callable, draw: Draw) -> Any:
    parts = _Parts(draw, 4)
    x, made = draw.tensor("x", 2, 3, 4), draw.tensor("made by the sublayer", 2, 3, 4)
    return {
        kind: add_norm(x, lambda _: made, parts.norm, _nothing, norm_first)
        for kind, norm_first in (("post-norm", False), ("pre-norm", True))
    }


@add_norm.probe("has the right gradients, for x and for what is inside the sublayer and the norm", rung="gradients")
def add_norm_gradients(add_norm: Callable, draw: Draw) -> Any:
    found = {}
    for kind, norm_first in (("post-norm", False), ("pre-norm", True)):
        parts = _Parts(draw, 4)
        wanted = {"x": draw.tensor("x", 2, 3, 4, requires_grad=True)}
        wanted |= {"sublayer": parts.mix.requires_grad_(), "norm": parts.weight.requires_grad_()}
        output = add_norm(wanted["x"], parts.sublayer, parts.norm, parts.dropout, norm_first)
        found[kind] = draw.gradients(output, **wanted)
    return found


@add_norm.probe(
    "works on one token, on loud ones, on four dimensions and on memory that is not contiguous", rung="edges"
)
def add_norm_edges(add_norm: Callable, draw: Draw) -> Any:
    parts = _Parts(draw, 3)
    inputs = {
        "one token": draw.tensor("one", 3),
        "one sequence of one token": draw.tensor("short", 1, 1, 3),
        "loud, in four dimensions": draw.tensor("four", 2, 1, 4, 3, scale=20),
        "not contiguous": draw.tensor("turned", 3, 4, 2).transpose(0, 2),
    }
    return {
        name: [add_norm(x, parts.sublayer, parts.norm, parts.dropout, norm_first) for norm_first in (False, True)]
        for name, x in inputs.items()
    }


@add_norm.probe("leaves x alone when sublayer, norm and dropout give back what they were given", rung="edges")
def nothing_happens(add_norm: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 3, 4)
    return [add_norm(x, _nothing, _nothing, _nothing, norm_first) for norm_first in (False, True)]


# SwiGLU ----------------------------------------------------------------------------

swiglu = Exercise(
    "SwiGLU",
    points=3,
    stretch=True,
    hints=(
        "x goes through two layers side by side, `gate` and `up`. Take swish of what `gate` gives, z · sigmoid(z), and multiply it by what `up` gives, "
        "feature by feature. `down` brings the product back.",
        "```python\n"
        "gates = ...  # gate of x: (..., d_ff)\n"
        "return ...   # down of (swish of the gates, times up of x)\n"
        "```",
        "`self.down(gates * torch.sigmoid(gates) * self.up(x))`. The swish is on the gate only; `up` stays as it is.",
    ),
    traps={
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied": "`gate` and `up` both read x, of d_model features; only `down` reads d_ff.",
        "RuntimeError: Expected size for first two dimensions of batch2 tensor": "`@` is a matrix product. The gate meets `up` number by number: `*`, the ⊙ of the formula.",
        "RuntimeError: The size of tensor a ... must match the size of tensor b": "two tensors of different widths are multiplied: the gates have d_ff "
        "features, and what they are multiplied by must have d_ff features too.",
    },
)


@swiglu.probe("multiplies up by the swish of the gate, and narrows")
def swiglu_values(SwiGLU: Callable, draw: Draw) -> Any:
    return draw.module(SwiGLU, 3, 5)(draw.tensor("x", 2, 4, 3, scale=1.5))


@swiglu.probe("does so when fewer features lie in between than a token has", float64=True)
def swiglu_narrow(SwiGLU: Callable, draw: Draw) -> Any:
    return draw.module(SwiGLU, d_model=5, d_ff=2)(draw.tensor("x", 3, 4, 5, scale=2))


@swiglu.probe("does not move a token when the others change", rung="invariants")
def swiglu_others_change(SwiGLU: Callable, draw: Draw) -> Any:
    layer = draw.module(SwiGLU, 4, 6)
    x = draw.tensor("x", 2, 3, 4)
    other = x.clone()
    other[:, 1:] = draw.tensor("other", 2, 2, 4, scale=3)
    other[1] = draw.tensor("second", 3, 4, scale=2)
    return [layer(x)[0, 0], layer(other)[0, 0]]


@swiglu.probe("does the same in training and in evaluation", rung="invariants")
def swiglu_modes(SwiGLU: Callable, draw: Draw) -> Any:
    layer = draw.module(SwiGLU, 3, 4)
    x = draw.tensor("x", 2, 5, 3)
    return {"train()": layer.train()(x), "eval()": layer.eval()(x)}


@swiglu.probe("has the right gradients, for x and all parameters", rung="gradients")
def swiglu_gradients(SwiGLU: Callable, draw: Draw) -> Any:
    layer = draw.module(SwiGLU, 3, 5)
    x = draw.tensor("x", 2, 4, 3, requires_grad=True)
    return draw.gradients(layer(x), x=x, **dict(layer.named_parameters()))


@swiglu.probe("works on one token, on zeros, on loud tokens and on memory that is not contiguous", rung="edges")
def swiglu_edges(SwiGLU: Callable, draw: Draw) -> Any:
    layer = draw.fill(SwiGLU(4, 7))
    return {
        "one token": layer(draw.tensor("one", 4)),
        "zeros": layer(torch.zeros(2, 4)),
        "loud tokens": layer(draw.tensor("loud", 3, 4, scale=200)),
        "four dimensions": layer(draw.tensor("four", 2, 1, 3, 4)),
        "not contiguous": layer(draw.tensor("x", 4, 3, 2).transpose(0, 2)),
    }


# In the wild ----------------------------------------------------------------------------

article_add_norm = Exercise(
    "article_add_norm",
    points=2,
    repairs=add_norm,
    hints=(
        "What does `nn.Identity()(h)` give? And what does `nn.Sequential` do with the output of a layer?",
        "A sequence has one path: each layer reads what the one before has made, and x itself is gone after the first. Nothing is added anywhere.",
        "Drop the Sequential. `h = norm(x) if norm_first else x`, then `x + dropout(sublayer(h))`, and for post-norm the norm of that.",
    ),
)

article_feed_forward = Exercise(
    "ArticleFeedForward",
    points=2,
    repairs=feed_forward,
    hints=(
        "Compare the constructor with the picture of the network by hand: how many matrices are there, and how wide is a token in between? And "
        "something in `forward` belongs outside.",
        "d_ff is taken and never used. The paper's network has two linear layers, d_model → d_ff and d_ff → d_model. And who adds x: the network, or the "
        "`add_norm` around it?",
        "`self.linear1 = nn.Linear(d_model, d_ff)`, `self.linear2 = nn.Linear(d_ff, d_model)`; in `forward` linear1, activation, dropout, linear2, and no "
        "`+ x`.",
    ),
)
