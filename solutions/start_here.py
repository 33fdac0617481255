"""Softmax: from scores to weights (Bridle 1990), written so that neither large scores nor masked rows break it."""

import torch
from jaxtyping import Float
from torch import Tensor


def softmax(x: Float[Tensor, "..."], dim: int = -1) -> Float[Tensor, "..."]:
    """Turn scores into weights: none negative, larger for larger scores, and summing to 1 along one dimension.

    Args:
        x: scores of any shape; -inf stands for "has no weight".
        dim: the dimension along which the weights sum to 1.

    Returns:
        The weights, in the shape of `x`. Where all scores along `dim` are -inf, all weights are 0.

    Source: Bridle, "Probabilistic Interpretation of Feedforward Classification Network Outputs" (1990); subtracting the
        largest score: Goodfellow, Bengio, Courville, "Deep Learning" (2016), section 4.1.
    """
    # 1. the largest score along dim, kept as a dimension of size 1; where it is -inf, take 0
    # 2. e to the power of (score - largest), for every score
    # 3. divide by their sum along dim; where the sum is 0, divide by 1
    # BEGIN SOLUTION
    largest = x.amax(dim=dim, keepdim=True)
    largest = largest.masked_fill(largest == -torch.inf, 0.0)
    powers = torch.exp(x - largest)
    total = powers.sum(dim=dim, keepdim=True)
    return powers / total.masked_fill(total == 0.0, 1.0)
    # END SOLUTION
