"""The decoder."""

import torch
from my_transformer import Decoder


def test_a_decoder_does_not_see_what_comes_later() -> None:
    decoder, x, memory = Decoder(2, 8, 2, 16).eval(), torch.randn(1, 5, 8), torch.randn(1, 3, 8)
    mask = torch.ones(5, 5, dtype=torch.bool).tril()
    changed = x.clone()
    changed[:, 3:] = torch.randn(2, 8)
    assert torch.allclose(decoder(x, memory, mask)[:, :3], decoder(changed, memory, mask)[:, :3], atol=1e-5)


def test_a_decoder_reads_the_source() -> None:
    decoder, x = Decoder(1, 8, 2, 16).eval(), torch.randn(1, 2, 8)
    assert not torch.allclose(decoder(x, torch.randn(1, 3, 8)), decoder(x, torch.randn(1, 3, 8)))
