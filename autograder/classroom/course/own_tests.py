"""Tries an instructor's own tests on the instructor's own solution: a test that fails there would fail everybody."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from nbformat import NotebookNode

from autograder.classroom.course.checked_source import path_of
from autograder.classroom.grading.batch import Options, grade_all
from autograder.classroom.grading.grades import Grade, Result
from autograder.classroom.grading.plan import plan_of_source
from autograder.classroom.grading.worker import Task
from autograder.notebooks import files
from autograder.notebooks.problem import Problem


def refuse_unless_they_pass(course: Path, lesson: str, source: NotebookNode, options: Options) -> None:
    """Raise Problem when one of the tests does not give all its points for what stands in `source/`."""
    if not plan_of_source(source, lesson).tests:
        return
    path = str(path_of(course, lesson))
    grade = grade_all([Task(path, lesson, "", options.sandbox, path)], replace(options, jobs=1))[0]
    failed = failures(grade)
    if failed:
        raise Problem(f"{files.shown(Path(path))}: {failed} Nothing was graded.")


def failures(grade: Grade) -> str:
    """What is to be said of an instructor's own notebook that was graded; "" when its tests pass."""
    if not grade.complete:
        return f"your own tests could not be tried on your own solution: {grade.words or 'the sandbox failed'}."
    failed = [one for one in grade.results if one.inside and one.status != "ok"]
    if not failed:
        return ""
    told = "\n".join(f"  {one.exercise}: {_why(one)}" for one in failed)
    return (
        f"your own tests have to give all their points for the solution that stands beside them, and do not:\n{told}\n"
        "Each test runs by itself, behind the cells in front of it, without what other tests leave, in at most 30 s."
    )


def _why(one: Result) -> str:
    lines = one.text.splitlines()
    return f"{one.points:g} of {one.max_points:g} points. {lines[1] if len(lines) > 1 else one.status}"
