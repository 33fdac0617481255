"""Two mistakes at once: which pairs are likely, and how long they are tried."""

from __future__ import annotations

import itertools
import time
from collections.abc import Collection, Iterator, Sequence

import torch

from autograder.judging.adding_up import left_over
from autograder.judging.oracle import Knows
from autograder.judging.table import SHARED, Spot
from autograder.probing.exercise import Exercise
from autograder.probing.mistake import Mistake
from autograder.probing.run import Runs

PAIRS, PAIR_SECONDS = 8, 0.28
"""How many pairs of mistakes are tried at least, and for how long: processor time, as machines are shared."""

Pair = tuple[Mistake, Mistake]


def for_a_while(candidates: Sequence[Pair]) -> Iterator[Pair]:
    """The first `PAIRS` candidates, on however slow a machine, and as many more as fit into `PAIR_SECONDS`."""
    end = time.process_time() + PAIR_SECONDS
    tried = itertools.takewhile(lambda one: one[0] < PAIRS or time.process_time() < end, enumerate(candidates))
    return (one for _, one in tried)


def ranked(exercise: Exercise, runs: Runs, oracle: Knows) -> list[Pair]:
    """All pairs of different names, those first whose single outcomes fit together to what the learner's code computed.

    Where just one of two mistakes spoils a result, the learner's should be as that mistake has it; where neither does,
    it should be right. Where both do, nothing is certain: of pairs that fit alike, those come first whose effects add
    up, or multiply, to what came out.
    """
    known = oracle.mistakes(exercise)
    rest = torch.zeros(len(known), len(known), dtype=torch.float64)
    first = {probe: (probe, seed) for probe, seed in reversed(list(runs))}
    spoilt = 0
    spoils, against = [0] * len(known), [0] * len(known)  # sets of places, a bit each
    bit = _Bits()
    for key in first.values():
        table, name = oracle.table(exercise, *key), key[0].name
        rest += sum(left_over(table, runs[key]))
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
    shares = rest.tolist()
    pairs.sort(key=lambda pair: (misfits(pair), shares[pair[0]][pair[1]]))
    return [(known[one], known[other]) for one, other in pairs]


class _Bits:
    """Numbers places as they occur."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, Spot], int] = {}

    def of(self, probe: str, spots: Collection[Spot]) -> int:
        """A set of places as a whole number; what all probes share is one place."""
        places = ((("" if spot in SHARED else probe), spot) for spot in spots)
        return sum(1 << self._numbers.setdefault(place, len(self._numbers)) for place in places)
