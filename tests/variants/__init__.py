"""Implementations on which the checks themselves are tried, one module per lesson.

`@disguise(exercise, mistake)` is a listed mistake written in full, without the reference's structure;
`@correct(exercise)` is right and written in an unusual way; `@unlisted(exercise)` is wrong in a way that no list holds.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from autograder import registry
from autograder.probing.exercise import Exercise


@dataclass(frozen=True)
class Variant:
    """An implementation, what it implements, and what must come of its check."""

    kind: str
    exercise: str
    implementation: Callable[..., Any]
    mistake: str = ""

    def __str__(self) -> str:
        label = self.mistake or self.implementation.__name__
        return f"{self.exercise}-{self.kind}-{label}".replace(" ", "_")


_ALL: list[Variant] = []


def disguise(exercise: str, mistake: str) -> Callable[[Any], Any]:
    """A listed mistake written in full."""
    return _adder("disguise", exercise, mistake)


def correct(exercise: str) -> Callable[[Any], Any]:
    """Right, in an unusual way."""
    return _adder("correct", exercise)


def unlisted(exercise: str) -> Callable[[Any], Any]:
    """Wrong in a way that no list holds."""
    return _adder("unlisted", exercise)


def _adder(kind: str, exercise: str, mistake: str = "") -> Callable[[Any], Any]:
    def add(implementation: Any) -> Any:
        _ALL.append(Variant(kind, exercise, implementation, mistake))
        return implementation

    return add


@cache
def variants(kind: str) -> tuple[Variant, ...]:
    """All implementations of one kind."""
    for lesson in registry.lessons():
        importlib.import_module(f"{__name__}.{lesson}")
    return tuple(one for one in _ALL if one.kind == kind)


def of_exercise(exercise: Exercise, kind: str) -> list[Variant]:
    """The implementations of one kind on which one exercise is tried; other lessons are not imported."""
    importlib.import_module(f"{__name__}.{exercise.lesson}")
    return [one for one in _ALL if one.kind == kind and one.exercise == exercise.name]
