"""Cuts single parts out of a lesson's stand-ins, with what they need and nothing else. Runs outside."""

from __future__ import annotations

import ast
import dis
import inspect
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial
from types import CodeType, FunctionType
from typing import Any

from autograder import registry
from autograder.judging.definitions import closure, defined, text
from autograder.probing.exercise import Exercise, lesson_of


def excerpt(lesson: str, names: Collection[str]) -> str:
    """The text of a module that defines these names of a lesson's stand-ins, and what they need."""
    parts = defined(lesson)
    wanted = {one for name in names if name in parts for one in closure(lesson, name)}
    return "\n\n".join([_imports(lesson), *(one for name, one in parts.items() if name in wanted)]) + "\n"


def given(lesson: str) -> set[str]:
    """What a lesson's stand-ins hold that is no answer: its given parts, and what its checks build on."""
    module = registry.stand_in_module(lesson)
    names = set(getattr(module, "GIVEN", ())) | _imported_by_checks(lesson)
    answers = {one.reference for one in registry.exercises(lesson)}
    harmless = {name for name in names & defined(lesson).keys() if not closure(lesson, name) & answers}
    return harmless | ({"GIVEN"} if "GIVEN" in defined(lesson) else set())


def partners(exercise: Exercise) -> set[str]:
    """The stand-ins of its own lesson that an exercise's probes call: to see what was saved, something has to load it.

    They are answers to other exercises, so they are lent to these probes only. Never lent is an answer to the exercise
    itself.
    """
    computed = [one for probe in exercise.probes for one in _functions_in(probe.compute)]
    names = defined(exercise.lesson).keys() & _names_used(computed)
    return {name for name in names if exercise.reference not in closure(exercise.lesson, name)} if names else set()


def _functions_in(compute: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """A probe's function; where it tries an implementation, that too."""
    yield from (compute.func, *compute.keywords.values()) if isinstance(compute, partial) else (compute,)


def _names_used(functions: Sequence[Callable[..., Any]]) -> set[str]:
    """What functions, and the functions of their lesson that they call, take from its stand-ins."""
    found: set[str] = set()
    seen: set[Any] = set()
    open_ = [one for one in functions if isinstance(one, FunctionType)]
    while open_:
        one = inspect.unwrap(open_.pop())  # a decorated function's own code
        if one not in seen:
            seen.add(one)
            for code in _codes(one.__code__):
                found |= _taken(code, one)
                values = (one.__globals__.get(name) for name in code.co_names)
                called = (each for each in values if isinstance(each, FunctionType))
                open_ += [each for each in called if lesson_of(each.__module__) == lesson_of(one.__module__)]
    return found


def _taken(code: CodeType, function: FunctionType) -> set[str]:
    """The attributes that code reads from the module of stand-ins."""
    home = f"autograder.stand_ins.{lesson_of(function.__module__)}"
    found, on_module = set(), False
    for step in dis.get_instructions(code):
        if on_module and step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            found.add(str(step.argval))
        is_global = step.opname == "LOAD_GLOBAL"
        on_module = is_global and getattr(function.__globals__.get(step.argval), "__name__", "") == home
    return found


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _imported_by_checks(lesson: str) -> set[str]:
    home = f"autograder.stand_ins.{lesson}"
    trees = (ast.parse(file.read_text(encoding="utf-8")) for file in registry.files("checks", lesson))
    nodes = (node for tree in trees for node in ast.walk(tree))
    found = (node for node in nodes if isinstance(node, ast.ImportFrom) and node.module == home)
    return {alias.name for node in found for alias in node.names}


@cache
def _imports(lesson: str) -> str:
    body = ast.parse(text(lesson)).body
    return "\n".join(ast.unparse(node) for node in body if isinstance(node, ast.Import | ast.ImportFrom))
