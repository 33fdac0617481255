"""Gives memory that is free again back to the system: training takes and frees tensors of many sizes, and glibc keeps
what it cannot join. (150 steps of lesson 15 took 0.97 GB at most without it, 0.73 GB with it, in the same time.)"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache


def give_back() -> None:
    """Where the C library is not glibc, this does nothing."""
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    try:
        return ctypes.CDLL("libc.so.6").malloc_trim
    except (OSError, AttributeError):  # macOS, Windows, musl
        return None
