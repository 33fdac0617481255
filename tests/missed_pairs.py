"""Why two slips at once are not told by their two names: for `python -m tests.count FILE --why`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator
from typing import Any

from autograder.judging.agreement import agree
from autograder.judging.edits import EditsOverlap, Pair
from autograder.judging.oracle import Oracle
from autograder.judging.pairs import ranked
from autograder.probing.draws import PRACTICE
from autograder.probing.exercise import Exercise
from autograder.probing.run import Runs, captured, other_luck_kept, run_probe

ORACLE = Oracle()


def why_missed(exercise: Exercise, implementation: Callable[..., Any], names: Collection[str]) -> str:
    """Whether two known ways with these names give what a program gives, and as which of all pairs they are tried.

    Args:
        exercise: what the program should do.
        implementation: the program.
        names: the names of both slips.
    """
    with captured(), other_luck_kept():
        runs = {(probe, seed): run_probe(probe, implementation, seed) for probe in exercise.probes for seed in PRACTICE}
        apart = {pair: _apart(exercise, pair, runs) for pair in _of_names(exercise, names)}
        if not apart:
            return "no two ways of these names can be made at once"
        pair = min(apart, key=lambda one: len(apart[one]))
        places = {frozenset(one): place for place, one in enumerate(ranked(exercise, runs, ORACLE), 1)}
    place = places[frozenset(pair)]
    if apart[pair]:
        return f"no two ways of these names give this; the nearest ({_shown(pair)}) departs in {sorted(apart[pair])}"
    return f"{_shown(pair)} gives this, and is tried as number {place} of {len(places)}"


def _of_names(exercise: Exercise, names: Collection[str]) -> Iterator[Pair]:
    ways = [one for one in ORACLE.mistakes(exercise) if one.name in names]
    for one, other in itertools.combinations(ways, 2):
        if one.name != other.name:
            yield from ORACLE.orders(exercise, (one, other))


def _apart(exercise: Exercise, pair: Pair, runs: Runs) -> frozenset[str]:
    """The names of the probes in which two ways at once give something else."""
    try:
        return frozenset(key[0].name for key, run in runs.items() if not agree(ORACLE.wrong(exercise, pair, *key), run))
    except EditsOverlap:
        return frozenset({"all: their edits overlap"} | {probe.name for probe in exercise.probes})


def _shown(pair: Pair) -> str:
    return " with ".join(f"{one.name} {dict(one.edits)}" for one in pair)
