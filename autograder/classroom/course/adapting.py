"""Makes of a lesson's notebook that of a class: what it leaves out is gone, and the text says what counts."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator

from nbformat import NotebookNode

from autograder import registry
from autograder.learner.choices import Choices
from autograder.notebooks import cells, lessons

NUMBERS = re.compile(r"\blessons? (\d\d(?:(?:, | and | or | to )\d\d)*)")
NEXT = re.compile(r"^Next: \[.*\]\(.*\)\.?$", re.MULTILINE)
HEADING = re.compile(r"^(?=## )", re.MULTILINE)
LINK = re.compile(r"\[([^\]]+)\]\((\d\d_\w+)\.ipynb\)")
IF_YOU_LIKE = re.compile(r", (`\w+`) and, if you like, (`\w+`(?:, `\w+`)*)((?: and `\w+`)?)")
MINUTES_MORE = re.compile(r", and \d+(?: more)? (?:for|with) (?:the|both)(?: \w+)? ?stretch(?:es)?\b")

FOLD = ", press Shift + Enter, then open the fold. In a class, your instructor reads these; alone, you are the judge."
IN_CLASS = {
    FOLD: ", and press Shift + Enter.",
    "the course's own solution, once yours has passed; or at once, if you say `give_up=True`": (
        "the course's own solution, as soon as your instructor has released it"
    ),
    "What you had is kept in `course/backups`.": "What you had is kept in the folder `backups`.",
}
"""Sentences for those who study alone, and what is true in a class."""

WHO_READS = {"by hand": "Your instructor reads these.", "answered": "Whoever writes an answer has its point."}
HOW_STRETCHES_COUNT = {"counted": "a stretch that counts", "bonus": "a stretch, for a bonus"}
QUESTIONS = "## Questions"
LAST = "This was the last lesson of this class."


def adapted(source: NotebookNode, stem: str, choices: Choices) -> NotebookNode:
    """The instructor's notebook of a class that has chosen.

    Args:
        source: the notebook with solutions and model answers.
        stem: its name, such as "01_layer_norm".
        choices: what the class counts.
    """
    notebook = copy.deepcopy(source)
    stretches = {one.name for one in registry.exercises(lessons.lesson_of(stem)) if one.stretch}
    if choices.stretches == "left out":
        _leave_out_sections(notebook, stretches)
    if choices.questions == "left out":
        _leave_out_questions(notebook)
    for cell in notebook.cells:
        if _is_text(cell):
            cell.source = _in_class(cell.source, choices, stem)
        elif choices.stretches == "bonus" and cell.id in {f"check-{name}" for name in stretches}:
            _make_bonus(cell)
        elif choices.questions == "answered" and "answer" in cell.metadata.get("tags", []):
            cell.metadata.course = {"answered": True}
    _say_what_is_missing(notebook, choices)
    return notebook


# Cells ---------------------------------------------------------------------------------


def _leave_out_sections(notebook: NotebookNode, names: Iterable[str]) -> None:
    """Without the sections of these exercises, from their heading to the next; both may stand within a cell."""
    headings, inside = tuple(f"## Exercise: `{name}`" for name in names), False
    for cell in notebook.cells:
        kept = []
        for part in HEADING.split(cell.source) if _is_text(cell) else [cell.source]:
            inside = part.startswith(headings) if part.startswith("## ") and _is_text(cell) else inside
            kept += [] if inside else [part]
        cell.source = "".join(kept).rstrip() if _is_text(cell) else "".join(kept)
    notebook.cells = [cell for cell in notebook.cells if cell.source.strip()]


def _leave_out_questions(notebook: NotebookNode) -> None:
    asked = {"question", "answer"}
    notebook.cells = [cell for cell in notebook.cells if not asked & set(cell.metadata.get("tags", []))]
    for cell in filter(_is_text, notebook.cells):
        parts = HEADING.split(cell.source)
        cell.source = "".join(part for part in parts if not _asks(part)).rstrip()
    notebook.cells = [cell for cell in notebook.cells if cell.source.strip()]


def _asks(section: str) -> bool:
    """Whether a section is that of the questions; in an instructor's own lesson it may be the heading alone."""
    return section.partition("\n")[0].rstrip() == QUESTIONS


def _is_text(cell: NotebookNode) -> bool:
    return cell.cell_type == "markdown" and "nbgrader" not in cell.metadata


def _make_bonus(cell: NotebookNode) -> None:
    """No points of the full ones: nbgrader then has what it earns as extra credit (classroom/scores.py)."""
    cell.metadata.course = {"bonus": cell.metadata.nbgrader.points}
    cell.metadata.nbgrader.points = 0
    cell.source = f"{cell.source.removesuffix(')')}, bonus=True)"


# Text ----------------------------------------------------------------------------------


def _in_class(text: str, choices: Choices, stem: str) -> str:
    for alone, together in IN_CLASS.items():
        text = text.replace(alone, together)
    if _asks(HEADING.split(text)[-1]):
        between = "\n\n" if text.rstrip().endswith(QUESTIONS) else " "
        text = f"{text.rstrip()}{between}{WHO_READS[choices.questions]}"
    text = _without_stretches(text) if choices.stretches == "left out" else _with_stretches(text, choices.stretches)
    text = NEXT.sub(_next(stem, choices), text)
    return LINK.sub(lambda found: found[0] if choices.has(found[2]) else found[1], text)


def _with_stretches(text: str, how: str) -> str:
    text = text.replace("` (a stretch)", f"` ({HOW_STRETCHES_COUNT[how]})", 1)
    if how == "bonus":
        return text.replace(" and, if you like, `", " and, for a bonus, `")
    return IF_YOU_LIKE.sub(lambda found: f", {found[1]}{',' if found[3] else ' and'} {found[2]}{found[3]}", text)


def _without_stretches(text: str) -> str:
    text = MINUTES_MORE.sub("", IF_YOU_LIKE.sub(r" and \1", text))
    text = re.sub(r"; for the stretch, [^.]*(?=\.)", "", text)
    return re.sub(r" [A-Z][^.?!]*\bthe stretch\b[^.?!]*\.", "", text)


def _next(stem: str, choices: Choices) -> str:
    later = [one for one in lessons.source_stems() if one > stem and choices.has(one)]
    return f"Next: [{title(later[0])}]({later[0]}.ipynb)" if later else LAST


def title(stem: str) -> str:
    """A lesson's heading: "01 · Layer normalization"."""
    found = re.search(r"^# (.+)$", lessons.source_text(stem), re.MULTILINE)
    return found[1] if found else stem


# What a class will never get -------------------------------------------------------------


def _say_what_is_missing(notebook: NotebookNode, choices: Choices) -> None:
    """A cell below the heading, where the text mentions lessons that this class leaves out."""
    missing = {stem[:2]: stem for stem in lessons.source_stems() if not choices.has(stem)}
    texts = (cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    named = sorted({number for text in texts for number in _numbers(text)} & missing.keys())
    if not named:
        return
    which = ", ".join(f"*{title(missing[number])}*" for number in named)
    them = "it" if len(named) == 1 else "them"
    says = (
        f"Your class leaves out {which}. Where this page speaks of {them}, read on: `my_transformer` has "
        "stand-ins for the parts that are built there."
    )
    notebook.cells.insert(1, cells.markdown(says))
    cells.give_ids(notebook.cells)


def _numbers(text: str) -> Iterator[str]:
    """The lessons that a text names: "lessons 01 and 03", "lessons 01 to 04"."""
    for found in NUMBERS.finditer(text):
        for first, last in re.findall(r"(\d\d)(?: to (\d\d))?", found[1]):
            yield from (f"{number:02d}" for number in range(int(first), int(last or first) + 1))
