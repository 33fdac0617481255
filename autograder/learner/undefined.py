"""When `check(LayerNorm)` fails because there is no LayerNorm: a word on why, before Python's own message."""

from __future__ import annotations

import difflib
from types import TracebackType
from typing import Any

from autograder import registry
from autograder.learner.notebook import graded, namespace, shell


def explain_undefined_names() -> None:
    """Make the running notebook explain a NameError on an exercise's name; elsewhere, nothing happens."""
    ipython = shell()
    if ipython is not None and not graded() and not ipython.custom_exceptions:
        ipython.set_custom_exc((NameError,), _explain)


def _explain(ipython: Any, kind: type, error: NameError, trace: TracebackType, tb_offset: int | None = None) -> None:
    words = why_undefined(str(error.name))
    if words:
        print(words + "\n")
    # Shown all the same: a cell that raised must look like one.
    ipython.showtraceback((kind, error, trace), tb_offset=tb_offset)


def why_undefined(name: str) -> str:
    """What to do about an exercise that the notebook does not define; empty when `name` is no exercise.

    Args:
        name: the name that was not found.
    """
    if name not in {one.name for one in registry.all_exercises()}:
        return ""
    own = [key for key, value in namespace().items() if getattr(value, "__module__", "") == "__main__"]
    near = difflib.get_close_matches(name, own, 1, 0.6)
    if near:
        return (
            f"There is no {name} in this notebook, but there is {near[0]}. "
            f"Rename it, or say what it is meant to be: check({near[0]}, exercise={name!r})."
        )
    return f"There is no {name} in this notebook yet. Run the cell that defines it, then this one again."
