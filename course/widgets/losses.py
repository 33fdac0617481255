"""A text by what each token cost; of a chosen one the likeliest tokens, what every head read, and one head silenced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import traitlets
from torch import Tensor, nn

from course.widgets.base import CourseWidget
from course.widgets.calls import Answer, ask, evaluating, name_of, pair_of, tensor_of
from course.widgets.figures import Picture, heatmap, panels
from course.widgets.numbers import listed, number
from course.widgets.tensors import labels, packed

LIKELIEST = 10
LARGEST = 64
TOO_GOOD = 0.02
"""Nats a token. Whoever pays less has seen the answer."""

SUM_TOLERANCE = 1e-3
READ_TOLERANCE = 1e-6


class LossExplorer(CourseWidget):
    """What your language model paid for each token of a text, and why.

    Args:
        model: your GPT; `model(ids, return_weights=True)` gives logits and the weights of every block, and
            `model.layers[0].self_attn.out_proj` takes what the heads found, head after head.
        ids: the text, (seq_len,), 2 to 64 tokens.
        decode: id → the token as text.
        token: the place to begin with, 1 to seq_len - 1; the dearest if not given.

    Raises:
        ValueError: ids of another kind or number, or a place that is none.
    """

    entry = "losses.js"
    token = traitlets.Int(1).tag(sync=True)
    silenced = traitlets.Int(-1).tag(sync=True)  # -1: no head
    view = traitlets.Unicode("loss").tag(sync=True)

    def __init__(
        self, model: nn.Module, ids: Tensor, decode: Callable[[int], str], *, token: int | None = None
    ) -> None:
        if not isinstance(ids, Tensor) or ids.is_floating_point() or ids.dim() != 1 or not 2 <= len(ids) <= LARGEST:
            given = f"shape {tuple(ids.shape)}" if isinstance(ids, Tensor) else f"a {type(ids).__name__}"
            raise ValueError(f"ids is {given}; give the tokens of one text, 2 to {LARGEST} ids")
        self.ids = ids.detach().cpu()
        self.tokens = labels([decode(one) for one in self.ids.tolist()], len(ids), "tokens")
        if token is not None and token not in range(1, len(ids)):
            raise ValueError(f"token={token} is no place that is predicted; give 1 to {len(ids) - 1}")
        self.trouble = ""
        self._read(model)
        self.names = {one: decode(one) for one in np.unique(self.best_ids).astype(int).tolist()}
        chosen = token if token is not None else 1 + int(np.nan_to_num(self.losses[0], nan=-1).argmax())
        super().__init__(token=chosen)
        self.data = self._data()

    def _read(self, model: nn.Module) -> None:
        """Run the model as it is and once for every head that is silenced."""
        asked = len(self.ids) - 1
        self.heads, self.weights = [], np.zeros((0, asked, asked), np.float32)
        found = _run(model, self.ids[:-1])
        if found.trouble:
            self.trouble = found.trouble
            logits = [np.full((asked, 1), np.nan, np.float32)]
        else:
            plain, weights = found.value
            logits = [plain]
            self.weights = np.concatenate(weights)
            for block, of_block in enumerate(weights):
                for head in range(len(of_block)):
                    without = _without(model, block, head, len(of_block), self.ids[:-1], plain.shape)
                    if without.trouble:
                        self.trouble = self.trouble or without.trouble
                    logits.append(np.full_like(plain, np.nan) if without.trouble else without.value)
                    self.heads.append(f"{block}.{head}")
        self._take(np.stack(logits))

    def _take(self, logits: np.ndarray) -> None:
        """Keep the losses, the ranks and the likeliest tokens of every run."""
        shifted = logits - logits.max(-1, keepdims=True)
        log_probs = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
        asked = np.minimum(self.ids[1:].numpy(), logits.shape[-1] - 1)
        of_target = log_probs[:, np.arange(len(asked)), asked][..., None]
        self.losses = -of_target[..., 0]
        self.ranks = 1 + (log_probs > of_target).sum(-1)
        order = np.argsort(-log_probs, axis=-1, kind="stable")[..., :LIKELIEST]
        self.best_ids = order.astype(np.float32)
        self.best = np.exp(np.take_along_axis(log_probs, order, -1))

    # ---- words ----

    @property
    def problems(self) -> list[str]:
        """Everything that is wrong, in sentences."""
        found = [self.trouble] if self.trouble else []
        for name, weights in zip(self.heads, self.weights, strict=True):
            off = np.abs(weights.sum(1) - 1) > SUM_TOLERANCE
            if off.any():
                place = int(off.argmax())
                found.append(
                    f"Head {name} reads {number(float(weights.sum(1)[place]))} in all at place {place}, not 1."
                )
        later = np.triu(np.ones(self.weights.shape[1:], bool), 1)
        reads = [bool((one[later] > READ_TOLERANCE).any()) for one in self.weights]
        ahead = [name for name, leaks in zip(self.heads, reads, strict=True) if leaks]
        if ahead:
            found.append(f"Tokens read what comes after them: head {listed(ahead)}. Their answers are among it.")
        mean = float(self.losses[0].mean())
        if mean < TOO_GOOD:
            found.append(f"{number(mean)} nats a token are too few for any text: does the model see its answers?")
        return found

    @property
    def caption(self) -> str:
        """What the whole text cost."""
        mean = float(self.losses[0].mean())
        said = f"{number(mean)} nats a token on average"
        if self.silenced in range(len(self.heads)):
            other = float(self.losses[1 + self.silenced].mean())
            said += f"; {number(other)} with head {self.heads[self.silenced]} silenced"
        return f"{said}."

    def reading(self, token: int) -> str:
        """A token's cost, its rank, and what came likeliest instead."""
        at = token - 1
        loss, rank = float(self.losses[0, at]), int(self.ranks[0, at])
        likeliest = zip(self.best_ids[0, at], self.best[0, at], strict=True)
        best = [f"{self.names[int(one)]!r} {number(float(share))}" for one, share in likeliest]
        return (
            f"{self.tokens[token]!r} cost {number(loss)} nats: probability {number(float(np.exp(-loss)))}, "
            f"rank {rank}. Likeliest: {', '.join(best[:3])}."
        )

    @property
    def alt(self) -> str:
        """What is to be seen, in words."""
        if np.isnan(self.losses[0]).all():
            return f"A text of {len(self.tokens)} tokens. {' '.join(self.problems)}"
        dearest = (1 + np.argsort(-self.losses[0])[:3]).tolist()
        named = ", ".join(f"{self.tokens[one]!r} {number(float(self.losses[0, one - 1]))}" for one in dearest)
        return (
            f"A text of {len(self.tokens)} tokens, coloured by what each cost: {self.caption} The dearest: {named}. "
            f"{self.reading(self.token)} {' '.join(self.problems) or 'No problems.'}"
        )

    def _data(self) -> dict[str, Any]:
        return {
            "tokens": self.tokens,
            "heads": self.heads,
            "names": {str(one): name for one, name in self.names.items()},
            "losses": packed(self.losses),
            "ranks": packed(self.ranks),
            "bestIds": packed(self.best_ids),
            "best": packed(self.best),
            "weights": packed(self.weights),
            "problems": self.problems,
        }

    def plot(self) -> Picture:
        """What each token cost; for the chosen one, what came likeliest and what the heads read."""
        names = [_in_sight(one) for one in self.tokens]
        picture, axes = panels(2, 2, size=(max(8.0, 0.2 * len(names)), 6.5), alt=self.alt)
        costs, likeliest, heads = axes[0, 0], axes[1, 0], axes[1, 1]
        axes[0, 1].remove()
        costs.set_subplotspec(costs.get_gridspec()[0, :])
        places = range(1, len(names))
        colours = ["#c2561a" if one == self.token else "#2b66ad" for one in places]
        costs.bar(places, np.nan_to_num(self.losses[0]), color=colours)
        costs.set_xticks(places, names[1:], rotation=90, fontsize=7)
        costs.set_xlim(0.2, len(names) - 0.2)
        costs.set(ylabel="loss, nats", title=f"what each token cost; orange: {names[self.token]}")
        if not self.heads:
            likeliest.remove()
            heads.remove()
            return picture
        shares = self.best[0, self.token - 1]
        words = [_in_sight(self.names[int(one)]) for one in self.best_ids[0, self.token - 1]]
        likeliest.barh(range(len(words)), shares, color="#2b66ad")
        likeliest.set_yticks(range(len(words)), words, fontsize=8)
        likeliest.invert_yaxis()
        likeliest.set(xlabel="probability", title="likeliest here")
        rows, title = self.weights[:, self.token - 1, : self.token], "what each head read for it"
        axis, read = "token (is read)", names[: self.token]
        heatmap(heads, rows, rows=self.heads, columns=read, title=title, row_axis="block.head", column_axis=axis)
        heads.tick_params(axis="x", rotation=90, labelsize=7)
        for one in heads.get_xticklabels():
            one.set_horizontalalignment("center")
        return picture


def _in_sight(token: str) -> str:
    """A token whose spaces and line breaks can be seen."""
    return token.replace(" ", "␣").replace("\n", "⏎").replace("\t", "⇥")


def _run(model: nn.Module, ids: Tensor) -> Answer:
    """Logits and every block's weights for one text, or in words why there are none."""
    name = name_of(type(model), "your model")
    with evaluating(model):
        answer = ask(lambda x: model(x, return_weights=True), ids[None], name=name)
    pair = answer if answer.trouble else pair_of(answer.value, f"`{name}` returned")
    if pair.trouble:
        return pair
    logits, weights = pair.value
    if not isinstance(logits, Tensor) or logits.dim() != 3 or not isinstance(weights, (list, tuple)) or not weights:
        return Answer(trouble=f"`{name}` returned no logits (batch, seq_len, vocab_size) and list of weights.")
    size = len(ids)
    taken = [tensor_of(logits, (1, size, logits.shape[-1]), f"`{name}` returned logits of")]
    for block, one in enumerate(weights):
        heads = one.shape[1] if isinstance(one, Tensor) and one.dim() == 4 else 1
        taken.append(tensor_of(one, (1, heads, size, size), f"block {block} of `{name}` returned weights of"))
    trouble = next((one.trouble for one in taken if one.trouble), "")
    return Answer(trouble=trouble) if trouble else Answer((taken[0].value[0], [one.value[0] for one in taken[1:]]))


def _without(model: nn.Module, block: int, head: int, heads: int, ids: Tensor, shape: tuple[int, ...]) -> Answer:
    """The logits when one head's part of the output projection is zero."""
    try:
        weight = model.layers[block].self_attn.out_proj.weight  # type: ignore[union-attr, index]
    except (AttributeError, IndexError, TypeError):
        return Answer(trouble="No head can be silenced: `model.layers[0].self_attn.out_proj` is not there.")
    width = weight.shape[1] // heads
    kept = weight.data.clone()
    weight.data[:, head * width : (head + 1) * width] = 0
    try:
        answer = _run(model, ids)
    finally:
        weight.data.copy_(kept)
    if answer.trouble or answer.value[0].shape != shape:
        return Answer(trouble=answer.trouble or "With a head silenced, logits have another shape.")
    return Answer(answer.value[0])
