"""Lesson 16: written by somebody else, with the slips that are likely there."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from tests.variants import disguise, slips

ALIGN, MATRIX, MEASURES, SPANS = "align_labels", "confusion_matrix", "precision_recall_f1", "spans"


def numbers_fit(word_labels: Sequence[int], word_ids: Sequence[int | None]) -> None:
    """The given lines."""
    if any(word is not None and not 0 <= word < len(word_labels) for word in word_ids):
        raise ValueError("a word without a label")


def with_a_set(word_labels: Sequence[int], word_ids: Sequence[int | None]) -> Any:
    numbers_fit(word_labels, word_ids)
    labels = [-100] * len(word_ids)
    done: set[int] = set()
    for place, w in enumerate(word_ids):
        if w is not None and w not in done:
            labels[place] = word_labels[w]
            done.add(w)
    return labels


slips(
    ALIGN,
    with_a_set,
    {
        "labels in step with pieces": [
            {"labels = [-100] * len(word_ids)": f"return ({start} + [-100] * len(word_ids))[: len(word_ids)]"}
            for start in ("list(word_labels)", "[-100] + list(word_labels)")
        ],
        "the label of the word behind": [
            {"word_labels[w]": "word_labels[(w + 1) % len(word_labels)]"},
            {"word_labels[w]": "word_labels[w + 1]"},
        ],
        "one place early": {"labels[place]": "labels[place - 1]"},
        "the ends are cut off": {"return labels": "return labels[1:][:-1]"},
        "a tensor instead of a list": {"return labels": "return torch.tensor(labels)"},
        "-1 where nothing is asked": {"[-100] * len(word_ids)": "[-1 if w is None else -100 for w in word_ids]"},
        "None where nothing is asked": {
            "labels = [-100] * len(word_ids)": "labels: Any = [None if w is None else -100 for w in word_ids]"
        },
    },
)


@disguise(ALIGN, "the label of the word behind")
def next_words(word_labels: Sequence[int], word_ids: Sequence[int | None]) -> Any:
    return with_a_set([*word_labels[1:], *word_labels[:1]], word_ids)


@disguise(ALIGN, "further pieces are left out")
def a_word_a_piece(word_labels: Sequence[int], word_ids: Sequence[int | None]) -> Any:
    numbers_fit(word_labels, word_ids)
    out, before = [], None
    for w in word_ids:
        if w is None:
            out.append(-100)
        elif w != before:
            out.append(word_labels[w])
        before = w
    return out


@disguise(ALIGN, "the ends are cut off")
def inner_places(word_labels: Sequence[int], word_ids: Sequence[int | None]) -> Any:
    made = with_a_set(word_labels, word_ids)
    return [label for place, label in enumerate(made) if 0 < place < len(made) - 1]


@disguise(ALIGN, "a tensor instead of a list")
def as_a_tensor(word_labels: Sequence[int], word_ids: Sequence[int | None]) -> Any:
    return torch.LongTensor(with_a_set(word_labels, word_ids))


# confusion_matrix, precision_recall_f1 ----------------------------------------------------------------


def cell_by_cell(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    if targets.shape != predictions.shape:
        raise ValueError("not as many")
    both = torch.cat([targets, predictions])
    if both.numel() and not 0 <= int(both.min()) <= int(both.max()) < num_classes:
        raise ValueError("no class")
    m = torch.zeros(num_classes, num_classes, dtype=torch.long)
    for t, p in zip(targets.tolist(), predictions.tolist(), strict=True):
        m[t, p] += 1
    return m


slips(
    MATRIX,
    cell_by_cell,
    {
        "a list instead of a tensor": {"return m": "return m.tolist()"},
        "the last place is lost": {"targets.tolist(), predictions": "targets[1:].tolist(), predictions[1:]"},
        "rows and columns exchanged": {"m[t, p]": "m[p, t]"},
    },
)


@disguise(MATRIX, "a list instead of a tensor")
def in_rows(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    return [[int(one) for one in row] for row in cell_by_cell(targets, predictions, num_classes)]


def class_by_class(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    if average not in (None, "macro", "micro", "weighted"):
        raise ValueError("another average")
    cell_by_cell(targets, predictions, num_classes)
    tp = torch.tensor([((targets == c) & (predictions == c)).sum() for c in range(num_classes)]).double()
    pred = torch.tensor([(predictions == c).sum() for c in range(num_classes)]).double()
    true = torch.tensor([(targets == c).sum() for c in range(num_classes)]).double()
    weights = true / true.sum().clamp(min=1) if average == "weighted" else torch.ones_like(true) / num_classes
    if average == "micro":
        tp, pred, true, weights = (one.sum()[None] for one in (tp, pred, true, weights.new_ones(1)))
    p = tp / pred.clamp(min=1)
    r = tp / true.clamp(min=1)
    f = 2 * tp / (pred + true).clamp(min=1)
    return (p, r, f) if average is None else tuple((weights * one).sum().item() for one in (p, r, f))


slips(
    MEASURES,
    class_by_class,
    {
        "1 where a class is absent": [
            {"tp / pred.clamp(min=1)": "torch.where(pred > 0, tp / pred, torch.ones_like(pred))"},
            {"tp / true.clamp(min=1)": "torch.where(true > 0, tp / true, torch.ones_like(true))"},
        ],
        "recall counts more than precision in F1": {
            "2 * tp / (pred + true).clamp(min=1)": "5 * tp / (pred + 4 * true).clamp(min=1)"
        },
        "only F1 comes back": {"return (p, r, f) if": "return f if"},
    },
)


@disguise(MEASURES, "recall counts more than precision in F1")
def half_as_much(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    precision, recall, _ = class_by_class(targets, predictions, num_classes)
    below = 0.25 * precision + recall
    f = torch.where(below > 0, 1.25 * precision * recall / below, torch.zeros_like(below))
    there = torch.bincount(targets, minlength=num_classes).double()
    if average is None:
        return precision, recall, f
    p, r, micro = class_by_class(targets, predictions, num_classes, average)
    if average == "micro":
        return p, r, micro
    share = there / there.sum().clamp(min=1) if average == "weighted" else torch.full_like(f, 1 / num_classes)
    return p, r, float(share @ f)


@disguise(MEASURES, "only F1 comes back")
def f1_alone(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    found = class_by_class(targets, predictions, num_classes, average)
    return found[-1] if average is None else found


# spans ----------------------------------------------------------------------------


def with_a_state(tags: Sequence[str]) -> Any:
    for t in tags:
        if t != "O" and not (t[:2] in ("B-", "I-") and t[2:]):
            raise ValueError("no tag")
    found: list[tuple[Any, Any, int]] = []
    kind, start = None, None
    for i, tag in enumerate([*tags, "O"]):
        name = tag[2:] if tag != "O" else None
        if kind is not None and (tag[0] in "OB" or name != kind):
            found.append((kind, start, i))
            kind = None
        if name is not None and kind is None:
            kind, start = name, i
    return found


slips(
    SPANS,
    with_a_state,
    {
        "entities of one token are lost": {
            "            found.append((kind, start, i))": (
                "            if i > start + 1:\n                found.append((kind, start, i))"
            )
        },
        "sorted by kind": {"return found": "return sorted(found)"},
        "O does not end an entity": {
            'tag[0] in "OB" or name != kind': 'tag[0] == "B" or i == len(tags) or (tag != "O" and name != kind)'
        },
        "an I- of another kind goes on": {'tag[0] in "OB" or name != kind': 'tag[0] in "OB"'},
    },
)


@disguise(SPANS, "entities of one token are lost")
def two_at_least(tags: Sequence[str]) -> Any:
    return [(kind, start, end) for kind, start, end in with_a_state(tags) if end - start >= 2]


@disguise(SPANS, "sorted by kind")
def in_order_of_kinds(tags: Sequence[str]) -> Any:
    return sorted(with_a_state(tags), key=lambda one: one[0])


@disguise(SPANS, "O is a kind like any other")
def all_stretches(tags: Sequence[str]) -> Any:
    found = list(with_a_state(tags))
    for place, tag in enumerate(tags):
        if tag == "O" and (place == 0 or tags[place - 1] != "O"):
            end = place
            while end < len(tags) and tags[end] == "O":
                end += 1
            found.append(("O", place, end))
    return sorted(found, key=lambda one: one[1])


@disguise(SPANS, "O is a kind like any other")
def each_o(tags: Sequence[str]) -> Any:
    outside = [("O", place, place + 1) for place, tag in enumerate(tags) if tag == "O"]
    return sorted([*with_a_state(tags), *outside], key=lambda one: one[1])


@disguise(SPANS, "from back to front")
def from_behind(tags: Sequence[str]) -> Any:
    return with_a_state(tags)[::-1]
