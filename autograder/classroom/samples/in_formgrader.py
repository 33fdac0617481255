"""Shows our answer and the samples below each student's answer in the formgrader. In `nbgrader_config.py`:

    c.HTMLExporter.preprocessors = ["autograder.classroom.samples.in_formgrader.BelowAnswers"]

It changes the page alone, while that is made: the notebook in `autograded/` stays as it is, and so do its points. Of
nbgrader's pages that are made in this way, feedback has the same exporter and no samples: it is for students.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

ANSWER = "question-"
"""How the names of cells for answers begin; the question's slug follows."""

TITLE = "For whoever grades: our answer, and three samples"

STYLE = """<style>
.samples summary { display: list-item; cursor: pointer; color: #23527c; }
.samples :is(th, td) { padding: 2px 12px 6px 0; vertical-align: top; }
.samples :is(th, td):first-child { white-space: nowrap; }
</style>"""
"""The page's own hides the mark of what folds, and sets a table's cells side by side without a gap."""


class BelowAnswers(Preprocessor):
    """Puts a cell below each answer to a question that has samples."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """A notebook on its way to a page."""
        if _is_for_the_formgrader(resources):
            nb.cells = list(_with_samples(nb, resources["assignment_id"], Path(resources["metadata"]["path"])))
        return nb, resources


def _is_for_the_formgrader(resources: Mapping[str, Any]) -> bool:
    """By what only the formgrader tells; whatever makes pages for students has an entry of nbgrader's instead."""
    return "submission_id" in resources and "assignment_id" in resources and "nbgrader" not in resources


def _with_samples(notebook: NotebookNode, assignment: str, folder: Path) -> Iterator[NotebookNode]:
    # Not before a page is made: a server that only starts need not import the course.
    from autograder import homes
    from autograder.classroom.samples.sample_answers import of_lesson

    course = _course_above(folder, assignment)
    _, _, lesson = assignment.partition("_")
    samples = of_lesson(lesson, homes.of_course(course) if course else None)
    ours = _model_answers(course, assignment) if samples and course else {}
    for cell in notebook.cells:
        yield cell
        name = _answered_in(cell)
        if name and (found := samples.get(name.removeprefix(ANSWER))):
            yield new_markdown_cell(_shown(found, float(cell.metadata.nbgrader.points), ours.get(name, "")))


def _course_above(folder: Path, assignment: str) -> Path | None:
    """The course in which an autograded notebook lies: its folder's name and depth are the instructor's to choose."""
    from autograder.classroom.course.source_file import path_of

    return next((one for one in folder.resolve().parents if path_of(one, assignment).is_file()), None)


def _model_answers(course: Path, assignment: str) -> dict[str, str]:
    """Name of an answer's cell → our answer, or what the instructor has made of it."""
    from autograder.classroom.course.source_file import source_of
    from autograder.notebooks.problem import Problem

    try:
        source = source_of(course, assignment)
    except Problem:  # half saved, say: samples can be shown without
        return {}
    return {name: cell.source for cell in source.cells if (name := _answered_in(cell))}


def _answered_in(cell: NotebookNode) -> str:
    """The name of a cell in which a question is answered; empty for any other cell."""
    place = cell.metadata.get("nbgrader", {})
    is_one = cell.cell_type == "markdown" and place.get("grade") and place.get("solution")
    name = str(place.get("grade_id", ""))
    return name if is_one and name.startswith(ANSWER) else ""


def _shown(samples: list[Any], points: float, ours: str) -> str:
    """Markdown that can be folded. It is open at first, as the formgrader's Tab key goes to its own fields alone."""
    rows = [(f"{points * one.share:g} of {points:g}", one.answer, one.shows) for one in samples]
    head = ["| points | an answer | what it shows |", "| --- | --- | --- |"]
    table = "\n".join([*head, *(f"| {' | '.join(map(_in_a_table, row))} |" for row in rows)])
    above = f"**Our answer.** {ours.strip()}\n\n" if ours.strip() else ""
    return f'{STYLE}\n\n<details open class="samples">\n<summary>{TITLE}</summary>\n\n{above}{table}\n\n</details>'


def _in_a_table(text: str) -> str:
    return text.replace("|", r"\|")
