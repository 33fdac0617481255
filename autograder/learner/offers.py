"""What a report offers to somebody who sits at a notebook: the next hint, the blank again, the course's solution."""

from __future__ import annotations

from autograder import registry
from autograder.learner import hints
from autograder.learner.notebook import attended
from autograder.probing.exercise import Exercise
from autograder.reporting.folds import Offer
from autograder.reporting.report import Report

AGAIN = (
    "Save the notebook (Ctrl + S, on a Mac ⌘ + S), run this in a cell, and choose File → Reload Notebook from Disk:\n\n"
    "```\n%run -m autograder reset {notebook} {exercise}\n```\n\n"
    "What you have now is kept in a backup, and the line says where."
)


def offers(exercise: Exercise, report: Report) -> list[Offer]:
    """What comes next after a report; nothing where nobody sits, or where there was nothing to check."""
    if not attended() or report.verdict is None:
        return []
    found = [_solution(exercise)] if report.passed else [_hints(exercise), _again(exercise)]
    return [one for one in found if one]


def _hints(exercise: Exercise) -> Offer | None:
    """The first hint, which offers the second, and so on."""
    found: Offer | None = None
    for step, text in reversed(list(enumerate(exercise.hints))):
        found = Offer(hints.step_name(step) if step else "Hint", text, found)
    return found


def _again(exercise: Exercise) -> Offer:
    notebook = registry.notebook_stem(exercise.lesson)
    return Offer("Start again", AGAIN.format(notebook=notebook, exercise=exercise.name))


def _solution(exercise: Exercise) -> Offer | None:
    text = hints.answer(exercise)
    return Offer("The course's solution", f"```python\n{text}```") if text else None
