"""What a language model pays for each token of a long text, when it always has read enough of what stands before."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

AT_ONCE = 16


@torch.no_grad()
def token_losses(model: nn.Module, ids: Tensor, seq_len: int) -> Tensor:
    """The loss of every token of a text but the first.

    Windows overlap by half. So a token is predicted from at least half a window, or from all there is before it:
    in windows that lie side by side, every first token would be predicted from nothing.

    Args:
        model: gives logits for ids (batch, seq_len); its mode is left as it was.
        ids: the text, (length,).
        seq_len: how many tokens the model reads at once, 2 or more.

    Returns:
        Nats, (length - 1,).

    Raises:
        ValueError: if the text has no second token, or seq_len is below 2.
    """
    asked = len(ids) - 1
    if asked < 1 or seq_len < 2:
        raise ValueError(f"{len(ids)} tokens and seq_len={seq_len}; give 2 or more of both")
    seq_len = min(seq_len, asked)
    starts = [*range(0, asked - seq_len, max(1, seq_len // 2)), asked - seq_len]
    mode = model.training
    model.eval()
    found, done = torch.empty(asked), 0
    for some in torch.tensor(starts).split(AT_ONCE):
        rows = ids[some[:, None] + torch.arange(seq_len + 1)]
        logits = model(rows[:, :-1])
        losses = F.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten(), reduction="none")
        for start, row in zip(some.tolist(), losses.view(len(some), seq_len), strict=True):
            found[done : start + seq_len] = row[done - start :]
            done = start + seq_len
    model.train(mode)
    return found
