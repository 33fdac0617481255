"""Asks the sandbox for the probes of one exercise, in which it is decided on out here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from autograder.classroom.grading.bounds import bounded
from autograder.classroom.grading.box import Answer, Submission
from autograder.classroom.grading.hidden import only_truth
from autograder.classroom.grading.loans import loan
from autograder.judging.decision import Decision, decide, run_all
from autograder.judging.judge import is_blank
from autograder.judging.oracle import Oracle
from autograder.probing.draws import PRACTICE
from autograder.probing.exercise import Exercise, Probe
from autograder.probing.outcome import STOPPED, Foreign, Raised, difference
from autograder.probing.records import run_of
from autograder.probing.run import Key, Run, captured, enough
from autograder.sandbox.excerpt import excerpt, partners
from autograder.sandbox.inside.channel import BadMessage
from autograder.sandbox.inside.limits import Limits

Seeds = Callable[[Exercise, Probe], Sequence[int]]
"""The seeds of a probe's draws: secret until its turn comes."""

Runs = dict[Key, Run]

LOST = dict(zip(("timeout", "killed"), STOPPED, strict=True))
"""What a probe's outcome is called when the process that ran it did not come back."""

ORACLE = Oracle()


class Asker:
    """Has the probes of an exercise run in a sandbox. One that does not come back has that for its outcome.

    Args:
        exercise: which.
        submission: the line into the sandbox.
        seeds: gives the draws of a probe.
        limits: how long things may take.

    Attributes:
        printed: what the code printed in all that was asked.
    """

    def __init__(self, exercise: Exercise, submission: Submission, seeds: Seeds, limits: Limits) -> None:
        self.exercise = exercise
        self.submission = submission
        self.seeds = seeds
        self.limits = limits
        self.printed = ""
        self._began = submission.spent
        names = partners(exercise)
        self._partners = excerpt(exercise.lesson, names) if names else ""

    def __call__(self, probe: Probe, *, luck: int = 0, replaced: Collection[str] = (), practice: bool = False) -> Runs:
        """Ask for a probe on all its draws: the first alone is watched, and torch may take another way then."""
        seeds = enough(probe, PRACTICE if practice else self.seeds(self.exercise, probe))
        job = {
            "do": "probe",
            "exercise": self.exercise.name,
            "name": self.exercise.name,
            "probe": probe.name,
            "seeds": list(seeds),
            "settled": [list(ORACLE.right(self.exercise, probe, seed).settled) for seed in seeds],
            "luck": luck,
            "loans": {name: list(loan(name)) for name in replaced},
            "partners": self._partners,
            "hidden": probe.hidden,
        }
        answer = self.submission.ask(job, self._seconds(), follows=True)
        if answer.status == "answered":
            try:
                with self.submission.taking_in():
                    return self._taken_down(answer, probe, seeds)
            except BadMessage as error:
                answer = replace(answer, status="killed", words=f"what came out was no outcome: {error}")
        kind = (LOST.get(answer.status, "Killed"), "BaseException")
        return {(probe, seed): Run(Raised(kind, answer.words)) for seed in seeds}

    def _seconds(self) -> float:
        """What a probe may take: its own time, or what is left of the exercise's."""
        left = self.limits.exercise - (self.submission.spent - self._began)
        return max(min(self.limits.probe, left), 0.2)

    def _taken_down(self, answer: Answer, probe: Probe, seeds: Sequence[int]) -> Runs:
        runs = [run_of(one) for one in _field(answer.value, "runs", list)]
        if self.exercise.shows:
            runs = [only_truth(one) for one in runs]
        if len(runs) != len(seeds):
            raise BadMessage(f"{len(runs)} outcomes for {len(seeds)} draws")
        if not self.exercise.shows:
            self.printed = (self.printed + _field(answer.value, "printed", str))[:4000]
        found = {(probe, seed): run for seed, run in zip(seeds, runs, strict=True)}
        self._make_comparable(found)
        return found

    def _make_comparable(self, runs: Runs) -> None:
        """Replace outcomes that are crafted so that comparing them fails, or takes long."""
        for (probe, seed), run in runs.items():
            right = ORACLE.right(self.exercise, probe, seed)
            try:
                difference(right.returned, bounded(right, run).returned)
            except Exception:
                run.returned = Foreign("something that cannot be compared")


def decided(ask: Asker, *, as_handed_out: bool = False) -> tuple[Decision, str]:
    """What is decided on an exercise without loans, and what its code printed.

    Args:
        ask: asks for its probes.
        as_handed_out: its cell still is the blank, so one probe tells enough when it finds the blank as well.
    """
    probes = ask.exercise.probes
    runs = run_all(probes[:1], ask) if as_handed_out else {}
    if not runs or not all(is_blank(run) for run in runs.values()):
        ask.printed = ""
        runs = run_all(probes, ask)
    printed = ask.printed
    with captured():  # wrong variants of the reference may warn
        return decide(ask.exercise, runs, ORACLE, ask), printed


def _field(value: Any, name: str, kind: type) -> Any:
    found = value.get(name) if type(value) is dict else None
    if type(found) is not kind:
        raise BadMessage(f"no {name}")
    return found
