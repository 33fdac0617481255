"""Positions."""

import math

import torch
from my_transformer import PositionalEncoding, apply_rotary, sinusoidal_encoding


def test_a_position_is_sines_and_cosines() -> None:
    table = sinusoidal_encoding(5, 6)
    angle = 3 / 10000 ** (2 / 6)
    assert torch.allclose(table[3, 2:4], torch.tensor([math.sin(angle), math.cos(angle)]), atol=1e-6)
    assert torch.allclose(table[0], torch.tensor([0.0, 1.0] * 3))


def test_positions_are_added() -> None:
    layer, x = PositionalEncoding(6, max_len=9).eval(), torch.randn(2, 4, 6)
    moved = layer(x) - x
    assert torch.allclose(moved[0], moved[1], atol=1e-6) and moved[0, 1].abs().sum() > 0


def test_turned_queries_and_keys_know_distances_only() -> None:
    q, k = torch.randn(1, 8), torch.randn(1, 8)

    def score(first: int, second: int) -> torch.Tensor:
        return (apply_rotary(q, torch.tensor([first])) * apply_rotary(k, torch.tensor([second]))).sum()

    assert torch.allclose(score(5, 3), score(105, 103), atol=1e-4)
