"""Puts a submission's texts into our own notebook: what nbgrader saves has our cells, our metadata and our results."""

from __future__ import annotations

import copy
import html
import itertools
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from autograder.classroom.course.harmless import harmless
from autograder.classroom.grading.grades import Grade, Result
from autograder.classroom.grading.submission import MAX_CELL, Malformed, texts
from autograder.notebooks.cells import name_of
from autograder.reporting.bonus import BONUS_TYPE, bonus_data
from autograder.reporting.report import FOR_PAGES

OWN = "own-"
"""How the ids of a student's own cells begin."""

FORMATTED = 5_000
"""Characters of an answer that is read as Markdown. A longer one is shown as it is typed, in lines of at most `LINE`:
of 200,000 brackets in a line, nbconvert takes many minutes to make a page."""

LINE = 500

SHOWN = 1_000_000
"""Characters of all that someone wrote and that is shown; what comes behind is left out."""

TOO_LONG = f"of what was written, all behind {SHOWN:,} characters is left out of what is saved"

NEW = {"code": new_code_cell, "markdown": new_markdown_cell}


def rebuilt(released: NotebookNode, raw: bytes, grade: Grade) -> NotebookNode:
    """Our notebook with a student's texts and the results of grading.

    Args:
        released: what was handed out.
        raw: what was handed in. Nothing but its cells' texts is taken over: no output, tag, attachment or link; of
            answers in Markdown, no HTML.
        grade: the results.
    """
    notebook = copy.deepcopy(released)
    try:
        handed = texts(raw)
    except Malformed:
        handed = []
    short = _first(handed)
    grade.flags += [TOO_LONG] if len(short) < len(handed) else []
    _fill_in(notebook, short)
    _write_results(notebook, grade)
    return notebook


def answered_elsewhere(notebook: NotebookNode, released: NotebookNode) -> list[str]:
    """Questions left as they were, behind which the student has put a Markdown cell: nbgrader gives these a zero."""
    blanks = {name_of(cell): cell.source for cell in released.cells if _is_question(cell)}
    pairs = zip(notebook.cells, notebook.cells[1:], strict=False)
    return [
        name_of(cell)
        for cell, following in pairs
        if blanks.get(name_of(cell)) == cell.source
        and following.cell_type == "markdown"
        and following.get("id", "").startswith(OWN)
    ]


def _is_question(cell: NotebookNode) -> bool:
    place = cell.metadata.get("nbgrader", {})
    return bool(cell.cell_type == "markdown" and place.get("grade") and place.get("solution"))


def _first(handed: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """The cells that are shown."""
    ends = itertools.accumulate(len(text) for _, _, text in handed)
    return [one for one, end in zip(handed, ends, strict=True) if end <= SHOWN]


def _fill_in(notebook: NotebookNode, handed: list[tuple[str, str, str]]) -> None:
    ours = {name_of(cell): cell for cell in notebook.cells}
    last, seen = -1, set()
    for number, (kind, name, text) in enumerate(handed):
        cell = ours.get(name)
        if cell is not None and cell.cell_type == kind and name not in seen:
            seen.add(name)
            last = notebook.cells.index(cell)
            if _is_theirs(cell, text):
                cell.source = _shown_as(kind, text)
        elif kind in NEW and text.strip() and (cell is None or (cell.cell_type == kind and _is_theirs(cell, text))):
            # A cell of their own, or one more under the name of one of ours: a part of one that was split.
            last += 1
            notebook.cells.insert(last, NEW[kind](_shown_as(kind, text), id=f"{OWN}{number}"))


def _is_theirs(cell: NotebookNode, text: str) -> bool:
    """Whether a student may write into a cell, and has: what is left as it was keeps our HTML, so that hints fold."""
    return text != cell.source and not cell.metadata.get("nbgrader", {}).get("locked")


def _shown_as(kind: str, text: str) -> str:
    text = text[:MAX_CELL]
    if kind == "code":
        return text
    return harmless(text) if len(text) <= FORMATTED else _as_typed(harmless(text))


def _as_typed(text: str) -> str:
    """Markdown that shows a text as it is."""
    pieces = (line[at : at + LINE] for line in text.split("\n") for at in range(0, len(line) or 1, LINE))
    return "\n".join(f"    {one}" for one in pieces)


def _write_results(notebook: NotebookNode, grade: Grade) -> None:
    results = {one.grade_id: one for one in grade.results}
    notes = {one.grade_id: one for one in grade.cells}
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        name = name_of(cell)
        if name in results:
            cell.outputs = [_shown(results[name])]
        elif name in notes:
            cell.outputs = [new_output("stream", name="stdout", text=f"{notes[name].status}: {notes[name].words}\n")]


def _shown(result: Result) -> NotebookNode:
    """A result as the output of its check cell: nbgrader reads the number, feedback shows the page."""
    points = float(result.points or 0.0)
    said: dict[str, Any] = {"text/plain": repr(0.0 if result.bonus else points)}
    said |= {BONUS_TYPE: bonus_data(points)} if result.bonus else {}
    said["text/html"] = result.html or f"<pre>{html.escape(result.text)}</pre>"
    said[FOR_PAGES] = {"status": result.status, "says": result.says or result.text}
    return new_output("execute_result", said, execution_count=1)
