"""A sentence with blanks of your choice: what your model puts there, what every head read, and what the left tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch
import traitlets
from torch import Tensor, nn

from course.widgets.base import CourseWidget, Settings
from course.widgets.calls import Answer, ask, evaluating, name_of, tensor_of
from course.widgets.figures import Picture, heatmap, panels
from course.widgets.numbers import number
from course.widgets.tensors import labels, packed

LIKELIEST = 10
LARGEST = 64
SUM_TOLERANCE = 1e-3
BOTH, LEFT = 0, 1
READERS = ("from both sides", "from the left alone")


class BlankExplorer(CourseWidget):
    """What your BERT puts into the blanks of a sentence, and what it read for that.

    Args:
        bert: your BERT; `bert(ids, return_weights=True)` gives hidden, pooled and the weights of every layer.
        head: your MaskedLanguageHead; `head(hidden)` gives logits.
        ids: one row with its special tokens, 3 to 64 ids.
        decode: id → the token as text.
        mask_id: the id of [MASK].
        special: the ids that may not be blanks.
        blanks: the places that are blank at first; the middle one if not given.
        from_left: the tokens before a place, without special ones, to the logits of the next: a causal reader. Of
            several blanks, it is told the answers of those to the left.

    Raises:
        ValueError: ids of another kind or number, or a blank that cannot be one.
    """

    entry = "blanks.js"
    blanks = traitlets.List(traitlets.Int()).tag(sync=True)
    token = traitlets.Int(1).tag(sync=True)

    def __init__(
        self,
        bert: nn.Module,
        head: nn.Module,
        ids: Sequence[int] | Tensor,
        decode: Callable[[int], str],
        mask_id: int,
        *,
        special: Iterable[int] = (),
        blanks: Sequence[int] = (),
        from_left: Callable[[list[int]], Tensor] | None = None,
    ) -> None:
        self.ids = torch.as_tensor(ids)
        if self.ids.is_floating_point() or self.ids.dim() != 1 or not 3 <= len(self.ids) <= LARGEST:
            raise ValueError(f"ids has shape {tuple(self.ids.shape)}; give one row of 3 to {LARGEST} ids")
        self.bert, self.head, self.decode, self.mask_id, self.from_left = bert, head, decode, mask_id, from_left
        self.kept = {int(one) for one in special} | {mask_id}
        self.tokens = labels([decode(one) for one in self.ids.tolist()], len(self.ids), "tokens")
        self.places = [place for place, one in enumerate(self.ids.tolist()) if one not in self.kept]
        if not self.places:
            raise ValueError("all of these ids are special; give a row with tokens between them")
        chosen = list(blanks) or [self.places[len(self.places) // 2]]
        wrong = [place for place in chosen if place not in self.places]
        if wrong:
            raise ValueError(f"blanks={chosen}: {wrong[0]} cannot be one; give some of {self.places}")
        super().__init__(blanks=sorted(set(chosen)), token=chosen[0])
        self._refresh()
        self.observe(self._refresh, ["blanks"])

    @property
    def recorded(self) -> Settings:
        """See `CourseWidget`."""
        return {"blanks": [[place] for place in self.places]}

    def _refresh(self, _: Any = None) -> None:
        """Read the sentence with its blanks anew."""
        self.trouble = ""
        shown = [place for place in self.blanks if place in self.places]
        ids = self.ids.clone()
        ids[shown] = self.mask_id
        found = _read(self.bert, self.head, ids)
        self.trouble = found.trouble
        size = len(ids)
        self.heads: list[str] = []
        self.weights = np.zeros((0, size, size), np.float32)
        logits = np.full((size, 1), np.nan, np.float32)
        if not found.trouble:
            logits, weights = found.value
            self.weights = np.concatenate(weights)
            self.heads = [f"{layer}.{head}" for layer, one in enumerate(weights) for head in range(len(one))]
        self.read = {place: [_ranked(logits[place], int(self.ids[place]))] for place in shown}
        for place in shown:
            left = self._left(place)
            if left is not None:
                self.read[place].append(_ranked(left, int(self.ids[place])))
        self.shown = shown
        self.data = self._data()

    def _left(self, place: int) -> np.ndarray | None:
        if self.from_left is None:
            return None
        before = [one for one in self.ids[:place].tolist() if one not in self.kept]
        name = name_of(self.from_left, "from_left")
        answer = ask(self.from_left, before, name=name)
        size = answer.value.numel() if isinstance(answer.value, Tensor) else 0
        taken = answer if answer.trouble else tensor_of(answer.value, (size,), f"`{name}` returned")
        if taken.trouble:
            self.trouble = self.trouble or taken.trouble
            return None
        return np.asarray(taken.value)

    # ---- words ----

    @property
    def problems(self) -> list[str]:
        """Everything that is wrong, in sentences."""
        found = [self.trouble] if self.trouble else []
        for name, weights in zip(self.heads, self.weights, strict=True):
            off = np.abs(weights.sum(1) - 1) > SUM_TOLERANCE
            if off.any():
                place = int(off.argmax())
                share = number(float(weights.sum(1)[place]))
                found.append(f"Head {name} reads {share} in all at place {place}, not 1.")
        size = self.weights.shape[-1]
        later = np.triu(np.ones((size, size), bool), 1)
        if len(self.heads) and not (self.weights[:, later] > SUM_TOLERANCE).any():
            found.append("No head reads anything that comes later: this model reads from the left alone.")
        return found

    @property
    def caption(self) -> str:
        """How many of the blanks are right."""
        if not self.shown:
            return "No blanks: nothing is asked."
        ranks = [[reader["rank"] for reader in found] for found in self.read.values()]
        said = f"{sum(one[BOTH] == 1 for one in ranks)} of {len(ranks)} blanks right from both sides"
        if any(len(one) <= LEFT for one in ranks):
            return f"{said}."
        return f"{said}, {sum(one[LEFT] == 1 for one in ranks)} from the left alone."

    def reading(self, place: int) -> str:
        """What a reader puts into a blank."""
        if place not in self.read:
            return f"{self.tokens[place]!r} is no blank."
        parts = []
        for name, found in zip(READERS, self.read[place], strict=False):
            pairs = zip(found["ids"][:3], found["shares"][:3], strict=True)
            best = ", ".join(f"{self.decode(one)!r} {number(share)}" for one, share in pairs)
            said = f"probability {number(found['share'])}, rank {found['rank']}; likeliest {best}"
            parts.append(f"{name[0].upper()}{name[1:]}, {self.tokens[place]!r} has {said}.")
        return " ".join(parts)

    @property
    def alt(self) -> str:
        """What is to be seen, in words."""
        text = "".join("[MASK]" if place in self.shown else one for place, one in enumerate(self.tokens))
        readings = " ".join(self.reading(place) for place in self.shown)
        said = " ".join(self.problems) or "No problems."
        return f"A sentence with blanks, {text!r}: {self.caption} {readings} {said}"

    def _data(self) -> dict[str, Any]:
        seen = {one for found in self.read.values() for reader in found for one in reader["ids"]}
        return {
            "tokens": self.tokens,
            "places": self.places,
            "shown": self.shown,
            "heads": self.heads,
            "names": {str(one): self.decode(one) for one in seen},
            "read": {str(place): found for place, found in self.read.items()},
            "weights": packed(self.weights),
            "caption": self.caption,
            "problems": self.problems,
        }

    def plot(self) -> Picture:
        """The likeliest tokens of a blank, and what the heads read for it."""
        place = self.token if self.token in self.read else next(iter(self.read), self.token)
        found = self.read.get(place, [])
        rows = max(1, len(found))
        picture, axes = panels(rows + 1, 1, size=(max(6.0, 0.28 * len(self.tokens)), 1.9 * rows + 4), alt=self.alt)
        for ax, name, one in zip(axes[:, 0], READERS, found, strict=False):
            colours = ["#2f8f83" if i == int(self.ids[place]) else "#2b66ad" for i in one["ids"]]
            ax.bar(range(len(one["ids"])), np.nan_to_num(one["shares"]), color=colours)
            ax.set_xticks(range(len(one["ids"])), [self.decode(i) for i in one["ids"]], rotation=30, fontsize=8)
            ax.set(ylabel="probability", title=f"place {place}, {name}; green: {self.tokens[place]!r} stood there")
        if not found:
            axes[0, 0].set(title="no blank", xticks=[], yticks=[])
        names = ["[MASK]" if one in self.shown else token for one, token in enumerate(self.tokens)]
        if self.heads:
            axes_names: dict[str, Any] = {"row_axis": "layer.head", "column_axis": "token (is read)"}
            title = f"what each head read for place {place}"
            heatmap(axes[-1, 0], self.weights[:, place], rows=self.heads, columns=names, title=title, **axes_names)
            axes[-1, 0].set_aspect("auto")  # a sentence is wider than its heads are many
        return picture


def _ranked(logits: np.ndarray, answer: int) -> dict[str, Any]:
    """The likeliest tokens of a place, and where the answer stands among them."""
    shifted = logits.astype(np.float64) - logits.max()
    probs = np.exp(shifted) / np.exp(shifted).sum()
    order = np.argsort(-probs, kind="stable")[:LIKELIEST]
    share = float(probs[answer]) if answer < len(probs) else 0.0
    return {
        "ids": order.tolist(),
        "shares": probs[order].tolist(),
        "share": share,
        "rank": 1 + int((probs > share).sum()),
    }


def _read(bert: nn.Module, head: nn.Module, ids: Tensor) -> Answer:
    """Logits and every layer's weights for one row, or in words why there are none."""
    name, its_head = name_of(type(bert), "your BERT"), name_of(type(head), "your head")
    with evaluating(bert), evaluating(head):
        answer = ask(lambda x: bert(x, return_weights=True), ids[None], name=name)
        if answer.trouble:
            return answer
        if not isinstance(answer.value, (tuple, list)) or len(answer.value) != 3:
            return Answer(trouble=f"`{name}` returned no hidden, pooled and list of weights.")
        hidden, _, weights = answer.value
        scored = ask(head, hidden, name=its_head)
    if scored.trouble:
        return scored
    size = len(ids)
    width = scored.value.shape[-1] if isinstance(scored.value, Tensor) and scored.value.dim() == 3 else 0
    taken = [tensor_of(scored.value, (1, size, width), f"`{its_head}` returned")]
    for layer, one in enumerate(weights):
        heads = one.shape[1] if isinstance(one, Tensor) and one.dim() == 4 else 1
        taken.append(tensor_of(one, (1, heads, size, size), f"layer {layer} of `{name}` returned weights of"))
    trouble = next((one.trouble for one in taken if one.trouble), "")
    return Answer(trouble=trouble) if trouble else Answer((taken[0].value[0], [one.value[0] for one in taken[1:]]))
