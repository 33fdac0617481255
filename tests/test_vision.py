"""Lesson 18: the reference and its stand-ins against torch's own operators, each other, and bad input."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from autograder.stand_ins import vision as stand_ins
from solutions import vision as reference

BOTH = pytest.mark.parametrize("ours", [reference, stand_ins], ids=["reference", "stand-in"])
SIZES = [(1, 3, 4, 6, 2), (3, 2, 6, 9, 3), (2, 1, 8, 8, 2), (2, 5, 4, 4, 4), (2, 3, 5, 7, 1)]


def config(ours: Any, **other: Any) -> Any:
    """Sizes of a tiny model."""
    sizes = dict(height=4, width=6, channels=3, patch_size=2, num_classes=5, d_model=8, num_heads=2, d_ff=11)
    return ours.VisionConfig(**sizes | other)


@BOTH
@pytest.mark.parametrize(("batch", "channels", "height", "width", "side"), SIZES)
def test_patches_are_those_of_unfold_and_go_back(
    ours: Any, batch: int, channels: int, height: int, width: int, side: int
) -> None:
    images = torch.randn(batch, channels, height, width)
    patches = ours.patchify(images, side)
    assert torch.equal(patches, F.unfold(images, side, stride=side).transpose(1, 2))
    assert torch.equal(ours.unpatchify(patches, side, height, width), images)


@BOTH
def test_the_embedding_is_a_convolution(ours: Any) -> None:
    torch.manual_seed(0)
    made = ours.PatchEmbedding(config(ours)).double()
    kernel = made.projection.weight.reshape(8, 3, 2, 2)
    images = torch.randn(3, 3, 4, 6, dtype=torch.float64)
    theirs = F.conv2d(images, kernel, made.projection.bias, stride=2).flatten(2).transpose(1, 2)
    torch.testing.assert_close(made(images), theirs)


def test_reference_and_stand_in_are_one_model() -> None:
    torch.manual_seed(0)
    mine, theirs = (
        ours.VisionTransformer(config(ours, dropout=0.3)).double().eval() for ours in (reference, stand_ins)
    )
    theirs.load_state_dict(mine.state_dict())
    images = torch.randn(3, 3, 4, 6, dtype=torch.float64)
    (logits, weights), (other, others) = (model(images, return_weights=True) for model in (mine, theirs))
    torch.testing.assert_close(logits, other)
    torch.testing.assert_close(reference.attention_rollout(weights), stand_ins.attention_rollout(others))
    for new in ((4, 5), (1, 1), (2, 3)):
        tables = [ours.interpolate_positions(mine.positions, (2, 3), new) for ours in (reference, stand_ins)]
        torch.testing.assert_close(*tables)


@BOTH
def test_both_tables_begin_small_and_are_learned(ours: Any) -> None:
    torch.manual_seed(0)
    model = ours.VisionTransformer(ours.VisionConfig())
    for one in (model.class_token, model.positions):
        assert isinstance(one, nn.Parameter) and 0.01 < one.std() < 0.03


@BOTH
def test_rollout_keeps_shares(ours: Any) -> None:
    weights = [torch.randn(2, 4, 5, 5).softmax(-1) for _ in range(6)]
    torch.testing.assert_close(ours.attention_rollout(weights).sum(-1), torch.ones(2, 5))


IMAGES = torch.zeros(2, 3, 4, 6)
WRONG: list[tuple[Callable[[Any], Any], str]] = [
    (lambda ours: ours.patchify(IMAGES, 4), "patch_size=4 does not divide 4 x 6; give a divisor of both"),
    (lambda ours: ours.patchify(IMAGES, 0), "patch_size=0 does not divide 4 x 6"),
    (lambda ours: ours.patchify(IMAGES[0], 2), "images has shape (3, 4, 6); give (1 or more, channels, height, width)"),
    (lambda ours: ours.patchify(IMAGES[:0], 2), "images has shape (0, 3, 4, 6); give (1 or more"),
    (lambda ours: ours.unpatchify(torch.zeros(2, 6, 12), 4, 4, 6), "patch_size=4 does not divide 4 x 6"),
    (
        lambda ours: ours.unpatchify(torch.zeros(2, 5, 12), 2, 4, 6),
        "patches has shape (2, 5, 12); 4 x 6 in squares of 2",
    ),
    (lambda ours: ours.unpatchify(torch.zeros(0, 6, 12), 2, 4, 6), "give (1 or more, 6, features)"),
    (lambda ours: ours.unpatchify(torch.zeros(2, 6, 11), 2, 4, 6), "11 features; give channels * 4 for patch_size=2"),
    (lambda ours: config(ours, patch_size=3), "patch_size=3 does not divide 4 x 6; give a divisor of both"),
    (
        lambda ours: ours.PatchEmbedding(config(ours))(IMAGES[:, :1]),
        "images has shape (2, 1, 4, 6); give (1 or more, 3, 4, 6)",
    ),
    (
        lambda ours: ours.VisionTransformer(config(ours))(IMAGES.mT),
        "images has shape (2, 3, 6, 4); give (1 or more, 3, 4, 6)",
    ),
    (lambda ours: ours.VisionTransformer(config(ours))(IMAGES[:0]), "images has shape (0, 3, 4, 6)"),
    (lambda ours: ours.VisionTransformer(config(ours, num_heads=3)), "d_model=8 is not divisible by num_heads=3"),
    (lambda ours: ours.attention_rollout([]), "weights of no layer; give those of one layer at least"),
    (
        lambda ours: ours.interpolate_positions(torch.zeros(1, 7, 4), (3, 3), (4, 4)),
        "table has 7 rows; for 3 x 3 patches give 10",
    ),
    (lambda ours: ours.interpolate_positions(torch.zeros(1, 7, 4), (2, 3), (0, 4)), "new=(0, 4); give 1 or more"),
]


@BOTH
@pytest.mark.parametrize(("call", "said"), WRONG, ids=[said for _, said in WRONG])
def test_bad_input_is_refused_in_words(ours: Any, call: Callable[[Any], Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        call(ours)
