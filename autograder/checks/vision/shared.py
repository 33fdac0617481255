"""What the checks of lesson 18 share."""

from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.draws import Draw
from autograder.stand_ins.vision import VisionConfig


def small(**other: Any) -> VisionConfig:
    """Sizes of a tiny model, all different: pictures of three channels, wider than high, six patches."""
    sizes: dict[str, Any] = dict(height=4, width=6, channels=3, patch_size=2, num_classes=5)
    more: dict[str, Any] = dict(d_model=8, num_heads=2, num_layers=3, d_ff=11, dropout=0.0)
    return VisionConfig(**sizes | more | other)


def pictures(draw: Draw, batch: int, config: VisionConfig, name: str = "images", **more: Any) -> Tensor:
    """Drawn ones, of the sizes that a config says."""
    return draw.tensor(name, batch, config.channels, config.height, config.width, **more)


def numbered(draw: Draw, *shape: int) -> Tensor:
    """Pictures whose pixels are numbered from 0 on, channel by channel and row by row."""
    count = int(torch.tensor(shape).prod())
    return draw.keep("images", torch.arange(count, dtype=torch.get_default_dtype()).reshape(shape))


def gradients(draw: Draw, output: Tensor, module: nn.Module, **more: Tensor) -> dict[str, Tensor | None]:
    """Those of all parameters, and of more; None for a parameter that wants none."""
    wanted = dict(module.named_parameters())
    found = draw.gradients(output, **more, **{name: one for name, one in wanted.items() if one.requires_grad})
    return {name: found.get(name) for name in (*more, *wanted)}
