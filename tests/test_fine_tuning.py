"""Lesson 16: the reference and its stand-ins against scikit-learn, BERT, and each other."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch
from sklearn import metrics
from torch import Tensor, nn

from autograder.checks.fine_tuning.evaluating import article_f1
from autograder.stand_ins import bert as stand_in_bert
from autograder.stand_ins import fine_tuning as stand_ins
from solutions import bert
from solutions import fine_tuning as reference

BOTH = pytest.mark.parametrize("ours", [reference, stand_ins], ids=["reference", "stand-in"])
AVERAGES = (None, "macro", "micro", "weighted")


def some_places(seed: int) -> tuple[Tensor, Tensor, int]:
    """Targets and predictions of 1 to 40 places; often whole classes are missing on one side or on both."""
    chance = random.Random(seed)
    classes, count = chance.randrange(1, 7), chance.randrange(1, 41)
    sides = []
    for _ in range(2):
        known = chance.sample(range(classes), chance.randrange(1, classes + 1))
        sides.append(torch.tensor(chance.choices(known, k=count)))
    targets, predictions = sides
    keep = torch.tensor([chance.random() < 0.5 for _ in range(count)])
    return targets, predictions.where(~keep, targets), classes


# Metrics -----------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:A single label")
@BOTH
def test_the_confusion_matrix_is_scikit_learns(ours: Any) -> None:
    for seed in range(120):
        targets, predictions, classes = some_places(seed)
        theirs = metrics.confusion_matrix(targets.numpy(), predictions.numpy(), labels=range(classes))
        assert torch.equal(ours.confusion_matrix(targets, predictions, classes), torch.from_numpy(theirs))


@BOTH
@pytest.mark.parametrize("average", AVERAGES)
def test_precision_recall_and_f1_are_scikit_learns(ours: Any, average: str | None) -> None:
    degenerate = 0
    for seed in range(120):
        targets, predictions, classes = some_places(seed)
        *theirs, _ = metrics.precision_recall_fscore_support(
            targets.numpy(), predictions.numpy(), labels=range(classes), average=average, zero_division=0
        )
        found = ours.precision_recall_f1(targets, predictions, classes, average)
        for one, other in zip(found, theirs, strict=True):
            np.testing.assert_allclose(np.asarray(one), other, rtol=0, atol=1e-12)
        degenerate += len(set(targets.tolist()) & set(predictions.tolist())) < classes
    assert 20 < degenerate < 120


@BOTH
@pytest.mark.parametrize("average", AVERAGES)
def test_of_nothing_everything_is_0(ours: Any, average: str | None) -> None:
    nothing = torch.zeros(0, dtype=torch.long)
    for one in ours.precision_recall_f1(nothing, nothing, 3, average):
        assert np.asarray(one).sum() == 0


# Entities -----------------------------------------------------------------------------------------


def random_tags(chance: random.Random, length: int) -> list[str]:
    return chance.choices(["O", "B-a", "I-a", "B-b", "I-b"], weights=[3, 1, 2, 1, 2], k=length)


def test_both_ways_of_finding_spans_agree_on_any_tags() -> None:
    chance = random.Random(0)
    for _ in range(2000):
        tags = random_tags(chance, chance.randrange(12))
        found = reference.spans(tags)
        assert found == stand_ins.spans(tags)
        inside = [place for _, start, end in found for place in range(start, end)]
        assert inside == [place for place, tag in enumerate(tags) if tag != "O"], "every tag stands in one span"
        for kind, start, end in found:
            assert {tag[2:] for tag in tags[start:end]} == {kind}
            assert not any(tag.startswith("B-") for tag in tags[start + 1 : end])


@BOTH
def test_span_f1_is_scikit_learns_of_what_is_a_span_and_what_is_not(ours: Any) -> None:
    """Every possible span is a place that either is one or is not: F1 of the class "is one"."""
    chance = random.Random(1)
    for _ in range(100):
        lengths = [chance.randrange(1, 9) for _ in range(chance.randrange(1, 5))]
        rows = [[random_tags(chance, length) for length in lengths] for _ in range(2)]
        sets = [{(n, *one) for n, tags in enumerate(texts) for one in reference.spans(tags)} for texts in rows]
        every = sorted(sets[0] | sets[1])
        marks = [[one in some for one in every] for some in sets]
        theirs = metrics.f1_score(*marks, zero_division=0) if any(marks[0]) or any(marks[1]) else 0.0
        assert ours.span_f1(*rows) == pytest.approx(theirs, abs=1e-12)


# Heads -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "berts"), [(reference, bert), (stand_ins, stand_in_bert)], ids=["reference", "stand-in"]
)
def test_heads_fit_on_bert_and_learn(ours: Any, berts: Any) -> None:
    torch.manual_seed(0)
    config = berts.BertConfig(vocab_size=20, d_model=16, num_heads=2, num_layers=1, d_ff=32, dropout=0.0, max_len=8)
    ids = torch.randint(1, 20, (8, 6))
    ids[:4, 4:] = 0
    for make, labels in (
        (ours.SequenceClassifier, torch.arange(8) % 3),
        (ours.TokenClassifier, (ids % 3).masked_fill(ids == 0, -100)),
    ):
        model = make(berts.BERT(config), 3)
        groups = ours.fine_tune_groups(model, model.head, rate=3e-3, head_rate=1e-2, weight_decay=0.01)
        optimizer = torch.optim.AdamW(groups)
        for _ in range(60):
            loss = nn.functional.cross_entropy(model(ids).flatten(0, -2), labels.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        targets, predictions = ours.evaluate(model, [(ids[:5], labels[:5]), (ids[5:], labels[5:])])
        assert len(targets) == int((labels != -100).sum())
        assert (targets == predictions).float().mean() > 0.95
        assert model.training


@pytest.mark.parametrize(
    ("ours", "berts"), [(reference, bert), (stand_ins, stand_in_bert)], ids=["reference", "stand-in"]
)
def test_a_reader_learns_where_answers_are(ours: Any, berts: Any) -> None:
    """The token that is asked for stands somewhere in the text: the answer is it and the token behind it."""
    torch.manual_seed(0)
    config = berts.BertConfig(vocab_size=20, d_model=16, num_heads=2, num_layers=1, d_ff=32, dropout=0.0, max_len=8)
    ids = torch.randint(5, 20, (16, 7))
    first = torch.randint(2, 6, (16,))
    ids[torch.arange(16), first] = 3
    segments = (torch.arange(7) >= 2).long().expand(16, -1)
    model = ours.SpanReader(berts.BERT(config))
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(60):
        start, end = model(ids, segments)
        loss = nn.functional.cross_entropy(start, first) + nn.functional.cross_entropy(end, first + 1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    found = [ours.best_span(*one, row == 1, 3) for *one, row in zip(*model(ids, segments), segments, strict=True)]
    assert found == [(place, place + 2) for place in first.tolist()]


@BOTH
def test_the_best_span_is_the_best_of_all_that_may_be(ours: Any) -> None:
    chance = random.Random(2)
    for number in range(150):
        size = chance.randrange(1, 9)
        start, end = torch.randn(2, size, generator=torch.Generator().manual_seed(number))
        allowed = torch.tensor([chance.random() < 0.7 for _ in range(size)])
        allowed[chance.randrange(size)] = True
        most = chance.randrange(1, size + 2)
        spans = [(i, j) for j in range(1, size + 1) for i in range(j) if j - i <= most and allowed[i:j].all()]
        best = max(spans, key=lambda one: (start[one[0]] + end[one[1] - 1]).item())
        assert ours.best_span(start, end, allowed, most) == best


# What is refused ------------------------------------------------------------------------------------


@BOTH
def test_what_cannot_be_measured_is_refused_in_words(ours: Any) -> None:
    one, two = torch.tensor([0, 1]), torch.tensor([0, 1, 2])
    with pytest.raises(ValueError, match="2 targets and 3 predictions"):
        ours.confusion_matrix(one, two, 3)
    with pytest.raises(ValueError, match="-100"):
        ours.confusion_matrix(torch.tensor([0, -100]), one, 3)
    with pytest.raises(ValueError, match="0 to 1"):
        ours.confusion_matrix(two, two, 2)
    with pytest.raises(ValueError, match="average='mean'"):
        ours.precision_recall_f1(one, one, 2, "mean")
    with pytest.raises(ValueError, match="'X-a'"):
        ours.spans(["O", "X-a"])
    with pytest.raises(ValueError, match="different lengths"):
        ours.span_f1([["O"]], [["O", "O"]])
    with pytest.raises(ValueError, match="with 1 labels"):
        ours.align_labels([3], [None, 0, 1, None])
    with pytest.raises(ValueError, match="max_len=2, and 0 tokens"):
        ours.best_span(torch.zeros(3), torch.zeros(3), torch.zeros(3, dtype=torch.bool), 2)
    with pytest.raises(ValueError, match="max_len=0, and 3 tokens"):
        ours.best_span(torch.zeros(3), torch.zeros(3), torch.ones(3, dtype=torch.bool), 0)
    with pytest.raises(ValueError, match="model does not have"):
        ours.fine_tune_groups(nn.Linear(2, 2), nn.Linear(2, 2), 0.1, 0.1, 0.1)


@BOTH
def test_batches_without_a_label_are_refused_and_the_mode_is_restored(ours: Any) -> None:
    model = nn.Sequential(nn.Embedding(5, 3), nn.Dropout(0.5)).train()
    ids = torch.arange(4).reshape(2, 2)
    with pytest.raises(ValueError, match="2 batches without a single label"):
        ours.evaluate(model, [(ids, torch.full_like(ids, -100))] * 2)
    assert model.training


def test_the_repair_is_of_macro_f1() -> None:
    assert article_f1.reference == "macro_f1"
