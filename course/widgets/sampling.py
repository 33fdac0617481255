"""What temperature, top-k and top-p leave of a distribution, over the whole vocabulary."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
import traitlets
from torch import Tensor

from course.widgets.base import CourseWidget, Settings
from course.widgets.calls import ask, name_of, tensor_of
from course.widgets.compare import same
from course.widgets.figures import Picture, panels
from course.widgets.numbers import number
from course.widgets.tensors import labels, packed

COLDEST, HOTTEST = 0.1, 5.0
DRAWS = 20
FLOOR = 1e-9
"""The end of the axis: what is less probable is not drawn, but counted."""

Probs = Callable[..., Any]


class SamplingLab(CourseWidget):
    """The distribution of the next token while you turn the knobs, by your own function.

    Args:
        next_token_probs: your next_token_probs(logits, temperature, top_k, top_p); the stand-in if not given.
        logits: (vocab_size,) scores before the softmax, of the whole vocabulary.
        tokens: their names; their ids if not given.
        temperature: to begin with, 0.1 to 5.
        top_k: to begin with; None for all.
        top_p: to begin with; None for all.
    Raises:
        ValueError: something out of range, or logits of another shape.
    """

    entry = "sampling.js"
    temperature = traitlets.Float(1.0, min=COLDEST, max=HOTTEST).tag(sync=True)
    top_k = traitlets.Int(0, min=0).tag(sync=True)  # 0: all
    top_p = traitlets.Float(1.0, min=0.01, max=1.0).tag(sync=True)  # 1: all
    seed = traitlets.Int(0, min=0).tag(sync=True)

    def __init__(
        self,
        next_token_probs: Probs | None,
        logits: Tensor,
        tokens: Sequence[str] | None = None,
        *,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
    ) -> None:
        if next_token_probs is not None and not callable(next_token_probs):
            raise ValueError(f"next_token_probs is {next_token_probs!r}; give your function")
        self.given = next_token_probs
        self.logits = _scores(logits)
        self.size = len(self.logits)
        self.tokens = labels(tokens, self.size, "tokens")
        _within("temperature", temperature, COLDEST, HOTTEST)
        _within("top_k", top_k, 1, self.size)
        _within("top_p", top_p, 0.01, 1)
        super().__init__(temperature=float(temperature), top_k=top_k or 0, top_p=float(top_p or 1))
        self.order = self.logits.argsort(descending=True, stable=True)
        self._refresh()
        self.observe(self._refresh, ["temperature", "top_k", "top_p", "seed"])

    @property
    def recorded(self) -> Settings:
        """See `CourseWidget`."""
        warmth = (COLDEST, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, HOTTEST)
        counts = [one for one in (0, 1, 2, 3, 5, 10, 20) if one <= self.size]
        shares = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)
        return {"temperature": warmth, "top_k": counts, "top_p": shares, "seed": (0, 1)}

    def _refresh(self, _: Any = None) -> None:
        self.trouble = ""
        plain = self.logits.softmax(0).numpy()
        expected = _stand_in()(self.logits, *self._knobs()).numpy()
        self.probs, self.yours = self._asked(expected)
        self.plain, self.expected = plain, expected
        self.rounded = (self.probs == 0) & (expected == 0) & self._allowed()
        self.drawn = self._draw()
        self.data = self._data()

    def _knobs(self) -> tuple[float, int | None, float | None]:
        """The settings as the function wants them: None for a knob that is turned off."""
        return self.temperature, self.top_k or None, None if self.top_p >= 1 else self.top_p

    def _allowed(self) -> np.ndarray:
        """Which tokens top_k and top_p leave, however improbable they are."""
        temperature, top_k, top_p = self._knobs()
        left = torch.arange(self.size) < (top_k or self.size)
        if top_p is not None:
            scores = (self.logits[self.order].double() / temperature).masked_fill(~left, -torch.inf)
            probs = scores.softmax(0)
            left &= probs.cumsum(0) - probs < top_p
        return torch.zeros(self.size, dtype=torch.bool).scatter(0, self.order, left).numpy()

    def _asked(self, expected: np.ndarray) -> tuple[np.ndarray, bool]:
        """What the learner's function gives, and whether it does."""
        if self.given is None:
            return expected, False
        name = name_of(self.given, "next_token_probs")
        answer = ask(self.given, self.logits, *self._knobs(), name=name)
        if not answer.trouble:
            answer = tensor_of(answer.value, (self.size,), f"`{name}` returned")
        if answer.trouble:
            self.trouble = f"{answer.trouble} The stand-in is used instead."
            return expected, False
        return answer.value, True

    def _draw(self) -> list[str]:
        """Some tokens drawn from the distribution; none where it is no distribution."""
        if not np.isfinite(self.probs).all() or (self.probs < 0).any() or self.probs.sum() <= 0:
            return []
        source = torch.Generator().manual_seed(self.seed)
        ids = torch.multinomial(torch.from_numpy(self.probs), DRAWS, replacement=True, generator=source)
        return [self.tokens[one] for one in ids.tolist()]

    # ---- words ----

    @property
    def problems(self) -> list[str]:
        """Everything that is wrong, in sentences."""
        found = [self.trouble] if self.trouble else []
        if np.isnan(self.probs).any():
            found.append(f"{int(np.isnan(self.probs).sum())} of {self.size} probabilities are NaN.")
        elif (self.probs < 0).any():
            found.append(f"{int((self.probs < 0).sum())} of {self.size} probabilities are below 0.")
        elif abs(float(self.probs.sum()) - 1) > 1e-3:
            found.append(f"The probabilities sum to {number(float(self.probs.sum()))}, not to 1.")
        if self.yours and not same(self.probs, self.expected):
            gap = np.abs(self.probs - self.expected)
            gap = np.where(np.isnan(gap), np.inf, gap)
            token = int(gap.argmax())
            mine, theirs = (number(float(one[token])) for one in (self.probs, self.expected))
            found.append(f"Yours differs from the stand-in's, most at “{self.tokens[token]}”: {mine} against {theirs}.")
        return found

    @property
    def caption(self) -> str:
        """How much is left."""
        kept = self.probs[self.probs > 0]
        if not self.drawn:
            return f"{len(kept)} of {self.size} tokens have a probability above 0."
        shares = kept / kept.sum()
        fair = float(np.exp(-(shares * np.log(shares)).sum()))
        cut = (self.probs <= 0) & ~self.rounded
        tiny = int(self.rounded.sum())
        but = f", though {tiny} {'is' if tiny == 1 else 'are'} so improbable as to be rounded to 0" if tiny else ""
        return (
            f"{int((~cut).sum())} of {self.size} tokens can be drawn{but}; "
            f"as open as a fair choice among {number(fair)}. "
            f"What is cut has {number(float(self.plain[cut].sum()))} of the model's own distribution."
        )

    @property
    def drawn_text(self) -> str:
        """The drawn tokens, counted."""
        if not self.drawn:
            return "Nothing can be drawn from this."
        return ", ".join(
            f"{name} × {times}" if times > 1 else name for name, times in Counter(self.drawn).most_common()
        )

    def _data(self) -> dict[str, Any]:
        order = self.order.numpy()
        return {
            "size": self.size,
            "tokens": [self.tokens[i] for i in order],
            "scores": packed(self.logits.numpy()[order]),
            "plain": packed(self.plain[order]),
            "probs": packed(self.probs[order]),
            "rounded": self.rounded[order].tolist(),
            "floor": FLOOR,
            "coldest": COLDEST,
            "hottest": HOTTEST,
            "yours": self.yours,
            "caption": self.caption,
            "drawn": self.drawn_text,
            "problems": self.problems,
        }

    @property
    def alt(self) -> str:
        """What is to be seen, in words."""
        best = [i for i in self.order.tolist() if self.probs[i] > 0][:5]
        named = ", ".join(f"{self.tokens[i]} {number(float(self.probs[i]))}" for i in best)
        temperature, top_k, top_p = self._knobs()
        return (
            f"Distribution over {self.size} tokens at temperature {number(temperature)}, top_k {top_k}, top_p {top_p}. "
            f"{self.caption} The most probable: {named}. {' '.join(self.problems) or 'No problems.'}"
        )

    def plot(self) -> Picture:
        """All tokens from the best score to the worst: what the model says, and what is drawn from."""
        picture, axes = panels(size=(7.5, 3.2), alt=self.alt)
        ax, order = axes[0, 0], self.order.numpy()
        ranks = np.arange(1, self.size + 1)
        ax.plot(ranks, np.maximum(self.plain[order], FLOOR), "--", color="#c2561a", label="the model's own")
        kept = self.probs[order] > 0
        ax.plot(ranks[kept], self.probs[order][kept], "o-", markersize=3, color="#2b66ad", label="drawn from")
        ax.set(yscale="log", ylim=(FLOOR, 2), xlabel="rank of the token", ylabel="probability")
        ax.legend(fontsize=8)
        return picture


def _scores(logits: Any) -> Tensor:
    if not isinstance(logits, Tensor) or not logits.is_floating_point() or logits.dim() != 1 or len(logits) < 2:
        given = f"shape {tuple(logits.shape)}" if isinstance(logits, Tensor) else f"a {type(logits).__name__}"
        raise ValueError(f"logits is {given}; give the scores of one place, floats of shape (vocab_size,)")
    return logits.detach().cpu().float().clone()


def _within(name: str, value: float | None, low: float, high: float) -> None:
    if value is not None and not low <= value <= high:
        raise ValueError(f"{name}={value!r}; give {low} to {high}, or None" if name != "temperature" else
                         f"{name}={value!r}; give {low} to {high}")  # fmt: skip


def _stand_in() -> Probs:
    """The course's stand-in, or the same few lines where it is absent."""
    try:
        return importlib.import_module("autograder.stand_ins.decoding").next_token_probs
    except (ImportError, AttributeError):
        return _probs


def _probs(logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None) -> Tensor:
    ordered, tokens = (logits / temperature).sort(descending=True)
    ordered[top_k or len(ordered) :] = -torch.inf
    probs = ordered.softmax(0)
    if top_p is not None:
        probs = torch.where(probs.cumsum(0) - probs < top_p, probs, 0.0)
    return torch.zeros_like(probs).scatter(0, tokens, probs / probs.sum())
