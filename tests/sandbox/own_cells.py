"""The small lesson with an exercise of an instructor's own behind it: a helper, a solution cell, tests."""

from __future__ import annotations

import copy
import re

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from tests.small_lesson import notebook

SOLUTION = """\
def my_own(x):
    # BEGIN SOLUTION
    return x + 1
    # END SOLUTION"""

BY_HAND = "# BEGIN SOLUTION\nmy_own(41)\n# END SOLUTION"

TEST = """\
assert my_own(1) == BASE
# BEGIN HIDDEN TESTS
assert my_own(2) == BASE + 1, "not for 2"
# END HIDDEN TESTS"""

PARTLY = "sum(my_own(x) == x + 1 for x in (1, 2, 3, 4))"

HELPER = "BASE = 2"


def own_cell(name: str, text: str, points: float | None = None, *, solution: bool = False) -> NotebookNode:
    """A code cell as nbgrader's toolbar makes it: a test with points, a solution, or read-only."""
    place = {"grade": points is not None, "grade_id": name, "locked": not solution, "schema_version": 3}
    place |= {"solution": solution, "task": False} | ({} if points is None else {"points": points})
    return new_code_cell(text, id=re.sub(r"\W", "-", name) or "nameless", metadata={"nbgrader": place})


def own_cells() -> list[NotebookNode]:
    """A helper, a solution, a test of 5 points with a hidden part, and one that gives a number."""
    return [
        own_cell("helper", HELPER),
        own_cell("my_own", SOLUTION, solution=True),
        own_cell("test-my_own", TEST, 5),
        own_cell("test-partly", PARTLY, 4),
        own_cell("by-hand", BY_HAND, 2, solution=True),
    ]


def with_own(source: NotebookNode | None = None, *more: NotebookNode) -> NotebookNode:
    """An instructor's source with these cells at its end, and perhaps more."""
    own = copy.deepcopy(source or notebook("source"))
    own.cells += [*own_cells(), *more]
    return own
