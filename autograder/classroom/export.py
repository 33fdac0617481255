"""Points per exercise for Canvas and Moodle: `nbgrader export --exporter=autograder.classroom.export.Exercises`."""

from __future__ import annotations

import csv
from typing import Any

from nbgrader.plugins import ExportPlugin
from traitlets import Unicode


class Exercises(ExportPlugin):
    """A line for every student and a column for every exercise or question, as grade imports of both take it.

    The first column is the student's id: in Moodle map it to "ID number", in Canvas it is "SIS Login ID".
    """

    layout = Unicode("moodle", help='"moodle" or "canvas": what the first column is called').tag(config=True)

    def export(self, gradebook: Any) -> None:
        """Write the table to the file that `--to` names, by default exercises.csv."""
        columns = [
            (assignment.name, notebook.name, cell.name, cell.max_score)
            for assignment in gradebook.assignments
            if not self.assignment or assignment.name in self.assignment
            for notebook in assignment.notebooks
            for cell in notebook.grade_cells
        ]
        with open(self.to or "exercises.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            first = "SIS Login ID" if self.layout == "canvas" else "ID number"
            writer.writerow([first, *(f"{a} {_short(name)} ({points:g})" for a, _, name, points in columns)])
            for student in gradebook.students:
                if not self.student or student.id in self.student:
                    writer.writerow([student.id, *(_points(gradebook, student.id, *column) for column in columns)])


def _short(name: str) -> str:
    return name.removeprefix("check-")


def _points(gradebook: Any, student: str, assignment: str, notebook: str, name: str, _: float) -> str:
    """The points; empty where nothing was handed in, or a question waits for a person."""
    from nbgrader.api import MissingEntry

    try:
        grade = gradebook.find_grade(name, notebook, assignment, student)
    except MissingEntry:
        return ""
    return "" if grade.needs_manual_grade else f"{grade.score:g}"
