"""Layer normalization (Ba, Kiros, Hinton 2016) and its leaner sibling RMSNorm (Zhang, Sennrich 2019)."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


def normalize(x: Float[Tensor, "... d_model"], eps: float = 1e-5) -> Float[Tensor, "... d_model"]:
    """Bring every token to mean 0 and variance 1 over its own features.

    Args:
        x: tokens; the last dimension holds the features of one token, the others may be anything.
        eps: added to the variance, so that a token of equal features is not divided by zero.

    Returns:
        The normalized tokens, in the shape of `x`.

    Source: Ba, Kiros, Hinton, "Layer Normalization" (2016), equation 3; eps as in torch.nn.LayerNorm.
    """
    # 1. the mean of every token, kept as a dimension of size 1
    # 2. its variance over all n features
    # 3. subtract the mean, divide by √(variance + eps)
    # BEGIN SOLUTION
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x - mean).square().mean(dim=-1, keepdim=True)  # x.var(...) takes four times as long
    return (x - mean) / torch.sqrt(variance + eps)
    # END SOLUTION


class LayerNorm(nn.Module):
    """Normalize every token, then give each feature its own scale and shift.

    Args:
        d_model: number of features of a token.
        eps: added to the variance.

    Shapes: `(..., d_model)` to `(..., d_model)`.

    Source: Ba, Kiros, Hinton, "Layer Normalization" (2016), equation 4. Equals
    torch.nn.LayerNorm(d_model, eps).
    """

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Float[Tensor, "... d_model"]) -> Float[Tensor, "... d_model"]:
        # BEGIN SOLUTION
        return self.weight * normalize(x, self.eps) + self.bias
        # END SOLUTION


class RMSNorm(nn.Module):
    """Divide every token by its root mean square, then give each feature its own scale.

    Args:
        d_model: number of features of a token.
        eps: added to the mean square.

    Shapes: `(..., d_model)` to `(..., d_model)`.

    Source: Zhang, Sennrich, "Root Mean Square Layer Normalization" (2019), equation 4. Equals
    torch.nn.RMSNorm(d_model, eps); without eps, torch's own adds less.
    """

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Float[Tensor, "... d_model"]) -> Float[Tensor, "... d_model"]:
        # BEGIN SOLUTION
        mean_square = x.square().mean(dim=-1, keepdim=True)
        return self.weight * x / torch.sqrt(mean_square + self.eps)
        # END SOLUTION
