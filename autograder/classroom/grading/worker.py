"""A worker: grades one file after the other, each lesson in its own warm sandbox.

`python -m autograder.classroom.grading.worker` reads tasks from stdin and writes grades to stdout, a line of JSON each.
"""

from __future__ import annotations

import atexit
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from autograder.classroom.grading.grades import Grade
from autograder.learner.child import only_answers, serve
from autograder.setup.quick_start import leave_out_the_grammar_of_addresses


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
    """

    file: str
    lesson: str
    key: str
    sandboxed: bool = True
    source: str = ""
    number: int = 0


class Worker:
    """Keeps a sandbox for the lesson it grades."""

    def __init__(self) -> None:
        self._boxes: dict[tuple[str, bool], Any] = {}
        self._plans: dict[tuple[str, str], Any] = {}

    def grade(self, task: Task) -> Grade:
        """Grade one file. A sandbox that fails is replaced once; then the grade says so. Nothing is raised."""
        from autograder.classroom.grading.one_notebook import undecided

        plan = self._plan(task)
        why = ""
        for _ in range(2):
            try:
                return self._try(task)
            except Exception as error:  # a fault of ours is no fault of a student's
                why = f"{type(error).__name__}: {error}"
                self._drop(task)
        return undecided(task.file, plan, why)

    def close(self) -> None:
        """End all sandboxes."""
        while self._boxes:
            self._boxes.popitem()[1].close()

    def _try(self, task: Task) -> Grade:
        from autograder.classroom.grading.one_notebook import Secret, grade_file

        plan = self._plan(task)
        return grade_file(Path(task.file), plan, self._box(task, plan), Secret(bytes.fromhex(task.key)))

    def _plan(self, task: Task) -> Any:
        from autograder.classroom.grading.plan import plan_from, plan_of, released
        from autograder.notebooks import files

        key = (task.lesson, task.source)
        if key not in self._plans:
            # The instructor's notebook, in a class, says what counts and how much.
            source = files.read(Path(task.source)) if task.source else None
            self._plans[key] = plan_of(task.lesson) if source is None else plan_from(released(source), task.lesson)
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
