"""Attention one step at a time, computed by the learner's own functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
import traitlets
from torch import Tensor

from course.widgets.base import CourseWidget
from course.widgets.calls import Answer, ask, name_of, pair_of, tensor_of
from course.widgets.compare import difference
from course.widgets.figures import Picture, heatmap, panels
from course.widgets.numbers import number
from course.widgets.problems import weight_problems
from course.widgets.stand_ins import (
    attention_scores,
    scaled_dot_product_attention,
    stand_in_attention,
)
from course.widgets.tensors import first_batch, first_mask, heads, labels, packed

STAGES = ("raw", "scores", "masked", "weights", "output")
TITLES = ("1 · q·k", "2 · divided by √d", "3 · masked", "4 · softmax", "5 · times v")
VIEWS = ("mine", "stand-in", "difference")
WHAT = {"raw": "dot product", "scores": "score", "weights": "weight", "output": "output"}

Functions = tuple[Callable[..., Any] | None, Callable[..., Any] | None]


@dataclass
class Run:
    """What one pair of functions computes at each stage, (num_heads, rows, columns).

    None stands where a function gave nothing.
    """

    raw: np.ndarray
    scores: np.ndarray | None = None
    weights: np.ndarray | None = None
    output: np.ndarray | None = None
    troubles: list[str] = field(default_factory=list)

    def stage(self, name: str) -> np.ndarray | None:
        """The numbers of a stage; masking changes none, it only says which count."""
        return getattr(self, "scores" if name == "masked" else name)


class AttentionStepper(CourseWidget):
    """Scores, scale, mask, softmax, times v: one step at a time, with the arithmetic of every cell.

    Args:
        q: queries, (query_len, d_head) or with (batch, num_heads) in front; the first batch item is shown.
        k: keys, (..., key_len, d_head).
        v: values, (..., key_len, d_v).
        mask: boolean, True means "may look", broadcastable to the scores.
        tokens: names of the queries.
        key_tokens: names of the keys; the same as `tokens` when there are as many.
        features: names of the features of a value; v0, v1 and so on, if not given.
        mine: your (attention_scores, scaled_dot_product_attention); either may be None.
        stand_in: the pair to compare with; the course's own if not given.
        stage: the stage to begin with, 1 to 5.
    Raises:
        ValueError: shapes, dtypes or names that do not fit together.
    """

    entry = "stepper.js"
    stage = traitlets.Int(1, min=1, max=5).tag(sync=True)
    view = traitlets.Enum(VIEWS, "mine").tag(sync=True)
    head = traitlets.Int(0, min=0).tag(sync=True)

    def __init__(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Tensor | None = None,
        tokens: Sequence[str] | None = None,
        key_tokens: Sequence[str] | None = None,
        *,
        features: Sequence[str] | None = None,
        mine: Functions | None = None,
        stand_in: tuple[Callable[..., Any], Callable[..., Any]] | None = None,
        stage: int = 1,
    ) -> None:
        if stage not in range(1, 6):
            raise ValueError(f"stage={stage} is not one of the stages 1 to 5")
        self._take(q, k, v, mask)
        self.tokens = labels(tokens, q.shape[-2], "tokens")
        self.key_tokens = self._key_names(tokens, key_tokens, k.shape[-2])
        self.features = _feature_names(features, v.shape[-1])
        self.stand_in = self._compared_with(stand_in)
        self.mine = None if mine is None else self._compute(_pair(mine))
        self.limits = self._limits()
        view = "mine" if self.mine is not None else "stand-in"
        super().__init__(data=self._data(), stage=stage, view=view)

    def _take(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> None:
        self.q, self.k, self.v = (first_batch(x, name) for x, name in ((q, "q"), (k, "k"), (v, "v")))
        self._fits()
        self.shape = (*self.q.shape[:-1], self.k.shape[-2])
        self.mask = first_mask(mask, self.shape)
        self.allowed = None if self.mask is None else heads(torch.broadcast_to(self.mask, self.shape)) > 0

    def _fits(self) -> None:
        q, k, v = self.q, self.k, self.v
        if q.shape[-1] != k.shape[-1]:
            raise ValueError(f"q has {q.shape[-1]} features and k has {k.shape[-1]}; they must be the same")
        if k.shape[-2] != v.shape[-2]:
            raise ValueError(f"k has {k.shape[-2]} tokens and v has {v.shape[-2]}; they must agree")
        if not q.shape[:-2] == k.shape[:-2] == v.shape[:-2]:
            given = ", ".join(str(tuple(x.shape)) for x in (q, k, v))
            raise ValueError(f"q, k, v have shapes {given}; batch and heads must agree")

    def _key_names(self, tokens: Sequence[str] | None, keys: Sequence[str] | None, length: int) -> list[str]:
        if keys is None and tokens is not None and len(tokens) == length:
            return list(self.tokens)
        return labels(keys, length, "key_tokens")

    def _compared_with(self, given: Functions | None) -> Run:
        run = self._compute(given or stand_in_attention())
        if run.troubles and given:
            raise ValueError(f"stand_in does not work here: {run.troubles[0]}")
        own = (attention_scores, scaled_dot_product_attention)
        return self._compute(own) if run.troubles else run

    def _compute(self, functions: Functions) -> Run:
        scores, attention = functions
        run = Run(heads(self.q @ self.k.transpose(-2, -1)))
        run.scores = self._scores(scores, run)
        self._attend(attention, run)
        return run

    def _scores(self, function: Callable[..., Any] | None, run: Run) -> np.ndarray | None:
        if function is None:
            run.troubles.append("`attention_scores` was not given.")
            return None
        answer = ask(function, self.q, self.k)
        who = f"`{name_of(function)}` returned"
        return _kept((answer.trouble and answer) or tensor_of(answer.value, self.shape, who), run)

    def _attend(self, function: Callable[..., Any] | None, run: Run) -> None:
        if function is None:
            run.troubles.append("`scaled_dot_product_attention` was not given.")
            return
        answer = ask(function, self.q, self.k, self.v, self.mask)
        who = f"`{name_of(function)}` returned"
        pair = answer if answer.trouble else pair_of(answer.value, who)
        if pair.trouble:
            run.troubles.append(pair.trouble)
            return
        shape = (*self.shape[:-1], self.v.shape[-1])
        run.output = _kept(tensor_of(pair.value[0], shape, f"{who} an output of"), run)
        run.weights = _kept(tensor_of(pair.value[1], self.shape, f"{who} weights of"), run)

    def _limits(self) -> dict[str, float]:
        """One end of the scale for stages 1 to 3 and one for stage 5, so that steps can be compared."""
        runs = [run for run in (self.mine, self.stand_in) if run is not None]
        scores = [run.raw for run in runs] + [run.scores for run in runs]
        output = [run.output for run in runs] + [heads(self.v)]
        return {"scores": _largest(scores), "weights": 1.0, "output": _largest(output)}

    def limit(self, stage: str) -> float:
        """The end of the colour scale of a stage."""
        return self.limits["scores" if stage in ("raw", "masked") else stage]

    def _data(self) -> dict[str, Any]:
        return {
            "tokens": self.tokens,
            "keys": self.key_tokens,
            "features": self.features,
            "q": packed(heads(self.q)),
            "k": packed(heads(self.k)),
            "v": packed(heads(self.v)),
            "mask": packed(self.allowed),
            "mine": _packed_run(self.mine),
            "standIn": _packed_run(self.stand_in),
            "limits": self.limits,
            "troubles": self.troubles,
            "comparison": [self.comparison(head) for head in range(self.num_heads)],
        }

    @property
    def num_heads(self) -> int:
        """How many heads there are to choose from."""
        return self.stand_in.raw.shape[0]

    @property
    def troubles(self) -> list[str]:
        """Why a function of yours gave nothing, in words; the stand-in's numbers are shown in its place."""
        if self.mine is None:
            return []
        return [f"{t} The stand-in is shown instead." for t in self.mine.troubles]

    def comparison(self, head: int = 0) -> str:
        """Say at which stage yours first differs from the stand-in, and how ("" when it does not)."""
        for i, stage in enumerate(STAGES, 1):
            if stage != "masked" and (said := self._difference(stage, head)):
                return f"Yours first differs at stage {i}: {said}."
        return ""

    def _difference(self, stage: str, head: int) -> str:
        mine = self.mine.stage(stage) if self.mine else None
        theirs = self.stand_in.stage(stage)
        if mine is None or theirs is None:
            return ""
        columns = self.features if stage == "output" else self.key_tokens
        allowed = None if self.allowed is None else self.allowed[head]
        names: dict[str, Any] = {"rows": self.tokens, "columns": columns, "allowed": allowed}
        return difference(mine[head], theirs[head], what=WHAT[stage], owner="the stand-in's", **names)

    def shown(self, stage: str, head: int) -> np.ndarray:
        """The numbers of a stage: yours where there are any, else the stand-in's."""
        mine = self.mine.stage(stage) if self.mine is not None else None
        values = mine if mine is not None else self.stand_in.stage(stage)
        return (values if values is not None else np.full_like(self.stand_in.raw, np.nan))[head]

    def problems(self, head: int = 0) -> list[str]:
        """Everything that is wrong with one head, in sentences."""
        allowed = None if self.allowed is None else self.allowed[head]
        weights = weight_problems(self.shown("weights", head), allowed, self.tokens, self.key_tokens)
        comparison = self.comparison(head)
        return [*self.troubles, *([comparison] if comparison else []), *weights]

    @property
    def alt(self) -> str:
        """What is to be seen, in words."""
        weights = np.nan_to_num(self.shown("weights", self.head))
        best = [
            f"{token} reads {self.key_tokens[int(row.argmax())]} most ({number(float(row.max()))})"
            for token, row in zip(self.tokens, weights, strict=True)
        ]
        size = f"{len(self.tokens)} queries and {len(self.key_tokens)} keys"
        wrong = " ".join(self.problems(self.head)) or "No problems."
        return f"Attention in five steps for {size}. Weights: {'; '.join(best)}. {wrong}"

    def plot(self) -> Picture:
        """All five stages as a static figure, on the same scales as the widget."""
        width = 3.1 + 0.42 * max(0, len(self.key_tokens) - 5)
        height = 2.6 + 0.42 * max(0, len(self.tokens) - 5)
        picture, axes = panels(2, 3, size=(3 * width, 2 * height), alt=self.alt)
        spots = [axes[0, 0], axes[0, 1], axes[0, 2], axes[1, 0], axes[1, 1]]
        for stage, title, ax in zip(STAGES, TITLES, spots, strict=True):
            self._panel(ax, stage, title)
        self._words(axes[1, 2])
        return picture

    def _panel(self, ax: Any, stage: str, title: str) -> None:
        masked = self.allowed if stage in ("masked", "weights") else None
        heatmap(
            ax,
            self.shown(stage, self.head),
            rows=self.tokens,
            columns=self.features if stage == "output" else self.key_tokens,
            title=title,
            kind="weights" if stage == "weights" else "signed",
            mask=None if masked is None else masked[self.head],
            limit=self.limit(stage),
            column_axis="feature" if stage == "output" else "key (is read)",
        )

    def _words(self, ax: Any) -> None:
        ax.set_axis_off()
        said = self.problems(self.head) or ["No problems found."]
        text = "\n\n".join(_wrapped(line) for line in said)
        words = ax.text(0, 1, text, va="top", fontsize=9, transform=ax.transAxes, linespacing=1.5)
        words.set_in_layout(False)


def _feature_names(given: Sequence[str] | None, size: int) -> list[str]:
    return [f"v{i}" for i in range(size)] if given is None else labels(given, size, "features")


def _pair(mine: Any) -> Functions:
    pair = isinstance(mine, (tuple, list)) and len(mine) == 2
    if pair and all(function is None or callable(function) for function in mine):
        return mine[0], mine[1]
    raise ValueError(f"mine is {mine!r}; give the pair (attention_scores, scaled_dot_product_attention)")


def _kept(answer: Answer, run: Run) -> np.ndarray | None:
    if answer.trouble:
        run.troubles.append(answer.trouble)
        return None
    return heads(answer.value)


def _largest(arrays: list[np.ndarray | None]) -> float:
    finite = [np.abs(a[np.isfinite(a)]) for a in arrays if a is not None]
    top = max((float(a.max()) for a in finite if a.size), default=0.0)
    return top if top > 0 and math.isfinite(top) else 1.0


def _packed_run(run: Run | None) -> dict[str, Any] | None:
    if run is None:
        return None
    return {name: packed(run.stage(name)) for name in ("raw", "scores", "weights", "output")}


def _wrapped(text: str, width: int = 44) -> str:
    lines: list[str] = []
    line = ""
    for word in text.split():
        if len(line) + len(word) >= width:
            lines, line = [*lines, line], ""
        line = f"{line} {word}".strip()
    return "\n".join([*lines, line])
