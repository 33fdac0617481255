"""All training in the course goes through here: a bar that moves, a curve that grows, and a stop that loses nothing."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping

from IPython.display import DisplayHandle, display
from torch import Tensor
from tqdm.auto import tqdm

from course.giving_back import give_back
from course.widgets.base import graded
from course.widgets.figures import Picture, panels
from course.widgets.levels import draw_levels, plain_marks
from course.widgets.palette import PAPER
from course.widgets.running import centred

__all__ = ["at_most", "centred", "loss_curve", "quick", "smooth", "train"]

QUICK_STEPS = 3
STEPS_BETWEEN_GIVING_BACK = 10
SECONDS_BETWEEN_PICTURES = 2.0
"""Drawing takes a tenth of a second; this way it costs a twentieth of the time."""


def quick() -> bool:
    """Whether training is cut to three steps: nbgrader runs the notebook, or a test with COURSE_QUICK set."""
    return graded() or bool(os.environ.get("COURSE_QUICK"))


def at_most(count: int) -> int:
    """`count`; three at most when `quick()`: a rehearsal draws, writes and measures less, as it trains less."""
    return min(count, QUICK_STEPS) if quick() else count


def train(
    step: Callable[[int], float | Tensor],
    steps: int,
    *,
    label: str = "training",
    curve: bool = True,
    landmarks: Mapping[str, float] | None = None,
) -> list[float]:
    """Call `step(0)`, `step(1)`, ... with a progress bar and, if wanted, a loss curve that grows.

    The stop button of the notebook ends it early: what the model has learned so far stays in it.

    Args:
        step: one step of training; returns its loss.
        steps: how many; three at most when `quick()`.
        label: what the bar and the curve are called.
        curve: draw the loss while it falls, and once more at the end.
        landmarks: name → a loss worth comparing with, drawn as a line across.

    Returns:
        The losses, one for each step that was made.

    Raises:
        ValueError: if steps is below 1, or the loss is no number any more; says at which step.
    """
    if steps < 1:
        raise ValueError(f"steps={steps}; give 1 or more")
    losses: list[float] = []
    drawn = _Curve(label, landmarks or {}) if curve else None
    with tqdm(total=at_most(steps), desc=label, unit="step") as bar:
        try:
            while len(losses) < bar.total:
                losses.append(_finite(step(len(losses)), len(losses)))
                bar.set_postfix(loss=f"{losses[-1]:.3f}", refresh=False)
                bar.update()
                if len(losses) % STEPS_BETWEEN_GIVING_BACK == 0:
                    give_back()
                if drawn:
                    drawn.grow(losses)
        except KeyboardInterrupt:
            print(f"Stopped after {len(losses)} of {steps} steps. The model keeps what it has learned.")
    if drawn and losses:
        drawn.show(losses)
    return losses


def _finite(loss: float | Tensor, step: int) -> float:
    value = loss.item() if isinstance(loss, Tensor) else float(loss)
    if not math.isfinite(value):
        raise ValueError(f"the loss at step {step} is {value}; a smaller learning rate or a look at the masks may help")
    return value


class _Curve:
    """The loss curve, drawn again in its place every few seconds."""

    def __init__(self, label: str, landmarks: Mapping[str, float]) -> None:
        self.label = label
        self.landmarks = landmarks
        self.handle: DisplayHandle | None = None
        self.last = time.monotonic()

    def grow(self, losses: list[float]) -> None:
        """Draw, unless it was drawn a moment ago."""
        if time.monotonic() - self.last > SECONDS_BETWEEN_PICTURES:
            self.show(losses)

    def show(self, losses: list[float]) -> None:
        """Draw the losses so far."""
        picture = loss_curve({self.label: losses}, landmarks=self.landmarks)
        if self.handle is None:
            self.handle = display(picture, display_id=True)
        else:
            self.handle.update(picture)
        self.last = time.monotonic()


def loss_curve(losses: Mapping[str, list[float]], *, landmarks: Mapping[str, float] | None = None) -> Picture:
    """Losses over steps, on a logarithmic scale, each with the mean of the steps around it.

    Args:
        losses: name → losses, one for each step.
        landmarks: name → a loss worth comparing with, drawn as a line across.
    """
    last = ", ".join(f"{name} ends at {smooth(values)[-1]:.3g}" for name, values in losses.items())
    picture, axes = panels(size=(6.4, 2.8), alt=f"Loss by step: {last}.")
    ax = axes[0, 0]
    for name, values in losses.items():
        (line,) = ax.plot(centred(values), label=name)
        ax.plot(values, color=line.get_color(), alpha=0.4, linewidth=0.8)
    ax.set(xlabel="step", ylabel="loss", yscale="log")
    draw_levels(ax, landmarks or {})
    plain_marks(ax)
    if len(losses) > 1:
        ax.legend(frameon=True, facecolor=PAPER, edgecolor="none")
    return picture


def smooth(values: list[float], window: int = 20) -> list[float]:
    """The mean of every value and up to `window` - 1 before it."""
    found = []
    for end in range(1, len(values) + 1):
        part = values[max(0, end - window) : end]
        found.append(sum(part) / len(part))
    return found
