"""Has stock nbgrader take graded notebooks into a course's gradebook."""

from __future__ import annotations

import functools
import logging
import math
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from autograder.classroom.course import by_hand
from autograder.classroom.course.book import opened
from autograder.notebooks.problem import Problem

CONFIG = "nbgrader_config.py"
STAGED = ".autograder/submitted"
"""Where the graded notebooks lie for nbgrader, below the course's folder."""

SANITIZE = ("nbgrader.preprocessors.OverwriteCells",)
SAVE = ("autograder.classroom.scores.SaveScores", "nbgrader.preprocessors.AssignLatePenalties")
# No CheckCellMetadata: the metadata is our own, and that check takes a third of the time.

UNITS = (("day", 86400), ("hour", 3600), ("minute", 60))


def save(course: Path, lesson: str) -> None:
    """Have nbgrader's own code take the staged notebooks into gradebook and `autograded/`.

    Raises:
        Problem: when the lesson was not released, or nbgrader failed.
    """
    from nbgrader.converters import Autograde
    from nbgrader.converters.base import NbGraderException
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import PyFileConfigLoader

    if not (course / STAGED).is_dir():
        return
    config = PyFileConfigLoader(CONFIG, str(course.resolve())).load_config()
    config.CourseDirectory.root = str(course.resolve())
    config.CourseDirectory.submitted_directory = STAGED
    config.CourseDirectory.assignment_id = lesson
    config.Autograde.sanitize_preprocessors = list(SANITIZE)
    config.Autograde.autograde_preprocessors = list(SAVE)
    converter = Autograde(coursedir=CourseDirectory(config=config), config=config)
    converter.force = True
    converter.log = logging.getLogger("autograder.nbgrader")
    converter.log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), _one_engine():
            warnings.simplefilter("ignore")  # nbgrader's own, about its database
            _make_assignment_known(course, lesson)
            with by_hand.kept(course, lesson):
                converter.start()
    except NbGraderException as error:
        raise Problem(f"nbgrader could not save all points: {error}") from None


def _make_assignment_known(course: Path, lesson: str) -> None:
    from nbgrader.api import MissingEntry

    with opened(course) as book:
        try:
            book.find_notebook(lesson, lesson)
        except MissingEntry:
            raise Problem(f"{lesson} was not released yet. Run: nbgrader generate_assignment {lesson}") from None


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
