"""Norms, beside torch's."""

import torch
import torch.nn.functional as F
from my_transformer import LayerNorm, RMSNorm, normalize
from torch import nn


def test_normalize_gives_torchs_numbers() -> None:
    x = 3 * torch.randn(2, 4, 6) + 1
    assert torch.allclose(normalize(x), F.layer_norm(x, (6,)), atol=1e-5)


def test_layer_norm_takes_torchs_weights() -> None:
    theirs, ours, x = nn.LayerNorm(6), LayerNorm(6), torch.randn(2, 3, 6)
    nn.init.normal_(theirs.weight)
    ours.load_state_dict(theirs.state_dict())
    assert torch.allclose(ours(x), theirs(x), atol=1e-5)


def test_rms_norm_gives_torchs_numbers() -> None:
    x = torch.randn(2, 3, 6)
    assert torch.allclose(RMSNorm(6)(x), nn.RMSNorm(6, eps=1e-6)(x), atol=1e-5)
