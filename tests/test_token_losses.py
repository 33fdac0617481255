"""Losses of a long text, token by token: every one once, in order, and after enough of what stands before."""

import math

import pytest
import torch
from torch import Tensor, nn

from course.token_losses import token_losses


class CountsWhatItRead(nn.Module):
    """Gives the next token a logit that says how many tokens it was predicted from; ids count up."""

    def forward(self, ids: Tensor) -> Tensor:
        read = torch.arange(1.0, ids.size(1) + 1).expand(ids.shape)
        return torch.zeros(*ids.shape, 200).scatter(2, (ids + 1)[..., None], read[..., None])


def tokens_read(losses: Tensor) -> list[int]:
    """The loss of logit n among 199 zeros is log(e^n + 199) - n."""
    table = torch.tensor([math.log(math.exp(n) + 199) - n for n in range(20)])
    return [int((table - one).abs().argmin()) for one in losses]


@pytest.mark.parametrize("length", [2, 5, 9, 10, 17, 18, 40])
def test_every_token_is_predicted_from_half_a_window_or_all_there_is(length: int) -> None:
    losses = token_losses(CountsWhatItRead(), torch.arange(length), 8)
    read = tokens_read(losses)
    assert len(read) == length - 1
    assert read[:8] == list(range(1, min(8, length - 1) + 1))
    assert all(5 <= one <= 8 for one in read[8:])


def test_the_mode_is_left_as_it_was_and_short_texts_are_refused() -> None:
    model = CountsWhatItRead().train()
    token_losses(model, torch.arange(9), 4)
    assert model.training
    with pytest.raises(ValueError, match="1 tokens and seq_len=8"):
        token_losses(model, torch.arange(1), 8)
