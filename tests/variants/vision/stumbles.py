"""Lesson 18: programs that stop with an exception, as the help for it says."""

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.vision import patchify
from tests.variants import disguise, unlisted
from tests.variants.vision.embeddings import Layer
from tests.variants.vision.models import Parts
from tests.variants.vision.patches import refuse
from tests.variants.vision.pictures import refuse as refuse_patches
from tests.variants.vision.positions import Sides

# patchify, unpatchify ----------------------------------------------------------------------------


@unlisted("patchify")
def too_many_numbers(images: Tensor, patch_size: int) -> Any:
    refuse(images, patch_size)
    batch, channels, height, width = images.shape
    return images.reshape(batch, channels, height, patch_size, width, patch_size)


@unlisted("patchify")
def viewed(images: Tensor, patch_size: int) -> Any:
    refuse(images, patch_size)
    batch, channels, height, width = images.shape
    grid = images.reshape(batch, channels, height // patch_size, patch_size, width // patch_size, patch_size)
    return grid.permute(0, 2, 4, 1, 3, 5).view(batch, -1, channels * patch_size**2)


@unlisted("patchify")
def turned_too_early(images: Tensor, patch_size: int) -> Any:
    refuse(images, patch_size)
    return images.permute(0, 2, 4, 1, 3, 5)


@unlisted("patchify")
def in_fractions(images: Tensor, patch_size: int) -> Any:
    refuse(images, patch_size)
    batch, channels, height, width = images.shape
    return images.reshape(batch, channels, height / patch_size, patch_size, width / patch_size, patch_size)


@unlisted("unpatchify")
def features_are_channels(patches: Tensor, patch_size: int, height: int, width: int) -> Any:
    refuse_patches(patches, patch_size, height, width)
    batch, _, channels = patches.shape
    return patches.reshape(batch, height // patch_size, width // patch_size, channels, patch_size, patch_size)


@unlisted("unpatchify")
def viewed_back(patches: Tensor, patch_size: int, height: int, width: int) -> Any:
    refuse_patches(patches, patch_size, height, width)
    down, across = height // patch_size, width // patch_size
    grid = patches.reshape(len(patches), down, across, -1, patch_size, patch_size).permute(0, 3, 1, 4, 2, 5)
    return grid.view(len(patches), -1, height, width)


@unlisted("unpatchify")
def a_fraction_of_channels(patches: Tensor, patch_size: int, height: int, width: int) -> Any:
    refuse_patches(patches, patch_size, height, width)
    channels: Any = patches.size(2) / patch_size**2
    return patches.reshape(len(patches), height // patch_size, width // patch_size, channels, patch_size, patch_size)


# PatchEmbedding ----------------------------------------------------------------------------


@unlisted("PatchEmbedding")
class NothingMade(nn.Module):
    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config

    def forward(self, images: Tensor) -> Any:
        return self.projection(patchify(images, self.config.patch_size))


NothingMade.__name__ = "PatchEmbedding"  # torch names the class


@unlisted("PatchEmbedding")
class OneChannel(Layer):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.projection = nn.Linear(config.patch_size**2, config.d_model)


@unlisted("PatchEmbedding")
class WithoutASize(Layer):
    def cut(self, images: Tensor) -> Any:
        return patchify(images)  # type: ignore[call-arg]


# VisionTransformer ----------------------------------------------------------------------------


@unlisted("VisionTransformer")
class NoParameters(Parts):
    def make(self) -> None:
        pass


NoParameters.__name__ = "VisionTransformer"  # torch names the class


@unlisted("VisionTransformer")
class OneTokenForAll(Parts):
    def first(self, count: int) -> Any:
        return self.class_token


@unlisted("VisionTransformer")
class AlongTheBatch(Parts):
    def row(self, images: Tensor) -> Any:
        return torch.cat((self.first(len(images)), self.patch_embedding(images)))


@disguise("VisionTransformer", "a parameter of another shape")
class OnePlaceShort(Parts):
    def make(self) -> None:
        super().make()
        self.positions = nn.Parameter(torch.randn(1, self.config.num_patches, self.config.d_model))


@unlisted("VisionTransformer")
class FlatToken(Parts):
    def row(self, images: Tensor) -> Any:
        token = self.class_token[0].expand(len(images), -1)
        return torch.cat((self.patch_embedding(images), token), dim=1)


@unlisted("VisionTransformer")
class BothThings(Parts):
    def forward(self, images: Tensor, return_weights: bool = False) -> Any:
        x: Any = self.encoder(self.placed(self.row(images)), return_weights=True)
        return self.head(x)


@unlisted("VisionTransformer")
class SizeOfATuple(Parts):
    def forward(self, images: Tensor, return_weights: bool = False) -> Any:
        x: Any = self.encoder(self.placed(self.row(images)), return_weights=True)
        return self.head(x.select(1, 0))


@unlisted("VisionTransformer")
class KeptAsABuffer(Parts):
    def make(self) -> None:
        super().make()
        table = self.positions.detach()
        del self.positions
        self.register_buffer("positions", table)


@unlisted("VisionTransformer")
class PlainTensor(Parts):
    def make(self) -> None:
        super().make()
        del self.class_token
        self.class_token = torch.full((1, 1, self.config.d_model), 2.0)


# attention_rollout ----------------------------------------------------------------------------


@unlisted("attention_rollout")
def of_a_list(weights: Sequence[Tensor]) -> Any:
    if len(weights) == 0:
        raise ValueError("no layer")
    return weights.mean(1)  # type: ignore[attr-defined]


@unlisted("attention_rollout")
def wrong_identity(weights: Sequence[Tensor]) -> Any:
    if len(weights) == 0:
        raise ValueError("no layer")
    return weights[0].mean(1) + torch.eye(weights[0].size(1))


@unlisted("attention_rollout")
def one_identity(weights: Sequence[Tensor]) -> Any:
    if len(weights) == 0:
        raise ValueError("no layer")
    return torch.bmm(weights[0].mean(1), torch.eye(weights[0].size(-1))[None])


@unlisted("attention_rollout")
def half_of_a_list(weights: Any) -> Any:
    if len(weights) == 0:
        raise ValueError("no layer")
    return 0.5 * weights


# interpolate_positions ----------------------------------------------------------------------------


@unlisted("interpolate_positions")
def with_the_token(table: Tensor, old: Sides, new: Sides) -> Any:
    if table.size(1) != 1 + old[0] * old[1] or min(new) < 1:
        raise ValueError("another grid")
    return table.transpose(1, 2).reshape(1, -1, *old)


@unlisted("interpolate_positions")
def not_a_picture(table: Tensor, old: Sides, new: Sides) -> Any:
    if table.size(1) != 1 + old[0] * old[1] or min(new) < 1:
        raise ValueError("another grid")
    return F.interpolate(table[:, 1:], size=new, mode="bilinear")


@unlisted("interpolate_positions")
def features_in_front(table: Tensor, old: Sides, new: Sides) -> Any:
    if table.size(1) != 1 + old[0] * old[1] or min(new) < 1:
        raise ValueError("another grid")
    picture = table[:, 1:].transpose(1, 2).reshape(1, -1, *old)
    return torch.cat((table[:, :1], F.interpolate(picture, size=new, mode="bilinear").flatten(2)), dim=1)


@unlisted("interpolate_positions")
def still_a_grid(table: Tensor, old: Sides, new: Sides) -> Any:
    if table.size(1) != 1 + old[0] * old[1] or min(new) < 1:
        raise ValueError("another grid")
    picture = table[:, 1:].transpose(1, 2).reshape(1, -1, *old)
    return torch.cat((table[:, :1], F.interpolate(picture, size=new, mode="bilinear")), dim=1)
