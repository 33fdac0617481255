"""Which numbers share a mean? LayerNorm, BatchNorm and RMSNorm on the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
import traitlets
from torch import Tensor, nn

from course.widgets.base import CourseWidget, Settings
from course.widgets.calls import Answer, ask, name_of, tensor_of
from course.widgets.compare import difference
from course.widgets.figures import Picture, heatmap, panels, scale_end
from course.widgets.numbers import number
from course.widgets.tensors import LARGEST, first_batch, labels, packed

USES = {
    "LayerNorm": "mean and variance of one token's features",
    "BatchNorm": "mean and variance of one feature over all tokens",
    "RMSNorm": "mean square of one token's features, no mean",
}
KINDS = tuple(USES)
# Where the axis of a histogram ends, if the numbers let it.
REACH = 2.5
BINS = 31


class NormExplorer(CourseWidget):
    """Numbers before and after a normalization, and the group that each of them shares a mean with.

    Args:
        x: (tokens, features) or (batch, tokens, features), float; batch items stand below each other.
        mine: your LayerNorm class (d_model, eps), a layer made from it, or your normalize(x, eps).
        tokens: names of the tokens.
        features: names of the features.
        kind: "LayerNorm", "BatchNorm" or "RMSNorm" to begin with.
        eps: what is added to the variance to begin with.
    Raises:
        ValueError: shapes, dtypes or names that do not fit together.
    """

    entry = "norms.js"
    kind = traitlets.Enum(KINDS, "LayerNorm").tag(sync=True)
    eps = traitlets.Float(1e-5, min=0.0).tag(sync=True)
    weight = traitlets.List(traitlets.Float()).tag(sync=True)
    bias = traitlets.List(traitlets.Float()).tag(sync=True)

    def __init__(
        self,
        x: Tensor,
        mine: Any = None,
        *,
        tokens: Sequence[str] | None = None,
        features: Sequence[str] | None = None,
        kind: str = "LayerNorm",
        eps: float = 1e-5,
    ) -> None:
        if kind not in KINDS:
            raise ValueError(f"kind={kind!r} is not one of {', '.join(KINDS)}")
        if mine is not None and not callable(mine):
            raise ValueError(f"mine is {mine!r}; give a LayerNorm class or a normalize function")
        self.x, self.mine = _table(x), mine
        names = labels(tokens, self.x.shape[1], "tokens")
        self.features = labels(features, self.x.shape[2], "features")
        self.rows = _rows(names, self.x.shape[0])
        self.reach = _reach(self.x)
        size = self.x.shape[2]
        super().__init__(kind=kind, eps=eps, weight=[1.0] * size, bias=[0.0] * size)
        self._refresh()
        self.observe(self._refresh, ["kind", "eps", "weight", "bias"])

    @property
    def recorded(self) -> Settings:
        """See `CourseWidget`."""
        eps = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0, 100.0)
        return {"kind": KINDS, "eps": eps, "weight": (), "bias": ()}

    def _refresh(self, _: Any = None) -> None:
        self.trouble = ""
        expected = _normalized(self.x, self.kind, self.eps, *self._affine())
        answer = self._learner() if self.mine is not None and self.kind == "LayerNorm" else None
        self.yours = answer is not None and not answer.trouble
        self.after, self.comparison = expected, ""
        if answer is not None and answer.trouble:
            self.trouble = f"{answer.trouble} PyTorch's is shown instead."
        elif answer is not None:
            self.after = answer.value
            self.comparison = self._compared(expected)
        self.data = self._data()

    def _learner(self) -> Answer:
        if isinstance(self.mine, type):
            return self._class(self.mine)
        if isinstance(self.mine, nn.Module):
            return self._class(type(self.mine))
        answer = ask(self.mine, self.x, float(self.eps))
        who = f"`{name_of(self.mine)}` returned"
        taken = answer if answer.trouble else tensor_of(answer.value, tuple(self.x.shape), who)
        if taken.trouble:
            return taken
        weight, bias = self._affine()
        return Answer(_flat(taken.value * weight.numpy() + bias.numpy()))

    def _class(self, layer_class: type) -> Answer:
        made = ask(self._filled, layer_class)
        answer = made if made.trouble else ask(made.value, self.x)
        if answer.trouble:
            name = name_of(layer_class)
            return Answer(trouble=_about(name, answer.trouble))
        taken = tensor_of(answer.value, tuple(self.x.shape), f"`{name_of(layer_class)}` returned")
        return taken if taken.trouble else Answer(_flat(taken.value))

    def _filled(self, layer_class: type) -> nn.Module:
        """A layer of the learner's class with the weight and bias of the sliders."""
        layer = layer_class(self.x.shape[-1], eps=float(self.eps))
        for name, value in zip(("weight", "bias"), self._affine(), strict=True):
            parameter = getattr(layer, name, None)
            if isinstance(parameter, Tensor) and parameter.shape == value.shape:
                parameter.copy_(value)
        return layer.eval()

    def _affine(self) -> tuple[Tensor, Tensor]:
        return torch.tensor(self.weight), torch.tensor(self.bias)

    def _compared(self, expected: np.ndarray) -> str:
        said = difference(self.after, expected, what="number", owner="PyTorch's", rows=self.rows, columns=self.features)
        return f"Yours differs from PyTorch's: {said}." if said else ""

    @property
    def problems(self) -> list[str]:
        """Everything that is wrong, in sentences."""
        nan = [self.rows[i] for i in np.flatnonzero(np.isnan(self.after).any(1))]
        said = [self.trouble, self.comparison, f"NaN in: {', '.join(nan)}." if nan else ""]
        return [line for line in said if line]

    @property
    def limit(self) -> float:
        """The end of the one colour scale for the numbers after."""
        return max(2.0, scale_end(self.after, "signed"))

    @property
    def ends(self) -> dict[str, float]:
        """Where the axes of the histograms end, on both sides of 0.

        They stand still while eps moves, or nobody would see what it does; only numbers beyond an end widen an axis.
        """
        return {"before": axis_end(self.x.numpy()), "after": max(self.reach, axis_end(self.after))}

    def _data(self) -> dict[str, Any]:
        before = self.x.reshape(-1, self.x.shape[-1]).numpy()
        return {
            "rows": self.rows,
            "features": self.features,
            "uses": USES,
            "kind": self.kind,
            "eps": self.eps,
            "yours": self.yours,
            "batched": self.x.shape[0] > 1,
            "before": packed(before),
            "after": packed(self.after),
            "limits": {"before": scale_end(before, "signed"), "after": self.limit},
            "ends": self.ends,
            "reach": self.reach,
            "problems": self.problems,
        }

    @property
    def alt(self) -> str:
        """What is to be seen, in words."""
        shape = f"{len(self.rows)} rows and {len(self.features)} features"
        who = "your LayerNorm" if self.yours else f"PyTorch's {self.kind}"
        low, high = (number(float(f(self.after))) for f in (np.nanmin, np.nanmax))
        return (
            f"A table of {shape} before and after {who} ({USES[self.kind]}). "
            f"After, the numbers run from {low} to {high}. {' '.join(self.problems) or 'No problems.'}"
        )

    def plot(self) -> Picture:
        """The numbers before and after, and their histograms, as a static figure."""
        wide = 3.0 + 0.35 * max(0, len(self.features) - 4)
        tall = 2.7 + 0.3 * max(0, len(self.rows) - 4)
        picture, axes = panels(1, 3, size=(3 * wide, tall), alt=self.alt)
        before = self.x.reshape(-1, self.x.shape[-1]).numpy()
        who = "yours" if self.yours else "PyTorch"
        self._panel(axes[0, 0], before, "before", scale_end(before, "signed"))
        self._panel(axes[0, 1], self.after, f"after {self.kind} ({who})", self.limit)
        _histogram(axes[0, 2], before, self.after, max(self.ends.values()))
        return picture

    def _panel(self, ax: Any, values: np.ndarray, title: str, limit: float) -> None:
        heatmap(
            ax,
            values,
            rows=self.rows,
            columns=self.features,
            title=title,
            kind="signed",
            limit=limit,
            row_axis="item · token" if self.x.shape[0] > 1 else "token",
            column_axis="feature",
        )


def axis_end(values: np.ndarray) -> float:
    """Where the axis of a histogram ends: 2.5, or the first of 5, 10, 20, 50, ... that reaches all numbers."""
    most = scale_end(values, "signed")
    if most <= REACH:
        return REACH
    ends = (digit * 10.0**power for power in count() for digit in (5, 10, 20))
    return next(end for end in ends if end >= most)


def _reach(x: Tensor) -> float:
    """Where an axis ends that all kinds fit on, as long as weight and bias are at rest."""
    size = x.shape[-1]
    return max(axis_end(_normalized(x, kind, 1e-5, torch.ones(size), torch.zeros(size))) for kind in KINDS)


def _normalized(x: Tensor, kind: str, eps: float, weight: Tensor, bias: Tensor) -> np.ndarray:
    """PyTorch's numbers, or for BatchNorm those that its layer computes in training."""
    size = (x.shape[-1],)
    if kind == "LayerNorm":
        return _flat(F.layer_norm(x, size, weight, bias, eps).numpy())
    if kind == "RMSNorm":
        return _flat(F.rms_norm(x, size, weight, eps).numpy())
    rows = x.reshape(-1, *size)
    mean, variance = rows.mean(0), rows.var(0, correction=0)
    return ((rows - mean) / (variance + eps).sqrt() * weight + bias).numpy()


def _table(x: Tensor) -> Tensor:
    if isinstance(x, Tensor) and x.dim() == 3 and x.is_floating_point():
        table = x.detach().cpu().to(torch.float32)
    else:
        table = first_batch(x, "x")
        if table.dim() != 2:
            raise ValueError(f"x has shape {tuple(x.shape)}; give (tokens, features) or (batch, tokens, features)")
        table = table[None]
    if 0 in table.shape or max(table.shape[0] * table.shape[1], table.shape[2]) > LARGEST:
        raise ValueError(f"x has shape {tuple(x.shape)}; give 1 to {LARGEST} rows and features")
    return table


def _rows(tokens: Sequence[str], batch: int) -> list[str]:
    if batch == 1:
        return list(tokens)
    return [f"{chr(ord('A') + i % 26)} · {token}" for i in range(batch) for token in tokens]


def _about(name: str, trouble: str) -> str:
    """Name the learner's class where our own helper, or a layer without a name, was called."""
    return trouble.replace("`_filled`", f"`{name}`").replace("`your function`", f"`{name}`")


def _flat(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values.reshape(-1, values.shape[-1]))


def _histogram(ax: Any, before: np.ndarray, after: np.ndarray, end: float) -> None:
    bins = np.linspace(-end, end, BINS + 1)
    ax.hist(before.ravel(), bins, color="#9aa5b1", label="before")
    ax.hist(after.ravel(), bins, color="#2b66ad", alpha=0.8, label="after")
    ax.set(title="how the numbers spread", xlabel="value", ylabel="how many", xlim=(-end, end))
    ax.legend(fontsize=8)
