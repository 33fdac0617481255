"""Compares what the learner's code computed with what is right: points, findings, and what explains them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograder.judging.agreement import leaves_inputs, same_parameters
from autograder.judging.explaining import Practise, explain
from autograder.judging.oracle import Knows
from autograder.probing.exercise import CREDIT_RUNGS, RUNGS, Exercise, Probe
from autograder.probing.mistake import Mistake
from autograder.probing.outcome import Difference, Raised, difference
from autograder.probing.run import Key, Run, Runs


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at, over all draws.

    Attributes:
        says: what a right implementation does.
        name: the probe's name, or "parameters" or "inputs" for what every probe shows.
        rung: where on the ladder a failure is shown.
        credit: whether it carries points.
        passed: whether it held on all draws.
        difference: the first difference that was found.
        got, right: the learner's run in which it was found, and the reference's.
        elsewhere: outcomes on other draws that differ too, the reference's and the learner's.
        faulty: whether the reference says True: of a wrong implementation, where a probe was handed in.
    """

    says: str
    name: str
    rung: str
    credit: bool
    passed: bool
    difference: Difference | None = None
    got: Run | None = None
    right: Run | None = None
    elsewhere: tuple[tuple[Any, Any], ...] = ()
    faulty: bool = False


@dataclass
class Verdict:
    """What the judge found.

    Attributes:
        exercise: what was judged.
        status: "passed", "wrong", "blank", "shortcut" or "interrupted".
        points: earned points.
        findings: all that was looked at, the ladder's order.
        mistakes: the mistakes that explain the outcome; empty when nothing does.
        unexplained: findings that failed and that the mistakes do not explain.
        forbidden: forbidden calls that were seen.
        draws: on how many draws every probe ran.
    """

    exercise: Exercise
    status: str
    points: float
    findings: list[Finding]
    mistakes: tuple[Mistake, ...] = ()
    unexplained: list[Finding] = field(default_factory=list)
    forbidden: list[str] = field(default_factory=list)
    draws: int = 0

    @property
    def failures(self) -> list[Finding]:
        """The findings that failed, first rung first."""
        return [finding for finding in self.findings if not finding.passed]


def judge(
    exercise: Exercise, runs: Runs, oracle: Knows, *, name_mistakes: bool = True, practise: Practise | None = None
) -> Verdict:
    """Decide on an implementation by what it computed.

    Args:
        exercise: what was to be implemented.
        runs: what came of every probe on every draw.
        oracle: knows what is right, and what each mistake gives.
        name_mistakes: look for the mistakes that explain what went wrong.
        practise: has a probe run on the draws of practice, where the runs are on others: what each mistake gives there
            is stored.

    Returns:
        The verdict, with the smallest set of mistakes that explains what went wrong.
    """
    right = {(probe, seed): oracle.right(exercise, probe, seed) for probe, seed in runs}
    findings = sorted(_findings(exercise, runs, right), key=lambda one: RUNGS.index(one.rung))
    forbidden = list(dict.fromkeys(name for run in runs.values() for name in run.forbidden))
    status = _status(runs, findings, forbidden)
    verdict = Verdict(exercise, status, 0.0, findings, forbidden=forbidden)
    verdict.draws = max(Counter(probe for probe, _ in runs).values(), default=0)
    verdict.points = 0.0 if status in ("blank", "shortcut", "interrupted") else _points(exercise, findings)
    if status == "wrong" and name_mistakes:
        found = explain(exercise, runs, right, oracle, practise)
        verdict.mistakes = found.mistakes
        verdict.unexplained = [finding for finding in verdict.failures if finding.name in found.apart]
    return verdict


def _status(runs: Runs, findings: Sequence[Finding], forbidden: Sequence[str]) -> str:
    if any(run.interrupted for run in runs.values()):
        return "interrupted"
    if all(is_blank(run) for run in runs.values()):
        return "blank"
    if forbidden:
        return "shortcut"
    return "passed" if all(finding.passed for finding in findings) else "wrong"


def is_blank(run: Run) -> bool:
    """Whether a run came to the NotImplementedError of an exercise that is not written yet."""
    got = run.returned
    return isinstance(got, Raised) and got.kind == "NotImplementedError" and not _is_torchs(got.message)


def _is_torchs(message: str) -> bool:
    """torch raises NotImplementedError too: for a module without `forward`, and for `x^3` ("bitwise_xor")."""
    return message.startswith("Module [") or "not implemented for" in message


def _points(exercise: Exercise, findings: Sequence[Finding]) -> float:
    """The share of credit that held, rounded down to half a point."""
    if all(finding.passed for finding in findings):
        return float(exercise.points)
    credit = [finding.passed for finding in findings if finding.credit]
    if (exercise.starts_wrong and not exercise.hunt) or not credit:
        return 0.0
    share = _told_apart(findings) if exercise.shows else sum(credit) / len(credit)
    return min(int(2 * exercise.points * share) / 2, exercise.points - 0.5)


def _told_apart(findings: Sequence[Finding]) -> float:
    """The share of the wrong that a learner's probe accuses, less that of the right: 0 for whoever accuses all."""
    tried = [finding for finding in findings if finding.credit]
    wrong = [finding.passed for finding in tried if finding.faulty]
    right = [finding.passed for finding in tried if not finding.faulty]
    shares = [sum(some) / len(some) if some else 0.0 for some in (wrong, right)]
    return max(0.0, sum(shares) - 1)


# Findings ----------------------------------------------------------------------------


def _findings(exercise: Exercise, runs: Runs, right: Runs) -> Iterator[Finding]:
    for probe in exercise.probes:
        keys = [key for key in runs if key[0] == probe]
        if keys:  # none when the learner stopped the check before its turn
            yield _judge_probe(probe, keys, runs, right)
    if any(run.signatures for run in right.values()):
        yield _shared("parameters", "has the parameters it should have", runs, right)
    yield _shared("inputs", "leaves its inputs as they were", runs, right)


def _judge_probe(probe: Probe, keys: Sequence[Key], runs: Runs, right: Runs) -> Finding:
    credit, faulty = probe.rung in CREDIT_RUNGS, right[keys[0]].returned is True
    keys = sorted(keys, key=lambda key: not runs[key].interrupted)
    found = {key: gap for key in keys if (gap := difference(right[key].returned, runs[key].returned))}
    if not found:
        return Finding(probe.says, probe.name, probe.rung, credit, True, faulty=faulty)
    first, *others = found
    form = found[first].kind != "value" and probe.rung == "values"
    rung = "type" if form else probe.rung
    elsewhere = tuple((right[key].returned, runs[key].returned) for key in others)
    return Finding(
        probe.says, probe.name, rung, credit, False, found[first], runs[first], right[first], elsewhere, faulty
    )


def _shared(name: str, says: str, runs: Runs, right: Runs) -> Finding:
    """A finding that every probe contributes to."""
    agrees = same_parameters if name == "parameters" else leaves_inputs
    rung = "parameters" if name == "parameters" else "invariants"
    for key, run in runs.items():
        if not agrees(right[key], run):
            return Finding(says, name, rung, False, False, None, run, right[key])
    return Finding(says, name, rung, False, True)
