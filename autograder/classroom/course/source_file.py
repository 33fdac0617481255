"""Where an instructor's notebook of an assignment lies, and that it is there."""

from __future__ import annotations

from pathlib import Path

from nbformat import NotebookNode

from autograder.notebooks import files
from autograder.notebooks.problem import Problem


def path_of(course: Path, stem: str) -> Path:
    """Where an assignment's notebook is."""
    return course / "source" / stem / f"{stem}.ipynb"


def source_of(course: Path, stem: str) -> NotebookNode:
    """An assignment's notebook as it is.

    Raises:
        Problem: when there is none.
    """
    path = path_of(course, stem)
    if not path.is_file():
        raise Problem(f"There is no {path}. Run this in the folder of a course that has {stem}.")
    return files.read(path)
