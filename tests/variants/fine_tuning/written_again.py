"""Lesson 16: written by somebody else, with the slips that are likely there."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.stand_ins.fine_tuning import spans
from tests.variants import correct, disguise, slips

ALIGN, MATRIX, MEASURES, SPANS, F1 = "align_labels", "confusion_matrix", "precision_recall_f1", "spans", "span_f1"


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


def one_pass(tags: Sequence[str]) -> Any:
    """Each entity grows in the list itself."""
    for t in tags:
        if t != "O" and not (t[:2] in ("B-", "I-") and t[2:]):
            raise ValueError("no tag")
    out: list[Any] = []
    for n, t in enumerate(tags):
        letter, _, name = t.partition("-")
        if letter == "O":
            continue
        if letter == "I" and out and out[-1][2] == n and out[-1][0] == name:
            out[-1] = (name, out[-1][1], n + 1)
        else:
            out.append((name, n, n + 1))
    return out


correct(SPANS)(one_pass)
slips(
    SPANS,
    one_pass,
    {
        "an I- without its B- is ignored": {
            "        else:\n": '        elif letter == "B" or (n and tags[n - 1] != "O"):\n'
        },
        "an I- that begins an entity has one token": {
            'if letter == "I" and out and': 'if letter == "I" and out and tags[out[-1][1]][0] == "B" and'
        },
        "an I- of another kind goes on": {" and out[-1][0] == name": ""},
        "a kind with a dash is cut": {
            "            out.append((name, n": '            out.append((name.split("-")[-1], n'
        },
        "the letters of the kind are changed": {
            "t.partition": "t.lower().partition",
            '"O":\n            c': '"o":\n            c',
            '"I" and': '"i" and',
        },
        "a list for each entity": {"return out": "return [list(one) for one in out]"},
        "no list comes back": [
            {"return out": "return {*out}"},
            {"return out": "return iter(one for one in out)"},
            {"return out": "for one in out:\n        yield one"},
        ],
        "an I- behind a gap goes on": {" and out[-1][2] == n": ""},
        "the end is inclusive + a list for each entity": {"return out": "return [[a, b, c - 1] for a, b, c in out]"},
    },
)


@disguise(SPANS, "an I- without its B- is ignored")
def late_where_alone(tags: Sequence[str]) -> Any:
    heard = [t if (i and t[0] == "I" and tags[i - 1] != "O") or t[0] == "B" else "O" for i, t in enumerate(tags)]
    return one_pass(heard) if one_pass(tags) else []


@disguise(SPANS, "an I- without its B- is ignored")
def after_another_alone(tags: Sequence[str]) -> Any:
    found = one_pass(tags)
    ends = {end for _, _, end in found}
    kept: list[Any] = []
    for kind, start, end in found:
        if tags[start][0] == "B" or (start in ends and any(one[2] == start for one in kept)):
            kept.append((kind, start, end))
    return kept


@disguise(SPANS, "an I- that begins an entity has one token")
def alone_each(tags: Sequence[str]) -> Any:
    found: list[Any] = []
    for kind, start, end in one_pass(tags):
        cuts = [(start, end)] if tags[start][0] == "B" else [(at, at + 1) for at in range(start, end)]
        found += [(kind, *cut) for cut in cuts]
    return found


@disguise(SPANS, "an I- of another kind goes on")
def kind_of_the_last(tags: Sequence[str]) -> Any:
    one_pass(tags)
    begins = [i for i, t in enumerate(tags) if t[0] == "B" or (t[0] == "I" and (i == 0 or tags[i - 1] == "O"))]
    found = []
    for begin in begins:
        stop = begin + 1
        while stop < len(tags) and tags[stop].startswith("I-"):
            stop += 1
        found.append((tags[stop - 1][2:], begin, stop))
    return found


def changed(change: Any) -> Any:
    """The right entities, each changed."""
    return lambda tags: [change(*one) for one in one_pass(tags)]


disguise(SPANS, "a kind with a dash is cut")(changed(lambda kind, *both: (kind.partition("-")[0], *both)))
disguise(SPANS, "the letters of the kind are changed")(changed(lambda kind, *both: (kind.casefold(), *both)))
disguise(SPANS, "the letters of the kind are changed")(changed(lambda kind, *both: (kind.upper(), *both)))
disguise(SPANS, "a list for each entity")(changed(lambda *three: list(three)))


@disguise(SPANS, "no list comes back")
def unordered(tags: Sequence[str]) -> Any:
    return set(one_pass(tags))


@disguise(SPANS, "the first tag that is alike")
def looked_up(tags: Sequence[str]) -> Any:
    return [(kind, list(tags).index(tags[start]), end) for kind, start, end in one_pass(tags)]


@disguise(SPANS, "the first tag that is alike")
def looked_up_and_read(tags: Sequence[str]) -> Any:
    found = []
    for kind, start, _ in one_pass(tags):
        begin = tags.index(tags[start])
        end = begin + 1
        while end < len(tags) and tags[end] == f"I-{kind}":
            end += 1
        found.append((kind, begin, end))
    return found


@disguise(SPANS, "an entity is lost where another begins")
def lost_to_an_i(tags: Sequence[str]) -> Any:
    return [one for one in one_pass(tags) if one[2] == len(tags) or tags[one[2]][0] in "BO"]


@disguise(SPANS, "the tags are changed")
def with_a_stop(tags: Any) -> Any:
    one_pass(tags)
    tags.append("O")
    return one_pass(tags)


@disguise(SPANS, "a tuple of tags is refused")
def added_to(tags: Any) -> Any:
    none: list[str] = []
    return one_pass(none + tags)


# span_f1 ----------------------------------------------------------------------------


def as_many(targets: Any, predictions: Any) -> None:
    """The given ValueError."""
    if [*map(len, targets)] != [*map(len, predictions)]:
        raise ValueError("lengths")


def by_both_lists(targets: Any, predictions: Any) -> Any:
    """Hits, false alarms and misses, in two loops."""
    as_many(targets, predictions)
    tp = fp = fn = 0
    for y, p in zip(targets, predictions, strict=True):
        gold, ours = spans(y), spans(p)
        for one in ours:
            if one in gold:
                tp += 1
            else:
                fp += 1
        for one in gold:
            if one not in ours:
                fn += 1
    if tp == 0:
        return 0.0
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    return 2 * precision * recall / (precision + recall)


ALIKE = "any(k == one[0] and s < one[2] and one[1] < e for k, s, e in {0})"

correct(F1)(by_both_lists)
slips(
    F1,
    by_both_lists,
    {
        "an overlap is enough": {
            "if one in gold": f"if {ALIKE.format('gold')}",
            "if one not in ours": f"if not {ALIKE.format('ours')}",
        },
        "what is right counts twice": {
            "                fn += 1": "                fn += 1\n            else:\n                tp += 1"
        },
        "what is right counts as an error too": [
            {"            if one not in ours:\n                fn += 1": "            fn += 1"},
            {"            else:\n                fp += 1": "            fp += 1"},
        ],
        "three numbers come back": {"return 2 * prec": "return precision, recall, 2 * prec"},
        "the kind is not compared": {
            "gold, ours = spans(y), spans(p)": (
                'gold, ours = [spans([t[:2] + "x" * (t != "O") for t in row]) for row in (y, p)]'
            )
        },
        "F1 without the 2": {"2 * prec": "prec"},
        "F1 without the 2 + three numbers come back": {"return 2 * prec": "return precision, recall, prec"},
    },
)


@disguise(F1, "mean of the texts")
def of_mean_shares(targets: Any, predictions: Any) -> Any:
    as_many(targets, predictions)
    shares = []
    for y, p in zip(targets, predictions, strict=True):
        gold, ours = set(spans(y)), set(spans(p))
        both = len(gold & ours)
        shares.append((both / len(ours) if ours else 0.0, both / len(gold) if gold else 0.0))
    if not shares:
        return 0.0
    precision, recall = (sum(column) / len(shares) for column in zip(*shares, strict=True))
    return 0.0 if precision + recall == 0 else 2 * precision * recall / (precision + recall)


def of_sums(count: Any) -> Any:
    """F1 of what is counted in each text: right, predicted, there."""

    def measure(targets: Any, predictions: Any) -> Any:
        as_many(targets, predictions)
        rows = [count(y, p, set(spans(y)), set(spans(p))) for y, p in zip(targets, predictions, strict=True)]
        right, predicted, there = (sum(row[which] for row in rows) for which in range(3))
        return right / ((predicted + there) / 2) if predicted + there else 0.0

    return measure


def at_the_same_places(real: Any, guess: Any, of: Any) -> int:
    return sum(tuple(real[start:end]) == tuple(guess[start:end]) for _, start, end in of)


disguise(F1, "the tags of an entity are compared")(
    of_sums(lambda y, p, gold, ours: (at_the_same_places(y, p, gold), len(ours), len(gold)))
)
disguise(F1, "the tags of an entity are compared")(
    of_sums(lambda y, p, gold, ours: (at_the_same_places(y, p, ours), len(ours), len(gold)))
)
disguise(F1, "a predicted I- without its B- does not count")(
    of_sums(lambda y, p, gold, ours: (len(gold & ours), *(sum(t[0] == "B" for t in row) for row in (p, y))))
)
disguise(F1, "whole texts are compared")(of_sums(lambda y, p, gold, ours: (gold == ours, len(ours), len(gold))))
disguise(F1, "what is right counts as an error too")(
    of_sums(lambda y, p, gold, ours: (len(gold & ours), len(ours), len(gold) + len(gold & ours)))
)
disguise(F1, "what is right counts twice")(
    of_sums(lambda y, p, gold, ours: (2 * len(gold & ours), len(ours) + len(gold & ours), len(gold) + len(gold & ours)))
)


@disguise(F1, "three numbers come back")
def all_three(targets: Any, predictions: Any) -> Any:
    as_many(targets, predictions)
    rows = [(set(spans(y)), set(spans(p))) for y, p in zip(targets, predictions, strict=True)]
    right, there, predicted = (
        sum(len(y & p) for y, p in rows),
        sum(len(y) for y, _ in rows),
        sum(len(p) for _, p in rows),
    )
    precision = right / predicted if predicted else 0.0
    recall = right / there if there else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0


@disguise(F1, "the last text alone")
def returns_in_the_loop(targets: Any, predictions: Any) -> Any:
    as_many(targets, predictions)
    for y, p in zip(targets, predictions, strict=True):
        gold, ours = set(spans(y)), set(spans(p))
        return 2 * len(gold & ours) / max(1, len(gold) + len(ours))
    return None


disguise(F1, "below the line stands one of the two alone")(
    of_sums(lambda y, p, gold, ours: (len(gold & ours), 0, len(gold)))
)
disguise(F1, "below the line stands one of the two alone")(
    of_sums(lambda y, p, gold, ours: (len(gold & ours), len(ours), 0))
)


@disguise(F1, "one less F1")
def of_errors(targets: Any, predictions: Any) -> Any:
    as_many(targets, predictions)
    pairs = [(set(spans(y)), set(spans(p))) for y, p in zip(targets, predictions, strict=True)]
    every = sum(len(y) + len(p) for y, p in pairs)
    return sum(len(y ^ p) for y, p in pairs) / every if every else 0.0
