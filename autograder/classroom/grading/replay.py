"""`autograder dispute --replay FILE`: runs a dispute again, on the seeds that it names and on fresh ones."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.classroom.grading.box import Box
from autograder.classroom.grading.grades import Result
from autograder.classroom.grading.one_notebook import Secret, grade_file
from autograder.classroom.grading.outputs import visible
from autograder.classroom.grading.plan import Plan, plan_of
from autograder.notebooks import dispute, files
from autograder.notebooks.problem import Problem
from autograder.probing.exercise import Exercise, Probe
from autograder.sandbox import walls

REFUSAL = (
    "{file} holds somebody else's code, and the sandbox cannot be used here: {why} Nothing was run. Read the code. "
    "Then --trust runs it with your rights."
)


@dataclass(frozen=True)
class NamedSeeds(Secret):
    """The seeds that a dispute names, instead of secret ones."""

    given: Sequence[int] = ()

    def seeds(self, exercise: Exercise, probe: Probe) -> Sequence[int]:
        """The same for all probes, as in practice."""
        return tuple(self.given)


def replay(file: str, *, trust: bool = False) -> int:
    """Run a dispute again and print what was said, what was found then, and what is found now.

    Args:
        file: the dispute; it is untrusted, and runs in the sandbox.
        trust: run it without, with the rights of whoever asks.

    Returns:
        0 when the check says what it said then, 1 when it says something else.

    Raises:
        Problem: when the file is no dispute, or there is no sandbox and nobody said to do without.
    """
    told = dispute.read(Path(file))
    plan = _plan(told)
    why = None if trust else walls.available()
    if why is not None:
        raise Problem(REFUSAL.format(file=file, why=why))
    now, fresh = _run(told, plan, sandboxed=not trust)
    print("\n".join(map(visible, _lines(told, now, fresh))))
    return 0 if _same(told, now) else 1


def _plan(told: dispute.Dispute) -> Plan:
    """The plan of the lesson with this check alone."""
    plan = plan_of(told.lesson)
    name = f"check-{told.exercise}"
    if name not in plan.checks:
        raise Problem(f"{plan.stem} has no exercise {told.exercise!r}.")
    return replace(plan, checks={name: plan.checks[name]})


def _run(told: dispute.Dispute, plan: Plan, *, sandboxed: bool) -> tuple[Result, Result]:
    with tempfile.TemporaryDirectory(prefix="autograder-") as folder:
        path = Path(folder) / f"{plan.stem}.ipynb"
        files.write(path, dispute.as_notebook(told.cells))
        box = Box(plan.lesson, plan.modules, sandboxed=sandboxed)
        try:
            named, fresh = (grade_file(path, plan, box, one) for one in (NamedSeeds(given=told.seeds), Secret()))
        finally:
            box.close()
    return named.results[0], fresh.results[0]


def _same(told: dispute.Dispute, now: Result) -> bool:
    return told.points == now.points and told.mistake == now.mistake


def _lines(told: dispute.Dispute, now: Result, fresh: Result) -> list[str]:
    return [
        f"{told.exercise} ({told.lesson}) is disputed:",
        *(f"  {line}" for line in told.says.splitlines()),
        "",
        f"Then, with the seeds {', '.join(map(str, told.seeds))}: {told.status}.",
        *(f"  {line}" for line in told.report.splitlines()),
        "",
        f"Now, with the same seeds: {now.status}. It says {'the same' if _same(told, now) else 'something else'}.",
        *(f"  {line}" for line in now.text.splitlines()),
        f"With fresh seeds: {fresh.status}, {_points(fresh)}.",
        _versions(told),
    ]


def _points(one: Result) -> str:
    return "not decided" if one.points is None else f"{one.points:g} of {one.max_points:g} points"


def _versions(told: dispute.Dispute) -> str:
    here = dispute.versions()
    pairs = ((name, was, here.get(name, "none")) for name, was in told.versions.items())
    others = [f"{name} {was}, here {now}" for name, was, now in pairs if was != now]
    return f"Other versions then: {'; '.join(others)}." if others else "The versions are the same."
