"""Whether the code of a repair is still as the lesson has it: to name what is wrong with it would spoil the hunt."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from autograder import registry
from autograder.learner.notebook import cells
from autograder.probing.exercise import Exercise


def is_as_handed_out(exercise: Exercise) -> bool:
    """Whether the notebook's cell of an exercise says what it said in the lesson, without a comment more.

    Args:
        exercise: any; only a repair's cell holds code at first.
    """
    if exercise.repairs is None:
        return False
    begins = re.compile(rf"^(?:class|def)\s+{exercise.name}\b", re.MULTILINE)
    written = next((text.strip() for text in reversed(cells()) if begins.search(text)), "")
    return bool(written) and any(written in text for text in _texts(exercise.lesson))


def _texts(lesson: str) -> Iterator[str]:
    """The lesson as a whole, or, in a student's edition, the cells of the notebook that it holds."""
    stem = registry.notebook_stem(lesson)
    source, notebook = registry.COURSE / "lessons" / f"{stem}.md", registry.COURSE / f"{stem}.ipynb"
    if source.is_file():
        yield source.read_text(encoding="utf-8")
    elif notebook.is_file() and notebook.stat().st_size:  # of some lessons, a package has no more than the name
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            yield "".join(cell["source"])
