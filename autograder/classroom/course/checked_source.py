"""Reads an instructor's notebook of a lesson, and refuses, before anything is graded, what cannot be."""

from __future__ import annotations

import ast
import copy
import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode

from autograder import __version__, registry
from autograder.classroom.course.source_file import path_of
from autograder.notebooks import files, lessons
from autograder.notebooks.cell_names import as_python, bound
from autograder.notebooks.problem import Problem

AUTOTEST = re.compile(r"^\s*###\s*(HASHED\s+)?AUTOTEST\b", flags=re.MULTILINE)
"""What nbgrader replaces by tests of its own making, when it makes the release."""


def read_source(course: Path, stem: str) -> NotebookNode:
    """The instructor's notebook of an assignment.

    Raises:
        Problem: when it is none of this course, or some of its cells cannot be graded; it names them.
    """
    path = path_of(course, stem)
    if not path.is_file():
        raise Problem(f"There is no {files.shown(path)}: {stem} is no assignment of this course.")
    notebook = files.read(path)
    found = [*_about_the_folder(path), *faults(notebook, stem)]
    if found:
        told = "\n".join(f"  {one}" for one in dict.fromkeys(found))
        raise Problem(f"{files.shown(path)} cannot be graded as it is, and nothing was graded:\n{told}")
    return notebook


def faults(notebook: NotebookNode, stem: str) -> list[str]:
    """What of an instructor's notebook cannot be graded, a sentence each."""
    marked = [one for one in notebook.cells if isinstance(one.metadata.get("nbgrader"), dict) and _counts(one)]
    found = [said for cell in marked for said in _about_a_cell(cell, stem)]
    times = Counter(map(_name, marked))
    found += [
        f"{count} cells are called {name}: give each a name of its own." for name, count in times.items() if count > 1
    ]
    known = {cell.id for cell in notebook.cells} | set(times)
    for name in times:
        exercise = name.removeprefix("check-")
        if _is_ours(name, stem) and exercise not in known:
            found.append(f"{name} checks {exercise}, whose cell is gone: bring it back, or take {name} out as well.")
    return found or list(_as_nbgrader_sees_it(notebook))


def _counts(cell: NotebookNode) -> bool:
    return any(cell.metadata.nbgrader.get(one) for one in ("grade", "solution", "locked", "task"))


def _name(cell: NotebookNode) -> str:
    return str(cell.metadata.nbgrader.get("grade_id") or "")


def _is_ours(name: str, stem: str) -> bool:
    return name in {f"check-{one.name}" for one in registry.exercises(lessons.lesson_of(stem))}


def _about_the_folder(path: Path) -> Iterator[str]:
    for other in sorted(path.parent.glob("*.ipynb")):
        if other != path:
            yield (
                f"{other.name} lies beside it. An assignment of autograder's has one notebook: give it a folder of its "
                "own in source/, as an assignment that `nbgrader autograde` grades."
            )


def _about_a_cell(cell: NotebookNode, stem: str) -> Iterator[str]:
    name, place = _name(cell), cell.metadata.nbgrader
    if not re.fullmatch(r"[\w\-]+", name, flags=re.ASCII):
        yield f"The cell {cell.source[:40]!r} is called {name!r}: a name has letters, digits, _ and -, one at least."
        return
    if (place.get("grade") or place.get("task")) and not _is_points(place.get("points")):
        yield f"{name} has {place.get('points')!r} points: points are a number, 0 or more."
    if place.get("grade") and not place.get("solution") and cell.cell_type == "code":
        yield from _about_our_check(cell, name) if _is_ours(name, stem) else _about_a_test(cell, name, stem)
    elif place.get("locked") and not place.get("solution") and cell.cell_type == "code":
        yield from _about_code(cell, name)


def _is_points(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given < math.inf


def _about_our_check(cell: NotebookNode, name: str) -> Iterator[str]:
    call = f"check({name.removeprefix('check-')})"
    if cell.source.strip() not in (call, f"{call[:-1]}, bonus=True)"):
        yield (
            f"{name} holds more than `{call}`, or something else. autograder decides by the exercise's own check: "
            "write a test of yours into a cell of its own, with its own points."
        )


def _about_a_test(cell: NotebookNode, name: str, stem: str) -> Iterator[str]:
    if AUTOTEST.search(cell.source):
        yield (
            f"{name} holds `### AUTOTEST`, which nbgrader replaces by tests when it makes the release: copy these into "
            "source/ in its place."
        )
        return
    yield from _about_code(cell, name)
    for called in _checked_in(cell.source):
        if f"check-{called}" in (name, "check-") or not _is_ours(f"check-{called}", stem):
            yield (
                f"{name} calls check({called}), and this version of the course ({__version__}) has no exercise "
                f"{called} in {stem}. Was source/ made by another version? The guide says how a new one comes into a "
                "course."
            )
        else:
            yield f"{name} calls check({called}), which has to be the cell check-{called}; tests of yours only assert."


def _about_code(cell: NotebookNode, name: str) -> Iterator[str]:
    try:
        compile(as_python(cell.source), name, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        yield f"{name} is no Python: {getattr(error, 'msg', error)}{f', line {line}' if line else ''}."


def _checked_in(text: str) -> Iterator[str]:
    """What a test calls our own `check` on, which has nothing to compare with where tests run."""
    if "check" in bound(text):
        return
    try:
        tree = ast.parse(as_python(text))
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "check":
            yield ast.unparse(node.args[0]) if node.args else ""


def _as_nbgrader_sees_it(notebook: NotebookNode) -> Iterator[str]:
    """What else `nbgrader generate_assignment` would stop at."""
    from nbgrader.nbgraderformat import MetadataValidator, SchemaTooNewError, SchemaTooOldError, ValidationError

    try:
        MetadataValidator().validate_nb(copy.deepcopy(notebook))
    except (SchemaTooOldError, SchemaTooNewError) as error:
        yield f"It was made by another version of nbgrader: {error}. `nbgrader update source` may help."
    except (ValidationError, KeyError) as error:
        yield f"nbgrader does not take it: {str(getattr(error, 'message', error)).splitlines()[0][:300]}"
