"""Lesson 14: GPT."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.gpt import GPT as StandIn
from autograder.stand_ins.gpt import GPTBlock
from autograder.stand_ins.layer_norm import LayerNorm
from tests.variants import correct, disguise, slips, unlisted

MODEL = "GPT"


def refuse(ids: Tensor, config: Any) -> None:
    """The given lines."""
    if ids.size(1) > config.max_len:
        raise ValueError("too long")
    if ids.numel() and (ids.amin() < 0 or ids.amax() >= config.vocab_size):
        raise ValueError("not in the vocabulary")


class Given(nn.Module):
    """The given part of the constructor, and a forward made of steps."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        self.token_embedding: Any = nn.Embedding(config.vocab_size, config.d_model)
        learned = config.positions == "learned"
        self.position_embedding: Any = nn.Embedding(config.max_len, config.d_model) if learned else None
        self.dropout = nn.Dropout(config.dropout)
        self.make()

    def make(self) -> None:
        """The rest of it."""
        self.layers: Any = nn.ModuleList([GPTBlock(self.config) for _ in range(self.config.num_layers)])
        self.norm = LayerNorm(self.config.d_model)
        self.head = nn.Linear(self.config.d_model, self.config.vocab_size, bias=False)
        self.head.weight = self.token_embedding.weight

    def place(self, ids: Tensor) -> Any:
        """The vectors of the positions."""
        return 0 if self.position_embedding is None else self.position_embedding.weight[: ids.size(1)]

    def start(self, ids: Tensor) -> Tensor:
        """What the first block reads."""
        return self.dropout(self.token_embedding(ids) + self.place(ids))

    def run(self, x: Tensor) -> tuple[Tensor, Any]:
        """All blocks."""
        kept = []
        for layer in self.layers:
            x, weights = layer(x)
            kept.append(weights)
        return x, kept

    def score(self, x: Tensor) -> Tensor:
        """What the head makes of it."""
        return self.head(self.norm(x))

    def forward(self, ids: Tensor, return_weights: bool = False) -> Any:
        """Step after step."""
        refuse(ids, self.config)
        x, kept = self.run(self.start(ids))
        return (self.score(x), kept) if return_weights else self.score(x)


correct(MODEL)(Given)


@correct(MODEL)
class TableFromHead(Given):
    """Tied the other way round."""

    def make(self) -> None:
        super().make()
        head = nn.Linear(self.config.d_model, self.config.vocab_size, bias=False)
        self.head, self.token_embedding.weight = head, head.weight


# Trunks ----------------------------------------------------------------------------


class Plain(Given):
    """As many write it."""

    def make(self) -> None:
        cfg = self.config
        blocks = [GPTBlock(cfg) for i in range(cfg.num_layers)]
        self.layers = nn.ModuleList(blocks)
        self.head = nn.Linear(cfg.d_model, cfg.vocab_size, bias=False)
        self.norm = LayerNorm(cfg.d_model)
        self.head.weight = self.token_embedding.weight  # tied

    def forward(self, ids: Tensor, return_weights: bool = False) -> Any:
        refuse(ids, self.config)
        t = ids.shape[1]
        h = self.token_embedding(ids)
        if self.config.positions == "learned":
            pos = torch.arange(0, t)
            h = h + self.position_embedding(pos)[None]
        h = self.dropout(h)
        maps = []
        for block in self.layers:
            h, m = block(h)
            maps.append(m)
        h = self.norm(h)
        out = self.head(h)
        return (out, maps) if return_weights else out


slips(
    MODEL,
    Plain,
    {
        "the head is not tied": [
            {"self.head.weight = self.token_embedding.weight  # tied": ""},
            {
                "self.head.weight = self.token_embedding.weight  # tied": (
                    "self.head.weight = nn.Parameter(self.token_embedding.weight.clone())"
                ),
            },
            {
                "self.head.weight = self.token_embedding.weight  # tied": (
                    "self.head.weight.data = self.token_embedding.weight.data.clone()"
                ),
            },
        ],
        "a head with a bias": {", bias=False": ""},
        "a final norm is missing": {"h = self.norm(h)": "pass"},
        "the norm before the blocks": {
            "h = self.dropout(h)": "h = self.norm(self.dropout(h))",
            "h = self.norm(h)": "pass",
        },
        "the norm after every block": {
            "h, m = block(h)": "h, m = block(h)\n            h = self.norm(h)",
            "h = self.norm(h)\n        out": "out",
        },
        "multiplied by √d_model": {
            "h = self.token_embedding(ids)": "h = self.token_embedding(ids) * self.config.d_model**0.5"
        },
        "logits divided by √d_model": {"out = self.head(h)": "out = self.head(h) / self.config.d_model**0.5"},
        "no positions": {"h = h + self.position_embedding(pos)[None]": "self.position_embedding(pos)"},
        "one position for all": {"self.position_embedding(pos)[None]": "self.position_embedding(pos)[-1]"},
        "positions counted from the end": {"torch.arange(0, t)": "torch.arange(t - 1, -1, -1)"},
        "no dropout at the start": [{"h = self.dropout(h)": "self.dropout(h)"}, {"h = self.dropout(h)": "pass"}],
        "only the first block runs": {
            "            maps.append(m)\n        h = self.norm(h)": (
                "            maps.append(m)\n            break\n        h = self.norm(h)"
            ),
        },
        "the blocks in reverse order": {"in self.layers": "in self.layers[::-1]"},
        "one block used over and over": {
            "[GPTBlock(cfg) for i in range(cfg.num_layers)]": "[GPTBlock(cfg)] * cfg.num_layers"
        },
        "softmax before the loss": {"out = self.head(h)": "out = F.softmax(self.head(h), dim=-1)"},
        "logarithms of probabilities": {"out = self.head(h)": "out = F.log_softmax(self.head(h), dim=-1)"},
        "only the last place": {"out = self.head(h)": "out = self.head(h[:, -1])"},
        "weights of the last block only": {"(out, maps)": "(out, m)"},
        "a final norm is missing + no positions": {
            "h = self.norm(h)": "pass",
            "h = h + self.position_embedding(pos)[None]": "pass",
        },
    },
)


class BySum(Given):
    """Vectors, positions and dropout in one line; the head as a product."""

    def make(self) -> None:
        layers = nn.ModuleList()
        while len(layers) < self.config.num_layers:
            layers.append(GPTBlock(self.config))
        self.layers, self.norm = layers, LayerNorm(self.config.d_model)
        self.head = nn.Linear(*reversed(self.token_embedding.weight.shape), bias=False)
        self.head.weight = self.token_embedding.weight  # one table

    def forward(self, ids: Tensor, return_weights: bool = False) -> Any:
        refuse(ids, self.config)
        learned, n = self.position_embedding is not None, ids.size(-1)
        where = self.position_embedding.weight.narrow(0, 0, n) if learned else torch.zeros(())
        state = self.dropout(F.embedding(ids, self.head.weight) + where)
        found: list[Tensor] = []
        for number in range(len(self.layers)):
            state, seen = self.layers[number](state)
            found += [seen]
        last = self.norm(state)
        logits = torch.einsum("btd,vd->btv", last, self.token_embedding.weight)
        return (logits, found) if return_weights else logits


slips(
    MODEL,
    BySum,
    {
        "a final norm is missing": {"last = self.norm(state)": "last = state"},
        "multiplied by √d_model": {
            "F.embedding(ids, self.head.weight) +": (
                "math.sqrt(self.config.d_model) * F.embedding(ids, self.head.weight) +"
            ),
        },
        "logits divided by √d_model": {
            "(logits, found) if return_weights else logits": (
                "(logits / math.sqrt(self.config.d_model), found) if return_weights else logits / "
                "math.sqrt(self.config.d_model)"
            ),
        },
        "no positions": {" + where": ""},
        "one position for all": {"weight.narrow(0, 0, n)": "weight[n - 1]"},
        "no dropout at the start": {
            "self.dropout(F.embedding(ids, self.head.weight) + where)": "F.embedding(ids, self.head.weight) + where"
        },
        "positions are added after dropout": {
            "self.dropout(F.embedding(ids, self.head.weight) + where)": (
                "self.dropout(F.embedding(ids, self.head.weight)) + where"
            ),
        },
        "the blocks in reverse order": {"self.layers[number]": "self.layers[-1 - number]"},
        "one block used over and over": {
            "layers.append(GPTBlock(self.config))": "layers.append(layers[0] if len(layers) else GPTBlock(self.config))"
        },
        "softmax before the loss": {
            "self.token_embedding.weight)\n        return": "self.token_embedding.weight).softmax(-1)\n        return"
        },
        "logarithms of probabilities": {
            "self.token_embedding.weight)\n        return": (
                "self.token_embedding.weight).log_softmax(-1)\n        return"
            ),
        },
        "only the last place": {"last = self.norm(state)": "last = self.norm(state[:, -1:])"},
        "weights of the last block only": [
            {"found += [seen]": "found = [seen]"},
            {"(logits, found)": "(logits, seen)"},
        ],
        "every block reads the embedding": {
            "found: list": "first = state\n        found: list",
            "self.layers[number](state)": "self.layers[number](first)",
        },
    },
)


class Unrolled(Given):
    """Two small methods."""

    def make(self) -> None:
        c, table = self.config, self.token_embedding.weight
        self.norm = LayerNorm(c.d_model)
        self.head = nn.Linear(in_features=c.d_model, out_features=len(table), bias=False)
        self.head.register_parameter("weight", table)
        self.layers = nn.ModuleList(map(GPTBlock, [c] * c.num_layers))

    def forward(self, ids: Tensor, return_weights: bool = False) -> Any:
        refuse(ids, self.config)
        stages = [self.embed(ids)]
        attention = []
        for step in self.layers:
            out, weights = step(stages[-1])
            stages.append(out)
            attention.append(weights)
        scores = self.head(self.norm(stages[-1]))
        if return_weights:
            return scores, attention
        return scores

    def embed(self, ids: Tensor) -> Tensor:
        """Vectors and positions."""
        vectors = self.token_embedding(ids)
        if self.position_embedding is None:
            return self.dropout(vectors)
        numbers = torch.arange(ids.size(1)).expand_as(ids)
        return self.dropout(vectors + self.position_embedding(numbers))


slips(
    MODEL,
    Unrolled,
    {
        "the head is not tied": {'self.head.register_parameter("weight", table)': "self.head.weight.data.copy_(table)"},
        "a head with a bias": {"len(table), bias=False": "len(table)"},
        "a final norm is missing": {"self.norm(stages[-1])": "stages[-1]"},
        "the norm before the blocks": {
            "[self.embed(ids)]": "[self.norm(self.embed(ids))]",
            "self.norm(stages[-1])": "stages[-1]",
        },
        "the norm after every block": {
            "stages.append(out)": "stages.append(self.norm(out))",
            "self.norm(stages[-1])": "stages[-1]",
        },
        "no positions": {"self.dropout(vectors + self.position_embedding(numbers))": "self.dropout(vectors)"},
        "positions by token": {"torch.arange(ids.size(1)).expand_as(ids)": "ids % self.config.max_len"},
        "positions of the batch's rows": {
            "torch.arange(ids.size(1)).expand_as(ids)": "(torch.arange(len(ids)) % self.config.max_len)[:, None]"
        },
        "positions counted from the end": {
            "torch.arange(ids.size(1)).expand_as(ids)": "torch.arange(ids.size(1)).flip(0)"
        },
        "positions are added after dropout": {
            "self.dropout(vectors + self.position_embedding(numbers))": (
                "self.dropout(vectors) + self.position_embedding(numbers)"
            ),
        },
        "no dropout at the start": {
            "return self.dropout(vectors)": "return vectors",
            "self.dropout(vectors + self.position_embedding(numbers))": "vectors + self.position_embedding(numbers)",
        },
        "every block reads the embedding": {"step(stages[-1])": "step(stages[0])"},
        "one block used over and over": {"map(GPTBlock, [c] * c.num_layers)": "[GPTBlock(c)] * c.num_layers"},
    },
)


# In full ----------------------------------------------------------------------------


@disguise(MODEL, "the head is not tied")
class Untied(Given):
    def make(self) -> None:
        super().make()
        self.head = nn.Linear(self.config.d_model, self.config.vocab_size, bias=False)


@disguise(MODEL, "a head with a bias")
class Biased(Given):
    def make(self) -> None:
        super().make()
        self.head = nn.Linear(self.config.d_model, self.config.vocab_size)
        self.head.weight = self.token_embedding.weight


@disguise(MODEL, "a final norm is missing")
class NoNorm(Given):
    def score(self, x: Tensor) -> Tensor:
        return F.linear(x, self.head.weight)


@disguise(MODEL, "the norm before the blocks")
class NormFirst(NoNorm):
    def start(self, ids: Tensor) -> Tensor:
        return self.norm(super().start(ids))


@disguise(MODEL, "the norm after every block")
class NormAlways(NoNorm):
    def run(self, x: Tensor) -> Any:
        kept = []
        for layer in self.layers:
            made, weights = layer(x)
            x = self.norm(made)
            kept.append(weights)
        return x, kept


@disguise(MODEL, "multiplied by √d_model")
class Scaled(Given):
    def start(self, ids: Tensor) -> Tensor:
        return self.dropout(self.token_embedding.weight[ids] * math.sqrt(self.config.d_model) + self.place(ids))


@disguise(MODEL, "logits divided by √d_model")
class Divided(Given):
    def score(self, x: Tensor) -> Tensor:
        return super().score(x) * self.config.d_model**-0.5


@disguise(MODEL, "no positions")
class NoPlaces(Given):
    def place(self, ids: Tensor) -> Any:
        return 0


@disguise(MODEL, "positions of the batch's rows")
class Rows(Given):
    def place(self, ids: Tensor) -> Any:
        table = self.position_embedding
        return 0 if table is None else torch.stack([table.weight[i % len(table.weight)][None] for i in range(len(ids))])


@disguise(MODEL, "one position for all")
class OnePlace(Given):
    def place(self, ids: Tensor) -> Any:
        return 0 if self.position_embedding is None else self.position_embedding(torch.tensor(ids.size(1) - 1))


@disguise(MODEL, "one position for all")
class PastTheEnd(Given):
    def place(self, ids: Tensor) -> Any:
        if self.position_embedding is None:
            return 0
        return self.position_embedding.weight[ids.size(1) if ids.size(1) < self.config.max_len else -1]


@disguise(MODEL, "positions counted from the end")
class FromTheEnd(Given):
    def place(self, ids: Tensor) -> Any:
        return 0 if self.position_embedding is None else super().place(ids).flip(0)


@disguise(MODEL, "positions by token")
class ByToken(Given):
    def place(self, ids: Tensor) -> Any:
        return 0 if self.position_embedding is None else self.position_embedding(ids.remainder(self.config.max_len))


@disguise(MODEL, "positions in front of every block")
class Again(NoPlaces):
    def forward(self, ids: Tensor, return_weights: bool = False) -> Any:
        refuse(ids, self.config)
        x, kept = self.start(ids), []
        for layer in self.layers:
            x, weights = layer(x + Given.place(self, ids))
            kept.append(weights)
        return (self.score(x), kept) if return_weights else self.score(x)


@disguise(MODEL, "no dropout at the start")
class Undropped(Given):
    def start(self, ids: Tensor) -> Tensor:
        return self.token_embedding(ids) + self.place(ids)


@disguise(MODEL, "positions are added after dropout")
class Late(Given):
    def start(self, ids: Tensor) -> Tensor:
        return self.place(ids) + self.dropout(self.token_embedding(ids))


@disguise(MODEL, "every block reads the embedding")
class NotAChain(Given):
    def run(self, x: Tensor) -> Any:
        pairs = [layer(x) for layer in self.layers]
        return pairs[-1][0], [weights for _, weights in pairs]


@disguise(MODEL, "only the first block runs")
class ReturnsInTheLoop(Given):
    def run(self, x: Tensor) -> Any:
        for layer in self.layers:
            x, weights = layer(x)
            return x, [weights]


@disguise(MODEL, "the blocks in reverse order")
class Backwards(Given):
    def run(self, x: Tensor) -> Any:
        kept = []
        for number in range(len(self.layers) - 1, -1, -1):
            x, weights = self.layers[number](x)
            kept.append(weights)
        return x, kept


@disguise(MODEL, "one block used over and over")
class Shared(Given):
    def make(self) -> None:
        super().make()
        for number in range(1, len(self.layers)):
            self.layers[number] = self.layers[0]


@disguise(MODEL, "softmax before the loss")
class Probabilities(Given):
    def score(self, x: Tensor) -> Tensor:
        return nn.Softmax(dim=-1)(super().score(x))


@disguise(MODEL, "logarithms of probabilities")
class Logarithms(Given):
    def score(self, x: Tensor) -> Tensor:
        logits = super().score(x)
        return logits - logits.logsumexp(-1, keepdim=True)


@disguise(MODEL, "only the last place")
class LastPlace(Given):
    def score(self, x: Tensor) -> Tensor:
        return super().score(x)[:, -1:, :]


@disguise(MODEL, "weights of the last block only")
class LastWeights(Given):
    def run(self, x: Tensor) -> Any:
        x, kept = super().run(x)
        return x, kept[-1]


@unlisted(MODEL)
class Doubled(Given):
    def run(self, x: Tensor) -> Any:
        x, _ = super().run(x)
        return super().run(x)


@disguise(MODEL, "positions counted from 1")
class ShiftedPlaces(Given):
    def place(self, ids: Tensor) -> Any:
        return 0 if self.position_embedding is None else self.position_embedding.weight.roll(-1, 0)[: ids.size(1)]


@unlisted(MODEL)
class Negative(Given):
    def score(self, x: Tensor) -> Tensor:
        return -super().score(x)


@unlisted(MODEL)
class TemperedStandIn(StandIn):
    def forward(self, ids: Tensor, return_weights: bool = False) -> Any:
        out = super().forward(ids, return_weights)
        return (out[0] / 0.7, out[1]) if return_weights else out / 0.7
