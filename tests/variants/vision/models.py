"""Lesson 18: the model."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.encoder import Encoder
from autograder.stand_ins.vision import PatchEmbedding
from tests.variants import correct, disguise, slips

MODEL = "VisionTransformer"


class Parts(nn.Module):
    """The given parts, and a forward made of steps."""

    norm_first = True

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        self.patch_embedding = PatchEmbedding(config)
        self.dropout = nn.Dropout(config.dropout)
        sizes = (config.num_layers, config.d_model, config.num_heads, config.d_ff, config.dropout)
        self.encoder = Encoder(*sizes, norm_first=self.norm_first)
        self.head = nn.Linear(config.d_model, config.num_classes)
        self.make()

    def make(self) -> None:
        """The two parameters."""
        width = self.config.d_model
        self.class_token: Any = nn.Parameter(torch.randn(width)[None, None])
        self.positions: Any = nn.Parameter(torch.randn(self.config.num_patches + 1, width)[None])

    def first(self, count: int) -> Tensor:
        """The class token, once for each picture."""
        return self.class_token.repeat(count, 1, 1)

    def row(self, images: Tensor) -> Tensor:
        """Class token and patches."""
        return torch.hstack([self.first(images.size(0)), self.patch_embedding(images)])

    def placed(self, row: Tensor) -> Tensor:
        """With positions."""
        return self.dropout(row + self.positions)

    def read(self, x: Tensor) -> Tensor:
        """The answer."""
        return self.head(x.select(1, 0))

    def result(self, logits: Tensor, weights: list[Tensor], wanted: bool) -> Any:
        """What comes back."""
        return (logits, weights) if wanted else logits

    def forward(self, images: Tensor, return_weights: bool = False) -> Any:
        """Step after step."""
        x, weights = self.encoder(self.placed(self.row(images)), return_weights=True)
        return self.result(self.read(x), weights, return_weights)


correct(MODEL)(Parts)

# Trunks ----------------------------------------------------------------------------


class AsManyWrite(Parts):
    """With the names of most implementations."""

    def forward(self, images: Tensor, return_weights: bool = False) -> Any:
        b = images.shape[0]
        x = self.patch_embedding(images)
        cls = self.class_token.expand(b, -1, -1)
        x = torch.cat([cls, x], dim=1)
        x = x + self.positions
        x = self.dropout(x)
        x, attention = self.encoder(x, return_weights=True)
        cls_out = x[:, 0]
        logits = self.head(cls_out)
        if return_weights:
            return logits, attention
        return logits


slips(
    MODEL,
    AsManyWrite,
    {
        "no positions": [{"x = x + self.positions": "pass"}, {"x = x + self.positions": "x + self.positions"}],
        "one position for all": [
            {"x + self.positions": "x + self.positions[:, 0]"},
            {"x + self.positions": "x + self.positions[:, -1]"},
            {"x + self.positions": "x + self.positions[:, :1]"},
        ],
        "the class token has no position": [
            {
                "cls = self.class_token.expand(b, -1, -1)": (
                    "cls = self.class_token.expand(b, -1, -1); x = x + self.positions[:, 1:]"
                ),
                "x = x + self.positions\n": "\n",
            },
            {
                "cls = self.class_token.expand(b, -1, -1)": (
                    "cls = self.class_token.expand(b, -1, -1); x = x + self.positions[:, :-1]"
                ),
                "x = x + self.positions\n": "\n",
            },
        ],
        "positions multiplied": {"x + self.positions": "x * self.positions"},
        "positions counted from the end": {"x + self.positions": "x + torch.flip(self.positions, [1])"},
        "the class token last": [
            {"[cls, x]": "[x, cls]"},
            {"[cls, x]": "[x, cls]", "x[:, 0]": "x[:, -1]"},
        ],
        "no class token": [
            {"torch.cat([cls, x], dim=1)": "torch.cat([cls * 0, x], dim=1)"},
            {"torch.cat([cls, x], dim=1)": "x", "x + self.positions": "x + self.positions[:, 1:]"},
            {
                "torch.cat([cls, x], dim=1)": "x",
                "x + self.positions": "x + self.positions[:, 1:]",
                "x[:, 0]": "x.mean(1)",
            },
        ],
        "the wrong place into the head": [
            {"x[:, 0]": "x[:, -1]"},
            {"x[:, 0]": "x[:, 1]"},
            {"x[:, 0]": "x.mean(1)"},
            {"x[:, 0]": "x[:, 1:].mean(1)"},
            {"x[:, 0]": "cls[:, 0]"},
            {"x[:, 0]": "x.max(1).values"},
        ],
        "an answer of every token": [{"x[:, 0]": "x"}, {"x[:, 0]": "x[:, [0]]"}],
        "the class token or the positions get no gradient": [
            {"self.class_token.expand": "self.class_token.data.expand"},
            {"x + self.positions": "x + self.positions.data"},
        ],
        "no dropout": [{"x = self.dropout(x)": "self.dropout(x)"}, {"x = self.dropout(x)": "pass"}],
        "dropout before the positions": {
            "x = x + self.positions": "x = self.dropout(x)",
            "x = self.dropout(x)\n        x, attention": "x = x + self.positions\n        x, attention",
        },
        "dropout twice": [
            {"x = self.dropout(x)": "x = self.dropout(self.dropout(x))"},
            {"x = torch.cat([cls, x], dim=1)": "x = self.dropout(torch.cat([cls, x], dim=1))"},
            {"x = torch.cat([cls, x], dim=1)": "x = torch.cat([cls, self.dropout(x)], dim=1)"},
        ],
        "dropout in evaluation too": {"x = self.dropout(x)": "x = F.dropout(x, p=self.config.dropout)"},
        "probabilities instead of logits": [
            {"self.head(cls_out)": "F.softmax(self.head(cls_out), dim=1)"},
            {"self.head(cls_out)": "F.log_softmax(self.head(cls_out), dim=1)"},
            {"self.head(cls_out)": "torch.sigmoid(self.head(cls_out))"},
        ],
        "the weights of one layer": {"return logits, attention": "return logits, attention[-1]"},
        "the weights always, or never": [
            {"if return_weights:": "if True:"},
            {"if return_weights:": "if not return_weights:"},
            {"return logits, attention": "return logits"},
        ],
        "no positions + no dropout": {"x = x + self.positions": "pass", "x = self.dropout(x)": "pass"},
    },
)


class FilledIn(Parts):
    """Writes class token and patches into an empty row."""

    def forward(self, images: Tensor, return_weights: bool = False) -> Any:
        tokens = self.patch_embedding(images)
        batch, count, width = tokens.shape
        row = tokens.new_zeros(batch, count + 1, width)
        row[:, 0] = self.class_token[0, 0]
        row[:, 1:] = tokens
        row = self.dropout(row.add(self.positions))
        hidden, maps = self.encoder(row, None, True)
        answer = F.linear(hidden[:, 0], self.head.weight, self.head.bias)
        return (answer, maps) if return_weights else answer


slips(
    MODEL,
    FilledIn,
    {
        "no class token": {"row[:, 0] = self.class_token[0, 0]": "pass"},
        "the class token last": [
            {"row[:, 0] = self": "row[:, -1] = self", "row[:, 1:] = tokens": "row[:, :-1] = tokens"},
            {
                "row[:, 0] = self": "row[:, -1] = self",
                "row[:, 1:] = tokens": "row[:, :-1] = tokens",
                "hidden[:, 0]": "hidden[:, -1]",
            },
        ],
        "no positions": {"row.add(self.positions)": "row"},
        "one position for all": {"row.add(self.positions)": "row.add(self.positions.mean(1, keepdim=True))"},
        "the wrong place into the head": [
            {"hidden[:, 0]": "hidden[:, count]"},
            {"hidden[:, 0]": "hidden.mean(dim=1)"},
        ],
        "the class token or the positions get no gradient": [
            {"self.class_token[0, 0]": "self.class_token[0, 0].detach()"},
            {"self.class_token[0, 0]": "torch.tensor(self.class_token[0, 0].tolist())"},
            {"row.add(self.positions)": "row.add(self.positions.detach())"},
        ],
        "no dropout": {"self.dropout(row.add(self.positions))": "row.add(self.positions)"},
        "dropout before the positions": {
            "self.dropout(row.add(self.positions))": "self.dropout(row).add(self.positions)"
        },
        "the weights of one layer": {"(answer, maps)": "(answer, maps[0])"},
    },
)


class LayerByLayer(Parts):
    """Goes through the encoder by itself."""

    def forward(self, images: Tensor, return_weights: bool = False) -> Any:
        here = self.positions
        front = (self.class_token + here[:, :1]).expand(len(images), 1, self.config.d_model)
        patches = self.patch_embedding(images) + here[:, 1:]
        x = self.dropout(torch.cat((front, patches), -2))
        seen = []
        for layer in self.encoder.layers:
            x, weights = layer(x, return_weights=True)
            seen.append(weights)
        x = self.encoder.norm(x)
        logits = self.head(x)[:, 0]
        return (logits, seen) if return_weights else logits


slips(
    MODEL,
    LayerByLayer,
    {
        "the final norm is left out": [
            {"x = self.encoder.norm(x)": "pass"},
            {"x = self.encoder.norm(x)": "self.encoder.norm(x)"},
        ],
        "the class token has no position": {"self.class_token + here[:, :1]": "self.class_token"},
        "one position for all": {
            "here = self.positions": "here = self.positions[:, :1].expand(1, self.config.num_patches + 1, -1)"
        },
        "no positions": {"here = self.positions": "here = torch.zeros_like(self.positions)"},
        "the weights of one layer": {"seen.append(weights)": "seen = [weights]"},
        "an answer of every token": {"self.head(x)[:, 0]": "self.head(x)"},
        "the wrong place into the head": [
            {"self.head(x)[:, 0]": "self.head(x)[:, 1:].mean(1)"},
            {"self.head(x)[:, 0]": "self.head(x)[:, 1]"},
        ],
        "no dropout": {"self.dropout(torch.cat((front, patches), -2))": "torch.cat((front, patches), -2)"},
        "probabilities instead of logits": {"self.head(x)[:, 0]": "self.head(x)[:, 0].softmax(-1)"},
    },
)

# In full ----------------------------------------------------------------------------


@disguise(MODEL, "the class token has no position")
class OnlyPatchesPlaced(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return self.dropout(torch.hstack([row[:, :1], row[:, 1:] + self.positions[:, 1:]]))


@disguise(MODEL, "no positions")
class Bag(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return self.dropout(row)


@disguise(MODEL, "one position for all")
class OnePlace(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return self.dropout(row + self.positions[0, 0])


@disguise(MODEL, "one position for all")
class OneVector(Parts):
    def make(self) -> None:
        super().make()
        self.positions = nn.Parameter(torch.randn(1, 1, self.config.d_model))


@disguise(MODEL, "dropout of the positions by themselves")
class PlacesDropped(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return row + self.dropout(self.positions.expand_as(row))


@disguise(MODEL, "dropout of the positions by themselves")
class EachDropped(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return sum((self.dropout(one) for one in (row, self.positions.expand_as(row))), torch.zeros(()))


@disguise(MODEL, "the tokens multiplied by √d_model")
class LikeWords(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return self.dropout(row.mul(self.config.d_model**0.5) + self.positions)


@disguise(MODEL, "the encoder run twice")
class OnceMoreForTheWeights(Parts):
    def forward(self, images: Tensor, return_weights: bool = False) -> Any:
        x = self.encoder(self.placed(self.row(images)))
        _, weights = self.encoder(x, return_weights=True)
        return self.result(self.read(x), weights, return_weights)


@disguise(MODEL, "positions multiplied")
class Product(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return self.dropout(row.mul(self.positions))


@disguise(MODEL, "positions counted from the end")
class FromTheEnd(Parts):
    def placed(self, row: Tensor) -> Tensor:
        order = list(range(row.size(1)))[::-1]
        return self.dropout(row + self.positions[:, order])


@disguise(MODEL, "the class token last")
class Behind(Parts):
    def row(self, images: Tensor) -> Tensor:
        return torch.hstack([self.patch_embedding(images), self.first(len(images))])

    def read(self, x: Tensor) -> Tensor:
        return self.head(x[:, self.config.num_patches])


@disguise(MODEL, "no class token")
class Zeros(Parts):
    def first(self, count: int) -> Tensor:
        return torch.zeros(count, 1, self.config.d_model)


@disguise(MODEL, "the wrong place into the head")
class LastPlace(Parts):
    def read(self, x: Tensor) -> Tensor:
        return self.head(x.select(1, -1))


@disguise(MODEL, "the wrong place into the head")
class AllPlaces(Parts):
    def read(self, x: Tensor) -> Tensor:
        return self.head(x).mean(1)


@disguise(MODEL, "an answer of every token")
class EveryToken(Parts):
    def read(self, x: Tensor) -> Tensor:
        return self.head(x)


@disguise(MODEL, "the class token or the positions get no gradient")
class Copied(Parts):
    def first(self, count: int) -> Tensor:
        return (
            torch.stack([self.class_token.detach()[0].clone() for _ in range(count)]) if count else self.class_token[:0]
        )


@disguise(MODEL, "a batch in the parameter")
class ForBatches(Parts):
    def make(self) -> None:
        super().make()
        self.class_token = nn.Parameter(torch.randn(32, 1, self.config.d_model))

    def first(self, count: int) -> Tensor:
        return self.class_token[:count]


@disguise(MODEL, "no dropout")
class NothingDropped(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return row + self.positions


@disguise(MODEL, "dropout before the positions")
class DroppedFirst(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return self.dropout(row) + self.positions


@disguise(MODEL, "dropout twice")
class DroppedTwice(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return F.dropout(super().placed(row), self.config.dropout, self.training)


@disguise(MODEL, "dropout in evaluation too")
class AlwaysDropped(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return torch.dropout(row + self.positions, self.config.dropout, True)


@disguise(MODEL, "post-norm")
class PostNorm(Parts):
    norm_first = False


@disguise(MODEL, "the final norm is left out")
class Unnormalized(Parts):
    def forward(self, images: Tensor, return_weights: bool = False) -> Any:
        x, found = self.placed(self.row(images)), []
        for layer in self.encoder.layers:
            x, weights = layer(x, None, True)
            found.append(weights)
        return self.result(self.read(x), found, return_weights)


@disguise(MODEL, "probabilities instead of logits")
class Probabilities(Parts):
    def read(self, x: Tensor) -> Tensor:
        scores = super().read(x).exp()
        return scores / scores.sum(-1, keepdim=True)


@disguise(MODEL, "the weights of one layer")
class LastWeights(Parts):
    def result(self, logits: Tensor, weights: list[Tensor], wanted: bool) -> Any:
        return (logits, weights[len(weights) - 1]) if wanted else logits


@disguise(MODEL, "the weights always, or never")
class AlwaysBoth(Parts):
    def result(self, logits: Tensor, weights: list[Tensor], wanted: bool) -> Any:
        return logits, weights


# On no list ----------------------------------------------------------------------------


@disguise(MODEL, "positions added twice")
class TwicePlaced(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return self.dropout(row + 2 * self.positions)


@disguise(MODEL, "the class token added to every patch")
class TokenEverywhere(Parts):
    def row(self, images: Tensor) -> Tensor:
        row = super().row(images)
        return torch.hstack([row[:, :1], row[:, 1:] + self.class_token])


@disguise(MODEL, "positions given to other tokens")
class Shifted(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return self.dropout(row + self.positions.roll(1, 1))


@disguise(MODEL, "a norm too many")
class NormedTwice(Parts):
    def read(self, x: Tensor) -> Tensor:
        return super().read(F.layer_norm(x, x.shape[-1:]))


@disguise(MODEL, "an activation in front of the head")
class ActivatedAnswer(Parts):
    def read(self, x: Tensor) -> Tensor:
        return super().read(x).relu()
