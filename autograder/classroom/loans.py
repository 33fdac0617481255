"""Stand-ins that are lent to the sandbox: the text of one, with what it needs, and nothing else of its lesson.

A sandbox holds no stand-ins of the lesson that is graded, as these would be answers. When an exercise fails because an
earlier one is wrong, it is run again with that one replaced. By then the earlier one is decided, so its stand-in may be
seen; those of exercises that are still to come may not.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Collection
from functools import cache
from pathlib import Path

from autograder import registry
from autograder.exercise import Exercise
from autograder.notebooks.names import needed

Loan = tuple[str, str]
"""A module's text, and the name in it that is lent."""


def loan(exercise: Exercise, decided: Collection[str]) -> Loan | None:
    """The stand-in of an exercise as a text of its own.

    Args:
        exercise: what is to be replaced.
        decided: the exercises that have been decided on, and may be shown.

    Returns:
        None when there is no stand-in, or it needs one that may not be shown.
    """
    parts = _parts(exercise.lesson)
    if exercise.reference not in parts:
        return None
    wanted = _closure(exercise.reference, parts)
    references = {one.reference for one in registry.exercises(exercise.lesson)}
    shown = {one.reference for one in registry.exercises(exercise.lesson) if one.name in decided}
    if (wanted & references) - shown:
        return None
    body = [text for name, text in parts.items() if name in wanted]
    return "\n\n".join([_imports(exercise.lesson), *body]), exercise.reference


def _closure(name: str, parts: dict[str, str]) -> set[str]:
    found, open_ = set(), {name}
    while open_:
        one = open_.pop()
        found.add(one)
        open_ |= (needed(parts[one]) & parts.keys()) - found
    return found


@cache
def _text(lesson: str) -> str:
    spec = importlib.util.find_spec(f"autograder.stand_ins.{lesson}")
    return Path(spec.origin).read_text(encoding="utf-8") if spec and spec.origin else ""


@cache
def _imports(lesson: str) -> str:
    body = ast.parse(_text(lesson)).body
    return "\n".join(ast.unparse(node) for node in body if isinstance(node, ast.Import | ast.ImportFrom))


@cache
def _parts(lesson: str) -> dict[str, str]:
    """Name → text of everything that a module of stand-ins defines at its top level."""
    parts: dict[str, str] = {}
    for node in ast.parse(_text(lesson)).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            parts[node.name] = ast.unparse(node)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            parts[node.targets[0].id] = ast.unparse(node)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            parts[node.target.id] = ast.unparse(node)
    return parts
