"""Makes an ordinary nbgrader course of the lessons."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from string import Template

from nbformat import NotebookNode

from autograder import homes
from autograder.classroom.collecting import PATTERN
from autograder.classroom.course import texts
from autograder.classroom.course.adapting import adapted
from autograder.classroom.course.choosing import text_of
from autograder.classroom.course.source_file import path_of
from autograder.learner import choices
from autograder.learner.choices import Choices
from autograder.notebooks import files, lessons
from autograder.notebooks.build import build
from autograder.notebooks.problem import Problem, named_by_a_person

ALL = Choices()

STRETCHES = {
    "counted": "Stretches count like any other exercise.",
    "bonus": "Stretches are a bonus: their check cells have 0 points, and what they earn is extra credit.",
    "left out": "Stretches are left out.",
}
QUESTIONS = {
    "by hand": "The questions, a point each, are graded by hand.",
    "answered": "The questions, a point each, have it when they are answered; you can still change it by hand.",
    "left out": "Questions are left out.",
}


def init(folder: str, given: Sequence[str] = (), chosen: Choices = ALL, own: Path | None = None) -> int:
    """Make a course that nbgrader's own commands work on: sources, configuration and gradebook.

    Args:
        folder: where; it must not exist yet, or be empty.
        given: names of lessons; none means those that were chosen.
        chosen: what the class counts.
        own: lessons of the instructor's own, which the course keeps.

    Raises:
        Problem: when something is there already, or a lesson cannot be built.
    """
    place = Path(folder)
    files.refuse_if_taken(place)
    stems = tuple(lessons.stem_of(one) for one in given) or chosen.lessons or tuple(lessons.source_stems())
    if not stems:
        raise Problem("This copy of the course has no lesson sources to make a course of.")
    chosen = replace(chosen, lessons=stems)
    notebooks = {stem: of_class(stem, chosen) for stem in stems}
    with named_by_a_person(place):
        _write_course(place, notebooks, chosen)
        if own is not None:
            shutil.copytree(own, place / homes.FOLDER)
        _make_gradebook(place, stems)
    print(f"{place} is an nbgrader course of {', '.join(stems)}.")
    if own is not None:
        print(f"What checks your own lessons was copied to {place / homes.FOLDER}.")
    print(f"Stretches: {chosen.stretches}. Questions: {chosen.questions}. Next: read {place / 'README.md'}.")
    return 0


def of_class(stem: str, chosen: Choices) -> NotebookNode:
    """A lesson's notebook with solutions and model answers, as a class has it that has chosen.

    Raises:
        Problem: when the lesson cannot be built.
    """
    return adapted(build(stem, "source"), stem, chosen)


def _write_course(place: Path, notebooks: dict[str, NotebookNode], chosen: Choices) -> None:
    place.mkdir(parents=True, exist_ok=True)
    for stem, notebook in notebooks.items():
        files.write(path_of(place, stem), notebook)
    first, points = next((stem, points_of(one)) for stem, one in notebooks.items())
    words = {"course_id": course_id(place), "lesson": first, "points": f"{points:g}", "pattern": PATTERN}
    words |= {"stretches": STRETCHES[chosen.stretches], "questions": QUESTIONS[chosen.questions]}
    (place / choices.FILE).write_text(text_of(chosen), encoding="utf-8", newline="\n")
    for name, text in (("nbgrader_config.py", texts.CONFIG), ("README.md", texts.README)):
        filled = Template(text).substitute(words)
        (place / name).write_text(filled, encoding="utf-8", newline="\n")


def points_of(notebook: NotebookNode) -> float:
    """The points of a notebook that checks decide on; questions are graded by hand."""
    places = [cell.metadata.get("nbgrader", {}) for cell in notebook.cells]
    return sum(one["points"] for one in places if one.get("grade") and not one["solution"])


def course_id(place: Path) -> str:
    """A name for the course, made from its folder's: letters, digits, `_` and `-`."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", place.resolve().name).strip("-") or "transformer"


def _make_gradebook(place: Path, stems: Sequence[str]) -> None:
    """Create gradebook.db with the assignments in it, as `nbgrader db assignment import` does."""
    from nbgrader.api import Gradebook
    from sqlalchemy.exc import SQLAlchemyError

    with scripts_on_the_path():
        try:
            with Gradebook(f"sqlite:///{place.resolve() / 'gradebook.db'}", course_id(place)) as book:
                for stem in stems:
                    book.update_or_create_assignment(stem)
        except (OSError, subprocess.SubprocessError, SQLAlchemyError) as error:
            raise Problem(f"nbgrader could not make {place / 'gradebook.db'}: {error}") from None


@contextmanager
def scripts_on_the_path() -> Iterator[None]:
    """nbgrader starts `alembic`, which lies beside Python and may not be on the path."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before
