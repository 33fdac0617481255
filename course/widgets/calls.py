"""Calls a learner's function without ever raising: it gives an answer or says in words why not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Answer:
    """What a function gave, or in words why it gave nothing usable.

    Args:
        value: what it returned; None when there is trouble.
        trouble: one sentence, "" when all went well.
    """

    value: Any = None
    trouble: str = ""


def name_of(function: object, default: str = "your function") -> str:
    """The function's own name, or a default for what has none."""
    return str(getattr(function, "__name__", default))


def ask(function: Callable[..., Any], *arguments: Any, name: str = "") -> Answer:
    """Call a function on copies of the arguments and keep every exception.

    Args:
        function: the learner's function, or one of ours that calls it.
        arguments: tensors are cloned, so that a call in place changes nothing here.
        name: what the learner calls it; the function's own name if not given.
    Returns:
        The answer, or the trouble in words.
    """
    copies = [a.detach().clone() if isinstance(a, Tensor) else a for a in arguments]
    try:
        with torch.no_grad():
            return Answer(function(*copies))
    except NotImplementedError:
        return Answer(trouble=f"`{name or name_of(function)}` is not written yet.")
    except Exception as error:  # a learner's code may raise anything; the widget must survive it
        return Answer(trouble=f"`{name or name_of(function)}` raised {_in_words(error)}")


def _in_words(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    first = lines[0][:160] if lines else ""
    return f"{type(error).__name__}: {first.rstrip('.')}." if first else f"{type(error).__name__}."


def tensor_of(value: object, shape: tuple[int, ...], who: str) -> Answer:
    """Take a tensor of the given shape as float32 numbers.

    Args:
        value: what a function returned.
        shape: the shape that is wanted.
        who: the start of the sentence, such as "`attention_scores` returned".
    Returns:
        An answer that holds a numpy array, or says what was given and what would do.
    """
    if value is None:
        return Answer(trouble=f"{who} None: is there a `return`?")
    if not isinstance(value, Tensor):
        return Answer(trouble=f"{who} a {type(value).__name__} where a tensor is expected.")
    if tuple(value.shape) != shape:
        return Answer(trouble=f"{who} shape {tuple(value.shape)}; expected {shape}.")
    if value.is_complex():
        return Answer(trouble=f"{who} complex numbers; expected real ones.")
    return Answer(np.ascontiguousarray(value.detach().cpu().to(torch.float32).numpy()))


def pair_of(value: object, who: str) -> Answer:
    """Take the pair (output, weights) that every attention function of the course returns."""
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return Answer(tuple(value))
    given = "None" if value is None else f"a {type(value).__name__}"
    return Answer(trouble=f"{who} {given} where the pair (output, weights) is expected.")


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """In evaluation mode, and afterwards in the mode in which the model came."""
    mode = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(mode)
