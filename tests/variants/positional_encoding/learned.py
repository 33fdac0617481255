"""Lesson 04: LearnedPositionalEncoding."""

import functools
import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import disguise, slips
from tests.variants.positional_encoding.shared import module

# LearnedPositionalEncoding, slips ----------------------------------------------------------------------------


class LookedUpByEach(nn.Module):
    """Every token of every sequence looks up its vector."""

    def __init__(self, max_len: int, d_model: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x: Tensor) -> Tensor:
        """Refuse, or add."""
        batch, length, _ = x.shape
        if length > self.embedding.num_embeddings:
            raise ValueError("too long")
        places = torch.arange(length).unsqueeze(0).expand(batch, -1)
        return torch.add(x, self.embedding(places))


PLACES, VECTORS = "torch.arange(length).unsqueeze(0).expand(batch, -1)", "self.embedding(places)"
REFUSES = "if length > self.embedding.num_embeddings:"
slips(
    "LearnedPositionalEncoding",
    LookedUpByEach,
    {
        "one position for each sequence": {PLACES: "torch.arange(batch).unsqueeze(1).expand(-1, length)"},
        "sliced by the batch size": {PLACES: "torch.arange(batch)"},
        "one row for all positions": [
            {"torch.arange(length)": "torch.zeros(length, dtype=torch.long)"},
            {PLACES: "torch.full((batch, length), length - 1)"},
            {PLACES: "torch.full((batch, 1), length)"},
        ],
        "the whole table added": {PLACES: "torch.arange(self.embedding.num_embeddings)"},
        "counted from 1": {"torch.arange(length)": "torch.arange(1, length + 1)"},
        "multiplied instead of added": {"torch.add": "torch.mul"},
        "concatenated instead of added": {
            "torch.add(x, self.embedding(places))": "torch.cat((x, self.embedding(places)), dim=2)"
        },
        "tokens left out": {"torch.add(x, self.embedding(places))": VECTORS},
        "vectors cut off from the gradient": {VECTORS: f"{VECTORS}.detach()"},
        "input overwritten": {"torch.add(x, ": "x.add_("},
        "too long an input accepted": [
            {REFUSES: "if False:"},
            {REFUSES: "if False:", VECTORS: "self.embedding(places % self.embedding.num_embeddings)"},
            {REFUSES: "if False:", VECTORS: "self.embedding(places.clamp_max(self.embedding.num_embeddings - 1))"},
        ],
        "tokens scaled by √d_model": {"torch.add(x,": "torch.add(math.sqrt(x.size(-1)) * x,"},
        "counted from the end": {"torch.arange(length)": "(torch.arange(-length, 0) + self.embedding.num_embeddings)"},
        "vectors in the opposite order": {"torch.arange(length)": "torch.arange(length).flip(0)"},
        "nothing added": {f"torch.add(x, {VECTORS})": "x"},
        "tokens cut off from the gradient": {"torch.add(x,": "torch.add(x.data,"},
        "vectors scaled by √d_model": {VECTORS: f"math.sqrt(x.size(-1)) * {VECTORS}"},
        "the last position refused": {"length > self": "length >= self"},
        "counted from 1 + tokens scaled by √d_model": {
            "torch.arange(length)": "torch.arange(1, length + 1)",
            "torch.add(x,": "torch.add(math.sqrt(x.size(-1)) * x,",
        },
    },
)


class RowsOfTheWeight(nn.Module):
    """The vectors are rows of a matrix, and nothing is looked up."""

    def __init__(self, max_len: int, d_model: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x: Tensor) -> Tensor:
        """Refuse, or add."""
        vectors = self.embedding.weight
        if len(vectors) < x.shape[1]:
            raise ValueError(f"{len(vectors)} vectors are not enough")
        rows = vectors[: x.shape[1]]
        return rows + x


slips(
    "LearnedPositionalEncoding",
    RowsOfTheWeight,
    {
        "one position for each sequence": {"vectors[: x.shape[1]]": "vectors[: x.shape[0], None]"},
        "sliced by the batch size": [
            {"vectors[: x.shape[1]]": "vectors[: x.shape[0]]"},
            {"vectors[: x.shape[1]]": "vectors[: len(x)]"},
        ],
        "one row for all positions": [
            {"[: x.shape[1]]": "[x.shape[1] - 1]"},
            {"[: x.shape[1]]": "[0]"},
            {"rows + x": "rows.mean(dim=0) + x"},
        ],
        "the whole table added": {"rows = vectors[: x.shape[1]]": "rows = vectors"},
        "counted from 1": {"[: x.shape[1]]": "[1 : x.shape[1] + 1]"},
        "multiplied instead of added": {"rows + x": "rows * x"},
        "concatenated instead of added": {"rows + x": "torch.cat([x, rows.expand_as(x)], -1)"},
        "tokens left out": [{"rows + x": "rows"}, {"rows + x": "rows.expand_as(x)"}],
        "vectors cut off from the gradient": [
            {"embedding.weight": "embedding.weight.data"},
            {"rows + x": "rows.detach() + x"},
        ],
        "input overwritten": {"return rows + x": "x += rows\n        return x"},
        "too long an input accepted": {"len(vectors) < x.shape[1]": "False"},
        "tokens scaled by √d_model": {"rows + x": "rows + x * x.shape[-1] ** 0.5"},
        "counted from the end": {"[: x.shape[1]]": "[-x.shape[1] :]"},
        "vectors in the opposite order": {"rows + x": "rows.flip(0) + x"},
        "nothing added": {"rows + x": "x"},
        "vectors scaled by √d_model": {"rows + x": "rows * x.shape[-1] ** 0.5 + x"},
        "the last position refused": {"len(vectors) < x": "len(vectors) <= x"},
    },
)


class TokenByToken(nn.Module):
    """One vector after the other."""

    def __init__(self, max_len: int, d_model: int) -> None:
        super().__init__()
        self.max_len = max_len
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x: Tensor) -> Tensor:
        """Add to each token its vector."""
        out = []
        if x.size(1) > self.max_len:
            raise ValueError(f"no vector for position {self.max_len}")
        for place, token in enumerate(x.unbind(dim=1)):
            out.append(token + self.embedding(torch.tensor(place)))
        return torch.stack(out, dim=1)


slips(
    "LearnedPositionalEncoding",
    TokenByToken,
    {
        "one position for each sequence": {"unbind(dim=1)": "unbind(dim=0)", "(out, dim=1)": "(out, dim=0)"},
        "one row for all positions": [
            {"torch.tensor(place)": "torch.tensor(0)"},
            {"torch.tensor(place)": "torch.tensor(x.size(1) - 1)"},
        ],
        "counted from 1": [
            {"torch.tensor(place)": "torch.tensor(place + 1)"},
            {"x.unbind(dim=1)": "x.unbind(dim=1), start=1"},
        ],
        "multiplied instead of added": {"token + self": "token * self"},
        "tokens left out": {
            "token + self.embedding(torch.tensor(place))": "self.embedding(torch.tensor(place)).expand_as(token)"
        },
        "vectors cut off from the gradient": {
            "self.embedding(torch.tensor(place))": "self.embedding.weight[place].detach()"
        },
        "input overwritten": {
            "out.append(token + self": "x[:, place].add_(self",
            "torch.stack(out, dim=1)": "x",
        },
        "too long an input accepted": [
            {"x.size(1) > self.max_len": "False"},
            {"x.size(1) > self.max_len": "False", "torch.tensor(place)": "torch.tensor(min(place, self.max_len - 1))"},
        ],
        "tokens scaled by √d_model": {"token + self": "token * math.sqrt(x.size(-1)) + self"},
        "counted from the end": {"torch.tensor(place)": "torch.tensor(self.max_len - x.size(1) + place)"},
        "vectors in the opposite order": {"torch.tensor(place)": "torch.tensor(x.size(1) - 1 - place)"},
        "tokens cut off from the gradient": {"x.unbind": "x.detach().unbind"},
        "the last position refused": {"> self.max_len:": ">= self.max_len:"},
    },
)

# LearnedPositionalEncoding, wrong ----------------------------------------------------------------------------


class Learned(nn.Module):
    """As given; `look` does the work."""

    def __init__(self, max_len: int, d_model: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x: Tensor) -> Tensor:
        """Refuse, or add."""
        if x.shape[1] > self.embedding.weight.shape[0]:
            raise ValueError("too long")
        return self.look(x)


learned = functools.partial(module, Learned, "LearnedPositionalEncoding")


@learned("disguise", "one position for each sequence")
def l1__look(self: Any, x: Tensor) -> Tensor:
    return torch.stack([one + self.embedding.weight[i] for i, one in enumerate(x)])


@learned("disguise", "sliced by the batch size")
def l2__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding.weight[: len(x)]


@learned("disguise", "one row for all positions")
def l3__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding(torch.zeros(x.shape[:2], dtype=torch.long))


@learned("disguise", "one row for all positions")
def l4__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding.weight[x.size(1) - 1]


@learned("disguise", "the whole table added")
def l5__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding.weight.unsqueeze(0)


@learned("disguise", "counted from 1")
def l6__look(self: Any, x: Tensor) -> Tensor:
    return x + torch.stack([self.embedding(torch.tensor(i + 1)) for i in range(x.size(1))])


@learned("disguise", "multiplied instead of added")
def l7__look(self: Any, x: Tensor) -> Tensor:
    return torch.mul(self.embedding.weight[: x.size(1)], x)


@learned("disguise", "concatenated instead of added")
def l8__look(self: Any, x: Tensor) -> Tensor:
    return torch.cat((x, self.embedding.weight[: x.size(1)].repeat(len(x), 1, 1)), dim=2)


@learned("disguise", "tokens left out")
def l9__look(self: Any, x: Tensor) -> Tensor:
    return self.embedding(torch.arange(x.size(1)).repeat(len(x), 1))


@learned("disguise", "vectors cut off from the gradient")
def l11__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding.weight.data[: x.size(1)]


@learned("disguise", "input overwritten")
def l12__look(self: Any, x: Tensor) -> Tensor:
    x += self.embedding(torch.arange(x.size(1)))
    return x


@learned("disguise", "too long an input accepted")
def l13__forward(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding(torch.arange(x.size(1)))


@learned("disguise", "too long an input accepted")
def l14__forward(self: Any, x: Tensor) -> Tensor:
    at = torch.arange(x.size(1))
    return x + self.embedding(torch.minimum(at, torch.tensor(self.embedding.num_embeddings - 1)))


@learned("disguise", "tokens scaled by √d_model")
def l15__look(self: Any, x: Tensor) -> Tensor:
    return self.embedding.weight[: x.size(1)] + x * math.sqrt(self.embedding.embedding_dim)


@learned("disguise", "counted from the end")
def l16__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding.weight[-x.size(1) :]


@learned("disguise", "nothing added")
def l17__look(self: Any, x: Tensor) -> Tensor:
    self.embedding(torch.arange(x.size(1)))
    return x


@learned("disguise", "vectors scaled by √d_model")
def l18__look(self: Any, x: Tensor) -> Tensor:
    return x + math.sqrt(self.embedding.embedding_dim) * self.embedding.weight[: x.size(1)]


@learned("disguise", "the last position refused")
def l19__forward(self: Any, x: Tensor) -> Tensor:
    if not x.size(1) < len(self.embedding.weight):
        raise ValueError("one too strict")
    return x + self.embedding(torch.arange(x.size(1)))


@learned("unlisted")
def l29__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding.weight[: x.size(1)].sum(0)


@learned("correct")
def l20__look(self: Any, x: Tensor) -> Tensor:
    chosen = F.one_hot(torch.arange(x.size(1)), self.embedding.num_embeddings).to(x)
    return x + chosen @ self.embedding.weight


@learned("correct")
def l21__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding(torch.ones(x.shape[1], dtype=torch.int).cumsum(0) - 1)


@learned("correct")
def l22__forward(self: Any, x: Tensor) -> Tensor:
    try:
        return x + self.embedding(torch.arange(x.size(1)))
    except IndexError as error:
        raise ValueError(f"{x.size(1)} tokens are too many") from error


@learned("unlisted")
def l30__look(self: Any, x: Tensor) -> Tensor:
    return F.layer_norm(x + self.embedding.weight[: x.size(1)], x.shape[-1:])


@learned("disguise", "a dimension of size 1 lost")
def l31__look(self: Any, x: Tensor) -> Tensor:
    out = x + self.embedding.weight[: x.size(1)]
    return out[0] if len(x) == 1 else out


@disguise("LearnedPositionalEncoding", "another embedding than the one given")
class OneMore(Learned):
    """A vector too many."""

    def __init__(self, max_len: int, d_model: int) -> None:
        super().__init__(1 + max_len, d_model)

    def look(self, x: Tensor) -> Tensor:
        """Add."""
        return x + self.embedding(torch.arange(x.size(1)))


@learned("disguise", "subtracted instead of added")
def l23__look(self: Any, x: Tensor) -> Tensor:
    return x - self.embedding.weight[: x.size(1)]


@learned("unlisted")
def l28__look(self: Any, x: Tensor) -> Tensor:
    """Nothing is added once training is over."""
    return x + self.embedding.weight[: x.size(1)] if self.training else x


@learned("disguise", "vectors in the opposite order")
def l24__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding.weight[: x.size(1)].flip(0)


@learned("unlisted")
def l25__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding(x.abs().sum(-1).long() % self.embedding.num_embeddings)


@learned("disguise", "tokens cut off from the gradient")
def l26__look(self: Any, x: Tensor) -> Tensor:
    return x.detach() + self.embedding.weight[: x.size(1)]


@learned("unlisted")
def l27__look(self: Any, x: Tensor) -> Tensor:
    return (x + self.embedding.weight[: x.size(1)]) / 2**0.5
