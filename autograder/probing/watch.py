"""Sees which functions an implementation calls, so that `nn.LayerNorm` is no implementation of LayerNorm.

A courtesy to honest people and a flag for instructors, not a proof: code that runs in this process can switch it off.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from autograder import homes
from autograder.probing.exercise import OWN

ALIASES = {
    "softmax": ("_softmax", "log_softmax", "_log_softmax", "_safe_softmax", "softmin", "gumbel_softmax",
                "_masked_softmax", "_sparse_softmax", "_sparse_log_softmax"),
    "layer_norm": ("native_layer_norm", "batch_norm", "native_batch_norm", "group_norm",
                   "native_group_norm", "instance_norm", "_native_batch_norm_legit",
                   "_native_batch_norm_legit_functional", "_native_batch_norm_legit_no_training",
                   "_batch_norm_with_update", "_batch_norm_with_update_functional", "_batch_norm_no_update"),
    "rms_norm": ("_fused_rms_norm", "layer_norm", "native_layer_norm"),
    "scaled_dot_product_attention": (
        "_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_attention_math", "_safe_softmax",
        "multi_head_attention_forward", "_native_multi_head_attention",
    ),
    "multi_head_attention": ("multi_head_attention_forward", "_native_multi_head_attention"),
    "transformer_layer": (
        "_transformer_encoder_layer_fwd", "_native_multi_head_attention", "multi_head_attention_forward",
    ),
    "gelu": ("gelu_",),
    "cross_entropy": ("cross_entropy_loss",),  # nll_loss only picks and averages: the smoothing is left to write
    "torch.optim.Adam": ("_fused_adam_", "_fused_adamw_"),
}  # fmt: skip
"""What else a forbidden name goes by, by name above the dispatcher and as an operator below it."""

IN_PYTHON: dict[str, tuple[str, tuple[str, ...]]] = {
    # Not the length of all gradients, which is one half of it: to put the halves together is left to write.
    "clip_grad_norm_": ("nn/utils/clip_grad.py", ("clip_grad_norm_", "clip_grad_norm", "_clip_grads_with_norm_")),
    "torch.optim.Adam": ("optim/adam.py", ()),
    "nn.Module": ("nn/modules/module.py", ("__init__",)),  # a model that is built, where a formula is asked for
}
"""What torch writes in Python, of operations that anyone may use: a file, and which of its functions; () for all."""

LIBRARIES = frozenset(
    {"nltk", "sacrebleu", "seqeval", "sklearn", "tiktoken", "tokenizers", "torchmetrics", "transformers"}
)
"""Packages that may be forbidden as a whole, by the name under which they are imported."""

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
    """Make a function, a module class's `forward`, or an optimizer class run unwatched."""
    if isinstance(part, type) and issubclass(part, nn.Module):
        part.forward = outside_the_watch(part.forward)
        return part
    if isinstance(part, type) and issubclass(part, torch.optim.Optimizer):
        for name in ("__init__", "step", "load_state_dict"):
            setattr(part, name, outside_the_watch(getattr(part, name)))
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
def _python_calls(forbidden: Sequence[str], seen: Callable[[str], None]) -> Iterator[None]:
    """Sees calls of what no mode of torch sees: Python of torch's, other libraries, the learner's own exercises."""
    told = _by_name(forbidden)
    if not told:
        yield
        return

    # Called at every call that the learner's code makes. Harmless code is kept, so that no other gets its number.
    libraries = not LIBRARIES.isdisjoint(forbidden)
    harmless: dict[int, CodeType] = {}
    modules: set[str] = set()

    def look(frame: FrameType, event: str, called: Any) -> None:
        if event == "call":
            code = frame.f_code
            if id(code) in harmless:
                return
            if name := told(code, frame.f_globals.get("__name__", "")):
                seen(name)
            else:
                harmless[id(code)] = code
        elif event == "c_call" and libraries:
            module = getattr(called, "__module__", None) or type(called.__self__).__module__
            if module in modules:
                return
            if name := told(None, module):
                seen(name)
            else:
                modules.add(module)

    before: Any = sys.getprofile()
    if not (before is None or callable(before) or hasattr(before, "enable")):
        yield  # a profiler written in C, which nobody can put back
        return
    sys.setprofile(look)
    try:
        yield
    finally:
        _put_back(before)


def _by_name(forbidden: Sequence[str]) -> Callable[[CodeType | None, str], str] | None:
    """Gives the forbidden name under which a call is told, by the code and the module that are called; "" for none.

    None where nothing forbidden is called by its name.
    """
    home = Path(torch.__file__).parent
    places = ((name, *IN_PYTHON[name]) for name in forbidden if name in IN_PYTHON)
    files = {str(home / file): (name, functions) for name, file, functions in places}
    libraries = LIBRARIES & set(forbidden)
    own = {name for name in forbidden if name.startswith(OWN)}
    # What stands here may have the name of an exercise, and is not the learner's.
    others = (*homes.below("autograder", "solutions"), str(home))

    def told(code: CodeType | None, module: str) -> str:
        package = module.partition(".")[0]
        if package in libraries:
            return package
        if code is None:
            return ""
        name, functions = files.get(code.co_filename, ("", ()))
        if name and (not functions or code.co_name in functions):
            return name
        part = OWN + code.co_qualname.partition(".")[0]
        return part if part in own and not code.co_filename.startswith(others) else ""

    return told if files or libraries or own else None


def _put_back(profiler: Any) -> None:
    # That of cProfile (`%prun`) is no function: set like one, it would raise at the learner's next line.
    if profiler is None or callable(profiler):
        sys.setprofile(profiler)
    else:
        profiler.enable()


def _names_of(forbidden: Sequence[str]) -> dict[str, set[str]]:
    """What may be seen → what it is called when told: an operator below the dispatcher by what leads there."""
    told: dict[str, set[str]] = {}
    for name in forbidden:
        for alias in (name, *ALIASES.get(name, ())):
            told.setdefault(alias, set()).add(name if alias.startswith("_") else alias)
    return told


@contextmanager
def watch(forbidden: Sequence[str], found: list[str], operators: bool = True) -> Iterator[None]:
    """While this is active, append the name of every forbidden call to `found`.

    Args:
        forbidden: function names, groups named in `ALIASES` or `IN_PYTHON`, packages named in `LIBRARIES`, exercises
            behind `OWN`.
        found: receives the name of each call once, and no second name for it.
        operators: look below torch's dispatcher as well, which doubles the time of what runs.
    """
    if not forbidden:
        yield
        return
    told = _names_of(forbidden)

    def seen(name: str) -> None:
        if name in told and not _paused and not told[name] & set(found):
            found.append(min(told[name]))

    in_torch = any(not (name in LIBRARIES or name.startswith(OWN)) for name in forbidden)
    names = _Names(seen) if in_torch else nullcontext()
    below = _Operators(seen) if in_torch and operators else nullcontext()
    with _python_calls(forbidden, seen), names, below:
        yield
