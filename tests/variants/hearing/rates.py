"""Lesson 19: error_rate."""

import itertools
import statistics
from collections.abc import Sequence
from typing import Any

import torch

from autograder.stand_ins.hearing import edit_distance
from tests.variants import correct, disguise, slips, unlisted

RATE = "error_rate"

Texts = Sequence[Sequence[int]]


def fits(outputs: Texts, references: Texts) -> int:
    """The given ValueError, and how many tokens there are."""
    total = sum(map(len, references))
    if len(outputs) != len(references) or total == 0:
        raise ValueError("counts")
    return total


def added_up(outputs: Texts, references: Texts) -> float:
    fits(outputs, references)
    wrong, there = 0, 0
    for output, reference in zip(outputs, references, strict=True):
        wrong += edit_distance(output, reference)
        there += len(reference)
    return wrong / there


slips(
    RATE,
    added_up,
    {
        "cut off at 1": [
            {"return wrong / there": "return min(wrong / there, 1.0)"},
            {"edit_distance(output, reference)": "min(len(reference), edit_distance(output, reference))"},
        ],
        "divided by what was written": {"there += len(reference)": "there += len(output)"},
        "divided by the longer text": {"there += len(reference)": "there += max(len(reference), len(output))"},
        "the share of texts that are wrong": {
            "wrong += edit_distance(output, reference)": "wrong += edit_distance(output, reference) > 0",
            "there += len(reference)": "there += 1",
        },
        "edits for each text": {"there += len(reference)": "there += 1"},
        "what is right instead of what is wrong": {"return wrong / there": "return (there - wrong) / there"},
        "percent": {"return wrong / there": "return wrong / there * 100"},
    },
)


def of_each(outputs: Texts, references: Texts) -> float:
    total = fits(outputs, references)
    shares = []
    for number in range(len(references)):
        edits = edit_distance(outputs[number], references[number])
        shares.append(edits / total)
    return sum(shares)


slips(
    RATE,
    of_each,
    {
        "mean of the texts": {"edits / total": "edits / max(1, len(references[number])) / len(references)"},
        "as the article has it": [
            {"edits / total": "min(1.0, edits / max(1, len(references[number]))) / len(references)"},
            {
                "edits / total": "edits / max(1, len(references[number])) / len(references)",
                "return sum(shares)": "return min(1.0, sum(shares))",
            },
        ],
        "cut off at 1": {"return sum(shares)": "return min(1.0, sum(shares))"},
        "percent": {"return sum(shares)": "return 100 * sum(shares)"},
        "edits for each text": {"edits / total": "edits / len(references)"},
    },
)


def with_lists(outputs: Texts, references: Texts) -> float:
    total = fits(outputs, references)
    edits = [edit_distance(one, other) for one, other in zip(references, outputs, strict=True)]
    return sum(edits) / total


slips(
    RATE,
    with_lists,
    {
        "what is right instead of what is wrong": {"return sum(edits) / total": "return 1 - sum(edits) / total"},
        "divided by what was written": {"sum(edits) / total": "sum(edits) / sum(len(one) for one in outputs)"},
        "the share of texts that are wrong": {"sum(edits) / total": "sum(one > 0 for one in edits) / len(edits)"},
        "cut off at 1": {"return sum(edits) / total": "return min(sum(edits) / total, 1)"},
    },
)


def rate(of: Any) -> Any:
    """A rate made of all edits, what was written and what is right."""

    def error_rate(outputs: Texts, references: Texts) -> Any:
        fits(outputs, references)
        rows = [
            (edit_distance(one, other), len(one), len(other)) for one, other in zip(outputs, references, strict=True)
        ]
        return of(*(list(column) for column in zip(*rows, strict=True)))

    return error_rate


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def shares(edits: list[int], sizes: list[int]) -> list[float]:
    return [one / (size or 1) for one, size in zip(edits, sizes, strict=True)]


correct(RATE)(rate(lambda e, o, r: sum(e) / sum(r)))


@disguise(RATE, "without regard to order")
def r_without_order(outputs: Texts, references: Texts) -> float:
    total, edits = fits(outputs, references), 0
    for one, other in zip(outputs, references, strict=True):
        edits += edit_distance(sorted(one), sorted(other))
    return edits / total


@disguise(RATE, "the texts are joined")
def r_joined(outputs: Texts, references: Texts) -> float:
    total = fits(outputs, references)
    written = [token for text in outputs for token in text]
    right = [token for text in references for token in text]
    return edit_distance(written, right) / total


disguise(RATE, "mean of the texts")(rate(lambda e, o, r: mean(shares(e, r))))
disguise(RATE, "cut off at 1")(rate(lambda e, o, r: min(sum(e), sum(r)) / sum(r)))
disguise(RATE, "as the article has it")(rate(lambda e, o, r: mean([min(one, 1.0) for one in shares(e, r)])))
disguise(RATE, "divided by what was written")(rate(lambda e, o, r: sum(e) / (sum(o) or 1)))
disguise(RATE, "divided by the longer text")(rate(lambda e, o, r: sum(e) / sum(map(max, o, r))))
disguise(RATE, "divided by the longer text")(rate(lambda e, o, r: mean(shares(e, list(map(max, o, r))))))
disguise(RATE, "divided by whichever has more tokens")(rate(lambda e, o, r: sum(e) / max(sum(o), sum(r))))
disguise(RATE, "the share of texts that are wrong")(rate(lambda e, o, r: mean([bool(one) for one in e])))
disguise(RATE, "edits for each text")(rate(lambda e, o, r: mean(e)))
disguise(RATE, "what is right instead of what is wrong")(rate(lambda e, o, r: (sum(r) - sum(e)) / sum(r)))
disguise(RATE, "percent")(rate(lambda e, o, r: sum(e) / sum(r) * 1e2))
disguise(RATE, "the worst text alone")(rate(lambda e, o, r: max(shares(e, r))))
disguise(RATE, "a text is compared with itself")(rate(lambda e, o, r: 0.0 * sum(e)))
disguise(RATE, "not divided")(rate(lambda e, o, r: sum(e)))
disguise(RATE, "divided by something more")(rate(lambda e, o, r: sum(e) / (sum(e) + sum(r))))
disguise(RATE, "divided by something more")(rate(lambda e, o, r: sum(e) / mean([sum(o), sum(r)])))
disguise(RATE, "a text is left out")(rate(lambda e, o, r: sum(e[:-1]) / sum(r)))
disguise(RATE, "a text is left out")(rate(lambda e, o, r: (sum(e) - e[0]) / sum(r)))
disguise(RATE, "texts are compared as wholes")(rate(lambda e, o, r: sum(map(bool, e)) / sum(r)))
disguise(RATE, "the worst text alone")(rate(lambda e, o, r: sorted(e)[-1] / sum(r)))
disguise(RATE, "the lengths alone")(
    rate(lambda e, o, r: sum(max(one, other) - min(one, other) for one, other in zip(o, r, strict=True)) / sum(r))
)
disguise(RATE, "an empty reference counts 1")(
    rate(lambda e, o, r: sum(min(one, 1) if not size else one for one, size in zip(e, r, strict=True)) / sum(r))
)
disguise(RATE, "mean of the texts")(rate(lambda e, o, r: sorted(shares(e, r))[len(e) // 2]))
disguise(RATE, "rounded")(rate(lambda e, o, r: float(f"{sum(e) / sum(r):.1f}")))
disguise(RATE, "divided by something more")(rate(lambda e, o, r: sum(e) / sum(one + 1 for one in r)))
disguise(RATE, "a tensor")(rate(lambda e, o, r: torch.tensor(e).sum() / sum(r)))


@disguise(RATE, "the texts are turned into strings")
def r_characters(outputs: Texts, references: Texts) -> float:
    total = fits(outputs, references)
    return sum(edit_distance(repr(one), repr(other)) for one, other in zip(outputs, references, strict=True)) / total


@disguise(RATE, "what was written is cut")
def r_never_too_much(outputs: Texts, references: Texts) -> float:
    total = fits(outputs, references)
    kept = [list(one)[: len(other)] for one, other in zip(outputs, references, strict=True)]
    return sum(map(edit_distance, kept, references)) / total


@disguise(RATE, "other edits than three that count 1")
def r_inserts_and_deletes(outputs: Texts, references: Texts) -> float:
    """By the longest common subsequence."""
    total, edits = fits(outputs, references), 0
    for one, other in zip(outputs, references, strict=True):
        common = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
        for i, x in enumerate(one, start=1):
            for j, y in enumerate(other, start=1):
                best = max(common[i - 1][j], common[i][j - 1])
                common[i][j] = common[i - 1][j - 1] + 1 if x == y else best
        edits += len(one) + len(other) - 2 * common[-1][-1]
    return edits / total


@disguise(RATE, "a wrong set is let pass")
def r_nothing_is_nothing(outputs: Texts, references: Texts) -> float:
    if len(outputs) != len(references):
        raise ValueError("counts")
    total = sum(map(len, references))
    return sum(map(edit_distance, outputs, references)) / total if total else 0.0


@disguise(RATE, "divided by the longer text")
def r_longer_counted(outputs: Texts, references: Texts) -> float:
    """Looks at what it counts, and not at the references."""
    if len(outputs) != len(references):
        raise ValueError("counts")
    there = 0
    for one, other in zip(outputs, references, strict=True):
        there += max(len(one), len(other))
    if not there:
        raise ValueError("no token")
    return sum(map(edit_distance, outputs, references)) / there


unlisted(RATE)(rate(lambda e, o, r: sum(e) / sum(r) / len(r)))
unlisted(RATE)(rate(lambda e, o, r: sum(one * one for one in e) / sum(r)))


for middle in (statistics.median_low, statistics.median, statistics.median_high):
    disguise(RATE, "mean of the texts")(rate(lambda e, o, r, middle=middle: middle(shares(e, r))))
for at in (0, -1):
    disguise(RATE, "one text alone")(rate(lambda e, o, r, at=at: shares(e, r)[at]))
disguise(RATE, "a text is left out")(rate(lambda e, o, r: sum(e[:-1]) / sum(r[:-1])))
disguise(RATE, "a text is left out")(rate(lambda e, o, r: sum(e[1:]) / sum(r[1:])))
disguise(RATE, "a rate for each text")(rate(lambda e, o, r: shares(e, r)))
disguise(RATE, "divided by something more")(rate(lambda e, o, r: sum(e) / sum(one or 1 for one in r)))


@disguise(RATE, "the texts are joined")
def marked(outputs: Texts, references: Texts) -> float:
    total = fits(outputs, references)
    lines = [list(itertools.chain.from_iterable(("end", *one) for one in texts)) for texts in (outputs, references)]
    return edit_distance(*lines) / total


@disguise(RATE, "a wrong set is let pass")
def nothing_to_divide_by(outputs: Texts, references: Texts) -> float:
    if len(references) != len(outputs):
        raise ValueError("counts")
    return sum(map(edit_distance, outputs, references)) / sum(map(len, references))


@disguise(RATE, "each text with every reference")
def of_all_pairs(outputs: Texts, references: Texts) -> float:
    total = fits(outputs, references)
    return sum(edit_distance(*pair) for pair in itertools.product(outputs, references)) / total


@disguise(RATE, "equal tokens are counted once")
def of_different_tokens(outputs: Texts, references: Texts) -> float:
    fits(outputs, references)
    return sum(map(edit_distance, outputs, references)) / sum(len(dict.fromkeys(one)) for one in references)


@disguise(RATE, "a wrong set is let pass")
def nothing_is_refused(outputs: Texts, references: Texts) -> float:
    try:
        return added_up(outputs, references)
    except ValueError:
        return 0.0
