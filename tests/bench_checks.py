"""What a learner waits for: the processor time of a check, for every exercise, beside its limit.

Every exercise has a fresh process, which has nothing kept on disk but what ships. Nothing is saved: the code is no
notebook's. The first check of a kernel takes longest where nothing explains the code: it is put together from what the
first check of right code takes beyond a later one, and the first that finds nothing.

What else a machine does adds to processor time and never takes from it. So rows beyond a limit are measured again at
the end, `AGAIN` times at most, and the least of each column counts. The last column tells how fast the machine was
meanwhile: the seconds of a piece of work that is always the same.

python -m tests.bench_checks [EXERCISE...]
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterable
from importlib import import_module

from autograder import registry

LIMITS = {"first": 1.5, "right": 0.25, "named": 0.4, "nothing": 0.7}
"""Seconds of processor time on a quiet machine: a kernel's first check, right code, a named mistake, nothing found."""

TRIED = 8
"""How many named mistakes, and how many that nothing explains, are tried for an exercise."""

AGAIN = 3

PACE = "this machine"

Row = dict[str, float]


def table(names: Iterable[str] = ()) -> None:
    """Print a row for every exercise, and the worst of each column at the end."""
    chosen = set(names)
    exercises = [one for one in registry.all_exercises() if not one.repairs and (not chosen or one.name in chosen)]
    print(f"\n{'check of (s of processor)':32s}" + "".join(f"{name:>10s}" for name in LIMITS) + f"{PACE:>14s}")
    rows = {one.name: _shown(one.name, _measured(one.name)) for one in exercises}
    for _ in range(AGAIN):
        beyond = [name for name, row in rows.items() if _beyond(row)]
        rows |= {name: _shown(name, _least(rows[name], _measured(name)), "again") for name in beyond}
    print(_line("the limit", LIMITS))
    paces = [row[PACE] for row in rows.values()]
    print(f"{PACE}: {min(paces):.3f} to {max(paces):.3f} s for the same piece of work")
    for column, limit in LIMITS.items():
        worst = max(rows, key=lambda name: rows[name][column])
        over = ", ".join(name for name, row in rows.items() if row[column] > limit)
        print(f"{column:>10s}: at most {rows[worst][column]:.2f}, for {worst}; over {limit:g}: {over or 'none'}")


def _beyond(row: Row) -> bool:
    return any(row[column] > limit for column, limit in LIMITS.items())


def _least(one: Row, other: Row) -> Row:
    return {column: min(one[column], other[column]) for column in one}


def _shown(name: str, row: Row, note: str = "") -> Row:
    print(_line(name, row), f"{row[PACE]:13.3f}", note, flush=True)
    return row


def _line(name: str, row: Row) -> str:
    return f"{name:32s}" + "".join(f"{row[column]:10.2f}" for column in LIMITS)


def _measured(name: str) -> Row:
    command = [sys.executable, "-m", "tests.bench_checks", "--measure", name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    row: Row = json.loads(done.stdout.splitlines()[-1])
    return row


# In the fresh process ----------------------------------------------------------------------------


def _measure(name: str) -> Row:
    import torch

    torch.set_num_threads(1)
    from autograder import check
    from autograder.judging.oracle import reference

    def seconds(implementation: object) -> float:
        start = time.process_time()
        check(implementation, exercise=name)
        return time.process_time() - start

    right = reference(registry.exercise(name))
    first, later = seconds(right), [seconds(right), seconds(right)]
    from tests.variants import variants  # now, as it imports what a first check may have to import

    import_module("scipy.stats")  # what a program imports that is tried is none of the check's time

    unlisted = [one.implementation for one in variants("unlisted") if one.exercise == name]
    named = [one.implementation for one in variants("disguise") if one.exercise == name and "+" not in one.mistake]
    nothing = seconds(unlisted[0])
    return {
        "first": first - min(later) + nothing,
        "right": max(later),
        "named": max(map(seconds, _some(named))),
        "nothing": max(map(seconds, _some(unlisted))),
        PACE: min(_same_work() for _ in range(5)),
    }


def _same_work() -> float:
    """Seconds of what a check does most: small layers made and called."""
    import torch

    start = time.process_time()
    for _ in range(200):
        torch.nn.Linear(8, 8)(torch.ones(4, 8)).softmax(-1).sum().backward()
    return time.process_time() - start


def _some(implementations: list) -> list:
    return implementations[:: max(1, len(implementations) // TRIED)]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(_measure(sys.argv[2])))
    else:
        table(sys.argv[1:])
