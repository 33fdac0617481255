"""The Vision Transformer (Dosovitskiy et al. 2020): a picture cut into words, and an encoder that reads them."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from solutions.encoder import Encoder


def patchify(
    images: Float[Tensor, "batch channels height width"], patch_size: int
) -> Float[Tensor, "batch patches features"]:
    """Cut every picture into squares, and lay each square out as a row of numbers.

    Squares come row by row, from the left in each row. Within one: channel by channel, and each channel
    row by row, so that features = channels * patch_size * patch_size.

    Args:
        images: pictures, one or more.
        patch_size: the side of a square.

    Raises:
        ValueError: if images has not four dimensions, there is no picture, or patch_size does not divide both sides.

    Source: Dosovitskiy et al., "An Image Is Worth 16x16 Words" (2020), section 3.1.
    """
    if images.dim() != 4 or len(images) == 0:
        raise ValueError(f"images has shape {tuple(images.shape)}; give (1 or more, channels, height, width)")
    batch, channels, height, width = images.shape
    if patch_size < 1 or height % patch_size or width % patch_size:
        raise ValueError(f"patch_size={patch_size} does not divide {height} x {width}; give a divisor of both")
    # 1. split the height into rows of patches and rows within a patch, and the width likewise
    # 2. bring what counts patches together, in front, and what lies within a patch behind it
    # 3. one row of numbers for each patch
    # BEGIN SOLUTION
    down, across = height // patch_size, width // patch_size
    grid = images.reshape(batch, channels, down, patch_size, across, patch_size)
    grid = grid.permute(0, 2, 4, 1, 3, 5)  # (batch, down, across, channels, patch_size, patch_size)
    return grid.reshape(batch, down * across, channels * patch_size * patch_size)
    # END SOLUTION


def unpatchify(
    patches: Float[Tensor, "batch patches features"], patch_size: int, height: int, width: int
) -> Float[Tensor, "batch channels height width"]:
    """Put pictures together again: the inverse of `patchify`.

    Args:
        patches: what `patchify` gives, for one picture or more.
        patch_size: the side of a square.
        height, width: the sides of a picture. The number of channels follows from the features.

    Raises:
        ValueError: if patch_size does not divide both sides, there is no picture, there are not as many
            patches as fit into height x width, or the features are no whole number of channels.
    """
    if patch_size < 1 or height % patch_size or width % patch_size:
        raise ValueError(f"patch_size={patch_size} does not divide {height} x {width}; give a divisor of both")
    batch, count, features = patches.shape
    wanted = (height // patch_size) * (width // patch_size)
    if batch == 0 or count != wanted:
        given = f"patches has shape {tuple(patches.shape)}"
        raise ValueError(
            f"{given}; {height} x {width} in squares of {patch_size}: give (1 or more, {wanted}, features)"
        )
    if features % patch_size**2:
        raise ValueError(f"{features} features; give channels * {patch_size**2} for patch_size={patch_size}")
    # the three steps of `patchify`, backwards
    # BEGIN SOLUTION
    down, across = height // patch_size, width // patch_size
    channels = features // patch_size**2
    grid = patches.reshape(batch, down, across, channels, patch_size, patch_size)
    grid = grid.permute(0, 3, 1, 4, 2, 5)  # (batch, channels, down, patch_size, across, patch_size)
    return grid.reshape(batch, channels, height, width)
    # END SOLUTION


@dataclass
class VisionConfig:
    """All sizes of a Vision Transformer; by default one for the digits, that trains in less than a minute.

    Attributes:
        height, width, channels: the sides of a picture, and how many numbers a pixel has.
        patch_size: the side of a patch.
        num_classes: number of answers.
        d_model: number of features of a token.
        num_heads: number of heads of each attention.
        num_layers: number of layers.
        d_ff: number of features inside the feed-forward networks.
        dropout: share of numbers that training sets to zero.

    Raises:
        ValueError: if patch_size does not divide both sides.
    """

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
        if self.patch_size < 1 or self.height % self.patch_size or self.width % self.patch_size:
            sides = f"{self.height} x {self.width}"
            raise ValueError(f"patch_size={self.patch_size} does not divide {sides}; give a divisor of both")

    @property
    def num_patches(self) -> int:
        """How many patches a picture has."""
        return (self.height // self.patch_size) * (self.width // self.patch_size)

    @property
    def patch_features(self) -> int:
        """How many numbers a patch has."""
        return self.channels * self.patch_size**2


class PatchEmbedding(nn.Module):
    """Make a token of every patch: cut, then one linear layer, the same for all patches.

    Args:
        config: sizes.

    Source: Dosovitskiy et al. (2020), section 3.1, equation 1; equals a convolution whose kernel is as
    large as its stride.
    """

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.config = config
        # `self.projection`: from the numbers of a patch to the features of a token
        # BEGIN SOLUTION
        self.projection = nn.Linear(config.patch_features, config.d_model)
        # END SOLUTION

    def forward(
        self, images: Float[Tensor, "batch channels height width"]
    ) -> Float[Tensor, "batch num_patches d_model"]:
        """Cut the pictures, and project every patch.

        Raises:
            ValueError: if the pictures have other sizes than the config says, or there is none.
        """
        config = self.config
        wanted = (config.channels, config.height, config.width)
        if images.dim() != 4 or len(images) == 0 or images.shape[1:] != wanted:
            sides = ", ".join(map(str, wanted))
            raise ValueError(f"images has shape {tuple(images.shape)}; give (1 or more, {sides})")
        # BEGIN SOLUTION
        return self.projection(patchify(images, config.patch_size))
        # END SOLUTION


class VisionTransformer(nn.Module):
    """Read a picture as a row of patches, behind one token more that has to tell what it shows.

    Args:
        config: sizes.

    Attributes:
        class_token: (1, 1, d_model), learned; stands in front of the patches of every picture.
        positions: (1, 1 + num_patches, d_model), learned; one vector for each place in the row.

    Raises:
        ValueError: if d_model is not divisible by num_heads.

    Source: Dosovitskiy et al., "An Image Is Worth 16x16 Words: Transformers for Image Recognition at
    Scale" (2020), section 3.1, equations 1 to 4; dropout: appendix B.1.
    """

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.config = config
        self.patch_embedding = PatchEmbedding(config)
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = Encoder(
            config.num_layers, config.d_model, config.num_heads, config.d_ff, config.dropout, norm_first=True
        )
        self.head = nn.Linear(config.d_model, config.num_classes)
        # 1. `self.class_token`, a parameter for the token in front
        # 2. `self.positions`, a parameter with a vector for every place in the row
        # BEGIN SOLUTION
        self.class_token = nn.Parameter(torch.empty(1, 1, config.d_model))
        self.positions = nn.Parameter(torch.empty(1, 1 + config.num_patches, config.d_model))
        # END SOLUTION
        nn.init.normal_(self.class_token, std=0.02)
        nn.init.normal_(self.positions, std=0.02)

    def forward(
        self, images: Float[Tensor, "batch channels height width"], return_weights: bool = False
    ) -> (
        Float[Tensor, "batch num_classes"]
        | tuple[Float[Tensor, "batch num_classes"], list[Float[Tensor, "batch num_heads tokens tokens"]]]
    ):
        """Say what the pictures show.

        Args:
            images: pictures, one or more.
            return_weights: whether to return the attention weights too.

        Returns:
            The logits, or `(logits, weights)` with the weights of each layer; tokens = 1 + num_patches.

        Raises:
            ValueError: if the pictures have other sizes than the config says, or there is none.
        """
        # 1. a token for each patch
        # 2. the class token in front of those of every picture
        # 3. plus the positions, then dropout
        # 4. the encoder
        # 5. the head reads the class token alone
        # BEGIN SOLUTION
        patches = self.patch_embedding(images)  # (batch, num_patches, d_model)
        first = self.class_token.expand(len(images), -1, -1)  # (batch, 1, d_model)
        x = torch.cat((first, patches), dim=1)  # (batch, 1 + num_patches, d_model)
        x = self.dropout(x + self.positions)
        x, weights = self.encoder(x, return_weights=True)
        logits = self.head(x[:, 0])
        return (logits, weights) if return_weights else logits
        # END SOLUTION


def attention_rollout(
    weights: Sequence[Float[Tensor, "batch num_heads tokens tokens"]],
) -> Float[Tensor, "batch tokens tokens"]:
    """Follow the attention through all layers: how much of each input token is in each output token?

    A layer hands on, to one half, what a token was (the residual connection), and to the other half what
    its heads read on average.

    Args:
        weights: the attention weights of each layer, the first layer first.

    Returns:
        For each output token a row of shares, one for each input token. Rows sum to 1.

    Raises:
        ValueError: if there is no layer.

    Source: Abnar and Zuidema, "Quantifying Attention Flow in Transformers" (2020), section 3.
    """
    if len(weights) == 0:
        raise ValueError("weights of no layer; give those of one layer at least")
    # 1. the mean over the heads of a layer, and the identity: half of each
    # 2. the product of all layers, the last one on the left
    # BEGIN SOLUTION
    tokens = weights[0].size(-1)
    identity = torch.eye(tokens, dtype=weights[0].dtype, device=weights[0].device)
    rolled = identity.expand(len(weights[0]), tokens, tokens)
    for layer in weights:
        handed_on = (layer.mean(dim=1) + identity) / 2  # (batch, tokens, tokens)
        rolled = handed_on @ rolled
    return rolled
    # END SOLUTION


def interpolate_positions(
    table: Float[Tensor, "1 tokens d_model"], old: tuple[int, int], new: tuple[int, int]
) -> Float[Tensor, "1 new_tokens d_model"]:
    """Make the positions of a larger or smaller grid out of those that were learned.

    The vector of the class token, which stands first, has no place in the grid and stays as it is. The
    others are a picture with d_model channels, to be scaled by `F.interpolate` in mode "bilinear".

    Args:
        table: (1, 1 + down * across, d_model), as a VisionTransformer has learned it.
        old: down and across: how many patches it was learned for.
        new: how many there are to be.

    Returns:
        (1, 1 + new_down * new_across, d_model).

    Raises:
        ValueError: if the table has not 1 + down * across rows, or a side of new is below 1.

    Source: Dosovitskiy et al. (2020), section 3.2.
    """
    down, across = old
    if table.size(1) != 1 + down * across:
        raise ValueError(f"table has {table.size(1)} rows; for {down} x {across} patches give {1 + down * across}")
    if min(new) < 1:
        raise ValueError(f"new={new}; give 1 or more for each side")
    # 1. the class token's vector, and those of the grid
    # 2. the grid as a picture: (1, d_model, down, across)
    # 3. scale it
    # 4. back into rows, behind the class token's
    # BEGIN SOLUTION
    first, grid = table[:, :1], table[:, 1:]
    picture = grid.transpose(1, 2).reshape(1, -1, down, across)  # (1, d_model, down, across)
    scaled = F.interpolate(picture, size=new, mode="bilinear")
    return torch.cat((first, scaled.flatten(2).transpose(1, 2)), dim=1)
    # END SOLUTION
