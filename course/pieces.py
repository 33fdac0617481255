"""Sentences as ids and back, by byte pairs as in the lesson on tokenization; the library does the work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from tokenizers import Tokenizer
from torch import Tensor

from course.from_tokenizers import Pair, library_tokenizer, train_with_library

AT_ONCE = 1000
"""Sentences that are cut together: a whole text at once would take a GB."""


def as_text(sentences: Iterable[str]) -> str:
    """Sentences in lower case, each on a line of its own."""
    return "".join(f"{one.lower()}\n" for one in sentences)


def learn_pieces(sentences: Iterable[str], vocab_size: int) -> list[Pair]:
    """The merges that byte-pair encoding learns on these sentences."""
    return train_with_library(as_text(sentences), vocab_size)


def to_ids(sentences: Sequence[str], tokenizer: Tokenizer) -> Tensor:
    """The tokens of all sentences in one row, (length,); each sentence ends with that of a line break."""
    parts = []
    for first in range(0, len(sentences), AT_ONCE):
        text = as_text(sentences[first : first + AT_ONCE])
        parts.append(torch.tensor(tokenizer.encode(text).ids, dtype=torch.long))
    return torch.cat(parts) if parts else torch.empty(0, dtype=torch.long)


def merges_as_ids(merges: Sequence[Pair]) -> list[tuple[int, int]]:
    """Every merge as the ids of its two tokens: 0 to 255 are bytes, 256 + i is what merge i makes."""
    ids = {bytes([byte]): byte for byte in range(256)}
    found = []
    for left, right in merges:
        found.append((ids[left], ids[right]))
        ids.setdefault(left + right, 256 + len(found) - 1)
    return found


def merges_from_ids(pairs: Iterable[Sequence[int]]) -> list[Pair]:
    """What `merges_as_ids` wrote down."""
    tokens = [bytes([byte]) for byte in range(256)]
    merges = []
    for left, right in pairs:
        merges.append((tokens[left], tokens[right]))
        tokens.append(tokens[left] + tokens[right])
    return merges


__all__ = ["as_text", "learn_pieces", "library_tokenizer", "merges_as_ids", "merges_from_ids", "to_ids"]
