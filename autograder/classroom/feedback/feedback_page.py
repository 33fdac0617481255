"""The page that `nbgrader generate_feedback` writes for a student. In `nbgrader_config.py`:

    c.GenerateFeedback.exporter_class = "autograder.classroom.feedback.feedback_page.FeedbackPage"

It opens with a table of what was graded. What the student wrote and what came of it follow, in the notebook's order;
the lesson's own text is folded. Nothing on it runs or comes from elsewhere, whoever wrote it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from nbconvert.exporters import Exporter
from nbconvert.filters import Highlight2HTML
from nbformat import NotebookNode

from autograder.classroom.course.book import course_of, opened
from autograder.classroom.feedback import overview, shown_outputs
from autograder.classroom.feedback.looks import STYLE
from autograder.classroom.feedback.one_cell import (
    GradedNotebook,
    called,
    is_answered,
    is_check,
    is_graded,
    name,
    place,
    tags,
)
from autograder.classroom.feedback.prose import markdown
from autograder.classroom.grading.plan import released
from autograder.notebooks import files

SAFE = (
    "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; img-src data:; "
    "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">"
)
"""No script runs on the page, and nothing is asked of a network: a second wall behind the first."""

TOP = "<span class='top'> · <a href='#overview'>to the table</a></span>"
CAPTION = re.compile(r"^\*What to see:.*?\*\s*$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#{1,4} +(.+?) *$", re.MULTILINE)

_highlight = Highlight2HTML(pygments_lexer="ipython3")


class FeedbackPage(Exporter):
    """Writes the page."""

    def _file_extension_default(self) -> str:
        return ".html"

    def from_notebook_node(self, nb: NotebookNode, resources: Any = None, **kw: Any) -> tuple[Any, Any]:
        """The page of a notebook that nbgrader has graded."""
        nb, resources = super().from_notebook_node(nb, resources, **kw)
        about = resources["nbgrader"]
        course = course_of(about)
        notebook = GradedNotebook(nb.cells, _handed_out(course, about), _waiting(course, about))
        return page(notebook, about), resources


def _handed_out(course: Path, about: Any) -> dict[str, str]:
    """The texts of the release; none where the course's source is gone, and then nothing is taken for ours."""
    source = course / "source" / about["assignment"] / f"{about['notebook']}.ipynb"
    return _texts(source, source.stat().st_mtime_ns) if source.is_file() else {}


@cache
def _texts(source: Path, changed: int) -> dict[str, str]:
    """Once for a class, and again when the file was changed meanwhile."""
    return {name(cell): cell.source for cell in released(files.read(source)).cells}


def _waiting(course: Path, about: Any) -> set[str]:
    with opened(course) as book:
        handed = book.find_submission_notebook(about["notebook"], about["assignment"], about["student"])
        return {one.name for one in handed.grades if one.needs_manual_grade}


def page(notebook: GradedNotebook, about: Any) -> str:
    """The whole page.

    Args:
        notebook: what was graded.
        about: nbgrader's: student, assignment, score, max_score and late_penalty.
    """
    title = html.escape(_title(notebook) or about["assignment"])
    parts = [f"<h1>{title}</h1>", _score(notebook, about), _unreadable(notebook), overview.table(notebook)]
    parts.append(_what_follows(notebook))
    parts += _body(notebook)
    viewport = "<meta name='viewport' content='width=device-width, initial-scale=1'>"
    head = f"<meta charset='utf-8'>{SAFE}{viewport}<title>{title}</title>{STYLE}"
    return f"<!doctype html><html lang='en'><head>{head}</head><body>{''.join(parts)}</body></html>\n"


def _title(notebook: GradedNotebook) -> str:
    texts = (cell.source for cell in notebook.cells if cell.cell_type == "markdown" and notebook.untouched(cell))
    return next((found[1] for text in texts if (found := HEADING.search(text))), "")


def _score(notebook: GradedNotebook, about: Any) -> str:
    late = about.get("late_penalty") or 0
    said = [f"<b>{about['score']:g} of {about['max_score']:g} points</b>"]
    said += [f"{late:g} points were taken off for being late"] if late else []
    waits = len(set(notebook.waiting))
    said += [f"{waits} {'answer waits' if waits == 1 else 'answers wait'} to be graded by a person"] if waits else []
    return f"<p>{'; '.join(said)}. <span class='quiet'>{html.escape(about['student'])}</span></p>"


def _unreadable(notebook: GradedNotebook) -> str:
    """That nothing was graded, and why; nothing where the notebook could be read."""
    if not notebook.unreadable:
        return ""
    said = f"<b>{overview.UNREADABLE.removesuffix('.')}</b>: {html.escape(notebook.unreadable.removesuffix('.'))}"
    return f"<p>{said}. So nothing was graded. Ask your instructor whether you may hand it in again.</p>"


def _what_follows(notebook: GradedNotebook) -> str:
    if notebook.unreadable:
        return "<p class='quiet'>Below: the notebook as it was handed out, with nothing of yours in it.</p>"
    pictures = any(one.get("outputs") for one in notebook.cells if {"demo", "play"} & set(tags(one)))
    lost = "" if pictures else " Pictures are not made when a notebook is graded: yours has them."
    return f"<p class='quiet'>Below: your work, and what came of it. The lesson's own text is folded.{lost}</p>"


# The notebook ----------------------------------------------------------------------------


def _body(notebook: GradedNotebook) -> Iterator[str]:
    """The notebook's cells. What stands together of the lesson is one fold."""
    for folded, found in groupby(notebook.cells, key=lambda cell: _is_of_the_lesson(cell, notebook)):
        cells = list(found)
        yield _fold(cells) if folded else "".join(_shown(cell, notebook) for cell in cells)


def _is_of_the_lesson(cell: NotebookNode, notebook: GradedNotebook) -> bool:
    if is_graded(cell) or is_answered(cell) or "question" in tags(cell) or not notebook.untouched(cell):
        return False
    return "help" not in tags(cell) or not _helps(cell, notebook)


def _helps(cell: NotebookNode, notebook: GradedNotebook) -> bool:
    """Whether hints stand behind a check that did not give all points."""
    before = notebook.cells[: notebook.cells.index(cell)]
    checks = [one for one in before if is_check(one)]
    return bool(checks) and float(place(checks[-1]).get("score") or 0) < float(place(checks[-1]).get("points") or 0)


def _fold(cells: Sequence[NotebookNode]) -> str:
    """Cells of the lesson in a fold; nothing where they only led to pictures that were not made."""
    headings = [found for cell in cells if cell.cell_type == "markdown" for found in HEADING.findall(cell.source)]
    if not headings and not any(cell.get("outputs") for cell in cells):
        return ""
    what = f"From the lesson: {_inline('; '.join(headings))}" if headings else "From the lesson"
    inside = "".join(_of_the_lesson(cells))
    return f"<details class='lesson'><summary>{what}</summary><div>{inside}</div></details>"


def _of_the_lesson(cells: Sequence[NotebookNode]) -> Iterator[str]:
    """The lesson's text. Of a picture that was not made, neither the code nor the caption."""
    pictured = True
    for cell in cells:
        if cell.cell_type == "code":
            pictured = bool(cell.get("outputs"))
            if pictured or not {"demo", "play"} & set(tags(cell)):
                yield _code(cell)
        elif cell.cell_type == "markdown":
            yield markdown(cell.source if pictured else CAPTION.sub("", cell.source), ours=True)


def _shown(cell: NotebookNode, notebook: GradedNotebook) -> str:
    if is_check(cell):
        return _check(cell, notebook)
    if is_answered(cell) or is_graded(cell):
        return _answer(cell, notebook)
    if notebook.untouched(cell):
        hints = "help" in tags(cell)
        label = "<p class='label'>Hints</p>" if hints else ""
        return f"<div class='{'help' if hints else 'question'}'>{label}{markdown(cell.source, ours=True)}</div>"
    shown = _code(cell) if cell.cell_type == "code" else f"<div class='answer'>{markdown(cell.source)}</div>"
    return f"<p class='label'>A cell of your own</p>{shown}"


def _check(cell: NotebookNode, notebook: GradedNotebook) -> str:
    if notebook.unreadable:
        card = f"<p class='none'>{overview.UNREADABLE}</p>"
    elif overview.not_attempted(cell, notebook):
        card = f"<p class='none'>{overview.NOT_ATTEMPTED}</p>"
    else:
        card = shown_outputs.report(cell) or "<p class='none'>It left no report.</p>"
    head = "" if notebook.solution_of(cell) else _head(cell)
    return f"{head}<div id='{html.escape(name(cell))}'>{card}{_comment(cell)}</div>"


def _answer(cell: NotebookNode, notebook: GradedNotebook) -> str:
    """What a student wrote into a cell of ours."""
    if is_graded(cell):
        said = overview.WAITS if name(cell) in notebook.waiting else f"{overview.points(cell)} points"
        head = f"<p class='label' id='{html.escape(name(cell))}'>Your answer · {said}{TOP}</p>"
    else:
        check = next((one for one in notebook.cells if is_check(one) and notebook.solution_of(one) is cell), None)
        head = _head(check) if check else ""
    return f"{head}{_written(cell, notebook)}{_comment(cell)}"


def _written(cell: NotebookNode, notebook: GradedNotebook) -> str:
    blank = notebook.untouched(cell)
    if cell.cell_type == "markdown":
        said = overview.UNREADABLE if notebook.unreadable else "No answer."
        return f"<p class='none'>{said}</p>" if blank else f"<div class='answer'>{markdown(cell.source)}</div>"
    if blank:
        label = f"{_inline(f'`{called(cell)}`')}, as it was handed out"
        return f"<details class='lesson'><summary>{label}</summary><div>{_code(cell)}</div></details>"
    return _code(cell)


def _head(check: NotebookNode) -> str:
    """An exercise's name, its points, and the way back."""
    points = f"<span class='quiet'>{overview.points(check)} points{TOP}</span>"
    return f"<h2>{html.escape(called(check))} {points}</h2>"


def _comment(cell: NotebookNode) -> str:
    comment = str(place(cell).get("comment") or "")
    said = comment and comment != "No response."  # nbgrader's own, of an answer that is empty
    return f"<div class='comment'><b>Comment</b>{markdown(comment)}</div>" if said else ""


def _code(cell: NotebookNode) -> str:
    return f"{_highlight(cell.source)}{shown_outputs.outputs(cell)}"


def _inline(text: str) -> str:
    """One line of Markdown, without the paragraph around it."""
    return markdown(text).strip().removeprefix("<p>").removesuffix("</p>")
