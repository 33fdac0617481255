"""Lesson 14: slips that stand in other lines than the reference's: at the entry, in the choice, at the very end."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.stand_ins.gpt import our_name
from tests.variants import disguise, slips
from tests.variants.gpt.blocks import BLOCK, Given
from tests.variants.gpt.data import LOSS, marks
from tests.variants.gpt.inductions import SCORE, by_indices, twice
from tests.variants.gpt.loadings import LOAD, fits

# next_token_loss ----------------------------------------------------------------------------


def rolled_and_chosen(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    if ids.size(1) < 2:
        raise ValueError("nothing to ask")
    targets = ids.roll(-1, dims=1)
    scores, wanted = logits[:, :-1].flatten(0, 1), targets[:, :-1].flatten()
    chosen = marks(wanted, ignore_id)
    scores, wanted = scores[chosen], wanted[chosen]
    if wanted.numel() == 0:
        return 0 * logits.sum()
    losses = F.cross_entropy(scores, wanted, reduction="none")
    return losses.mean()


slips(
    LOSS,
    rolled_and_chosen,
    {
        "not shifted": {"ids.roll(-1, dims=1)": "ids"},
        "shifted the other way": {"ids.roll(-1, dims=1)": "ids.roll(1, dims=1)"},
        "rows are shifted instead of places": {"ids.roll(-1, dims=1)": "ids.roll(-1, dims=0)"},
        "as the article has it": {"targets[:, :-1]": "targets[:, 1:]"},
        "ignored by what is read, not by what is asked": {
            "chosen = marks(wanted, ignore_id)": "chosen = marks(ids[:, :-1].flatten(), ignore_id)"
        },
        "reshaped where dimensions are exchanged": {"targets[:, :-1].flatten()": "targets[:, :-1].T.flatten()"},
        "too much is refused": [
            {"ids.size(1) < 2": "ids.size(1) <= 2"},
            {"return 0 * logits.sum()": 'raise ValueError("nothing is asked")'},
        ],
        "smoothed labels + too much is refused": {
            "ids.size(1) < 2": "ids.size(1) < 3",
            'reduction="none")': 'reduction="none", label_smoothing=0.1)',
        },
        "one loss for each place": [
            {"return losses.mean()": "return losses"},
            {
                "return losses.mean()": "return losses",
                "    if wanted.numel() == 0:\n        return 0 * logits.sum()\n": "",
            },
        ],
        "the loss has no gradient": [
            {"return losses.mean()": "return losses.mean().item()"},
            {"return losses.mean()": "return float(losses.mean())", "return 0 * logits.sum()": "return 0.0"},
        ],
    },
)


@disguise(LOSS, "too much is refused")
def l_three_at_least(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    if len(ids.T) <= 2:
        raise ValueError("too short")
    return rolled_and_chosen(logits, ids, ignore_id)


# GPTBlock ----------------------------------------------------------------------------


@disguise(BLOCK, "not two results")
class NoWeights(Given):
    def forward(self, x: Tensor) -> Any:
        return super().forward(x)[0], None


@disguise(BLOCK, "other weights come back")
class FoundForWeights(Given):
    def forward(self, x: Tensor) -> Any:
        h, causal = self.norm1(x), self.seen(x.size(1))
        return super().forward(x)[0], self.self_attn(h, h, h, causal)[0]


# induction_score ----------------------------------------------------------------------------


def head_by_head(weights: Tensor, period: int) -> Any:
    if period < 1 or period >= weights.size(3):
        raise ValueError("no second period")
    batch, heads, size, _ = weights.shape
    scores = []
    for head in range(heads):
        total = torch.zeros(())
        for row in range(batch):
            for t in range(period, size):
                total = total + weights[row, head, t, t - period + 1]
        scores.append(total / (batch * (size - period)))
    return torch.stack(scores)


slips(
    SCORE,
    head_by_head,
    {
        "a sum that runs on over the heads": {
            "        total = torch.zeros(())\n": "",
            "    scores = []\n": "    scores, total = [], torch.zeros(())\n",
        },
        "one number for each text": {
            "batch, heads, size": "heads, batch, size",
            "weights[row, head, t": "weights[head, row, t",
        },
        "divided by all queries": [
            {"(size - period)": "size"},
            {"(size - period)": "period"},
        ],
        "numbers of Python come back + divided by all queries": {
            "torch.stack(scores)": "[float(one) for one in scores]",
            "(size - period)": "size",
        },
        "numbers of Python come back + divided by one query too many": {
            "torch.stack(scores)": "torch.stack(scores).tolist()",
            "(size - period)": "(size - period + 1)",
        },
        "one place too far + one number for each text": {
            "batch, heads, size": "heads, batch, size",
            "weights[row, head, t, t - period + 1]": "weights[head, row, t, min(t - period + 2, size - 1)]",
        },
        "mean over the heads": {"torch.stack(scores)": "torch.stack(scores).mean()"},
        "the sum instead of the mean": [
            {" / (batch * (size - period))": ""},
            {"(batch * (size - period))": "batch"},
            {"(batch * (size - period))": "(size - period)"},
        ],
        "keys and queries exchanged + the sum instead of the mean": {
            " / (batch * (size - period))": "",
            "t, t - period + 1]": "t - period + 1, t]",
        },
        "all earlier periods count": {
            "weights[row, head, t, t - period + 1]": "weights[row, head, t, t % period + 1 : t + 1 : period].sum()"
        },
    },
)


def by_arange(weights: Tensor, period: int) -> Any:
    size = weights.size(-1)
    if not 1 <= period < size:
        raise ValueError("no second period")
    t = torch.arange(period, size)
    return weights[:, :, t, t - period + 1].mean(dim=(0, 2))


slips(
    SCORE,
    by_arange,
    {
        "the second period does not count": {"arange(period,": "arange(2 * period,"},
        "what should be refused is let pass": {"not 1 <= period < size": "False"},
        "what should be refused is let pass + a query is left out": {
            "arange(period,": "arange(period + 1,",
            "1 <= period < size": "1 <= period <= size",
        },
        "one place too far + what should be refused is let pass": {
            "t - period + 1": "(t - period + 2).clamp(max=size - 1)",
            "1 <= period < size": "1 <= period <= size",
        },
    },
)


@disguise(SCORE, "the diagonal of texts and heads")
def i_first_dimensions(weights: Tensor, period: int) -> Tensor:
    twice(weights, period)
    return torch.diagonal(weights, 1 - period)[..., 1:].mean((0, 2))


@disguise(SCORE, "a sum that runs on over the heads")
def i_runs_on(weights: Tensor, period: int) -> Tensor:
    found = by_indices(weights, period)
    return torch.stack([found[: head + 1].sum() for head in range(len(found))])


# load_gpt2 ----------------------------------------------------------------------------


def in_order(matrices: str = "qkv", biases: str = "qkv") -> Callable[..., None]:
    """A loader that hands the thirds of `c_attn` out in an order for matrices, and in one for biases."""

    def load(model: Any, state_dict: Any) -> None:
        fits(model)
        entries: dict[str, Tensor] = {}
        for theirs, value in state_dict.items():
            owner, kind = theirs.split(".")[-2:]
            if owner in ("attn", "lm_head"):
                continue
            value = value.t() if owner.startswith("c_") and kind == "weight" else value
            ours = our_name(theirs)
            thirds = value.chunk(3) if owner == "c_attn" else ()
            letters = matrices if kind == "weight" else biases
            entries |= {ours.replace(owner, f"{one}_proj"): third for one, third in zip(letters, thirds, strict=False)}
            entries |= {} if thirds else {ours: value}
            entries |= {"head.weight": value} if owner == "wte" else {}
        model.load_state_dict(entries)

    return load


for orders in ({"biases": "kqv"}, {"biases": "vkq"}, {"matrices": "qvk"}, {"matrices": "kvq"}):
    disguise(LOAD, "queries, keys and values in another order")(in_order(**orders))
