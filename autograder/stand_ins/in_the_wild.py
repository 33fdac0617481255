"""Lesson 21, the rooms once more: repairs and probes, written another way."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.watch import outside_the_watch
from autograder.stand_ins.gpt import GPT, GPTConfig


@outside_the_watch
def init_residuals_(model: GPT) -> None:
    """Smaller first numbers for what is added to the tokens."""
    blocks: Any = model.layers
    parts = [part for block in blocks for part in (block.self_attn.out_proj, block.feed_forward.linear2)]
    for part in parts:
        nn.init.normal_(part.weight, std=0.02 * len(parts) ** -0.5)


@outside_the_watch
def shows_unscaled_residuals(implementation: Callable[[GPT], None]) -> bool:
    """Whether a GPT comes back otherwise than promised, in one of three depths."""
    return any(_breaks_its_promise(implementation, depth) for depth in (1, 3, 6))


def _breaks_its_promise(implementation: Callable[[GPT], None], depth: int) -> bool:
    model = GPT(GPTConfig(5, d_model=40, num_heads=4, num_layers=depth, d_ff=60, max_len=3))
    before = {name: value.clone() for name, value in model.state_dict().items()}
    implementation(model)
    after = model.state_dict()
    written = {name for name in after if name.split(".")[-2] in ("out_proj", "linear2") and name.endswith("weight")}
    moved = any(not torch.equal(after[name], before[name]) for name in after.keys() - written)
    return moved or any(_is_off(after[name], 0.02 * (2 * depth) ** -0.5) for name in written)


def _is_off(numbers: Tensor, wanted: float) -> bool:
    return not 0.88 < float(numbers.square().mean().sqrt()) / wanted < 1.12
