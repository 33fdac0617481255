"""Checks of lesson 01: normalize, LayerNorm, RMSNorm, and an article's LayerNormalization to repair."""

from collections.abc import Callable
from typing import Any

import torch

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

FORBIDDEN = ("layer_norm", "rms_norm")

normalize = Exercise(
    "normalize",
    points=2,
    forbidden=FORBIDDEN,
    hints=(
        "Every token is handled alone. Which dimension holds the features of one token? Reduce over that dimension, and keep it with size 1, so that "
        "the result still lines up with `x`.",
        "```python\n"
        "mean = ...      # x.mean over the last dimension, keepdim=True\n"
        "variance = ...  # mean of the squared distances from the mean: n features, not n - 1\n"
        "return ...      # (x - mean) over the root of (variance + eps)\n"
        "```",
        "`x.var` divides by n - 1 unless you pass `correction=0`. `x.std` has no place for eps inside the root, so take the "
        "variance, add eps, and then `torch.sqrt`.",
    ),
    traps={
        "RuntimeError: The size of tensor a (4) must match the size of tensor b (3)": "the mean, or the variance, lost its "
        "dimension: `x.mean(dim=-1)` of shape (3, 4) has shape (3). With `keepdim=True` it is (3, 1) and lines up.",
        "TypeError: var() received an invalid combination of arguments": "`correction` goes by name: "
        "`x.var(dim=-1, keepdim=True, correction=0)`.",
    },
)


@normalize.probe("brings every token to mean 0 and variance 1 over its own features")
def three_tokens(normalize: Callable, draw: Draw) -> Any:
    return normalize(draw.tensor("x", 3, 4, scale=3, shift=2), 0.3)


@normalize.probe("treats every token of every sequence alone")
def batch(normalize: Callable, draw: Draw) -> Any:
    return normalize(draw.tensor("x", 2, 3, 5, scale=2, shift=1), eps=0.1)


@normalize.probe("adds eps to the variance, 1e-5 if not told otherwise")
def default_eps(normalize: Callable, draw: Draw) -> Any:
    return normalize(draw.tensor("x", 2, 3, 4, scale=0.01))


@normalize.probe("does not move a token when the others change", rung="invariants")
def others_change(normalize: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 3, 4, shift=1)
    other = x.clone()
    other[:, 1:] = draw.tensor("other", 2, 2, 4, scale=3)
    other[1] = draw.tensor("second", 3, 4, scale=2)
    return [normalize(x, 0.2)[0, 0], normalize(other, 0.2)[0, 0]]


@normalize.probe("has the right gradient: mean and variance depend on x as well", rung="gradients")
def gradient(normalize: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 3, 4, scale=2, requires_grad=True)
    return draw.gradients(normalize(x, 0.2), x=x)


@normalize.probe("gives zeros, not NaN, for a token of equal features", rung="edges")
def equal_features(normalize: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 3, 1).expand(2, 3, 4)
    return normalize(x, 0.1)


@normalize.probe("blows up no token whose variance is far below eps", rung="edges")
def tiny_variance(normalize: Callable, draw: Draw) -> Any:
    return normalize(draw.tensor("x", 3, 4, scale=0.01, shift=1), 0.3)


@normalize.probe("works on a single token, on four dimensions and out of memory order", rung="edges")
def other_shapes(normalize: Callable, draw: Draw) -> Any:
    one = normalize(draw.tensor("one", 6), 0.1)
    four = normalize(draw.tensor("four", 2, 1, 3, 4).transpose(1, 2), 0.1)
    turned = normalize(draw.tensor("turned", 2, 5, 3, 4).transpose(1, 2), 0.1)
    return {"a single token": one, "four dimensions": four, "out of memory order": turned}


@normalize.probe("brings loud tokens to the same strength as quiet ones", rung="edges")
def loud_and_quiet(normalize: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 4, 4) * torch.tensor([[1000.0], [30.0], [1.0], [0.05]])
    return normalize(draw.keep("loud", x), 1e-3)


layer_norm = Exercise(
    "LayerNorm",
    points=4,
    forbidden=FORBIDDEN,
    hints=(
        "The constructor already holds everything. `forward` needs one line, and `normalize` does most of it.",
        "```python\nreturn ...  # weight times the normalized x, plus bias; remember self.eps\n```",
        "Normalize first, then scale and shift: `weight * normalize(x, eps) + bias`, with the three read from `self`.",
    ),
    traps={
        "AttributeError: 'LayerNorm' object has no attribute 'weight'": "the constructor was changed: it must end with "
        "`self.weight` and `self.bias`, each an `nn.Parameter` of length d_model.",
        "TypeError: normalize() ...": "`normalize` takes the tokens and eps: `normalize(x, self.eps)`.",
    },
)


@layer_norm.probe("scales and shifts the normalized token, feature by feature")
def small_width(LayerNorm: Callable, draw: Draw) -> Any:
    layer = draw.module(LayerNorm, 4, eps=0.3)
    return layer(draw.tensor("x", 2, 3, 4, scale=5, shift=3))


@layer_norm.probe("uses the eps it was given")
def large_eps(LayerNorm: Callable, draw: Draw) -> Any:
    layer = draw.module(LayerNorm, d_model=5, eps=2.0)
    return layer(draw.tensor("x", 2, 3, 5))


@layer_norm.probe("uses eps=1e-5 if not told otherwise")
def default_eps_of_layer(LayerNorm: Callable, draw: Draw) -> Any:
    layer = draw.module(LayerNorm, 4)
    return layer(draw.tensor("x", 3, 4, scale=0.005))


@layer_norm.probe("starts with weight 1 and bias 0", rung="invariants")
def start(LayerNorm: Callable, draw: Draw) -> Any:
    layer = LayerNorm(3, eps=0.1)
    return layer(draw.tensor("x", 3, 3, scale=2))


@layer_norm.probe("does not move a token when the others change", rung="invariants")
def other_tokens_change(LayerNorm: Callable, draw: Draw) -> Any:
    layer = draw.module(LayerNorm, 4, eps=0.2)
    x = draw.tensor("x", 2, 3, 4, shift=1)
    other = x.clone()
    other[:, 1:] = draw.tensor("other", 2, 2, 4, scale=3)
    other[1] = draw.tensor("second", 3, 4, scale=2)
    return [layer(x)[0, 0], layer(other)[0, 0]]


@layer_norm.probe("does the same in training and in evaluation", rung="invariants")
def both_modes(LayerNorm: Callable, draw: Draw) -> Any:
    layer = draw.module(LayerNorm, 4, eps=0.2)
    x = draw.tensor("x", 2, 3, 4, scale=2)
    return {"train()": layer.train()(x), "eval()": layer.eval()(x)}


@layer_norm.probe("has the right gradients, for x, weight and bias", rung="gradients")
def gradients(LayerNorm: Callable, draw: Draw) -> Any:
    layer = draw.module(LayerNorm, 4, eps=0.3)
    x = draw.tensor("x", 2, 3, 4, scale=2, shift=1, requires_grad=True)
    return draw.gradients(layer(x), x=x, **dict(layer.named_parameters()))


@layer_norm.probe("works on one token, on loud tokens and on memory that is not contiguous", rung="edges")
def layer_edges(LayerNorm: Callable, draw: Draw) -> Any:
    layer = draw.module(LayerNorm, 4, eps=0.2)
    return {
        "one token": layer(draw.tensor("one", 1, 1, 4)),
        "loud tokens": layer(draw.tensor("loud", 2, 4, scale=1000)),
        "not contiguous": layer(draw.tensor("x", 4, 3, 2).transpose(0, 2)),
    }


rms_norm = Exercise(
    "RMSNorm",
    points=3,
    forbidden=FORBIDDEN,
    stretch=True,
    hints=(
        "Root mean square, read from right to left: square, take the mean, take the root. There is no mean to subtract and no bias.",
        "```python\n"
        "mean_square = ...  # mean of x squared over the last dimension, keepdim=True\n"
        "return ...         # weight * x over the root of (mean_square + eps)\n"
        "```",
        "`x.square().mean(dim=-1, keepdim=True)`, then divide by `torch.sqrt` of it plus `self.eps`, times `self.weight`.",
    ),
)


@rms_norm.probe("divides by the root mean square and scales every feature")
def rms_values(RMSNorm: Callable, draw: Draw) -> Any:
    layer = draw.module(RMSNorm, 4, eps=0.3)
    return layer(draw.tensor("x", 2, 3, 4, scale=2, shift=1.5))


@rms_norm.probe("adds eps to the mean square, 1e-6 if not told otherwise")
def rms_default_eps(RMSNorm: Callable, draw: Draw) -> Any:
    layer = draw.module(RMSNorm, 4)
    return layer(draw.tensor("x", 3, 4, scale=0.002))


@rms_norm.probe("starts with weight 1", rung="invariants")
def rms_start(RMSNorm: Callable, draw: Draw) -> Any:
    return RMSNorm(3, eps=0.1)(draw.tensor("x", 3, 3, scale=2))


@rms_norm.probe("does the same in training and in evaluation", rung="invariants")
def rms_both_modes(RMSNorm: Callable, draw: Draw) -> Any:
    layer = draw.module(RMSNorm, d_model=4, eps=0.2)
    x = draw.tensor("x", 2, 3, 4, scale=2)
    return {"train()": layer.train()(x), "eval()": layer.eval()(x)}


@rms_norm.probe("has the right gradients, for x and weight", rung="gradients")
def rms_gradients(RMSNorm: Callable, draw: Draw) -> Any:
    layer = draw.module(RMSNorm, 4, eps=0.3)
    x = draw.tensor("x", 2, 3, 4, scale=2, shift=1, requires_grad=True)
    return draw.gradients(layer(x), x=x, **dict(layer.named_parameters()))


@rms_norm.probe("gives zeros for a token of zeros, works on one token and on loud ones", rung="edges")
def rms_edges(RMSNorm: Callable, draw: Draw) -> Any:
    layer = draw.module(RMSNorm, 4, eps=0.2)
    return {
        "zeros": layer(torch.zeros(2, 4)),
        "one token": layer(draw.tensor("one", 4)),
        "a sequence of one": layer(draw.tensor("short", 2, 1, 4)),
        "loud tokens": layer(draw.tensor("loud", 2, 4, scale=1000)),
        "not contiguous": layer(draw.tensor("x", 4, 3, 2).transpose(0, 2)),
    }


article_layer_norm = Exercise(
    "LayerNormalization",
    points=2,
    repairs=layer_norm,
    hints=(
        "Two things are wrong, and both are in the line that divides. Run the check on the code as it stands and read its first sentence.",
        "What does `x.std` count: n features, or n - 1? And where does eps belong: inside the root or outside?",
        "Take `x.var(..., correction=0)`, add eps to it, and only then the root.",
    ),
)
