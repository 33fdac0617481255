"""Checks of SpanReader."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from autograder.checks.fine_tuning.heads import traps_of
from autograder.checks.fine_tuning.shared import Reader, segments, some_mask, texts, whose_luck
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

span_reader = Exercise(
    "SpanReader",
    points=2,
    stretch=True,
    hints=(
        "An answer is told by two places, so each token is asked two things: are you the first of it, are you the last of it? How many numbers does the head make of a token's vector?",
        "```python\nself.head = ...  # nn.Linear, to 2 numbers\n```\n```python\n... = self.bert(...)  # with all that forward was given\nscores = ...          # (batch, seq_len, 2)\nreturn ...            # two tensors, (batch, seq_len) each\n```",
        "`self.head = nn.Linear(bert.config.d_model, 2)`. In `forward`: `hidden, _ = self.bert(ids, segment_ids, mask)`, then `scores = self.head(hidden)`; `scores[..., 0]` is the start and `scores[..., 1]` the end.",
    ),
    traps={
        **{
            key: says
            for key, says in traps_of("SpanReader").items()
            if "dropout" not in key and "object" not in key[:40]
        },
        "AttributeError: 'SpanReader' object has no attribute ...": "the constructor has a blank of its own: it makes `self.head`.",
        "ValueError: too many values to unpack (expected 2)": "the two numbers of a token stand in the last dimension: `unbind(dim=-1)`. Without it, texts are taken apart and not the two numbers.",
        "ValueError: too many values to unpack (expected 2, got 3)": "the two numbers of a token stand in the last dimension: `unbind(dim=-1)`. Without it, texts are taken apart and not the two numbers.",
    },
)


def reader(draw: Draw, SpanReader: Callable) -> nn.Module:
    """One with drawn numbers, in evaluation mode."""
    return draw.module(SpanReader, Reader()).eval()


@span_reader.probe("gives every token a start and an end", float64=True)
def every_token_twice(SpanReader: Callable, draw: Draw) -> Any:
    return reader(draw, SpanReader)(texts(draw, 5, 5, 5))


@span_reader.probe("hands segments and mask on to the model", float64=True)
def pairs_handed_on(SpanReader: Callable, draw: Draw) -> Any:
    model, ids = reader(draw, SpanReader), texts(draw, 6, 6)
    return {
        "segments": model(ids, segments(draw, ids)),
        "segments and a mask": model(ids, segments(draw, ids), some_mask(draw, ids)),
        "a mask": model(ids, mask=some_mask(draw, ids)),
    }


@span_reader.probe("says the same of a pair alone as beside a longer one", float64=True)
def pair_beside_a_longer_one(SpanReader: Callable, draw: Draw) -> Any:
    model, ids = reader(draw, SpanReader), texts(draw, 3, 7, 5)
    return {
        "together": [one[:1, :3] for one in model(ids)],
        "alone": [one[:1, :3] for one in model(ids[:1, :3])],
    }


@span_reader.probe("has the right gradients, those of the model below it too", rung="gradients")
def reader_gradients(SpanReader: Callable, draw: Draw) -> Any:
    model = reader(draw, SpanReader)
    trained = {name: one for name, one in model.named_parameters() if one.requires_grad}
    start, end = model(texts(draw, 4, 6))
    return draw.gradients(start + 2 * end, **trained)


@span_reader.probe("takes the model as it is: not a copy, with its numbers, to be trained", rung="edges")
def model_of_pairs_below(SpanReader: Callable, draw: Draw) -> Any:
    bert = draw.fill(Reader())
    before = {name: one.clone() for name, one in bert.state_dict().items()}
    model = SpanReader(bert)
    mode = bert.training
    model.train()(texts(draw, 4, 6))
    same = (torch.equal(one, before[name]) for name, one in bert.state_dict().items())
    return {
        "`bert` of the reader": "the model handed in" if getattr(model, "bert", None) is bert else "another",
        "its numbers": "as they were" if all(same) else "others",
        "trained": all(one.requires_grad for one in bert.parameters()),
        "in training mode, as it came": mode,
        "in training mode after a call in training": bert.training,
    }


@span_reader.probe("scores in training as in evaluation, and sets no seed", rung="edges")
def reader_in_training(SpanReader: Callable, draw: Draw) -> Any:
    model, ids = draw.module(SpanReader, Reader(0.5)), texts(draw, *[4, 6] * 20)
    calm, trained = model.eval()(ids), model.train()(ids)
    same = all(torch.allclose(one, other) for one, other in zip(calm, trained, strict=True))
    return {
        "in training": "as in evaluation" if same else "others",
        "random numbers after the constructor": whose_luck(lambda: SpanReader(Reader(0.5))),
    }


@span_reader.probe("works for one pair, for two pairs of two tokens, and for one token", rung="edges", float64=True)
def reader_edges(SpanReader: Callable, draw: Draw) -> Any:
    model, ids = reader(draw, SpanReader), texts(draw, 4, 4)
    return {"one pair": model(ids[:1]), "two by two": model(ids[:, :2]), "one token": model(ids[:1, :1])}
