"""Sees which functions an implementation calls, so that `nn.LayerNorm` is no implementation of LayerNorm.

A courtesy to honest people and a flag for instructors, not a proof: code that runs in this process can switch it off.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

ALIASES = {
    "softmax": ("_softmax", "log_softmax", "_log_softmax", "_safe_softmax", "softmin", "gumbel_softmax"),
    "layer_norm": ("native_layer_norm", "batch_norm", "native_batch_norm", "group_norm",
                   "native_group_norm", "instance_norm", "_native_batch_norm_legit"),
    "rms_norm": ("_fused_rms_norm", "layer_norm", "native_layer_norm"),
    "scaled_dot_product_attention": (
        "_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_attention_math", "_safe_softmax",
        "multi_head_attention_forward", "_native_multi_head_attention",
    ),
    "multi_head_attention": ("multi_head_attention_forward", "_native_multi_head_attention"),
    "transformer_layer": (
        "_transformer_encoder_layer_fwd", "_native_multi_head_attention", "multi_head_attention_forward",
    ),
}  # fmt: skip
"""What else a forbidden name goes by, by name above the dispatcher and as an operator below it."""

_paused = 0


@contextmanager
def unwatched() -> Iterator[None]:
    """While this is active nothing is seen: for stand-ins, which may call what the learner may not."""
    global _paused
    _paused += 1
    try:
        yield
    finally:
        _paused -= 1


def outside_the_watch(part: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function, or a module class's `forward`, run unwatched."""
    if isinstance(part, type) and issubclass(part, nn.Module):
        part.forward = outside_the_watch(part.forward)
        return part

    @functools.wraps(part)
    def run(*args: Any, **kwargs: Any) -> Any:
        with unwatched():
            return part(*args, **kwargs)

    return run


class _Names(TorchFunctionMode):
    """Sees a call by the name it was made with."""

    def __init__(self, seen: Callable[[str], None]) -> None:
        super().__init__()
        self.seen = seen

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        self.seen(getattr(func, "__name__", ""))
        return func(*args, **(kwargs or {}))


class _Operators(TorchDispatchMode):
    """Sees the operator that a call came down to, whatever alias was used."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # True, the default, imports torch's compiler at the first call: 1.3 s and 100 MB for nothing.
        return False

    def __init__(self, seen: Callable[[str], None]) -> None:
        super().__init__()
        self.seen = seen

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        self.seen(func.overloadpacket.__name__)
        return func(*args, **(kwargs or {}))


@contextmanager
def watch(forbidden: Sequence[str], found: list[str]) -> Iterator[None]:
    """While this is active, append the name of every forbidden call to `found`.

    Args:
        forbidden: function names, or groups named in `ALIASES`.
        found: receives each name once.
    """
    if not forbidden:
        yield
        return
    names = {alias for name in forbidden for alias in (name, *ALIASES.get(name, ()))}

    def seen(name: str) -> None:
        if name in names and not _paused and name not in found:
            found.append(name)

    with _Names(seen), _Operators(seen):
        yield
