"""Checks of lesson 02: scores, masks, scaled dot-product attention, and an article's masked attention to repair."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise


def refusal(run: Callable[[], Any]) -> str:
    """Whether a ValueError comes; where the given line is gone, it depends on the rest which other exception does."""
    try:
        run()
    except ValueError:
        return "a ValueError"
    except Exception:
        pass
    return "another exception, or none"


attention_scores = Exercise(
    "attention_scores",
    points=2,
    forbidden=("scaled_dot_product_attention",),
    hints=(
        "Row i, column j of the result is the dot product of query i with key j. One matrix product gives them all, once the keys "
        "stand in columns instead of rows. Which number are they divided by?",
        "```python\n"
        "scores = ...  # q @ (k with its last two dimensions exchanged)\n"
        "return ...    # scores over the root of d_head\n"
        "```",
        "`k.transpose(-2, -1)` exchanges the last two dimensions, however many stand in front. The root is `math.sqrt(d_head)`: "
        "d_head is the number of features, not of tokens.",
    ),
    traps={
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x4 and 3x4)": "both have tokens in rows. The keys have to be "
        "transposed: (3, 4) @ (4, 3).",
        "RuntimeError: The size of tensor a (2) must match the size of tensor b (5)": "`k.T` and `k.transpose(0, 1)` fit two "
        "dimensions only. Count from the end: `k.transpose(-2, -1)`.",
        "TypeError: sqrt(): argument 'input' (position 1) must be Tensor, not int": "`torch.sqrt` takes a tensor. For a plain number "
        "there is `math.sqrt`.",
    },
)


@attention_scores.probe("gives the dot product of every query with every key, divided by √d_head")
def one_sequence(attention_scores: Callable, draw: Draw) -> Any:
    return attention_scores(draw.tensor("q", 5, 7), draw.tensor("k", 5, 7))


@attention_scores.probe("treats every sequence of a batch alone")
def batch_of_scores(attention_scores: Callable, draw: Draw) -> Any:
    return attention_scores(draw.tensor("q", 2, 5, 7, scale=2), draw.tensor("k", 2, 5, 7))


@attention_scores.probe("takes any leading dimensions, and as many keys as there are")
def heads_and_other_length(attention_scores: Callable, draw: Draw) -> Any:
    return attention_scores(draw.tensor("q", 2, 3, 4, 6), draw.tensor("k", 2, 3, 5, 6))


@attention_scores.probe("does not move a score when another key changes", rung="invariants")
def another_key_changes(attention_scores: Callable, draw: Draw) -> Any:
    q, k = draw.tensor("q", 2, 4, 3), draw.tensor("k", 2, 5, 3)
    other = torch.cat([k[:, :2], draw.tensor("other", 2, 3, 3, scale=3)], dim=1)
    return [attention_scores(q, k)[..., :2], attention_scores(q, other)[..., :2]]


@attention_scores.probe("has the right gradients, for q and k", rung="gradients")
def gradients_of_scores(attention_scores: Callable, draw: Draw) -> Any:
    q = draw.tensor("q", 2, 4, 3, requires_grad=True)
    k = draw.tensor("k", 2, 5, 3, requires_grad=True)
    return draw.gradients(attention_scores(q, k), q=q, k=k)


@attention_scores.probe("works on one token, one feature and memory that is not contiguous", rung="edges")
def edges_of_scores(attention_scores: Callable, draw: Draw) -> Any:
    turned = draw.tensor("turned", 2, 4, 3, 5).transpose(1, 2)
    return {
        "one query": attention_scores(draw.tensor("one", 1, 1, 4), draw.tensor("many", 1, 3, 4)),
        "one key": attention_scores(draw.tensor("some", 2, 3, 4), draw.tensor("single", 2, 1, 4)),
        "one feature": attention_scores(draw.tensor("thin", 3, 1), draw.tensor("narrow", 2, 1)),
        "not contiguous": attention_scores(turned, draw.tensor("k", 2, 3, 2, 5)),
    }


@attention_scores.probe("raises a ValueError for keys of another width than the queries", rung="invariants")
def refuses_widths(attention_scores: Callable, draw: Draw) -> Any:
    q, k = draw.tensor("q", 2, 4, 3), draw.tensor("k", 2, 5, 3)
    attention_scores(q, k)  # the blank stub must show as blank
    return {
        "wider keys": refusal(lambda: attention_scores(q, draw.tensor("wider", 2, 5, 6))),
        "wider queries": refusal(lambda: attention_scores(draw.tensor("wide", 2, 4, 6), k)),
    }


causal_mask = Exercise(
    "causal_mask",
    points=1,
    hints=(
        "Write down the mask of three tokens first: three rows that ask, three columns that are read. Token 0 may look at itself "
        "only, token 2 at all three. Which triangle of the square is True?",
        "```python\nreturn ...  # a square of True, of which the lower triangle is kept\n```",
        "`torch.ones(seq_len, seq_len, dtype=torch.bool)` is a square of True, and `.tril()` keeps its lower triangle with the "
        "diagonal.",
    ),
    traps={
        "RuntimeError: tril: input tensor must have at least 2 dimensions": "the square needs both its sides: "
        "`torch.ones(seq_len, seq_len, ...)`.",
        "TypeError: tril(): argument 'input' (position 1) must be Tensor, not int": "`tril` takes a square that exists: make it with "
        "`torch.ones` first.",
        "TypeError: ones(): argument 'size' failed to unpack": "the dtype goes by name: `dtype=torch.bool`.",
    },
)


@causal_mask.probe("lets query i look at key j when j <= i, the diagonal included")
def some_tokens(causal_mask: Callable, draw: Draw) -> Any:
    return causal_mask(int(draw.integers("seq_len", 1, low=4, high=9)))


@causal_mask.probe("does so for any length")
def three_lengths(causal_mask: Callable, draw: Draw) -> Any:
    return [causal_mask(3), causal_mask(2), causal_mask(int(draw.integers("long", 1, low=20, high=40)))]


@causal_mask.probe("lets a single token look at itself", rung="edges")
def one_token(causal_mask: Callable, draw: Draw) -> Any:
    return causal_mask(1)


padding_mask = Exercise(
    "padding_mask",
    points=1,
    hints=(
        "Where is a token real? That is one comparison. Then the result must line up with scores of shape (batch, heads, query_len, "
        "key_len): which two dimensions are missing?",
        "```python\n"
        "real = ...  # True where an id is not pad_id: (batch, key_len)\n"
        "return ...  # with two dimensions of size 1 in the middle\n"
        "```",
        "Indexing with `None` makes a dimension of size 1: `real[:, None, None, :]`.",
    ),
    traps={
        "IndexError: too many indices for tensor of dimension 2": "a mask of two dimensions takes two slices; the `None` come "
        "between them: `real[:, None, None, :]`.",
        "RuntimeError: The size of tensor a (5) must match the size of tensor b (2)": "against the causal mask, your mask of shape "
        "(2, 5) has its sequences where the queries belong. It needs two dimensions of size 1 in between.",
        "TypeError: unsqueeze() takes 1 positional argument but 2 were given": "`unsqueeze` adds one dimension at a time.",
    },
)


def padded_ids(draw: Draw, pad_id: int) -> Tensor:
    """Ids with padding at the end, at the beginning and in between, and real ids below and above pad_id (0 is one)."""
    drawn = draw.integers("ids", 3, 5, low=pad_id + 1, high=pad_id + 9)
    below = draw.integers("below", 3, 5, low=0, high=pad_id)
    places = torch.tensor([[1, 2, 1, 0, 0], [0, 1, 1, 2, 1], [1, 3, 0, 1, 0]])  # 0: padding, 2: below, 3: the id 0
    choices = [torch.full_like(drawn, pad_id), drawn, below, torch.zeros_like(drawn)]
    return draw.keep("token_ids", torch.stack(choices).gather(0, places[None])[0])


@padding_mask.probe("is True where an id is not pad_id, shaped (batch, 1, 1, key_len)")
def padded_batch(padding_mask: Callable, draw: Draw) -> Any:
    return padding_mask(padded_ids(draw, 3), 3)


@padding_mask.probe("works for any pad_id, 0 and -1 among them")
def other_pad_ids(padding_mask: Callable, draw: Draw) -> Any:
    end = torch.tensor([[4, 2, 1, 0, 0, 0], [5, 5, 1, 8, 2, 0]])
    return [padding_mask(end, 0), padding_mask(padded_ids(draw, 6), 6), padding_mask(end - 1, -1)]


@padding_mask.probe("works on one sequence, on one token, without any padding and with nothing else", rung="edges")
def padding_edges(padding_mask: Callable, draw: Draw) -> Any:
    return {
        "one sequence": padding_mask(torch.tensor([[6, 2, 3]]), 2),
        "one token": padding_mask(torch.tensor([[6], [2]]), 2),
        "no padding": padding_mask(draw.integers("ids", 2, 4, low=3, high=9), 2),
        "only padding": padding_mask(torch.full((2, 3), 2), 2),
    }


@padding_mask.probe("raises a ValueError for ids that are not one row per sequence", rung="invariants")
def refuses_ids(padding_mask: Callable, draw: Draw) -> Any:
    ids = padded_ids(draw, 3)
    padding_mask(ids, 3)  # the blank stub must show as blank
    return {
        "one dimension": refusal(lambda: padding_mask(ids[0], 3)),
        "three dimensions": refusal(lambda: padding_mask(ids[None], 3)),
    }


scaled_dot_product_attention = Exercise(
    "scaled_dot_product_attention",
    points=3,
    forbidden=("scaled_dot_product_attention", "multi_head_attention"),
    hints=(
        "Follow the five steps. `attention_scores` gives the first. The mask is True where a query *may* look, so the scores at `~mask` have to become "
        "-inf. This happens before the softmax, so that the weights that are left sum to 1.",
        "```python\n"
        "scores = ...       # attention_scores\n"
        "if mask is not None:\n"
        "    scores = ...   # masked_fill with -inf where the mask is False\n"
        "weights = ...      # softmax over the keys, the last dimension\n"
        "if mask is not None:\n"
        "    weights = ...  # masked_fill with 0 where the mask is False: no NaN is left\n"
        "output = ...       # weights @ v\n"
        "return ...         # both, the output first\n"
        "```",
        '`scores.masked_fill(~mask, float("-inf"))`, `torch.softmax(scores, dim=-1)`, `weights.masked_fill(~mask, 0.0)`, '
        "`weights @ v`. `masked_fill` without an underscore at its end makes a new tensor; the mask broadcasts.",
    ),
    traps={
        "TypeError: bad operand type for unary ~: 'NoneType'": "without a mask there is nothing to invert: do the masking under "
        "`if mask is not None:`.",
        "RuntimeError: The size of tensor a (5) must match the size of tensor b (4)": "of a mask and scores: the last "
        "dimension of both is key_len, the one before it query_len. Of weights and values: `*` goes number by number, and `weights @ v` is the mixture.",
        "RuntimeError: Boolean value of Tensor with more than one value is ambiguous": "`if mask:` asks the tensor whether it is "
        "true. Ask whether there is a mask: `if mask is not None:`.",
        "RuntimeError: Subtraction, the `-` operator, with a bool tensor is not supported": "a boolean mask is inverted with `~mask`, "
        "not with `1 - mask`.",
        "IndexError: The shape of the mask": "square brackets need a mask that has exactly the shape of the tensor. `weights.masked_fill(~mask, 0.0)` "
        "spreads a smaller one, and makes a new tensor.",
        "ValueError: too many values to unpack (expected 2)": "two things are to come back, the output and the weights: "
        "`return output, weights`.",
        "NameError: name 'inf' is not defined": 'infinity is written `float("-inf")` or `-math.inf`.',
    },
)


def visible(draw: Draw, name: str, *shape: int) -> Tensor:
    """A drawn mask in which every row holds a True and every row but the first a False."""
    drawn = draw.booleans(f"{name} drawn", *shape, chance=0.5)
    key_len = shape[-1]
    rows = torch.arange(shape[-2])[:, None]
    keys = torch.arange(key_len)
    mask = (drawn | (keys == rows % key_len)) & (keys != (rows + 1) % key_len)
    return draw.keep(name, mask | (rows == 0))


def causal(draw: Draw, seq_len: int) -> Tensor:
    """A causal mask of our own: whether the learner's is right is another exercise's question."""
    position = torch.arange(seq_len)
    return draw.keep("mask", position[:, None] >= position)


@scaled_dot_product_attention.probe("mixes the values by the softmax of the scores")
def without_a_mask(attention: Callable, draw: Draw) -> Any:
    q, k, v = (draw.tensor(name, 5, width, scale=1.5) for name, width in (("q", 3), ("k", 3), ("v", 4)))
    return attention(q, k, v)


@scaled_dot_product_attention.probe("does so when there are as many tokens as features")
def square(attention: Callable, draw: Draw) -> Any:
    q, k, v = (draw.tensor(name, 2, 4, 4, scale=1.5) for name in "qkv")
    return attention(q, k, v)


@scaled_dot_product_attention.probe("takes heads, and other numbers of queries, keys and value features")
def every_size_differs(attention: Callable, draw: Draw) -> Any:
    q, k, v = draw.tensor("q", 2, 3, 4, 6), draw.tensor("k", 2, 3, 5, 6, scale=1.5), draw.tensor("v", 2, 3, 5, 7)
    return attention(q, k, v)


@scaled_dot_product_attention.probe("lets a query look only where the mask is True")
def drawn_mask(attention: Callable, draw: Draw) -> Any:
    q, k, v = draw.tensor("q", 2, 4, 3), draw.tensor("k", 2, 5, 3, scale=1.5), draw.tensor("v", 2, 5, 6)
    return attention(q, k, v, visible(draw, "mask", 2, 4, 5))


@scaled_dot_product_attention.probe("broadcasts one causal mask over batch and heads")
def causal_self_attention(attention: Callable, draw: Draw) -> Any:
    q, k, v = (draw.tensor(name, 2, 3, 5, width, scale=1.5) for name, width in (("q", 4), ("k", 4), ("v", 6)))
    return attention(q, k, v, causal(draw, 5))


@scaled_dot_product_attention.probe("broadcasts a padding mask over heads and queries")
def padded_keys(attention: Callable, draw: Draw) -> Any:
    q, k, v = (draw.tensor(name, 2, 3, 5, width, scale=1.5) for name, width in (("q", 4), ("k", 4), ("v", 6)))
    real = draw.keep("mask", torch.tensor([[1, 1, 1, 0, 0], [0, 1, 1, 1, 0]], dtype=torch.bool)[:, None, None])
    return attention(q, k, v, real)


@scaled_dot_product_attention.probe("does not move the output when what is masked changes", rung="invariants")
def hidden_tokens_change(attention: Callable, draw: Draw) -> Any:
    q, mask = draw.tensor("q", 2, 4, 3), draw.keep("mask", torch.arange(5) < 3)
    k, v = draw.tensor("k", 2, 5, 3), draw.tensor("v", 2, 5, 6)
    other_k = torch.cat([k[:, :3], draw.tensor("other k", 2, 2, 3, scale=3)], dim=1)
    other_v = torch.cat([v[:, :3], draw.tensor("other v", 2, 2, 6, scale=3)], dim=1)
    return [attention(q, k, v, mask), attention(q, other_k, other_v, mask)]


@scaled_dot_product_attention.probe("has the right gradients, for q, k and v", rung="gradients")
def attention_gradients(attention: Callable, draw: Draw) -> Any:
    q = draw.tensor("q", 2, 4, 3, requires_grad=True)
    k = draw.tensor("k", 2, 5, 3, requires_grad=True)
    v = draw.tensor("v", 2, 5, 6, requires_grad=True)
    output, _ = attention(q, k, v, visible(draw, "mask", 4, 5))
    return draw.gradients(output, q=q, k=k, v=v)


@scaled_dot_product_attention.probe("gives weights that carry gradients too", rung="gradients")
def gradients_of_weights(attention: Callable, draw: Draw) -> Any:
    q = draw.tensor("q", 4, 3, requires_grad=True)
    k = draw.tensor("k", 5, 3, requires_grad=True)
    _, weights = attention(q, k, draw.tensor("v", 5, 6))
    return draw.gradients(weights, q=q, k=k)


@scaled_dot_product_attention.probe("gives zeros, not NaN, to a query that may look at nothing", rung="edges")
def nothing_to_look_at(attention: Callable, draw: Draw) -> Any:
    q, k, v = draw.tensor("q", 2, 4, 3), draw.tensor("k", 2, 5, 3), draw.tensor("v", 2, 5, 6, shift=1)
    mask = visible(draw, "visible", 2, 4, 5) & (torch.arange(4) != 2)[:, None]
    return {
        "one query of four": attention(q, k, v, draw.keep("mask", mask)),
        "every query": attention(q, k, v, torch.zeros(4, 5, dtype=torch.bool)),
    }


@scaled_dot_product_attention.probe(
    "stays right for scores far from 0, whose exponentials overflow or vanish", rung="edges"
)
def scores_far_from_zero(attention: Callable, draw: Draw) -> Any:
    """The first feature moves all scores of a row together, by 16 · 14 / √4 = 112: more than exp can take in float32."""
    q, k, v = draw.tensor("q", 2, 3, 4), draw.tensor("k", 2, 5, 4), draw.tensor("v", 2, 5, 6)
    first = torch.arange(4) == 0
    k, above, below = k.masked_fill(first, 14.0), q.masked_fill(first, 16.0), q.masked_fill(first, -16.0)
    return {
        "scores about 112": attention(above, k, v),
        "scores about -112": attention(below, k, v),
        "scores about -112, some masked": attention(below, k, v, visible(draw, "mask", 3, 5)),
        "scores about 112 in one row, about -112 in the others": attention(
            torch.cat([above[:, :1], below[:, 1:]], 1), k, v
        ),
    }


@scaled_dot_product_attention.probe("works on one token and on memory that is not contiguous", rung="edges")
def attention_edges(attention: Callable, draw: Draw) -> Any:
    q, k, v = (draw.tensor(name, 2, length, 3, 4).transpose(1, 2) for name, length in (("q", 2), ("k", 5), ("v", 5)))
    one, many = draw.tensor("one", 1, 1, 4), draw.tensor("many", 1, 3, 4)
    return {
        "not contiguous": attention(q, k, v, visible(draw, "mask", 2, 5)),
        "one query": attention(one, many, many),
        "one key": attention(many, one, one, torch.tensor([[True], [False], [True]])),
    }


@scaled_dot_product_attention.probe(
    "raises a ValueError for another number of values than of keys, and for a mask of numbers",
    rung="invariants",
)
def refuses_arguments(attention: Callable, draw: Draw) -> Any:
    q, k, v = draw.tensor("q", 2, 4, 3), draw.tensor("k", 2, 5, 3), draw.tensor("v", 2, 5, 6)
    mask = visible(draw, "mask", 2, 4, 5)
    attention(q, k, v, mask)  # the blank stub must show as blank
    return {
        "fewer values than keys": refusal(lambda: attention(q, k, v[:, :3])),
        "fewer keys than values": refusal(lambda: attention(q, k[:, :3], v)),
        "a mask of floats": refusal(lambda: attention(q, k, v, mask.float())),
        "a mask of whole numbers": refusal(lambda: attention(q, k, v, mask.long())),
    }


masked_attention = Exercise(
    "masked_attention",
    points=2,
    repairs=scaled_dot_product_attention,
    hints=(
        "One fault is in the line that fills. Run the check on the code as it stands and read its first sentence.",
        "In this course True means that a query may look. Which places does the line hide? And what are the weights of a row in which "
        "every score is -1e9?",
        "Fill where the mask is False, `~mask`, and after the softmax set the weights there to 0 as well.",
    ),
)


to_torch_mask = Exercise(
    "to_torch_mask",
    points=1,
    hints=(
        "Three things differ: nn.MultiheadAttention needs a mask for every head, heads and batch in one dimension, and True where a query may *not* "
        "look. Take the three one after the other.",
        "```python\n"
        "per_head = ...  # expand the second dimension to num_heads\n"
        "return ...      # join the first two dimensions, and invert\n"
        "```",
        "`mask.expand(-1, num_heads, -1, -1)` leaves the other sizes as they are, `.flatten(0, 1)` joins the first two "
        "dimensions, `~` inverts.",
    ),
    traps={
        "RuntimeError: view size is not compatible with input tensor's size and stride": "`expand` makes no copies, and `view` "
        "cannot join what shares memory. `flatten` and `reshape` copy where they must.",
        "RuntimeError: expand(...): the number of sizes provided (2) must be greater or equal": "`expand` needs all four sizes, with -1 for those that stay: "
        "`mask.expand(-1, num_heads, -1, -1)`.",
    },
)


@to_torch_mask.probe("gives every head of every sequence its sequence's mask, inverted")
def one_mask_for_all_heads(to_torch_mask: Callable, draw: Draw) -> Any:
    return to_torch_mask(draw.booleans("mask", 3, 1, 4, 5), 2)


@to_torch_mask.probe("keeps the heads' own masks where they have some")
def a_mask_for_each_head(to_torch_mask: Callable, draw: Draw) -> Any:
    return to_torch_mask(draw.booleans("mask", 2, 3, 4, 5), 3)


@to_torch_mask.probe("works with one sequence, one head, one token and memory that is not contiguous", rung="edges")
def edges_of_torch_mask(to_torch_mask: Callable, draw: Draw) -> Any:
    return {
        "one sequence": to_torch_mask(draw.booleans("one", 1, 1, 2, 5), 3),
        "one head": to_torch_mask(draw.booleans("head", 3, 1, 4, 5), 1),
        "one token": to_torch_mask(draw.booleans("token", 5, 1, 1, 1), 2),
        "not contiguous": to_torch_mask(draw.booleans("turned", 3, 1, 4, 5).transpose(2, 3), 2),
    }


@to_torch_mask.probe("raises a ValueError for three dimensions, and for heads that do not fit", rung="invariants")
def refuses_masks(to_torch_mask: Callable, draw: Draw) -> Any:
    mask = draw.booleans("mask", 2, 3, 4, 5)
    to_torch_mask(mask, 3)  # the blank stub must show as blank
    return {
        "three dimensions": refusal(lambda: to_torch_mask(mask[:, :, 0], 3)),
        "three heads for a module of two": refusal(lambda: to_torch_mask(mask, 2)),
    }
