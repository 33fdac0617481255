"""What the configuration of a course names, so that nbgrader saves what the class has chosen to count.

A bonus: its check cell has 0 points, so that nobody needs it for full marks, and what it earns is nbgrader's extra
credit. A question that need only be answered has its points by the check; the formgrader can still change them.
"""

from __future__ import annotations

import re
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import SaveAutoGrades

from autograder.classroom.course.marks import Marks, marks_of
from autograder.reporting.bonus import BONUS_TYPE

PLACEHOLDER = "YOUR ANSWER HERE"


class SaveScores(SaveAutoGrades):
    """nbgrader's own, which also knows a bonus, and a question that need only be answered."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Save the points of all cells."""
        found = resources["nbgrader"]
        self._marks: Marks = marks_of(found["db_url"], found["assignment"])
        return super().preprocess(nb, resources)

    def _add_score(self, cell: NotebookNode, resources: Any) -> None:
        super()._add_score(cell, resources)
        name = cell.metadata.nbgrader.grade_id
        grade = self.gradebook.find_grade(name, self.notebook_id, self.assignment_id, self.student_id)
        if name in self._marks.bonus:
            grade.extra_credit = min(bonus_in(cell), self._marks.bonus[name]) or None
        elif name in self._marks.answered and grade.auto_score is None:
            grade.auto_score = grade.max_score if is_answer(cell.source) else 0.0
            grade.needs_manual_grade = grade.manual_score is not None
        self.gradebook.db.commit()


def bonus_in(cell: NotebookNode) -> float:
    """What a bonus has earned, by the output of its check cell; nothing where that failed or says something else."""
    for output in cell.get("outputs", []):
        said = output.get("data", {}).get(BONUS_TYPE)
        if isinstance(said, dict) and isinstance(said.get("points"), int | float):
            return max(0.0, float(said["points"]))
    return 0.0


def is_answer(text: str) -> bool:
    """Whether someone wrote anything in the place of an answer."""
    return bool(re.search(r"\w", text.replace(PLACEHOLDER, "")))
