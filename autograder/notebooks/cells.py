"""The cells that notebooks are made of, with ids that stay and the metadata that nbgrader reads."""

from __future__ import annotations

import hashlib
import html
import itertools
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder.probing.exercise import Exercise

OURS = "course-"
"""How the ids of cells without a name of their own begin."""

HELP_TITLES = ("A nudge", "A skeleton", "Nearly there")


def code(source: str, name: str = "", tags: Sequence[str] = (), **metadata: Any) -> NotebookNode:
    """A code cell.

    Args:
        source: its text.
        name: its id; without one it gets an id made from its text (see `give_ids`).
        tags: for JupyterLab, nbclient and ourselves.
        metadata: whatever else belongs to it.
    """
    return _named(new_code_cell(source, metadata=_metadata(tags, metadata)), name)


def markdown(source: str, name: str = "", tags: Sequence[str] = (), **metadata: Any) -> NotebookNode:
    """A Markdown cell; the arguments are those of `code`."""
    return _named(new_markdown_cell(source, metadata=_metadata(tags, metadata)), name)


def _named(cell: NotebookNode, name: str) -> NotebookNode:
    cell.id = name  # nbformat made a random one, which would differ at every build
    return cell


def _metadata(tags: Sequence[str], more: dict[str, Any]) -> dict[str, Any]:
    return {**more, **({"tags": list(tags)} if tags else {})}


def grade_id(cell: NotebookNode) -> str:
    """nbgrader's name for a cell; empty where it has none."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def name_of(cell: NotebookNode) -> str:
    """nbgrader's name for a cell, else the cell's id."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id") or cell.get("id", ""))


def region(grade_id: str, *, grade: bool, solution: bool, locked: bool, points: int | None = None) -> dict[str, Any]:
    """What nbgrader wants to know about a cell (its schema 3)."""
    entry: dict[str, Any] = {
        "grade": grade,
        "grade_id": grade_id,
        "locked": locked,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    return entry if points is None else {**entry, "points": points}


def exercise_cell(name: str, source: str) -> NotebookNode:
    """The cell in which the learner writes; its text still holds the solution."""
    place = region(name, grade=False, solution=True, locked=False)
    return code(source, name, ["exercise"], nbgrader=place)


def check_cell(exercise: Exercise) -> NotebookNode:
    """The cell that checks an exercise and carries its points."""
    name = f"check-{exercise.name}"
    place = region(name, grade=True, solution=False, locked=True, points=exercise.points)
    return code(f"check({exercise.name})", name, ["check"], nbgrader=place)


def help_cell(exercise: Exercise) -> NotebookNode | None:
    """The exercise's hints and usual exceptions, each behind a fold; None where it has none."""
    folds = [fold(title, text) for title, text in zip(HELP_TITLES, exercise.hints, strict=False)] + [
        fold(f"I get <code>{html.escape(error, quote=False)}</code>", sentence(cause))
        for error, cause in exercise.traps.items()
    ]
    return markdown("\n\n".join(folds), tags=["help"]) if folds else None


def sentence(text: str) -> str:
    """The text with a capital letter in front, unless it begins with code."""
    return text[:1].upper() + text[1:]


def fold(title: str, text: str) -> str:
    """Markdown that is shown on a click. The blank lines are what makes it render as Markdown."""
    return f"<details>\n<summary>{title}</summary>\n\n{text.strip()}\n\n</details>"


def question_cell(slug: str, text: str) -> NotebookNode:
    """A question; nbgrader keeps its text as it is."""
    name = f"asked-{slug}"
    place = region(name, grade=False, solution=False, locked=True)
    return markdown(text, name, ["question"], nbgrader=place)


def answer_cell(slug: str, answer: str) -> NotebookNode:
    """The cell for the learner's answer, graded by hand; its text still is the model answer."""
    name = f"question-{slug}"
    place = region(name, grade=True, solution=True, locked=False, points=1)
    return markdown(answer, name, ["answer"], nbgrader=place)


def model_answer_cell(answer: str) -> NotebookNode:
    """The model answer behind a fold, for those who study alone."""
    return markdown(fold("One good answer", answer), tags=["model-answer"])


def slug_of(text: str, words: int = 6) -> str:
    """A name made of a text's first words, fit for a cell id and for nbgrader."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    found = re.findall(r"[a-z0-9]+", plain)
    return "-".join(found[:words])[:40].strip("-") or "question"


def give_ids(cells: Sequence[NotebookNode]) -> None:
    """Give every cell without a name an id that is the same at every build."""
    taken = {cell.id for cell in cells}
    for cell in cells:
        if not cell.id:
            base = text_id(cell)
            tries = (base if n == 1 else f"{base}-{n}" for n in itertools.count(1))
            cell.id = next(one for one in tries if one not in taken)
            taken.add(cell.id)


def text_id(cell: NotebookNode) -> str:
    """The id of a cell that has no name, made from its kind and text."""
    digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()
    return f"{OURS}{digest[:12]}"
