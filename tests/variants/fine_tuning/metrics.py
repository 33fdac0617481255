"""Lesson 16: the confusion matrix, precision, recall and F1."""

from collections import Counter
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

MATRIX = "confusion_matrix"
SCORES = "precision_recall_f1"

# confusion_matrix ----------------------------------------------------------------------------


def valid(targets: Tensor, predictions: Tensor, num_classes: int) -> None:
    """The given ValueErrors."""
    if len(targets) != len(predictions):
        raise ValueError("lengths")
    if any(not 0 <= one < num_classes for one in [*targets.tolist(), *predictions.tolist()]):
        raise ValueError("no class")


def in_a_loop(targets: Tensor, predictions: Tensor, num_classes: int) -> Tensor:
    valid(targets, predictions, num_classes)
    matrix = torch.zeros(num_classes, num_classes, dtype=torch.long)
    for t, p in zip(targets, predictions, strict=True):
        matrix[t, p] += 1
    return matrix


slips(
    MATRIX,
    in_a_loop,
    {
        "rows and columns exchanged": {"matrix[t, p]": "matrix[p, t]"},
        "a cell counts once": {"matrix[t, p] += 1": "matrix[t, p] = 1"},
        "only what is right is counted": {"matrix[t, p] += 1": "matrix[t, p] += int(t == p)"},
        "only what is wrong is counted": {"matrix[t, p] += 1": "matrix[t, p] += int(t != p)"},
        "shares instead of counts": [
            {"return matrix": "return matrix / max(1, len(targets))"},
            {"return matrix": "return matrix / matrix.sum(1, keepdim=True)"},
            {"return matrix": "return matrix / matrix.sum(0).clamp(min=1)"},
        ],
        "each place counts for both": {"matrix[t, p] += 1": "matrix[t, p] += 1\n        matrix[p, t] += 1"},
        "the last place is lost": {"zip(targets, predictions,": "zip(targets[:-1], predictions[:-1],"},
        "all rows are one": {"matrix[t, p] += 1": "matrix[:, p] += 1"},
        "all columns are one": {"matrix[t, p] += 1": "matrix[t] += 1"},
        "some places count twice": [
            {"matrix[t, p] += 1": "matrix[t, p] += 1 + int(t != p)"},
            {"matrix[t, p] += 1": "matrix[t, p] += 1 + int(t == p)"},
        ],
        "class 0 does not count": {"matrix[t, p] += 1": "matrix[t, p] += bool(t or p)"},
        "floats instead of whole numbers": {", dtype=torch.long": ""},
    },
)


def by_one_hot(targets: Tensor, predictions: Tensor, num_classes: int) -> Tensor:
    valid(targets, predictions, num_classes)
    rows = F.one_hot(targets, num_classes)
    columns = F.one_hot(predictions, num_classes)
    return rows.T @ columns


slips(
    MATRIX,
    by_one_hot,
    {
        "rows and columns exchanged": {"rows.T @ columns": "columns.T @ rows"},
        "a cell counts once": {"rows.T @ columns": "(rows.T @ columns > 0).long()"},
        "only what is right is counted": {"rows.T @ columns": "(rows * columns).sum(0).diag()"},
        "shares instead of counts": {"rows.T @ columns": "rows.T.double() @ columns.double() / max(len(rows), 1)"},
        "only classes that occur": {
            "rows = F.one_hot(targets, num_classes)": (
                "size = int(torch.cat([targets, predictions]).max()) + 1 if len(targets) else 0\n"
                "    if not size:\n        return torch.zeros(0, 0).long()\n"
                "    rows = F.one_hot(targets, size)"
            ),
            "F.one_hot(predictions, num_classes)": "F.one_hot(predictions, size)",
        },
        "each place counts for both": {"rows.T @ columns": "rows.T @ columns + columns.T @ rows"},
        "the last place is lost": {"rows.T @ columns": "rows[:-1].T @ columns[:-1]"},
    },
)


def by_pairs(targets: Tensor, predictions: Tensor, num_classes: int) -> Tensor:
    valid(targets, predictions, num_classes)
    pairs = Counter(zip(targets.tolist(), predictions.tolist(), strict=True))
    every = range(num_classes)
    return torch.tensor([[pairs[row, column] for column in every] for row in every])


slips(
    MATRIX,
    by_pairs,
    {
        "rows and columns exchanged": {"pairs[row, column]": "pairs[column, row]"},
        "a cell counts once": {"pairs[row, column]": "int((row, column) in pairs)"},
        "only what is wrong is counted": {"pairs[row, column]": "pairs[row, column] * (row != column)"},
        "shares instead of counts": {
            "pairs[row, column]": "pairs[row, column] / max(1, sum(pairs[row, other] for other in every))"
        },
        "the last place is lost": {"Counter(zip(": "Counter(list(zip(", "strict=True))": "strict=True))[:-1])"},
    },
)


@disguise(MATRIX, "rows and columns exchanged")
def m_turned(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    return in_a_loop(predictions, targets, num_classes)


@disguise(MATRIX, "a cell counts once")
def m_once(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    matrix = torch.zeros((num_classes, num_classes), dtype=torch.int64)
    matrix[targets, predictions] += 1
    return matrix


@disguise(MATRIX, "only what is right is counted")
def m_diagonal(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    return torch.bincount(targets[targets == predictions], minlength=num_classes).diag()


@disguise(MATRIX, "only what is wrong is counted")
def m_errors(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    differ = targets != predictions
    return by_pairs(targets[differ], predictions[differ], num_classes)


@disguise(MATRIX, "shares instead of counts")
def m_shares(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    return F.normalize(by_one_hot(targets, predictions, num_classes).double(), p=1, dim=1)


@disguise(MATRIX, "only classes that occur")
def m_occurring(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    size = max([-1, *targets.tolist(), *predictions.tolist()]) + 1
    matrix = np.zeros((size, size), dtype=np.int64)
    np.add.at(matrix, (targets.numpy(), predictions.numpy()), 1)
    return torch.from_numpy(matrix)


@disguise(MATRIX, "each place counts for both")
def m_both(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    both = torch.cat([targets, predictions]), torch.cat([predictions, targets])
    return in_a_loop(*both, num_classes)


@disguise(MATRIX, "floats instead of whole numbers")
def m_floats(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    matrix = torch.zeros(num_classes, num_classes)
    for place in range(len(targets)):
        matrix[targets[place], predictions[place]] += 1
    return matrix


@disguise(MATRIX, "all rows are one")
def m_one_list(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    rows = [[0] * num_classes] * num_classes
    for t, p in zip(targets.tolist(), predictions.tolist(), strict=True):
        rows[t][p] += 1
    return torch.tensor(rows)


@disguise(MATRIX, "the last place is lost")
def m_last(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    matrix = torch.zeros(num_classes, num_classes).long()
    for place in range(len(targets) - 1):
        matrix[targets[place], predictions[place]] += 1
    return matrix


@correct(MATRIX)
def m_numpy(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    edges = np.arange(num_classes + 1) - 0.5
    counts, _, _ = np.histogram2d(targets.numpy(), predictions.numpy(), bins=(edges, edges))
    return torch.from_numpy(counts).int()


@correct(MATRIX)
def m_accumulated(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    matrix = torch.zeros(num_classes, num_classes, dtype=torch.int64)
    return matrix.index_put_((targets, predictions), torch.ones_like(targets), accumulate=True)


@disguise(MATRIX, "the last place is lost")
def m_first_place(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    return in_a_loop(targets[1:], predictions[1:], num_classes) if len(targets) else in_a_loop(targets, predictions, 3)


@disguise(MATRIX, "rows or columns turned round")
def m_backwards(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    return in_a_loop(targets, predictions, num_classes).flip(0)


@disguise(MATRIX, "counts begin at 1")
def m_one_more(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    return in_a_loop(targets, predictions, num_classes) + 1


@unlisted(MATRIX)
def m_by_distance(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    apart = (torch.arange(num_classes)[:, None] - torch.arange(num_classes)).abs()
    return in_a_loop(targets, predictions, num_classes) * apart


slips(
    MATRIX,
    in_a_loop,
    {
        "class 0 does not count": [
            {"matrix[t, p] += 1": f"matrix[t, p] += int({what})"} for what in ("t > 0", "p > 0", "t * p > 0")
        ],
        "one of the two for both": [
            {"matrix[t, p] += 1": "matrix[t, t] += 1"},
            {"matrix[t, p] += 1": "matrix[p, p] += 1"},
        ],
        "classes counted from 1": {"matrix[t, p] += 1": "matrix[t - 1, p - 1] += 1"},
        "counts begin at 1": {"torch.zeros(": "torch.ones("},
        "whether instead of how often": {"return matrix": "return matrix.bool()"},
        "the cells in one row": {"return matrix": "return matrix.view(-1)"},
        "only the first place counts": {
            "matrix[t, p] += 1\n    return matrix": "matrix[t, p] += 1\n        return matrix"
        },
    },
)


@disguise(MATRIX, "class 0 does not count")
def m_without_zero(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    return in_a_loop(targets[targets.bool()], predictions[targets.bool()], num_classes)


@disguise(MATRIX, "several pairs share a cell")
def m_mixed(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    cells = Counter((targets + predictions).tolist())
    return torch.tensor([cells[one] for one in range(num_classes * num_classes)]).view(num_classes, num_classes)


@disguise(MATRIX, "which was taken for which is lost")
def m_sorted_pairs(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    matrix = torch.zeros(num_classes, num_classes, dtype=torch.long)
    for pair in zip(targets.tolist(), predictions.tolist(), strict=True):
        matrix[min(pair), max(pair)] += 1
    return matrix


@disguise(MATRIX, "the diagonal comes back")
def m_right_ones(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    return torch.stack([((targets == k) & (predictions == k)).sum() for k in range(num_classes)])


@disguise(MATRIX, "the cells in one row")
def m_in_one_row(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    return torch.cat(list(in_a_loop(targets, predictions, num_classes)))


@disguise(MATRIX, "only the first place counts")
def m_first_alone(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    return in_a_loop(targets[:1], predictions[:1], num_classes)


@disguise(MATRIX, "whether instead of how often")
def m_ever(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    return in_a_loop(targets, predictions, num_classes) != 0


@disguise(MATRIX, "classes counted from 1")
def m_from_one(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    return in_a_loop((targets - 1) % num_classes, (predictions - 1) % num_classes, num_classes)


@disguise(MATRIX, "one of the two for both")
def m_of_targets(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    return torch.diag(torch.bincount(targets, minlength=num_classes))


@disguise(MATRIX, "as many counts as the largest cell needs")
def m_too_few(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    return torch.bincount(predictions + num_classes * targets).view(num_classes, num_classes)


# precision_recall_f1 ----------------------------------------------------------------------------


def known(average: Any) -> None:
    """The given ValueError."""
    if average not in (None, "macro", "micro", "weighted"):
        raise ValueError("average")


def class_by_class(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    known(average)
    valid(targets, predictions, num_classes)
    rows, sizes, sums = [], [], [0, 0, 0]
    for k in range(num_classes):
        tp = int(((targets == k) & (predictions == k)).sum())
        fp = int(((targets != k) & (predictions == k)).sum())
        fn = int(((targets == k) & (predictions != k)).sum())
        rows.append(from_counts(tp, fp, fn))
        sizes.append(tp + fn)
        sums = [a + b for a, b in zip(sums, (tp, fp, fn), strict=True)]
    pooled = average == "micro"
    if pooled:
        return from_counts(*sums)
    columns = list(zip(*rows, strict=True))
    if average == "macro":
        return tuple(sum(one) / num_classes for one in columns)
    if average == "weighted":
        total = sum(sizes) or 1
        return tuple(sum(s * x for s, x in zip(sizes, one, strict=True)) / total for one in columns)
    return tuple(torch.tensor(one) for one in columns)


def from_counts(tp: int, fp: int, fn: int) -> tuple[float, float, float]:
    p = tp / (tp + fp) if tp + fp else 0.0
    r = tp / (tp + fn) if tp + fn else 0.0
    return p, r, 2 * p * r / (p + r) if p + r else 0.0


slips(
    SCORES,
    class_by_class,
    {
        "absent classes are left out of the mean": [
            {"sum(one) / num_classes for": "sum(one) / max(1, sum(s > 0 for s in sizes)) for"},
        ],
        "weighted is macro": {
            "sum(s * x for s, x in zip(sizes, one, strict=True)) / total for": "sum(one) / len(one) for"
        },
        "weighted by predictions": {"sizes.append(tp + fn)": "sizes.append(tp + fp)"},
        "macro is weighted": {'if average == "macro":': "if False:", 'average == "weighted"': "average"},
        "micro is macro": {"if pooled:": "if False:", 'average == "macro"': 'average in ("macro", "micro")'},
        "macro is micro": {'average == "micro"': 'average in ("micro", "macro")'},
        "averages are not divided": {"sum(one) / num_classes for": "sum(one) for"},
        "class 0 is left out of the mean": [
            {"sum(one) / num_classes for": "sum(one[1:]) / max(1, num_classes - 1) for"},
        ],
    },
)
slips(
    SCORES,
    class_by_class,
    {
        "precision and recall exchanged": {
            "tp / (tp + fp) if tp + fp": "tp / (tp + fn) if tp + fn",
            "tp / (tp + fn) if tp + fn": "tp / (tp + fp) if tp + fp",
        },
        "the arithmetic mean for F1": {"2 * p * r / (p + r) if p + r else 0.0": "(p + r) / 2"},
        "the geometric mean for F1": {"2 * p * r / (p + r) if p + r else 0.0": "(p * r) ** 0.5"},
        "F1 without the 2": {"2 * p * r": "p * r"},
        "Jaccard for F1": {"2 * p * r / (p + r) if p + r else 0.0": "tp / max(1, tp + fp + fn)"},
        "1 where a class is absent": {
            "if tp + fp else 0.0": "if tp + fp else 1.0",
            "if tp + fn else 0.0": "if tp + fn else 1.0",
        },
        "NaN where a class is absent": [
            {
                "if tp + fp else 0.0": "if tp + fp else float('nan')",
                "if tp + fn else 0.0": "if tp + fn else float('nan')",
                "if p + r else 0.0": "if p + r else float('nan')",
            },
            {"if p + r else 0.0": "if p + r else float('nan')"},
            {
                "if tp + fp else 0.0": "if tp + fp else float('nan')",
                "2 * p * r / (p + r) if p + r else 0.0": "2 * tp / max(1, 2 * tp + fp + fn)",
            },
        ],
    },
    inside="from_counts",
)


def with_torch(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    """Precision and recall first, F1 out of them, one mean for all three."""
    known(average)
    valid(targets, predictions, num_classes)
    found = torch.bincount(predictions, minlength=num_classes).float()
    real = torch.bincount(targets, minlength=num_classes).float()
    hits = torch.bincount(targets[targets == predictions], minlength=num_classes).float()
    if average in {"micro"}:
        found, real, hits = found.sum()[None], real.sum()[None], hits.sum()[None]
    precision = torch.nan_to_num(hits / found)
    recall = torch.nan_to_num(hits / real)
    f_score = torch.nan_to_num(2 * precision * recall / (precision + recall))
    measures = torch.stack([precision, recall, f_score])
    if not average:
        return tuple(measures)
    if average == "weighted":
        return tuple((measures @ (real / real.sum().clamp(min=1))).tolist())
    return tuple(measures.mean(dim=1).tolist())


slips(
    SCORES,
    with_torch,
    {
        "precision and recall exchanged": {"hits / found": "hits / real", "hits / real": "hits / found"},
        "the arithmetic mean for F1": {"2 * precision * recall / (precision + recall)": "precision / 2 + recall / 2"},
        "the geometric mean for F1": {
            "torch.nan_to_num(2 * precision * recall / (precision + recall))": "torch.sqrt(precision * recall)"
        },
        "F1 without the 2": {"2 * precision": "precision"},
        "Jaccard for F1": {"2 * precision * recall / (precision + recall)": "hits / (found + real - hits)"},
        "NaN where a class is absent": [
            {
                "torch.nan_to_num(hits / found)": "hits / found",
                "torch.nan_to_num(hits / real)": "hits / real",
                "torch.nan_to_num(2 * precision * recall / (precision + recall))": (
                    "2 * precision * recall / (precision + recall)"
                ),
            },
        ],
        "weighted by predictions": {"real / real.sum()": "found / found.sum()"},
        "weighted is macro": {'average == "weighted"': "False"},
        "micro is macro": {'average in {"micro"}': "False"},
        "macro is micro": {'{"micro"}': '{"micro", "macro"}'},
        "macro is weighted": {'average == "weighted"': 'average in ("weighted", "macro")'},
        "F1 of the mean precision and recall": {
            "return tuple((measures @ (real / real.sum().clamp(min=1))).tolist())": (
                "p, r, _ = measures @ (real / real.sum().clamp(min=1))\n"
                "        return p.item(), r.item(), float(2 * p * r / (p + r)) if p + r else 0.0"
            ),
            "return tuple(measures.mean(dim=1).tolist())": (
                "p, r, _ = measures.mean(dim=1).tolist()\n    return p, r, 2 * p * r / (p + r) if p + r else 0.0"
            ),
        },
        "averages are not divided": {"measures.mean(dim=1)": "measures.sum(dim=1)"},
        "1 where a class is absent": {
            "torch.nan_to_num(hits / found)": "torch.nan_to_num(hits / found, nan=1.0)",
            "torch.nan_to_num(hits / real)": "torch.nan_to_num(hits / real, nan=1.0)",
        },
    },
)


def with_numpy(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    known(average)
    valid(targets, predictions, num_classes)
    grid = np.zeros((num_classes, num_classes))
    np.add.at(grid, (targets.numpy(), predictions.numpy()), 1)
    hit, column, row = np.diag(grid), grid.sum(axis=0), grid.sum(axis=1)
    everything = average == "micro"
    if everything:
        hit, column, row = (one.sum(keepdims=True) for one in (hit, column, row))
    p, r, f = ratio(hit, column), ratio(hit, row), ratio(2 * hit, column + row)
    vectors = torch.tensor(p), torch.tensor(r), torch.tensor(f)
    if average not in ("macro", "micro", "weighted"):
        return vectors
    weights = row if average == "weighted" and row.sum() else np.ones_like(row)
    return tuple(float(np.average(one, weights=weights)) for one in (p, r, f))


def ratio(part: Any, whole: Any) -> Any:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


slips(
    SCORES,
    with_numpy,
    {
        "precision and recall exchanged": [
            {"grid.sum(axis=0), grid.sum(axis=1)": "grid.sum(axis=1), grid.sum(axis=0)"},
            {"ratio(hit, column), ratio(hit, row)": "ratio(hit, row), ratio(hit, column)"},
        ],
        "the arithmetic mean for F1": {
            "ratio(2 * hit, column + row)": "(ratio(hit, column) + ratio(hit, row)) / 2",
        },
        "F1 without the 2": {"2 * hit": "hit"},
        "Jaccard for F1": {"ratio(2 * hit, column + row)": "ratio(hit, column + row - hit)"},
        "weighted by predictions": {"weights = row if": "weights = column if"},
        "weighted is macro": {'average == "weighted"': "False"},
        "micro is macro": {'average == "micro"': "False"},
        "accuracy of each class for precision": {
            "ratio(hit, column), ratio(hit, row), ratio": "ratio(hit, hit * 0 + grid.sum()), ratio(hit, row), ratio"
        },
        "precision and recall exchanged + F1 without the 2": {
            "grid.sum(axis=0), grid.sum(axis=1)": "grid.sum(axis=1), grid.sum(axis=0)",
            "2 * hit": "hit",
        },
    },
)


@disguise(SCORES, "precision and recall exchanged")
def s_exchanged(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    return class_by_class(predictions, targets, num_classes, average)


@disguise(SCORES, "precision and recall exchanged")
def s_in_the_other_order(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    p, r, f = with_numpy(targets, predictions, num_classes, average)
    return r, p, f


@disguise(SCORES, "F1 of the mean precision and recall")
def s_of_means(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    p, r, f = with_numpy(targets, predictions, num_classes, average)
    if average is None:
        return p, r, f
    return p, r, 2 / (1 / p + 1 / r) if p and r else 0.0


def each(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None, nothing: float) -> Any:
    """With another number where nothing is to be divided by."""
    known(average)
    valid(targets, predictions, num_classes)

    def share(part: Tensor, whole: Tensor) -> float:
        return (part.sum() / whole.sum()).item() if whole.any() else nothing

    def measure(there: Tensor, predicted: Tensor) -> tuple[float, float, float]:
        both = there & predicted
        return share(both, predicted), share(both, there), share(2 * both, there.int() + predicted.int())

    sets = [(targets == one, predictions == one) for one in range(num_classes)]
    if average == "micro":
        return measure(*(torch.cat(one) for one in zip(*sets, strict=True)))
    rows = torch.tensor([measure(*one) for one in sets])
    if average is None:
        return rows[:, 0], rows[:, 1], rows[:, 2]
    weights = torch.tensor([float(one.sum()) for one, _ in sets])
    if average == "macro":
        weights = torch.ones(num_classes)
    return tuple((weights / weights.sum().clamp(min=1) @ rows).tolist())


@disguise(SCORES, "NaN where a class is absent")
def s_nan(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    return each(targets, predictions, num_classes, average, float("nan"))


def undefined(mean: Any) -> Any:
    """Everything divided as it comes."""

    def scores(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
        known(average)
        grid = in_a_loop(targets, predictions, num_classes).float()
        hit, column, row = grid.diag(), grid.sum(0), grid.sum(1)
        if average == "micro":
            hit, column, row = hit.sum(), column.sum(), row.sum()
        p, r = hit / column, hit / row
        found = p, r, 2 * p * r / (p + r)
        return mean(found, row, average)

    return scores


def as_they_come(found: Any, row: Tensor, average: str | None) -> Any:
    if average in (None, "micro"):
        return found
    share = row / row.sum() if average == "weighted" else torch.full_like(row, 1 / len(row))
    return tuple((one * share).sum() for one in found)


def mean_of_the_defined(found: Any, row: Tensor, average: str | None) -> Any:
    if average == "macro":
        return tuple(one.nanmean() for one in found)
    return as_they_come([one.nan_to_num() for one in found], row.clamp(min=1e-30), average)


disguise(SCORES, "NaN where a class is absent")(undefined(as_they_come))
disguise(SCORES, "absent classes are left out of the mean")(undefined(mean_of_the_defined))


@disguise(SCORES, "1 where a class is absent")
def s_one(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    return each(targets, predictions, num_classes, average, 1.0)


@correct(SCORES)
def s_zero(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    return each(targets, predictions, num_classes, average, 0.0)


def macro_of(which: Any) -> Any:
    """A macro mean over some classes only."""

    def scores(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
        found = class_by_class(targets, predictions, num_classes, None if average == "macro" else average)
        if average != "macro":
            return found
        chosen = [one for one in range(num_classes) if which(one, targets, predictions)]
        return tuple(one[chosen].mean().item() if chosen else 0.0 for one in found)

    return scores


disguise(SCORES, "absent classes are left out of the mean")(macro_of(lambda one, t, p: bool((t == one).any())))
disguise(SCORES, "absent classes are left out of the mean")(
    macro_of(lambda one, t, p: bool((t == one).any() or (p == one).any()))
)
disguise(SCORES, "class 0 is left out of the mean")(macro_of(lambda one, t, p: one > 0))


def with_another_f(make: Any) -> Any:
    """Another measure in the place of F1, before anything is averaged."""

    def scores(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
        known(average)
        valid(targets, predictions, num_classes)
        counts = in_a_loop(targets, predictions, num_classes).double()
        hit, column, row = counts.diag(), counts.sum(0), counts.sum(1)
        if average == "micro":
            hit, column, row = (one.sum(0, keepdim=True) for one in (hit, column, row))
        p, r = (hit / one.clamp(min=1) for one in (column, row))
        rows = (p, r, make(hit, column, row))
        if average is None:
            return rows
        share = row / row.sum().clamp(min=1) if average == "weighted" else torch.ones_like(row) / len(row)
        return tuple(float(one @ share) for one in rows)

    return scores


OTHER_F = {
    "one kind of error does not count in F1": lambda hit, c, r: 2 * hit / (c + hit).clamp(min=1),
    "the smaller of the two for F1": lambda hit, c, r: hit / torch.maximum(c, r).clamp(min=1),
    "the arithmetic mean for F1": lambda hit, c, r: (hit / c.clamp(min=1) + hit / r.clamp(min=1)) / 2,
    "the geometric mean for F1": lambda hit, c, r: hit / (c * r).clamp(min=1).sqrt(),
    "F1 without the 2": lambda hit, c, r: hit / (c + r).clamp(min=1),
    "Jaccard for F1": lambda hit, c, r: hit / (c + r - hit).clamp(min=1),
}
for mistake, made in OTHER_F.items():
    disguise(SCORES, mistake)(with_another_f(made))


@disguise(SCORES, "weighted by predictions")
def s_by_predictions(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    if average != "weighted":
        return with_torch(targets, predictions, num_classes, average)
    weights = torch.bincount(predictions, minlength=num_classes) / max(1, len(predictions))
    return tuple(float(one @ weights) for one in with_torch(targets, predictions, num_classes))


def taken_for(asked: str, given: str) -> Any:
    """One average where another is asked for."""

    def scores(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
        return with_numpy(targets, predictions, num_classes, given if average == asked else average)

    return scores


disguise(SCORES, "weighted is macro")(taken_for("weighted", "macro"))
disguise(SCORES, "macro is weighted")(taken_for("macro", "weighted"))
disguise(SCORES, "micro is macro")(taken_for("micro", "macro"))
disguise(SCORES, "macro is micro")(taken_for("macro", "micro"))


@disguise(SCORES, "averages are not divided")
def s_summed(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    found = class_by_class(targets, predictions, num_classes, average)
    return tuple(one * num_classes for one in found) if average == "macro" else found


@disguise(SCORES, "accuracy of each class for precision")
def s_accuracy(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    _, r, f = with_numpy(targets, predictions, num_classes, average)
    if average == "micro":
        # All places of all classes: each class has as many.
        return float((targets == predictions).double().mean()) if len(targets) else 0.0, r, f
    same = [((targets == one) & (predictions == one)).double() for one in range(num_classes)]
    per_class = torch.stack([one.sum() for one in same]) / max(1, len(targets))
    if average is None:
        return per_class, r, f
    weights = torch.bincount(targets, minlength=num_classes) / max(1, len(targets))
    if average == "macro":
        return float(per_class.mean()), r, f
    return float(per_class @ weights.double()), r, f


@disguise(SCORES, "recall counts more than precision in F1")
def s_f2(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    return with_another_f(lambda hit, c, r: 5 * hit / (4 * r + c).clamp(min=1))(
        targets, predictions, num_classes, average
    )


@disguise(SCORES, "a percentage")
def s_percent(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    p, r, f = with_torch(targets, predictions, num_classes, average)
    return p * 100, r * 100, f * 100


@unlisted(SCORES)
def s_smoothed(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    return with_another_f(lambda hit, c, r: (2 * hit + 1) / (c + r + 1))(targets, predictions, num_classes, average)


@disguise(SCORES, "the three in another order")
def s_f_first(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    p, r, f = with_torch(targets, predictions, num_classes, average)
    return f, p, r


@disguise(MATRIX, "counts of one byte")
def m_in_bytes(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    """Numbers too small to count far."""
    return in_a_loop(targets, predictions, num_classes).to(torch.uint8).long()


@disguise(MATRIX, "only classes that occur")
def m_as_large_as_needed(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    size = int(torch.maximum(targets, predictions).max()) + 1
    return F.one_hot(targets, size).T @ F.one_hot(predictions, size)


def averaged(take: Any) -> Any:
    """With another way from the numbers of the classes to an average; "micro" as it should be."""

    def measure(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
        p, r, f = with_torch(targets, predictions, num_classes)
        if average in (None, "micro"):
            return with_torch(targets, predictions, num_classes, average)
        known(average)
        there = torch.bincount(targets, minlength=num_classes).double()
        weights = there / there.sum().clamp(min=1) if average == "weighted" else torch.ones_like(there) / num_classes
        return take(average, torch.stack([p, r, f]).double(), weights, there)

    return measure


def tuned(of: tuple[str, ...], both: Any) -> Any:
    def take(average: str, rows: Tensor, weights: Tensor, there: Tensor) -> Any:
        p, r, f = rows @ weights
        return p, r, both(p, r) if average in of else f

    return averaged(take)


for means in (("macro",), ("weighted",)):
    for both in (
        lambda p, r: 2 * p * r / (p + r),
        lambda p, r: torch.nan_to_num(2 * p * r / (p + r)),
        lambda p, r: 2 / (1 / p.item() + 1 / r.item()),
    ):
        disguise(SCORES, "F1 of the mean precision and recall")(tuned(means, both))


def only(chosen: Any) -> Any:
    def take(average: str, rows: Tensor, weights: Tensor, there: Tensor) -> Any:
        return rows[:, chosen(there)].mean(dim=1).tolist() if average == "macro" else (rows @ weights).tolist()

    return averaged(take)


disguise(SCORES, "absent classes are left out of the mean")(only(lambda there: there > 0))
disguise(SCORES, "class 0 is left out of the mean")(only(lambda there: slice(1, None)))


def shared_out(average: str, rows: Tensor, weights: Tensor, there: Tensor) -> Any:
    weights = there / there.sum() if average == "weighted" else weights
    return (rows * weights).sum(dim=1).tolist()


def summed_up(average: str, rows: Tensor, weights: Tensor, there: Tensor) -> Any:
    return (rows @ (there if average == "weighted" else weights)).tolist()


disguise(SCORES, "NaN where a class is absent")(averaged(shared_out))


@disguise(SCORES, "NaN where a class is absent")
def s_share_of_right(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    if average != "micro":
        return with_torch(targets, predictions, num_classes, average)
    share = targets.eq(predictions).float().mean()
    return share, share, share


def counted(below: Any) -> Any:
    """With other numbers below the line."""

    def measure(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
        known(average)
        grid = by_one_hot(targets, predictions, num_classes).numpy().astype(float)
        hit, (column, row) = np.diag(grid).copy(), below(grid)
        if average == "micro":
            hit, column, row = (one.sum(keepdims=True) for one in (hit, column, row))
        found = [ratio(one, whole) for one, whole in ((hit, column), (hit, row), (2 * hit, column + row))]
        if average is None:
            return tuple(map(torch.tensor, found))
        if average != "weighted":
            return tuple(float(one.mean()) for one in found)
        weights = row / max(1.0, row.sum())
        return tuple(float((one * weights).sum()) for one in found)

    return measure


def two_columns(grid: Any) -> Any:
    return grid.sum(axis=0), grid.sum(axis=0)


def two_rows(grid: Any) -> Any:
    return grid.sum(axis=1), grid.sum(axis=1)


def errors(grid: Any) -> Any:
    return grid.sum(axis=0) - np.diag(grid), grid.sum(axis=1) - np.diag(grid)


disguise(SCORES, "precision and recall are one")(counted(two_columns))
disguise(SCORES, "precision and recall are one")(counted(two_rows))
disguise(SCORES, "what is right is not counted below the line")(counted(errors))
disguise(SCORES, "averages are not divided")(averaged(summed_up))

disguise(SCORES, "the product for F1")(with_another_f(lambda hit, c, r: hit / c.clamp(min=1) * hit / r.clamp(min=1)))
disguise(SCORES, "1 is added below the line")(with_another_f(lambda hit, c, r: 2 * hit / (c + r + 1)))
disguise(SCORES, "what is right is not counted below the line")(
    counted(lambda grid: (grid.sum(axis=0) - np.diag(grid), grid.sum(axis=1)))
)


@disguise(SCORES, "rounded")
def s_rounded(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    found = with_torch(targets, predictions, num_classes, average)
    return tuple(torch.as_tensor(one).mul(100).round() / 100 for one in found)


@disguise(SCORES, "rounded")
def s_rounded_means(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    found = with_torch(targets, predictions, num_classes, average)
    return found if average is None else tuple(round(float(one), 2) for one in found)


@disguise(SCORES, "divided without a rest")
def s_whole(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    known(average)
    grid = by_one_hot(targets, predictions, num_classes)
    hit, column, row = grid.diag(), grid.sum(0), grid.sum(1)
    if average == "micro":
        hit, column, row = hit.sum()[None], column.sum()[None], row.sum()[None]
    found = [part // whole.clamp(min=1) for part, whole in ((hit, column), (hit, row), (2 * hit, column + row))]
    if average is None:
        return tuple(one.double() for one in found)
    share = row / row.sum().clamp(min=1) if average == "weighted" else torch.ones(len(row)) / len(row)
    return tuple(float((one * share).sum()) for one in found)


@disguise(SCORES, "macro unless told otherwise")
def s_macro(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = "macro") -> Any:
    return with_torch(targets, predictions, num_classes, average)


@disguise(SCORES, "lists for vectors")
def s_lists(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    found = with_torch(targets, predictions, num_classes, average)
    return found if average else [one.tolist() for one in found]


def nan_of_classes(*which: int) -> Any:
    """NaN where a class is absent, and 0 in "micro" of no place."""

    def measure(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
        if average == "micro":
            return with_torch(targets, predictions, num_classes, average)
        known(average)
        grid = by_one_hot(targets, predictions, num_classes).double()
        hit, column, row = grid.diag(), grid.sum(0), grid.sum(1)
        rows = torch.stack([hit / column, hit / row, 2 * hit / (column + row)])
        calm = torch.stack([one if at in which else torch.nan_to_num(one) for at, one in enumerate(rows)])
        if average is None:
            return tuple(calm)
        weights = row / row.sum().clamp(min=1) if average == "weighted" else torch.ones_like(row) / num_classes
        return tuple((calm * weights).sum(dim=1).tolist())

    return measure


for places in ((0,), (1,), (0, 1, 2)):
    disguise(SCORES, "NaN where a class is absent")(nan_of_classes(*places))


@disguise(MATRIX, "all columns are one")
def m_one_column(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    return torch.tensor([[int((targets == row).sum())] * num_classes for row in range(num_classes)])


@disguise(MATRIX, "some places count twice")
def m_errors_twice(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    differ = targets != predictions
    both = torch.cat([targets, targets[differ]]), torch.cat([predictions, predictions[differ]])
    return in_a_loop(*both, num_classes)


@disguise(MATRIX, "every target meets every prediction")
def m_products(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    is_there, is_predicted = ((one[:, None] == torch.arange(num_classes)).sum(0) for one in (targets, predictions))
    return is_there[:, None] * is_predicted[None, :]
