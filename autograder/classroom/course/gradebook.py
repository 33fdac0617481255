"""Has stock nbgrader take graded notebooks into a course's gradebook."""

from __future__ import annotations

import functools
import logging
import math
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from autograder.classroom.course import by_hand
from autograder.classroom.course.book import opened
from autograder.notebooks.problem import Problem

CONFIG = "nbgrader_config.py"
STAGED = ".autograder/submitted"
"""Where the graded notebooks lie for nbgrader, below the course's folder."""

SANITIZE = ("nbgrader.preprocessors.OverwriteCells",)
SAVE = ("nbgrader.preprocessors.SaveAutoGrades", "nbgrader.preprocessors.AssignLatePenalties")
# No CheckCellMetadata: the metadata is our own, and that check takes a third of the time.

UNITS = (("day", 86400), ("hour", 3600), ("minute", 60))


def save(course: Path, lesson: str) -> None:
    """Have nbgrader's own code take the staged notebooks into gradebook and `autograded/`.

    Raises:
        Problem: when nbgrader failed.
    """
    from nbgrader.converters import Autograde

    if not (course / STAGED).is_dir():
        return
    config = _config(course, lesson)
    config.CourseDirectory.submitted_directory = STAGED
    config.Autograde.sanitize_preprocessors = list(SANITIZE)
    config.Autograde.autograde_preprocessors = list(SAVE)
    with _one_engine(), by_hand.kept(course, lesson):
        _start(Autograde, config, "save all points")


def release(course: Path, lesson: str) -> None:
    """Have nbgrader's own code make the students' version, and write its cells into the gradebook.

    Raises:
        Problem: when nbgrader failed.
    """
    from nbgrader.converters import GenerateAssignment

    _start(GenerateAssignment, _config(course, lesson), f"make release/{lesson}")


def _config(course: Path, lesson: str) -> Any:
    """The course's own configuration, for one assignment."""
    from traitlets.config import PyFileConfigLoader

    config = PyFileConfigLoader(CONFIG, str(course.resolve())).load_config()
    config.CourseDirectory.root = str(course.resolve())
    config.CourseDirectory.assignment_id = lesson
    return config


def _start(kind: Any, config: Any, what: str) -> None:
    """Run one of nbgrader's converters, over what is there already."""
    from nbgrader.converters.base import NbGraderException
    from nbgrader.coursedir import CourseDirectory

    converter = kind(coursedir=CourseDirectory(config=config), config=config)
    converter.force = True
    converter.log = logging.getLogger("autograder.nbgrader")
    converter.log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nbgrader's own, about its database
            converter.start()
    except NbGraderException as error:
        raise Problem(f"nbgrader could not {what}: {error}") from None


def absent(course: Path, handed: Collection[str]) -> list[str]:
    """The students of a course who are not among those who handed in."""
    with opened(course) as book:
        return sorted(one.id for one in book.students if one.id not in handed)


def late(course: Path, lesson: str) -> dict[str, str]:
    """Who handed a lesson in late, and by how much."""
    with opened(course) as book:
        found = ((one.student.id, one.total_seconds_late) for one in book.assignment_submissions(lesson))
        return {student: _duration(seconds) for student, seconds in found if seconds > 0}


def _duration(seconds: float) -> str:
    """In days, hours or minutes, rounded up."""
    unit, size = next((one for one in UNITS if seconds > one[1]), UNITS[-1])
    count = math.ceil(seconds / size)
    return f"{count} {unit}{'s' if count > 1 else ''}"


@contextmanager
def _one_engine() -> Iterator[None]:
    """While this is active, nbgrader's gradebooks share an engine, and with it the SQL that it has put together.

    nbgrader opens its gradebook eight times for each submission, and each time puts together the same statements.
    """
    from nbgrader import api

    with patch.object(api, "create_engine", functools.cache(api.create_engine)):
        yield
