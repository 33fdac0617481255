"""Lesson 05 on torch.nn.functional."""

from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor, nn

from autograder.probing.watch import outside_the_watch


@outside_the_watch
def gelu(x: Tensor, approximate: str = "none") -> Tensor:
    """Let a number through to the degree that it is large."""
    if approximate not in ("none", "tanh"):
        raise ValueError(f"approximate={approximate!r}; give 'none' or 'tanh'")
    return F.gelu(x, approximate=approximate)


@outside_the_watch
class FeedForward(nn.Module):
    """Work on every token by itself: widen, activate, drop out, narrow."""

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation={activation!r}; give 'relu' or 'gelu'")
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)
        self.activation = getattr(F, activation)

    def forward(self, x: Tensor) -> Tensor:
        """Widen, activate, drop out, narrow."""
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


@outside_the_watch
def add_norm(
    x: Tensor,
    sublayer: Callable[[Tensor], Tensor],
    norm: Callable[[Tensor], Tensor],
    dropout: Callable[[Tensor], Tensor],
    norm_first: bool = False,
) -> Tensor:
    """Add to the tokens what a sublayer makes of them, and normalize."""
    added = x + dropout(sublayer(norm(x) if norm_first else x))
    return added if norm_first else norm(added)


@outside_the_watch
class SwiGLU(nn.Module):
    """A feed-forward network in which one linear layer gates what another one makes."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Gate and narrow."""
        return self.down(F.silu(self.gate(x)) * self.up(x))
