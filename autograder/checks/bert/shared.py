"""What the checks of lesson 15 share."""

from typing import Any

import torch
from torch import Tensor

from autograder.probing.draws import Draw
from autograder.stand_ins.bert import BertConfig

KINDS = ("learned", "rotary")
PAD = 3


def small(**other: Any) -> BertConfig:
    """Sizes of a tiny model, all different, and a padding that is not 0."""
    sizes: dict[str, Any] = dict(d_model=8, num_heads=2, num_layers=3, d_ff=12, dropout=0.0, max_len=6, pad_id=3)
    return BertConfig(**dict(vocab_size=11) | sizes | other)


def uniform(draw: Draw, name: str, *shape: int) -> Tensor:
    """Draws from between 0 and 1."""
    return draw.keep(name, torch.special.ndtr(draw.tensor(f"{name}, before", *shape)))


def shuffled(draw: Draw, name: str, length: int) -> Tensor:
    """0 to length - 1 in a drawn order."""
    return draw.tensor(f"{name}, in order", length).argsort()


def texts(draw: Draw, batch: int, seq_len: int, name: str = "ids") -> Tensor:
    """Ids of some texts; the second place of each holds padding, so that what treats it otherwise always shows."""
    drawn = draw.integers(f"{name} drawn", batch, seq_len, high=11)
    return draw.keep(name, drawn.where(torch.arange(seq_len) != 1, PAD))


def halves(draw: Draw, batch: int, seq_len: int, name: str = "segment_ids") -> Tensor:
    """Segments of rows, each of which changes at another place; the first row after two tokens."""
    starts = (torch.arange(batch) + 2) % seq_len + (torch.arange(batch) + 2) // seq_len
    return draw.keep(name, (torch.arange(seq_len) >= starts[:, None]).long())
