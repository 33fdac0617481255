"""Trusted grading against stock nbgrader, on the same submissions of one lesson: `python -m tests.bench_grading`.

Stock nbgrader takes many times as long, so it grades a sample of the class; its throughput is per submission.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import io
import itertools
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import pytest
from nbformat import NotebookNode

from autograder.classroom.course import class_grade, gradebook
from autograder.classroom.course.init import init
from autograder.classroom.grading import pool
from autograder.classroom.grading.batch import Options
from autograder.classroom.grading.box import Answer, Submission
from autograder.classroom.grading.one_notebook import Secret, _Grading
from autograder.classroom.grading.worker import Task, Worker
from autograder.notebooks import files, lessons
from autograder.notebooks.build import build
from tests.stock import nbgrader

KINDS = ("right", "right again", "one wrong", "blank", "one that does not parse")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--lesson", default="02")
    parser.add_argument("--students", type=int, default=100)
    parser.add_argument("--stock", type=int, default=6, help="how many of them stock nbgrader grades")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), lessons.stem_of(options.lesson), options.students, options.stock)


def measure(folder: Path, stem: str, students: int, sample: int) -> None:
    """Make a class and grade it in every way."""
    course = make_class(folder, stem, students)
    print(f"{stem}, {students} submissions: {', '.join(KINDS)}, in turn. {os.cpu_count()} processors.\n")
    start = time.perf_counter()
    stock(course, stem, sample)
    stock_each = (time.perf_counter() - start) / sample
    row("stock nbgrader autograde", stock_each, stock_each, f"on {sample} of them")
    tasks = [Task(str(one), stem, Secret().key.hex()) for one in sorted((course / "submitted").glob("*/*/*.ipynb"))]
    one, two = (spent_by(tasks, jobs, stock_each) for jobs in (1, 2))
    row_of_class(course, stem, students, stock_each)
    print(
        f"\ntwo workers against one: {one.all / two.all:.2f} times; after the start {one.after / two.after:.2f} times\n"
    )
    where_the_time_goes(tasks[: 4 * len(KINDS)])
    what_loans_cost(tasks[KINDS.index("one wrong") :: len(KINDS)][:5])


class Spent(NamedTuple):
    """Seconds for all submissions, and for those after each worker's first, in proportion."""

    all: float
    after: float


def spent_by(tasks: list[Task], jobs: int, stock_each: float) -> Spent:
    """Grade with so many workers, saving nothing."""
    start, ends, busy = time.perf_counter(), [], 0.0
    for grade in pool.run(tasks, jobs):
        ends.append(time.perf_counter() - start)
        busy += grade.seconds
    note = f"start included ({ends[jobs - 1]:.1f} s); busy {busy / len(tasks):.2f} s each"
    row(f"sandboxed, {jobs} at a time, not saved", ends[-1] / len(tasks), stock_each, note)
    return Spent(ends[-1], (ends[-1] - ends[jobs - 1]) / (len(tasks) - jobs))


def row_of_class(course: Path, stem: str, students: int, stock_each: float) -> None:
    """The whole command, saving included."""
    saving = Timed(gradebook.save)
    gradebook.save = saving  # type: ignore[assignment]
    start = time.perf_counter()
    with contextlib.chdir(course), contextlib.redirect_stdout(io.StringIO()), fresh_cache(course):
        class_grade.grade_class(Path(), stem, Options(jobs=2, fresh=True))
    each = (time.perf_counter() - start) / students
    row("autograder grade, two workers, saved", each, stock_each, f"saving {sum(saving.seconds) / students:.2f} s each")


def where_the_time_goes(tasks: list[Task]) -> None:
    """One worker, in this process: seconds by kind of submission and of work, and its memory."""
    worker, asking, most = Worker(), Asking(), {"worker": 0, "sandbox": 0}
    begun = time.perf_counter()
    worker.grade(tasks[0])
    print(f"a worker's start with its first submission: {time.perf_counter() - begun:.1f} s. After that, seconds each:")
    print(f"{'':24s}{'cells':>8s}{'probes':>8s}{'outside':>8s}{'all':>8s}")
    with asking:
        for kind, name in enumerate(KINDS):
            print_parts(name, asking.spent_on(worker, tasks[kind :: len(KINDS)]))
        plan = worker._plan(tasks[0])
        plan.ignored.clear()
        print_parts("right, `demo` cells too", asking.spent_on(worker, tasks[:: len(KINDS)]))
    most["worker"] = resident(os.getpid())
    for box in worker._boxes.values():
        most["sandbox"] = max([most["sandbox"], *map(resident, below(box.process))])
    worker.close()
    print(f"peak memory: of the worker {most['worker']} MB, of the warm process in the sandbox {most['sandbox']} MB")


def what_loans_cost(tasks: list[Task]) -> None:
    """One worker, in this process: what failed and mentions an earlier part is run once more, with that one lent."""
    worker, again = Worker(), Timed(_Grading._with_loans)
    worker.grade(tasks[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_Grading, "_with_loans", lambda *given: again(*given))
        start = time.process_time()
        for task in tasks:
            worker.grade(task)
    outside = (time.process_time() - start) / len(tasks)
    worker.close()
    middle, least = statistics.median(again.seconds), min(again.seconds)
    count = len(again.seconds) / len(tasks)
    print(f"one wrong: {count:g} runs with loans, {middle:.2f} s each (the fastest {least:.2f} s);")
    print(f"of processor time outside the sandbox, {outside:.2f} s for all of such a submission")


def print_parts(name: str, spent: dict[str, float]) -> None:
    inside = [spent["cell"], spent["look"] + spent["probe"]]
    parts = [*inside, spent["all"] - sum(inside)]
    print(f"{name:24s}" + "".join(f"{one:8.2f}" for one in (*parts, spent["all"])), flush=True)


class Asking:
    """While this is active, notes how long the sandbox takes for what it is asked."""

    def __enter__(self) -> Asking:
        self.ask, self.spent = Submission.ask, collections.Counter[str]()

        def ask(submission: Submission, job: dict, *given: Any, **named: Any) -> Answer:
            start = time.perf_counter()
            answer = self.ask(submission, job, *given, **named)
            self.spent[job["do"]] += time.perf_counter() - start
            return answer

        Submission.ask = ask
        return self

    def __exit__(self, *_: object) -> None:
        Submission.ask = self.ask

    def spent_on(self, worker: Worker, tasks: list[Task]) -> dict[str, float]:
        """Seconds each, by what was asked, and "all"."""
        self.spent.clear()
        start = time.perf_counter()
        for task in tasks:
            worker.grade(task)
        whole = {**dict.fromkeys(("cell", "look", "probe"), 0.0), **self.spent, "all": time.perf_counter() - start}
        return {name: seconds / len(tasks) for name, seconds in whole.items()}


class Timed:
    """A function that remembers how long its calls took."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.seconds: list[float] = []

    def __call__(self, *arguments: object) -> Any:
        start = time.perf_counter()
        try:
            return self.function(*arguments)
        finally:
            self.seconds.append(time.perf_counter() - start)


@contextlib.contextmanager
def fresh_cache(folder: Path):
    """No grades from earlier."""
    os.environ["AUTOGRADER_CACHE"] = str(folder / "cache")
    try:
        yield
    finally:
        del os.environ["AUTOGRADER_CACHE"]


def row(what: str, seconds: float, stock_each: float, note: str) -> None:
    print(f"{what:42s}{seconds:8.2f} s each {stock_each / seconds:8.1f} ×   {note}", flush=True)


def make_class(folder: Path, stem: str, students: int) -> Path:
    """An nbgrader course with submissions."""
    course = folder / "class"
    with contextlib.redirect_stdout(io.StringIO()):
        init(str(course), [stem])
    nbgrader(course, "generate_assignment", stem)
    released = files.read(course / "release" / stem / f"{stem}.ipynb")
    kinds = itertools.cycle(variants(released, stem))
    for number in range(students):
        place = course / "submitted" / f"student{number:03d}" / stem
        place.mkdir(parents=True)
        (place / f"{stem}.ipynb").write_text(nbformat.writes(next(kinds)), encoding="utf-8")
    return course


def variants(released: NotebookNode, stem: str) -> list[NotebookNode]:
    """A notebook of each of the kinds."""
    solutions = {cell.id: cell.source for cell in build(stem, "solved").cells}
    blanks = {cell.id: cell.source for cell in build(stem, "student").cells}
    names = [name for name in solutions if solutions[name] != blanks[name]]
    right, wrong, broken = (with_solutions(released, solutions, names) for _ in range(3))
    edit(wrong, names[0], "return ", "return 2 * ")
    edit(broken, names[-1], ":", "")
    return [right, with_solutions(released, solutions, names), wrong, released, broken]


def with_solutions(released: NotebookNode, solutions: dict[str, str], names: list[str]) -> NotebookNode:
    own = nbformat.from_dict(released)
    for cell in own.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id") or cell.id
        if name in names:
            cell.source = solutions[name]
    return own


def edit(notebook: NotebookNode, name: str, old: str, new: str) -> None:
    cell = next(one for one in notebook.cells if (one.metadata.get("nbgrader", {}).get("grade_id") or one.id) == name)
    head, _, tail = cell.source.rpartition(old) if new else cell.source.partition(old)
    cell.source = head + new + tail


def stock(course: Path, stem: str, sample: int) -> None:
    """Stock nbgrader on the first students, all in one run."""
    everyone = sorted(course.glob("submitted/*"))
    for place in everyone[sample:]:
        place.rename(course / place.name)
    nbgrader(course, "autograde", stem)
    for place in everyone[sample:]:
        (course / place.name).rename(place)


def resident(process: int) -> int:
    """The most megabytes that a process had in memory; 0 when it is gone."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    line = next((line for line in status.splitlines() if line.startswith("VmHWM")), "VmHWM: 0 kB")
    return int(line.split()[1]) // 1024


def below(process: int) -> list[int]:
    found, open_ = [], [process]
    while open_:
        one = open_.pop()
        children = Path(f"/proc/{one}/task/{one}/children")
        open_ += [int(child) for child in children.read_text().split()] if children.exists() else []
        found.append(one)
    return found


if __name__ == "__main__":
    main()
