"""A clean process in which a module of the learner's library is tried before it replaces anything.

The process is started with the first check and kept, as importing torch takes over a second. It never sees the
notebook.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from types import ModuleType
from typing import IO, Any

SECONDS = 60.0
"""How long a trial may take before the process is given up."""


@dataclass(frozen=True)
class Problem:
    """Why a module is not fit to be kept: the exercise that fails (empty for the module itself), and what it says."""

    name: str
    message: str


_process: subprocess.Popen[str] | None = None


def start() -> None:
    """Start the process, if it does not run, and do not wait for it."""
    global _process
    if _process is None or _process.poll() is not None:
        _process = subprocess.Popen(
            [sys.executable, "-m", "autograder.learner.clean"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        atexit.register(stop)


def stop() -> None:
    """End the process."""
    global _process
    if _process is not None:
        _process.kill()
        _process.wait()
        for pipe in (_process.stdin, _process.stdout):
            with contextlib.suppress(OSError):
                pipe and pipe.close()
    _process = None


def try_out(lesson: str, text: str, names: list[str]) -> Problem | None:
    """Execute a module's text in the clean process and check the exercises it holds.

    Args:
        lesson: the lesson's stem.
        text: the module's text.
        names: the exercises that must pass.

    Returns:
        What is wrong with it, or None.
    """
    start()
    assert _process is not None and _process.stdin is not None and _process.stdout is not None
    timer = threading.Timer(SECONDS, _process.kill)
    timer.start()
    try:
        _process.stdin.write(json.dumps({"lesson": lesson, "text": text, "names": names}) + "\n")
        _process.stdin.flush()
        answer = _process.stdout.readline()
    except OSError:
        answer = ""
    finally:
        timer.cancel()
    if not answer:
        stop()
        return Problem("", f"The clean process ended or took longer than {SECONDS:.0f} s.")
    problem = json.loads(answer)
    return Problem(**problem) if problem else None


# The other side ----------------------------------------------------------------------------


def _trial(lesson: str, text: str, names: list[str]) -> Problem | None:
    from autograder import registry
    from autograder.learner.examine import examine

    module = ModuleType(f"my_transformer.{lesson}")
    sys.modules[module.__name__] = module  # dataclasses look their module up
    try:
        exec(compile(text, f"{lesson}.py", "exec"), module.__dict__)
    except BaseException as error:
        return Problem("", f"{type(error).__name__}: {error}"[:300])
    for name in names:
        report = examine(registry.exercise(name), getattr(module, name, None))
        if not report.passed:
            return Problem(name, " ".join(str(report).splitlines()[1:3])[:300])
    return None


def _serve(requests: IO[str], answers: IO[str]) -> None:
    for line in requests:
        request: dict[str, Any] = json.loads(line)
        problem = _trial(**request)
        answers.write(json.dumps(vars(problem) if problem else None) + "\n")
        answers.flush()


def _main() -> None:
    # What the learner's code prints must not reach the pipe that carries the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    import autograder.learner.examine  # noqa: F401  imported before the first request, not during it

    _serve(sys.stdin, answers)


if __name__ == "__main__":
    _main()
