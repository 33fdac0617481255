"""Checks of the model that is trained: BiEncoder, and the article's."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

bi_encoder = Exercise(
    "BiEncoder",
    points=3,
    hints=(
        "`encode` needs two things: what the model makes of the tokens, and which of them are tokens at all. What does the model know of padding? And in `forward`: what is learned is the *logarithm* of the temperature.",
        "```python\nhidden, _ = ...  # the model gives two things\nreturn ...       # the mean over what is not padding\n```\n```python\nqueries, documents = ...  # a vector for each text of both sides\nreturn ...                # the contrastive loss, at the temperature, with `same`\n```",
        "`hidden, _ = self.bert(ids)` and `mean_pool(hidden, ids != self.bert.config.pad_id)`; `contrastive_loss(queries, documents, self.log_temperature.exp(), same)`.",
    ),
    traps={
        "AttributeError: 'tuple' object has no attribute ...": "the model gives two things, `(hidden, pooled)`. Take the first of them.",
        "ValueError: temperature=...; give a number above 0": "what is stored is the logarithm, which may be negative: `self.log_temperature.exp()`.",
        "ValueError: mask is ...": "`mean_pool` wants a boolean for each token, (batch, seq_len): `ids != pad_id`.",
    },
)

VOCAB, D_MODEL, PAD = 11, 6, 4


class Reader(nn.Module):
    """Stands in for BERT, with padding that is not 0: each token's vector depends on all that it may read."""

    def __init__(self) -> None:
        super().__init__()
        self.config = SimpleNamespace(vocab_size=VOCAB, d_model=D_MODEL, max_len=20, pad_id=PAD, dropout=0.0)
        self.table, self.mix = nn.Embedding(VOCAB, D_MODEL), nn.Linear(D_MODEL, D_MODEL)
        self.pooler = nn.Linear(D_MODEL, D_MODEL)

    def forward(self, ids: Tensor, segment_ids: Tensor | None = None, mask: Tensor | None = None) -> Any:
        """`(hidden, pooled)`."""
        if mask is None:
            mask = (ids != PAD)[:, None, None, :]
        x = self.table(ids)
        if segment_ids is not None:
            x = x + segment_ids.unsqueeze(-1)
        seen = mask.expand(len(ids), 1, ids.size(1), ids.size(1))[:, 0].to(x.dtype)
        read = seen / seen.sum(dim=-1, keepdim=True).clamp(min=1) @ x
        hidden = self.mix(x + read)
        return hidden, torch.tanh(self.pooler(hidden[:, 0]))


def texts(draw: Draw, name: str, *lengths: int) -> Tensor:
    """Texts of these lengths, filled up with padding. 0 is a token like any other."""
    drawn = draw.integers(f"{name} drawn", len(lengths), max(lengths), high=VOCAB - 1)
    beyond = torch.arange(max(lengths)) >= torch.tensor(lengths)[:, None]
    drawn = drawn + (drawn >= PAD)
    drawn[:, 0] = 0
    return draw.keep(name, drawn.masked_fill(beyond, PAD))


def matcher(BiEncoder: Callable, draw: Draw, temperature: float = 0.5) -> Any:
    """One with drawn weights, at a temperature that is not drawn."""
    model: Any = draw.module(BiEncoder, Reader(), temperature)
    with torch.no_grad():
        model.log_temperature.fill_(torch.tensor(temperature).log())
    return model


@bi_encoder.probe("encodes a text as the mean over its tokens, without the padding", float64=True)
def encoded(BiEncoder: Callable, draw: Draw) -> Any:
    return matcher(BiEncoder, draw).encode(texts(draw, "ids", 2, 6, 4))


@bi_encoder.probe("gives a text the same vector alone as beside a longer one", rung="invariants", float64=True)
def encoded_alone(BiEncoder: Callable, draw: Draw) -> Any:
    model, ids = matcher(BiEncoder, draw), texts(draw, "ids", 3, 7)
    return {"alone": model.encode(ids[:1, :3]), "beside a longer text": model.encode(ids)[:1]}


@bi_encoder.probe("gives the contrastive loss of queries and documents", float64=True)
def loss_of_a_batch(BiEncoder: Callable, draw: Draw) -> Any:
    model = matcher(BiEncoder, draw)
    return model(texts(draw, "queries", 3, 5, 2, 4), texts(draw, "documents", 6, 2, 3, 3))


@bi_encoder.probe("uses the temperature that is learned", float64=True)
def learned_temperature(BiEncoder: Callable, draw: Draw) -> Any:
    queries, documents = texts(draw, "queries", 3, 5, 2), texts(draw, "documents", 4, 2, 3)
    return {f"temperature {one:g}": matcher(BiEncoder, draw, one)(queries, documents) for one in (0.004, 1.0, 3.0)}


@bi_encoder.probe("begins at the temperature that it is given, or at 0.1", rung="invariants", float64=True)
def first_temperature(BiEncoder: Callable, draw: Draw) -> Any:
    model, found = matcher(BiEncoder, draw), {}
    for name, given in {"0.3 is given": (0.3,), "none is given": ()}.items():
        with torch.no_grad():
            model.log_temperature.copy_(BiEncoder(Reader(), *given).log_temperature)
        found[name] = model(texts(draw, "queries", 3, 5, 2), texts(draw, "documents", 4, 2, 3))
    return found


@bi_encoder.probe("reads each batch anew, and so after a step too", rung="invariants", float64=True)
def read_anew(BiEncoder: Callable, draw: Draw) -> Any:
    model = matcher(BiEncoder, draw)
    one, other = texts(draw, "one", 3, 2), texts(draw, "other", 2, 3)
    found = {"one": model.encode(one), "other": model.encode(other)}
    found |= {"a loss": model(one, other), "the loss of others": model(other, one.flip(0))}
    with torch.no_grad():
        model.bert.table.weight.mul_(torch.arange(1.0, 1 + D_MODEL))
    return found | {"after a step": model.encode(one), "the loss after a step": model(one, other)}


@bi_encoder.probe("leaves out of the loss what means the same", float64=True)
def loss_with_same(BiEncoder: Callable, draw: Draw) -> Any:
    same = torch.eye(4, dtype=torch.bool)
    same[0, 2] = same[3, 1] = True
    model = matcher(BiEncoder, draw)
    return model(texts(draw, "queries", 3, 5, 2, 4), texts(draw, "documents", 6, 2, 3, 3), draw.keep("same", same))


@bi_encoder.probe("lets the gradient reach the model and the temperature", rung="gradients")
def model_gradients(BiEncoder: Callable, draw: Draw) -> Any:
    model = matcher(BiEncoder, draw)
    loss = model(texts(draw, "queries", 3, 5, 2), texts(draw, "documents", 4, 2, 3))
    return draw.gradients(loss, **dict(model.named_parameters()))


@bi_encoder.probe("lets the gradient reach the documents, and not the queries alone", rung="gradients")
def documents_learn(BiEncoder: Callable, draw: Draw) -> Any:
    model = matcher(BiEncoder, draw)
    queries = draw.keep("queries", torch.tensor([[1, 2], [2, 3], [3, 1]]))
    documents = draw.keep("documents", torch.tensor([[6, 7], [7, 8], [8, 6]]))
    return draw.gradients(model(queries, documents), table=model.bert.table.weight)


@bi_encoder.probe("leaves the model in the mode in which it came", rung="edges")
def encoded_in_training(BiEncoder: Callable, draw: Draw) -> Any:
    model, ids = matcher(BiEncoder, draw), texts(draw, "ids", 2, 4)
    found = {}
    for name, mode in {"training": True, "evaluation": False}.items():
        model.train(mode)
        model.encode(ids)
        model(ids, ids)
        found[f"in training mode afterwards, from {name} mode"] = model.training
        found[f"the model below in training mode afterwards, from {name} mode"] = model.bert.training
    return found


@bi_encoder.probe("works for one pair, and for texts of one token", rung="edges", float64=True)
def few_pairs(BiEncoder: Callable, draw: Draw) -> Any:
    model = matcher(BiEncoder, draw)
    return {
        "one pair": model(texts(draw, "queries", 3), texts(draw, "documents", 2)),
        "one token": model(texts(draw, "short queries", 1, 1), texts(draw, "more documents", 4, 3)),
        "a text of one token": model.encode(texts(draw, "short", 1, 3)),
    }


@bi_encoder.probe("raises a ValueError for a temperature of 0", rung="invariants")
def refuses_temperatures(BiEncoder: Callable, draw: Draw) -> Any:
    matcher(BiEncoder, draw)(texts(draw, "queries", 3, 5), texts(draw, "documents", 2, 4))  # the blank stub is blank
    return raised(lambda: BiEncoder(Reader(), 0.0))


# In the wild ----------------------------------------------------------------------------

article_bi_encoder = Exercise(
    "ArticleBiEncoder",
    points=2,
    repairs=bi_encoder,
    hints=(
        "Three things are wrong. Encode one name alone and beside a long one: is it the same vector? Which of two documents gets the larger score, the near one or the far one? And which of its arguments does `forward` never use?",
        "The mean counts padding. A distance is small where two vectors are near, and a softmax wants large numbers there. And `same` never arrives at the loss.",
        "All three are in parts that you have written: `mean_pool(hidden, ids != self.bert.config.pad_id)`, and `contrastive_loss(queries, documents, self.log_temperature.exp(), same)`.",
    ),
)
