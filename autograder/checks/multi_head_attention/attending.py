"""Checks of lesson 03: MultiHeadAttention, and the article's that is to be repaired."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

FORBIDDEN = ("multi_head_attention",)


def some_true(draw: Draw, name: str, *shape: int) -> Tensor:
    """A drawn mask in which every query may look at its first key at least, and not at its last."""
    mask = draw.booleans(f"{name} drawn", *shape, chance=0.6)
    first = torch.arange(shape[-1]) == 0
    last = torch.arange(shape[-1]) == shape[-1] - 1
    return draw.keep(name, (mask | first) & ~last)


multi_head_attention = Exercise(
    "MultiHeadAttention",
    points=5,
    forbidden=FORBIDDEN,
    hints=(
        "All parts are there: four linear layers, `split_heads`, `scaled_dot_product_attention`, `merge_heads`. Follow the shapes: "
        "(batch, seq_len, d_model) → heads → weights → heads → (batch, query_len, d_model). No loop over the heads is needed: they "
        "stand in a leading dimension.",
        "```python\n"
        "q = ...           # q_proj of query, split: (batch, num_heads, query_len, d_head)\n"
        "k = ...           # k_proj of key, split\n"
        "v = ...           # v_proj of value, split\n"
        "_, weights = ...  # scaled_dot_product_attention of q, k, v with the mask\n"
        "heads = ...       # dropout of the weights, times v\n"
        "return ...        # out_proj of the merged heads, and the weights\n"
        "```",
        "`heads = self.dropout(weights) @ v`: dropout belongs between the softmax and the values. Return `weights`, not what dropout left of them. "
        "The mask needs no preparation: (batch, 1, 1, key_len) and (query_len, key_len) both broadcast over the heads.",
    ),
    traps={
        "TypeError: linear(): argument 'input' must be Tensor, not tuple": "`scaled_dot_product_attention` returns two things: "
        "`output, weights = ...`.",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied": "a linear layer got a tensor of another width than d_model. "
        "Before attention: project first, then split, `split_heads(self.q_proj(query), self.num_heads)`. After it: merge the heads, then `out_proj`.",
        "ValueError: too many values to unpack (expected 4)": "the mask got an additional dimension, and the heads got it from the mask. Masks of this "
        "course fit as they are, without `mask.unsqueeze(1)`.",
        "ValueError: not enough values to unpack": "the tensor given to `merge_heads` has no dimension for the heads: split query, key and value before "
        "attention.",
        "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1": "another dimension stands where the "
        "heads should be. Are query, key and value all split, and do the heads stand in front of the tokens?",
        "RuntimeError: The size of tensor a (4) must match the size of tensor b (5) at non-singleton dimension 3": "the mask has one column for each "
        "key, and your weights have not. Do `k` and `v` come from `key` and `value`?",
    },
)


@multi_head_attention.probe("attends with every head on its slice, and mixes the heads with out_proj")
def self_attention(MultiHeadAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(MultiHeadAttention, 6, 2)
    x = draw.tensor("x", 3, 4, 6, scale=1.5)
    return layer(x, x, x)


@multi_head_attention.probe("reads other tokens than those that ask: keys and values from elsewhere, of another length")
def cross_attention(MultiHeadAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(MultiHeadAttention, 12, 3)
    value = draw.tensor("value", 2, 5, 12)
    return layer(draw.tensor("query", 2, 4, 12, scale=1.5), draw.tensor("key", 2, 5, 12), value)


@multi_head_attention.probe("lets the tokens of query ask and those of key be read, also where there are as many")
def as_many_keys(MultiHeadAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(MultiHeadAttention, 6, 2)
    return layer(draw.tensor("query", 2, 4, 6, scale=1.5), draw.tensor("key", 2, 4, 6), draw.tensor("value", 2, 4, 6))


@multi_head_attention.probe("hides padding from all heads: a mask of shape (batch, 1, 1, key_len)")
def padding(MultiHeadAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(MultiHeadAttention, 6, 2)
    mask = some_true(draw, "mask", 3, 1, 1, 5)
    memory = draw.tensor("memory", 3, 5, 6)
    return layer(draw.tensor("query", 3, 4, 6), memory, memory, mask)


@multi_head_attention.probe("hides the future from all heads: a mask of shape (seq_len, seq_len)")
def causal(MultiHeadAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(MultiHeadAttention, 6, 3)
    x = draw.tensor("x", 2, 5, 6)
    return layer(x, x, x, draw.keep("mask", torch.ones(5, 5, dtype=torch.bool).tril()))


@multi_head_attention.probe("lets a mask differ from head to head: shape (batch, num_heads, query_len, key_len)")
def mask_of_each_head(MultiHeadAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(MultiHeadAttention, 6, 2)
    mask = some_true(draw, "mask", 3, 2, 4, 5)
    memory = draw.tensor("memory", 3, 5, 6)
    return layer(draw.tensor("query", 3, 4, 6), memory, memory, mask)


@multi_head_attention.probe("drops whole weights in training and returns them as they were before", float64=True)
def dropped_weights(MultiHeadAttention: Callable, draw: Draw) -> Any:
    # One key: all its weights are 1, and each of two heads reads it or does not. So 500 queries that are alike can
    # have four different outputs, and do: all of them are returned.
    layer = draw.module(MultiHeadAttention, 4, 2, 0.5).train()
    query = draw.tensor("query", 1, 1, 4).expand(1, 500, 4)
    key = draw.tensor("key", 1, 1, 4)
    output, weights = layer(query, key, key)
    return {"outputs": _distinct_rows(output), "weights": _distinct_rows(weights)}


def _distinct_rows(rows: Tensor) -> dict[str, Any]:
    """How many rows of the last dimension differ by more than five decimals, and the first eight of them, in order.

    Fewer are filled up with the last one: another number of rows is a wrong value, not a wrong shape.
    """
    found = torch.unique(rows.detach().reshape(-1, rows.shape[-1]).round(decimals=5), dim=0)
    return {"how many different rows": len(found), "rows": found[torch.arange(8).clamp(max=len(found) - 1)]}


@multi_head_attention.probe("drops all weights at dropout=1, so that only the bias of out_proj is left")
def all_dropped(MultiHeadAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(MultiHeadAttention, 6, 2, 1.0).train()
    x = draw.tensor("x", 3, 4, 6)
    return layer(x, x, x)


@multi_head_attention.probe("drops nothing in evaluation", rung="invariants", float64=True)
def evaluation(MultiHeadAttention: Callable, draw: Draw) -> Any:
    # As in `dropped_weights`, for what is dropped does not depend on the random numbers of the implementation.
    layer = draw.module(MultiHeadAttention, 4, 2, 0.5).eval()
    query = draw.tensor("query", 1, 1, 4).expand(1, 500, 4)
    key = draw.tensor("key", 1, 1, 4)
    outputs = _distinct_rows(layer(query, key, key)[0])
    x = draw.tensor("x", 3, 4, 6)
    return {"outputs": outputs, "no dropout": draw.module(MultiHeadAttention, 6, 2).eval()(x, x, x)}


@multi_head_attention.probe("does not let a token see a later one, whatever stands there", rung="invariants")
def another_future(MultiHeadAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(MultiHeadAttention, 6, 2)
    mask = torch.ones(4, 4, dtype=torch.bool).tril()
    x = draw.tensor("x", 3, 4, 6)
    other = torch.cat([x[:, :2], draw.tensor("future", 3, 2, 6, scale=3)], dim=1)
    outputs = [layer(one, one, one, mask)[0] for one in (x, other)]
    return [output[:, :2] for output in outputs]


@multi_head_attention.probe("has the right gradients, for the inputs and all parameters", rung="gradients")
def gradients(MultiHeadAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(MultiHeadAttention, 6, 2)
    given = {
        "query": draw.tensor("query", 3, 4, 6, requires_grad=True),
        "key": draw.tensor("key", 3, 5, 6, requires_grad=True),
        "value": draw.tensor("value", 3, 5, 6, requires_grad=True),
    }
    output, _ = layer(*given.values(), some_true(draw, "mask", 3, 1, 4, 5))
    return draw.gradients(output, **given, **dict(layer.named_parameters()))


@multi_head_attention.probe(
    "gives weights of 0 and the bias of out_proj to a query that may look at nothing", rung="edges"
)
def nothing_to_look_at(MultiHeadAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(MultiHeadAttention, 6, 2)
    mask = torch.ones(3, 1, 4, 5, dtype=torch.bool)
    mask[0, 0, 1] = mask[2] = False
    memory = draw.tensor("memory", 3, 5, 6)
    return layer(draw.tensor("query", 3, 4, 6), memory, memory, draw.keep("mask", mask))


@multi_head_attention.probe(
    "works for one head, one token, one sequence and on memory that is not contiguous", rung="edges"
)
def attention_edges(MultiHeadAttention: Callable, draw: Draw) -> Any:
    one, many = draw.fill(MultiHeadAttention(4, 1)), draw.fill(MultiHeadAttention(5, 5))
    token, x = draw.tensor("token", 1, 1, 4), draw.tensor("x", 5, 3, 2).transpose(0, 2)
    return {
        "one head, one sequence, one token": one(token, token, token),
        "heads of one feature, not contiguous": many(x, x, x),
        "one query": one(token, draw.tensor("key", 1, 3, 4), draw.tensor("value", 1, 3, 4)),
    }


@multi_head_attention.probe("stays finite when the scores are large", rung="edges", float64=True)
def large_scores(MultiHeadAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(MultiHeadAttention, 6, 2)
    # So large that one weight is 1 and all others 0, however they are scaled: no two scores come near each other.
    x = draw.tensor("x", 2, 4, 6, scale=2000)
    return layer(x, x, x)


@multi_head_attention.probe("raises a ValueError when d_model is not divisible by num_heads", rung="invariants")
def refuses(MultiHeadAttention: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 1, 2, 9)
    MultiHeadAttention(9, 3)(x, x, x)  # first what fits
    MultiHeadAttention(10, 3)
    return "a module of width 10 with 3 heads"


# In the wild ----------------------------------------------------------------------------

article = Exercise(
    "ArticleMultiHeadAttention",
    points=2,
    repairs=multi_head_attention,
    hints=(
        "Two things are wrong. Run the check on the code as it stands and read what it names. One is missing from the constructor and from the last line.",
        "Which of its layers lets head 0 and head 1 exchange anything? And when does `F.dropout(weights, p)` stop dropping?",
        "Make `self.out_proj = nn.Linear(d_model, d_model)` and apply it to the merged heads. Give `F.dropout` the module's own mode, `training=self.training`, or make an `nn.Dropout` in the constructor.",
    ),
)
