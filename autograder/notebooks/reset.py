"""Brings blanks back."""

from __future__ import annotations

from pathlib import Path

from nbformat import NotebookNode

from autograder.learner import choices
from autograder.notebooks import files, lessons
from autograder.notebooks.build import build
from autograder.notebooks.problem import Problem
from autograder.notebooks.transplant import answer_names, put_back


def reset(lesson: str, exercise: str | None = None) -> int:
    """Bring back the blank of a notebook or of one exercise in it, and say where the old one is.

    Args:
        lesson: `1`, `01`, `layer_norm`, `01_layer_norm` or a path.
        exercise: an exercise's name, or a question's (`question-...`).
    """
    stem = lessons.stem_of(lesson)
    path, fresh = _where(lesson, stem), blank(stem)
    if exercise is None or not path.exists():
        return _reset_all(path, fresh)
    if exercise not in answer_names(fresh):
        there = ", ".join(answer_names(fresh))
        raise Problem(f"{stem} has no exercise {exercise!r}. There are: {there}.")
    notebook = files.read(path)
    if not put_back(notebook, fresh, exercise):
        print(f"{exercise} in {files.shown(path)} is blank already.")
        return 0
    backup = files.back_up(path)
    files.write(path, notebook)
    print(f"{exercise} in {files.shown(path)} is blank again. Before: {files.shown(backup)}")
    return 0


def _where(given: str, stem: str) -> Path:
    """The notebook that is meant: of a class's student, that of this folder, unless a path is given."""
    if not choices.is_package():
        return lessons.notebook_path(stem)
    return Path(given) if given.endswith(".ipynb") else Path(f"{stem}.ipynb")


def _reset_all(path: Path, fresh: NotebookNode) -> int:
    text = files.text_of(fresh)
    if files.holds(path, text):
        print(f"{files.shown(path)} is blank already.")
        return 0
    before = f" Before: {files.shown(files.back_up(path))}" if path.exists() else ""
    files.write_text(path, text)
    print(f"{files.shown(path)} is blank again.{before}")
    return 0


def blank(stem: str) -> NotebookNode:
    """A lesson's notebook as it is given: built here, or, without the reference, what git or the package holds.

    Raises:
        Problem: when none of them has it.
    """
    if choices.is_package():
        return _in_package(stem)
    try:
        return build(stem)
    except Problem:
        held = files.committed(lessons.notebook_path(stem))
        if held is None:
            raise
        return files.parse(held, stem)


def _in_package(stem: str) -> NotebookNode:
    path = lessons.notebook_path(stem)
    if not path.is_file() or not path.stat().st_size:  # of some lessons, a package has no more than the name
        raise Problem(f"Your package has no blank of {stem}. Install the newest package of your class.")
    return files.read(path)
