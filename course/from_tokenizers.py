"""Trains the library `tokenizers` on our settings, so that the two can be compared."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

# One core for both, and no warning when the notebook starts another process later.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

Pair = tuple[bytes, bytes]

PIECES = r" ?[\p{L}\p{N}_]+| ?[^\s\x1c-\x1f\p{L}\p{N}_]+|[\s\x1c-\x1f]+"
r"""What Python's ` ?\w+| ?[^\w\s]+|\s+` means. The library's own \w also holds accents that stand alone."""


def _byte_letters() -> list[str]:
    """The sign by which the library writes each byte: 65 is A; the space, which cannot be seen, is Ġ."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = (byte for byte in range(256) if byte not in visible)
    letters = {byte: chr(byte) for byte in visible} | {byte: chr(256 + i) for i, byte in enumerate(others)}
    return [letters[byte] for byte in range(256)]


LETTERS = _byte_letters()
BYTES = {letter: byte for byte, letter in enumerate(LETTERS)}


def train_with_library(text: str, vocab_size: int, *, byte_order: bool = True) -> list[Pair]:
    """The merges that the library's BpeTrainer learns.

    Args:
        text: what to learn from.
        vocab_size: number of tokens, the 256 bytes among them.
        byte_order: give the bytes their values for ids. Left to itself, the library numbers them in the order of the
            signs by which it writes them, the space behind all letters, and decides ties by that.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = _pieces_of_bytes()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        initial_alphabet=LETTERS,
        special_tokens=LETTERS if byte_order else [],  # these are numbered first, in this order
        show_progress=False,
    )
    tokenizer.train_from_iterator([text], trainer)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return [(_to_bytes(left), _to_bytes(right)) for left, right in merges]


def library_tokenizer(merges: Sequence[Pair], specials: Sequence[str] = ()) -> Tokenizer:
    """The library's tokenizer with these merges and special tokens, its ids as ours."""
    names = [(_to_letters(left), _to_letters(right)) for left, right in merges]
    tokens = [*LETTERS, *(left + right for left, right in names)]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, names))
    tokenizer.pre_tokenizer = _pieces_of_bytes()
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(specials))
    return tokenizer


def _pieces_of_bytes() -> pre_tokenizers.Sequence:
    bytes_of = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(PIECES), "isolated"), bytes_of])


def _to_bytes(token: str) -> bytes:
    return bytes(BYTES[letter] for letter in token)


def _to_letters(token: bytes) -> str:
    return "".join(LETTERS[byte] for byte in token)
