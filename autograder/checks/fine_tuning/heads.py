"""Checks of the heads: SequenceClassifier and TokenClassifier."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks.fine_tuning.shared import D_MODEL, Reader, segments, some_mask, texts, whose_luck
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise


def in_evaluation(draw: Draw, Classifier: Callable, labels: int) -> nn.Module:
    """A classifier with drawn numbers, in evaluation mode: a dropout of another rate has a probe of its own."""
    return draw.module(Classifier, Reader(), labels).eval()


MANY = [4, 6] * 20  # so many that a dropout of any rate shows on every draw


def when_dropped(draw: Draw, Classifier: Callable, ids: Tensor) -> Any:
    """What comes out where all is dropped and where nothing is: in words, as what is drawn differs from run to run."""
    dropped, kept = (draw.module(Classifier, Reader(share), 3) for share in (1.0, 0.0))
    calm = dropped.eval()(ids)
    return {
        "dropout=1, evaluation": calm,
        "dropout=1, training": in_words(dropped.train(), ids, calm),
        "dropout=0, training": in_words(kept.train(), ids, calm),
        "dropout=0.5, training, a head that changes nothing": dropped_once(draw, Classifier, ids),
    }


def dropped_once(draw: Draw, Classifier: Callable, ids: Tensor) -> str:
    """What became of the numbers in front of the head: in words, as what is dropped differs from run to run."""
    classifier = draw.module(Classifier, Reader(0.5), D_MODEL)
    head = getattr(classifier, "head", None)
    if not isinstance(head, nn.Linear):
        return "no head"
    with torch.no_grad():
        head.weight.copy_(torch.eye(D_MODEL))
        if head.bias is not None:
            head.bias.zero_()
    calm, trained = classifier.eval()(ids), classifier.train()(ids)
    if calm.shape != trained.shape:
        return "of another shape than in evaluation"
    dropped, doubled = trained == 0, torch.isclose(trained, 2 * calm)
    if dropped.any() and doubled.any() and (dropped | doubled).all():
        at_once = ("texts", "tokens of a text", "features of a token") if calm.dim() == 3 else ("texts", "features")
        alike = [name for dim, name in enumerate(at_once) if torch.equal(dropped.all(dim=dim), dropped.any(dim=dim))]
        return f"all {' and all '.join(alike)} at once" if alike else "each is 0 or twice what it is in evaluation"
    return "as in evaluation" if torch.allclose(trained, calm) else "others"


def in_words(classifier: nn.Module, ids: Tensor, calm: Tensor) -> Any:
    """What the scores are; the numbers, where they are others and no chance is in them."""
    scores = classifier(ids)
    bias = getattr(getattr(classifier, "head", None), "bias", None)
    known = {"as in evaluation": calm, "zeros": torch.zeros(()).to(calm), "the head's bias alone": bias}
    if not isinstance(scores, Tensor) or scores.shape != calm.shape:
        return "of another shape than in evaluation"
    named = next((name for name, one in known.items() if one is not None and torch.allclose(scores, one)), None)
    if named is not None:
        return named
    return scores if torch.allclose(scores, classifier(ids)) else "others each time"


def own_luck(draw: Draw, Classifier: Callable) -> Any:
    """Whether a seed is set on the way."""
    ids = texts(draw, 4, 6)
    classifier = draw.module(Classifier, Reader(0.5), 3)
    return {
        "random numbers after the constructor": whose_luck(lambda: Classifier(Reader(0.5), 3)),
        "random numbers after a call in training": whose_luck(lambda: classifier(ids)),
    }


def taken_over(draw: Draw, Classifier: Callable) -> Any:
    """What became of the model that was handed in."""
    bert = draw.fill(Reader())
    before = {name: one.clone() for name, one in bert.state_dict().items()}
    classifier = Classifier(bert, 3)
    mode = bert.training
    classifier.train()(texts(draw, 4, 6))
    after = bert.state_dict()
    return {
        "`bert` of the classifier": "the model handed in" if getattr(classifier, "bert", None) is bert else "another",
        "its numbers": "as they were"
        if all(torch.equal(one, before[name]) for name, one in after.items())
        else "others",
        "trained": all(one.requires_grad for one in bert.parameters()),
        "in training mode, as it came": mode,
        "in training mode after a call in training": bert.training,
    }


def all_handed_on(draw: Draw, Classifier: Callable) -> Any:
    """What comes out with segments, with a mask, and with both."""
    classifier, ids = in_evaluation(draw, Classifier, 3), texts(draw, 6, 6)
    return {
        "segments and a mask": classifier(ids, segments(draw, ids), some_mask(draw, ids)),
        "a mask": classifier(ids, mask=some_mask(draw, ids)),
        "segments": classifier(ids, segments(draw, ids)),  # last: nothing may be kept of a mask before
    }


def all_gradients(draw: Draw, Classifier: Callable) -> Any:
    """Those of everything that is trained."""
    classifier = in_evaluation(draw, Classifier, 3)
    trained = {name: one for name, one in classifier.named_parameters() if one.requires_grad}
    return draw.gradients(classifier(texts(draw, 4, 6)), **trained)


def traps_of(name: str) -> dict[str, str]:
    """What exceptions of a classifier mean."""
    one_goes_on = "`self.bert(...)` returns two things, `(hidden, pooled)`, and only one of them goes on."
    return {
        "AttributeError: 'tuple' object has no attribute ...": "`self.bert(...)` returns two things, `(hidden, pooled)`.",
        "TypeError: dropout(): argument 'input' (position 1) must be Tensor, not tuple": one_goes_on,
        "TypeError: linear(): argument 'input' (position 1) must be Tensor, not tuple": one_goes_on,
        "AttributeError: 'types.SimpleNamespace' object has no attribute ...": "`bert.config` has `d_model` and `dropout`. And no BERT is made here: the one that is handed in becomes a part, `self.bert = bert`.",
        "AttributeError: 'Reader' object has no attribute ...": "the check hands in a model of its own, of which one thing is known: it gives `(hidden, pooled)`. Call it, `self.bert(ids, segment_ids, mask)`.",
        f"AttributeError: '{name}' object has no attribute ...": "the constructor has a blank of its own: it makes `self.dropout` and `self.head`.",
    }


# SequenceClassifier ----------------------------------------------------------------------------

sequence_classifier = Exercise(
    "SequenceClassifier",
    points=3,
    hints=(
        "`self.bert(ids, segment_ids, mask)` gives two things: a vector for every token, and one for the whole text. Which of the two does a label for a whole text need?",
        "```python\nself.dropout = ...  # nn.Dropout\nself.head = ...     # nn.Linear\n```\n```python\n... = self.bert(...)  # with all that forward was given\nreturn ...            # dropout, then the head\n```",
        "`self.dropout = nn.Dropout(bert.config.dropout)`, `self.head = nn.Linear(bert.config.d_model, num_classes)`. In `forward`: `_, pooled = self.bert(ids, segment_ids, mask)`, then `self.head(self.dropout(pooled))`.",
    ),
    traps=traps_of("SequenceClassifier"),
)


@sequence_classifier.probe("scores every label for every text, from the vector of the whole text", float64=True)
def whole_texts(SequenceClassifier: Callable, draw: Draw) -> Any:
    return in_evaluation(draw, SequenceClassifier, 4)(texts(draw, 5, 5, 5))


@sequence_classifier.probe("hands segments and mask on to the model", float64=True)
def everything_handed_on(SequenceClassifier: Callable, draw: Draw) -> Any:
    return all_handed_on(draw, SequenceClassifier)


@sequence_classifier.probe("says the same of a text alone as beside a longer one", float64=True)
def beside_a_longer_one(SequenceClassifier: Callable, draw: Draw) -> Any:
    classifier, ids = in_evaluation(draw, SequenceClassifier, 3), texts(draw, 3, 7, 5)
    return {"together": classifier(ids), "alone": classifier(ids[:1, :3])}


@sequence_classifier.probe(
    "drops the text's vector in training at dropout=1; drops nothing in evaluation", float64=True
)
def dropped_text(SequenceClassifier: Callable, draw: Draw) -> Any:
    return when_dropped(draw, SequenceClassifier, texts(draw, *MANY))


@sequence_classifier.probe("has the right gradients, those of the model below it too", rung="gradients")
def text_gradients(SequenceClassifier: Callable, draw: Draw) -> Any:
    return all_gradients(draw, SequenceClassifier)


@sequence_classifier.probe("takes the model as it is: not a copy, with its numbers, to be trained", rung="edges")
def model_of_texts_below(SequenceClassifier: Callable, draw: Draw) -> Any:
    return taken_over(draw, SequenceClassifier)


@sequence_classifier.probe("sets no seed: random numbers are the caller's", rung="invariants")
def luck_of_texts(SequenceClassifier: Callable, draw: Draw) -> Any:
    return own_luck(draw, SequenceClassifier)


@sequence_classifier.probe(
    "works for one text of one token, for a single label, and for as many labels as features",
    rung="edges",
    float64=True,
)
def text_edges(SequenceClassifier: Callable, draw: Draw) -> Any:
    ids = texts(draw, 4, 4)
    return {
        "one token": in_evaluation(draw, SequenceClassifier, 3)(ids[:1, :1]),
        "one label": in_evaluation(draw, SequenceClassifier, 1)(ids),
        "many labels": in_evaluation(draw, SequenceClassifier, 6)(ids),
    }


# TokenClassifier ----------------------------------------------------------------------------

token_classifier = Exercise(
    "TokenClassifier",
    points=3,
    hints=(
        "Almost all of it is `SequenceClassifier`. Which of the two things that the model gives has a vector for every token?",
        "```python\nself.dropout = ...\nself.head = ...\n```\n```python\n... = self.bert(...)\nreturn ...  # (batch, seq_len, num_tags)\n```",
        "`hidden, _ = self.bert(ids, segment_ids, mask)`, then `self.head(self.dropout(hidden))`. A linear layer takes any number of dimensions and works on the last.",
    ),
    traps=traps_of("TokenClassifier"),
)


@token_classifier.probe("scores every label for every token", float64=True)
def every_token(TokenClassifier: Callable, draw: Draw) -> Any:
    return in_evaluation(draw, TokenClassifier, 4)(texts(draw, 5, 5, 5))


@token_classifier.probe("hands segments and mask on to the model", float64=True)
def everything_handed_on_to_tokens(TokenClassifier: Callable, draw: Draw) -> Any:
    return all_handed_on(draw, TokenClassifier)


@token_classifier.probe("says the same of a text's tokens alone as beside a longer text", float64=True)
def tokens_beside_a_longer_text(TokenClassifier: Callable, draw: Draw) -> Any:
    classifier, ids = in_evaluation(draw, TokenClassifier, 3), texts(draw, 3, 7, 5)
    return {"together": classifier(ids)[:1, :3], "alone": classifier(ids[:1, :3])}


@token_classifier.probe("drops the tokens' vectors in training at dropout=1; drops nothing in evaluation", float64=True)
def dropped_tokens(TokenClassifier: Callable, draw: Draw) -> Any:
    return when_dropped(draw, TokenClassifier, texts(draw, *MANY))


@token_classifier.probe("has the right gradients, those of the model below it too", rung="gradients")
def token_gradients(TokenClassifier: Callable, draw: Draw) -> Any:
    return all_gradients(draw, TokenClassifier)


@token_classifier.probe("takes the model as it is: not a copy, with its numbers, to be trained", rung="edges")
def model_of_tokens_below(TokenClassifier: Callable, draw: Draw) -> Any:
    return taken_over(draw, TokenClassifier)


@token_classifier.probe("sets no seed: random numbers are the caller's", rung="invariants")
def luck_of_tokens(TokenClassifier: Callable, draw: Draw) -> Any:
    return own_luck(draw, TokenClassifier)


@token_classifier.probe(
    "works for one text of one token, for a single label, and for as many labels as tokens", rung="edges", float64=True
)
def token_edges(TokenClassifier: Callable, draw: Draw) -> Any:
    ids = texts(draw, 4, 4)
    return {
        "one token": in_evaluation(draw, TokenClassifier, 3)(ids[:1, :1]),
        "one label": in_evaluation(draw, TokenClassifier, 1)(ids),
        "as many labels as tokens": in_evaluation(draw, TokenClassifier, 4)(ids),
    }
