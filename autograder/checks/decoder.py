"""Checks of lesson 07: DecoderLayer, Decoder, and two repairs."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.probing.held import grows

FORBIDDEN = ("transformer_layer",)
FORMS = {"post-norm": False, "pre-norm": True}


def no_future(draw: Draw, tgt_len: int) -> Tensor:
    """The causal mask (tgt_len, tgt_len)."""
    return draw.keep("self_mask", torch.ones(tgt_len, tgt_len, dtype=torch.bool).tril())


def real_tokens(draw: Draw, *lengths: int, src_len: int) -> Tensor:
    """A padding mask (batch, 1, 1, src_len) of sources of these lengths."""
    mask = torch.stack([torch.arange(src_len) < length for length in lengths])
    return draw.keep("cross_mask", mask[:, None, None])


def some_true(draw: Draw, name: str, *shape: int) -> Tensor:
    """A drawn mask in which every query may look at its first key at least, and not at its last."""
    places = torch.arange(shape[-1])
    drawn = draw.booleans(f"{name} drawn", *shape, chance=0.6)
    return draw.keep(name, (drawn | (places == 0)) & (places != shape[-1] - 1))


def another_end(draw: Draw, name: str, tokens: Tensor, kept: int) -> Tensor:
    """The same tokens up to `kept`, and others after that."""
    batch, length, d_model = tokens.shape
    return torch.cat([tokens[:, :kept], draw.tensor(name, batch, length - kept, d_model, scale=3)], dim=1)


# DecoderLayer ----------------------------------------------------------------------------

decoder_layer = Exercise(
    "DecoderLayer",
    points=5,
    forbidden=FORBIDDEN,
    hints=(
        "It is the encoder layer with one step more in the middle. Three calls of `add_norm`, each with a norm of its own. As in lesson 06, each attention needs a small function around it that puts "
        "the weights aside and returns the output. In which of the two does `memory` appear, and as which of query, key and value?",
        "```python\n"
        "def attend(h):\n"
        "    ...   # self.self_attn: h asks, h is read, under self_mask; keep the weights, return the output\n"
        "\n"
        "def read_source(h):\n"
        "    ...   # self.cross_attn: h asks, memory is read, under cross_mask; keep the weights, return the output\n"
        "\n"
        "x = ...   # add_norm of x, attend, norm1, dropout, norm_first\n"
        "x = ...   # add_norm of x, read_source, norm2, dropout, norm_first\n"
        "x = ...   # add_norm of x, the feed-forward network, norm3, dropout, norm_first\n"
        "return ...  # x, or (x, (self_weights, cross_weights))\n"
        "```",
        "`self.self_attn(h, h, h, self_mask)` and `self.cross_attn(h, memory, memory, cross_mask)`. The functions use their own argument `h`, not `x`: in pre-norm `h` is the normalized `x`. "
        "`memory` is used as it comes in, no norm of this layer touches it.",
    ),
    traps={
        "TypeError: unsupported operand type(s) for +: 'Tensor' and 'tuple'": "a tuple was to be added: an attention returns `(output, weights)`, and only the output goes on.",
        "TypeError: dropout(): argument 'input' (position 1) must be Tensor, not tuple": "`add_norm` was given a function that returns two things. An attention returns `(output, weights)`, and only the output goes on.",
        "TypeError: 'Tensor' object is not callable": "`add_norm` wants the sublayer itself, a function of one tensor, and got what the sublayer made.",
        "ValueError: mask has shape ...; give (batch, num_heads, query_len, key_len) = ...": "a mask of the source came to an "
        "attention that reads the target, or memory was not what the cross-attention read. `self_mask` is for the target's tokens, `cross_mask` for the memory's.",
        "RuntimeError: The size of tensor a ... must match the size of tensor b": "tokens or masks of source and target meet, and the two differ in length. `self_mask` goes to the target's attention "
        "alone and `cross_mask` to the source's, and what a step adds to is the target, never `memory`.",
        "RuntimeError: The size of tensor a (8) must match the size of tensor b (4) at non-singleton dimension 3": "something of four dimensions met tokens or a mask that it does not fit: attention's weights have four, and tokens have three. "
        "An attention gives `(output, weights)`, and the function that `add_norm` gets returns the output; or two masks were joined that belong to different texts.",
        "TypeError: 'tuple' object is not callable": "`add_norm` wants the sublayer itself, a function of one tensor, and got what the attention made: its output and its weights.",
        "NameError: name 'self_weights' is not defined": "a name that is set inside `attend` ends with it. Make an empty list outside and append the weights to it.",
        "UnboundLocalError: cannot access local variable 'self_weights'": "a name that is set inside `attend` ends with it. Make an empty list outside and append the weights to it.",
    },
)


@decoder_layer.probe(
    "post-norm: the target reads itself, then the source, then thinks; after each step add and normalize", float64=True
)
def post_norm(DecoderLayer: Callable, draw: Draw) -> Any:
    layer = draw.module(DecoderLayer, 8, 2, 12)
    x, memory = draw.tensor("x", 3, 4, 8, scale=1.5), draw.tensor("memory", 3, 5, 8, scale=1.5)
    return layer(x, memory, no_future(draw, 4), real_tokens(draw, 5, 3, 2, src_len=5))


@decoder_layer.probe(
    "pre-norm: each step reads normalized tokens, the sums stay as they are, and so does memory", float64=True
)
def pre_norm(DecoderLayer: Callable, draw: Draw) -> Any:
    layer = draw.module(DecoderLayer, 8, 4, 10, norm_first=True)
    x, memory = draw.tensor("x", 2, 5, 8, scale=1.5), draw.tensor("memory", 2, 3, 8, scale=1.5)
    return layer(x, memory, no_future(draw, 5), real_tokens(draw, 3, 2, src_len=3))


@decoder_layer.probe(
    "keeps the two masks apart where the source is as long as the target and either would fit; returns both weights, the target's first",
    float64=True,
)
def equal_lengths(DecoderLayer: Callable, draw: Draw) -> Any:
    layer = draw.module(DecoderLayer, 6, 3, 8, norm_first=True)
    x, memory = draw.tensor("x", 2, 4, 6, scale=1.5), draw.tensor("memory", 2, 4, 6)
    return layer(x, memory, no_future(draw, 4), real_tokens(draw, 4, 2, src_len=4), return_weights=True)


@decoder_layer.probe(
    "drops at dropout=1 all that the three steps would add, x and the sums never, and in evaluation nothing",
    float64=True,
)
def all_dropped(DecoderLayer: Callable, draw: Draw) -> Any:
    x, memory = draw.tensor("x", 2, 3, 4), draw.tensor("memory", 2, 5, 4)
    post, pre = (draw.module(DecoderLayer, 4, 2, 6, 1.0, norm_first) for norm_first in FORMS.values())
    trained = {"post-norm": post.train()(x, memory), "pre-norm": pre.train()(x, memory)}
    return trained | {"in evaluation": post.eval()(x, memory), "pre-norm in evaluation": pre.eval()(x, memory)}


@decoder_layer.probe(
    "drops in training at six places: the weights of both attentions, inside the feed-forward network, and what each of the three adds",
    float64=True,
)
def half_dropped(DecoderLayer: Callable, draw: Draw) -> Any:
    # A token with one token to read reads it or nothing, and `quiet` leaves each step one number that can be dropped
    # inside and one it can add. So 27 outputs are possible, whatever random numbers are used, the rarest in one of 64
    # cases, and 1500 tokens that are alike show all of them.
    layer = quiet(draw.module(DecoderLayer, 4, 1, 1, 0.5, norm_first=True)).train()
    x, memory = draw.tensor("x", 1, 1, 4), draw.tensor("memory", 1, 1, 4)
    return _distinct_rows(layer(x.repeat(1500, 1, 1), memory.repeat(1500, 1, 1)))


def quiet(layer: nn.Module) -> nn.Module:
    """Let each step add to a feature of its own; the feed-forward network is always active, and what it reads counts."""
    ends = ("self_attn.out_proj.", "cross_attn.out_proj.", "feed_forward.linear2.")
    with torch.no_grad():
        for name, parameter in layer.named_parameters():
            for feature, end in enumerate(ends):
                if name.startswith(end):
                    parameter[torch.arange(4) != feature] = 0
            if name == "feed_forward.linear1.weight":
                parameter.mul_(0.2)
            elif name == "feed_forward.linear1.bias":
                parameter.fill_(6.0)
    return layer


def _distinct_rows(rows: Tensor) -> dict[str, Any]:
    """How many rows of the last dimension differ by more than five decimals, and the first thirty of them, in order.

    Fewer are filled up with the last one: another number of rows is a wrong value, not a wrong shape.
    """
    tokens = rows.detach().reshape(-1, rows.shape[-1])[:1500]  # of a result that has grown too large, no more
    found = torch.unique(tokens.round(decimals=5), dim=0)
    return {"how many different rows": len(found), "rows": found[torch.arange(30).clamp(max=len(found) - 1)]}


@decoder_layer.probe(
    "lets no token know what comes after it under a causal mask, nor what stands at the source's padding",
    rung="invariants",
    float64=True,
)
def hidden(DecoderLayer: Callable, draw: Draw) -> Any:
    return _hidden(draw.module(DecoderLayer, 4, 2, 6), draw)


def _hidden(module: nn.Module, draw: Draw) -> Any:
    """The first two tokens' outputs, as they are, with other tokens after them, another padding, another source.

    The source is as long as the target: where one is read in the other's place, numbers tell more than an exception.
    Two of the four stand in one batch, as every call takes time; a second call shows what a first has left behind.
    """
    x, memory = draw.tensor("x", 2, 4, 4), draw.tensor("memory", 2, 4, 4)
    own, cross = no_future(draw, 4), real_tokens(draw, 3, 3, 3, 3, src_len=4)
    targets = torch.cat([x, another_end(draw, "future", x, 2)])
    sources = torch.cat([another_end(draw, "padding", memory, 3), draw.tensor("source", 2, 4, 4)])
    first = module(targets, memory.repeat(2, 1, 1), own, cross)[:, :2]
    second = module(x.repeat(2, 1, 1), sources, own, cross)[:, :2]
    return {
        "as it is": first[:2],
        "another future": first[2:],
        "another padding": second[:2],
        "another source": second[2:],
    }


def _gradients(module: nn.Module, draw: Draw, batch: int, tgt_len: int, src_len: int) -> Any:
    x = draw.tensor("x", batch, tgt_len, 6, requires_grad=True)
    memory = draw.tensor("memory", batch, src_len, 6, requires_grad=True)
    output = module(x, memory, no_future(draw, tgt_len), some_true(draw, "cross_mask", batch, 1, 1, src_len))
    return draw.gradients(output, x=x, memory=memory, **dict(module.named_parameters()))


@decoder_layer.probe("has the right gradients, for x, memory and all parameters", rung="gradients")
def gradients(DecoderLayer: Callable, draw: Draw) -> Any:
    return _gradients(draw.module(DecoderLayer, 6, 2, 10), draw, 3, 4, 5)


@decoder_layer.probe(
    "works without masks, with one of them, for a source that is all padding, for one token, and on memory that is not contiguous",
    rung="edges",
    float64=True,
)
def layer_edges(DecoderLayer: Callable, draw: Draw) -> Any:
    pre = draw.fill(DecoderLayer(4, 1, 5, norm_first=True))
    found = _one_token(pre, draw)
    return found | _with_one_mask(draw.fill(DecoderLayer(4, 2, 6)), draw)


def _one_token(module: nn.Module, draw: Draw) -> dict[str, Any]:
    """Of one token and a source of one, and then, asked again, of another source: nothing is kept between calls."""
    token, source, other = draw.tensor("token", 1, 1, 4), draw.tensor("source", 1, 1, 4), draw.tensor("other", 1, 3, 4)
    return {
        "asked for its weights": module(token, source, return_weights=True)[0],
        "another source": module(token, other, return_weights=True),
    }


def _with_one_mask(module: nn.Module, draw: Draw) -> dict[str, Any]:
    """With masks of other shapes than the usual ones, the tokens not contiguous."""
    x, memory = draw.tensor("x", 4, 3, 2).transpose(0, 2), draw.tensor("memory", 4, 5, 2).transpose(0, 2)
    drawn = some_true(draw, "cross_mask drawn", 2, 2, 3, 5)
    some_source = torch.tensor([True, False])[:, None, None, None]  # of the second sequence all is padding
    return {
        "one token, and no weights": module(x[:1, :1], memory[:1, :1]),
        "no mask": module(x, memory),
        "a self_mask alone": module(x, memory, self_mask=some_true(draw, "self_mask", 2, 1, 1, 3)),
        "a cross_mask alone": module(x, memory, cross_mask=draw.keep("cross_mask", drawn & some_source)),
    }


@decoder_layer.probe("keeps nothing from call to call", rung="edges", float64=True)
def next_call(DecoderLayer: Callable, draw: Draw) -> Any:
    return _grows(draw.module(DecoderLayer, 4, 2, 6), draw)


def _grows(module: nn.Module, draw: Draw) -> dict[str, bool]:
    x, memory = draw.tensor("x", 2, 3, 4), draw.tensor("memory", 2, 5, 4)
    return {"holds more after every call": grows(module, lambda: module(x, memory, return_weights=True))}


@decoder_layer.probe("raises a ValueError when d_model is not divisible by num_heads", rung="invariants")
def layer_refuses(DecoderLayer: Callable, draw: Draw) -> Any:
    DecoderLayer(9, 3, 4)(draw.tensor("x", 1, 2, 9), draw.tensor("memory", 1, 3, 9))  # first what fits
    DecoderLayer(10, 3, 4)
    return "a layer of width 10 with 3 heads"


# Decoder ----------------------------------------------------------------------------

decoder = Exercise(
    "Decoder",
    points=4,
    forbidden=FORBIDDEN,
    hints=(
        "As the encoder: layers made anew in an `nn.ModuleList`, a norm for pre-norm, a loop. What changes from layer to layer is `x`; what every layer gets unchanged is `memory`, and both masks.",
        "```python\n"
        "self.layers = nn.ModuleList(...)  # num_layers times DecoderLayer(...)\n"
        "self.norm = ...                   # LayerNorm(d_model) if norm_first, else None\n"
        "```\n"
        "```python\n"
        "all_self, all_cross = [], []\n"
        "for layer in self.layers:\n"
        "    ...   # x and the pair of weights, from layer(x, memory, self_mask, cross_mask, return_weights=True)\n"
        "    ...   # keep each of the pair in its list\n"
        "...       # the norm, if there is one\n"
        "return ...  # x, or (x, (all_self, all_cross))\n"
        "```",
        "`nn.ModuleList(DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers))`. In the loop "
        "`x, (self_weights, cross_weights) = layer(x, memory, self_mask, cross_mask, return_weights=True)`, after it `if self.norm is not None: x = self.norm(x)`.",
    ),
    traps={
        "AttributeError: 'Decoder' object has no attribute 'layers'": "the constructor has a blank of its own: it makes `self.layers` and `self.norm`.",
        "TypeError: 'NoneType' object is not callable": "`self.norm` is None in post-norm. Ask before you call it.",
        "ValueError: not enough values to unpack": "a layer returns one tensor unless it is asked for the weights: `return_weights=True`.",
        "ValueError: too many values to unpack": "a layer returns two things, `(x, (self_weights, cross_weights))`; or it was not asked for the weights, and a tensor was unpacked.",
        "ValueError: mask has shape ...; give (batch, num_heads, query_len, key_len) = ...": "a mask came to an attention over other tokens than its own. A layer takes `(x, memory, self_mask, cross_mask)`, in that order: the target's tokens, the memory, the "
        "target's mask, the source's mask. Has something else taken the name `memory`?",
        "ValueError: d_model=... is not divisible by num_heads=...": "two arguments have changed places: `DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)`.",
    },
)


@decoder.probe("post-norm: runs the layers one after another on one memory, and nothing after them", float64=True)
def post_norm_stack(Decoder: Callable, draw: Draw) -> Any:
    stack = draw.module(Decoder, 2, 8, 4, 12)
    x, memory = draw.tensor("x", 3, 4, 8, scale=1.5), draw.tensor("memory", 3, 5, 8, scale=1.5)
    return stack(x, memory, no_future(draw, 4), real_tokens(draw, 5, 3, 2, src_len=5))


@decoder.probe(
    "pre-norm: runs the layers one after another on one memory, and normalizes once at the end", float64=True
)
def pre_norm_stack(Decoder: Callable, draw: Draw) -> Any:
    stack = draw.module(Decoder, 2, 8, 2, 10, norm_first=True)
    x, memory = draw.tensor("x", 2, 5, 8, scale=1.5), draw.tensor("memory", 2, 4, 8, scale=1.5)
    return stack(x, memory, no_future(draw, 5), real_tokens(draw, 4, 2, src_len=4))


@decoder.probe(
    "keeps the two masks apart where the source is as long as the target and either would fit; returns two lists of weights, one tensor for each layer",
    float64=True,
)
def equal_lengths_stack(Decoder: Callable, draw: Draw) -> Any:
    stack = draw.module(Decoder, 3, 6, 2, 8)
    x, memory = draw.tensor("x", 2, 4, 6, scale=1.5), draw.tensor("memory", 2, 4, 6)
    return stack(x, memory, no_future(draw, 4), real_tokens(draw, 4, 2, src_len=4), return_weights=True)


@decoder.probe(
    "hands dropout to its layers: at dropout=1 only the norms are left; in evaluation nothing is dropped", float64=True
)
def dropout_stack(Decoder: Callable, draw: Draw) -> Any:
    stack = draw.module(Decoder, 2, 4, 2, 6, 1.0, True)
    x, memory = draw.tensor("x", 2, 3, 4), draw.tensor("memory", 2, 5, 4)
    return {"in training": stack.train()(x, memory), "in evaluation": stack.eval()(x, memory)}


@decoder.probe(
    "lets no token know what comes after it under a causal mask, nor what stands at the source's padding",
    rung="invariants",
    float64=True,
)
def hidden_stack(Decoder: Callable, draw: Draw) -> Any:
    return _hidden(draw.module(Decoder, 2, 4, 2, 6), draw)


@decoder.probe("has the right gradients, for x, memory and the parameters of all layers", rung="gradients")
def gradients_stack(Decoder: Callable, draw: Draw) -> Any:
    return _gradients(draw.module(Decoder, 2, 6, 3, 10, norm_first=True), draw, 2, 4, 3)


@decoder.probe(
    "works with one layer, without masks, with one of them, for a source that is all padding, for one token, and on memory that is not contiguous",
    rung="edges",
    float64=True,
)
def stack_edges(Decoder: Callable, draw: Draw) -> Any:
    pre = draw.fill(Decoder(1, 4, 1, 5, norm_first=True))
    found = _one_token(pre, draw)
    return found | _with_one_mask(draw.fill(Decoder(1, 4, 2, 6)), draw)


@decoder.probe("keeps nothing from call to call", rung="edges", float64=True)
def next_call_stack(Decoder: Callable, draw: Draw) -> Any:
    return _grows(draw.module(Decoder, 2, 4, 2, 6), draw)


@decoder.probe("raises a ValueError when d_model is not divisible by num_heads", rung="invariants")
def stack_refuses(Decoder: Callable, draw: Draw) -> Any:
    Decoder(1, 9, 3, 4)(draw.tensor("x", 1, 2, 9), draw.tensor("memory", 1, 3, 9))  # first what fits
    Decoder(1, 10, 3, 4)
    return "a decoder of width 10 with 3 heads"


# In the wild ----------------------------------------------------------------------------

article_layer = Exercise(
    "ArticleDecoderLayer",
    points=2,
    repairs=decoder_layer,
    hints=(
        "Two things are wrong, both in `forward`. Read it line by line beside the three lines of the formula.",
        "Whose tokens are the keys of the first attention? And what is added to what in the last step?",
        "Self-attention is `self.self_attn(h, h, h, self_mask)`: the target reads the target. And the feed-forward network's output is added to `x`, as that of the other two is.",
    ),
)

article_decoder = Exercise(
    "ArticleDecoder",
    points=2,
    repairs=decoder,
    hints=(
        "Two things are wrong, both in `forward`. Two arguments come in as masks. How many go on? And what do the later layers read?",
        "A mask of the source says nothing about who in the target may look ahead. And the name `memory` stands for something else after the first layer.",
        "Every layer gets `layer(x, memory, self_mask, cross_mask, return_weights=True)`: both masks as they came in, and the memory that came in.",
    ),
)
