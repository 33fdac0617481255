"""Workers as processes of their own: tasks go out, grades come back, and a worker that dies harms nobody."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace

from autograder.classroom.grading.grades import Grade
from autograder.classroom.grading.worker import Task, line_of

SECONDS = 600.0
"""How long one file may keep a worker. The sandbox's own limits are far below."""

TRIES = 2


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
    worker = _Process()
    while (task := waiting.get()) is not None:
        done.put(_graded(worker, replace(task, number=number)))
    worker.end()


def _graded(worker: _Process, task: Task) -> Grade:
    for _ in range(TRIES):
        answer = worker.ask(line_of(task))
        if answer:
            return Grade.of(json.loads(answer))
    words = f"the worker that graded it ended or took longer than {SECONDS:.0f} s, {TRIES} times"
    return Grade(task.file, task.lesson, "infrastructure", words)


class _Process:
    """A worker's process, started when it is needed."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None

    def ask(self, line: str) -> str:
        """Send a line and wait for the answer; "" when the process ended or took too long."""
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        timer = threading.Timer(SECONDS, process.kill)
        timer.start()
        try:
            process.stdin.write(line)
            process.stdin.flush()
            answer = process.stdout.readline()
        except OSError:
            answer = ""
        finally:
            timer.cancel()
        if not answer:
            self.end()
        return answer

    def _running(self) -> subprocess.Popen[str]:
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "autograder.classroom.grading.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
                text=True,
                encoding="utf-8",
            )
        return self.process

    def end(self) -> None:
        """Let the process end, or end it."""
        if self.process is None:
            return
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                try:
                    pipe.close()
                except OSError:
                    continue
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None
