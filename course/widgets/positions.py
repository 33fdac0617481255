"""Every position's vector: the table, the waves in it, and the dot product of two positions by distance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import traitlets

from course.widgets.base import CourseWidget, Settings
from course.widgets.calls import Answer, ask, name_of, tensor_of
from course.widgets.compare import difference, same
from course.widgets.figures import Picture, heatmap, panels
from course.widgets.numbers import count, listed, number, short
from course.widgets.tensors import packed

LONGEST = WIDEST = 128
BASE = 10_000.0
# Float32 sines are good to 1e-7; a learner's own arithmetic may lose some of that.
TOLERANCE = 1e-3
STILL = 1e-7

Array = np.ndarray


class PositionExplorer(CourseWidget):
    """The table of positions that your function makes, its waves, and how alike two positions are.

    Args:
        encoding: your sinusoidal_encoding(max_len, d_model); the paper's formula if not given.
        max_len: number of positions, 2 to 128.
        d_model: number of features to begin with, even, 2 to 128.
        position: the position to begin with.
        pair: the pair of features to begin with: pair i is features 2i and 2i + 1.
    Raises:
        ValueError: sizes that cannot be drawn, or something that is no function.
    """

    entry = "positions.js"
    d_model = traitlets.Int(32).tag(sync=True)
    position = traitlets.Int(0, min=0).tag(sync=True)
    pair = traitlets.Int(0, min=0).tag(sync=True)

    def __init__(
        self,
        encoding: Callable[..., Any] | None = None,
        max_len: int = 64,
        d_model: int = 32,
        *,
        position: int = 10,
        pair: int = 3,
    ) -> None:
        if encoding is not None and not callable(encoding):
            raise ValueError(f"encoding is {encoding!r}; give your sinusoidal_encoding")
        self.encoding, self.max_len = encoding, _whole(max_len, "max_len", LONGEST)
        if _whole(d_model, "d_model", WIDEST) % 2:
            raise ValueError(f"d_model={d_model} is odd; sine and cosine come in pairs, so give an even number")
        start = {"position": min(position, max_len - 1), "pair": min(pair, d_model // 2 - 1)}
        super().__init__(d_model=d_model, **start)
        self._refresh()
        self.observe(self._refresh, ["d_model"])

    @property
    def recorded(self) -> Settings:
        """See `CourseWidget`."""
        return {"d_model": (2, 4, 8, 16, 32, 64)}

    def _refresh(self, _: Any = None) -> None:
        self.paper = paper_table(self.max_len, self.d_model)
        answer = Answer(self.paper) if self.encoding is None else self._learner(self.encoding)
        self.trouble = f"{answer.trouble} The paper's table is shown instead." if answer.trouble else ""
        self.yours = self.encoding is not None and not answer.trouble
        self.table = self.paper if answer.trouble else answer.value
        with np.errstate(all="ignore"):
            self.dots = self.table.astype(np.float64) @ self.table.T.astype(np.float64)
        self.data = self._data()

    def _learner(self, encoding: Callable[..., Any]) -> Answer:
        answer = ask(encoding, self.max_len, self.d_model)
        who = f"`{name_of(encoding)}({self.max_len}, {self.d_model})` returned"
        return answer if answer.trouble else tensor_of(answer.value, self.paper.shape, who)

    def turn(self, pair: int) -> float | None:
        """By which angle a pair of features turns from one position to the next, in radians; see `turn`."""
        return turn(self.table[:, 2 * pair], self.table[:, 2 * pair + 1])

    def wave(self, pair: int) -> str:
        """Say after how many positions a pair of features comes round."""
        return wave_text(pair, self.turn(pair), self.max_len)

    @property
    def place(self) -> int:
        """The chosen position, within the table."""
        return min(self.position, self.max_len - 1)

    @property
    def problems(self) -> list[str]:
        """Everything that is wrong and can be seen, in sentences."""
        if self.trouble:
            return [self.trouble]
        seen = [_nan_rows(self.table)] if not np.isfinite(self.table).all() else self._visible()
        return [line for line in seen if line] or self._compared()

    def _visible(self) -> list[str]:
        if alike := alike_rows(self.table):
            return [alike]
        return [self._range() or self._halves() or self._pairs(), by_place(self.dots)]

    def _halves(self) -> str:
        if self.d_model < 4 or not same(self.table, np.concatenate([self.paper[:, 0::2], self.paper[:, 1::2]], 1)):
            return ""
        return (
            "Yours holds all sines, then all cosines: another layout. In the paper they stand side by side, "
            "sine in feature 2i and cosine in feature 2i + 1."
        )

    def _pairs(self) -> str:
        bad = [f"({2 * i}, {2 * i + 1})" for i in range(self.d_model // 2) if self.turn(i) is None]
        if not bad:
            return ""
        no = "the sine and the cosine of one steady angle"
        many = f"{count(bad, 'pair of features is', 'pairs of features are')} not {no}: {listed(bad)}."
        return many if len(bad) < self.d_model // 2 else f"No pair of features (2i, 2i + 1) is {no}."

    def _range(self) -> str:
        low, high = float(self.table.min()), float(self.table.max())
        if max(-low, high) <= 1 + TOLERANCE:
            return ""
        return f"The numbers run from {number(low)} to {number(high)}: no sine or cosine leaves −1 to 1."

    def _compared(self) -> list[str]:
        if not self.yours or same(self.table, self.paper):
            return []
        return [self._other_wave() or self._other_number()]

    def _other_wave(self) -> str:
        for pair in range(self.d_model // 2):
            mine, theirs = self.turn(pair), BASE ** (-2 * pair / self.d_model)
            if mine is not None and abs(abs(mine) - theirs) > TOLERANCE * theirs:
                paper = short(2 * np.pi / theirs)
                return f"{wave_text(pair, mine, self.max_len)} In the paper: every {paper} positions."
        return ""

    def _other_number(self) -> str:
        names: dict[str, Any] = {
            "rows": [f"position {i}" for i in range(self.max_len)],
            "columns": [f"feature {i}" for i in range(self.d_model)],
        }
        said = difference(self.table, self.paper, what="number", owner="the paper's", **names)
        return f"Yours differs from the paper's table: {said}." if said else ""

    def _data(self) -> dict[str, Any]:
        low, high = band(self.dots)
        return {
            "maxLen": self.max_len,
            "dModel": self.d_model,
            "widest": max(64, self.d_model),
            "yours": self.yours,
            "given": self.encoding is not None,
            "table": packed(self.table),
            "dots": packed(self.dots),
            "low": packed(low),
            "high": packed(high),
            "waves": [self.wave(pair) for pair in range(self.d_model // 2)],
            "problems": self.problems,
        }

    @property
    def alt(self) -> str:
        """What is to be seen, in words."""
        last = self.d_model // 2 - 1
        waves = self.wave(0) if last == 0 else f"{self.wave(0)} {self.wave(last)}"
        place = self.place
        itself, near = (number(float(self.dots[place, other])) for other in (place, place - 1 if place else 1))
        return (
            f"The vectors of {self.max_len} positions with {self.d_model} features. {waves} Dot product of position "
            f"{place} with itself {itself}, with its neighbour {near}. "
            f"{' '.join(self.problems) or 'No problems.'}"
        )

    def plot(self) -> Picture:
        """The table, the waves of the chosen pair and the dot products of the chosen position, as a static figure."""
        picture, axes = panels(1, 3, size=(12.5, 4.2), alt=self.alt)
        heatmap(
            axes[0, 0],
            self.table,
            title="your table" if self.yours else "the paper's table",
            kind="signed",
            limit=1.0,
            row_axis="position",
            column_axis="feature",
        )
        self._waves(axes[0, 1])
        self._dots(axes[0, 2])
        return picture

    def _waves(self, ax: Any) -> None:
        pair = min(self.pair, self.d_model // 2 - 1)
        for feature, style in ((2 * pair, "-"), (2 * pair + 1, "--")):
            ax.plot(self.table[:, feature], style, label=f"feature {feature}")
        ax.axvline(self.place, color="#5b6675", linewidth=1)
        ax.set(title=f"features {2 * pair} and {2 * pair + 1}", xlabel="position", ylabel="value", ylim=(-1.1, 1.1))
        ax.legend(fontsize=8, loc="upper right")

    def _dots(self, ax: Any) -> None:
        distances = np.arange(1 - self.max_len, self.max_len)
        low, high = band(self.dots)
        ax.fill_between(distances, low, high, color="#d5dae1", linewidth=2, label="all positions")
        row = self.dots[self.place]
        ax.plot(np.arange(self.max_len) - self.place, row, label=f"position {self.place}")
        lowest = low[np.isfinite(low)].min(initial=0)
        ax.set_ylim(1.05 * float(lowest), None)
        ax.set(title=f"position {self.place} · each position", xlabel="distance", ylabel="dot product")
        ax.legend(fontsize=8, loc="upper right")


def paper_table(max_len: int, d_model: int) -> Array:
    """The table of Vaswani et al. 2017, section 3.5, (max_len, d_model), float32."""
    rates = BASE ** (-np.arange(0, d_model, 2) / d_model)
    angles = np.arange(max_len)[:, None] * rates
    return np.stack([np.sin(angles), np.cos(angles)], 2).reshape(max_len, d_model).astype(np.float32)


def turn(sines: Array, cosines: Array) -> float | None:
    """By which angle the point (cosine, sine) turns from one position to the next, measured from the values.

    Args:
        sines: (max_len,) numbers.
        cosines: as many.
    Returns:
        Radians for one position; None when the two are not the sine and cosine of an angle that grows steadily.
    """
    if not (np.isfinite(sines).all() and np.isfinite(cosines).all()):
        return None
    points = cosines.astype(np.float64) + 1j * sines.astype(np.float64)
    if np.abs(np.abs(points) - 1).max() > TOLERANCE:
        return None
    steps = np.angle(points[1:] * points[:-1].conj())
    mean = float(steps.mean())
    return mean if np.abs(steps - mean).max() < TOLERANCE else None


def wave_text(pair: int, angle: float | None, max_len: int) -> str:
    """Say after how many positions a pair of features comes round, given its angle for one position."""
    name = f"Features {2 * pair} and {2 * pair + 1}"
    if angle is None:
        return f"{name} are not the sine and the cosine of one steady angle."
    if abs(angle) < STILL:
        return f"{name} stand still over these {max_len} positions."
    length = 2 * np.pi / abs(angle)
    said = f"{name} come round every {short(length)} positions"
    if length <= max_len - 1:
        return f"{said}."
    return f"{said}: over these {max_len} they turn by {short(100 * (max_len - 1) / length)} % of a circle."


def alike_rows(table: Array) -> str:
    """Say which positions have the same vector ("" when all differ)."""
    gaps = np.abs(table[:, None] - table[None]).max(2)
    alike = np.argwhere(np.triu(gaps < STILL, 1))
    if len(alike) == len(table) * (len(table) - 1) // 2:
        return "All positions have the same vector: nothing tells them apart."
    pairs = [f"{i} and {j}" for i, j in alike]
    have = count(pairs, "pair of positions has", "pairs of positions have")
    return f"{have} the same vector: {listed(pairs)}." if pairs else ""


def band(dots: Array) -> tuple[Array, Array]:
    """The smallest and the largest dot product at each distance, from 1 - max_len to max_len - 1."""
    size = len(dots)
    by_distance = [np.diagonal(dots, distance) for distance in range(1 - size, size)]
    return np.array([d.min() for d in by_distance]), np.array([d.max() for d in by_distance])


def by_place(dots: Array) -> str:
    """Say where the dot product depends on the place and not on the distance alone ("" when it does nowhere)."""
    low, high = band(dots)
    gaps = high - low
    worst = int(gaps.argmax())
    if gaps[worst] <= TOLERANCE * max(float(np.abs(dots).max()), 1e-9):
        return ""
    apart = abs(worst - len(dots) + 1)
    ends = f"{number(float(low[worst]))} to {number(float(high[worst]))}"
    where = f"of positions {apart} apart" if apart else "of a position with itself"
    return f"The dot product {where} runs from {ends}: it depends on the place, not on the distance alone."


def _nan_rows(table: Array) -> str:
    rows = [str(i) for i in np.flatnonzero(~np.isfinite(table).all(1))]
    return f"{count(rows, 'position has', 'positions have')} NaN or infinite numbers: {listed(rows)}."


def _whole(size: Any, name: str, most: int) -> int:
    if not isinstance(size, int) or isinstance(size, bool) or not 2 <= size <= most:
        raise ValueError(f"{name}={size!r}; give a whole number from 2 to {most}")
    return size
