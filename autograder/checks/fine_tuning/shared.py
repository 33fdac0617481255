"""What the checks of lesson 16 share: a model that stands in for BERT."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.draws import Draw

VOCAB, D_MODEL, PAD = 11, 6, 4


class Reader(nn.Module):
    """Stands in for BERT: what it makes of a token depends on the token, its segment, and all that it may read."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.config = SimpleNamespace(
            vocab_size=VOCAB,
            d_model=D_MODEL,
            num_heads=2,
            num_layers=1,
            d_ff=12,
            dropout=dropout,
            max_len=20,
            pad_id=PAD,
        )
        self.table, self.segments = nn.Embedding(VOCAB, D_MODEL), nn.Embedding(2, D_MODEL)
        self.mix, self.pooler = nn.Linear(D_MODEL, D_MODEL), nn.Linear(D_MODEL, D_MODEL)

    def forward(
        self, ids: Tensor, segment_ids: Tensor | None = None, mask: Tensor | None = None, return_weights: bool = False
    ) -> Any:
        """`(hidden, pooled)`, and with return_weights a list of one tensor."""
        if segment_ids is None:
            segment_ids = torch.zeros_like(ids)
        if mask is None:
            mask = (ids != PAD)[:, None, None, :]
        batch, seq_len = ids.shape
        x = self.table(ids) + self.segments(segment_ids)
        seen = mask.expand(batch, 1, seq_len, seq_len)[:, 0].to(x.dtype)  # (batch, seq_len, seq_len)
        weights = seen / seen.sum(dim=-1, keepdim=True).clamp(min=1)
        hidden = self.mix(x + weights @ x)
        pooled = torch.tanh(self.pooler(hidden[:, 0]))
        return (hidden, pooled, [weights.unsqueeze(1)]) if return_weights else (hidden, pooled)


def number_after(seed: int, used: Callable[[], object]) -> float:
    """What random number follows where this seed was set and something was done."""
    torch.default_generator.manual_seed(seed)
    used()
    return torch.rand(()).item()


def whose_luck(used: Callable[[], object]) -> str:
    """Whether the random numbers that follow are still the caller's."""
    followed = {number_after(seed, used) for seed in (1, 2, 3)}
    return "as the caller's seed says" if len(followed) == 3 else "the same, whatever the caller's seed was"


def texts(draw: Draw, *lengths: int, name: str = "ids") -> Tensor:
    """Texts of these lengths, filled up with padding."""
    drawn = draw.integers(f"{name} drawn", len(lengths), max(lengths), high=VOCAB - 1)
    drawn = drawn + (drawn >= PAD)
    beyond = torch.arange(max(lengths)) >= torch.tensor(lengths)[:, None]
    return draw.keep(name, drawn.masked_fill(beyond, PAD))


def segments(draw: Draw, ids: Tensor) -> Tensor:
    """0 up to some place of each text, 1 after it."""
    border = draw.integers("border", len(ids), 1, low=1, high=max(2, ids.size(1)))
    return draw.keep("segment_ids", (torch.arange(ids.size(1)) >= border).long())


def some_mask(draw: Draw, ids: Tensor) -> Tensor:
    """Who may read whom, drawn; everybody reads itself."""
    size = ids.size(1)
    drawn = draw.booleans("may read", len(ids), 1, size, size)
    return draw.keep("mask", drawn | torch.eye(size, dtype=torch.bool))
