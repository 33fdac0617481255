"""Attention, beside torch's."""

import torch
import torch.nn.functional as F
from my_transformer import attention_scores, causal_mask, padding_mask, scaled_dot_product_attention


def test_scores_are_dot_products_over_the_root_of_the_width() -> None:
    q, k = torch.randn(2, 3, 4), torch.randn(2, 5, 4)
    assert torch.allclose(attention_scores(q, k), q @ k.transpose(-1, -2) / 2, atol=1e-6)


def test_masks_let_look_back_and_not_at_padding() -> None:
    assert causal_mask(3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    assert padding_mask(torch.tensor([[4, 7, 0]]), 0).flatten().tolist() == [True, True, False]


def test_attention_gives_torchs_numbers() -> None:
    q, k, v = torch.randn(2, 3, 4, 8), torch.randn(2, 3, 5, 8), torch.randn(2, 3, 5, 8)
    mask = torch.rand(4, 5) < 0.7
    mask[:, 0] = True
    output, weights = scaled_dot_product_attention(q, k, v, mask)
    assert torch.allclose(output, F.scaled_dot_product_attention(q, k, v, mask), atol=1e-5)
    assert torch.allclose(weights.sum(dim=-1), torch.ones(2, 3, 4), atol=1e-5)


def test_who_may_look_at_nothing_takes_nothing() -> None:
    q = torch.randn(1, 2, 4)
    output, _ = scaled_dot_product_attention(q, q, q, torch.tensor([[True, False], [False, False]]))
    assert output[0, 1].tolist() == [0.0] * 4
