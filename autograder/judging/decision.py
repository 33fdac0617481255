"""The one procedure that decides on an implementation: what is right, what explains the rest, what it leans on.

It has two stages, `decide` and `lend`, and asks for runs. A notebook, a terminal and grading differ only in how they
answer: here, or in a sandbox.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from autograder.judging.agreement import agree
from autograder.judging.explaining import Practise
from autograder.judging.judge import Verdict, is_blank, judge
from autograder.judging.oracle import Knows
from autograder.probing.draws import PRACTICE
from autograder.probing.exercise import Exercise, Probe
from autograder.probing.outcome import same
from autograder.probing.run import Key, Run, Runs

REMEMBERS = (
    "Run again on the same numbers, your code gives another result. It keeps something from call to call (an "
    "attribute, a global name, a list that grows), or depends on something that no seed sets, such as the time."
)
IS_RANDOM = (
    "With other random numbers your result changes. Something in your code is random where it should not be: a dropout "
    "that is on, or in another place, or with a share of its own, start values that are drawn, a layer that is made "
    "anew at each call, or numbers that come from elsewhere than the generator that was given."
)
CHANCE_DECIDES = (
    "With other random numbers your probe says something else of this implementation, so chance decides. Write by hand "
    "what a fault needs to show (a certain id, rows of several lengths), draw more numbers, or allow for more of what "
    "chance does."
)

_TELLING: dict[str, tuple[tuple[int, str], ...]] = {
    "value": ((0, REMEMBERS), (1, IS_RANDOM)),
    "shape": ((0, REMEMBERS),),  # what is kept grows; chance seldom changes how much comes back
    "length": ((0, REMEMBERS),),
}
"""By what differs: the luck to run it again with, and what to say if that changes the result."""


class Ask(Protocol):
    """Has a probe of the exercise run on all its draws."""

    def __call__(self, probe: Probe, *, luck: int = 0, replaced: Collection[str] = (), practice: bool = False) -> Runs:
        """What came of it.

        Args:
            probe: which one.
            luck: another one gives the implementation other random numbers; the draws are the same.
            replaced: names of earlier parts in whose place stand-ins are.
            practice: on the draws of practice, instead of those that count.
        """


@dataclass(frozen=True)
class Decision:
    """What is to be said of an implementation.

    Attributes:
        verdict: the judge's.
        runs: what that rests on.
        notes: what else there is to say.
    """

    verdict: Verdict
    runs: Runs
    notes: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether an earlier part may be to blame."""
        return self.verdict.status in ("wrong", "blank", "shortcut")


def run_all(probes: Sequence[Probe], ask: Callable[[Probe], Runs]) -> Runs:
    """Run one probe after the other, until someone presses stop."""
    runs: dict[Key, Run] = {}
    for probe in probes:
        found = ask(probe)
        runs.update(found)
        if any(run.interrupted for run in found.values()):
            break
    return runs


def decide(exercise: Exercise, runs: Runs, oracle: Knows, ask: Ask) -> Decision:
    """The first stage: judge an implementation as it is.

    Args:
        exercise: what was to be implemented.
        runs: what came of its probes.
        oracle: knows what is right, and what each mistake gives.
        ask: runs a probe once more.
    """
    verdict = judge(exercise, runs, oracle, practise=_practise(runs, ask))
    return Decision(verdict, runs, _wavering(verdict, runs, ask))


def _practise(runs: Runs, ask: Ask) -> Practise | None:
    """Has a probe run on the draws of practice; None where some of the runs are on these."""
    if any(seed in PRACTICE for _, seed in runs):
        return None
    return lambda probe: ask(probe, practice=True)


def _wavering(verdict: Verdict, runs: Runs, ask: Ask) -> tuple[str, ...]:
    """What to say when no mistake explains the first check that fails, and it gives something else each time."""
    first = verdict.failures[0] if verdict.status == "wrong" and not verdict.mistakes else None
    if first is None or first.got is None or first.difference is None:
        return ()
    key = next(key for key, run in runs.items() if run is first.got)
    for luck, sentence in _TELLING.get(first.difference.kind, ()):
        if luck and verdict.exercise.draws:
            return ()  # random is what it should be
        again = ask(key[0], luck=luck).get(key)
        if again is not None and not again.interrupted and not same(first.got.returned, again.returned):
            return (_what_it_is(verdict.exercise, sentence),)
    return ()


def _what_it_is(exercise: Exercise, sentence: str) -> str:
    if sentence is REMEMBERS and exercise.memory:
        return f"{sentence} Most often in this exercise: {exercise.memory}"
    return CHANCE_DECIDES if sentence is IS_RANDOM and exercise.shows else sentence


# Follow-through ----------------------------------------------------------------------------


def lend(decision: Decision, parts: Sequence[str], oracle: Knows, ask: Ask) -> Decision:
    """The second stage: judge an implementation that failed once more, with earlier parts put right.

    If it passes, the fault lies there: it gets its points, and of the first stage nothing is said. If it comes further,
    or only then its mistake has a name, or one explains what took two, that is told, as slips in earlier parts cost
    points there and not here.

    Args:
        decision: the first stage's.
        parts: the earlier parts that may be replaced, in the order of the plan.
        oracle: knows what is right, and what each mistake gives.
        ask: runs a probe with some of them replaced.
    """
    if not decision.failed or not parts:
        return decision
    exercise = decision.verdict.exercise
    with_parts = partial(ask, replaced=parts)
    runs = run_all(exercise.probes, with_parts)
    stopped = any(run.interrupted for run in runs.values())
    if stopped or all(_alike(decision.runs[key], run) for key, run in runs.items() if key in decision.runs):
        return decision
    other = decide(exercise, runs, oracle, with_parts)
    if other.verdict.status == "passed":
        return replace(other, notes=(_excuse(exercise, _at_fault(other, parts, ask)),))
    if not _comes_further(other.verdict, decision.verdict):
        return decision
    other.verdict.points = max(other.verdict.points, decision.verdict.points)
    return replace(other, notes=(_beside(_at_fault(other, parts, ask)), *other.notes))


def _comes_further(other: Verdict, verdict: Verdict) -> bool:
    if other.points > verdict.points or (other.mistakes and not verdict.mistakes):
        return True
    return 0 < len(other.mistakes) < len(verdict.mistakes) and not other.unexplained


def _at_fault(decision: Decision, parts: Sequence[str], ask: Ask) -> Sequence[str]:
    """The parts that have to be replaced for this outcome; of several that would do, the earliest.

    What is right and only built on a wrong part is not named: with that one replaced, it needs no replacing.
    """
    guilty = list(parts)
    for name in reversed(parts):
        fewer = [one for one in guilty if one != name]
        if fewer and _makes_no_difference(fewer, decision, ask):
            guilty = fewer
    return guilty


def _makes_no_difference(replaced: Sequence[str], decision: Decision, ask: Ask) -> bool:
    again = (ask(probe, replaced=replaced) for probe in decision.verdict.exercise.probes)
    return all(_alike(decision.runs[key], run) for some in again for key, run in some.items())


def _alike(one: Run, other: Run) -> bool:
    """Whether two runs show the same; a blank equals nothing, but here it is no other than it was."""
    if is_blank(one) or is_blank(other):
        return is_blank(one) and is_blank(other)
    return agree(one, other)


def _excuse(exercise: Exercise, guilty: Sequence[str]) -> str:
    return (
        f"`{exercise.name}` is right; {_named(guilty)}, which it uses, {_are(guilty)} not. "
        "It was checked with a stand-in in that place."
    )


def _beside(guilty: Sequence[str]) -> str:
    return (
        f"{_named(guilty)}, which it uses, {_are(guilty)} not right either. "
        "What is said here was found with a stand-in in that place."
    )


def _named(names: Sequence[str]) -> str:
    return " and ".join(f"`{name}`" for name in sorted(names))


def _are(names: Sequence[str]) -> str:
    return "are" if len(names) > 1 else "is"
