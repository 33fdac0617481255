"""What several of the modules of this lesson use."""

import torch
from torch import Tensor, nn


def in_vocabulary(ids: Tensor, size: int) -> None:
    """The given ValueError."""
    if ids.numel() and (ids.amin() < 0 or ids.amax() >= size):
        raise ValueError("ids outside the vocabulary")


class Table(nn.Module):
    """The constructor that the notebook gives, and the lines before the blank."""

    def __init__(self, vocab_size: int, d_model: int, pad_id: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.pad_id = pad_id
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    @property
    def weight(self) -> Tensor:
        """The table itself."""
        return self.embedding.weight

    def forward(self, token_ids: Tensor) -> Tensor:
        """Refuse what is not in the table, then `look`."""
        in_vocabulary(token_ids, len(self.weight))
        return self.look(token_ids)

    def look(self, ids: Tensor) -> Tensor:
        """To be written."""
        raise NotImplementedError


def before(n: int, reach: int = 0) -> Tensor:
    """True where place j is at most `reach` after place i."""
    place = torch.arange(n)
    return place[None, :] <= place[:, None] + reach
