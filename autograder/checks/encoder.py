"""Checks of lesson 06: EncoderLayer, Encoder, and two repairs."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.probing.held import grows

FORBIDDEN = ("transformer_layer",)
FORMS = {"post-norm": False, "pre-norm": True}


def real_tokens(draw: Draw, *lengths: int, seq_len: int) -> Tensor:
    """A padding mask (batch, 1, 1, seq_len) of sentences of these lengths."""
    places = torch.arange(seq_len)
    mask = torch.stack([places < length for length in lengths])
    return draw.keep("mask", mask[:, None, None])


def some_true(draw: Draw, *shape: int) -> Tensor:
    """A drawn mask in which every query may look at its first key at least, and not at its last."""
    places = torch.arange(shape[-1])
    drawn = draw.booleans("mask drawn", *shape, chance=0.6)
    return draw.keep("mask", (drawn | (places == 0)) & (places != shape[-1] - 1))


# EncoderLayer ----------------------------------------------------------------------------

encoder_layer = Exercise(
    "EncoderLayer",
    points=5,
    forbidden=FORBIDDEN,
    hints=(
        "Everything is there: `add_norm` wraps a sublayer, and there are two sublayers, so two calls do it. One thing does not fit: `add_norm` calls its "
        "sublayer with one tensor and adds what comes back, while `self.self_attn` takes query, key, value and mask and returns two things. Write a "
        "small function in between.",
        "```python\n"
        "def attend(h):\n"
        "    ...   # self.self_attn of h, h, h and the mask gives two things\n"
        "    ...   # keep the weights in a list outside, return the output\n"
        "\n"
        "x = ...   # add_norm of x, attend, norm1, dropout, norm_first\n"
        "x = ...   # add_norm of x, the feed-forward network, norm2, dropout, norm_first\n"
        "return ...  # x, or (x, weights)\n"
        "```",
        "`x = add_norm(x, attend, self.norm1, self.dropout, self.norm_first)`, and the same with `self.feed_forward` and `self.norm2`. `attend` passes its own argument `h` three times, not "
        "`x`: in pre-norm `h` is the normalized `x`.",
    ),
    traps={
        "TypeError: unsupported operand type(s) for +: 'Tensor' and 'tuple'": "you add a tuple: `self.self_attn` returns `(output, weights)`, and only "
        "the output goes on.",
        "TypeError: dropout(): argument 'input' (position 1) must be Tensor, not tuple": "`add_norm` was given a function that returns two things. `self.self_attn` returns `(output, weights)`: only the output goes on.",
        "TypeError: MultiHeadAttention.forward() missing 2 required positional arguments: 'key' and 'value'": "`add_norm` calls its sublayer with one tensor. "
        "Give it a function of one tensor that calls `self.self_attn(h, h, h, mask)`.",
        "RuntimeError: The size of tensor a (8) must match the size of tensor b (5) at non-singleton dimension 3": "something of four dimensions met tokens that it does not fit: attention's weights have four, and tokens have three. "
        "`self.self_attn` gives `(output, weights)`, and the function that `add_norm` gets returns the output.",
        "TypeError: 'Tensor' object is not callable": "`add_norm` was given a tensor instead of a function. It calls the sublayer, the norm and the "
        "dropout itself: give it `attend`, not `attend(x)`.",
        "NameError: name 'weights' is not defined": "a name that is set inside an inner function exists only there. Make an empty list outside and "
        "append the weights to it.",
    },
)


@encoder_layer.probe(
    "adds what attention found and normalizes, then the same with the feed-forward network (post-norm)", float64=True
)
def post_norm(EncoderLayer: Callable, draw: Draw) -> Any:
    layer = draw.module(EncoderLayer, 8, 2, 12)
    return layer(draw.tensor("x", 3, 5, 8, scale=1.5))


@encoder_layer.probe(
    "lets attention and the feed-forward network read normalized tokens, and leaves the sums as they are (pre-norm)",
    float64=True,
)
def pre_norm(EncoderLayer: Callable, draw: Draw) -> Any:
    layer = draw.module(EncoderLayer, 8, 4, 10, norm_first=True)
    return layer(draw.tensor("x", 3, 5, 8, scale=1.5))


@encoder_layer.probe("hides padding, and returns the weights of every head when asked (post-norm)", float64=True)
def padding(EncoderLayer: Callable, draw: Draw) -> Any:
    layer = draw.module(EncoderLayer, 6, 2, 10)
    return layer(draw.tensor("x", 3, 5, 6, scale=1.5), real_tokens(draw, 4, 2, 5, seq_len=5), return_weights=True)


@encoder_layer.probe(
    "obeys a mask with rows of its own for every head and query, and returns the weights when asked (pre-norm)",
    float64=True,
)
def mask_of_each_query(EncoderLayer: Callable, draw: Draw) -> Any:
    layer = draw.module(EncoderLayer, 6, 3, 10, norm_first=True)
    return layer(draw.tensor("x", 2, 5, 6, scale=1.5), some_true(draw, 2, 3, 5, 5), return_weights=True)


@encoder_layer.probe(
    "drops all that the sublayers would add at dropout=1, and nothing else; in evaluation nothing at all", float64=True
)
def all_dropped(EncoderLayer: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 4, 6)
    found = {}
    for form, norm_first in FORMS.items():
        layer = draw.module(EncoderLayer, 6, 2, 10, 1.0, norm_first)
        found[f"{form}, training"] = layer.train()(x, return_weights=True)
        found[f"{form}, evaluation"] = layer.eval()(x)
    return found


@encoder_layer.probe(
    "drops in training at four places: attention weights, what attention adds, inside the feed-forward network, what that adds",
    float64=True,
)
def half_dropped(EncoderLayer: Callable, draw: Draw) -> Any:
    # A token that is alone reads itself or nothing, and `alone` leaves one sublayer one number that can be dropped
    # inside and one that it can add. So few different outputs are possible, whatever random numbers are used, and 8000
    # tokens that are alike show all of them: 256 at most, where tokens are dropped too. Three features, as a norm of two
    # would hide them.
    tokens = draw.tensor("x", 1, 1, 3).repeat(8000, 1, 1)
    found = {}
    for form, norm_first in FORMS.items():
        for sublayer in ("attention", "feed-forward network"):
            layer = alone(sublayer, draw.module(EncoderLayer, 3, 1, 1, 0.5, norm_first).train())
            found[f"{form}, {sublayer} alone"] = _distinct_rows(layer(tokens))
    return found


def alone(sublayer: str, layer: nn.Module) -> nn.Module:
    """Let one sublayer add to the second of three features, and the other one add nothing.

    The feed-forward network is always active, and what it reads counts a little.
    """
    last = {"attention": "self_attn.out_proj.", "feed-forward network": "feed_forward.linear2."}
    with torch.no_grad():
        for name, parameter in layer.named_parameters():
            if name.startswith(last[sublayer]):
                parameter[::2] = 0
            elif name.startswith(tuple(last.values())):
                parameter.zero_()
            elif name.startswith("feed_forward.linear1."):
                parameter[1:] = 0
                parameter[0] = 0.2 * parameter[0] if name.endswith("weight") else 6.0
    return layer


def _distinct_rows(rows: Tensor) -> dict[str, Any]:
    """How many rows of three features differ by more than five decimals, and twelve of them, in order: all, or evenly spread.

    Where there are fewer, some stand twice: another number of rows is a wrong value, not a wrong shape.
    """
    rounded = rows.detach().reshape(-1, rows.shape[-1]).round(decimals=5)
    # One number for each row, by which rows that differ differ: `unique` of whole rows is slow.
    keys = (rounded @ torch.tensor([1.0, 3**0.5, 7**0.5], dtype=rows.dtype)).round(decimals=4)
    _, numbers = torch.unique(keys, return_inverse=True)
    count = int(numbers.max()) + 1
    found = rounded.new_empty(count, rounded.shape[-1]).index_copy(0, numbers, rounded)
    return {"how many different rows": count, "rows": found[torch.linspace(0, count - 1, 12).round().long()]}


@encoder_layer.probe(
    "lets no real token see what stands at padding, and without a mask every token see all others",
    rung="invariants",
    float64=True,
)
def other_tokens(EncoderLayer: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 5, 4)
    changed = torch.cat([x[:, :3], draw.tensor("other", 2, 2, 4, scale=3)], dim=1)
    mask = real_tokens(draw, 3, 3, seq_len=5)
    post, pre = (draw.module(EncoderLayer, 4, 2, 6, norm_first=norm_first) for norm_first in FORMS.values())
    return {
        "padding changed, post-norm": [post(one, mask)[:, :3] for one in (x, changed)],
        "later tokens changed, pre-norm": [pre(one)[:, :3] for one in (x, changed)],
    }


def _gradients(layer: nn.Module, draw: Draw, batch: int, seq_len: int, d_model: int) -> Any:
    x = draw.tensor("x", batch, seq_len, d_model, requires_grad=True)
    output = layer(x, some_true(draw, batch, 1, 1, seq_len))
    return draw.gradients(output, x=x, **dict(layer.named_parameters()))


@encoder_layer.probe("has the right gradients in post-norm, for x and all parameters", rung="gradients")
def post_gradients(EncoderLayer: Callable, draw: Draw) -> Any:
    return _gradients(draw.module(EncoderLayer, 6, 2, 10), draw, 3, 4, 6)


@encoder_layer.probe("has the right gradients in pre-norm, for x and all parameters", rung="gradients")
def pre_gradients(EncoderLayer: Callable, draw: Draw) -> Any:
    # In evaluation for once: gradients are asked for there too, of a trained model whose layers are looked into.
    return _gradients(draw.module(EncoderLayer, 6, 3, 10, norm_first=True).eval(), draw, 2, 4, 6)


@encoder_layer.probe(
    "works for one head, one token, one sequence, large numbers, on memory that is not contiguous, for a query that may look at nothing, and without the mask of an earlier call",
    rung="edges",
    float64=True,
)
def layer_edges(EncoderLayer: Callable, draw: Draw) -> Any:
    post = draw.fill(EncoderLayer(4, 1, 7))
    pre = draw.fill(EncoderLayer(4, 4, 6, norm_first=True))
    mask = torch.ones(2, 1, 3, 3, dtype=torch.bool)
    mask[0, 0, 1] = mask[1] = False
    x, token = draw.tensor("x", 4, 3, 2).transpose(0, 2), draw.tensor("token", 1, 1, 4)
    hidden = draw.keep("mask", mask)
    return {
        "one sequence of one token": post(token, return_weights=True),
        "not contiguous, and nothing to look at": [layer(x, hidden, return_weights=True) for layer in (post, pre)],
        "large numbers": [layer(300 * token) for layer in (post, pre)],
        "without a mask, after a call with one": [layer(x) for layer in (post, pre)],
    }


@encoder_layer.probe("keeps nothing from call to call, and returns the weights of this one", rung="edges", float64=True)
def next_call(EncoderLayer: Callable, draw: Draw) -> Any:
    layer, x = draw.module(EncoderLayer, 4, 2, 6), draw.tensor("x", 2, 3, 4)
    more = grows(layer, lambda: layer(draw.tensor("first", 2, 3, 4), return_weights=True))
    return {"holds more after every call": more, "the weights": layer(x, return_weights=True)[1]}


@encoder_layer.probe("raises a ValueError when d_model is not divisible by num_heads", rung="invariants")
def layer_refuses(EncoderLayer: Callable, draw: Draw) -> Any:
    EncoderLayer(9, 3, 4)(draw.tensor("x", 1, 2, 9))  # first what fits
    EncoderLayer(10, 3, 4)
    return "a layer of width 10 with 3 heads"


# Encoder ----------------------------------------------------------------------------

encoder = Exercise(
    "Encoder",
    points=4,
    forbidden=FORBIDDEN,
    hints=(
        "Two lines make the stack, and a loop runs it. In the constructor: `num_layers` layers, each made anew, in an `nn.ModuleList` so that torch "
        "finds their parameters; and the norm, if there is one. In `forward`, each layer reads what the layer before it returned.",
        "```python\n"
        "self.layers = nn.ModuleList(...)  # num_layers times EncoderLayer(...)\n"
        "self.norm = ...                   # LayerNorm(d_model) if norm_first, else None\n"
        "```\n"
        "```python\n"
        "all_weights = []\n"
        "for layer in self.layers:\n"
        "    ...   # x and the weights, from layer(x, mask, return_weights=True)\n"
        "    ...   # keep the weights\n"
        "...       # the norm, if there is one\n"
        "return ...  # x, or (x, all_weights)\n"
        "```",
        "`nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers))`. In the loop `x, weights = layer(x, mask, return_weights=True)`, after it "
        "`if self.norm is not None: x = self.norm(x)`. Every layer gets the mask.",
    ),
    traps={
        "AttributeError: 'Encoder' object has no attribute 'layers'": "the constructor has a blank of its own: it makes `self.layers` and `self.norm`.",
        'NotImplementedError: Module [ModuleList] is missing the required "forward" function': "an `nn.ModuleList` holds layers and does not run them: a loop does, `for layer in self.layers`.",
        "AttributeError: 'tuple' object has no attribute 'size'": "`x` is a tuple. A layer asked for the weights returns two things: `x, weights = layer(x, mask, return_weights=True)`.",
        "TypeError: 'NoneType' object is not callable": "`self.norm` is None in post-norm. Ask before you call it.",
        "ValueError: too many values to unpack (expected 2)": "a layer returns one tensor unless it is asked for the weights: `return_weights=True`.",
        "ValueError: d_model=... is not divisible by num_heads=...": "two arguments have changed places: `EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
    },
)


@encoder.probe("runs the layers one after another, and nothing after them (post-norm)", float64=True)
def post_norm_stack(Encoder: Callable, draw: Draw) -> Any:
    stack = draw.module(Encoder, 2, 8, 4, 12)
    return stack(draw.tensor("x", 3, 5, 8, scale=1.5))


@encoder.probe("runs the layers one after another, and normalizes once at the end (pre-norm)", float64=True)
def pre_norm_stack(Encoder: Callable, draw: Draw) -> Any:
    stack = draw.module(Encoder, 3, 8, 2, 12, norm_first=True)
    return stack(draw.tensor("x", 2, 4, 8, scale=1.5))


@encoder.probe(
    "hides padding in every layer, and returns the weights of all layers when asked (post-norm)", float64=True
)
def padding_stack(Encoder: Callable, draw: Draw) -> Any:
    stack = draw.module(Encoder, 3, 6, 2, 10)
    mask = real_tokens(draw, 4, 2, 3, 5, seq_len=5)
    return stack(draw.tensor("x", 4, 5, 6, scale=1.5), mask, return_weights=True)


@encoder.probe(
    "obeys a mask with rows of its own for every head and query, and returns the weights of all layers (pre-norm)",
    float64=True,
)
def mask_of_each_query_stack(Encoder: Callable, draw: Draw) -> Any:
    stack = draw.module(Encoder, 2, 6, 3, 10, norm_first=True)
    return stack(draw.tensor("x", 4, 5, 6, scale=1.5), some_true(draw, 4, 3, 5, 5), return_weights=True)


@encoder.probe("hands dropout to its layers: at dropout=1 only the norms are left, and in evaluation all", float64=True)
def all_dropped_stack(Encoder: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 3, 4, 6)
    found = {}
    for form, norm_first in FORMS.items():
        stack = draw.module(Encoder, 2, 6, 2, 10, 1.0, norm_first)
        found[f"{form}, training"] = stack.train()(x, return_weights=True)
        found[f"{form}, evaluation"] = stack.eval()(x)
    return found


@encoder.probe(
    "lets no real token see what stands at padding, and without a mask every token see all others",
    rung="invariants",
    float64=True,
)
def other_tokens_stack(Encoder: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 3, 5, 4)
    changed = torch.cat([x[:, :3], draw.tensor("other", 3, 2, 4, scale=3)], dim=1)
    mask = real_tokens(draw, 3, 2, 3, seq_len=5)
    stack = draw.module(Encoder, 2, 4, 2, 6)
    return {
        "padding changed": [stack(one, mask)[:, :3] for one in (x, changed)],
        "later tokens changed": [stack(one)[:, :3] for one in (x, changed)],
    }


@encoder.probe("has the right gradients in post-norm, for x and the parameters of all layers", rung="gradients")
def post_gradients_stack(Encoder: Callable, draw: Draw) -> Any:
    return _gradients(draw.module(Encoder, 2, 6, 2, 10), draw, 3, 4, 6)


@encoder.probe("has the right gradients in pre-norm, for x and the parameters of all layers", rung="gradients")
def pre_gradients_stack(Encoder: Callable, draw: Draw) -> Any:
    return _gradients(draw.module(Encoder, 2, 6, 3, 10, norm_first=True).eval(), draw, 4, 5, 6)


@encoder.probe(
    "works with one layer, one head, one token, one sequence, large numbers, and on memory that is not contiguous",
    rung="edges",
    float64=True,
)
def stack_edges(Encoder: Callable, draw: Draw) -> Any:
    x, token = draw.tensor("x", 4, 3, 2).transpose(0, 2), draw.tensor("token", 1, 1, 4)
    found = {}
    for form, norm_first in FORMS.items():
        stack = draw.fill(Encoder(1, 4, 1, 6, norm_first=norm_first))
        found[form] = [stack(token, return_weights=True), stack(300 * token), stack(x)]
    return found


@encoder.probe(
    "keeps nothing from call to call, and returns the weights of this one in a list", rung="edges", float64=True
)
def next_call_stack(Encoder: Callable, draw: Draw) -> Any:
    stack, x = draw.module(Encoder, 2, 4, 2, 6), draw.tensor("x", 2, 3, 4)
    more = grows(stack, lambda: stack(draw.tensor("first", 2, 3, 4), return_weights=True))
    weights = stack(x, return_weights=True)[1]
    return {"holds more after every call": more, "a list": isinstance(weights, list), "the weights": weights}


@encoder.probe("raises a ValueError when d_model is not divisible by num_heads", rung="invariants")
def stack_refuses(Encoder: Callable, draw: Draw) -> Any:
    Encoder(2, 9, 3, 4)(draw.tensor("x", 1, 2, 9))  # first what fits
    Encoder(2, 10, 3, 4)
    return "an encoder of width 10 with 3 heads"


# In the wild ----------------------------------------------------------------------------

article_layer = Exercise(
    "ArticleEncoderLayer",
    points=2,
    repairs=encoder_layer,
    hints=(
        "Two things are wrong. One is missing twice in `forward`; the other is in the constructor. Compare the code with the picture of a layer.",
        "Where does the layer add anything? And what is a feed-forward network made of?",
        "What a sublayer made is added to `x`: `x = x + self.dropout(attended)`, before the norm in post-norm. And `FeedForward(d_model, d_ff, dropout)` takes the place of the single linear layer.",
    ),
)

article_encoder = Exercise(
    "ArticleEncoder",
    points=2,
    repairs=encoder,
    hints=(
        "Two things are wrong, both in `forward`. Run the check and read which tokens may see which.",
        "Where does the code say that a token may not look ahead, and should it? And how many layers' weights come back?",
        "Leave the mask as it comes in, and pass it on. Collect the weights of every layer in a list, and return the list.",
    ),
)
