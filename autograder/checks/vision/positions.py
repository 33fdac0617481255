"""Checks of interpolate_positions."""

from collections.abc import Callable
from typing import Any

from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

interpolate_positions = Exercise(
    "interpolate_positions",
    points=2,
    stretch=True,
    hints=(
        "`F.interpolate` scales pictures, (batch, channels, height, width). The table is (1, tokens, d_model). Which of its rows are no part of the picture, and what are the channels of the others?",
        "```python\nfirst, grid = ...   # the class token's row, and the others\npicture = ...       # (1, d_model, down, across)\nscaled = ...        # (1, d_model, new_down, new_across)\nreturn ...          # (1, 1 + new_down * new_across, d_model)\n```",
        '`table[:, 1:].transpose(1, 2).reshape(1, -1, down, across)`: first the features in front, then the grid. `F.interpolate(picture, size=new, mode="bilinear")`; then `.flatten(2).transpose(1, 2)`, and `torch.cat` with the first row.',
    ),
    traps={
        "RuntimeError: shape '[...]' is invalid for input of size ...": "the grid has down · across rows: the class token's, which stands first, is none of them.",
        "ValueError: Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of ...": "`F.interpolate` wants a picture: (1, d_model, down, across).",
        "RuntimeError: Sizes of tensors must match except in dimension 1. Expected size ... but got size ... for tensor number 1 in the list.": "bring the features behind the places again, (1, places, d_model), before you put the class token's row in front.",
        "RuntimeError: Tensors must have same number of dimensions: got 3 and 4": "flatten the grid into rows before you put the class token's row in front: `.flatten(2).transpose(1, 2)`.",
    },
)


def table(draw: Draw, down: int, across: int, d_model: int = 4, **more: Any) -> Any:
    """A learned table of positions, the class token's first."""
    return draw.tensor("table", 1, 1 + down * across, d_model, **more)


@interpolate_positions.probe("makes a larger grid, and leaves the class token's vector as it is", float64=True)
def larger(interpolate_positions: Callable, draw: Draw) -> Any:
    return interpolate_positions(table(draw, 2, 3), (2, 3), (4, 5))


@interpolate_positions.probe("makes a smaller grid", float64=True)
def smaller(interpolate_positions: Callable, draw: Draw) -> Any:
    return interpolate_positions(table(draw, 5, 4), (5, 4), (3, 2))


@interpolate_positions.probe("turns a high grid into a wide one, with other numbers down and across", float64=True)
def from_high_to_wide(interpolate_positions: Callable, draw: Draw) -> Any:
    return interpolate_positions(table(draw, 4, 2), (4, 2), (2, 4))


@interpolate_positions.probe("makes a wide grid of a square one", float64=True)
def from_a_square(interpolate_positions: Callable, draw: Draw) -> Any:
    return interpolate_positions(table(draw, 3, 3), (3, 3), (2, 5))


@interpolate_positions.probe("has the right gradients", rung="gradients")
def table_gradients(interpolate_positions: Callable, draw: Draw) -> Any:
    old = table(draw, 2, 3, requires_grad=True)
    return draw.gradients(interpolate_positions(old, (2, 3), (3, 5)), table=old)


@interpolate_positions.probe(
    "works for the same grid, from one place, down to one place, and from 11 places to 15",
    rung="edges",
    float64=True,
)
def grid_edges(interpolate_positions: Callable, draw: Draw) -> Any:
    old = table(draw, 2, 3)
    return {
        "the same grid": interpolate_positions(old, (2, 3), (2, 3)),
        "from one place": interpolate_positions(old[:, :2], (1, 1), (2, 3)),
        "down to one place": interpolate_positions(old, (2, 3), (1, 1)),
        "from 11 x 1 to 15 x 1": interpolate_positions(draw.tensor("high", 1, 12, 4), (11, 1), (15, 1)),
    }


@interpolate_positions.probe(
    "raises a ValueError for a table of another grid, and for a grid without places", rung="invariants"
)
def refuses_grids(interpolate_positions: Callable, draw: Draw) -> Any:
    old = table(draw, 2, 3)
    interpolate_positions(old, (2, 3), (3, 3))  # the blank stub must show as blank
    return {
        "7 rows for 3 x 3": raised(lambda: interpolate_positions(old, (3, 3), (4, 4))),
        "no row for the class token": raised(lambda: interpolate_positions(old[:, 1:], (2, 3), (4, 4))),
        "down to 0 x 2": raised(lambda: interpolate_positions(old, (2, 3), (0, 2))),
    }
