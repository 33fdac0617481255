"""Lesson 16: what a stranger's count had left without a name, or had passed."""

from itertools import chain
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.fine_tuning import precision_recall_f1
from autograder.stand_ins.optimization import decay_groups
from tests.variants import correct, disguise, slips, unlisted
from tests.variants.fine_tuning.evaluating import ASK, MACRO, as_lists, from_counts, whole_then_cut
from tests.variants.fine_tuning.groups import GROUPS, four_lists, one_group_each, part_of, twice_sorted
from tests.variants.fine_tuning.heads import TEXT, TOKEN, ByIndex, Given, GivenTokens, another
from tests.variants.fine_tuning.labels import ALIGN, beside_its_neighbour, by_places, enough, with_a_set
from tests.variants.fine_tuning.metrics import (
    MATRIX,
    SCORES,
    by_one_hot,
    by_pairs,
    class_by_class,
    in_a_loop,
    known,
    valid,
    with_torch,
)

# evaluate ----------------------------------------------------------------------------

slips(
    ASK,
    as_lists,
    {
        "asked in training mode": {"        for label, guess": "        model.train(before)\n        for label, guess"},
        "class 0 is left out": {"if label == -100:": "if not label:"},
    },
)
slips(
    ASK,
    whole_then_cut,
    {
        "the labels are changed": {
            "        rows +=": "        marks[marks == -100] = -1\n        rows +=",
            "every.ne(-100)": "every.ge(0)",
        },
    },
)


@correct(ASK)
def behind_one_another(model: Any, batches: Any) -> Any:
    """Every module gets its own mode back."""
    modes = [(part, part.training) for part in model.modules()]
    model.eval()
    with torch.no_grad():
        found = [(labels, model(ids)) for ids, labels in batches]
    for part, mode in modes:
        part.training = mode
    here = [(one, logits) for one, logits in found if (one != -100).any()]
    if not here:
        raise ValueError("no label anywhere")
    return (
        torch.cat([one[one != -100] for one, _ in here]),
        torch.cat([logits[one != -100].argmax(-1) for one, logits in here]),
    )


@unlisted(ASK)
def on_top_of_one_another(model: Any, batches: Any) -> Any:
    found = [(labels[labels != -100], model(ids).argmax(-1)[labels != -100]) for ids, labels in batches]
    return tuple(torch.stack(one) for one in zip(*found, strict=True))


@unlisted(ASK)
def below_one_another(model: Any, batches: Any) -> Any:
    mode = model.training
    model.eval()
    with torch.no_grad():
        found = [(labels, model(ids).argmax(-1)) for ids, labels in batches]
    model.train(mode)
    wanted, came = (torch.cat(one) for one in zip(*found, strict=True))
    return wanted[wanted != -100], came[wanted != -100]


# macro_f1 ----------------------------------------------------------------------------

slips(
    MACRO,
    from_counts,
    {
        "asked in training mode": {
            "ids, labels in batches:": "number, (ids, labels) in enumerate(batches):",
            "real = labels != -100": "real = model.train(number > 0 and training) and labels != -100",
        },
        "a batch without labels is refused": {
            "        counts +=": "        if not real.sum():\n            raise ValueError(counts)\n        counts +="
        },
        "padding is a class of its own": [
            {
                "counts = torch.zeros(num": "num_classes += 1\n    counts = torch.zeros(num",
                "labels[real]": "labels.where(real, num_classes - 1).flatten()",
                "argmax(-1)[real]": said,
            }
            for said in ("argmax(-1).flatten()", "argmax(-1).where(real, num_classes - 1).flatten()")
        ],
    },
)


@disguise(MACRO, "the batches are gone through twice")
def once_for_each(model: Any, batches: Any, num_classes: int) -> float:
    wanted, _ = as_lists(model, batches)
    _, came = as_lists(model, batches)
    return float(precision_recall_f1(wanted, came, num_classes)[2].mean())


@disguise(MACRO, "a batch without labels is refused")
def none_is_empty(model: Any, batches: Any, num_classes: int) -> float:
    found = [as_lists(model, [batch]) for batch in batches]
    wanted, came = (torch.tensor(list(chain(*(one[at].tolist() for one in found)))) for at in (0, 1))
    return float(precision_recall_f1(wanted, came, num_classes)[2].mean())


@disguise(MACRO, "padding is a class of its own")
def one_class_more(model: Any, batches: Any, num_classes: int) -> float:
    held = [(ids, labels.masked_fill(labels < 0, num_classes)) for ids, labels in batches]
    return float(precision_recall_f1(*as_lists(model, held), num_classes + 1)[2].mean())


@unlisted(MACRO)
def both_in_one(model: Any, batches: Any, num_classes: int) -> Any:
    both: Any = as_lists(model, batches)
    return precision_recall_f1(both, num_classes, "macro")[2]  # type: ignore[arg-type, call-arg]


@unlisted(MACRO)
def one_side_cut(model: Any, batches: Any, num_classes: int) -> Any:
    held = list(batches)
    wanted, _ = as_lists(model, held)
    came = torch.cat([model(ids).argmax(-1).flatten() for ids, _ in held])
    return precision_recall_f1(wanted, came, num_classes, "macro")[2]


# align_labels ----------------------------------------------------------------------------

slips(
    ALIGN,
    with_a_set,
    {
        "further pieces carry a label of their own": {
            "out.append(-100 + 0)": "out.append(word_labels[number] + int(word_labels[number] == 1))"
        },
        "further pieces get 0 + word 0 is taken for no word": {"if number is None": "if not number", "-100 + 0": "0"},
        "the first special token is the end": {
            "out.append(-100)": "out.append(-100)\n            if seen:\n                break"
        },
    },
)
slips(
    ALIGN,
    by_places,
    {
        "the label of the word before": {"= word_labels[number]": "= word_labels[number - 1] if number else -100"},
        "a tensor instead of a list": {"return out": "return torch.tensor(out) if out else out"},
        "the lists are changed": [
            {"return out": "word_ids[:] = out\n    return out"},
            {"return out": "word_ids[:] = [-1 if one is None else one for one in word_ids]\n    return out"},
        ],
    },
)
slips(
    ALIGN,
    beside_its_neighbour,
    {"the lists are changed": {"word_labels[here] if": "word_labels.pop(0) if"}},
)


@disguise(ALIGN, "the lists are changed")
def into_the_list(word_labels: Any, word_ids: Any) -> Any:
    enough(word_labels, word_ids)
    last = -1
    for place in range(len(word_ids)):
        number, word_ids[place] = word_ids[place], -100
        if number not in (None, last):
            word_ids[place] = word_labels[number]
        last = number
    return word_ids


@disguise(ALIGN, "what is not asked is left out")
def of_the_words(word_labels: Any, word_ids: Any) -> Any:
    enough(word_labels, word_ids)
    return [*word_labels]


@unlisted(ALIGN)
def where_each_begins(word_labels: Any, word_ids: Any) -> Any:
    enough(word_labels, word_ids)
    starts = [word_ids.index(number) for number in range(len(word_labels))]
    return [word_labels[starts.index(place)] if place in starts else -100 for place in range(len(word_ids))]


# confusion_matrix ----------------------------------------------------------------------------

slips(
    MATRIX,
    in_a_loop,
    {
        "the last class does not count": [
            {"matrix[t, p] += 1": "matrix[t, p] += int(t != num_classes - 1)"},
            {"matrix[t, p] += 1": "matrix[t, p] += int(p != num_classes - 1)"},
        ],
        "counts of one byte": {"dtype=torch.long": "dtype=torch.uint8"},
    },
)
slips(
    MATRIX,
    by_one_hot,
    {
        "several pairs share a cell": {
            "rows.T @ columns": "torch.bincount("
            "targets * (max(predictions.tolist(), default=0) + 1) + predictions, minlength=num_classes**2"
            ").view(num_classes, -1)"
        },
    },
)
slips(
    MATRIX,
    by_pairs,
    {
        "the last class does not count": {"every = range(num_classes)": "every = range(num_classes - 1)"},
        "one of the two is enough": {
            "pairs[row, column]": "sum(n for (t, p), n in pairs.items() if t == row or p == column)"
        },
    },
)


@disguise(MATRIX, "the last class does not count")
def but_the_last(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    rows = [torch.bincount(predictions[targets == row], minlength=num_classes) for row in range(num_classes - 1)]
    return torch.stack([*rows, torch.zeros(num_classes, dtype=torch.long)])


@disguise(MATRIX, "one of the two is enough")
def either(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    rows, columns = F.one_hot(targets, num_classes), F.one_hot(predictions, num_classes)
    return (rows[:, :, None] | columns[:, None]).sum(dim=0)


@unlisted(MATRIX)
def rows_of_other_lengths(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    return torch.stack([torch.bincount(predictions[targets == row]) for row in range(num_classes)])


# precision_recall_f1 ----------------------------------------------------------------------------


def in_turn(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    """Class after class in lists; "micro" is the share of places that are right."""
    known(average)
    valid(targets, predictions, num_classes)
    places, right = max(len(targets), 1), 0
    precisions, recalls, scores, sizes = [], [], [], []
    for k in range(num_classes):
        mine, called = targets == k, predictions == k
        hits = int((mine & called).sum())
        right += hits
        precisions.append(hits / max(int(called.sum()), 1))
        recalls.append(hits / max(int(mine.sum()), 1))
        scores.append(2 * hits / max(int(called.sum()) + int(mine.sum()), 1))
        sizes.append(int(mine.sum()))
    if average == "micro":
        return (right / places,) * 3
    lists = precisions, recalls, scores
    if average is None:
        return tuple(torch.tensor(one).double() for one in lists)
    weights = sizes if average == "weighted" else [1] * len(sizes)
    return tuple(sum(w * x for w, x in zip(weights, one, strict=True)) / max(sum(weights), 1) for one in lists)


slips(
    SCORES,
    in_turn,
    {
        "F1 without the 2": {"2 * hits": "hits"},
        "divided without a rest": [
            {"hits / max(int(called.sum()), 1)": "hits // max(int(called.sum()), 1)"},
            {"hits / max(int(mine.sum()), 1)": "hits // max(int(mine.sum()), 1)"},
        ],
        "absent classes are left out of the mean": {"in range(num_classes)": "in sorted(set(targets.tolist()))"},
        "the last class is left out of the measure": {"in range(num_classes)": "in range(num_classes - 1)"},
        "class 0 is left out of the measure": {"in range(num_classes)": "in range(1, num_classes)"},
        "class 0 is left out of the mean": {"right += hits": "right += hits if k else 0"},
        "what is no class goes unnoticed": {"    valid(targets, predictions, num_classes)\n": ""},
    },
)
slips(
    SCORES,
    class_by_class,
    {
        "vectors for an average": [
            {'average == "weighted"': "False"},
            {'average == "macro"': "False"},
            {"    if pooled:\n        return from_counts(*sums)\n": ""},
        ],
    },
)
slips(
    SCORES,
    with_torch,
    {
        "one tensor instead of three": {
            "return tuple(measures)": "return measures",
            "return tuple((measures @ (real / real.sum().clamp(min=1))).tolist())": (
                "return measures @ (real / real.sum().clamp(min=1))"
            ),
            "return tuple(measures.mean(dim=1).tolist())": "return measures.mean(dim=1)",
        },
        "only F1 comes back": {
            "return tuple(measures)": "return f_score",
            "return tuple((measures @ (real / real.sum().clamp(min=1))).tolist())": (
                "return f_score @ (real / real.sum().clamp(min=1))"
            ),
            "return tuple(measures.mean(dim=1).tolist())": "return f_score.mean()",
        },
    },
)


@disguise(SCORES, "the last class is left out of the measure")
def zero_for_the_last(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    if average == "micro":
        return with_torch(targets, predictions, num_classes, average)
    three = with_torch(targets, predictions, num_classes)
    there = torch.bincount(targets, minlength=num_classes).float() if average == "weighted" else torch.ones(num_classes)
    for one in three:
        one[num_classes - 1] = 0.0
    return three if average is None else tuple(float(one @ there / there.sum().clamp(min=1)) for one in three)


@disguise(SCORES, "vectors for an average")
def never_a_mean(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    known(average)
    return with_torch(targets, predictions, num_classes)


@disguise(SCORES, "what is no class goes unnoticed")
def without_a_look(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
    known(average)
    real = (targets >= 0) & (targets < num_classes) & (predictions < num_classes)
    return with_torch(targets[real], predictions[real], num_classes, average)


# fine_tune_groups ----------------------------------------------------------------------------

slips(
    GROUPS,
    four_lists,
    {
        "weights are in no group": [
            {f'        {{"params": lists["{which}"], "lr": {rate}, "weight_decay": weight_decay}},\n': ""}
            for which, rate in (("new", "head_rate"), ("old", "rate"))
        ],
        "what is shared is in two groups": {
            "for p in model.parameters():": "for _, p in model.named_parameters(remove_duplicate=False):"
        },
    },
)
slips(
    GROUPS,
    one_group_each,
    {"copies of the parameters": {'"params": [one]': '"params": [nn.Parameter(one.detach().clone())]'}},
)


@disguise(GROUPS, "what is shared is in two groups")
def part_by_part(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    part_of(model, head)
    others = [part for part in model.children() if part is not head]
    below = [{**one, "lr": rate} for part in others for one in decay_groups(part, weight_decay)]
    return [{**one, "lr": head_rate} for one in decay_groups(head, weight_decay)] + below


@unlisted(GROUPS)
def an_optimizer(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    return torch.optim.AdamW(twice_sorted(model, head, rate, head_rate, weight_decay))


# SequenceClassifier, TokenClassifier ----------------------------------------------------------------------------

for place in (lambda x: x[:, -1], lambda x: x[:, 1:].select(1, 0), lambda x: x.mean(1), lambda x: x.max(1).values):
    disguise(TEXT, "another vector through the pooler")(
        another(Given, choose=lambda self, hidden, pooled, place=place: self.bert.pooler(place(hidden)).tanh())
    )
disguise(TEXT, "another vector through the pooler")(
    another(Given, choose=lambda self, hidden, pooled: self.bert.pooler(hidden[:, 0]))
)


def all_open(self: Any, ids: Tensor, segment_ids: Any, mask: Any) -> Any:
    return self.bert(ids, segment_ids, mask if mask is not None else torch.full((1, 1, 1, ids.size(1)), True))


def id_0_hidden(self: Any, ids: Tensor, segment_ids: Any, mask: Any) -> Any:
    return self.bert(ids, segment_ids, mask if mask is not None else (ids > 0)[:, None, None])


def as_a_decoder(self: Any, ids: Tensor, segment_ids: Any, mask: Any) -> Any:
    places = torch.arange(ids.size(1))
    seen = (places <= places[:, None]) & (ids != self.bert.config.pad_id)[:, None, None]
    return self.bert(ids, segment_ids, seen if mask is None else mask)


def pooled_again(self: Any, vector: Tensor) -> Tensor:
    return self.head(self.dropout(F.tanh(self.bert.pooler(vector))))


def all_or_nothing(self: Any, vector: Tensor) -> Tensor:
    if vector.dim() == 3:
        return self.head(F.dropout1d(vector, self.dropout.p, self.training))
    return self.head(vector * self.dropout(vector.new_ones(len(vector), 1)))


for name, base in ((TEXT, Given), (TOKEN, GivenTokens)):
    disguise(name, "padding is read")(another(base, read=all_open))
    disguise(name, "padding is read")(another(base, read=id_0_hidden))
    disguise(name, "what comes later is hidden")(another(base, read=as_a_decoder))
    disguise(name, "through the pooler again")(another(base, score=pooled_again))
    disguise(name, "whole vectors are dropped")(another(base, score=all_or_nothing))


@disguise(TOKEN, "the same is dropped of every token")
class Dropout2d(GivenTokens):
    """As for a picture: a channel as a whole."""

    def score(self, vector: Tensor) -> Tensor:
        return self.head(F.dropout1d(vector.mT, self.dropout.p, self.training).mT)


slips(TEXT, ByIndex, {"a fixed number of labels": {"(width, num_classes)": "(width, bert.config.vocab_size)"}})


@unlisted(TEXT)
class ItsOwnBert(Given):
    """Looks into the model for a size that others call so."""

    def __init__(self, bert: Any, num_labels: int) -> None:
        super().__init__(bert, num_labels)
        self.head = nn.Linear(bert.config.hidden_size, num_labels)


@unlisted(TOKEN)
class EmbeddedAlone(GivenTokens):
    def read(self, ids: Tensor, segment_ids: Any, mask: Any) -> Any:
        return self.bert.embedding(ids, segment_ids), None


@unlisted(TOKEN)
class OtherName(GivenTokens):
    """See ItsOwnBert."""

    def __init__(self, bert: Any, num_labels: int) -> None:
        super().__init__(bert, num_labels)
        self.head = nn.Linear(bert.config.hidden_size, num_labels)


@unlisted(TEXT)
class EmbeddedText(Given):
    def read(self, ids: Tensor, segment_ids: Any, mask: Any) -> Any:
        return None, self.bert.embedding(ids, segment_ids)[:, 0]
