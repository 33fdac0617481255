"""`make bench`: how long things take, beside what they are compared with. Prints; asserts nothing.

python -m tests.bench
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

from autograder import registry
from autograder.judging.edits import EditsOverlap, mistaken
from autograder.judging.oracle import Oracle, reference
from autograder.learner.examine import examine
from autograder.probing.exercise import Exercise
from tests.bench_modules import modules
from tests.bench_notebooks import notebooks
from tests.bench_translation import translations

ORACLE = Oracle()


def milliseconds(run: Callable[[], Any], times: int = 5) -> float:
    """The median time of a call, after one that does not count."""
    run()
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        taken.append(1000 * (time.perf_counter() - start))
    return statistics.median(taken)


def start_up() -> None:
    """What a notebook waits for before its first report."""
    for label, code in (
        ("python, import torch", "import torch"),
        ("  + autograder", "import torch; from autograder import check"),
        ("  + a first check", f"import torch; from autograder import check; {FIRST}"),
    ):
        print(f"{label:24s}{milliseconds(lambda code=code: _python(code), 3):8.0f} ms")


FIRST = "from autograder.stand_ins.layer_norm import normalize; check(normalize)"


def _python(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)


def checks() -> None:
    """A check of right code, of wrong code, and of code with two mistakes, per exercise."""
    print(f"\n{'check of':32s}{'right':>10s}{'wrong':>10s}{'slowest':>10s}{'two wrong':>11s}   (ms)")
    for exercise in registry.all_exercises():
        if not exercise.repairs:
            print(_row(exercise))


def _row(exercise: Exercise) -> str:
    right = milliseconds(lambda: examine(exercise, reference(exercise)))
    wrong = [
        milliseconds(lambda one=one: examine(exercise, _alone(exercise, [one])), 1) for one in ORACLE.mistakes(exercise)
    ]
    pair = _pair(exercise)
    two = f"{milliseconds(lambda: examine(exercise, pair), 3):11.0f}" if pair else "          -"
    return f"{exercise.name:32s}{right:10.0f}{statistics.median(wrong):10.0f}{max(wrong):10.0f}{two}"


def _alone(exercise: Exercise, mistakes: list[Any]) -> Callable[..., Any]:
    """The reference with mistakes, its helpers out of follow-through's reach."""
    implementation = mistaken(exercise.lesson, exercise.reference, mistakes)
    return lambda *args, **kwargs: implementation(*args, **kwargs)


def _pair(exercise: Exercise) -> Callable[..., Any] | None:
    """The reference with two mistakes that stand late in the list, so that the search is long."""
    known = ORACLE.mistakes(exercise)
    for one, other in ((a, b) for a in reversed(known) for b in reversed(known) if a.name != b.name):
        try:
            return _alone(exercise, [one, other])
        except EditsOverlap:
            continue
    return None


def main() -> None:
    """Print everything."""
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads\n")
    start_up()
    modules()
    translations()
    checks()
    notebooks()


if __name__ == "__main__":
    main()
