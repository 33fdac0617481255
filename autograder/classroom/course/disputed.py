"""Finds the disputes that were handed in with notebooks."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from autograder.classroom.course.handed_in import handed_in, told
from autograder.notebooks import dispute
from autograder.notebooks.problem import Problem

MANY = 20
"""Of one student in one lesson, at most."""


class Disputed(NamedTuple):
    """A check that a student holds to be wrong.

    Attributes:
        student: who.
        exercise: whose check, "" when the file cannot be read.
        says: what the student says, or why the file cannot be read.
        file: where it lies, from the course's folder.
    """

    student: str
    exercise: str
    says: str
    file: str


def disputed(course: Path, lesson: str) -> list[Disputed]:
    """All disputes in what was handed in to a lesson."""
    return [one for handed in handed_in(course, lesson) for one in _of(handed.student, handed.path.parent, course)]


def _of(student: str, place: Path, course: Path) -> Iterator[Disputed]:
    try:
        paths = sorted(place.glob("dispute-*.json"))[:MANY]
        paths = [path for path in paths if stat.S_ISREG(path.lstat().st_mode)]
    except OSError:
        return
    for path in paths:
        file = told(path.relative_to(course).as_posix())
        try:
            found = dispute.read(path)
        except (Problem, OSError) as error:
            yield Disputed(student, "", f"cannot be read: {error}", file)
        else:
            yield Disputed(student, found.exercise, found.says, file)
