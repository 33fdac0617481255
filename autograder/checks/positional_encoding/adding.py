"""Checks of lesson 04: the module that adds the table, and its repair."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.draws import Draw, NotAModule, signature
from autograder.probing.exercise import Exercise

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
