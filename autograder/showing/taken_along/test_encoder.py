"""The encoder."""

import torch
from my_transformer import Encoder


def test_an_encoder_reads_no_padding() -> None:
    encoder, x = Encoder(2, 8, 2, 16).eval(), torch.randn(1, 4, 8)
    mask = torch.tensor([True, True, True, False]).reshape(1, 1, 1, 4)
    changed = x.clone()
    changed[:, 3] = torch.randn(8)
    assert torch.allclose(encoder(x, mask)[:, :3], encoder(changed, mask)[:, :3], atol=1e-5)


def test_an_encoder_does_not_know_the_order() -> None:
    encoder, x = Encoder(2, 8, 2, 16).eval(), torch.randn(1, 5, 8)
    order = torch.randperm(5)
    assert torch.allclose(encoder(x)[:, order], encoder(x[:, order]), atol=1e-5)
