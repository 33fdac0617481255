"""Weights out of scores."""

import torch
from my_transformer import softmax


def test_softmax_gives_torchs_weights() -> None:
    scores = torch.randn(3, 5)
    assert torch.allclose(softmax(scores), torch.softmax(scores, dim=-1), atol=1e-6)
    assert torch.allclose(softmax(scores, dim=0).sum(dim=0), torch.ones(5), atol=1e-6)


def test_softmax_survives_large_scores_and_rows_of_nothing() -> None:
    assert softmax(torch.tensor([1000.0, 0.0])).tolist() == [1.0, 0.0]
    assert softmax(torch.full((2, 3), -torch.inf)).tolist() == [[0.0] * 3] * 2
