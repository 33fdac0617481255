"""Runs code again, to say what one look cannot: whether it keeps or draws something, and whether the fault is its own.

`check` runs it in its own process, trusted grading in a sandbox. How it is run is theirs; what follows stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from autograder.judging.judge import Key, Runs, Verdict, is_blank, judge
from autograder.judging.oracle import Knows
from autograder.probing.exercise import Exercise, Probe
from autograder.probing.outcome import same
from autograder.probing.run import Run

REMEMBERS = (
    "Run again on the same numbers, your code gives another result. It keeps something from call to call: an "
    "attribute, a global name, a list that grows."
)
IS_RANDOM = (
    "With other random numbers from torch your result changes. Something in your code is random where it should not "
    "be: a dropout that is on, or in another place, or with a share of its own, start values that are drawn, or a "
    "layer that is made anew at each call."
)

Again = Callable[[Probe, int, int], Run]
"""Runs a probe once more: which, its seed, and the luck of torch's generator."""

Ask = Callable[[Probe, Collection[str]], Runs]
"""Runs a probe on all its draws with these earlier parts replaced."""


@contextmanager
def lent(values: dict[str, Any], parts: Mapping[str, Any]) -> Iterator[None]:
    """While this is active, these names of a namespace are these parts, whether they were there before or not."""
    before = {name: values[name] for name in parts if name in values}
    values.update(parts)
    try:
        yield
    finally:
        for name in parts:
            values.pop(name, None)
        values.update(before)


def run_all(probes: Sequence[Probe], ask: Callable[[Probe], Runs]) -> Runs:
    """Run one probe after the other, until someone presses stop."""
    runs: dict[Key, Run] = {}
    for probe in probes:
        found = ask(probe)
        runs.update(found)
        if any(run.interrupted for run in found.values()):
            break
    return runs


def wavering(runs: Runs, verdict: Verdict, again: Again) -> list[str]:
    """What to say when the first check that fails gives something else each time."""
    first = verdict.failures[0] if verdict.status == "wrong" and not verdict.mistakes else None
    if first is None or first.got is None or first.difference is None:
        return []
    probe, seed = next(key for key, run in runs.items() if run is first.got)
    for luck, sentence in _TELLING.get(first.difference.kind, ()):
        if not same(first.got.returned, again(probe, seed, luck).returned):
            return [sentence]
    return []


_TELLING: dict[str, tuple[tuple[int, str], ...]] = {
    "value": ((0, REMEMBERS), (1, IS_RANDOM)),
    "shape": ((0, REMEMBERS),),  # what is kept grows; chance seldom changes how much comes back
    "length": ((0, REMEMBERS),),
}
"""By what differs: the luck to run it again with, and what to say if that changes the result."""


@dataclass(frozen=True)
class SecondLook:
    """Looks at an exercise with earlier parts of the notebook replaced by stand-ins.

    Attributes:
        exercise: which.
        oracle: knows what is right, and what each mistake gives.
        parts: names of the earlier parts that can be replaced.
        suspects: those of them that may be at fault; not the ones already found right.
        ask: runs a probe with some parts replaced.
    """

    exercise: Exercise
    oracle: Knows
    parts: Collection[str]
    suspects: Collection[str]
    ask: Ask

    def passes(self, replaced: Collection[str]) -> bool:
        """Whether every probe holds; no more are run than it takes to say no."""
        return all(self._holds(probe, replaced) for probe in self.exercise.probes)

    def excuse(self, verdict: Verdict) -> list[str]:
        """It passes with the parts replaced, so the fault lies there: give it its points, and say so."""
        guilty = self._at_fault()
        verdict.status, verdict.points = "passed", float(self.exercise.points)
        verdict.findings = [
            replace(one, passed=True, difference=None, got=None, right=None) for one in verdict.findings
        ]
        verdict.mistakes, verdict.unexplained = (), []
        return [
            f"`{self.exercise.name}` is right; {_named(guilty)}, which it uses, {_are(guilty)} not. "
            "It was checked with a stand-in in that place."
        ]

    def fault_of_its_own(self, runs: Runs, verdict: Verdict) -> list[str]:
        """Tell what is wrong with it apart from earlier parts that are wrong too: their slips cost points there."""
        guilty = [name for name in self.suspects if self._matters(runs, name)]
        if not guilty:
            return []
        again = run_all(self.exercise.probes, lambda probe: self.ask(probe, self.parts))
        other = judge(self.exercise, again, self.oracle)
        if not (other.points > verdict.points or (other.mistakes and not verdict.mistakes)):
            return []
        verdict.status, verdict.findings = other.status, other.findings
        verdict.points = max(verdict.points, other.points)
        verdict.mistakes, verdict.unexplained = other.mistakes, other.unexplained
        return [
            f"{_named(guilty)}, which it uses, {_are(guilty)} not right either. "
            "What is said here was found with a stand-in in that place."
        ]

    def _at_fault(self) -> Collection[str]:
        """The suspects that break it by themselves; when there is one, or none does, all that there are."""
        if len(self.suspects) == 1:
            return self.suspects
        guilty = [name for name in self.suspects if not self.passes(set(self.parts) - {name})]
        return guilty or self.suspects or self.parts

    def _holds(self, probe: Probe, replaced: Collection[str]) -> bool:
        runs = self.ask(probe, replaced)
        return judge(self.exercise, runs, self.oracle, name_mistakes=False).status == "passed"

    def _matters(self, runs: Runs, name: str) -> bool:
        """Whether anything else comes out with this part replaced."""
        again = (self.ask(probe, {name}) for probe in self.exercise.probes)
        return any(_apart(runs[key], run) for some in again for key, run in some.items())


def _apart(one: Run, other: Run) -> bool:
    """Whether two runs differ; a blank equals nothing, but here it is no other than it was."""
    return not same(one.returned, other.returned) and not (is_blank(one) and is_blank(other))


def _named(names: Collection[str]) -> str:
    return " and ".join(f"`{name}`" for name in sorted(names))


def _are(names: Collection[str]) -> str:
    return "are" if len(names) > 1 else "is"
