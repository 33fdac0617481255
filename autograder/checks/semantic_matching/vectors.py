"""Checks of vectors of texts: mean_pool and cosine_scores."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

WIDTH = 5

# mean_pool ----------------------------------------------------------------------------

mean_pool = Exercise(
    "mean_pool",
    points=2,
    hints=(
        "A row has two tokens and three places of padding. Which vectors are added up, and by what is the sum divided: by 2 or by 5? And what if the row has no token at all?",
        "```python\nkept = ...    # hidden, with zeros on the padding\ncounts = ...  # how many tokens each row has, (batch, 1)\nreturn ...    # the sum of what is kept, by the counts; what about a count of 0?\n```",
        "`hidden.masked_fill(~mask.unsqueeze(-1), 0.0)` keeps the tokens, `mask.sum(dim=1, keepdim=True)` counts them, and `.clamp(min=1)` makes 1 of a count of 0.",
    ),
    traps={
        "RuntimeError: The size of tensor a (...) must match the size of tensor b (...) at non-singleton dimension ...": "the mask has a boolean for each token and no dimension of features: `mask.unsqueeze(-1)`. The counts want `keepdim=True`.",
        "RuntimeError: mean(): could not infer output dtype. ...": "booleans have no mean; they have a sum.",
        "RuntimeError: Subtraction, the `-` operator, with a bool tensor is not supported. ...": "a boolean mask is turned over by `~mask`.",
        "TypeError: ~ (operator.invert) is only implemented on integer and Boolean-type tensors": "turn the mask over first, and make numbers of it afterwards.",
    },
)


def text_mask(draw: Draw, *rows: str) -> Tensor:
    """A mask from texts such as "110": 1 for a token, 0 for padding."""
    return draw.keep("mask", torch.tensor([[one == "1" for one in row] for row in rows]))


def hidden_of(draw: Draw, mask: Tensor, **more: Any) -> Tensor:
    """Vectors for all places, those of the padding too."""
    return draw.tensor("hidden", *mask.shape, WIDTH, shift=0.5, **more)


@mean_pool.probe("is the mean over the tokens of each row, without the padding", float64=True)
def on_the_right(mean_pool: Callable, draw: Draw) -> Any:
    mask = text_mask(draw, "110000", "111110", "111000", "111111")
    return mean_pool(hidden_of(draw, mask), mask)


@mean_pool.probe("does the same where the padding stands in front, or in between", float64=True)
def elsewhere(mean_pool: Callable, draw: Draw) -> Any:
    mask = text_mask(draw, "0000111", "0111111", "1010011")
    some_zeros = hidden_of(draw, mask).clamp(min=0)
    some_zeros[1, 3] = 0  # a token whose features are all zero is one, too
    return mean_pool(draw.keep("some zeros", some_zeros), mask)


@mean_pool.probe("gives a text the same vector alone as beside a longer one", rung="invariants", float64=True)
def alone_and_in_a_batch(mean_pool: Callable, draw: Draw) -> Any:
    short, long = draw.tensor("short", 1, 2, WIDTH), draw.tensor("long", 1, 5, WIDTH)
    whatever = draw.tensor("on the padding", 1, 3, WIDTH, scale=9)
    both = draw.keep("both", torch.cat([torch.cat([short, whatever], dim=1), long]))
    mask = text_mask(draw, "11000", "11111")
    return {"alone": mean_pool(short, mask[:1, :2]), "beside a longer text": mean_pool(both, mask)[:1]}


@mean_pool.probe("lets the gradient reach every token, and none of the padding", rung="gradients")
def pooled_gradients(mean_pool: Callable, draw: Draw) -> Any:
    mask = text_mask(draw, "1100", "1111", "0111")
    hidden = hidden_of(draw, mask, requires_grad=True)
    return draw.gradients(mean_pool(hidden, mask), hidden=hidden)


@mean_pool.probe("gives a row without a token zeros", rung="edges", float64=True)
def without_a_token(mean_pool: Callable, draw: Draw) -> Any:
    mask = text_mask(draw, "1110", "0000", "1000")
    return mean_pool(hidden_of(draw, mask), mask)


@mean_pool.probe("works for one text, and for one token", rung="edges", float64=True)
def few_texts(mean_pool: Callable, draw: Draw) -> Any:
    one, token = (torch.ones(shape, dtype=torch.bool) for shape in ((1, 4), (3, 1)))
    hidden = draw.tensor("hidden", 3, 4, WIDTH)
    return {
        "one text": mean_pool(hidden[:1], one),
        "one token": mean_pool(hidden[:, :1], token),
    }


@mean_pool.probe("raises a ValueError for a mask of numbers, or of another shape", rung="invariants")
def refuses_masks(mean_pool: Callable, draw: Draw) -> Any:
    mask = text_mask(draw, "110", "111")
    hidden = hidden_of(draw, mask)
    mean_pool(hidden, mask)  # the blank stub must show as blank
    return {
        "numbers": raised(lambda: mean_pool(hidden, mask.long())),
        "another shape": raised(lambda: mean_pool(hidden, mask[:, :2])),
    }


# cosine_scores ----------------------------------------------------------------------------

cosine_scores = Exercise(
    "cosine_scores",
    points=1,
    forbidden=("cosine_similarity", "sklearn"),
    hints=(
        "Two vectors of length 1: what is their cosine? So what has to happen to the vectors first, and along which dimension?",
        "```python\nqueries = ...    # each row of length 1\ndocuments = ...  # each row of length 1\nreturn ...       # every row of the one with every row of the other\n```",
        "`F.normalize(x, dim=-1)` makes rows of length 1, and leaves a row of zeros as it is. Then one matrix product, with `documents.T`.",
    ),
    traps={
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (...)": "queries are (queries, d_model), documents (documents, d_model): one of them has to be turned over, `documents.T`.",
        "RuntimeError: The size of tensor a (...) must match the size of tensor b (...) at non-singleton dimension ...": "every query meets every document: a matrix product. There may be more of the one than of the other. Or the lengths are divided by without `keepdim=True`.",
    },
)


def of_lengths(draw: Draw, name: str, count: int, **more: Any) -> Tensor:
    """Vectors of very different lengths, none near zero."""
    lengths = 0.3 + 4 * draw.tensor(f"{name} lengths", count, 1).abs()
    drawn = draw.tensor(f"{name} drawn", count, WIDTH)
    made = (drawn / drawn.norm(dim=1, keepdim=True) * lengths).requires_grad_(more.get("requires_grad", False))
    return draw.keep(name, made)


@cosine_scores.probe("is the cosine of every query with every document", float64=True)
def every_pair(cosine_scores: Callable, draw: Draw) -> Any:
    return cosine_scores(of_lengths(draw, "queries", 3), of_lengths(draw, "documents", 4))


@cosine_scores.probe("does not change with the length of a vector", rung="invariants", float64=True)
def other_lengths(cosine_scores: Callable, draw: Draw) -> Any:
    queries, documents = of_lengths(draw, "queries", 2), of_lengths(draw, "documents", 3)
    longer = draw.keep("longer", queries * torch.tensor([[7.0], [0.2]]))
    return {
        "as they are": cosine_scores(queries, documents),
        "queries of other lengths": cosine_scores(longer, documents),
    }


@cosine_scores.probe("lets the gradient reach both sides", rung="gradients")
def cosine_gradients(cosine_scores: Callable, draw: Draw) -> Any:
    queries = of_lengths(draw, "queries", 3, requires_grad=True)
    documents = of_lengths(draw, "documents", 2, requires_grad=True)
    return draw.gradients(cosine_scores(queries, documents), queries=queries, documents=documents)


@cosine_scores.probe("scores a vector of zeros 0, and works for one vector of each side", rung="edges", float64=True)
def odd_vectors(cosine_scores: Callable, draw: Draw) -> Any:
    queries, documents = of_lengths(draw, "queries", 3), of_lengths(draw, "documents", 4)
    zeros = draw.keep("zeros", queries * torch.tensor([[1.0], [0.0], [1.0]]))
    return {
        "a query of zeros": cosine_scores(zeros, documents),
        "a document of zeros": cosine_scores(queries, zeros),
        "one of each": cosine_scores(queries[:1], documents[:1]),
    }


@cosine_scores.probe("raises a ValueError for vectors of two widths", rung="invariants")
def refuses_widths(cosine_scores: Callable, draw: Draw) -> Any:
    queries = of_lengths(draw, "queries", 3)
    cosine_scores(queries, queries)  # the blank stub must show as blank
    return raised(lambda: cosine_scores(queries, queries[:, :3]))
