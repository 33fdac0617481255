"""Checks of lesson 03: the head split and its inverse, MultiHeadAttention, torch's weights, grouped queries, and a repair."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

FORBIDDEN = ("multi_head_attention",)


def some_true(draw: Draw, name: str, *shape: int) -> Tensor:
    """A drawn mask in which every query may look at its first key at least, and not at its last."""
    mask = draw.booleans(f"{name} drawn", *shape, chance=0.6)
    first = torch.arange(shape[-1]) == 0
    last = torch.arange(shape[-1]) == shape[-1] - 1
    return draw.keep(name, (mask | first) & ~last)


# split_heads ----------------------------------------------------------------------------

split_heads = Exercise(
    "split_heads",
    points=2,
    hints=(
        "Two steps. First cut the last dimension in two: 6 features become 2 heads of 3. No token may lose or gain a feature. "
        "Only then move the heads in front of the tokens.",
        "```python\n"
        "slices = ...  # reshape to (batch, seq_len, num_heads, d_head)\n"
        "return ...    # exchange the dimensions 1 and 2\n"
        "```",
        "`x.reshape(batch, seq_len, num_heads, d_model // num_heads)`, then `.transpose(1, 2)`. Reshaping straight to "
        "(batch, num_heads, seq_len, d_head) gives the right shape and the wrong numbers.",
    ),
    traps={
        "RuntimeError: shape '[...]' is invalid for input of size ...": "the four sizes do not multiply to the size of `x`. "
        "d_head is `d_model // num_heads`.",
        "TypeError: reshape(): argument 'shape' must be tuple of ints": "`d_model / num_heads` is a float; `//` gives an int.",
    },
)


@split_heads.probe("gives every head its own slice of the features of every token")
def slices(split_heads: Callable, draw: Draw) -> Any:
    return split_heads(draw.tensor("x", 2, 4, 15), 3)


@split_heads.probe("leaves a token's other features, and all other tokens, out of a slice", rung="invariants")
def one_token_changes(split_heads: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 3, 8)
    other = x.clone()
    other[1, 2, :2] = draw.tensor("other", 2, shift=4)
    return [split_heads(x, 4), split_heads(other, 4)]


@split_heads.probe("has the right gradient", rung="gradients")
def split_gradient(split_heads: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 3, 4, 10, requires_grad=True)
    return draw.gradients(split_heads(x, 2), x=x)


@split_heads.probe("works for one head, one token, one sequence and on memory that is not contiguous", rung="edges")
def split_edges(split_heads: Callable, draw: Draw) -> Any:
    return {
        "one head": split_heads(draw.tensor("one", 2, 3, 4), 1),
        "as many heads as features": split_heads(draw.tensor("all", 2, 3, 5), 5),
        "one sequence of one token": split_heads(draw.tensor("short", 1, 1, 6), 2),
        "not contiguous": split_heads(draw.tensor("x", 8, 3, 5).transpose(0, 2), 4),
    }


@split_heads.probe("raises a ValueError when the features cannot be cut into equal slices", rung="invariants")
def split_refuses(split_heads: Callable, draw: Draw) -> Any:
    split_heads(draw.tensor("fits", 1, 2, 9), 3)  # first what fits
    return split_heads(draw.tensor("x", 1, 2, 10), 3)


@split_heads.probe("raises a ValueError when there is no head", rung="invariants")
def split_refuses_none(split_heads: Callable, draw: Draw) -> Any:
    split_heads(draw.tensor("fits", 1, 2, 9), 3)  # first what fits
    return split_heads(draw.tensor("x", 1, 2, 4), 0)


# merge_heads ----------------------------------------------------------------------------

merge_heads = Exercise(
    "merge_heads",
    points=2,
    hints=(
        "Undo `split_heads`, last step first: move the heads back behind the tokens, then let heads and features become one dimension.",
        "```python\n"
        "slices = ...  # exchange the dimensions 1 and 2: (batch, seq_len, num_heads, d_head)\n"
        "return ...    # reshape to (batch, seq_len, num_heads * d_head)\n"
        "```",
        "`x.transpose(1, 2)` and then `.reshape(batch, seq_len, num_heads * d_head)`. Not `view`: after a transpose the memory is "
        "out of order.",
    ),
    traps={
        "RuntimeError: view size is not compatible with input tensor's size and stride": "`transpose` moves no number in memory; it only changes the "
        "order of reading, and `view` cannot express that order. `reshape` copies where it has to.",
        "ValueError: not enough values to unpack": "`x` has four dimensions here: `batch, num_heads, seq_len, d_head = x.shape`.",
    },
)


@merge_heads.probe("puts the slices of a token side by side, head 0 first")
def side_by_side(merge_heads: Callable, draw: Draw) -> Any:
    return merge_heads(draw.tensor("x", 2, 3, 4, 5))


@merge_heads.probe("undoes the split")
def undoes_the_split(merge_heads: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 3, 4, 10)
    return merge_heads(torch.stack(x.split(5, dim=-1), dim=1))


@merge_heads.probe("has the right gradient", rung="gradients")
def merge_gradient(merge_heads: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 3, 2, 4, 5, requires_grad=True)
    return draw.gradients(merge_heads(x), x=x)


@merge_heads.probe("works for one head, one token, one sequence and on memory that is not contiguous", rung="edges")
def merge_edges(merge_heads: Callable, draw: Draw) -> Any:
    return {
        "one head": merge_heads(draw.tensor("one", 2, 1, 3, 4)),
        "heads of one feature": merge_heads(draw.tensor("all", 2, 5, 3, 1)),
        "one sequence of one token": merge_heads(draw.tensor("short", 1, 2, 1, 3)),
        "not contiguous": merge_heads(draw.tensor("x", 4, 3, 2, 5).permute(2, 0, 3, 1)),
    }


# MultiHeadAttention ----------------------------------------------------------------------------

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


# load_from_torch ----------------------------------------------------------------------------

load_from_torch = Exercise(
    "load_from_torch",
    points=2,
    hints=(
        "Print `theirs.in_proj_weight.shape`. Three square matrices lie on top of each other; which rows are the query's?",
        "```python\n"
        "weights = ...  # in_proj_weight in three, along its first dimension\n"
        "biases = ...   # in_proj_bias likewise\n"
        "...            # for each projection of ours: .weight.copy_( ), .bias.copy_( )\n"
        "...            # out_proj has the same name on both sides\n"
        "```",
        "`theirs.in_proj_weight.chunk(3)` gives the thirds in the order query, key, value. `copy_` writes numbers into memory that is there already; "
        "an assignment would tie the two modules together.",
    ),
    traps={
        "RuntimeError: The size of tensor a (6) must match the size of tensor b (18)": "all three thirds went into one projection, or the cut went along the wrong dimension.",
        "RuntimeError: Error(s) in loading state_dict": "the two name their parameters differently: torch keeps query, key and value in one `in_proj_weight`. "
        "Cut it with `chunk(3)` and copy each part.",
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation": "the `with torch.no_grad():` around the copying is gone.",
        "TypeError: cannot assign 'torch.FloatTensor' as parameter 'weight'": "do not assign, copy: `ours.q_proj.weight.copy_(...)`.",
    },
)


class _Ours(nn.Module):
    """What `load_from_torch` fills: the parameters of a MultiHeadAttention, and nothing that computes."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.d_model, self.num_heads, self.d_head = d_model, num_heads, d_model // num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(0.0)


def _both(draw: Draw, d_model: int, num_heads: int) -> tuple[_Ours, nn.MultiheadAttention]:
    """A module of ours full of halves, and one of torch's filled with draws."""
    ours, theirs = _Ours(d_model, num_heads), nn.MultiheadAttention(d_model, num_heads, batch_first=True)
    # Draws are keyed by name, and both have an out_proj: the two would hold the same numbers.
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.fill_(0.5)
    draw.fill(theirs)
    return ours, theirs


def _numbers(module: nn.Module) -> dict[str, Tensor]:
    return {name: parameter.detach().clone() for name, parameter in module.named_parameters()}


@load_from_torch.probe("copies the three projections and the output projection, weights and biases")
def copies(load_from_torch: Callable, draw: Draw) -> Any:
    ours, theirs = _both(draw, 6, 2)
    load_from_torch(ours, theirs)
    return _numbers(ours)


@load_from_torch.probe("fills ours, and leaves torch's module as it is")
def leaves_theirs(load_from_torch: Callable, draw: Draw) -> Any:
    ours, theirs = _both(draw, 6, 3)
    load_from_torch(ours, theirs)
    return {"ours": _numbers(ours), "theirs": _numbers(theirs), "theirs is in training": theirs.training}


@load_from_torch.probe("copies: what becomes of torch's module later does not touch ours")
def no_shared_memory(load_from_torch: Callable, draw: Draw) -> Any:
    ours, theirs = _both(draw, 4, 2)
    load_from_torch(ours, theirs)
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.fill_(7.0)
    return _numbers(ours)


@load_from_torch.probe("fills the parameters that are there, so that an optimizer made before trains them")
def in_their_own_place(load_from_torch: Callable, draw: Draw) -> Any:
    ours, theirs = _both(draw, 4, 1)
    before = dict(ours.named_parameters())
    load_from_torch(ours, theirs)
    return {name: parameter.detach().clone() for name, parameter in before.items()}


@load_from_torch.probe("leaves parameters that can be trained", rung="gradients")
def can_be_trained(load_from_torch: Callable, draw: Draw) -> Any:
    ours, theirs = _both(draw, 4, 2)
    load_from_torch(ours, theirs)
    x = draw.tensor("x", 3, 4)
    output = ours.out_proj(ours.q_proj(x) * ours.k_proj(x) + ours.v_proj(x))
    return draw.gradients(output, **dict(ours.named_parameters()))


@load_from_torch.probe("works for one head and width 1", rung="edges")
def load_edges(load_from_torch: Callable, draw: Draw) -> Any:
    narrow, wide = _both(draw, 1, 1), _both(draw, 5, 1)
    load_from_torch(*narrow)
    load_from_torch(*wide)
    return {"width 1": _numbers(narrow[0]), "one head": _numbers(wide[0])}


@load_from_torch.probe("raises a ValueError when the two do not have the same number of heads", rung="invariants")
def load_refuses(load_from_torch: Callable, draw: Draw) -> Any:
    load_from_torch(*_both(draw, 6, 2))  # first what fits
    load_from_torch(_Ours(6, 2), nn.MultiheadAttention(6, 3))
    return "2 heads filled from 3"


@load_from_torch.probe("raises a ValueError when the two differ in width", rung="invariants")
def load_refuses_width(load_from_torch: Callable, draw: Draw) -> Any:
    load_from_torch(*_both(draw, 6, 2))  # first what fits
    load_from_torch(_Ours(6, 2), nn.MultiheadAttention(8, 2))
    return "width 6 filled from width 8"


@load_from_torch.probe("raises a ValueError when theirs has no bias", rung="invariants")
def load_refuses_without_bias(load_from_torch: Callable, draw: Draw) -> Any:
    load_from_torch(*_both(draw, 6, 2))  # first what fits
    load_from_torch(_Ours(6, 2), nn.MultiheadAttention(6, 2, bias=False))
    return "filled from a module without biases"


@load_from_torch.probe("raises a ValueError when theirs has no fused matrix", rung="invariants")
def load_refuses_three_matrices(load_from_torch: Callable, draw: Draw) -> Any:
    load_from_torch(*_both(draw, 6, 2))  # first what fits
    load_from_torch(_Ours(6, 2), nn.MultiheadAttention(6, 2, kdim=4))
    return "filled from a module with three matrices"


# GroupedQueryAttention ----------------------------------------------------------------------------

grouped_query_attention = Exercise(
    "GroupedQueryAttention",
    points=3,
    forbidden=FORBIDDEN,
    stretch=True,
    hints=(
        "Only one thing is new: after the split there are fewer key and value heads than query heads. Before attention, each of them has to be "
        "repeated, once for each query head that shares it.",
        "```python\n"
        "q = ...  # split into num_heads\n"
        "k = ...  # split into num_kv_heads\n"
        "v = ...  # split into num_kv_heads\n"
        "k = ...  # each head num_heads // num_kv_heads times in a row, along dimension 1\n"
        "v = ...  # likewise\n"
        "...      # as in MultiHeadAttention, without dropout\n"
        "```",
        "`k.repeat_interleave(group, dim=1)` gives 0 0 0 1 1 1; `k.repeat(1, group, 1, 1)` gives 0 1 0 1 0 1, which is another module.",
    ),
    traps={
        "RuntimeError: The size of tensor a (6) must match the size of tensor b (2) at non-singleton dimension 1": "6 query heads meet another number of key heads. "
        "Each key and value head is repeated num_heads // num_kv_heads times, along dimension 1.",
        "IndexError: Dimension out of range": "`repeat_interleave` without `dim=1` makes one long row of everything.",
        "ValueError: d_model=... is not divisible by num_heads=...": "keys and values are split into `num_kv_heads`, not `num_heads`.",
    },
)


@grouped_query_attention.probe("shares every key and value head among neighbouring query heads")
def groups(GroupedQueryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(GroupedQueryAttention, 12, 6, 2)
    x = draw.tensor("x", 3, 4, 12, scale=1.5)
    return layer(x, x, x)


@grouped_query_attention.probe("reads other tokens than those that ask, and obeys the mask")
def grouped_cross_attention(GroupedQueryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(GroupedQueryAttention, 12, 4, 2)
    key, value = draw.tensor("key", 3, 6, 12), draw.tensor("value", 3, 6, 12)
    return layer(draw.tensor("query", 3, 5, 12), key, value, some_true(draw, "mask", 3, 1, 1, 6))


@grouped_query_attention.probe("reads keys and values of another length than the queries")
def grouped_other_length(GroupedQueryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(GroupedQueryAttention, 12, 6, 3)
    return layer(draw.tensor("query", 2, 4, 12), draw.tensor("key", 2, 5, 12), draw.tensor("value", 2, 5, 12))


@grouped_query_attention.probe(
    "is MultiHeadAttention with as many key as query heads, and multi-query attention with one"
)
def extremes(GroupedQueryAttention: Callable, draw: Draw) -> Any:
    every, single = draw.module(GroupedQueryAttention, 6, 3, 3), draw.module(GroupedQueryAttention, 8, 4, 1)
    x, y = draw.tensor("x", 2, 4, 6), draw.tensor("y", 2, 3, 8)
    return {"as many": every(x, x, x), "one": single(y, y, y)}


@grouped_query_attention.probe("lets a mask differ from head to head")
def grouped_mask_of_each_head(GroupedQueryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(GroupedQueryAttention, 8, 4, 2)
    x = draw.tensor("x", 3, 5, 8)
    return layer(x, x, x, some_true(draw, "mask", 3, 4, 5, 5))


@grouped_query_attention.probe("has the right gradients, for the inputs and all parameters", rung="gradients")
def grouped_gradients(GroupedQueryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(GroupedQueryAttention, 12, 6, 2)
    given = {
        "query": draw.tensor("query", 3, 4, 12, requires_grad=True),
        "key": draw.tensor("key", 3, 5, 12, requires_grad=True),
        "value": draw.tensor("value", 3, 5, 12, requires_grad=True),
    }
    output, _ = layer(*given.values(), some_true(draw, "mask", 4, 5))
    return draw.gradients(output, **given, **dict(layer.named_parameters()))


@grouped_query_attention.probe(
    "works for one token, on memory that is not contiguous, and for a query that may look at nothing", rung="edges"
)
def grouped_edges(GroupedQueryAttention: Callable, draw: Draw) -> Any:
    layer = draw.fill(GroupedQueryAttention(4, 4, 2))
    token, x = draw.tensor("token", 1, 1, 4), draw.tensor("x", 4, 3, 2).transpose(0, 2)
    mask = torch.ones(3, 3, dtype=torch.bool)
    mask[1] = False
    return {
        "one token": layer(token, token, token),
        "not contiguous": layer(x, x, x),
        "nothing to look at": layer(x, x, x, draw.keep("mask", mask)),
    }


@grouped_query_attention.probe("raises a ValueError when d_model is not divisible by num_heads", rung="invariants")
def grouped_refuses_width(GroupedQueryAttention: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 1, 2, 4)
    GroupedQueryAttention(4, 2, 1)(x, x, x)  # first what fits
    GroupedQueryAttention(14, 4, 2)
    return "a module of width 14 with 4 heads"


@grouped_query_attention.probe("raises a ValueError when num_heads is not divisible by num_kv_heads", rung="invariants")
def grouped_refuses(GroupedQueryAttention: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 1, 2, 4)
    GroupedQueryAttention(4, 2, 1)(x, x, x)  # first what fits
    GroupedQueryAttention(12, 6, 4)
    return "a module with 6 query heads on 4 key and value heads"


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
