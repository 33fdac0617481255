"""Keeps torch's compiler from being imported while a probe runs: that takes over a second, and nothing compiles here.

torch imports it whenever an optimizer is made or makes a step, to tell it where it should leave the optimizer alone.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import torch
from torch.optim import Optimizer

COMPILER = "torch._dynamo"
MARK = "__dynamo_disable"
"""Where `torch._compile` looks for what to call instead of asking the compiler."""


class _Placeholder(ModuleType):
    """Stands where the compiler would; whoever asks it for anything but a graph's end gets the compiler itself.

    Who goes through all modules, as `inspect` does for the place of a line, asks each for its `__file__`: it gets none.
    `torch.testing.assert_close` imports what does that, and the compiler cannot be imported in the midst of it.
    """

    @staticmethod
    def graph_break() -> None:
        """Nothing: there is no graph."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__path__":
            raise AttributeError(f"module {COMPILER!r} has no attribute {name!r}")
        _remove(self)
        return getattr(importlib.import_module(COMPILER), name)


def _left_alone() -> list[Callable[..., Any]]:
    """The methods of optimizers that torch keeps from the compiler."""
    methods = [one for one in vars(Optimizer).values() if isinstance(one, FunctionType) and hasattr(one, "__wrapped__")]
    return [one.__wrapped__ for one in methods if one.__code__.co_filename == torch._compile.__file__]


_METHODS = _left_alone()


@contextlib.contextmanager
def no_compiler() -> Iterator[None]:
    """While this is active, optimizers work without the compiler; where it is there already, nothing changes."""
    if COMPILER in sys.modules:
        yield
        return
    placeholder = _Placeholder(COMPILER)
    sys.modules[COMPILER] = placeholder
    torch._dynamo = placeholder
    for one in _METHODS:
        setattr(one, MARK, one)
    try:
        yield
    finally:
        for one in _METHODS:
            delattr(one, MARK)
        _remove(placeholder)


def _remove(placeholder: ModuleType) -> None:
    if sys.modules.get(COMPILER) is placeholder:
        del sys.modules[COMPILER]
        del torch._dynamo
