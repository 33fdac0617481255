"""Checks of asking a classifier: evaluate, macro_f1, and a repair."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks.decoding.shared import raised
from autograder.checks.fine_tuning.confusion import LIBRARIES
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# evaluate ----------------------------------------------------------------------------

evaluate = Exercise(
    "evaluate",
    points=3,
    hints=(
        "It is a loop of three lines, and something before and after it. What has to be as before when you are done? And which places of `labels` count?",
        "```python\nwas_training = ...  # and switch to evaluation\ntargets, predictions = [], []\nwith ...:           # no gradients\n    for ids, labels in batches:\n        asked = ...     # where labels is not -100\n        ...             # of labels and of the likeliest classes what is asked\n...                 # the mode as it was\nif ...:             # nothing asked at all\n    raise ValueError(...)\nreturn ...          # two tensors, not two lists\n```",
        "`asked = labels != -100`, `targets.append(labels[asked])`, `predictions.append(model(ids).argmax(dim=-1)[asked])`. `model.train(was_training)` brings either mode back, and `torch.cat` puts what was collected behind one another.",
    ),
    traps={
        "IndexError: The shape of the mask [...] at index ... does not match the shape of the indexed tensor [...] at index ...": "the classes stand in the last dimension of the logits, whether there is a row of them for each text or for each token: `argmax(dim=-1)`.",
        "IndexError: Dimension out of range (expected to be in range of [...], but got ...)": "for whole texts the logits have two dimensions, for tokens three. The classes are in the last of them: -1.",
        "TypeError: object of type 'generator' has no len()": "the batches may be a generator, which gives them one by one and only once. Go through it with `for`.",
        "TypeError: Judge.forward() takes 2 positional arguments but 3 were given": "a model is asked about ids alone, `model(ids)`. What is right is not told to it.",
        "RuntimeError: zero-dimensional tensor (at position ...) cannot be concatenated": "`argmax()` without a dimension gives one number for all. The classes are in the last dimension: `argmax(dim=-1)`.",
        "RuntimeError: torch.cat(): expected a non-empty list of Tensors": "there was no batch. That is to be a ValueError: ask before you put anything together.",
        "RuntimeError: stack expects each tensor to be equal size, but got ...": "batches have different numbers of places. `torch.cat` puts them behind one another; `torch.stack` makes a new dimension, and wants all of one size.",
        "RuntimeError: Sizes of tensors must match except in dimension ...": "batches have different sizes. What is kept of a batch has one dimension, `labels[asked]`, and `torch.cat` puts such tensors behind one another.",
    },
)

VOCAB, CLASSES = 11, 4
Batches = list[tuple[Tensor, Tensor]]


class Voice(nn.Module):
    """A part of a classifier. In training mode it says another class: so dropout would show."""

    def forward(self, scores: Tensor) -> Tensor:
        """The scores, or those of other classes."""
        return scores.roll(1, dims=-1) if self.training else scores


class Judge(nn.Module):
    """Stands in for a classifier, with a part that has a mode of its own."""

    def __init__(self, draw: Draw, whole: bool = False) -> None:
        super().__init__()
        self.table = nn.Parameter(draw.tensor("table", VOCAB, CLASSES))
        self.voice = Voice()
        self.whole = whole
        self.tracked: list[bool] = []
        self.asked_in_training: list[bool] = []

    def forward(self, ids: Tensor) -> Tensor:
        """Logits, for each token or for the whole text."""
        self.tracked.append(torch.is_grad_enabled())
        self.asked_in_training.append(self.training)
        scores = self.voice(self.table[ids])  # (batch, seq_len, CLASSES)
        return scores.sum(dim=1) if self.whole else scores


def batches_of(draw: Draw, *sizes: tuple[int, int], whole: bool = False, name: str = "batch") -> Batches:
    """Ids and labels; a third of the labels is -100, each class is there, and no batch is without a label."""
    found = []
    for number, (batch, seq_len) in enumerate(sizes):
        ids = draw.integers(f"{name} {number}", batch, seq_len, high=VOCAB)
        shape = (batch,) if whole else (batch, seq_len)
        labels = draw.integers(f"{name} {number} drawn", *shape, high=CLASSES).clone()
        hidden = draw.booleans(f"{name} {number} hidden", *shape, chance=0.35).clone()
        hidden.view(-1)[0], hidden.view(-1)[-1] = number % 2 == 1, False
        labels.view(-1)[-1] = number % CLASSES
        found.append((ids, draw.keep(f"{name} {number} labels", labels.masked_fill(hidden, -100))))
    return found


def collected(found: Any) -> Any:
    """Rows of whole numbers as lists, in which a report shows what stands where; another tensor as it is."""
    if not isinstance(found, tuple | list):
        return found
    rows = (
        isinstance(one, Tensor) and one.dim() == 1 and not (one.is_floating_point() and one.numel()) for one in found
    )
    return [
        one.tolist() if row else one if isinstance(one, Tensor) else {type(one).__name__: one}
        for one, row in zip(found, rows, strict=True)
    ]


def collected_or_refused(ask: Callable[[], Any]) -> Any:
    """The same, or that a ValueError was raised."""
    try:
        return collected(ask())
    except ValueError as error:
        return type(error).__name__


@evaluate.probe("collects what was wanted and what came, token by token, from all batches")
def of_tokens(evaluate: Callable, draw: Draw) -> Any:
    # As many tokens as classes: who takes the likeliest *token* gets numbers, and no exception.
    return collected(evaluate(Judge(draw).eval(), batches_of(draw, (3, CLASSES), (2, CLASSES), (5, CLASSES))))


@evaluate.probe("does the same where each text has one label")
def of_texts(evaluate: Callable, draw: Draw) -> Any:
    batches = batches_of(draw, (CLASSES, 3), (CLASSES, 6), (CLASSES, 2), whole=True)
    return collected(evaluate(Judge(draw, whole=True).eval(), batches))


@evaluate.probe("asks in evaluation mode, and leaves the model in the mode in which it came")
def modes(evaluate: Callable, draw: Draw) -> Any:
    model, batches = Judge(draw), batches_of(draw, (3, 4), (2, 4))
    found: dict[str, Any] = {}
    for name, mode in {"training": True, "evaluation": False}.items():
        model.train(mode)
        found[f"asked, from {name} mode"] = collected(evaluate(model, batches))
        found[f"in training mode when it was asked, from {name} mode"] = any(model.asked_in_training)
        model.asked_in_training.clear()
        found[f"in training mode afterwards, from {name} mode"] = model.training
        found[f"its part in training mode afterwards, from {name} mode"] = model.voice.training
    return found


@evaluate.probe("tracks no gradient while it asks, and does not stop others from it", rung="edges")
def without_gradients(evaluate: Callable, draw: Draw) -> Any:
    model = Judge(draw).eval()
    evaluate(model, batches_of(draw, (2, CLASSES), (3, CLASSES)))
    return {
        "the model tracked gradients": any(model.tracked),
        "gradients are on afterwards": torch.is_grad_enabled(),
        "its parameters can still be trained": model.table.requires_grad,
    }


@evaluate.probe(
    "takes one batch alone, one without a label among others, and one of labels alone",
    rung="edges",
)
def odd_batches(evaluate: Callable, draw: Draw) -> Any:
    model, batches = Judge(draw).eval(), batches_of(draw, (2, 4), (3, 4), (4, 4))
    ids, labels = batches[1]
    nothing = (ids, draw.keep("nothing", torch.full_like(labels, -100)))
    return {
        "one alone": collected(evaluate(model, batches[2:])),
        "one without a label": collected(evaluate(model, [batches[0], nothing, batches[2]])),
        "the first without a label": collected_or_refused(lambda: evaluate(model, [nothing, batches[2]])),
        "the last without a label": collected_or_refused(lambda: evaluate(model, [batches[0], nothing])),
        "every place asked": collected(evaluate(model, [(ids, draw.keep("all", labels.clamp(min=0)))])),
    }


@evaluate.probe("takes texts in which every label is class 0", rung="edges")
def class_0_alone(evaluate: Callable, draw: Draw) -> Any:
    ((ids, labels),) = batches_of(draw, (3, 4))
    return collected(evaluate(Judge(draw).eval(), [(ids, draw.keep("zeros", labels.clamp(max=0)))]))


@evaluate.probe("takes batches of other lengths and other sizes, and batches that come one by one", rung="edges")
def other_sizes(evaluate: Callable, draw: Draw) -> Any:
    tokens = batches_of(draw, (3, 5), (2, 7), (1, 1))
    whole = batches_of(draw, (5, 3), (2, 6), (1, 2), whole=True, name="texts")

    def one_by_one() -> Iterator[tuple[Tensor, Tensor]]:
        yield from tokens

    return {
        "tokens": collected(evaluate(Judge(draw).eval(), tokens)),
        "one by one": collected(evaluate(Judge(draw).eval(), one_by_one())),
        "texts": collected(evaluate(Judge(draw, whole=True).eval(), whole)),
    }


@evaluate.probe("raises a ValueError where nothing is asked at all", rung="edges")
def refuses_nothing(evaluate: Callable, draw: Draw) -> Any:
    model, batches = Judge(draw).eval(), batches_of(draw, (2, 4))
    evaluate(model, batches)  # the blank stub must show as blank
    nothing = [(ids, draw.keep("nothing", torch.full_like(labels, -100))) for ids, labels in batches]
    return {
        "labels of -100": raised(lambda: evaluate(model, nothing * 2)),
        "no batch": raised(lambda: evaluate(model, [])),
    }


# macro_f1 ----------------------------------------------------------------------------

macro_f1 = Exercise(
    "macro_f1",
    points=1,
    forbidden=LIBRARIES,
    hints=(
        "You have written both halves. What does `evaluate` give, and what does `precision_recall_f1` make of it?",
        "```python\ntargets, predictions = ...\nreturn ...  # the third of the three numbers, macro\n```",
        '`precision_recall_f1(*evaluate(model, batches), num_classes, "macro")[2]`.',
    ),
    traps={
        "TypeError: precision_recall_f1() missing ...": "`evaluate` gives two tensors, and both go in, followed by num_classes.",
        "AttributeError: 'tuple' object has no attribute 'shape'": "`evaluate` gives two tensors in one tuple. Take them apart: `targets, predictions = evaluate(model, batches)`.",
        "ValueError: ... targets and ... predictions; give one for each": "what is left out of the targets has to be left out of the predictions, too.",
    },
)


def one_number(found: Any) -> Any:
    """Whether it comes in a tensor or not."""
    return found.item() if isinstance(found, Tensor) and found.numel() == 1 else found


@macro_f1.probe("is macro F1 of all batches together, from places that are asked")
def macro_of_tokens(macro_f1: Callable, draw: Draw) -> Any:
    return one_number(macro_f1(Judge(draw).eval(), batches_of(draw, (5, 6), (4, 7), (1, 3)), CLASSES))


@macro_f1.probe("does not depend on how the texts are cut into batches", rung="invariants")
def cut_otherwise(macro_f1: Callable, draw: Draw) -> Any:
    model, ((ids, labels),) = Judge(draw).eval(), batches_of(draw, (8, 4))
    labels = labels.clone()
    labels[:, 0] = labels[:, 0].clamp(min=0)
    draw.keep("labels", labels)
    return {
        f"{size} texts a batch": one_number(
            macro_f1(model, [(ids[at : at + size], labels[at : at + size]) for at in range(0, 8, size)], CLASSES)
        )
        for size in (8, 3, 1)
    }


@macro_f1.probe("asks in evaluation mode, and leaves the model in the mode in which it came")
def macro_modes(macro_f1: Callable, draw: Draw) -> Any:
    model, batches = Judge(draw), batches_of(draw, (4, 5), (3, 6))
    found: dict[str, Any] = {}
    for name, mode in {"training": True, "evaluation": False}.items():
        model.train(mode)
        found[f"asked, from {name} mode"] = one_number(macro_f1(model, batches, CLASSES))
        found[f"in training mode afterwards, from {name} mode"] = model.training
        found[f"its part in training mode afterwards, from {name} mode"] = model.voice.training
    return found


@macro_f1.probe(
    "works for texts with one label, counts a class that never occurs as 0, and goes through the batches once",
    rung="edges",
)
def macro_of_texts(macro_f1: Callable, draw: Draw) -> Any:
    model, batches = Judge(draw, whole=True).eval(), batches_of(draw, (9, 3), (7, 2), whole=True)
    return {
        "one label a text": one_number(macro_f1(model, batches, CLASSES)),
        "two classes more": one_number(macro_f1(model, batches, CLASSES + 2)),
        "one batch after the other": one_number(macro_f1(model, iter(batches), CLASSES)),
    }


@macro_f1.probe("takes a batch in which nothing is asked, among others", rung="edges")
def macro_without_labels(macro_f1: Callable, draw: Draw) -> Any:
    model, batches = Judge(draw).eval(), batches_of(draw, (3, 4), (2, 4), (4, 4))
    ids, labels = batches[1]
    nothing = (ids, draw.keep("nothing", torch.full_like(labels, -100)))
    macro_f1(model, batches, CLASSES)  # the blank stub must show as blank
    return raised(lambda: macro_f1(model, [batches[0], nothing, batches[2]], CLASSES))


# In the wild ----------------------------------------------------------------------------

article_f1 = Exercise(
    "article_f1",
    points=2,
    repairs=macro_f1,
    hints=(
        "Three things are wrong. Which mode is the model in when it is asked? What becomes of a place with -100? And of what is the mean taken at the end?",
        "A place with -100 becomes one of class 0, and most of these the model gets right or wrong for no reason of its own. A class that does not occur in a batch has F1 0 there. So the number depends on the padding, and on how the texts were cut into batches.",
        "Collect targets and predictions of all batches, in evaluation mode and without the places of -100, then take `precision_recall_f1` once. `evaluate` does the first half.",
    ),
)
