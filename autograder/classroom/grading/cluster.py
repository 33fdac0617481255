"""The same tasks on a Dask cluster: `autograder grade ... --scheduler tcp://HOST:PORT`.

Notebooks travel with their tasks, and so do lessons of the instructor's own: workers need no file system in common.
What a worker needs is this version of the course, and a sandbox.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder import homes
from autograder.classroom.grading import pool
from autograder.classroom.grading.cache import software
from autograder.classroom.grading.grades import Grade
from autograder.classroom.grading.submission import Malformed, read
from autograder.classroom.grading.worker import Task, fairly, own_worker
from autograder.notebooks.problem import Problem
from autograder.sandbox import walls
from autograder.sandbox.own_folder import own_folder

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT = 20.0
"""Seconds to wait for the scheduler, and then for its first worker."""

AHEAD = 4
"""Tasks that are under way or wait, for each thread of the cluster; more would only fill its memory."""

LOOK, ALONE = 2.0, 60.0
"""Seconds between two looks at the cluster, and how long it may be without any worker."""

NUMBERS = 1000
"""Workers of one machine get user numbers that differ, by the numbers of their processes."""


@dataclass(frozen=True)
class Parcel:
    """A task with what it is about.

    Attributes:
        task: as on this machine; its paths are names to the worker.
        content: of the notebook.
        source: of the gradebook's notebook; empty without one.
        software: the version of the course that is to decide.
        own: path and content of what the instructor's own lessons are made of.
    """

    task: Task
    content: bytes
    source: bytes
    software: str
    own: tuple[tuple[str, bytes], ...] = ()


def run(tasks: Sequence[Task], scheduler: str) -> Iterator[Grade]:
    """Grade all tasks; grades come as they are ready.

    Args:
        tasks: what to grade.
        scheduler: the scheduler's address.

    Raises:
        Problem: when `distributed` is missing, no scheduler answers there, or it has no workers.
    """
    unreadable: list[Task] = []
    with _client(scheduler) as client:
        yield from _sent(client, tasks, unreadable)
    if unreadable:
        yield from pool.run(unreadable, 1)


def _client(address: str) -> Client:
    try:
        from distributed import Client
    except ImportError:
        raise Problem("--scheduler needs Dask's `distributed`: pip install 'transformer-course[cluster]'") from None
    try:
        client = Client(address, timeout=CONNECT, set_as_default=False)
        client.wait_for_workers(1, timeout=CONNECT)
    except (OSError, ValueError, TimeoutError) as error:
        raise Problem(f"No Dask scheduler with workers answers at {address}: {error}") from None
    return client


def _sent(client: Client, tasks: Sequence[Task], unreadable: list[Task]) -> Iterator[Grade]:
    """Send as many as the cluster can work on, and another for each that comes back; put aside what cannot be read."""
    room = AHEAD * max(1, sum(client.nthreads().values()))
    left = list(reversed(tasks))
    sent: dict[Future, Task] = {}
    while left or sent:
        while left and len(sent) < room:
            task = left.pop()
            try:
                sent[client.submit(grade, _packed(task), pure=False)] = task
            except Malformed:
                unreadable.append(task)
        for future in _finished(client, list(sent)) if sent else ():
            yield _result(client, future, sent.pop(future))


def _finished(client: Client, sent: Sequence[Future]) -> Sequence[Future]:
    """Those that are done; when there has been no worker for some time, all of them, done or not."""
    from distributed import wait

    last = time.monotonic()
    while time.monotonic() - last < ALONE:
        with contextlib.suppress(TimeoutError), client.as_current():
            return list(wait(sent, timeout=LOOK, return_when="FIRST_COMPLETED").done)
        if client.scheduler_info(n_workers=-1)["workers"]:
            last = time.monotonic()
    return sent


def _packed(task: Task) -> Parcel:
    source = Path(task.source).read_bytes() if task.source else b""
    return Parcel(task, b"" if task.empty else read(Path(task.file)), source, software(task.lesson), _own(homes.own()))


@cache
def _own(folder: Path | None) -> tuple[tuple[str, bytes], ...]:
    """All that lies in the course's own lessons, read once."""
    if folder is None:
        return ()
    found = sorted(one for one in folder.rglob("*") if one.is_file() and one.suffix != ".pyc")
    return tuple((one.relative_to(folder).as_posix(), one.read_bytes()) for one in found)


def _result(client: Client, future: Future, task: Task) -> Grade:
    """What came back. When a worker dies Dask tries another; when all of them die, an empty submission tells why."""
    first = _told(future, task)
    return fairly(task, first, partial(_attempt, client), 0) if future.status == "error" else first


def _attempt(client: Client, task: Task) -> Grade:
    try:
        future = client.submit(grade, _packed(task), pure=False)
    except Malformed as problem:  # gone meanwhile
        return Grade(task.file, task.lesson, "infrastructure", str(problem))
    _finished(client, [future])
    return _told(future, task)


def _told(future: Future, task: Task) -> Grade:
    if future.status == "finished":
        return Grade.of(future.result())
    return Grade(task.file, task.lesson, "infrastructure", f"the cluster failed: {_failure(future)}"[:300])


def _failure(future: Future) -> str:
    if future.status == "pending":
        return f"it has had no worker for {ALONE:.0f} s"
    if future.status != "error":
        return f"the task is {future.status}"
    error = future.exception()
    return f"{type(error).__name__}: {error}"


# On the worker ----------------------------------------------------------------------------

_one_at_a_time = threading.Lock()


def grade(parcel: Parcel) -> dict[str, Any]:
    """Grade what came in a parcel, in this process's own sandbox. Dask may call it from several threads."""
    with _one_at_a_time:
        _use(parcel.own)
        return _graded(parcel)


def _graded(parcel: Parcel) -> dict[str, Any]:
    task = parcel.task
    why = _unfit(parcel)
    if why:
        return Grade(task.file, task.lesson, "infrastructure", why).plain()
    with own_folder("parcel") as folder:
        place = folder / "submission.ipynb"
        place.write_bytes(parcel.content)
        here = replace(task, file=str(place), source=_source(parcel.source), number=os.getpid() % NUMBERS)
        graded = own_worker().grade(here)
    graded.file = task.file
    return graded.plain()


def _use(own: tuple[tuple[str, bytes], ...]) -> None:
    """Let the course have these lessons of its instructor's own; another class may have others."""
    folder = _unpacked(own) if own else None
    if folder != homes.own():
        own_worker().close()
        homes.use(folder)


def _unpacked(own: tuple[tuple[str, bytes], ...]) -> Path:
    """A folder with these files, the same for all parcels that hold them."""
    place = _folder() / hashlib.sha256(repr(own).encode()).hexdigest()
    for name, content in () if place.exists() else own:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)
    return place.resolve()


def _unfit(parcel: Parcel) -> str:
    """Why this worker must not decide; "" when it may."""
    if software(parcel.task.lesson) != parcel.software:
        return "the cluster's worker has another version of the course, of torch, numpy or IPython"
    why = walls.available() if parcel.task.sandboxed else None
    return f"the cluster's worker has no sandbox: {why}" if why else ""


def _source(content: bytes) -> str:
    """A file with the gradebook's notebook, the same for all parcels that hold it."""
    if not content:
        return ""
    place = _folder() / f"{hashlib.sha256(content).hexdigest()}.ipynb"
    if not place.exists():
        place.write_bytes(content)
    return str(place)


@cache
def _folder() -> Path:
    """Where these lie for as long as this process lives."""
    ends = ExitStack()
    atexit.register(ends.close)
    return ends.enter_context(own_folder("cluster"))
