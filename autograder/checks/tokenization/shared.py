"""What the checks of lesson 13 share: drawn texts."""

from collections.abc import Sequence
from typing import Any

from autograder.probing.draws import Draw


def drawn_text(draw: Draw, name: str, count: int, pool: Sequence[str]) -> str:
    """So many drawn pieces of a pool, joined."""
    return "".join(pool[i] for i in draw.integers(name, count, high=len(pool)).tolist())


def in_drawn_order(draw: Draw, name: str, things: Sequence[Any]) -> list[Any]:
    """All of them, shuffled."""
    keys = draw.integers(name, len(things), high=2**40).tolist()
    return [thing for _, thing in sorted(zip(keys, things, strict=True))]
