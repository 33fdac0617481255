"""Lesson 18: what an adversary wrote, in other words than the mistakes' own; mostly slips in trunks that are here."""

import torch
from torch import Tensor, nn

from tests.variants import disguise, slips
from tests.variants.vision import models, patches, pictures, rollouts

slips(
    "patchify",
    patches.by_slices,
    {
        "height and width exchanged": {
            "images[:, :, top : top + patch_size, left : left + patch_size]": (
                "images[:, :, left : left + patch_size, top : top + patch_size]"
            )
        },
    },
)
slips(
    "unpatchify",
    pictures.into_an_empty_one,
    {
        "height and width exchanged": {
            "picture[:, :, top : top + patch_size, left : left + patch_size]": (
                "picture[:, :, left : left + patch_size, top : top + patch_size]"
            )
        },
        "the dimensions in another order": {
            ".reshape(-1, channels, patch_size, patch_size)": (
                ".reshape(-1, patch_size, patch_size, channels).transpose(1, 3)"
            )
        },
    },
)
slips(
    "unpatchify",
    pictures.split_and_turned,
    {
        "the way there once more": {"byxcij->bcyixj": "byxcij->bxiycj"},
        "confetti": [{"byxcij->bcyixj": "byxcij->byxcij"}, {"byxcij->bcyixj": "byxcij->bcyxij"}],
    },
)
slips(
    "attention_rollout",
    rollouts.from_the_first,
    {
        "weights turned before they are multiplied": [
            {"step @ total": "step.mT @ total.mT"},
            {"step @ total": "(step @ total).mT"},
            {"step @ total": "step @ total.mT"},
        ],
    },
)
slips(
    "VisionTransformer",
    models.AsManyWrite,
    {
        "one position for all": {"x + self.positions": "x + self.positions[0, : len(x), None]"},
    },
)


@disguise("VisionTransformer", "a batch in the parameter")
class MadeForThirtyTwo(models.Parts):
    def make(self) -> None:
        super().make()
        self.class_token = nn.Parameter(torch.randn(32, 1, self.config.d_model))


slips(
    "patchify",
    patches.by_slices,
    {
        "the patches in the opposite order": [
            {"square.flatten(1)": "square.flip(-1).flatten(1)"},
            {"square.flatten(1)": "square.flip(-2).flatten(1)"},
        ],
        "overlapping patches": [
            {"range(0, images.size(2), patch_size)": "range(images.size(2) - patch_size + 1)"},
            {"range(0, images.size(3), patch_size)": "range(images.size(3) - patch_size + 1)"},
        ],
    },
)
slips(
    "patchify",
    patches.by_split,
    {
        "the patches in the opposite order": [
            {"images.split(patch_size, dim=2)": "images.split(patch_size, dim=2)[::-1]"},
            {"row.split(patch_size, dim=3)": "row.split(patch_size, dim=3)[::-1]"},
        ],
    },
)
slips(
    "unpatchify",
    pictures.into_an_empty_one,
    {
        "the picture mirrored": [
            {"(-1, channels, patch_size, patch_size)": "(-1, channels, patch_size, patch_size).flip(2)"},
            {"(-1, channels, patch_size, patch_size)": "(-1, channels, patch_size, patch_size).flip(3)"},
        ],
    },
)
slips(
    "unpatchify",
    pictures.by_rows,
    {
        "the picture mirrored": {".unbind(1)": ".unbind(1)[::-1]"},
        "height and width exchanged": {
            "torch.cat([torch.cat(row, dim=3)": "torch.cat([torch.cat(row, dim=2)",
            "for row in rows], dim=2)": "for row in rows], dim=3)",
        },
    },
)
slips(
    "attention_rollout",
    rollouts.from_the_first,
    {
        "the identity added and not halved": {"return total": "return total * 2 ** (len(weights) - 1)"},
        "the columns made to sum to 1": {"return total": "return total / total.sum(1, keepdim=True)"},
    },
)


@disguise("VisionTransformer", "the mode is changed")
class InEvaluation(models.Parts):
    def row(self, images: Tensor) -> Tensor:
        self.train(False)
        return super().row(images)


@disguise("VisionTransformer", "the mode is changed")
class EncoderInEvaluation(models.Parts):
    def placed(self, row: Tensor) -> Tensor:
        for part in self.encoder.modules():
            part.training = False
        return super().placed(row)


@disguise("VisionTransformer", "the mode is changed")
class InTraining(models.Parts):
    def first(self, count: int) -> Tensor:
        self.train()
        return super().first(count)


@disguise("VisionTransformer", "no class token")
class PatchesAlone(models.Parts):
    def make(self) -> None:
        super().make()
        self.positions = nn.Parameter(torch.randn(1, self.config.num_patches, self.config.d_model))

    def row(self, images: Tensor) -> Tensor:
        return self.patch_embedding(images)


@disguise("patchify", "height and width exchanged")
def on_its_side(images: Tensor, patch_size: int) -> Tensor:
    patches.refuse(images, patch_size)
    return patches.by_slices(images.mT.contiguous().view(images.shape), patch_size)
