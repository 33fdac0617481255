"""Room 7: one ignored id for two tasks, so that a class is never learned."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.probing.lineup import line_up, own_or, right, wrong
from autograder.stand_ins import in_the_wild as stand_ins

two_task_loss = Exercise(
    "two_task_loss",
    points=2,
    wild=True,
    hints=(
        "Which label is ignored, and in which of the two tasks does it mean something? Try a batch in which every pair has the label 0.",
        "```python\ntokens = ...  # cross-entropy of the tokens, those of label 0 left out\npairs = ...   # cross-entropy of the pairs, all of them\nreturn tokens + pairs\n```",
        "`F.cross_entropy(pair_scores, pair_labels)` without `ignore_index`; the tokens keep theirs.",
    ),
    traps={
        "RuntimeError: Expected target size ...": "`F.cross_entropy` wants the classes in dimension 1: flatten batch and places into one, or `transpose(1, 2)`.",
        "IndexError: Target ... is out of bounds.": "scores and labels of the two tasks have met crosswise: a token's label is an id, a pair's is 0 or 1.",
    },
)

shows_unlearned_class = Exercise(
    "shows_unlearned_class",
    points=3,
    shows=two_task_loss,
    hints=(
        "The loss is a number that you can compute yourself, by `log_softmax`. Which batches tell most? One of pairs of label 0 alone, one of both, and tokens of which some have no label.",
        "```python\nfor pair_labels in ...:         # pairs of one class, of the other, of both\n    ...                         # draw scores and token labels\n    wanted = ...                # by hand\n    got = implementation(token_scores, token_labels, pair_scores, pair_labels)\n    if ...:                     # apart by more than rounding\n        return True\nreturn False\n```",
        "A class can be lost in the gradient alone. Let the scores require gradients, call `got.backward()`, and compare `pair_scores.grad` with `(softmax - one_hot) / batch`; that of the tokens likewise.",
    ),
    traps={
        "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn": "some implementations give a loss without a graph. Ask `got.requires_grad` first: without it nothing is learned.",
        "RuntimeError: Trying to backward through the graph a second time": "make new scores for every call.",
        "TypeError: ...() missing ... required positional arguments: ...": "an implementation is called as `two_task_loss` is: scores and labels of the tokens, then those of the pairs.",
    },
)

Scores = tuple[Tensor, Tensor, Tensor, Tensor]


def batch(draw: Draw, pairs: Tensor) -> Scores:
    """Scores and labels of both tasks; a third of the tokens has a label, at least one."""
    asked = draw.booleans("asked", len(pairs), 5, chance=0.35).clone()
    asked[0, 1] = True
    labels = draw.integers("ids", len(pairs), 5, low=1, high=7).masked_fill(~asked, 0)
    tokens = draw.tensor("token_scores", len(pairs), 5, 7, scale=2)
    return (
        tokens,
        draw.keep("labels", labels),
        draw.tensor("pair_scores", len(pairs), 2, scale=2),
        draw.keep("pairs", pairs),
    )


@two_task_loss.probe("adds the mean of the tokens that have a label and the mean of all pairs")
def both_classes(two_task_loss: Callable, draw: Draw) -> Any:
    return two_task_loss(*batch(draw, torch.tensor([1, 0, 0, 1, 1, 0])))


@two_task_loss.probe("counts pairs of each class where there is no other")
def one_class(two_task_loss: Callable, draw: Draw) -> Any:
    return [two_task_loss(*batch(draw, torch.full((4,), one))) for one in (0, 1)]


@two_task_loss.probe("has a gradient for the scores of every pair, and of every token with a label", rung="gradients")
def gradients(two_task_loss: Callable, draw: Draw) -> Any:
    tokens, labels, pairs, wanted = batch(draw, torch.tensor([0, 1, 0]))
    tokens, pairs = tokens.requires_grad_(), pairs.requires_grad_()
    return draw.gradients(two_task_loss(tokens, labels, pairs, wanted), tokens=tokens, pairs=pairs)


@two_task_loss.probe("works for one pair of one token", rung="edges")
def smallest(two_task_loss: Callable, draw: Draw) -> Any:
    tokens, pairs = draw.tensor("tokens", 1, 1, 4), draw.tensor("pairs", 1, 2)
    return [two_task_loss(tokens, torch.tensor([[3]]), pairs, torch.tensor([one])) for one in (0, 1)]


# Implementations that everybody may see ------------------------------------------------------


@right("is written with log_softmax")
def stand_in(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    """As in the stand-ins."""
    return stand_ins.two_task_loss(token_scores, token_labels, pair_scores, pair_labels)


@right("is your own repair, once it has passed in this kernel")
def your_repair(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    """The stand-in until then."""
    return own_or(stand_ins.two_task_loss)(token_scores, token_labels, pair_scores, pair_labels)


@wrong("the page shows", mistake="pairs of class 0 ignored")
def as_shown(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    """One criterion."""
    criterion = torch.nn.CrossEntropyLoss(ignore_index=0)
    return criterion(token_scores.transpose(1, 2), token_labels) + criterion(pair_scores, pair_labels)


@wrong("lets tokens without a label count", mistake="tokens without a label count")
def all_tokens(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    """The other way round."""
    return F.cross_entropy(token_scores.flatten(0, 1), token_labels.flatten()) + F.cross_entropy(
        pair_scores, pair_labels
    )


@wrong("gives pairs of class 0 no weight", mistake="pairs of class 0 ignored", kin=True)
def weightless(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    """The same by weights."""
    tokens = F.cross_entropy(token_scores.transpose(1, 2), token_labels, ignore_index=0)
    return tokens + F.cross_entropy(pair_scores, pair_labels, weight=torch.tensor([0.0, 1.0]).to(pair_scores))


@wrong("cuts the pairs off from their scores", mistake="no gradient for the pairs")
def cut_off(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    """A number, and nothing behind it."""
    tokens = F.cross_entropy(token_scores.transpose(1, 2), token_labels, ignore_index=0)
    return tokens + F.cross_entropy(pair_scores.detach(), pair_labels)


line_up(shows_unlearned_class, "two_tasks")
