"""Lesson 16: what a stranger's count had left without a name, or had passed."""

from itertools import chain
from typing import Any

import torch

from autograder.stand_ins.fine_tuning import precision_recall_f1
from tests.variants import correct, disguise, slips, unlisted
from tests.variants.fine_tuning.evaluating import ASK, MACRO, as_lists, from_counts, whole_then_cut
from tests.variants.fine_tuning.labels import ALIGN, beside_its_neighbour, by_places, enough, with_a_set

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
