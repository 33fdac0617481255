"""A course of one small lesson, notebooks to hand in, and a sandbox to grade them in."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.classroom.grading.box import Box
from autograder.classroom.grading.grades import Grade, Result
from autograder.classroom.grading.one_notebook import Secret, grade_file
from autograder.classroom.grading.plan import Plan, plan_from
from autograder.sandbox import walls
from autograder.sandbox.inside.limits import Limits
from tests.small_lesson import LESSON, STEM, cell, notebook, solved

ALL = ("normalize", "LayerNorm", "RMSNorm", "LayerNormalization")
NONE = walls.available()
needs_walls = pytest.mark.skipif(NONE is not None and "CI" not in os.environ, reason=f"no sandbox here: {NONE}")
"""In CI there is a sandbox, or it is ours that is broken."""

QUICK = Limits(cell=3, probe=3, exercise=5, notebook=60)
PATIENT = Limits(cell=30, probe=30, exercise=60, notebook=200)
"""Where nothing is to run out of time, on a busy machine neither."""


def right() -> NotebookNode:
    """A notebook in which everything is right."""
    return solved(notebook("student"), *ALL)


def with_code(name: str, code: str) -> NotebookNode:
    """The right notebook with other code in one exercise's cell."""
    own = right()
    cell(own, name).source = code
    return own


def with_cell(code: str, before: str = "normalize") -> NotebookNode:
    """The right notebook with a cell of the student's own before another one."""
    own = right()
    at = next(number for number, one in enumerate(own.cells) if one.id == before)
    own.cells.insert(at, new_code_cell(code, id="my-own"))
    return own


@cache
def plan() -> Plan:
    """What the small lesson asks for."""
    return plan_from(notebook("student"), STEM)


class Room:
    """A sandbox and somewhere to put notebooks."""

    def __init__(self, folder: Path, *, sandboxed: bool = True, box: Box | None = None) -> None:
        self.folder = folder
        self.secret = Secret()
        self.box = box or Box(LESSON, plan().modules, QUICK, sandboxed=sandboxed)

    def patiently(self, given: NotebookNode) -> Grade:
        """Grade what was handed in, whatever else the machine does."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self.box, "limits", PATIENT)
            return self.grade(given)

    def grade(self, given: NotebookNode | bytes | dict[str, Any]) -> Grade:
        """Grade what was handed in."""
        path = self.folder / f"{STEM}.ipynb"
        path.write_bytes(given if isinstance(given, bytes) else nbformat.writes(copy.deepcopy(given)).encode())
        return grade_file(path, plan(), self.box, self.secret)


def points(grade: Grade) -> dict[str, float | None]:
    """Exercise → points."""
    return {one.exercise: one.points for one in grade.results}


def statuses(grade: Grade) -> dict[str, str]:
    """Exercise → status."""
    return {one.exercise: one.status for one in grade.results}


def result(grade: Grade, exercise: str) -> Result:
    """What came of one exercise."""
    return next(one for one in grade.results if one.exercise == exercise)


FULL = {"normalize": 2.0, "LayerNorm": 4.0, "RMSNorm": 3.0, "LayerNormalization": 2.0}


@pytest.fixture(scope="package")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    """One sandbox for all tests of this folder: that no submission harms the next is what it is for."""
    made = Room(tmp_path_factory.mktemp("room"))
    yield made
    made.box.close()
