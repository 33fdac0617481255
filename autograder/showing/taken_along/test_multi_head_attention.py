"""Heads, beside torch's."""

import torch
from my_transformer import MultiHeadAttention, load_from_torch, merge_heads, split_heads
from torch import nn


def test_heads_are_split_and_merged_again() -> None:
    x = torch.arange(24.0).reshape(1, 3, 8)
    heads = split_heads(x, 2)
    assert heads.shape == (1, 2, 3, 4) and heads[0, 1, 0].tolist() == [4.0, 5.0, 6.0, 7.0]
    assert torch.equal(merge_heads(heads), x)


def test_multi_head_attention_takes_torchs_weights() -> None:
    theirs, ours = nn.MultiheadAttention(8, 2, batch_first=True), MultiHeadAttention(8, 2)
    load_from_torch(ours, theirs)
    query, key = torch.randn(2, 3, 8), torch.randn(2, 5, 8)
    output, _ = ours(query, key, key)
    assert torch.allclose(output, theirs(query, key, key)[0], atol=1e-5)
