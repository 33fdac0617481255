"""Lesson 16: programs that stop with an exception, as the help for it says."""

from typing import Any

import torch
from torch import Tensor, nn

from autograder.stand_ins.fine_tuning import confusion_matrix, evaluate, precision_recall_f1, spans
from tests.variants import disguise, unlisted

# align_labels ----------------------------------------------------------------------------


@unlisted("align_labels")
def looks_none_up(word_labels: Any, word_ids: Any) -> Any:
    return [word_labels[number] for number in word_ids]


@disguise("align_labels", "every piece carries the label + labels in step with pieces")
def by_the_place(word_labels: Any, word_ids: Any) -> Any:
    return [-100 if number is None else word_labels[place] for place, number in enumerate(word_ids)]


@unlisted("align_labels")
def compares_none(word_labels: Any, word_ids: Any) -> Any:
    return [word_labels[number] if number > -1 else -100 for number in word_ids]


@unlisted("align_labels")
def subtracts_from_none(word_labels: Any, word_ids: Any) -> Any:
    steps = [here - left for left, here in zip(word_ids, word_ids[1:], strict=False)]  # noqa: RUF007
    return [word_labels[number] if step else -100 for number, step in zip(word_ids, [1, *steps], strict=True)]


# confusion_matrix ----------------------------------------------------------------------------


@disguise("confusion_matrix", "as many counts as the largest cell needs")
def without_minlength(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    return torch.bincount(targets * num_classes + predictions).reshape(num_classes, num_classes)


@unlisted("confusion_matrix")
def in_fractions(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    cells = targets + predictions / num_classes
    return torch.bincount(cells, minlength=num_classes**2).view(num_classes, num_classes)


@unlisted("confusion_matrix")
def two_in_one_bracket(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    rows: Any = [[0] * num_classes for _ in range(num_classes)]
    for t, p in zip(targets.tolist(), predictions.tolist(), strict=True):
        rows[t, p] += 1
    return torch.tensor(rows)


# precision_recall_f1 ----------------------------------------------------------------------------


@unlisted("precision_recall_f1")
def divides_at_once(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    if average not in (None, "macro", "micro", "weighted"):
        raise ValueError("average")
    counts = confusion_matrix(targets, predictions, num_classes).tolist()
    each = [counts[one][one] / sum(row[one] for row in counts) for one in range(num_classes)]
    return each, each, each


@unlisted("precision_recall_f1")
def divides_by_a_sum(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    p, r, _ = precision_recall_f1(targets, predictions, num_classes)
    each = [2 * one * other / (one + other) for one, other in zip(p.tolist(), r.tolist(), strict=True)]
    return p, r, torch.tensor(each)


# spans, span_f1 ----------------------------------------------------------------------------


@unlisted("spans")
def splits_o(tags: Any) -> Any:
    return [(kind, place, place + 1) for place, (_, kind) in enumerate(tag.split("-") for tag in tags)]


@unlisted("spans")
def splits_everything(tags: Any) -> Any:
    for tag in tags:
        if tag != "O":
            prefix, kind = tag.split("-")
            if prefix not in "BI" or not kind:
                raise ValueError("a tag")
    return spans(tags)


@unlisted("spans")
def looks_behind_the_end(tags: Any) -> Any:
    found, start = [], 0
    for place, tag in enumerate(tags):
        if tag[0] == "B":
            start = place
        if tag != "O" and tags[place + 1][0] != "I":
            found.append((tag[2:], start, place + 1))
    return found


@disguise("span_f1", "no number where no entity is")
def divides_anyway(targets: Any, predictions: Any) -> Any:
    if [len(one) for one in targets] != [len(one) for one in predictions]:
        raise ValueError("lengths")
    pairs = [(set(spans(t)), set(spans(p))) for t, p in zip(targets, predictions, strict=True)]
    return 2 * sum(len(t & p) for t, p in pairs) / sum(len(t) + len(p) for t, p in pairs)


@disguise("span_f1", "no number where no entity is")
def through_both_shares(targets: Any, predictions: Any) -> Any:
    if [len(one) for one in targets] != [len(one) for one in predictions]:
        raise ValueError("lengths")
    pairs = [(set(spans(t)), set(spans(p))) for t, p in zip(targets, predictions, strict=True)]
    right = sum(len(t & p) for t, p in pairs)
    precision = right / max(1, sum(len(p) for _, p in pairs))
    recall = right / max(1, sum(len(t) for t, _ in pairs))
    return 2 * precision * recall / (precision + recall)


@unlisted("span_f1")
def lists_not_sets(targets: Any, predictions: Any) -> Any:
    right = sum(len(spans(t) & spans(p)) for t, p in zip(targets, predictions, strict=True))  # type: ignore[operator]
    return float(right)


@unlisted("span_f1")
def sets_of_lists(targets: Any, predictions: Any) -> Any:
    pairs = zip(targets, predictions, strict=True)
    return float(sum(len({*map(list, spans(t))} & {*map(list, spans(p))}) for t, p in pairs))  # type: ignore[arg-type]


@unlisted("span_f1")
def all_texts_at_once(targets: Any, predictions: Any) -> Any:
    return float(len(set(spans(targets)) & set(spans(predictions))))


# fine_tune_groups ----------------------------------------------------------------------------


@unlisted("fine_tune_groups")
def asks_for_equal_numbers(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    new = list(head.parameters())
    old = [one for one in model.parameters() if one not in new]
    return [
        {"params": new, "lr": head_rate, "weight_decay": weight_decay},
        {"params": old, "lr": rate, "weight_decay": weight_decay},
    ]


@unlisted("fine_tune_groups")
def asks_for_equal_numbers_of_the_head(
    model: Any, head: Any, rate: float, head_rate: float, weight_decay: float
) -> Any:
    inside = [one for one in reversed(list(model.parameters())) if one in list(head.parameters())]
    return [{"params": inside, "lr": head_rate, "weight_decay": weight_decay}]


# Heads ----------------------------------------------------------------------------


class TakesBoth(nn.Module):
    """What the model gives goes on as it is."""

    def __init__(self, bert: Any, num_classes: int) -> None:
        super().__init__()
        self.bert = bert
        self.dropout = nn.Dropout(bert.config.dropout)
        self.head = nn.Linear(bert.config.d_model, num_classes)

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Any:
        return self.head(self.dropout(self.bert(ids, segment_ids, mask)))


class TakesBothUndropped(TakesBoth):
    """And without dropout."""

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Any:
        return self.head(self.bert(ids, segment_ids, mask))


class AsksItsMean(TakesBoth):
    """A method of a tensor."""

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Any:
        return self.head(self.bert(ids, segment_ids, mask).mean(dim=1))


def without_a_constructor(name: str) -> type:
    """Half of the exercise."""

    def forward(self: Any, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Any:
        return self.head(self.dropout(self.bert(ids, segment_ids, mask)[1]))

    def begin(self: Any, bert: Any, num_classes: int) -> None:
        nn.Module.__init__(self)
        self.bert = bert

    return type(name, (nn.Module,), {"__init__": begin, "forward": forward})


for exercise in ("SequenceClassifier", "TokenClassifier"):
    for made in (TakesBoth, TakesBothUndropped, AsksItsMean, without_a_constructor(exercise)):
        unlisted(exercise)(made)

# evaluate, macro_f1 ----------------------------------------------------------------------------


@unlisted("evaluate")
def third_dimension(model: Any, batches: Any) -> Any:
    model.eval()
    pairs = [(labels[labels >= 0], model(ids).argmax(dim=2)[labels >= 0]) for ids, labels in batches]
    return tuple(torch.cat(one) for one in zip(*pairs, strict=True))


@unlisted("evaluate")
def by_number(model: Any, batches: Any) -> Any:
    return evaluate(model, [batches[number] for number in range(len(batches))])


@unlisted("evaluate")
def nothing_to_cat(model: Any, batches: Any) -> Any:
    """Right but for the ValueError, and for the mode."""
    model.eval()
    targets, predictions = [], []
    with torch.no_grad():
        for ids, labels in batches:
            targets.append(labels[labels >= 0].flip(0))
            predictions.append(model(ids).argmax(dim=-1)[labels >= 0])
    return torch.cat(targets), torch.cat(predictions)


@unlisted("macro_f1")
def both_as_one(model: Any, batches: Any, num_classes: int) -> Any:
    return precision_recall_f1(evaluate(model, batches), num_classes, average="macro")[2]  # type: ignore[call-arg, arg-type]


# LoRALinear ----------------------------------------------------------------------------


class Narrow(nn.Module):
    """The parts of a LoRALinear."""

    def __init__(self, linear: Any, rank: int, alpha: float) -> None:
        super().__init__()
        if rank < 1:
            raise ValueError("rank")
        self.linear, self.scale = linear.requires_grad_(False), alpha / rank
        self.down = nn.Parameter(torch.randn(rank, linear.in_features))
        self.up = nn.Parameter(torch.zeros(linear.out_features, rank))

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) + self.scale * (x @ self.down.T @ self.up.T)

    def merge(self) -> Any:
        made = nn.Linear(self.linear.in_features, self.linear.out_features)
        made.weight.data = (self.linear.weight + self.scale * self.up @ self.down).detach()
        made.bias.data = self.linear.bias.data.clone()
        return made


class NotTurned(Narrow):
    """x meets a matrix that is not transposed."""

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) + self.scale * (x @ self.down @ self.up)


class Tracked(Narrow):
    """A merge that writes over a parameter."""

    def merge(self) -> Any:
        made = nn.Linear(self.linear.in_features, self.linear.out_features, self.linear.bias is not None)
        made.weight.copy_(self.linear.weight + self.scale * self.up @ self.down)
        return made


class Cloned(Narrow):
    """A bias that may be None."""

    def merge(self) -> Any:
        made = Narrow.merge(self) if self.linear.bias is not None else nn.Linear(5, 4)
        made.bias = nn.Parameter(self.linear.bias.clone())
        return made


for one in (Narrow, NotTurned, Tracked, Cloned):
    unlisted("LoRALinear")(one)


@unlisted("LoRALinear")
class FreezesNone(nn.Module):
    def __init__(self, linear: Any, rank: int, alpha: float) -> None:
        super().__init__()
        if rank < 1:
            raise ValueError("rank")
        self.linear, self.scale = linear, alpha / rank
        linear.weight.requires_grad = False
        linear.bias.requires_grad = False
        self.down = nn.Parameter(torch.randn(rank, linear.in_features))
        self.up = nn.Parameter(torch.zeros(linear.out_features, rank))

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) + self.scale * x @ self.down.T @ self.up.T

    def merge(self) -> Any:
        made = nn.Linear(self.linear.in_features, self.linear.out_features)
        made.weight.data = (self.linear.weight + self.scale * self.up @ self.down).detach()
        made.bias.data = self.linear.bias.detach().clone()
        return made
