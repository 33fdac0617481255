"""Checks of the model: BertEmbedding, BERT, and a repair."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.bert.shared import small
from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

FORBIDDEN = ("transformer_layer",)
KINDS = ("learned", "rotary")
PAD = 3

# BertEmbedding ----------------------------------------------------------------------------

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
    },
)


def texts(draw: Draw, batch: int, seq_len: int, name: str = "ids") -> Tensor:
    """Ids of some texts; the second place of each holds padding, so that what treats it otherwise always shows."""
    drawn = draw.integers(f"{name} drawn", batch, seq_len, high=11)
    return draw.keep(name, drawn.where(torch.arange(seq_len) != 1, PAD))


def halves(draw: Draw, batch: int, seq_len: int, name: str = "segment_ids") -> Tensor:
    """Segments of rows, each of which changes at another place; the first row after two tokens."""
    starts = (torch.arange(batch) + 2) % seq_len + (torch.arange(batch) + 2) // seq_len
    return draw.keep(name, (torch.arange(seq_len) >= starts[:, None]).long())


@bert_embedding.probe("adds the vectors of token, position and segment, and normalizes the sum", float64=True)
def learned_sum(BertEmbedding: Callable, draw: Draw) -> Any:
    return draw.module(BertEmbedding, small())(texts(draw, 4, 5), halves(draw, 4, 5))


@bert_embedding.probe("adds the vectors of token and segment where positions are rotary", float64=True)
def rotary_sum(BertEmbedding: Callable, draw: Draw) -> Any:
    return draw.module(BertEmbedding, small(positions="rotary"))(texts(draw, 3, 6), halves(draw, 3, 6))


@bert_embedding.probe("takes segment 0 for every token if nobody says which", float64=True)
def single_texts(BertEmbedding: Callable, draw: Draw) -> Any:
    ids = draw.keep("a 0 in the third place", texts(draw, 3, 4).where(torch.arange(4) != 2, 0))
    return {kind: draw.module(BertEmbedding, small(positions=kind))(ids) for kind in KINDS}


@bert_embedding.probe("in training at dropout=1 drops everything, after the norm; nothing in evaluation", float64=True)
def dropped_sum(BertEmbedding: Callable, draw: Draw) -> Any:
    ids, segments = texts(draw, 2, 4), halves(draw, 2, 4)
    found = {}
    for kind in KINDS:
        module = draw.module(BertEmbedding, small(dropout=1.0, positions=kind))
        found[f"{kind}, training"] = module.train()(ids, segments)
        found[f"{kind}, evaluation"] = module.eval()(ids, segments)
    return found


@bert_embedding.probe("in training at dropout=0.5 gives numbers that are 0 or twice those of evaluation", float64=True)
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


# BERT ----------------------------------------------------------------------------

bert = Exercise(
    "BERT",
    points=4,
    forbidden=FORBIDDEN,
    hints=(
        "You wrote this once, in `Encoder`: a loop that hands the tokens from layer to layer and keeps the weights. New are the mask that it makes by itself, and a vector for the row. At which place does [CLS] stand?",
        "```python\nif ...:          # no mask was given: all but the padding may be read\n    mask = ...\nhidden = ...     # the embedding of ids and segment_ids\nfor layer in self.layers:\n    ...          # each reads with the mask, and gives the tokens and its weights\npooled = ...     # the last layer's vector at [CLS], through self.pooler, then tanh\nreturn ...       # two things; three with return_weights\n```",
        "`padding_mask(ids, self.config.pad_id)` is the mask. In the loop `hidden, weights = layer(hidden, mask, return_weights=True)`, and the weights into a list. `torch.tanh(self.pooler(hidden[:, 0]))` is the vector of the row.",
    ),
    traps={
        "AttributeError: 'tuple' object has no attribute 'size'": "with `return_weights=True` a layer returns two things: `hidden, weights = layer(...)`.",
        "ValueError: too many values to unpack (expected 2)": "a layer gives two things only with `return_weights=True`. Without it, the tokens alone.",
        "AttributeError: 'NoneType' object has no attribute 'dim'": "is `mask` still None where you change it?",
        "TypeError: cannot unpack non-iterable NoneType object": "one of your parts returns nothing. Does each `forward` end in a `return`?",
    },
)


def padded(draw: Draw, lengths: tuple[int, ...], pad: int = PAD, name: str = "ids") -> Tensor:
    """Ids of rows of these lengths, filled up with `pad`, which stands nowhere else."""
    drawn = draw.integers(f"{name} drawn", len(lengths), max(lengths), high=10)
    beyond = torch.arange(max(lengths)) >= torch.tensor(lengths)[:, None]
    return draw.keep(name, (drawn + (drawn >= pad)).masked_fill(beyond, pad))


@bert.probe("gives every token a vector, and every row one, and reads no padding", float64=True)
def learned_bert(BERT: Callable, draw: Draw) -> Any:
    return draw.module(BERT, small())(padded(draw, (5, 3, 4)), halves(draw, 3, 5))


@bert.probe("does the same with rotary positions, and for single texts", float64=True)
def rotary_bert(BERT: Callable, draw: Draw) -> Any:
    return draw.module(BERT, small(positions="rotary", num_layers=2))(padded(draw, (6, 4)))


@bert.probe("returns the weights of every layer when asked", float64=True)
def bert_weights(BERT: Callable, draw: Draw) -> Any:
    model, ids = draw.module(BERT, small(num_heads=4)), padded(draw, (2, 5))
    return model(ids, halves(draw, 2, 5), return_weights=True)


@bert.probe("lets every layer read what the given mask allows, padding included", float64=True)
def given_mask(BERT: Callable, draw: Draw) -> Any:
    model, ids = draw.module(BERT, small(num_layers=2)), padded(draw, (4, 5, 3))
    drawn = draw.booleans("any may look", 3, 2, 5, 5, chance=0.6)
    every = draw.keep("mask", drawn | torch.eye(5, dtype=torch.bool))
    back = draw.keep("back", torch.ones(5, 5, dtype=torch.bool).tril())
    return {
        "one for each head": model(ids, mask=every),
        "only back": model(ids, halves(draw, 3, 5), back),
    }


@bert.probe(
    "reads both ways: the last token changes the vector of the first; padding changes none",
    rung="invariants",
    float64=True,
)
def both_ways(BERT: Callable, draw: Draw) -> Any:
    model, ids = draw.module(BERT, small(num_layers=1)), padded(draw, (4, 4))
    other = draw.keep("other", torch.cat([ids[:, :3], torch.tensor([[0], [10]])], dim=1))
    longer = draw.keep("longer", torch.cat([ids, torch.full((2, 2), PAD)], dim=1))
    return {
        "as drawn": model(ids)[0][:, 0],
        "another last token": model(other)[0][:, 0],
        "two paddings more": model(longer)[0][:, :4],
        "a row alone": model(ids[1:]),
    }


@bert.probe("drops everything in training at dropout=1, and nothing in evaluation", float64=True)
def dropped_bert(BERT: Callable, draw: Draw) -> Any:
    ids, segments = padded(draw, (4, 3)), halves(draw, 2, 4)
    found = {}
    for kind in KINDS:
        model = draw.module(BERT, small(dropout=1.0, positions=kind, num_layers=1))
        found[f"{kind}, training"] = model.train()(ids, segments)
        found[f"{kind}, evaluation"] = model.eval()(ids, segments)
    return found


@bert.probe("has the right gradients for all parameters", rung="gradients")
def bert_gradients(BERT: Callable, draw: Draw) -> Any:
    model = draw.module(BERT, small(num_layers=2))
    hidden, pooled = model(padded(draw, (4, 3)), halves(draw, 2, 4))
    both = torch.cat([hidden.flatten(), 3 * pooled.flatten()])
    return draw.gradients(both, **dict(model.named_parameters()))


@bert.probe(
    "works for one row of one token, for max_len tokens, for one layer, for a row of padding only, and where 0 is a token",
    rung="edges",
    float64=True,
)
def bert_edges(BERT: Callable, draw: Draw) -> Any:
    model = draw.module(BERT, small(num_layers=1))
    ids = padded(draw, (6, 2, 4))
    padding = draw.keep("only padding", torch.full((2, 3), PAD))
    zeros = draw.keep("zeros", torch.tensor([[5, 0, 0, 7], [0, 1, PAD, PAD]]))
    return {
        "max_len tokens": model(ids, halves(draw, 3, 6)),
        "one row of one token": model(ids[:1, :1]),
        "only padding": model(padding),
        "0 is a token": model(zeros),
        "0 is the padding": draw.module(BERT, small(num_layers=1, pad_id=0))(zeros),
        "not contiguous": model(ids.T),
    }


@bert.probe("raises a ValueError for what the embedding cannot read", rung="invariants")
def bert_refuses(BERT: Callable, draw: Draw) -> Any:
    model, ids = draw.fill(BERT(small(num_layers=1))), padded(draw, (4, 3))
    model(ids)  # the blank stub must show as blank
    return {
        "7 tokens for max_len=6": raised(lambda: model(texts(draw, 2, 7, "long"))),
        "id 11 in a vocabulary of 11": raised(lambda: model(torch.tensor([[1, 11]]))),
        "segments of another shape": raised(lambda: model(ids, halves(draw, 2, 3, "short"))),
    }


# In the wild ----------------------------------------------------------------------------

article_bert = Exercise(
    "ArticleBert",
    points=2,
    repairs=bert,
    hints=(
        "How many encoders has a BERT, and what may each of its tokens read? Two that each read one way never put together, within one layer, what stands left and right of a word.",
        "One list, `self.layers`, as in your `BERT`. What is left of the two masks when every token may look both ways?",
        "In the constructor `self.layers = nn.ModuleList(bert_layer(config) for _ in range(config.num_layers))` replaces both lists. In the loop each layer reads with `mask`, without `past`, and its output is the next one's input. Nothing is averaged.",
    ),
)
