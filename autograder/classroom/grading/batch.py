"""Grades many notebooks, in parallel: a batch with one secret, of which what is known from earlier is not run again."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from autograder.classroom.grading import cache, pool
from autograder.classroom.grading.grades import Grade
from autograder.classroom.grading.worker import Task
from autograder.notebooks.problem import Problem
from autograder.sandbox import walls

REFUSAL = (
    "The sandbox cannot be used here: {why} Nothing was graded. To run the submissions without isolation, say so in so "
    "many words with --no-sandbox: their code can then read and write whatever you can."
)


@dataclass(frozen=True)
class Options:
    """How to grade.

    Attributes:
        lesson: the lesson of all files; "" to tell it from each file's name.
        jobs: workers at once; 0 for as many as there are processors.
        sandbox: False to do without isolation.
        scheduler: address of a Dask scheduler whose workers grade; "" to grade on this machine.
        fresh: do not use grades that are kept from earlier.
        json, junit, gradescope: files to write, "-" for stdout; "" for none.
    """

    lesson: str = ""
    jobs: int = 0
    sandbox: bool = True
    scheduler: str = ""
    fresh: bool = False
    json: str = ""
    junit: str = ""
    gradescope: str = ""

    @property
    def for_a_program(self) -> bool:
        """Whether stdout is for a program, and no place for text."""
        return "-" in (self.json, self.junit, self.gradescope)


def grade_all(tasks: Sequence[Task], options: Options) -> list[Grade]:
    """Grade tasks, in the order in which they are given; what is known from earlier is not run again."""
    if not options.scheduler:
        refuse_without_walls(options.sandbox)
    secret = secrets.token_hex(32)
    tasks = [Task(one.file, one.lesson, secret, one.sandboxed, one.source) for one in tasks]
    keys = {one: cache.key(Path(one.file), one.lesson, one.sandboxed, one.source) for one in tasks}
    known = {} if options.fresh else {one: cache.get(keys[one], Path(one.file)) for one in tasks if keys[one]}
    found = {one: grade for one, grade in known.items() if grade is not None}
    for task, grade in _graded([one for one in tasks if one not in found], options, len(found)):
        cache.put(keys[task], grade)
        found[task] = grade
    return [found[one] for one in tasks]


def _graded(tasks: list[Task], options: Options, known: int) -> Iterable[tuple[Task, Grade]]:
    by_file = {(one.file, one.lesson): one for one in tasks}
    total = len(tasks) + known
    with tqdm(total=total, initial=known, unit="notebook", disable=None, file=sys.stderr) as bar:
        for grade in _run(sorted(tasks, key=lambda one: one.lesson), options) if tasks else ():
            yield by_file[grade.file, grade.lesson], grade
            bar.update()


def _run(tasks: Sequence[Task], options: Options) -> Iterator[Grade]:
    if not options.scheduler:
        return pool.run(tasks, options.jobs or os.cpu_count() or 1)
    from autograder.classroom.grading import cluster

    return cluster.run(tasks, options.scheduler)


def refuse_without_walls(sandbox: bool) -> None:
    """Raise Problem when the sandbox is wanted and cannot be had: isolation is never dropped silently."""
    why = walls.available() if sandbox else None
    if why is not None:
        raise Problem(REFUSAL.format(why=why))


def exit_code(grades: Sequence[Grade]) -> int:
    """0 all right, 1 not all right, 3 not all decided."""
    if not all(grade.complete for grade in grades):
        return 3
    return 0 if all(one.status == "ok" for grade in grades for one in grade.results) else 1
