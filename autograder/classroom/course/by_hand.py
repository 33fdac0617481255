"""Keeps what a person has graded: saving again marks all of it as open, whatever changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from autograder.classroom.course.book import opened
from autograder.notebooks import files


class GradedCell(NamedTuple):
    """A cell of a student's."""

    student: str
    cell: str


class Done(NamedTuple):
    """What a person saw when grading it: the checks' points, and the cell's text."""

    points: float | None
    text: str


@contextmanager
def kept(course: Path, lesson: str) -> Iterator[None]:
    """What was graded by hand before is so afterwards, where neither the cell nor its checked points have changed."""
    before = {cell: done for cell, done, grade in _graded(course, lesson) if not grade.needs_manual_grade}
    yield
    for cell, done, grade in _graded(course, lesson):
        if before.get(cell) == done:
            grade.needs_manual_grade = False


def _graded(course: Path, lesson: str) -> Iterator[tuple[GradedCell, Done, Any]]:
    """All cells with points of a person's. Changes to the grades are saved at the end."""
    with opened(course) as book:
        for submission in book.assignment_submissions(lesson):
            student = submission.student.id
            grades = [one for each in submission.notebooks for one in each.grades if one.manual_score is not None]
            texts = _texts(course / "autograded" / student / lesson / f"{lesson}.ipynb") if grades else {}
            for grade in grades:
                yield GradedCell(student, grade.name), Done(grade.auto_score, texts.get(grade.name, "")), grade
        book.db.commit()


def _texts(notebook: Path) -> dict[str, str]:
    """grade_id → text."""
    if not notebook.is_file():
        return {}
    cells = files.read(notebook).cells
    return {cell.metadata.get("nbgrader", {}).get("grade_id", ""): cell.source for cell in cells}
