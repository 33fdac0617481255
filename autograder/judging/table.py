"""What all known mistakes give on one draw of one probe, side by side: one comparison serves all of them."""

from __future__ import annotations

import cmath
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from autograder.judging.agreement import same_inputs, same_parameters
from autograder.probing.outcome import ATOL, RTOL, Known, Raised, leaves, same
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
        self._shells = list(_nodes(right.returned))
        self._forms: dict[int, tuple[Any, Any]] = {}

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
        right, places = self._right_placed, _Same(known)
        found = [
            self._apart(self.right, right, run, placed, places)
            for run, placed in zip(self.runs, self._placed, strict=True)
        ]
        return [found[number] for number in self.which]

    def against(self, got: Run) -> list[frozenset[Spot]]:
        """For every mistake, the places at which this departs from it."""
        known = self._stacks.compared_with(got.returned)
        mine, places = self._places_of(got), _Same(known)
        found = [
            self._apart(run, placed, got, mine, places) for run, placed in zip(self.runs, self._placed, strict=True)
        ]
        return [found[number] for number in self.which]

    def apart(self, got: Run) -> frozenset[Spot]:
        """The places at which this departs from what is right."""
        return self._apart(self.right, self._right_placed, got, self._places_of(got), _Same({}))

    @cached_property
    def reshaped(self) -> list[frozenset[Spot]]:
        """For every mistake, the places at which what it gives is of another form than what is right, infinite numbers
        aside: another mistake often makes finite ones of these."""
        right = [form for form, _ in self._right_formed]
        found = [frozenset(self._apart_in_form(right, [form for form, _ in formed])) for formed in self._formed]
        return [found[number] for number in self.which]

    def formed_like(self, got: Run) -> tuple[frozenset[Spot], list[frozenset[Spot]]]:
        """The places at which this is of another form than what is right; of these, for every mistake, where it is of
        the same form as this."""
        mine = [form_of(at(got.returned, spot)) for spot in self._shells]
        other = frozenset(self._apart_in_form(self._right_formed, mine))
        found = [other.difference(self._apart_in_form(mine, formed)) if other else other for formed in self._formed]
        return other, [found[number] for number in self.which]

    def _apart_in_form(self, one: list[Any], other: list[Any]) -> Iterator[Spot]:
        return (spot for spot, a, b in zip(self._shells, one, other, strict=True) if a != b)

    @cached_property
    def _formed(self) -> list[list[Any]]:
        return [self._forms_of(run) for run in self.runs]

    @cached_property
    def _right_formed(self) -> list[Any]:
        return self._forms_of(self.right)

    def _forms_of(self, run: Run) -> list[Any]:
        """The form of what stands in a run at each place of the right one, and of the lists and dicts around it."""
        return [self._form(at(run.returned, spot)) for spot in self._shells]

    def _form(self, one: Any) -> Any:
        """Much of what mistakes compute is the same object in many runs, which the table keeps."""
        if not isinstance(one, Tensor):
            return form_of(one)
        if id(one) not in self._forms:
            self._forms[id(one)] = (form_of(one), one)
        return self._forms[id(one)][0]

    @cached_property
    def numbers(self) -> dict[Spot, Numbers]:
        """The places at which there are numbers, with those of every run."""
        wrongs = [dict(found) for found in self._leaves]
        each = leaves(self.right.returned)
        found = ((path, Numbers.of(leaf, [one.get(path) for one in wrongs])) for path, leaf in each)
        return {path: numbers for path, numbers in found if numbers is not None}

    @cached_property
    def bags(self) -> dict[Spot, Bags]:
        """The places at which there are lists of texts or whole numbers, with how often each run has each of them."""
        each = ((spot, one) for spot in self._shells if isinstance(one := at(self.right.returned, spot), list))
        found = ((spot, Bags.of(right, [at(run.returned, spot) for run in self.runs])) for spot, right in each)
        return {spot: bags for spot, bags in found if bags is not None}

    def uneven(self, got: Run) -> frozenset[Spot]:
        """The lists of texts or whole numbers that are longer or shorter in this than they should be."""
        found = ((known, spot, at(got.returned, spot)) for spot, known in self.bags.items())
        return frozenset(spot for known, spot, one in found if isinstance(one, list) and len(one) != known.length)

    @cached_property
    def _stacks(self) -> _Stacks:
        return _Stacks(self._leaves)

    @cached_property
    def _leaves(self) -> list[list[_Leaf]]:
        return [list(leaves(run.returned)) for run in self.runs]

    @cached_property
    def _placed(self) -> list[list[Any]]:
        return [self._places_of(run) for run in self.runs]

    @cached_property
    def _right_placed(self) -> list[Any]:
        return self._places_of(self.right)

    def _places_of(self, run: Run) -> list[Any]:
        """What stands in a run at each place of the right one."""
        return [at(run.returned, spot) for spot in self.spots]

    def _apart(self, one: Run, its: list[Any], other: Run, others: list[Any], same_at: _Same) -> frozenset[Spot]:
        """The places of the right outcome at which two others differ.

        Always the places of the right one: a tuple in a tensor's place is then as wrong there as other numbers are.
        """
        placed = zip(self.spots, its, others, strict=True)
        found = {spot for spot, a, b in placed if a is not b and not same_at(a, b)}
        if not found and not same(one.returned, other.returned, same_at.known):
            found.add(())
        if not same_parameters(one, other):
            found.add(PARAMETERS)
        if not same_inputs(one, other):
            found.add(INPUTS)
        return frozenset(found)


class _Same:
    """Whether what stands at a place is the same in two outcomes.

    Most of what a mistake computes is what is right, and the same object in many runs: two are compared once.
    """

    def __init__(self, known: Known) -> None:
        self.known = known
        self._found: dict[tuple[int, int], bool] = {}

    def __call__(self, expected: Any, got: Any) -> bool:
        if type(expected) is type(got) is int and expected == got:
            return True  # what lists of tokens have hundreds of
        key = (id(expected), id(got))
        if key not in self._found:
            self._found[key] = same(expected, got, self.known)
        return self._found[key]


@dataclass(frozen=True)
class Numbers:
    """The numbers at one place of a table: a row for what is right, and one for each run.

    Attributes:
        leaf, given: what is right and what each run has there, of whatever form.
        right: (numbers,)
        rows: (runs, numbers); of a run that has none of that form there, what is right.
        fits: (runs,) whether it has.
        movers: what `moving.py` has found of them, by shape.
    """

    leaf: Any
    given: Sequence[Any]
    right: Tensor
    rows: Tensor
    fits: Tensor
    movers: dict[torch.Size, tuple[Tensor, Tensor]] = field(default_factory=dict, compare=False)

    @cached_property
    def sound(self) -> Tensor:
        """(runs,) whether a run has that form and finite numbers alone."""
        return self.fits & torch.isfinite(self.rows).all(1)

    @staticmethod
    def of(leaf: Any, given: Sequence[Any]) -> Numbers | None:
        """Put those of several runs together; none where what is right has no numbers."""
        right = row_of(leaf)
        if right is None:
            return None
        rows = [row_of(one) for one in given]
        fits = [row is not None and row.shape == right.shape for row in rows]
        filled = [row if row is not None and fit else right for row, fit in zip(rows, fits, strict=True)]
        return Numbers(leaf, given, right, torch.stack(filled), torch.tensor(fits))


@dataclass(frozen=True)
class Bags:
    """The lists at one place of a table, by how often each holds each text or number: a row for each run.

    Attributes:
        length: of the right one.
        columns: where each of them is counted.
        right: (columns,)
        rows: (runs, columns); of a run that has no such list there, what is right.
        fits: (runs,) whether it has.
    """

    length: int
    columns: dict[Any, int]
    right: Tensor
    rows: Tensor
    fits: Tensor

    @staticmethod
    def of(right: Any, given: Sequence[Any]) -> Bags | None:
        """Count in those of several runs, of which many are the same object; none where what is right is no such
        list."""
        different = {id(one): one for one in (right, *given)}
        bags = {which: bag for which, one in different.items() if (bag := bag_of(one)) is not None}
        if id(right) not in bags:
            return None
        row = {which: number for number, which in enumerate(bags)}
        items = dict.fromkeys(itertools.chain.from_iterable(bags.values()))
        columns = {item: column for column, item in enumerate(items)}
        table = torch.zeros(len(bags), len(columns), dtype=torch.float64)
        for number, bag in enumerate(bags.values()):
            table[number, [columns[item] for item in bag]] = torch.tensor(list(bag.values()), dtype=torch.float64)
        rows = table[[row.get(id(one), 0) for one in given]]
        return Bags(len(right), columns, table[0], rows, torch.tensor([id(one) in row for one in given]))


def bag_of(one: Any) -> Counter[Any] | None:
    """How often a list holds each text, each whole number, each list of these; None where there is anything else."""
    try:
        return Counter(map(_item, one)) if isinstance(one, list) else None
    except TypeError:
        return None


def _item(one: Any) -> Any:
    if isinstance(one, list):
        return tuple(map(_item, one))
    if type(one) in (str, int, bytes, bool, type(None)):
        return one
    raise TypeError(f"a {type(one).__name__} is compared with a tolerance, or not at all")


def row_of(leaf: Any) -> Tensor | None:
    """A leaf's numbers in a row; none where it has none."""
    if type(leaf) in (int, float):
        return torch.tensor([leaf], dtype=torch.float64)
    if not isinstance(leaf, Tensor) or not leaf.numel() or leaf.is_complex():
        return None
    return leaf.reshape(-1).double()


def form_of(one: Any) -> tuple[Any, Any]:
    """What can be told of an outcome before its numbers are compared: what it is, its shape, and where it is NaN; and
    where it is infinite."""
    if isinstance(one, Tensor):
        kind = one.dtype.is_floating_point, one.dtype is torch.bool, one.shape
        if cmath.isfinite(one.sum().item()):  # no number is NaN or infinite, then
            return (*kind, False), False
        nan, inf = one.isnan(), one.isinf()
        return (*kind, bool(nan.any()) and nan.tolist()), bool(inf.any()) and inf.tolist()
    if isinstance(one, list | dict):
        return (type(one), tuple(one) if isinstance(one, dict) else len(one)), False
    if type(one) in (int, float):
        return ("a number", math.isnan(one)), math.isinf(one)
    return (one.kind if isinstance(one, Raised) else type(one)), False


def _nodes(outcome: Any, path: Spot = ()) -> Iterator[Spot]:
    """All places of an outcome, those of lists and dicts too."""
    yield path
    inside = outcome.items() if isinstance(outcome, dict) else enumerate(outcome) if isinstance(outcome, list) else ()
    for step, one in inside:
        yield from _nodes(one, (*path, str(step)))


def at(outcome: Any, path: Spot) -> Any:
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
_Leaf = tuple[Spot, Any]


class _Stacks:
    """The float tensors of many outcomes, those of one place and shape in one matrix, a row each."""

    def __init__(self, outcomes: Sequence[Iterable[_Leaf]]) -> None:
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
        for kind, tensor in _floats(leaves(outcome)):
            if kind in self.matrices:
                found = agree(self.matrices[kind], tensor.double().reshape(1, -1)).tolist()
                yield from ((row, id(tensor), fits) for row, fits in zip(self.rows[kind], found, strict=True))


def _floats(outcome: Iterable[_Leaf]) -> Iterator[tuple[_Kind, Tensor]]:
    """Of the leaves of an outcome the tensors whose numbers are compared with a tolerance, and where they stand."""
    for path, leaf in outcome:
        if isinstance(leaf, Tensor) and leaf.is_floating_point() and leaf.element_size() >= 4 and leaf.numel():
            yield (path, tuple(leaf.shape)), leaf


def _agree(expected: Tensor, got: Tensor) -> Tensor:
    """Row by row, whether all numbers agree, as `outcome.mismatch` has it."""
    size = torch.where(torch.isfinite(expected), expected.abs(), 0.0)
    scale = size.amax(dim=1, keepdim=True).clamp(min=1.0)
    close = (got - expected).abs() <= ATOL * scale + RTOL * size
    both = torch.isfinite(expected) & torch.isfinite(got)
    return ((close & both) | (expected == got) | (expected.isnan() & got.isnan())).all(dim=1)
