"""Choosing the next token."""

import torch
from my_transformer import next_token_probs, sample_next


def test_temperature_and_top_k_shape_the_distribution() -> None:
    logits = torch.tensor([1.0, 2.0, 3.0])
    assert torch.allclose(next_token_probs(logits, 2.0), torch.softmax(logits / 2, dim=-1), atol=1e-6)
    assert next_token_probs(logits, top_k=1).tolist() == [0.0, 0.0, 1.0]


def test_what_is_drawn_repeats_with_its_seed() -> None:
    logits = torch.randn(4, 9)
    drawn = [sample_next(logits, generator=torch.Generator().manual_seed(3)) for _ in range(2)]
    assert torch.equal(*drawn) and drawn[0].shape == (4,)
