"""Whether a module holds more with every call: a list that nobody empties is a leak."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

PLAIN = (list, tuple, set, deque)


def grows(module: nn.Module, call: Callable[[], Any]) -> bool:
    """Whether a module holds more tensors after a third call than after a second one.

    What is kept of the last call alone, to be looked at, does not count.
    """
    call()
    call()
    before = _held(module)
    call()
    return _held(module) > before


def _held(module: nn.Module) -> int:
    return sum(_tensors(value) for part in module.modules() for value in vars(part).values())


def _tensors(value: Any) -> int:
    if isinstance(value, Tensor):
        return 1
    if isinstance(value, dict):
        return sum(map(_tensors, value.values()))
    return sum(map(_tensors, value)) if isinstance(value, PLAIN) else 0
