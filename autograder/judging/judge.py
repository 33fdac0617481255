"""Compares what the learner's code computed with what is right, and finds the mistake that explains it."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from autograder.judging.agreement import agree, same_inputs, same_parameters
from autograder.judging.edits import EditsOverlap
from autograder.judging.oracle import Knows
from autograder.judging.table import SHARED, Spot
from autograder.probing.exercise import CREDIT_RUNGS, RUNGS, Exercise, Probe
from autograder.probing.mistake import Mistake
from autograder.probing.outcome import Difference, Raised, difference, leaves, mismatch, same
from autograder.probing.run import Run

PAIRS, PAIR_SECONDS = 8, 0.28
"""How many pairs of mistakes are tried at least, and for how long: processor time, as machines are shared."""

Key = tuple[Probe, int]
"""One run: a probe and the seed of its draws."""

Runs = Mapping[Key, Run]
_Pair = tuple[Mistake, ...]


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


def judge(exercise: Exercise, runs: Runs, oracle: Knows, *, name_mistakes: bool = True) -> Verdict:
    """Decide on an implementation by what it computed.

    Args:
        exercise: what was to be implemented.
        runs: what came of every probe on every draw.
        oracle: knows what is right, and what each mistake gives.
        name_mistakes: look for the mistakes that explain what went wrong.

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
        verdict.mistakes = explain(exercise, runs, right, oracle)
        verdict.unexplained = _unexplained(verdict, runs, oracle)
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
    if exercise.repairs or not credit:
        return 0.0
    share = sum(credit) / len(credit)
    return min(int(2 * exercise.points * share) / 2, exercise.points - 0.5)


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
    credit = probe.rung in CREDIT_RUNGS
    keys = sorted(keys, key=lambda key: not runs[key].interrupted)
    found = {key: gap for key in keys if (gap := difference(right[key].returned, runs[key].returned))}
    if not found:
        return Finding(probe.says, probe.name, probe.rung, credit, True)
    first, *others = found
    form = found[first].kind != "value" and probe.rung == "values"
    rung = "type" if form else probe.rung
    elsewhere = tuple((right[key].returned, runs[key].returned) for key in others)
    return Finding(probe.says, probe.name, rung, credit, False, found[first], runs[first], right[first], elsewhere)


def _shared(name: str, says: str, runs: Runs, right: Runs) -> Finding:
    """A finding that every probe contributes to."""
    agrees = same_parameters if name == "parameters" else same_inputs
    rung = "parameters" if name == "parameters" else "invariants"
    for key, run in runs.items():
        if not agrees(right[key], run):
            return Finding(says, name, rung, False, False, None, run, right[key])
    return Finding(says, name, rung, False, True)


# Explanations ----------------------------------------------------------------------------


def explain(exercise: Exercise, runs: Runs, right: Runs, oracle: Knows) -> tuple[Mistake, ...]:
    """The smallest set of mistakes, one or two, with which the reference computes what the learner's code did.

    First single mistakes that agree with every run, then pairs, then single mistakes that agree with all values
    and gradients but not with every edge case.
    """
    if all(isinstance(run.returned, Raised) for run in runs.values()):
        return ()
    order = sorted(runs, key=lambda key: _telling(key, runs, right))
    single = _single(exercise, order, runs, oracle)
    if single or _only_raises(runs, right) or _builds_its_own(exercise, order[0], runs, right, oracle):
        return single
    pairs = _for_a_while(_likely_first(exercise, runs, oracle))
    both = next((pair for pair in pairs if _explains(exercise, pair, order, runs, oracle)), ())
    if both:
        return both
    core = [key for key in order if key[0].rung in ("values", "gradients")]
    evident = any(_is_evidence(right[key], runs[key]) for key in core)
    return _single(exercise, core, runs, oracle) if evident else ()


def _single(exercise: Exercise, keys: Sequence[Key], runs: Runs, oracle: Knows) -> tuple[Mistake, ...]:
    """The first mistake that agrees with these runs; the first of them rules out most."""
    agreeing = oracle.table(exercise, *keys[0]).agreeing(runs[keys[0]])
    likely = itertools.compress(oracle.mistakes(exercise), agreeing)
    return next(((one,) for one in likely if _explains(exercise, (one,), keys[1:], runs, oracle)), ())


def _explains(exercise: Exercise, candidate: Sequence[Mistake], keys: Sequence[Key], runs: Runs, oracle: Knows) -> bool:
    try:
        return all(agree(oracle.wrong(exercise, candidate, probe, seed), runs[probe, seed]) for probe, seed in keys)
    except EditsOverlap:
        return False


def _only_raises(runs: Runs, right: Runs) -> bool:
    """Whether all that is wrong are exceptions: with two mistakes to choose from, almost any can be had."""
    wrong = [run.returned for key, run in runs.items() if not agree(right[key], run)]
    return bool(wrong) and all(isinstance(one, Raised) for one in wrong)


def _builds_its_own(exercise: Exercise, key: Key, runs: Runs, right: Runs, oracle: Knows) -> bool:
    """Whether parameters are missing or new in which no mistake departs from the reference.

    Then no pair departs there either, and the time to try every mistake on every probe is better saved.
    """
    if not runs[key].signatures:  # it raised before it had any
        return False
    apart = _names(right[key]) ^ _names(runs[key])
    told = (_names(right[key]) ^ _names(wrong) for wrong in oracle.table(exercise, *key).runs)
    return bool(apart) and not apart <= set().union(*told)


def _names(run: Run) -> set[tuple[int, str]]:
    """The names of the parameters of every module that a run filled."""
    return {
        (number, name)
        for number, signature in enumerate(run.signatures)
        for name, entry in signature.items()
        if entry[0] == "parameter"
    }


def _likely_first(exercise: Exercise, runs: Runs, oracle: Knows) -> list[_Pair]:
    """All pairs of different names, those first whose single outcomes fit together to what the learner's code computed.

    Where just one of two mistakes spoils a result, the learner's should be as that mistake has it; where neither does,
    it should be right. Where both do, nothing can be said.
    """
    known = oracle.mistakes(exercise)
    first = {probe: (probe, seed) for probe, seed in reversed(list(runs))}
    spoilt = 0
    spoils, against = [0] * len(known), [0] * len(known)  # sets of places, a bit each
    bit = _Bits()
    for key in first.values():
        table, name = oracle.table(exercise, *key), key[0].name
        spoilt |= bit.of(name, table.apart(runs[key]))
        for number, (wrong, other) in enumerate(zip(table.spoilt, table.against(runs[key]), strict=True)):
            spoils[number] |= bit.of(name, wrong)
            against[number] |= bit.of(name, wrong & other)

    def misfits(pair: tuple[int, int]) -> int:
        one, other = pair
        alone = (against[one] & ~spoils[other]) | (against[other] & ~spoils[one])
        return ((spoils[one] | spoils[other]) ^ spoilt).bit_count() + alone.bit_count()

    numbers = itertools.combinations(range(len(known)), 2)
    pairs = [(one, other) for one, other in numbers if known[one].name != known[other].name]
    return [(known[one], known[other]) for one, other in sorted(pairs, key=misfits)]


class _Bits:
    """Numbers places as they occur."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, Spot], int] = {}

    def of(self, probe: str, spots: Collection[Spot]) -> int:
        """A set of places as a whole number; what all probes share is one place."""
        places = ((("" if spot in SHARED else probe), spot) for spot in spots)
        return sum(1 << self._numbers.setdefault(place, len(self._numbers)) for place in places)


def _telling(key: Key, runs: Runs, right: Runs) -> tuple[bool, bool]:
    """Runs that tell most come first, so that most candidates are ruled out by one run."""
    return (same(right[key].returned, runs[key].returned), isinstance(runs[key].returned, Raised))


def _is_evidence(right: Run, got: Run) -> bool:
    """Whether a run is wrong in finite numbers: an exception or NaN everywhere has many causes."""
    found = dict(
        leaves(got.returned)
    )  # by place: gradients come in the order in which a constructor made the parameters
    return any(_differ_finitely(one, found.get(place)) for place, one in leaves(right.returned))


def _differ_finitely(a: object, b: object) -> bool:
    if type(a) is type(b) and type(a) in (int, str, bytes):  # tokens and ids
        return a != b
    if not (isinstance(a, Tensor) and isinstance(b, Tensor)) or a.shape != b.shape:
        return False
    return bool((mismatch(a, b) & torch.isfinite(b)).any()) if b.is_floating_point() else False


def _for_a_while(candidates: Iterable[_Pair]) -> Iterator[_Pair]:
    """The first `PAIRS` candidates, on however slow a machine, and as many more as fit into `PAIR_SECONDS`."""
    end = time.process_time() + PAIR_SECONDS
    tried = itertools.takewhile(lambda one: one[0] < PAIRS or time.process_time() < end, enumerate(candidates))
    return (pair for _, pair in tried)


def _unexplained(verdict: Verdict, runs: Runs, oracle: Knows) -> list[Finding]:
    """Failed findings on which the named mistakes compute something else than the learner's code."""
    if not verdict.mistakes:
        return []
    disagreeing = {
        probe.name
        for probe, seed in runs
        if not agree(oracle.wrong(verdict.exercise, verdict.mistakes, probe, seed), runs[probe, seed])
    }
    return [finding for finding in verdict.failures if finding.name in disagreeing]
