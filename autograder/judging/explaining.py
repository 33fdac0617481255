"""Finds the smallest set of mistakes that explains what a learner's code computed."""

from __future__ import annotations

import contextlib
import gc
import itertools
import time
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from autograder.judging.agreement import agree
from autograder.judging.edits import EditsOverlap, Pair
from autograder.judging.oracle import Knows
from autograder.judging.pairs import likely_pairs, pairs_beside
from autograder.probing.exercise import CREDIT_RUNGS, Exercise, Probe
from autograder.probing.mistake import Mistake
from autograder.probing.outcome import Raised, leaves, mismatch, same
from autograder.probing.run import Key, Run, Runs, one_thread

Practise = Callable[[Probe], Runs]
"""Has a probe run on the draws of practice."""


@dataclass(frozen=True)
class Explanation:
    """Mistakes with which the reference computes what the learner's code did.

    Attributes:
        mistakes: one or two; none when nothing explains it.
        apart: names of the probes in which they compute something else all the same.
    """

    mistakes: tuple[Mistake, ...] = ()
    apart: frozenset[str] = frozenset()


@dataclass
class _Clues:
    """The runs by which candidates are found: what every mistake gives there has to be known.

    For the draws of practice it is stored. On others each mistake would have to be made, so if these are all there is,
    the probes run once more, and only a candidate is made on the draws that count.

    Attributes:
        exercise: what was to be implemented.
        runs: the runs that count.
        oracle: knows what is right.
        practise: has a probe run on the draws of practice; None where the runs that count will do.
    """

    exercise: Exercise
    runs: Runs
    oracle: Knows
    practise: Practise | None
    _asked: dict[Probe, Runs] = field(default_factory=dict)

    def of(self, probe: Probe) -> Runs:
        """Those of one probe."""
        if self.practise is None:
            return {key: run for key, run in self.runs.items() if key[0] == probe}
        if probe not in self._asked:
            self._asked[probe] = self.practise(probe)
        return self._asked[probe]

    def first(self, probe: Probe) -> tuple[Key, Run]:
        """The one of a probe that tells most."""
        found = self.of(probe)
        right = {key: self.oracle.right(self.exercise, *key) for key in found}
        key = min(found, key=lambda key: _telling(key, found, right))
        return key, found[key]

    def of_some(self, probes: Iterable[Probe]) -> Runs:
        """Those of several probes."""
        return {key: run for probe in probes for key, run in self.of(probe).items()}


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """So many outcomes are read that garbage would be collected, which walks through all that a kernel holds: .2 s."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@_uncollected()
@one_thread()
def explain(
    exercise: Exercise, runs: Runs, right: Runs, oracle: Knows, practise: Practise | None = None
) -> Explanation:
    """The smallest explanation, one or two mistakes.

    First single mistakes that agree with every run, then pairs, then single mistakes that agree with all values and
    gradients but not with every edge case, then such pairs.

    Args:
        exercise: what was to be implemented.
        runs: what came of every probe on every draw.
        right: what would have been right.
        oracle: knows what each mistake gives.
        practise: has a probe run on the draws of practice, where none of the runs is on one of these.
    """
    if all(isinstance(run.returned, Raised) for run in runs.values()):
        return Explanation()
    if exercise.hunt:
        return _one_by_one(exercise, runs, right, oracle)
    clues = _Clues(exercise, runs, oracle, practise)
    order = sorted(runs, key=lambda key: _telling(key, runs, right))
    single = tuple(itertools.islice(_singles(order, clues), 1))
    if single or exercise.shows:  # of truth values, too, two mistakes can be had that give almost any
        return Explanation(single)
    if _only_raises(runs, right) or _builds_its_own(order[0][0], clues):
        return Explanation()
    core = [key for key in order if key[0].rung in ("values", "gradients")]
    evident = any(_is_evidence(right[key], runs[key]) for key in core)
    alone = list(_singles(core, clues)) if evident else []
    apart = _apart(exercise, alone[:1], runs, oracle)
    enough = core if evident and not alone else order
    return _both(_pairs(clues, alone, apart), enough, clues) or Explanation(tuple(alone[:1]), apart)


def _both(pairs: Iterable[Pair], enough: Sequence[Key], clues: _Clues) -> Explanation | None:
    """The first of these pairs that agrees with every run; else the first that agrees with as many as are enough."""
    exercise, runs, oracle = clues.exercise, clues.runs, clues.oracle
    first, last = list(enough), [key for key in runs if key not in enough]
    nearly: Pair | None = None
    for pair in itertools.chain.from_iterable(oracle.orders(exercise, one) for one in pairs):
        if _refuted(exercise, pair, first, runs, oracle):
            continue
        if not _refuted(exercise, pair, last, runs, oracle):
            return Explanation(pair)
        nearly = nearly or pair
    return Explanation(nearly, _apart(exercise, nearly, runs, oracle)) if nearly else None


def _pairs(clues: _Clues, alone: Sequence[Mistake], apart: Container[str]) -> Iterator[Pair]:
    """Those that are tried: first those with one of the mistakes that explain all but the probes that stand apart."""
    exercise, oracle = clues.exercise, clues.oracle
    runs = clues.of_some(exercise.probes)
    if not alone:
        return likely_pairs(exercise, runs, oracle)
    left = {key: run for key, run in runs.items() if key[0].name in apart}
    return pairs_beside(alone, exercise, runs, left, oracle)


def _singles(keys: Sequence[Key], clues: _Clues) -> Iterator[Mistake]:
    """The mistakes that agree with these runs; one clue rules out most."""
    exercise, runs, oracle = clues.exercise, clues.runs, clues.oracle
    first, got = clues.first(keys[0][0])
    likely = itertools.compress(oracle.mistakes(exercise), oracle.table(exercise, *first).agreeing(got))
    others = [key for key in keys if key != first]
    return (one for one in likely if all(agree(oracle.wrong(exercise, (one,), *key), runs[key]) for key in others))


def _refuted(exercise: Exercise, pair: Pair, keys: list[Key], runs: Runs, oracle: Knows) -> bool:
    """Whether two mistakes give something else in one of these runs, or cannot be made together. Of many pairs most
    should be refuted by the first run that is made, so one that refutes comes to the front, unless it takes longer than
    those before it."""
    begun = now = time.process_time()
    for number, key in enumerate(keys):
        spent, before = now - begun, now
        try:
            agrees = agree(oracle.wrong(exercise, pair, *key), runs[key])
        except EditsOverlap:
            return True
        now = time.process_time()
        if not agrees:
            if now - before < spent:
                keys.insert(0, keys.pop(number))
            return True
    return False


def _one_by_one(exercise: Exercise, runs: Runs, right: Runs, oracle: Knows) -> Explanation:
    """For each probe that fails, the mistake that gives the same there: it looks at one fault, whatever others do."""
    failing = [probe for probe in exercise.probes if _gives_otherwise(probe, runs, right)]
    named = {probe.name: _behind(exercise, probe, runs, right, oracle) for probe in failing}
    found = dict.fromkeys(one for one in named.values() if one)
    return Explanation(tuple(found), frozenset(name for name, one in named.items() if one is None))


def _gives_otherwise(probe: Probe, runs: Runs, others: Runs) -> bool:
    keys = [key for key in runs if key[0] == probe]
    return not all(same(others[key].returned, runs[key].returned) for key in keys)


def _behind(exercise: Exercise, probe: Probe, runs: Runs, right: Runs, oracle: Knows) -> Mistake | None:
    """The mistake that gives what came of a probe; parameters that another mistake lacks have no say in it."""
    keys = [key for key in runs if key[0] == probe]
    for one in oracle.mistakes(exercise) if probe.rung in CREDIT_RUNGS else ():
        wrong = {key: oracle.wrong(exercise, (one,), *key) for key in keys}
        if not (
            _gives_otherwise(probe, runs, wrong) or any(isinstance(run.returned, Raised) for run in wrong.values())
        ):
            return one
    return None


def _apart(exercise: Exercise, found: Sequence[Mistake], runs: Runs, oracle: Knows) -> frozenset[str]:
    """The probes in which these mistakes give something else; none without any."""
    return (
        frozenset()
        if not found
        else frozenset(
            probe.name
            for probe, seed in runs
            if not agree(oracle.wrong(exercise, found, probe, seed), runs[probe, seed])
        )
    )


def _only_raises(runs: Runs, right: Runs) -> bool:
    """Whether all that is wrong are exceptions: with two mistakes to choose from, almost any can be had."""
    wrong = [run.returned for key, run in runs.items() if not agree(right[key], run)]
    return bool(wrong) and all(isinstance(one, Raised) for one in wrong)


def _builds_its_own(probe: Probe, clues: _Clues) -> bool:
    """Whether parameters are missing or new in which no mistake departs from the reference.

    Then no pair departs there either, and the time to try every mistake on every probe is better saved.
    """
    key, got = clues.first(probe)
    if not got.signatures:  # it raised before it had any
        return False
    table = clues.oracle.table(clues.exercise, *key)
    apart = _names(table.right) ^ _names(got)
    told = (_names(table.right) ^ _names(wrong) for wrong in table.runs)
    return bool(apart) and not apart <= set().union(*told)


def _names(run: Run) -> set[tuple[int, str]]:
    """The names of the parameters of every module that a run filled."""
    return {
        (number, name)
        for number, signature in enumerate(run.signatures)
        for name, entry in signature.items()
        if entry[0] == "parameter"
    }


def _telling(key: Key, runs: Runs, right: Runs) -> tuple[bool, bool]:
    """Runs that tell most come first, so that most candidates are ruled out by one run."""
    return (same(right[key].returned, runs[key].returned), isinstance(runs[key].returned, Raised))


def _is_evidence(right: Run, got: Run) -> bool:
    """Whether a run is wrong in finite numbers: an exception or NaN everywhere has many causes."""
    found = dict(leaves(got.returned))  # by place: gradients come in the order in which a constructor made parameters
    return any(_differ_finitely(one, found.get(place)) for place, one in leaves(right.returned))


def _differ_finitely(a: object, b: object) -> bool:
    if type(a) is type(b) and type(a) in (int, str, bytes):  # tokens and ids
        return a != b
    if not (isinstance(a, Tensor) and isinstance(b, Tensor)) or a.shape != b.shape:
        return False
    return bool((mismatch(a, b) & torch.isfinite(b)).any()) if b.is_floating_point() else False
