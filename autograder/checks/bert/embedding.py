"""Checks of BertEmbedding."""

from collections.abc import Callable
from typing import Any

import torch

from autograder.checks.bert.shared import KINDS, halves, small, texts
from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

bert_embedding = Exercise(
    "BertEmbedding",
    points=3,
    hints=(
        "Three tables, three look-ups, one sum. By what is each table looked up: by the token, by its place, by its text? And what if nobody says which text?",
        "```python\n...      # no segment_ids? Then 0 for each token\nx = ...  # the tokens' vectors plus the segments' vectors\n...      # plus the positions' vectors, where there is a table of them\nreturn ...  # the norm of the sum, then dropout\n```",
        "`torch.zeros_like(ids)` are the segments of a single text. The positions' vectors are `self.position_embedding(torch.arange(seq_len))`, (seq_len, d_model), which is added to every row of the batch. The last line is `self.dropout(self.norm(x))`.",
    ),
    traps={
        "TypeError: 'NoneType' object is not callable": "with rotary positions `self.position_embedding` is None. Ask before you call it.",
        "TypeError: embedding(): argument 'indices' (position 2) must be Tensor, not NoneType": "`segment_ids` may be None: then every token is of segment 0. `torch.zeros_like(ids)`.",
        "TypeError: embedding(): argument 'indices' (position 2) must be Tensor, not int": "a table is looked up by a tensor of numbers: `torch.arange(seq_len)`, `torch.zeros_like(ids)`.",
        "RuntimeError: The size of tensor a (...) must match the size of tensor b (...) at non-singleton dimension 1": "the positions' vectors are (seq_len, d_model). Look up as many as a row has tokens, `ids.size(1)`: not one for each row, and not all of the table.",
        "RuntimeError: The size of tensor a (...) must match the size of tensor b (...) at non-singleton dimension 2": "the vectors are added, feature by feature. `torch.cat` lays them side by side, and what comes of it is wider than the norm.",
    },
)


@bert_embedding.probe("adds the vectors of token, position and segment, and normalizes the sum", float64=True)
def learned_sum(BertEmbedding: Callable, draw: Draw) -> Any:
    return draw.module(BertEmbedding, small())(texts(draw, 4, 5), halves(draw, 4, 5))


@bert_embedding.probe("adds the vectors of token and segment where positions are rotary", float64=True)
def rotary_sum(BertEmbedding: Callable, draw: Draw) -> Any:
    return draw.module(BertEmbedding, small(positions="rotary"))(texts(draw, 3, 6), halves(draw, 3, 6))


@bert_embedding.probe("takes segment 0 for every token if nobody says which", float64=True)
def single_texts(BertEmbedding: Callable, draw: Draw) -> Any:
    ids = draw.keep("a 0 in the third place", texts(draw, 3, 4).where(torch.arange(4) != 2, 0))
    found = {}
    for kind in KINDS:
        module = draw.module(BertEmbedding, small(positions=kind))
        module(ids[:1, :2])  # what it made for other rows, or was told of them, does not hold for these
        module(ids, halves(draw, 3, 4))
        found[kind] = module(ids)
    return found


@bert_embedding.probe("drops everything in training at dropout=1, after the norm; nothing in evaluation", float64=True)
def dropped_sum(BertEmbedding: Callable, draw: Draw) -> Any:
    ids, segments = texts(draw, 2, 4), halves(draw, 2, 4)
    found = {}
    for kind in KINDS:
        module = draw.module(BertEmbedding, small(dropout=1.0, positions=kind))
        found[f"{kind}, training"] = module.train()(ids, segments)
        found[f"{kind}, evaluation"] = module.eval()(ids, segments)
    return found


@bert_embedding.probe("gives numbers that are 0 or twice those of evaluation, in training at dropout=0.5", float64=True)
def half_dropped(BertEmbedding: Callable, draw: Draw) -> Any:
    module, ids = draw.module(BertEmbedding, small(dropout=0.5)), texts(draw, 5, 6)
    whole = module.eval()(ids)
    some = module.train()(ids)
    doubled = (some - 2 * whole).abs() < 1e-4 + 1e-3 * whole.abs()
    return {
        "each is 0 or doubled": bool((doubled | (some == 0)).all()),
        "some are 0": bool((some == 0).any()),
        "some are not": bool((some != 0).any()),
    }


@bert_embedding.probe("has the right gradients for all parameters", rung="gradients")
def sum_gradients(BertEmbedding: Callable, draw: Draw) -> Any:
    found = {}
    for kind in KINDS:
        module = draw.module(BertEmbedding, small(positions=kind))
        output = module(texts(draw, 3, 5), halves(draw, 3, 5))
        found[kind] = draw.gradients(output, **dict(module.named_parameters()))
    return found


@bert_embedding.probe(
    "works for max_len tokens, for one text of one token, for the first and the last id, and on memory that is not contiguous",
    rung="edges",
    float64=True,
)
def sum_edges(BertEmbedding: Callable, draw: Draw) -> Any:
    module, ids = draw.module(BertEmbedding, small()), texts(draw, 4, 6)
    ends = draw.keep("ends", torch.tensor([[0, 10, 0], [10, 0, 10]]))
    ones = draw.keep("ones", torch.ones(2, 3, dtype=torch.long))
    return {
        "max_len tokens": module(ids, halves(draw, 4, 6)),
        "one text of one token": module(ids[:1, :1]),
        "the first and the last id, all of segment 1": module(ends, ones),
        "not contiguous": module(ids.T[:5], halves(draw, 4, 5, "columns").T),
        "a segment that begins with 1": module(ids[:2, :3], 1 - halves(draw, 2, 3, "turned")),
    }


@bert_embedding.probe(
    "raises a ValueError for more tokens than max_len, for ids that are not in the vocabulary, and for segments of another shape",
    rung="invariants",
)
def refuses_input(BertEmbedding: Callable, draw: Draw) -> Any:
    module = draw.fill(BertEmbedding(small()))
    ids = texts(draw, 2, 4)
    module(ids)  # the blank stub must show as blank
    return {
        "7 tokens for max_len=6": raised(lambda: module(texts(draw, 2, 7, "long"))),
        "id 11 in a vocabulary of 11": raised(lambda: module(torch.tensor([[1, 11]]))),
        "id -1": raised(lambda: module(torch.tensor([[-1, 1]]))),
        "one row of segments for two": raised(lambda: module(ids, halves(draw, 1, 4, "one row"))),
    }
