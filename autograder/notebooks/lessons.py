"""Finds the lesson sources and reads them."""

from __future__ import annotations

import re
from pathlib import Path

from nbformat import NotebookNode

from autograder import homes
from autograder.notebooks.problem import Problem
from autograder.registry import COURSE, NOTEBOOKS, PAGES

SOURCES = COURSE / "lessons"
NAME = re.compile(r"(?P<number>\d\d)_(?P<lesson>\w+)")


class UnknownLesson(Problem):
    """There is no lesson that a person could mean."""


def notebook_stems() -> list[str]:
    """The notebook names of all lessons without their ending, in order: `"01_layer_norm"`, ...

    Of a lesson that has moved an older notebook may still lie there. The one that has its source here counts, else the
    last.
    """
    found: dict[str, str] = {}
    for stem in sorted(_all_stems(), key=lambda stem: (source_path(stem).is_file(), stem)):
        found[lesson_of(stem)] = stem
    return sorted(found.values())


def left_over() -> list[str]:
    """The names of older notebooks of lessons that have moved."""
    return sorted(_all_stems() - set(notebook_stems()))


def _all_stems() -> set[str]:
    found = [*SOURCES.glob(PAGES), *folder().glob(NOTEBOOKS)]
    own = homes.own()
    found += own.glob(f"course/lessons/{PAGES}") if own else []
    return {path.stem for path in found if NAME.fullmatch(path.stem)}


def source_stems() -> list[str]:
    """The names of the lessons that have a source here."""
    return [stem for stem in notebook_stems() if source_path(stem).is_file()]


def stem_of(given: str) -> str:
    """The notebook stem that a person means.

    Args:
        given: `1`, `01`, `layer_norm`, `01_layer_norm` or the path of a notebook or lesson source. A number that the
            lesson had before it moved is understood, too.

    Raises:
        UnknownLesson: naming the lessons there are.
    """
    wanted = Path(given).name.removesuffix(".ipynb").removesuffix(".md")
    stems = notebook_stems()
    for stem in stems:
        number, lesson = stem.split("_", 1)
        if wanted in (stem, lesson) or (wanted.isdecimal() and int(wanted) == int(number)):
            return stem
    if match := NAME.fullmatch(wanted):
        for stem in stems:
            if lesson_of(stem) == match["lesson"]:
                return stem
    known = ", ".join(stems) or "none yet"
    raise UnknownLesson(f"There is no lesson {given!r}. There are: {known}.")


def lesson_of(stem: str) -> str:
    """A lesson's own name: `"01_layer_norm"` → `"layer_norm"`."""
    match = NAME.fullmatch(stem)
    if not match:
        raise Problem(f"{stem!r} is no lesson's name; such a name looks like 01_layer_norm.")
    return match["lesson"]


def notebook_path(stem: str) -> Path:
    """Where a lesson's notebook is, or will be."""
    return _course_of(stem) / f"{stem}.ipynb"


def source_path(stem: str) -> Path:
    """Where a lesson's source is."""
    own = _own_page(stem)
    return own if own.is_file() else SOURCES / f"{stem}.md"


def _own_page(stem: str) -> Path:
    """Where the source of a lesson of an instructor's own would be."""
    return (homes.own() or Path("/nowhere")) / "course" / "lessons" / f"{stem}.md"


def _course_of(stem: str) -> Path:
    own = _own_page(stem)
    return own.parent.parent if own.is_file() else folder()


def folder() -> Path:
    """Where the notebooks are that a learner works in."""
    return homes.desk() or COURSE


def source_text(stem: str) -> str:
    """The text of a lesson's source.

    Raises:
        Problem: when this copy of the course comes without it.
    """
    try:
        return source_path(stem).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Problem(f"The source of {stem} is not part of this copy of the course.") from None


def parse(text: str) -> NotebookNode:
    """A lesson's text as a notebook, with the author's tags.

    Raises:
        Problem: when it is no MyST Markdown notebook.
    """
    import jupytext  # a students' package does without

    try:
        return jupytext.reads(text, fmt="md:myst")
    except Exception as error:
        raise Problem(f"The lesson is no MyST Markdown notebook: {error}") from error
