"""The class report as a table for spreadsheets, with no field that they take for a formula."""

from __future__ import annotations

import csv
import io
import re

from autograder.classroom.report.class_names import Grades, mistake_names

FORMULA = re.compile(r"(^|[;\t\r\n])(?=\s*[=+\-@＝＋－＠]|[\t\r\n])")
"""Where a formula could begin. Where commas are decimal, spreadsheets may cut a field at its semicolons."""


def as_csv(grades: Grades) -> str:
    """A line for every student and exercise. Mistakes stand with their exercise, as in the terminal's summary.

    A bonus has possible points of 0, as in the gradebook: the columns add up to what that says.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["student", "exercise", "status", "points", "max_points", "mistake", "flags"])
    for student, grade in grades.items():
        for one in grade.results:
            points = "" if one.points is None else f"{one.points:g}"
            # With its exercise in front, "-1e9 as fill" is no formula, and keeps its name without an apostrophe.
            named = "; ".join(f"{one.exercise}: {name}" for name in mistake_names(one))
            flags = "; ".join([*one.flags, *grade.flags])
            row = [student, one.exercise, one.status, points, f"{0 if one.bonus else one.max_points:g}", named, flags]
            writer.writerow([_harmless(text) for text in row])
    return out.getvalue()


def _harmless(text: str) -> str:
    """A field that no spreadsheet takes for a formula."""
    return FORMULA.sub(r"\1'", text)
