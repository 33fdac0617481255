"""Points per exercise for Canvas and Moodle: `nbgrader export --exporter=autograder.classroom.export.Exercises`."""

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
    """A line for every student; for every lesson a column with all points, penalties off, and one for each exercise.

    Moodle's import has the instructor say which column is the student's "ID number". Canvas wants the columns of its
    own exports, in their order, and the possible points in a line of their own; a number in parentheses behind an
    assignment's name it takes for the assignment's.
    """

    layout = Enum(["moodle", "canvas"], "moodle", help="whose import the table is for").tag(config=True)

    def export(self, gradebook: Any) -> None:
        """Write the table to the file that `--to` names, by default exercises.csv."""
        columns = list(self._columns(gradebook))
        rows = _for_canvas(columns) if self.layout == "canvas" else _for_moodle(columns)
        with open(self.to or "exercises.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerows(rows)
            for student in gradebook.students:
                if not self.student or student.id in self.student:
                    points = [_points(gradebook, student.id, column) for column in columns]
                    writer.writerow([*self._who(student), *points])

    def _columns(self, gradebook: Any) -> Iterator[Column]:
        for assignment in gradebook.assignments:
            if self.assignment and assignment.name not in self.assignment:
                continue
            yield Column(assignment.name, "", "", assignment.max_score)
            for notebook in assignment.notebooks:
                for cell in notebook.grade_cells:
                    yield Column(assignment.name, notebook.name, cell.name, cell.max_score)

    def _who(self, student: Any) -> list[str]:
        if self.layout == "moodle":
            return [student.id]
        name = ", ".join(part for part in (student.last_name, student.first_name) if part)
        return [name or student.id, "", student.id, ""]


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
