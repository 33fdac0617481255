"""What the checks of lesson 19 share: sounds of different lengths in one batch."""

from typing import Any

import torch
from torch import Tensor

from autograder.probing.draws import Draw
from autograder.stand_ins.hearing import TranscriberConfig

BINS, PAD, EOS, VOCAB = 5, 3, 1, 9


def small(**other: Any) -> TranscriberConfig:
    """Sizes of a tiny model, all different, and a padding that is not 0."""
    sizes: dict[str, Any] = dict(d_model=8, num_heads=2, num_layers=1, d_ff=12, dropout=0.0, max_len=20, pad_id=PAD)
    return TranscriberConfig(**dict(num_bins=BINS, vocab_size=VOCAB) | sizes | other)


def mask_of(draw: Draw, *lengths: int, name: str = "mask", beyond: int = 0) -> Tensor:
    """True for the first frames of each row, with so much padding behind the longest."""
    return draw.keep(name, torch.arange(max(lengths) + beyond) < torch.tensor(lengths)[:, None])


def real_only(found: Any, *masks: Tensor) -> Any:
    """Zeros where there was padding, by the first mask that fits, as what stands there has no meaning."""
    for mask in masks:
        if isinstance(found, Tensor) and found.dim() == 3 and found.shape[:2] == mask.shape:
            return found.masked_fill(~mask[..., None], 0.0)
    return found


def some_texts(draw: Draw, *lengths: int, name: str = "tgt_ids") -> Tensor:
    """Tokens that are not padding, filled up with padding."""
    drawn = draw.integers(f"{name} drawn", len(lengths), max(lengths), high=VOCAB - 1)
    beyond = torch.arange(max(lengths)) >= torch.tensor(lengths)[:, None]
    return draw.keep(name, (drawn + (drawn >= PAD)).masked_fill(beyond, PAD))
