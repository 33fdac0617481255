"""Lesson 18: what adversaries have written and no list had."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from tests.variants import disguise, unlisted
from tests.variants.vision import positions, rollouts
from tests.variants.vision.embeddings import Layer
from tests.variants.vision.models import Parts

EMBED, MODEL, ROLL, GRID = "PatchEmbedding", "VisionTransformer", "attention_rollout", "interpolate_positions"

# PatchEmbedding ----------------------------------------------------------------------------


@disguise(EMBED, "height and width exchanged")
class OfTurnedPictures(Layer):
    def cut(self, images: Tensor) -> Tensor:
        return super().cut(images.mT)


@disguise(EMBED, "channels last within a patch")
class PixelByPixel(Layer):
    def cut(self, images: Tensor) -> Tensor:
        rows = super().cut(images)
        by_channel = rows.reshape(*rows.shape[:2], self.config.channels, -1)
        return torch.stack(by_channel.unbind(2), dim=-1).flatten(2)


@disguise(EMBED, "the bias is not used")
class BiasTakenOff(Layer):
    def finish(self, tokens: Tensor) -> Tensor:
        return tokens - self.projection.bias


@disguise(EMBED, "tokens and features reshaped")
class Reshaped(Layer):
    def finish(self, tokens: Tensor) -> Tensor:
        return tokens.mT.contiguous().view(tokens.shape)


@unlisted(EMBED)
class Squared(Layer):
    def cut(self, images: Tensor) -> Tensor:
        return super().cut(images.square())


# VisionTransformer ----------------------------------------------------------------------------


@disguise(MODEL, "the patches have no positions")
class OnlyTheFirstIsPlaced(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return self.dropout(row + self.positions * (torch.arange(row.size(1)) == 0)[:, None])


@disguise(MODEL, "dropout behind the encoder")
class DropsTheAnswer(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return row + self.positions

    def read(self, x: Tensor) -> Tensor:
        return self.head(self.dropout(x.select(1, 0)))


@disguise(MODEL, "dropout of some tokens alone")
class SparesTheFirst(Parts):
    def placed(self, row: Tensor) -> Tensor:
        placed = row + self.positions
        return torch.hstack([placed[:, :1], self.dropout(placed[:, 1:])])


@disguise(MODEL, "the encoder's result is thrown away")
class Unread(Parts):
    def forward(self, images: Tensor, return_weights: bool = False) -> Any:
        row = self.placed(self.row(images))
        weights = self.encoder(row, return_weights=True)[1]
        return self.result(self.read(row), weights, return_weights)


@disguise(MODEL, "a mask in the encoder")
class LeftToRight(Parts):
    def forward(self, images: Tensor, return_weights: bool = False) -> Any:
        row = self.placed(self.row(images))
        seen = torch.arange(row.size(1))[:, None] >= torch.arange(row.size(1))
        x, weights = self.encoder(row, seen, return_weights=True)
        return self.result(self.read(x), weights, return_weights)


@disguise(MODEL, "logits and weights exchanged")
class Exchanged(Parts):
    def result(self, logits: Tensor, weights: list[Tensor], wanted: bool) -> Any:
        return (weights, logits) if wanted else logits


@disguise(MODEL, "the weights in another form")
class OneTensor(Parts):
    def result(self, logits: Tensor, weights: list[Tensor], wanted: bool) -> Any:
        return (logits, torch.stack(list(weights), 0)) if wanted else logits


@disguise(MODEL, "an activation in front of the head")
class Pooled(Parts):
    def read(self, x: Tensor) -> Tensor:
        return super().read(torch.tanh(x))


@unlisted(MODEL)
class ScaledPositions(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return self.dropout(row + self.positions / 2)


@unlisted(MODEL)
class Tilted(Parts):
    def read(self, x: Tensor) -> Tensor:
        return super().read(x + x[:, 1:2] / 10)


@unlisted(MODEL)
class Brighter(Parts):
    def row(self, images: Tensor) -> Tensor:
        return super().row(images + 0.1)


# attention_rollout and interpolate_positions ------------------------------------------------------


@disguise(ROLL, "the first layer without its residual")
def half_at_first(weights: Sequence[Tensor]) -> Tensor:
    rollouts.refuse(weights)
    return rollouts.rolled([weights[0].mean(1), *(rollouts.mixed(one) for one in weights[1:])])


@disguise(ROLL, "without the class token")
def of_the_patches(weights: Sequence[Tensor]) -> Tensor:
    rollouts.refuse(weights)
    return rollouts.rolled([rollouts.mixed(one) for one in weights])[:, 1:, 1:]


@disguise(ROLL, "ones instead of the identity")
def a_part_of_everybody(weights: Sequence[Tensor]) -> Tensor:
    rollouts.refuse(weights)
    return rollouts.rolled([0.5 * one.mean(1) + 0.5 for one in weights])


@disguise(ROLL, "divided by the number of layers")
def a_mean_of_a_product(weights: Sequence[Tensor]) -> Tensor:
    rollouts.refuse(weights)
    return rollouts.rolled([rollouts.mixed(one) for one in weights]).div(len(weights))


def scaled(first: Callable[[Tensor, Tensor], Tensor], grid: Callable[[Tensor, Any], Tensor]) -> Any:
    """A table out of what becomes of the class token's row, and of the picture."""

    def make(table: Tensor, old: positions.Sides, new: positions.Sides) -> Tensor:
        positions.refuse(table, old, new)
        token, picture = positions.parts(table, old)
        return positions.joined(first(token, picture), grid(picture, new))

    return make


disguise(GRID, "a piece of the old grid")(
    scaled(
        lambda token, picture: token,
        lambda picture, new: picture.narrow(2, 0, min(new[0], picture.size(2)))[..., : new[1]],
    )
)
disguise(GRID, "the class token's vector is another one")(
    scaled(
        lambda token, picture: picture.mean((2, 3))[:, None],
        lambda picture, new: F.interpolate(picture, new, mode="bilinear"),
    )
)


@disguise(GRID, "a grid taken for a square")
def of_equal_sides(table: Tensor, old: positions.Sides, new: positions.Sides) -> Tensor:
    positions.refuse(table, old, new)
    side = int((table.size(1) - 1) ** 0.5)
    picture = table[:, 1:].reshape(1, side, side, -1).permute(0, 3, 1, 2)
    return positions.joined(table[:, :1], F.interpolate(picture, new, mode="bilinear"))
