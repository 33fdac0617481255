"""Lesson 17: recall_at_k and mean_reciprocal_rank."""

from typing import Any

import torch
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

RECALL, RANK = "recall_at_k", "mean_reciprocal_rank"


def given(scores: Tensor, relevant: Tensor, k: int = 1) -> None:
    """The given ValueErrors."""
    if not len(scores) or relevant.shape != scores.shape or relevant.dtype != torch.bool:
        raise ValueError("shapes")
    if not relevant.any(1).all() or not 1 <= k <= scores.shape[1]:
        raise ValueError("nothing to measure")


# recall_at_k ----------------------------------------------------------------------------


def by_sorting(scores: Tensor, relevant: Tensor, k: int) -> float:
    given(scores, relevant, k)
    shares = []
    for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True):
        pairs = sorted(zip(row, wanted, strict=True), key=lambda one: (-one[0], one[1]))
        hits = sum(wish for _, wish in pairs[:k])
        shares.append(hits / sum(wanted))
    return sum(shares) / len(shares)


slips(
    RECALL,
    by_sorting,
    {
        "ties count for you": {"(-one[0], one[1])": "(-one[0], -one[1])"},
        "ties by the order of the collection": {"(-one[0], one[1])": "-one[0]"},
        "divided by k": {"hits / sum(wanted)": "hits / k"},
        "a single hit is enough": {"hits / sum(wanted)": "float(hits > 0)"},
        "divided by what could be found": {"hits / sum(wanted)": "hits / min(k, sum(wanted))"},
        "a sum over queries": {"sum(shares) / len(shares)": "sum(shares)"},
        "the worst documents": [{"pairs[:k]": "pairs[-k:]"}, {"(-one[0], one[1])": "(one[0], one[1])"}],
        "one document too few": {"pairs[:k]": "pairs[: k - 1]"},
        "one document too many": {"pairs[:k]": "pairs[: k + 1]"},
        "the places of another order": {"for _, wish in pairs[:k]": "for wish in wanted[:k]"},
        "ties count for you + divided by k": {
            "(-one[0], one[1])": "(-one[0], -one[1])",
            "hits / sum(wanted)": "hits / k",
        },
    },
)


def by_counting(scores: Tensor, relevant: Tensor, k: int) -> float:
    """Each relevant document has a place: behind what scores more, and behind what is wrong and scores as much."""
    given(scores, relevant, k)
    here, there = scores[:, :, None], scores[:, None, :]
    wrong = ~relevant[:, None, :]
    earlier = torch.ones(scores.shape[1], scores.shape[1]).bool().tril(-1)
    ahead = (there > here) | (there == here) & (wrong | earlier & ~wrong)
    inside = (ahead.sum(2) < k) & relevant
    return (inside.sum(1).double() / relevant.sum(1)).mean().item()


slips(
    RECALL,
    by_counting,
    {
        "ties by the order of the collection": {"(wrong | earlier & ~wrong)": "earlier"},
        "divided by k": {"inside.sum(1).double() / relevant.sum(1)": "inside.sum(1).double() / k"},
        "a single hit is enough": {"inside.sum(1).double() / relevant.sum(1)": "inside.any(1).double()"},
        "divided by what could be found": {"relevant.sum(1))": "relevant.sum(1).clamp(max=k))"},
        "all queries in one sum": {
            "(inside.sum(1).double() / relevant.sum(1)).mean()": "(inside.sum().double() / relevant.sum())"
        },
        "a sum over queries": {".mean()": ".sum()"},
        "one document too many": {"< k)": "<= k)"},
        "one document too few": {"< k)": "< k - 1)"},
    },
)


def by_nudging(scores: Tensor, relevant: Tensor, k: int) -> float:
    """Whole ranks for the scores, so that half a rank can be taken off a relevant one."""
    given(scores, relevant, k)
    levels = scores.unique(return_inverse=True)[1].double()
    lowered = levels - relevant.double() / 2
    top = lowered.topk(k, dim=1)[1]
    hits = relevant.take_along_dim(top, dim=1)
    shares = hits.count_nonzero(dim=1) / relevant.count_nonzero(dim=1)
    return float(shares.mean())


slips(
    RECALL,
    by_nudging,
    {
        "ties count for you": {"levels - relevant.double() / 2": "levels + relevant.double() / 2"},
        "divided by k": {"/ relevant.count_nonzero(dim=1)": "/ k"},
        "a single hit is enough": {
            "hits.count_nonzero(dim=1) / relevant.count_nonzero(dim=1)": "hits.any(dim=1).double()"
        },
        "all queries in one sum": {
            "hits.count_nonzero(dim=1) / relevant.count_nonzero(dim=1)": (
                "hits.count_nonzero() / relevant.count_nonzero()"
            )
        },
        "the worst documents": {"lowered.topk(k, dim=1)": "lowered.topk(k, dim=1, largest=False)"},
        "a sum over queries": {"shares.mean()": "shares.sum()"},
    },
)


def measured(take: Any, share: Any, total: Any = None) -> Any:
    """Recall out of three functions."""

    def measure(scores: Tensor, relevant: Tensor, k: int) -> float:
        given(scores, relevant, k)
        rows = list(zip(scores.tolist(), relevant.tolist(), strict=True))
        found = [share(take(row, wanted, k), sum(wanted), k) for row, wanted in rows]
        return sum(found) if total == "sum" else sum(found) / len(found)

    return measure


def hits(row: Any, wanted: Any, k: int, tie: Any = None) -> int:
    order = sorted(
        range(len(row)), key=lambda at: (row[at], not wanted[at] if tie is None else tie(wanted, at)), reverse=True
    )
    return sum(wanted[at] for at in order[:k])


def part(count: int, there: int, k: int) -> float:
    return count / there


correct(RECALL)(measured(hits, part))
disguise(RECALL, "ties count for you")(measured(lambda row, wanted, k: hits(row, wanted, k, lambda w, at: w[at]), part))
disguise(RECALL, "ties by the order of the collection")(
    measured(lambda row, wanted, k: hits(row, wanted, k, lambda w, at: -at), part)
)
disguise(RECALL, "divided by k")(measured(hits, lambda count, there, k: count / k))
disguise(RECALL, "a single hit is enough")(measured(hits, lambda count, there, k: min(1, count)))
disguise(RECALL, "divided by what could be found")(measured(hits, lambda count, there, k: count / min(there, k)))
disguise(RECALL, "a sum over queries")(measured(hits, part, "sum"))
disguise(RECALL, "one document too few")(measured(lambda row, wanted, k: hits(row, wanted, k - 1), part))
disguise(RECALL, "one document too many")(measured(lambda row, wanted, k: hits(row, wanted, k + 1), part))
disguise(RECALL, "the worst documents")(measured(lambda row, wanted, k: hits([-one for one in row], wanted, k), part))


@disguise(RECALL, "all queries in one sum")
def m_one_sum(scores: Tensor, relevant: Tensor, k: int) -> Any:
    given(scores, relevant, k)
    rows = zip(scores.tolist(), relevant.tolist(), strict=True)
    return sum(hits(row, wanted, k) for row, wanted in rows) / int(relevant.sum())


@disguise(RECALL, "the places of another order")
def m_first_k(scores: Tensor, relevant: Tensor, k: int) -> Any:
    given(scores, relevant, k)
    pushed = [sorted(row)[:k] for row in relevant.tolist()]
    return sum(sum(row) / sum(all_of) for row, all_of in zip(pushed, relevant.tolist(), strict=True)) / len(pushed)


@unlisted(RECALL)
def m_between(scores: Tensor, relevant: Tensor, k: int) -> Any:
    """Halfway between precision and recall."""
    given(scores, relevant, k)
    rows = [(hits(row, wanted, k), sum(wanted)) for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True)]
    return sum(hit / there + hit / k for hit, there in rows) / len(rows) / 2


def first_k(row: Any, wanted: Any, k: int, start: int = 0, end: int | None = None) -> int:
    """Hits from this place to that."""
    order = sorted(zip((-one for one in row), wanted, strict=True))
    return sum(wish for _, wish in order[start : k if end is None else end])


disguise(RECALL, "the best one is left out")(measured(lambda row, wanted, k: first_k(row, wanted, k, 1, k + 1), part))
disguise(RECALL, "the best one is left out")(measured(lambda row, wanted, k: first_k(row, wanted, k, 1), part))
disguise(RECALL, "what is not among the k best")(
    measured(lambda row, wanted, k: first_k(row, wanted, k, k, len(row)), part)
)
disguise(RECALL, "all documents are looked at")(measured(lambda row, wanted, k: sum(wanted), part))
disguise(RECALL, "precision and recall in one")(measured(hits, lambda count, there, k: count / ((there + k) / 2)))
disguise(RECALL, "precision and recall in one")(measured(hits, lambda count, there, k: count / (there + k - count)))
disguise(RECALL, "precision and recall in one")(measured(hits, lambda count, there, k: count / max(there, k)))
disguise(RECALL, "divided by another number")(measured(hits, lambda count, there, k: count / (1 + there)))
disguise(RECALL, "the scores' signs")(measured(lambda row, wanted, k: hits([abs(one) for one in row], wanted, k), part))


def shares(scores: Tensor, relevant: Tensor, k: int) -> Any:
    given(scores, relevant, k)
    rows = zip(scores.tolist(), relevant.tolist(), strict=True)
    return [hits(row, wanted, k) / sum(wanted) for row, wanted in rows]


@disguise(RECALL, "no mean of the queries")
def m_best_query(scores: Tensor, relevant: Tensor, k: int) -> Any:
    return max(shares(scores, relevant, k))


@disguise(RECALL, "no mean of the queries")
def m_middle_query(scores: Tensor, relevant: Tensor, k: int) -> Any:
    found = sorted(shares(scores, relevant, k))
    return found[(len(found) - 1) // 2]


@disguise(RECALL, "a rounded number")
def m_rounded(scores: Tensor, relevant: Tensor, k: int) -> Any:
    return float(f"{by_sorting(scores, relevant, k):.2f}")


@disguise(RECALL, "a tensor for a number")
def m_in_a_tensor(scores: Tensor, relevant: Tensor, k: int) -> Any:
    return torch.tensor(shares(scores, relevant, k)).mean()


@disguise(RECALL, "ties at their mean rank")
def m_mean_rank(scores: Tensor, relevant: Tensor, k: int) -> Any:
    given(scores, relevant, k)
    total = 0.0
    for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True):
        ranks = [sum(other > one for other in row) + (row.count(one) - 1) / 2 for one in row]
        total += sum(wish and rank < k for rank, wish in zip(ranks, wanted, strict=True)) / sum(wanted)
    return total / len(scores)


@disguise(RECALL, "in percent")
def m_percent(scores: Tensor, relevant: Tensor, k: int) -> Any:
    return 100 * by_sorting(scores, relevant, k)


@unlisted(RECALL)
def m_weighted(scores: Tensor, relevant: Tensor, k: int) -> Any:
    """Earlier hits count more."""
    given(scores, relevant, k)
    return sum(by_sorting(scores, relevant, one) for one in range(1, k + 1)) / (k + 1)


# mean_reciprocal_rank ----------------------------------------------------------------------------


def first_in_order(scores: Tensor, relevant: Tensor) -> float:
    given(scores, relevant)
    total = 0.0
    for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True):
        pairs = sorted(zip(row, wanted, strict=True), key=lambda one: (-one[0], one[1]))
        rank = 1 + [wish for _, wish in pairs].index(True)
        total += 1 / rank
    return total / len(scores)


slips(
    RANK,
    first_in_order,
    {
        "ties count for you": {"(-one[0], one[1])": "(-one[0], -one[1])"},
        "ties by the order of the collection": {"(-one[0], one[1])": "-one[0]"},
        "ranks from 2": {"rank = 1 +": "rank = 2 +"},
        "the mean rank": {"total += 1 / rank": "total += rank"},
        "the last relevant document": {
            "[wish for _, wish in pairs].index(True)": "max(at for at, one in enumerate(pairs) if one[1])"
        },
        "the smallest score first": {"(-one[0], one[1])": "(one[0], one[1])"},
        "a sum over queries": {"total / len(scores)": "total"},
        "1 / the mean rank": {
            "total += 1 / rank": "total += rank",
            "return total / len(scores)": "return len(scores) / total",
        },
        "ties count for you + a sum over queries": {
            "(-one[0], one[1])": "(-one[0], -one[1])",
            "total / len(scores)": "total",
        },
    },
)


def by_maximum(scores: Tensor, relevant: Tensor) -> float:
    given(scores, relevant)
    tops = torch.stack([row[wanted].max() for row, wanted in zip(scores, relevant, strict=True)])
    beaten = [int((row[~wanted] >= top).sum()) for row, wanted, top in zip(scores, relevant, tops, strict=True)]
    reciprocal = [1 / (1 + count) for count in beaten]
    return sum(reciprocal) / len(reciprocal)


slips(
    RANK,
    by_maximum,
    {
        "ties count for you": {"row[~wanted] >= top": "row[~wanted] > top"},
        "other relevant ones stand in front": {"(row[~wanted] >= top).sum())": "(row >= top).sum()) - 1"},
        "ranks from 2": {"1 / (1 + count)": "1 / (2 + count)"},
        "ranks from 0": {"1 / (1 + count)": "1 / max(1, count)"},
        "the mean rank": {"1 / (1 + count) for": "1 + count for"},
        "1 / the mean rank": {
            "1 / (1 + count) for": "1 + count for",
            "sum(reciprocal) / len(reciprocal)": "len(reciprocal) / sum(reciprocal)",
        },
        "the last relevant document": {"row[wanted].max()": "row[wanted].min()"},
        "a sum over queries": {" / len(reciprocal)": ""},
        "what is not relevant scores 0": {"row[wanted].max()": "(row * wanted).max()"},
        "the smallest score first": {
            "row[wanted].max()": "row[wanted].min()",
            "row[~wanted] >= top": "row[~wanted] <= top",
        },
    },
)


def by_nudged_order(scores: Tensor, relevant: Tensor) -> float:
    given(scores, relevant)
    levels = scores.unique(return_inverse=True)[1].double() - 0.5 * relevant
    ordered = relevant.take_along_dim(levels.argsort(dim=1, descending=True), dim=1)
    first = ordered.int().argmax(dim=1)
    return (first + 1).double().reciprocal().mean().item()


slips(
    RANK,
    by_nudged_order,
    {
        "ties count for you": {"- 0.5 * relevant": "+ 0.5 * relevant"},
        "ranks from 2": {"first + 1)": "first + 2)"},
        "ranks from 0": {"first + 1)": "first)"},
        "the mean rank": {".reciprocal()": ""},
        "1 / the mean rank": {".reciprocal().mean()": ".mean().reciprocal()"},
        "a sum over queries": {".mean()": ".sum()"},
    },
)


def ranked(places: Any, end: Any) -> Any:
    """From the places of the relevant documents of each query, from 0."""

    def measure(scores: Tensor, relevant: Tensor) -> Any:
        given(scores, relevant)
        return end([places(row, wanted) for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True)])

    return measure


def all_places(row: Any, wanted: Any, tie: Any = None, sign: int = -1) -> list[int]:
    order = sorted(range(len(row)), key=lambda at: (sign * row[at], wanted[at] if tie is None else tie(wanted, at)))
    return [place for place, at in enumerate(order) if wanted[at]]


def mean(values: Any) -> float:
    found = list(values)
    return sum(found) / len(found)


def mean_of_firsts(rows: Any) -> float:
    return mean(1 / (1 + row[0]) for row in rows)


correct(RANK)(ranked(all_places, mean_of_firsts))
disguise(RANK, "ties count for you")(
    ranked(lambda row, wanted: all_places(row, wanted, lambda w, at: not w[at]), mean_of_firsts)
)
disguise(RANK, "ties by the order of the collection")(
    ranked(lambda row, wanted: all_places(row, wanted, lambda w, at: at), mean_of_firsts)
)
disguise(RANK, "ranks from 0")(
    ranked(all_places, lambda rows: mean(1 / row[0] if row[0] else float("inf") for row in rows))
)
disguise(RANK, "ranks from 2")(ranked(all_places, lambda rows: mean(1 / (2 + row[0]) for row in rows)))
disguise(RANK, "1 / the mean rank")(ranked(all_places, lambda rows: 1 / mean(1 + row[0] for row in rows)))
disguise(RANK, "the mean rank")(ranked(all_places, lambda rows: mean(1 + row[0] for row in rows)))
disguise(RANK, "the last relevant document")(
    ranked(
        lambda row, wanted: [
            sum(
                not w and r >= min(x for x, y in zip(row, wanted, strict=True) if y)
                for r, w in zip(row, wanted, strict=True)
            )
        ],
        mean_of_firsts,
    )
)
disguise(RANK, "the smallest score first")(ranked(lambda row, wanted: all_places(row, wanted, sign=1), mean_of_firsts))
disguise(RANK, "a sum over queries")(ranked(all_places, lambda rows: sum(1 / (1 + row[0]) for row in rows)))


@disguise(RANK, "other relevant ones stand in front")
def r_all_that_tie(scores: Tensor, relevant: Tensor) -> Any:
    given(scores, relevant)
    ranks = []
    for row, wanted in zip(scores, relevant, strict=True):
        ranks.append((row >= row[wanted].max()).count_nonzero().item())
    return sum(1 / one for one in ranks) / len(ranks)


@disguise(RANK, "all relevant documents")
def r_everyone(scores: Tensor, relevant: Tensor) -> Any:
    given(scores, relevant)
    found = []
    for row, wanted in zip(scores, relevant, strict=True):
        found += [1 / (1 + int((row[~wanted] >= one).sum())) for one in row[wanted]]
    return sum(found) / len(found)


@disguise(RANK, "what is not relevant scores 0")
def r_zeros(scores: Tensor, relevant: Tensor) -> Any:
    given(scores, relevant)
    top = torch.where(relevant, scores, 0.0).max(1, keepdim=True).values
    ahead = ((scores >= top) & relevant.logical_not()).count_nonzero(1)
    return float((ahead + 1).double().pow(-1).mean())


@unlisted(RANK)
def r_median(scores: Tensor, relevant: Tensor) -> Any:
    return (
        float(
            torch.tensor([by_maximum(scores[at : at + 1], relevant[at : at + 1]) for at in range(len(scores))]).median()
        )
        + 0.01
    )


@disguise(RANK, "another worth than 1 / rank")
def r_logarithms(scores: Tensor, relevant: Tensor) -> Any:
    """A discount as in nDCG."""
    given(scores, relevant)
    rows = [all_places(row, wanted)[0] for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True)]
    return float((1 / torch.log2(torch.tensor(rows) + 2.0)).mean())


@disguise(RANK, "another worth than 1 / rank")
def r_squares(scores: Tensor, relevant: Tensor) -> Any:
    given(scores, relevant)
    rows = [all_places(row, wanted)[0] for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True)]
    return sum(1 / (1 + row) ** 2 for row in rows) / len(rows)


def recall_by_penalty(scores: Tensor, relevant: Tensor, k: int) -> Any:
    given(scores, relevant, k)
    best = (scores - 1e-3 * relevant).sort(dim=1, descending=True, stable=True).indices[:, :k]
    return (relevant.gather(1, best).sum(1) / relevant.sum(1)).mean().item()


disguise(RECALL, "a tie is broken by a small number")(recall_by_penalty)


def rank_by_tolerance(scores: Tensor, relevant: Tensor) -> Any:
    given(scores, relevant)
    best = scores.masked_fill(~relevant, -torch.inf).amax(1, keepdim=True)
    return (1 / (1 + ((scores > best - 1e-3) & ~relevant).sum(1))).mean().item()


unlisted(RANK)(rank_by_tolerance)


@disguise(RECALL, "all that score as much as the last")
def m_by_threshold(scores: Tensor, relevant: Tensor, k: int) -> Any:
    given(scores, relevant, k)
    in_front = (scores[:, None, :] > scores[:, :, None]).sum(2)
    return ((relevant & (in_front < k)).sum(1) / relevant.sum(1)).mean().item()


@disguise(RANK, "the first in the collection")
def r_first_by_index(scores: Tensor, relevant: Tensor) -> Any:
    given(scores, relevant)
    shares = []
    for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True):
        score = row[wanted.index(True)]
        shares.append(1 / (1 + sum(one >= score and not wish for one, wish in zip(row, wanted, strict=True))))
    return mean(shares)


disguise(RANK, "all relevant documents")(
    ranked(all_places, lambda rows: mean(mean(1 / (1 + at - n) for n, at in enumerate(row)) for row in rows))
)
disguise(RANK, "all relevant documents")(
    ranked(all_places, lambda rows: mean(sum(1 / (1 + at - n) for n, at in enumerate(row)) for row in rows))
)


@disguise(RECALL, "one relevant document a query")
def m_first_marked(scores: Tensor, relevant: Tensor, k: int) -> Any:
    given(scores, relevant, k)
    hits = 0
    for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True):
        own = row[wanted.index(True)]
        hits += sum(one >= own for one in row) <= k
    return hits / len(scores)


def each_query(scores: Tensor, relevant: Tensor) -> list[float]:
    return [by_maximum(scores[at : at + 1], relevant[at : at + 1]) for at in range(len(scores))]


@disguise(RANK, "the median over queries")
def r_in_the_middle(scores: Tensor, relevant: Tensor) -> Any:
    given(scores, relevant)
    return sorted(each_query(scores, relevant))[(len(scores) - 1) // 2]


@disguise(RANK, "a number for each query")
def r_of_each(scores: Tensor, relevant: Tensor) -> Any:
    given(scores, relevant)
    return each_query(scores, relevant)


@disguise(RANK, "over the queries of each document")
def r_down_the_columns(scores: Tensor, relevant: Tensor) -> Any:
    given(scores, relevant)
    found = []
    for column, wanted in zip(scores.T, relevant.T, strict=True):
        top = column[wanted].max() if wanted.any() else torch.tensor(-torch.inf)
        found.append(1 / (1 + int((column[~wanted] >= top).sum())))
    return sum(found) / len(found)


@disguise(RANK, "the place in the collection for the rank")
def r_by_place(scores: Tensor, relevant: Tensor) -> Any:
    given(scores, relevant)
    return sum(1 / (row.index(True) + 1) for row in relevant.tolist()) / len(scores)


@disguise(RANK, "in percent")
def r_percent(scores: Tensor, relevant: Tensor) -> Any:
    return by_maximum(scores, relevant) * 100


@disguise(RANK, "rounded")
def r_rounded(scores: Tensor, relevant: Tensor) -> Any:
    return float(f"{by_maximum(scores, relevant):.2f}")


@disguise(RANK, "queries count by what they look for")
def r_weighed(scores: Tensor, relevant: Tensor) -> Any:
    given(scores, relevant)
    often = relevant.sum(1).tolist()
    return sum(one * many for one, many in zip(each_query(scores, relevant), often, strict=True)) / sum(often)


@disguise(RANK, "no mean of the queries")
def r_worst(scores: Tensor, relevant: Tensor) -> Any:
    given(scores, relevant)
    return min(each_query(scores, relevant))


# Four slips that a reader of the page made ----------------------------------------------------------


def worth(row: list[float], wanted: list[bool], looked_at: list[bool], in_front: list[bool]) -> float:
    """1 / rank where the best of what is looked at is held against what may stand in front."""
    best = max([score for score, wish in zip(row, looked_at, strict=True) if wish], default=float("-inf"))
    return 1 / (1 + sum(score >= best and front for score, front in zip(row, in_front, strict=True)))


def opposite(marks: list[bool]) -> list[bool]:
    return [not one for one in marks]


def mean_worth(scores: Tensor, relevant: Tensor, kept: Any, front: Any = opposite) -> float:
    given(scores, relevant)
    rows = list(zip(scores.tolist(), relevant.tolist(), strict=True))
    return sum(worth(row, wanted, kept(wanted), front(wanted)) for row, wanted in rows) / len(rows)


@disguise(RANK, "a rank in a tensor")
def r_in_a_tensor(scores: Tensor, relevant: Tensor) -> Any:
    return torch.tensor(mean_worth(scores, relevant, list))


@disguise(RANK, "the best of what is not relevant")
def r_best_of_the_others(scores: Tensor, relevant: Tensor) -> Any:
    return mean_worth(scores, relevant, opposite)


@disguise(RANK, "the best of all documents")
def r_best_of_all(scores: Tensor, relevant: Tensor) -> Any:
    return mean_worth(scores, relevant, lambda wanted: [True] * len(wanted))


@disguise(RANK, "relevant ones are counted in front")
def r_relevant_in_front(scores: Tensor, relevant: Tensor) -> Any:
    return mean_worth(scores, relevant, list, list)


@disguise(RECALL, "only relevant ones are ranked")
def relevance_first(scores: Tensor, relevant: Tensor, k: int) -> float:
    given(scores, relevant, k)
    total = 0.0
    for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True):
        best = sorted(range(len(row)), key=lambda at: (not wanted[at], -row[at]))[:k]
        total += sum(wanted[at] for at in best) / sum(wanted)
    return total / len(scores)


@disguise(RECALL, "what is not relevant is counted")
def counts_the_others(scores: Tensor, relevant: Tensor, k: int) -> float:
    given(scores, relevant, k)
    shares = []
    for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True):
        pairs = sorted(zip([-one for one in row], wanted, strict=True))
        shares.append(sum(not wish for _, wish in pairs[:k]) / sum(wanted))
    return sum(shares) / len(shares)


@disguise(RECALL, "a share for each query")
def share_by_share(scores: Tensor, relevant: Tensor, k: int) -> list[float]:
    given(scores, relevant, k)
    return [by_sorting(scores[row : row + 1], relevant[row : row + 1], k) for row in range(len(scores))]


@disguise(RECALL, "no more places than relevant ones")
def as_many_as_relevant(scores: Tensor, relevant: Tensor, k: int) -> float:
    given(scores, relevant, k)
    shares = []
    for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True):
        pairs = sorted(zip([-one for one in row], wanted, strict=True))
        shares.append(sum(wish for _, wish in pairs[: min(k, sum(wanted))]) / sum(wanted))
    return sum(shares) / len(shares)


@disguise(RECALL, "average precision")
def averaged_precision(scores: Tensor, relevant: Tensor, k: int) -> float:
    given(scores, relevant, k)
    total = 0.0
    for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True):
        hits = 0
        for place, (_, wish) in enumerate(sorted(zip([-one for one in row], wanted, strict=True))[:k], start=1):
            hits += wish
            total += wish * hits / place / sum(wanted)
    return total / len(scores)


@disguise(RECALL, "a tie is shared out")
def by_chance(scores: Tensor, relevant: Tensor, k: int) -> float:
    given(scores, relevant, k)
    shares = []
    for row, wanted in zip(scores, relevant, strict=True):
        line = row.topk(k).values.min()
        tied, above = row == line, row > line
        found = (wanted & above).sum() + (k - above.sum()) * wanted[tied].double().mean()
        shares.append(float(found / wanted.sum()))
    return sum(shares) / len(shares)


@disguise(RANK, "documents taken for places")
def first_argsort(scores: Tensor, relevant: Tensor) -> float:
    given(scores, relevant)
    total = 0.0
    for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True):
        ranks = sorted(range(len(row)), key=lambda at: -row[at])
        total += 1 / (1 + min(rank for rank, wish in zip(ranks, wanted, strict=True) if wish))
    return total / len(scores)


@disguise(RANK, "equal scores share a place")
def dense_ranks(scores: Tensor, relevant: Tensor) -> float:
    given(scores, relevant)
    total = 0.0
    for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True):
        best = max(one for one, wish in zip(row, wanted, strict=True) if wish)
        total += 1 / (1 + len({one for one, wish in zip(row, wanted, strict=True) if not wish and one >= best}))
    return total / len(scores)


@disguise(RANK, "what is not relevant stands in front")
def others_first(scores: Tensor, relevant: Tensor) -> float:
    given(scores, relevant)
    total = 0.0
    for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True):
        order = sorted(range(len(row)), key=lambda at: (wanted[at], -row[at]))
        total += 1 / (1 + next(place for place, at in enumerate(order) if wanted[at]))
    return total / len(scores)


@disguise(RANK, "the mean rank of the relevant ones")
def by_the_mean_of_ranks(scores: Tensor, relevant: Tensor) -> float:
    given(scores, relevant)
    total = 0.0
    for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True):
        places = [at for at, (_, wish) in enumerate(sorted(zip([-one for one in row], wanted, strict=True)), 1) if wish]
        total += len(places) / sum(places)
    return total / len(scores)


@disguise(RANK, "no mean of the queries")
def the_best_query(scores: Tensor, relevant: Tensor) -> float:
    given(scores, relevant)
    best = torch.where(relevant, scores, -torch.inf).max(1).values
    return float(
        max(1 / (1 + ((row >= top) & ~wanted).sum()) for row, top, wanted in zip(scores, best, relevant, strict=True))
    )


@disguise(RECALL, "squares or roots of the shares")
def squared_shares(scores: Tensor, relevant: Tensor, k: int) -> float:
    shares = [by_sorting(row[None], wanted[None], k) for row, wanted in zip(scores, relevant, strict=True)]
    given(scores, relevant, k)
    return sum(share * share for share in shares) / len(shares)


@disguise(RANK, "a rank behind the first few counts nothing")
def of_the_first_three(scores: Tensor, relevant: Tensor) -> float:
    given(scores, relevant)
    worth = []
    for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True):
        order = sorted(zip(row, wanted, strict=True), key=lambda one: (-one[0], one[1]))
        worth.append(next((1 / rank for rank, (_, wish) in enumerate(order[:3], start=1) if wish), 0.0))
    return sum(worth) / len(worth)
