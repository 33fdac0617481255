"""What a layer does besides attending: the feed-forward network, and "Add & Norm" around every sublayer."""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn


def gelu(x: Float[Tensor, "..."], approximate: str = "none") -> Float[Tensor, "..."]:
    """Multiply x by the probability that a draw from the standard normal distribution lies below it.

    Args:
        x: any numbers; each is treated by itself.
        approximate: "none" for x · ½ (1 + erf(x / √2)), the exact formula; "tanh" for the one with
            x · ½ (1 + tanh(√(2/π) (x + 0.044715 x³))), which older models were trained with.

    Returns:
        The activated numbers.

    Raises:
        ValueError: if approximate is neither.

    Source: Hendrycks, Gimpel, "Gaussian Error Linear Units" (2016), section 2; equals
    torch.nn.functional.gelu.
    """
    if approximate not in ("none", "tanh"):
        raise ValueError(f"approximate={approximate!r}; give 'none' or 'tanh'")
    # 1. the curve that rises from -1 to 1: erf, or tanh when that is asked for
    # 2. x times the share that passes, which is half of 1 + curve
    # BEGIN SOLUTION
    if approximate == "tanh":
        curve = torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    else:
        curve = torch.erf(x / math.sqrt(2))
    return 0.5 * x * (1 + curve)
    # END SOLUTION


class FeedForward(nn.Module):
    """Work on every token by itself: widen it, bend it, and bring it back to its width.

    Args:
        d_model: number of features of a token.
        d_ff: number of features in between; 4 · d_model in the paper.
        dropout: share of the features in between that training sets to zero.
        activation: "relu", as in the paper, or "gelu".

    Raises:
        ValueError: if activation is neither.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.3, equation 2; the dropout
    as in torch.nn.TransformerEncoderLayer.
    """

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0, activation: str = "relu") -> None:
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation={activation!r}; give 'relu' or 'gelu'")
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)
        self.activation = torch.relu if activation == "relu" else gelu

    def forward(self, x: Float[Tensor, "... d_model"]) -> Float[Tensor, "... d_model"]:
        """Widen, activate, drop out, narrow."""
        # BEGIN SOLUTION
        widened = self.activation(self.linear1(x))  # (..., d_ff)
        return self.linear2(self.dropout(widened))  # (..., d_model)
        # END SOLUTION


def add_norm(
    x: Float[Tensor, "... d_model"],
    sublayer: Callable[[Tensor], Tensor],
    norm: Callable[[Tensor], Tensor],
    dropout: Callable[[Tensor], Tensor],
    norm_first: bool = False,
) -> Float[Tensor, "... d_model"]:
    """Add to the tokens what a sublayer makes of them, and normalize.

    Args:
        x: tokens.
        sublayer: attention or feed-forward, as a function of one tensor.
        norm: layer normalization.
        dropout: acts on what the sublayer made, before it is added.
        norm_first: False for post-norm, as in the paper: the sum is normalized. True for pre-norm:
            what the sublayer reads is normalized, and the sum stays as it is.

    Returns:
        The tokens after this step; `x` itself is not changed.

    Source: Vaswani et al., "Attention Is All You Need" (2017), sections 3.1 and 5.4 (post-norm);
    Xiong et al., "On Layer Normalization in the Transformer Architecture" (2020), table 1 (pre-norm).
    """
    # BEGIN SOLUTION
    if norm_first:
        return x + dropout(sublayer(norm(x)))
    return norm(x + dropout(sublayer(x)))
    # END SOLUTION


class SwiGLU(nn.Module):
    """A feed-forward network in which one linear layer gates what another one makes.

    Args:
        d_model: number of features of a token.
        d_ff: number of features in between.

    Source: Shazeer, "GLU Variants Improve Transformer" (2020), equation 6.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Float[Tensor, "... d_model"]) -> Float[Tensor, "... d_model"]:
        """Multiply the features by their gates, swish(z) = z · sigmoid(z), and narrow."""
        # BEGIN SOLUTION
        gates = self.gate(x)  # (..., d_ff)
        return self.down(gates * torch.sigmoid(gates) * self.up(x))  # (..., d_model)
        # END SOLUTION
