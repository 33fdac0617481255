"""A course's gradebook: nbgrader's database."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder import homes


def opened(course: Path) -> Any:
    """The gradebook of a course, to be used in a `with` statement."""
    from nbgrader.api import Gradebook

    return Gradebook(f"sqlite:///{course.resolve() / 'gradebook.db'}")


def course_of(about: Mapping[str, Any]) -> Path:
    """The course in which a gradebook lies, by what nbgrader tells a preprocessor or exporter of it."""
    return Path(about["db_url"].removeprefix("sqlite:///")).parent


def entered(about: Mapping[str, Any]) -> Path:
    """The same, with the lessons of its instructor's own in use: the formgrader's server may stand anywhere."""
    course = course_of(about)
    homes.use(homes.of_course(course))
    return course
