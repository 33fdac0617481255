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


@unlisted(AUC)
def r_neighbours(scores: Tensor, labels: Tensor) -> Any:
    """Pairs of neighbours only."""
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
