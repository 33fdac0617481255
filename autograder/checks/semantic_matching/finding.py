"""Checks of searching: search."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding.shared import raised
from autograder.checks.semantic_matching.vectors import of_lengths
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

search = Exercise(
    "search",
    points=2,
    forbidden=("cosine_similarity", "sklearn"),
    hints=(
        "The same comparison as in training, then the k largest of each row, the largest first. What score does a document need that may not be found?",
        "```python\nscores = ...  # of every query with every document\nif mask is not None:\n    ...       # what may not be found scores -inf\n...           # each row from the largest score to the smallest, with the indices; k of them\nreturn ...    # scores, indices\n```",
        "`scores.masked_fill(~mask, -torch.inf)`, then `scores.sort(dim=1, descending=True, stable=True)`, which has `.values` and `.indices`. `topk` leaves open which of two equal documents comes first.",
    ),
    traps={
        "RuntimeError: The size of tensor a (...) must match the size of tensor b (...) at non-singleton dimension ...": "every query meets every document: `cosine_scores(queries, documents)`.",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (...)": "documents have to be turned over for a product; `cosine_scores` does it.",
        "AttributeError: 'torch.return_types.sort' object has no attribute ...": "`sort` gives two things, `.values` and `.indices`.",
    },
)


def collection(draw: Draw, count: int = 9, queries: int = 3) -> tuple[Tensor, Tensor]:
    """Queries, and documents near and far, short and long; two documents point in one direction."""
    documents = of_lengths(draw, "all documents", count).detach().clone()
    documents[-2] = 2.0 * documents[1]
    return of_lengths(draw, "queries", queries), draw.keep("documents", documents)


def separate(draw: Draw, count: int = 8, queries: int = 3) -> tuple[Tensor, Tensor]:
    """As `collection`, with no two documents in one direction."""
    return of_lengths(draw, "queries", queries), of_lengths(draw, "documents", count)


@search.probe("finds the k documents with the largest cosines, the best first", float64=True)
def nearest(search: Callable, draw: Draw) -> Any:
    return search(*separate(draw), 4)


@search.probe("finds all of them, or one alone", float64=True)
def all_and_one(search: Callable, draw: Draw) -> Any:
    queries, documents = separate(draw, 6, 4)
    return {"all": search(queries, documents, 6), "one": search(queries, documents, 1)}


@search.probe("finds nothing that a query may not find", float64=True)
def hidden_documents(search: Callable, draw: Draw) -> Any:
    queries, documents = separate(draw)
    mask = draw.booleans("mask drawn", 3, 8, chance=0.6).clone()
    mask[:, :2], mask[0, 5], mask[1, 6] = True, False, False
    return search(queries, documents, 2, draw.keep("mask", mask))


@search.probe("finds what is near everything but the query itself", rung="invariants", float64=True)
def not_itself(search: Callable, draw: Draw) -> Any:
    documents = of_lengths(draw, "documents", 6)
    others = draw.keep("others", ~torch.eye(6, dtype=torch.bool))
    return {
        "with itself": search(documents, documents, 1)[1],
        "without itself": search(documents, documents, 5, others),
    }


@search.probe("puts the smaller index first where scores are equal", rung="edges", float64=True)
def equal_documents(search: Callable, draw: Draw) -> Any:
    query = draw.keep("query", torch.tensor([[3.0, 4.0, 0.0]]))
    rows = torch.tensor([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    chosen = draw.integers("which", 40, high=3)
    return {
        "many that are equal": search(query, draw.keep("documents", rows[chosen]), 30),
        "all are equal": search(query, draw.keep("flat", torch.ones(20, 3)), 20)[1],
    }


@search.probe("finds documents that point away, where the query may find no others", rung="edges", float64=True)
def odd_searches(search: Callable, draw: Draw) -> Any:
    queries, documents = separate(draw)
    away = draw.keep("away", -queries[:1] * torch.tensor([[1.0], [2.0], [3.0]]) + 0.3 * documents[:3])
    mask = draw.keep("mask", torch.tensor([[True, False, True]]))
    opposite = draw.keep("opposite", torch.tensor([[-2.0, 0.0], [-3.0, 0.0]]))
    last = draw.keep("the last alone", torch.tensor([[False, True]]))
    return {
        "away": search(queries[:1], away, 2, mask),
        "the very opposite": search(draw.keep("query", torch.tensor([[1.0, 0.0]])), opposite, 1, last),
        "a document of zeros": search(
            queries, draw.keep("a row of zeros", documents * (torch.arange(8) != 2)[:, None]), 8
        ),
    }


@search.probe("raises a ValueError for more documents than there are to find", rung="invariants")
def refuses_searches(search: Callable, draw: Draw) -> Any:
    queries, documents = separate(draw)
    mask = torch.zeros(3, 8, dtype=torch.bool)
    mask[:, :2] = True
    search(queries, documents, 2)  # the blank stub must show as blank
    return {
        "k of 9 among 8": raised(lambda: search(queries, documents, 9)),
        "k of 0": raised(lambda: search(queries, documents, 0)),
        "3 where 2 may be found": raised(lambda: search(queries, documents, 3, mask)),
    }
