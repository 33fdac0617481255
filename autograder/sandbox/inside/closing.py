"""Closes the operators that an exercise forbids, where every way of calling them ends: in torch's dispatcher.

The watch sees calls of its own thread while its modes are active. This holds in every thread, without modes, and for
what was scripted. It does not hold against code that takes over the process that runs it.
"""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Callable, Collection
from functools import cache, partial
from typing import Any, NoReturn

import torch

from autograder import registry
from autograder.judging.definitions import text
from autograder.probing.exercise import Exercise
from autograder.probing.watch import ALIASES

CLOSABLE = ("softmax", "layer_norm", "rms_norm", "scaled_dot_product_attention", "gelu", "cross_entropy")
"""What is forbidden somewhere and is an operator. The rest is Python that anyone may call parts of."""

KEYS = ("CPU", "NestedTensorCPU", "SparseCPU", "MkldnnCPU", "CompositeExplicitAutograd")
"""The kinds of implementations that could do the work here."""


def close(exercise: Exercise, lent: Collection[str], seen: Callable[[str], None]) -> None:
    """Let this process call none of the operators that an exercise forbids. There is no way back.

    Those that stand-ins use stay open: of earlier lessons, and what was lent.

    Args:
        exercise: what is to be probed.
        lent: the texts of the stand-ins that were lent to it.
        seen: receives the forbidden name whenever an operator is called all the same.
    """
    closed = to_close(exercise, lent)
    for key in KEYS if closed else ():
        library = torch._C._dispatch_library("IMPL", "aten", key, "", 0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch says that something was there before
            for operator, name in closed.items():
                library.impl(operator, key, partial(_refuse, name, seen))
        # When it goes, all is open again: so nothing in Python holds it, and it never goes.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))


def to_close(exercise: Exercise, lent: Collection[str] = ()) -> dict[str, str]:
    """Operators to close for an exercise, each with the forbidden name that it stands for."""
    names = closable(exercise, lent)
    used = (name for name in exercise.forbidden if name in CLOSABLE and name not in names)
    left_open = {one for name in used for one in operators(name)}
    pairs = {one: name for name in reversed(names) for one in operators(name)}
    return {one: name for one, name in pairs.items() if one not in left_open}


def closable(exercise: Exercise, lent: Collection[str] = ()) -> list[str]:
    """Those of the names an exercise forbids whose operators can be closed for it."""
    texts = [*lent, _stand_ins_before(exercise.lesson)]
    return [name for name in exercise.forbidden if name in CLOSABLE and not _used(name, texts)]


@cache
def _stand_ins_before(lesson: str) -> str:
    known = registry.lessons()
    return "\n".join(text(one) for one in known[: known.index(lesson)])


def _used(name: str, texts: Collection[str]) -> bool:
    """Whether one of these texts has a name in it, as a function's or a class's."""
    return any(name.replace("_", "") in one.lower().replace("_", "") for one in texts)


@cache
def operators(name: str) -> tuple[str, ...]:
    """All forms of the operators that a forbidden name stands for."""
    packets = {one: getattr(torch.ops.aten, one, None) for one in (name, *ALIASES.get(name, ()))}
    forms = ((one, form) for one, packet in packets.items() if packet is not None for form in packet.overloads())
    return tuple(one if form == "default" else f"{one}.{form}" for one, form in forms)


def _refuse(name: str, seen: Callable[[str], None], *_: Any, **__: Any) -> NoReturn:
    seen(name)
    raise RuntimeError(f"{name} is what this exercise asks you to build, so it is closed here")
