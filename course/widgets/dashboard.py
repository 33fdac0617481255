"""A training to scrub through: its curves with landmarks, and what the model predicts and reads at every checkpoint."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import traitlets

from course.widgets.alignment import MEAN, stacked
from course.widgets.base import CourseWidget
from course.widgets.figures import KEY_AXIS, QUERY_AXIS, Picture, heatmap, panels
from course.widgets.levels import draw_levels, plain_marks
from course.widgets.numbers import number
from course.widgets.palette import SOFT
from course.widgets.problems import weight_problems
from course.widgets.running import centred
from course.widgets.tensors import labels, packed

WANT = '{"predicted": [...], "probability": [...], "weights": tensor}'
MOST = 200


class TrainingDashboard(CourseWidget):
    """A training from its first step to its last; a slider goes from checkpoint to checkpoint.

    Args:
        log: {"loss": [...]}, one number for each step, and if wanted other curves of as many numbers, such as
            "learning rate" and "gradient norm".
        checkpoints: steps made → what the model did then with one example: {"predicted": the likeliest token at every
            place of the target, "probability": that of the right token, "weights": the cross-attention, as
            CrossAttentionStepper takes it}.
        source: names of the source tokens; their positions if not given.
        target: names of the target tokens, which are the right ones; their positions if not given.
        landmarks: name → a loss worth comparing with.
        checkpoint: the number of the checkpoint to begin with, counted from 0; the last one if not given.
    Raises:
        ValueError: numbers, shapes or names that do not fit together.
    """

    entry = "dashboard.js"
    checkpoint = traitlets.Int(0, min=0).tag(sync=True)
    layer = traitlets.Int(0, min=0).tag(sync=True)
    head = traitlets.Int(MEAN, min=MEAN).tag(sync=True)

    def __init__(
        self,
        log: Mapping[str, Sequence[float]],
        checkpoints: Mapping[int, Mapping[str, Any]],
        source: Sequence[str] | None = None,
        target: Sequence[str] | None = None,
        *,
        landmarks: Mapping[str, float] | None = None,
        checkpoint: int | None = None,
    ) -> None:
        self.curves = _curves(log)
        self.steps = _steps(checkpoints, len(self.curves["loss"]))
        looks = [checkpoints[step] for step in self.steps]
        self.weights = _weights(looks, self.steps)
        layers, _, queries, keys = self.weights.shape[1:]
        self.source, self.target = labels(source, keys, "source"), labels(target, queries, "target")
        self.predicted = [labels(look["predicted"], queries, "predicted") for look in looks]
        self.probability = np.stack([_probability(look["probability"], queries) for look in looks])
        self.landmarks = {name: float(value) for name, value in (landmarks or {}).items()}
        chosen = len(self.steps) - 1 if checkpoint is None else checkpoint
        if not isinstance(chosen, int) or not 0 <= chosen < len(self.steps):
            raise ValueError(f"checkpoint={chosen!r}; give a whole number from 0 to {len(self.steps) - 1}")
        super().__init__(checkpoint=chosen, layer=layers - 1, data=self._data())

    def _data(self) -> dict[str, Any]:
        return {
            "names": list(self.curves),
            "curves": packed(np.stack([*self.curves.values(), centred(self.curves["loss"])])),
            "steps": self.steps,
            "source": [_visible(name) for name in self.source],
            "target": [_visible(name) for name in self.target],
            "predicted": [[_visible(name) for name in row] for row in self.predicted],
            "right": [self.right(i) for i in range(len(self.steps))],
            "probability": packed(self.probability),
            "weights": packed(self.weights),
            "landmarks": [[name, value] for name, value in self.landmarks.items()],
        }

    @property
    def now(self) -> int:
        """The number of the chosen checkpoint."""
        return min(self.checkpoint, len(self.steps) - 1)

    def right(self, checkpoint: int) -> int:
        """At how many places a checkpoint's likeliest token is the right one."""
        return sum(one == other for one, other in zip(self.predicted[checkpoint], self.target, strict=True))

    def map(self) -> np.ndarray:
        """The weights of the chosen checkpoint, layer and head, (tgt, src)."""
        layers, heads = self.weights.shape[1:3]
        chosen = self.weights[self.now, min(self.layer, layers - 1)]
        return chosen.mean(0) if self.head == MEAN else chosen[min(self.head, heads - 1)]

    @property
    def problems(self) -> list[str]:
        """What is wrong with the chosen weights, in sentences."""
        return weight_problems(self.map(), None, self.target, self.source)

    def said(self, checkpoint: int) -> str:
        """Say where the training stood at a checkpoint."""
        step = self.steps[checkpoint]
        loss = float(centred(self.curves["loss"])[step - 1])
        return said_text(step, loss, list(self.landmarks.items()), self.right(checkpoint), len(self.target))

    @property
    def alt(self) -> str:
        """What is to be seen, in words."""
        others = [f"{name} {number(self._at(name))}" for name in self.curves if name != "loss"]
        written = " ".join(_visible(name) for name in self.predicted[self.now])
        told = [f"A training of {len(self.curves['loss'])} steps.", self.said(self.now), f"It predicts: {written}."]
        return " ".join([*told, *([f"At this step: {', '.join(others)}."] if others else []), *self.problems])

    def _at(self, name: str) -> float:
        return float(self.curves[name][self.steps[self.now] - 1])

    def plot(self) -> Picture:
        """The loss with its landmarks, and what is read at the chosen checkpoint, as a static figure."""
        tall = max(3.2, 0.34 * len(self.target) + 1.2)
        picture, axes = panels(1, 2, size=(10, tall), alt=self.alt)
        self._draw_loss(axes[0, 0])
        rows = [
            f"{_visible(asked)}: {_visible(p)}" for asked, p in zip(self.target, self.predicted[self.now], strict=True)
        ]
        title = f"after {_counted(self.steps[self.now])}, asked: predicted"
        columns = [_visible(name) for name in self.source]
        names: dict[str, Any] = {"row_axis": QUERY_AXIS, "column_axis": KEY_AXIS}
        heatmap(axes[0, 1], self.map(), title=title, rows=rows, columns=columns, **names)
        return picture

    def _draw_loss(self, ax: Any) -> None:
        steps = range(1, len(self.curves["loss"]) + 1)
        ax.plot(steps, self.curves["loss"], alpha=0.25, linewidth=0.8)
        ax.plot(steps, centred(self.curves["loss"]), color="#2b66ad")
        ax.axvline(self.steps[self.now], color=SOFT, linewidth=1)
        ax.set(yscale="log", xlabel="steps", ylabel="loss", title="loss")
        draw_levels(ax, {f"{name} {number(value)}": value for name, value in self.landmarks.items()}, size=7)
        plain_marks(ax)


def said_text(step: int, loss: float, landmarks: Sequence[tuple[str, float]], right: int, places: int) -> str:
    """Say where a training stands. `dashboard.js` says the same.

    Args:
        step: how many steps have been made.
        loss: the loss there.
        landmarks: names and losses worth comparing with.
        right: at how many places the likeliest token is the right one.
        places: how many there are.
    Returns:
        Such as "After 200 steps: loss 0.74, below `by the sign before` (2.41); 12 of 16 places right."
    """
    under = [("below", *found) for found in sorted((value, name) for name, value in landmarks if value >= loss)[:1]]
    over = [("above", *found) for found in sorted((value, name) for name, value in landmarks if value < loss)[-1:]]
    stands = " and ".join(f"{word} `{name}` ({number(value)})" for word, value, name in [*under, *over])
    told = f"{number(loss)}, {stands}" if stands else number(loss)
    return f"After {_counted(step)}: loss {told}; {right} of {places} places right."


def _counted(steps: int) -> str:
    return "1 step" if steps == 1 else f"{steps} steps"


def _visible(name: str) -> str:
    return name.replace(" ", "␣")


def _curves(log: Any) -> dict[str, np.ndarray]:
    """Loss first; of the others as many numbers as there are losses: who stops a training may have one more."""
    if not isinstance(log, Mapping) or "loss" not in log or not len(log["loss"]):
        raise ValueError('log has no losses; give {"loss": [...]}, one number for each step')
    length = len(log["loss"])
    short = [name for name, values in log.items() if len(values) < length]
    if short:
        raise ValueError(f"log has {len(log[short[0]])} numbers for {short[0]!r} and {length} losses; give as many")
    ordered = ["loss", *(name for name in log if name != "loss")]
    return {name: np.array([float(x) for x in log[name]][:length], np.float32) for name in ordered}


def _steps(checkpoints: Any, most: int) -> list[int]:
    if not isinstance(checkpoints, Mapping) or not checkpoints:
        raise ValueError("there are no checkpoints; give at least one, as {steps made: what the model did}")
    wrong = [step for step in checkpoints if not isinstance(step, int) or not 1 <= step <= most]
    if wrong:
        raise ValueError(
            f"a checkpoint after {wrong[0]!r} steps; give whole numbers from 1 to {most}, as there are losses"
        )
    if len(checkpoints) > MOST:
        raise ValueError(f"{len(checkpoints)} checkpoints; at most {MOST} can be shown")
    return sorted(checkpoints)


def _weights(looks: list[Any], steps: list[int]) -> np.ndarray:
    """(checkpoints, layers, heads, tgt, src)."""
    for look, step in zip(looks, steps, strict=True):
        if not isinstance(look, Mapping) or {"predicted", "probability", "weights"} - set(look):
            raise ValueError(f"the checkpoint after {step} steps is {type(look).__name__}; give {WANT}")
    arrays = [stacked(look["weights"]) for look in looks]
    shapes = sorted({array.shape for array in arrays})
    if len(shapes) > 1:
        raise ValueError(f"weights has shapes {shapes[0]} and {shapes[1]}; all checkpoints look at one example")
    return np.stack(arrays)


def _probability(values: Any, places: int) -> np.ndarray:
    found = np.array([float(x) for x in values], np.float32)
    if len(found) != places or not all(math.isnan(x) or 0 <= x <= 1 + 1e-6 for x in found.tolist()):
        raise ValueError(f"probability has {len(found)} numbers; give {places}, each from 0 to 1")
    return found
