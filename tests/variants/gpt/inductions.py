"""Lesson 14: induction_score."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

SCORE = "induction_score"


def twice(weights: Tensor, period: int) -> None:
    """The given lines."""
    if period < 1 or period >= weights.shape[-1]:
        raise ValueError("no second period")


def query_by_query(weights: Tensor, period: int) -> Tensor:
    twice(weights, period)
    found = []
    for t in range(period, weights.size(2)):
        found.append(weights[:, :, t, t - period + 1])
    return torch.stack(found).mean(dim=0).mean(dim=0)


slips(
    SCORE,
    query_by_query,
    {
        "the occurrence itself": {"t - period + 1": "t - period"},
        "one place too far": {"t - period + 1": "min(t - period + 2, weights.size(2) - 1)"},
        "the first period counts": {"range(period,": "range(period - 1,"},
        "divided by all queries": {".mean(dim=0).mean(dim=0)": ".sum(dim=0).mean(dim=0) / weights.size(2)"},
        "mean over the heads": {".mean(dim=0).mean(dim=0)": ".mean()"},
        "one number for each text": {".mean(dim=0).mean(dim=0)": ".mean(dim=0).mean(dim=1)"},
        "keys and queries exchanged": {"t, t - period + 1": "t - period + 1, t"},
        "the sum instead of the mean": {".mean(dim=0).mean(dim=0)": ".sum(dim=0).mean(dim=0)"},
        "only the second period": {"weights.size(2))": "min(2 * period, weights.size(2)))"},
        "only the first text": {".mean(dim=0).mean(dim=0)": ".mean(dim=0)[0]"},
    },
)


def by_indices(weights: Tensor, period: int) -> Tensor:
    twice(weights, period)
    asks = torch.arange(period, weights.size(-1))
    reads = asks + 1 - period
    picked = weights[..., asks, reads]
    return picked.mean(-1).mean(0)


slips(
    SCORE,
    by_indices,
    {
        "the occurrence itself": {"asks + 1 - period": "asks - period"},
        "the first period counts": {"torch.arange(period,": "torch.arange(period - 1,"},
        "divided by all queries": {"picked.mean(-1)": "picked.sum(-1).div(weights.size(-1))"},
        "mean over the heads": {"picked.mean(-1).mean(0)": "picked.mean()"},
        "one number for each text": {"picked.mean(-1).mean(0)": "picked.mean(-1).mean(1)"},
        "keys and queries exchanged": {"asks, reads]": "reads, asks]"},
        "the sum instead of the mean": [
            {"picked.mean(-1).mean(0)": "picked.sum(-1).mean(0)"},
            {"picked.mean(-1).mean(0)": "picked.sum(-1).sum(0)"},
        ],
        "the largest weight": {"picked.mean(-1).mean(0)": "picked.amax(-1).amax(0)"},
        "only the first text": {"picked.mean(-1).mean(0)": "picked.mean(-1)[0]"},
        "mean over the heads + keys and queries exchanged": {
            "asks, reads]": "reads, asks]",
            "picked.mean(-1).mean(0)": "picked.mean()",
        },
    },
)


def by_mask(weights: Tensor, period: int) -> Tensor:
    """A matrix that is 1 where a head should look."""
    twice(weights, period)
    size = weights.size(-1)
    row, column = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    wanted = ((row - column) == period - 1) & (row >= period)
    total = (weights * wanted).sum(dim=(0, 2, 3))
    return total / (wanted.sum() * weights.size(0))


slips(
    SCORE,
    by_mask,
    {
        "the occurrence itself": {"== period - 1": "== period"},
        "the first period counts": {" & (row >= period)": ""},
        "divided by all queries": {"wanted.sum() *": "size *"},
        "mean over the heads": {"return total /": "return total.mean() /"},
        "keys and queries exchanged": {"(row - column)": "(column - row)", "(row >= period)": "(column >= period)"},
        "the sum instead of the mean": [
            {"total / (wanted.sum() * weights.size(0))": "total / weights.size(0)"},
            {"total / (wanted.sum() * weights.size(0))": "total"},
        ],
        "only the second period": {"(row >= period)": "(row >= period) & (row < 2 * period)"},
    },
)

Ends = Callable[[Tensor], Any]


def scoring(
    key: Callable[[int, int], int] = lambda t, period: t - period + 1,
    first: Callable[[int], int] = lambda period: period,
    last: Callable[[int, int], int] = lambda period, size: size,
    turned: bool = False,
    end: Ends = lambda found: found.mean(dim=(0, 2)),
) -> Any:
    """A score by places, of which some are others."""

    def score(weights: Tensor, period: int) -> Any:
        twice(weights, period)
        size = weights.size(-1)
        pairs = [(t, key(t, period)) for t in range(first(period), last(period, size))]
        pairs = [(t, k) for t, k in pairs if k < size]
        rows = weights.transpose(-1, -2) if turned else weights
        return end(torch.stack([rows[..., t, k] for t, k in pairs], dim=-1))

    return score


def wrong(mistake: str, **other: Any) -> None:
    disguise(SCORE, mistake)(scoring(**other))


correct(SCORE)(scoring())
wrong("the occurrence itself", key=lambda t, period: t - period)
wrong("one place too far", key=lambda t, period: t - period + 2)
wrong("the first period counts", first=lambda period: period - 1)
wrong("mean over the heads", end=lambda found: found.mean())
wrong("one number for each text", end=lambda found: found.mean(-1).mean(-1))
wrong("keys and queries exchanged", turned=True)
wrong("the sum instead of the mean", end=lambda found: found.mean(0).sum(-1))
wrong("the largest weight", end=lambda found: found.flatten(2).amax(-1).amax(0))
wrong("only the second period", last=lambda period, size: min(size, 2 * period))
wrong("only the first text", end=lambda found: found[0].mean(-1))


@disguise(SCORE, "divided by all queries")
def by_all(weights: Tensor, period: int) -> Tensor:
    size = weights.size(-1)
    return query_by_query(weights, period) * (size - period) / size


unlisted(SCORE)(scoring(end=lambda found: 1 - found.mean(dim=(0, 2))))
unlisted(SCORE)(scoring(end=lambda found: found.log().mean(dim=(0, 2)).exp()))
unlisted(SCORE)(scoring(end=lambda found: found.mean(dim=(0, 2)).sqrt()))


def through_a_stencil(weights: Tensor, period: int) -> Tensor:
    twice(weights, period)
    n = weights.shape[-1]
    hit = torch.zeros(n, n)
    for q in range(period, n):
        hit[q, q - period + 1] = 1
    return (weights * hit).sum(dim=(-1, -2)).mean(dim=0) / (n - period)


slips(
    SCORE,
    through_a_stencil,
    {
        "the occurrence itself": {"q - period + 1": "q - period"},
        "the query's own place": {"q - period + 1": "q"},
        "divided by one query too many": {"(n - period)": "(n - period + 1)"},
        "divided by one query too few": {"(n - period)": "(n - period - 1)"},
        "only one query": {"range(period, n)": "range(period, period + 1)", "(n - period)": "1"},
        "the sum instead of the mean": {".mean(dim=0)": ".sum(dim=0)"},
        "the largest weight": {".mean(dim=0)": ".amax(dim=0)"},
        "the occurrence itself + only the first text": {"q - period + 1": "q - period", ".mean(dim=0)": "[0]"},
        "mean over the heads + keys and queries exchanged": {
            "hit[q, q - period + 1]": "hit[q - period + 1, q]",
            ".mean(dim=0)": ".mean()",
        },
    },
)


@disguise(SCORE, "the query's own place")
def looks_at_itself(weights: Tensor, period: int) -> Tensor:
    twice(weights, period)
    return torch.einsum("bhqq->bhq", weights)[..., period:].mean((0, 2))


@disguise(SCORE, "divided by one query too few")
def one_too_few(weights: Tensor, period: int) -> Tensor:
    twice(weights, period)
    queries = weights.size(2) - period
    return by_indices(weights, period) * queries / (queries - 1)


@disguise(SCORE, "only one query")
def only_the_first_query(weights: Tensor, period: int) -> Tensor:
    twice(weights, period)
    return weights[:, :, period, 1].mean(0)


@disguise(SCORE, "too much is refused")
def two_whole_periods(weights: Tensor, period: int) -> Tensor:
    if weights.size(-1) < 2 * period:
        raise ValueError("two periods")
    return by_indices(weights, period)


@disguise(SCORE, "too much is refused")
def two_tokens_at_least(weights: Tensor, period: int) -> Tensor:
    if period == 1:
        raise ValueError("a period of one token")
    return by_indices(weights, period)


@disguise(SCORE, "divided by all weights")
def of_the_whole_square(weights: Tensor, period: int) -> Tensor:
    twice(weights, period)
    places = torch.arange(weights.size(-1))
    chosen = (places == places[:, None] - period + 1) & (places[:, None] >= period)
    return (weights * chosen).mean(dim=(0, 2, 3))


@disguise(SCORE, "the offset has another sign")
def above_the_diagonal(weights: Tensor, period: int) -> Tensor:
    twice(weights, period)
    return torch.diagonal(weights, period + 1, 2, 3)[:, :, 1:].mean(-1).mean(0)


@disguise(SCORE, "the offset has another sign")
def farther_below(weights: Tensor, period: int) -> Tensor:
    twice(weights, period)
    return torch.diagonal(weights, -period - 1, 2, 3)[:, :, 1:].mean(-1).mean(0)


@disguise(SCORE, "another number of each weight")
def of_squares(weights: Tensor, period: int) -> Tensor:
    return by_indices(weights**2, period)
