"""Checks of lesson 04: the table of sinusoids."""

from collections.abc import Callable
from typing import Any

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

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
        "OverflowError: int too big to convert": "the power is taken before the division, and is far too large. Put the exponent into brackets: `10000 ** (two_i / d_model)`.",
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
