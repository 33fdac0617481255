"""The table with which a feedback page opens: exercise, points, what came of it, and where to read on."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import NamedTuple

from nbformat import NotebookNode

from autograder.classroom.feedback.one_cell import (
    GradedNotebook,
    called,
    is_check,
    is_graded,
    name,
    place,
    says,
)
from autograder.classroom.report.parts import prose
from autograder.reporting.report import NOT_ATTEMPTED

WAITS = "Waits to be graded by a person."
UNREADABLE = "What was handed in could not be read."
MARKS = {"ok": "✓", "bad": "✗", "part": "✗", "none": "○"}


class TableRow(NamedTuple):
    """One row of the table.

    Attributes:
        anchor: where on the page more stands.
        title: the exercise, or the question.
        kind: "ok", "part", "bad", or "none" where nothing was handed in or decided.
        points: earned of possible.
        said: what came of it.
    """

    anchor: str
    title: str
    kind: str
    points: str
    said: str


def lines(notebook: GradedNotebook) -> Iterator[TableRow]:
    """A line for every cell with points."""
    questions = 0
    for cell in filter(is_graded, notebook.cells):
        title = called(cell)
        if name(cell).startswith("question-"):
            questions += 1
            title = f"Question {questions}: {title.replace('-', ' ')}"
        kind, said = _came_of(cell, notebook)
        yield TableRow(name(cell), title, kind, points(cell), said)


def points(cell: NotebookNode) -> str:
    """Earned of possible."""
    earned, possible = _points(cell)
    return f"{earned:g} of {possible:g}"


def table(notebook: GradedNotebook) -> str:
    """The table."""
    head = "<tr><th>exercise</th><th>points</th><th>what came of it</th></tr>"
    return f"<table id='overview'>{head}{''.join(map(_row, lines(notebook)))}</table>"


def _row(line: TableRow) -> str:
    link = f"<a href='#{html.escape(line.anchor)}'>{html.escape(line.title)}</a>"
    mark = f"<span class='{line.kind}' aria-hidden='true'>{MARKS[line.kind]}</span>"
    return f"<tr><td>{mark} {link}</td><td class='points'>{line.points}</td><td>{prose(line.said)}</td></tr>"


def _came_of(cell: NotebookNode, notebook: GradedNotebook) -> tuple[str, str]:
    earned, possible = _points(cell)
    if name(cell) in notebook.waiting:
        return "none", WAITS
    if notebook.unreadable and not earned:
        return "bad", UNREADABLE
    if not_attempted(cell, notebook):
        return "none", NOT_ATTEMPTED if is_check(cell) else "No answer."
    kind = "ok" if earned >= possible else "part" if earned else "bad"
    return kind, says(cell) if is_check(cell) else _comment(cell)


def not_attempted(cell: NotebookNode, notebook: GradedNotebook) -> bool:
    """Whether there is nothing of the student's to grade, and so no points."""
    written = notebook.solution_of(cell) if is_check(cell) else cell
    return not _points(cell)[0] and written is not None and notebook.untouched(written)


def _comment(cell: NotebookNode) -> str:
    comment = str(place(cell).get("comment") or "")
    return comment if len(comment) <= 200 else f"{comment[:200]} …"


def _points(cell: NotebookNode) -> tuple[float, float]:
    return float(place(cell).get("score") or 0.0), float(place(cell).get("points") or 0.0)
