"""Takes cells that came or went in `source/` into a gradebook that holds points already. nbgrader itself refuses to."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from autograder.classroom.course import gradebook, released
from autograder.classroom.course.book import opened
from autograder.classroom.course.checked_source import read_source
from autograder.classroom.course.class_grade import refuse_elsewhere
from autograder.classroom.course.source_file import path_of
from autograder.notebooks import files, lessons
from autograder.notebooks.problem import Problem


def take_over(lesson: str, course: Path = Path()) -> int:
    """Bring the gradebook and `release/` up to an instructor's notebook; what students have otherwise stays.

    Args:
        lesson: the assignment.
        course: the folder of the course.

    Raises:
        Problem: when this is no course, the notebook cannot be graded, or was never released.
    """
    refuse_elsewhere(course)
    stem = lessons.stem_of(lesson)
    source = read_source(course, stem)
    change = released.change_of(course, stem, source)
    if change is None:
        raise Problem(f"{stem} was not released yet. Run: nbgrader generate_assignment {stem}")
    if not change:
        print(f"{files.shown(path_of(course, stem))} is as it was released. There is nothing to take over.")
        return 0
    with _or_as_before(course) as copy:
        with opened(course) as book:
            _make_room(book, stem, change, released.cells_of(source))
        gradebook.release(course, stem)
    print("\n".join(["Taken over:", *released.what(change), f"The gradebook as it was before: {copy.name}."]))
    again = f"hand release/{stem} out again, and " if change.added else ""
    print(f"Next: {again}run `autograder grade {stem}`.")
    return 0


@contextmanager
def _or_as_before(course: Path) -> Iterator[Path]:
    """Keep a copy of the gradebook, and bring it back when what is done meanwhile fails."""
    own = course / "gradebook.db"
    copy = course / f"gradebook-before-{datetime.now():%Y-%m-%d-%H%M%S}.db"
    shutil.copyfile(own, copy)
    try:
        yield copy
    except BaseException:
        shutil.copyfile(copy, own)
        raise


def _make_room(book: Any, lesson: str, change: released.Change, now: released.KeptCells) -> None:
    """Take cells out of a notebook's record, and put new ones in, with an empty grade for every submission."""
    notebook = book.find_notebook(lesson, lesson)
    for name in change.removed:
        _take_out(book.db, notebook, name)
    book.db.flush()
    for name in change.added:
        _put_in(book, notebook, name, now[name])
    book.db.commit()


def _take_out(session: Any, notebook: Any, name: str) -> None:
    for cell in [one for one in notebook._base_cells if one.name == name]:
        for entry in (*cell.grades, *cell.comments):
            session.delete(entry)
        session.delete(cell)
    for cell in [one for one in notebook.source_cells if one.name == name]:
        session.delete(cell)


def _put_in(book: Any, notebook: Any, name: str, cell: released.KeptCell) -> None:
    from nbgrader.api import Comment, Grade

    place = (name, notebook.name, notebook.assignment.name)
    if "grade" in cell.kinds:
        graded = book.add_grade_cell(*place, max_score=cell.points, cell_type="code")
        book.db.add_all(Grade(cell_id=graded.id, notebook=one) for one in notebook.submissions)
    if "solution" in cell.kinds:
        solution = book.add_solution_cell(*place)
        book.db.add_all(Comment(cell_id=solution.id, notebook=one) for one in notebook.submissions)
    if "task" in cell.kinds:
        task = book.add_task_cell(*place, max_score=cell.points, cell_type="markdown")
        book.db.add_all(Grade(cell_id=task.id, notebook=one) for one in notebook.submissions)
        book.db.add_all(Comment(cell_id=task.id, notebook=one) for one in notebook.submissions)
    book.add_source_cell(*place, cell_type="code")
