"""The ids that BERT reads: byte pairs as in the lesson on tokenization, and behind them four that are no text."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from course.from_tokenizers import Pair, library_tokenizer

SPECIAL = ("[PAD]", "[CLS]", "[SEP]", "[MASK]")
BLANK = "[mask]"


class BertPieces:
    """A vocabulary with [PAD], [CLS], [SEP] and [MASK] behind its byte pairs.

    Args:
        merges: the byte pairs, in order.

    Attributes:
        number: how many tokens are text: ids below it.
        pad_id, cls_id, sep_id, mask_id: the four others.
        vocab_size: all together.
    """

    def __init__(self, merges: Sequence[Pair]) -> None:
        self.merges = list(merges)
        self.number = 256 + len(self.merges)
        self.pad_id, self.cls_id, self.sep_id, self.mask_id = range(self.number, self.number + len(SPECIAL))
        self.vocab_size = self.number + len(SPECIAL)
        self._tokenizer = library_tokenizer(merges)

    def encode(self, text: str) -> list[int]:
        """The ids of a text in lower case, where [MASK] stands for one token and the space before it.

        A space is put in front, so that a word has the same id at the start of a text and within it.
        """
        parts = text.lower().split(BLANK)
        ids = self._of(f" {parts[0].strip()}" if parts[0].strip() else "")
        for part in parts[1:]:
            ids += [self.mask_id, *self._of(part.rstrip())]
        return ids

    def encode_all(self, sentences: Sequence[str]) -> list[list[int]]:
        """The ids of many sentences without blanks."""
        texts = [f" {one.lower()}" for one in sentences]
        return [one.ids for one in self._tokenizer.encode_batch(texts)]

    def text(self, token: int) -> str:
        """A token as text, the space before it included."""
        return SPECIAL[token - self.number] if token >= self.number else self._tokenizer.decode([token])

    def padded(self, rows: Sequence[Sequence[int]]) -> Tensor:
        """Rows of ids as one tensor, filled up with [PAD], (batch, seq_len)."""
        size = max(map(len, rows))
        return torch.tensor([[*row, *[self.pad_id] * (size - len(row))] for row in rows])

    def _of(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text).ids) if text else []
