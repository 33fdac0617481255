"""What every token does by itself."""

import torch
import torch.nn.functional as F
from my_transformer import FeedForward, gelu


def test_gelu_gives_torchs_numbers() -> None:
    x = torch.linspace(-4, 4, 50)
    assert torch.allclose(gelu(x), F.gelu(x), atol=1e-5)


def test_every_token_is_worked_on_by_itself() -> None:
    layer, x = FeedForward(6, 12), torch.randn(1, 4, 6)
    assert torch.allclose(layer(x)[:, 2:3], layer(x[:, 2:3]), atol=1e-6)
