"""`autograder classroom alike LESSON`: which hand-ins of an assignment to look at side by side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode

from autograder.classroom.course.handed_in import handed_in
from autograder.classroom.course.source_file import source_of
from autograder.classroom.grading.plan import plan_from, released
from autograder.classroom.grading.submission import Malformed, read, texts
from autograder.classroom.report.alike_pairs import Pair, alike
from autograder.classroom.report.parts import counted
from autograder.notebooks import cells, lessons
from autograder.notebooks.problem import Problem

MOST = 20
"""Pairs that are told."""

NOTE = (
    "A list to look at, and no finding: names and comments are taken out, and what many wrote does not count. "
    "Who worked together, or asked the same assistant, is on it too. Read both before you ask anybody."
)


def tell_alike(course: Path, given: str) -> int:
    """Print the pairs of hand-ins that share most of what few others have.

    Raises:
        Problem: when this is no course with that lesson, or fewer than two have handed it in.
    """
    stem = lessons.stem_of(given)
    source = source_of(course, stem)
    blank = released(source)
    names = _written(blank, stem)
    handed = {one.student: dict(_texts(one.path, names)) for one in handed_in(course, stem)}
    handed = {student: found for student, found in handed.items() if found}
    if len(handed) < 2:
        raise Problem(f"{len(handed)} of {stem} can be read: there is no pair to compare.")
    known = {name: f"{_sources(blank)[name]}\n{_sources(source)[name]}" for name in names}
    pairs = alike(handed, known)
    print("\n".join([*map(_line, pairs[:MOST]), *_rest(pairs, len(handed))]))
    return 0


def _written(blank: NotebookNode, stem: str) -> set[str]:
    """The names of the cells that students write in: exercises, repairs, questions."""
    plan = plan_from(blank, stem)
    return {name for name in _sources(blank) if name in plan.blanks or name.startswith("question-")}


def _sources(notebook: NotebookNode) -> dict[str, str]:
    return {cells.name_of(cell): cell.source for cell in notebook.cells}


def _texts(path: Path, names: set[str]) -> Iterator[tuple[str, str]]:
    """What somebody has written; nothing where the file cannot be read."""
    try:
        found = texts(read(path))
    except Malformed:
        return
    yield from ((name, text) for _, name, text in found if name in names)


def _line(pair: Pair) -> str:
    where = ", ".join(f"{name} ({count})" for name, count in pair.shared.items())
    return f"{pair.share:4.0%}  {pair.students[0]} and {pair.students[1]}: {where}"


def _rest(pairs: list[Pair], count: int) -> Iterator[str]:
    if not pairs:
        yield f"No two of {count} hand-ins share much that few others have."
        return
    more = f" {len(pairs) - MOST} more are not shown." if len(pairs) > MOST else ""
    yield f"{counted(len(pairs), 'pair')} of {count} hand-ins; in front, how much of what few have they share.{more}"
    yield NOTE
