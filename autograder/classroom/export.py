"""Points for Canvas and Moodle: `nbgrader export --exporter=autograder.classroom.export.Exercises`.

In one table stand lessons or exercises, never both: each column becomes an assignment of its own there, and points that
stand in two of them count twice.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from nbgrader.plugins import ExportPlugin
from traitlets import Enum


@dataclass(frozen=True)
class Column:
    """An exercise or question of an assignment, and where nbgrader has its points; all of them, without a cell."""

    assignment: str
    notebook: str
    cell: str
    points: float

    @property
    def name(self) -> str:
        """What it is called in the table."""
        if not self.cell:
            return self.assignment
        return f"{self.assignment} {self.cell.removeprefix('check-')}"


class Exercises(ExportPlugin):
    """A line for every student, and a column for every exercise and question, or for every lesson, penalties off.

    Moodle's import has the instructor say which column is the student's "ID number". Canvas wants the columns of its
    own exports, in their order, and the possible points in a line of their own; a number in parentheses behind an
    assignment's name it takes for the assignment's. It knows students by its own number, and by their login.
    """

    layout = Enum(["moodle", "canvas"], "moodle", help="whose import the table is for").tag(config=True)
    columns = Enum(["exercises", "lessons"], "exercises", help="what has a column").tag(config=True)
    ids = Enum(["login", "number"], "login", help="what Canvas knows students by, of what they are called here").tag(
        config=True
    )

    def export(self, gradebook: Any) -> None:
        """Write the table to the file that `--to` names, by default exercises.csv or lessons.csv."""
        columns = list(self._columns(gradebook))
        rows = _for_canvas(columns) if self.layout == "canvas" else _for_moodle(columns)
        with open(self.to or f"{self.columns}.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerows(rows)
            for student in gradebook.students:
                if not self.student or student.id in self.student:
                    points = [_points(gradebook, student.id, column) for column in columns]
                    writer.writerow([*self._who(student), *points])
        self._warn_of_penalties(gradebook)

    def _columns(self, gradebook: Any) -> Iterator[Column]:
        for assignment in self._assignments(gradebook):
            if self.columns == "lessons":
                yield Column(assignment.name, "", "", assignment.max_score)
                continue
            for notebook in assignment.notebooks:
                for cell in notebook.grade_cells:
                    yield Column(assignment.name, notebook.name, cell.name, cell.max_score)

    def _assignments(self, gradebook: Any) -> list[Any]:
        """Those that were asked for; one that was never released has no notebook yet, and nothing to tell."""
        wanted = [one for one in gradebook.assignments if not self.assignment or one.name in self.assignment]
        return [one for one in wanted if one.notebooks]

    def _warn_of_penalties(self, gradebook: Any) -> None:
        handed = [one for each in self._assignments(gradebook) for one in gradebook.assignment_submissions(each.name)]
        late = sorted({one.student.id for one in handed if one.late_submission_penalty})
        if late and self.columns == "exercises":
            self.log.warning(
                "Exercises are written without penalties for late work (%s). --Exercises.columns=lessons has them.",
                ", ".join(late),
            )

    def _who(self, student: Any) -> list[str]:
        if self.layout == "moodle":
            return [student.id]
        name = ", ".join(part for part in (student.last_name, student.first_name) if part)
        number, login = (student.id, "") if self.ids == "number" else ("", student.id)
        return [name or student.id, number, login, ""]


def _for_moodle(columns: list[Column]) -> list[list[str]]:
    return [["ID number", *(f"{column.name} ({column.points:g})" for column in columns)]]


def _for_canvas(columns: list[Column]) -> list[list[str]]:
    head = ["Student", "ID", "SIS Login ID", "Section", *(column.name for column in columns)]
    return [head, ["Points Possible", "", "", "", *(f"{column.points:g}" for column in columns)]]


def _points(gradebook: Any, student: str, column: Column) -> str:
    """The points; empty where nothing was handed in, or a question waits for a person."""
    from nbgrader.api import MissingEntry

    try:
        if not column.cell:
            handed = gradebook.find_submission(column.assignment, student)
            return f"{max(0.0, handed.score - handed.late_submission_penalty):g}"
        grade = gradebook.find_grade(column.cell, column.notebook, column.assignment, student)
    except MissingEntry:
        return ""
    return "" if grade.needs_manual_grade else f"{grade.score:g}"
