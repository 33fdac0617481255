"""A course's gradebook: nbgrader's database."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def opened(course: Path) -> Any:
    """The gradebook of a course, to be used in a `with` statement."""
    from nbgrader.api import Gradebook

    return Gradebook(f"sqlite:///{course.resolve() / 'gradebook.db'}")
