"""Lesson 16: entities out of tags, and how well they were found."""

import re
from collections import Counter
from itertools import chain, groupby, pairwise
from typing import Any

import torch

from autograder.stand_ins.fine_tuning import spans
from tests.variants import correct, disguise, slips, unlisted

SPANS = "spans"
F1 = "span_f1"

# spans ----------------------------------------------------------------------------


def written(tags: Any) -> None:
    """The given ValueError."""
    if any(not re.fullmatch("O|[BI]-.+", tag) for tag in tags):
        raise ValueError("a tag")


def while_inside(tags: Any) -> list[Any]:
    """From the first token of an entity to its last."""
    written(tags)
    out, i = [], 0
    while i < len(tags):
        if tags[i] == "O":
            i += 1
            continue
        kind, j = tags[i][2:], i + 1
        while j < len(tags) and tags[j] == "I-" + kind:
            j += 1
        out.append((kind, i, j))
        i = j
    return out


slips(
    SPANS,
    while_inside,
    {
        "an I- without its B- is ignored": {'if tags[i] == "O":': 'if tags[i][0] != "B":'},
        "an I- of another kind goes on": {'tags[j] == "I-" + kind': 'tags[j][0] == "I"'},
        "entities that touch are one": {'tags[j] == "I-" + kind': "tags[j][2:] == kind"},
        "a B- ends nothing": {'tags[j] == "I-" + kind': '(tags[j] == "I-" + kind or tags[j][0] == "B")'},
        "the end is inclusive": {"(kind, i, j)": "(kind, i, j - 1)"},
        "the end is one too far": {"(kind, i, j)": "(kind, i, j + 1)"},
        "the length instead of the end": {"(kind, i, j)": "(kind, i, j - i)"},
        "each tag is an entity": {'tags[j] == "I-" + kind': "False"},
        "only the first token": {"(kind, i, j)": "(kind, i, i + 1)"},
        "the prefix belongs to the kind": {"(kind, i, j)": "(tags[i], i, j)"},
        "start and end first": [
            {"(kind, i, j)": "(i, j, kind)"},
            {"(kind, i, j)": "(i, kind, j)"},
            {"(kind, i, j)": "(kind, j, i)"},
        ],
        "from back to front": {"return out": "return out[::-1]"},
        "what ends an entity begins none": {"        i = j\n": "        i = j + 1\n"},
        "each tag begins an entity": {"        i = j\n": "        i += 1\n"},
        "two tokens at most": {"while j < len(tags) and": "if j < len(tags) and"},
        "the last tag is not read": {"    written(tags)\n": "    written(tags)\n    tags = tags[:-1]\n"},
        "every entity begins at 0": {"(kind, i, j)": "(kind, 0, j)"},
        "an I- behind its B- begins another": {'tags[j] == "I-" + kind': 'tags[j] == "I-" + kind == tags[j - 1]'},
        "O is a kind like any other": {'        if tags[i] == "O":\n            i += 1\n            continue\n': ""},
        "B- goes on, and I- begins": {'tags[j] == "I-" + kind': 'tags[j] == "B-" + kind'},
        "the entity at the end is lost": {"out.append((kind, i, j))": "out += [(kind, i, j)] if j < len(tags) else []"},
        "an I- without its B- is ignored + the end is inclusive": {
            'if tags[i] == "O":': 'if tags[i][0] != "B":',
            "(kind, i, j)": "(kind, i, j - 1)",
        },
    },
)


def with_an_open_one(tags: Any) -> list[Any]:
    """Three branches, and what is open is closed behind the loop."""
    written(tags)
    entities: list[Any] = []
    label, begin = None, -1
    for position, tag in enumerate(tags):
        prefix, _, name = tag.partition("-")
        if prefix == "I" and name == label:
            continue
        if label is not None:
            entities.append((label, begin, position))
        label, begin = (name, position) if prefix in "BI" else (None, -1)
    if label is not None:
        entities.append((label, begin, len(tags)))
    return entities


slips(
    SPANS,
    with_an_open_one,
    {
        "the entity at the end is lost": {
            "    if label is not None:\n        entities.append((label, begin, len(tags)))\n": ""
        },
        "an I- without its B- is ignored": {'prefix in "BI" else': 'prefix == "B" else'},
        "an I- of another kind goes on": {
            'if prefix == "I" and name == label:': 'if prefix == "I" and label is not None:'
        },
        "entities that touch are one": {
            'if prefix == "I" and name == label:': "if label is not None and name == label:"
        },
        "the end is inclusive": {
            "(label, begin, position)": "(label, begin, position - 1)",
            "(label, begin, len(tags))": "(label, begin, len(tags) - 1)",
        },
        "the end is one too far": {
            "(label, begin, position)": "(label, begin, position + 1)",
            "(label, begin, len(tags))": "(label, begin, len(tags) + 1)",
        },
        "the length instead of the end": {
            "(label, begin, position)": "(label, begin, position - begin)",
            "(label, begin, len(tags))": "(label, begin, len(tags) - begin)",
        },
        "each tag is an entity": {'if prefix == "I" and name == label:': "if False:"},
        "start and end first": {
            "(label, begin, position)": "(begin, position, label)",
            "(label, begin, len(tags))": "(begin, len(tags), label)",
        },
        "a kind with a dash is cut": {'tag.partition("-")': '[*tag.split("-"), "", ""][0], "", [*tag.split("-")][-1]'},
        "the entity at the end is cut": {"(label, begin, len(tags))": "(label, begin, len(tags) - 1)"},
        "the entity at the end is lost + entities that touch are one": {
            "    if label is not None:\n        entities.append((label, begin, len(tags)))\n": "",
            'if prefix == "I" and name == label:': "if label is not None and name == label:",
        },
    },
)


def by_starts(tags: Any) -> list[Any]:
    """First all starts, then an end for each."""
    written(tags)
    padded = ["O", *tags, "O"]
    goes_on = [now[0] == "I" and before[2:] == now[2:] for before, now in pairwise(padded)]
    starts = [place for place, tag in enumerate(tags) if tag != "O" and not goes_on[place]]
    ends = [next(e for e in range(place + 1, len(goes_on)) if not goes_on[e]) for place in starts]
    return [(tags[place][2:], place, end) for place, end in zip(starts, ends, strict=True)]


slips(
    SPANS,
    by_starts,
    {
        "an I- without its B- is ignored": {'tag != "O" and not goes_on[place]': 'tag[0] == "B"'},
        "each tag is an entity": {"now[0] ==": "now[0] is None and now[0] =="},
        "entities that touch are one": {'now[0] == "I" and': 'now[0] != "O" and'},
        "only the first token": {"place, end) for": "place, place + 1) for"},
        "the end is inclusive": {"place, end) for": "place, end - 1) for"},
        "the end is one too far": {"place, end) for": "place, end + 1) for"},
        "the length instead of the end": {"place, end) for": "place, end - place) for"},
        "the prefix belongs to the kind": {"(tags[place][2:], place": "(tags[place], place"},
        "start and end first": {"(tags[place][2:], place, end)": "(place, end, tags[place][2:])"},
    },
)


def after_all(change: Any) -> Any:
    """Right, then changed entity by entity."""
    return lambda tags: [change(*one) for one in spans(tags)]


disguise(SPANS, "the end is inclusive")(after_all(lambda kind, start, end: (kind, start, end - 1)))
disguise(SPANS, "the end is one too far")(after_all(lambda kind, start, end: (kind, start, end + 1)))
disguise(SPANS, "the length instead of the end")(after_all(lambda kind, start, end: (kind, start, end - start)))
disguise(SPANS, "only the first token")(after_all(lambda kind, start, end: (kind, start, start + 1)))
disguise(SPANS, "start and end first")(after_all(lambda kind, start, end: (start, end, kind)))


@disguise(SPANS, "the entity at the end is lost")
def e_at_the_end(tags: Any) -> Any:
    return [one for one in while_inside(tags) if one[2] != len(tags)]


@disguise(SPANS, "the entity at the end is cut")
def e_cut_at_the_end(tags: Any) -> Any:
    found = while_inside(tags)
    if found and found[-1][2] == len(tags):
        found[-1] = (*found[-1][:2], len(tags) - 1)
    return found


@disguise(SPANS, "an I- without its B- is ignored")
def e_strict(tags: Any) -> Any:
    return [(kind, start, end) for kind, start, end in spans(tags) if tags[start].startswith("B-")]


@disguise(SPANS, "an I- of another kind goes on")
def e_any_inside(tags: Any) -> Any:
    written(tags)
    out: list[Any] = []
    for i, tag in enumerate(tags):
        if tag.startswith("I-") and out and out[-1][2] == i:
            out[-1] = (*out[-1][:2], i + 1)
        elif tag != "O":
            out.append((tag[2:], i, i + 1))
    return out


@disguise(SPANS, "an I- of another kind begins nothing")
def e_dropped(tags: Any) -> Any:
    """Runs of tags without an O between them: an I- counts where it opens the run or goes on with a kind."""
    written(tags)
    out: list[Any] = []
    for i, tag in enumerate(tags):
        if tag == "O":
            continue
        if tag[0] == "B" or i == 0 or tags[i - 1] == "O":
            out.append([tag[2:], i, i + 1])
        elif out[-1][2] == i and out[-1][0] == tag[2:]:
            out[-1][2] = i + 1
    return [tuple(one) for one in out]


@disguise(SPANS, "entities that touch are one")
def e_grouped(tags: Any) -> Any:
    written(tags)
    out, at = [], 0
    for kind, run in groupby(tag[2:] for tag in tags):
        long = len(list(run))
        if kind:
            out.append((kind, at, at + long))
        at += long
    return out


@disguise(SPANS, "a B- ends nothing")
def e_b_inside(tags: Any) -> Any:
    written(tags)
    out, kind, start = [], None, 0
    for i, tag in enumerate([*tags, "O"]):
        if kind is None:
            if tag != "O":
                kind, start = tag[2:], i
        elif tag == "O":
            out.append((kind, start, i))
            kind = None
        elif tag[0] == "I" and tag[2:] != kind:
            out.append((kind, start, i))
            kind, start = tag[2:], i
    return out


@disguise(SPANS, "O does not end an entity")
def e_to_the_next(tags: Any) -> Any:
    written(tags)
    begins = [i for i, tag in enumerate(tags) if tag[0] == "B" or (tag != "O" and not any(t != "O" for t in tags[:i]))]
    ends = [*begins[1:], len(tags)]
    return [(tags[i][2:], i, end) for i, end in zip(begins, ends, strict=False)]


@disguise(SPANS, "each tag is an entity")
def e_tokens(tags: Any) -> Any:
    written(tags)
    return [(tag[2:], i, i + 1) for i, tag in enumerate(tags) if tag != "O"]


@disguise(SPANS, "the prefix belongs to the kind")
def e_prefix(tags: Any) -> Any:
    return [(tags[start], start, end) for _, start, end in with_an_open_one(tags)]


@disguise(SPANS, "a kind with a dash is cut")
def e_cut(tags: Any) -> Any:
    written(tags)
    return spans([tag if tag == "O" else f"{tag[0]}-{tag.rsplit('-', 1)[1]}" for tag in tags])


@correct(SPANS)
def e_by_pattern(tags: Any) -> Any:
    """A letter a tag, and a regular expression for each kind."""
    written(tags)
    out = []
    for kind in {tag[2:] for tag in tags if tag != "O"}:
        letters = "".join("." if tag[2:] != kind else tag[0] for tag in tags)
        out += [(kind, *match.span()) for match in re.finditer("[BI]I*", letters)]
    return sorted(out, key=lambda one: one[1])


@correct(SPANS)
def e_backwards(tags: Any) -> Any:
    """From the end to the start."""
    written(tags)
    out: list[Any] = []
    end = len(tags)
    for i in reversed(range(len(tags))):
        kind = tags[i][2:]
        if tags[i] == "O":
            end = i
        elif tags[i][0] == "B" or i == 0 or tags[i - 1][2:] != kind:
            out.insert(0, (kind, i, end))
            end = i
    return out


@disguise(SPANS, "entities of one token are lost")
def e_longest(tags: Any) -> Any:
    return [one for one in spans(tags) if one[2] - one[1] > 1]


@disguise(SPANS, "sorted by kind")
def e_sorted(tags: Any) -> Any:
    return sorted(spans(tags))


@disguise(SPANS, "places are counted from 1")
def e_from_one(tags: Any) -> Any:
    return [(kind, start + 1, end + 1) for kind, start, end in spans(tags)]


@disguise(SPANS, "the letters of the kind are changed")
def e_lower(tags: Any) -> Any:
    return [(kind.upper(), start, end) for kind, start, end in spans(tags)]


disguise(SPANS, "the kind is missing")(after_all(lambda kind, start, end: (start, end)))
disguise(SPANS, "places are counted from 1")(after_all(lambda kind, start, end: (kind, start + 1, end)))


@disguise(SPANS, "a kind with a dash is cut")
def e_cut_and_compared(tags: Any) -> Any:
    written(tags)
    out: list[Any] = []
    for i, tag in enumerate(tags):
        prefix, _, _ = tag.partition("-")
        if prefix == "I" and out and out[-1][2] == i and tag == "I-" + out[-1][0]:
            out[-1] = (*out[-1][:2], i + 1)
        elif prefix != "O":
            out.append((tag.split("-")[1], i, i + 1))
    return out


def opened(begins: Any, ends: Any) -> Any:
    """A start that is None while no entity is open."""

    def read(tags: Any) -> Any:
        written(tags)
        out: list[Any] = []
        start: Any = None
        kind = ""
        for i, tag in enumerate([*tags, "O"]):
            if ends(start) and tag != "I-" + kind:
                out.append((kind, start, i))
                start = None
            if begins(start) and tag != "O":
                start, kind = i, tag[2:]
        return out

    return read


correct(SPANS)(opened(lambda start: start is None, lambda start: start is not None))
disguise(SPANS, "an entity at place 0 counts as none")(opened(lambda start: not start, bool))


@disguise(SPANS, "an entity at place 0 counts as none")
def e_found_late(tags: Any) -> Any:
    return [one for one in spans(tags) if one[1]]


@disguise(SPANS, "an I- that begins the text is ignored")
def e_not_first(tags: Any) -> Any:
    return spans(["O" if tag[:1] == "I" and {*tags[: i + 1]} == {tag} else tag for i, tag in enumerate(tags)])


@disguise(SPANS, "an entity is lost where another begins")
def e_overwritten(tags: Any) -> Any:
    written(tags)
    out: list[Any] = []
    current: Any = None
    for i, tag in enumerate(tags):
        if tag == "O":
            out += [] if current is None else [(*current, i)]
            current = None
        elif current is None or tag != "I-" + current[0]:
            current = (tag[2:], i)
    return out if current is None else [*out, (*current, len(tags))]


@unlisted(SPANS)
def e_by_its_end(tags: Any) -> Any:
    """Takes one kind for another whose name ends alike."""
    written(tags)
    out: list[Any] = []
    for i, tag in enumerate(tags):
        if tag[0] == "I" and out and out[-1][2] == i and tag.endswith(out[-1][0]):
            out[-1] = (*out[-1][:2], i + 1)
        elif tag != "O":
            out.append((tag[2:], i, i + 1))
    return out


# span_f1 ----------------------------------------------------------------------------


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


@disguise(SPANS, "an I- behind a gap goes on")
def e_over_a_gap(tags: Any) -> Any:
    written(tags)
    out: list[Any] = []
    for place, tag in enumerate(tags):
        if tag[0] == "I" and out and out[-1][0] == tag[2:]:
            out[-1] = (*out[-1][:2], place + 1)
        elif tag != "O":
            out.append((tag[2:], place, place + 1))
    return out


@disguise(SPANS, "letters of the kind are cut off")
def e_stripped(tags: Any) -> Any:
    written(tags)
    out: list[Any] = []
    kind, start = "", 0
    for place, tag in enumerate([*tags, "O"]):
        bare = "" if tag == "O" else tag.lstrip("IB-")
        if kind and (tag[0] != "I" or bare != kind):
            out.append((kind, start, place))
            kind = ""
        if bare and not kind:
            kind, start = bare, place
    return out


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


@disguise(SPANS, "from back to front")
def e_last_first(tags: Any) -> Any:
    return list(reversed(by_starts(tags)))


@disguise(SPANS, "what ends an entity begins none")
def e_one_or_the_other(tags: Any) -> Any:
    written(tags)
    out, now = [], None
    for place, tag in enumerate([*tags, "O"]):
        if now is not None and tag == f"I-{tags[now][2:]}":
            continue
        if now is not None:
            out.append((tags[now][2:], now, place))
            now = None
        elif tag != "O":
            now = place
    return out


@disguise(SPANS, "an entity that has ended stays open")
def e_never_closed(tags: Any) -> Any:
    written(tags)
    first = next((place for place, tag in enumerate(tags) if tag != "O"), None)
    if first is None:
        return []
    kind = tags[first][2:]
    places = [place for place in range(first + 1, len(tags) + 1) if [*tags, "O"][place] != "I-" + kind]
    return [(kind, first, place) for place in places]


@disguise(SPANS, "each tag begins an entity")
def e_each_begins(tags: Any) -> Any:
    return [(kind, place, end) for kind, start, end in by_starts(tags) for place in range(start, end)]


@disguise(SPANS, "two tokens at most")
def e_in_twos(tags: Any) -> Any:
    return [
        (kind, place, min(place + 2, end)) for kind, start, end in by_starts(tags) for place in range(start, end, 2)
    ]


@disguise(SPANS, "the last tag is not read")
def e_unread(tags: Any) -> Any:
    written(tags)
    return by_starts(tags[:-1])


@disguise(SPANS, "every entity begins at 0")
def e_from_zero(tags: Any) -> Any:
    return [(kind, 0, end) for kind, _, end in by_starts(tags)]


@disguise(SPANS, "an I- behind its B- begins another")
def e_whole_tags(tags: Any) -> Any:
    written(tags)
    out, place = [], 0
    for tag, run in groupby(tags):
        many = len(list(run))
        if tag[0] == "B":
            out += [(tag[2:], at, at + 1) for at in range(place, place + many)]
        elif tag != "O":
            out.append((tag[2:], place, place + many))
        place += many
    return out


@disguise(SPANS, "B- goes on, and I- begins")
def e_exchanged(tags: Any) -> Any:
    written(tags)
    return by_starts([tag if tag == "O" else {"B": "I", "I": "B"}[tag[0]] + tag[1:] for tag in tags])


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


@disguise(SPANS, "every entity ends with the text")
def e_to_the_end(tags: Any) -> Any:
    return [(kind, start, len(tags)) for kind, start, _ in by_starts(tags)]
