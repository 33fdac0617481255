"""Checks of cutting pictures up and putting them together: patchify and unpatchify."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding.shared import raised
from autograder.checks.vision.shared import numbered
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.stand_ins import vision as stand_in

NEEDS_DIVISOR = "`patch_size` has to divide both sides, so that no patch is cut in two."
TOO_MANY = "`reshape` may split a dimension or put neighbours together, and the number of numbers stays. Multiply the sizes that you ask for."

# patchify ----------------------------------------------------------------------------

patchify = Exercise(
    "patchify",
    points=3,
    forbidden=("im2col", "pixel_unshuffle"),
    hints=(
        "Draw a picture of 4 x 6 pixels with squares of 2. Two rows of patches, and two rows of pixels in each of them: so the height, 4, is 2 times 2. `reshape` can split it just so. Which of the two numbers changes when you go one pixel down, and which after two?",
        "```python\ndown, across = ...   # how many patches fit, each way\ngrid = ...           # (batch, channels, down, patch_size, across, patch_size)\ngrid = ...           # (batch, down, across, channels, patch_size, patch_size)\nreturn ...           # (batch, down * across, channels * patch_size * patch_size)\n```",
        "`images.reshape(batch, channels, down, patch_size, across, patch_size)`, then `.permute(0, 2, 4, 1, 3, 5)`, then a second `reshape` to three dimensions.",
    ),
    traps={
        "RuntimeError: shape '[...]' is invalid for input of size ...": TOO_MANY,
        "RuntimeError: view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.": "after a `permute` the numbers no longer lie in memory in their order, and `view` can only count through memory. `reshape` copies where it has to.",
        "RuntimeError: permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = ... is not equal to len(dims) = ...": "`permute` names all dimensions once. Split height and width first: then there are six.",
        "TypeError: reshape(): argument 'shape' failed to unpack the object at pos ... with error \"type must be tuple of ints,but got float\"": "`/` gives a float. A number of patches is whole: `//`.",
    },
)


@patchify.probe("cuts a picture whose pixels are numbered into squares, row by row, channel by channel within one")
def numbered_pixels(patchify: Callable, draw: Draw) -> Any:
    return patchify(numbered(draw, 1, 3, 4, 6), 2)


@patchify.probe("cuts every picture of a batch, with other sides and another patch size")
def several_pictures(patchify: Callable, draw: Draw) -> Any:
    return patchify(draw.tensor("images", 4, 2, 6, 9), 3)


@patchify.probe("cuts pictures that are higher than wide")
def higher_than_wide(patchify: Callable, draw: Draw) -> Any:
    return patchify(draw.tensor("images", 2, 3, 8, 4), 2)


@patchify.probe("cuts square pictures")
def square_pictures(patchify: Callable, draw: Draw) -> Any:
    return patchify(draw.tensor("images", 2, 2, 4, 4), 2)


@patchify.probe("hands the gradient of every number back to its pixel", rung="gradients")
def patch_gradients(patchify: Callable, draw: Draw) -> Any:
    images = draw.tensor("images", 2, 3, 4, 6, requires_grad=True)
    return draw.gradients(patchify(images, 2), images=images)


@patchify.probe(
    "works for patches of one pixel, for one patch, one channel, and memory that is not contiguous",
    rung="edges",
)
def patch_edges(patchify: Callable, draw: Draw) -> Any:
    images = draw.tensor("images", 2, 3, 4, 6)
    return {
        "patches of one pixel": patchify(images, 1),
        "one patch": patchify(draw.tensor("square", 2, 3, 4, 4), 4),
        "one channel": patchify(draw.tensor("grey", 3, 1, 4, 8), 2),
        "not contiguous": patchify(draw.tensor("turned", 2, 6, 4, 3).permute(0, 3, 2, 1), 2),
    }


@patchify.probe("gives every picture a row for each patch, and each row as many numbers", rung="invariants")
def sizes_of_patches(patchify: Callable, draw: Draw) -> Any:
    patches = patchify(draw.tensor("images", 4, 5, 6, 14), 2)
    if not isinstance(patches, Tensor):
        return patches
    return dict(zip(("pictures", "rows", "numbers", "beyond", "further", "last"), patches.shape, strict=False))


@patchify.probe(
    "raises a ValueError where patch_size does not divide a side, for a picture without a batch, and for a batch without a picture",
    rung="invariants",
)
def refuses_sides(patchify: Callable, draw: Draw) -> Any:
    images = draw.tensor("images", 2, 3, 4, 6)
    patchify(images, 2)  # the blank stub must show as blank
    return {
        "4 x 6 in squares of 3": raised(lambda: patchify(images, 3)),
        "4 x 6 in squares of 4": raised(lambda: patchify(images, 4)),
        "squares of 0": raised(lambda: patchify(images, 0)),
        "(channels, height, width)": raised(lambda: patchify(images[0], 2)),
        "no picture": raised(lambda: patchify(images[:0], 2)),
    }


# unpatchify ----------------------------------------------------------------------------

unpatchify = Exercise(
    "unpatchify",
    points=2,
    forbidden=("col2im", "pixel_shuffle"),
    hints=(
        "Read `patchify` from its last line to its first. What did its last `reshape` put together, and what does its `permute` look like the other way round?",
        "```python\ndown, across = ...   # how many patches fit, each way\nchannels = ...       # from the features\ngrid = ...           # (batch, down, across, channels, patch_size, patch_size)\ngrid = ...           # (batch, channels, down, patch_size, across, patch_size)\nreturn ...           # (batch, channels, height, width)\n```",
        "`patches.reshape(batch, down, across, channels, patch_size, patch_size)`, then `.permute(0, 3, 1, 4, 2, 5)`: the channels come from place 3, the rows of patches from place 1, the rows within one from place 4.",
    ),
    traps={
        "RuntimeError: shape '[...]' is invalid for input of size ...": TOO_MANY
        + " The number of channels is `features // patch_size**2`.",
        "RuntimeError: view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.": "after a `permute` the numbers no longer lie in memory in their order, and `view` can only count through memory. `reshape` copies where it has to.",
        "TypeError: reshape(): argument 'shape' failed to unpack the object at pos ... with error \"type must be tuple of ints,but got float\"": "`/` gives a float. Numbers of patches and of channels are whole: `//`.",
    },
)


def cut(images: Tensor, patch_size: int) -> Tensor:
    """What a right `patchify` gives."""
    return stand_in.patchify(images, patch_size)


@unpatchify.probe("puts a picture whose pixels are numbered together again")
def numbered_again(unpatchify: Callable, draw: Draw) -> Any:
    return unpatchify(cut(numbered(draw, 1, 3, 4, 6), 2), 2, 4, 6)


@unpatchify.probe("puts every picture of a batch together, with other sides and another patch size")
def several_again(unpatchify: Callable, draw: Draw) -> Any:
    return unpatchify(draw.tensor("patches", 4, 6, 18), 3, 6, 9)


@unpatchify.probe("puts pictures together that are higher than wide")
def higher_again(unpatchify: Callable, draw: Draw) -> Any:
    return unpatchify(draw.tensor("patches", 2, 8, 12), 2, 8, 4)


@unpatchify.probe("puts square pictures together")
def square_again(unpatchify: Callable, draw: Draw) -> Any:
    return unpatchify(draw.tensor("patches", 2, 4, 8), 2, 4, 4)


@unpatchify.probe("hands the gradient of every pixel back to its patch", rung="gradients")
def picture_gradients(unpatchify: Callable, draw: Draw) -> Any:
    patches = draw.tensor("patches", 2, 6, 12, requires_grad=True)
    return draw.gradients(unpatchify(patches, 2, 4, 6), patches=patches)


@unpatchify.probe(
    "works for patches of one pixel, for one patch, one channel, and memory that is not contiguous",
    rung="edges",
)
def picture_edges(unpatchify: Callable, draw: Draw) -> Any:
    patches = draw.tensor("patches", 2, 24, 3)
    return {
        "patches of one pixel": unpatchify(patches, 1, 4, 6),
        "one patch": unpatchify(draw.tensor("square", 2, 1, 48), 4, 4, 4),
        "one channel": unpatchify(draw.tensor("grey", 3, 8, 4), 2, 4, 8),
        "not contiguous": unpatchify(draw.tensor("turned", 2, 12, 6).transpose(1, 2), 2, 4, 6),
    }


@unpatchify.probe("raises a ValueError for sizes that do not fit together", rung="invariants")
def refuses_patches(unpatchify: Callable, draw: Draw) -> Any:
    patches = draw.tensor("patches", 2, 6, 12)
    unpatchify(patches, 2, 4, 6)  # the blank stub must show as blank
    return {
        "4 x 6 in squares of 3": raised(lambda: unpatchify(patches, 3, 4, 6)),
        "no picture": raised(lambda: unpatchify(patches[:0], 2, 4, 6)),
        "6 patches for 4 x 4": raised(lambda: unpatchify(patches, 2, 4, 4)),
        "11 features in squares of 2": raised(lambda: unpatchify(patches[:, :, :11], 2, 4, 6)),
        "squares of 0": raised(lambda: unpatchify(torch.ones(1, 1, 1), 0, 4, 6)),
    }
