"""Checks of online_softmax_attention."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import OWN, Exercise
from autograder.probing.sizes import sizes

online_softmax_attention = Exercise(
    "online_softmax_attention",
    points=5,
    forbidden=("scaled_dot_product_attention", "multi_head_attention", f"{OWN}scaled_dot_product_attention"),
    hints=(
        "Do it by hand for one query and scores that come one at a time: 1, then 3. After the first, the sum is exp(1 - 1). When 3 arrives, the sum should have been made of exp(1 - 3). By what do you multiply it? And what else was made with the old maximum?",
        "```python\nhighest = ...    # (..., query_len, 1), all -inf\ntotal = ...      # (..., query_len, 1), zeros\noutput = ...     # (..., query_len, d_value), zeros\nfor start in range(0, key_len, block):\n    ...          # keys and values from start to start + block\n    scores = ... # with -inf wherever the mask's columns of this block are False\n    new = ...    # the larger of highest and this block's largest score\n    weights = ...\n    shrink = ... # what the old sum and the old output are multiplied by\n    total, output, highest = ...\nreturn ...       # the only division\n```",
        "`new = torch.maximum(highest, scores.amax(-1, keepdim=True))`, `weights = torch.exp(scores - new)`, `shrink = torch.exp(highest - new)`, `total = total * shrink + weights.sum(-1, keepdim=True)`, `output = output * shrink + weights @ values`. Where `new` is still -inf subtract 0 instead, and at the end divide by 1 where the sum is 0.",
    ),
    traps={
        "RuntimeError: The size of tensor a (...) must match the size of tensor b (...) at non-singleton dimension ...": "two tensors of a block do not fit. The mask's columns are cut as the keys are: `mask[..., start:stop]`. What is kept for each query needs `keepdim=True`.",
        "TypeError: amax(): argument 'dim' must be tuple of ints, not NoneType": "the largest score of every query is `scores.amax(dim=-1, keepdim=True)`.",
        "TypeError: unsupported operand type(s) for -: 'Tensor' and 'torch.return_types.max'": "`max(dim=-1)` gives values and places: `.values`, or `amax`, which gives the values alone.",
        "TypeError: maximum(): argument 'other' (position 2) must be Tensor, not torch.return_types.max": "`max(dim=-1)` gives values and places: `.values`, or `amax`, which gives the values alone.",
        "TypeError: bad operand type for unary ~: 'NoneType'": "mask is None when nothing is hidden. Ask `if mask is not None` first.",
        "TypeError: 'NoneType' object is not subscriptable": "mask is None when nothing is hidden. Ask `if mask is not None` first.",
    },
)


def parts(draw: Draw, *leading: int, queries: int, keys: int, scale: float = 1.5, **more: Any) -> tuple[Tensor, ...]:
    """Queries, keys and values of different widths."""
    q = draw.tensor("q", *leading, queries, 6, scale=scale, **more)
    k = draw.tensor("k", *leading, keys, 6, scale=scale, **more)
    return q, k, draw.tensor("v", *leading, keys, 3, **more)


def causal(draw: Draw, seq_len: int) -> Tensor:
    """Every token looks at itself and at those before it."""
    return draw.keep("mask", torch.ones(seq_len, seq_len, dtype=torch.bool).tril())


@online_softmax_attention.probe("equals softmax attention, with blocks of four keys")
def three_blocks(online_softmax_attention: Callable, draw: Draw) -> Any:
    return online_softmax_attention(*parts(draw, 2, 4, queries=5, keys=12), block=4)


@online_softmax_attention.probe("reads the last keys too where they do not fill a block")
def short_last_block(online_softmax_attention: Callable, draw: Draw) -> Any:
    return {
        "11 keys by 4": online_softmax_attention(*parts(draw, 2, queries=5, keys=11), block=4),
        "11 keys by 64": online_softmax_attention(*parts(draw, 2, queries=5, keys=11)),
    }


@online_softmax_attention.probe("follows a causal mask within a block and across blocks")
def with_causal_mask(online_softmax_attention: Callable, draw: Draw) -> Any:
    return online_softmax_attention(*parts(draw, 2, 4, queries=10, keys=10), causal(draw, 10), block=4)


@online_softmax_attention.probe(
    "follows a padding mask where the first block, one in the middle, or the last is hidden as a whole"
)
def with_padding_mask(online_softmax_attention: Callable, draw: Draw) -> Any:
    real = draw.booleans("mask", 3, 1, 1, 9, chance=0.7).clone()
    for row, hidden in enumerate(((0, 3), (3, 6), (6, 9))):
        real[row, ..., hidden[0] : hidden[1]] = False
        real[row, ..., (hidden[1] + 1) % 9] = True
    mask = draw.keep("mask", real)
    return online_softmax_attention(*parts(draw, 3, 2, queries=5, keys=9), mask, block=3)


@online_softmax_attention.probe("gives the same numbers for every size of a block", float64=True)
def every_block_size(online_softmax_attention: Callable, draw: Draw) -> Any:
    q, k, v = parts(draw, 2, queries=7, keys=7)
    mask = causal(draw, 7)
    return {f"block={block}": online_softmax_attention(q, k, v, mask, block) for block in (1, 2, 3, 7, 100)}


@online_softmax_attention.probe(
    "stays finite where scores are thousands, and where all scores of a query are far below 0", float64=True
)
def large_scores(online_softmax_attention: Callable, draw: Draw) -> Any:
    q, k, v = parts(draw, 3, queries=8, keys=12, scale=60.0)
    down = draw.tensor("down", 3, 2, 6, scale=5.0, shift=70.0), draw.tensor("up", 3, 12, 6, scale=5.0, shift=-70.0)
    return {
        "large": online_softmax_attention(q, k, v, block=4),
        "all far below 0": online_softmax_attention(*down, v, block=4),
    }


@online_softmax_attention.probe("hands gradients back to queries, keys and values", rung="gradients")
def attention_gradients(online_softmax_attention: Callable, draw: Draw) -> Any:
    q, k, v = parts(draw, 2, queries=7, keys=8, requires_grad=True)
    some = draw.booleans("some", 7, 8, chance=0.6).clone()
    some[:, [0, 3, 7]] = True  # in every block there is something to see
    output = online_softmax_attention(q, k, v, draw.keep("mask", some), block=3)
    return draw.gradients(output, q=q, k=k, v=v)


@online_softmax_attention.probe("gives 0 to a query that may look at nothing", rung="edges")
def nothing_to_see(online_softmax_attention: Callable, draw: Draw) -> Any:
    mask = draw.booleans("some", 2, 5, 8, chance=0.5).clone()
    mask[:, 1] = mask[1] = False
    mask[0, 0, 7] = True
    return online_softmax_attention(*parts(draw, 2, queries=5, keys=8), draw.keep("mask", mask), block=3)


@online_softmax_attention.probe(
    "hands gradients back where a block is hidden from a query as a whole", rung="edges", float64=True
)
def gradients_past_hidden_blocks(online_softmax_attention: Callable, draw: Draw) -> Any:
    q, k, v = parts(draw, 2, queries=8, keys=8, requires_grad=True)
    return draw.gradients(online_softmax_attention(q, k, v, causal(draw, 8), block=3), q=q, k=k, v=v)


@online_softmax_attention.probe(
    "works for one query, one key, no batch, a mask with one column, and memory that is not contiguous", rung="edges"
)
def attention_edges(online_softmax_attention: Callable, draw: Draw) -> Any:
    q, k, v = parts(draw, 2, 3, queries=5, keys=9)
    column = draw.keep("column", torch.tensor([True, False, True, True, False]).reshape(5, 1))
    turned = [one.transpose(1, 2).contiguous().transpose(1, 2) for one in (q, k, v)]
    return {
        "one query": online_softmax_attention(q[..., :1, :], k, v, block=4),
        "one key": online_softmax_attention(q, k[..., :1, :], v[..., :1, :], block=4),
        "no batch": online_softmax_attention(q[0, 0], k[0, 0], v[0, 0], block=4),
        "one column": online_softmax_attention(q, k, v, column, block=4),
        "not contiguous": online_softmax_attention(*turned, block=4),
    }


@online_softmax_attention.probe(
    "never holds as many numbers as the whole matrix of scores has, nor exponentials of more keys than a block has",
    rung="invariants",
)
def what_is_held(online_softmax_attention: Callable, draw: Draw) -> Any:
    q, k, v = (draw.tensor(name, length, 2) for name, length in (("q", 32), ("k", 128), ("v", 128)))
    few = draw.tensor("few", 4, 2)
    with torch.no_grad():
        with sizes() as many_queries:
            online_softmax_attention(q, k, v, block=4)
        with sizes() as few_queries:
            online_softmax_attention(few, k, v, block=4)
    numbers = many_queries.peak // q.element_size()
    exponentials = max((few_queries.largest.get(name, 0) for name in EXPONENTIALS), default=0)
    return {
        "as many numbers at once as 32 x 128 scores": numbers >= 32 * 128,
        "exponentials of more than 4 keys at once": exponentials > 4 * 4,
    }


EXPONENTIALS = ("exp", "exp_", "exp2", "exp2_", "expm1", "pow", "_softmax", "_log_softmax", "logsumexp")
"""Operations that make weights out of scores."""


@online_softmax_attention.probe(
    "raises a ValueError for keys without a value, a mask that is not boolean, and blocks without a key",
    rung="invariants",
)
def refuses_attention(online_softmax_attention: Callable, draw: Draw) -> Any:
    q, k, v = parts(draw, 2, queries=5, keys=9)
    online_softmax_attention(q, k, v, block=4)  # the blank stub must show as blank
    return {
        "9 keys, 8 values": raised(lambda: online_softmax_attention(q, k, v[:, :8])),
        "a mask of numbers": raised(lambda: online_softmax_attention(q, k, v, torch.ones(5, 9))),
        "blocks of 0": raised(lambda: online_softmax_attention(q, k, v, block=0)),
    }
