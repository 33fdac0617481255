"""Vowels lost: phrases of two words, to be written from their consonants. The task of lessons 09 and 10."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from course.documentation import python_documentation

PAD, BOS, EOS = 0, 1, 2
SIGNS = ["<pad>", "<bos>", "<eos>", " ", *"abcdefghijklmnopqrstuvwxyz"]
LONGEST = 16
"""A phrase with more characters is left out."""


def without_vowels(phrase: str) -> str:
    """What stays of a phrase: `"model behavior"` → `"mdl bhvr"`."""
    return re.sub("[aeiou]", "", phrase)


def encode(phrases: Iterable[str], width: int, end: Sequence[str] = ()) -> Tensor:
    """Phrases as ids, padded to a width: (batch, width)."""
    rows = [[SIGNS.index(sign) for sign in [*phrase, *end]] for phrase in phrases]
    return torch.tensor([row + [PAD] * (width - len(row)) for row in rows])


def vowels_lost() -> tuple[list[str], list[str]]:
    """Phrases to learn from, as often as they occur, and 1,000 others that are never learned from."""
    words = re.findall("[a-z]+", python_documentation().lower())
    pairs = [" ".join(pair) for pair in zip(words[::2], words[1::2], strict=False)]
    phrases = [phrase for phrase in pairs if len(phrase) <= LONGEST]
    text = phrases[: len(phrases) * 9 // 10]
    return text, sorted(set(phrases) - set(text))[:1000]
