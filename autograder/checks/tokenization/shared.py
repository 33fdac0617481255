"""What the checks of tokenization share: drawn texts, and the libraries that would do the work."""

from collections.abc import Sequence
from typing import Any

from autograder.probing.draws import Draw

LIBRARIES = ("tokenizers", "transformers", "tiktoken")
"""What would do the work of nearly every exercise here."""


def drawn_text(draw: Draw, name: str, count: int, pool: Sequence[str]) -> str:
    """So many drawn pieces of a pool, joined."""
    return "".join(pool[i] for i in draw.integers(name, count, high=len(pool)).tolist())


def in_drawn_order(draw: Draw, name: str, things: Sequence[Any]) -> list[Any]:
    """All of them, shuffled."""
    keys = draw.integers(name, len(things), high=2**40).tolist()
    return [thing for _, thing in sorted(zip(keys, things, strict=True))]
