"""Workers as processes of their own: tasks go out, grades come back, and a worker that dies harms nobody."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial

from autograder.classroom.grading.grades import Grade
from autograder.classroom.grading.worker import MORE, Task, fairly
from autograder.learner.child import Child

SECONDS = 600.0
"""How long one file may keep a worker. The sandbox's own limits are far below."""

LOST = f"the worker that graded it ended or took longer than {SECONDS:.0f} s"

PATIENCE = 10.0
"""Seconds that a worker has to end its sandboxes."""

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def run(tasks: Sequence[Task], jobs: int) -> Iterator[Grade]:
    """Grade all tasks, as many at a time as there are jobs; grades come as they are ready.

    Args:
        tasks: what to grade.
        jobs: number of workers.
    """
    waiting: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
    done: queue.SimpleQueue[Grade] = queue.SimpleQueue()
    jobs = max(1, min(jobs, len(tasks)))
    for task in tasks:
        waiting.put(task)
    for _ in range(jobs):
        waiting.put(None)
    threads = [threading.Thread(target=_drive, args=(n, waiting, done), daemon=True) for n in range(jobs)]
    for thread in threads:
        thread.start()
    for _ in tasks:
        yield done.get()
    for thread in threads:
        thread.join()


def _drive(number: int, waiting: queue.SimpleQueue[Task | None], done: queue.SimpleQueue[Grade]) -> None:
    worker = Child("autograder.classroom.grading.worker", SECONDS, ONE_THREAD)
    while (task := waiting.get()) is not None:
        done.put(_graded(worker, replace(task, number=number)))
    worker.end(PATIENCE)


def _graded(worker: Child, task: Task) -> Grade:
    """A grade from a worker. It has tries of its own; what ends it is tried again out here."""
    first = _attempt(worker, task)
    return fairly(task, first, partial(_attempt, worker), MORE) if first.words == LOST else first


def _attempt(worker: Child, task: Task) -> Grade:
    answer = worker.ask(asdict(task))
    return Grade.of(answer) if answer is not None else Grade(task.file, task.lesson, "infrastructure", LOST)
