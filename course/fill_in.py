"""What counting can do with a blank: the n-grams that reach over it, weighed by Bayes' rule.

A model of n-grams predicts from the left. But it says how likely a whole text is, and so, which token in a place makes
the text likeliest: the one that fits what stands before it, and after which what stands behind it is no surprise.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from course.kneser_ney import KneserNey


def both_sides(counted: KneserNey, row: Sequence[int], place: int, edge: int) -> Tensor:
    """The logarithm of the probability of every token at a place, from all that stands before and behind it.

    Args:
        counted: n-grams of a text in which `edge` stands between any two sentences.
        row: the tokens of a sentence; what stands at `place` does not matter.
        place: an index of row.
        edge: the id of that token.

    Returns:
        (vocab_size,).
    """
    rows, at = _tried(counted, row, place, edge)
    return counted.log_probs(rows.flatten()).view(rows.shape)[:, at:].sum(1).log_softmax(0)


def from_left(counted: KneserNey, row: Sequence[int], place: int, edge: int) -> Tensor:
    """The same from what stands before it alone."""
    rows, at = _tried(counted, row[: place + 1], place, edge)
    return counted.log_probs(rows.flatten()).view(rows.shape)[:, at].log_softmax(0)


def _tried(counted: KneserNey, row: Sequence[int], place: int, edge: int) -> tuple[Tensor, int]:
    """Every token at the place, with as many around it as an n-gram reaches, and the place's index there."""
    reach = counted.order - 1
    whole = torch.tensor([*[edge] * reach, *row, edge])
    rows = whole[place : place + 2 * reach + 1].repeat(counted.vocab_size, 1)
    rows[:, reach] = torch.arange(counted.vocab_size)
    return rows, reach
