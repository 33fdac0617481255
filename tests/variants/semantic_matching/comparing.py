"""Lesson 17: cosine_scores."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from tests.variants import correct, disguise, slips

COSINE = "cosine_scores"


def given(queries: Tensor, documents: Tensor) -> None:
    """The given ValueError."""
    if queries.shape[-1] != documents.shape[-1]:
        raise ValueError("widths")


def by_hand(queries: Tensor, documents: Tensor) -> Tensor:
    given(queries, documents)
    dots = torch.einsum("qd,nd->qn", queries, documents)
    long = queries.pow(2).sum(1).sqrt()[:, None]
    other = documents.pow(2).sum(1).sqrt()[None, :]
    return dots / (long * other).clamp(min=1e-12)


slips(
    COSINE,
    by_hand,
    {
        "a dot product": {" / (long * other).clamp(min=1e-12)": ""},
        "one side as it is": [{"(long * other)": "long"}, {"(long * other)": "other"}],
        "a vector of zeros becomes NaN": {".clamp(min=1e-12)": ""},
        "upside down": {"return dots": "return -dots"},
        "from 0 to 1": {
            "return dots / (long * other).clamp(min=1e-12)": "return (dots / (long * other).clamp(min=1e-12) + 1) / 2"
        },
        "divided by squares": {
            "queries.pow(2).sum(1).sqrt()": "queries.pow(2).sum(1)",
            "documents.pow(2).sum(1).sqrt()": "documents.pow(2).sum(1)",
        },
        "distances instead of scores": {
            "return dots / (long * other).clamp(min=1e-12)": "return 1 - dots / (long * other).clamp(min=1e-12)"
        },
        "queries and documents exchanged": {
            "return dots / (long * other).clamp(min=1e-12)": "return (dots / (long * other).clamp(min=1e-12)).T"
        },
    },
)


def normed(queries: Tensor, documents: Tensor) -> Tensor:
    given(queries, documents)
    left = queries / queries.norm(dim=1, keepdim=True).clamp(min=1e-8)
    right = documents / documents.norm(dim=1, keepdim=True).clamp(min=1e-8)
    return torch.matmul(left, right.transpose(0, 1))


slips(
    COSINE,
    normed,
    {
        "one side as it is": [
            {" / queries.norm(dim=1, keepdim=True).clamp(min=1e-8)": ""},
            {" / documents.norm(dim=1, keepdim=True).clamp(min=1e-8)": ""},
        ],
        "a dot product": {
            " / queries.norm(dim=1, keepdim=True).clamp(min=1e-8)": "",
            " / documents.norm(dim=1, keepdim=True).clamp(min=1e-8)": "",
        },
        "normalized over dimension 0": {
            "queries.norm(dim=1,": "queries.norm(dim=0,",
            "documents.norm(dim=1,": "documents.norm(dim=0,",
        },
        "a vector of zeros becomes NaN": {
            "queries.norm(dim=1, keepdim=True).clamp(min=1e-8)": "queries.norm(dim=1, keepdim=True)",
            "documents.norm(dim=1, keepdim=True).clamp(min=1e-8)": "documents.norm(dim=1, keepdim=True)",
        },
        "queries and documents exchanged": {
            "torch.matmul(left, right.transpose(0, 1))": "torch.matmul(right, left.transpose(0, 1))"
        },
        "the sum instead of the length": {
            "queries.norm(dim=1,": "queries.norm(p=1, dim=1,",
            "documents.norm(dim=1,": "documents.norm(p=1, dim=1,",
        },
        "divided by the root of the width": {"right.transpose(0, 1))": "right.transpose(0, 1)) / left.size(1) ** 0.5"},
    },
)


def through_distances(queries: Tensor, documents: Tensor) -> Tensor:
    given(queries, documents)
    q, d = (torch.nn.functional.normalize(one) for one in (queries, documents))
    apart = (q[:, None] - d).square().sum(-1)
    lengths = q.square().sum(1)[:, None] + d.square().sum(1)
    return (lengths - apart) / 2


slips(
    COSINE,
    through_distances,
    {
        "distances instead of scores": {"return (lengths - apart) / 2": "return apart.sqrt()"},
        "a dot product": {"(torch.nn.functional.normalize(one) for one in (queries, documents))": "queries, documents"},
        "upside down": {"(lengths - apart) / 2": "(apart - lengths) / 2"},
        "normalized over dimension 0": {"normalize(one)": "normalize(one, dim=0)"},
        "queries and documents exchanged": {"return (lengths - apart) / 2": "return ((lengths - apart) / 2).T"},
    },
)


def looped(unit: Any, score: Any, turned: bool = False) -> Any:
    """A pair at a time."""

    def compare(queries: Tensor, documents: Tensor) -> Tensor:
        given(queries, documents)
        left, right = unit(queries), unit(documents)
        columns = [score(left, row) for row in right]
        made = torch.stack(columns) if columns else left.new_zeros(0, len(left))
        return made if turned else made.T

    return compare


def unit(rows: Tensor) -> Tensor:
    return torch.stack([row / row.norm() if row.any() else row for row in rows]) if len(rows) else rows


def dot(left: Tensor, row: Tensor) -> Tensor:
    return (left * row).sum(-1)


correct(COSINE)(looped(unit, dot))
disguise(COSINE, "a dot product")(looped(lambda rows: rows, dot))
disguise(COSINE, "queries and documents exchanged")(looped(unit, dot, turned=True))
disguise(COSINE, "upside down")(looped(unit, lambda left, row: -dot(left, row)))
disguise(COSINE, "from 0 to 1")(looped(unit, lambda left, row: 0.5 + dot(left, row) / 2))
disguise(COSINE, "distances instead of scores")(looped(lambda rows: rows, lambda left, row: (left - row).norm(dim=-1)))
disguise(COSINE, "divided by the root of the width")(looped(unit, lambda left, row: dot(left, row) * len(row) ** -0.5))
disguise(COSINE, "divided by squares")(
    looped(lambda rows: rows / (rows @ rows.T).diagonal()[:, None].clamp(min=1e-12), dot)
)
disguise(COSINE, "the sum instead of the length")(
    looped(lambda rows: rows / rows.abs().sum(1, keepdim=True).clamp(min=1e-12), dot)
)
disguise(COSINE, "a vector of zeros becomes NaN")(
    looped(lambda rows: rows / (rows * rows).sum(1, keepdim=True) ** 0.5, dot)
)
disguise(COSINE, "normalized over dimension 0")(
    looped(lambda rows: rows / (rows * rows).sum(0).sqrt().clamp(min=1e-12), dot)
)


@disguise(COSINE, "one length for all rows")
def c_all_at_once(queries: Tensor, documents: Tensor) -> Any:
    given(queries, documents)
    left, right = (one / one.square().sum().sqrt().clamp(min=1e-12) for one in (queries, documents))
    return left @ right.mT


@disguise(COSINE, "one side as it is")
def c_one_side(queries: Tensor, documents: Tensor) -> Any:
    given(queries, documents)
    return unit(queries) @ documents.mT


@disguise(COSINE, "angles instead of cosines")
def c_angles(queries: Tensor, documents: Tensor) -> Any:
    given(queries, documents)
    return (unit(queries) @ unit(documents).mT).clamp(-0.999, 0.999).acos()


@disguise(COSINE, "the mean is taken off")
def c_centred(queries: Tensor, documents: Tensor) -> Any:
    """Correlations."""
    given(queries, documents)
    q, d = (one - one.mean(1, keepdim=True) for one in (queries, documents))
    return unit(q) @ unit(d).mT


@disguise(COSINE, "negative cosines are lost")
def c_absolute(queries: Tensor, documents: Tensor) -> Any:
    given(queries, documents)
    return (unit(queries) @ unit(documents).mT).abs()


@disguise(COSINE, "a vector of zeros becomes NaN")
def c_documents_of_zeros(queries: Tensor, documents: Tensor) -> Any:
    given(queries, documents)
    return F.normalize(queries) @ (documents / documents.pow(2).sum(1, keepdim=True).sqrt()).T


@disguise(COSINE, "a small number is added to the length")
def c_nearly(queries: Tensor, documents: Tensor) -> Any:
    given(queries, documents)
    left, right = (side / (torch.linalg.vector_norm(side, dim=1, keepdim=True) + 0.01) for side in (queries, documents))
    return left @ right.mT


@disguise(COSINE, "short vectors stay as they are")
def c_no_shorter_than_one(queries: Tensor, documents: Tensor) -> Any:
    given(queries, documents)
    left, right = (side / side.square().sum(1, keepdim=True).clamp(min=1).sqrt() for side in (queries, documents))
    return torch.einsum("qd,nd->qn", left, right)


@disguise(COSINE, "a vector of zeros scores 1")
def c_zeros_are_near(queries: Tensor, documents: Tensor) -> Any:
    scores = by_hand(queries, documents)
    empty = (queries == 0).all(1)[:, None] | (documents == 0).all(1)
    return scores.masked_fill(empty, 1.0)


@disguise(COSINE, "each query with one document")
def c_pairs(queries: Tensor, documents: Tensor) -> Any:
    return torch.diagonal(by_hand(queries, documents))


@disguise(COSINE, "all scores in one row")
def c_flat(queries: Tensor, documents: Tensor) -> Any:
    return by_hand(queries, documents).reshape(-1)


@disguise(COSINE, "cut off from the gradient")
def c_cut_off(queries: Tensor, documents: Tensor) -> Any:
    return by_hand(queries.detach(), documents.detach()).clone()


@disguise(COSINE, "rounded")
def c_rounded(queries: Tensor, documents: Tensor) -> Any:
    return (100 * by_hand(queries, documents)).round() / 100


@disguise(COSINE, "the lengths are no factors")
def lengths_added(queries: Tensor, documents: Tensor) -> Tensor:
    given(queries, documents)
    dots = torch.einsum("qd,nd->qn", queries, documents)
    long = queries.pow(2).sum(1).sqrt()[:, None]
    other = documents.pow(2).sum(1).sqrt()[None, :]
    return dots / (long + other).clamp(min=1e-12)


@disguise(COSINE, "the lengths get no gradient")
def lengths_as_numbers(queries: Tensor, documents: Tensor) -> Tensor:
    given(queries, documents)
    with torch.no_grad():
        sizes = torch.outer(queries.square().sum(1).sqrt(), documents.square().sum(1).sqrt())
    return queries @ documents.mT / sizes.clamp(min=1e-12)


disguise(COSINE, "the scores are changed once more")(looped(unit, lambda left, row: dot(left, row) / 0.05))


@disguise(COSINE, "query i without document i")
def without_the_diagonal(queries: Tensor, documents: Tensor) -> Any:
    table = looped(unit, dot)(queries, documents)
    return table * torch.tensor([[float(i != j) for j in range(len(documents))] for i in range(len(queries))]).to(table)


@disguise(COSINE, "a vector of zeros scores -1")
def pointing_away(queries: Tensor, documents: Tensor) -> Any:
    table = looped(unit, dot)(queries, documents)
    return table.masked_fill(~queries.any(1)[:, None] | ~documents.any(1), -1.0)
