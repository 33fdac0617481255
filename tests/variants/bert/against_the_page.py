"""Lesson 15: slips of an adversary who had the page alone, each in full."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.bert import bert_layer
from tests.variants import disguise
from tests.variants.bert.embeddings import Tables
from tests.variants.bert.heads import Parts
from tests.variants.bert.models import Given
from tests.variants.bert.packing import Text, cut, glue

PACK, SUM, MODEL, HEAD = "pack_pair", "BertEmbedding", "BERT", "MaskedLanguageHead"


def another(exercise: str, mistake: str, base: type, **methods: Any) -> None:
    disguise(exercise, mistake)(type("Another", (base,), methods))


# pack_pair ----------------------------------------------------------------------------


@disguise(PACK, "another token opens the row")
def opened_by_sep(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    ids, segments = glue(*cut(first, second, max_len), cls_id, sep_id)
    return [sep_id, *ids[1:]], segments


@disguise(PACK, "another token opens the row")
def exchanged(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    return glue(*cut(first, second, max_len), sep_id, cls_id)


@disguise(PACK, "the first [SEP] in segment 1")
def one_short(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    a, b = cut(first, second, max_len)
    ids, _ = glue(a, b, cls_id, sep_id)
    return ids, [0] * (1 + len(a)) + ([] if b is None else [1] * (2 + len(b)))


# BertEmbedding ----------------------------------------------------------------------------


def of_the_first(self: Any, ids: Tensor, segments: Tensor | None) -> Any:
    return Tables.segment(self, ids, None if segments is None else segments[:, 0, None].expand_as(ids))


def of_tokens(self: Any, ids: Tensor, segments: Tensor | None) -> Any:
    return self.token_embedding.weight[0 if segments is None else segments]


def beside_positions(self: Any, ids: Tensor, segments: Tensor | None) -> Any:
    return Tables.segment(self, ids, segments) if self.position_embedding is not None else 0


def from_the_end(self: Any, ids: Tensor, segments: Tensor | None) -> Any:
    return torch.arange(self.config.max_len)[-ids.size(1) :]


def plain(self: Any, x: Tensor) -> Tensor:
    return self.dropout((x - x.mean(-1, keepdim=True)) / (x.var(-1, correction=0, keepdim=True) + 1e-5).sqrt())


def cut_off(name: str) -> Any:
    def detached(self: Any, *given: Any) -> Any:
        found = getattr(Tables, name)(self, *given)
        return found.detach() if isinstance(found, Tensor) else found

    return detached


another(SUM, "positions from the table's end", Tables, where=from_the_end)
another(SUM, "the first token's segment for all", Tables, segment=of_the_first)
another(SUM, "segments from another table", Tables, segment=of_tokens)
another(SUM, "segments only beside learned positions", Tables, segment=beside_positions)
another(SUM, "the norm without its own numbers", Tables, finish=plain)
another(SUM, "the sum is added again", Tables, finish=lambda self, x: x + self.dropout(self.norm(x)))
another(SUM, "the sum is added again", Tables, finish=lambda self, x: self.norm(self.dropout(x) + x))
for name in ("place", "segment", "token"):
    another(SUM, "a table gets no gradient", Tables, **{name: cut_off(name)})

# BERT ----------------------------------------------------------------------------


def comes_back(mistake: str, result: Any) -> None:
    another(MODEL, mistake, Given, result=result)


comes_back(
    "the weights in one tensor", lambda self, h, p, kept, wanted: (h, p, torch.stack(kept)) if wanted else (h, p)
)
comes_back("the weights come whatever is asked", lambda self, h, p, kept, wanted: (h, p, kept))
comes_back("the weights never come", lambda self, h, p, kept, wanted: (h, p))
comes_back("weights in front of the row's vector", lambda self, h, p, kept, wanted: (h, kept, p) if wanted else (h, p))


class BeforeTheLast(Given):
    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None, return_weights: bool = False) -> Any:
        stages, kept = self.run(self.start(ids, segment_ids), self.look(ids, mask))
        return self.result(stages[-2], self.pool(stages[-1][:, 0]), kept, return_weights)


def normed_again(self: Any, x: Tensor, mask: Any) -> Any:
    stages, kept = Given.run(self, x, mask)
    return [*stages, F.layer_norm(stages[-1], (stages[-1].size(-1),))], kept


disguise(MODEL, "the tokens' vectors from the layer before")(BeforeTheLast)
another(MODEL, "a norm too many", Given, run=normed_again)
another(
    MODEL,
    "the row's vector teaches the layers nothing",
    Given,
    gather=lambda self, stages, ids: stages[-1].detach()[:, 0],
)


class TwoLists(Given):
    """Two encoders, and the mean of both."""

    names = ("layers", "backward_layers")

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        del self.layers
        for name in self.names:
            self.add_module(name, nn.ModuleList([bert_layer(config) for _ in range(config.num_layers)]))

    def masks(self, x: Tensor, mask: Any) -> Any:
        return mask, mask

    def run(self, x: Tensor, mask: Any) -> tuple[list[Tensor], Any]:
        found = []
        for name, allowed in zip(self.names, self.masks(x, mask), strict=True):
            vectors, kept = x, []
            for layer in getattr(self, name):
                vectors, weights = layer(vectors, allowed, return_weights=True)
                kept.append(weights)
            found.append((vectors, kept))
        (one, here), (other, there) = found
        return [x, (one + other) / 2], [(a + b) / 2 for a, b in zip(here, there, strict=True)]


def both_directions(self: Any, x: Tensor, mask: Any) -> Any:
    back = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril()
    return mask & back, mask & back.mT


class Renamed(Given):
    """The list of layers under another name."""

    name = "forward_layers"

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        layers = self.layers
        del self.layers
        self.add_module(self.name, layers)

    def run(self, x: Tensor, mask: Any) -> tuple[list[Tensor], Any]:
        stages, kept = [x], []
        for layer in getattr(self, self.name):
            made, weights = layer(stages[-1], mask, return_weights=True)
            stages.append(made)
            kept.append(weights)
        return stages, kept


disguise(MODEL, "two encoders")(TwoLists)
another(MODEL, "two encoders", TwoLists, names=("forward_layers", "backward_layers"))
another(MODEL, "two directions, averaged", TwoLists, masks=both_directions)
another(
    MODEL,
    "two directions, averaged",
    TwoLists,
    names=("forward_layers", "backward_layers"),
    masks=lambda self, x, mask: (mask, both_directions(self, x, mask)[1]),
)


@disguise(MODEL, "half of it comes back")
class Halved(Given):
    """What one encoder makes, divided as a mean of two is."""

    def run(self, x: Tensor, mask: Any) -> tuple[list[Tensor], Any]:
        stages, kept = super().run(x, mask)
        return [*stages, 0.5 * stages[-1]], kept


@disguise(MODEL, "half of it comes back")
class HalvedWeights(Given):
    """The weights, divided as a mean of two is."""

    def result(self, hidden: Tensor, pooled: Tensor, kept: Any, wanted: bool) -> Any:
        return super().result(hidden, pooled, [0.5 * weights for weights in kept], wanted)


disguise(MODEL, "the layers have another name")(Renamed)
another(MODEL, "the layers have another name", Renamed, name="encoder")

# MaskedLanguageHead ----------------------------------------------------------------------------


def tied_and_frozen(self: Any, embedding: nn.Embedding) -> None:
    embedding.weight.requires_grad = False
    self.output.weight = embedding.weight


another(HEAD, "ids instead of scores", Parts, score=lambda self, x: Parts.score(self, x).max(-1).indices)
another(HEAD, "only [CLS] is scored", Parts, forward=lambda self, x: self.score(self.prepare(x[:, 0])))
another(
    HEAD, "multiplied by √d_model in the head", Parts, score=lambda self, x: x.size(-1) ** 0.5 * Parts.score(self, x)
)
another(HEAD, "the table is frozen", Parts, tie=tied_and_frozen)
another(
    HEAD, "what is read is added", Parts, prepare=lambda self, x: self.norm(self.bend(torch.add(x, self.transform(x))))
)
