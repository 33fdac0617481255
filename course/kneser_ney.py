"""The best that counting does: an interpolated Kneser-Ney model of n-grams, as a landmark for language models.

An n-gram is written as one number, so that counting is sorting. Of the longest n-grams it is counted how often they
occur; of all shorter ones, after how many different tokens they do.

Source: Kneser and Ney, "Improved backing-off for m-gram language modeling" (1995), interpolated as in Chen and
Goodman, "An empirical study of smoothing techniques for language modeling" (1999), section 3; one discount an order,
n1 / (n1 + 2 · n2), where ni n-grams have the count i.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

Codes = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Order:
    """What is known of the n-grams of one length."""

    grams: Codes
    counts: Codes
    contexts: Codes
    totals: Codes
    """The counts of a context's n-grams, added up."""
    followers: Codes
    """How many different tokens follow a context."""
    discount: float

    def mix(self, grams: Codes, lower: Numbers, vocab_size: int) -> Numbers:
        """The probability of each n-gram's last token after the others, from that of one order less."""
        counts = _looked_up(self.grams, self.counts, grams)
        contexts = grams // vocab_size
        totals = _looked_up(self.contexts, self.totals, contexts)
        followers = _looked_up(self.contexts, self.followers, contexts)
        known = totals > 0
        divisor = np.where(known, totals, 1)
        mixed = (np.maximum(counts - self.discount, 0) + self.discount * followers * lower) / divisor
        return np.where(known, mixed, lower)


class KneserNey:
    """Predicts a token from those before it by counts.

    Args:
        ids: the text to count, (length,).
        vocab_size: number of different tokens.
        order: how many tokens an n-gram has, the predicted one among them.

    Raises:
        ValueError: if the text is shorter than an n-gram, or n-grams are too many to be numbered.
    """

    def __init__(self, ids: Tensor, vocab_size: int, order: int = 5) -> None:
        if not 1 <= order <= len(ids):
            raise ValueError(f"{len(ids)} tokens and order={order}; give 1 or more, and at least as many tokens")
        if vocab_size**order >= 2**63:
            raise ValueError(f"vocab_size={vocab_size} and order={order}: too many n-grams; give fewer of one of them")
        self.vocab_size, self.order = vocab_size, order
        text = ids.cpu().numpy().astype(np.int64)
        found = []
        grams, counts = np.unique(_codes(text, order, vocab_size), return_counts=True)
        for length in range(order, 0, -1):
            found.append(_order_of(grams, counts, vocab_size))
            if length > 1:  # one shorter: after how many different tokens does it stand?
                grams, counts = np.unique(grams % vocab_size ** (length - 1), return_counts=True)
        self.orders = found[::-1]

    def log_probs(self, ids: Tensor) -> Tensor:
        """The logarithm of the probability of every token after those before it, (length,).

        The first tokens have fewer before them, and are predicted from these.
        """
        text = ids.cpu().numpy().astype(np.int64)
        probs = np.full(len(text), 1 / self.vocab_size)
        for length, order in enumerate(self.orders, 1):
            if length <= len(text):
                grams = _codes(text, length, self.vocab_size)
                probs[length - 1 :] = order.mix(grams, probs[length - 1 :], self.vocab_size)
        return torch.from_numpy(np.log(probs)).float()


def _codes(text: Codes, length: int, vocab_size: int) -> Codes:
    """Every n-gram of a text as a number of `length` digits, the last token last."""
    codes = np.zeros(len(text) - length + 1, dtype=np.int64)
    for place in range(length):
        codes = codes * vocab_size + text[place : place + len(codes)]
    return codes


def _order_of(grams: Codes, counts: Codes, vocab_size: int) -> _Order:
    contexts, firsts = np.unique(grams // vocab_size, return_index=True)  # sorted n-grams: a context's stand together
    totals = np.add.reduceat(counts, firsts)
    followers = np.diff(np.append(firsts, len(grams)))
    once, twice = (int((counts == number).sum()) for number in (1, 2))
    discount = once / (once + 2 * twice) if once else 0.5
    return _Order(grams, counts, contexts, totals, followers, discount)


def _looked_up(keys: Codes, values: Codes, asked: Codes) -> Codes:
    """The values of what is asked, 0 where it is not among the sorted keys."""
    places = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    return np.where(keys[places] == asked, values[places], 0)
