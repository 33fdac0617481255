"""Lesson 18: what a second adversary has written and no list had."""

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.vision import patchify
from solutions.encoder import Encoder
from solutions.vision import PatchEmbedding
from tests.variants import correct, disguise
from tests.variants.vision import pictures, positions, rollouts
from tests.variants.vision.adversaries import scaled
from tests.variants.vision.embeddings import Layer, refuse
from tests.variants.vision.models import Parts
from tests.variants.vision.patches import by_slices
from tests.variants.vision.patches import refuse as refuse_pictures

EMBED, MODEL, GRID = "PatchEmbedding", "VisionTransformer", "interpolate_positions"
CUT, WHOLE, ROLL = "patchify", "unpatchify", "attention_rollout"

# PatchEmbedding ----------------------------------------------------------------------------


@correct(EMBED)
class OneByOne(Layer):
    def forward(self, images: Tensor) -> Tensor:
        refuse(images, self.config)
        return torch.stack([self.projection(self.cut(one[None]))[0] for one in images])


@disguise(EMBED, "the tokens divided by a root")
class Divided(Layer):
    def finish(self, tokens: Tensor) -> Tensor:
        return tokens * self.config.d_model**-0.5


@disguise(EMBED, "more than a linear layer")
class Chain(Layer):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        layer = nn.Linear(config.patch_features, config.d_model)
        self.projection = nn.Sequential()
        self.projection.append(layer)


@disguise(EMBED, "a matrix as the layer")
class Matrix(nn.Module):
    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        self.projection = nn.Parameter(torch.empty(config.patch_features, config.d_model).normal_())

    def forward(self, images: Tensor) -> Tensor:
        refuse(images, self.config)
        return torch.einsum("bnf,fd->bnd", patchify(images, self.config.patch_size), self.projection)


@disguise(EMBED, "the layer has another name")
class Renamed(nn.Module):
    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        self.proj = nn.Linear(config.patch_features, config.d_model)

    def forward(self, images: Tensor) -> Tensor:
        refuse(images, self.config)
        return self.proj(patchify(images, self.config.patch_size))


@disguise(EMBED, "a layer for every patch")
class ManyLayers(Layer):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        made = [nn.Linear(config.patch_features, config.d_model) for _ in range(config.num_patches)]
        self.projection = nn.ModuleList(made)

    def forward(self, images: Tensor) -> Tensor:
        refuse(images, self.config)
        rows = self.cut(images)
        return torch.cat([layer(rows[:, [place]]) for place, layer in enumerate(self.projection)], dim=1)


@disguise(EMBED, "patches instead of tokens")
class Unprojected(Layer):
    def forward(self, images: Tensor) -> Tensor:
        refuse(images, self.config)
        return self.cut(images)


@disguise(EMBED, "tokens in another form")
class OneList(Layer):
    def finish(self, tokens: Tensor) -> Tensor:
        return tokens.reshape(-1, tokens.size(-1))


@disguise(EMBED, "tokens are lost")
class OneLess(Layer):
    def cut(self, images: Tensor) -> Tensor:
        return super().cut(images)[:, : self.config.num_patches - 1]


@disguise(EMBED, "the first picture alone")
class FirstForAll(Layer):
    def finish(self, tokens: Tensor) -> Tensor:
        return tokens[0].repeat(len(tokens), 1, 1)


@disguise(EMBED, "overlapping patches")
class Sliding(Layer):
    def cut(self, images: Tensor) -> Tensor:
        return F.unfold(images, self.config.patch_size).mT


@disguise(EMBED, "tokens in the opposite order")
class Backwards(Layer):
    def cut(self, images: Tensor) -> Tensor:
        return super().cut(images).flip(1)


@disguise(EMBED, "a class token already")
class OneInFront(Layer):
    def finish(self, tokens: Tensor) -> Tensor:
        return F.pad(tokens, (0, 0, 1, 0))


@disguise(EMBED, "pixels of a patch in another order")
class DownTheColumns(Layer):
    def cut(self, images: Tensor) -> Tensor:
        side = self.config.patch_size
        squares = super().cut(images).reshape(len(images), -1, self.config.channels, side, side)
        return squares.mT.reshape(len(images), -1, self.config.patch_features)


@disguise(EMBED, "the pictures changed before they are cut")
class AroundZero(Layer):
    def cut(self, images: Tensor) -> Tensor:
        return super().cut((images - 0.5) / 0.5)


@disguise(EMBED, "the graph is cut")
class NoGradient(Layer):
    def finish(self, tokens: Tensor) -> Tensor:
        return torch.tensor(tokens.tolist(), dtype=tokens.dtype).reshape(tokens.shape)


# interpolate_positions ----------------------------------------------------------------------------


def by_size(picture: Tensor, new: positions.Sides) -> Tensor:
    """As it should be."""
    return F.interpolate(picture, new, mode="bilinear")


@correct(GRID)
def feature_by_feature(table: Tensor, old: positions.Sides, new: positions.Sides) -> Tensor:
    positions.refuse(table, old, new)
    grids = table[0, 1:].T.reshape(-1, 1, *old)
    return torch.hstack([table[:, :1], by_size(grids, new).reshape(len(grids), -1).T[None]])


disguise(GRID, "one side is not scaled")(
    scaled(lambda token, picture: token, lambda picture, new: by_size(picture, (new[0], picture.size(3))))
)
disguise(GRID, "the old grid comes back")(
    scaled(lambda token, picture: token, lambda picture, new: by_size(picture, (picture.size(2), picture.size(3))))
)
disguise(GRID, "a factor in place of a size")(
    scaled(
        lambda token, picture: token,
        lambda picture, new: nn.Upsample(
            scale_factor=tuple(wanted / given for wanted, given in zip(new, picture.shape[2:], strict=True)),
            mode="bilinear",
        )(picture),
    )
)
disguise(GRID, "no gradient reaches the table")(
    scaled(lambda token, picture: token, lambda picture, new: by_size(picture.data, new))
)


@disguise(GRID, "as many places taken for the same grid")
def of_equal_length(table: Tensor, old: positions.Sides, new: positions.Sides) -> Tensor:
    positions.refuse(table, old, new)
    if table.size(1) == 1 + new[0] * new[1]:
        return table.clone()
    token, picture = positions.parts(table, old)
    return positions.joined(token, by_size(picture, new))


@disguise(GRID, "the table in another form")
def without_a_batch(table: Tensor, old: positions.Sides, new: positions.Sides) -> Tensor:
    positions.refuse(table, old, new)
    token, picture = positions.parts(table, old)
    return positions.joined(token, by_size(picture, new)).squeeze(0)


@disguise(GRID, "the class token's vector added to all")
def on_top(table: Tensor, old: positions.Sides, new: positions.Sides) -> Tensor:
    positions.refuse(table, old, new)
    token, picture = positions.parts(table, old)
    whole = positions.joined(token, by_size(picture, new))
    return torch.cat((whole[:, :1], whole[:, 1:] + token.reshape(1, 1, -1)), dim=1)


disguise(GRID, "the vectors scaled too")(
    scaled(lambda token, picture: token, lambda picture, new: nn.functional.normalize(by_size(picture, new), dim=1))
)
disguise(GRID, "each side in another way")(
    scaled(
        lambda token, picture: token,
        lambda picture, new: by_size(F.interpolate(picture, (new[0], picture.size(3))), new),
    )
)


def into_zeros(picture: Tensor, new: positions.Sides) -> Tensor:
    """As it is, in the first corner."""
    made = torch.zeros(1, picture.size(1), *new)
    piece = picture[:, :, : new[0], : new[1]]
    made[:, :, : piece.size(2), : piece.size(3)] = piece
    return made


disguise(GRID, "the old grid repeated or padded")(scaled(lambda token, picture: token, into_zeros))


@disguise(GRID, "half a patch beside")
def from_the_corners(table: Tensor, old: positions.Sides, new: positions.Sides) -> Tensor:
    positions.refuse(table, old, new)
    token, picture = positions.parts(table, old)
    for side, wanted in zip((2, 3), new, strict=True):
        given = picture.size(side)
        made = []
        for place in range(wanted):
            at = min(place * given / wanted, given - 1)
            low = int(at)
            above = picture.select(side, min(low + 1, given - 1))
            made.append(picture.select(side, low) * (1 - at + low) + above * (at - low))
        picture = torch.stack(made, dim=side)
    return positions.joined(token, picture)


# VisionTransformer ----------------------------------------------------------------------------


@correct(MODEL)
class Padded(Parts):
    def row(self, images: Tensor) -> Tensor:
        room = F.pad(self.patch_embedding(images), (0, 0, 1, 0))
        return room + self.class_token * (torch.arange(room.size(1)) == 0)[:, None]


@disguise(MODEL, "the class token in place of a patch")
class PatchTakenAway(Parts):
    def row(self, images: Tensor) -> Tensor:
        row = self.patch_embedding(images).clone()
        row[:, 0] = self.class_token[:, 0]
        return row

    def placed(self, row: Tensor) -> Tensor:
        return self.dropout(row + self.positions[:, : row.size(1)])


@disguise(MODEL, "a token added in front of the head")
class OnceMoreAround(Parts):
    def read(self, x: Tensor) -> Tensor:
        return super().read(x + self.class_token)


@disguise(MODEL, "no batch for one picture")
class Squeezed(Parts):
    def read(self, x: Tensor) -> Tensor:
        scores = super().read(x)
        return scores[0] if len(scores) == 1 else scores


@disguise(MODEL, "a class instead of logits")
class BestOne(Parts):
    def read(self, x: Tensor) -> Tensor:
        return super().read(x).max(-1).indices


@disguise(MODEL, "tokens instead of logits")
class Headless(Parts):
    def read(self, x: Tensor) -> Tensor:
        return x.select(1, 0)


@disguise(MODEL, "the head's bias is not used")
class Unbiased(Parts):
    def read(self, x: Tensor) -> Tensor:
        return super().read(x) - self.head.bias


@disguise(MODEL, "what is in front of the cut does not learn")
class FixedPatches(Parts):
    def row(self, images: Tensor) -> Tensor:
        with torch.no_grad():
            patches = self.patch_embedding(images)
        return torch.hstack([self.first(len(images)), patches])


@disguise(MODEL, "the class token or the positions get no gradient")
class Frozen(Parts):
    def make(self) -> None:
        super().make()
        self.positions.requires_grad_(False)


@disguise(MODEL, "the class token or the positions are no parameter")
class NotLearned(Parts):
    def __init__(self, config: Any) -> None:
        # Numbers that no draw fills come from torch's generator, so this is made in the order of the page.
        nn.Module.__init__(self)
        self.config = config
        self.patch_embedding = PatchEmbedding(config)
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = Encoder(
            config.num_layers, config.d_model, config.num_heads, config.d_ff, config.dropout, norm_first=True
        )
        self.head = nn.Linear(config.d_model, config.num_classes)
        self.class_token = nn.Parameter(torch.zeros(1, 1, config.d_model))
        self.register_buffer("positions", torch.zeros(1, 1 + config.num_patches, config.d_model))
        nn.init.normal_(self.class_token, std=0.02)
        nn.init.normal_(self.positions, std=0.02)


@disguise(MODEL, "a parameter of another shape")
class TableOfTwoDimensions(Parts):
    def make(self) -> None:
        super().make()
        self.positions = nn.Parameter(self.positions.detach()[0])


@disguise(MODEL, "positions subtracted")
class Less(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return self.dropout(torch.sub(row, self.positions))


@disguise(MODEL, "positions in place of the tokens")
class OnlyPlaces(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return self.dropout(self.positions.repeat(len(row), 1, 1))


class Afterwards(Parts):
    """Does something to what the encoder has made, or to what it reads."""

    def before(self, row: Tensor) -> Tensor:
        """What the encoder reads."""
        return row

    def after(self, x: Tensor) -> Tensor:
        """What the head reads from."""
        return x

    def forward(self, images: Tensor, return_weights: bool = False) -> Any:
        """Step after step."""
        x, weights = self.encoder(self.before(self.placed(self.row(images))), return_weights=True)
        return self.result(self.read(self.after(x)), weights, return_weights)


@disguise(MODEL, "positions behind the encoder")
class PlacedTooLate(Afterwards):
    def placed(self, row: Tensor) -> Tensor:
        return self.dropout(row)

    def after(self, x: Tensor) -> Tensor:
        return self.positions + x


@disguise(MODEL, "dropout of another share")
class Kept(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return nn.Dropout(1 - self.config.dropout).train(self.training)(row + self.positions)


@disguise(MODEL, "the same dropped for all pictures, or all of a token")
class WholeTokens(Parts):
    def placed(self, row: Tensor) -> Tensor:
        return (row + self.positions) * self.dropout(torch.ones(len(row), row.size(1), 1))


@disguise(MODEL, "an activation behind the patch embedding")
class Rectified(Parts):
    def row(self, images: Tensor) -> Tensor:
        return torch.hstack([self.first(len(images)), self.patch_embedding(images).clamp(min=0)])


@disguise(MODEL, "the pictures changed before they are cut")
class UpsideDown(Parts):
    def row(self, images: Tensor) -> Tensor:
        return super().row(images.flip(2))


@disguise(MODEL, "other layers than the encoder's, or another order")
class LastLayerFirst(Parts):
    def forward(self, images: Tensor, return_weights: bool = False) -> Any:
        x, found = self.placed(self.row(images)), []
        for number in range(len(self.encoder.layers)):
            x, weights = self.encoder.layers[-1 - number](x, return_weights=True)
            found.append(weights)
        return self.result(self.read(self.encoder.norm(x)), found, return_weights)


# patchify and unpatchify ----------------------------------------------------------------------------


@disguise(CUT, "the dimensions in another order")
def rows_between(images: Tensor, patch_size: int) -> Tensor:
    refuse_pictures(images, patch_size)
    grid = images.unflatten(3, (-1, patch_size)).unflatten(2, (-1, patch_size))
    return torch.einsum("bchpwq->bhpwcq", grid).reshape(len(images), -1, images.size(1) * patch_size**2)


@disguise(CUT, "the patches in the opposite order")
def last_patch_first(images: Tensor, patch_size: int) -> Tensor:
    return torch.stack(by_slices(images, patch_size).unbind(1)[::-1], dim=1)


@disguise(CUT, "the pictures mirrored")
def upside_down(images: Tensor, patch_size: int) -> Tensor:
    return by_slices(images[:, :, range(images.size(2) - 1, -1, -1)] if images.dim() == 4 else images, patch_size)


@disguise(CUT, "one picture or one channel alone")
def one_for_all(images: Tensor, patch_size: int) -> Tensor:
    rows = by_slices(images, patch_size)
    return rows[0].repeat(len(rows), 1, 1)


@disguise(CUT, "patches are lost")
def one_patch_short(images: Tensor, patch_size: int) -> Tensor:
    rows = by_slices(images, patch_size)
    return rows[:, : rows.size(1) - 1]


@disguise(CUT, "the pixels changed")
def between_minus_one_and_one(images: Tensor, patch_size: int) -> Tensor:
    return (by_slices(images, patch_size) - 0.5) / 0.5


@disguise(CUT, "the graph is cut")
def new_numbers(images: Tensor, patch_size: int) -> Tensor:
    rows = by_slices(images, patch_size)
    return torch.tensor(rows.tolist()).reshape(rows.shape)


@disguise(CUT, "the numbers in rows of another length")
def one_row(images: Tensor, patch_size: int) -> Tensor:
    return torch.cat(by_slices(images, patch_size).unbind(1), dim=1)


@disguise(CUT, "every pixel a patch")
def pixel_by_pixel(images: Tensor, patch_size: int) -> Tensor:
    refuse_pictures(images, patch_size)
    return torch.stack([images[:, channel].flatten(1) for channel in range(images.size(1))], dim=2)


@disguise(CUT, "patch_size taken for a number of patches")
def in_so_many_pieces(images: Tensor, patch_size: int) -> Tensor:
    refuse_pictures(images, patch_size)
    squares = [one for row in images.chunk(patch_size, dim=2) for one in row.chunk(patch_size, dim=3)]
    return torch.stack([one.flatten(1) for one in squares], dim=1)


@disguise(CUT, "overlapping patches")
def sliding(images: Tensor, patch_size: int) -> Tensor:
    refuse_pictures(images, patch_size)
    downs, acrosses = (range(side - patch_size + 1) for side in images.shape[2:])
    corners = [images[:, :, down:, across:] for down in downs for across in acrosses]
    return torch.stack([one[:, :, :patch_size, :patch_size].flatten(1) for one in corners], dim=1)


@disguise(WHOLE, "the dimensions in another order")
def rows_in_front(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    pictures.refuse(patches, patch_size, height, width)
    grid = patches.unflatten(2, (-1, patch_size, patch_size)).unflatten(1, (height // patch_size, -1))
    return torch.einsum("bhwcpq->bcphwq", grid).reshape(len(patches), -1, height, width)


@disguise(WHOLE, "features before patches")
def read_across(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    pictures.refuse(patches, patch_size, height, width)
    turned = patches.mT.reshape(patches.shape)
    return pictures.by_rows(turned, patch_size, height, width)


@disguise(WHOLE, "the picture in another form")
def one_list(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    return torch.cat(list(pictures.by_rows(patches, patch_size, height, width)))


@disguise(WHOLE, "one patch or one picture for all")
def the_first_everywhere(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    whole = pictures.by_rows(patches, patch_size, height, width)
    return whole[:, :, :patch_size, :patch_size].repeat(1, 1, height // patch_size, width // patch_size)


@disguise(WHOLE, "the picture mirrored")
def from_the_last_patch(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    pictures.refuse(patches, patch_size, height, width)
    order = torch.arange(patches.size(1) - 1, -1, -1)
    return pictures.by_rows(patches[:, order], patch_size, height, width)


@disguise(WHOLE, "the pixels changed")
def cut_off(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    return pictures.by_rows(patches, patch_size, height, width).clip(min=0, max=1)


@disguise(WHOLE, "the graph is cut")
def without_a_thread(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    with torch.no_grad():
        return pictures.by_rows(patches, patch_size, height, width)


# attention_rollout ----------------------------------------------------------------------------


def steps(weights: Sequence[Tensor]) -> list[Tensor]:
    """Half the attention, half the identity, of every layer."""
    rollouts.refuse(weights)
    return [rollouts.mixed(one) for one in weights]


@disguise(ROLL, "the mean over the pictures")
def of_the_batch(weights: Sequence[Tensor]) -> Tensor:
    return rollouts.rolled(steps(weights)).sum(0) / len(weights[0])


@disguise(ROLL, "the median of the heads")
def middle_heads(weights: Sequence[Tensor]) -> Tensor:
    rollouts.refuse(weights)
    middle = [one.sort(dim=1).values[:, (one.size(1) - 1) // 2] for one in weights]
    return rollouts.rolled([0.5 * one + 0.5 * torch.eye(one.size(-1)) for one in middle])


@disguise(ROLL, "other shares than one half")
def a_third(weights: Sequence[Tensor]) -> Tensor:
    return rollouts.rolled([one * 2 / 3 for one in steps(weights)])


@disguise(ROLL, "begun with zeros or ones")
def nothing(weights: Sequence[Tensor]) -> Tensor:
    return rollouts.rolled(steps(weights)) * 0


@disguise(ROLL, "weights turned before they are multiplied")
def columns_ask(weights: Sequence[Tensor]) -> Tensor:
    return rollouts.rolled([one.mT for one in steps(weights)])


@disguise(ROLL, "a softmax too many")
def shares_of_shares(weights: Sequence[Tensor]) -> Tensor:
    parts = rollouts.rolled(steps(weights)).exp()
    return parts / parts.sum(-1, keepdim=True)


@disguise(ROLL, "less the token itself")
def others_alone(weights: Sequence[Tensor]) -> Tensor:
    found = rollouts.rolled(steps(weights))
    return found * (1 - torch.eye(found.size(-1)))


@disguise(ROLL, "divided by the largest number")
def for_drawing(weights: Sequence[Tensor]) -> Tensor:
    found = rollouts.rolled(steps(weights))
    return found / found.flatten().max()


@disguise(ROLL, "every layer by itself")
def after_each(weights: Sequence[Tensor]) -> list[Tensor]:
    made = steps(weights)
    return [rollouts.rolled(made[: count + 1]) for count in range(len(made))]


@disguise(ROLL, "the residual of the start")
def from_the_start(weights: Sequence[Tensor]) -> Tensor:
    rollouts.refuse(weights)
    found = torch.eye(weights[0].size(-1))
    for layer in weights:
        found = layer.mean(1).matmul(found).add(torch.eye(found.size(-1))).div(2)
    return found


@disguise(ROLL, "divided by another number")
def over_the_heads(weights: Sequence[Tensor]) -> Tensor:
    return rollouts.rolled([2 * one / weights[0].size(1) for one in steps(weights)])


@disguise(ROLL, "a dimension of heads is left")
def each_head(weights: Sequence[Tensor]) -> Tensor:
    rollouts.refuse(weights)
    return rollouts.rolled([one * 0.5 + torch.eye(one.size(-1)) * 0.5 for one in weights])


@disguise(ROLL, "the heads one after the other")
def head_after_head(weights: Sequence[Tensor]) -> Tensor:
    rollouts.refuse(weights)
    return rollouts.rolled([rollouts.mixed(layer[:, [head]]) for layer in weights for head in range(layer.size(1))])


@disguise(ROLL, "the first layer twice")
def first_twice(weights: Sequence[Tensor]) -> Tensor:
    made = steps(weights)
    return rollouts.rolled(made[:1] + made)
