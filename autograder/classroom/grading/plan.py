"""What a lesson's notebook asks for, read from our own build of it and never from a submission."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from nbformat import NotebookNode

from autograder import registry
from autograder.classroom.course.marks import bonus_of
from autograder.notebooks import lessons
from autograder.notebooks.build import _without_solutions, build
from autograder.notebooks.cell_names import as_python
from autograder.probing.exercise import Exercise

SHOWN_ONLY = {"demo", "play"}
"""Tags of cells that only show something: they are not run."""


@dataclass(frozen=True)
class CheckCell:
    """A check cell: what it checks, its id, what it is worth, its text, and whether that comes on top."""

    exercise: Exercise
    grade_id: str
    points: float
    source: str = ""
    bonus: bool = False


@dataclass
class Plan:
    """What is to be graded in a lesson's notebook.

    Attributes:
        stem, lesson: "01_layer_norm" and "layer_norm".
        checks: grade_id of a check cell → that cell, in the order of the notebook.
        blanks: grade_id of a solution cell → its text as it was handed out.
        ignored: texts of cells that only show something.
        locked: ids of cells that are ours alone, such as questions.
        modules: what the notebook imports.
    """

    stem: str
    lesson: str
    checks: dict[str, CheckCell] = field(default_factory=dict)
    blanks: dict[str, str] = field(default_factory=dict)
    ignored: set[str] = field(default_factory=set)
    locked: set[str] = field(default_factory=set)
    modules: list[str] = field(default_factory=list)

    @property
    def max_points(self) -> float:
        """The points of all checks, without what comes on top."""
        return sum(check.points for check in self.checks.values() if not check.bonus)


@cache
def plan_of(lesson: str) -> Plan:
    """The plan of a lesson, by any of the names that `lessons.stem_of` knows.

    Raises:
        Problem: when there is no such lesson, or it cannot be built.
    """
    stem = lessons.stem_of(lesson)
    return plan_from(build(stem, "student"), stem)


def released(source: NotebookNode) -> NotebookNode:
    """What students get of an instructor's notebook."""
    return _without_solutions(source)


def plan_from(notebook: NotebookNode, stem: str) -> Plan:
    """The plan of a notebook of ours: the released one, or the gradebook's source."""
    plan = Plan(stem, lessons.lesson_of(stem))
    known = {f"check-{one.name}": one for one in registry.exercises(plan.lesson)}
    for cell in notebook.cells:
        place = cell.metadata.get("nbgrader", {})
        name = place.get("grade_id", "")
        if place.get("grade") and not place.get("solution") and name in known:
            extra = bonus_of(place, cell.metadata.get("course", {}))
            points = extra or float(place["points"])
            plan.checks[name] = CheckCell(known[name], name, points, cell.source, bool(extra))
        elif place.get("solution") and cell.cell_type == "code":
            plan.blanks[name] = cell.source
        elif "wild" in cell.metadata.get("tags", []):
            plan.blanks[cell.id] = cell.source
        elif name:
            plan.locked.add(name)
        elif cell.cell_type == "code" and SHOWN_ONLY & set(cell.metadata.get("tags", [])):
            plan.ignored.add(cell.source.strip())
        elif cell.cell_type == "code":
            plan.modules += _imported(cell.source)
    return plan


def _imported(source: str) -> Iterator[str]:
    try:
        tree = ast.parse(as_python(source))
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
