"""What the target reads in the source, one target token at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import traitlets
from torch import Tensor

from course.widgets.base import CourseWidget
from course.widgets.figures import KEY_AXIS, QUERY_AXIS, Picture, heatmap, panels
from course.widgets.numbers import SHOWN, in_cell, number
from course.widgets.palette import INK, SOFT
from course.widgets.problems import weight_problems
from course.widgets.tensors import labels, packed

LONGEST = 32
MEAN = -1
WANT = "(heads, tgt, src), (1, heads, tgt, src), or a list of one such tensor for each layer"
SUM_OF_NOTHING = 1e-9
# Below this a line is not drawn: its number is ~0.
FAINT = 0.005


class CrossAttentionStepper(CourseWidget):
    """Cross-attention token by token: which source tokens the current target token reads, and how strongly.

    Args:
        weights: (heads, tgt, src) or (1, heads, tgt, src), float, of one layer, or a list of one for each layer, as
            Decoder(..., return_weights=True) gives them. Of a larger batch the first item is shown.
        source: names of the source tokens; their positions if not given.
        target: names of the target tokens, one for each query; their positions if not given.
        step: the target token to begin with, counted from 0.
        layer: the layer to begin with; the last one if not given.
        head: the head to begin with; -1 is the mean of all heads.
    Raises:
        ValueError: shapes, dtypes or names that do not fit together.
    """

    entry = "alignment.js"
    step = traitlets.Int(0, min=0).tag(sync=True)
    layer = traitlets.Int(0, min=0).tag(sync=True)
    head = traitlets.Int(MEAN, min=MEAN).tag(sync=True)

    def __init__(
        self,
        weights: Tensor | Sequence[Tensor],
        source: Sequence[str] | None = None,
        target: Sequence[str] | None = None,
        *,
        step: int = 0,
        layer: int | None = None,
        head: int = MEAN,
    ) -> None:
        self.weights = stacked(weights)
        layers, heads, queries, keys = self.weights.shape
        self.source, self.target = labels(source, keys, "source"), labels(target, queries, "target")
        chosen = layers - 1 if layer is None else layer
        _within(step, "step", 0, queries - 1)
        _within(chosen, "layer", 0, layers - 1)
        _within(head, "head", MEAN, heads - 1)
        super().__init__(step=step, layer=chosen, head=head, data=self._data())

    def _data(self) -> dict[str, Any]:
        return {"source": self.source, "target": self.target, "weights": packed(self.weights), "wrong": self._wrong()}

    def _wrong(self) -> list[list[int]]:
        """Layer and number of every head with a problem: the one that is shown may hide it."""
        places = np.ndindex(*self.weights.shape[:2])
        return [list(place) for place in places if self._said(self.weights[place])]

    def _said(self, weights: np.ndarray) -> list[str]:
        places = np.argwhere(weights < 0)
        negative = [f"{self.target[i]} → {self.source[j]} {number(float(weights[i, j]))}" for i, j in places]
        below = [f"A weight is below 0: {negative[0]}."] if negative else []
        return [*weight_problems(weights, None, self.target, self.source), *below]

    def map(self) -> np.ndarray:
        """The weights of the chosen layer and head, (tgt, src)."""
        layers, heads = self.weights.shape[:2]
        chosen = self.weights[min(self.layer, layers - 1)]
        if self.head == MEAN:
            return chosen.mean(0, dtype=np.float64).astype(np.float32)
        return chosen[min(self.head, heads - 1)]

    @property
    def now(self) -> int:
        """The current target token, counted from 0."""
        return min(self.step, len(self.target) - 1)

    @property
    def problems(self) -> list[str]:
        """Everything that is wrong with the chosen weights, in sentences."""
        return self._said(self.map())

    def reads(self, step: int) -> str:
        """Say what one target token reads."""
        return reads_text(self.target[step], self.map()[step].tolist(), self.source)

    @property
    def alt(self) -> str:
        """What is to be seen, in words."""
        who = "mean of all heads" if self.head == MEAN else f"head {self.head}"
        rows = " ".join(self.reads(step) for step in range(len(self.target)))
        size = f"{len(self.target)} target tokens and {len(self.source)} source tokens"
        wrong = " ".join(self.problems) or "No problems."
        return f"Cross-attention of {size}, layer {self.layer}, {who}. {rows.replace('`', '')} {wrong}"

    def plot(self) -> Picture:
        """What the current target token reads, and the whole matrix, as a static figure."""
        wide, tall = max(4.2, 0.5 * len(self.source) + 1.6), max(3.0, 0.42 * len(self.target) + 1.2)
        picture, axes = panels(1, 2, size=(2 * wide, tall), alt=self.alt)
        self._links(axes[0, 0])
        names: dict[str, Any] = {"rows": self.target, "columns": self.source}
        heatmap(axes[0, 1], self.map(), title="all target tokens", row_axis=QUERY_AXIS, column_axis=KEY_AXIS, **names)
        return picture

    def _links(self, ax: Any) -> None:
        row = np.nan_to_num(self.map()[self.now])
        middle = (len(self.source) - 1) / 2
        turn = 45 if max(map(len, self.source)) * len(self.source) > 34 else 0
        for i, weight in enumerate(row.tolist()):
            if weight >= FAINT:
                ax.plot([middle, i], [0, 1], color="#2b66ad", linewidth=9 * min(weight, 1), alpha=_opacity(weight))
            ax.text(i, 1.03, in_cell(weight), ha="center", fontsize=8, color=SOFT)
            ax.text(i, 1.13, self.source[i], ha="left" if turn else "center", rotation=turn, color=INK)
        ax.text(middle, -0.04, self.target[self.now], ha="center", va="top", fontweight="bold", color=INK)
        ax.set(xlim=(-0.6, len(self.source) - 0.4), ylim=(-0.2, 1.4 if turn else 1.25))
        ax.set_title(f"what “{self.target[self.now]}” reads")
        ax.set_axis_off()


def reads_text(name: str, row: Sequence[float], source: Sequence[str]) -> str:
    """Say what one target token reads. `alignment.js` says the same.

    Args:
        name: the target token.
        row: one weight for each source token.
        source: their names.
    Returns:
        One sentence, such as "`zwanzig` reads `twenty` 0.93, `one` 0.05; the other 3 together 0.02."
    """
    if any(x != x for x in row):
        return f"`{name}` reads NaN."
    order = sorted(range(len(row)), key=lambda i: -row[i])
    first = [i for i in order[:SHOWN] if row[i] >= 0.01]
    if not first:
        return f"`{name}` reads nothing." if sum(row) < SUM_OF_NOTHING else f"`{name}` reads no token by 0.01 or more."
    said = ", ".join(f"`{source[i]}` {number(row[i])}" for i in first)
    rest = [row[i] for i in order[len(first) :]]
    others = f"; the other {len(rest)} together {number(sum(rest))}" if len(rest) > 1 else ""
    last = f", `{source[order[-1]]}` {number(rest[0])}" if len(rest) == 1 else ""
    return f"`{name}` reads {said}{last}{others}."


def _opacity(weight: float) -> float:
    return 0.25 + 0.75 * min(weight, 1.0)


def stacked(weights: Any) -> np.ndarray:
    """All layers as one array, (layers, heads, tgt, src), float32."""
    several = isinstance(weights, (list, tuple))
    if several and len(weights) == 2 and any(isinstance(part, (list, tuple)) for part in weights):
        raise ValueError("weights is a pair of lists; give the second of them, the weights of the cross-attention")
    layers = [_layer(w) for w in (weights if several else [weights])]
    shapes = sorted({tuple(layer.shape) for layer in layers})
    if len(shapes) != 1:
        given = " and ".join(map(str, shapes)) if shapes else "no layer"
        raise ValueError(f"weights has layers of {given}; give tensors of one shape, one for each layer")
    return np.ascontiguousarray(torch.stack(layers).numpy(), "<f4")


def _layer(weights: Any) -> Tensor:
    if not isinstance(weights, Tensor) or not weights.is_floating_point():
        given = f"a tensor of {weights.dtype}" if isinstance(weights, Tensor) else f"a {type(weights).__name__}"
        raise ValueError(f"weights is {given}; give a float tensor {WANT}")
    if weights.dim() not in (3, 4) or 0 in weights.shape:
        raise ValueError(f"weights has shape {tuple(weights.shape)}; give {WANT}")
    if max(weights.shape[-2:]) > LONGEST:
        raise ValueError(f"weights has shape {tuple(weights.shape)}; at most {LONGEST} tokens can be drawn")
    layer = weights.detach().cpu().to(torch.float32)
    return layer[0] if layer.dim() == 4 else layer


def _within(value: Any, name: str, least: int, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"{name}={value!r}; give a whole number from {least} to {most}")
