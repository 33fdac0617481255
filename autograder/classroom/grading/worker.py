"""A worker: grades one file after the other, each lesson in its own warm sandbox.

`python -m autograder.classroom.grading.worker` reads tasks from stdin and writes grades to stdout, a line of JSON each.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from autograder.classroom.grading.grades import Grade, given_up
from autograder.learner.child import only_answers, serve
from autograder.setup.quick_start import leave_out_the_grammar_of_addresses

MORE = 1
"""How often a submission that failed is tried again, in a sandbox of its own, before an empty one is."""


@dataclass(frozen=True)
class Task:
    """One file to grade.

    Attributes:
        file: its path.
        lesson: the lesson's stem, such as "01_layer_norm".
        key: the batch's secret in hexadecimal.
        sandboxed: False for no isolation.
        source: the gradebook's notebook, for a class; "" for our own build.
        number: which worker, of those that run at once.
        empty: grade an empty submission in the file's place, to learn whether anything can be graded.
    """

    file: str
    lesson: str
    key: str
    sandboxed: bool = True
    source: str = ""
    number: int = 0
    empty: bool = False


class Worker:
    """Keeps a sandbox for the lesson it grades."""

    def __init__(self) -> None:
        self._boxes: dict[tuple[str, bool], Any] = {}
        self._plans: dict[tuple[str, str], Any] = {}

    def grade(self, task: Task) -> Grade:
        """Grade one file. Where that fails the sandbox is replaced, and at last the grade says so. Nothing is raised.

        A fault is the infrastructure's when an empty submission shows it as well, and else the submission's.
        """
        return fairly(task, self._attempt(task), self._attempt, MORE)

    def close(self) -> None:
        """End all sandboxes."""
        while self._boxes:
            self._boxes.popitem()[1].close()

    def _attempt(self, task: Task) -> Grade:
        """A grade, or one that says why there is none; then the next attempt has another sandbox."""
        from autograder.classroom.grading.one_notebook import undecided

        try:
            plan = self._plan(task)
        except Exception as error:
            return Grade(task.file, task.lesson, "infrastructure", _words(error))
        try:
            return self._try(task, plan)
        except Exception as error:
            self._drop(task)
            return undecided(task.file, plan, _words(error))

    def _try(self, task: Task, plan: Any) -> Grade:
        from autograder.classroom.grading.one_notebook import Secret, grade_file, grade_nothing

        box, secret = self._box(task, plan), Secret(bytes.fromhex(task.key))
        return grade_nothing(plan, box, secret) if task.empty else grade_file(Path(task.file), plan, box, secret)

    def _plan(self, task: Task) -> Any:
        from autograder.classroom.grading.plan import plan_of, plan_of_source
        from autograder.notebooks import files

        key = (task.lesson, task.source)
        if key not in self._plans:
            # The instructor's notebook, in a class, says what counts and how much.
            source = files.read(Path(task.source)) if task.source else None
            self._plans[key] = plan_of(task.lesson) if source is None else plan_of_source(source, task.lesson)
        return self._plans[key]

    def _box(self, task: Task, plan: Any) -> Any:
        from autograder.classroom.grading.box import Box

        key = (plan.lesson, task.sandboxed)
        if key not in self._boxes:
            self.close()  # one at a time: each holds torch in memory
            self._boxes[key] = Box(plan.lesson, plan.modules, sandboxed=task.sandboxed, number=task.number)
        return self._boxes[key]

    def _drop(self, task: Task) -> None:
        for key in [key for key in self._boxes if key[0] == task.lesson.split("_", 1)[-1]]:
            self._boxes.pop(key).close()


def fairly(task: Task, grade: Grade, attempt: Callable[[Task], Grade], more: int) -> Grade:
    """The grade of a task, and whose fault it is when there is none: the infrastructure's, or the submission's own.

    Args:
        task: what to grade.
        grade: what came of the first attempt; its status is "infrastructure" when something failed.
        attempt: another one, in another sandbox.
        more: how many of these a submission has before an empty one is tried. Where that can be graded, it has a last.
    """
    for _ in range(more):
        grade = attempt(task) if grade.status == "infrastructure" else grade
    if grade.status != "infrastructure" or task.empty:
        return grade
    nothing = attempt(replace(task, empty=True))
    if not nothing.complete:
        return grade
    last = attempt(task)
    return last if last.status != "infrastructure" else given_up(task.file, last.words, nothing)


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:300]


@cache
def own_worker() -> Worker:
    """The worker of this process, which lives as long as it does."""
    import torch

    torch.set_num_threads(1)  # probes are small
    worker = Worker()
    atexit.register(worker.close)
    return worker


def main() -> None:
    """Serve stdin until it is closed."""
    answers = only_answers()
    leave_out_the_grammar_of_addresses()
    import torch

    torch.set_num_threads(1)
    worker = Worker()
    serve(lambda task: worker.grade(Task(**task)).plain(), answers)
    worker.close()


if __name__ == "__main__":
    main()
