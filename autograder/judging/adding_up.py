"""How nearly the effects of two mistakes, taken together, give what came out: which pair to try first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.judging.moving import moved
from autograder.judging.table import Bags, Numbers, Table, at, bag_of, row_of
from autograder.probing.outcome import leaves
from autograder.probing.run import Run


def left_over(table: Table, got: Run) -> Tensor:
    """Of every two mistakes, what their effects together leave unexplained, over all places at which numbers are wrong.

    Where one mistake adds something and the other something else, both add the sum; where they scale, the product; and
    where one moves numbers, they are those of the other.

    Returns:
        Of each place a share between 0 (nothing is left) and 1 (they explain nothing, or nothing can be said), and of
        these the sum: (mistakes, mistakes).
    """
    rest = torch.zeros(len(table.runs), len(table.runs), dtype=torch.float64)
    for share in _shares(table, got):
        rest += share
    which = torch.tensor(table.which)
    return rest[which][:, which]


def _shares(table: Table, got: Run) -> Iterator[Tensor]:
    """For every place at which numbers are wrong: (runs, runs)."""
    found = dict(leaves(got.returned))
    for path, known in table.numbers.items():
        leaf = found.get(path)
        mine = row_of(leaf)
        if mine is None or torch.equal(known.right, mine):
            continue
        shares = [_share(known, mine)] if known.right.shape == mine.shape else []
        shares += [moved(known, leaf)] if isinstance(leaf, Tensor) else []
        if shares:
            yield torch.stack(shares).amin(0)
    for path, bags in table.bags.items():
        yield from _share_of_bag(bags, at(got.returned, path))


def _share_of_bag(known: Bags, got: Any) -> Iterator[Tensor]:
    """Of how often each thing stands in a list: what one mistake puts in or leaves out, the other seldom changes."""
    mine = bag_of(got)
    if mine is None:
        return
    effect = -known.right
    for item in mine.keys() & known.columns.keys():
        effect[known.columns[item]] += mine[item]
    new = sum(count**2 for item, count in mine.items() if item not in known.columns)
    if new or bool(effect.any()):
        share = _unexplained(known.rows - known.right, effect, new)
        yield torch.where(known.fits[:, None] & known.fits, share, 1.0)


def _share(known: Numbers, mine: Tensor) -> Tensor:
    """Of the numbers that are finite in both: where one mistake makes NaN of some, the others may tell of the other."""
    finite = torch.isfinite(known.right) & torch.isfinite(mine)
    if finite.all():
        right, rows, fits = known.right, known.rows, known.sound
    else:
        right, mine, rows = known.right[finite], mine[finite], known.rows[:, finite]
        fits = known.fits & torch.isfinite(rows).all(1)
    rows = torch.where(fits[:, None], rows, right)
    if torch.allclose(right, mine):
        idle = fits & torch.isclose(rows, right, rtol=1e-4).all(1)
        return torch.where(idle[:, None] & idle, 0.0, 1.0).double()
    share = _unexplained(rows - right, mine - right)
    some = (rows * right != 0).all(1)
    if bool((mine * right != 0).all()) and bool(some.any()):
        ratios, ratio = torch.where(some[:, None], rows / right, 1.0), mine / right
        scaled = _unexplained(ratios.abs().log(), ratio.abs().log())
        signs = ratios.sign() * ratio.sign() @ ratios.sign().T  # as many as there are numbers, if all signs agree
        fit = some[:, None] & some & (signs == len(right))
        share = torch.where(fit, torch.minimum(share, scaled), share)
    return torch.where(fits[:, None] & fits, share, 1.0)


def _unexplained(effects: Tensor, effect: Tensor, beside: float = 0.0) -> Tensor:
    """|effect - one - other|² as a share of |effect|², for every two of the effects (mistakes, numbers).

    Args:
        effects, effect: of mistakes, and what came out.
        beside: a part of |effect|² in which no mistake has any.
    """
    rest = effect - effects
    # |rest_i - e_j|² without a tensor for every pair.
    squares = (rest**2).sum(1)[:, None] + (effects**2).sum(1) - 2 * rest @ effects.T
    return ((squares + beside) / ((effect**2).sum() + beside).clamp(min=1e-12)).clamp(0, 1)
