"""Lesson 18: cutting pictures up."""

import torch
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

CUT = "patchify"


def refuse(images: Tensor, patch_size: int) -> None:
    """The given lines."""
    if images.dim() != 4 or not len(images):
        raise ValueError("no batch of pictures")
    if patch_size < 1 or images.size(2) % patch_size or images.size(3) % patch_size:
        raise ValueError("does not divide")


def laid_out(squares: list[Tensor], images: Tensor, patch_size: int) -> Tensor:
    """Squares as rows, (batch, patches, features); a batch without a picture too."""
    features = images.size(1) * patch_size**2
    return torch.stack([one.reshape(len(images), features) for one in squares], dim=1)


# Right ----------------------------------------------------------------------------


def by_slices(images: Tensor, patch_size: int) -> Tensor:
    """A loop over the corners."""
    refuse(images, patch_size)
    rows = []
    for top in range(0, images.size(2), patch_size):
        for left in range(0, images.size(3), patch_size):
            square = images[:, :, top : top + patch_size, left : left + patch_size]
            rows.append(square.flatten(1))
    return torch.stack(rows, 1)


slips(
    CUT,
    by_slices,
    {
        "patches come column by column": {
            "for top in range(0, images.size(2), patch_size):": "for left in range(0, images.size(3), patch_size):",
            "for left in range(0, images.size(3), patch_size):": "for top in range(0, images.size(2), patch_size):",
        },
        "channels last within a patch": {"square.flatten(1)": "square.permute(0, 2, 3, 1).flatten(1)"},
        "pixels within a patch turned": {"square.flatten(1)": "square.transpose(2, 3).flatten(1)"},
        "features before patches": {"torch.stack(rows, 1)": "torch.stack(rows, 2)"},
        "patches are still pictures": {"square.flatten(1)": "square"},
        "patches in front of the batch": [
            {"torch.stack(rows, 1)": "torch.stack(rows)"},
            {"torch.stack(rows, 1)": "torch.stack(rows).reshape(len(images), len(rows), -1)"},
        ],
        "all pictures in one list": {"torch.stack(rows, 1)": "torch.stack(rows, 1).flatten(0, 1)"},
        "each channel has patches of its own": {
            "torch.stack(rows, 1)": (
                "torch.stack(rows, 1).unflatten(2, (images.size(1), -1)).transpose(1, 2).flatten(1, 2)"
            )
        },
    },
)


def by_split(images: Tensor, patch_size: int) -> Tensor:
    """Cut into rows, then each row into squares."""
    refuse(images, patch_size)
    squares = [one for row in images.split(patch_size, dim=2) for one in row.split(patch_size, dim=3)]
    return laid_out(squares, images, patch_size)


slips(
    CUT,
    by_split,
    {
        "patches come column by column": {
            "images.split(patch_size, dim=2)": "images.split(patch_size, dim=3)",
            "row.split(patch_size, dim=3)": "row.split(patch_size, dim=2)",
        },
        "pixels within a patch turned": {"[one for row": "[one.mT for row"},
        "channels last within a patch": {"[one for row": "[one.permute(0, 2, 3, 1) for row"},
        "features before patches": {
            "laid_out(squares, images, patch_size)": "laid_out(squares, images, patch_size).mT",
        },
    },
)


def by_steps(images: Tensor, patch_size: int) -> Tensor:
    """Tensor.unfold twice."""
    refuse(images, patch_size)
    windows = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)
    windows = windows.permute(0, 2, 3, 1, 4, 5)
    return windows.flatten(3).flatten(1, 2)


slips(
    CUT,
    by_steps,
    {
        "channels last within a patch": {"permute(0, 2, 3, 1, 4, 5)": "permute(0, 2, 3, 4, 5, 1)"},
        "pixels within a patch turned": {"permute(0, 2, 3, 1, 4, 5)": "permute(0, 2, 3, 1, 5, 4)"},
        "patches come column by column": {"permute(0, 2, 3, 1, 4, 5)": "permute(0, 3, 2, 1, 4, 5)"},
        "patches are still pictures": [
            {"windows.flatten(3).flatten(1, 2)": "windows.flatten(3)"},
            {"windows.flatten(3).flatten(1, 2)": "windows.flatten(1, 2)"},
            {"windows.flatten(3).flatten(1, 2)": "windows"},
        ],
        "each channel has patches of its own": {
            "permute(0, 2, 3, 1, 4, 5)": "flatten(4)",
            "windows.flatten(3).flatten(1, 2)": "windows.flatten(1, 3)",
        },
    },
)


def one_way_after_the_other(images: Tensor, patch_size: int) -> Tensor:
    """Height first, width after it, by unflatten and movedim."""
    refuse(images, patch_size)
    rows = images.unflatten(2, (images.size(2) // patch_size, patch_size))
    both = rows.unflatten(4, (images.size(3) // patch_size, patch_size))
    return both.movedim((2, 4), (1, 2)).flatten(1, 2).flatten(2)


slips(
    CUT,
    one_way_after_the_other,
    {
        "patches come column by column": {"movedim((2, 4), (1, 2))": "movedim((4, 2), (1, 2))"},
        "every other pixel": [
            {"movedim((2, 4), (1, 2))": "movedim((3, 5), (1, 2))"},
            {
                "(images.size(2) // patch_size, patch_size)": "(patch_size, images.size(2) // patch_size)",
                "(images.size(3) // patch_size, patch_size)": "(patch_size, images.size(3) // patch_size)",
                "movedim((2, 4), (1, 2))": "movedim((3, 5), (1, 2))",
            },
        ],
        "patches are still pictures": {".flatten(1, 2).flatten(2)": ".flatten(3)"},
        "all pictures in one list": {".flatten(1, 2).flatten(2)": ".flatten(3).flatten(0, 2)"},
    },
)


@correct(CUT)
def by_numbers(images: Tensor, patch_size: int) -> Tensor:
    """Each number by its place in memory."""
    refuse(images, patch_size)
    _, channels, height, width = images.shape
    places = [
        channel * height * width + (top + down) * width + left + across
        for top in range(0, height, patch_size)
        for left in range(0, width, patch_size)
        for channel in range(channels)
        for down in range(patch_size)
        for across in range(patch_size)
    ]
    flat = images.flatten(1)[:, torch.tensor(places)]
    return flat.unflatten(1, (-1, channels * patch_size**2))


# In full ----------------------------------------------------------------------------


@disguise(CUT, "strips instead of squares")
def counted_through(images: Tensor, patch_size: int) -> Tensor:
    refuse(images, patch_size)
    size = images.size(1) * patch_size**2
    return images.flatten(1).unfold(1, size, size)


@disguise(CUT, "strips instead of squares")
def strips_of_pixels(images: Tensor, patch_size: int) -> Tensor:
    refuse(images, patch_size)
    last = images.movedim(1, -1)
    return last.flatten(1).unflatten(1, (-1, images.size(1) * patch_size**2))


@disguise(CUT, "strips instead of squares")
def strips_in_each_channel(images: Tensor, patch_size: int) -> Tensor:
    refuse(images, patch_size)
    return torch.hstack([one.flatten(1)[:, None] for one in images.flatten(2).split(patch_size**2, dim=2)])


@disguise(CUT, "patches come column by column")
def down_first(images: Tensor, patch_size: int) -> Tensor:
    refuse(images, patch_size)
    columns = [strip.chunk(images.size(2) // patch_size, 2) for strip in images.split(patch_size, 3)]
    return laid_out([one for column in columns for one in column], images, patch_size)


@disguise(CUT, "channels last within a patch")
def pixel_by_pixel(images: Tensor, patch_size: int) -> Tensor:
    refuse(images, patch_size)
    cut = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)
    return torch.einsum("bcyxij->byxijc", cut).flatten(3).flatten(1, 2)


@disguise(CUT, "pixels within a patch turned")
def turned(images: Tensor, patch_size: int) -> Tensor:
    return by_slices(images, patch_size).unflatten(2, (-1, patch_size, patch_size)).mT.flatten(2)


@disguise(CUT, "height and width exchanged")
def width_by_height(images: Tensor, patch_size: int) -> Tensor:
    refuse(images, patch_size)
    batch, channels, width, height = images.shape  # the slip
    return by_slices(images.reshape(batch, channels, height, width), patch_size)


@disguise(CUT, "every other pixel")
def with_gaps(images: Tensor, patch_size: int) -> Tensor:
    refuse(images, patch_size)
    down, across = images.size(2) // patch_size, images.size(3) // patch_size
    return laid_out(
        [images[:, :, top::down, left::across] for top in range(down) for left in range(across)], images, patch_size
    )


@disguise(CUT, "each channel has patches of its own")
def channel_by_channel(images: Tensor, patch_size: int) -> Tensor:
    return torch.cat([by_slices(one, patch_size) for one in images.split(1, dim=1)], dim=1)


@disguise(CUT, "each channel has patches of its own")
def channels_one_below_the_other(images: Tensor, patch_size: int) -> Tensor:
    return torch.cat([one.unflatten(1, (images.size(1), -1)) for one in by_slices(images, patch_size).unbind(1)], 1)


@disguise(CUT, "each channel has patches of its own")
def windows_counted_through(images: Tensor, patch_size: int) -> Tensor:
    refuse(images, patch_size)
    windows = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)
    return windows.reshape(images.size(0), -1, images.size(1) * patch_size**2)


@disguise(CUT, "patches in front of the batch")
def places_first(images: Tensor, patch_size: int) -> Tensor:
    return by_slices(images, patch_size).movedim(1, 0)


@disguise(CUT, "features before patches")
def turned_round(images: Tensor, patch_size: int) -> Tensor:
    return by_slices(images, patch_size).permute(0, 2, 1)


@disguise(CUT, "patches are still pictures")
def small_pictures(images: Tensor, patch_size: int) -> Tensor:
    return by_slices(images, patch_size).unflatten(2, (images.size(1), patch_size, patch_size))


@disguise(CUT, "all pictures in one list")
def one_list(images: Tensor, patch_size: int) -> Tensor:
    rows = by_slices(images, patch_size)
    return rows.reshape(-1, rows.size(2))


# On no list ----------------------------------------------------------------------------


@unlisted(CUT)
def first_patch_last(images: Tensor, patch_size: int) -> Tensor:
    return by_slices(images, patch_size).roll(-1, 1)


@unlisted(CUT)
def a_row_too_low(images: Tensor, patch_size: int) -> Tensor:
    return by_slices(images.roll(1, 2) if images.dim() == 4 else images, patch_size)


@disguise(CUT, "the pictures mirrored")
def last_channel_first(images: Tensor, patch_size: int) -> Tensor:
    return by_slices(images.flip(1), patch_size)


@disguise(CUT, "patches are lost")
def one_patch_short(images: Tensor, patch_size: int) -> Tensor:
    return by_slices(images, patch_size)[:, :-1]


@unlisted(CUT)
def without_its_mean(images: Tensor, patch_size: int) -> Tensor:
    rows = by_slices(images, patch_size)
    return rows - rows.mean(-1, keepdim=True)
