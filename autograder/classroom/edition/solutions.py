"""Releases the solutions and model answers of a lesson, after its deadline."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from nbformat import NotebookNode

from autograder import registry
from autograder.classroom.course.source_file import source_of
from autograder.classroom.edition.deadlines import deadline, in_words
from autograder.learner.hints import solution_of
from autograder.learner.released_solutions import FOLDER as IN_PACKAGE
from autograder.notebooks import cells, files, lessons, reference
from autograder.notebooks.build import build
from autograder.notebooks.problem import Problem

FOLDER = "solutions"
"""In a course. What lies there is out, and the next package has it too."""

NOTE = (
    "**Solutions and model answers.** The checks are left out here: running this page changes neither your points nor "
    "your library."
)


def release(course: Path, given: Sequence[str], *, early: bool = False) -> int:
    """Write a lesson's notebook with every exercise done and every question answered.

    Args:
        course: the course's folder.
        given: names of lessons.
        early: also before a deadline.

    Raises:
        Problem: when this is no course, it has no such lesson, or its deadline has not passed.
    """
    stems = [lessons.stem_of(one) for one in given]
    made = {stem: solved(source_of(course, stem), stem) for stem in stems}
    for stem in stems:
        _refuse_before_the_deadline(course, stem, early)
    for stem, notebook in made.items():
        place = course / FOLDER / f"{stem}.ipynb"
        files.write(place, notebook)
        print(f"{place} has the solutions and model answers: hand it out any way you like.")
    print("From the next `autograder classroom package` on, reveal() shows the solutions too.")
    return 0


def _refuse_before_the_deadline(course: Path, stem: str, early: bool) -> None:
    due = deadline(course, stem)
    if due is not None and datetime.now(UTC) < due and not early:
        raise Problem(
            f"{stem} can be handed in until {in_words(due)}, with extensions. Nothing was released. "
            "To release it all the same: --early"
        )


def solved(source: NotebookNode, stem: str) -> NotebookNode:
    """A class's notebook with its solutions and model answers, without checks and without anything nbgrader reads.

    Args:
        source: the instructor's notebook.
        stem: its name.
    """
    repaired = {cell.id: cell.source for cell in build(stem, "solved").cells if "wild" in _tags(cell)}
    notebook = copy.deepcopy(source)
    notebook.cells = [cell for cell in notebook.cells if not _is_check(cell)]
    for cell in notebook.cells:
        cell.source = repaired.get(cell.id, reference.without_marks(cell.source))
        cell.metadata.pop("nbgrader", None)
    notebook.cells.insert(1, cells.markdown(NOTE, "solutions-note"))
    return notebook


def _is_check(cell: NotebookNode) -> bool:
    place = cell.metadata.get("nbgrader", {})
    return bool(cell.cell_type == "code" and place.get("grade") and not place.get("solution"))


def _tags(cell: NotebookNode) -> list[str]:
    return list(cell.metadata.get("tags", []))


# In the package ------------------------------------------------------------------------


def add_released(course: Path | None, stems: Sequence[str], package: Path) -> None:
    """Put the solutions that are out into a package, for `reveal`.

    Args:
        course: the course; None where the package is made of none.
        stems: the lessons of the package.
        package: the folder of `autograder` in it.
    """
    for stem in stems:
        if course is not None and (course / FOLDER / f"{stem}.ipynb").is_file():
            lesson = lessons.lesson_of(stem)
            texts = {one.name: solution_of(one) for one in registry.exercises(lesson)}
            files.write_text(package / IN_PACKAGE / f"{lesson}.json", json.dumps(texts, indent=1) + "\n")


def deadlines(course: Path | None, stems: Sequence[str]) -> dict[str, str]:
    """For each lesson that has one, its deadline in words."""
    if course is None or not (course / "gradebook.db").is_file():
        return {}
    known = {stem: deadline(course, stem) for stem in stems}
    return {stem: in_words(when) for stem, when in known.items() if when is not None}
