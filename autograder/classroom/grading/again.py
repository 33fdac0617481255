"""Runs the checks of somebody's notebook again in the sandbox, for a certificate that is to be verified."""

from __future__ import annotations

from pathlib import Path

from autograder.classroom.grading.batch import Options, grade_all
from autograder.classroom.grading.worker import Task
from autograder.notebooks import files, lessons
from autograder.notebooks.problem import Problem
from autograder.sandbox import walls
from autograder.showing.verifying import Shares

REFUSAL = (
    "The sandbox cannot be used here: {why} Nothing was run. These notebooks are somebody's code: read them, and let "
    "them run with your own rights by --trust."
)


def refuse_without_sandbox() -> None:
    """Raise Problem where there is none."""
    if (why := walls.available()) is not None:
        raise Problem(REFUSAL.format(why=why))


def run_in_sandbox(path: Path) -> Shares:
    """What each exercise of a notebook earns, decided outside of the sandbox on random numbers of today.

    Raises:
        Problem: when it is no notebook of the course, or could not be decided.
    """
    stem = _lesson_of(path)
    (grade,) = grade_all([Task(str(path), stem, "", True)], Options(fresh=True, jobs=1))
    if not grade.complete:
        raise Problem(f"{path} could not be decided: {grade.words or 'the sandbox failed'}")
    if grade.status == "malformed":
        raise Problem(f"{path} is no notebook: {grade.words}")
    return {one.exercise: _share(one.points or 0.0, one.max_points) for one in grade.results}


def _share(points: float, of: float) -> float:
    return points / of if of else 0.0


def _lesson_of(path: Path) -> str:
    """The lesson of a notebook: by what it says itself, as a file may be called anything, or by its name."""
    said = files.read(path).metadata.get("course", {}).get("lesson", "")
    return lessons.stem_of(str(said) or path.stem)
