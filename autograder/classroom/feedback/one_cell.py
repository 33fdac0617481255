"""What a cell of a graded notebook is: the lesson's, the student's, or a check; and what nbgrader says of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nbformat import NotebookNode

from autograder.reporting.report import FOR_PAGES


@dataclass(frozen=True)
class GradedNotebook:
    """A notebook as nbgrader saved it, with what is needed to tell whose its cells are.

    Attributes:
        cells: its cells.
        released: name → text, of the cells as they were handed out.
        waiting: names of the cells that wait for a person's grade.
    """

    cells: list[NotebookNode]
    released: Mapping[str, str]
    waiting: Collection[str]

    def untouched(self, cell: NotebookNode) -> bool:
        """Whether a cell is as it was handed out."""
        return self.released.get(name(cell), "").strip() == cell.source.strip()

    @cached_property
    def unreadable(self) -> str:
        """Why what was handed in could not be read, so that the cells are blank ones; "" where it could."""
        told = (_told(cell) for cell in self.cells if is_check(cell))
        return next((str(one.get("says", "")) for one in told if one.get("status") == "malformed"), "")

    def solution_of(self, check: NotebookNode) -> NotebookNode | None:
        """The cell that a check looks at."""
        wanted = called(check)
        return next((one for one in self.cells if name(one) == wanted), None)


def name(cell: NotebookNode) -> str:
    """nbgrader's name for a cell, else the cell's id."""
    return str(place(cell).get("grade_id") or cell.get("id", ""))


def place(cell: NotebookNode) -> Mapping[str, Any]:
    """nbgrader's metadata."""
    found = cell.metadata.get("nbgrader", {})
    return found if isinstance(found, dict) else {}


def tags(cell: NotebookNode) -> Collection[str]:
    """The cell's tags."""
    found = cell.metadata.get("tags", [])
    return found if isinstance(found, list) else []


def called(cell: NotebookNode) -> str:
    """What a reader calls a graded cell: by its exercise, or by its question."""
    return name(cell).removeprefix("check-").removeprefix("question-")


def is_graded(cell: NotebookNode) -> bool:
    """Whether it carries points."""
    return bool(place(cell).get("grade") or place(cell).get("task"))


def is_check(cell: NotebookNode) -> bool:
    """Whether it decides on points by itself."""
    return bool(place(cell).get("grade") and not place(cell).get("solution"))


def is_answered(cell: NotebookNode) -> bool:
    """Whether a student is to write into it."""
    return bool(place(cell).get("solution") or place(cell).get("task")) or "wild" in tags(cell)


def says(check: NotebookNode) -> str:
    """What a check's report says first; "" when it left none."""
    said = _told(check).get("says")
    if isinstance(said, str):
        return said
    raised = (one.ename for one in check.get("outputs", []) if one.output_type == "error")
    return next((f"It raised {name}." for name in raised), "")


def _told(check: NotebookNode) -> Mapping[str, Any]:
    """What a check left for pages."""
    found = (one.get("data", {}).get(FOR_PAGES) for one in check.get("outputs", []))
    return next((told for told in found if isinstance(told, dict)), {})
