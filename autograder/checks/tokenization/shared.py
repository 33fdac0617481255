"""What the checks of tokenization share: drawn texts, and the libraries that would do the work."""

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from autograder.probing.draws import Draw

LIBRARIES = ("tokenizers", "transformers", "tiktoken")
"""What would do the work of nearly every exercise here."""


def drawn_text(draw: Draw, name: str, count: int, pool: Sequence[str]) -> str:
    """So many drawn pieces of a pool, joined."""
    return "".join(pool[i] for i in draw.integers(name, count, high=len(pool)).tolist())


def kind_of(found: Any) -> str:
    """What comes back by its kind; one that is made of a list counts as a list."""
    return "list" if isinstance(found, list) else type(found).__name__


def in_drawn_order(draw: Draw, name: str, things: Sequence[Any]) -> list[Any]:
    """All of them, shuffled."""
    keys = draw.integers(name, len(things), high=2**40).tolist()
    return [thing for _, thing in sorted(zip(keys, things, strict=True))]


class _Steps:
    """Counts the lines of Python that are executed, in whatever is called while it is traced.

    Attributes:
        done: how many lines, until there are more than the limit.
        counted: how many words were given to functions of the name `count_pairs`.
    """

    def __init__(self, limit: float) -> None:
        self.done, self.counted = 0, 0
        self._limit = limit

    def __call__(self, frame: FrameType, event: str, _: Any) -> "_Steps | None":
        if event == "call" and frame.f_code.co_name == "count_pairs":
            self.counted += sum(len(words) for words in frame.f_locals.values() if isinstance(words, dict))
        self.done += event == "line"
        if self.done > self._limit:
            sys.settrace(None)
            return None
        return self


@contextmanager
def steps(limit: float = math.inf) -> Iterator[_Steps]:
    """Counts while it is active: the same on every machine, and alike for every way of writing a loop."""
    counter, before = _Steps(limit), sys.gettrace()
    sys.settrace(counter)
    try:
        yield counter
    finally:
        sys.settrace(before)
