"""Spreads work over processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from autograder import homes
from autograder.notebooks.problem import Problem

Part = TypeVar("Part")
Result = TypeVar("Result")

JOBS = 2


def spread(work: Callable[[Part], Result], parts: Sequence[Part], jobs: int) -> Iterator[tuple[int, Result]]:
    """Do the work of all parts, several at a time.

    Args:
        work: a function of a module, which another process can import.
        parts: what it is called with.
        jobs: processes; 1 works in this one.

    Yields:
        The number of a part and what came of it, as they are done.

    Raises:
        Problem: when a process died.
    """
    if jobs <= 1 or len(parts) <= 1:
        yield from ((number, work(part)) for number, part in enumerate(parts))
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, len(parts)), context, initializer=homes.use, initargs=(homes.own(),))
    try:
        waiting = {pool.submit(work, part): number for number, part in enumerate(parts)}
        for done in as_completed(waiting):
            yield waiting[done], done.result()
    except BrokenProcessPool:
        raise Problem("A process died, perhaps of memory or of an exit(). --jobs 1 shows where.") from None
    finally:
        pool.shutdown(cancel_futures=True)
