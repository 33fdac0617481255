"""What may be lent: stand-ins that take the place of earlier parts when an exercise is run again.

One rule for the notebook, the terminal and grading. The part is one of the same lesson and stands earlier in its plan;
it has a stand-in, which neither holds the answer to the exercise itself nor is one; and the code under test mentions
it, as something that the notebook defines, or lacks.
"""

from __future__ import annotations

import dis
import gc
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from types import CodeType, FunctionType, ModuleType
from typing import Any

from autograder import registry
from autograder.judging.definitions import closure, defined
from autograder.probing.exercise import Exercise

LARGE = 1000
"""Entries of a container that is not looked into: it is data."""


def lendable(exercise: Exercise) -> list[str]:
    """The earlier exercises whose stand-ins may be lent to one, in the order of the plan."""
    known = registry.exercises(exercise.lesson)
    earlier = known[: known.index(exercise)]
    return [one.name for one in earlier if _has_a_stand_in(one) and not _gives_away(one, exercise)]


def _has_a_stand_in(exercise: Exercise) -> bool:
    return exercise.reference in defined(exercise.lesson)


def _gives_away(part: Exercise, exercise: Exercise) -> bool:
    """Whether a part's stand-in holds an exercise's answer, or is one; a repair has that of what it repairs."""
    return part in exercise.done_by or exercise.reference in closure(part.lesson, part.reference)


def within_reach(implementation: Any, names: Collection[str]) -> list[str]:
    """Those of these parts that an implementation uses, as far as they are its own notebook's, or defined nowhere.

    A cell that does not parse, or does not come to its end, defines nothing; what comes from elsewhere is right.

    Args:
        implementation: what is under test.
        names: the parts that may be lent.
    """
    values = namespace_of(implementation)
    home = values.get("__name__")
    used = mentioned(implementation, frozenset(names), home)
    return [name for name in names if name in used and getattr(values.get(name), "__module__", home) == home]


def namespace_of(implementation: Any) -> dict[str, Any]:
    """The module namespace in which an implementation looks up names; empty when it looks up none.

    A decorator's own function may look up in another, so it is the module that the implementation says it comes from.
    """
    home = getattr(implementation, "__module__", None)
    functions = (one for one in _reached(implementation, home) if type(one) is FunctionType)
    return next((one.__globals__ for one in functions if one.__globals__.get("__name__") == home), {})


@contextmanager
def lent(values: dict[str, Any], parts: Mapping[str, Any]) -> Iterator[None]:
    """While this is active, these names of a namespace are these parts, whether they were there before or not."""
    before = {name: values[name] for name in parts if name in values}
    values.update(parts)
    try:
        yield
    finally:
        for name in parts:
            values.pop(name, None)
        values.update(before)


# What code mentions ----------------------------------------------------------------------------


def mentioned(implementation: Any, names: frozenset[str], home: str | None) -> frozenset[str]:
    """Which of these names occur in an implementation, or in what it reaches of its own module.

    A name counts where code looks it up among those of its module, or has it as a text (`globals()["gelu"]`); that of
    an attribute, as in `F.gelu`, does not. Nothing of the implementation is run for this.

    Args:
        implementation: where to begin.
        names: what to look for.
        home: the name of the module whose functions, classes and objects are followed.
    """
    return names & {one for one in _reached(implementation, home) if type(one) is str}


def _reached(implementation: Any, home: str | None) -> Iterator[Any]:
    """An implementation and all that it holds or names, as far as `_leads_on` goes."""
    seen: dict[int, Any] = {}
    open_ = [implementation]
    while open_:
        one = open_.pop()
        if id(one) not in seen:
            seen[id(one)] = one  # kept, so that no other object gets its number
            yield one
            open_ += [each for each in _held_by(one) if _leads_on(each, home)]


def _held_by(value: Any) -> Collection[Any]:
    """What a value is made of, and, of code, the names in it."""
    if type(value) is CodeType:
        return [*_looked_up(value), *value.co_consts]
    if type(value) is FunctionType:
        names = {name for code in _codes(value.__code__) for name in _looked_up(code)}
        used = [value.__globals__[name] for name in names if name in value.__globals__]
        own = (value.__code__, value.__closure__, value.__defaults__, value.__kwdefaults__, value.__dict__)
        return [*own, *used]
    if type(value) in (dict, list, set, tuple, frozenset) and len(value) > LARGE:
        return []
    return gc.get_referents(value)


def _looked_up(code: CodeType) -> set[str]:
    steps = (step for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
    return {str(step.argval) for step in steps}


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _leads_on(value: Any, home: str | None) -> bool:
    """Whether to look into something: into what comes from the implementation's own module, and plain containers."""
    kind = type(value)
    if kind is FunctionType or issubclass(kind, type):
        return getattr(value, "__module__", None) == home
    plain = kind.__module__ in ("builtins", "functools") and kind is not ModuleType
    return plain or kind.__module__ == home
