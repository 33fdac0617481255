"""Whether an instructor's notebook still is what the gradebook knows, and what becomes of whom where it is not.

nbgrader keeps of a release the names, points and texts of its cells. Points come from there, whatever `source/` says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from autograder.classroom.course.book import opened
from autograder.classroom.course.handed_in import handed_in
from autograder.classroom.course.source_file import path_of
from autograder.classroom.grading.submission import Malformed, read
from autograder.notebooks import files
from autograder.notebooks.problem import Problem


@dataclass(frozen=True)
class KeptCell:
    """What the gradebook keeps of a cell.

    Attributes:
        kinds: of "grade", "solution", "task" and "source", those that nbgrader files it under.
        points: what it is worth; None where it carries none.
        text: of one that students cannot change; "" of any other.
    """

    kinds: frozenset[str]
    points: float | None = None
    text: str = ""


KeptCells = Mapping[str, KeptCell]


@dataclass
class Change:
    """What has changed in an instructor's notebook since it was released.

    Attributes:
        added, removed: name → points, None where a cell carries none.
        points: name → points before and now.
        texts: names of tests and read-only code with another text.
        graded: students with points of this assignment in the gradebook.
        without: students whose notebook has not got what was added.
    """

    added: dict[str, float | None] = field(default_factory=dict)
    removed: dict[str, float | None] = field(default_factory=dict)
    points: dict[str, tuple[float, float]] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    graded: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.points or self.texts)

    @property
    def needs_room(self) -> bool:
        """Whether nbgrader itself refuses it: cells come or go, and it has points of students."""
        return bool(self.graded and (self.added or self.removed))


def refuse_unless_released(course: Path, lesson: str, source: NotebookNode) -> None:
    """Raise Problem where the gradebook does not know an assignment, or knows it otherwise than `source/` has it."""
    change = change_of(course, lesson, source)
    if change is None:
        raise Problem(f"{lesson} was not released yet. Run: nbgrader generate_assignment {lesson}")
    if change:
        raise Problem(told(change, lesson, files.shown(path_of(course, lesson))))


def change_of(course: Path, lesson: str, source: NotebookNode) -> Change | None:
    """What has changed since the release; None when there was none."""
    from nbgrader.api import MissingEntry

    with opened(course) as book:
        try:
            notebook = book.find_notebook(lesson, lesson)
        except MissingEntry:
            return None
        change = _difference(_known(notebook), cells_of(source))
        change.graded = sorted(one.student.id for one in notebook.submissions)
    if change.added:
        change.without = sorted(_without(course, lesson, change.added))
    return change


def cells_of(source: NotebookNode) -> dict[str, KeptCell]:
    """The same of an instructor's notebook as the gradebook will keep of it."""
    return {cell.metadata.nbgrader["grade_id"]: _cell(cell) for cell in source.cells if _is_kept(cell)}


def _is_kept(cell: NotebookNode) -> bool:
    place = cell.metadata.get("nbgrader", {})
    return any(place.get(one) for one in ("grade", "solution", "locked", "task"))


def _cell(cell: NotebookNode) -> KeptCell:
    place = cell.metadata.nbgrader
    kinds = frozenset({one for one in ("grade", "solution", "task") if place.get(one)} | {"source"})
    points = float(place["points"]) if kinds & {"grade", "task"} else None
    return KeptCell(kinds, points, cell.source.strip() if cell.cell_type == "code" and "solution" not in kinds else "")


def _known(notebook: Any) -> dict[str, KeptCell]:
    """What the gradebook keeps of a notebook."""
    by_kind = {
        "grade": {one.name: one for one in notebook.grade_cells},
        "solution": {one.name: one for one in notebook.solution_cells},
        "task": {one.name: one for one in notebook.task_cells},
        "source": {one.name: one for one in notebook.source_cells},
    }
    found = {}
    for name in dict.fromkeys(name for cells in by_kind.values() for name in cells):
        kinds = frozenset(kind for kind, cells in by_kind.items() if name in cells)
        graded = by_kind["grade"].get(name) or by_kind["task"].get(name)
        kept = by_kind["source"].get(name)
        text = (kept.source or "").strip() if kept and kept.cell_type == "code" and "solution" not in kinds else ""
        found[name] = KeptCell(kinds, float(graded.max_score) if graded else None, text)
    return found


def _difference(before: KeptCells, now: KeptCells) -> Change:
    change = Change()
    for name, cell in now.items():
        old = before.get(name)
        if old is None or old.kinds != cell.kinds:
            change.added[name] = cell.points
        elif cell.points is not None and old.points is not None and old.points != cell.points:
            change.points[name] = (old.points, cell.points)
        elif old.text != cell.text:
            change.texts.append(name)
    change.removed = {
        name: cell.points for name, cell in before.items() if name not in now or now[name].kinds != cell.kinds
    }
    return change


def _without(course: Path, lesson: str, names: Collection[str]) -> Iterator[str]:
    """Who handed in a notebook that lacks one of these cells."""
    for one in handed_in(course, lesson):
        try:
            raw = read(one.path)
        except Malformed:
            continue
        if any(f'"{name}"'.encode() not in raw for name in names):
            yield one.student


# In words ----------------------------------------------------------------------------


def told(change: Change, lesson: str, where: str) -> str:
    """One message: what has changed, what becomes of whom, and what to do."""
    lines = [f"{where} was changed after it was released. Nothing was done.", *what(change), *_whom(change)]
    return "\n".join([*lines, _what_to_do(change, lesson)])


def what(change: Change) -> Iterator[str]:
    """What has changed, a line each."""
    for name, points in change.added.items():
        yield f"  added: {_with_points(name, points)}"
    for name, points in change.removed.items():
        yield f"  removed: {_with_points(name, points)}"
    for name, (before, now) in change.points.items():
        yield f"  points: {name}, {before:g} before, {now:g} now"
    for name in change.texts:
        yield f"  another text: {name}"


def _whom(change: Change) -> Iterator[str]:
    if change.without:
        who = _people(change.without, "has", "have")
        yield f"{who} handed in a notebook without what was added: 0 points there, until they hand in again."
    if change.graded and change.removed:
        yield f"{_people(change.graded, 'loses', 'lose')} the points and comments of what was removed."
    if change.graded and (change.points or change.texts):
        yield f"{_people(change.graded, 'has', 'have')} points that count as before until you grade again."


def _people(names: Collection[str], one: str, many: str) -> str:
    shown = ", ".join(list(names)[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return f"{shown} {one if len(names) == 1 else many}"


def _with_points(name: str, points: float | None) -> str:
    return name if points is None else f"{name} ({points:g} point{'' if points == 1 else 's'})"


def _what_to_do(change: Change, lesson: str) -> str:
    again = f"then {f'hand release/{lesson} out again and ' if change.added else ''}run `autograder grade {lesson}`."
    undo = "To leave all as it was, undo it in source/."
    if change.needs_room:
        how = f"To take that over: `autograder classroom update {lesson}`, which keeps all other points, those too"
        return f"{how} that you gave by hand (nbgrader's own command refuses); {again} {undo}"
    return f"To take that over: `nbgrader generate_assignment {lesson} --force`; {again} {undo}"
