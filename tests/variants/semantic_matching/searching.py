"""Lesson 17: search."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.stand_ins.semantic_matching import cosine_scores
from tests.variants import correct, disguise, slips, unlisted

SEARCH = "search"


def given(queries: Tensor, documents: Tensor, k: int, mask: Any) -> None:
    """The given ValueErrors."""
    if not 1 <= k <= len(documents):
        raise ValueError("k")
    if mask is not None and int(mask.sum(1).min()) < k:
        raise ValueError("mask")


def by_argsort(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    given(queries, documents, k, mask)
    table = cosine_scores(queries, documents)
    if isinstance(mask, Tensor):
        table = table.where(mask, -torch.inf)
    order = table.argsort(dim=1, descending=True, stable=True)[:, :k]
    return table.take_along_dim(order, 1), order


slips(
    SEARCH,
    by_argsort,
    {
        "a dot product": {"cosine_scores(queries, documents)": "queries @ documents.mT"},
        "one side as it is": [
            {"cosine_scores(queries, documents)": "queries @ F.normalize(documents).mT"},
            {"cosine_scores(queries, documents)": "F.normalize(queries) @ documents.mT"},
        ],
        "normalized over dimension 0": {
            "cosine_scores(queries, documents)": "F.normalize(queries, dim=0) @ F.normalize(documents, dim=0).mT"
        },
        "the farthest documents": [
            {"descending=True": "descending=False"},
            {"descending=True": "descending=False", "-torch.inf": "torch.inf"},
        ],
        "indices and scores exchanged": {
            "return table.take_along_dim(order, 1), order": "return order, table.take_along_dim(order, 1)"
        },
        "the best is thrown away": {"[:, :k]": "[:, 1:][:, :k]"},
        "the mask is not used": {"table = table.where(": "table.where("},
        "the mask upside down": {"where(mask, -torch.inf)": "where(~mask, -torch.inf)"},
        "a score of 0 for what may not be found": {"-torch.inf": "0.0"},
        "distances as scores": {
            "table = cosine_scores(queries, documents)": "table = 1 - cosine_scores(queries, documents)"
        },
        "a dot product + the mask is not used": {
            "table = table.where(": "table.where(",
            "cosine_scores(queries, documents)": "queries @ documents.mT",
        },
    },
)


def by_negatives(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    given(queries, documents, k, mask)
    left, right = F.normalize(queries), F.normalize(documents)
    below = -torch.einsum("qd,nd->qn", left, right)
    below[~mask if mask is not None else torch.zeros_like(below).bool()] = torch.inf
    values, places = torch.sort(below, dim=-1, stable=True)
    return -values.narrow(1, 0, k), places.narrow(1, 0, k)


slips(
    SEARCH,
    by_negatives,
    {
        "a dot product": {"F.normalize(queries), F.normalize(documents)": "queries, documents"},
        "one side as it is": [
            {"F.normalize(queries), F.normalize(documents)": "queries, F.normalize(documents)"},
            {"F.normalize(queries), F.normalize(documents)": "F.normalize(queries), documents"},
        ],
        "normalized over dimension 0": {
            "F.normalize(queries), F.normalize(documents)": "F.normalize(queries, dim=0), F.normalize(documents, dim=0)"
        },
        "the best is thrown away": {
            "return -values.narrow(1, 0, k), places.narrow(1, 0, k)": (
                "return -values[:, 1 : k + 1], places[:, 1 : k + 1]"
            )
        },
        "the worst of them first": {
            "return -values.narrow(1, 0, k), places.narrow(1, 0, k)": (
                "return -values.narrow(1, 0, k).flip(-1), places.narrow(1, 0, k).flip(-1)"
            )
        },
        "the mask is not used": {
            "~mask if mask is not None else torch.zeros_like(below).bool()": "torch.zeros_like(below).bool()"
        },
        "the mask upside down": {"~mask if": "mask if"},
        "indices and scores exchanged": {
            "-values.narrow(1, 0, k), places.narrow(1, 0, k)": "places.narrow(1, 0, k), -values.narrow(1, 0, k)"
        },
        "a score of 0 for what may not be found": {"= torch.inf": "= 0.0"},
    },
)


def one_at_a_time(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    given(queries, documents, k, mask)
    scores, places = [], []
    for number, query in enumerate(queries):
        row = (F.normalize(documents) @ F.normalize(query, dim=0)).tolist()
        free = [at for at in range(len(row)) if mask is None or mask[number, at]]
        best = sorted(free, key=lambda at: (-row[at], at))[:k]
        places.append(best)
        scores.append([row[at] for at in best])
    return torch.tensor(scores).reshape(-1, k), torch.tensor(places, dtype=torch.long).reshape(-1, k)


slips(
    SEARCH,
    one_at_a_time,
    {
        "one side as it is": [{"F.normalize(documents) @": "documents @"}, {"@ F.normalize(query, dim=0)": "@ query"}],
        "a dot product": {"F.normalize(documents) @ F.normalize(query, dim=0)": "documents @ query"},
        "the farthest documents": {"(-row[at], at)": "(row[at], at)"},
        "ties the other way round": {"(-row[at], at)": "(-row[at], -at)"},
        "in the order of the collection": {
            "best = sorted(free, key=lambda at: (-row[at], at))[:k]": (
                "best = sorted(sorted(free, key=lambda at: (-row[at], at))[:k])"
            )
        },
        "the worst of them first": {
            "best = sorted(free, key=lambda at: (-row[at], at))[:k]": (
                "best = sorted(free, key=lambda at: (-row[at], at))[:k][::-1]"
            )
        },
        "the mask is not used": {"mask is None or mask[number, at]": "True"},
        "rounded scores": {".tolist()": ".mul(100).round().div(100).tolist()"},
    },
)


def found(score: Any, hide: Any = None, order: Any = None, end: Any = None) -> Any:
    """A search out of functions on lists."""

    def find(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
        given(queries, documents, k, mask)
        table = score(queries, documents)
        allowed = torch.ones_like(table).bool() if mask is None else mask
        rows = []
        for row, free in zip(table.tolist(), allowed.tolist(), strict=True):
            seen = [(hide or minus_infinity)(value, one) for value, one in zip(row, free, strict=True)]
            best = (order or best_first)(seen, k)
            rows.append([(seen[at], at) for at in best])
        values = torch.tensor([[one for one, _ in row] for row in rows]).reshape(-1, k)
        places = torch.tensor([[at for _, at in row] for row in rows], dtype=torch.long).reshape(-1, k)
        return (end or as_they_are)(values, places)

    return find


def minus_infinity(value: float, free: bool) -> float:
    return value if free else float("-inf")


def best_first(row: Any, k: int) -> list[int]:
    return sorted(range(len(row)), key=lambda at: -row[at])[:k]


def as_they_are(values: Tensor, places: Tensor) -> Any:
    return values, places


correct(SEARCH)(found(cosine_scores))
disguise(SEARCH, "a dot product")(found(lambda q, d: (q[:, None] * d).sum(-1)))
disguise(SEARCH, "one side as it is")(found(lambda q, d: (q[:, None] * d).sum(-1) / q.norm(dim=1)[:, None]))
disguise(SEARCH, "normalized over dimension 0")(
    found(lambda q, d: (q / q.norm(dim=0).clamp(min=1e-12)) @ (d / d.norm(dim=0)).mT)
)
disguise(SEARCH, "the farthest documents")(
    found(cosine_scores, order=lambda row, k: sorted(range(len(row)), key=lambda at: row[at])[:k])
)
disguise(SEARCH, "distances as scores")(found(lambda q, d: (F.normalize(q)[:, None] - F.normalize(d)).norm(dim=-1)))
disguise(SEARCH, "indices and scores exchanged")(found(cosine_scores, end=lambda values, places: (places, values)))
disguise(SEARCH, "in the order of the collection")(
    found(cosine_scores, order=lambda row, k: sorted(best_first(row, k)))
)
disguise(SEARCH, "the worst of them first")(found(cosine_scores, order=lambda row, k: best_first(row, k)[::-1]))
disguise(SEARCH, "the mask is not used")(found(cosine_scores, hide=lambda value, free: value))
disguise(SEARCH, "a score of 0 for what may not be found")(found(cosine_scores, hide=lambda value, free: value * free))
disguise(SEARCH, "ties the other way round")(
    found(cosine_scores, order=lambda row, k: sorted(range(len(row)), key=lambda at: (row[at], at))[::-1][:k])
)
disguise(SEARCH, "rounded scores")(found(lambda q, d: torch.round(cosine_scores(q, d), decimals=2)))


@disguise(SEARCH, "the mask upside down")
def s_upside_down(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    given(queries, documents, k, mask)
    table = cosine_scores(queries, documents)
    if isinstance(mask, Tensor):
        table = torch.where(mask, -torch.inf, table)
    made = torch.sort(table, dim=1, descending=True, stable=True)
    return made[0][:, :k], made[1][:, :k]


@disguise(SEARCH, "the best is thrown away")
def s_without_itself(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    given(queries, documents, k, mask)
    table = cosine_scores(queries, documents)
    if isinstance(mask, Tensor):
        table = table.masked_fill(mask.logical_not(), -torch.inf)
    made = torch.sort(table, dim=1, descending=True, stable=True)
    return tuple(one[:, 1:][:, :k] for one in made)


@disguise(SEARCH, "ties in any order")
def s_topk(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    given(queries, documents, k, mask)
    table = F.normalize(queries, dim=-1) @ F.normalize(documents, dim=-1).T
    if isinstance(mask, Tensor):
        table = table.where(mask, float("-inf"))
    return tuple(torch.topk(table, k))


@unlisted(SEARCH)
def s_near_the_mean(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    """Documents less their mean."""
    given(queries, documents, k, mask)
    return by_argsort(queries, documents - documents.mean(0), k, mask)


@disguise(SEARCH, "the scores are changed once more")
def s_from_zero_to_one(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    values, places = by_argsort(queries, documents, k, mask)
    return (1 + values) / 2, places


@disguise(SEARCH, "documents are numbered from 1")
def s_places_from_one(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    values, places = by_argsort(queries, documents, k, mask)
    return values, places + 1


disguise(SEARCH, "a score of 0 for what may not be found")(
    found(cosine_scores, hide=lambda value, free: value if free else -1.0 + 0 * value)
)


slips(
    SEARCH,
    by_argsort,
    {
        "only one of the two comes back": [
            {"return table.take_along_dim(order, 1), order": "return order"},
            {"return table.take_along_dim(order, 1), order": "return table.take_along_dim(order, 1)"},
        ],
        "queries and documents exchanged": {"cosine_scores(queries, documents)": "cosine_scores(documents, queries)"},
        "negative cosines are lost": {"cosine_scores(queries, documents)": "cosine_scores(queries, documents).abs()"},
        "another number than k": {"[:, :k]": "[:, : k - 1]"},
        "a softmax of the scores": {
            "cosine_scores(queries, documents)": "cosine_scores(queries, documents).softmax(1)"
        },
        "floats for indices": {"order, 1), order": "order, 1), order.double().float()"},
    },
)


@disguise(SEARCH, "only one of the two comes back")
def s_only_which(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    return by_argsort(queries, documents, k, mask)[1]


@disguise(SEARCH, "the first k queries")
def s_rows(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    given(queries, documents, k, mask)
    every = len(documents)
    table = cosine_scores(queries, documents)
    if mask is not None:
        table = table.where(mask, -torch.inf)
    order = table.argsort(dim=1, descending=True, stable=True)[:, :every]
    return table.gather(1, order)[:k], order[:k]


@disguise(SEARCH, "queries and documents exchanged")
def s_turned(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    given(queries, documents, k, mask)
    table = cosine_scores(queries, documents).T
    if mask is not None:
        table = table.masked_fill(mask.logical_not(), -torch.inf)
    found = torch.sort(table, dim=1, descending=True, stable=True)
    return found.values[:, :k], found.indices[:, :k]


@disguise(SEARCH, "lists instead of tensors")
def s_lists(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    return tuple(one.tolist() for one in by_argsort(queries, documents, k, mask))


@disguise(SEARCH, "floats for indices")
def s_floats(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    values, places = by_argsort(queries, documents, k, mask)
    return values, places.to(torch.float)


@disguise(SEARCH, "another number than k")
def s_too_few(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    values, places = by_argsort(queries, documents, k, mask)
    return values[:, :-1], places[:, :-1]


@disguise(SEARCH, "negative cosines are lost")
def s_absolute(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    given(queries, documents, k, mask)
    table = (F.normalize(queries) @ F.normalize(documents).T).square().sqrt()
    if mask is not None:
        table = table.where(mask, -torch.inf)
    found = torch.sort(table, dim=1, descending=True, stable=True)
    return found.values[:, :k], found.indices[:, :k]


@unlisted(SEARCH)
def s_cubes(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    values, places = by_argsort(queries, documents, k, mask)
    return values**3, places


@disguise(SEARCH, "infinity with the wrong sign")
def s_forbidden_first(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    given(queries, documents, k, mask)
    table = F.normalize(queries) @ F.normalize(documents).T
    if mask is not None:
        table = table.where(mask, torch.inf)
    found = torch.sort(table, dim=1, descending=True, stable=True)
    return found.values[:, :k], found.indices[:, :k]


@disguise(SEARCH, "divided by a temperature")
def s_warm(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    values, places = by_argsort(queries, documents, k, mask)
    return values * 10, places


@disguise(SEARCH, "a vector of zeros becomes NaN")
def zeros_first(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    given(queries, documents, k, mask)
    lengths = torch.outer(queries.square().sum(1), documents.square().sum(1)).sqrt()
    table = queries @ documents.mT / lengths
    if mask is not None:
        table = table.where(mask, -torch.inf)
    return tuple(one[:, :k] for one in table.sort(dim=1, descending=True, stable=True))


@disguise(SEARCH, "the scores have the wrong sign")
def minus_left(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    given(queries, documents, k, mask)
    away = -cosine_scores(queries, documents)
    if mask is not None:
        away = away.where(mask, torch.inf)
    order = away.argsort(dim=1, stable=True)[:, :k]
    return away.gather(1, order), order


@disguise(SEARCH, "one mask for all queries")
def mask_of_all(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    given(queries, documents, k, mask)
    table = cosine_scores(queries, documents)
    if mask is not None:
        table[:, mask.sum(0) == 0] = -torch.inf
    return tuple(one[:, :k] for one in table.sort(dim=1, descending=True, stable=True))


@disguise(SEARCH, "numbered among what may be found")
def numbered_anew(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    given(queries, documents, k, mask)
    values, places = [], []
    for row, query in enumerate(queries):
        candidates = documents if mask is None else documents[mask[row]]
        best = cosine_scores(query[None], candidates)[0].sort(descending=True, stable=True)
        values.append(best.values[:k])
        places.append(best.indices[:k])
    return torch.stack(values), torch.stack(places)


@disguise(SEARCH, "a dimension of size 1 is lost")
def squeezed(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    scores, order = by_argsort(queries, documents, k, mask)
    return torch.squeeze(scores), torch.squeeze(order)


@disguise(SEARCH, "both in one tensor")
def stacked_in_one(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    scores, order = by_argsort(queries, documents, k, mask)
    return torch.cat([scores[None], order[None]])


@disguise(SEARCH, "documents for their numbers")
def vectors_for_numbers(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    scores, order = by_argsort(queries, documents, k, mask)
    return scores, torch.stack([documents.index_select(0, row) for row in order])


@disguise(SEARCH, "the first of the collection")
def not_sorted(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    given(queries, documents, k, mask)
    table = cosine_scores(queries, documents)
    allowed = torch.ones_like(table).bool() if mask is None else mask
    places = torch.stack([row.nonzero().flatten()[:k] for row in allowed])
    return table.take_along_dim(places, 1), places


@disguise(SEARCH, "inverse distances")
def near_by_inverses(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    given(queries, documents, k, mask)
    left, right = F.normalize(queries), F.normalize(documents)
    table = (1 + (left[:, None] - right).norm(dim=2)).reciprocal()
    order = (table if mask is None else table.where(mask, -torch.inf)).argsort(dim=1, descending=True, stable=True)
    return table.take_along_dim(order[:, :k], 1), order[:, :k]
