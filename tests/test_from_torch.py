"""torch's weights in our modules: all of them, and a clear word when they do not fit."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from autograder.stand_ins.encoder import Encoder, EncoderLayer
from autograder.stand_ins.multi_head_attention import MultiHeadAttention
from autograder.stand_ins.transformer import Transformer, TransformerConfig
from course.from_torch import load_from_torch


def randomised(module: nn.Module) -> nn.Module:
    """Biases of 0 and scales of 1 would hide what was not copied."""
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.3)
    return module


def test_attention() -> None:
    theirs = randomised(nn.MultiheadAttention(8, 2, batch_first=True))
    ours = MultiHeadAttention(8, 2)
    load_from_torch(ours, theirs)
    x = torch.randn(3, 5, 8)
    torch.testing.assert_close(ours(x, x, x)[0], theirs(x, x, x)[0])


def test_it_is_a_copy() -> None:
    theirs = randomised(nn.TransformerEncoderLayer(8, 2, 12, batch_first=True))
    before = {name: one.clone() for name, one in theirs.state_dict().items()}
    ours = EncoderLayer(8, 2, 12)
    load_from_torch(ours, theirs)
    with torch.no_grad():
        ours.norm1.weight.zero_()
    assert all(torch.equal(one, before[name]) for name, one in theirs.state_dict().items())


def test_of_a_transformer_only_the_stacks_are_filled() -> None:
    theirs = randomised(nn.Transformer(8, 2, 1, 1, 12, norm_first=True))
    ours = Transformer(TransformerConfig(5, 6, 8, 2, 1, 12, norm_first=True))
    table = ours.src_embedding.embedding.weight.clone()
    load_from_torch(ours, theirs)
    assert torch.equal(ours.src_embedding.embedding.weight, table)
    assert torch.equal(
        ours.decoder.layers[0].cross_attn.q_proj.weight, theirs.decoder.layers[0].multihead_attn.in_proj_weight[:8]
    )


def test_a_norm_too_many_is_named() -> None:
    theirs = nn.Transformer(8, 2, 2, 2, 12).encoder
    with pytest.raises(ValueError, match=r"only theirs has norm\.bias: one stack ends with a norm"):
        load_from_torch(Encoder(2, 8, 2, 12), theirs)


def test_another_size_is_named() -> None:
    with pytest.raises(ValueError, match=r"feed_forward.*has shape \(12, 8\) in ours and \(16, 8\) in theirs"):
        load_from_torch(EncoderLayer(8, 2, 12), nn.TransformerEncoderLayer(8, 2, 16))


def test_another_depth_is_named() -> None:
    with pytest.raises(ValueError, match=r"only ours has layers\.1\."):
        theirs = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 12), 1, enable_nested_tensor=False)
        load_from_torch(Encoder(2, 8, 2, 12), theirs)
