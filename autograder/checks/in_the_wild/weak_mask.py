"""Room 10: a mask of -1e4, which training learns to go below."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.probing.lineup import line_up, own_or, right, wrong
from autograder.stand_ins import in_the_wild as stand_ins

causal_attention = Exercise(
    "causal_attention",
    points=2,
    wild=True,
    hints=(
        "What does the first token read if its own score is -20,000?",
        "```python\nscores = ...\nfuture = ...                                   # True above the diagonal\nreturn scores.masked_fill(future, ...).softmax(-1) @ v\n```",
        "Below minus infinity nothing can go: `-math.inf`. Every token may look at itself, so no row is empty.",
    ),
    traps={
        "RuntimeError: The size of tensor a (...) must match the size of tensor b (...) at non-singleton dimension ...": "the mask is (seq_len, seq_len): queries down, keys across. Batch and heads come in front by themselves.",
    },
)

shows_weak_mask = Exercise(
    "shows_weak_mask",
    points=3,
    shows=causal_attention,
    hints=(
        "Two questions. Are the numbers attention's, at an ordinary size? And at a large one: does an earlier result move when a later token is another?",
        "```python\n...                              # q, k, v of an ordinary size: the numbers against your own\nfor size in ...:                 # so large that scores are far below any number that somebody may have filled in\n    q, k = ...                   # every token's own score far below zero\n    before = implementation(q, k, v)\n    ...                          # the last token gets another key and another value\n    after = implementation(q, ..., ...)\n    ...                          # all results but the last: equal?\nreturn False\n```",
        "`q = -size * k` makes each token's own score negative. Give the last token, afterwards, a key that the first query likes: `later_k[..., -1, :] = q[..., 0, :]`. At a size of 1e9 scores are near 1e18, and float32 holds that. Do not compare with results of your own there: next to 1e18, rounding decides which of two scores is larger. Compare `before` with `after`.",
    ),
    traps={
        "TypeError: implementation() missing ... required positional ...": "an implementation is called as `causal_attention` is: `implementation(q, k, v)`.",
    },
)


def three(draw: Draw, *sizes: int, name: str = "") -> list[Tensor]:
    """Queries, keys and values."""
    return [draw.tensor(f"{name}{one}", *sizes) for one in "qkv"]


def below_zero(draw: Draw, size: float) -> list[Tensor]:
    """Queries that look away from their own keys, the first most; the last token is one at which it would look."""
    k = size * draw.tensor("k", 2, 3, 5, 4)
    k[..., 0, :] *= 10
    q = -k
    k[..., -1, :] = q[..., 0, :]
    return [draw.keep("queries", q), draw.keep("keys", k), draw.tensor("v", 2, 3, 5, 4)]


@causal_attention.probe("lets every token read itself and what stands before it", float64=True)
def ordinary(causal_attention: Callable, draw: Draw) -> Any:
    return causal_attention(*three(draw, 2, 3, 5, 4))


@causal_attention.probe("reads nothing later where scores are millions below zero", float64=True)
def large(causal_attention: Callable, draw: Draw) -> Any:
    return causal_attention(*below_zero(draw, 1e3))


@causal_attention.probe("reads nothing later, however large the scores are", float64=True)
def largest(causal_attention: Callable, draw: Draw) -> Any:
    return causal_attention(*below_zero(draw, 1e13))


@causal_attention.probe("reads nothing later where scores are as large as float32 can hold", rung="edges")
def at_the_end(causal_attention: Callable, draw: Draw) -> Any:
    keys = draw.keep("keys", torch.tensor([[-3e38], [-2e38], [-1e38], [3e38]]))
    return causal_attention(torch.ones(4, 1), keys, draw.tensor("v", 4, 1))


@causal_attention.probe("hands back the gradients of queries, keys and values", rung="gradients")
def gradients(causal_attention: Callable, draw: Draw) -> Any:
    q, k, v = (one.requires_grad_() for one in three(draw, 2, 4, 6))
    return draw.gradients(causal_attention(q, k, v), q=q, k=k, v=v)


@causal_attention.probe("works for one token, without a batch, and with one number a head", rung="edges", float64=True)
def small(causal_attention: Callable, draw: Draw) -> Any:
    return {
        "one token": causal_attention(*three(draw, 2, 1, 4, name="one ")),
        "no batch": causal_attention(*three(draw, 5, 4, name="bare ")),
        "one number": causal_attention(*three(draw, 2, 3, 4, 1, name="thin ")),
    }


# Implementations that everybody may see ------------------------------------------------------


@right("is written on torch.nn")
def stand_in(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """As in the stand-ins."""
    return stand_ins.causal_attention(q, k, v)


@right("is your own repair, once it has passed in this kernel")
def your_repair(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The stand-in until then."""
    return own_or(stand_ins.causal_attention)(q, k, v)


@wrong("the page shows", mistake="a number that scores can go below")
def as_shown(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Minus ten thousand."""
    scores = q @ k.mT / q.size(-1) ** 0.5
    future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(future, -1e4).softmax(-1) @ v


@wrong("fills with -1e9", mistake="a number that scores can go below", kin=True)
def lower(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Five zeros more."""
    scores = q @ k.mT / q.size(-1) ** 0.5
    past = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return torch.where(past, scores, -1e9).softmax(-1) @ v


@wrong("adds -1e4 to later scores", mistake="a number that is added to later scores", kin=True)
def added(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """On top of whatever they are."""
    scores = q @ k.mT / q.size(-1) ** 0.5
    return (scores - 1e4 * torch.ones_like(scores).triu(1)).softmax(-1) @ v


@wrong("hides one token too few", mistake="one token further")
def one_further(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The next one is seen."""
    scores = q @ k.mT / q.size(-1) ** 0.5
    future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(2)
    return scores.masked_fill(future, -torch.inf).softmax(-1) @ v


line_up(shows_weak_mask, "weak_mask")
