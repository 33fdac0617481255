"""Where one mistake only moves numbers: whether those of another, moved alike, are what came out."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from autograder.judging.table import Numbers
from autograder.probing.outcome import ATOL, RTOL

LOOKED_AT = 16
"""Numbers of a place that are compared: so many tell two orders apart."""


def moved(known: Numbers, got: Tensor) -> Tensor:
    """Of every two mistakes, the share of what came out that is not the one's numbers, moved as the other moves them.

    A mistake moves numbers where all that it gives, in the form that came out, stands somewhere in what is right: in
    another order, or with some left out.

    Args:
        known: what is right at a place, and what each mistake gives.
        got: what came out.

    Returns:
        A share between 0 and 1, and 1 where neither moves anything: (runs, runs).
    """
    rest = torch.ones(len(known.given), len(known.given), dtype=torch.float64)
    seen = torch.linspace(0, got.numel() - 1, min(LOOKED_AT, got.numel())).long()
    if got.shape not in known.movers:  # the same whatever came out, and a kernel asks at every check
        known.movers[got.shape] = _movers(known, got.shape, seen)
    mover, places = known.movers[got.shape]
    if not len(mover):
        return rest
    mine = got.reshape(-1)[seen].double()
    share = 1 - _close(known.rows[:, places], mine).double().mean(2)
    rest[:, mover] = torch.where(known.fits[:, None], share, 1.0)
    return torch.minimum(rest, rest.T)


def _movers(known: Numbers, shape: torch.Size, seen: Tensor) -> tuple[Tensor, Tensor]:
    """The runs that move numbers into this shape, and where in what is right each of those seen stands: (movers,) and
    (movers, seen)."""
    alike = [number for number, one in enumerate(known.given) if one is not known.leaf and _is_of(one, shape)]
    if not alike or not _all_different(known.right):
        return torch.empty(0, dtype=torch.long), torch.empty(0, len(seen), dtype=torch.long)
    rows = torch.stack([known.given[number].reshape(-1)[seen] for number in alike]).double()
    places, found = _places_in(known.right, rows)
    moves = found.all(1)
    return torch.tensor(alike)[moves], places[moves]


def _is_of(one: Any, shape: torch.Size) -> bool:
    return isinstance(one, Tensor) and one.shape == shape and not one.is_complex()


def _all_different(right: Tensor) -> bool:
    """Whether most numbers occur once, so that one can tell where each came from."""
    return len(right.unique()) > 0.8 * len(right)


def _places_in(right: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
    """Where the nearest number of what is right stands, and whether it is the same: (rows, numbers) each."""
    ordered, order = right.sort()
    above = torch.searchsorted(ordered, rows).clamp(max=len(right) - 1)
    below = (above - 1).clamp(min=0)
    nearest = torch.where((ordered[above] - rows).abs() < (ordered[below] - rows).abs(), above, below)
    return order[nearest], _close(ordered[nearest], rows)


def _close(one: Tensor, other: Tensor) -> Tensor:
    return (one - other).abs() <= ATOL + RTOL * other.abs()
