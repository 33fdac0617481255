"""Two mistakes at once: which pairs are likely, and how long they are tried."""

from __future__ import annotations

import itertools
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial

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

MISFIT = 2.0
"""What a misfit weighs. A place that one of two mistakes alone spoils, and not as the learner's code does, weighs 1, as
the other may act on it; one whose numbers the two do not explain weighs up to 1."""

FEW, FEW_SECONDS = 6, 0.12
"""The same, where one mistake explains all but edge cases, and so the pairs with it are few."""


def likely_pairs(exercise: Exercise, runs: Runs, oracle: Knows) -> Iterator[Pair]:
    """The first `PAIRS`, on however slow a machine, and as many more as fit into `PAIR_SECONDS`."""
    end = time.process_time() + PAIR_SECONDS
    return _until(end, ranked(exercise, runs, oracle), PAIRS)


def pairs_beside(
    some: Collection[Mistake], exercise: Exercise, runs: Runs, left: Runs, oracle: Knows
) -> Iterator[Pair]:
    """The first `FEW` that have one of some mistakes in them, and as many more as fit into `FEW_SECONDS`; then as many
    others.

    Args:
        some: each explains all but the runs that are left.
        exercise: what was to be implemented.
        runs: those of all probes.
        left: what some do not explain.
        oracle: knows what each mistake gives.
    """
    end = time.process_time() + FEW_SECONDS
    yield from _until(end, (pair for pair in ranked(exercise, left, oracle) if not set(some).isdisjoint(pair)), FEW)
    end = time.process_time() + FEW_SECONDS
    yield from _until(end, (pair for pair in ranked(exercise, runs, oracle) if set(some).isdisjoint(pair)), FEW)


def _until(end: float, pairs: Iterable[Pair], few: int) -> Iterator[Pair]:
    """Pairs until a time of the processor, and so many of them in any case."""
    tried = itertools.takewhile(lambda one: one[0] < few or time.process_time() < end, enumerate(pairs))
    return (one for _, one in tried)


def ranked(exercise: Exercise, runs: Runs, oracle: Knows) -> Iterator[Pair]:
    """All pairs of different names, those first whose single outcomes fit together to what the learner's code computed.

    Where just one of two mistakes spoils a result, the learner's should be as that mistake has it; where neither does,
    it should be right. What is of another form than it should be has this form from one of the two, and neither gives
    another form to what has the right one. Where both spoil numbers, nothing is certain: their effects may add up, or
    multiply, to what came out, or one may have moved the numbers of the other.

    Where the learner's list is longer or shorter than the right one, its items may have moved, and all after the first
    wrong one depart from everything. Then a second order knows such a list as a whole alone, and takes turns.
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
        places_of = partial(places.of, name, table.uneven(runs[key]))
        spoilt |= places_of(table.apart(runs[key]))
        for mistake, (wrong, other) in enumerate(zip(table.spoilt, table.against(runs[key]), strict=True)):
            spoils[mistake] |= places_of(wrong)
            against[mistake] |= places_of(wrong & other)
        other, alike = table.formed_like(runs[key])
        formed |= places_of(other)
        for mistake, (wrong, like) in enumerate(zip(table.reshaped, alike, strict=True)):
            reshapes[mistake] |= places_of(wrong)
            forms[mistake] |= places_of(like)
    marked = places.marked([spoilt])[0], places.marked(spoils), places.marked(against)
    of_form = places.marked([formed])[0], places.marked(reshapes), places.marked(forms)
    orders = [
        _in_order(known, _misfits(*marked, values) + _misfits_of_form(*of_form, shapes) + rest)
        for values, shapes in places.weights()
    ]
    return _in_turn(*orders)


def _in_turn(*orders: Iterator[Pair]) -> Iterator[Pair]:
    """What comes first in each, each once."""
    met: set[Pair] = set()
    for pair in itertools.chain.from_iterable(zip(*orders, strict=True)):
        if pair not in met:
            met.add(pair)
            yield pair


def _misfits(spoilt: Tensor, spoils: Tensor, against: Tensor, weights: Tensor) -> Tensor:
    """What the places weigh at which two mistakes do not fit to what came out: (mistakes, mistakes).

    Args:
        spoilt: (places,) 1 where the learner's code is wrong.
        spoils: (mistakes, places) 1 where a mistake is wrong.
        against: (mistakes, places) 1 where a mistake is wrong, and the learner's code departs from it.
        weights: (places,) what each weighs.
    """
    alone = against * weights @ (1 - spoils).T
    return MISFIT * (spoilt @ weights + _either(spoils, (1 - 2 * spoilt) * weights)) + alone + alone.T


def _misfits_of_form(formed: Tensor, reshapes: Tensor, forms: Tensor, weights: Tensor) -> Tensor:
    """What the places weigh at which neither of two mistakes gives the form that came out: (mistakes, mistakes).

    Args:
        formed: (places,) 1 where the form of what came out is not the right one.
        reshapes: (mistakes, places) 1 where a mistake's form is not the right one.
        forms: (mistakes, places) 1 where a mistake gives the form that came out, and that is not the right one.
        weights: (places,) what each weighs.
    """
    return MISFIT * (formed @ weights - _either(forms, weights) + _either(reshapes, (1 - formed) * weights))


def _either(marked: Tensor, weights: Tensor) -> Tensor:
    """What the places weigh together that at least one of two rows has marked: (rows, rows)."""
    each, both = marked @ weights, (marked * weights) @ marked.T
    return each[:, None] + each - both


def _in_order(known: Sequence[Mistake], misfits: Tensor) -> Iterator[Pair]:
    """The pairs of different names, those with the least weight of misfits first."""
    names = {name: number for number, name in enumerate({one.name: None for one in known})}
    name = torch.tensor([names[one.name] for one in known])
    pairs = torch.triu_indices(len(known), len(known), 1)
    pairs = pairs[:, name[pairs[0]] != name[pairs[1]]]
    pairs = pairs[:, misfits[pairs[0], pairs[1]].argsort(stable=True)]
    return ((known[one], known[other]) for one, other in zip(*pairs.tolist(), strict=True))


class _Places:
    """Numbers places as they occur."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, Spot], int] = {}
        self._found: dict[tuple[str, frozenset[Spot]], frozenset[int]] = {}
        self._each: dict[tuple[str, Spot], tuple[int, ...]] = {}
        self._moved: set[int] = set()
        self._whole: set[int] = set()

    def of(self, probe: str, uneven: frozenset[Spot], spots: frozenset[Spot]) -> frozenset[int]:
        """The numbers of places; what all probes share is one place.

        Args:
            probe: whose.
            uneven: the lists of its outcome that are longer or shorter than they should be.
            spots: the places.
        """
        if (probe, spots) not in self._found:
            each = (self._each.get((probe, spot)) or self._numbered(probe, uneven, spot) for spot in spots)
            self._found[probe, spots] = frozenset(itertools.chain.from_iterable(each))
        return self._found[probe, spots]

    def _numbered(self, probe: str, uneven: frozenset[Spot], spot: Spot) -> tuple[int, ...]:
        """The number of a place; and that of the uneven list that it is in, as a whole."""
        found = [self._number("" if spot in SHARED else probe, spot)]
        inside = _list_of(spot, uneven)
        if inside is not None:
            self._moved.add(self._number(probe, spot))
            found.append(self._number(probe, (*inside, "@whole")))
            self._whole.add(found[-1])
        self._each[probe, spot] = tuple(found)
        return self._each[probe, spot]

    def _number(self, probe: str, spot: Spot) -> int:
        return self._numbers.setdefault((probe, spot), len(self._numbers))

    def weights(self) -> Iterator[tuple[Tensor, Tensor]]:
        """What each place weighs, as a value and as a form: by the items of lists; by lists as wholes, if any is
        uneven."""
        ones = torch.ones(len(self._numbers), dtype=torch.float64)
        moved, whole = ones.clone(), ones.clone()
        moved[list(self._moved)], whole[list(self._whole)] = 0, 0
        yield whole, whole
        if self._whole:
            yield moved, moved * whole

    def marked(self, rows: Sequence[Collection[int]]) -> Tensor:
        """Sets of places as rows of zeros and ones: (rows, places)."""
        found = torch.zeros(len(rows), len(self._numbers), dtype=torch.float64)
        row = [number for number, places in enumerate(rows) for _ in places]
        found[row, [place for places in rows for place in places]] = 1
        return found


def _list_of(spot: Spot, uneven: frozenset[Spot]) -> Spot | None:
    """The uneven list that stands at a place, or that this is in."""
    return next((spot[:end] for end in range(len(spot) + 1) if spot[:end] in uneven), None)
