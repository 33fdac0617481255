"""Checks of speculative_step."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

speculative_step = Exercise(
    "speculative_step",
    points=3,
    stretch=True,
    hints=(
        "The draft says a with 0.8 and b with 0.2, the target a with 0.5 and b with 0.5. How often may a drafted a stay, so that a comes out half of the time? What has to come out whenever it does not stay?",
        "```python\np, q = ...       # both probabilities of each drafted token\nkept = ...       # how many stay before the first that does not\nif kept < len(draft_ids):\n    rest = ...   # what the target has more than the draft, at that place; normalised\nelse:\n    rest = ...   # the target's last distribution\nlast = ...       # the first token at which the cumulated sum exceeds `resample`\nreturn ...\n```",
        "`stays = accept < p / q`, `kept = int(stays.long().cumprod(0).sum())`, `rest = (target_probs[kept] - draft_probs[kept]).clamp(min=0)`, divided by its sum. `(rest.cumsum(0) <= resample).sum()` counts the tokens before the one that is drawn.",
    ),
    traps={
        "IndexError: index ... is out of bounds for dimension 0 with size ...": "the target has one row more than the draft: the last one is for the token after all drafted ones.",
        "RuntimeError: The size of tensor a (...) must match the size of tensor b (...) at non-singleton dimension 0": "the target has one row more than the draft: leave its last row out where you compare the two.",
        "RuntimeError: zero-dimensional tensor (at position ...) cannot be concatenated": "the last token is a single number: `last.reshape(1)` makes a row of it.",
        "TypeError: expected Tensor as element 1 in argument 0, but got int": "`torch.cat` takes tensors: `torch.tensor([last])`.",
    },
)


def distributions(draw: Draw, name: str, *shape: int, scale: float = 1.0) -> Tensor:
    """Drawn ones, over the last dimension."""
    return draw.keep(name, draw.tensor(f"logits of {name}", *shape, scale=scale).softmax(-1))


def uniform(draw: Draw, name: str, *shape: int) -> Tensor:
    """Numbers from 0 to 1."""
    return draw.keep(name, torch.special.ndtr(draw.tensor(f"normal of {name}", *shape)))


def run(
    speculative_step: Callable, draw: Draw, name: str, drafted: int, vocab: int, accept: Tensor | None = None
) -> Any:
    """One step on drawn distributions."""
    q = distributions(draw, f"q of {name}", drafted, vocab)
    p = distributions(draw, f"p of {name}", drafted + 1, vocab)
    ids = draw.integers(f"ids of {name}", drafted, high=vocab)
    numbers = uniform(draw, f"accept of {name}", drafted) if accept is None else accept
    return speculative_step(ids, q, p, numbers, uniform(draw, f"resample of {name}", 1).item())


@speculative_step.probe("keeps, replaces and adds tokens, in thirty steps of four drafted ones", float64=True)
def thirty_steps(speculative_step: Callable, draw: Draw) -> Any:
    return [run(speculative_step, draw, f"step {number}", 4, 9) for number in range(30)]


@speculative_step.probe("adds one token of the target's last distribution where all stay", float64=True)
def all_stay(speculative_step: Callable, draw: Draw) -> Any:
    return [run(speculative_step, draw, f"step {number}", 3, 9, torch.zeros(3)) for number in range(12)]


@speculative_step.probe("replaces the first token where the target never says it", float64=True)
def none_stays(speculative_step: Callable, draw: Draw) -> Any:
    found = []
    for number in range(12):
        q = distributions(draw, f"q {number}", 2, 7)
        p = distributions(draw, f"p {number}", 3, 7).clone()
        p[0, 3] = 0.0
        p[0] /= p[0].sum()
        ids = torch.tensor([3, 5])
        found.append(
            speculative_step(
                ids,
                q,
                draw.keep(f"kept p {number}", p),
                torch.tensor([0.001, 0.001]),
                uniform(draw, f"r {number}", 1).item(),
            )
        )
    return found


@speculative_step.probe("gives the target's distribution, however wrong the draft is", float64=True)
def in_distribution(speculative_step: Callable, draw: Draw) -> Any:
    q, p = distributions(draw, "q", 1, 3, scale=2.0), distributions(draw, "p", 2, 3, scale=2.0)
    points = (torch.arange(8) + 0.37) / 8
    counts = torch.zeros(3, 3)
    for token in range(3):
        for accept in points:
            for resample in points.tolist():
                ids = speculative_step(torch.tensor([token]), q, p, accept.reshape(1), resample)
                counts[token, int(ids[0])] += 1
    return {"how often each token comes out, by the drafted one": counts}


@speculative_step.probe("works for nothing drafted, and for a `resample` of 0", rung="edges", float64=True)
def speculative_edges(speculative_step: Callable, draw: Draw) -> Any:
    q, p = distributions(draw, "q", 2, 5), distributions(draw, "p", 3, 5)
    ids = draw.integers("ids", 2, high=5)
    never = p.scatter(1, ids[:1].expand(3, 1), 0.0)
    never = never / never.sum(-1, keepdim=True)
    return {
        "nothing drafted": speculative_step(ids[:0], q[:0], p[:1], torch.zeros(0), 0.4),
        "resample=0": speculative_step(ids, q, p, torch.full((2,), 1.0), 0.0),
        "accept=0 where p is 0": speculative_step(ids, q, draw.keep("never", never), torch.zeros(2), 0.4),
    }
