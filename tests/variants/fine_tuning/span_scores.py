"""Lesson 16: how well entities were found."""

from collections import Counter
from itertools import chain
from typing import Any

import torch

from autograder.stand_ins.fine_tuning import spans
from tests.variants import disguise, slips, unlisted

F1 = "span_f1"


def same_lengths(targets: Any, predictions: Any) -> None:
    """The given ValueError."""
    if len(targets) != len(predictions):
        raise ValueError("texts")
    if any(len(one) != len(other) for one, other in zip(targets, predictions, strict=True)):
        raise ValueError("tags")


def with_numbers(targets: Any, predictions: Any) -> float:
    """Spans with the number of their text, in two sets."""
    same_lengths(targets, predictions)
    gold = {(n, *one) for n, tags in enumerate(targets) for one in spans(tags)}
    guess = {(n, *one) for n, tags in enumerate(predictions) for one in spans(tags)}
    hits = len(gold & guess)
    precision = hits / len(guess) if guess else 0.0
    recall = hits / len(gold) if gold else 0.0
    if precision + recall == 0:
        return 0.0
    return 2 * precision * recall / (precision + recall)


slips(
    F1,
    with_numbers,
    {
        "texts are mixed up": {"gold = {(n, *one)": "gold = {(0, *one)", "guess = {(n, *one)": "guess = {(0, *one)"},
        "recall instead of F1": {"return 2 * precision * recall / (precision + recall)": "return recall"},
        "precision instead of F1": {"return 2 * precision * recall / (precision + recall)": "return precision"},
        "the arithmetic mean for F1": {
            "return 2 * precision * recall / (precision + recall)": "return (precision + recall) / 2"
        },
        "F1 without the 2": {"return 2 * precision": "return precision"},
        "Jaccard for F1": {"return 2 * precision * recall / (precision + recall)": "return hits / len(gold | guess)"},
        "the kind is not compared": {
            "gold = {(n, *one)": "gold = {(n, *one[1:])",
            "guess = {(n, *one)": "guess = {(n, *one[1:])",
        },
        "the end is not compared": {
            "gold = {(n, *one)": "gold = {(n, *one[:2])",
            "guess = {(n, *one)": "guess = {(n, *one[:2])",
        },
        "the start is not compared": {
            "gold = {(n, *one)": "gold = {(n, *one[::2])",
            "guess = {(n, *one)": "guess = {(n, *one[::2])",
        },
        "NaN where no entity is": {
            "if precision + recall == 0:": "if not gold and not guess:\n        return float('nan')\n    if not hits:"
        },
    },
)


def counted_up(targets: Any, predictions: Any) -> float:
    """Three counters, entity by entity."""
    same_lengths(targets, predictions)
    tp, fp, fn = 0, 0, 0
    for row, guess in zip(targets, predictions, strict=True):
        real = spans(row)
        for entity in spans(guess):
            if entity in real:
                tp += 1
            else:
                fp += 1
        fn += sum(entity not in spans(guess) for entity in real)
    bottom = 2 * tp + fp + fn
    return 2 * tp / bottom if bottom else 0.0


slips(
    F1,
    counted_up,
    {
        "recall instead of F1": {"bottom = 2 * tp + fp + fn": "bottom = 2 * tp + 2 * fn"},
        "precision instead of F1": {"bottom = 2 * tp + fp + fn": "bottom = 2 * tp + 2 * fp"},
        "F1 without the 2": {"return 2 * tp / bottom": "return tp / bottom"},
        "Jaccard for F1": {"bottom = 2 * tp + fp + fn": "bottom = 2 * (tp + fp + fn)"},
        "1 where no entity is": {"else 0.0": "else 1.0"},
        "NaN where no entity is": {"else 0.0": "else float('nan')"},
    },
)


def with_counters(targets: Any, predictions: Any) -> float:
    same_lengths(targets, predictions)
    measured = Counter()
    for tags, guesses in zip(targets, predictions, strict=True):
        both = [Counter(read(one)) for one in (tags, guesses)]
        measured.update(common=(both[0] & both[1]).total(), all=both[0].total() + both[1].total())
    if not measured["all"]:
        return 0.0
    return measured["common"] * 2 / measured["all"]


def read(tags: Any) -> Any:
    return [(kind, start, end) for kind, start, end in spans(tags)]


slips(
    F1,
    with_counters,
    {
        "the kind is not compared": {"[(kind, start, end) for": "[(start, end) for"},
        "the end is not compared": {"[(kind, start, end) for": "[(kind, start) for"},
        "the start is not compared": {"[(kind, start, end) for": "[(kind, end) for"},
        "F1 of tokens": [
            {
                "[(kind, start, end) for kind, start, end in spans(tags)]": (
                    "[(i, t) for i, t in enumerate(tags) if t != 'O']"
                )
            },
            {
                "[(kind, start, end) for kind, start, end in spans(tags)]": (
                    "[(kind, i) for kind, start, end in spans(tags) for i in range(start, end)]"
                )
            },
        ],
        "O counts too": {"[(kind, start, end) for kind, start, end in spans(tags)]": "list(enumerate(tags))"},
    },
    inside="read",
)


slips(
    F1,
    with_counters,
    {
        "F1 without the 2": {'measured["common"] * 2': 'measured["common"]'},
        "1 where no entity is": {"return 0.0": "return 1.0"},
        "mean of the texts": {
            "measured = Counter()": "measured = Counter(all=len(targets))",
            "common=(both[0] & both[1]).total(), all=both[0].total() + both[1].total()": (
                "common=(both[0] & both[1]).total() / max(1, both[0].total() + both[1].total())"
            ),
        },
    },
)


def numbered(texts: Any) -> Any:
    return {(n, *one) for n, tags in enumerate(texts) for one in spans(tags)}


def f1(right: float, predicted: float, there: float) -> float:
    return 2 * right / (predicted + there) if predicted + there else 0.0


@disguise(F1, "mean of the texts")
def f_of_texts(targets: Any, predictions: Any) -> Any:
    same_lengths(targets, predictions)
    each = [with_numbers([one], [other]) for one, other in zip(targets, predictions, strict=True)]
    return sum(each) / len(each) if each else 0.0


@disguise(F1, "mean of the texts")
def f_of_texts_with_entities(targets: Any, predictions: Any) -> Any:
    same_lengths(targets, predictions)
    pairs = [pair for pair in zip(targets, predictions, strict=True) if spans(pair[0]) or spans(pair[1])]
    return sum(counted_up([one], [other]) for one, other in pairs) / max(1, len(pairs))


@disguise(F1, "texts are mixed up")
def f_mixed(targets: Any, predictions: Any) -> Any:
    same_lengths(targets, predictions)
    gold, guess = ({one for tags in texts for one in spans(tags)} for texts in (targets, predictions))
    return f1(len(gold.intersection(guess)), len(guess), len(gold))


@disguise(F1, "texts run into one another")
def f_joined(targets: Any, predictions: Any) -> Any:
    same_lengths(targets, predictions)
    return counted_up([[*chain(*targets)]], [[*chain(*predictions)]])


@disguise(F1, "F1 of tokens")
def f_tokens(targets: Any, predictions: Any) -> Any:
    same_lengths(targets, predictions)
    pairs = [pair for both in zip(targets, predictions, strict=True) for pair in zip(*both, strict=True)]
    right = sum(one == other != "O" for one, other in pairs)
    return f1(right, sum(other != "O" for _, other in pairs), sum(one != "O" for one, _ in pairs))


@disguise(F1, "O counts too")
def f_accuracy(targets: Any, predictions: Any) -> Any:
    same_lengths(targets, predictions)
    same = [one == other for both in zip(targets, predictions, strict=True) for one, other in zip(*both, strict=True)]
    return sum(same) / len(same) if same else 0.0


def comparing(take: Any) -> Any:
    """Entities are compared by a part of what they are."""

    def measure(targets: Any, predictions: Any) -> float:
        same_lengths(targets, predictions)
        right = predicted = there = 0
        for both in zip(targets, predictions, strict=True):
            gold, guess = ({take(*one) for one in spans(tags)} for tags in both)
            right, predicted, there = right + len(gold & guess), predicted + len(guess), there + len(gold)
        return f1(right, predicted, there)

    return measure


disguise(F1, "the kind is not compared")(comparing(lambda kind, start, end: (start, end)))

disguise(F1, "the end is not compared")(comparing(lambda kind, start, end: (kind, start)))

disguise(F1, "the start is not compared")(comparing(lambda kind, start, end: (kind, end)))


@disguise(F1, "an overlap is enough")
def f_overlap(targets: Any, predictions: Any) -> Any:
    same_lengths(targets, predictions)
    right = predicted = there = 0
    for tags, guesses in zip(targets, predictions, strict=True):
        gold = [(kind, set(range(start, end))) for kind, start, end in spans(tags)]
        guess = [(kind, set(range(start, end))) for kind, start, end in spans(guesses)]
        right += sum(any(kind == other and here & there_ for other, there_ in gold) for kind, here in guess)
        predicted, there = predicted + len(guess), there + len(gold)
    return f1(right, predicted, there)


@disguise(F1, "recall instead of F1")
def f_recall(targets: Any, predictions: Any) -> Any:
    same_lengths(targets, predictions)
    found = [one in spans(p) for t, p in zip(targets, predictions, strict=True) for one in spans(t)]
    return sum(found) / max(1, len(found))


@disguise(F1, "precision instead of F1")
def f_precision(targets: Any, predictions: Any) -> Any:
    return f_recall(predictions, targets)


@disguise(F1, "the arithmetic mean for F1")
def f_arithmetic(targets: Any, predictions: Any) -> Any:
    return (f_recall(targets, predictions) + f_precision(targets, predictions)) / 2


@disguise(F1, "F1 without the 2")
def f_half(targets: Any, predictions: Any) -> Any:
    return with_counters(targets, predictions) / 2


@disguise(F1, "Jaccard for F1")
def f_jaccard(targets: Any, predictions: Any) -> Any:
    whole = with_counters(targets, predictions)
    return whole / (2 - whole)


@disguise(F1, "1 where no entity is")
def f_one(targets: Any, predictions: Any) -> Any:
    same_lengths(targets, predictions)
    nothing = not any(tag != "O" for tags in [*targets, *predictions] for tag in tags)
    return 1.0 if nothing else with_numbers(targets, predictions)


@disguise(F1, "NaN where no entity is")
def f_nan(targets: Any, predictions: Any) -> Any:
    same_lengths(targets, predictions)
    nothing = not any(tag != "O" for tags in [*targets, *predictions] for tag in tags)
    return float("nan") if nothing else with_numbers(targets, predictions)


@disguise(F1, "mean over the kinds")
def f_macro(targets: Any, predictions: Any) -> Any:
    same_lengths(targets, predictions)
    gold, guess = (numbered(texts) for texts in (targets, predictions))
    each = []
    for kind in {one[1] for one in gold | guess}:
        real, made = ({one for one in some if one[1] == kind} for some in (gold, guess))
        each.append(f1(len(real & made), len(made), len(real)))
    return sum(each) / len(each) if each else 0.0


@unlisted(F1)
def f_longer(targets: Any, predictions: Any) -> Any:
    """Long entities weigh more."""
    same_lengths(targets, predictions)
    gold, guess = (numbered(texts) for texts in (targets, predictions))
    long = [sum(one[3] - one[2] for one in some) for some in (gold & guess, guess, gold)]
    return f1(*long)


@disguise(F1, "a percentage")
def f_percent(targets: Any, predictions: Any) -> Any:
    return with_numbers(targets, predictions) * 100


@unlisted(F1)
def f_three(targets: Any, predictions: Any) -> Any:
    return round(counted_up(targets, predictions), 1)


@unlisted(F1)
def f_squared(targets: Any, predictions: Any) -> Any:
    p, r = f_precision(targets, predictions), f_recall(targets, predictions)
    return 5 * p * r / (4 * p + r) if p + r else 0.0


slips(
    F1,
    counted_up,
    {
        "one kind of error does not count": [
            {"bottom = 2 * tp + fp + fn": "bottom = 2 * tp + fp"},
            {"bottom = 2 * tp + fp + fn": "bottom = 2 * tp + fn"},
        ],
        "right once below the line": {"bottom = 2 * tp + fp + fn": "bottom = tp + fp + fn"},
        "divided without a rest": {"2 * tp / bottom": "2 * tp // bottom"},
        "rounded": {"return 2 * tp / bottom if bottom else 0.0": "return round(2 * tp / max(bottom, 1), 2)"},
    },
)


def by_text(compared: Any) -> Any:
    """Another way of comparing two texts: right, predicted and there of each."""

    def measure(targets: Any, predictions: Any) -> float:
        same_lengths(targets, predictions)
        rows = [compared(real, guess) for real, guess in zip(targets, predictions, strict=True)]
        hits, made, there = (sum(column) for column in zip(*rows, strict=True)) if rows else (0, 0, 0)
        return 2 * hits / (made + there) if made or there else 0.0

    return measure


def part(which: int) -> Any:
    def compared(real: Any, guess: Any) -> tuple[int, int, int]:
        wanted, found = ({one[which] for one in spans(tags)} for tags in (real, guess))
        return len(wanted.intersection(found)), len(found), len(wanted)

    return compared


for number in (0, 1, 2):
    disguise(F1, "one of the three is compared alone")(by_text(part(number)))


@disguise(F1, "the product for F1")
def a_product(targets: Any, predictions: Any) -> float:
    same_lengths(targets, predictions)
    gold = [(n, one) for n, tags in enumerate(targets) for one in spans(tags)]
    guess = [(n, one) for n, tags in enumerate(predictions) for one in spans(tags)]
    hits = sum(one in gold for one in guess)
    return hits / len(guess) * hits / len(gold) if hits else 0.0


@disguise(F1, "a text is lost")
def all_but_the_last(targets: Any, predictions: Any) -> float:
    same_lengths(targets, predictions)
    return with_numbers(list(targets)[:-1], list(predictions)[:-1])


@disguise(F1, "right of the last text alone")
def right_of_the_last(targets: Any, predictions: Any) -> float:
    same_lengths(targets, predictions)
    hits = all_of_them = 0
    for row, guess in zip(targets, predictions, strict=True):
        hits = sum(one in spans(row) for one in spans(guess))
        all_of_them += len(spans(row)) + len(spans(guess))
    return 2 * hits / all_of_them if all_of_them else 0.0


def either(real: Any, guess: Any) -> tuple[int, int, int]:
    wanted, found = spans(real), spans(guess)
    return len({*wanted, *found}), len(found), len(wanted)


def as_a_whole(real: Any, guess: Any) -> tuple[int, int, int]:
    return int(spans(real) == spans(guess)), 1, 1


def beginnings(real: Any, guess: Any) -> tuple[int, int, int]:
    wanted, found = ([place for place, tag in enumerate(tags) if tag.startswith("B-")] for tags in (real, guess))
    return sum(place in found for place in wanted), len(found), len(wanted)


for mistake, compared in {
    "right is what either has": either,
    "whole texts are compared": as_a_whole,
    "only B- is compared": beginnings,
}.items():
    disguise(F1, mistake)(by_text(compared))


@disguise(F1, "one kind of error does not count")
def missed_ones_left_out(targets: Any, predictions: Any) -> float:
    rows = [(spans(a), spans(b)) for a, b in zip(targets, predictions, strict=True)]
    same_lengths(targets, predictions)
    hits = sum(one in a for a, b in rows for one in b)
    return hits / (hits + 0.5 * sum(one not in a for a, b in rows for one in b)) if any(b for _, b in rows) else 0.0


@disguise(F1, "right once below the line")
def once_below(targets: Any, predictions: Any) -> float:
    same_lengths(targets, predictions)
    gold = {(n, one) for n, tags in enumerate(targets) for one in spans(tags)}
    guess = {(n, one) for n, tags in enumerate(predictions) for one in spans(tags)}
    return 2 * len(gold & guess) / len(gold | guess) if gold | guess else 0.0


@disguise(F1, "rounded")
def to_two_places(targets: Any, predictions: Any) -> float:
    return float(f"{with_numbers(targets, predictions):.2f}")


@disguise(F1, "a tensor for a number")
def in_a_tensor(targets: Any, predictions: Any) -> Any:
    return torch.tensor(with_numbers(targets, predictions))


@disguise(F1, "divided without a rest")
def all_or_nothing(targets: Any, predictions: Any) -> float:
    return int(with_numbers(targets, predictions) + 1e-9)


@disguise(F1, "no number where no entity is")
def f_unasked(targets: Any, predictions: Any) -> float:
    same_lengths(targets, predictions)
    real, guess = numbered(targets), numbered(predictions)
    return 2 * len(real & guess) / (len(real) + len(guess))


@disguise(F1, "the targets against themselves")
def f_against_itself(targets: Any, predictions: Any) -> float:
    same_lengths(targets, predictions)
    real = numbered(targets)
    return f1(len(real), len(real), len(real))


@disguise(F1, "a predicted I- without its B- does not count")
def f_strict(targets: Any, predictions: Any) -> float:
    same_lengths(targets, predictions)
    real = numbered(targets)
    guess = {one for one in numbered(predictions) if predictions[one[0]][one[2]][0] == "B"}
    return f1(len(real & guess), len(guess), len(real))
