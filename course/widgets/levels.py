"""A logarithmic axis of losses: lines across with a name, and marks in plain numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.textpath import TextPath
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from course.widgets.palette import PAPER

LINE = "#6b7480"
MARGIN = 10
"""Points of empty ground beside a name."""

TRIED = [step / 50 for step in range(50, 0, -1)]
"""Shares of the width at which a name may end."""

PLAIN = (1e-3, 1e4)
"""Within these ends numbers are written as they are; beyond them powers of ten are shorter."""


def draw_levels(ax: Axes, levels: Mapping[str, float], *, size: float = 8) -> None:
    """Draw a line across for each level above 0, with its name on it.

    Call it when everything else is drawn: names keep apart on the axis as it is then, and off its curves where there is
    room.

    Args:
        ax: its y axis is logarithmic.
        levels: name → where its line is.
        size: of the letters.
    """
    shown = {name: value for name, value in levels.items() if value > 0}  # the scale has no 0
    curves = _curves(ax)
    for value in shown.values():
        ax.axhline(value, color=LINE, linewidth=1, linestyle="--", zorder=1)
    point = ax.figure.dpi / 72
    low, high = ax.get_ylim()
    tall = 1.35 * size * point / ax.bbox.height * math.log(high / low)
    wide = {name: (_width(name, size) + MARGIN) * point / ax.bbox.width for name in shown}
    for name, place in _apart(shown, tall, wide, curves).items():
        # On its own line, and on a ground of its own, so that neither curves nor other lines strike it through.
        ax.annotate(
            name,
            place,
            (-3, 0),
            ("axes fraction", "data"),
            "offset points",
            ha="right",
            va="center",
            fontsize=size,
            zorder=3,
            bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1},
        )


def _width(name: str, size: float) -> float:
    """How wide a name is, in points."""
    return TextPath((0, 0), name, size=size).get_extents().width


def _curves(ax: Axes) -> list[tuple[float, float]]:
    """The points of all curves that can be on the scale: (share of the width, value)."""
    left, right = ax.get_xlim()
    drawn = [np.asarray(line.get_xydata(), np.float64) for line in ax.get_lines()]
    return [((x - left) / (right - left), y) for points in drawn for x, y in points.tolist() if y > 0]


def _apart(
    levels: Mapping[str, float], tall: float, wide: Mapping[str, float], curves: Sequence[tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    """Where names end, (share of the width, value): on no other name, and on no curve if it can be."""
    placed: dict[str, tuple[float, float]] = {}
    for name, value in sorted(levels.items(), key=lambda one: -one[1]):
        near = [(x - wide[other], x) for other, (x, y) in placed.items() if math.log(y / value) < tall]
        crossed = [x for x, y in curves if abs(math.log(y / value)) < tall / 2]
        ends = sorted({*TRIED, *(start for start, _ in near)}, reverse=True)
        free = [end for end in ends if all(end <= start or end - wide[name] >= stop for start, stop in near)]
        clear = [end for end in free if end > wide[name] and not any(end - wide[name] < x < end for x in crossed)]
        placed[name] = (clear or free)[0], value
    return placed


def plain_marks(ax: Axes) -> None:
    """Write 4, 2, 1, 0.6 at a logarithmic y axis, and powers of ten only where plain numbers would run long."""
    low, high = ax.get_ylim()
    if low < PLAIN[0] or high > PLAIN[1]:
        return
    decades = math.log10(high / low)
    plain = FuncFormatter(lambda value, _: f"{value:g}")
    ax.yaxis.set_major_formatter(plain)
    if decades < 2.5:
        ax.yaxis.set_minor_locator(LogLocator(subs=[2, 3, 4, 6] if decades < 1 else [2, 5]))
    ax.yaxis.set_minor_formatter(plain if decades < 2.5 else NullFormatter())
