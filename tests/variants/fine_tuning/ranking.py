"""Lesson 16: the area under the ROC curve."""

import importlib
import itertools
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

AUC = "roc_auc"


def both_kinds(labels: Tensor) -> Tensor:
    """The given ValueError."""
    wanted = labels != 0
    if wanted.all() or not wanted.any():
        raise ValueError("one kind")
    return wanted


def all_pairs(scores: Tensor, labels: Tensor) -> float:
    wanted = both_kinds(labels)
    left = scores[wanted][:, None]
    right = scores[~wanted][None]
    points = (left > right).double() + 0.5 * (left == right)
    return points.mean().item()


slips(
    AUC,
    all_pairs,
    {
        "a tie counts as won": {"0.5 *": "1.0 *"},
        "a tie counts as lost": {" + 0.5 * (left == right)": ""},
        "upside down": {"(left > right)": "(left < right)"},
        "a share of all places": [
            {"points.mean().item()": "points.sum().item() / labels.numel() ** 2"},
            {"points.mean().item()": "points.sum().item() * 2 / labels.numel() / (labels.numel() - 1)"},
        ],
        "Gini instead of the area": {"points.mean().item()": "2 * points.mean().item() - 1"},
        "a tie counts another share": [
            {"+ 0.5 *": "- 0.5 *"},
            {"0.5 *": "0.25 *"},
            {"points.mean().item()": "(left > right).sum().item() / max(1, (left != right).sum().item())"},
        ],
        "by how much instead of whether": {"points.mean()": "(left - right).sigmoid().double().mean()"},
        "sizes instead of scores": {
            "    wanted = both_kinds(labels)\n": "    wanted = both_kinds(labels)\n    scores = scores.abs()\n"
        },
        "the pairs that the 1 loses": {" + 0.5 * (left == right)": "", "points.mean()": "(1 - points).mean()"},
    },
)


def rankdata(*given: Any, **named: Any) -> Any:
    """scipy's, which takes a second to import."""
    return importlib.import_module("scipy.stats").rankdata(*given, **named)


def by_rankdata(scores: Tensor, labels: Tensor) -> float:
    chosen = both_kinds(labels).numpy()
    n, p = len(chosen), int(chosen.sum())
    total = rankdata(scores.numpy(), method="average")[chosen].sum()
    return float((total - p * (p + 1) / 2) / (p * (n - p)))


slips(
    AUC,
    by_rankdata,
    {
        "a tie counts as won": {'"average"': '"max"'},
        "a tie counts as lost": {'"average"': '"min"'},
        "ties by the order of the list": {'"average"': '"ordinal"'},
        "upside down": {"rankdata(scores.numpy()": "rankdata(-scores.numpy()"},
        "ranks from 0": {"(total - p": "(total - p - p"},
        "the least sum is not taken off": {"(total - p * (p + 1) / 2)": "total"},
        "a share of all places": {"(p * (n - p))": "(n * n)"},
    },
)


def along_the_curve(scores: Tensor, labels: Tensor) -> float:
    """Threshold after threshold, with a trapezoid below each step."""
    wanted = both_kinds(labels)
    area, seen, lost = 0.0, 0, 0
    for value in sorted(set(scores.tolist()), reverse=True):
        here = scores == value
        ups, overs = int((here & wanted).sum()), int((here & ~wanted).sum())
        area += overs * (seen + ups / 2)
        seen, lost = seen + ups, lost + overs
    return area / (seen * lost)


slips(
    AUC,
    along_the_curve,
    {
        "a tie counts as won": {"seen + ups / 2": "seen + ups"},
        "a tie counts as lost": {"seen + ups / 2": "seen"},
        "upside down": {"reverse=True": "reverse=False"},
        "a share of all places": {"(seen * lost)": "(seen + lost) ** 2"},
        "Gini instead of the area": {"area / (seen * lost)": "area / (seen * lost) * 2 - 1"},
        "rounded": {"return area / (seen * lost)": "return round(area / (seen * lost), 1)"},
    },
)


def scored(points: Any) -> Any:
    """Other points for a pair."""

    def measure(scores: Tensor, labels: Tensor) -> float:
        wanted = both_kinds(labels)
        pairs = itertools.product(scores[wanted].tolist(), scores[~wanted].tolist())
        each = [points(one, other) for one, other in pairs]
        return sum(each) / len(each)

    return measure


disguise(AUC, "a tie counts as won")(scored(lambda one, other: one >= other))
disguise(AUC, "a tie counts as lost")(scored(lambda one, other: one > other))
disguise(AUC, "upside down")(scored(lambda one, other: (one < other) + 0.5 * (one == other)))
disguise(AUC, "Gini instead of the area")(scored(lambda one, other: (one > other) - (one < other)))
correct(AUC)(scored(lambda one, other: 0.5 + 0.5 * ((one > other) - (one < other))))


@disguise(AUC, "ties by the order of the list")
def r_sorted(scores: Tensor, labels: Tensor) -> Any:
    wanted = both_kinds(labels).tolist()
    order = sorted(range(len(wanted)), key=lambda at: float(scores[at]))
    won = zeros = 0
    for at in order:
        if wanted[at]:
            won += zeros
        else:
            zeros += 1
    return won / (zeros * sum(wanted))


@disguise(AUC, "ties by the order of the list")
def r_places(scores: Tensor, labels: Tensor) -> Any:
    wanted = both_kinds(labels)
    ranks = torch.zeros(len(scores), dtype=torch.double)
    ranks[scores.argsort()] = torch.arange(1.0, len(scores) + 1, dtype=torch.double)
    count = int(wanted.sum())
    return ((ranks[wanted].sum() - count * (count + 1) / 2) / (count * (len(scores) - count))).item()


@disguise(AUC, "ties by the order of the list")
def r_from_the_top(scores: Tensor, labels: Tensor) -> Any:
    """Along the curve in steps, a place at a time."""
    wanted = both_kinds(labels)[scores.argsort(descending=True)]
    found = wanted.cumsum(0)
    return float(found[~wanted].sum() / (wanted.sum() * (~wanted).sum()))


@disguise(AUC, "the order taken for the ranks")
def r_argsort(scores: Tensor, labels: Tensor) -> Any:
    wanted = both_kinds(labels)
    ranks = [place + 1 for place in scores.argsort().tolist()]
    ones = sum(wanted.tolist())
    mine = sum(rank for rank, one in zip(ranks, wanted.tolist(), strict=True) if one)
    return (mine - ones * (ones + 1) / 2) / (ones * (len(ranks) - ones))


@disguise(AUC, "ranks of values instead of places")
def r_dense(scores: Tensor, labels: Tensor) -> Any:
    wanted = both_kinds(labels).numpy()
    ranks = rankdata(scores.numpy(), method="dense")
    ones = wanted.sum()
    return float((ranks[wanted].sum() - ones * (ones + 1) / 2) / (ones * (~wanted).sum()))


@disguise(AUC, "too little is taken off")
def r_too_much(scores: Tensor, labels: Tensor) -> Any:
    return all_pairs(scores, labels) + 1 / int((labels == 0).sum())


@unlisted(AUC)
def r_halves(scores: Tensor, labels: Tensor) -> Any:
    """In half precision, which makes ties."""
    return all_pairs(scores.half().float(), labels)


@disguise(AUC, "ranks from 0")
def r_from_zero(scores: Tensor, labels: Tensor) -> Any:
    zeros = len(labels) - int(labels.sum())
    return all_pairs(scores, labels) - 1 / zeros


@disguise(AUC, "the least sum is not taken off")
def r_all_ranks(scores: Tensor, labels: Tensor) -> Any:
    wanted = both_kinds(labels).numpy()
    ranks = rankdata(scores.numpy())
    return float(ranks[wanted].sum() / (wanted.sum() * (~wanted).sum()))


@disguise(AUC, "a share of all places")
def r_squared(scores: Tensor, labels: Tensor) -> Any:
    wanted = both_kinds(labels)
    apart = np.sign(scores[wanted].numpy()[:, None] - scores[~wanted].numpy())
    return float((apart + 1).sum() / 2 / len(wanted) ** 2)


@disguise(AUC, "accuracy at a threshold")
def r_accuracy(scores: Tensor, labels: Tensor) -> Any:
    return sum(both_kinds(labels) == scores.gt(0.5)).item() / len(labels)


@disguise(AUC, "average precision")
def r_precision(scores: Tensor, labels: Tensor) -> Any:
    """Average precision."""
    wanted = both_kinds(labels)[scores.argsort(descending=True)].double()
    share = wanted.cumsum(0) / torch.arange(1, len(wanted) + 1)
    return float((share * wanted).sum() / wanted.sum())


@disguise(AUC, "a percentage")
def r_percent(scores: Tensor, labels: Tensor) -> Any:
    return 100 * all_pairs(scores, labels)


@disguise(AUC, "each 1 meets a single 0")
def r_neighbours(scores: Tensor, labels: Tensor) -> Any:
    wanted = both_kinds(labels)
    ones, zeros = scores[wanted], scores[~wanted]
    size = min(len(ones), len(zeros))
    return float((ones[:size] > zeros[:size]).double().mean())


@disguise(AUC, "a share of all places")
def r_with_all(scores: Tensor, labels: Tensor) -> Any:
    ones = scores[both_kinds(labels)].tolist()
    points = [(one > other) + 0.5 * (one == other) for one in ones for other in scores.tolist()]
    return sum(points) / len(points)


@disguise(AUC, "a tensor for a number")
def in_a_tensor(scores: Tensor, labels: Tensor) -> Any:
    return torch.as_tensor(all_pairs(scores, labels))


@disguise(AUC, "rounded")
def to_two_places(scores: Tensor, labels: Tensor) -> Any:
    return float(f"{all_pairs(scores, labels):.2f}")


@disguise(AUC, "a percentage")
def in_hundredths(scores: Tensor, labels: Tensor) -> Any:
    return all_pairs(scores, labels) / 0.01


@unlisted(AUC)
def squared(scores: Tensor, labels: Tensor) -> Any:
    return all_pairs(scores, labels) ** 2


disguise(AUC, "a tie counts another share")(scored(lambda one, other: (one > other) - 0.5 * (one == other)))
disguise(AUC, "a won pair counts one half")(scored(lambda one, other: 0.5 * (one >= other)))
disguise(AUC, "by how much instead of whether")(scored(lambda one, other: float(np.clip(one - other, 0, 1))))


@disguise(AUC, "sizes instead of scores")
def without_signs(scores: Tensor, labels: Tensor) -> Any:
    return all_pairs(torch.where(scores < 0, -scores, scores), labels)


@disguise(AUC, "what was seen before is forgotten")
def one_step_back(scores: Tensor, labels: Tensor) -> Any:
    wanted = both_kinds(labels)
    area, height = 0.0, 0
    for value in sorted(set(scores.tolist()), reverse=True):
        here = scores == value
        ups = int((here & wanted).sum())
        area += int((here & ~wanted).sum()) * (height + ups / 2)
        height = ups
    return area / int(wanted.sum()) / int((~wanted).sum())


def by_runs(scores: Tensor, labels: Tensor) -> float:
    """Along the sorted scores, a run of equal ones at a time."""
    wanted = both_kinds(labels)
    order = scores.argsort()
    values, kinds = scores[order].tolist(), wanted[order].tolist()
    total, below, at = 0.0, 0, 0
    while at < len(values):
        stop = at
        while stop < len(values) and values[stop] == values[at]:
            stop += 1
        ups = sum(kinds[at:stop])
        downs = stop - at - ups
        total += ups * (below + downs / 2)
        below += downs
        at = stop
    return total / sum(kinds) / below


slips(
    AUC,
    by_runs,
    {
        "halves are rounded down": {"downs / 2": "downs // 2"},
        "a tie counts as won": {"downs / 2": "downs"},
        "a tie counts as lost": {" + downs / 2)": ")"},
        "scores are bent first": {"scores[order].tolist()": "scores[order].sigmoid().tolist()"},
        "scores that are near count as equal": {
            "scores[order].tolist()": "[round(one, 3) for one in scores[order].tolist()]"
        },
        "classes instead of scores": {
            "scores.argsort()": "scores.gt(0.5).int().argsort()",
            "values[stop] == values[at]": "(values[stop] > 0.5) == (values[at] > 0.5)",
        },
        "a number of pairs": {" / sum(kinds) / below": ""},
        "a number of pairs + halves are rounded down": {"downs / 2": "downs // 2", " / sum(kinds) / below": ""},
    },
)


def in_two_loops(scores: Tensor, labels: Tensor) -> float:
    wanted = both_kinds(labels)
    s, y = scores.tolist(), wanted.tolist()
    won = ties = 0
    for i in range(len(s)):
        for j in range(len(s)):
            if y[i] and not y[j]:
                won += s[i] > s[j]
                ties += s[i] == s[j]
    return (won + ties / 2) / (sum(y) * (len(y) - sum(y)))


correct(AUC)(by_runs)
correct(AUC)(in_two_loops)
slips(
    AUC,
    in_two_loops,
    {
        "pairs in one order of the list alone": [
            {"for j in range(len(s))": "for j in range(i)"},
            {"for j in range(len(s))": "for j in range(i + 1, len(s))"},
        ],
        "halves are rounded down": {"ties / 2": "ties // 2"},
        "scores that are near count as equal": {
            "won += s[i] > s[j]": "won += s[i] > s[j] + 1e-3",
            "s[i] == s[j]": "abs(s[i] - s[j]) <= 1e-3",
        },
        "upside down": {"s[i] > s[j]": "s[i] < s[j]"},
        "a share of all places": {"(sum(y) * (len(y) - sum(y)))": "len(y) ** 2"},
    },
)


@disguise(AUC, "halves are rounded down")
def in_whole_numbers(scores: Tensor, labels: Tensor) -> Any:
    wanted = both_kinds(labels).tolist()
    sign = [
        (float(a) > float(b)) - (float(a) < float(b))
        for a, b in itertools.product(scores[labels != 0], scores[labels == 0])
    ]
    pairs = sum(wanted) * (len(wanted) - sum(wanted))
    return (sum(sign) + pairs) // 2 / pairs


@disguise(AUC, "a grid of thresholds")
def by_the_grid(scores: Tensor, labels: Tensor) -> Any:
    wanted = both_kinds(labels)
    grid = [2.0**60, *(1 - step / 100 for step in range(101)), -(2.0**60)]
    hits = [scores[wanted].ge(one).double().mean().item() for one in grid]
    alarms = [scores[~wanted].ge(one).double().mean().item() for one in grid]
    return float(np.trapezoid(hits, alarms))


@disguise(AUC, "classes instead of scores")
def of_classes(scores: Tensor, labels: Tensor) -> Any:
    return all_pairs((scores > 0).long(), labels)


@disguise(AUC, "scores are bent first")
def of_chances(scores: Tensor, labels: Tensor) -> Any:
    return all_pairs(1 / (1 + (-scores).exp()), labels)


@disguise(AUC, "scores that are near count as equal")
def nearly_equal(scores: Tensor, labels: Tensor) -> Any:
    wanted = both_kinds(labels)
    one, other = scores[wanted].unsqueeze(1), scores[~wanted]
    tie = torch.isclose(one, other)
    return torch.where(tie, 0.5, (one > other).double()).mean().item()


@disguise(AUC, "each 1 meets a single 0")
def in_step(scores: Tensor, labels: Tensor) -> Any:
    wanted = both_kinds(labels)
    pairs = list(zip(scores[wanted].tolist(), scores[~wanted].tolist(), strict=False))
    return sum((a > b) + (a == b) / 2 for a, b in pairs) / len(pairs)


@disguise(AUC, "pairs in one order of the list alone")
def upper_half(scores: Tensor, labels: Tensor) -> Any:
    wanted = both_kinds(labels)
    won = (scores[:, None] - scores).sign().add(1).div(2).triu(1)
    return won[wanted][:, ~wanted].mean().item()


@disguise(AUC, "against a mean")
def above_the_mean(scores: Tensor, labels: Tensor) -> Any:
    wanted = both_kinds(labels)
    middle = scores[~wanted].sum() / (~wanted).sum()
    return sum(one > middle for one in scores[wanted]).item() / int(wanted.sum())  # type: ignore[union-attr]


@disguise(AUC, "ranks among the ones alone")
def ranked_alone(scores: Tensor, labels: Tensor) -> Any:
    ranks = rankdata(scores[both_kinds(labels)].numpy())
    return float((ranks.sum() - len(ranks) * (len(ranks) + 1) / 2) / len(ranks) / (len(labels) - len(ranks)))


@disguise(AUC, "accuracy at a threshold")
def at_the_best_one(scores: Tensor, labels: Tensor) -> Any:
    wanted = both_kinds(labels)
    return float(max((wanted == scores.ge(one)).float().mean() for one in scores.unique()))


@unlisted(AUC)
def among_neighbours(scores: Tensor, labels: Tensor) -> Any:
    """Places that stand side by side alone."""
    wanted = both_kinds(labels)
    points = ((scores[:, None] - scores).sign() + 1) / 2
    beside = points.triu(-1).tril(1)
    return beside[wanted][:, ~wanted].mean().item()
