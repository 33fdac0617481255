"""Checks of lesson 04: the table of sinusoids, the two layers that add positions, rotations, and a repair."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.draws import Draw, NotAModule, signature
from autograder.probing.exercise import Exercise

# sinusoidal_encoding ----------------------------------------------------------------------------

sinusoidal_encoding = Exercise(
    "sinusoidal_encoding",
    points=2,
    hints=(
        "The angles are a small table of their own: one row for every position, one column for every *pair*, so d_model / 2 columns. A column of "
        "positions divided by a row of powers gives the whole table of angles at once. Then every angle is used twice, for a sine and for a cosine.",
        "```python\n"
        "position = ...     # 0, 1, 2, ... as a column: (max_len, 1)\n"
        "two_i = ...        # 0, 2, 4, ...: (d_model / 2,)\n"
        "angle = ...        # (max_len, d_model / 2)\n"
        "table = ...        # an empty table, (max_len, d_model)\n"
        "table[...] = ...   # every second column from 0 on: sines\n"
        "table[...] = ...   # every second column from 1 on: cosines\n"
        "return table\n"
        "```",
        "`torch.arange(0, d_model, 2)` is 2i already: the exponent is `two_i / d_model`, without another 2. The even columns are `table[:, 0::2]`: the colon in front means all positions.",
    ),
    traps={
        "RuntimeError: The size of tensor a (7) must match the size of tensor b (3) at non-singleton dimension 0": "positions and powers lie along the same dimension. Make the positions a column with `.unsqueeze(1)`.",
        "RuntimeError: The expanded size of the tensor (6) must match the existing size (3) at non-singleton dimension 1": "what is assigned does not fit into the place. Columns are the second index, `table[:, 0::2]`; and there is one angle for each pair, so d_model / 2 columns of them.",
        "RuntimeError: expand(torch.FloatTensor{[7, 1]}, size=[7]): the number of sizes provided (1) must be greater or equal to the number of dimensions in the tensor (2)": "`table[:, i]` is one column, of shape (7,), and what you put there is a column of shape (7, 1). For single columns leave the positions as they are, without `unsqueeze(1)`; or fill all even columns at once, `table[:, 0::2]`.",
        "ValueError: only one element tensors can be converted to Python scalars": "`math.sin` takes one number. For a whole tensor it is `torch.sin`.",
        "TypeError: sin(): argument 'input' (position 1) must be Tensor, not float": "`torch.sin` takes a tensor. For one number it is `math.sin`; but no loop over single numbers is needed.",
    },
)


@sinusoidal_encoding.probe("puts the sine and the cosine of every pair's angle side by side")
def narrow(sinusoidal_encoding: Callable, draw: Draw) -> Any:
    return sinusoidal_encoding(7, 6)


@sinusoidal_encoding.probe("gives every pair its own frequency, from fast to slow")
def wide(sinusoidal_encoding: Callable, draw: Draw) -> Any:
    return sinusoidal_encoding(12, 10)


@sinusoidal_encoding.probe("is right for other sizes too")
def drawn_sizes(sinusoidal_encoding: Callable, draw: Draw) -> Any:
    length, pairs = (int(draw.integers(name, 1, low=3, high=20)) for name in ("length", "pairs"))
    return sinusoidal_encoding(length, 2 * pairs)


@sinusoidal_encoding.probe("gives plain numbers in float32, as x has them, that nobody learns", rung="invariants")
def table_kind(sinusoidal_encoding: Callable, draw: Draw) -> Any:
    table = sinusoidal_encoding(3, 4)
    return {"dtype": str(table.dtype), "is learned": table.requires_grad}


@sinusoidal_encoding.probe("does not depend on how many positions there are", rung="invariants", float64=True)
def shorter_and_longer(sinusoidal_encoding: Callable, draw: Draw) -> Any:
    return [sinusoidal_encoding(3, 8), sinusoidal_encoding(50, 8)]


@sinusoidal_encoding.probe("works for one position, one pair, and as many positions as features", rung="edges")
def table_edges(sinusoidal_encoding: Callable, draw: Draw) -> Any:
    return {
        "one position": sinusoidal_encoding(1, 6),
        "one pair": sinusoidal_encoding(5, 2),
        "a square": sinusoidal_encoding(4, 4),
    }


@sinusoidal_encoding.probe("has many positions", rung="edges", float64=True)
def long_table(sinusoidal_encoding: Callable, draw: Draw) -> Any:
    # One pair, whose frequency is 1: however the angle is computed, it is a whole number, and exact in float32 too.
    return sinusoidal_encoding(1500, 2)


@sinusoidal_encoding.probe("raises a ValueError when d_model is odd", rung="invariants")
def table_refuses(sinusoidal_encoding: Callable, draw: Draw) -> Any:
    sinusoidal_encoding(4, 6)  # the blank stub must show as blank
    return sinusoidal_encoding(4, 5)


# PositionalEncoding ----------------------------------------------------------------------------

positional_encoding = Exercise(
    "PositionalEncoding",
    points=3,
    hints=(
        "A tensor that belongs to a module and that nobody learns is a *buffer*: it goes where the module goes, and no optimizer sees it. "
        "In `forward`, `x` is (batch, seq_len, d_model), and the rows you want are (seq_len, d_model): added as they are, every sequence gets them.",
        "```python\n"
        "self.register_buffer(..., ...)  # in __init__: a name and a tensor\n"
        "\n"
        "positions = ...                 # in forward: the rows from start up to, not including, end\n"
        "return ...                      # dropout of the sum\n"
        "```",
        '`self.register_buffer("table", sinusoidal_encoding(max_len, d_model))` makes `self.table`. The rows are `self.table[start:end]`, with the `end` that the given lines compute from `x.size(1)`.',
    ),
    traps={
        "TypeError: object of type 'NoneType' has no len()": "`self.table` is None. `register_buffer` makes `self.table` itself and gives nothing back: without `self.table =` in front of it.",
        "AttributeError: 'PositionalEncoding' object has no attribute 'table'": "nothing is registered under that name. The name is the first argument of `register_buffer`.",
        "RuntimeError: The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 1": "there are not as many rows as tokens. Rows run from `start` up to, not including, `end`, which counts the tokens, `x.size(1)`; `x.size(0)` is the number of sequences.",
        "ValueError: 4 tokens from position 0 on do not fit into max_len=1 positions": "the table has fewer rows than `max_len`. Its shape is (max_len, d_model): no dimension for the batch in front, and the number of positions comes first.",
        "KeyError: \"attribute 'table' already exists\"": "`self.table = ...` stands before `register_buffer`. One of the two is enough: keep "
        "`register_buffer`.",
    },
)


def built(draw: Draw, make: Callable[..., Any], *args: Any) -> nn.Module:
    """Construct a module and note its parameters, but leave them as they are: here there should be none to fill."""
    module = make(*args)
    if not isinstance(module, nn.Module):
        raise NotAModule(f"made a {type(module).__name__}, which is not an nn.Module")
    draw.signatures.append(signature(module))
    return module


@positional_encoding.probe("adds to every token the vector of its position")
def sums(PositionalEncoding: Callable, draw: Draw) -> Any:
    return built(draw, PositionalEncoding, 6, 9)(draw.tensor("x", 3, 4, 6))


@positional_encoding.probe("gives every sequence the same vectors, however many sequences there are")
def as_many_sequences_as_tokens(PositionalEncoding: Callable, draw: Draw) -> Any:
    return built(draw, PositionalEncoding, 8, 7)(draw.tensor("x", 5, 5, 8))


@positional_encoding.probe("counts from `start`")
def later(PositionalEncoding: Callable, draw: Draw) -> Any:
    return built(draw, PositionalEncoding, 6, 12)(draw.tensor("x", 3, 4, 6), 5)


@positional_encoding.probe("counts from `start`, when that is less than the number of tokens")
def a_little_later(PositionalEncoding: Callable, draw: Draw) -> Any:
    return built(draw, PositionalEncoding, 4, 6)(draw.tensor("x", 2, 3, 4), start=2)


@positional_encoding.probe("gives tokens that come one by one what they get when they come together")
def one_by_one(PositionalEncoding: Callable, draw: Draw) -> Any:
    layer, x = built(draw, PositionalEncoding, 6, 6), draw.tensor("x", 2, 4, 6)
    return [layer(x), *(layer(x[:, i : i + 1], i) for i in range(4))]


@positional_encoding.probe("drops all of the sum at dropout=1")
def all_of_it_dropped(PositionalEncoding: Callable, draw: Draw) -> Any:
    return built(draw, PositionalEncoding, 6, 9, 1.0).train()(draw.tensor("x", 3, 4, 6))


@positional_encoding.probe("drops features of the sum in training, each by itself", float64=True)
def half_of_it_dropped(PositionalEncoding: Callable, draw: Draw) -> Any:
    # 20 sequences that are alike, each of one token with two features, 20 times: each feature is kept or not, which makes
    # four different outputs. All of them are returned, so nothing depends on the random numbers of the implementation.
    layer = built(draw, PositionalEncoding, 2, 24, 0.5).train()
    x = draw.tensor("x", 1, 1, 2).repeat(20, 1, 1)
    return _distinct_rows(torch.stack([layer(x) for _ in range(20)]))


def _distinct_rows(rows: Tensor) -> dict[str, Any]:
    """How many rows of the last dimension differ by more than five decimals, and the first eight of them, in order.

    Fewer are filled up with the last one: another number of rows is a wrong value, not a wrong shape.
    """
    found = torch.unique(rows.detach().reshape(-1, rows.shape[-1]).round(decimals=5), dim=0)
    return {"how many different rows": len(found), "rows": found[torch.arange(8).clamp(max=len(found) - 1)]}


@positional_encoding.probe("drops nothing in evaluation", rung="invariants")
def in_evaluation(PositionalEncoding: Callable, draw: Draw) -> Any:
    return built(draw, PositionalEncoding, 6, 9, 0.5).eval()(draw.tensor("x", 3, 4, 6))


@positional_encoding.probe("takes its table along when the module is moved", rung="invariants")
def moved(PositionalEncoding: Callable, draw: Draw) -> Any:
    # "meta" is a device that every machine has: it holds shapes without numbers.
    layer = built(draw, PositionalEncoding, 4, 5).to("meta")
    stays = [one for one in vars(layer).values() if isinstance(one, Tensor) and one.device.type != "meta"]
    return {"a tensor stays behind": bool(stays)}


@positional_encoding.probe("gives sums in the dtype of x, which the next layer takes", rung="invariants")
def sum_kind(PositionalEncoding: Callable, draw: Draw) -> Any:
    sums = built(draw, PositionalEncoding, 4, 5)(draw.tensor("x", 2, 3, 4))
    return {"dtype": str(sums.dtype), "is learned": sums.requires_grad}


@positional_encoding.probe("adds what its buffers hold, and makes no new table at every call", rung="invariants")
def another_table(PositionalEncoding: Callable, draw: Draw) -> Any:
    layer, x = built(draw, PositionalEncoding, 4, 7), draw.tensor("x", 2, 3, 4)
    before = layer(x, 3)
    for one in layer.buffers():
        if one.is_floating_point():
            one.detach().fill_(torch.nan)  # frequencies would do, and at position 0 only a NaN shows them
    return {"the sums change with the buffers": not torch.equal(layer(x, 3), before)}


@positional_encoding.probe("has the right gradient", rung="gradients")
def sum_gradient(PositionalEncoding: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 3, 4, 6, requires_grad=True)
    return draw.gradients(built(draw, PositionalEncoding, 6, 9)(x, 2), x=x)


@positional_encoding.probe("works for one sequence, for one token, and on memory that is not contiguous", rung="edges")
def sum_edges(PositionalEncoding: Callable, draw: Draw) -> Any:
    layer = built(draw, PositionalEncoding, 4, 7)
    return {
        "one sequence": layer(draw.tensor("one", 1, 5, 4)),
        "one token": layer(draw.tensor("token", 1, 1, 4)),
        "not contiguous": layer(draw.tensor("x", 4, 3, 2).transpose(0, 2)),
    }


@positional_encoding.probe("has a vector for the last position", rung="edges")
def as_long_as_the_table(PositionalEncoding: Callable, draw: Draw) -> Any:
    return built(draw, PositionalEncoding, 4, 6)(draw.tensor("x", 2, 6, 4))


@positional_encoding.probe("has 5,000 positions unless told otherwise", rung="edges")
def last_positions(PositionalEncoding: Callable, draw: Draw) -> Any:
    return built(draw, PositionalEncoding, 2)(draw.tensor("x", 1, 3, 2), 4997)


@positional_encoding.probe("raises a ValueError when there are more tokens than positions", rung="invariants")
def too_long(PositionalEncoding: Callable, draw: Draw) -> Any:
    return built(draw, PositionalEncoding, 4, 5)(draw.tensor("x", 2, 6, 4))


@positional_encoding.probe("raises a ValueError when `start` leads beyond the last position", rung="invariants")
def too_late(PositionalEncoding: Callable, draw: Draw) -> Any:
    return built(draw, PositionalEncoding, 4, 5)(draw.tensor("x", 2, 2, 4), 4)


@positional_encoding.probe("raises a ValueError when `start` is negative", rung="invariants")
def before_the_start(PositionalEncoding: Callable, draw: Draw) -> Any:
    return built(draw, PositionalEncoding, 4, 5)(draw.tensor("x", 2, 2, 4), -1)


@positional_encoding.probe("raises a ValueError when d_model is odd", rung="invariants")
def odd_width(PositionalEncoding: Callable, draw: Draw) -> Any:
    built(draw, PositionalEncoding, 4, 5)  # the blank stub must show as blank
    PositionalEncoding(5, 4)
    return "a module of width 5"


# LearnedPositionalEncoding ----------------------------------------------------------------------------

learned_positional_encoding = Exercise(
    "LearnedPositionalEncoding",
    points=2,
    hints=(
        "`nn.Embedding` is a table of vectors that training changes, and calling it with whole numbers looks up rows. Which numbers do you want to look up? Not the tokens: those have become vectors already.",
        "```python\n"
        "positions = ...  # 0, 1, 2, ... up to the number of tokens: (seq_len,)\n"
        "return ...       # x, and the vectors of these positions: (seq_len, d_model)\n"
        "```",
        "`torch.arange(seq_len, device=x.device)`, then `x + self.embedding(positions)`. The batch needs no mention: (seq_len, d_model) is added to every sequence.",
    ),
    traps={
        "RuntimeError: Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got torch.FloatTensor": "an embedding looks up whole numbers, and here it got the tokens' features. Look up positions.",
        "TypeError: embedding(): argument 'indices' (position 2) must be Tensor, not int": "one number was given. A position for each token is a tensor: `torch.arange`.",
        "RuntimeError: The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 1": "there are not as many vectors as tokens. Tokens are counted by `x.size(1)`; `x.size(0)` is the number of sequences.",
        "IndexError: index out of range in self": "the embedding was asked for a row that it does not have. Positions run from 0 to seq_len - 1.",
    },
)


@learned_positional_encoding.probe("adds to every token the learned vector of its position")
def learned_sums(LearnedPositionalEncoding: Callable, draw: Draw) -> Any:
    return draw.module(LearnedPositionalEncoding, 7, 6)(draw.tensor("x", 3, 4, 6))


@learned_positional_encoding.probe("gives every sequence the same vectors, however many sequences there are")
def learned_square(LearnedPositionalEncoding: Callable, draw: Draw) -> Any:
    return draw.module(LearnedPositionalEncoding, 9, 4)(draw.tensor("x", 5, 5, 4))


@learned_positional_encoding.probe("leaves out what only depends on the tokens", rung="invariants")
def same_positions(LearnedPositionalEncoding: Callable, draw: Draw) -> Any:
    layer = draw.module(LearnedPositionalEncoding, 5, 6)
    return [layer(draw.tensor("x", 2, 3, 6)), layer(draw.tensor("other", 2, 3, 6, scale=9, shift=4))]


@learned_positional_encoding.probe("does in evaluation what it does in training", rung="invariants")
def learned_in_evaluation(LearnedPositionalEncoding: Callable, draw: Draw) -> Any:
    return draw.module(LearnedPositionalEncoding, 7, 6).eval()(draw.tensor("x", 3, 4, 6))


@learned_positional_encoding.probe("has the right gradients, for the tokens and the vectors", rung="gradients")
def learned_gradients(LearnedPositionalEncoding: Callable, draw: Draw) -> Any:
    layer = draw.module(LearnedPositionalEncoding, 7, 6)
    x = draw.tensor("x", 3, 4, 6, requires_grad=True)
    return draw.gradients(layer(x), x=x, **dict(layer.named_parameters()))


@learned_positional_encoding.probe(
    "works for one sequence, one token, one feature, and on memory that is not contiguous",
    rung="edges",
)
def learned_edges(LearnedPositionalEncoding: Callable, draw: Draw) -> Any:
    layer, single = draw.module(LearnedPositionalEncoding, 5, 4), draw.module(LearnedPositionalEncoding, 1, 1)
    return {
        "one sequence": layer(draw.tensor("one", 1, 3, 4)),
        "not contiguous": layer(draw.tensor("x", 4, 3, 2).transpose(0, 2)),
        "one token of one feature": single(draw.tensor("token", 2, 1, 1)),
    }


@learned_positional_encoding.probe("has a vector for the last position", rung="edges")
def learned_last_position(LearnedPositionalEncoding: Callable, draw: Draw) -> Any:
    return draw.module(LearnedPositionalEncoding, 5, 4)(draw.tensor("x", 2, 5, 4))


@learned_positional_encoding.probe("raises a ValueError when there are more tokens than positions", rung="invariants")
def learned_too_long(LearnedPositionalEncoding: Callable, draw: Draw) -> Any:
    layer = draw.module(LearnedPositionalEncoding, 5, 4)
    layer(draw.tensor("fits", 2, 5, 4))  # the blank stub must show as blank
    return layer(draw.tensor("x", 2, 6, 4))


# apply_rotary ----------------------------------------------------------------------------

apply_rotary = Exercise(
    "apply_rotary",
    points=3,
    hints=(
        "The angles are made as in `sinusoidal_encoding`, with `positions` for 0, 1, 2, ... and `base` for 10000: (seq_len, d_head / 2), one for every token and pair. Then cut `x` into the first and the second "
        "coordinates of all pairs, which have that shape too, and turn.",
        "```python\n"
        "two_i = ...           # 0, 2, 4, ...: (d_head / 2,)\n"
        "angle = ...           # (seq_len, d_head / 2)\n"
        "first, second = ...   # every second feature from 0 on, every second from 1 on\n"
        "new_first = ...       # first · cos - second · sin\n"
        "new_second = ...      # first · sin + second · cos\n"
        "return ...            # new_first and new_second in turn, shape of x\n"
        "```",
        "`first, second = x[..., 0::2], x[..., 1::2]`. To put them back in turn: `torch.stack((new_first, new_second), dim=-1).flatten(-2)`. `torch.cat` would put all first coordinates in front, which is another order.",
    ),
    traps={
        "RuntimeError: The size of tensor a (5) must match the size of tensor b (3) at non-singleton dimension 0": "positions and powers lie along the same dimension. Make the positions a column with `.unsqueeze(-1)`.",
        "RuntimeError: The size of tensor a (6) must match the size of tensor b (3) at non-singleton dimension 3": "either all d_head features meet the angles of d_head / 2 pairs: take the first and the second coordinates apart before you turn them. Or positions and powers lie along the same dimension: make the positions a column with `.unsqueeze(-1)`.",
    },
)


@apply_rotary.probe("turns every pair of features by position times the pair's frequency")
def turned(apply_rotary: Callable, draw: Draw) -> Any:
    return apply_rotary(draw.tensor("x", 2, 3, 5, 6), draw.keep("positions", torch.arange(5)))


@apply_rotary.probe("takes any whole numbers for positions: with gaps, in any order, negative")
def any_positions(apply_rotary: Callable, draw: Draw) -> Any:
    return apply_rotary(draw.tensor("x", 2, 4, 8), draw.integers("positions", 4, low=-30, high=50))


@apply_rotary.probe("takes another base")
def another_base(apply_rotary: Callable, draw: Draw) -> Any:
    x, positions = draw.tensor("x", 3, 5, 6), draw.integers("positions", 5, high=20)
    return [apply_rotary(x, positions, 100.0), apply_rotary(x, positions, base=7.5)]


@apply_rotary.probe("turns by the token's position, however many heads there are")
def as_many_heads_as_tokens(apply_rotary: Callable, draw: Draw) -> Any:
    return apply_rotary(draw.tensor("x", 4, 4, 4, 6), draw.keep("positions", torch.tensor([0, 1, 2, 9])))


@apply_rotary.probe("leaves every pair as long as it was", rung="invariants", float64=True)
def lengths(apply_rotary: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 3, 4, 6)
    output = apply_rotary(x, draw.integers("positions", 4, high=40))
    return {"token": output.norm(dim=-1), "pair": output.unflatten(-1, (3, 2)).norm(dim=-1)}


@apply_rotary.probe("makes scores depend on distance alone", rung="invariants", float64=True)
def two_shifts(apply_rotary: Callable, draw: Draw) -> Any:
    query, key = draw.tensor("query", 3, 8), draw.tensor("key", 5, 8)
    at, of = draw.integers("query positions", 3, high=20), draw.integers("key positions", 5, high=20)
    return [apply_rotary(query, at + shift) @ apply_rotary(key, of + shift).mT for shift in (0, 17)]


@apply_rotary.probe("gives vectors in the dtype of x, as attention takes them", rung="invariants")
def turned_kind(apply_rotary: Callable, draw: Draw) -> Any:
    return {"dtype": str(apply_rotary(draw.tensor("x", 2, 3, 4), draw.keep("positions", torch.arange(3))).dtype)}


@apply_rotary.probe("has the right gradient", rung="gradients")
def turned_gradient(apply_rotary: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 3, 5, 4, requires_grad=True)
    return draw.gradients(apply_rotary(x, draw.integers("positions", 5, high=30)), x=x)


@apply_rotary.probe(
    "works for one pair, one token, without other dimensions, and on memory that is not contiguous", rung="edges"
)
def turned_edges(apply_rotary: Callable, draw: Draw) -> Any:
    three = draw.keep("three", torch.tensor([4, 0, 2]))
    return {
        "position 0": apply_rotary(draw.tensor("first", 2, 1, 4), draw.keep("zero", torch.tensor([0]))),
        "one token, further on": apply_rotary(draw.tensor("later", 2, 1, 4), draw.keep("nine", torch.tensor([9]))),
        "one pair": apply_rotary(draw.tensor("pair", 2, 3, 2), three),
        "tokens alone": apply_rotary(draw.tensor("tokens", 3, 4), three),
        "three other dimensions": apply_rotary(draw.tensor("many", 2, 1, 2, 3, 4), three),
        # As queries are after `split_heads`; their features stay neighbours in memory, which view_as_complex needs.
        "not contiguous": apply_rotary(draw.tensor("x", 2, 3, 2, 4).transpose(1, 2), three),
    }


@apply_rotary.probe("turns tokens that stand far behind", rung="edges", float64=True)
def turned_far_behind(apply_rotary: Callable, draw: Draw) -> Any:
    # One pair, whose frequency is 1: however the angle is computed, it is a whole number, and exact in float32 too.
    return apply_rotary(draw.tensor("x", 2, 4, 2), draw.keep("positions", torch.tensor([300, 120, 1501, 1500])))


@apply_rotary.probe("raises a ValueError when d_head is odd", rung="invariants")
def turned_refuses(apply_rotary: Callable, draw: Draw) -> Any:
    positions = draw.keep("positions", torch.arange(3))
    apply_rotary(draw.tensor("fits", 2, 3, 4), positions)  # the blank stub must show as blank
    return apply_rotary(draw.tensor("x", 2, 3, 5), positions)


# RotaryAttention ----------------------------------------------------------------------------

rotary_attention = Exercise(
    "RotaryAttention",
    points=3,
    forbidden=("multi_head_attention",),
    stretch=True,
    hints=(
        "It is MultiHeadAttention without dropout, and with two lines more. Positions decide *where* a token looks, so they belong in what is compared. What is taken from a token needs no position.",
        "```python\n"
        "q = ...               # q_proj of query, split: (batch, num_heads, query_len, d_head)\n"
        "k = ...               # k_proj of key, split\n"
        "v = ...               # v_proj of value, split\n"
        "q = ...               # turned by 0, 1, ... query_len - 1\n"
        "k = ...               # turned by 0, 1, ... key_len - 1\n"
        "heads, weights = ...  # attention\n"
        "return ...            # out_proj of the merged heads, and the weights\n"
        "```",
        "`q = apply_rotary(q, torch.arange(query.size(1)))`, and `k` likewise with `key.size(1)`. After the split, the tokens stand in dimension 2 of `q`: `q.size(1)` is the number of heads.",
    ),
    traps={
        "RuntimeError: The size of tensor a (5) must match the size of tensor b (3) at non-singleton dimension 2": "there are as many positions as heads, or as queries where keys are meant. After the split, `q` is (batch, num_heads, query_len, d_head); keys have a length of their own.",
        "TypeError: linear(): argument 'input' (position 1) must be Tensor, not tuple": "`scaled_dot_product_attention` returns two things: `heads, weights = ...`.",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied": "something of d_head features came to `out_proj`, which takes d_model: the heads are not merged yet.",
    },
)


def some_true(draw: Draw, name: str, *shape: int) -> Tensor:
    """A drawn mask in which every query may look at its first key at least, and not at its last."""
    mask = draw.booleans(f"{name} drawn", *shape, chance=0.6)
    place = torch.arange(shape[-1])
    return draw.keep(name, (mask | (place == 0)) & (place != shape[-1] - 1))


@rotary_attention.probe("turns queries and keys of every head by the tokens' positions")
def rotary_self_attention(RotaryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(RotaryAttention, 12, 3)
    x = draw.tensor("x", 2, 5, 12, scale=1.5)
    return layer(x, x, x)


@rotary_attention.probe("reads other tokens than those that ask, which count their positions for themselves")
def rotary_cross_attention(RotaryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(RotaryAttention, 12, 2)
    key, value = draw.tensor("key", 3, 7, 12), draw.tensor("value", 3, 7, 12)
    return layer(draw.tensor("query", 3, 4, 12, scale=1.5), key, value)


@rotary_attention.probe("turns by the token's position, however many heads there are")
def rotary_square(RotaryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(RotaryAttention, 12, 3)
    x = draw.tensor("x", 2, 3, 12, scale=1.5)
    return layer(x, x, x)


@rotary_attention.probe("hides padding from all heads: a mask of shape (batch, 1, 1, key_len)")
def rotary_padding(RotaryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(RotaryAttention, 8, 2)
    memory = draw.tensor("memory", 3, 5, 8)
    return layer(draw.tensor("query", 3, 5, 8), memory, memory, some_true(draw, "mask", 3, 1, 1, 5))


@rotary_attention.probe("lets a mask differ from head to head")
def rotary_mask_of_each_head(RotaryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(RotaryAttention, 8, 2)
    x = draw.tensor("x", 3, 5, 8)
    return layer(x, x, x, some_true(draw, "mask", 3, 2, 5, 5))


@rotary_attention.probe("does not let a token see a later one, whatever stands there", rung="invariants")
def rotary_future(RotaryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(RotaryAttention, 8, 2)
    mask = draw.keep("mask", torch.ones(4, 4, dtype=torch.bool).tril())
    x = draw.tensor("x", 3, 4, 8)
    other = torch.cat([x[:, :2], draw.tensor("future", 3, 2, 8, scale=3)], dim=1)
    return [layer(one, one, one, mask)[0][:, :2] for one in (x, other)]


@rotary_attention.probe(
    "gives a sentence the same weights when it stands further back", rung="invariants", float64=True
)
def further_back(RotaryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(RotaryAttention, 8, 2)
    x = draw.tensor("x", 2, 4, 8)
    longer = torch.cat([draw.tensor("before", 2, 3, 8), x], dim=1)
    hidden = draw.keep("mask", torch.arange(7) >= 3)
    return [layer(x, x, x)[1], layer(longer, longer, longer, hidden.expand(7, 7))[1][..., 3:, 3:]]


@rotary_attention.probe("has the right gradients, for the inputs and all parameters", rung="gradients")
def rotary_gradients(RotaryAttention: Callable, draw: Draw) -> Any:
    layer = draw.module(RotaryAttention, 8, 2)
    given = {
        "query": draw.tensor("query", 3, 5, 8, requires_grad=True),
        "key": draw.tensor("key", 3, 5, 8, requires_grad=True),
        "value": draw.tensor("value", 3, 5, 8, requires_grad=True),
    }
    output, _ = layer(*given.values(), some_true(draw, "mask", 5, 5))
    return draw.gradients(output, **given, **dict(layer.named_parameters()))


@rotary_attention.probe(
    "works for one head, one token, on memory that is not contiguous, and for a query that may look at nothing",
    rung="edges",
)
def rotary_edges(RotaryAttention: Callable, draw: Draw) -> Any:
    one, pairs = draw.fill(RotaryAttention(4, 1)), draw.fill(RotaryAttention(4, 2))
    token, x = draw.tensor("token", 1, 1, 4), draw.tensor("x", 4, 3, 2).transpose(0, 2)
    mask = torch.ones(3, 3, dtype=torch.bool)
    mask[1] = False
    many = draw.tensor("many", 3, 3, 4)
    return {
        "one token": one(token, token, token),
        "one token that asks": pairs(draw.tensor("asks", 2, 1, 4), x, x),
        "as many sentences as tokens": one(many, many, many, draw.keep("triangle", torch.ones(3, 3).tril().bool())),
        "heads of one pair, not contiguous": pairs(x, x, x),
        "nothing to look at": one(x, x, x, draw.keep("mask", mask)),
    }


@rotary_attention.probe("raises a ValueError when d_model is not divisible by num_heads", rung="invariants")
def rotary_refuses(RotaryAttention: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 1, 2, 12)
    RotaryAttention(12, 3)(x, x, x)  # the blank stub must show as blank
    RotaryAttention(14, 3)
    return "a module of width 14 with 3 heads"


@rotary_attention.probe("raises a ValueError when a head has an odd number of features", rung="invariants")
def rotary_refuses_odd(RotaryAttention: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 1, 2, 12)
    layer = RotaryAttention(12, 3)
    layer(x, x, x)  # the blank stub must show as blank
    odd, x = RotaryAttention(9, 3), draw.tensor("odd", 1, 2, 9)
    return odd(x, x, x)


# In the wild ----------------------------------------------------------------------------

article = Exercise(
    "ArticlePositionalEncoding",
    points=2,
    repairs=positional_encoding,
    hints=(
        "Two things are wrong, one where the table is made and one where it is used. What decides in the paper whether a number is a sine or a cosine? And which of the three dimensions of `x` has positions?",
        "Print `self.table[:4]` for `d_model=4` and compare it with the table by hand. Then give the module two equal sequences, and look whether they "
        "are still equal afterwards.",
        "Even and odd are *columns*: `table[:, 0::2]` gets sines, `table[:, 1::2]` cosines. And the rows are `self.table[start : start + x.size(1)]`, without a dimension put in between.",
    ),
)
