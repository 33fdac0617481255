"""Lesson 18: tokens of patches."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.vision import patchify
from tests.variants import correct, disguise, slips, unlisted

EMBED = "PatchEmbedding"


def refuse(images: Tensor, config: Any) -> None:
    """The given lines."""
    if (
        images.dim() != 4
        or not len(images)
        or tuple(images.shape[1:]) != (config.channels, config.height, config.width)
    ):
        raise ValueError("other sizes")


class Layer(nn.Module):
    """The layer, and a forward made of steps."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        self.projection: Any = nn.Linear(config.channels * config.patch_size * config.patch_size, config.d_model)

    def cut(self, images: Tensor) -> Tensor:
        """Patches."""
        return patchify(images, self.config.patch_size)

    def finish(self, tokens: Tensor) -> Tensor:
        """What is returned."""
        return tokens

    def forward(self, images: Tensor) -> Tensor:
        """Step after step."""
        refuse(images, self.config)
        return self.finish(self.projection(self.cut(images)))


correct(EMBED)(Layer)

# Trunks ----------------------------------------------------------------------------


class ByHand(Layer):
    """A matrix product and a sum."""

    def forward(self, images: Tensor) -> Tensor:
        refuse(images, self.config)
        rows = patchify(images, self.config.patch_size)
        weight, bias = self.projection.weight, self.projection.bias
        tokens = rows @ weight.T + bias
        return tokens


slips(
    EMBED,
    ByHand,
    {
        "an activation behind the layer": [
            {"return tokens": "return tokens.relu()"},
            {"return tokens": "return F.gelu(tokens)"},
        ],
        "features before tokens": {"return tokens": "return tokens.mT"},
        "the tokens multiplied by √d_model": {"return tokens": "return tokens * self.config.d_model ** 0.5"},
        "strips instead of squares": {
            "patchify(images, self.config.patch_size)": (
                "images.flatten(1).unflatten(1, (self.config.num_patches, self.config.patch_features))"
            )
        },
    },
)


class AsAKernel(Layer):
    """The weights as a convolution's."""

    def forward(self, images: Tensor) -> Tensor:
        refuse(images, self.config)
        side = self.config.patch_size
        kernel = self.projection.weight.reshape(self.config.d_model, -1, side, side)
        found = F.conv2d(images, kernel, self.projection.bias, side)
        return found.flatten(2).permute(0, 2, 1)


slips(
    EMBED,
    AsAKernel,
    {
        "features before tokens": {".permute(0, 2, 1)": ""},
        "an activation behind the layer": {"return found.flatten(2)": "return found.tanh().flatten(2)"},
        "the tokens multiplied by √d_model": {"return found": "return self.config.d_model**0.5 * found"},
    },
)


class PatchByPatch(Layer):
    """One patch at a time."""

    def forward(self, images: Tensor) -> Tensor:
        refuse(images, self.config)
        made = []
        for patch in patchify(images, self.config.patch_size).unbind(1):
            made.append(self.projection(patch))
        return torch.stack(made, dim=1)


slips(
    EMBED,
    PatchByPatch,
    {
        "features before tokens": {"torch.stack(made, dim=1)": "torch.stack(made, dim=-1)"},
        "an activation behind the layer": {"self.projection(patch)": "torch.relu(self.projection(patch))"},
        "the tokens multiplied by √d_model": {
            "self.projection(patch)": "self.projection(patch) * torch.tensor(self.config.d_model).sqrt()"
        },
    },
)

# In full ----------------------------------------------------------------------------


@disguise(EMBED, "no bias")
class NoBias(Layer):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.projection = nn.Linear(config.patch_features, config.d_model, bias=False)


@disguise(EMBED, "a convolution as the layer")
class Convolution(Layer):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        side = config.patch_size
        self.projection = nn.Conv2d(config.channels, config.d_model, kernel_size=(side, side), stride=(side, side))

    def forward(self, images: Tensor) -> Tensor:
        refuse(images, self.config)
        return self.projection(images).flatten(start_dim=2).mT


@disguise(EMBED, "an activation behind the layer")
class Activated(Layer):
    def finish(self, tokens: Tensor) -> Tensor:
        return tokens.clamp(min=0)


@disguise(EMBED, "strips instead of squares")
class Strips(Layer):
    def cut(self, images: Tensor) -> Tensor:
        return images.reshape(images.size(0), self.config.num_patches, -1)


@disguise(EMBED, "features before tokens")
class Turned(Layer):
    def finish(self, tokens: Tensor) -> Tensor:
        return torch.einsum("bnd->bdn", tokens)


@disguise(EMBED, "the tokens multiplied by √d_model")
class Scaled(Layer):
    def finish(self, tokens: Tensor) -> Tensor:
        return tokens.mul(self.config.d_model**0.5)


@disguise(EMBED, "dropout of its own")
class Dropping(Layer):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.dropout = nn.Dropout(config.dropout)

    def finish(self, tokens: Tensor) -> Tensor:
        return self.dropout(tokens)


@disguise(EMBED, "one token for the whole picture")
class Whole(nn.Module):
    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        self.projection = nn.Linear(config.channels * config.height * config.width, config.d_model)

    def forward(self, images: Tensor) -> Tensor:
        refuse(images, self.config)
        return self.projection(images.flatten(1))[:, None]


# On no list ----------------------------------------------------------------------------


@disguise(EMBED, "a norm in front of the layer, or behind it")
class Normalized(Layer):
    def finish(self, tokens: Tensor) -> Tensor:
        return F.layer_norm(tokens, tokens.shape[-1:])


@unlisted(EMBED)
class HalfBackwards(Layer):
    def finish(self, tokens: Tensor) -> Tensor:
        return torch.cat((tokens[:, :2], tokens[:, 2:].flip(1)), dim=1)


@unlisted(EMBED)
class Centred(Layer):
    def cut(self, images: Tensor) -> Tensor:
        rows = super().cut(images)
        return rows - rows.mean(-1, keepdim=True)


@unlisted(EMBED)
class TwiceTheBias(Layer):
    def finish(self, tokens: Tensor) -> Tensor:
        return tokens + self.projection.bias
