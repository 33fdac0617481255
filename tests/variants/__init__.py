"""Implementations on which the checks themselves are tried, one module (or folder of exercises) per lesson.

`@correct(exercise)` is right and written in an unusual way; `@disguise(exercise, mistake)` is a listed mistake written
in full, without the reference's structure; `slips(exercise, trunk, ...)` makes listed mistakes in right code that
somebody else wrote; `@unlisted(exercise)` is wrong in a way that no list holds.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from autograder import registry
from autograder.probing.exercise import Exercise
from tests.trunks import slipped


@dataclass(frozen=True)
class Variant:
    """An implementation, what it implements, and what must come of its check.

    Attributes:
        kind: "correct", "disguise" or "unlisted".
        exercise: the name of what it implements.
        make: gives the implementation; one that is a slip is made when it is asked for.
        label: what it is called.
        mistake: the listed mistake that a disguise makes.
        trunk: the right code in which it is a slip; None for what is written in full.
    """

    kind: str
    exercise: str
    make: Callable[[], Callable[..., Any]]
    label: str
    mistake: str = ""
    trunk: Callable[..., Any] | None = None

    @property
    def implementation(self) -> Callable[..., Any]:
        """What is checked."""
        return self.make()

    def __str__(self) -> str:
        return f"{self.exercise}-{self.kind}-{self.label}".replace(" ", "_")


_ALL: list[Variant] = []
_TRUNKS: set[tuple[str, Callable[..., Any]]] = set()
"""Exercise and trunk of those that are correct variants already."""


def disguise(exercise: str, mistake: str) -> Callable[[Any], Any]:
    """A listed mistake written in full."""
    return _adder("disguise", exercise, mistake)


def correct(exercise: str) -> Callable[[Any], Any]:
    """Right, in an unusual way."""
    return _adder("correct", exercise)


def unlisted(exercise: str) -> Callable[[Any], Any]:
    """Wrong in a way that no list holds."""
    return _adder("unlisted", exercise)


Slip = Mapping[str, str]
Around = Callable[[Any], Any]


def slips(
    exercise: str,
    trunk: Any,
    made: Mapping[str, Slip | Sequence[Slip]],
    *,
    around: Around | None = None,
    inside: str = "",
) -> None:
    """Listed mistakes, each a slip in right code that is not the reference. The code itself becomes a correct variant.

    Args:
        exercise: what the trunk implements.
        trunk: a function or class at the top level of its module, which shares no line with the solution.
        made: name of a mistake → text of the trunk → what stands there instead; several such for several ways. Each
            text must occur exactly once.
        around: makes the implementation out of the trunk (a module out of its `forward`, say).
        inside: the definition that is edited, where it is a part of which the trunk is made.
    """
    whole = around or _as_it_is
    if (exercise, trunk) not in _TRUNKS:
        _TRUNKS.add((exercise, trunk))
        _ALL.append(Variant("correct", exercise, partial(whole, trunk), trunk.__name__, trunk=trunk))
    for mistake, ways in made.items():
        for swaps in [ways] if isinstance(ways, Mapping) else ways:
            make = partial(_made, whole, trunk, swaps, inside)
            _ALL.append(Variant("disguise", exercise, make, f"{mistake}-in-{trunk.__name__}", mistake, trunk))


def _as_it_is(implementation: Any) -> Any:
    return implementation


def _made(whole: Around, trunk: Any, swaps: Slip, inside: str) -> Any:
    return whole(slipped(trunk, swaps, inside))


def _adder(kind: str, exercise: str, mistake: str = "") -> Callable[[Any], Any]:
    def add(implementation: Any) -> Any:
        label = mistake or implementation.__name__
        _ALL.append(Variant(kind, exercise, partial(_as_it_is, implementation), label, mistake))
        return implementation

    return add


@cache
def variants(kind: str) -> tuple[Variant, ...]:
    """All implementations of one kind."""
    for lesson in registry.lessons():
        importlib.import_module(f"{__name__}.{lesson}")
    return tuple(one for one in _ALL if one.kind == kind)


def of_nothing(lesson: str) -> list[Variant]:
    """Those of a lesson whose exercise no lesson has; a slip of the pen, most likely."""
    importlib.import_module(f"{__name__}.{lesson}")
    names = {one.name for other in registry.lessons() for one in registry.exercises(other)}
    return [one for one in _ALL if one.exercise not in names and _home(one) == lesson]


def _home(variant: Variant) -> str:
    """The lesson in whose files it stands."""
    within = getattr(variant.trunk or variant.implementation, "__module__", "").removeprefix(f"{__name__}.")
    return within.partition(".")[0]


def of_exercise(exercise: Exercise, kind: str) -> list[Variant]:
    """The implementations of one kind on which one exercise is tried; other lessons are not imported."""
    importlib.import_module(f"{__name__}.{exercise.lesson}")
    return [one for one in _ALL if one.kind == kind and one.exercise == exercise.name]
