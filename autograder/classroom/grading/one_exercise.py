"""Decides on one exercise of a submission: asks the sandbox for outcomes, and compares them out here.

The report is the one that `check` gives; where that one runs code again (other luck, earlier parts replaced), the
sandbox is asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from autograder import registry
from autograder.classroom.grading.box import Answer, Submission
from autograder.classroom.grading.loans import Loan, loan
from autograder.judging.judge import Key, Verdict, is_blank, judge
from autograder.judging.oracle import Oracle
from autograder.judging.second_look import SecondLook, wavering
from autograder.probing.exercise import Exercise, Probe
from autograder.probing.outcome import STOPPED, Foreign, Raised, difference
from autograder.probing.records import run_of
from autograder.probing.run import Run, captured
from autograder.reporting.report import Report
from autograder.sandbox.excerpt import excerpt, partners
from autograder.sandbox.inside.channel import BadMessage
from autograder.sandbox.inside.limits import Limits

Seeds = Callable[[Exercise, Probe], Sequence[int]]
"""The seeds of a probe's draws: secret until its turn comes."""

Runs = dict[Key, Run]

LOST = dict(zip(("timeout", "killed"), STOPPED, strict=True))
"""What a probe's outcome is called when the process that ran it did not come back."""


@dataclass
class Asked:
    """What came back for an exercise.

    Attributes:
        runs: the outcomes.
        printed: what the code printed meanwhile.
        lost: the answers that did not come.
    """

    runs: Runs = field(default_factory=dict)
    printed: str = ""
    lost: list[Answer] = field(default_factory=list)


@dataclass
class Decision:
    """A report, and what became of the processes that it rests on."""

    report: Report
    lost: list[Answer] = field(default_factory=list)


class Decider:
    """Decides on one exercise.

    Args:
        exercise: which.
        submission: the line into the sandbox.
        seeds: gives the draws of a probe.
        limits: how long things may take.
        decided: the exercises decided on before, and whether they are right; only their stand-ins may be lent.

    Attributes:
        withheld: an earlier part that is wrong could not be replaced, as its answer is one to an exercise to come, too.
    """

    def __init__(
        self, exercise: Exercise, submission: Submission, seeds: Seeds, limits: Limits, decided: Mapping[str, bool]
    ) -> None:
        self.exercise = exercise
        self.submission = submission
        self.seeds = seeds
        self.limits = limits
        self.decided = decided
        self.oracle = Oracle()
        self.withheld = False
        self._began = submission.spent
        names = partners(exercise)
        self._partners = excerpt(exercise.lesson, names) if names else ""

    def decide(self, same_home: Sequence[str], *, as_handed_out: bool = False) -> Decision:
        """Ask, compare, and say what came of it.

        Args:
            same_home: names of other exercises that the notebook defines beside this one.
            as_handed_out: its cell still is the blank, so one probe tells enough when it finds the blank as well.
        """
        asked = Asked()
        if as_handed_out:
            self._ask(self.exercise.probes[0], self._seeds_of(0), {}, asked, self.limits.probe)
        if as_handed_out and all(is_blank(run) for run in asked.runs.values()):
            same_home = ()
        else:
            asked = self._ask_all({})
        with captured():  # wrong variants of the reference may warn
            verdict, notes = self._judged(asked.runs, self._loans(same_home))
        report = Report(
            self.exercise.name,
            verdict.status,
            verdict.points,
            self.exercise.points,
            verdict,
            printed=asked.printed,
            notes=notes,
        )
        return Decision(report, asked.lost)

    # Asking ------------------------------------------------------------------------

    def _seeds_of(self, number: int) -> Sequence[int]:
        return self.seeds(self.exercise, self.exercise.probes[number])

    def _ask_all(self, loans: Mapping[str, Loan]) -> Asked:
        asked = Asked()
        for probe in self.exercise.probes:
            self._ask(probe, self.seeds(self.exercise, probe), loans, asked, self._seconds())
        return asked

    def _seconds(self) -> float:
        """What a probe may take: its own time, or what is left of the exercise's."""
        left = self.limits.exercise - (self.submission.spent - self._began)
        return max(min(self.limits.probe, left), 0.2)

    def _ask(
        self,
        probe: Probe,
        seeds: Sequence[int],
        loans: Mapping[str, Loan],
        asked: Asked,
        seconds: float,
        luck: int = 0,
    ) -> None:
        """Ask for one probe with all its draws; where nothing comes back, that is the outcome."""
        job = {
            "do": "probe",
            "exercise": self.exercise.name,
            "name": self.exercise.name,
            "probe": probe.name,
            "seeds": list(seeds),
            "settled": [list(self.oracle.right(self.exercise, probe, seed).settled) for seed in seeds],
            "luck": luck,
            "loans": {name: list(one) for name, one in loans.items()},
            "partners": self._partners,
        }
        answer = self.submission.ask(job, seconds, follows=True)
        if answer.status == "answered":
            answer = self._take_down(answer, probe, seeds, asked)
        if answer.status != "answered":
            asked.lost.append(answer)
            kind = (LOST.get(answer.status, "Killed"), "BaseException")
            asked.runs.update({(probe, seed): Run(Raised(kind, answer.words)) for seed in seeds})

    def _take_down(self, answer: Answer, probe: Probe, seeds: Sequence[int], asked: Asked) -> Answer:
        try:
            runs = [run_of(one) for one in _field(answer.value, "runs", list)]
            if len(runs) != len(seeds):
                raise BadMessage(f"{len(runs)} outcomes for {len(seeds)} draws")
            asked.printed = (asked.printed + _field(answer.value, "printed", str))[:4000]
        except BadMessage as error:
            return replace(answer, status="killed", words=f"what came out was no outcome: {error}")
        found = {(probe, seed): run for seed, run in zip(seeds, runs, strict=True)}
        self._make_comparable(found)
        asked.runs.update(found)
        return answer

    def _make_comparable(self, runs: Runs) -> None:
        """Replace outcomes that are crafted so that comparing them fails."""
        for (probe, seed), run in runs.items():
            try:
                difference(self.oracle.right(self.exercise, probe, seed).returned, run.returned)
            except Exception:
                run.returned = Foreign("something that cannot be compared")

    # Running again -----------------------------------------------------------------

    def _again(self, probe: Probe, seed: int, luck: int) -> Run:
        asked = Asked()
        # All of them: the first alone is watched, and torch may take another way under a watch.
        self._ask(probe, self.seeds(self.exercise, probe), {}, asked, self._seconds(), luck)
        return asked.runs[probe, seed]

    def _loans(self, same_home: Sequence[str]) -> dict[str, Loan]:
        """The earlier parts that may be replaced, with what takes their place."""
        found: dict[str, Loan] = {}
        for one in registry.exercises(self.exercise.lesson):
            other = one.name in same_home and one.name in self.decided and one.reference != self.exercise.reference
            lent = loan(one, self.decided) if other else None
            if lent is not None:
                found[one.name] = lent
            elif other and not self.decided[one.name]:
                self.withheld = True
        return found

    def _judged(self, runs: Runs, loans: dict[str, Loan]) -> tuple[Verdict, list[str]]:
        """The verdict, and what else is to be said. Mistakes are looked for last, as that takes longest."""
        verdict = judge(self.exercise, runs, self.oracle, name_mistakes=False)
        wrong = [name for name in loans if not self.decided[name]]
        look = SecondLook(
            self.exercise, self.oracle, loans, wrong, lambda probe, names: self._ask_one(probe, names, loans)
        )
        at_fault = bool(loans) and verdict.status in ("wrong", "blank")
        if at_fault and look.passes(look.parts):
            return verdict, look.excuse(verdict)
        if verdict.status == "wrong":
            verdict = judge(self.exercise, runs, self.oracle)
        notes = wavering(runs, verdict, self._again)
        return verdict, notes + (look.fault_of_its_own(runs, verdict) if at_fault else [])

    def _ask_one(self, probe: Probe, replaced: Collection[str], loans: Mapping[str, Loan]) -> Runs:
        asked = Asked()
        lent = {name: loans[name] for name in replaced}
        self._ask(probe, self.seeds(self.exercise, probe), lent, asked, self._seconds())
        return asked.runs


def _field(value: Any, name: str, kind: type) -> Any:
    found = value.get(name) if type(value) is dict else None
    if type(found) is not kind:
        raise BadMessage(f"no {name}")
    return found
