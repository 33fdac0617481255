"""Checks of the loss that brings pairs together: contrastive_loss."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding.shared import raised
from autograder.checks.semantic_matching.vectors import of_lengths
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

contrastive_loss = Exercise(
    "contrastive_loss",
    points=4,
    forbidden=("cosine_embedding_loss", "triplet_margin_loss"),
    hints=(
        "Row i of the scores is a question with as many answers as the batch has documents. Which answer is right? A column is a question too. And which entries of a row are neither right nor wrong?",
        "```python\nscores = ...   # cosines of all pairs, by the temperature\nif same is not None:\n    own = ...  # True on the diagonal\n    ...        # -inf where a pair means the same and is not the row's own\nright = ...    # the right column of row 0, 1, 2, ...\nreturn ...     # the mean of two cross-entropies: of the rows, and of the columns\n```",
        "`own = torch.eye(len(scores), dtype=torch.bool)`, `scores.masked_fill(same & ~own, -torch.inf)`, `right = torch.arange(len(scores))`, and `F.cross_entropy` of `scores` and of `scores.T`.",
    ),
    traps={
        "TypeError: ~ (operator.invert) is only implemented on integer and Boolean-type tensors": "`torch.eye` makes numbers unless you ask for booleans: `torch.eye(n, dtype=torch.bool)`.",
        "RuntimeError: Expected floating point type for target with class probabilities, got Long": "the right answers are one number for each row: `torch.arange(len(scores))`.",
    },
)


def pairs(draw: Draw, count: int, **more: Any) -> tuple[Tensor, Tensor]:
    """Queries, and documents that lie near them, of very different lengths."""
    queries = of_lengths(draw, "queries", count)
    lengths = of_lengths(draw, "other lengths", count).norm(dim=1, keepdim=True)
    near = queries / queries.norm(dim=1, keepdim=True) + 0.6 * draw.tensor("apart", count, queries.size(1))
    tracked = more.get("requires_grad", False)
    made = (near * lengths).detach().requires_grad_(tracked)
    return draw.keep("asking", queries.detach().requires_grad_(tracked)), draw.keep("documents", made)


def duplicates(draw: Draw, count: int, both: bool = True) -> Tensor:
    """Some pairs mean the same. Not both: query i and document j may, where query j and document i do not."""
    drawn = draw.booleans("same drawn", count, count, chance=0.3).clone()
    drawn[0, 1], drawn[1, 0], drawn[2, 0], drawn[0, 2] = True, both, False, False
    if both:
        drawn = drawn | drawn.T
        drawn[2, 0] = drawn[0, 2] = False
    return draw.keep("same", drawn | torch.eye(count, dtype=torch.bool))


@contrastive_loss.probe("is the mean cross-entropy of the right document and of the right query", float64=True)
def both_directions(contrastive_loss: Callable, draw: Draw) -> Any:
    return contrastive_loss(*pairs(draw, 5), 0.4)


@contrastive_loss.probe("divides the cosines by the temperature", float64=True)
def other_temperatures(contrastive_loss: Callable, draw: Draw) -> Any:
    queries, documents = pairs(draw, 4)
    return {f"temperature {one:g}": contrastive_loss(queries, documents, one) for one in (1.0, 0.25, 2.0)}


@contrastive_loss.probe("leaves pairs that mean the same out of it, in both directions", float64=True)
def with_duplicates(contrastive_loss: Callable, draw: Draw) -> Any:
    queries, documents = pairs(draw, 5)
    return {
        "marked both ways": contrastive_loss(queries, documents, 0.5, duplicates(draw, 5)),
        "marked one way": contrastive_loss(queries, documents, 0.5, duplicates(draw, 5, both=False)),
    }


@contrastive_loss.probe("always asks for the diagonal, whatever `same` says there", rung="edges", float64=True)
def diagonal_unmarked(contrastive_loss: Callable, draw: Draw) -> Any:
    queries, documents = pairs(draw, 4)
    same = duplicates(draw, 4).clone()
    nothing = draw.keep("nothing", torch.zeros(4, 4, dtype=torch.bool))
    same.fill_diagonal_(False)
    return {
        "the diagonal is not marked": contrastive_loss(queries, documents, 0.5, draw.keep("unmarked", same)),
        "nothing is marked": contrastive_loss(queries, documents, 0.5, nothing),
    }


@contrastive_loss.probe("does not change with the length of a vector", rung="invariants", float64=True)
def loss_of_other_lengths(contrastive_loss: Callable, draw: Draw) -> Any:
    queries, documents = pairs(draw, 3)
    longer = draw.keep("longer", queries * torch.tensor([[5.0], [0.3], [1.0]]))
    return {
        "as they are": contrastive_loss(queries, documents, 0.7),
        "longer": contrastive_loss(longer, documents, 0.7),
    }


@contrastive_loss.probe(
    "lets the gradient reach queries, documents and a temperature that is learned", rung="gradients"
)
def loss_gradients(contrastive_loss: Callable, draw: Draw) -> Any:
    queries, documents = pairs(draw, 4, requires_grad=True)
    temperature = draw.keep("temperature", torch.tensor(0.6, requires_grad=True))
    wanted = {"queries": queries, "documents": documents, "temperature": temperature}
    return draw.gradients(contrastive_loss(queries, documents, temperature), **wanted)


@contrastive_loss.probe("does so where pairs are left out, too", rung="gradients")
def loss_gradients_with_duplicates(contrastive_loss: Callable, draw: Draw) -> Any:
    queries, documents = pairs(draw, 4, requires_grad=True)
    temperature = draw.keep("temperature", torch.tensor(0.6, requires_grad=True))
    wanted = {"queries": queries, "documents": documents, "temperature": temperature}
    return draw.gradients(contrastive_loss(queries, documents, temperature, duplicates(draw, 4)), **wanted)


@contrastive_loss.probe(
    "works for one pair, for pairs that all mean the same, and at a low temperature", rung="edges", float64=True
)
def odd_batches(contrastive_loss: Callable, draw: Draw) -> Any:
    queries, documents = pairs(draw, 3)
    everywhere = draw.keep("all", torch.ones(3, 3, dtype=torch.bool))
    return {
        "one pair": contrastive_loss(queries[:1], documents[:1], 0.5),
        "all the same": contrastive_loss(queries, documents, 0.5, everywhere),
        "all the same, far from right, and a low temperature": contrastive_loss(
            queries, draw.keep("opposite", -documents), 0.0005, everywhere
        ),
        "a low temperature": contrastive_loss(queries, documents, 0.0005),
        "a low temperature, far from right": contrastive_loss(
            queries, draw.keep("shifted", documents.roll(1, 0)), 0.0005
        ),
    }


@contrastive_loss.probe("raises a ValueError for what it cannot ask", rung="invariants")
def refuses_batches(contrastive_loss: Callable, draw: Draw) -> Any:
    queries, documents = pairs(draw, 3)
    contrastive_loss(queries, documents, 0.5)  # the blank stub must show as blank
    return {
        "an empty batch": raised(lambda: contrastive_loss(queries[:0], documents[:0], 0.5)),
        "a document too few": raised(lambda: contrastive_loss(queries, documents[:2], 0.5)),
        "a temperature of 0": raised(lambda: contrastive_loss(queries, documents, 0.0)),
        "numbers in same": raised(lambda: contrastive_loss(queries, documents, 0.5, torch.eye(3))),
    }
