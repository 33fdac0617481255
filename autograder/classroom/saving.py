"""Preprocessors that make `nbgrader autograde`, by hand or by the formgrader's button, give trusted points.

In `nbgrader_config.py`:

    c.Autograde.sanitize_preprocessors = ["autograder.classroom.saving.Rebuild"]
    c.Autograde.autograde_preprocessors = [
        "autograder.classroom.scores.SaveScores",
        "nbgrader.preprocessors.AssignLatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.classroom.course import own_tests
from autograder.classroom.course.book import entered
from autograder.classroom.course.checked_source import path_of, read_source
from autograder.classroom.course.rebuild import rebuilt
from autograder.classroom.course.released import refuse_unless_released
from autograder.classroom.grading import cache as kept
from autograder.classroom.grading.batch import Options, refuse_without_walls
from autograder.classroom.grading.grades import Grade
from autograder.classroom.grading.one_notebook import Secret
from autograder.classroom.grading.plan import released
from autograder.classroom.grading.submission import read
from autograder.classroom.grading.worker import Task, own_worker
from autograder.notebooks import lessons
from autograder.notebooks.problem import Problem


class Undecided(RuntimeError):
    """The sandbox failed. nbgrader keeps the points that were there before."""


class Rebuild(NbGraderPreprocessor):
    """Grades what was handed in, and replaces it by our notebook with its texts and the results."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Instead of cleaning and running a submission.

        Raises:
            Undecided: when the sandbox failed.
            SystemExit: with one message, when the assignment cannot be graded.
        """
        path = Path(resources["metadata"]["path"]).resolve() / f"{resources['metadata']['name']}.ipynb"
        lesson = resources["nbgrader"]["assignment"]
        course = entered(resources["nbgrader"])
        try:
            source = _looked_at(course, lesson)
        except Problem as problem:
            raise SystemExit(str(problem)) from None  # nbgrader makes a traceback of anything else
        grade = _graded(path, lesson, str(path_of(course, lesson)))
        if not grade.complete:
            raise Undecided(grade.words or "a check failed; no points were changed")
        return rebuilt(released(source), read(path), grade), resources


def _looked_at(course: Path, lesson: str) -> NotebookNode:
    """The instructor's notebook. It may change between two submissions: the formgrader's server lives for days.

    Raises:
        Problem: when it is no lesson's, or some of it cannot be graded.
    """
    if lesson not in lessons.notebook_stems():
        raise Problem(
            f"{lesson} is no lesson of this course. Take the lines about c.Autograde out of nbgrader_config.py while "
            "you grade an assignment of your own."
        )
    source = read_source(course, lesson)
    refuse_unless_released(course, lesson, source)
    own_tests.refuse_unless_they_pass(course, lesson, source, Options())
    return source


def _graded(path: Path, lesson: str, source: str) -> Grade:
    name = kept.key(path, lesson, True, source)
    known = kept.get(name, path) if name else None
    if known is not None:
        return known
    refuse_without_walls(True)
    grade = own_worker().grade(Task(str(path), lesson, _secret().key.hex(), True, source))
    kept.put(name, grade)
    return grade


@cache
def _secret() -> Secret:
    """One for all submissions that this process grades: the reference and the mistakes run on its draws once."""
    return Secret()
