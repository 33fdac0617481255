"""Faults that much used projects have shipped: each repaired, and a probe that shows it, whoever wrote the code."""

import math
from collections.abc import Callable

import torch
from torch import nn

from solutions.gpt import GPT, GPTConfig

# Room 1 ----------------------------------------------------------------------------


def init_residuals_(model: GPT) -> None:
    """Draw the matrices of a GPT that write to the tokens anew, the smaller the more blocks there are.

    They are the attention's `out_proj.weight` and the feed-forward network's `linear2.weight` of every block: normal
    around 0 with a standard deviation of 0.02 / √(2 · num_layers). All other parameters stay as they are.

    Args:
        model: a GPT; these of its parameters are changed.

    Source: Radford et al., "Language Models are Unsupervised Multitask Learners" (2019), section 2.3.
    """
    # BEGIN SOLUTION
    smaller = 0.02 / math.sqrt(2 * len(model.layers))
    for name, parameter in model.named_parameters():
        if name.endswith(("out_proj.weight", "linear2.weight")):
            nn.init.normal_(parameter, std=smaller)
    # END SOLUTION


@torch.no_grad()
def shows_unscaled_residuals(implementation: Callable[[GPT], None]) -> bool:
    """Say whether an implementation of `init_residuals_` breaks its promise.

    Args:
        implementation: takes a GPT and changes it; its code is not looked at.

    Returns:
        True where some matrix that writes to the tokens is more than a tenth off its spread, or where a parameter is
        another than before that should stay.
    """
    # 1. GPTs of several depths, each wide enough that chance moves a spread by little
    # 2. their parameters before, and after the implementation has been called
    # 3. what should have its spread, and what should have stayed
    # BEGIN SOLUTION
    for num_layers in (2, 5):
        model = GPT(GPTConfig(7, d_model=48, num_heads=2, num_layers=num_layers, d_ff=64, max_len=4))
        before = {name: parameter.clone() for name, parameter in model.named_parameters()}
        implementation(model)
        wanted = 0.02 / math.sqrt(2 * num_layers)
        for name, parameter in model.named_parameters():
            if name.endswith(("out_proj.weight", "linear2.weight")):
                if abs(parameter.std() / wanted - 1) > 0.1:
                    return True
            elif not torch.equal(parameter, before[name]):
                return True
    return False
    # END SOLUTION
