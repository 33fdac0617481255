"""Paint a mask and see what your attention reads; change a token and see which outputs move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
import traitlets
from torch import Tensor

from course.widgets.base import CourseWidget, Settings
from course.widgets.calls import Answer, ask, name_of, pair_of, tensor_of
from course.widgets.figures import Picture, heatmap, panels, styled
from course.widgets.numbers import listed, number
from course.widgets.palette import ALARM, INK, SOFT
from course.widgets.problems import looks_ahead, means_causal, weight_problems
from course.widgets.stand_ins import scaled_dot_product_attention, stand_in_attention
from course.widgets.tensors import first_batch, first_mask, labels, packed

PRESETS = ("none", "causal", "padding", "causal, off by one")
MOVED = 1e-6
PAD = "<pad>"


def preset_mask(preset: str, tokens: Sequence[str]) -> Tensor:
    """A mask by name, True means "may look".

    Args:
        preset: one of PRESETS. "padding" hides the tokens named <pad>, or the last one if none is.
        tokens: the names of the tokens.
    Returns:
        (seq_len, seq_len) booleans.
    Raises:
        ValueError: an unknown name.
    """
    if preset not in PRESETS:
        raise ValueError(f"preset={preset!r} is not one of {', '.join(PRESETS)}")
    everything = torch.ones(len(tokens), len(tokens), dtype=torch.bool)
    if preset == "padding":
        keep = torch.tensor([token != PAD for token in tokens])
        keep[-1] &= not keep.all()
        return everything & keep
    if preset == "none":
        return everything
    return everything.tril(0 if preset == "causal" else 1)


class MaskPlayground(CourseWidget):
    """A mask to paint, the weights your attention gives under it, and what a change of one token moves.

    Args:
        tokens: names of the tokens, 2 to 24.
        mask: boolean (seq_len, seq_len), True means "may look"; a causal one if not given.
        attention: your scaled_dot_product_attention; the stand-in if not given.
        x: the tokens' vectors, (seq_len, d_model), used as queries, keys and values;
            drawn if not given.
        changed: the position of the token to change; the last one if not given.
    Raises:
        ValueError: shapes, dtypes or names that do not fit together.
    """

    entry = "playground.js"
    painted = traitlets.List(traitlets.Int()).tag(sync=True)
    changed = traitlets.Int(-1).tag(sync=True)
    amount = traitlets.Float(1.0).tag(sync=True)

    def __init__(
        self,
        tokens: Sequence[str],
        mask: Tensor | None = None,
        attention: Callable[..., Any] | None = None,
        *,
        x: Tensor | None = None,
        changed: int | None = None,
    ) -> None:
        self.tokens = _named(tokens)
        self.attention = attention or stand_in_attention()[1]
        self.yours = attention is not None
        self._draw(x)
        size = len(self.tokens)
        first = first_mask(mask, (size, size))
        start = preset_mask("causal", self.tokens) if first is None else first.expand(size, size)
        chosen = size - 1 if changed is None else changed
        if chosen not in range(size):
            raise ValueError(f"changed={chosen} is no position; give 0 to {size - 1}")
        super().__init__(painted=start.int().flatten().tolist(), changed=chosen)
        self._refresh()
        self.observe(self._refresh, ["painted", "changed", "amount"])

    def _draw(self, x: Tensor | None) -> None:
        size = len(self.tokens)
        source = torch.Generator().manual_seed(7)
        drawn = torch.randn(size, 8, generator=source)
        self.x = drawn if x is None else first_batch(x, "x")
        if self.x.dim() != 2 or self.x.shape[0] != size:
            raise ValueError(f"x has shape {tuple(self.x.shape)}; give ({size}, d_model)")
        self.push = torch.randn(self.x.shape[1], generator=source)

    @property
    def mask(self) -> Tensor:
        """The painted mask, (seq_len, seq_len) booleans, True means "may look"."""
        size = len(self.tokens)
        cells = [bool(i) for i in self.painted] if len(self.painted) == size * size else []
        return torch.tensor(cells or [True] * size**2).reshape(size, size)

    @property
    def recorded(self) -> Settings:
        """See `CourseWidget`."""
        masks = [preset_mask(one, self.tokens).int().flatten().tolist() for one in PRESETS]
        return {"painted": masks, "changed": range(len(self.tokens)), "amount": (-3.0, -1.0, 0.0, 1.0, 3.0)}

    def _refresh(self, _: Any = None) -> None:
        self.trouble = ""
        answer = self._answer(self.attention)
        if answer.trouble:
            self.trouble = f"{answer.trouble} The stand-in is shown instead."
            answer = self._answer(scaled_dot_product_attention)
        self.weights, self.moved = answer.value
        self.data = self._data()

    def _answer(self, attention: Callable[..., Any]) -> Answer:
        """The weights, and how far each output moves when the chosen token changes."""
        before = self._attend(attention, self.x)
        other = self.x.clone()
        other[self.changed] += self.amount * self.push
        after = self._attend(attention, other)
        if before.trouble or after.trouble:
            return Answer(trouble=before.trouble or after.trouble)
        gap = np.abs(after.value[0] - before.value[0])
        return Answer((before.value[1], gap.max(1)))

    def _attend(self, attention: Callable[..., Any], x: Tensor) -> Answer:
        who = f"`{name_of(attention)}` returned"
        answer = ask(attention, x, x, x, self.mask)
        pair = answer if answer.trouble else pair_of(answer.value, who)
        if pair.trouble:
            return pair
        size = len(self.tokens)
        output = tensor_of(pair.value[0], (size, x.shape[1]), f"{who} an output of")
        weights = tensor_of(pair.value[1], (size, size), f"{who} weights of")
        trouble = output.trouble or weights.trouble
        return Answer(trouble=trouble) if trouble else Answer((output.value, weights.value))

    def _data(self) -> dict[str, Any]:
        return {
            "tokens": self.tokens,
            "yours": self.yours,
            "painted": list(self.painted),
            "weights": packed(self.weights),
            "moved": packed(self.moved),
            "leaks": self.leaks,
            "trouble": self.trouble,
            "problems": self.problems,
            "notes": self.notes,
            "presets": {p: preset_mask(p, self.tokens).int().flatten().tolist() for p in PRESETS},
        }

    @property
    def leaks(self) -> list[int]:
        """Positions whose output moved although they should not see the changed token.

        Either the mask hides it from them, or it is in their future and the mask means to be causal.
        """
        column = self.mask[:, self.changed].tolist()
        causal = means_causal(self.mask.numpy())
        others = [i for i in range(len(self.tokens)) if i != self.changed and self._moves(i)]
        return [i for i in others if not column[i] or (causal and i < self.changed)]

    def _moves(self, position: int) -> bool:
        return not self.moved[position] <= MOVED

    @property
    def problems(self) -> list[str]:
        """Everything that is wrong, in sentences; first what your function did, then what the mask allows."""
        said = [self.trouble, *self._about_weights(), self._about_moves()]
        causal = means_causal(self.mask.numpy())
        return [line for line in [*said, self._about_mask() if causal else ""] if line]

    @property
    def notes(self) -> list[str]:
        """What is worth knowing when nothing is wrong."""
        ahead = self._about_mask()
        return [ahead or "No leak: changing a token moves no output that may not see it."]

    def _about_weights(self) -> list[str]:
        return weight_problems(self.weights, self.mask.numpy(), self.tokens, self.tokens)

    def _about_mask(self) -> str:
        return looks_ahead(self.mask.numpy(), self.tokens)

    def _about_moves(self) -> str:
        name = self.tokens[self.changed]
        hidden = [i for i in self.leaks if not self.mask[i, self.changed]]
        if hidden:
            return f"Changing “{name}” moved outputs that may not see it: {self._distances(hidden)}."
        early = self._distances(self.leaks)
        return f"Changing “{name}” moved earlier outputs: {early}." if early else ""

    def _distances(self, positions: list[int]) -> str:
        return listed([f"{self.tokens[i]} by {number(float(self.moved[i]))}" for i in positions])

    @property
    def alt(self) -> str:
        """What is to be seen, in words."""
        hidden = f"{int((~self.mask).sum())} of {self.mask.numel()}"
        moved = [self.tokens[i] for i in range(len(self.tokens)) if self._moves(i)]
        return (
            f"A mask over {len(self.tokens)} tokens that hides {hidden} cells, "
            f"and the attention weights under it. Changing {self.tokens[self.changed]} moves the outputs of: "
            f"{', '.join(moved) or 'none'}. {' '.join(self.problems) or 'No problems.'}"
        )

    def plot(self) -> Picture:
        """The mask, the weights and the outputs that moved, as a static figure."""
        side = 2.6 + 0.3 * max(0, len(self.tokens) - 4)
        picture, axes = panels(1, 3, size=(3 * side, side + 0.4), alt=self.alt)
        mask = self.mask.numpy()
        names: dict[str, Any] = {"rows": self.tokens, "columns": self.tokens}
        heatmap(axes[0, 0], mask, title="mask (hatched: hidden)", kind="mask", **names)
        heatmap(axes[0, 1], self.weights, title="weights", mask=mask, **names)
        with styled():
            self._bars(axes[0, 2])
        return picture

    def _bars(self, ax: Any) -> None:
        places = range(len(self.tokens))
        heights = np.nan_to_num(self.moved)
        colours = [ALARM if i in self.leaks else "#2b66ad" for i in places]
        ax.barh(places, heights, color=colours, height=0.6)
        for i in places:
            text = number(float(self.moved[i])) if self._moves(i) else "still"
            ax.text(heights[i], i, f" {text}", va="center", fontsize=8, color=INK if text != "still" else SOFT)
        ax.set_yticks(places, self.tokens, fontsize=9)
        ax.set_ylim(len(self.tokens) - 0.5, -0.5)
        ax.set_xlim(0, max(float(heights.max()), 1e-3) * 1.3)
        ax.set_xticks([])
        ax.set_xlabel("largest change of the output", fontsize=9)
        title = f"“{self.tokens[self.changed]}” changes"
        ax.set_title(title, loc="left", fontsize=10, fontweight="bold", pad=9)


def _named(tokens: Sequence[str]) -> list[str]:
    if isinstance(tokens, str) or not 2 <= len(tokens) <= 24:
        given = f"the text {tokens!r}" if isinstance(tokens, str) else f"{len(tokens)} names"
        raise ValueError(f"tokens is {given}; give a list of 2 to 24 names")
    return labels(tokens, len(tokens), "tokens")
