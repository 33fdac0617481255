"""What all known mistakes give on one draw of one probe, side by side: one comparison serves all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from autograder.judging.agreement import same_inputs, same_parameters
from autograder.probing.outcome import ATOL, RTOL, Known, leaves, same
from autograder.probing.run import Run

Spot = tuple[str, ...]
"""A place of the right outcome: a path in it, or `PARAMETERS`, or `INPUTS`."""

PARAMETERS: Spot = ("@parameters",)
INPUTS: Spot = ("@inputs",)
SHARED = (PARAMETERS, INPUTS)


class Table:
    """The runs of all known mistakes on one draw of one probe.

    Args:
        right: what the reference computes.
        runs: what is computed with mistakes, each once.
        which: for every mistake, which of the runs is its own.
    """

    def __init__(self, right: Run, runs: Sequence[Run], which: Sequence[int]) -> None:
        self.right = right
        self.runs = runs
        self.which = which
        self.spots = [path for path, _ in leaves(right.returned)]

    def agreeing(self, got: Run) -> list[bool]:
        """For every mistake, whether it gives just this."""
        known = self._stacks.compared_with(got.returned)
        found = [
            same(run.returned, got.returned, known) and same_inputs(run, got) and same_parameters(run, got)
            for run in self.runs
        ]
        return [found[number] for number in self.which]

    @cached_property
    def spoilt(self) -> list[frozenset[Spot]]:
        """For every mistake, the places at which it departs from what is right."""
        known = self._stacks.held_against(self.right.returned)
        found = [self._apart(self.right, run, known) for run in self.runs]
        return [found[number] for number in self.which]

    def against(self, got: Run) -> list[frozenset[Spot]]:
        """For every mistake, the places at which this departs from it."""
        known = self._stacks.compared_with(got.returned)
        found = [self._apart(run, got, known) for run in self.runs]
        return [found[number] for number in self.which]

    def apart(self, got: Run) -> frozenset[Spot]:
        """The places at which this departs from what is right."""
        return self._apart(self.right, got, None)

    @cached_property
    def _stacks(self) -> _Stacks:
        return _Stacks([run.returned for run in self.runs])

    def _apart(self, one: Run, other: Run, known: Known | None) -> frozenset[Spot]:
        """The places of the right outcome at which two others differ.

        Always the places of the right one: a tuple in a tensor's place is then as wrong there as other numbers are.
        """
        found: set[Spot] = set()
        if not same(one.returned, other.returned, known):
            apart = [spot for spot in self.spots if not same(_at(one.returned, spot), _at(other.returned, spot), known)]
            found.update(apart or [()])
        if not same_parameters(one, other):
            found.add(PARAMETERS)
        if not same_inputs(one, other):
            found.add(INPUTS)
        return frozenset(found)


def _at(outcome: Any, path: Spot) -> Any:
    """What stands at a path, or where the path ends because the outcome goes no deeper."""
    for step in path:
        if isinstance(outcome, dict) and step in outcome:
            outcome = outcome[step]
        elif isinstance(outcome, list) and step.isdigit() and int(step) < len(outcome):
            outcome = outcome[int(step)]
        else:
            break
    return outcome


_Kind = tuple[Spot, tuple[int, ...]]


class _Stacks:
    """The float tensors of many outcomes, those of one place and shape in one matrix, a row each."""

    def __init__(self, outcomes: Sequence[Any]) -> None:
        tensors: dict[_Kind, dict[int, Tensor]] = defaultdict(dict)
        for outcome in outcomes:
            for kind, tensor in _floats(outcome):
                tensors[kind][id(tensor)] = tensor
        self.rows = {kind: list(found) for kind, found in tensors.items()}
        self.matrices = {
            kind: torch.stack([one.double().reshape(-1) for one in found.values()]) for kind, found in tensors.items()
        }

    def compared_with(self, got: Any) -> Known:
        """Which of the tensors, as what is expected, agree with that of the same place in an outcome."""
        return {(row, other): fits for row, other, fits in self._each(got, lambda rows, one: _agree(rows, one))}

    def held_against(self, expected: Any) -> Known:
        """Which of the tensors agree with that of the same place in the outcome that is expected."""
        return {(other, row): fits for row, other, fits in self._each(expected, lambda rows, one: _agree(one, rows))}

    def _each(self, outcome: Any, agree: Callable[[Tensor, Tensor], Tensor]) -> Iterator[tuple[int, int, bool]]:
        for kind, tensor in _floats(outcome):
            if kind in self.matrices:
                found = agree(self.matrices[kind], tensor.double().reshape(1, -1)).tolist()
                yield from ((row, id(tensor), fits) for row, fits in zip(self.rows[kind], found, strict=True))


def _floats(outcome: Any) -> Iterator[tuple[_Kind, Tensor]]:
    """The tensors of an outcome whose numbers are compared with a tolerance, and where they stand."""
    for path, leaf in leaves(outcome):
        if isinstance(leaf, Tensor) and leaf.is_floating_point() and leaf.element_size() >= 4 and leaf.numel():
            yield (path, tuple(leaf.shape)), leaf


def _agree(expected: Tensor, got: Tensor) -> Tensor:
    """Row by row, whether all numbers agree, as `outcome.mismatch` has it."""
    size = torch.where(torch.isfinite(expected), expected.abs(), 0.0)
    scale = size.amax(dim=1, keepdim=True).clamp(min=1.0)
    close = (got - expected).abs() <= ATOL * scale + RTOL * size
    both = torch.isfinite(expected) & torch.isfinite(got)
    return ((close & both) | (expected == got) | (expected.isnan() & got.isnan())).all(dim=1)
