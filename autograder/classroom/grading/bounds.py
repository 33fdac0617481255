"""What of an answer is worth comparing. A comparison with every mistake costs what there is to compare.

What is right sets the measure: an answer of many times its size is as wrong however it is looked at.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from autograder.probing.outcome import Raised
from autograder.probing.run import Run

TIMES = 50
"""A result that was spread over one dimension too many is still told in full."""

PLACES, NUMBERS, NAMES = 500, 20_000, 500
"""What every answer may have on top: places, numbers or characters in all of them, names of parameters."""


def bounded(right: Run, got: Run) -> Run:
    """A run that costs no more to compare than some multiple of the right one."""
    wanted, found = _size(right.returned), _size(got.returned)
    if found[0] > TIMES * wanted[0] + PLACES or found[1] > TIMES * wanted[1] + NUMBERS:
        got.returned = _too_large(
            f"it has {found[0]:,} places with {found[1]:,} numbers or characters in all, where {wanted[0]:,} places "
            f"with {wanted[1]:,} are right"
        )
    if _names(got) > TIMES * _names(right) + NAMES:
        got.returned = _too_large(f"it has {_names(got):,} parameters, where {_names(right):,} are right")
        got.signatures = []
    return got


def _too_large(words: str) -> Raised:
    return Raised(("TooLarge", "Exception"), f"the result is too large to be compared: {words}")


def _size(outcome: Any) -> tuple[int, int]:
    """How many places an outcome has, lists and dicts among them, and how many numbers or characters stand there."""
    if isinstance(outcome, list | dict):
        items = outcome.values() if isinstance(outcome, dict) else outcome
        sizes = [_size(one) for one in items]
        keys = sum(map(len, outcome)) if isinstance(outcome, dict) else 0
        return 1 + sum(one for one, _ in sizes), keys + sum(one for _, one in sizes)
    if isinstance(outcome, Tensor):
        return 1, max(outcome.numel(), sum(outcome.shape))
    return 1, len(outcome) if isinstance(outcome, str | bytes) else 1


def _names(run: Run) -> int:
    """How many modules a run made, with how many names, and how many sizes these have."""
    entries = [len(shape) + 1 for one in run.signatures for _, shape, _ in one.values()]
    return len(run.signatures) + sum(entries)
