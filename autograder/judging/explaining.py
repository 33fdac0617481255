"""Finds the smallest set of mistakes that explains what a learner's code computed."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from autograder.judging.agreement import agree
from autograder.judging.edits import EditsOverlap
from autograder.judging.oracle import Knows
from autograder.judging.pairs import for_a_while, ranked
from autograder.probing.exercise import Exercise
from autograder.probing.mistake import Mistake
from autograder.probing.outcome import Raised, leaves, mismatch, same
from autograder.probing.run import Key, Run, Runs


@dataclass(frozen=True)
class Explanation:
    """Mistakes with which the reference computes what the learner's code did.

    Attributes:
        mistakes: one or two; none when nothing explains it.
        apart: names of the probes in which they compute something else all the same.
    """

    mistakes: tuple[Mistake, ...] = ()
    apart: frozenset[str] = frozenset()


def explain(exercise: Exercise, runs: Runs, right: Runs, oracle: Knows) -> Explanation:
    """The smallest explanation, one or two mistakes.

    First single mistakes that agree with every run, then pairs, then single mistakes that agree with all values and
    gradients but not with every edge case.
    """
    if all(isinstance(run.returned, Raised) for run in runs.values()):
        return Explanation()
    order = sorted(runs, key=lambda key: _telling(key, runs, right))
    single = _single(exercise, order, runs, oracle)
    if single or exercise.shows:  # of truth values, too, two mistakes can be had that give almost any
        return Explanation(single)
    if _only_raises(runs, right) or _builds_its_own(exercise, order[0], runs, right, oracle):
        return Explanation()
    pairs = for_a_while(ranked(exercise, runs, oracle))
    both = next((pair for pair in pairs if _explains(exercise, pair, order, runs, oracle)), ())
    if both:
        return Explanation(both)
    core = [key for key in order if key[0].rung in ("values", "gradients")]
    evident = any(_is_evidence(right[key], runs[key]) for key in core)
    found = _single(exercise, core, runs, oracle) if evident else ()
    return Explanation(found, _apart(exercise, found, runs, oracle))


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
