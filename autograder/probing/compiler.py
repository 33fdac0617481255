"""Keeps torch's compiler from being imported while a probe runs: that takes over a second, and nothing compiles here.

torch imports it when an optimizer is first made, to tell it that it should leave the optimizer alone.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import torch
from torch.optim import Optimizer

MARK = "__dynamo_disable"
"""Where `torch._compile` looks for what to call instead of asking the compiler."""


def _left_alone() -> list[Callable[..., Any]]:
    methods = [one for one in vars(Optimizer).values() if isinstance(one, FunctionType) and hasattr(one, "__wrapped__")]
    return [one.__wrapped__ for one in methods if one.__code__.co_filename == torch._compile.__file__]


_METHODS = _left_alone()


@contextlib.contextmanager
def no_compiler() -> Iterator[None]:
    """While this is active, an optimizer is made and used without the compiler; nothing changes where it is there."""
    methods = [] if "torch._dynamo" in sys.modules else [one for one in _METHODS if not hasattr(one, MARK)]
    for one in methods:
        setattr(one, MARK, one)
    try:
        yield
    finally:
        for one in methods:
            delattr(one, MARK)
