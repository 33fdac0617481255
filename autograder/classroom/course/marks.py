"""What a class has chosen to count, as the cells of its own notebook say it; never read from a submission."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from autograder.classroom.course.source_file import path_of
from autograder.notebooks import files


@dataclass(frozen=True)
class Marks:
    """The cells of a notebook that count in a way of their own.

    Attributes:
        bonus: grade_id of a check cell → what it can earn on top of the full points.
        answered: grade_ids of questions that have their points when they are answered.
    """

    bonus: dict[str, float] = field(default_factory=dict)
    answered: frozenset[str] = frozenset()


def marks_of(database: str, lesson: str) -> Marks:
    """The marks of an assignment's source.

    Args:
        database: the gradebook's address; the course lies around it.
        lesson: the assignment.
    """
    path = source_beside(database, lesson)
    return marks_in(files.read(path)) if path.is_file() else Marks()


def marks_in(notebook: files.NotebookNode) -> Marks:
    """The marks of a notebook of ours."""
    places = [(cell.metadata.get("nbgrader", {}), cell.metadata.get("course", {})) for cell in notebook.cells]
    bonus = {place["grade_id"]: bonus_of(place, said) for place, said in places if place.get("grade")}
    answered = frozenset(place["grade_id"] for place, said in places if place.get("grade") and said.get("answered"))
    return Marks({name: points for name, points in bonus.items() if points}, answered)


def bonus_of(place: dict, said: dict) -> float:
    """What a check cell can earn as a bonus; 0 where it is none, or an instructor has given it points of its own."""
    return 0.0 if place.get("points") else float(said.get("bonus", 0))


def source_beside(database: str, lesson: str) -> Path:
    """The instructor's notebook; it lies beside the gradebook."""
    return path_of(Path(database.removeprefix("sqlite:///")).parent, lesson)
