"""Checks of BERT, and of a repair."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.bert.shared import KINDS, PAD, halves, small, texts
from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

FORBIDDEN = ("transformer_layer",)

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
    model, ids = draw.module(BERT, small(num_heads=4, num_layers=2)), padded(draw, (2, 3))
    model(ids.flip(0), return_weights=True)  # of this nothing is kept
    return model(ids, halves(draw, 2, 3), return_weights=True)


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
    found = {}
    for kind, layers in zip(KINDS, (2, 1), strict=True):
        model = draw.module(BERT, small(num_layers=layers, positions=kind))
        hidden, pooled = model(padded(draw, (4, 3)), halves(draw, 2, 4))
        both = torch.cat([hidden.flatten(), 3 * pooled.flatten()])
        found[kind] = draw.gradients(both, **dict(model.named_parameters()))
    learns = sorted(name for name, gradient in found["rotary"].items() if gradient is not None)
    return {"learned": found["learned"], "rotary, what learns": learns}  # all numbers twice take much room in a package


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
