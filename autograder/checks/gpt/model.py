"""Checks of the model: GPTBlock and GPT."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.gpt.shared import small
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

FORBIDDEN = ("transformer_layer",)
KINDS = ("learned", "rotary")

# GPTBlock ----------------------------------------------------------------------------

gpt_block = Exercise(
    "GPTBlock",
    points=3,
    forbidden=FORBIDDEN,
    hints=(
        "It is a pre-norm encoder layer that brings its own mask. What do attention and the feed-forward network read, and what are their results added to?",
        "```python\nmask = ...  # True where a token may look: at itself and before\nh = ...     # what attention reads\n...         # the output and the weights of self.self_attn\nx = ...     # add the output, after dropout\nx = ...     # add_norm of x and the feed-forward network, norm2, dropout\nreturn ...\n```",
        "`h = self.norm1(x)`, `attended, weights = self.self_attn(h, h, h, causal_mask(x.size(1)))`, `x = x + self.dropout(attended)`, `x = add_norm(x, self.feed_forward, self.norm2, self.dropout, norm_first=True)`. Two things come back.",
    ),
    traps={
        "TypeError: unsupported operand type(s) for +: 'Tensor' and 'tuple'": "`self.self_attn` returns `(output, weights)`, and only the output is added.",
        "TypeError: dropout(): argument 'input' (position 1) must be Tensor, not tuple": "`self.self_attn` returns `(output, weights)`, and only the output goes on.",
        "NameError: name 'weights' is not defined": "a name that is set inside an inner function ends with it. Call `self.self_attn` in `forward` itself, or append the weights to a list that was made outside.",
        "TypeError: 'Tensor' object is not callable": "`add_norm` wants the sublayer itself, a function of one tensor, and got what the sublayer made: `self.feed_forward`, not `self.feed_forward(x)`.",
        "TypeError: 'tuple' object is not callable": "`add_norm` wants the sublayer itself, a function of one tensor, and got what the attention made: its output and its weights.",
        "ValueError: mask has shape (...); give ...": "queries and keys are the places of a text, `x.size(1)` of them. `size(0)` counts texts, and `size(-1)` the features of a token.",
        "ValueError: mask has dtype ...": "masks are boolean here, True where a query may look. `causal_mask` makes such a mask; `torch.tril` of ones is one after `.bool()`.",
        "TypeError: arange(): argument 'end' (position 1) must be Number, not Tensor": "`causal_mask` wants a number, how many places a text has: `x.size(1)`.",
    },
)


def tokens(draw: Draw, batch: int, seq_len: int, **more: Any) -> Tensor:
    """Vectors as they come into a block."""
    return draw.tensor("x", batch, seq_len, 8, scale=1.5, **more)


@gpt_block.probe("adds what the tokens up to here say, then what the feed-forward network makes of it", float64=True)
def learned_block(GPTBlock: Callable, draw: Draw) -> Any:
    return draw.module(GPTBlock, small())(tokens(draw, 3, 5))


@gpt_block.probe("does the same with rotary attention", float64=True)
def rotary_block(GPTBlock: Callable, draw: Draw) -> Any:
    return draw.module(GPTBlock, small(positions="rotary"))(tokens(draw, 2, 6))


@gpt_block.probe("uses the GELU that the config asks for", float64=True)
def activations(GPTBlock: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 3, 8, scale=3)
    blocks = {kind: draw.module(GPTBlock, small(activation=kind)) for kind in ("gelu", "gelu_tanh")}
    with torch.no_grad():
        for block in blocks.values():
            for name, parameter in block.named_parameters():
                if name.startswith("feed_forward.linear2"):
                    parameter.mul_(20)  # the two differ by a thousandth at most
    return {kind: block(x)[0] for kind, block in blocks.items()}


@gpt_block.probe("lets no token see what comes after it", rung="invariants", float64=True)
def later_tokens(GPTBlock: Callable, draw: Draw) -> Any:
    x = tokens(draw, 2, 5)
    changed = torch.cat([x[:, :3], draw.tensor("other", 2, 2, 8, scale=3)], dim=1)
    block = draw.module(GPTBlock, small())
    return [block(one)[0][:, :3] for one in (x, changed)]


@gpt_block.probe("lets no token see what comes after it, however small the scores are", rung="invariants", float64=True)
def small_scores(GPTBlock: Callable, draw: Draw) -> Any:
    block: Any = draw.module(GPTBlock, small())
    x = tokens(draw, 2, 4)
    with torch.no_grad():
        block.self_attn.q_proj.bias.fill_(1000)  # every score becomes about -250,000
        block.self_attn.k_proj.bias.fill_(-100)
    return block(x)


@gpt_block.probe("adds nothing in training at dropout=1; drops nothing in evaluation", float64=True)
def dropped_block(GPTBlock: Callable, draw: Draw) -> Any:
    x = tokens(draw, 2, 4)
    found = {}
    for kind in KINDS:
        block = draw.module(GPTBlock, small(dropout=1.0, positions=kind))
        found[f"{kind}, training"] = block.train()(x)
        found[f"{kind}, evaluation"] = block.eval()(x)[0]
    return found


@gpt_block.probe("drops out once what each step adds", rung="invariants")
def dropped_once(GPTBlock: Callable, draw: Draw) -> Any:
    found = {}
    for step in ("self_attn.out_proj", "feed_forward.linear2"):
        block: Any = draw.module(GPTBlock, small(dropout=0.5)).train()
        with torch.no_grad():
            for name, parameter in block.named_parameters():
                if name.startswith(("self_attn.out_proj", "feed_forward.linear2")):
                    parameter.fill_(1.0 if name == f"{step}.bias" else 0.0)  # one step adds ones, the other nothing
        added = block(torch.zeros(32, 4, 8))[0]
        found[f"quarters of what {step} adds that are left"] = round(4 * float((added != 0).float().mean()))
    return found


@gpt_block.probe("has the right gradients, for x and all parameters", rung="gradients")
def block_gradients(GPTBlock: Callable, draw: Draw) -> Any:
    block, x = draw.module(GPTBlock, small()), tokens(draw, 2, 4, requires_grad=True)
    return draw.gradients(block(x)[0], x=x, **dict(block.named_parameters()))


@gpt_block.probe(
    "works for one text of one token, for large numbers, on memory that is not contiguous, and after a longer text",
    rung="edges",
    float64=True,
)
def block_edges(GPTBlock: Callable, draw: Draw) -> Any:
    block, x = draw.module(GPTBlock, small()), tokens(draw, 2, 6)
    return {
        "six tokens": block(x),
        "one text of one token": block(x[:1, :1]),
        "large numbers": block(300 * x[:, :2]),
        "not contiguous": block(x.transpose(0, 1)),
    }


# GPT ----------------------------------------------------------------------------

gpt = Exercise(
    "GPT",
    points=4,
    forbidden=FORBIDDEN,
    hints=(
        "You wrote this once, in `Encoder`: a list of layers, a norm after the last one, a loop that keeps the weights. New are the two ends: a table of tokens that serves twice, and positions that may be None.",
        "```python\nself.layers = ...  # nn.ModuleList of GPTBlock(config)\nself.norm = ...\nself.head = ...    # nn.Linear, no bias\n...                # its weight is the table's\n```\n```python\nx = ...            # the tokens' vectors\n...                # plus the positions' vectors, if there are any\n...                # dropout\n...                # block after block, each gives (x, weights)\nlogits = ...       # the norm, then the head\n```",
        "`self.head.weight = self.token_embedding.weight` makes the two one parameter. In `forward`: `x = x + self.position_embedding(torch.arange(seq_len))` unless that is None; in the loop `x, weights = layer(x)`; at the end `self.head(self.norm(x))`.",
    ),
    traps={
        "TypeError: 'NoneType' object is not callable": "with rotary positions `self.position_embedding` is None. Ask before you call it.",
        "AttributeError: 'GPT' object has no attribute 'layers'": "the constructor has a blank of its own: it makes `self.layers`, `self.norm` and `self.head`.",
        "AttributeError: 'tuple' object has no attribute 'size'": "a block returns two things: `x, weights = layer(x)`.",
        "TypeError: cannot assign '...' as parameter 'weight' (torch.nn.Parameter or None expected)": "`.data` or a copy is no parameter. Assign the table's parameter itself: `self.head.weight = self.token_embedding.weight`.",
        "RuntimeError: Expected tensor for argument #1 'indices' to have one of the following scalar types...": "a table is asked with vectors, and it takes ids. If the head is the table itself: it has to be a linear layer that shares the table's weight.",
        "IndexError: index out of range in self": "a table was asked for a row that it lacks. The table of positions is asked for 0, 1, 2, ... up to `seq_len - 1`, whatever the ids are.",
        "RuntimeError: The size of tensor a (5) must match the size of tensor b (3) at non-singleton dimension 1": "tokens and positions do not line up. A text has `seq_len` places; it is not the number of texts, and `max_len` is only how many there may be.",
    },
)


def texts(draw: Draw, batch: int, seq_len: int, name: str = "ids") -> Tensor:
    """Ids of some texts."""
    return draw.integers(name, batch, seq_len, high=11)


@gpt.probe("scores every token at every place, with learned positions", float64=True)
def learned_model(GPT: Callable, draw: Draw) -> Any:
    return draw.module(GPT, small())(texts(draw, 3, 5))


@gpt.probe("scores every token at every place, with rotary positions and no table of them", float64=True)
def rotary_model(GPT: Callable, draw: Draw) -> Any:
    return draw.module(GPT, small(positions="rotary", num_layers=2))(texts(draw, 2, 6))


@gpt.probe("returns the weights of every block when asked", float64=True)
def with_weights(GPT: Callable, draw: Draw) -> Any:
    model, ids = draw.module(GPT, small(num_heads=4)), texts(draw, 2, 4)
    return {"first": model(ids, return_weights=True), "asked once more": model(ids[:1], return_weights=True)[1]}


@gpt.probe("reads no later token, and no other text of the batch", rung="invariants", float64=True)
def blind_to_the_rest(GPT: Callable, draw: Draw) -> Any:
    model, ids = draw.module(GPT, small()), texts(draw, 2, 5)
    changed = torch.cat([ids[:, :3], (ids[:, 3:] + 1) % 11], dim=1)
    return {
        "later tokens changed": [model(one)[:, :3] for one in (ids, draw.keep("changed", changed))],
        "a text alone": model(ids[:1]),
    }


@gpt.probe("drops the sum of token and position in training at dropout=1, and nothing in evaluation", float64=True)
def dropped_model(GPT: Callable, draw: Draw) -> Any:
    ids = texts(draw, 2, 4)
    model, turned = (draw.module(GPT, small(dropout=1.0, positions=kind)) for kind in KINDS)
    return {"training": model.train()(ids), "evaluation": model.eval()(ids), "rotary, training": turned.train()(ids)}


@gpt.probe("drops out once what goes into the first block", rung="invariants")
def dropped_at_the_start(GPT: Callable, draw: Draw) -> Any:
    found = {}
    for kind in KINDS:
        model: Any = draw.module(GPT, small(dropout=0.5, num_layers=1, positions=kind)).train()
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                parameter.fill_(float(name.endswith("norm.weight")))  # the block adds nothing
            model.token_embedding.weight[0] = 1.0  # what is left of it stands above the mean of its token
            model.token_embedding.weight[1:9] = torch.eye(8)
        left = model(torch.zeros(32, 6, dtype=torch.long))[..., 1:9] > 0
        found[f"{kind}, quarters of the features that are left"] = round(4 * float(left.float().mean()))
    return found


@gpt.probe("has the right gradients for all parameters; the table's come from both its ends", rung="gradients")
def model_gradients(GPT: Callable, draw: Draw) -> Any:
    found = {}
    for kind in KINDS:
        model = draw.module(GPT, small(num_layers=2, positions=kind))
        found[kind] = draw.gradients(model(texts(draw, 2, 4)), **dict(model.named_parameters()))
    return found


@gpt.probe(
    "works for one text of one token, for as many tokens as max_len, for one block, and for the same token at every place",
    rung="edges",
    float64=True,
)
def model_edges(GPT: Callable, draw: Draw) -> Any:
    model, ids = draw.module(GPT, small(num_layers=1)), texts(draw, 4, 6)
    return {
        "max_len tokens": model(ids),
        "one text of one token": model(ids[:1, :1]),
        "the same token": model(ids[:2, :1].repeat(1, 4)),
    }


@gpt.probe("raises a ValueError for more tokens than max_len, with either kind of positions", rung="invariants")
def refuses_length(GPT: Callable, draw: Draw) -> Any:
    for kind in KINDS:
        model = draw.fill(GPT(small(num_layers=1, positions=kind)))
        model(texts(draw, 1, 6))  # the blank stub must show as blank
    model(texts(draw, 1, 7, "long"))
    return "7 tokens for max_len=6"


@gpt.probe("raises a ValueError for an id that is not in the vocabulary", rung="invariants")
def refuses_ids(GPT: Callable, draw: Draw) -> Any:
    model = draw.fill(GPT(small(num_layers=1)))
    model(texts(draw, 1, 3))  # the blank stub must show as blank
    model(torch.tensor([[1, 11]]))
    return "id 11 in a vocabulary of 11"
