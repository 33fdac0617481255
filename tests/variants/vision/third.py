"""Lesson 18: what an adversary wrote, in other words than the mistakes' own; mostly slips in trunks that are here."""

import torch
from torch import nn

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
