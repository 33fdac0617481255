"""Checks of measuring a search: recall_at_k and mean_reciprocal_rank."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# recall_at_k ----------------------------------------------------------------------------

MEASURES = ("sklearn", "torchmetrics")

recall_at_k = Exercise(
    "recall_at_k",
    points=3,
    forbidden=MEASURES,
    hints=(
        "A query looks for 3 documents, and 2 of them are among its 5 best: two thirds. What if all scores are equal: which documents are the best then, by the rule for ties?",
        "```python\norder = ...  # for each query, documents that are not relevant first\nbest = ...   # sorted by score in this order, equal ones kept as they stand; the k best\nfound = ...  # how many of these are relevant\nreturn ...   # of how many that there are; the mean over queries\n```",
        "`order = relevant.int().argsort(dim=1, stable=True)`; `scores.gather(1, order).argsort(dim=1, descending=True, stable=True)[:, :k]` are places in that order, and `relevant.gather(1, order)` says which of them are relevant. In plain Python: sort the pairs `(-score, is_relevant)`.",
    ),
    traps={
        "RuntimeError: mean(): could not infer output dtype. ...": "counts are whole numbers; divide first, and take the mean of the shares.",
        "RuntimeError: Index tensor must have the same number of dimensions as input tensor": "`gather(1, order)` wants indices of two dimensions, a row for each query.",
    },
)


def one_number(found: Any) -> Any:
    """Whether it comes in a tensor or not."""
    return found.item() if isinstance(found, Tensor) and found.numel() == 1 else found


def tensor_or_number(found: Any) -> str:
    """Which of the two it is, in words for a report."""
    return "a tensor" if isinstance(found, Tensor) else "a number"


def judged(draw: Draw, queries: int, documents: int, steps: float = 0.0, name: str = "") -> tuple[Tensor, Tensor]:
    """Scores that know a little of what is relevant, and one to four relevant documents for each query.

    With steps, scores are rounded to that many in 1, so that many are equal.
    """
    relevant = draw.booleans(f"{name}relevant drawn", queries, documents, chance=0.25).clone()
    relevant[torch.arange(queries), torch.arange(queries) % documents] = True
    scores = draw.tensor(f"{name}noise", queries, documents) + 0.7 * relevant
    if steps:
        scores = (scores * steps).round() / steps
    return draw.keep(f"{name}scores", scores), draw.keep(f"{name}relevant", relevant)


@recall_at_k.probe("is the share of a query's relevant documents among its k best, as a mean over queries")
def of_several(recall_at_k: Callable, draw: Draw) -> Any:
    scores, relevant = judged(draw, 7, 12)
    return {f"k = {k}": one_number(recall_at_k(scores, relevant, k)) for k in (2, 4, 7)}


@recall_at_k.probe("counts a tie against you", float64=True)
def recall_of_ties(recall_at_k: Callable, draw: Draw) -> Any:
    scores, relevant = judged(draw, 9, 14, steps=1.0)
    return {f"k = {k}": one_number(recall_at_k(scores, relevant, k)) for k in (1, 3, 6)}


@recall_at_k.probe("is 0 where all scores are equal, as long as other documents fill the k places", rung="edges")
def recall_of_equals(recall_at_k: Callable, draw: Draw) -> Any:
    _, relevant = judged(draw, 4, 12)
    relevant = draw.keep("few", relevant & (relevant.cumsum(dim=1) <= 2))
    flat = draw.keep("flat", torch.full((4, 12), 0.5))
    found = {f"k = {k}": one_number(recall_at_k(flat, relevant, k)) for k in (1, 10, 11, 12)}
    last = draw.keep("the last alone", (torch.arange(40) == 39)[None])  # a sort keeps the order of up to 16 by chance
    many = draw.keep("40 that are equal", torch.full((1, 40), 0.5))
    return found | {f"40 documents, k = {k}": one_number(recall_at_k(many, last, k)) for k in (10, 39)}


@recall_at_k.probe("is the share of right first answers where each query has one, and k is 1", rung="invariants")
def first_answers(recall_at_k: Callable, draw: Draw) -> Any:
    scores = draw.tensor("scores", 8, 5)
    one = torch.nn.functional.one_hot(draw.integers("wanted", 8, high=5), 5).bool()
    return one_number(recall_at_k(scores, draw.keep("one", one), 1))


@recall_at_k.probe(
    "does not change when scores are stretched or shifted, and is 1 when everything is looked at", rung="invariants"
)
def recall_of_scales(recall_at_k: Callable, draw: Draw) -> Any:
    scores, relevant = judged(draw, 5, 8)
    other = {"times 3": 3 * scores, "times 2^-20": scores * 2.0**-20, "less 100": scores - 100}
    found = {name: one_number(recall_at_k(draw.keep(name, one), relevant, 3)) for name, one in other.items()}
    return {**found, "all 8 documents": one_number(recall_at_k(scores, relevant, 8))}


@recall_at_k.probe("works for one query, one document, and documents that may not be found", rung="edges")
def odd_recalls(recall_at_k: Callable, draw: Draw) -> Any:
    scores, relevant = judged(draw, 4, 9)
    hidden = draw.booleans("hidden", 4, 9, chance=0.3)
    return {
        "one query": one_number(recall_at_k(scores[:1], relevant[:1], 2)),
        "one document": one_number(recall_at_k(scores[:2, :1], draw.keep("all", torch.ones(2, 1).bool()), 1)),
        "everything is relevant": one_number(recall_at_k(scores, draw.keep("every", torch.ones(4, 9).bool()), 3)),
        "some score -inf": one_number(
            recall_at_k(draw.keep("far", scores.masked_fill(hidden, -torch.inf)), relevant, 3)
        ),
    }


@recall_at_k.probe("raises a ValueError where nothing can be measured", rung="invariants")
def refuses_measures(recall_at_k: Callable, draw: Draw) -> Any:
    scores, relevant = judged(draw, 3, 5)
    recall_at_k(scores, relevant, 2)  # the blank stub must show as blank
    nothing = draw.keep("nothing", relevant & (torch.arange(3) != 1)[:, None])
    return {
        "k of 6 among 5": raised(lambda: recall_at_k(scores, relevant, 6)),
        "k of 0": raised(lambda: recall_at_k(scores, relevant, 0)),
        "nothing relevant": raised(lambda: recall_at_k(scores, nothing, 2)),
        "no query": raised(lambda: recall_at_k(scores[:0], relevant[:0], 2)),
    }


@recall_at_k.probe("gives a number of Python's", rung="invariants")
def recall_as_a_number(recall_at_k: Callable, draw: Draw) -> Any:
    return tensor_or_number(recall_at_k(*judged(draw, 3, 5), 2))


# mean_reciprocal_rank ----------------------------------------------------------------------------

mean_reciprocal_rank = Exercise(
    "mean_reciprocal_rank",
    points=2,
    forbidden=MEASURES,
    hints=(
        "Only the first relevant document counts. How many documents stand in front of it, those with the same score that are not relevant among them?",
        "```python\nbest = ...      # the largest score of a relevant document, (queries, 1)\nin_front = ...  # how many that are not relevant score as much or more\nreturn ...      # 1 / rank, as a mean over queries\n```",
        "`best = scores.masked_fill(~relevant, -torch.inf).amax(dim=1, keepdim=True)`, `in_front = ((scores >= best) & ~relevant).sum(dim=1)`, and the rank is `1 + in_front`.",
    ),
    traps={
        "RuntimeError: mean(): could not infer output dtype. ...": "ranks are whole numbers; take 1 / rank first, and then the mean.",
        "RuntimeError: The size of tensor a (...) must match the size of tensor b (...) at non-singleton dimension ...": "a number for each query, compared with a row for each query: `keepdim=True`.",
        "ZeroDivisionError: division by zero": "ranks begin at 1.",
    },
)


@mean_reciprocal_rank.probe("is the mean of 1 / rank of the first relevant document")
def first_ranks(mean_reciprocal_rank: Callable, draw: Draw) -> Any:
    return one_number(mean_reciprocal_rank(*judged(draw, 9, 14)))


@mean_reciprocal_rank.probe("does so where each query looks for one document")
def single_ranks(mean_reciprocal_rank: Callable, draw: Draw) -> Any:
    scores = draw.tensor("scores", 8, 7)
    one = torch.nn.functional.one_hot(draw.integers("wanted", 8, high=7), 7).bool()
    return one_number(mean_reciprocal_rank(scores, draw.keep("one", one)))


@mean_reciprocal_rank.probe("counts a tie against you")
def ranks_of_ties(mean_reciprocal_rank: Callable, draw: Draw) -> Any:
    return {
        f"{name} ties": one_number(mean_reciprocal_rank(*judged(draw, 9, 14, steps, name)))
        for name, steps in {"some": 1.5, "many": 0.6}.items()
    }


@mean_reciprocal_rank.probe("works where all scores are equal, and for one query and one document", rung="edges")
def odd_ranks(mean_reciprocal_rank: Callable, draw: Draw) -> Any:
    scores, relevant = judged(draw, 4, 9)
    flat = draw.keep("flat", torch.full((4, 9), 0.5))
    return {
        "all equal": one_number(mean_reciprocal_rank(flat, relevant)),
        "one query": one_number(mean_reciprocal_rank(scores[:1], relevant[:1])),
        "one document": one_number(mean_reciprocal_rank(scores[:2, :1], draw.keep("all", torch.ones(2, 1).bool()))),
        "all scores below 0": one_number(mean_reciprocal_rank(draw.keep("low", scores - 50), relevant)),
        "all scores far below 0": one_number(
            mean_reciprocal_rank(draw.keep("far below", (scores - 50) * 2.0**40), relevant)
        ),
        "all scores small": one_number(mean_reciprocal_rank(draw.keep("small", scores * 2.0**-20), relevant)),
    }


@mean_reciprocal_rank.probe("gives a number of Python's", rung="invariants")
def rank_as_a_number(mean_reciprocal_rank: Callable, draw: Draw) -> Any:
    return tensor_or_number(mean_reciprocal_rank(*judged(draw, 3, 5)))


@mean_reciprocal_rank.probe("raises a ValueError where nothing can be measured", rung="invariants")
def refuses_ranks(mean_reciprocal_rank: Callable, draw: Draw) -> Any:
    scores, relevant = judged(draw, 3, 5)
    mean_reciprocal_rank(scores, relevant)  # the blank stub must show as blank
    nothing = draw.keep("nothing", relevant & (torch.arange(3) != 1)[:, None])
    return {
        "nothing relevant": raised(lambda: mean_reciprocal_rank(scores, nothing)),
        "no query": raised(lambda: mean_reciprocal_rank(scores[:0], relevant[:0])),
    }
