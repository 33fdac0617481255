"""What a lesson's notebook asks for, read from our own build of it and never from a submission."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from nbformat import NotebookNode

from autograder import registry
from autograder.classroom.course.marks import bonus_of
from autograder.notebooks import lessons
from autograder.notebooks.build import _without_solutions, build
from autograder.notebooks.cell_names import as_python
from autograder.notebooks.cells import grade_id
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

    @property
    def name(self) -> str:
        """What its result is called."""
        return self.exercise.name

    @property
    def about(self) -> tuple[str, ...]:
        """The cells that hold what it checks."""
        return (self.exercise.name,)


@dataclass(frozen=True)
class OwnTest:
    """A test cell of an instructor's own, as nbgrader has them.

    Attributes:
        grade_id: its id.
        points: what it is worth.
        source: its text as it was handed out.
        text: its text with the hidden tests.
        about: the solution cells between it and the graded cell before it.
    """

    grade_id: str
    points: float
    source: str
    text: str
    about: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What its result is called."""
        return self.grade_id


CheckOrTest = CheckCell | OwnTest


@dataclass
class Plan:
    """What is to be graded in a lesson's notebook.

    Attributes:
        stem, lesson: "01_layer_norm" and "layer_norm".
        checks: grade_id of a check cell → that cell, in the order of the notebook.
        tests: the same for an instructor's own test cells.
        blanks: grade_id of a solution cell → its text as it was handed out.
        ignored: texts of cells that only show something.
        fixed: grade_id of an instructor's read-only code → its text, which is run whatever a student made of it.
        locked: ids of cells that are ours alone, such as questions.
        modules: what the notebook imports.
        order: names of all of these cells that have code, as they stand in the notebook.
    """

    stem: str
    lesson: str
    checks: dict[str, CheckCell] = field(default_factory=dict)
    tests: dict[str, OwnTest] = field(default_factory=dict)
    blanks: dict[str, str] = field(default_factory=dict)
    ignored: set[str] = field(default_factory=set)
    fixed: dict[str, str] = field(default_factory=dict)
    locked: set[str] = field(default_factory=set)
    modules: list[str] = field(default_factory=list)
    order: list[str] = field(default_factory=list)

    @property
    def graded(self) -> dict[str, CheckOrTest]:
        """grade_id → all cells with points that no person gives, in the order of the notebook."""
        both: dict[str, CheckOrTest] = {**self.checks, **self.tests}
        return {name: both[name] for name in self.order if name in both}

    @property
    def lessons(self) -> tuple[str, ...]:
        """The lessons whose exercises are checked: several where one was divided since the notebook was released."""
        checked = {check.exercise.lesson for check in self.checks.values()}
        return tuple(one for one in registry.lessons() if one in checked) or (self.lesson,)


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


def plan_of_source(source: NotebookNode, stem: str) -> Plan:
    """The plan of a gradebook's source, with the hidden tests of an instructor's own."""
    return plan_from(released(source), stem, {grade_id(cell): cell.source for cell in source.cells})


def plan_from(notebook: NotebookNode, stem: str, full: Mapping[str, str] = {}) -> Plan:
    """The plan of a notebook that is handed out.

    Args:
        notebook: the notebook.
        stem: its lesson's, such as "01_layer_norm".
        full: grade_id → text of a cell before hidden tests were taken out.
    """
    plan = Plan(stem, lessons.lesson_of(stem))
    known = {f"check-{one.name}": one for one in registry.exercises(plan.lesson)}
    if _checks(notebook) - known.keys():
        known = {f"check-{one.name}": one for one in registry.all_exercises()}
    for cell in notebook.cells:
        _add(plan, cell, known, full)
    return plan


def _add(plan: Plan, cell: NotebookNode, known: Mapping[str, Exercise], full: Mapping[str, str]) -> None:
    """Write down what a cell is for."""
    place, name, tags = cell.metadata.get("nbgrader", {}), grade_id(cell), set(cell.metadata.get("tags", []))
    if cell.cell_type != "code":
        plan.locked |= {name} - {""}
        return
    if place.get("grade") and not place.get("solution"):
        if name in known:
            extra = bonus_of(place, cell.metadata.get("course", {}))
            points = extra or float(place["points"])
            plan.checks[name] = CheckCell(known[name], name, points, cell.source, bool(extra))
        else:
            text = full.get(name, cell.source)
            plan.tests[name] = OwnTest(name, float(place["points"]), cell.source, text, _about(plan))
    elif place.get("solution"):
        plan.blanks[name] = cell.source
    elif "wild" in tags:
        name = cell.id
        plan.blanks[name] = cell.source
    elif place.get("locked") and name:
        plan.fixed[name] = cell.source
    elif SHOWN_ONLY & tags:
        plan.ignored.add(cell.source.strip())
    plan.order += [name] if name else []
    if name not in plan.blanks and not SHOWN_ONLY & tags:
        plan.modules += _imported(full.get(name, cell.source) if name else cell.source)


def _about(plan: Plan) -> tuple[str, ...]:
    """The solution cells behind the last graded cell."""
    last = max((plan.order.index(name) for name in plan.graded), default=-1)
    return tuple(name for name in plan.order[last + 1 :] if name in plan.blanks)


def _checks(notebook: NotebookNode) -> set[str]:
    places = [cell.metadata.get("nbgrader", {}) for cell in notebook.cells]
    return {one["grade_id"] for one in places if one.get("grade") and not one.get("solution")}


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
