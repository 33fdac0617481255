"""Sees how much is held: the numbers of all tensors that are alive at once, and what an operation gave."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode


class Sizes(TorchDispatchMode):
    """Follows every memory that operations fill with floating-point numbers, from its making to its end.

    Attributes:
        bytes: how much is alive now.
        peak: how much was alive at most.
        largest: name of an operation → the most numbers that it ever gave.
    """

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # True, the default, imports torch's compiler at the first call

    def __init__(self) -> None:
        super().__init__()
        self.bytes = self.peak = 0
        self.largest: dict[str, int] = {}
        self._alive: dict[int, weakref.ref[Any]] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        out = func(*args, **(kwargs or {}))
        given = [one for one in args if isinstance(one, Tensor)]
        for one in out if isinstance(out, tuple | list) else (out,):
            if isinstance(one, Tensor) and one.is_floating_point():
                self._see(func.overloadpacket.__name__, one, given)
        return out

    def _see(self, name: str, made: Tensor, given: list[Tensor]) -> None:
        self.largest[name] = max(self.largest.get(name, 0), made.numel())
        storage = made.untyped_storage()
        key = storage._cdata
        if key in self._alive or any(one.untyped_storage()._cdata == key for one in given):
            return  # a view, or written in place
        size = storage.nbytes()
        self._alive[key] = weakref.ref(storage, self._end(key, size))
        self.bytes += size
        self.peak = max(self.peak, self.bytes)

    def _end(self, key: int, size: int) -> Callable[[Any], None]:
        def gone(_: Any) -> None:
            self._alive.pop(key, None)
            self.bytes -= size

        return gone


@contextmanager
def sizes() -> Iterator[Sizes]:
    """Sees while it is active. What was there before is not counted."""
    seen = Sizes()
    with seen:
        yield seen
