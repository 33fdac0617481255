"""Lesson 18: putting pictures together."""

import torch
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

WHOLE = "unpatchify"


def refuse(patches: Tensor, patch_size: int, height: int, width: int) -> None:
    """The given lines."""
    if patch_size < 1 or height % patch_size or width % patch_size:
        raise ValueError("does not divide")
    if not len(patches) or patches.size(1) != height // patch_size * (width // patch_size):
        raise ValueError("another number of patches")
    if patches.size(2) % patch_size**2:
        raise ValueError("no whole number of channels")


def by_rows(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    """Squares side by side make a row, rows one below the other a picture."""
    refuse(patches, patch_size, height, width)
    squares = patches.unflatten(2, (-1, patch_size, patch_size))
    across = width // patch_size
    rows = [squares[:, start : start + across].unbind(1) for start in range(0, patches.size(1), across)]
    return torch.cat([torch.cat(row, dim=3) for row in rows], dim=2)


slips(
    WHOLE,
    by_rows,
    {
        "pixels within a patch turned": {
            "squares = patches.unflatten(2, (-1, patch_size, patch_size))": (
                "squares = patches.unflatten(2, (-1, patch_size, patch_size)).mT"
            )
        },
        "channels last within a patch": {
            "patches.unflatten(2, (-1, patch_size, patch_size))": (
                "patches.unflatten(2, (patch_size, patch_size, -1)).permute(0, 1, 4, 2, 3)"
            )
        },
        "patches come column by column": {
            "rows = [squares[:, start : start + across].unbind(1) for start in range(0, patches.size(1), across)]": (
                "down = height // patch_size; rows = [squares[:, start::down].unbind(1) for start in range(down)]"
            )
        },
        "height and width exchanged": {
            "torch.cat([torch.cat(row, dim=3) for row in rows], dim=2)": (
                "torch.cat([torch.cat(row, dim=3) for row in rows], dim=2).transpose(2, 3)"
            )
        },
        "channels last in the picture": {
            "torch.cat([torch.cat(row, dim=3) for row in rows], dim=2)": (
                "torch.cat([torch.cat(row, dim=3) for row in rows], dim=2).permute(0, 2, 3, 1)"
            )
        },
    },
)


def into_an_empty_one(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    """Square after square into a picture of zeros."""
    refuse(patches, patch_size, height, width)
    channels = patches.size(2) // (patch_size * patch_size)
    picture = torch.zeros(len(patches), channels, height, width, dtype=patches.dtype)
    number = 0
    for top in range(0, height, patch_size):
        for left in range(0, width, patch_size):
            square = patches[:, number].reshape(-1, channels, patch_size, patch_size)
            picture[:, :, top : top + patch_size, left : left + patch_size] = square
            number += 1
    return picture


slips(
    WHOLE,
    into_an_empty_one,
    {
        "patches come column by column": {
            "for top in range(0, height, patch_size):": "for left in range(0, width, patch_size):",
            "for left in range(0, width, patch_size):": "for top in range(0, height, patch_size):",
        },
        "pixels within a patch turned": {"] = square": "] = square.transpose(2, 3)"},
        "channels last within a patch": {
            ".reshape(-1, channels, patch_size, patch_size)": (
                ".reshape(-1, patch_size, patch_size, channels).permute(0, 3, 1, 2)"
            )
        },
        "patches between the pixels": {
            "picture[:, :, top : top + patch_size, left : left + patch_size]": (
                "picture[:, :, top // patch_size :: height // patch_size, left // patch_size :: width // patch_size]"
            )
        },
        "height and width exchanged": {"return picture": "return picture.mT"},
        "channels last in the picture": {"return picture": "return picture.movedim(1, 3)"},
    },
)


def split_and_turned(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    """einsum between two reshapes."""
    refuse(patches, patch_size, height, width)
    down = height // patch_size
    across = width // patch_size
    grid = patches.unflatten(2, (-1, patch_size, patch_size)).unflatten(1, (down, across))
    turned = torch.einsum("byxcij->bcyixj", grid)
    return turned.flatten(4, 5).flatten(2, 3)


slips(
    WHOLE,
    split_and_turned,
    {
        "confetti": [
            {
                'torch.einsum("byxcij->bcyixj", grid)': "grid",
                "turned.flatten(4, 5).flatten(2, 3)": "turned.reshape(len(patches), -1, height, width)",
            },
            {
                "->bcyixj": "->bcyxij",
                "turned.flatten(4, 5).flatten(2, 3)": "turned.reshape(len(patches), -1, height, width)",
            },
        ],
        "pixels within a patch turned": {"->bcyixj": "->bcyjxi"},
        "patches between the pixels": {"->bcyixj": "->bciyjx"},
        "patches come column by column": {
            "(down, across)": "(across, down)",
            '"byxcij->bcyixj"': '"bxycij->bcyixj"',
        },
        "channels last in the picture": {
            "->bcyixj": "->byixjc",
            "turned.flatten(4, 5).flatten(2, 3)": "turned.flatten(3, 4).flatten(1, 2)",
        },
    },
)


@correct(WHOLE)
def two_cats(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    """The width first."""
    refuse(patches, patch_size, height, width)
    grid = patches.reshape(
        len(patches),
        height // patch_size,
        width // patch_size,
        patches.size(2) // patch_size**2,
        patch_size,
        patch_size,
    )
    wide = torch.cat(list(grid.unbind(2)), dim=-1)  # (batch, down, channels, patch_size, width)
    return torch.cat(list(wide.unbind(1)), dim=-2)


@disguise(WHOLE, "confetti")
def only_reshaped(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    refuse(patches, patch_size, height, width)
    return patches.flatten(1).unflatten(1, (patches.size(2) // patch_size**2, height, width))


@disguise(WHOLE, "the way there once more")
def there_again(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    refuse(patches, patch_size, height, width)
    down, across = height // patch_size, width // patch_size
    six = patches.unflatten(2, (-1, patch_size, patch_size)).unflatten(1, (down, across))
    channels = six.size(3)
    return torch.einsum("abcdef->acebdf", six).flatten(1).unflatten(1, (channels, height, width))


@disguise(WHOLE, "patches come column by column")
def filled_downwards(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    refuse(patches, patch_size, height, width)
    down, across = height // patch_size, width // patch_size
    order = torch.arange(down * across).reshape(across, down).T.flatten()
    return by_rows(patches[:, order], patch_size, height, width)


@disguise(WHOLE, "channels last within a patch")
def pixel_after_pixel(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    refuse(patches, patch_size, height, width)
    channels = patches.size(2) // patch_size**2
    by_channel = torch.cat([patches[..., one::channels] for one in range(channels)], dim=-1)
    return by_rows(by_channel, patch_size, height, width)


@disguise(WHOLE, "channels split off first")
def channel_after_channel(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    refuse(patches, patch_size, height, width)
    channels = patches.size(2) // patch_size**2
    each = patches.flatten(1).unflatten(1, (channels, -1, patch_size**2)).unbind(1)
    return torch.cat([by_rows(one, patch_size, height, width) for one in each], dim=1)


@disguise(WHOLE, "pixels within a patch turned")
def turned_within(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    refuse(patches, patch_size, height, width)
    squares = patches.unflatten(2, (-1, patch_size, patch_size)).transpose(3, 4).flatten(2)
    return by_rows(squares, patch_size, height, width)


@disguise(WHOLE, "patches between the pixels")
def spread(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    refuse(patches, patch_size, height, width)
    down, across = height // patch_size, width // patch_size
    channels = patches.size(2) // patch_size**2
    picture = patches.new_zeros(len(patches), channels, height, width)
    squares = patches.unflatten(2, (channels, patch_size, patch_size))
    for number in range(down * across):
        picture[:, :, number // across :: down, number % across :: across] = squares[:, number]
    return picture


@disguise(WHOLE, "height and width exchanged")
def on_its_side(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    return by_rows(patches, patch_size, height, width).swapaxes(-1, -2)


@disguise(WHOLE, "height and width exchanged")
def another_picture(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    refuse(patches, patch_size, height, width)
    return by_rows(patches, patch_size, width, height)


@disguise(WHOLE, "channels last in the picture")
def for_drawing(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    return torch.stack(list(by_rows(patches, patch_size, height, width).unbind(1)), dim=-1)


@disguise(WHOLE, "the picture mirrored")
def mirrored(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    return by_rows(patches, patch_size, height, width).flip(3)


@unlisted(WHOLE)
def from_the_second_patch(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    return by_rows(patches.roll(1, 1), patch_size, height, width)


@unlisted(WHOLE)
def other_channels(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    return by_rows(patches, patch_size, height, width).roll(1, 1)


@unlisted(WHOLE)
def grey(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    picture = by_rows(patches, patch_size, height, width)
    return picture.mean(1, keepdim=True).expand_as(picture)
