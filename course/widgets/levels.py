"""A logarithmic axis of losses: lines across with a name, and marks in plain numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from course.widgets.palette import PAPER

LINE = "#6b7480"
PLAIN = (1e-3, 1e4)
"""Within these ends numbers are written as they are; beyond them powers of ten are shorter."""


def draw_levels(ax: Axes, levels: Mapping[str, float], *, size: float = 8) -> None:
    """Draw a line across for each level above 0, with its name on it.

    Call it when everything else is drawn: names keep apart on the axis as it is then.

    Args:
        ax: its y axis is logarithmic.
        levels: name → where its line is.
        size: of the letters.
    """
    shown = {name: value for name, value in levels.items() if value > 0}  # the scale has no 0
    for value in shown.values():
        ax.axhline(value, color=LINE, linewidth=1, linestyle="--", zorder=1)
    point = ax.figure.dpi / 72
    tall, wide = 1.35 * size * point / ax.bbox.height, 0.6 * size * point / ax.bbox.width
    low, high = ax.get_ylim()
    for name, place in _apart(shown, tall * math.log(high / low), wide).items():
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


def _apart(levels: Mapping[str, float], tall: float, wide: float) -> dict[str, tuple[float, float]]:
    """Where names end, (share of the width, value): one that would lie on another moves to its left."""
    placed: dict[str, tuple[float, float]] = {}
    for name, value in sorted(levels.items(), key=lambda one: -one[1]):
        near = [(x - wide * (len(other) + 2), x) for other, (x, y) in placed.items() if math.log(y / value) < tall]
        free = (
            end
            for end in sorted([1.0, *(start for start, _ in near)], reverse=True)
            if all(end <= start or end - wide * (len(name) + 2) >= stop for start, stop in near)
        )
        placed[name] = next(free), value
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
