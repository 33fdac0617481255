"""Definitions of the reference as they are put into a notebook. It is read, not imported."""

from __future__ import annotations

import re

from autograder.judging import edits
from autograder.notebooks.problem import Problem
from autograder.probing import source
from autograder.probing.exercise import Exercise

MARK = re.compile(r"^\s*#.*\b(BEGIN|END) SOLUTION\b.*\n?", re.MULTILINE)


def module_text(lesson: str) -> str:
    """The text of a lesson's module of the reference.

    Raises:
        Problem: when this copy of the course comes without it.
    """
    try:
        return edits.source(lesson)
    except ModuleNotFoundError as error:
        raise Problem(f"solutions.{lesson} is not part of this copy of the course.") from error


def definition(lesson: str, name: str) -> str:
    """The text of a function or class, with its decorators and a trailing `# END SOLUTION`.

    A lesson with many exercises has part of them in a module that its own imports.

    Raises:
        Problem: when the lesson's module does not define it.
    """
    try:
        return source.definition(module_text(lesson), name)
    except LookupError:
        pass
    try:
        return source.definition(module_text(edits.home_of(lesson, name)), name)
    except (edits.BadEdit, ModuleNotFoundError) as error:
        raise Problem(f"solutions/{lesson}.py does not define {name}.") from error


def repaired(exercise: Exercise) -> str:
    """What a cell of wrong code holds when it is put right: a definition; with many faults, all that it is made of."""
    if exercise.hunt:
        return edits.standing_with(exercise.lesson, exercise.reference)
    return definition(exercise.lesson, exercise.reference)


def has_solution_marks(source: str) -> bool:
    """Whether a definition says which part the learner has to write."""
    return bool(MARK.search(source))


def without_marks(source: str) -> str:
    """The definition as a learner would have written it, without BEGIN and END SOLUTION."""
    return MARK.sub("", source).rstrip("\n")


def renamed(source: str, old: str, new: str) -> str:
    """The same definition under another name.

    Only the header changes: no definition of the reference speaks of itself by name.
    """
    return re.sub(rf"^(class|def) {old}\b", rf"\1 {new}", source, count=1, flags=re.MULTILINE)
