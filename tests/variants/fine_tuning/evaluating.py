"""Lesson 16: asking a classifier."""

import copy
from typing import Any

import torch
from torch import Tensor

from autograder.checks.fine_tuning.evaluating import CLASSES
from autograder.stand_ins.fine_tuning import confusion_matrix, precision_recall_f1
from tests.variants import correct, disguise, slips, unlisted

ASK = "evaluate"
MACRO = "macro_f1"

# evaluate ----------------------------------------------------------------------------


def something(wanted: Any) -> None:
    """The ValueError where nothing is asked."""
    if sum(map(len, wanted)) == 0:
        raise ValueError("nothing is asked")


def as_lists(model: Any, batches: Any) -> Any:
    """Python's lists to the end."""
    before = model.training
    model.eval()
    wanted: list[int] = []
    came: list[int] = []
    for rows, labels in batches:
        with torch.inference_mode():
            scores = model(rows)
        best = scores.argmax(-1)
        for label, guess in zip(labels.flatten().tolist(), best.flatten().tolist(), strict=True):
            if label == -100:
                continue
            wanted.append(label)
            came.append(guess)
    model.train(mode=before)
    if not wanted:
        raise ValueError("nothing is asked")
    return torch.tensor(wanted), torch.tensor(came)


slips(
    ASK,
    as_lists,
    {
        "asked in training mode": [{"    model.eval()\n": ""}, {"model.eval()": "model.train()"}],
        "lists instead of tensors": {"torch.tensor(wanted), torch.tensor(came)": "wanted, came"},
        "left in evaluation mode": {"    model.train(mode=before)\n": ""},
        "left in training mode": {"model.train(mode=before)": "model.train()"},
        "padding is kept": {"            if label == -100:\n                continue\n": ""},
        "class 0 is left out": {"if label == -100:": "if label < 1:"},
        "left out by the predictions": {"if label == -100:": "if label == -100 or guess == 0:"},
        "padding counts as class 0": {
            "            if label == -100:\n                continue\n": "",
            "wanted.append(label)": "wanted.append(max(label, 0))",
        },
        "targets and predictions exchanged": {
            "return torch.tensor(wanted), torch.tensor(came)": "return torch.tensor(came), torch.tensor(wanted)"
        },
        "gradients are tracked": {"with torch.inference_mode():": "with torch.enable_grad():"},
        "only the first batch": {"    model.train(mode=before)\n": "        break\n    model.train(mode=before)\n"},
        "the last class is never predicted": {"best = scores.argmax(-1)": "best = scores[..., :-1].argmax(-1)"},
        "predictions are counted from 1": {"came.append(guess)": "came.append(guess + 1)"},
        "what stands behind the first -100 is lost": {"                continue\n": "                break\n"},
        "nothing asked goes unnoticed": {
            'raise ValueError("nothing is asked")': "return torch.zeros(0).long(), torch.zeros(0).long()"
        },
        "left in evaluation mode + padding is kept": {
            "            if label == -100:\n                continue\n": "",
            "    model.train(mode=before)\n": "",
        },
    },
)


def whole_then_cut(model: Any, batches: Any) -> Any:
    """All places first, then those that count."""
    was = model.training
    model.train(False)
    rows, guesses = [], []
    torch.set_grad_enabled(False)
    for texts, marks in batches:
        rows += [marks.reshape(-1)]
        guesses += [model(texts).max(dim=-1).indices.reshape(-1)]
    torch.set_grad_enabled(True)
    model.train(was)
    every = torch.cat([torch.zeros(0).long(), *rows])
    keep = every.ne(-100)
    if not keep.any():
        raise ValueError("no label")
    return every[keep], torch.cat(guesses)[keep]


slips(
    ASK,
    whole_then_cut,
    {
        "asked in training mode": [{"    model.train(False)\n": ""}, {"model.train(False)": "model.train(True)"}],
        "left in evaluation mode": {"    model.train(was)\n": ""},
        "left in training mode": {"model.train(was)": "model.train(True)"},
        "only the last batch": {
            "rows += [marks.reshape(-1)]": "rows = [marks.reshape(-1)]",
            "guesses += [": "guesses = [",
        },
        "the last batch is lost": {"in batches:": "in list(batches)[:-1]:"},
        "padding is kept": {"every[keep], torch.cat(guesses)[keep]": "every, torch.cat(guesses)"},
        "predictions where nothing is asked": {"torch.cat(guesses)[keep]": "torch.cat(guesses)"},
        "padding counts as class 0": {
            "every[keep], torch.cat(guesses)[keep]": "every.clamp(min=0), torch.cat(guesses)"
        },
        "logits instead of predictions": [
            {"model(texts).max(dim=-1).indices.reshape(-1)": "model(texts).flatten(0, -2)"},
            {"max(dim=-1).indices": "max(dim=-1).values"},
        ],
        "gradients are tracked": {
            "    torch.set_grad_enabled(False)\n": "",
        },
        "gradients stay off": {"    torch.set_grad_enabled(True)\n": ""},
        "targets and predictions exchanged": {
            "every[keep], torch.cat(guesses)[keep]": "torch.cat(guesses)[keep], every[keep]"
        },
        "nothing asked goes unnoticed": {'raise ValueError("no label")': "return every[keep], every[keep]"},
    },
)


def with_pairs(model: Any, batches: Any) -> Any:
    """A list of pairs, and the mode is restored whatever happens."""
    before, pairs = model.training, []
    model.eval()
    try:
        for batch in batches:
            pairs.append(one_batch(model, *batch))
    finally:
        model.train(before)
    something([one for one, _ in pairs])
    wanted, came = zip(*pairs, strict=True)
    return torch.hstack(wanted), torch.hstack(came)


def one_batch(model: Any, ids: Tensor, labels: Tensor) -> Any:
    with torch.no_grad():
        logits = model(ids)
    mask = labels >= 0
    return labels.masked_select(mask), logits.argmax(dim=-1).masked_select(mask)


slips(
    ASK,
    with_pairs,
    {
        "asked in training mode": {"model.eval()": "pass"},
        "left in evaluation mode": {"model.train(before)": "pass"},
        "only the last batch": {"pairs.append(one_batch(model, *batch))": "pairs = [one_batch(model, *batch)]"},
        "only the first batch": {
            "pairs.append(one_batch(model, *batch))": "pairs.append(one_batch(model, *batch))\n            break"
        },
        "lists of batches": {"torch.hstack(wanted), torch.hstack(came)": "list(wanted), list(came)"},
        "targets and predictions exchanged": {"wanted, came = zip": "came, wanted = zip"},
    },
)
slips(
    ASK,
    with_pairs,
    {
        "padding is kept": {"mask = labels >= 0": "mask = torch.full_like(labels, True).bool()"},
        "class 0 is left out": {"labels >= 0": "labels > 0"},
        "the likeliest place instead of the likeliest class": [
            {"logits.argmax(dim=-1)": "logits.argmax(dim=1)"},
            {"logits.argmax(dim=-1)": "logits.argmax(dim=-2)"},
        ],
        "gradients are tracked": {"with torch.no_grad():": "with torch.set_grad_enabled(True):"},
        "predictions where nothing is asked": {
            "logits.argmax(dim=-1).masked_select(mask)": "logits.argmax(dim=-1).ravel()"
        },
    },
    inside="one_batch",
)


class Asking:
    """Step by step, so that a step can be another."""

    def __init__(self) -> None:
        self.__name__ = type(self).__name__

    def __call__(self, model: Any, batches: Any) -> Any:
        before = model.training
        self.begin(model)
        found = []
        for ids, labels in self.chosen(batches):
            found.append(self.collect(labels, self.predict(model, ids)))
        self.end(model, before)
        self.refuse(found)
        return self.result(*zip(*found, strict=True))

    def begin(self, model: Any) -> None:
        model.eval()

    def chosen(self, batches: Any) -> Any:
        return batches

    def predict(self, model: Any, ids: Tensor) -> Tensor:
        with torch.no_grad():
            return model(ids).topk(1, dim=-1).indices.squeeze(-1)

    def collect(self, labels: Tensor, predicted: Tensor) -> Any:
        places = (labels != -100).nonzero(as_tuple=True)
        return labels[places], predicted[places]

    def end(self, model: Any, before: bool) -> None:
        model.train(before)

    def refuse(self, found: Any) -> None:
        something([one for one, _ in found])

    def result(self, wanted: Any, came: Any) -> Any:
        return torch.cat(wanted), torch.cat(came)


def another(mistake: str, **methods: Any) -> None:
    disguise(ASK, mistake)(type("Another", (Asking,), methods)())


def none(self: Any, *given: Any) -> None:
    return None


another("asked in training mode", begin=none)
another("asked in training mode", begin=lambda self, model: model.train())
another("left in evaluation mode", end=none)
another("left in training mode", end=lambda self, model, before: model.train())
another("only the last batch", result=lambda self, wanted, came: (wanted[-1], came[-1]))
another("only the first batch", result=lambda self, wanted, came: (wanted[0], came[0]))
another("the last batch is lost", chosen=lambda self, batches: list(batches)[:-1])
another("padding is kept", collect=lambda self, labels, predicted: (labels.flatten(), predicted.flatten()))
another(
    "padding counts as class 0",
    collect=lambda self, labels, predicted: (labels.relu().flatten(), predicted.flatten()),
)
another("class 0 is left out", collect=lambda self, labels, predicted: (labels[labels > 0], predicted[labels > 0]))
another(
    "left out by the predictions",
    collect=lambda self, labels, predicted: tuple(one[(labels >= 0) & predicted.bool()] for one in (labels, predicted)),
)
another(
    "predictions where nothing is asked",
    collect=lambda self, labels, predicted: (labels[labels >= 0], predicted.flatten()),
)
another("targets and predictions exchanged", result=lambda self, wanted, came: (torch.cat(came), torch.cat(wanted)))
another(
    "lists instead of tensors",
    result=lambda self, wanted, came: ([int(x) for x in torch.cat(wanted)], [int(x) for x in torch.cat(came)]),
)
another(
    "the last class is never predicted",
    predict=lambda self, model, ids: torch.no_grad()(model)(ids).narrow(-1, 0, CLASSES - 1).topk(1).indices.squeeze(-1),
)
another(
    "what stands behind the first -100 is lost",
    collect=lambda self, labels, predicted: tuple(
        one.flatten()[: [*labels.flatten().tolist(), -100].index(-100)] for one in (labels, predicted)
    ),
)
another("lists of batches", result=lambda self, wanted, came: ([*wanted], [*came]))
another(
    "nothing asked goes unnoticed",
    refuse=none,
    result=lambda self, *both: tuple(map(torch.cat, both)) if both else (torch.zeros(0).long(),) * 2,
)


def of_places(self: Any, model: Any, ids: Tensor) -> Tensor:
    with torch.no_grad():
        return model(ids).transpose(1, -1).argmax(dim=-1)


def scores(self: Any, model: Any, ids: Tensor) -> Tensor:
    with torch.no_grad():
        return model(ids)


def tracked(self: Any, model: Any, ids: Tensor) -> Tensor:
    return model(ids).argmax(dim=-1)


def off_for_good(self: Any, model: Any) -> None:
    torch.set_grad_enabled(False)
    model.eval()


another("the likeliest place instead of the likeliest class", predict=of_places)
another("logits instead of predictions", predict=scores)
another("gradients are tracked", predict=tracked)
another("gradients stay off", begin=off_for_good)


def frozen(self: Any, model: Any) -> None:
    model.eval()
    for one in model.parameters():
        one.requires_grad = False


another("the parameters are frozen", begin=frozen)
another("the parameters are frozen", begin=frozen, predict=tracked)


@correct(ASK)
def on_a_copy(model: Any, batches: Any) -> Any:
    """The model itself is never touched."""
    frozen = copy.deepcopy(model).eval().requires_grad_(False)
    model.tracked.append(False)
    return Asking()(frozen, batches)


correct(ASK)(Asking())


class EveryOther(Asking):
    def chosen(self, batches: Any) -> Any:
        return list(batches)[::2]


class Backwards(Asking):
    def chosen(self, batches: Any) -> Any:
        return list(batches)[::-1]


class Halves(Asking):
    def collect(self, labels: Tensor, predicted: Tensor) -> Any:
        wanted, came = super().collect(labels, predicted)
        return wanted[: len(wanted) // 2], came[: len(came) // 2]


class Unlikely(Asking):
    def predict(self, model: Any, ids: Tensor) -> Tensor:
        with torch.no_grad():
            return model(ids).argmin(dim=-1)


class Shuffled(Asking):
    def collect(self, labels: Tensor, predicted: Tensor) -> Any:
        wanted, came = super().collect(labels, predicted)
        return wanted, came.flip(0)


disguise(ASK, "the unlikeliest class")(Unlikely())
disguise(ASK, "the batches from the last to the first")(Backwards())
for made in (EveryOther, Halves, Shuffled):
    unlisted(ASK)(made())

slips(
    ASK,
    as_lists,
    {
        "the mode of the model alone": [
            {"model.eval()": "model.training = False"},
            {"model.train(mode=before)": "model.training = before"},
        ],
        "dimension 2 for the last": {"scores.argmax(-1)": "scores.argmax(2)"},
        "two rows of one tensor": {
            "torch.tensor(wanted), torch.tensor(came)": "torch.tensor([wanted, came])",
        },
        "only the first batch": {
            "    model.train(mode=before)\n": (
                "        return torch.tensor(wanted), torch.tensor(came)\n    model.train(mode=before)\n"
            )
        },
        "accuracy instead of both": {
            "torch.tensor(wanted), torch.tensor(came)": "torch.tensor(wanted) == torch.tensor(came)"
        },
        "the batches are gone through twice": {
            "    before = model.training\n": (
                "    if all((one == -100).all() for _, one in batches):\n"
                '        raise ValueError("nothing is asked")\n'
                "    before = model.training\n"
            )
        },
    },
)


@unlisted(ASK)
def tells_the_labels(model: Any, batches: Any) -> Any:
    """As if the model took what is right along with the texts."""
    held = list(batches)
    return as_lists(model, [(model(ids, labels).argmax(-1), labels) for ids, labels in held])


@disguise(ASK, "the mode of the model alone")
def alone_in_mode(model: Any, batches: Any) -> Any:
    before, model.training = model.training, False
    with torch.no_grad():
        found = [(labels[labels != -100], model(ids).argmax(-1)[labels != -100]) for ids, labels in batches]
    model.training = before
    something([wanted for wanted, _ in found])
    return torch.cat([one for one, _ in found]), torch.cat([one for _, one in found])


@disguise(ASK, "class 0 alone is taken for nothing")
def some_number(model: Any, batches: Any) -> Any:
    wanted, came = as_lists(model, batches)
    if wanted.sum() == 0:
        raise ValueError("nothing is asked")
    return wanted, came


@disguise(ASK, "dimension 2 for the last")
def of_dimension_two(model: Any, batches: Any) -> Any:
    return as_lists(TakenInTwo(model), batches)


class TakenInTwo(torch.nn.Module):
    """A model whose likeliest classes are looked for in dimension 2."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model
        self.training = model.training

    def forward(self, ids: Tensor) -> Tensor:
        scores = self.model(ids)
        return torch.nn.functional.one_hot(scores.max(dim=2).indices, scores.size(-1))


@disguise(ASK, "padding is known by its id")
def by_ids(model: Any, batches: Any) -> Any:
    mode, wanted, came = model.training, [], []
    model.eval()
    for ids, labels in batches:
        with torch.no_grad():
            guesses = model(ids).argmax(-1)
        wanted.append(torch.masked_select(labels, ids.bool()) if ids.shape == labels.shape else labels[ids.bool()])
        came.append(guesses[ids.bool()])
    model.train(mode)
    something(wanted)
    return torch.cat(wanted), torch.cat(came)


@disguise(ASK, "targets where nothing is asked")
def all_targets(model: Any, batches: Any) -> Any:
    held = list(batches)
    _, came = as_lists(model, held)
    return torch.cat([labels.reshape(-1) for _, labels in held]), came


@disguise(ASK, "the batches from the last to the first")
def from_the_end(model: Any, batches: Any) -> Any:
    return as_lists(model, list(batches)[::-1])


@disguise(ASK, "two rows of one tensor")
def as_one_tensor(model: Any, batches: Any) -> Any:
    return torch.vstack(as_lists(model, batches))


# macro_f1 ----------------------------------------------------------------------------


def from_counts(model: Any, batches: Any, num_classes: int) -> float:
    """One confusion matrix, batch after batch."""
    training = model.training
    model.eval()
    counts = torch.zeros(num_classes, num_classes)
    for ids, labels in batches:
        real = labels != -100
        counts += confusion_matrix(labels[real], model(ids).argmax(-1)[real], num_classes)
    model.train(training)
    each = 2 * counts.diagonal() / (counts.sum(0) + counts.sum(1)).clamp(min=1)
    return float(each.mean())


slips(
    MACRO,
    from_counts,
    {
        "asked in training mode": [{"    model.eval()\n": ""}, {"model.eval()": "model.train()"}],
        "left in evaluation mode": {"    model.train(training)\n": ""},
        "left in training mode": {"model.train(training)": "model.train()"},
        "padding counts as class 0": {
            "confusion_matrix(labels[real], model(ids).argmax(-1)[real], num_classes)": (
                "confusion_matrix(labels.clamp(min=0).flatten(), model(ids).argmax(-1).flatten(), num_classes)"
            )
        },
        "micro instead of macro": {"float(each.mean())": "float(counts.diagonal().sum() / counts.sum())"},
        "weighted instead of macro": {"float(each.mean())": "float((each * counts.sum(1)).sum() / counts.sum())"},
        "precision instead of F1": {
            "2 * counts.diagonal() / (counts.sum(0) + counts.sum(1)).clamp(min=1)": (
                "counts.diagonal() / counts.sum(0).clamp(min=1)"
            )
        },
        "recall instead of F1": {
            "2 * counts.diagonal() / (counts.sum(0) + counts.sum(1)).clamp(min=1)": (
                "counts.diagonal() / counts.sum(1).clamp(min=1)"
            )
        },
        "left in evaluation mode + micro instead of macro": {
            "    model.train(training)\n": "",
            "float(each.mean())": "float(counts.diagonal().sum() / counts.sum())",
        },
    },
)


def from_all(model: Any, batches: Any, num_classes: int) -> float:
    wanted, came = Asking()(model, batches)
    three = precision_recall_f1(wanted, came, num_classes, average="macro")
    return three[2]


slips(
    MACRO,
    from_all,
    {
        "micro instead of macro": {'average="macro"': 'average="micro"'},
        "weighted instead of macro": {'average="macro"': 'average="weighted"'},
        "precision instead of F1": {"three[2]": "three[0]"},
        "recall instead of F1": {"three[2]": "three[1]"},
        "F1 of the mean precision and recall": {
            "three[2]": "2 * three[0] * three[1] / (three[0] + three[1]) if three[2] else 0.0"
        },
        "left in evaluation mode": {"    three =": "    model.eval()\n    three ="},
        "left in training mode": {"    three =": "    model.train(True)\n    three ="},
        "mean of the batches": {
            "wanted, came = Asking()(model, batches)": "each = []\n    for one in batches:",
            '    three = precision_recall_f1(wanted, came, num_classes, average="macro")': (
                "        pair = Asking()(model, [one])\n"
                '        each.append(precision_recall_f1(*pair, num_classes, average="macro")[2])'
            ),
            "return three[2]": "return sum(each) / len(each)",
        },
    },
)


def class_by_class(model: Any, batches: Any, num_classes: int) -> float:
    """F1 of one class after another."""
    batches, mode = list(batches), model.training
    model.train(False)
    with torch.no_grad():
        flat = [(labels.reshape(-1), model(ids).argmax(-1).reshape(-1)) for ids, labels in batches]
    model.train(mode)
    t, p = (torch.cat(one) for one in zip(*flat, strict=True))
    p = p[t != -100]
    t = t[t != -100]
    total = 0.0
    for one in range(num_classes):
        hit = int(((t == one) & (p == one)).sum())
        total += 2 * hit / max(1, int((t == one).sum()) + int((p == one).sum()))
    return total / num_classes


slips(
    MACRO,
    class_by_class,
    {
        "asked in training mode": [{"    model.train(False)\n": ""}, {"model.train(False)": "model.train(True)"}],
        "left in evaluation mode": {"    model.train(mode)\n": ""},
        "left in training mode": {"model.train(mode)": "model.train(True)"},
        "padding counts as class 0": {"    p = p[t != -100]\n    t = t[t != -100]\n": "    t = t.relu()\n"},
        "as the article has it": [
            {"    model.train(False)\n": "", "    p = p[t != -100]\n    t = t[t != -100]\n": "    t = t.relu()\n"},
            {"    model.train(mode)\n": "", "    p = p[t != -100]\n    t = t[t != -100]\n": "    t = t.relu()\n"},
        ],
    },
)


def the_article(
    eval_: bool = True, back: bool = True, padding: bool = False, mean: bool = False, train: bool = False
) -> Any:
    """The article's loop, with some of its slips mended."""

    def score(model: Any, batches: Any, num_classes: int) -> float:
        before = model.training
        if eval_:
            model.eval()
        if train:
            model.train()
        each, seen = [], []
        for ids, labels in batches:
            guesses = model(ids).argmax(dim=-1)
            pair = labels.clamp(min=0).flatten(), guesses.flatten()
            if not padding:
                pair = labels[labels >= 0], guesses[labels >= 0]
            seen.append(pair)
            each.append(precision_recall_f1(*pair, num_classes, "macro")[2])
        if back:
            model.train(before)
        if mean:
            return sum(each) / len(each)
        return precision_recall_f1(*map(torch.cat, zip(*seen, strict=True)), num_classes, "macro")[2]

    return score


correct(MACRO)(the_article())
disguise(MACRO, "mean of the batches")(the_article(mean=True))
disguise(MACRO, "padding counts as class 0")(the_article(padding=True))
disguise(MACRO, "asked in training mode")(the_article(eval_=False))
disguise(MACRO, "asked in training mode")(the_article(train=True))
disguise(MACRO, "left in evaluation mode")(the_article(back=False))
disguise(MACRO, "as the article has it")(the_article(eval_=False, back=False, padding=True, mean=True))
disguise(MACRO, "as the article has it")(the_article(padding=True, mean=True))
disguise(MACRO, "as the article has it")(the_article(padding=True, mean=True, back=False))
disguise(MACRO, "as the article has it")(the_article(eval_=False, mean=True))
disguise(MACRO, "as the article has it")(the_article(eval_=False, padding=True))
disguise(MACRO, "as the article has it")(the_article(mean=True, back=False))
disguise(MACRO, "as the article has it")(the_article(padding=True, back=False))


def measured(take: Any) -> Any:
    """Another number of the same predictions."""

    def score(model: Any, batches: Any, num_classes: int) -> float:
        wanted, came = as_lists(model, batches)
        return float(take(*precision_recall_f1(wanted, came, num_classes), wanted, came))

    return score


disguise(MACRO, "micro instead of macro")(measured(lambda p, r, f, t, g: (t == g).double().mean()))
disguise(MACRO, "weighted instead of macro")(
    measured(lambda p, r, f, t, g: sum(float(f[one]) for one in t.tolist()) / len(t))
)
disguise(MACRO, "precision instead of F1")(measured(lambda p, r, f, t, g: sum(p) / len(p)))
disguise(MACRO, "recall instead of F1")(measured(lambda p, r, f, t, g: sum(r) / len(r)))
disguise(MACRO, "F1 of the mean precision and recall")(
    measured(lambda p, r, f, t, g: 2 / (1 / p.mean() + 1 / r.mean()))
)
disguise(MACRO, "the targets against themselves")(
    measured(lambda p, r, f, t, g: precision_recall_f1(t, t, len(f), "macro")[2])
)
disguise(MACRO, "the targets against themselves")(
    measured(lambda p, r, f, t, g: precision_recall_f1(g, g, len(f), "macro")[2])
)
disguise(MACRO, "a percentage")(measured(lambda p, r, f, t, g: 100 * f.mean()))
for wrong in (lambda p, r, f, t, g: f[1] ** 2, lambda p, r, f, t, g: f.std(), lambda p, r, f, t, g: f.square().mean()):
    unlisted(MACRO)(measured(wrong))
for take in (max, min, sum, lambda scores: sorted(scores)[(len(scores) - 1) // 2], lambda scores: scores[1]):
    disguise(MACRO, "no mean of the classes")(measured(lambda p, r, f, t, g, take=take: take(f.tolist())))
for take in (
    lambda p, r: (p + r) / 2,
    lambda p, r: p * r,
    lambda p, r: (p * r) ** 0.5,
    min,
    lambda p, r: p * r / (p + r) if p * r else 0.0,
    lambda p, r: p * r / (p + r - p * r) if p * r else 0.0,
):
    disguise(MACRO, "another formula than F1's")(
        measured(
            lambda p, r, f, t, g, take=take: (
                sum(take(one, other) for one, other in zip(p.tolist(), r.tolist(), strict=True)) / len(p)
            )
        )
    )
disguise(MACRO, "a class without F1 is not 0")(
    measured(lambda p, r, f, t, g: sum(2 / (1 / p + 1 / r).where(p + r > 0, torch.nan)) / len(f))
)
disguise(MACRO, "a class without F1 is not 0")(
    measured(
        lambda p, r, f, t, g: (
            sum(float(value) if one in {*t.tolist(), *g.tolist()} else 1.0 for one, value in enumerate(f)) / len(f)
        )
    )
)
disguise(MACRO, "the last class is left out of the mean")(measured(lambda p, r, f, t, g: sum(f[:-1]) / (len(f) - 1)))
disguise(MACRO, "the last class is left out of the mean")(measured(lambda p, r, f, t, g: sum(f[:-1]) / len(f)))
disguise(MACRO, "class 0 is left out of the mean")(measured(lambda p, r, f, t, g: (sum(f) - f[0]) / len(f)))
disguise(MACRO, "the error instead of F1")(measured(lambda p, r, f, t, g: sum(1 - f) / len(f)))
disguise(MACRO, "a rounded number")(measured(lambda p, r, f, t, g: f"{float(f.mean()):.2f}"))
disguise(MACRO, "weighted instead of macro")(
    measured(lambda p, r, f, t, g: sum(float(f[one]) for one in g.tolist()) / len(g))
)


@correct(MACRO)
def in_a_tensor(model: Any, batches: Any, num_classes: int) -> Any:
    return precision_recall_f1(*as_lists(model, batches), num_classes)[2].mean()


def of_the_batches(take: Any) -> Any:
    """One number of those of the batches."""

    def score(model: Any, batches: Any, num_classes: int) -> float:
        each = [precision_recall_f1(*as_lists(model, [one]), num_classes)[2].mean().item() for one in batches]
        return float(take(each))

    return score


for take in (sum, max, min):
    disguise(MACRO, "batches added up")(of_the_batches(take))


@disguise(MACRO, "class 0 is never predicted")
def no_zero(model: Any, batches: Any, num_classes: int) -> float:
    wanted, found = as_lists(model, batches)
    return precision_recall_f1(wanted, torch.where(found > 0, found, torch.ones_like(found)), num_classes, "macro")[2]


@disguise(MACRO, "the unlikeliest class")
def unlikeliest(model: Any, batches: Any, num_classes: int) -> Any:
    turned = Asking()
    turned.predict = lambda model, ids: model(ids).detach().neg().argmax(-1)
    return precision_recall_f1(*turned(model, batches), num_classes)[2].mean().item()


@disguise(MACRO, "a batch is lost")
def first_alone(model: Any, batches: Any, num_classes: int) -> Any:
    for one in batches:
        return from_all(model, [one], num_classes)


@disguise(MACRO, "a batch is lost")
def last_alone(model: Any, batches: Any, num_classes: int) -> Any:
    *_, last = batches
    return from_all(model, (last,), num_classes)


@disguise(MACRO, "mean of the batches")
def by_their_texts(model: Any, batches: Any, num_classes: int) -> Any:
    pairs = [(len(one[0]), from_all(model, [one], num_classes)) for one in batches]
    return sum(many * score for many, score in pairs) / sum(many for many, _ in pairs)


@disguise(MACRO, "left in training mode")
def left(model: Any, batches: Any, num_classes: int) -> Any:
    found = from_all(model, batches, num_classes)
    model.train()
    return found


def of_classes(take: Any) -> Any:
    """A mean over some of the classes."""

    def measure(model: Any, batches: Any, num_classes: int) -> Any:
        targets, predictions = Asking()(model, batches)
        each = precision_recall_f1(targets, predictions, num_classes)[2].tolist()
        chosen = take(set(targets.tolist()), set(predictions.tolist()), num_classes)
        return sum(each[one] for one in chosen) / len(chosen)

    return measure


disguise(MACRO, "absent classes are left out of the mean")(of_classes(lambda there, found, many: there))
disguise(MACRO, "absent classes are left out of the mean")(of_classes(lambda there, found, many: there | found))
disguise(MACRO, "class 0 is left out of the mean")(of_classes(lambda there, found, many: range(1, many)))


@disguise(MACRO, "mean of the batches")
def by_their_size(model: Any, batches: Any, num_classes: int) -> Any:
    total = places = 0.0
    for one in batches:
        targets, predictions = Asking()(model, [one])
        total += len(targets) * sum(precision_recall_f1(targets, predictions, num_classes)[2].tolist()) / num_classes
        places += len(targets)
    return total / places


@disguise(MACRO, "the batches are gone through twice")
def counted_first(model: Any, batches: Any, num_classes: int) -> Any:
    """Goes through the batches twice."""
    if not sum(1 for _ in batches):
        raise ValueError("no batch")
    return from_all(model, batches, num_classes)


def batch_by_batch(average: str, place: int) -> Any:
    def measure(model: Any, batches: Any, num_classes: int) -> Any:
        each = [precision_recall_f1(*Asking()(model, [one]), num_classes, average)[place] for one in batches]
        return torch.tensor(each, dtype=torch.float64).mean().item()

    return measure


for average, place in (("weighted", 2), ("micro", 2), ("macro", 0), ("macro", 1)):
    disguise(MACRO, "mean of the batches")(batch_by_batch(average, place))


@disguise(MACRO, "more than one number")
def of_every_class(model: Any, batches: Any, num_classes: int) -> Any:
    return precision_recall_f1(*as_lists(model, batches), num_classes)[2]


@disguise(MACRO, "more than one number")
def all_three(model: Any, batches: Any, num_classes: int) -> Any:
    return precision_recall_f1(*as_lists(model, batches), num_classes, "macro")


@disguise(ASK, "only what is right")
def right_alone(model: Any, batches: Any) -> Any:
    wanted, came = as_lists(model, batches)
    something([wanted[wanted == came]])
    return wanted[wanted == came], came[wanted == came]


@disguise(ASK, "another exception than ValueError")
def other_exception(model: Any, batches: Any) -> Any:
    try:
        return as_lists(model, batches)
    except ValueError:
        raise RuntimeError("nothing is asked") from None


@disguise(ASK, "sorted by class")
def in_order(model: Any, batches: Any) -> Any:
    wanted, came = as_lists(model, batches)
    return torch.tensor(sorted(wanted.tolist())), torch.tensor(sorted(came.tolist()))


def of_those_asked(change: Any) -> Any:
    """What the change makes of what was wanted and what came."""

    def evaluate(model: Any, batches: Any) -> Any:
        return change(*as_lists(model, batches))

    return evaluate


disguise(ASK, "predictions are counted from 1")(of_those_asked(lambda wanted, came: (wanted, came + 1)))
disguise(ASK, "one of the two comes back twice")(of_those_asked(lambda wanted, came: (wanted, wanted)))
disguise(ASK, "one of the two comes back twice")(of_those_asked(lambda wanted, came: (came, came)))


@disguise(ASK, "a batch without labels is refused")
def asked_in_the_last(model: Any, batches: Any) -> Any:
    held = list(batches)
    found = as_lists(model, held)
    something([labels[labels >= 0] for _, labels in held[-1:]])
    return found


def asked_by(which: Any, dim: int = -1) -> Any:
    """The places that count, chosen in another way."""

    def score(model: Any, batches: Any, num_classes: int) -> float:
        mode = model.training
        model.eval()
        wanted, came = [], []
        for ids, labels in batches:
            best = model(ids).argmax(dim)
            labels, counts = which(ids, labels, best)
            wanted.append(labels[counts])
            came.append(best[counts])
        model.train(mode)
        return float(precision_recall_f1(torch.cat(wanted), torch.cat(came), num_classes, "macro")[2])

    return score


disguise(MACRO, "padding counts as right")(
    asked_by(lambda ids, labels, best: (torch.where(labels < 0, best, labels), labels > -200))
)
disguise(MACRO, "the likeliest place instead of the likeliest class")(
    asked_by(lambda ids, labels, best: (labels, labels >= 0), dim=1)
)


class FirstTexts(Asking):
    def chosen(self, batches: Any) -> Any:
        return [[both.narrow(0, 0, 1) for both in batch] for batch in batches]


class Following(Asking):
    """As a language model is asked."""

    def collect(self, labels: Tensor, predicted: Tensor) -> Any:
        return super().collect(labels[:, 1:], predicted[:, :-1])


class Likelihoods(Asking):
    def predict(self, model: Any, ids: Tensor) -> Tensor:
        with torch.no_grad():
            return model(ids).log_softmax(dim=-1).exp().max(dim=-1).values


disguise(ASK, "only the first text of a batch")(FirstTexts())
disguise(ASK, "shifted by one place")(Following())
disguise(ASK, "probabilities instead of predictions")(Likelihoods())


@unlisted(ASK)
def the_largest_of_all(model: Any, batches: Any) -> Any:
    """An argmax without a dimension."""
    model.eval()
    found = [(labels[labels >= 0], model(ids).argmax()) for ids, labels in batches]
    return torch.cat([one for one, _ in found]), torch.cat([one for _, one in found])
