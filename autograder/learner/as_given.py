"""Whether a repair still is the code that its lesson gives."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

from autograder.learner.notebook import cells, is_own
from autograder.learner.worth import cells_in, notebooks
from autograder.probing.exercise import Exercise


def is_as_given(exercise: Exercise, implementation: Any) -> bool:
    """Whether nobody has written in the cell that defines a repair, as far as the notebook at hand tells.

    Args:
        exercise: what is repaired.
        implementation: what is checked.
    """
    if not exercise.starts_wrong or not is_own(implementation):
        return False
    return digest(defining_cell(implementation)) in _blanks(exercise)


def defining_cell(implementation: Any) -> str:
    """The text of the cell that was run last of those that define an implementation; "" where there is none."""
    defines = re.compile(rf"^(class|def) {implementation.__name__}\b", re.MULTILINE)
    return next((one for one in reversed(cells()) if defines.search(one)), "")


def digest(text: str) -> str:
    """By which a cell of wrong code knows the text with which it was handed out."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _blanks(exercise: Exercise) -> Iterator[Any]:
    for path in notebooks(exercise):
        for cell in cells_in(path, exercise):
            if cell.get("id") == exercise.name:
                yield cell.get("metadata", {}).get("course", {}).get("blank")
