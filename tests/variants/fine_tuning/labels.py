"""Lesson 16: labels for the pieces of words."""

from itertools import groupby
from typing import Any

import numpy as np
import torch

from tests.variants import correct, disguise, slips, unlisted

ALIGN = "align_labels"


def enough(word_labels: Any, word_ids: Any) -> None:
    """The given ValueError."""
    for number in word_ids:
        if number is not None and number not in range(len(word_labels)):
            raise ValueError("no label for a word")


def with_a_set(word_labels: Any, word_ids: Any) -> list[int]:
    enough(word_labels, word_ids)
    seen: set[int] = set()
    out = []
    for number in word_ids:
        if number is None:
            out.append(-100)
        elif number in seen:
            out.append(-100 + 0)
        else:
            seen.add(number)
            out.append(word_labels[number])
    return out


slips(
    ALIGN,
    with_a_set,
    {
        "every piece carries the label": {"            seen.add(number)\n": ""},
        "special tokens get 0": {"out.append(-100)": "out.append(0)"},
        "further pieces get 0": {"-100 + 0": "0"},
        "0 where nothing is asked": {"out.append(-100)": "out.append(0)", "-100 + 0": "0"},
        "-1 where nothing is asked": {"out.append(-100)": "out.append(-1)", "-100 + 0": "-1"},
        "the label of the word before": {"word_labels[number])": "word_labels[number - 1])"},
        "one place early": {"return out": "return (out + [-100])[1:] if out else out"},
        "one place late": {"return out": "return ([-100] + out)[:-1]"},
        "word 0 is taken for no word": [{"if number is None": "if not number"}],
        "what is not asked is left out": {"out.append(-100)": "pass", "out.append(-100 + 0)": "pass"},
        "special tokens are left out": {"out.append(-100)": "pass"},
        "labels that are 0 are lost": {"word_labels[number])": "word_labels[number] or -100)"},
        "every piece carries the label + special tokens get 0": {
            "out.append(-100)": "out.append(0)",
            "            seen.add(number)\n": "",
        },
        "further pieces get 0 + the label of the word before": {
            "-100 + 0": "0",
            "word_labels[number])": "word_labels[number - 1])",
        },
    },
)


def by_places(word_labels: Any, word_ids: Any) -> list[int]:
    """The first place of each number."""
    enough(word_labels, word_ids)
    out = [-100] * len(word_ids)
    for number in {one for one in word_ids if one is not None}:
        here = word_ids.index(number)
        out[here] = word_labels[number]
    return out


slips(
    ALIGN,
    by_places,
    {
        "the last piece carries the label": {
            "word_ids.index(number)": "len(word_ids) - 1 - word_ids[::-1].index(number)"
        },
        "0 where nothing is asked": {"[-100]": "[0]"},
        "-1 where nothing is asked": {"[-100]": "[-1]"},
        "None where nothing is asked": {"[-100]": "[None]"},
        "the label of the word before": {"word_labels[number]": "word_labels[number - 1]"},
        "word 0 is taken for no word": {"if one is not None}": "if one}"},
        "one place early": {
            "out[here] = word_labels[number]": "if here:\n            out[here - 1] = word_labels[number]"
        },
        "one place late": {
            "out[here] = word_labels[number]": (
                "if here + 1 < len(out):\n            out[here + 1] = word_labels[number]"
            )
        },
        "labels that are 0 are lost": {
            "out[here] = word_labels[number]": "out[here] = word_labels[number] or out[here]"
        },
        "what is not asked is left out": {"return out": "return [one for one in out if one != -100]"},
    },
)


def beside_its_neighbour(word_labels: Any, word_ids: Any) -> list[int]:
    enough(word_labels, word_ids)
    padded = [None, *word_ids]
    return [
        word_labels[here] if here is not None and here != left else -100
        for left, here in zip(padded, word_ids, strict=False)
    ]


slips(
    ALIGN,
    beside_its_neighbour,
    {
        "every piece carries the label": {" and here != left": ""},
        "the last piece carries the label": {
            "padded = [None, *word_ids]": "padded = [*word_ids, None][1:]",
        },
        "the first piece is compared with the last": {"[None, *word_ids]": "[*word_ids[-1:], *word_ids]"},
        "word 0 is taken for no word": {"here is not None and": "here and"},
        "neighbours with the same label are one word": {
            "here != left else": "(left is None or word_labels[here] != word_labels[left]) else"
        },
        "0 where nothing is asked": {"else -100": "else 0"},
        "-1 where nothing is asked": {"else -100": "else -1"},
        "None where nothing is asked": {"else -100": "else None"},
        "special tokens get 0": {"else -100": "else 0 if here is None else -100"},
        "further pieces get 0": {"else -100": "else -100 if here is None else 0"},
        "special tokens are left out": {
            "for left, here in zip(padded, word_ids, strict=False)": (
                "for left, here in zip(padded, word_ids, strict=False) if here is not None"
            )
        },
        "labels in step with pieces": {
            "word_labels[here] if": "word_labels[at % len(word_labels)] if",
            "for left, here in zip": "for at, (left, here) in enumerate(zip",
            "strict=False)": "strict=False))",
        },
        "every piece carries the label + labels in step with pieces": {
            "word_labels[here] if here is not None and here != left else -100": (
                "word_labels[at] if here is not None and at < len(word_labels) else -100"
            ),
            "for left, here in zip": "for at, (left, here) in enumerate(zip",
            "strict=False)": "strict=False))",
        },
        "only what follows a special token": {"here != left else": "left is None else"},
        "further pieces carry it, the first does not": {"here != left else": "here == left else"},
    },
)


@disguise(ALIGN, "every piece carries the label")
def a_every(word_labels: Any, word_ids: Any) -> Any:
    enough(word_labels, word_ids)
    table = dict(enumerate(word_labels))
    return [table.get(number, -100) for number in word_ids]


@disguise(ALIGN, "the last piece carries the label")
def a_last(word_labels: Any, word_ids: Any) -> Any:
    return by_places(word_labels, word_ids[::-1])[::-1]


@disguise(ALIGN, "special tokens get 0")
def a_special(word_labels: Any, word_ids: Any) -> Any:
    right = with_a_set(word_labels, word_ids)
    return [0 if number is None else label for label, number in zip(right, word_ids, strict=True)]


@disguise(ALIGN, "further pieces get 0")
def a_further(word_labels: Any, word_ids: Any) -> Any:
    enough(word_labels, word_ids)
    out: list[int] = []
    for number, pieces in groupby(word_ids):
        count = len(list(pieces))
        out += [-100] * count if number is None else [word_labels[number]] + [0] * (count - 1)
    return out


@disguise(ALIGN, "0 where nothing is asked")
def a_zero(word_labels: Any, word_ids: Any) -> Any:
    enough(word_labels, word_ids)
    out = torch.zeros(len(word_ids), dtype=torch.long)
    for number in range(len(word_labels)):
        if number in word_ids:
            out[word_ids.index(number)] = word_labels[number]
    return out.tolist()


@disguise(ALIGN, "-1 where nothing is asked")
def a_minus_one(word_labels: Any, word_ids: Any) -> Any:
    return [label if label >= 0 else -1 for label in with_a_set(word_labels, word_ids)]


@disguise(ALIGN, "None where nothing is asked")
def a_none(word_labels: Any, word_ids: Any) -> Any:
    return [label if label >= 0 else None for label in with_a_set(word_labels, word_ids)]


@disguise(ALIGN, "the label of the word before")
def a_before(word_labels: Any, word_ids: Any) -> Any:
    return beside_its_neighbour([*word_labels[-1:], *word_labels[:-1]], word_ids)


@disguise(ALIGN, "one place early")
def a_early(word_labels: Any, word_ids: Any) -> Any:
    right = by_places(word_labels, word_ids)
    return [*right[1:], -100][: len(right)]


@disguise(ALIGN, "one place late")
def a_late(word_labels: Any, word_ids: Any) -> Any:
    right = by_places(word_labels, word_ids)
    return [-100, *right[:-1]][: len(right)]


@disguise(ALIGN, "every piece carries the label + labels in step with pieces")
def a_in_step(word_labels: Any, word_ids: Any) -> Any:
    enough(word_labels, word_ids)
    rest = iter(word_labels)
    return [-100 if number is None else next(rest, -100) for number in word_ids]


@disguise(ALIGN, "word 0 is taken for no word")
def a_zeroth(word_labels: Any, word_ids: Any) -> Any:
    return by_places(word_labels, [number or None for number in word_ids]) if word_labels else [-100 for _ in word_ids]


@disguise(ALIGN, "neighbours with the same label are one word")
def a_same(word_labels: Any, word_ids: Any) -> Any:
    enough(word_labels, word_ids)
    spread = [None if number is None else word_labels[number] for number in word_ids]
    out = []
    for label, pieces in groupby(spread):
        out += [-100 if label is None else label, *[-100] * (len(list(pieces)) - 1)]
    return out


@disguise(ALIGN, "what is not asked is left out")
def a_short(word_labels: Any, word_ids: Any) -> Any:
    enough(word_labels, word_ids)
    return [word_labels[number] for number in dict.fromkeys(word_ids) if number is not None]


@disguise(ALIGN, "special tokens are left out")
def a_inside(word_labels: Any, word_ids: Any) -> Any:
    return with_a_set(word_labels, [number for number in word_ids if number is not None])


@disguise(ALIGN, "the first piece is compared with the last")
def a_wrapped(word_labels: Any, word_ids: Any) -> Any:
    enough(word_labels, word_ids)
    out = []
    for here in range(len(word_ids)):
        new = word_ids[here] != word_ids[here - 1]
        out.append(word_labels[word_ids[here]] if new and word_ids[here] is not None else -100)
    return out


@disguise(ALIGN, "labels that are 0 are lost")
def a_lost(word_labels: Any, word_ids: Any) -> Any:
    return [label if label else -100 for label in with_a_set(word_labels, word_ids)]


@correct(ALIGN)
def a_numpy(word_labels: Any, word_ids: Any) -> Any:
    enough(word_labels, word_ids)
    if not word_ids:
        return []
    numbers = np.array([-1 if number is None else number for number in word_ids])
    new = np.concatenate([[True], numbers[1:] != numbers[:-1]]) & (numbers >= 0)
    return np.where(new, np.array([*word_labels, 0])[numbers], -100).tolist()


@correct(ALIGN)
def a_recursive(word_labels: Any, word_ids: Any) -> Any:
    enough(word_labels, word_ids)
    if not word_ids:
        return []
    *rest, last = word_ids
    label = -100 if last is None or last in rest else word_labels[last]
    return [*a_recursive(word_labels, rest), label]


@unlisted(ALIGN)
def a_middle(word_labels: Any, word_ids: Any) -> Any:
    """A label at the second piece of a word, where it has one."""
    enough(word_labels, word_ids)
    out = [-100] * len(word_ids)
    for number in {one for one in word_ids if one is not None}:
        places = [place for place, one in enumerate(word_ids) if one == number]
        out[places[len(places) // 2]] = word_labels[number]
    return out


@disguise(ALIGN, "the number of the word for its label")
def a_numbers(word_labels: Any, word_ids: Any) -> Any:
    right = with_a_set(word_labels, word_ids)
    return [label if label < 0 else one for label, one in zip(right, word_ids, strict=True)]


@unlisted(ALIGN)
def a_from_the_end(word_labels: Any, word_ids: Any) -> Any:
    return with_a_set(word_labels[::-1], word_ids)


@unlisted(ALIGN)
def a_wrong_by_one(word_labels: Any, word_ids: Any) -> Any:
    return [label + 1 for label in with_a_set(word_labels, word_ids)]


@disguise(ALIGN, "the labels are dealt out in turn")
def a_dealt(word_labels: Any, word_ids: Any) -> Any:
    enough(word_labels, word_ids)
    left, out = list(word_labels), []
    for number, run in groupby(word_ids):
        many = len(list(run))
        out += [-100] * many if number is None else [left.pop(0), *[-100] * (many - 1)]
    return out


@disguise(ALIGN, "the first place is passed over")
def a_from_one(word_labels: Any, word_ids: Any) -> Any:
    right = by_places(word_labels, word_ids)
    return [-100, *right[1:]] if right else right


@disguise(ALIGN, "the first place is passed over")
def a_from_zero(word_labels: Any, word_ids: Any) -> Any:
    enough(word_labels, word_ids)
    shifted = [0, *word_ids]
    return [
        -100 if here is None or here == left else word_labels[here]
        for left, here in zip(shifted, word_ids, strict=False)
    ]


@disguise(ALIGN, "the last place is passed over")
def a_until_last(word_labels: Any, word_ids: Any) -> Any:
    return [*by_places(word_labels, word_ids)[:-1], *[-100] * bool(word_ids)]


@disguise(ALIGN, "an entry too many for each word")
def a_too_many(word_labels: Any, word_ids: Any) -> Any:
    enough(word_labels, word_ids)
    out: list[int] = []
    for number, run in groupby(word_ids):
        out += ([] if number is None else [word_labels[number]]) + [-100 for _ in run]
    return out


@disguise(ALIGN, "further pieces carry a label of their own")
def a_inner_tags(word_labels: Any, word_ids: Any) -> Any:
    enough(word_labels, word_ids)
    out = []
    for number, run in groupby(word_ids):
        first = -100 if number is None else word_labels[number]
        inner = first + 1 if first % 2 else first
        out += [first] + [inner for _ in list(run)[1:]]
    return out


@disguise(ALIGN, "100 where nothing is asked")
def a_hundred(word_labels: Any, word_ids: Any) -> Any:
    return [abs(label) for label in with_a_set(word_labels, word_ids)]


@disguise(ALIGN, "no word gets its label")
def a_nothing(word_labels: Any, word_ids: Any) -> Any:
    enough(word_labels, word_ids)
    seen: set[Any] = {None}
    out = []
    for number in word_ids:
        seen.add(number)
        out.append(-100 if number in seen else word_labels[number])
    return out


@disguise(ALIGN, "each label stands once")
def a_once(word_labels: Any, word_ids: Any) -> Any:
    out: list[int] = []
    for label in with_a_set(word_labels, word_ids):
        out.append(-100 if label in out else label)
    return out


@disguise(ALIGN, "from back to front")
def a_backwards(word_labels: Any, word_ids: Any) -> Any:
    return list(reversed(by_places(word_labels, word_ids)))


@disguise(ALIGN, "one entry is all")
def a_first_alone(word_labels: Any, word_ids: Any) -> Any:
    return by_places(word_labels, word_ids)[:1]


@disguise(ALIGN, "the first special token is the end")
def a_until_special(word_labels: Any, word_ids: Any) -> Any:
    right = by_places(word_labels, word_ids)
    stop = word_ids.index(None) if None in word_ids else len(word_ids)
    return right[:stop] + [-100] * (len(right) - stop)


@disguise(ALIGN, "floats for whole numbers")
def a_float(word_labels: Any, word_ids: Any) -> Any:
    return torch.tensor(by_places(word_labels, word_ids), dtype=torch.float).tolist()


@disguise(ALIGN, "only what follows a special token")
def a_behind_none(word_labels: Any, word_ids: Any) -> Any:
    right = by_places(word_labels, word_ids)
    return [label if not place or word_ids[place - 1] is None else -100 for place, label in enumerate(right)]


@disguise(ALIGN, "further pieces carry it, the first does not")
def a_others(word_labels: Any, word_ids: Any) -> Any:
    enough(word_labels, word_ids)
    out: list[int] = []
    for number, run in groupby(word_ids):
        further = [-100 if number is None else word_labels[number] for _ in list(run)[1:]]
        out += [-100, *further]
    return out


@disguise(ALIGN, "words of several pieces are passed over")
def a_whole_words(word_labels: Any, word_ids: Any) -> Any:
    enough(word_labels, word_ids)
    out: list[int] = []
    for number, run in groupby(word_ids):
        many = len(list(run))
        out += [-100] * many if number is None or many > 1 else [word_labels[number]]
    return out


@disguise(ALIGN, "labels in step with pieces")
def a_round_and_round(word_labels: Any, word_ids: Any) -> Any:
    right = by_places(word_labels, word_ids)
    return [
        label
        if word_ids[place] is None or word_ids[place] in word_ids[:place]
        else word_labels[place % len(word_labels)]
        for place, label in enumerate(right)
    ]
