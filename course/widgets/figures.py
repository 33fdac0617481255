"""Static figures in the one style of the course: white cards that print well and read in both themes."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from contextlib import AbstractContextManager
from html import escape
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.patches import Rectangle
from matplotlib.rcsetup import cycler
from matplotlib.text import Text
from torch import Tensor

from course.widgets.numbers import in_cell, short
from course.widgets.palette import ALARM, COLOURS, INK, LINE, PAPER, SOFT

Kind = Literal["weights", "signed", "mask"]
QUERY_AXIS = "query (asks)"
KEY_AXIS = "key (is read)"
DPI = 144
# Seen on white and, inverted, on near black; too quiet to be taken for a number.
HATCH = "#b7bfca"
# In a dark theme light and dark change places and the hues stay: a true scale stays true, legend and all.
DARK = "<style>[data-jp-theme-light=false] .course-figure {filter: invert(0.9) hue-rotate(180deg)}</style>"

STYLE: dict[Any, Any] = {
    "figure.facecolor": PAPER,
    "figure.dpi": 110,
    "figure.constrained_layout.use": True,
    "savefig.facecolor": PAPER,
    "savefig.dpi": DPI,
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "text.color": INK,
    "axes.facecolor": PAPER,
    "axes.edgecolor": LINE,
    "axes.labelcolor": SOFT,
    "axes.labelsize": 9,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "axes.prop_cycle": cycler(color=["#2b66ad", "#c2561a", "#2f8f83", "#8a4fa3", "#6b7480"]),
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "hatch.linewidth": 0.7,
    "figure.constrained_layout.w_pad": 0.1,
    "figure.constrained_layout.h_pad": 0.1,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
}


def styled() -> AbstractContextManager[None]:
    """The style for the length of a `with` block."""
    return mpl.rc_context(STYLE)


def style() -> None:
    """Set matplotlib to the style of the course. Lessons call it once, in their set-up cell."""
    mpl.rcParams.update(STYLE)


class Picture(Figure):
    """A figure that shows itself once, with alt text, and needs neither pyplot nor a backend.

    Args:
        alt: what is to be seen, for those who cannot see it.
    """

    def __init__(self, *args: Any, alt: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        FigureCanvasAgg(self)
        self.alt = alt

    def png(self) -> bytes:
        """The figure as the bytes of a PNG file, 144 dots per inch."""
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=DPI)
        return buffer.getvalue()

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        image = base64.b64encode(self.png()).decode("ascii")
        looks = f'class="course-figure" {self._size()} alt="{escape(self.alt)}"'
        html = f'{DARK}<img {looks} src="data:image/png;base64,{image}">'
        data = {"image/png": image, "text/html": html, "text/plain": self.alt or repr(self)}
        return data, {"image/png": {"alt": self.alt}}

    def _size(self) -> str:
        """One size of letters in all figures, as long as the page is wide enough for them."""
        width = round(self.get_figwidth() * STYLE["figure.dpi"])
        return f'width="{width}" style="max-width: 100%; height: auto"'


class Panel(Axes):
    """Axes whose title and legend are in the style of the course, also where the style is not set."""

    # Both take their looks when they are made: then the block of panels() has long been left.
    def set_title(self, label: str, *args: Any, **kwargs: Any) -> Text:
        """Set a title: on the left, bold, size 10."""
        with styled():
            return super().set_title(label, *args, **kwargs)

    def legend(self, *args: Any, **kwargs: Any) -> Legend:
        """Draw a legend without a frame."""
        with styled():
            return super().legend(*args, **kwargs)


def panels(
    rows: int = 1, columns: int = 1, *, size: tuple[float, float] | None = None, alt: str = ""
) -> tuple[Picture, np.ndarray]:
    """A picture with a grid of axes.

    Args:
        rows: rows of axes.
        columns: columns of axes.
        size: width and height in inches; 3.2 × 3 for each of the axes if not given.
        alt: what is to be seen.
    Returns:
        The picture, and its axes in an array of shape (rows, columns).
    """
    with styled():
        picture = Picture(figsize=size or (3.2 * columns, 3.0 * rows), alt=alt)
        return picture, picture.subplots(rows, columns, squeeze=False, subplot_kw={"axes_class": Panel})


def heatmap(
    ax: Axes | None,
    values: Tensor | np.ndarray,
    *,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    title: str = "",
    kind: Kind = "weights",
    mask: Tensor | np.ndarray | None = None,
    limit: float | None = None,
    row_axis: str = QUERY_AXIS,
    column_axis: str = KEY_AXIS,
    legend: bool = True,
    alt: str = "",
) -> Picture | None:
    """Draw a matrix of true numbers on an honest scale.

    Args:
        ax: where to draw; None makes a picture of its own.
        values: (rows, columns) numbers.
        rows: names of the rows.
        columns: names of the columns.
        title: what the panel shows.
        kind: "weights" is a scale from 0 to 1; "signed" is centred at 0; "mask" shows booleans, False hatched.
        mask: booleans that broadcast to `values`, True means "may look"; the rest is hatched.
        limit: the end of the scale: give panels that are compared the same; by default 1 for weights
            and the largest absolute value for signed numbers.
        row_axis: what a row is.
        column_axis: what a column is.
        legend: draw the colour scale beside the panel.
        alt: what is to be seen.
    Returns:
        The picture when `ax` is None, so that it shows as a cell's last line; else None.
    """
    matrix = _matrix(values)
    if kind == "mask":
        mask, legend = matrix > 0, False
    picture, axes = (None, ax) if ax is not None else _own(matrix, alt or title)
    with styled():
        _paint(axes, matrix, _allowed(mask, matrix.shape), kind, limit or scale_end(matrix, kind), legend)
        _name(axes, matrix.shape, rows, columns)
        axes.set_title(title)
        axes.set_xlabel(column_axis, color=SOFT)
        axes.set_ylabel(row_axis, color=SOFT)
    return picture


def scale_end(values: np.ndarray, kind: Kind) -> float:
    """Where a scale ends: 1 for weights, the largest finite absolute value for signed numbers."""
    if kind != "signed":
        return 1.0
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size and finite.max() > 0 else 1.0


def _matrix(values: Tensor | np.ndarray) -> np.ndarray:
    array = values.detach().cpu().numpy() if isinstance(values, Tensor) else np.asarray(values)
    if array.ndim != 2:
        raise ValueError(f"values has shape {array.shape}; give a matrix (rows, columns)")
    return array.astype(np.float64)


def _allowed(mask: Tensor | np.ndarray | None, shape: tuple[int, ...]) -> np.ndarray:
    if mask is None:
        return np.ones(shape, bool)
    array = mask.detach().cpu().numpy() if isinstance(mask, Tensor) else np.asarray(mask)
    if array.dtype != bool:
        raise ValueError(f'mask is {array.dtype}; give booleans in which True means "may look"')
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ValueError(f"mask has shape {array.shape}; it must broadcast to {shape}") from None


def _own(matrix: np.ndarray, alt: str) -> tuple[Picture, Axes]:
    rows, columns = matrix.shape
    size = (1.9 + 0.5 * min(columns, 14), 1.1 + 0.5 * min(rows, 14))
    picture, axes = panels(size=size, alt=alt)
    return picture, axes[0, 0]


def _paint(ax: Axes, matrix: np.ndarray, allowed: np.ndarray, kind: Kind, limit: float, legend: bool) -> None:
    scale = Normalize(-limit if kind == "signed" else 0, limit)
    shown = np.where(allowed & np.isfinite(matrix), matrix, np.nan)
    ax.imshow(shown, cmap=COLOURS[kind], norm=scale, aspect="auto" if max(shown.shape) > 40 else "equal")
    for row, column in np.ndindex(matrix.shape):
        _cell(ax, row, column, matrix, allowed, scale, kind)
    ax.set_xticks(np.arange(-0.5, matrix.shape[1]), minor=True)
    ax.set_yticks(np.arange(-0.5, matrix.shape[0]), minor=True)
    # Between the thin cells of a large table, gaps would be most of what there is to see.
    ax.grid(which="minor", color=PAPER, linewidth=1.2 if max(shown.shape) <= 40 else 0)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)
    if legend:
        _legend(ax, kind, scale)


def _cell(
    ax: Axes,
    row: int,
    column: int,
    matrix: np.ndarray,
    allowed: np.ndarray,
    scale: Normalize,
    kind: Kind,
) -> None:
    value = matrix[row, column]
    if kind == "mask" and allowed[row, column]:
        return
    if not allowed[row, column]:
        _hatch(ax, row, column, "////", HATCH)
    elif np.isnan(value):
        _hatch(ax, row, column, "xxxx", ALARM)
    if max(matrix.shape) > 12 or not (allowed[row, column] or _leaks(value, kind)):
        return
    colour = _ink_on(COLOURS[kind](scale(value)), value) if allowed[row, column] else ALARM
    # On a pattern, a text needs a ground of its own.
    ground = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.5} if colour == ALARM else None
    ax.text(column, row, in_cell(value), ha="center", va="center", color=colour, fontsize=8, bbox=ground)


def _leaks(value: float, kind: Kind) -> bool:
    # A masked score keeps its number hidden: only a weight that should be zero is worth an alarm.
    return kind == "weights" and abs(value) > 1e-6


def _hatch(ax: Axes, row: int, column: int, pattern: str, colour: str) -> None:
    corner = (column - 0.5, row - 0.5)
    ax.add_patch(Rectangle(corner, 1, 1, facecolor=PAPER, edgecolor=colour, hatch=pattern, linewidth=0))


def _ink_on(colour: tuple[float, ...], value: float) -> str:
    if np.isnan(value):
        return ALARM
    if value == 0:
        return SOFT
    linear = np.power(colour[:3], 2.2)
    return PAPER if linear @ (0.2126, 0.7152, 0.0722) < 0.18 else "black"


def _legend(ax: Axes, kind: Kind, scale: Normalize) -> None:
    source = ScalarMappable(norm=scale, cmap=COLOURS[kind])
    bar = ax.figure.colorbar(source, ax=ax, fraction=0.06, pad=0.03, aspect=18)
    bar.outline.set_visible(False)
    low, high = float(scale.vmin or 0), float(scale.vmax or 1)
    ticks = np.linspace(low, high, 5 if kind == "weights" else 3).tolist()
    bar.set_ticks(ticks, labels=[short(t) for t in ticks])
    bar.ax.tick_params(length=0, labelsize=8, colors=SOFT)


def _name(
    ax: Axes,
    shape: tuple[int, ...],
    rows: Sequence[str] | None,
    columns: Sequence[str] | None,
) -> None:
    for names, length, what in ((rows, shape[0], "rows"), (columns, shape[1], "columns")):
        if names is not None and len(names) != length:
            raise ValueError(f"{what} has {len(names)} names; give {length}")
    turn = 0 if columns is None or max(map(len, columns)) * shape[1] < 40 else 45
    steps = (max(1, shape[0] // 16), max(1, shape[1] // 16))
    side = list(rows or map(str, range(shape[0])))[:: steps[0]]
    foot = list(columns or map(str, range(shape[1])))[:: steps[1]]
    ax.set_yticks(np.arange(shape[0])[:: steps[0]], side, color=INK)
    ax.set_xticks(np.arange(shape[1])[:: steps[1]], foot, color=INK, rotation=turn, ha="right" if turn else "center")
