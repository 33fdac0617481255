"""Checks of PatchEmbedding."""

from collections.abc import Callable
from typing import Any

import torch

from autograder.checks.decoding.shared import raised
from autograder.checks.vision.shared import gradients, pictures, small
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.stand_ins import vision as stand_in

patch_embedding = Exercise(
    "PatchEmbedding",
    points=2,
    hints=(
        "A patch is a row of numbers, `config.patch_features` of them, and a token has `config.d_model`. What turns the one into the other, for all patches alike?",
        "```python\nself.projection = ...  # a linear layer\n```\n```python\nreturn ...             # the patches, through the layer\n```",
        "`nn.Linear(config.patch_features, config.d_model)`, and `self.projection(patchify(images, config.patch_size))`.",
    ),
    traps={
        "AttributeError: 'PatchEmbedding' object has no attribute 'projection'": "the constructor has a blank of its own: it makes `self.projection`.",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (...)": "the layer reads the last dimension, which is what a patch holds: `config.patch_features` = channels · patch_size².",
        "TypeError: patchify() missing 1 required positional argument: 'patch_size'": "`patchify(images, config.patch_size)`.",
    },
)


@patch_embedding.probe("makes a token of every patch, by one linear layer", float64=True)
def tokens_of_patches(PatchEmbedding: Callable, draw: Draw) -> Any:
    return draw.module(PatchEmbedding, small())(pictures(draw, 3, small()))


@patch_embedding.probe("makes the same token of a patch wherever it stands", float64=True)
def moved_patches(PatchEmbedding: Callable, draw: Draw) -> Any:
    module, images = draw.module(PatchEmbedding, small()), pictures(draw, 1, small())
    turned = stand_in.unpatchify(stand_in.patchify(images, 2).flip(1), 2, 4, 6)
    return {"the picture": module(images), "its patches in the opposite order": module(turned)}


@patch_embedding.probe("drops nothing: it does the same in training as in evaluation", float64=True)
def nothing_dropped(PatchEmbedding: Callable, draw: Draw) -> Any:
    module, images = draw.module(PatchEmbedding, small(dropout=1.0)), pictures(draw, 1, small())
    return {"training": module.train()(images), "evaluation": module.eval()(images)}


@patch_embedding.probe("has the right gradients, for the pictures too", rung="gradients")
def token_gradients(PatchEmbedding: Callable, draw: Draw) -> Any:
    module, images = draw.module(PatchEmbedding, small()), pictures(draw, 2, small(), requires_grad=True)
    return gradients(draw, module(images), module, images=images)


@patch_embedding.probe(
    "works for patches of one pixel, for one patch, one channel, empty pictures, and memory that is not contiguous",
    rung="edges",
    float64=True,
)
def token_edges(PatchEmbedding: Callable, draw: Draw) -> Any:
    one, whole, grey = small(patch_size=1, height=1, width=5), small(patch_size=4, width=4), small(channels=1, width=8)
    plain = draw.module(PatchEmbedding, small())
    lifted = draw.module(PatchEmbedding, small())
    with torch.no_grad():
        for bias in (one for one in lifted.parameters() if one.dim() == 1):
            bias.add_(10)
    return {
        "patches of one pixel": draw.fill(PatchEmbedding(one))(pictures(draw, 2, one, "dots")),
        "one patch": draw.fill(PatchEmbedding(whole))(pictures(draw, 2, whole, "square")),
        "one channel": draw.fill(PatchEmbedding(grey))(pictures(draw, 1, grey, "grey")),
        "an empty picture": plain(torch.zeros(1, 3, 4, 6)),
        "a bias of 10 more": lifted(pictures(draw, 1, small())),
        "channels of one colour each": plain(pictures(draw, 1, small())[..., :1, :1].repeat(1, 1, 4, 6)),
        "not contiguous": plain(draw.tensor("turned", 2, 6, 4, 3).permute(0, 3, 2, 1)),
    }


@patch_embedding.probe(
    "raises a ValueError for another number of channels, for other sides, and for no picture", rung="invariants"
)
def refuses_pictures(PatchEmbedding: Callable, draw: Draw) -> Any:
    module, images = draw.fill(PatchEmbedding(small())), pictures(draw, 2, small())
    module(images)  # the blank stub must show as blank
    return {
        "one channel for three": raised(lambda: module(images[:, :1])),
        "6 x 4 for 4 x 6": raised(lambda: module(images.transpose(2, 3))),
        "a picture without a batch": raised(lambda: module(images[0])),
        "no picture": raised(lambda: module(images[:0])),
    }
