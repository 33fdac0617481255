"""Looks at an assignment before `nbgrader generate_assignment`, by hand or by the formgrader's button, releases it.

In `nbgrader_config.py`, where nbgrader would end in a traceback, or release what cannot be graded:

    c.GenerateAssignment.preprocessors.prepend(["autograder.classroom.releasing.LookFirst"])
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.classroom.course import released
from autograder.classroom.course.book import entered
from autograder.classroom.course.checked_source import faults
from autograder.notebooks import lessons


class LookFirst(NbGraderPreprocessor):
    """Ends nbgrader with one message when an assignment of the course's lessons cannot be released as it is."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Before all that nbgrader does."""
        lesson = resources["nbgrader"]["assignment"]
        course = entered(resources["nbgrader"])
        if lesson in lessons.notebook_stems() and resources["nbgrader"]["notebook"] == lesson:
            why = _why_not(nb, lesson, course)
            if why:
                raise SystemExit(f"{why}{_gone(course, lesson)}")
        return nb, resources


def _why_not(notebook: NotebookNode, lesson: str, course: Path) -> str:
    found = faults(notebook, lesson)
    if found:
        return "\n".join([f"source/{lesson} cannot be graded as it is, and was not released:", *found])
    change = released.change_of(course, lesson, notebook)
    return released.told(change, lesson, f"source/{lesson}") if change and change.needs_room else ""


def _gone(course: Path, lesson: str) -> str:
    """What nbgrader does before it asks anybody."""
    there = (course / "release" / lesson / f"{lesson}.ipynb").is_file()
    return "" if there else f"\nrelease/{lesson} is not there now: the next release brings it back."
