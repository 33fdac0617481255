"""Lesson 18 on convolutions, F.unfold and F.fold, and the stand-ins of the lessons before."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.probing.watch import outside_the_watch
from autograder.stand_ins.encoder import Encoder

GIVEN = ("VisionConfig",)
"""What a lesson gives ready-made, so that it is served without being checked."""


def _divides(patch_size: int, height: int, width: int) -> None:
    if patch_size < 1 or height % patch_size or width % patch_size:
        raise ValueError(f"patch_size={patch_size} does not divide {height} x {width}; give a divisor of both")


@outside_the_watch
def patchify(images: Tensor, patch_size: int) -> Tensor:
    """Squares as rows, (batch, patches, features)."""
    if images.dim() != 4 or not len(images):
        raise ValueError(f"images has shape {tuple(images.shape)}; give (1 or more, channels, height, width)")
    _divides(patch_size, *images.shape[2:])
    return F.unfold(images, patch_size, stride=patch_size).transpose(1, 2).contiguous()


@outside_the_watch
def unpatchify(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    """Pictures of squares, (batch, channels, height, width)."""
    _divides(patch_size, height, width)
    batch, count, features = patches.shape
    wanted = height * width // patch_size**2
    if not batch or count != wanted:
        given = f"patches has shape {tuple(patches.shape)}"
        raise ValueError(
            f"{given}; {height} x {width} in squares of {patch_size}: give (1 or more, {wanted}, features)"
        )
    if features % patch_size**2:
        raise ValueError(f"{features} features; give channels * {patch_size**2} for patch_size={patch_size}")
    return F.fold(patches.transpose(1, 2), (height, width), patch_size, stride=patch_size)


@dataclass
class VisionConfig:
    """All sizes of a Vision Transformer; by default one for the digits, that trains in less than a minute."""

    height: int = 8
    width: int = 8
    channels: int = 1
    patch_size: int = 2
    num_classes: int = 10
    d_model: int = 64
    num_heads: int = 4
    num_layers: int = 2
    d_ff: int = 128
    dropout: float = 0.0

    def __post_init__(self) -> None:
        _divides(self.patch_size, self.height, self.width)

    @property
    def num_patches(self) -> int:
        """How many patches a picture has."""
        return (self.height // self.patch_size) * (self.width // self.patch_size)

    @property
    def patch_features(self) -> int:
        """How many numbers a patch has."""
        return self.channels * self.patch_size**2


@outside_the_watch
class PatchEmbedding(nn.Module):
    """A token of every patch, by a convolution that takes steps as long as its kernel."""

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.config = config
        self.projection = nn.Linear(config.patch_features, config.d_model)

    def forward(self, images: Tensor) -> Tensor:
        """Tokens, (batch, num_patches, d_model)."""
        config = self.config
        sides = (config.channels, config.height, config.width)
        if images.dim() != 4 or not len(images) or tuple(images.shape[1:]) != sides:
            wanted = f"(1 or more, {config.channels}, {config.height}, {config.width})"
            raise ValueError(f"images has shape {tuple(images.shape)}; give {wanted}")
        side = config.patch_size
        kernel = self.projection.weight.unflatten(1, (config.channels, side, side))
        return F.conv2d(images, kernel, self.projection.bias, stride=side).flatten(2).transpose(1, 2)


@outside_the_watch
class VisionTransformer(nn.Module):
    """A picture as a row of patches, behind one token that tells what it shows."""

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.config = config
        self.patch_embedding = PatchEmbedding(config)
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = Encoder(
            config.num_layers, config.d_model, config.num_heads, config.d_ff, config.dropout, norm_first=True
        )
        self.head = nn.Linear(config.d_model, config.num_classes)
        self.class_token = nn.Parameter(torch.randn(1, 1, config.d_model) / 50)
        self.positions = nn.Parameter(torch.randn(1, 1 + config.num_patches, config.d_model) / 50)

    def forward(self, images: Tensor, return_weights: bool = False) -> Tensor | tuple[Tensor, list[Tensor]]:
        """Logits, and with return_weights=True the weights of each layer."""
        patches = self.patch_embedding(images) + self.positions[:, 1:]
        first = (self.class_token + self.positions[:, :1]).repeat(len(images), 1, 1)
        x, weights = self.encoder(self.dropout(torch.cat([first, patches], 1)), return_weights=True)
        logits = self.head(x.select(1, 0))
        return (logits, weights) if return_weights else logits


@outside_the_watch
def attention_rollout(weights: Sequence[Tensor]) -> Tensor:
    """Shares of the input tokens in the output tokens."""
    if not len(weights):
        raise ValueError("weights of no layer; give those of one layer at least")
    mixed = [torch.lerp(layer.mean(1), torch.eye(layer.size(-1), dtype=layer.dtype), 0.5) for layer in weights]
    return reduce(lambda below, layer: layer.bmm(below), mixed)


@outside_the_watch
def interpolate_positions(table: Tensor, old: tuple[int, int], new: tuple[int, int]) -> Tensor:
    """The positions of another grid."""
    down, across = old
    if table.size(1) != 1 + down * across:
        raise ValueError(f"table has {table.size(1)} rows; for {down} x {across} patches give {1 + down * across}")
    if min(new) < 1:
        raise ValueError(f"new={new}; give 1 or more for each side")
    grid = table[0, 1:].T.unflatten(1, (down, across))[None]
    scaled = F.interpolate(grid, size=tuple(new), mode="bilinear", align_corners=False)
    return torch.cat([table[:, :1], scaled[0].flatten(1).T[None]], 1)
