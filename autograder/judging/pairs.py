"""Two mistakes at once: which pairs are likely, and how long they are tried."""

from __future__ import annotations

import itertools
import time
from collections.abc import Collection, Iterable, Iterator, Sequence

import torch
from torch import Tensor

from autograder.judging.adding_up import left_over
from autograder.judging.edits import Pair
from autograder.judging.oracle import Knows
from autograder.judging.table import SHARED, Spot
from autograder.probing.exercise import Exercise
from autograder.probing.mistake import Mistake
from autograder.probing.run import Runs

PAIRS, PAIR_SECONDS = 16, 0.28
"""How many pairs of mistakes are tried at least, and for how long with the sorting: processor time, as machines are
shared. `docs/judge.md` says how often the right pair stands among the first of them."""

FEW = 6
"""As many, where one mistake explains all but edge cases: of 108 such pairs 104 stood among the first six."""


def likely_pairs(exercise: Exercise, runs: Runs, oracle: Knows) -> Iterator[Pair]:
    """The first `PAIRS`, on however slow a machine, and as many more as fit into `PAIR_SECONDS`."""
    end = time.process_time() + PAIR_SECONDS
    candidates = enumerate(ranked(exercise, runs, oracle))
    tried = itertools.takewhile(lambda one: one[0] < PAIRS or time.process_time() < end, candidates)
    return (one for _, one in tried)


def pairs_with(some: Collection[Mistake], exercise: Exercise, runs: Runs, oracle: Knows) -> Iterator[Pair]:
    """The first `FEW` that have one of some mistakes in them.

    Args:
        some: explain all of an exercise but these runs.
    """
    return itertools.islice((pair for pair in ranked(exercise, runs, oracle) if not set(some).isdisjoint(pair)), FEW)


def ranked(exercise: Exercise, runs: Runs, oracle: Knows) -> Iterator[Pair]:
    """All pairs of different names, those first whose single outcomes fit together to what the learner's code computed.

    Where just one of two mistakes spoils a result, the learner's should be as that mistake has it; where neither does,
    it should be right. What is of another form than it should be has this form from one of the two, and neither gives
    another form to what has the right one. Where both spoil numbers, nothing is certain: of pairs that fit alike, those
    come first whose effects add up, or multiply, to what came out.
    """
    known = oracle.mistakes(exercise)
    rest = torch.zeros(len(known), len(known), dtype=torch.float64)
    places = _Places()
    spoilt: set[int] = set()
    formed: set[int] = set()
    spoils, against, reshapes, forms = ([set[int]() for _ in known] for _ in range(4))
    for key in {probe: (probe, seed) for probe, seed in reversed(list(runs))}.values():
        table, name = oracle.table(exercise, *key), key[0].name
        rest += left_over(table, runs[key])
        spoilt |= places.of(name, table.apart(runs[key]))
        for mistake, (wrong, other) in enumerate(zip(table.spoilt, table.against(runs[key]), strict=True)):
            spoils[mistake] |= places.of(name, wrong)
            against[mistake] |= places.of(name, wrong & other)
        other, alike = table.formed_like(runs[key])
        formed |= places.of(name, other)
        for mistake, (wrong, like) in enumerate(zip(table.reshaped, alike, strict=True)):
            reshapes[mistake] |= places.of(name, wrong)
            forms[mistake] |= places.of(name, like)
    misfits = _misfits(places.marked([spoilt])[0], places.marked(spoils), places.marked(against))
    form = _misfits_of_form(places.marked([formed])[0], places.marked(reshapes), places.marked(forms))
    return _in_order(known, misfits + form, rest)


def _misfits(spoilt: Tensor, spoils: Tensor, against: Tensor) -> Tensor:
    """At how many places two mistakes do not fit to what came out: (mistakes, mistakes).

    Args:
        spoilt: (places,) 1 where the learner's code is wrong.
        spoils: (mistakes, places) 1 where a mistake is wrong.
        against: (mistakes, places) 1 where a mistake is wrong, and the learner's code departs from it.
    """
    alone = against @ (1 - spoils).T
    return spoilt.sum() + _either(spoils, 1 - 2 * spoilt) + alone + alone.T


def _misfits_of_form(formed: Tensor, reshapes: Tensor, forms: Tensor) -> Tensor:
    """At how many places neither of two mistakes gives the form that came out: (mistakes, mistakes).

    Args:
        formed: (places,) 1 where the form of what came out is not the right one.
        reshapes: (mistakes, places) 1 where a mistake's form is not the right one.
        forms: (mistakes, places) 1 where a mistake gives the form that came out, and that is not the right one.
    """
    return formed.sum() - _either(forms, torch.ones_like(formed)) + _either(reshapes, 1 - formed)


def _either(marked: Tensor, weights: Tensor) -> Tensor:
    """What the places weigh together that at least one of two rows has marked: (rows, rows)."""
    each, both = marked @ weights, (marked * weights) @ marked.T
    return each[:, None] + each - both


def _in_order(known: Sequence[Mistake], misfits: Tensor, rest: Tensor) -> Iterator[Pair]:
    """The pairs of different names, the fewest misfits first, and then the least that is left over."""
    names = {name: number for number, name in enumerate({one.name: None for one in known})}
    name = torch.tensor([names[one.name] for one in known])
    pairs = torch.triu_indices(len(known), len(known), 1)
    pairs = pairs[:, name[pairs[0]] != name[pairs[1]]]
    for keys in (rest, misfits):  # a stable sort by the second keeps the order by the first
        pairs = pairs[:, keys[pairs[0], pairs[1]].argsort(stable=True)]
    return ((known[one], known[other]) for one, other in zip(*pairs.tolist(), strict=True))


class _Places:
    """Numbers places as they occur."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, Spot], int] = {}

    def of(self, probe: str, spots: Iterable[Spot]) -> set[int]:
        """The numbers of places; what all probes share is one place."""
        places = ((("" if spot in SHARED else probe), spot) for spot in spots)
        return {self._numbers.setdefault(place, len(self._numbers)) for place in places}

    def marked(self, rows: Sequence[Collection[int]]) -> Tensor:
        """Sets of places as rows of zeros and ones: (rows, places)."""
        found = torch.zeros(len(rows), len(self._numbers), dtype=torch.float64)
        for row, numbers in zip(found, rows, strict=True):
            row[list(numbers)] = 1
        return found
